/* network_newton.c: semismooth Newton on Alart and Curnier's equations (7.15), as newton.c, for networks (7.6).
 *
 * A step solves the derivative of the equations with W + eps/rho in place of W; with v = v_free + M^-1 D^T r that is
 *
 *     dr = g - G C dv,      (M + sum of D^T G C) dv = D^T g                                                       (7.37)
 *
 * block by block, kappa = rho/eps, c = mu x_N/|x_T|, t = x_T/|x_T|, s square to it:
 *     hold    g = -kappa u,  G = kappa        (free rows, boxes between their bounds, normals, discs that stick)
 *     leave   g = -r or the bound less r,  G = 0
 *     slide   dr_N = -kappa (u_N + du_N),   dr_t = mu dr_N - rho (phi_t - mu u_N),
 *             dr_s = -rho (phi_s + c du_s) / (1 - c + c eps)
 *
 * The matrix has six rows a body and blocks where bodies touch; it is not symmetric where something slides. Nothing is
 * left of eps in the answer. It is what makes a step the shortest of many where a pile is held several times over, and
 * what leads there from afar (bri_next_eps). */
#include "linalg/block_lu.h"
#include "math/vec.h"
#include "solvers/equations.h"
#include "solvers/masses.h"

#include <string.h>

typedef struct Work {
    const BriNetwork *network;
    BriBlockLu *lu;
    double eps;
    double *scale;             /* per block: rho of (7.2) */
    double *r, *u, *phi, *g;   /* rows; g becomes dr */
    double *G;                 /* 3 per row: on du_N and on du of its own disc, of cones; else the first on its own */
    double *v, *v_free, *push; /* 6 per node; push: D^T g, then dv */
    double merit, residual;    /* |phi|, and the certificate's largest, m/s */
    double rounding;           /* m/s: below that the residual has no digits */
} Work;

size_t bri_network_newton_scratch(const BriNetwork *network) {
    return 7 * (size_t)network->rows + (size_t)network->blocks + 18 * (size_t)network->nodes;
}

static Work lay_out(const BriNetwork *network, BriBlockLu *lu, double *scratch) {
    size_t rows = (size_t)network->rows, blocks = (size_t)network->blocks, six = 6 * (size_t)network->nodes;
    Work a = {.network = network, .lu = lu, .scale = scratch};
    a.r = a.scale + blocks;
    a.u = a.r + rows;
    a.phi = a.u + rows;
    a.g = a.phi + rows;
    a.G = a.g + rows;
    a.v = a.G + 3 * rows;
    a.v_free = a.v + six;
    a.push = a.v_free + six;
    return a;
}

/* ------------------------------------------------------------------ the equations */

