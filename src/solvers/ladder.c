/* ladder.c: who is asked for the answer of a network, one after the other, until one has it.
 *
 * What rests, slides or rolls on as it did is two or three steps of Newton's from its guess. What was let go at once,
 * however high it is piled, is found by augmented Lagrangians. What strikes, jams and tumbles needs Newton's method in
 * small steps, and sweeps, which are slow but never go astray, to begin elsewhere. A factor that is large is tried
 * after sweeps, which alone settle a heap within some steps of time, and less often. */
#include "linalg/block_lu.h"
#include "math/vec.h"
#include "solvers/solvers.h"

#include <string.h>

typedef enum Method { NEWTON, AUGMENTED, SWEEPS } Method;

typedef struct Rung {
    Method method;
    double eps; /* of Newton's */
    int most;   /* steps or sweeps */
    bool anew;  /* from the guess; else from the best answer so far */
    bool near;  /* only if the guess is nearly the answer */
} Rung;

/* Ends with {0}. */
typedef const Rung Rungs[11];

/* Each takes what the ones before leave; found on heaps of balls, dominoes and machines that fall. */
static Rungs SMALL = {{.method = NEWTON, .eps = 1e-7, .most = 8, .anew = true},
                      {.method = NEWTON, .eps = 1e-2, .most = 30, .anew = true},
                      {.method = SWEEPS, .most = 50, .anew = true},
                      {.method = NEWTON, .eps = 1e-2, .most = 40},
                      {.method = NEWTON, .eps = 0.1, .most = 60, .anew = true},
                      {.method = AUGMENTED, .most = 40, .anew = true},
                      {.method = NEWTON, .eps = 1, .most = 80, .anew = true},
                      {.method = SWEEPS, .most = 200},
                      {.method = NEWTON, .eps = 1e-2, .most = 40},
                      {.method = NEWTON, .eps = 0.1, .most = 80}};
static Rungs HASTY = {{.method = NEWTON, .eps = 1e-7, .most = 8, .anew = true},
                      {.method = NEWTON, .eps = 1e-2, .most = 20, .anew = true}};
/* where joints stand beside the contacts, what moves is rather found with a larger eps */
static Rungs HASTY_JOINED = {{.method = NEWTON, .eps = 1e-4, .most = 8, .anew = true},
                             {.method = NEWTON, .eps = 1e-7, .most = 8, .anew = true},
                             {.method = NEWTON, .eps = 1e-2, .most = 20, .anew = true}};
static Rungs LARGE = {{.method = NEWTON, .eps = 1e-7, .most = 4, .anew = true, .near = true},
                      {.method = SWEEPS, .most = 100, .anew = true},
                      {.method = NEWTON, .eps = 1e-2, .most = 10},
                      {.method = AUGMENTED, .most = 40, .anew = true}};
static Rungs SWEPT = {{.method = SWEEPS, .most = 300, .anew = true}};
static Rungs LINEAR = {{.method = NEWTON, .eps = 1e-7, .most = 4, .anew = true}};
static Rungs LARGE_LINEAR = {{.method = SWEEPS, .most = 20, .anew = true}};

size_t bri_ladder_scratch(const BriNetwork *n) {
    size_t sweeps = bri_network_scratch(n), augmented = bri_augmented_scratch(n),
           newton = bri_network_newton_scratch(n);
    size_t most = sweeps > augmented ? sweeps : augmented;
    return (most > newton ? most : newton) + 2 * (size_t)n->rows + 6 * (size_t)n->nodes;
}

/* Steps that a rung may take, of what all factors may cost together. */
static int find_most(const Rung *rung, const BriNetwork *n, const BriCholesky *factor, double allowed) {
    if (rung->method == SWEEPS) return rung->most;
    double each = 1000. * n->rows + (rung->method == NEWTON ? 2 : 1) * factor->factor_work, steps = allowed / each;
    return steps < rung->most ? (int)steps : rung->most;
}

/* Joints come last. */
static bool has_joints(const BriNetwork *n) { return n->blocks > 0 && n->block[n->blocks - 1].set == BRI_SET_FREE; }

