/* network_newton.c: semismooth Newton on Alart and Curnier's equations (7.15), as newton.c, for networks (7.6).
 *
 * A step solves the derivative of the equations with W + eps/rho in place of W; with v = v_free + M^-1 D^T r that is
 *
 *     dr = g - G C dv,      (M + sum of D^T G C) dv = D^T g                                                       (7.33)
 *
 * block by block, kappa = rho/eps, c = mu x_N/|x_T|, t = x_T/|x_T|, s square to it:
 *     hold    g = -kappa u,  G = kappa        (free rows, boxes between their bounds, cones that stick)
 *     leave   g = -r or the bound less r,  G = 0
 *     slide   dr_N = -kappa (u_N + du_N),   dr_t = mu dr_N - rho (phi_t - mu u_N),
 *             dr_s = -rho (phi_s + c du_s) / (1 - c + c eps)
 *
 * The matrix has six rows a body and blocks where bodies touch; it is not symmetric where something slides. Nothing is
 * left of eps in the answer. It is what makes a step the shortest of many where a pile is held several times over, and,
 * when it is large, a small step of time along which the impulses grow as springs' do: far from the answer it begins
 * there, and falls with the merit (pseudo-transient continuation, Kelley & Keyes 1998). No step is taken back: that
 * keeps modes from changing, and ends nowhere. */
#include "linalg/block_lu.h"
#include "math/vec.h"
#include "solvers/local.h"

#include <string.h>

typedef struct Work {
    const BriNetwork *network;
    BriBlockLu *lu;
    double eps;
    double *scale;             /* per block: rho of (7.2) */
    double *r, *u, *phi, *g;   /* rows; g becomes dr */
    double *G;                 /* 9 per block: of cones; else the first is that of all rows */
    double *v, *v_free, *push; /* 6 per node; push: D^T g, then dv */
    double merit, residual;    /* |phi|, and the certificate's largest, m/s */
    double rounding;           /* m/s: below that the residual has no digits */
} Work;

size_t bri_network_newton_scratch(const BriNetwork *network) {
    return 4 * (size_t)network->rows + 10 * (size_t)network->blocks + 18 * (size_t)network->nodes;
}

static Work lay_out(const BriNetwork *network, BriBlockLu *lu, double *scratch) {
    size_t rows = (size_t)network->rows, blocks = (size_t)network->blocks, six = 6 * (size_t)network->nodes;
    Work a = {.network = network, .lu = lu, .scale = scratch};
    a.r = a.scale + blocks;
    a.u = a.r + rows;
    a.phi = a.u + rows;
    a.g = a.phi + rows;
    a.G = a.g + rows;
    a.v = a.G + 9 * blocks;
    a.v_free = a.v + six;
    a.push = a.v_free + six;
    return a;
}

static double find_compliance(const BriNetwork *n, const BriBlock *block) {
    return n->compliance && block->set == BRI_SET_BOX ? n->compliance[block->first] : 0;
}

/* ------------------------------------------------------------------ the equations */

/* phi of a cone. */
static void measure_cone(const BriBlock *block, double rho, const double *r, const double *u, double *phi) {
    double n = r[0] - rho * u[0], x[2] = {r[1] - rho * u[1], block->rows > 2 ? r[2] - rho * u[2] : 0};
    double size = bri_sqrt(x[0] * x[0] + x[1] * x[1]);
    bool open = n <= 0, stick = size <= block->mu * n;
    phi[0] = open ? r[0] / rho : u[0];
    for (int i = 1; i < block->rows; i++)
        phi[i] = open ? r[i] / rho : stick ? u[i] : (r[i] - block->mu * n * x[i - 1] / size) / rho;
}

