/* network_sweeps.c: block Gauss-Seidel on a network (7.6), without W: memory and time per sweep grow with the contacts.
 *
 * The nodes' velocities are kept up to date: a block reads u = C v + q, takes its own part off, is solved exactly and
 * pushes its change back, v += M^-1 D^T dr. Passes alternate forwards and backwards as in sweeps.c. What the updates
 * add in rounding is removed at every check, where v is made anew from v_free and r; so the certificate is of r itself.
 *
 * Several threads take bundles of blocks that share no body with each other (problem/bundles.h), stage after stage;
 * one takes the same blocks in the same order, so that the bits are the same. The stages keep their order when blocks are
 * asked backwards: those between parts would else come twice in a row, of which the second time gains nothing.
 *
 * Each number is a sum of its own with a fixed order, whatever the vectors' length. */
#include "base/threads.h"
#include "linalg/block_kernels.h"
#include "problem/network.h"
#include "solvers/local.h"

#include <string.h>

enum { FIRST_CHECK = 8, CHECK_EVERY = 16 }; /* sweeps: a certificate has the instructions of four */

/* What is kept of a cone of three rows; or of another block, whose numbers stand elsewhere. Rows and q are read in
 * place, and M^-1 of the rows is found when a change is pushed back: fetching it would take longer. */
typedef union Cone {
    struct {
        double W[9], inverse[9]; /* its own part of W; zeros: it has no inverse */
    };
    struct {
        double *response; /* 12 per row: M^-1 D^T */
        double *diagonal; /* its part of W without gaps */
    };
} Cone;

typedef struct Work {
    Cone *cone;     /* per block */
    double *others; /* response and diagonal of those that are no cones of three rows */
    double *best;   /* rows */
    double *v_free; /* 6 nodes */
    double each;    /* operations of a sweep */
    double dearest; /* operations that the local answers of a sweep may take beside what is paid for it */
    bool wide;      /* the CPU has vectors of four; changes speed, not bits */
} Work;

enum { CONE = sizeof(Cone) / sizeof(double) }; /* doubles */

static bool is_plain(const BriBlock *block) { return block->set != BRI_SET_BOX && block->rows == 3; }

/* Of another block's response and diagonal: at most 18 per row. */
static size_t count_numbers(const BriBlock *block) { return (size_t)block->rows * (12 + (size_t)block->rows); }

size_t bri_network_scratch(const BriNetwork *network) {
    size_t rows = (size_t)network->rows,
           others = network->block ? 0 : 18 * rows; /* not known: as many as there may be */
    for (int k = 0; network->block && k < network->blocks; k++)
        if (!is_plain(&network->block[k])) others += count_numbers(&network->block[k]);
    return rows + others + CONE * (size_t)network->blocks + 6 * (size_t)network->nodes;
}

static Work lay_out(const BriNetwork *network, double *scratch) {
    Work a = {.best = scratch, .wide = bri_has_wide_vectors() && !network->narrow};
    a.v_free = a.best + network->rows;
    a.cone = (Cone *)(void *)(a.v_free + 6 * (size_t)network->nodes);
    a.others = (double *)(void *)(a.cone + network->blocks);
    return a;
}

/* ------------------------------------------------------------------ blocks */

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
    bri_network_diagonal(network, k, cone->W);
    invert(cone->W, cone->inverse);
}

/* Room for those that are not plain, and what a sweep takes; and its local answers at most: one thread counts that as it
 * goes along. */
static void prepare_others(const BriNetwork *network, Work *a) {
    const double PLAIN = 50, OTHER = 8, ROW = 12, PAIR = 6; /* operations: a block; another, its rows, two of them */
    double *others = a->others;
    a->dearest = network->threads > 1 ? 0 : __builtin_inf();
    for (int k = 0; k < network->blocks; k++) {
        const BriBlock *block = &network->block[k];
        bool plain = is_plain(block);
        Cone *cone = &a->cone[k];
        if (block->set == BRI_SET_CONE) a->dearest += bri_is_plain_cone(block) ? BRI_CONE_SEARCH : __builtin_inf();
        a->each += plain ? PLAIN : OTHER + ROW * block->rows + PAIR * block->rows * block->rows;
        if (plain) continue;
        cone->response = others;
        cone->diagonal = others + 12 * block->rows;
        others += count_numbers(block);
    }
}

