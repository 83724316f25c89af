/* rubbing.c: see rubbing.h. Three things are found together, each pass improving all of them: the joints' impulses (a solve
 * with the factor), friction (what the bearings bear under them, slide.h) and modes (who slides). Friction begins as it
 * was in the last step, and settles to a part of what it changes by in this one:
 *     off <= c_1 (change from the last step),   order 1;     off <= c_2 (change from the last step)^2,   order 2     (10.11)
 * so that it is wrong by less than the scheme itself, and by nothing where loads are steady. What joints answer friction's last
 * change with bounds what loads can still change by (10.12): where that is little, as with small pins, one look at loads is
 * enough. Modes are reviewed once loads are nearly settled; who changes is switched in the factor at hand (switched.h), and the
 * search goes on from there, but for slides that are tried to hold. */
#include "dynamics/rubbing.h"

#include "dynamics/slide.h"

#include <string.h>

enum {
    MOST_PASSES = 30, /* between two changes of modes */
    TURNS = 8,        /* of them: friction follows the direction of a slip that it may stop */
    AT_ONCE = 8       /* grips: each so many may all change their minds once more before they do so one by one */
};

static const double PARTS[2] = {1e-2, 3e-1}, MOST[2] = {1e-3, 1e-5}; /* c of (10.11), and the most that may be left */
static const double LEAST = 1e-9;                                    /* the least that is asked for, */
static const double UNKNOWN = 0.5;                                   /* also where the last step tells so little */
static const double NEAR = 1e-3;                                     /* of a friction: modes can be told */
static const double UNSURE = 4;                                      /* times its change: what a load may be off by */
static const double ROUGHLY = 1e-4;                                  /* of what rates are off by: tells loads */
static const double ROUGHLY_AGAIN = 1e-2; /* the same where it begins with what was found before */
static const double BETWEEN =
    1e6; /* times what rounding leaves: a millionth of the speed, where positions are made of rates */
static const double BEGUN[2] = {1e-2, 1e-3}; /* the same where a mode changes within the step */
static const double SLOWEST = 0.999;         /* growth or decay of changes that the rest is estimated with */

/* Slips that friction goes by: the mean of where the part began and where the solve ends; under bdf2, whose forces are those
 * of the end, the latter. */
static void see_slips(const BriStep *step) { bri_slide_see(step, step->ws->rate, step->def->scheme != BR_SCHEME_BDF2); }

/* Forces and conditions stand where the factor does: one solve is enough. */
static bool is_one_pose(const BriRates *rates) { return rates->D == rates->C; }

/* Of two poses every answer asks for all rates: ws->rate is kept in step with velocities. A servo's tell how it yields, too. */
static bool knows_rates(const BriStep *step, const BriRates *rates) {
    return !is_one_pose(rates) && !step->model->servos;
}

/* Rates of the grips' rows, which tell slips, or of all. */
static void see_rates(const BriStep *step, const BriRates *rates) {
    const BrModel *m = step->model;
    if (knows_rates(step, rates)) {
        bri_system_rates(m, rates->C, rates->bodies, step->ws->rate);
        return;
    }
    for (int k = 0; k < m->grips; k++)
        for (int r = 0; r < m->grip[k].rows && !m->grip[k].driven; r++) {
            int row = m->grip[k].row[r];
            step->ws->rate[row] = bri_system_row_rate(m, rates->C, rates->bodies, m->grip[k].joint, row);
        }
}

/* What grips that hold slip with, into the rows of x: those that came into the factor alone. false: others do, too. */
static bool ask_grips(const BriStep *step, const BriRates *rates, double *x) {
    const BrModel *m = step->model;
    const BriSystem *system = &step->ws->system;
    for (int k = 0; k < m->grips; k++) {
        const BriGrip *g = &m->grip[k];
        for (int r = 0; r < g->rows && !bri_grip_is_off(step, k); r++) {
            int row = g->row[r];
            double lag = rates->target[row] - step->ws->rate[row];
            if (bri_abs(lag) <= step->velocity_tolerance) continue;
            if (bri_system_has_row(m, system, g->joint, row)) return false;
            x[row] = lag;
        }
    }
    return true;
}

