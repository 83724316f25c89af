/* impact.c: one contact's impact, followed along its normal impulse p (Routh 1891 in the plane, Keller 1986 in space).
 *
 *     du/dp = W d,   d = n + k,   k = -mu u_T/|u_T|             while it slips                                   (7.23)
 *                                 k = -W_TT^-1 W_TN             where that is within mu: it sticks
 *                                 k = -mu t, W_TN - mu W_TT t = l t, l >= 0:   else it leaves along t            (7.24)
 *     compression until u_N = 0, at p_c, its work w_c = integral of u_N dp < 0;   then restitution until
 *     poisson     p = (1 + e) p_c
 *     energetic   w = (1 - e^2) w_c                                                                              (7.25)
 *
 * W (1/kg): what impulses do to the velocity u (m/s) of b against a, rows n, t1, t2, symmetric. Where the direction of
 * the slip stays (in the plane, and for a ball) the way is made of straight legs in closed form. Where it turns it does
 * so ever faster as the slip ends; in the variable tau with dp = |u_T| dtau,
 *
 *     du/dtau = W (|u_T| n - mu u_T),                                                                            (7.26)
 *
 * that end is smooth, and Gragg's midpoint rule with four extrapolations (order 8) follows it. (7.24) has one answer:
 * |(l + mu W_TT)^-1 W_TN| falls with l, from more than 1 at l = 0. Along it, and while it sticks, u_N grows with p, so
 * that every impact ends. */
#include "laws/laws.h"

#include <string.h>

enum {
    MOST_LEGS = 500, /* steps of one impact: a way that has not ended by then is cut off */
    MOST_TRIES = 60  /* halvings: more have no digits left */
};

/* Slip that is none (of the approach), and turning that is none (rad): rounding beside 1. */
static const double NO_SLIP = 1e-12, NO_TURN = 1e-12;

/* How far it has come: y = p (3), u (3), w. */
enum { P, U = 3, WORK = 6, SIZE = 7 };
typedef struct Way {
    const BriImpact *impact;
    double y[SIZE];
    double mu;    /* which a stick must stay in: mu_s until it has slipped */
    double speed; /* m/s: of the approach as a whole, for what counts as none */
    int goal;     /* y[goal] is to reach: */
    double end;   /* this, from below */
    double tau;   /* step of the last turn, 0: none yet */
} Way;

static void apply(const double *W, const double *x, double *y) {
    for (int i = 0; i < 3; i++) y[i] = W[3 * i] * x[0] + W[3 * i + 1] * x[1] + W[3 * i + 2] * x[2];
}

static double slip_of(const double *y) { return bri_sqrt(y[U + 1] * y[U + 1] + y[U + 2] * y[U + 2]); }

/* ------------------------------------------------------------------ straight legs */

/* (shift + factor W_TT)^-1 W_TN; W_TT may be singular where joints hold the contact. */
static void solve_tangent(const double *W, double shift, double factor, double k[2]) {
    const double ROUNDING = 1e-14; /* of the trace: what a singular W_TT has left */
    double least = ROUNDING * factor * (W[4] + W[8]);
    double a = factor * W[4] + shift + least, b = factor * W[5], c = factor * W[8] + shift + least, det = a * c - b * b;
    k[0] = det > 0 ? (c * W[1] - b * W[2]) / det : 0;
    k[1] = det > 0 ? (a * W[2] - b * W[1]) / det : 0;
}

/* (7.24) */
static void find_leaving(const double *W, double mu, double t[2]) {
    double low = 0, high = bri_sqrt(W[1] * W[1] + W[2] * W[2]);
    for (int i = 0; i < MOST_TRIES; i++) {
        double l = 0.5 * (low + high);
        solve_tangent(W, l, mu, t);
        *(t[0] * t[0] + t[1] * t[1] > 1 ? &low : &high) = l;
    }
    double length = bri_sqrt(t[0] * t[0] + t[1] * t[1]);
    t[0] /= length, t[1] /= length;
}