/* A loop over blocks. */
typedef struct Pass {
    const BriNetwork *network;
    const Work *work;
    double *r, *v;
    BriBudget spent[BRI_MOST_THREADS]; /* per lane */
} Pass;

static void prepare_blocks(void *loop, const BriShare *share) {
    const Pass *pass = loop;
    const BriNetwork *network = pass->network;
    for (int k = share->begin; k < share->end; k++) {
        Cone *cone = &pass->work->cone[k];
        int rows = network->block[k].rows;
        if (is_plain(&network->block[k])) {
            pack(network, k, cone);
            continue;
        }
        for (int row = 0; row < rows; row++) bri_network_response(network, k, row, cone->response + 12 * (size_t)row);
        bri_network_couple(network, k, cone->response, cone->diagonal);
        cone->diagonal[0] += bri_network_compliance(network, k); /* of rows that yield */
    }
}

/* ------------------------------------------------------------------ Coulomb's cones */

/* u = C v + q; va and vb: six numbers of each body. Six sums side by side are as long as vectors of four would be. */
KERNEL void read_rows(const double *C, const double *q, const double *va, const double *vb, double u[3]) {
    for (int i = 0; i < 3; i++, C += 12) {
        double s = q[i], t = 0;
        for (int j = 0; j < 6; j++) {
            s += C[j] * va[j];
            t += C[6 + j] * vb[j];
        }
        u[i] = s + t;
    }
}

/* v += M^-1 D^T dr of one body; D: its half of the first row, I: its inverse inertia, whose rows are its columns. */
KERNEL void push_wide(double mass, const double *I, const double *D, const double *dr, double *v) {
    Four column[3] = {LOAD(I), LOAD(I + 3), LOAD(I + 5)}, way[3], turn[3];
    column[2] = __builtin_shufflevector(column[2], column[2], 1, 2, 3, 3);
    for (int i = 0; i < 3; i++, D += 12) {
        way[i] = SPREAD(mass) * LOAD(D) * SPREAD(dr[i]);
        turn[i] = (column[0] * SPREAD(D[3]) + column[1] * SPREAD(D[4]) + column[2] * SPREAD(D[5])) * SPREAD(dr[i]);
    }
    Four ways = way[0] + way[1] + way[2], turns = turn[0] + turn[1] + turn[2];
    *(Four *)v += __builtin_shufflevector(ways, turns, 0, 1, 2, 4);
    *(Two *)(v + 4) += __builtin_shufflevector(turns, turns, 1, 2);
}

KERNEL void push_narrow(double mass, const double *I, const double *D, const double *dr, double *v) {
    for (int i = 0; i < 3; i++, I += 3) {
        double way[3], turn[3];
        for (int k = 0; k < 3; k++) {
            const double *d = D + 12 * k;
            way[k] = mass * d[i] * dr[k];
            turn[k] = (I[0] * d[3] + I[1] * d[4] + I[2] * d[5]) * dr[k];
        }
        v[i] += way[0] + way[1] + way[2];
        v[3 + i] += turn[0] + turn[1] + turn[2];
    }
}

KERNEL void push_body(bool wide, const BriNetwork *network, int node, const double *D, const double *dr, double *v) {
    double mass = network->inverse_mass[node];
    const double *I = network->inverse_inertia + 9 * (size_t)node;
    if (wide)
        push_wide(mass, I, D, dr, v + 6 * (size_t)node);
    else
        push_narrow(mass, I, D, dr, v + 6 * (size_t)node);
}

