/* gripped.c: friction in the bearings of joints (dynamics/grip.h) as rows of the contact problem: their bounds stand on the
 * joints' own impulses, and are renewed by every answer until both agree. Where nothing touches, and no limit is near, the
 * factor does without a contact problem (bri_constrain_rates()).
 *
 * One row is a box, lower <= p <= upper, which may stick or slide as the solve finds. Several rows together are held, or
 * pushed with a known friction against the slip, and change from one to the other between solves. */
#include "contact/units.h"
#include "dynamics/slide.h"

#include <string.h>

/* Of a bound: changes below this do not count. */
static const double SETTLED = 1e-9;
enum { GROWTHS = 5, TURNS = 8 }; /* as in dynamics/slide.c; rounds in which a slide's direction is renewed */

/* The rows of a grip, one behind the other; NULL: it has none in this step. */
static BriBoundRow *find_rows(const BriStep *step, int grip) {
    int first = step->ws->grip[grip].bound;
    return first < 0 ? NULL : &step->ws->contacts->bound[first];
}

static void set_bounds(const BriGrip *g, BriBoundRow *row, double lower, double upper) {
    for (int r = 0; r < g->rows; r++) {
        row[r].lower = g->length[r] * lower;
        row[r].upper = g->length[r] * upper;
    }
}

void bri_grips_ask(const BriStep *step, double span) {
    const BrModel *m = step->model;
    for (int k = 0; k < m->grips; k++) {
        const BriGrip *g = &m->grip[k];
        BriGripWork *work = &step->ws->grip[k];
        BriBoundRow *row = find_rows(step, k);
        if (!row) continue;
        work->change = __builtin_inf();
        work->growths = 0;
        double size = span * bri_grip_size(g, work->force), none = __builtin_inf();
        bool holds = !work->slides || work->jams;
        set_bounds(g, row, holds ? -none : -size, holds ? none : size);
        for (int r = 0; r < g->rows && g->rows > 1 && !holds; r++)
            row[r].lower = row[r].upper = span * g->length[r] * work->force[r];
    }
}

/* One row of the problem for each row of the grips that nothing moves, behind the other bounds; they leave the factor. */
static void add_rows(BriStep *step) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    for (int i = 0; i < m->bounds; i++) {
        const BriJointBound *bound = &m->bound[i];
        if (bound->kind != BRI_BOUND_GRIP || bri_grip_is_moved(step, &m->grip[bound->grip])) continue;
        if (bound->row == 0) step->ws->grip[bound->grip].bound = c->bounds;
        c->bound[c->bounds++] = (BriBoundRow){.bound = i, .joint = bound->joint, .kind = bound->kind};
        c->has_grips = true;
    }
    for (int k = 0; k < m->grips; k++) bri_grip_set(step, k, BRI_RESTING);
}

void bri_grips_begin(BriStep *step, const BriBodyState *bodies) {
    const BrModel *m = step->model;
    const BriContacts *c = step->ws->contacts;
    bool timestepping = step->def->formulation == BR_FORMULATION_TIMESTEPPING, alone = c->count + c->bounds == 0;
    for (int k = 0; k < m->grips; k++) step->ws->grip[k].bound = -1;
    bri_slide_look_at_start(step, bodies, bodies == bri_state_bodies(step->start));
    if (!timestepping || !step->motor_rows) return; /* a reading, or steps that hold grips by the factor */
    if (step->grip_rows && alone)
        for (int k = 0; k < m->grips; k++) bri_grip_set(step, k, BRI_FREE);
    step->grip_rows = !alone;
    if (alone) return;
    add_rows(step);
    for (int k = 0; k < m->grips; k++) {
        BriGripWork *work = &step->ws->grip[k];
        bool slid = bri_state_grips(step->start)[k].slides != 0;
        work->slides = work->bound >= 0 && (slid || bri_grip_size(&m->grip[k], work->start) > BRI_SLIP);
    }
}

/* One grip as its answer has it. */
typedef struct Answer {
    double friction[3];  /* N s */
    double slip[3];      /* m/s: of the end, */
    double mean[3];      /* and of the whole step */
    double along;        /* friction times slip */
    double speed, force; /* sizes */
} Answer;

static Answer read_answer(const BriStep *step, const BriSpan *span, int k, const BriBoundRow *row) {
    const BriGrip *g = &step->model->grip[k];
    const BriGripWork *work = &step->ws->grip[k];
    Answer a = {0};
    for (int r = 0; r < g->rows; r++) {
        a.friction[r] = row[r].p / g->length[r];
        a.slip[r] = g->length[r] * bri_bound_rate(step, &row[r], span->bodies);
        a.mean[r] = 0.5 * (a.slip[r] + work->start[r]);
        a.along += a.friction[r] * a.slip[r];
    }
    a.speed = bri_grip_size(g, a.slip);
    a.force = bri_grip_size(g, a.friction);
    return a;
}

