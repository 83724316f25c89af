/* compliant.c: contact forces are functions of the state (compliant_flow.c). Fixed steps, divided into `substeps`, or
 * an adaptive step of order 16. In both a touch ends a part of the step: the law's speed of impact is latched there,
 * and every integrator keeps its order because what it integrates is smooth. */
#include "step/compliant.h"
#include "step/bound_modes.h"
#include "step/overlap.h"
#include "step/runge_kutta.h"
#include "step/stiff.h"

#include <string.h>

enum {
    MOST_TOUCHES = 8,      /* located in one substep; more are met where they are */
    MOST_STANDSTILLS = 60, /* parts in which the clock does not move */
    MOST_SEARCHES = 40,    /* of false position for one touch, */
    MORE_SEARCHES =
        70 /* and where joints have bounds: a way that begins at one misleads, so that every other look halves */
};
static const double INSTANT = 1e-14;  /* of the part: as exact as times are */
static const double SHORTEST = 1e-10; /* of the step: inner steps are not made shorter; what they miss is reported */

/* One step of an integrator from y over h into `end`. Returns its error estimate, or 0. */
typedef double (*Advance)(BriSoft *s, double h);

/* v and memory first, then positions with the new v. */
static double advance_semi_implicit(BriSoft *s, double h) {
    const BrModel *m = s->step->model;
    double *rate = s->ode.scratch;
    s->ode.rate(s->ode.user, 0, s->y, rate);
    for (int i = 0; i < s->ode.size; i++) s->end[i] = s->y[i] + h * rate[i];
    for (int n = 0; n < m->moving; n++) {
        const double *from = s->y + BRI_PACKED * n;
        double *to = s->end + BRI_PACKED * n;
        BrMat3 A;
        memcpy(A.m, from + 3, sizeof A.m);
        A = bri_rotation_turn(&A, bri_scale(h, bri_vec(to[15], to[16], to[17])));
        for (int i = 0; i < 3; i++) to[i] = from[i] + h * to[12 + i];
        memcpy(to + 3, A.m, sizeof A.m);
    }
    return 0;
}

static double advance_rk2(BriSoft *s, double h) { return bri_runge_kutta(&s->ode, 2, 0, s->y, h, s->end), 0; }
static double advance_rk3(BriSoft *s, double h) { return bri_runge_kutta(&s->ode, 3, 0, s->y, h, s->end), 0; }
static double advance_rk4(BriSoft *s, double h) { return bri_runge_kutta(&s->ode, 4, 0, s->y, h, s->end), 0; }
static double advance_adaptive(BriSoft *s, double h) { return bri_extrapolate(&s->ode, 0, s->y, h, s->end); }

static double advance_stiff(BriSoft *s, double h) { return bri_stiff_step(&s->ode, s->ode.scratch, s->y, h, s->end); }

static Advance choose_advance(BrScheme scheme) {
    switch (scheme) {
    case BR_SCHEME_SEMI_IMPLICIT: return advance_semi_implicit;
    case BR_SCHEME_RK2: return advance_rk2;
    case BR_SCHEME_RK3: return advance_rk3;
    case BR_SCHEME_RK4: return advance_rk4;
    case BR_SCHEME_STIFF: return advance_stiff;
    default: return advance_adaptive;
    }
}

/* How far past a change of contacts y is, m: negative before it. */
typedef double (*Beyond)(BriSoft *s, const double *y);

/* The part of h at whose end `beyond` is just past zero, by false position (Illinois); `end` is there. */
static double locate(BriSoft *s, Advance advance, Beyond beyond, double h, double sharp) {
    double low = 0, high = h, f_low = beyond(s, s->y), f_high = beyond(s, s->end), before = 0;
    int most = s->bounded ? MORE_SEARCHES : MOST_SEARCHES;
    for (int k = 0; k < most && f_high > sharp && high - low > INSTANT * h && bri_has_budget(s->step->budget); k++) {
        double middle = (f_low * high - f_high * low) / (f_low - f_high);
        bool halves = s->bounded && k % 2;
        if (halves || !(middle > low && middle < high)) middle = 0.5 * (low + high);
        advance(s, middle);
        double f = beyond(s, s->end);
        if (f > 0) {
            high = middle, f_high = f;
            if (before > 0) f_low *= 0.5;
        } else {
            low = middle, f_low = f;
            if (before < 0) f_high *= 0.5;
        }
        before = f > 0 ? 1 : -1;
    }
    advance(s, high);
    return high;
}

