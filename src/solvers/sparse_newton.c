/* sparse_newton.c: Newton's method on a sparse W, plainly and with a proximal point.
 *
 * Plainly: as newton.c, steps with a line search that looks at the last few merits. Where nearly all contacts stick, or the
 * sliding ones are known, this takes some ten steps; rounds differ in rho, on which the way depends.
 *
 * Proximal: where it does not, u = W r + q + eps (r - c)/rho is solved in place of u = W r + q: the larger eps, the closer
 * is the answer to c and the fewer steps it takes. Then c is moved there and eps made smaller as long as the steps are few,
 * larger where they are many. Nothing of eps is left once r = c. Some sweeps between the passes take off what the slip does
 * to neighbours, which no monotone method sees. */
#include "math/vec.h"
#include "solvers/sparse.h"
#include "solvers/sparse_step.h"

#include <string.h>

enum {
    STEPS = 60,   /* in one round */
    SOON = 8,     /* of them: a round that has gained nothing by then is over */
    MEMORY = 5,   /* merits the line search looks back on */
    HALVINGS = 8, /* of a step */
    FACTORS = 6,  /* of rho */
    INNER = 12,   /* steps of a proximal pass */
    BETWEEN = 20  /* sweeps before it */
};
/* of eps in the step alone, as in newton.c */
static const double LEAST = 1e-12, USUAL = 1e-7, LARGEST = 1e-2;
static const double DESCENT = 1e-3; /* Armijo: a step must gain this part of what it promises */
static const double SLOW = 1e-4;    /* of the merit before: Newton near its end leaves less */
/* of rho, one per round: Newton's path depends on it, its answers do not */
static const double FACTOR[FACTORS] = {1, 1, 0.1, 10, 0.01, 100};
/* of the proximal method: rho, where it begins, and what a pass must leave of its merit */
static const double FIRM = 10, FIRST = 0.1, DONE = 1e-4, FAILED = 0.1;

typedef struct Newton {
    BriSparseStep s;
    double *trial, *best, *center; /* rows */
    double least;                  /* residual of `best` */
    double tolerance, floor;       /* asked for; and where nothing more is to be gained */
    double most_work;              /* of s */
    int round, steps;
} Newton;

static void copy(const Newton *a, double *to, const double *from) {
    memcpy(to, from, (size_t)a->s.problem->rows * sizeof(double));
}

static void keep(Newton *a, const double *r) {
    if (!(a->s.residual < a->least)) return;
    a->least = a->s.residual;
    copy(a, a->best, r);
}

/* r moves along the step as far as that lessens the merit below the largest of the last few. Returns the halvings. */
static int go(Newton *a, double *r, double *merits, int number) {
    double ceiling = 0, length = 1;
    int halvings = 0;
    for (int i = 0; i < MEMORY; i++) ceiling = bri_max(ceiling, merits[i]);
    for (;; halvings++, length *= 0.5) {
        for (int i = 0; i < a->s.problem->rows; i++) a->trial[i] = r[i] + length * a->s.step[i];
        bri_sparse_step_measure(&a->s, a->trial);
        keep(a, a->trial);
        if (a->s.merit <= (1 - DESCENT * length) * ceiling || halvings == HALVINGS) break;
    }
    copy(a, r, a->trial);
    merits[number % MEMORY] = a->s.merit;
    return halvings;
}

static bool may_go_on(const Newton *a) { return a->s.work < a->most_work && bri_has_budget(a->s.problem->budget); }

/* ------------------------------------------------------------------ plainly */

/* Steps from r, which has been measured, until nothing is gained. */
static void iterate(Newton *a, double *r) {
    double merits[MEMORY], eps = USUAL, start = a->least;
    for (int i = 0; i < MEMORY; i++) merits[i] = a->s.merit;
    for (int k = 0; k < STEPS && may_go_on(a) && !(a->least <= a->floor); k++, a->steps++) {
        double before = a->least, merit = a->s.merit;
        if (!bri_sparse_step_find(&a->s, r, eps)) return;
        int halvings = go(a, r, merits, k);
        if (halvings > 2)
            eps = bri_min(LARGEST, eps * 100);
        else if (halvings == 0 && a->s.merit > SLOW * merit)
            eps = bri_max(LEAST, eps * 0.1);
        if (!bri_is_finite(a->s.merit) || a->s.merit <= a->floor * a->floor) return;
        if (before <= a->tolerance && !(a->least < 0.25 * before)) return;
        if (k >= SOON && a->least >= start && a->s.residual > 10 * start) return;
    }
}