static void measure_block(Work *a, int k) {
    const BriNetwork *n = a->network;
    const BriBlock *block = &n->block[k];
    double rho = a->scale[k], *r = a->r + block->first, *u = a->u + block->first, *phi = a->phi + block->first;
    bri_network_velocity(n, k, a->v, u);
    u[0] += find_compliance(n, block) * r[0];
    double residual = bri_block_residual(block, r, u, rho);
    if (!(residual <= a->residual)) a->residual = residual; /* NaN is worst */
    a->rounding = bri_max(a->rounding, BRI_ROUNDED * bri_abs(r[0]) / rho);
    if (block->set == BRI_SET_CONE) {
        measure_cone(block, rho, r, u, phi);
    } else if (block->set == BRI_SET_BOX) {
        double x = r[0] - rho * u[0];
        phi[0] = x <= block->lower   ? (r[0] - block->lower) / rho
                 : x >= block->upper ? (r[0] - block->upper) / rho
                                     : u[0];
    } else {
        memcpy(phi, u, (size_t)block->rows * sizeof(double));
    }
    for (int i = 0; i < block->rows; i++) a->merit += phi[i] * phi[i];
}

/* All of it at a->r. */
static void measure(Work *a) {
    const BriNetwork *n = a->network;
    a->merit = a->residual = a->rounding = 0;
    memcpy(a->v, a->v_free, 6 * (size_t)n->nodes * sizeof(double));
    bri_network_apply(n, a->r, a->v);
    for (int k = 0; k < n->blocks; k++) measure_block(a, k);
    a->merit = bri_sqrt(a->merit);
    bri_spend(n->budget, 60. * n->rows);
}

/* ------------------------------------------------------------------ their derivative (7.33) */

/* Rows whose velocity is to vanish: u + du + (eps/rho + compliance) dr = 0. */
static void hold(const Work *a, int k, double softness) {
    const BriBlock *block = &a->network->block[k];
    double kappa = 1 / softness, *G = a->G + 9 * (size_t)k;
    memset(G, 0, 9 * sizeof *G);
    for (int i = 0; i < 3; i++) G[4 * i] = kappa;
    for (int i = 0; i < block->rows; i++) a->g[block->first + i] = -kappa * a->u[block->first + i];
}

/* Impulses that are known: r becomes `to`. */
static void leave(const Work *a, int k, double to) {
    const BriBlock *block = &a->network->block[k];
    memset(a->G + 9 * (size_t)k, 0, 9 * sizeof(double));
    for (int i = 0; i < block->rows; i++) a->g[block->first + i] = to - a->r[block->first + i];
}

static void slide(const Work *a, int k, const double x[3], double size) {
    const BriBlock *block = &a->network->block[k];
    double mu = block->mu, rho = a->scale[k], kappa = rho / a->eps, c = block->rows > 2 ? mu * x[0] / size : 0;
    double t[2] = {x[1] / size, x[2] / size}, s[2] = {-t[1], t[0]}, across = 1 - c + c * a->eps;
    const double *u = a->u + block->first, *phi = a->phi + block->first;
    double *g = a->g + block->first, *G = a->G + 9 * (size_t)k, sigma = rho * c / across;
    double phi2 = block->rows > 2 ? phi[2] : 0;
    double phi_t = t[0] * phi[1] + t[1] * phi2, phi_s = s[0] * phi[1] + s[1] * phi2;
    g[0] = -kappa * u[0];
    double along = mu * g[0] - rho * (phi_t - mu * u[0]), aside = -rho * phi_s / across;
    for (int i = 0; i + 1 < block->rows; i++) g[i + 1] = along * t[i] + aside * s[i];
    G[0] = kappa, G[1] = G[2] = 0;
    for (int i = 0; i < 2; i++) {
        G[3 * i + 3] = mu * kappa * t[i];
        for (int j = 0; j < 2; j++) G[3 * i + 4 + j] = sigma * s[i] * s[j];
    }
}