typedef struct Along {
    BriSoft *soft;
    Advance advance;
    double now; /* s: where `end` is */
} Along;

static const BriBodyState *go_along(const BriWay *way, int body, double time) {
    Along *along = way->user;
    BriSoft *s = along->soft;
    if (time > 0 && time != along->now) along->advance(s, along->now = time);
    bri_unpack_bodies(s->step, time > 0 ? s->end : s->y, *bri_soft_time(s, s->y) + time, s->bodies);
    return &s->bodies[body];
}

/* Until when, on the way of h to `end`, nothing passes that flies farther than it is thick; `end` is there then. */
static double find_clear(BriSoft *s, Advance advance, double h, double sharp) {
    const BrModel *m = s->step->model;
    BrWorkspace *w = s->step->ws;
    double start = *bri_soft_time(s, s->y);
    Along along = {s, advance, h};
    bri_unpack_bodies(s->step, s->y, start, w->part_start);
    bri_unpack_bodies(s->step, s->end, start + h, w->bodies);
    for (int i = 0; i < m->bodies; i++) {
        w->bodies[i].v = bri_scale(0.5, bri_add(w->bodies[i].v, w->part_start[i].v));
        w->bodies[i].w = bri_scale(0.5, bri_add(w->bodies[i].w, w->part_start[i].w));
    }
    BriWay way = {.h = h,
                  .go = go_along,
                  .user = &along,
                  .first = w->part_start,
                  .with = w->bodies,
                  .acceleration = s->bounded ? s->largest : bri_norm(m->gravity),
                  .fine = 0.1,
                  .aim = sharp,
                  .all = s->bounded}; /* motors may come and go, and nobody foresees where that leads */
    double clear = bri_find_pass(s->step, &way);
    if (s->bounded) clear = bri_min(clear, h * bri_find_known(s->step, &way));
    if (along.now != clear) advance(s, clear);
    return clear;
}

static void accept(BriSoft *s, double time) {
    memcpy(s->y, s->end, (size_t)s->ode.size * sizeof(double));
    *bri_soft_time(s, s->y) = time;
    if (s->step->model->joints == 0) return;
    bri_unpack_bodies(s->step, s->y, time, s->bodies);
    bri_count_turns(s->step, time - s->step->start->time);
}

static void look_along(void *user, double time) {
    Along *along = user;
    along->advance(along->soft, along->now = time);
    bri_soft_read(along->soft, along->soft->end);
}

/* The part of h at whose end joints' bounds begin to do otherwise: none of them does before; `end` is there. */
static double keep_bounds(BriSoft *s, Advance advance, double h, double sharp) {
    double part = h;
    Along along = {s, advance, h};
    if (!s->bounded) return h;
    bool beyond = bri_soft_beyond(s, s->end) > 0;
    if (!beyond) part = bri_bounds_find_excess(s->step, h, look_along, &along);
    if (along.now != part) advance(s, part);
    if (beyond || part < h) part = locate(s, advance, bri_soft_beyond, part, sharp);
    return bri_soft_overload(s, s->end) > 0 ? locate(s, advance, bri_soft_overload, part, 0) : part;
}

/* One substep of a fixed scheme. */
static BrStatus take_substep(BriSoft *s, Advance advance, double until, bool *fine) {
    const double SHARP = 1e-10; /* m: a touch this exact is enough beside a fixed step's error; absolute */
    for (int touch = 0;; touch++) {
        double time = *bri_soft_time(s, s->y), rest = until - time, part = rest;
        BrStatus status = bri_soft_look(s, rest);
        if (status < 0) return status;
        if (s->bounded) bri_soft_choose(s);
        advance(s, rest);
        if (touch < MOST_TOUCHES && bri_soft_overlap(s, s->end) > SHARP)
            part = locate(s, advance, bri_soft_overlap, rest, SHARP);
        if (touch < MOST_TOUCHES) part = find_clear(s, advance, part, SHARP);
        if (touch < MOST_TOUCHES) part = keep_bounds(s, advance, part, 0);
        accept(s, part == rest ? until : time + part);
        if (s->bounded) *fine = bri_soft_project(s) && *fine;
        bri_soft_switch(s);
        if (part == rest || !bri_has_budget(s->step->budget)) return BR_OK;
    }
}

static BrStatus run_fixed(BriSoft *s, Advance advance, bool *fine) {
    BriStep *step = s->step;
    int substeps = step->def->substeps;
    double start = step->start->time;
    for (int k = 1; k <= substeps && bri_has_budget(step->budget); k++) {
        BrStatus status = take_substep(s, advance, start + step->h * k / substeps, fine);
        if (status < 0) return status;
    }
    *fine = bri_soft_project(s) && *fine;
    return BR_OK;
}

