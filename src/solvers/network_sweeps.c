/* network_sweeps.c: block Gauss-Seidel on a network (7.6), without W: memory and time per sweep grow with the contacts.
 *
 * The nodes' velocities are kept up to date: a block reads u = C v + q, takes its own part off, is solved exactly and
 * pushes its change back, v += M^-1 D^T dr. Passes alternate forwards and backwards as in sweeps.c. What the updates
 * add in rounding is removed at every check, where v is made anew from v_free and r; so the certificate is of r itself.
 *
 * A block waits for those before it that have a node in common with it, for no others. So blocks are asked in waves: a
 * wave has those that wait for blocks of earlier waves only. All its blocks may be asked at once, by several threads or,
 * as none waits for the one beside it, within one; what they read and write is the same as in the order of blocks, to
 * the bit. Backwards the same waves serve, the last one first.
 *
 * Coulomb's cones, of which there are many, lie packed one behind the other in the order they are asked. Each number is
 * a sum of its own with a fixed order, whatever the vectors' length. */
#include "base/threads.h"
#include "linalg/block_kernels.h"
#include "problem/network.h"
#include "solvers/local.h"

#include <string.h>

enum { CHECK_EVERY = 16 }; /* sweeps, once 1, 2, 4, 8 have passed */

/* A cone of three rows, or where another block is. */
typedef struct Cone {
    int block, first; /* its number, its first row */
    int node[2];
    bool plain;      /* a cone of three rows; of others only rho is filled */
    double C[48];    /* twelve columns of three rows, and a row of zeros */
    double push[36]; /* M^-1 D^T: three rows, two bodies each */
    double q[4];
    double W[9], inverse[9]; /* its own part of W; zeros: it has no inverse */
    double mu, rho;
} Cone;

typedef struct Work {
    Cone *cone;     /* per block, in the order they are asked */
    int *order;     /* that is */
    BriStage *wave; /* of places in that order */
    int waves;
    double *response; /* rows x 12: M^-1 D^T, of other blocks */
    double *diagonal; /* 6 per row, block by block: their part of W without gaps */
    double *best;     /* rows */
    double *v_free;   /* 6 nodes */
    bool wide;        /* the CPU has vectors of four; changes speed, not bits */
} Work;

enum { CONE = sizeof(Cone) / sizeof(double), WAVE = 2 }; /* doubles; a wave has three ints */

size_t bri_network_scratch(const BriNetwork *network) {
    size_t rows = (size_t)network->rows;
    return 19 * rows + (CONE + WAVE + 1) * (size_t)network->blocks + 6 * (size_t)network->nodes;
}

static Work lay_out(const BriNetwork *network, double *scratch) {
    size_t rows = (size_t)network->rows;
    Work a = {.cone = (Cone *)(void *)scratch, .wide = bri_has_wide_vectors() && !network->narrow};
    a.response = scratch + CONE * (size_t)network->blocks;
    a.diagonal = a.response + 12 * rows;
    a.best = a.diagonal + 6 * rows;
    a.v_free = a.best + rows;
    a.wave = (BriStage *)(void *)(a.v_free + 6 * (size_t)network->nodes);
    a.order = (int *)(void *)((double *)(void *)a.wave + WAVE * (size_t)network->blocks);
    return a;
}

/* ------------------------------------------------------------------ waves */

/* The wave of each block, into `of`, one behind the last of its nodes' waves. `last`: per node. Returns their number. */
static int number_waves(const BriNetwork *network, int *last, int *of) {
    int waves = 0;
    memset(last, 0, (size_t)network->nodes * sizeof *last);
    for (int k = 0; k < network->blocks; k++) {
        const int *node = network->node[k];
        int wave = node[0] >= 0 ? last[node[0]] : 0;
        if (node[1] >= 0 && last[node[1]] > wave) wave = last[node[1]];
        of[k] = wave++;
        for (int side = 0; side < 2; side++)
            if (node[side] >= 0) last[node[side]] = wave;
        if (wave > waves) waves = wave;
    }
    return waves;
}

