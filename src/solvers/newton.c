/* newton.c: semismooth Newton for cones, boxes and free blocks; dense.
 *
 * The equations are those of equations.h; cones with moments have them for each of their discs (cone_equations.c). A step
 * solves their derivative with W + eps diag(1/rho) in place of W. Where W is singular (a table on four legs) the
 * little addition makes the step the shortest of many, and because it multiplies the step, not r, nothing of it is left
 * in the answer: the step of a proximal point method. Rows whose impulse is known (open, at a bound) leave the system
 * first.
 *
 * Without joints a line search looks at the last few values of the equations' norm, so that modes may change. Where that
 * ends short of the tolerance there are more rounds: after some sweeps, with another rho, and once along a path of growing
 * friction coefficients.
 *
 * Joints carry a push from one contact to all others, so that many modes change at once, and line searches from a guess are
 * long and end where modes would have to change. There the method marches: steps that are not taken back, eps falling from
 * where the guess deserves it (bri_next_eps). Marches may go round in circles; where they do, line searches from nothing,
 * or from a few sweeps, mostly do not.
 *
 * Everything is bounded: steps, rounds, and multiplications. */
#include "linalg/dense.h"
#include "math/vec.h"
#include "solvers/equations.h"
#include "solvers/local.h"

#include <string.h>

enum {
    STEPS = 40,   /* Newton steps in one go */
    PATIENCE = 6, /* steps of a hasty march that gain little, once it is near: W may round to more than is asked */
    MEMORY = 5,   /* merits the line search looks back on */
    HALVINGS = 8, /* of a step */
    ROUNDS = 6,   /* alternations with sweeps */
    CLIMB = 2,    /* the round after which friction is raised from zero */
    PATH = 10,    /* friction coefficients on the way up */
    SWEEPS = 20   /* in the first of them, then twice as many each */
};
/* of eps, relative to the mean diagonal of a block. Where W is singular, rounding moves r by 1/eps of itself along what
 * W does not see: USUAL keeps a warm start's share of the load from wandering off over many steps. Less is taken where
 * convergence is slow for it, more where a step has become careful. */
static const double LEAST = 1e-12, USUAL = 1e-7, LARGEST = 1e-2;
/* What springs yield, of the same: standing on them twice leaves its square of an answer, and rounding is 1e-8 of what loads
 * that depend on each other may be shifted by. */
static const double SOFT = 1e-8;
static const double BUDGET = 1e11;  /* multiplications: half a minute; small problems never get there */
static const double DESCENT = 1e-3; /* Armijo: a step must gain this part of what it promises */
static const double SLOW = 1e-4;    /* of the merit before: Newton near its end leaves less */
static const double CERTIFIED = 10; /* goals: steps ask for a tenth of what they are certified by */
/* of rho, one per round: Newton's path depends on it, its answers do not */
static const double FACTOR[ROUNDS] = {1, 1, 0.1, 10, 0.01, 100};

/* Where a try begins. At rest on many places a guess may be of modes that lead nowhere. */
typedef enum Start { GUESS, NOTHING, SWEPT } Start;

/* Of problems with joints: each is made if those before have not found the answer. */
typedef struct Try {
    Start start;
    double factor; /* of rho */
    double eps;    /* a march's, at its start; 0: line searches */
    int most;      /* steps of a march */
} Try;
static const Try TRIES[] = {{GUESS, 1, 1e-6, 20},  {NOTHING, 0.1, 0, 0}, {GUESS, 10, 1e-2, 40},
                            {NOTHING, 1, 0.1, 60}, {SWEPT, 1, 0, 0},     {NOTHING, 10, 1, 80}};
enum { HASTY = 3 }; /* of them, if something else can be asked: what these do not find takes long */

typedef struct Newton {
    const BriProblem *problem;
    double *scale, *rho;    /* per block: rho of (7.2), and the one in use */
    double *u, *phi, *step; /* rows: velocity, equations, step */
    double *trial, *best;   /* rows */
    double *guess;          /* rows */
    double *A;              /* rows x rows */
    int *place;             /* per block: its first row in the reduced system; -1: its step is known */
    double merit, residual; /* at the last point measured: |phi|^2, and the certificate's largest */
    double least;           /* residual of `best` */
    double floor;           /* residual that is rounding */
    double share;           /* of the friction coefficients, in use */
    double *from;           /* rows: impulses at which springs have no load (7.54) */
    bool springs;           /* contacts stand on these */
    double spring;          /* their compliance, as find_spring() has it */
    double pivot;           /* the smallest of the last elimination */
    double budget;          /* multiplications that may still be spent on eliminations */
    int steps;
} Newton;

