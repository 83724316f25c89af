/* slide.c: see slide.h. For one row the sign of friction is fixed while its slide is solved for, so that the answer is a
 * fixed point of loads alone: x the friction of all sliding grips, g(x) what bearings bear under the reactions that x
 * makes. Slopes of g are mu R m l/I and their like; x = g(x) is found by steps that use the last two (Anderson's, of depth
 * 1). A slope above 1 is jamming: friction that a load makes adds more load than it took. Then no slide goes on, and the
 * grip holds (10.7).
 *
 * A slide that comes out the other way round holds, and is solved for again; where that takes more than friction could give, it
 * slides the other way. */
#include "dynamics/slide.h"

#include <string.h>

/* Of a bound: what it grows by less does not count, it may be rounding. */
static const double NOISE = 1e-4;
static const double AT_ONCE = 10; /* of its bound: who holds that much lets go beside others that hold more */
static const double NEARLY = 0.8; /* of the largest share: who holds that much lets go with it, others may hold then */
enum { GROWTHS = 5 };             /* changes one after the other, each larger than the one before: it jams */

void bri_grip_set(const BriStep *step, int grip, BriClamp clamp) {
    const BriGrip *g = &step->model->grip[grip];
    for (int r = 0; r < g->rows && !g->driven; r++)
        bri_state_joints(step->ws->trial)[g->joint].clamp[g->drive[r]] = clamp;
}

void bri_slide_look(const BriStep *step, const BriBodyState *bodies) {
    const BrModel *m = step->model;
    for (int k = 0; k < m->grips; k++) {
        const BriGrip *g = &m->grip[k];
        const BriJoint *j = &m->joint[g->joint];
        if (j->def.type == BR_JOINT_REVOLUTE) {
            step->ws->grip[k].slip[0] = g->length[0] * bri_joint_turn_rate(j, &bodies[j->a], &bodies[j->b]);
            continue;
        }
        BriJointPose pose = bri_joint_pose(j, &bodies[j->a], &bodies[j->b], 0);
        for (int r = 0; r < g->rows; r++)
            step->ws->grip[k].slip[r] = g->length[r] * bri_joint_coordinate_rate(j, &pose, g->coordinate[r]);
    }
}

void bri_slide_look_at_start(BriStep *step, const BriBodyState *bodies, bool first) {
    bool known = first && step->slips_known;
    if (!known) bri_slide_look(step, bodies);
    for (int k = 0; k < step->model->grips; k++) {
        BriGripWork *work = &step->ws->grip[k];
        const size_t SIZE = sizeof work->slip;
        if (known) memcpy(work->slip, work->first, SIZE);
        if (first && !known) memcpy(work->first, work->slip, SIZE);
        memcpy(work->start, work->slip, SIZE);
    }
    step->slips_known = step->slips_known || first;
}

void bri_slide_see(const BriStep *step, const double *rate, bool mean) {
    const BrModel *m = step->model;
    for (int k = 0; k < m->grips; k++) {
        const BriGrip *g = &m->grip[k];
        BriGripWork *work = &step->ws->grip[k];
        for (int r = 0; r < g->rows && !g->driven; r++) {
            double end = g->length[r] * rate[g->row[r]];
            work->slip[r] = mean ? 0.5 * (end + work->start[r]) : end;
        }
    }
}

void bri_slide_start(const BriStep *step) {
    for (int k = 0; k < step->model->grips; k++) {
        BriGripWork *work = &step->ws->grip[k];
        work->change = __builtin_inf();
        work->growths = 0;
        work->has_last = false;
    }
}

/* Do bounds of a hinge need no more than its frame? Whoever reads what presses where asks for all. */
static bool is_short(const BriJoint *j, bool by_end) { return by_end && j->def.type == BR_JOINT_REVOLUTE; }