/* g and G of every block. */
static void derive(const Work *a) {
    const double FIRM = 1e-7; /* joints do not soften, however large eps is */
    const BriNetwork *n = a->network;
    for (int k = 0; k < n->blocks; k++) {
        const BriBlock *block = &n->block[k];
        double rho = a->scale[k];
        const double *r = a->r + block->first, *u = a->u + block->first;
        double x[3] = {r[0] - rho * u[0], 0, 0};
        if (block->set == BRI_SET_FREE) {
            hold(a, k, bri_min(a->eps, FIRM) / rho);
        } else if (block->set == BRI_SET_BOX) {
            if (x[0] <= block->lower || x[0] >= block->upper)
                leave(a, k, x[0] <= block->lower ? block->lower : block->upper);
            else
                hold(a, k, a->eps / rho + find_compliance(n, block));
        } else if (x[0] <= 0) {
            leave(a, k, 0);
        } else {
            for (int i = 1; i < block->rows; i++) x[i] = r[i] - rho * u[i];
            double size = bri_sqrt(x[1] * x[1] + x[2] * x[2]);
            if (size <= block->mu * x[0])
                hold(a, k, a->eps / rho);
            else
                slide(a, k, x, size);
        }
    }
}

/* Sums of the blocks between the same two nodes. */
typedef struct Pair {
    int a, b, edge;
    double aa[36], ab[36], ba_turned[36], bb[36];
} Pair;

/* to += left right^T */
static void add_outer(const double *left, const double *right, double *to) {
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) to[6 * i + j] += left[i] * right[j];
}

/* D^T G C of a block, row by row of D. */
static void add_block(const Work *a, int k, Pair *pair) {
    const BriBlock *block = &a->network->block[k];
    const double *D = a->network->D + 12 * (size_t)block->first, *C = a->network->C + 12 * (size_t)block->first;
    const double *G = a->G + 9 * (size_t)k;
    bool cone = block->set == BRI_SET_CONE;
    for (int i = 0; i < block->rows; i++, D += 12) {
        double T[12];
        if (cone) {
            const double *own = G + 3 * (size_t)i;
            for (int j = 0; j < 12; j++) T[j] = own[0] * C[j] + own[1] * C[12 + j];
            for (int j = 0; block->rows > 2 && j < 12; j++) T[j] += own[2] * C[24 + j];
        } else {
            for (int j = 0; j < 12; j++) T[j] = G[0] * C[12 * i + j];
        }
        if (pair->a >= 0) add_outer(D, T, pair->aa);
        if (pair->b >= 0) add_outer(D + 6, T + 6, pair->bb);
        if (pair->edge < 0) continue;
        add_outer(D, T + 6, pair->ab);
        add_outer(T, D + 6, pair->ba_turned);
    }
}

static void add_pair(BriBlockLu *lu, const Pair *pair) {
    if (pair->a >= 0) bri_cholesky_add_node(lu->layout, pair->a, pair->aa);
    if (pair->b >= 0) bri_cholesky_add_node(lu->layout, pair->b, pair->bb);
    if (pair->edge >= 0) bri_block_lu_add_edge(lu, pair->edge, pair->ab, pair->ba_turned);
}

/* The matrix of (7.33). Blocks of the same two nodes mostly stand together, and are summed first. */
static void fill(const Work *a) {
    const BriNetwork *n = a->network;
    Pair pair = {.a = -1, .b = -1, .edge = -1};
    bri_block_lu_clear(a->lu);
    for (int i = 0; i < n->nodes; i++) {
        double M[36] = {0};
        for (int j = 0; j < 3; j++) {
            M[7 * j] = n->mass[i];
            for (int l = 0; l < 3; l++) M[6 * (j + 3) + l + 3] = n->inertia[9 * i + 3 * j + l];
        }
        bri_cholesky_add_node(a->lu->layout, i, M);
    }
    for (int k = 0; k < n->blocks; k++) {
        if (a->G[9 * (size_t)k] == 0) continue; /* it leaves */
        if (pair.a != n->node[k][0] || pair.b != n->node[k][1]) {
            add_pair(a->lu, &pair);
            pair = (Pair){.a = n->node[k][0], .b = n->node[k][1], .edge = n->block_edge[k]};
        }
        add_block(a, k, &pair);
    }
    add_pair(a->lu, &pair);
}

