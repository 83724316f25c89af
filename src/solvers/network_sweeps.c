/* network_sweeps.c: block Gauss-Seidel on a network (7.6), without W: memory and time per sweep grow with the contacts.
 *
 * The nodes' velocities are kept up to date: a block reads u = C v + q, takes its own part off, is solved exactly and
 * pushes its change back, v += M^-1 D^T dr. Passes alternate forwards and backwards as in sweeps.c. What the updates
 * add in rounding is removed at every check, where v is made anew from v_free and r; so the certificate is of r itself.
 *
 * Coulomb's cones, of which there are many, lie packed one behind the other in the order they are asked. Each number is
 * a sum of its own with a fixed order, whatever the vectors' length. */
#include "linalg/block_kernels.h"
#include "problem/network.h"
#include "solvers/local.h"

#include <string.h>

enum { CHECK_EVERY = 16 }; /* sweeps, once 1, 2, 4, 8 have passed */

/* A cone of three rows; or another block, whose numbers stand elsewhere. */
typedef struct Cone {
    double rho;
    union {
        struct {
            double mu;
            const double *C; /* where its rows stand */
            double push[36]; /* M^-1 D^T: three rows, two bodies each */
            double q[3];
            double W[9], inverse[9]; /* its own part of W; zeros: it has no inverse */
        };
        struct {
            double *response; /* 12 per row: M^-1 D^T */
            double *diagonal; /* its part of W without gaps */
        };
    };
} Cone;

typedef struct Work {
    Cone *cone;     /* per block */
    double *others; /* 18 per row of those that are no cones of three rows: response and diagonal */
    double *best;   /* rows */
    double *v_free; /* 6 nodes */
    bool wide;      /* the CPU has vectors of four; changes speed, not bits */
} Work;

enum { CONE = sizeof(Cone) / sizeof(double) };

static bool is_plain(const BriBlock *block) { return block->set == BRI_SET_CONE && block->rows == 3; }

size_t bri_network_scratch(const BriNetwork *network) {
    size_t rows = (size_t)network->rows, others = network->block ? 0 : rows; /* not known: as many as there may be */
    for (int k = 0; network->block && k < network->blocks; k++)
        if (!is_plain(&network->block[k])) others += (size_t)network->block[k].rows;
    return rows + 18 * others + CONE * (size_t)network->blocks + 6 * (size_t)network->nodes;
}

static Work lay_out(const BriNetwork *network, double *scratch) {
    size_t rows = (size_t)network->rows;
    Work a = {.cone = (Cone *)(void *)scratch, .wide = bri_has_wide_vectors() && !network->narrow};
    a.best = scratch + CONE * (size_t)network->blocks;
    a.v_free = a.best + rows;
    a.others = a.v_free + 6 * (size_t)network->nodes;
    return a;
}

/* W^-1 by cofactors; zeros where W is nearly singular. */
static void invert(const double *W, double *inverse) {
    const double SINGULAR = 1e-10; /* of the diagonal's product: six digits are left */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            inverse[3 * i + j] = W[3 * a + c] * W[3 * b + d] - W[3 * a + d] * W[3 * b + c];
        }
    double det = W[0] * inverse[0] + W[1] * inverse[3] + W[2] * inverse[6];
    bool fine = det > SINGULAR * W[0] * W[4] * W[8];
    for (int i = 0; i < 9; i++) inverse[i] = fine ? inverse[i] / det : 0;
}

static void pack(const BriNetwork *network, int k, Cone *cone) {
    const BriBlock *block = &network->block[k];
    cone->C = bri_network_C(network, k);
    for (int i = 0; i < 3; i++) bri_network_response(network, k, i, cone->push + 12 * i);
    memcpy(cone->q, network->q + block->first, 3 * sizeof(double));
    bri_network_diagonal(network, k, cone->W);
    invert(cone->W, cone->inverse);
    cone->mu = block->mu;
}

static void prepare(const BriNetwork *network, const Work *a) {
    double *others = a->others;
    for (int k = 0; k < network->blocks; k++) {
        const BriBlock *block = &network->block[k];
        Cone *cone = &a->cone[k];
        cone->rho = bri_network_scale(network, k);
        if (is_plain(block)) {
            pack(network, k, cone);
            continue;
        }
        cone->response = others;
        cone->diagonal = others += 12 * block->rows;
        others += 6 * block->rows;
        bri_network_diagonal(network, k, cone->diagonal);
        for (int i = 0; i < block->rows; i++) bri_network_response(network, k, i, cone->response + 12 * (size_t)i);
        cone->diagonal[0] += bri_network_compliance(network, k); /* of rows that yield */
    }
}

/* ------------------------------------------------------------------ Coulomb's cones */

/* u = C v + q; va and vb: six numbers of each body. Six sums side by side are as long as vectors of four would be. */
KERNEL void read_rows(const Cone *cone, const double *va, const double *vb, double u[3]) {
    const double *C = cone->C;
    for (int i = 0; i < 3; i++, C += 12) {
        double s = cone->q[i], t = 0;
        for (int j = 0; j < 6; j++) {
            s += C[j] * va[j];
            t += C[6 + j] * vb[j];
        }
        u[i] = s + t;
    }
}

/* v of one body by dr; `push`: its half of the first row. */
KERNEL void push_wide(const double *push, const double *dr, double *v) {
    *(Four *)v =
        LOAD(v) + (LOAD(push) * SPREAD(dr[0]) + LOAD(push + 12) * SPREAD(dr[1]) + LOAD(push + 24) * SPREAD(dr[2]));
    const Two *p = (const Two *)(push + 4), *q = (const Two *)(push + 16), *r = (const Two *)(push + 28);
    *(Two *)(v + 4) += *p * dr[0] + *q * dr[1] + *r * dr[2];
}