/* ---- the equations */

/* What a block's springs yield, m/s per N s: all contacts' the same, unless a light one would not see it. What is no
 * contact has its own. */
static double find_spring(const Newton *a, int block) {
    const double UNEQUAL = 1e-3;
    double own = SOFT / a->scale[block];
    return a->problem->block[block].set == BRI_SET_CONE ? bri_max(a->spring, UNEQUAL * own) : own;
}

static void measure(Newton *a, const double *r) {
    const BriProblem *problem = a->problem;
    a->merit = a->residual = 0;
    bri_spend(problem->budget, ((double)problem->rows + 10) * problem->rows);
    for (int i = 0; i < problem->rows; i++) {
        const double *row = problem->W + (size_t)i * (size_t)problem->stride;
        double sum = problem->q[i], more = 0;
        int j = 0;
        for (; j + 2 <= problem->rows; j += 2) {
            sum += row[j] * r[j];
            more += row[j + 1] * r[j + 1];
        }
        if (j < problem->rows) sum += row[j] * r[j];
        a->u[i] = sum + more;
    }
    for (int k = 0; k < problem->blocks; k++) {
        const BriBlock *block = &problem->block[k];
        int i = block->first;
        double spring = a->springs ? find_spring(a, k) : 0;
        for (int j = i; a->springs && j < i + block->rows; j++) a->u[j] += spring * (r[j] - a->from[j]);
        double rho = a->rho[k], residual = bri_block_residual(block, r + i, a->u + i, a->scale[k]);
        bri_block_equations(block, a->share, rho, r + i, a->u + i, a->phi + i);
        for (int j = i; j < i + block->rows; j++) a->merit += a->phi[j] * a->phi[j];
        if (!(residual <= a->residual)) a->residual = residual;
    }
}

/* ---- their derivative */

/* Chooses the blocks whose step is known, writes it, and numbers the others. Returns the size of the reduced system. */
static int reduce(Newton *a, const double *r) {
    const BriProblem *problem = a->problem;
    int size = 0;
    for (int k = 0; k < problem->blocks; k++) {
        const BriBlock *block = &problem->block[k];
        int i = block->first;
        bool known = bri_step_is_known(block, a->rho[k], r[i], a->u[i]);
        a->place[k] = known ? -1 : size;
        size += known ? 0 : block->rows;
        for (int j = i; j < i + block->rows; j++) a->step[j] = known ? -a->rho[k] * a->phi[j] : 0;
    }
    return size;
}

/* Rows `first`.. of W, reduced, to `to`; their own block gets eps on its diagonal. */
static void copy_rows(const Newton *a, int block, double eps, int size, double *to) {
    const BriProblem *problem = a->problem;
    const BriBlock *own = &problem->block[block];
    for (int i = 0; i < own->rows; i++, to += size) {
        const double *row = problem->W + (size_t)(own->first + i) * (size_t)problem->stride;
        for (int k = 0, next; k < problem->blocks; k = next) {
            int rows = 0; /* of blocks that stand side by side in both */
            for (next = k; next < problem->blocks && a->place[next] >= 0; rows += problem->block[next++].rows)
                if (problem->block[next].first != problem->block[k].first + rows) break;
            if (rows > 0) memcpy(to + a->place[k], row + problem->block[k].first, (size_t)rows * sizeof *to);
            next += next == k;
        }
        to[a->place[block] + i] += eps;
    }
}