/* All rows push with what p is more than `before`, */
static void push_joints(const BriStep *step, const BriRates *rates, const double *before) {
    const BrModel *m = step->model;
    double *more = step->ws->error;
    for (int r = 0; r < m->rows; r++) more[r] = rates->p[r] - before[r];
    for (int k = 0; k < m->joints; k++) bri_system_push(m, rates->D, k, more, rates->bodies);
}

/* or, where no others have changed, those of drives. */
static void push_drives(const BriStep *step, const BriRates *rates, const double *before) {
    const BrModel *m = step->model;
    double *more = step->ws->error;
    for (int r = 0; r < m->rows; r++) more[r] = rates->p[r] - before[r];
    for (int k = 0; k < m->joints; k++)
        if (m->joint[k].drives > 0) bri_system_push_drives(m, rates->D, k, more, rates->bodies);
}

/* Friction pushes with what it has more than in `before`, and joints answer. `ask`: they also take away what rates are off
 * by; else grips that hold from now on stop. */
static bool answer(BriStep *step, const BriRates *rates, const double *before, bool ask) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    int bodies = 6 * m->moving;
    double *x = w->system.x, *p = rates->p;
    if (!bri_spend(step->budget, w->system.ldl.solve_work + 50. * m->rows)) return false;
    memset(x, 0, (size_t)(bodies + m->rows) * sizeof *x);
    ask = ask || !is_one_pose(rates) ||
          !ask_grips(step, rates, x + bodies); /* of two poses something is left each time */
    if (ask && !knows_rates(step, rates)) bri_system_rates(m, rates->C, rates->bodies, w->rate);
    for (int r = 0; r < m->rows; r++) {
        if (ask) x[bodies + r] = rates->target[r] - w->rate[r];
        w->error[r] = p[r] - before[r];
    }
    bri_system_solve_pushed(m, &w->system, rates->D, w->error, ask, x);
    for (int r = 0; r < m->rows; r++) p[r] -= x[bodies + r];
    if (rates->D == &w->system.J) {
        bri_system_add(m, x, rates->bodies);
    } else {
        push_joints(step, rates, before);
    }
    step->report->iterations++;
    see_rates(step, rates);
    return true;
}

/* How well friction has settled. */
typedef struct Course {
    double first, last; /* changes: the first one, and the one before */
    int passes;         /* since a mode has changed */
    bool changed;       /* some mode has changed, */
    bool known;         /* and loads are known from before that */
    bool settled;       /* friction is, */
    double seen;        /* the first one that the step's solve before this has seen */
    bool second;        /* order 2 is asked for */
    bool close;         /* but not well enough to tell modes */
} Course;

/* What hem2 solves between a step's ends may be off by as much as order 1 allows. */
static bool is_second_order(const BriStep *step, const BriRates *rates) {
    return step->def->scheme == BR_SCHEME_BDF2 || (step->def->scheme == BR_SCHEME_HEM2 && !rates->between);
}

/* By how much of itself friction may be off (10.11). */
static double find_leave(const Course *course) {
    bool second = course->second;
    double leave = bri_min(MOST[second], PARTS[second] * course->first * (second ? course->first : 1));
    return bri_max(LEAST, course->changed ? bri_max(leave, BEGUN[second]) : leave);
}

/* Is what friction is still off by small enough? Changes that shrink by a part each time add up to the last of them over
 * what is missing from one. */
static bool is_settled(Course *course, double change) {
    if (course->first == 0) course->first = bri_max(change, course->seen);
    double shrinks = course->passes > 0 ? bri_min(SLOWEST, change / course->last) : SLOWEST;
    return change <= LEAST || (course->first < UNKNOWN && change <= (1 - shrinks) * find_leave(course));
}

/* What joints that hold begin with, `times` what stands in `known`. */
static void guess_joints(const BriStep *step, double times, const double *known, double *p) {
    const BrModel *m = step->model;
    for (int k = 0; k < m->joints; k++)
        for (int r = 0; r < m->joint[k].rows; r++) {
            int row = m->joint[k].first_row + r;
            if (bri_row_is_active(step, k, r)) p[row] = times * known[row];
        }
}

