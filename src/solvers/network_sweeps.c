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

/* A cone or a joint of three rows; or another block, whose numbers stand elsewhere. */
typedef struct Cone {
    double rho;
    union {
        struct {
            double mu;       /* below 0: it holds, whatever that takes */
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

/* A block that is asked. */
typedef struct Place {
    int block, first; /* its number, its first row */
    int node[2];
    bool plain; /* of three rows */
} Place;

typedef struct Work {
    Cone *cone;     /* per block, in the order they are asked */
    Place *place;   /* that is; NULL: one after the other */
    BriStage *wave; /* of places in that order; NULL: one */
    int waves;
    double *others; /* 18 per row of those that are not plain: response and diagonal */
    double *best;   /* rows */
    double *v_free; /* 6 nodes */
    double each;    /* operations of a sweep */
    double dearest; /* operations that the local answers of a sweep may take beside what is paid for it */
    bool wide;      /* the CPU has vectors of four; changes speed, not bits */
} Work;

enum { CONE = sizeof(Cone) / sizeof(double), PLACE = 3, WAVE = 2 }; /* doubles: of five ints, and of three */

static bool is_plain(const BriBlock *block) { return block->set != BRI_SET_BOX && block->rows == 3; }

size_t bri_network_scratch(const BriNetwork *network) {
    size_t rows = (size_t)network->rows, others = network->block ? 0 : rows; /* not known: as many as there may be */
    for (int k = 0; network->block && k < network->blocks; k++)
        if (!is_plain(&network->block[k])) others += (size_t)network->block[k].rows;
    size_t each = CONE + (network->threads > 1 ? PLACE + WAVE : 0);
    return rows + 18 * others + each * (size_t)network->blocks + 6 * (size_t)network->nodes;
}

static Work lay_out(const BriNetwork *network, double *scratch) {
    size_t rows = (size_t)network->rows;
    Work a = {.cone = (Cone *)(void *)scratch, .wide = bri_has_wide_vectors() && !network->narrow};
    a.best = scratch + CONE * (size_t)network->blocks;
    a.v_free = a.best + rows;
    a.others = a.v_free + 6 * (size_t)network->nodes;
    if (network->threads < 2) return a;
    a.place = (Place *)(void *)a.others;
    a.wave = (BriStage *)(void *)(a.others + PLACE * (size_t)network->blocks);
    a.others += (PLACE + WAVE) * (size_t)network->blocks;
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

static Place look_at_block(const BriNetwork *network, int k) {
    const BriBlock *block = &network->block[k];
    const int *node = network->node[k];
    return (Place){k, block->first, {node[0], node[1]}, is_plain(block)};
}

static Place find_place(const BriNetwork *network, const Work *a, int place) {
    return a->place ? a->place[place] : look_at_block(network, place);
}

/* Blocks in the order of waves, and within a wave in their own. One thread takes all in their own order: what it finds
 * in its cache is then what it has just written. */
static void find_waves(const BriNetwork *network, Work *a) {
    if (network->threads < 2) return;
    int *of = (int *)(void *)a->cone, *last = (int *)(void *)a->v_free; /* both not yet in use */
    int waves = number_waves(network, last, of);
    memset(a->wave, 0, (size_t)waves * sizeof *a->wave);
    for (int k = 0; k < network->blocks; k++) a->wave[of[k]].end++;
    for (int i = 0, at = 0; i < waves; i++) {
        int count = a->wave[i].end;
        a->wave[i].begin = a->wave[i].end = at;
        at += count;
    }
    for (int k = 0; k < network->blocks; k++) a->place[a->wave[of[k]].end++] = look_at_block(network, k);
    a->waves = join_small_waves(a->wave, waves);
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
    const BriBlock *block = &network->block[k];
    cone->C = bri_network_C(network, k);
    for (int i = 0; i < 3; i++) bri_network_response(network, k, i, cone->push + 12 * i);
    memcpy(cone->q, network->q + block->first, 3 * sizeof(double));
    bri_network_diagonal(network, k, cone->push, cone->W);
    invert(cone->W, cone->inverse);
    cone->mu = block->set == BRI_SET_FREE ? -1 : block->mu;
}

/* Room for those that are not plain, and what a sweep takes; and its local answers at most: one thread counts that as it
 * goes along. */
static void prepare_others(const BriNetwork *network, Work *a) {
    const double PLAIN = 50, OTHER = 20, ROW = 40; /* operations: a block; another, and each of its rows */
    double *others = a->others;
    a->dearest = a->place ? 0 : __builtin_inf();
    for (int i = 0; i < network->blocks; i++) {
        Place at = find_place(network, a, i);
        const BriBlock *block = &network->block[at.block];
        if (block->set == BRI_SET_CONE) a->dearest += bri_has_moments(block) ? __builtin_inf() : BRI_CONE_SEARCH;
        a->each += at.plain ? PLAIN : OTHER + ROW * block->rows;
        if (at.plain) continue;
        a->cone[i].response = others;
        a->cone[i].diagonal = others += 12 * block->rows;
        others += 6 * block->rows;
    }
}

/* A loop over blocks in the order they are asked. */
typedef struct Pass {
    const BriNetwork *network;
    const Work *work;
    double *r, *v;
    BriBudget spent[BRI_MOST_THREADS];      /* per lane */
    BriCertificate worst[BRI_MOST_THREADS]; /* the same */
} Pass;

static void prepare_blocks(void *loop, const BriShare *share) {
    const Pass *pass = loop;
    const BriNetwork *network = pass->network;
    for (int i = share->begin; i < share->end; i++) {
        Place at = find_place(network, pass->work, i);
        Cone *cone = &pass->work->cone[i];
        int k = at.block, rows = network->block[k].rows;
        cone->rho = bri_network_scale(network, k);
        if (at.plain) {
            pack(network, k, cone);
            continue;
        }
        for (int row = 0; row < rows; row++) bri_network_response(network, k, row, cone->response + 12 * (size_t)row);
        bri_network_diagonal(network, k, cone->response, cone->diagonal);
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

/* r <- its answer, u being what the bodies do with r. Open; stick or joint; slip. */
KERNEL void answer_cone(const Cone *cone, const double *u, BriBudget *budget, const BriBlock *block, double *r) {
    const double *W = cone->W, *I = cone->inverse;
    double b[3], n = r[0] - (I[0] * u[0] + I[1] * u[1] + I[2] * u[2]),
                 x = r[1] - (I[3] * u[0] + I[4] * u[1] + I[5] * u[2]),
                 y = r[2] - (I[6] * u[0] + I[7] * u[1] + I[8] * u[2]);
    bool free = cone->mu < 0;
    for (int i = 0; i < 3; i++) b[i] = u[i] - (W[3 * i] * r[0] + W[3 * i + 1] * r[1] + W[3 * i + 2] * r[2]);
    if (!free && b[0] >= 0) {
        r[0] = r[1] = r[2] = 0;
    } else if (I[0] > 0 && (free || (n >= 0 && x * x + y * y <= cone->mu * cone->mu * n * n))) {
        r[0] = n, r[1] = x, r[2] = y;
    } else {
        bri_block_solve(block, W, 3, b, cone->rho, budget, r);
    }
}

/* Six numbers of each body of a block. */
typedef struct Ends {
    double *a, *b;
    double nowhere[6];
} Ends;

KERNEL void find_ends(const Pass *pass, const Place *at, Ends *ends) {
    const int *node = at->node;
    memset(ends->nowhere, 0, sizeof ends->nowhere);
    ends->a = node[0] >= 0 ? pass->v + 6 * (size_t)node[0] : ends->nowhere;
    ends->b = node[1] >= 0 ? pass->v + 6 * (size_t)node[1] : ends->nowhere;
}

KERNEL void push_cone(bool wide, const Cone *cone, const double *dr, Ends *ends) {
    if (wide) {
        push_wide(cone->push, dr, ends->a);
        push_wide(cone->push + 6, dr, ends->b);
    } else {
        push_narrow(cone->push, dr, ends->a);
        push_narrow(cone->push + 6, dr, ends->b);
    }
}

KERNEL void relax_cone(bool wide, const Pass *pass, const Cone *cone, const Place *at, BriBudget *budget) {
    double u[3], dr[3], *r = pass->r + at->first;
    Ends ends;
    find_ends(pass, at, &ends);
    read_rows(cone, ends.a, ends.b, u);
    memcpy(dr, r, sizeof dr);
    answer_cone(cone, u, budget, &pass->network->block[at->block], r);
    for (int i = 0; i < 3; i++) dr[i] = r[i] - dr[i];
    if (dr[0] == 0 && dr[1] == 0 && dr[2] == 0) return;
    push_cone(wide, cone, dr, &ends);
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
    bri_block_solve(block, W, rows, b, other->rho, budget, own);
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

/* In the order of waves what blocks read lies apart: it is sent for before it is needed. */
KERNEL void send_for(const Pass *pass, int place) {
    enum { LINE = 8 }; /* doubles */
    if (place < 0 || place >= pass->network->blocks) return;
    const Place *at = &pass->work->place[place];
    __builtin_prefetch(pass->r + at->first);
    for (int side = 0; side < 2; side++) {
        const double *v = pass->v + 6 * (size_t)(at->node[side] >= 0 ? at->node[side] : 0);
        __builtin_prefetch(v);
        __builtin_prefetch(v + 5);
    }
    for (int k = 0; at->plain && k < 36; k += LINE) __builtin_prefetch(pass->work->cone[place].C + k);
}

KERNEL void sweep_any(bool wide, Pass *pass, const BriShare *share) {
    enum { AHEAD = 4 }; /* blocks */
    bool apart = pass->work->waves > 1;
    BriBudget *budget = &pass->spent[share->lane];
    for (int i = share->begin; i < share->end; i++) {
        int place = share->backwards ? share->begin + share->end - 1 - i : i;
        const Cone *cone = &pass->work->cone[place];
        Place at = find_place(pass->network, pass->work, place);
        if (apart) send_for(pass, share->backwards ? place - AHEAD : place + AHEAD);
        if (at.plain)
            relax_cone(wide, pass, cone, &at, budget);
        else
            relax(pass, cone, at.block, budget);
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

/* Every block once, so many times; `done`: rounds before. */
static void go_through(Pass *pass, int done, int count, BriWork *work) {
    const Work *a = pass->work;
    BriStage all = {0, pass->network->blocks, true};
    BriStages stages = {a->wave ? a->wave : &all, a->wave ? a->waves : 1, done, count};
    bri_share_stages(pass->network->threads, &stages, work, pass);
}

/* So many sweeps. What local answers cost is counted by those who made them. */
static void sweep(Pass *pass, int done, int count) {
    double spent = 0;
    go_through(pass, done, count, pass->work->wide ? sweep_wide : sweep_narrow);
    for (int i = 0; i < bri_lanes(pass->network->threads); i++) {
        spent += pass->spent[i].spent;
        pass->spent[i].spent = 0;
    }
    bri_spend(pass->network->budget, spent);
}

/* ------------------------------------------------------------------ until it is good enough */

KERNEL void apply_any(bool wide, const Pass *pass, const BriShare *share) {
    enum { AHEAD = 4 }; /* blocks */
    bool apart = pass->work->waves > 1;
    for (int i = share->begin; i < share->end; i++) {
        const Cone *cone = &pass->work->cone[i];
        Place at = find_place(pass->network, pass->work, i);
        Ends ends;
        if (apart) send_for(pass, i + AHEAD);
        if (!at.plain) {
            bri_network_apply_block(pass->network, at.block, pass->r, pass->v);
            continue;
        }
        find_ends(pass, &at, &ends);
        push_cone(wide, cone, pass->r + at.first, &ends);
    }
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void apply_wide(void *loop, const BriShare *share) {
    apply_any(true, loop, share);
}
#else
static void apply_wide(void *loop, const BriShare *share) { apply_any(false, loop, share); }
#endif
static void apply_narrow(void *loop, const BriShare *share) { apply_any(false, loop, share); }

/* The worst residual, per lane. */
static void judge_blocks(void *loop, const BriShare *share) {
    Pass *pass = loop;
    const BriNetwork *network = pass->network;
    BriCertificate worst = pass->worst[share->lane];
    for (int i = share->begin; i < share->end; i++) {
        const Cone *cone = &pass->work->cone[i];
        Place at = find_place(network, pass->work, i);
        const double *r = pass->r + at.first;
        double u[6] = {0};
        Ends ends;
        find_ends(pass, &at, &ends);
        if (at.plain) {
            read_rows(cone, ends.a, ends.b, u);
        } else {
            bri_network_velocity(network, at.block, pass->v, u);
            u[0] += bri_network_compliance(network, at.block) * r[0];
        }
        bri_note_residual(&worst, bri_block_residual(&network->block[at.block], r, u, cone->rho), at.block);
    }
    pass->worst[share->lane] = worst;
}

/* Makes v anew from r. */
static BriCertificate judge(Pass *pass) {
    const BriNetwork *network = pass->network;
    const Work *a = pass->work;
    int lanes = bri_lanes(network->threads);
    memcpy(pass->v, a->v_free, 6 * (size_t)network->nodes * sizeof(double));
    go_through(pass, 0, 1, a->wide ? apply_wide : apply_narrow);
    for (int i = 0; i < lanes; i++) pass->worst[i] = (BriCertificate){0, __builtin_nan(""), -1};
    bri_share(network->threads, network->blocks, judge_blocks, pass);
    for (int i = 1; i < lanes; i++) bri_note_residual(&pass->worst[0], pass->worst[i].residual, pass->worst[i].worst);
    bri_spend(network->budget, a->each);
    return pass->worst[0];
}

/* How many of `wanted` sweeps are paid now: as many as can be paid for sure, whatever their local answers take, so that
 * the budget ends at the same sweep for any number of threads. The caller is asked between those that take some
 * milliseconds. *more: whether any may follow, with its check and the last one. */
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
    find_waves(network, &a);
    prepare_others(network, &a);
    bri_share(network->threads, network->blocks, prepare_blocks, &pass);
    bri_spend(network->budget, PREPARE * a.each);
    memcpy(a.v_free, v, 6 * (size_t)network->nodes * sizeof(double));
    *report = (BriSolverReport){.solver = "network sweeps", .certificate = judge(&pass)};
    memcpy(a.best, r, bytes);
    bool more = true, stands = true;
    for (int next = 1; more && report->iterations < most && !(report->certificate.residual <= tolerance);) {
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