/* The Newton step at r, measured just before, into a->step; false: it would cost more than there is. */
static bool find_step(Newton *a, const double *r, double eps) {
    const BriProblem *problem = a->problem;
    int size = reduce(a, r);
    double work = (double)size * size * size / 3;
    a->budget -= work;
    if (!bri_can_spend(problem->budget, work)) {
        a->budget = 0;
        return false;
    }
    bri_spend(problem->budget, work + (double)problem->rows * size);
    double *b = a->trial;
    for (int k = 0; k < problem->blocks; k++) {
        const BriBlock *block = &problem->block[k];
        if (a->place[k] < 0) continue;
        double *rows = a->A + (size_t)a->place[k] * (size_t)size, *known = b + a->place[k];
        copy_rows(a, k, a->springs ? find_spring(a, k) : eps / a->rho[k], size, rows);
        for (int i = 0; i < block->rows; i++) {
            const double *row = problem->W + (size_t)(block->first + i) * (size_t)problem->stride;
            known[i] = 0;
            for (int j = 0; size < problem->rows && j < problem->rows; j++) known[i] -= row[j] * a->step[j];
        }
        if (block->set == BRI_SET_CONE) {
            BriConePoint at = {block, a->share, a->rho[k], r + block->first, a->u + block->first};
            bri_cone_slide(&at, a->place[k], size, rows, known);
        }
        for (int i = 0; i < block->rows; i++) known[i] -= a->phi[block->first + i];
    }
    a->pivot = bri_eliminate(a->A, size, b);
    for (int k = 0; k < problem->blocks; k++)
        for (int i = 0; a->place[k] >= 0 && i < problem->block[k].rows; i++)
            a->step[problem->block[k].first + i] = b[a->place[k] + i];
    return true;
}

/* ---- the iteration */

static void keep(Newton *a, const double *r) {
    if (!(a->residual < a->least)) return;
    a->least = a->residual;
    memcpy(a->best, r, (size_t)a->problem->rows * sizeof(double));
}

static bool may_go_on(const Newton *a) {
    return a->budget > 0 && !(a->least <= a->floor) && bri_has_budget(a->problem->budget);
}

/* Steps from r, which has been measured, until nothing is gained. */
static void iterate(Newton *a, double tolerance, double *r) {
    int rows = a->problem->rows;
    bool idle = false;
    double merits[MEMORY], eps = USUAL;
    for (int i = 0; i < MEMORY; i++) merits[i] = a->merit;
    for (int k = 0; k < STEPS && !idle && may_go_on(a); k++, a->steps++) {
        double ceiling = 0, before = a->least, merit = a->merit;
        for (int i = 0; i < MEMORY; i++) ceiling = bri_max(ceiling, merits[i]);
        if (!find_step(a, r, eps)) break;
        double length = 1;
        int halvings = 0;
        for (;; halvings++, length *= 0.5) {
            for (int i = 0; i < rows; i++) a->trial[i] = r[i] + length * a->step[i];
            measure(a, a->trial);
            keep(a, a->trial);
            if (a->merit <= (1 - DESCENT * length) * ceiling || halvings == HALVINGS) break;
        }
        memcpy(r, a->trial, (size_t)rows * sizeof(double));
        merits[k % MEMORY] = a->merit;
        bool slow = halvings == 0 && a->merit > SLOW * merit;
        if (halvings > 2)
            eps = bri_min(LARGEST, eps * 100);
        else if (slow)
            eps = bri_max(LEAST, eps * 0.1);
        if (!bri_is_finite(a->merit) || a->merit <= a->floor * a->floor) return;
        idle = before <= tolerance && !(a->least < 0.25 * before);
    }
}

/* Steps from r, which has been measured, none of them taken back. */
static void march(Newton *a, double tolerance, const Try *way, double *r) {
    double eps = way->eps, start = bri_sqrt(a->merit), before = start;
    int idle = 0;
    for (int k = 0; k < way->most && may_go_on(a); k++, a->steps++) {
        double last = a->least;
        if (!find_step(a, r, eps)) break;
        for (int i = 0; i < a->problem->rows; i++) r[i] += a->step[i];
        measure(a, r);
        keep(a, r);
        double merit = bri_sqrt(a->merit);
        bool gained = a->least < 0.25 * last, near = a->problem->hasty && last <= a->problem->enough;
        idle = near && !gained ? idle + 1 : 0;
        if ((last <= BRI_GOOD * tolerance && !gained) || idle == PATIENCE || !(merit <= BRI_LOST * start)) break;
        eps = bri_next_eps(eps, merit / before, LEAST);
        before = merit;
    }
}

