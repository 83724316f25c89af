/* rubbing.c: see rubbing.h. Three things are found together, each pass improving all of them: the joints' impulses (a solve
 * with the factor), friction (what the bearings bear under them, slide.h) and modes (who slides). Friction begins as it
 * was in the last step, and settles to a part of what it changes by in this one:
 *     off <= c_1 (change from the last step),   order 1;     off <= c_2 (change from the last step)^2,   order 2     (10.11)
 * so that it is wrong by less than the scheme itself, and by nothing where loads are steady. Modes are reviewed once loads
 * are nearly settled; who changes is switched in the factor at hand (switched.h). */
#include "dynamics/rubbing.h"

#include "dynamics/slide.h"

#include <string.h>

enum {
    MOST_PASSES = 30, /* between two changes of modes */
    TURNS = 8         /* of them: friction follows the direction of a slip that it may stop */
};

static const double PARTS[2] = {1e-2, 1e-1}, MOST[2] = {1e-3, 1e-5}; /* c of (10.11), and the most that may be left */
static const double LEAST = 1e-9;                                    /* the least that is asked for, */
static const double UNKNOWN = 0.5;                                   /* also where the last step tells so little */
static const double NEAR = 1e-3;                                     /* of a friction: modes can be told */
static const double UNSURE = 4;                                      /* times its change: what a load may be off by */
static const double ROUGHLY = 1e-3;                                  /* of what rates are off by: tells loads */
static const double SLOWEST = 0.999; /* growth or decay of changes that the rest is estimated with */

/* Slips that friction goes by: the mean of where the part began and where the solve ends; under bdf2, whose forces are those
 * of the end, the latter. */
static void see_slips(const BriStep *step) {
    bri_slide_see(step, step->ws->rate);
    for (int k = 0; k < step->model->grips && step->def->scheme != BR_SCHEME_BDF2; k++)
        for (int r = 0; r < step->model->grip[k].rows; r++) {
            BriGripWork *work = &step->ws->grip[k];
            work->slip[r] = 0.5 * (work->slip[r] + work->start[r]);
        }
}

/* Pushes with what friction has more than in `before`. */
static void push_friction(BriStep *step, const BriRates *rates, const double *before) {
    const BrModel *m = step->model;
    for (int k = 0; k < m->grips; k++)
        for (int r = 0; r < m->grip[k].rows && !m->grip[k].driven; r++) {
            int row = bri_grip_row(m, &m->grip[k], r);
            double more = rates->p[row] - before[row];
            if (more != 0) bri_system_push_row(m, rates->D, m->grip[k].joint, row, more, rates->bodies);
        }
}

/* How well friction has settled. */
typedef struct Course {
    double first, last; /* changes: the first one, and the one before */
    int passes;         /* since a mode has changed */
} Course;

/* Is what friction is still off by small enough? Changes that shrink by a part each time add up to the last of them over
 * what is missing from one. */
static bool is_settled(const BriStep *step, Course *course, double change) {
    bool second = step->def->scheme == BR_SCHEME_HEM2 || step->def->scheme == BR_SCHEME_BDF2;
    if (course->first == 0) course->first = change;
    double shrinks = course->passes > 0 ? bri_min(SLOWEST, change / course->last) : SLOWEST;
    double may = bri_min(MOST[second], PARTS[second] * course->first * (second ? course->first : 1));
    return change <= LEAST || (course->first < UNKNOWN && change <= (1 - shrinks) * may);
}

/* From the velocities before any impulse: what a trial has pushed with is none of the answer, and may be larger than it by any
 * factor. */
static void begin(BriStep *step, const BriRates *rates, Course *course) {
    const BrModel *m = step->model;
    double *before = step->ws->cg;
    memcpy(rates->bodies, step->ws->free, (size_t)m->bodies * sizeof *rates->bodies);
    bri_apply_clamps(step, rates->D, rates->span, rates->bodies, rates->p);
    memcpy(before, rates->p, (size_t)m->rows * sizeof *before);
    bri_slide_guess(step, rates->span, rates->p);
    push_friction(step, rates, before);
    course->passes = 0;
}

/* false: no friction was found that fits. */
static bool settle(BriStep *step, const BriRates *rates, int *round) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    double *before = w->cg, *p = rates->p;
    Course course = {0};
    begin(step, rates, &course);
    while (course.passes < MOST_PASSES) {
        if (!bri_refine_rates(step, rates, ROUGHLY)) return false;
        if (course.passes < TURNS) see_slips(step);
        memcpy(before, p, (size_t)m->rows * sizeof *before);
        double change = bri_slide_drag(step, &(BriSlideAt){rates->D, rates->span, true}, p);
        if (!(change < 1e300)) return false;
        bool settled = is_settled(step, &course, change), changed = false;
        if ((settled || change <= NEAR) && *round < bri_most_rounds(m)) {
            bool sure = change <= LEAST, close;
            BriSlideReview review = {p, w->rate, rates->span, sure ? 0 : UNSURE * change, *round >= BRI_CLAMP_ROUNDS};
            changed = bri_slide_review(step, &review, &close);
            settled = settled && (sure || !close);
        }
        if (changed) {
            ++*round;
            bri_refactor(step);
            begin(step, rates, &course);
        } else if (settled) {
            memcpy(p, before, (size_t)m->rows * sizeof *p);
            return bri_refine_rates(step, rates, 0);
        } else {
            push_friction(step, rates, before);
            course.passes++;
        }
        course.last = change;
    }
    return false;
}

bool bri_rub(BriStep *step, const BriRates *rates) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    int jams = 0, round = 0;
    bri_slide_begin(step);
    bri_slide_place(step, rates->D == &w->system.J ? w->system.factor_pose : rates->bodies);
    for (;;) {
        bri_refactor(step);
        bool settled = settle(step, rates, &round), changed = bri_slide_has_jammed(step, &jams);
        if (!settled && !changed) changed = bri_slide_bar(step);
        if (!settled && !changed) return false; /* what did not settle tells nothing of modes */
        if (!changed)
            changed = m->motors &&
                      bri_update_clamps(step, rates->p, w->rate, rates->target, rates->span, round >= BRI_CLAMP_ROUNDS);
        if (!changed) return true;
        if (round++ >= bri_most_rounds(m) || !bri_has_budget(step->budget)) return false;
    }
}