void bri_slide_place(const BriStep *step, const BriBodyState *bodies, bool by_end) {
    const BrModel *m = step->model;
    for (int k = 0; k < m->grips; k++) {
        const BriJoint *j = &m->joint[m->grip[k].joint];
        const BriGripState *state = &bri_state_grips(step->start)[k];
        BriGripWork *work = &step->ws->grip[k];
        work->mu_s = bri_grip_holds(j, state);
        if (!m->grip[k].by_slip) work->mu_k = bri_grip_slides(j, 0, state);
        bool tells_nothing = by_end && m->grip[k].mobility > 0;
        work->nothing = tells_nothing ? 10 * step->velocity_tolerance / m->grip[k].mobility : 0;
        if (is_short(j, by_end))
            work->pose.F_a = bri_mat_mul(&bodies[j->a].A, &j->frame_a);
        else
            work->pose = bri_joint_pose(j, &bodies[j->a], &bodies[j->b], 0);
    }
}

void bri_slide_guess(BriStep *step, double span, double *p) {
    const BrModel *m = step->model;
    bri_slide_start(step);
    for (int k = 0; k < m->grips; k++) {
        const BriGrip *g = &m->grip[k];
        BriGripWork *work = &step->ws->grip[k];
        if (g->driven || !bri_grip_is_off(step, k)) continue;
        for (int r = 0; r < g->rows; r++) p[g->row[r]] = span * g->length[r] * work->force[r];
    }
}

/* Friction of a sliding grip, N: what its load bears, against the slip. */
static void find_drag(const BriGrip *g, const BriGripWork *work, double clamp, double part, double *force) {
    const BriGripLoad *load = &work->load;
    const double *slip = work->slip;
    double speed = bri_grip_size(g, slip), before = bri_grip_size(g, force), on = 0;
    if (clamp == BRI_RESTING) part = 0;
    if (g->rows == 1) {
        bool pushes = part < 1 ? slip[0] < 0 : clamp > 0;
        force[0] = part * (pushes ? load->upper : load->lower);
        return;
    }
    for (int r = 0; r < g->rows; r++) on += slip[r] * work->began[r];
    if (on < 0) part = -part; /* past its end: as it would go on, until that is found */
    for (int r = 0; r < g->rows; r++) {
        double direction = speed > 0 ? slip[r] / speed : before > 0 ? -force[r] / before : 0;
        force[r] = -part * load->upper * direction;
    }
}

static double find_sliding_mu(const BriStep *step, int k, double speed) {
    const BriGrip *g = &step->model->grip[k];
    if (!g->by_slip) return step->ws->grip[k].mu_k;
    return bri_grip_slides(&step->model->joint[g->joint], speed, &bri_state_grips(step->start)[k]);
}

/* mu at its slip, ws->grip[].slip. */
static double find_mu(const BriStep *step, int k, const BriSlideAt *by) {
    const BriGrip *g = &step->model->grip[k];
    BriGripWork *work = &step->ws->grip[k];
    bool off = bri_grip_is_off(step, k);
    if (!off) work->moves = false;
    if (!off) return work->mu_s;
    double speed = bri_grip_size(g, work->slip);
    double clamp = bri_state_joints(step->ws->trial)[g->joint].clamp[g->drive[0]];
    work->moves = (work->moves || speed > 10 * step->velocity_tolerance); /* once it does it has broken away */
    bool still = clamp == BRI_RESTING || (by->by_end && !work->moves);
    return still ? work->mu_s : find_sliding_mu(step, k, speed);
}