/* Waves that are too small to be shared are one stage with their neighbours, for one thread. */
static int join_small_waves(BriStage *wave, int waves) {
    int stages = 0;
    for (int k = 0; k < waves; k++) {
        BriStage now = wave[k];
        now.alone = now.end - now.begin < 2 * BRI_STAGE_SHARE;
        if (now.alone && stages > 0 && wave[stages - 1].alone)
            wave[stages - 1].end = now.end;
        else
            wave[stages++] = now;
    }
    return stages;
}

/* Blocks in the order of waves, and within a wave in their own. One thread takes all in their own order: what it finds
 * in its cache is then what it has just written. */
static void find_waves(const BriNetwork *network, Work *a) {
    if (network->threads < 2) {
        for (int k = 0; k < network->blocks; k++) a->order[k] = k;
        if (network->blocks > 0) a->wave[a->waves++] = (BriStage){0, network->blocks, true};
        return;
    }
    int *of = (int *)(void *)a->cone, *last = (int *)(void *)a->v_free; /* both not yet in use */
    int waves = number_waves(network, last, of);
    memset(a->wave, 0, (size_t)waves * sizeof *a->wave);
    for (int k = 0; k < network->blocks; k++) a->wave[of[k]].end++;
    for (int i = 0, at = 0; i < waves; i++) {
        int count = a->wave[i].end;
        a->wave[i].begin = a->wave[i].end = at;
        at += count;
    }
    for (int k = 0; k < network->blocks; k++) a->order[a->wave[of[k]].end++] = k;
    a->waves = join_small_waves(a->wave, waves);
}

/* ------------------------------------------------------------------ blocks */

static bool is_plain(const BriBlock *block) { return block->set == BRI_SET_CONE && block->rows == 3; }

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

static void pack(const BriNetwork *network, const Work *a, int k, Cone *cone) {
    const BriBlock *block = &network->block[k];
    const double *C = network->C + 12 * (size_t)block->first, *response = a->response + 12 * (size_t)block->first;
    const double *W = a->diagonal + 6 * (size_t)block->first;
    for (int j = 0; j < 12; j++) {
        for (int i = 0; i < 3; i++) cone->C[4 * j + i] = C[12 * i + j];
        cone->C[4 * j + 3] = 0;
    }
    memcpy(cone->push, response, sizeof cone->push);
    memcpy(cone->q, network->q + block->first, 3 * sizeof(double));
    cone->q[3] = 0;
    memcpy(cone->W, W, sizeof cone->W);
    invert(W, cone->inverse);
    cone->mu = block->mu;
}

/* A loop over blocks in the order of waves. */
typedef struct Pass {
    const BriNetwork *network;
    const Work *work;
    double *r, *v;
    BriBudget spent[BRI_MOST_THREADS]; /* per lane */
} Pass;

static void prepare_blocks(void *loop, const BriShare *share) {
    const Pass *pass = loop;
    const BriNetwork *network = pass->network;
    const Work *a = pass->work;
    for (int i = share->begin; i < share->end; i++) {
        int k = a->order[i];
        const BriBlock *block = &network->block[k];
        double *W = a->diagonal + 6 * (size_t)block->first;
        bri_network_diagonal(network, k, W);
        for (int row = block->first; row < block->first + block->rows; row++)
            bri_network_response(network, k, row, a->response + 12 * (size_t)row);
        Cone *cone = &a->cone[i];
        cone->block = k;
        cone->first = block->first;
        memcpy(cone->node, network->node[k], sizeof cone->node);
        cone->plain = is_plain(block);
        cone->rho = bri_network_scale(network, k);
        W[0] += bri_network_compliance(network, k); /* of rows that yield */
        if (cone->plain) pack(network, a, k, cone);
    }
}

/* ------------------------------------------------------------------ Coulomb's cones */

