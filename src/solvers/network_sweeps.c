/* network_sweeps.c: block Gauss-Seidel on a network (7.6), without W: memory and time per sweep grow with the contacts.
 *
 * The nodes' velocities are kept up to date: a block reads u = C v + q, takes its own part off, is solved exactly and
 * pushes its change back, v += M^-1 D^T dr. Passes alternate forwards and backwards as in sweeps.c. What the updates
 * add in rounding is removed at every check, where v is made anew from v_free and r; so the certificate is of r itself.
 */
#include "problem/network.h"
#include "solvers/local.h"

#include <string.h>

enum { CHECK_EVERY = 16 }; /* sweeps, once 1, 2, 4, 8 have passed */

typedef struct Work {
    double *response; /* rows x 12: M^-1 D^T */
    double *diagonal; /* 6 per row, block by block: its part of W without gaps */
    double *rho;      /* per block */
    double *u;        /* rows + 6 nodes: of the judge */
    double *best;     /* rows */
    double *v_free;   /* 6 nodes */
} Work;

size_t bri_network_scratch(const BriNetwork *network) {
    size_t rows = (size_t)network->rows;
    return 20 * rows + (size_t)network->blocks + 12 * (size_t)network->nodes;
}

static Work lay_out(const BriNetwork *network, double *scratch) {
    size_t rows = (size_t)network->rows, nodes = (size_t)network->nodes;
    Work a = {.response = scratch};
    a.diagonal = a.response + 12 * rows;
    a.rho = a.diagonal + 6 * rows;
    a.u = a.rho + network->blocks;
    a.best = a.u + rows + 6 * nodes;
    a.v_free = a.best + rows;
    return a;
}

static void prepare(const BriNetwork *network, const Work *a) {
    for (int k = 0; k < network->blocks; k++) {
        const BriBlock *block = &network->block[k];
        double *W = a->diagonal + 6 * (size_t)block->first, trace = 0;
        bri_network_diagonal(network, k, W);
        for (int i = 0; i < block->rows; i++) {
            trace += W[i * block->rows + i];
            bri_network_response(network, k, block->first + i, a->response + 12 * (size_t)(block->first + i));
        }
        a->rho[k] = trace > 0 ? block->rows / trace : 1;
    }
}

static void relax(const BriNetwork *network, const Work *a, int k, double *r, double *v) {
    const BriBlock *block = &network->block[k];
    const double *W = a->diagonal + 6 * (size_t)block->first;
    double b[6], before[6], *own = r + block->first;
    int rows = block->rows;
    bri_network_velocity(network, k, v, b);
    for (int i = 0; i < rows; i++) {
        before[i] = own[i];
        for (int j = 0; j < rows; j++) b[i] -= W[i * rows + j] * own[j];
    }
    bri_block_solve(block, W, rows, b, a->rho[k], network->budget, own);
    for (int side = 0; side < 2; side++) {
        int node = network->node[k][side];
        if (node < 0) continue;
        double *at = v + 6 * (size_t)node;
        const double *push = a->response + 12 * (size_t)block->first + 6 * side;
        for (int i = 0; i < rows; i++, push += 12) {
            double change = own[i] - before[i];
            for (int j = 0; j < 6; j++) at[j] += push[j] * change;
        }
    }
}

static BriCertificate judge(const BriNetwork *network, const Work *a, const double *r, double *v) {
    memcpy(v, a->v_free, 6 * (size_t)network->nodes * sizeof(double));
    bri_network_apply(network, r, v);
    return bri_network_judge(network, r, v, a->u);
}

BriAnswer bri_solve_network(const BriNetwork *network, double tolerance, int most, double *r, double *v,
                            double *scratch, BriSolverReport *report) {
    size_t bytes = (size_t)network->rows * sizeof(double);
    Work a = lay_out(network, scratch);
    prepare(network, &a);
    memcpy(a.v_free, v, 6 * (size_t)network->nodes * sizeof(double));
    *report = (BriSolverReport){.solver = "network sweeps", .certificate = judge(network, &a, r, v)};
    memcpy(a.best, r, bytes);
    for (int next = 1; report->iterations < most && !(report->certificate.residual <= tolerance);) {
        if (!bri_spend(network->budget, 60. * network->rows + 200. * network->blocks)) most = 0;
        for (int k = 0; k < network->blocks; k++)
            relax(network, &a, report->iterations & 1 ? network->blocks - 1 - k : k, r, v);
        if (++report->iterations < next && report->iterations < most) continue;
        next += next < CHECK_EVERY ? next : CHECK_EVERY;
        BriCertificate now = judge(network, &a, r, v);
        if (!(now.residual < report->certificate.residual)) continue;
        report->certificate = now;
        memcpy(a.best, r, bytes);
    }
    memcpy(r, a.best, bytes);
    report->certificate = judge(network, &a, r, v);
    return report->certificate.residual <= tolerance ? BRI_SOLVED : BRI_STOPPED_SHORT;
}