/* r <- its answer, u being what the bodies do with r. Open; stick, or a joint, which holds whatever that takes; slip. */
KERNEL void answer_cone(const Pass *pass, const Cone *cone, const double *u, BriBudget *budget, int k, double *r) {
    const BriBlock *block = &pass->network->block[k];
    const double *W = cone->W, *I = cone->inverse;
    double b[3], n = r[0] - (I[0] * u[0] + I[1] * u[1] + I[2] * u[2]),
                 x = r[1] - (I[3] * u[0] + I[4] * u[1] + I[5] * u[2]),
                 y = r[2] - (I[6] * u[0] + I[7] * u[1] + I[8] * u[2]);
    bool free = block->set == BRI_SET_FREE, sticks = !(block->creep > 0) && n >= 0;
    for (int i = 0; i < 3; i++) b[i] = u[i] - (W[3 * i] * r[0] + W[3 * i + 1] * r[1] + W[3 * i + 2] * r[2]);
    if (!free && b[0] >= 0) {
        r[0] = r[1] = r[2] = 0;
    } else if (I[0] > 0 && (free || (sticks && x * x + y * y <= block->mu * block->mu * n * n))) {
        r[0] = n, r[1] = x, r[2] = y;
    } else {
        bri_block_solve(block, W, 3, b, bri_network_scale(pass->network, k), budget, r);
    }
}

KERNEL void relax_cone(bool wide, const Pass *pass, const Cone *cone, int k, BriBudget *budget) {
    const double REST[6] = {0};
    const BriNetwork *network = pass->network;
    const double *C = bri_network_C(network, k), *D = bri_network_D(network, k);
    int first = network->block[k].first, n[2] = {network->node[k][0], network->node[k][1]};
    double u[3], dr[3], *v = pass->v, *r = pass->r + first;
    const double *a = n[0] >= 0 ? v + 6 * (size_t)n[0] : REST, *b = n[1] >= 0 ? v + 6 * (size_t)n[1] : REST;
    read_rows(C, network->q + first, a, b, u);
    memcpy(dr, r, sizeof dr);
    answer_cone(pass, cone, u, budget, k, r);
    for (int i = 0; i < 3; i++) dr[i] = r[i] - dr[i];
    if (dr[0] == 0 && dr[1] == 0 && dr[2] == 0) return;
    if (n[0] >= 0) push_body(wide, network, n[0], D, dr, v);
    if (n[1] >= 0) push_body(wide, network, n[1], D + 6, dr, v);
}

/* ------------------------------------------------------------------ other blocks */