/* Velocities as they are before any impulse. */
static void set_free(const BriStep *step, const BriRates *rates) {
    memcpy(rates->bodies, step->ws->free, (size_t)step->model->bodies * sizeof *rates->bodies);
}

/* From there, with friction, and what joints push with, as they are guessed. */
static bool begin(BriStep *step, const BriRates *rates, Course *course) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    double *before = w->cg, *known = before + m->rows;
    memcpy(known, rates->p, (size_t)m->rows * sizeof *known);
    bri_apply_clamps(step, rates->D, rates->span, rates->bodies, rates->p);
    memcpy(before, rates->p, (size_t)m->rows * sizeof *before);
    bri_slide_guess(step, rates->span, rates->p);
    course->passes = 0;
    if (is_one_pose(rates)) return answer(step, rates, before, true);
    if (rates->again > 0) {
        guess_joints(step, rates->again, known, rates->p);
        push_joints(step, rates, before);
    } else {
        push_drives(step, rates, before);
    }
    return bri_refine_rates(step, rates, false, rates->again > 0 ? ROUGHLY_AGAIN : ROUGHLY, 1);
}

/* Velocities and impulses at hand, to go back to. */
static void keep(const BriStep *step, const BriRates *rates) {
    const BrModel *m = step->model;
    double *v = step->ws->kept;
    memcpy(step->ws->cg + 3 * m->rows, rates->p, (size_t)m->rows * sizeof(double));
    for (int n = 0; n < m->moving; n++, v += 6) {
        const BriBodyState *b = &rates->bodies[m->moving_body[n]];
        v[0] = b->v.x, v[1] = b->v.y, v[2] = b->v.z, v[3] = b->w.x, v[4] = b->w.y, v[5] = b->w.z;
    }
}

/* Back to these, and to the friction that they make. */
static void go_back(const BriStep *step, const BriRates *rates) {
    const BrModel *m = step->model;
    const size_t ROWS = (size_t)m->rows * sizeof(double);
    const double *v = step->ws->kept, *p = step->ws->cg + 3 * m->rows;
    for (int n = 0; n < m->moving; n++, v += 6) {
        BriBodyState *b = &rates->bodies[m->moving_body[n]];
        b->v = bri_vec(v[0], v[1], v[2]);
        b->w = bri_vec(v[3], v[4], v[5]);
    }
    memcpy(rates->p, p, ROWS);
    memcpy(step->ws->cg + m->rows, p, ROWS); /* loads are known there */
    see_rates(step, rates);
    see_slips(step);
    bri_slide_recall(step, &(BriSlideAt){rates->D, rates->span, true}, p);
}

/* From where the modes before have come to; `failed`: some slide that was to hold does not. Near a dead centre that pushes with
 * any factor of the answer, which nothing may be left of: what changes then goes on from before it was tried. */
static bool go_on(BriStep *step, const BriRates *rates, Course *course, bool failed) {
    const BrModel *m = step->model;
    double *before = step->ws->cg;
    if (failed)
        go_back(step, rates);
    else if (bri_slide_is_trial(step))
        keep(step, rates);
    course->changed = course->known = true;
    course->passes = 0;
    memcpy(before, rates->p, (size_t)m->rows * sizeof *before);
    bri_slide_guess(step, rates->span, rates->p);
    return answer(step, rates, before, false);
}

/* What loads and friction are off by at most, joints having answered since they were looked at, as a part of them. */
static double find_left(BriStep *step, const BriRates *rates, Course *course) {
    BrWorkspace *w = step->ws;
    const double *looked = w->cg + step->model->rows;
    for (int r = 0; r < step->model->rows; r++) w->error[r] = rates->p[r] - looked[r];
    if (course->passes < TURNS) see_slips(step);
    double left = bri_slide_left(step, &(BriSlideAt){rates->D, rates->span, true}, w->error);
    course->settled = course->first < UNKNOWN && left <= find_leave(course);
    return left;
}

