/* sweeps.c: block Gauss-Seidel with exact local answers.
 *
 * Block by block, in order forwards and then backwards, b = q + (W r without the block's own part) is formed and the
 * block's problem is solved exactly: cones by cone.c, those with moments by moments.c, boxes by a clamp, free blocks by elimination. For symmetric
 * positive W and boxes this descends on the energy; with friction it is a fixed point that has no proof but a long
 * record (Jean's NSCD). The order is fixed, so the answer's bits are. Forward and backward passes alternate because a
 * stack's weight travels down in the one and its support up in the other. */
#include "linalg/dense.h"
#include "math/vec.h"
#include "solvers/local.h"

#include <string.h>

/* The certificate is as dear as a sweep: it is asked for after 1, 2, 4, 8, ... sweeps, then every so many. */
enum { CHECK_EVERY = 16 };

static const double NUDGE = 1e-13; /* of the largest entry on the diagonal: above rounding, below all tolerances */

/* What is left of u is taken off a free block; a row without mobility keeps its impulse. */
static void solve_free(const BriBlock *block, const double *W, int stride, const double *b, double *r) {
    double A[36] = {0}, step[6] = {0}, largest = 0;
    int n = block->rows;
    for (int i = 0; i < n; i++) largest = bri_max(largest, bri_abs(W[i * stride + i]));
    for (int i = 0; i < n; i++) {
        step[i] = -b[i];
        for (int j = 0; j < n; j++) {
            step[i] -= W[i * stride + j] * r[j];
            A[i * n + j] = W[i * stride + j];
        }
        A[i * n + i] += NUDGE * largest; /* dependent rows then share the load; the sweeps take off what this adds */
    }
    bri_eliminate(A, n, step);
    for (int i = 0; i < n; i++) r[i] += step[i];
}

void bri_block_solve(const BriBlock *block, const double *W, int stride, const double *b, double rho, BriBudget *budget,
                     double *r) {
    if (block->set == BRI_SET_FREE) {
        solve_free(block, W, stride, b, r);
        return;
    }
    if (block->set == BRI_SET_BOX && W[0] > 0) {
        r[0] = -b[0] / W[0];
        bri_block_project(block, r);
        return;
    }
    if (block->set == BRI_SET_CONE && !bri_is_plain_cone(block)) {
        bri_moments_solve(block, W, stride, b, rho, budget, r);
        return;
    }
    if (block->set == BRI_SET_CONE) {
        BriConeAnswer answer = bri_cone_solve(W, stride, b, block->rows, block->mu, r);
        if (answer != BRI_CONE_FOUND) bri_spend(budget, BRI_CONE_SEARCH);
        if (answer != BRI_CONE_NONE) return;
    }

    /* no answer of its own: one projected step, and the neighbours may help */
    double u[6] = {0}, slip = 0;
    for (int i = 0; i < block->rows; i++) {
        u[i] = b[i];
        for (int j = 0; j < block->rows; j++) u[i] += W[i * stride + j] * r[j];
        if (i) slip += u[i] * u[i];
    }
    if (block->set == BRI_SET_CONE) u[0] += block->mu * bri_sqrt(slip);
    for (int i = 0; i < block->rows; i++) r[i] -= rho * u[i];
    bri_block_project(block, r);
}

static void sweep(const BriProblem *problem, const double *rho, bool backwards, double *r) {
    size_t stride = (size_t)problem->stride;
    for (int k = 0; k < problem->blocks; k++) {
        int place = backwards ? problem->blocks - 1 - k : k;
        const BriBlock *block = &problem->block[place];
        double b[6] = {0};
        int first = block->first, end = first + block->rows;
        for (int i = first; i < end; i++) {
            const double *row = problem->W + (size_t)i * stride;
            double sum = problem->q[i], more = 0;
            int j = 0;
            for (; j + 2 <= first; j += 2) {
                sum += row[j] * r[j];
                more += row[j + 1] * r[j + 1];
            }
            for (; j < first; j++) sum += row[j] * r[j];
            for (j = end; j + 2 <= problem->rows; j += 2) {
                sum += row[j] * r[j];
                more += row[j + 1] * r[j + 1];
            }
            for (; j < problem->rows; j++) sum += row[j] * r[j];
            b[i - first] = sum + more;
        }
        bri_block_solve(block, problem->W + (size_t)first * stride + (size_t)first, problem->stride, b, rho[place],
                        problem->budget, r + first);
    }
}

/* Scratch: rho (blocks), u (rows), best r (rows). */
BriAnswer bri_solve_sweeps(const BriProblem *problem, double tolerance, int most, double *r, double *scratch,
                           BriSolverReport *report) {
    size_t bytes = (size_t)problem->rows * sizeof(double);
    double *rho = scratch, *u = rho + problem->blocks, *best = u + problem->rows;
    for (int k = 0; k < problem->blocks; k++) rho[k] = bri_block_scale(problem, k);
    *report = (BriSolverReport){.solver = "sweeps", .certificate = bri_problem_check(problem, r, u)};
    memcpy(best, r, bytes);
    for (int next = 1; report->iterations < most && !(report->certificate.residual <= tolerance);) {
        if (!bri_spend(problem->budget, (double)problem->rows * problem->rows + 200. * problem->blocks)) most = 0;
        sweep(problem, rho, report->iterations & 1, r);
        if (++report->iterations < next && report->iterations < most) continue;
        next += next < CHECK_EVERY ? next : CHECK_EVERY;
        BriCertificate now = bri_problem_check(problem, r, u);
        if (!(now.residual < report->certificate.residual)) continue;
        report->certificate = now;
        memcpy(best, r, bytes);
    }
    memcpy(r, best, bytes);
    return report->certificate.residual <= tolerance ? BRI_SOLVED : BRI_STOPPED_SHORT;
}