static const Rung *choose_rungs(const BriNetwork *n, const BriCholesky *factor, BriLadder kind, double allowed) {
    const double IS_LARGE = 5e6, PART = 0.02; /* operations of one factor; of those that are allowed */
    bool large = !factor || factor->factor_work > bri_min(IS_LARGE, PART * allowed), linear = kind == BRI_LADDER_LINEAR;
    if (linear) return large ? LARGE_LINEAR : LINEAR;
    if (large) return factor ? LARGE : SWEPT;
    return kind == BRI_LADDER_WHOLE ? SMALL : has_joints(n) ? HASTY_JOINED : HASTY;
}

/* What all factors may cost together. */
static double find_allowed(const BriNetwork *n) {
    return bri_min(BRI_LADDER_WORK, n->budget ? n->budget->most - n->budget->spent : BRI_LADDER_WORK);
}

bool bri_ladder_may_factor(const BriNetwork *n, const BriCholesky *layout, BriLadder kind) {
    double allowed = find_allowed(n);
    for (const Rung *rung = choose_rungs(n, layout, kind, allowed); rung->most > 0; rung++)
        if (rung->method != SWEEPS && find_most(rung, n, layout, allowed) >= 1) return true;
    return false;
}

/* Residual of the guess r, and in *speed the fastest row without it: both m/s. `v` in: free velocities; scratch then. */
static double judge_guess(const BriNetwork *n, const double *r, double *v, double *speed) {
    double u[6];
    *speed = 0;
    for (int k = 0; k < n->blocks; k++) {
        bri_network_velocity(n, k, v, u);
        for (int i = 0; i < n->block[k].rows; i++) *speed = bri_max(*speed, bri_abs(u[i]));
    }
    bri_network_apply(n, r, v);
    bri_spend(n->budget, 100. * n->rows);
    return bri_network_judge(n, r, v).residual;
}

BriAnswer bri_solve_ladder(const BriNetwork *n, BriBlockLu *lu, BriLadder kind, double tolerance, double *r, double *v,
                           double *scratch, BriSolverReport *report) {
    const double IS_NEAR = 1e-5; /* of the speed: a guess that good is mostly a step of Newton's away */
    const BriCholesky *factor = lu ? &lu->layout : NULL;
    size_t rows = (size_t)n->rows * sizeof(double), nodes = 6 * (size_t)n->nodes * sizeof(double);
    double *guess = scratch, *best = guess + n->rows, *v_free = best + n->rows, speed;
    double allowed = find_allowed(n);
    int iterations = 0;
    BriAnswer answer = BRI_STOPPED_SHORT;
    scratch = v_free + 6 * n->nodes;
    memcpy(guess, r, rows);
    memcpy(best, r, rows);
    memcpy(v_free, v, nodes);
    double first = judge_guess(n, r, v, &speed);
    *report = (BriSolverReport){.solver = "guess", .certificate = {first, __builtin_nan(""), -1}};
    for (const Rung *rung = choose_rungs(n, factor, kind, allowed); rung->most > 0; rung++) {
        int most = factor ? find_most(rung, n, factor, allowed) : rung->most;
        double before = n->budget ? n->budget->spent : 0;
        BriSolverReport own;
        if (!bri_has_budget(n->budget)) break;
        if (most < 1 || (rung->near && first > IS_NEAR * speed)) continue;
        memcpy(v, v_free, nodes);
        if (rung->anew) memcpy(r, guess, rows);
        answer = rung->method == NEWTON
                     ? bri_solve_network_newton(n, lu, tolerance, rung->eps, most, r, v, scratch, &own)
                 : rung->method == AUGMENTED ? bri_solve_augmented(n, &lu->layout, tolerance, most, r, v, scratch, &own)
                                             : bri_solve_network(n, tolerance, most, r, v, scratch, &own);
        iterations += own.iterations;
        if (rung->method != SWEEPS && n->budget) allowed -= n->budget->spent - before;
        if (own.certificate.residual < report->certificate.residual) {
            *report = own;
            memcpy(best, r, rows);
        }
        memcpy(r, best, rows);
        if (answer == BRI_SOLVED) break;
    }
    report->iterations = iterations;
    return answer;
}