/* Its load under the impulses p, with `mu`; friction: as it is now, by rows. */
static void find_load(const BriStep *step, int k, const BriSlideAt *by, const double *p, double mu, double *friction) {
    const BrModel *m = step->model;
    const BriGrip *g = &m->grip[k];
    const BriJoint *j = &m->joint[g->joint];
    BriGripWork *work = &step->ws->grip[k];
    double all[3] = {0};
    if (is_short(j, by->by_end)) {
        const double *rows = p + j->first_row;
        friction[0] = rows[j->type->info.constraints + g->drive[0]] / g->length[0];
        work->mu = mu;
        work->load.upper = bri_hinge_bears(j, &work->pose.F_a, rows, mu, by->span * j->def.friction.preload);
        work->load.lower = -work->load.upper;
        return;
    }
    for (int r = 0; r < g->rows; r++) friction[r] = p[g->row[r]] / g->length[r];
    for (int i = k - g->pin; i < m->grips && m->grip[i].joint == g->joint; i++) /* of both pins */
        all[m->grip[i].pin] = p[m->grip[i].row[0]] / m->grip[i].length[0];
    BriHeld held = bri_grip_held(j, g, &work->pose, by->J->b + 6 * j->first_row, p + j->first_row, all);
    work->mu = mu;
    work->load = bri_grip_load(j, g, &held, friction, mu, by->span * j->def.friction.preload);
}

/* One grip. Returns the change of its friction, as a part of it. */
static double drag(BriStep *step, int k, const BriSlideAt *by, double *p) {
    const BriGrip *g = &step->model->grip[k];
    BriGripWork *work = &step->ws->grip[k];
    double friction[3], was[3];
    find_load(step, k, by, p, find_mu(step, k, by), friction);
    bool off = bri_grip_is_off(step, k);
    for (int r = 0; r < g->rows && (off || !by->by_end); r++) work->force[r] = work->asked[r] = friction[r] / by->span;
    if (!off) return 0;
    double clamp = bri_state_joints(step->ws->trial)[g->joint].clamp[g->drive[0]], change = 0;
    memcpy(was, friction, sizeof was);
    find_drag(g, work, clamp, g->width > 0 ? bri_tanh(bri_grip_size(g, work->slip) / g->width) : 1, friction);
    for (int r = 0; r < g->rows; r++) {
        work->force[r] = friction[r] / by->span;
        change = bri_max(change, bri_abs(friction[r] - was[r]));
    }
    double size =
        bri_max(bri_max(work->load.upper, -work->load.lower), bri_grip_size(g, was)); /* nothing may press now */
    if (!bri_is_finite(size)) return size;                                            /* nothing bears that */
    return change > work->nothing ? change / size : 0;
}

/* Where the last two steps lead to, all sliding grips together: by which part of the last answer's change it is taken
 * back. */
static double find_part(const BriStep *step) {
    const BrModel *m = step->model;
    double square = 0, product = 0;
    for (int k = 0; k < m->grips; k++) {
        const BriGripWork *w = &step->ws->grip[k];
        if (m->grip[k].driven || !bri_grip_is_off(step, k)) continue;
        if (!w->has_last) return 0;
        for (int r = 0; r < m->grip[k].rows; r++) {
            double off = w->force[r] - w->asked[r], turn = off - (w->answered[r] - w->last_asked[r]);
            square += turn * turn;
            product += off * turn;
        }
    }
    return square > 0 ? product / square : 0;
}

/* Does that leave each friction its sign, and its size in reason? */
static bool is_sound(const BriStep *step, double part) {
    const BrModel *m = step->model;
    for (int k = 0; k < m->grips; k++) {
        const BriGripWork *w = &step->ws->grip[k];
        if (m->grip[k].driven || !bri_grip_is_off(step, k)) continue;
        for (int r = 0; r < m->grip[k].rows; r++) {
            double to = w->force[r] - part * (w->force[r] - w->answered[r]);
            if (!(to * w->force[r] >= 0 && bri_abs(to) <= 4 * bri_abs(w->force[r]))) return false;
        }
    }
    return true;
}

static void look_farther(const BriStep *step, double span, double *p) {
    const BrModel *m = step->model;
    double part = find_part(step);
    if (part != 0 && !is_sound(step, part)) part = 0;
    for (int k = 0; k < m->grips; k++) {
        const BriGrip *g = &m->grip[k];
        BriGripWork *w = &step->ws->grip[k];
        if (g->driven || !bri_grip_is_off(step, k)) continue;
        for (int r = 0; r < g->rows; r++) {
            double answer = w->force[r];
            if (part != 0) w->force[r] -= part * (answer - w->answered[r]);
            w->answered[r] = answer;
            w->last_asked[r] = w->asked[r];
            p[g->row[r]] = span * g->length[r] * w->force[r];
        }
        w->has_last = true;
    }
}