/* Direction of the impulse from here, and whether it slips. */
static bool find_direction(Way *way, double d[3]) {
    const BriImpact *impact = way->impact;
    double s = slip_of(way->y), t[2];
    d[0] = 1;
    if (s > NO_SLIP * way->speed) {
        way->mu = impact->mu_k;
        d[1] = -impact->mu_k * way->y[U + 1] / s, d[2] = -impact->mu_k * way->y[U + 2] / s;
        return true;
    }
    solve_tangent(impact->W, 0, 1, t);
    d[1] = -t[0], d[2] = -t[1];
    if (t[0] * t[0] + t[1] * t[1] <= way->mu * way->mu) return false;
    way->mu = impact->mu_k;
    if (way->mu > 0) find_leaving(impact->W, way->mu, t);
    d[1] = -way->mu * t[0], d[2] = -way->mu * t[1];
    return false;
}

/* How much normal impulse it takes to the goal if u_N rises by c per impulse. */
static double find_length(const Way *way, double c) {
    double u = way->y[U], left = way->end - way->y[way->goal];
    if (way->goal == P) return left;
    if (way->goal == U) return c > 0 ? left / c : __builtin_inf();
    double root = u * u + 2 * c * left;
    return root >= 0 && u + bri_sqrt(root) > 0 ? 2 * left / (u + bri_sqrt(root)) : __builtin_inf();
}

/* One straight leg: to the goal (true), or to where the slip ends. */
static bool go_straight(Way *way, const double d[3], bool slips) {
    double du[3], *y = way->y, stop = __builtin_inf(), s = slip_of(y);
    apply(way->impact->W, d, du);
    if (slips && way->impact->mu_k > 0) {
        double rate = (y[U + 1] * du[1] + y[U + 2] * du[2]) / s;
        if (rate < 0) stop = -s / rate;
    }
    double length = find_length(way, du[0]);
    bool there = length <= stop;
    if (!there) length = stop;
    y[WORK] += length * (y[U] + 0.5 * length * du[0]);
    for (int i = 0; i < 3; i++) y[P + i] += length * d[i], y[U + i] += length * du[i];
    if (!there || length == stop) y[U + 1] = y[U + 2] = 0;
    if (there) y[way->goal] = way->end;
    return there;
}

/* ------------------------------------------------------------------ turning legs */

static void find_rate(const BriImpact *impact, const double *y, double *rate) {
    double s = slip_of(y), p[3] = {s, -impact->mu_k * y[U + 1], -impact->mu_k * y[U + 2]};
    memcpy(rate + P, p, sizeof p);
    apply(impact->W, p, rate + U);
    rate[WORK] = s * y[U];
}

/* Gragg's midpoint rule, `parts` of them (even). */
static void step_midpoint(const BriImpact *impact, const double *from, double tau, int parts, double *to) {
    double h = tau / parts, before[SIZE], rate[SIZE];
    memcpy(before, from, sizeof before);
    find_rate(impact, from, rate);
    for (int i = 0; i < SIZE; i++) to[i] = from[i] + h * rate[i];
    for (int k = 1; k < parts; k++) {
        find_rate(impact, to, rate);
        for (int i = 0; i < SIZE; i++) {
            double next = before[i] + 2 * h * rate[i];
            before[i] = to[i], to[i] = next;
        }
    }
}

/* Order 8 over tau. Returns its error in u beside the slip. */
static double step_turn(const Way *way, double tau, double *to) {
    double table[4][SIZE], error = 0;
    for (int j = 0; j < 4; j++) {
        int n = 2 * (j + 1);
        step_midpoint(way->impact, way->y, tau, n, table[j]);
        for (int k = j - 1; k >= 0; k--) { /* table[k] becomes what order 2 (j - k + 1) makes of the parts so far */
            double ratio = (double)n / (2 * (k + 1)), factor = 1 / (ratio * ratio - 1);
            for (int i = 0; i < SIZE; i++) table[k][i] = table[k + 1][i] + factor * (table[k + 1][i] - table[k][i]);
        }
    }
    for (int i = U; i < U + 3; i++) error = bri_max(error, bri_abs(table[0][i] - table[1][i]));
    memcpy(to, table[0], sizeof table[0]);
    return error / slip_of(way->y);
}

