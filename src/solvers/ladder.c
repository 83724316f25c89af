/* ladder.c: who is asked for the answer of a network, one after the other, until one has it.
 *
 * What rests is a step of Newton's from its guess; what slides, topples or rolls on is some with a larger eps. What was
 * let go at once, however high it is piled, is found by augmented Lagrangians. What strikes, jams and tumbles needs
 * Newton's method in small steps, and sweeps, which are slow but never go astray, to begin elsewhere. A factor that is
 * large is tried after sweeps, which alone settle a heap within some steps of time, and less often. */
#include "base/threads.h"
#include "linalg/block_lu.h"
#include "math/vec.h"
#include "solvers/solvers.h"

#include <string.h>

typedef enum Method { NEWTON, AUGMENTED, SWEEPS } Method;

typedef struct Rung {
    Method method;
    double eps;  /* of Newton's, at first */
    int most;    /* steps or sweeps */
    bool anew;   /* from the guess; else from the best answer so far */
    bool near;   /* only if the guess is nearly the answer */
    bool fits;   /* eps is less where the best so far is near */
    double part; /* of what is left that it may take; 0: all */
} Rung;

/* Ends with {0}. */
typedef const Rung Rungs[12];

/* Each takes what the ones before leave; found on heaps of balls, dominoes and machines that fall. */
static Rungs SMALL = {{.method = NEWTON, .eps = 1e-7, .most = 4, .anew = true, .near = true},
                      {.method = NEWTON, .eps = 1e-4, .most = 8, .anew = true},
                      {.method = NEWTON, .eps = 1e-2, .most = 30, .anew = true},
                      {.method = SWEEPS, .most = 50, .anew = true},
                      {.method = NEWTON, .eps = 1e-2, .most = 40},
                      {.method = NEWTON, .eps = 0.1, .most = 60, .anew = true},
                      {.method = AUGMENTED, .most = 40, .anew = true},
                      {.method = NEWTON, .eps = 1, .most = 80, .anew = true},
                      {.method = SWEEPS, .most = 200},
                      {.method = NEWTON, .eps = 1e-2, .most = 40},
                      {.method = NEWTON, .eps = 0.1, .most = 80}};
static Rungs HASTY = {{.method = NEWTON, .eps = 1e-7, .most = 4, .anew = true, .near = true},
                      {.method = NEWTON, .eps = 1e-4, .most = 14, .anew = true},
                      {.method = NEWTON, .eps = 1e-2, .most = 20, .anew = true}};
/* of machines whose budget ends soon: what sweeps make of the best answer is never far off */
static Rungs SHORT = {{.method = NEWTON, .eps = 1e-4, .most = 8, .anew = true, .part = 0.8},
                      {.method = SWEEPS, .most = 100}};
static Rungs LARGE = {{.method = NEWTON, .eps = 1e-7, .most = 4, .anew = true, .near = true},
                      {.method = SWEEPS, .most = 100, .anew = true},
                      {.method = NEWTON, .eps = 1e-2, .most = 10, .fits = true},
                      {.method = AUGMENTED, .most = 40, .anew = true}};
static Rungs SWEPT = {{.method = SWEEPS, .most = 300, .anew = true}};
/* what these leave of a pile too large for a factor the next steps take up */
static Rungs VAST = {{.method = SWEEPS, .most = 100, .anew = true}};
static Rungs LINEAR = {{.method = NEWTON, .eps = 1e-7, .most = 4, .anew = true}};
static Rungs LARGE_LINEAR = {{.method = SWEEPS, .most = 20, .anew = true}};

/* Where nothing can be factored, sweeps are all that is asked, once. What they keep of the best answer and of the free
 * velocities, and where, is what is kept here. */
size_t bri_ladder_scratch(const BriNetwork *n, bool factors) {
    size_t sweeps = bri_network_scratch(n);
    if (!factors) return sweeps;
    size_t augmented = bri_augmented_scratch(n), newton = bri_network_newton_scratch(n);
    size_t most = sweeps > augmented ? sweeps : augmented;
    return (most > newton ? most : newton) + 2 * (size_t)n->rows + 6 * (size_t)n->nodes;
}

/* Of the budget, but `most` where it is more. */
static double find_left(const BriNetwork *n, double most) {
    return n->budget ? bri_min(most, n->budget->most - n->budget->spent) : most;
}

/* Steps that a rung may take, of what all factors may cost together. Newton's looks at the budget before each. */
static int find_most(const Rung *rung, const BriNetwork *n, const BriCholesky *factor, double allowed) {
    if (rung->method == SWEEPS) return rung->most;
    double each = 1000. * n->rows + (rung->method == NEWTON ? 2 : 1) * factor->factor_work;
    double steps = (rung->method == NEWTON ? allowed : find_left(n, allowed)) / each;
    return steps < rung->most ? (int)steps : rung->most;
}

/* Across joints sweeps are slow, so that a few steps of Newton's come first even where the budget ends soon. */
static const Rung *choose_rungs(const BriNetwork *n, const BriCholesky *factor, BriLadder kind, double left) {
    const double IS_LARGE = 5e6, PART = 0.02; /* operations of one factor; of those that are left */
    const double FEWEST = 2, SOON = 20;       /* steps of Newton's that are left: fewer are too few; the end is near */
    double each = factor ? 300. * n->rows + 2 * factor->factor_work : 0;
    bool linear = kind == BRI_LADDER_LINEAR, ends = left < BRI_LADDER_WORK && left < SOON * each,
         joined = bri_network_has_joints(n);
    bool large = !factor || (ends && !linear) || factor->factor_work > bri_min(IS_LARGE, PART * left);
    if (ends && joined && !linear) return left < FEWEST * each ? SWEPT : SHORT;
    if (linear) return large ? LARGE_LINEAR : LINEAR;
    if (large) return factor ? LARGE : left < BRI_LADDER_WORK ? SWEPT : VAST;
    return kind == BRI_LADDER_WHOLE ? SMALL : HASTY;
}