static void measure_block(Work *a, int k) {
    const BriNetwork *n = a->network;
    const BriBlock *block = &n->block[k];
    double rho = a->scale[k], *r = a->r + block->first, *u = a->u + block->first, *phi = a->phi + block->first;
    bri_network_velocity(n, k, a->v, u);
    u[0] += bri_network_compliance(n, k) * r[0];
    double residual = bri_block_residual(block, r, u, rho);
    if (!(residual <= a->residual)) a->residual = residual; /* NaN is worst */
    a->rounding = bri_max(a->rounding, BRI_ROUNDED * bri_abs(r[0]) / rho);
    bri_block_equations(block, 1, rho, r, u, phi);
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

/* ------------------------------------------------------------------ their derivative (7.37) */

/* A row whose velocity is to vanish: u + du + softness dr = 0; `on`: which of its three G's is its own. */
static void hold(const Work *a, int row, int on, double softness) {
    double *G = a->G + 3 * (size_t)row;
    G[0] = G[1] = G[2] = 0;
    G[on] = 1 / softness;
    a->g[row] = -G[on] * a->u[row];
}

/* Impulses that are known: r becomes `to`. */
static void leave(const Work *a, const BriBlock *block, double to) {
    memset(a->G + 3 * (size_t)block->first, 0, 3 * (size_t)block->rows * sizeof(double));
    for (int i = 0; i < block->rows; i++) a->g[block->first + i] = to - a->r[block->first + i];
}

/* A disc that creeps: with M of (7.52), whose part along the disc is symmetric with c = 1 - g and c = f/|x_T| as eigenvalues
 * along t and across,
 *     (1 - c + c eps) dr = g mu tanh t (dr_N + rho u_N) - rho (phi + c du)          along each of them. */
static void derive_creep(const Work *a, const BriBlock *block, double rho, const BriDisc *disc, const double *x,
                         const double *phi, double x_N) {
    int n = disc->rows > 1 ? 2 : 1, normal = block->first, first = normal + disc->first;
    double size = bri_sqrt(x[0] * x[0] + x[1] * x[1]), one = size > 0 ? 1 / size : 0;
    double t[2] = {size > 0 ? x[0] * one : 1, x[1] * one}, s[2] = {-t[1], t[0]};
    BriCreep creep = bri_creep(size, disc->mu * x_N, rho, disc->creep);
    double c = 1 - creep.yields, d = size > 0 ? creep.force * one : c;
    double left = 1 - c + c * a->eps, aside = 1 - d + d * a->eps, drag = creep.yields * disc->mu * creep.part;
    double along = drag * (a->g[normal] + rho * a->u[normal]) - rho * (t[0] * phi[0] + t[1] * phi[1]);
    double across = -rho * (s[0] * phi[0] + s[1] * phi[1]);
    for (int i = 0; i < n; i++) {
        double *G = a->G + 3 * (size_t)(first + i);
        G[0] = drag * rho / a->eps / left * t[i];
        for (int j = 0; j < n; j++) G[1 + j] = rho * (c / left * t[i] * t[j] + (n > 1 ? d / aside * s[i] * s[j] : 0));
        a->g[first + i] = along / left * t[i] + (n > 1 ? across / aside * s[i] : 0);
    }
}

/* A disc of a cone, x_N being its normal part. */
static void derive_disc(const Work *a, const BriBlock *block, double rho, const BriDisc *disc, double x_N) {
    int n = disc->rows, normal = block->first, first = normal + disc->first;
    double x[2] = {0, 0}, phi[2] = {0, 0};
    for (int i = 0; i < n; i++) {
        x[i] = a->r[first + i] - rho * a->u[first + i];
        phi[i] = a->phi[first + i];
    }
    if (disc->creep > 0) {
        derive_creep(a, block, rho, disc, x, phi, x_N);
        return;
    }
    double size = bri_sqrt(x[0] * x[0] + x[1] * x[1]), mu = disc->mu;
    if (size <= mu * x_N) {
        for (int i = 0; i < n; i++) hold(a, first + i, 1 + i, a->eps / rho);
        return;
    }
    double c = n > 1 ? mu * x_N / size : 0, across = 1 - c + c * a->eps, sigma = rho * c / across, kappa = rho / a->eps;
    double t[2] = {x[0] / size, x[1] / size}, s[2] = {-t[1], t[0]};
    double along = mu * a->g[normal] - rho * (t[0] * phi[0] + t[1] * phi[1] - mu * a->u[normal]);
    double aside = -rho * (s[0] * phi[0] + s[1] * phi[1]) / across;
    for (int i = 0; i < n; i++) {
        double *G = a->G + 3 * (size_t)(first + i);
        G[0] = mu * kappa * t[i];
        G[1] = sigma * s[i] * s[0];
        G[2] = sigma * s[i] * s[1];
        a->g[first + i] = along * t[i] + (n > 1 ? aside * s[i] : 0);
    }
}

static void derive_cone(const Work *a, const BriBlock *block, double rho) {
    double x_N = a->r[block->first] - rho * a->u[block->first];
    BriDisc disc[BRI_DISCS];
    if (x_N <= 0) {
        leave(a, block, 0);
        return;
    }
    int discs = bri_block_discs(block, disc);
    hold(a, block->first, 0, a->eps / rho);
    for (int k = 0; k < discs; k++) derive_disc(a, block, rho, &disc[k], x_N);
}

/* g and G of every block. */
static void derive(const Work *a) {
    const double FIRM = 1e-7; /* joints do not soften, however large eps is */
    const BriNetwork *n = a->network;
    for (int k = 0; k < n->blocks; k++) {
        const BriBlock *block = &n->block[k];
        double rho = a->scale[k], x = a->r[block->first] - rho * a->u[block->first];
        if (block->set == BRI_SET_CONE)
            derive_cone(a, block, rho);
        else if (block->set == BRI_SET_FREE)
            for (int i = 0; i < block->rows; i++) hold(a, block->first + i, 0, bri_min(a->eps, FIRM) / rho);
        else if (x <= block->lower || x >= block->upper)
            leave(a, block, x <= block->lower ? block->lower : block->upper);
        else
            hold(a, block->first, 0, a->eps / rho + bri_network_compliance(n, k));
    }
}

/* Row i of G times the rows of a block, in steps of `stride`: those of its normal and of its own disc, or its own. */
static void weigh(const Work *a, const BriBlock *block, int i, const double *rows, int stride, double *to) {
    const double *G = a->G + 3 * (size_t)(block->first + i);
    bool cone = block->set == BRI_SET_CONE;
    int first = i < 3 ? 1 : block->rows == 4 || i == 5 ? i : 3;
    const double *own = rows + (size_t)first * (size_t)stride,
                 *normal = cone ? rows : rows + (size_t)i * (size_t)stride;
    for (int j = 0; j < stride; j++) {
        to[j] = G[0] * normal[j];
        if (cone && G[1] != 0) to[j] += G[1] * own[j];
        if (cone && G[2] != 0) to[j] += G[2] * own[stride + j];
    }
}

/* Sums of the blocks between the same two nodes. */
typedef struct Pair {
    int a, b, edge;
    double aa[36], ab[36], ba_turned[36], bb[36];
} Pair;

/* D^T G C of a block, row by row of D. */
static void add_block(const Work *a, int k, Pair *pair) {
    const BriBlock *block = &a->network->block[k];
    const double *D = bri_network_D(a->network, k), *C = bri_network_C(a->network, k);
    for (int i = 0; i < block->rows; i++, D += 12) {
        double T[12];
        weigh(a, block, i, C, 12, T);
        if (pair->a >= 0) bri_add_outer(D, T, pair->aa);
        if (pair->b >= 0) bri_add_outer(D + 6, T + 6, pair->bb);
        if (pair->edge < 0) continue;
        bri_add_outer(D, T + 6, pair->ab);
        bri_add_outer(T, D + 6, pair->ba_turned);
    }
}

static void add_pair(BriBlockLu *lu, const Pair *pair) {
    if (pair->a >= 0) bri_cholesky_add_node(&lu->layout, pair->a, pair->aa);
    if (pair->b >= 0) bri_cholesky_add_node(&lu->layout, pair->b, pair->bb);
    if (pair->edge < 0) return;
    double *ab = bri_block_lu_edge(lu, pair->edge), *turned = bri_block_lu_turned(lu, pair->edge);
    for (int i = 0; i < 36; i++) ab[i] += pair->ab[i], turned[i] += pair->ba_turned[i];
}

/* The matrix of (7.37). Blocks of the same two nodes mostly stand together, and are summed first. */
static void fill(const Work *a) {
    const BriNetwork *n = a->network;
    Pair pair = {.a = -1, .b = -1, .edge = -1};
    bri_block_lu_clear(a->lu);
    bri_add_masses(n, &a->lu->layout);
    for (int k = 0; k < n->blocks; k++) {
        if (a->G[3 * (size_t)n->block[k].first] == 0) continue; /* it leaves */
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
            const double *D = bri_network_D(n, k) + 6 * side;
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

/* Operations of a step. */
static double find_work(const Work *a) {
    return 300. * a->network->rows + 2 * a->lu->layout.factor_work + a->lu->layout.solve_work;
}

/* r by a step. false: the matrix has no factor, or the step would cost more than there is. */
static bool go(Work *a) {
    const BriNetwork *n = a->network;
    if (!bri_can_spend(n->budget, find_work(a))) return false;
    derive(a);
    fill(a);
    bri_spend(n->budget, find_work(a));
    if (!bri_block_lu_factor(a->lu)) return false;
    spread(a);
    bri_block_lu_solve(a->lu, a->push);
    for (int k = 0; k < n->blocks; k++) {
        const BriBlock *block = &n->block[k];
        double du[7] = {0}, held;
        find_change(a, k, du);
        for (int i = 0; i < block->rows; i++) {
            weigh(a, block, i, du, 1, &held);
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
    for (int k = 0; k < n->blocks; k++) a->scale[k] = bri_network_scale(n, k);
    measure(a);
}

BriAnswer bri_solve_network_newton(const BriNetwork *network, BriBlockLu *lu, double tolerance, double eps, int most,
                                   double *r, double *v, double *scratch, BriSolverReport *report) {
    const double AIM = 1e-3;   /* of the tolerance: it goes on while that gains */
    const double LEAST = 1e-7; /* of eps */
    Work a = lay_out(network, lu, scratch);
    a.eps = eps;
    prepare(&a, r, v);
    *report = (BriSolverReport){.solver = "network newton"};
    double least = a.residual, rounding = a.rounding, start = a.merit;
    for (; report->iterations < most && bri_has_budget(network->budget); report->iterations++) {
        double before = a.merit, last = least;
        bool good = least <= BRI_GOOD * bri_solver_goal(tolerance, rounding);
        if (least <= bri_solver_goal(AIM * tolerance, rounding) || !go(&a)) break;
        measure(&a);
        if (a.residual < least) {
            least = a.residual;
            rounding = a.rounding;
            memcpy(r, a.r, (size_t)network->rows * sizeof(double));
        }
        if ((good && !(least < 0.25 * last)) || !(a.merit <= BRI_LOST * start)) break;
        a.eps = bri_next_eps(a.eps, a.merit / before, LEAST);
    }
    /* steps end in the sets but for rounding: nothing may pull or leave its cone */
    for (int k = 0; k < network->blocks; k++) bri_block_project(&network->block[k], r + network->block[k].first);
    bri_network_apply(network, r, v);
    report->certificate = bri_network_judge(network, r, v);
    return report->certificate.residual <= bri_solver_goal(tolerance, rounding) ? BRI_SOLVED : BRI_STOPPED_SHORT;
}