/* Looks at loads, and pushes with the friction that they bear, where that is not settled. *left: as above. false: it has
 * grown beyond all measure. */
static bool look(BriStep *step, const BriRates *rates, Course *course, double *left) {
    double *before = step->ws->cg, *looked = before + step->model->rows, *p = rates->p;
    const size_t ROWS = (size_t)step->model->rows * sizeof *p;
    if (course->passes < TURNS) see_slips(step);
    memcpy(before, p, ROWS);
    memcpy(looked, p, ROWS);
    double change = bri_slide_drag(step, &(BriSlideAt){rates->D, rates->span, true}, p);
    if (!(change < 1e300)) return false;
    course->settled = is_settled(course, change);
    course->last = change;
    if (course->passes == 0 && step->rubbed == 0) step->rubbed = course->first;
    course->passes++;
    *left = change <= LEAST ? 0 : UNSURE * change;
    if (*left == 0 || (course->settled && !course->close)) {
        memcpy(p, before, ROWS);
        return true;
    }
    if (!answer(step, rates, before, false)) return false;
    *left = bri_min(*left, find_left(step, rates, course));
    return true;
}

/* false: no friction was found that fits. */
static bool settle(BriStep *step, const BriRates *rates, int *round) {
    const BrModel *m = step->model;
    const BriSlideAt at = {rates->D, rates->span, true};
    Course course = {.second = is_second_order(step, rates), .seen = rates->again > 0 ? step->rubbed : 0};
    bool fine = begin(step, rates, &course);
    while (fine && course.passes < MOST_PASSES) {
        double left = course.known ? find_left(step, rates, &course) : 0;
        bool changed = false, failed = false;
        bool tells = course.known && (course.settled || left <= UNSURE * NEAR);
        if (!tells && !look(step, rates, &course, &left)) return false;
        course.known = course.close = false;
        if ((course.settled || left <= UNSURE * NEAR) && *round < bri_most_rounds(m)) {
            bool one_only = *round >= BRI_CLAMP_ROUNDS + m->grips / AT_ONCE;
            BriSlideReview review = {rates->p, step->ws->rate, rates->span, left, one_only, *round == 0, &at};
            changed = bri_slide_review(step, &review, &course.close, &failed);
        }
        if (changed) {
            ++*round;
            bri_refactor(step);
            fine = go_on(step, rates, &course, failed);
        } else if (course.settled && (left <= LEAST || !course.close)) {
            bool asks =
                !rates->between || !is_one_pose(rates) || m->motors; /* else friction is all that is asked for */
            return !asks || bri_refine_rates(step, rates, knows_rates(step, rates), 0, rates->between ? BETWEEN : 1);
        }
    }
    return false;
}

/* No answer was found: friction is left as it was in the last step, so that velocities are those of some motion at least. */
static bool give_up(BriStep *step, const BriRates *rates) {
    Course course = {0};
    set_free(step, rates);
    return begin(step, rates, &course) && bri_refine_rates(step, rates, false, 0, 1) && false;
}

bool bri_rub(BriStep *step, const BriRates *of) {
    const BrModel *m = step->model;
    BriRates at_hand = *of, *rates = &at_hand;
    BrWorkspace *w = step->ws;
    int jams = 0, round = 0;
    bri_slide_begin(step);
    bri_slide_place(step, rates->D == &w->system.J ? w->system.factor_pose : rates->bodies, true);
    for (;;) {
        bri_refactor(step);
        bool settled = settle(step, rates, &round), changed = bri_slide_has_jammed(step, &jams);
        at_hand.again = 0; /* what has been found since may be anything */
        if (!settled && !changed) changed = bri_slide_bar(step);
        if (!settled && !changed) return give_up(step, rates); /* what did not settle tells nothing of modes */
        if (!changed)
            changed = m->motors &&
                      bri_update_clamps(step, rates->p, w->rate, rates->target, rates->span, round >= BRI_CLAMP_ROUNDS);
        if (!changed) return true;
        if (round++ >= bri_most_rounds(m) || !bri_has_budget(step->budget)) return false;
        set_free(step, rates);
    }
}