/* Steps whose error is below the tolerance; touches and partings end them. */
static BrStatus run_adaptive(BriSoft *s, Advance advance, int power, bool *fine) {
    const double SHARP = 1e-13; /* m: rounding of places of some hundred metres, so that the order shows; absolute */
    BriStep *step = s->step;
    double until = step->start->time + step->h, tolerance = step->def->tolerance;
    double inner = step->start->inner_step > 0 ? step->start->inner_step : 0.1 * step->h;
    int standstills = 0;
    while (*bri_soft_time(s, s->y) < until && bri_has_budget(step->budget)) {
        double time = *bri_soft_time(s, s->y), rest = until - time, h = bri_min(inner, rest);
        BrStatus status = bri_soft_look(s, h);
        if (status < 0) return status;
        if (s->bounded) bri_soft_choose(s);
        double error = advance(s, h);
        while (!(error <= tolerance) && h > SHORTEST * step->h && bri_has_budget(step->budget)) {
            h *= bri_step_factor(error, tolerance, power);
            error = advance(s, h);
        }
        if (error > 10 * tolerance) { /* taken for want of a better one */
            *fine = false;
            step->report->inner_error = bri_max(step->report->inner_error, error);
        }
        if (!(error < 1e300))
            return bri_fail(step->error, BR_DIVERGED,
                            "the step was refused: at t = %.9g s the motion leaves the numbers", time);
        double part = h;
        if (bri_soft_overlap(s, s->end) > 0) part = locate(s, advance, bri_soft_overlap, part, SHARP);
        if (bri_soft_parting(s, s->end) > 0) part = locate(s, advance, bri_soft_parting, part, SHARP);
        part = find_clear(s, advance, part, SHARP);
        part = keep_bounds(s, advance, part, 0);
        bool cut = part < h || (h == rest && inner > rest); /* says nothing about the next */
        double factor = bri_step_factor(error, tolerance, power);
        if (s->bounded)
            factor = bri_max(factor, 1); /* near the tolerance the error may be all rounding, and say nothing */
        if (!cut) inner = h * factor;
        accept(s, part == rest ? until : time + part);
        *fine = bri_soft_project(s) && *fine;
        bri_soft_switch(s);
        standstills = part > SHORTEST * step->h ? 0 : standstills + 1;
        if (s->bounded && standstills == MOST_STANDSTILLS)
            return bri_fail(
                step->error, BR_DIVERGED,
                "the step was refused at t = %.12g s: limits, friction and motors of joints change without end there; "
                "timestepping may know an answer",
                time);
    }
    step->ws->trial->inner_step = inner;
    return BR_OK;
}

/* semi-implicit does not keep E but E + h/2 dE_k/dt, to the next order: between two states E may differ by that. P: the
 * power at the step's start, W; that at its end is read. */
static double explain_energy(BriSoft *s, double P) {
    if (s->step->def->scheme != BR_SCHEME_SEMI_IMPLICIT) return 0;
    return 0.5 * s->step->h / s->step->def->substeps * (bri_abs(P) + bri_abs(bri_soft_power(s)));
}

BrStatus bri_step_compliant(BriStep *step) {
    BriSoft soft;
    bool fine = true;
    BrStatus status = bri_soft_start(step, &soft);
    if (status == BR_OK) status = bri_soft_look(&soft, 0);
    if (status < 0) return status;
    for (int k = 0; k < step->ws->contacts->count; k++)
        step->start_contact_energy += step->ws->contacts->contact[k].soft->stored;
    Advance advance = choose_advance(step->def->scheme);
    double power = bri_soft_power(&soft);
    if (step->def->scheme < BR_SCHEME_ADAPTIVE)
        status = run_fixed(&soft, advance, &fine);
    else
        status = run_adaptive(&soft, advance,
                              step->def->scheme == BR_SCHEME_STIFF ? BRI_STIFF_COLUMNS : 2 * BRI_COLUMNS - 1, &fine);
    if (status == BR_OK) status = bri_soft_finish(&soft);
    if (status < 0) return status;
    if (soft.bounded) bri_soft_power(&soft); /* what is held trembles by the forces that stand there then */
    step->report->energy_made = bri_energy_made(step, step->contact_work, explain_energy(&soft, power));
    return fine && step->report->energy_made == 0 ? BR_OK : BR_NOT_CONVERGED;
}
