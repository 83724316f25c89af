/* sparse_sweeps.c: block Gauss-Seidel on a sparse W, as sweeps.c does it on a dense one, every block's problem solved
 * exactly. A sweep costs what W has numbers.
 *
 * In the first turn passes alternate, forwards and backwards: weights travel down a stack in the one and up in the other, and
 * guesses for Newton are best so. In later ones all go forwards: to 1e-8, packings of spheres take a quarter of the sweeps. */
#include "math/vec.h"
#include "solvers/local.h"
#include "solvers/sparse.h"

#include <string.h>

enum { CHECK_EVERY = 16 }; /* sweeps, once 1, 2, 4, 8 have passed: the certificate is as dear as one */

void bri_sparse_sweep(const BriSparse *problem, const double *rho, bool backwards, double *r) {
    for (int k = 0; k < problem->blocks; k++) {
        int place = backwards ? problem->blocks - 1 - k : k;
        const BriBlock *block = &problem->block[place];
        const double *W = bri_sparse_diagonal(problem, place);
        double b[6], *own = r + block->first;
        int rows = block->rows;
        bri_sparse_velocity(problem, place, r, b);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < rows; j++) b[i] -= W[i * rows + j] * own[j];
        bri_block_solve(block, W, rows, b, rho[place], problem->budget, own);
    }
}

double bri_sparse_work(const BriSparse *problem) {
    int last = problem->begin[problem->blocks] - 1;
    return last < 0 ? 0 : (double)problem->at[last] + 200. * problem->blocks;
}

static void run(const BriSparse *problem, BriEffort *effort, double tolerance, double *r, double *room,
                BriSolverReport *report) {
    size_t bytes = (size_t)problem->rows * sizeof(double);
    double *rho = room, *u = rho + problem->blocks, *best = u + problem->rows, work = bri_sparse_work(problem);
    bool more = true;
    for (int k = 0; k < problem->blocks; k++) rho[k] = bri_sparse_scale(problem, k);
    *report = (BriSolverReport){.solver = "sweeps", .certificate = bri_sparse_judge(problem, r, u)};
    memcpy(best, r, bytes);
    for (int next = 1; more && !(report->certificate.residual <= tolerance);) {
        bri_sparse_sweep(problem, rho, effort->round == 0 && (report->iterations & 1), r);
        report->iterations++;
        more = bri_spend(problem->budget, work) && report->iterations * work < effort->work;
        if (report->iterations < next && more) continue;
        next += next < CHECK_EVERY ? next : CHECK_EVERY;
        BriCertificate now = bri_sparse_judge(problem, r, u);
        if (!(now.residual < report->certificate.residual)) continue;
        report->certificate = now;
        memcpy(best, r, bytes);
    }
    effort->spent += report->iterations * work;
    memcpy(r, best, bytes);
}

bool bri_solve_sparse_sweeps(const BriSparse *problem, BriEffort *effort, double tolerance, double *r,
                             BriSolverReport *report) {
    size_t count = (size_t)problem->blocks + 2 * (size_t)problem->rows;
    double *room = bri_allocate(effort->allocator, count, sizeof *room);
    if (room) run(problem, effort, tolerance, r, room, report);
    bri_release(effort->allocator, room);
    return room != NULL;
}