static BriGripLoad find_load(const BriStep *step, const BriSpan *span, int k, const Answer *a) {
    const BrModel *m = step->model;
    const BriGrip *g = &m->grip[k];
    const BriJoint *j = &m->joint[g->joint];
    const BriBodyState *at = span->D == &step->ws->system.J ? step->ws->system.factor_pose : span->bodies;
    BriJointPose pose = bri_joint_pose(j, &at[j->a], &at[j->b], 0);
    const BriGripState *state = &bri_state_grips(step->start)[k];
    double all[3] = {0}, mu = step->ws->grip[k].slides ? bri_grip_slides(j, bri_grip_size(g, a->mean), state)
                                                       : bri_grip_holds(j, state);
    for (int i = k - g->pin; i < m->grips && m->grip[i].joint == g->joint; i++) {
        const BriBoundRow *row = find_rows(step, i);
        all[m->grip[i].pin] = row ? row->p / m->grip[i].length[0] : 0;
    }
    BriHeld held = bri_grip_held(j, g, &pose, span->D->b + 6 * j->first_row, span->p + j->first_row, all);
    return bri_grip_load(j, g, &held, a->friction, mu, span->span * j->def.friction.preload);
}

static bool differs(double a, double b, double scale) { return bri_abs(a - b) > SETTLED * scale; }

/* One row: bounds that the answer touches, or would pass, count. */
static bool renew_box(const BriGrip *g, BriGripWork *work, BriBoundRow *row, const Answer *a, double still) {
    const BriGripLoad *load = &work->load;
    double lower = g->length[0] * load->lower, upper = g->length[0] * load->upper, scale = upper - lower;
    double edge = SETTLED * scale, most = bri_min(row->upper, upper) - edge, least = bri_max(row->lower, lower) + edge;
    bool inside = row->p < most && row->p > least;
    bool breaks = !work->slides && a->speed > still && !inside;
    bool moved = differs(lower, row->lower, scale) || differs(upper, row->upper, scale);
    work->slides = work->slides || breaks;
    row->lower = lower;
    row->upper = upper;
    return breaks || (moved && !inside);
}

/* Several rows. */
static bool renew_ball(const BriGrip *g, BriGripWork *work, BriBoundRow *row, const Answer *a, int round) {
    double none = __builtin_inf(), size = bri_grip_size(g, a->mean), change = 0;
    if (work->slides && a->along > BRI_SLIP * a->force) {
        work->slides = false;
        set_bounds(g, row, -none, none);
        return true;
    }
    bool breaks = !work->slides && a->force > work->load.upper * (1 + SETTLED);
    if (!work->slides && !breaks) return false;
    bool turns = !breaks && round < TURNS && size > 0;
    work->slides = true;
    for (int r = 0; r < g->rows; r++) {
        double against = turns ? -a->mean[r] / size : a->friction[r] / a->force;
        double p = g->length[r] * work->load.upper * against;
        change = bri_max(change, bri_abs(p - row[r].p) / g->length[r]);
        row[r].lower = row[r].upper = p;
    }
    return breaks || change > SETTLED * work->load.upper;
}

bool bri_grips_renew(BriStep *step, const BriSpan *span, int round) {
    const BrModel *m = step->model;
    double still = 10 * step->velocity_tolerance; /* m/s: what a solve leaves of a row that holds */
    bool again = false;
    for (int k = 0; k < m->grips; k++) {
        const BriGrip *g = &m->grip[k];
        BriGripWork *work = &step->ws->grip[k];
        BriBoundRow *row = find_rows(step, k);
        if (!row || work->jams) continue;
        Answer a = read_answer(step, span, k, row);
        double before = work->load.upper - work->load.lower;
        work->load = find_load(step, span, k, &a);
        double change = bri_abs(work->load.upper - work->load.lower - before);
        bool renewed = g->rows > 1 ? renew_ball(g, work, row, &a, round) : renew_box(g, work, row, &a, still);
        work->growths = renewed && change > work->change ? work->growths + 1 : 0;
        work->change = change;
        again = again || renewed;
        if (work->growths < GROWTHS) continue;
        work->jams = true;
        step->report->jammed = br_model_joint(m, g->joint);
        set_bounds(g, row, -__builtin_inf(), __builtin_inf());
    }
    return again;
}