/* push = D^T g */
static void spread(const Work *a) {
    const BriNetwork *n = a->network;
    memset(a->push, 0, 6 * (size_t)n->nodes * sizeof(double));
    for (int k = 0; k < n->blocks; k++) {
        const BriBlock *block = &n->block[k];
        for (int side = 0; side < 2; side++) {
            if (n->node[k][side] < 0) continue;
            double *at = a->push + 6 * (size_t)n->node[k][side];
            const double *D = n->D + 12 * (size_t)block->first + 6 * side;
            for (int i = 0; i < block->rows; i++, D += 12)
                for (int j = 0; j < 6; j++) at[j] += D[j] * a->g[block->first + i];
        }
    }
}

/* C dv of one block. */
static void find_change(const Work *a, int k, double *du) {
    const BriNetwork *n = a->network;
    const BriBlock *block = &n->block[k];
    bri_network_velocity(n, k, a->push, du);
    for (int i = 0; i < block->rows; i++) du[i] -= n->q[block->first + i];
}

/* r by a step. false: the matrix has no factor. */
static bool go(Work *a) {
    const BriNetwork *n = a->network;
    derive(a);
    fill(a);
    bri_spend(n->budget, 300. * n->rows + 2 * a->lu->layout->factor_work + a->lu->layout->solve_work);
    if (!bri_block_lu_factor(a->lu)) return false;
    spread(a);
    bri_block_lu_solve(a->lu, a->push);
    for (int k = 0; k < n->blocks; k++) {
        const BriBlock *block = &n->block[k];
        const double *G = a->G + 9 * (size_t)k;
        double du[6] = {0};
        find_change(a, k, du);
        for (int i = 0; i < block->rows; i++) {
            double held = block->set == BRI_SET_CONE ? G[3 * i] * du[0] + G[3 * i + 1] * du[1] + G[3 * i + 2] * du[2]
                                                     : G[0] * du[i];
            a->r[block->first + i] += a->g[block->first + i] - held;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ the iteration */

static void prepare(Work *a, const double *r, const double *v) {
    const BriNetwork *n = a->network;
    memcpy(a->v_free, v, 6 * (size_t)n->nodes * sizeof(double));
    memcpy(a->r, r, (size_t)n->rows * sizeof(double));
    for (int k = 0; k < n->blocks; k++) {
        const BriBlock *block = &n->block[k];
        double W[36], trace = 0;
        bri_network_diagonal(n, k, W);
        for (int i = 0; i < block->rows; i++) trace += W[i * block->rows + i];
        a->scale[k] = trace > 0 ? block->rows / trace : 1;
    }
    measure(a);
}

BriAnswer bri_solve_network_newton(const BriNetwork *network, BriBlockLu *lu, double tolerance, double eps, int most,
                                   double *r, double *v, double *scratch, BriSolverReport *report) {
    const double AIM = 1e-3;                            /* of the tolerance: it goes on while that gains */
    const double FASTEST = 0.3, GROWTH = 2;             /* of eps in a step */
    const double LEAST = 1e-9, LARGEST = 1, LOST = 1e3; /* of eps; of the merit at the start: it leads nowhere */
    Work a = lay_out(network, lu, scratch);
    a.eps = eps;
    prepare(&a, r, v);
    *report = (BriSolverReport){.solver = "network newton"};
    double least = a.residual, rounding = a.rounding, start = a.merit;
    for (; report->iterations < most && bri_has_budget(network->budget); report->iterations++) {
        double before = a.merit, last = least;
        bool good = least <= bri_max(tolerance, rounding);
        if (least <= bri_max(AIM * tolerance, 0.2 * rounding) || !go(&a)) break;
        measure(&a);
        if (a.residual < least) {
            least = a.residual;
            rounding = a.rounding;
            memcpy(r, a.r, (size_t)network->rows * sizeof(double));
        }
        if ((good && !(least < 0.25 * last)) || !(a.merit <= LOST * start)) break;
        a.eps *= bri_min(GROWTH, bri_max(FASTEST, a.merit / before));
        a.eps = bri_min(LARGEST, bri_max(LEAST, a.eps));
    }
    bri_network_apply(network, r, v);
    report->certificate = (BriCertificate){.residual = least, .relative = __builtin_nan(""), .worst = -1};
    return least <= bri_max(tolerance, rounding) ? BRI_SOLVED : BRI_STOPPED_SHORT;
}