static void sweep(Newton *a, int count, double *r) {
    for (int i = 0; i < count && bri_spend(a->s.problem->budget, bri_sparse_work(a->s.problem)); i++)
        bri_sparse_sweep(a->s.problem, a->s.scale, i & 1, r);
    bri_sparse_step_measure(&a->s, r);
    keep(a, r);
}

static void scale_rho(Newton *a, double factor) {
    for (int k = 0; k < a->s.problem->blocks; k++) a->s.rho[k] = factor * a->s.scale[k];
}

static void run_plainly(Newton *a, double *r) {
    scale_rho(a, FACTOR[a->round % FACTORS]);
    bri_sparse_step_measure(&a->s, r);
    keep(a, r);
    iterate(a, r);
}

/* ------------------------------------------------------------------ proximal */

/* One pass with the s.prox at hand. Returns its steps; 0: r is where it was. */
static int run_pass(Newton *a, double *r) {
    double merits[MEMORY], start;
    copy(a, a->center, r);
    bri_sparse_step_measure(&a->s, r);
    start = a->s.merit;
    for (int i = 0; i < MEMORY; i++) merits[i] = start;
    int k = 0;
    bool hard = false;
    for (; k < INNER && a->s.merit > DONE * start && !hard; k++, a->steps++) {
        if (!bri_sparse_step_find(&a->s, r, LEAST)) break;
        hard = go(a, r, merits, k) == HALVINGS;
    }
    if (!hard && a->s.merit <= FAILED * start) return k > 0 ? k : 1;
    copy(a, r, a->center);
    return 0;
}

static void run_proximal(Newton *a, double *r) {
    double prox = FIRST;
    a->s.center = a->center;
    scale_rho(a, FIRM);
    while (may_go_on(a) && !a->s.no_memory) {
        a->s.prox = 0;
        a->s.work += BETWEEN * bri_sparse_work(a->s.problem);
        sweep(a, BETWEEN, r);
        if (a->least <= a->tolerance) break;
        a->s.prox = prox;
        int steps = run_pass(a, r);
        if (a->s.too_dear) break;
        prox *= steps == 0 ? 5 : steps <= 3 ? 0.3 : steps <= 6 ? 0.6 : steps <= 9 ? 1 : 2;
    }
}

/* ------------------------------------------------------------------ both */

typedef void (*Run)(Newton *, double *);

static bool solve_by(Run run, const char *name, const BriSparse *problem, BriEffort *effort, double tolerance,
                     double *r, BriSolverReport *report) {
    const BrAllocator *allocator = effort->allocator;
    Newton a = {.least = __builtin_inf(), .tolerance = tolerance, .floor = 1e-4 * tolerance};
    const double SOME = 4; /* steps, or a turn is not worth its beginning */
    a.most_work = effort->work;
    a.round = effort->round;
    size_t rows = (size_t)problem->rows;
    double *room = bri_allocate(allocator, 3 * rows, sizeof *room);
    *report = (BriSolverReport){.solver = name};
    bool fine = bri_sparse_step_prepare(&a.s, problem, allocator) && room;
    if (fine) {
        a.s.dearest = effort->work / SOME;
        a.trial = room;
        a.best = a.trial + rows;
        a.center = a.best + rows;
        bri_sparse_step_measure(&a.s, r);
        if (!bri_is_finite(a.s.merit)) memset(r, 0, rows * sizeof *r); /* a guess that is no number */
        run(&a, r);
        copy(&a, r, a.best);
        report->certificate = bri_sparse_judge(problem, r, a.s.u);
        report->iterations = a.steps;
        fine = !a.s.no_memory;
    }
    effort->spent += a.s.work;
    bri_sparse_step_release(&a.s);
    bri_release(allocator, room);
    return fine;
}

bool bri_solve_sparse_newton(const BriSparse *problem, BriEffort *effort, double tolerance, double *r,
                             BriSolverReport *report) {
    return solve_by(run_plainly, "newton", problem, effort, tolerance, r, report);
}

bool bri_solve_proximal(const BriSparse *problem, BriEffort *effort, double tolerance, double *r,
                        BriSolverReport *report) {
    return solve_by(run_proximal, "proximal", problem, effort, tolerance, r, report);
}