/* The goal lies within tau: finds where (false position, Illinois), and goes there. */
static void stop_turn(Way *way, double tau, const double *beyond) {
    double low = 0, high = tau, f_low = way->y[way->goal] - way->end, f_high = beyond[way->goal] - way->end, to[SIZE];
    int side = 0;
    memcpy(to, beyond, sizeof to);
    for (int i = 0; i < MOST_TRIES && high - low > 1e-15 * tau && f_high > 0; i++) {
        double at = (low * f_high - high * f_low) / (f_high - f_low);
        step_turn(way, at, to);
        double f = to[way->goal] - way->end;
        if (f < 0) {
            low = at, f_low = f;
            if (side < 0) f_high *= 0.5;
            side = -1;
        } else {
            high = at, f_high = f;
            if (side > 0) f_low *= 0.5;
            side = 1;
        }
    }
    memcpy(way->y, to, sizeof to);
    way->y[way->goal] = way->end;
}

/* One step along a slip that turns; true: to the goal. */
static bool go_turning(Way *way) {
    const double ENOUGH = 1e-11; /* of the slip, per step: order 8 gets there in steps that see it turn */
    const double *W = way->impact->W;
    double to[SIZE], error;
    if (!(way->tau > 0)) way->tau = 0.5 / (bri_abs(W[1]) + bri_abs(W[2]) + way->impact->mu_k * (W[4] + W[8]));
    for (int i = 0; i < MOST_TRIES; i++) {
        error = step_turn(way, way->tau, to);
        if (error <= ENOUGH) break;
        way->tau *= 0.5;
    }
    way->mu = way->impact->mu_k;
    if (to[way->goal] >= way->end) {
        stop_turn(way, way->tau, to);
        return true;
    }
    memcpy(way->y, to, sizeof to);
    if (error < 1e-3 * ENOUGH) way->tau *= 2;
    return false;
}

/* Does the direction of the slip change along its way? Not if the way to its end, made straight, would miss it by
 * rounding. */
static bool turns(const Way *way) {
    const double *W = way->impact->W, *u = way->y + U, mu = way->impact->mu_k;
    double s = slip_of(way->y), t[2] = {u[1] / s, u[2] / s};
    double g[2] = {W[1] - mu * (W[4] * t[0] + W[5] * t[1]), W[2] - mu * (W[7] * t[0] + W[8] * t[1])};
    double size = bri_abs(W[1]) + bri_abs(W[2]) + mu * (W[4] + W[8]), along = t[0] * g[0] + t[1] * g[1],
           across = bri_abs(t[0] * g[1] - t[1] * g[0]);
    if (!(mu > 0) || across <= NO_TURN * size) return false;
    return !(along < 0 && across * s <= -along * NO_TURN * way->speed);
}

/* To y[goal] = end. false: not within the legs there are. */
static bool go(Way *way, int goal, double end) {
    way->goal = goal, way->end = end;
    for (int leg = 0; leg < MOST_LEGS; leg++) {
        double d[3];
        bool slips = find_direction(way, d);
        if (slips && turns(way) ? go_turning(way) : go_straight(way, d, slips)) return true;
    }
    return false;
}

bool bri_impact_follow(const BriImpact *impact, double p[3]) {
    const double *u = impact->u;
    Way way = {.impact = impact, .y = {0, 0, 0, u[0], u[1], u[2], 0}, .mu = impact->mu_s};
    way.speed = bri_sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    memset(p, 0, 3 * sizeof *p);
    if (!(u[0] < 0)) return true;
    if (!go(&way, U, 0)) return false;
    double e = impact->e, pressed = way.y[P], work = way.y[WORK];
    bool fine = e == 0 || (impact->hypothesis == BRI_ENERGETIC ? go(&way, WORK, (1 - e * e) * work)
                                                               : go(&way, P, (1 + e) * pressed));
    if (fine && way.y[U] < 0) fine = go(&way, U, 0); /* friction that turned may press anew */
    memcpy(p, way.y, 3 * sizeof *p);
    return fine && bri_is_finite(p[0] + p[1] + p[2]);
}