bool bri_ladder_may_factor(const BriNetwork *n, const BriCholesky *layout, BriLadder kind) {
    double left = find_left(n, BRI_LADDER_WORK);
    for (const Rung *rung = choose_rungs(n, layout, kind, left); rung->most > 0; rung++)
        if (rung->method != SWEEPS && find_most(rung, n, layout, BRI_LADDER_WORK) >= 1) return true;
    return false;
}

/* Is it one rung of sweeps, and no more? They judge the guess themselves. */
static bool has_sweeps_alone(const Rung *rung) { return rung[0].method == SWEEPS && rung[1].most == 0; }

/* Newton's eps falls with what is left; sweeps may have brought that down already. */
static double find_eps(const Rung *rung, double residual, double speed) {
    const double LEAST = 1e-7;
    return rung->fits ? bri_max(LEAST, bri_min(rung->eps, residual / speed)) : rung->eps;
}

typedef struct Speeds {
    const BriNetwork *network;
    const double *v;
    double most[BRI_MOST_THREADS]; /* per lane */
} Speeds;

static void find_speeds(void *loop, const BriShare *share) {
    Speeds *s = loop;
    double u[6], most = s->most[share->lane];
    for (int k = share->begin; k < share->end; k++) {
        bri_network_velocity(s->network, k, s->v, u);
        for (int i = 0; i < s->network->block[k].rows; i++) most = bri_max(bri_abs(u[i]), most);
    }
    s->most[share->lane] = most;
}

/* Residual of the guess r, and in *speed the fastest row without it: both m/s. `v` in: free velocities; scratch then. */
static double judge_guess(const BriNetwork *n, const double *r, double *v, double *speed) {
    int lanes = bri_lanes(n->threads);
    Speeds s;
    s.network = n, s.v = v;
    for (int i = 0; i < lanes; i++) s.most[i] = 0;
    bri_share(n->threads, n->blocks, find_speeds, &s);
    *speed = s.most[0];
    for (int i = 1; i < lanes; i++) *speed = bri_max(*speed, s.most[i]);
    bri_network_apply(n, r, v);
    bri_spend(n->budget, 40. * n->rows);
    return bri_network_judge(n, r, v).residual;
}

BriAnswer bri_solve_ladder(const BriNetwork *n, BriBlockLu *lu, BriLadder kind, double tolerance, double *r, double *v,
                           double *scratch, BriSolverReport *report) {
    const double IS_NEAR = 1e-5; /* of the speed: a guess that good is mostly a step of Newton's away */
    const BriCholesky *factor = lu ? &lu->layout : NULL;
    const Rung *first_rung = choose_rungs(n, factor, kind, find_left(n, BRI_LADDER_WORK));
    if (has_sweeps_alone(first_rung)) return bri_solve_network(n, tolerance, first_rung->most, r, v, scratch, report);
    size_t rows = (size_t)n->rows * sizeof(double), nodes = 6 * (size_t)n->nodes * sizeof(double);
    bool factors = lu && lu->layout.has_room;
    double *guess = scratch, *best = factors ? guess + n->rows : guess, *v_free = best + n->rows, speed;
    double allowed = BRI_LADDER_WORK;
    int iterations = 0;
    BriAnswer answer = BRI_STOPPED_SHORT;
    scratch = factors ? v_free + 6 * n->nodes : best; /* bri_ladder_scratch() tells why */
    memcpy(guess, r, rows);
    memcpy(best, r, rows);
    memcpy(v_free, v, nodes);
    double first = judge_guess(n, r, v, &speed);
    *report = (BriSolverReport){.solver = "guess", .certificate = {first, __builtin_nan(""), -1}};
    for (const Rung *rung = first_rung; rung->most > 0; rung++) {
        int most = factor ? find_most(rung, n, factor, allowed) : rung->most;
        double before = n->budget ? n->budget->spent : 0;
        BriSolverReport own;
        if (!bri_has_budget(n->budget)) break;
        if (most < 1 || (rung->near && first > IS_NEAR * speed)) continue;
        if (rung->method == AUGMENTED && n->creeps) continue; /* it projects on Coulomb's cones */
        memcpy(v, v_free, nodes);
        if (rung->anew) memcpy(r, guess, rows);
        double kept = rung->part > 0 ? (1 - rung->part) * find_left(n, BRI_LADDER_WORK) : 0; /* for the next */
        double eps = find_eps(rung, report->certificate.residual, speed);
        if (n->budget) n->budget->most -= kept;
        answer = rung->method == NEWTON ? bri_solve_network_newton(n, lu, tolerance, eps, most, r, v, scratch, &own)
                 : rung->method == AUGMENTED ? bri_solve_augmented(n, &lu->layout, tolerance, most, r, v, scratch, &own)
                                             : bri_solve_network(n, tolerance, most, r, v, scratch, &own);
        if (n->budget) n->budget->most += kept;
        iterations += own.iterations;
        if (rung->method != SWEEPS && n->budget) allowed -= n->budget->spent - before;
        bool swept =
            rung->method == SWEEPS && bri_sweeps_stand(n, own.certificate.residual, report->certificate.residual);
        if (swept || own.certificate.residual < report->certificate.residual) {
            *report = own;
            memcpy(best, r, rows);
        }
        memcpy(r, best, rows);
        if (answer == BRI_SOLVED) break;
    }
    report->iterations = iterations;
    return answer;
}