void bri_slide_recall(const BriStep *step, const BriSlideAt *by, const double *p) {
    const BrModel *m = step->model;
    for (int k = 0; k < m->grips; k++) {
        const BriGrip *g = &m->grip[k];
        BriGripWork *work = &step->ws->grip[k];
        double friction[3];
        if (g->driven) continue;
        double mu = bri_grip_is_off(step, k) ? find_sliding_mu(step, k, bri_grip_size(g, work->slip)) : work->mu_s;
        find_load(step, k, by, p, mu, friction);
        if (!bri_grip_is_off(step, k)) continue;
        if (g->rows == 1 && g->width == 0)
            find_drag(g, work, bri_state_joints(step->ws->trial)[g->joint].clamp[g->drive[0]], 1, friction);
        for (int r = 0; r < g->rows; r++) work->force[r] = friction[r] / by->span;
    }
}

double bri_slide_drag(BriStep *step, const BriSlideAt *by, double *p) {
    double largest = 0;
    for (int k = 0; k < step->model->grips; k++) {
        BriGripWork *work = &step->ws->grip[k];
        if (step->model->grip[k].driven) continue;
        double before = work->limit, change = drag(step, k, by, p);
        work->limit = bri_max(work->load.upper, -work->load.lower) / by->span;
        double grown = bri_abs(work->limit - before);
        work->growths =
            bri_grip_is_off(step, k) && grown > NOISE * work->limit && grown > work->change ? work->growths + 1 : 0;
        work->change = grown;
        if (!(change <= largest)) largest = change;
        if (work->growths < GROWTHS) continue;
        largest = __builtin_inf();
        if (bri_slide_is_trial(step)) continue;
        bri_grip_set(step, k, BRI_FREE);
        work->jams = true;
        step->report->jammed = br_model_joint(step->model, step->model->grip[k].joint);
    }
    if (largest < 1e300) look_farther(step, by->span, p);
    return largest;
}

double bri_slide_left(BriStep *step, const BriSlideAt *by, const double *more) {
    const BrModel *m = step->model;
    double largest = 0;
    for (int k = 0; k < m->grips; k++) {
        const BriGrip *g = &m->grip[k];
        const BriJoint *j = &m->joint[g->joint];
        const BriGripWork *work = &step->ws->grip[k];
        if (g->driven) continue;
        if (j->def.type != BR_JOINT_REVOLUTE || g->width > 0) return __builtin_inf();
        double size = bri_max(work->load.upper, -work->load.lower), mu = find_mu(step, k, by);
        double change = bri_grip_reach(j, more + j->first_row, mu), other = bri_abs(mu - work->mu);
        if (other > 0) change += other * size / work->mu;
        if (change > work->nothing && change > largest * size) largest = size > 0 ? change / size : __builtin_inf();
    }
    return largest;
}

/* What a grip should do, by how it did: which holds, its share being known, */
static double find_better_hold(const BriStep *step, int k, const BriSlideReview *by) {
    const double EDGE = bri_max(1e-12, by->unsure); /* what needs its bound to rounding must not be tossed about */
    const BriGrip *g = &step->model->grip[k];
    const BriGripWork *work = &step->ws->grip[k];
    if (work->jams || work->share <= 1 + EDGE) return BRI_FREE;
    double better = g->rows > 1 || by->p[g->row[0]] > 0 ? BRI_AT_UPPER : BRI_AT_LOWER;
    bool again = g->rows == 1 && better == work->freed && work->returned; /* neither that nor holding: what is left */
    return again ? -better : better;
}