/* Measures r with `factor` times rho, and keeps it if it is the best so far. */
static void begin(Newton *a, double factor, double *r) {
    const BriProblem *problem = a->problem;
    for (int k = 0; k < problem->blocks; k++) a->rho[k] = factor * a->scale[k];
    measure(a, r);
    if (!bri_is_finite(a->merit)) { /* a guess that is no number */
        memset(r, 0, (size_t)problem->rows * sizeof(double));
        measure(a, r);
    }
    keep(a, r);
}

/* The tolerance, or what the best answer so far, which becomes r, rounds to. */
static double take_best(const Newton *a, double tolerance, double *r) {
    memcpy(r, a->best, (size_t)a->problem->rows * sizeof(double));
    return bri_solver_goal(tolerance, bri_problem_rounding(a->problem, r));
}

/* r as a try begins with it. */
static void start_try(Newton *a, const Try *way, double tolerance, double *r, int *sweeps) {
    size_t size = (size_t)a->problem->rows * sizeof(double);
    if (way->start == GUESS)
        memcpy(r, a->guess, size);
    else
        memset(r, 0, size);
    if (way->start == SWEPT) {
        BriSolverReport swept;
        bri_solve_sweeps(a->problem, tolerance, SWEEPS, r, a->u, &swept);
        *sweeps += swept.iterations;
    }
    begin(a, way->factor, r);
}

/* One try after the other, from the guess r. Returns the tolerance, as take_best. */
static double try_all(Newton *a, double tolerance, double *r, int *sweeps) {
    const BriProblem *problem = a->problem;
    double goal = tolerance;
    memcpy(a->guess, r, (size_t)problem->rows * sizeof(double));
    for (int k = 0; k < (problem->hasty ? HASTY : BRI_COUNT(TRIES)); k++) {
        double before = a->least;
        if (k > 0 && (before <= goal || !bri_has_budget(problem->budget))) break;
        start_try(a, &TRIES[k], goal, r, sweeps);
        if (TRIES[k].eps > 0)
            march(a, goal, &TRIES[k], r);
        else
            iterate(a, goal, r);
        goal = take_best(a, tolerance, r);
        double enough = problem->hasty ? problem->enough : bri_min(problem->enough, CERTIFIED * goal);
        if (k > 0 && a->least <= enough && !(a->least < 0.5 * before)) break;
    }
    return goal;
}

/* Follows the answer from little friction, where it is unique and easily found, to all of it. */
static void raise_friction(Newton *a, double tolerance, double *r) {
    memset(r, 0, (size_t)a->problem->rows * sizeof(double));
    for (int k = 0; k < a->problem->blocks; k++) a->rho[k] = a->scale[k];
    for (int k = 0; k <= PATH; k++) {
        a->share = (double)k / PATH;
        measure(a, r);
        iterate(a, tolerance, r);
    }
    if (!bri_is_finite(a->merit)) memcpy(r, a->best, (size_t)a->problem->rows * sizeof(double));
}

/* Line searches from r, in rounds. Returns the tolerance, as take_best. */
static double search(Newton *a, double asked, double *r, int *sweeps) {
    const BriProblem *problem = a->problem;
    double tolerance = asked;
    for (int round = 0; round < ROUNDS; round++) {
        double before = a->least;
        begin(a, FACTOR[round], r);
        iterate(a, tolerance, r);
        tolerance = take_best(a, asked, r);
        if (a->least <= tolerance || round == ROUNDS - 1 || !bri_has_budget(problem->budget)) break;
        if (a->least <= problem->enough && !(a->least < 0.5 * before)) break;
        if (round == CLIMB) {
            raise_friction(a, tolerance, r);
            continue;
        }
        BriSolverReport swept;
        bri_solve_sweeps(problem, tolerance, SWEEPS << round, r, a->u, &swept);
        *sweeps += swept.iterations;
    }
    return tolerance;
}

/* ---- loads that depend on each other */

/* Of all contacts' springs, and the softest of all rows. */
static double choose_springs(Newton *a) {
    const BriProblem *problem = a->problem;
    double softest = 0;
    a->spring = __builtin_inf();
    for (int k = 0; k < problem->blocks; k++)
        if (problem->block[k].set == BRI_SET_CONE) a->spring = bri_min(a->spring, SOFT / a->scale[k]);
    for (int k = 0; k < problem->blocks; k++) softest = bri_max(softest, find_spring(a, k));
    return softest;
}