KERNEL void push_narrow(const double *push, const double *dr, double *v) {
    for (int i = 0; i < 6; i += 2)
        *(Two *)(v + i) += *(const Two *)(push + i) * dr[0] + *(const Two *)(push + 12 + i) * dr[1] +
                           *(const Two *)(push + 24 + i) * dr[2];
}

/* r <- its answer, u being what the bodies do with r. Open, stick, slip. */
KERNEL void answer_cone(const Cone *cone, const double *u, BriBudget *budget, const BriBlock *block, double *r) {
    const double *W = cone->W, *I = cone->inverse;
    double b[3], n = r[0] - (I[0] * u[0] + I[1] * u[1] + I[2] * u[2]),
                 x = r[1] - (I[3] * u[0] + I[4] * u[1] + I[5] * u[2]),
                 y = r[2] - (I[6] * u[0] + I[7] * u[1] + I[8] * u[2]);
    for (int i = 0; i < 3; i++) b[i] = u[i] - (W[3 * i] * r[0] + W[3 * i + 1] * r[1] + W[3 * i + 2] * r[2]);
    if (b[0] >= 0) {
        r[0] = r[1] = r[2] = 0;
    } else if (I[0] > 0 && n >= 0 && x * x + y * y <= cone->mu * cone->mu * n * n) {
        r[0] = n, r[1] = x, r[2] = y;
    } else {
        bri_block_solve(block, W, 3, b, cone->rho, budget, r);
    }
}

KERNEL void relax_cone(bool wide, const BriNetwork *network, const Cone *cone, int k, double *r, double *v) {
    const double REST[6] = {0};
    double nowhere[6] = {0}, u[3], dr[3];
    const int *node = network->node[k];
    double *a = node[0] >= 0 ? v + 6 * (size_t)node[0] : nowhere, *b = node[1] >= 0 ? v + 6 * (size_t)node[1] : nowhere;
    const double *va = node[0] >= 0 ? a : REST, *vb = node[1] >= 0 ? b : REST;
    read_rows(cone, va, vb, u);
    memcpy(dr, r, sizeof dr);
    answer_cone(cone, u, network->budget, &network->block[k], r);
    for (int i = 0; i < 3; i++) dr[i] = r[i] - dr[i];
    if (dr[0] == 0 && dr[1] == 0 && dr[2] == 0) return;
    if (wide) {
        push_wide(cone->push, dr, a);
        push_wide(cone->push + 6, dr, b);
    } else {
        push_narrow(cone->push, dr, a);
        push_narrow(cone->push + 6, dr, b);
    }
}

/* ------------------------------------------------------------------ other blocks */

static void relax(const BriNetwork *network, const Work *a, int k, double *r, double *v) {
    const BriBlock *block = &network->block[k];
    const Cone *other = &a->cone[k];
    const double *W = other->diagonal;
    double b[6], before[6], *own = r + block->first;
    int rows = block->rows;
    bri_network_velocity(network, k, v, b);
    for (int i = 0; i < rows; i++) {
        before[i] = own[i];
        for (int j = 0; j < rows; j++) b[i] -= W[i * rows + j] * own[j];
    }
    b[0] += bri_network_compliance(network, k) * own[0]; /* which is no velocity of bodies */
    bri_block_solve(block, W, rows, b, other->rho, network->budget, own);
    for (int side = 0; side < 2; side++) {
        int node = network->node[k][side];
        if (node < 0) continue;
        double *at = v + 6 * (size_t)node;
        const double *push = other->response + 6 * side;
        for (int i = 0; i < rows; i++, push += 12) {
            double change = own[i] - before[i];
            for (int j = 0; j < 6; j++) at[j] += push[j] * change;
        }
    }
}

KERNEL void sweep_any(bool wide, const BriNetwork *network, const Work *a, bool backwards, double *r, double *v) {
    for (int i = 0; i < network->blocks; i++) {
        int k = backwards ? network->blocks - 1 - i : i;
        const BriBlock *block = &network->block[k];
        if (is_plain(block))
            relax_cone(wide, network, &a->cone[k], k, r + block->first, v);
        else
            relax(network, a, k, r, v);
    }
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void sweep_wide(const BriNetwork *network, const Work *a, bool backwards,
                                                       double *r, double *v) {
    sweep_any(true, network, a, backwards, r, v);
}
#else
static void sweep_wide(const BriNetwork *network, const Work *a, bool backwards, double *r, double *v) {
    sweep_any(false, network, a, backwards, r, v);
}
#endif

static void sweep(const BriNetwork *network, const Work *a, bool backwards, double *r, double *v) {
    if (a->wide)
        sweep_wide(network, a, backwards, r, v);
    else
        sweep_any(false, network, a, backwards, r, v);
}

/* ------------------------------------------------------------------ until it is good enough */

static BriCertificate judge(const BriNetwork *network, const Work *a, const double *r, double *v) {
    memcpy(v, a->v_free, 6 * (size_t)network->nodes * sizeof(double));
    bri_network_apply(network, r, v);
    return bri_network_judge(network, r, v);
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
        sweep(network, &a, report->iterations & 1, r, v);
        if (++report->iterations < next && report->iterations < most) continue;
        next += next < CHECK_EVERY ? next : CHECK_EVERY;
        BriCertificate now = judge(network, &a, r, v);
        if (!bri_sweeps_stand(network, now.residual, report->certificate.residual)) continue;
        report->certificate = now;
        memcpy(a.best, r, bytes);
    }
    memcpy(r, a.best, bytes);
    report->certificate = judge(network, &a, r, v);
    return report->certificate.residual <= tolerance ? BRI_SOLVED : BRI_STOPPED_SHORT;
}