/* u = C v + q; va and vb: six numbers of each body. */
KERNEL void read_wide(const Cone *cone, const double *va, const double *vb, double u[4]) {
    Four s = LOAD(cone->q), t = {0, 0, 0, 0};
    for (int j = 0; j < 6; j++) {
        s += LOAD(cone->C + 4 * j) * SPREAD(va[j]);
        t += LOAD(cone->C + 24 + 4 * j) * SPREAD(vb[j]);
    }
    *(Four *)u = s + t;
}

KERNEL void read_narrow(const Cone *cone, const double *va, const double *vb, double u[4]) {
    for (int half = 0; half < 2; half++) {
        const double *C = cone->C + 2 * half;
        Two s = *(const Two *)(cone->q + 2 * half), t = {0, 0};
        for (int j = 0; j < 6; j++) {
            s += *(const Two *)(C + 4 * j) * va[j];
            t += *(const Two *)(C + 24 + 4 * j) * vb[j];
        }
        *(Two *)(u + 2 * half) = s + t;
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
KERNEL void answer_cone(const Cone *cone, const double *u, BriBudget *budget, double *r) {
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
        BriBlock block = {.set = BRI_SET_CONE, .rows = 3, .mu = cone->mu}; /* at hand, unlike the network's own */
        bri_block_solve(&block, W, 3, b, cone->rho, budget, r);
    }
}

KERNEL void relax_cone(bool wide, const Cone *cone, BriBudget *budget, double *r, double *v) {
    const double REST[6] = {0};
    double nowhere[6] = {0}, u[4], dr[3];
    const int *node = cone->node;
    double *a = node[0] >= 0 ? v + 6 * (size_t)node[0] : nowhere, *b = node[1] >= 0 ? v + 6 * (size_t)node[1] : nowhere;
    const double *va = node[0] >= 0 ? a : REST, *vb = node[1] >= 0 ? b : REST;
    r += cone->first;
    if (wide)
        read_wide(cone, va, vb, u);
    else
        read_narrow(cone, va, vb, u);
    memcpy(dr, r, sizeof dr);
    answer_cone(cone, u, budget, r);
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

static void relax(const BriNetwork *network, const Work *a, int k, double rho, BriBudget *budget, double *r,
                  double *v) {
    const BriBlock *block = &network->block[k];
    const double *W = a->diagonal + 6 * (size_t)block->first;
    double b[6], before[6], *own = r + block->first;
    int rows = block->rows;
    bri_network_velocity(network, k, v, b);
    for (int i = 0; i < rows; i++) {
        before[i] = own[i];
        for (int j = 0; j < rows; j++) b[i] -= W[i * rows + j] * own[j];
    }
    b[0] += bri_network_compliance(network, k) * own[0]; /* which is no velocity of bodies */
    bri_block_solve(block, W, rows, b, rho, budget, own);
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

/* In the order of waves what blocks read lies apart: it is sent for before it is needed. */
KERNEL void send_for(const Pass *pass, int place) {
    if (place < 0 || place >= pass->network->blocks) return;
    const Cone *cone = &pass->work->cone[place];
    __builtin_prefetch(pass->r + cone->first);
    for (int side = 0; side < 2; side++) {
        const double *v = pass->v + 6 * (size_t)(cone->node[side] >= 0 ? cone->node[side] : 0);
        __builtin_prefetch(v);
        __builtin_prefetch(v + 5);
    }
}

KERNEL void sweep_any(bool wide, Pass *pass, const BriShare *share) {
    enum { AHEAD = 4 }; /* blocks */
    bool apart = pass->work->waves > 1;
    BriBudget *budget = &pass->spent[share->lane];
    for (int i = share->begin; i < share->end; i++) {
        int place = share->backwards ? share->begin + share->end - 1 - i : i;
        const Cone *cone = &pass->work->cone[place];
        if (apart) send_for(pass, share->backwards ? place - AHEAD : place + AHEAD);
        if (cone->plain)
            relax_cone(wide, cone, budget, pass->r, pass->v);
        else
            relax(pass->network, pass->work, cone->block, cone->rho, budget, pass->r, pass->v);
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

/* Every block once, so many times; `done`: sweeps before. What local answers cost is counted by those who made them. */
static void sweep(Pass *pass, int done, int count) {
    const Work *a = pass->work;
    BriStages stages = {a->wave, a->waves, done, count};
    double spent = 0;
    bri_share_stages(pass->network->threads, &stages, a->wide ? sweep_wide : sweep_narrow, pass);
    for (int i = 0; i < BRI_MOST_THREADS; i++) {
        spent += pass->spent[i].spent;
        pass->spent[i].spent = 0;
    }
    bri_spend(pass->network->budget, spent);
}

/* ------------------------------------------------------------------ until it is good enough */

static void apply_blocks(void *loop, const BriShare *share) {
    enum { AHEAD = 6, LINE = 8 }; /* blocks; doubles */
    const Pass *pass = loop;
    const BriNetwork *network = pass->network;
    const int *order = pass->work->order;
    for (int i = share->begin; i < share->end; i++) {
        if (i + AHEAD < network->blocks) {
            const BriBlock *next = &network->block[order[i + AHEAD]];
            const double *D = network->D + 12 * (size_t)next->first;
            for (int k = 0; k < 12 * next->rows; k += LINE) __builtin_prefetch(D + k);
        }
        if (i + 2 * AHEAD < network->blocks) __builtin_prefetch(&network->block[order[i + 2 * AHEAD]]);
        bri_network_apply_block(network, order[i], pass->r, pass->v);
    }
}

static BriCertificate judge(Pass *pass) {
    const BriNetwork *network = pass->network;
    const Work *a = pass->work;
    BriStages once = {a->wave, a->waves, 0, 1};
    memcpy(pass->v, a->v_free, 6 * (size_t)network->nodes * sizeof(double));
    bri_share_stages(network->threads, &once, apply_blocks, pass);
    return bri_network_judge(network, pass->r, pass->v);
}

/* How many of `wanted` sweeps there is a budget for; the caller is asked, and so are those that take some milliseconds.
 * The last one that was begun is finished. *more: whether any may follow. */
static int buy_sweeps(const BriNetwork *network, int wanted, bool *more) {
    const double SOME = 5e7; /* operations, of which a sweep counts more than it makes */
    double each = 60. * network->rows + 200. * network->blocks;
    int bought = 0;
    while (bought < wanted && *more && (bought == 0 || (bought + 1) * each <= SOME)) {
        *more = bri_spend(network->budget, each);
        bought++;
    }
    return bought;
}

BriAnswer bri_solve_network(const BriNetwork *network, double tolerance, int most, double *r, double *v,
                            double *scratch, BriSolverReport *report) {
    size_t bytes = (size_t)network->rows * sizeof(double);
    Work a = lay_out(network, scratch);
    Pass pass = {.network = network, .work = &a, .r = r, .v = v};
    for (int i = 0; i < BRI_MOST_THREADS; i++) pass.spent[i].most = pass.spent[i].next_look = __builtin_inf();
    find_waves(network, &a);
    bri_share(network->threads, network->blocks, prepare_blocks, &pass);
    memcpy(a.v_free, v, 6 * (size_t)network->nodes * sizeof(double));
    *report = (BriSolverReport){.solver = "network sweeps", .certificate = judge(&pass)};
    memcpy(a.best, r, bytes);
    bool more = true;
    for (int next = 1; more && report->iterations < most && !(report->certificate.residual <= tolerance);) {
        int until = next < most ? next : most, count = buy_sweeps(network, until - report->iterations, &more);
        sweep(&pass, report->iterations, count);
        report->iterations += count;
        if (report->iterations < until && more) continue;
        next += next < CHECK_EVERY ? next : CHECK_EVERY;
        BriCertificate now = judge(&pass);
        if (!(now.residual < report->certificate.residual)) continue;
        report->certificate = now;
        memcpy(a.best, r, bytes);
    }
    memcpy(r, a.best, bytes);
    report->certificate = judge(&pass);
    return report->certificate.residual <= tolerance ? BRI_SOLVED : BRI_STOPPED_SHORT;
}