static void relax(const Pass *pass, const Cone *other, int k, BriBudget *budget) {
    const BriNetwork *network = pass->network;
    const BriBlock *block = &network->block[k];
    const double *W = other->diagonal;
    double b[6], before[6], *own = pass->r + block->first, *v = pass->v;
    int rows = block->rows;
    bri_network_velocity(network, k, v, b);
    for (int i = 0; i < rows; i++) {
        before[i] = own[i];
        for (int j = 0; j < rows; j++) b[i] -= W[i * rows + j] * own[j];
    }
    b[0] += bri_network_compliance(network, k) * own[0]; /* which is no velocity of bodies */
    bri_block_solve(block, W, rows, b, bri_network_scale(network, k), budget, own);
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

/* Rows of blocks that follow each other in a bundle mostly stand apart: they are sent for before they are needed. */
KERNEL void send_for(const BriNetwork *network, int k) {
    const double *C = bri_network_C(network, k);
    for (int i = 0; i < 36; i += 8) __builtin_prefetch(C + i);
}

/* The blocks of some bundles. */
KERNEL void sweep_any(bool wide, Pass *pass, const BriShare *share) {
    enum { AHEAD = 4 };
    const BriNetwork *network = pass->network;
    const int all[2] = {0, network->blocks}, *bundle = network->bundles ? network->bundles->begin : all;
    int begin = bundle[share->begin], end = bundle[share->end];
    BriBudget *budget = &pass->spent[share->lane];
    for (int i = begin; i < end; i++) {
        int k = share->backwards ? begin + end - 1 - i : i;
        const Cone *cone = &pass->work->cone[k];
        if (i + AHEAD < end) send_for(network, share->backwards ? k - AHEAD : k + AHEAD);
        if (is_plain(&network->block[k]))
            relax_cone(wide, pass, cone, k, budget);
        else
            relax(pass, cone, k, budget);
    }
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void sweep_wide(void *loop, const BriShare *share) {
    sweep_any(true, loop, share);
}
#else
static void sweep_wide(void *loop, const BriShare *share) { sweep_any(false, loop, share); }
#endif
static void sweep_narrow(void *loop, const BriShare *share) { sweep_any(false, loop, share); }

/* So many sweeps. What local answers cost is counted by those who made them. */
static void sweep(Pass *pass, int done, int count) {
    const BriNetwork *n = pass->network;
    const BriStage all = {0, 1};
    double spent = 0;
    BriStages stages = {n->bundles ? n->bundles->stage : &all, n->bundles ? n->bundles->stages : 1, done, count};
    bri_share_stages(n->threads, &stages, pass->work->wide ? sweep_wide : sweep_narrow, pass);
    for (int i = 0; i < bri_lanes(pass->network->threads); i++) {
        spent += pass->spent[i].spent;
        pass->spent[i].spent = 0;
    }
    bri_spend(pass->network->budget, spent);
}

/* ------------------------------------------------------------------ until it is good enough */

/* Makes v anew from r. */
static BriCertificate judge(Pass *pass) {
    const BriNetwork *network = pass->network;
    memcpy(pass->v, pass->work->v_free, 6 * (size_t)network->nodes * sizeof(double));
    bri_network_apply(network, pass->r, pass->v);
    bri_spend(network->budget, pass->work->each); /* as a sweep */
    return bri_network_judge(network, pass->r, pass->v);
}

/* How many of `wanted` sweeps are paid now: as many as can be paid for sure, whatever their local answers take, so that
 * the budget ends at the same sweep for any number of threads. The caller is asked between those that take some
 * milliseconds. *more: whether one may follow, with its check. */
static int buy_sweeps(const BriNetwork *network, double each, double dearest, int wanted, bool *more) {
    const double SOME = 5e6; /* operations */
    int bought = 1;
    bri_spend(network->budget, each);
    while (bought < wanted && (bought + 1) * each <= SOME &&
           bri_can_spend(network->budget, 3 * each + bought * dearest)) {
        bri_spend(network->budget, each);
        bought++;
    }
    *more = bri_can_spend(network->budget, 3 * each);
    return bought;
}

BriAnswer bri_solve_network(const BriNetwork *network, double tolerance, int most, double *r, double *v,
                            double *scratch, BriSolverReport *report) {
    const double PREPARE = 2; /* sweeps */
    size_t bytes = (size_t)network->rows * sizeof(double);
    Work a = lay_out(network, scratch);
    Pass pass = {.network = network, .work = &a, .r = r, .v = v};
    for (int i = 0; i < bri_lanes(network->threads); i++)
        pass.spent[i].most = pass.spent[i].next_look = __builtin_inf();
    prepare_others(network, &a);
    bri_share(network->threads, network->blocks, prepare_blocks, &pass);
    bri_spend(network->budget, PREPARE * a.each);
    memcpy(a.v_free, v, 6 * (size_t)network->nodes * sizeof(double));
    *report = (BriSolverReport){.solver = "network sweeps", .certificate = judge(&pass)};
    memcpy(a.best, r, bytes);
    bool more = true, stands = true;
    /* across joints sweeps gain and lose by turns, so that the best is to be had between */
    int first = bri_network_has_joints(network) ? 1 : FIRST_CHECK;
    for (int next = first; more && report->iterations < most && !(report->certificate.residual <= tolerance);) {
        int until = next < most ? next : most;
        int count = buy_sweeps(network, a.each, a.dearest, until - report->iterations, &more);
        sweep(&pass, report->iterations, count);
        report->iterations += count;
        stands = false;
        if (report->iterations < until && more) continue;
        next += next < CHECK_EVERY ? next : CHECK_EVERY;
        BriCertificate now = judge(&pass);
        stands = bri_sweeps_stand(network, now.residual, report->certificate.residual);
        if (!stands) continue;
        report->certificate = now;
        memcpy(a.best, r, bytes);
    }
    if (!stands) {
        memcpy(r, a.best, bytes);
        report->certificate = judge(&pass);
    }
    return report->certificate.residual <= tolerance ? BRI_SOLVED : BRI_STOPPED_SHORT;
}