/* The answer on springs that have `from`, by steps from r that are not taken back. `softest`: 0, or the softest spring: then
 * false, too, if no two loads do the same. */
static bool settle(Newton *a, double tolerance, double softest, double *r) {
    enum { MOST = 6 };
    const double DEPENDENT =
        1e5; /* springs, a thousandth of W: a smaller pivot is theirs, through rows that slide or not */
    for (int k = 0;; k++, a->steps++) {
        measure(a, r);
        if (k > 0 && a->residual <= tolerance) return true;
        if (k == MOST || !bri_is_finite(a->merit) || !find_step(a, r, 0)) return false;
        if (k == 0 && softest > 0 && !(a->pivot < DEPENDENT * softest)) return false;
        for (int i = 0; i < a->problem->rows; i++) r[i] += a->step[i];
    }
}

/* First on springs that have nothing, then on springs that have what these came to, so that nothing is left of them.
 * false: r is as it was. */
static bool stand_on_springs(Newton *a, double tolerance, double *r) {
    size_t size = (size_t)a->problem->rows * sizeof(double);
    memcpy(a->guess, r, size);
    memset(a->from, 0, size);
    double softest = choose_springs(a);
    a->springs = true;
    bool found = settle(a, tolerance, softest, r);
    memcpy(a->from, r, size);
    found = found && settle(a, tolerance, 0, r);
    a->springs = false;
    if (!found) memcpy(r, a->guess, size);
    return found;
}

/* The answer that springs lead to. *goal: the tolerance, as take_best. false: they do not, or the guess will do. */
static bool solve_shortest(Newton *a, double tolerance, double *goal, double *r) {
    begin(a, 1, r);
    if (a->least <= a->floor || !stand_on_springs(a, tolerance, r)) return false;
    a->least = __builtin_inf();
    begin(a, 1, r);
    iterate(a, tolerance, r);
    *goal = take_best(a, tolerance, r);
    if (a->least <= *goal) return true;
    memcpy(r, a->guess, (size_t)a->problem->rows * sizeof(double));
    a->least = __builtin_inf(); /* all else is tried as if there had been none */
    return false;
}

/* Scratch: scale, rho (blocks each), u, phi, step, trial, best, guess, from (rows each), A (rows^2), place (blocks ints), in
 * this order. */
BriAnswer bri_solve_newton(const BriProblem *problem, double tolerance, double *r, double *scratch,
                           BriSolverReport *report) {
    size_t rows = (size_t)problem->rows, blocks = (size_t)problem->blocks;
    Newton a = {.problem = problem, .scale = scratch, .least = __builtin_inf(), .share = 1, .budget = BUDGET};
    a.rho = a.scale + blocks;
    a.u = a.rho + blocks;
    a.phi = a.u + rows;
    a.step = a.phi + rows;
    a.trial = a.step + rows;
    a.best = a.trial + rows;
    a.guess = a.best + rows;
    a.from = a.guess + rows;
    a.A = a.from + rows;
    a.place = (int *)(void *)(a.A + rows * rows);
    for (int k = 0; k < problem->blocks; k++) a.scale[k] = bri_block_scale(problem, k);
    for (int i = 0; i < problem->rows; i++) a.floor = bri_max(a.floor, 0x1p-51 * bri_abs(problem->q[i]));
    double enough = problem->jointed ? 1e-2 : 1e-4; /* of the tolerance: a warm start this good needs no step */
    a.floor = bri_min(bri_max(a.floor, enough * tolerance), tolerance);
    memset(a.best, 0, rows * sizeof(double));
    *report = (BriSolverReport){.solver = "newton"};
    double goal = tolerance;
    if (!problem->shortest || !solve_shortest(&a, tolerance, &goal, r))
        goal = problem->jointed ? try_all(&a, tolerance, r, &report->iterations)
                                : search(&a, tolerance, r, &report->iterations);
    report->iterations += a.steps;
    report->certificate = bri_problem_check(problem, r, a.u);
    return report->certificate.residual <= goal ? BRI_SOLVED : BRI_STOPPED_SHORT;
}