/* and which slides, or rests; `broke`: another grip has let go. */
static double find_better_slide(const BriStep *step, int k, const BriSlideReview *by, double clamp, bool broke) {
    const BriGrip *g = &step->model->grip[k];
    double friction[3] = {0}, slip[3] = {0}, against = 0;
    for (int r = 0; r < g->rows; r++) {
        int row = g->row[r];
        friction[r] = by->p[row] / g->length[r];
        slip[r] = g->length[r] * by->rate[row];
        against += friction[r] * slip[r];
    }
    if (clamp == BRI_RESTING)
        return bri_grip_size(g, slip) > step->velocity_tolerance ? (slip[0] > 0 ? BRI_AT_LOWER : BRI_AT_UPPER)
               : broke                                           ? BRI_FREE
                                                                 : clamp;
    bool round = against > step->velocity_tolerance * bri_grip_size(g, friction) && !step->ws->grip[k].barred;
    return round ? BRI_FREE : clamp;
}

/* From here on it drags with what its bearings bear. */
static void let_go(const BriStep *step, int k, double clamp, const BriSlideReview *by) {
    const BriGrip *g = &step->model->grip[k];
    BriGripWork *work = &step->ws->grip[k];
    double friction[3] = {0};
    if (by->at && g->rows == 1) find_load(step, k, by->at, by->p, find_sliding_mu(step, k, 0), friction);
    for (int r = 0; r < g->rows; r++) friction[r] = by->p[g->row[r]] / g->length[r];
    double size = bri_grip_size(g, friction), part = size > 0 ? work->load.upper / size : 0;
    for (int r = 0; r < g->rows; r++) {
        double one = clamp > 0 ? work->load.upper : work->load.lower;
        work->force[r] = (g->rows > 1 ? part * friction[r] : one) / by->span;
    }
}

/* What a grip holds, as a part of what its bearings bear; 0: it does not hold. */
static double find_share(const BriStep *step, int k, const double *p) {
    const BrModel *m = step->model;
    const BriGrip *g = &m->grip[k];
    const BriGripWork *work = &step->ws->grip[k];
    double friction[3] = {0};
    if (g->width > 0 || bri_grip_is_off(step, k)) return 0;
    for (int r = 0; r < g->rows; r++) friction[r] = p[g->row[r]] / g->length[r];
    double size = bri_grip_size(g, friction);
    double most = g->rows > 1 || friction[0] > 0 ? work->load.upper : -work->load.lower;
    return size > work->nothing ? size / most : 0;
}

/* The largest share at each body, into ws->share, of those that hold more than they can. Returns the largest of all. */
static double find_shares(const BriStep *step, const double *p) {
    const BrModel *m = step->model;
    double *at = step->ws->share, largest = 0;
    memset(at, 0, (size_t)m->bodies * sizeof *at);
    for (int k = 0; k < m->grips; k++) {
        const BriJoint *j = &m->joint[m->grip[k].joint];
        double own = step->ws->grip[k].share = find_share(step, k, p);
        if (own <= 1) continue;
        at[j->a] = bri_max(at[j->a], own);
        at[j->b] = bri_max(at[j->b], own);
        largest = bri_max(largest, own);
    }
    return largest;
}

/* Is some neighbour on the same body more overloaded? If that lets go, this one may hold. */
static bool waits(const BriStep *step, int k) {
    const BrModel *m = step->model;
    const BriJoint *j = &m->joint[m->grip[k].joint];
    double own = step->ws->grip[k].share;
    return (m->body[j->a].node >= 0 && step->ws->share[j->a] > own) ||
           (m->body[j->b].node >= 0 && step->ws->share[j->b] > own);
}

/* One grip, `changed`: some other has changed its mind. true: so does this one. */
static bool review(BriStep *step, int k, const BriSlideReview *by, double at_once, bool changed, bool *close) {
    const BriGrip *g = &step->model->grip[k];
    BriGripWork *work = &step->ws->grip[k];
    double clamp = bri_state_joints(step->ws->trial)[g->joint].clamp[g->drive[0]], friction[3];
    double better = clamp == BRI_FREE ? find_better_hold(step, k, by) : find_better_slide(step, k, by, clamp, changed);
    if (clamp == BRI_FREE && bri_abs(work->share - 1) <= by->unsure) *close = true;
    if (better == clamp || (changed && by->one_only)) return false;
    if (clamp == BRI_FREE && !(work->share > at_once) && waits(step, k)) return false;
    bool back = clamp == BRI_FREE && better == work->freed;
    work->barred = work->barred || (clamp == BRI_FREE && work->freed != 0 && !back && work->returned);
    work->returned = work->returned || back;
    work->freed = better == BRI_FREE && clamp != BRI_RESTING ? clamp : 0;
    bri_grip_set(step, k, (BriClamp)better);
    if (clamp == BRI_FREE) let_go(step, k, better, by);
    if (better == BRI_FREE && by->at) find_load(step, k, by->at, by->p, find_mu(step, k, by->at), friction);
    return true;
}

/* Does some grip try to hold whose slide came out the other way round? Near a dead centre that may take loads beyond all
 * measure, and tells nothing of the others. */
static bool is_trial(const BriStep *step, int k) { return step->ws->grip[k].freed != 0 && !bri_grip_is_off(step, k); }

bool bri_slide_is_trial(const BriStep *step) {
    for (int k = 0; k < step->model->grips; k++)
        if (is_trial(step, k)) return true;
    return false;
}

bool bri_slide_review(BriStep *step, const BriSlideReview *by, bool *close, bool *failed) {
    const BrModel *m = step->model;
    bool changed = false;
    *close = *failed = false;
    double largest = find_shares(step, by->p);
    double at_once = by->at_once ? bri_max(AT_ONCE, NEARLY * largest) : __builtin_inf();
    for (int k = 0; k < m->grips; k++)
        *failed = *failed || (is_trial(step, k) && find_better_hold(step, k, by) != BRI_FREE);
    for (int trials = *failed; trials >= 0 && !changed; trials--)
        for (int k = 0; k < m->grips; k++) {
            const BriGrip *g = &m->grip[k];
            if (g->driven || g->width > 0 || (trials && !is_trial(step, k))) continue;
            changed = review(step, k, by, at_once, changed, close) || changed;
        }
    return changed;
}

void bri_slide_begin(const BriStep *step) {
    const double SLIPS = 1e3; /* of the velocity tolerance: what rows that held may be off by */
    for (int k = 0; k < step->model->grips; k++) {
        const BriGrip *g = &step->model->grip[k];
        BriGripWork *work = &step->ws->grip[k];
        work->freed = 0;
        work->moves = false;
        work->barred = work->returned = false;
        if (g->driven || work->jams || bri_grip_is_off(step, k)) continue;
        if (!(bri_grip_size(g, work->start) > SLIPS * step->velocity_tolerance)) continue;
        bri_grip_set(step, k, work->start[0] > 0 ? BRI_AT_LOWER : BRI_AT_UPPER);
    }
}

bool bri_slide_has_jammed(const BriStep *step, int *known) {
    int before = *known;
    *known = 0;
    for (int k = 0; k < step->model->grips; k++) *known += step->ws->grip[k].jams;
    return *known > before;
}

bool bri_slide_bar(const BriStep *step) {
    bool any = false;
    for (int k = 0; k < step->model->grips; k++) {
        BriGripWork *work = &step->ws->grip[k];
        memcpy(work->force, bri_state_grips(step->start)[k].force, sizeof work->force); /* what it found is none */
        if (work->freed == 0 || bri_grip_is_off(step, k)) continue;
        bri_grip_set(step, k,
                     step->model->grip[k].rows > 1 ? BRI_AT_UPPER
                     : work->freed > 0             ? BRI_AT_LOWER
                                                   : BRI_AT_UPPER);
        work->freed = 0;
        work->barred = any = true;
    }
    return any;
}
