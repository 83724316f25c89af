/* network_sweeps.c: block Gauss-Seidel on a network (7.6), without W: memory and time per sweep grow with the contacts.
 *
 * The nodes' velocities are kept up to date: a block reads u = C v + q, takes its own part off, is solved exactly and
 * pushes its change back, v += M^-1 D^T dr. Passes alternate forwards and backwards as in sweeps.c. What the updates
 * add in rounding is removed at every check, where v is made anew from v_free and r; so the certificate is of r itself.
 *
 * A block waits for those before it that have a node in common with it, for no others. So several threads ask them in
 * waves: a wave has runs of blocks that wait for runs of earlier waves only. All of them may be asked at once; what they
 * read and write is the same as in the order of blocks, to the bit. Backwards the same waves serve, the last one first.
 *
 * What is read of Coulomb's cones, of which there are many, lies one behind the other in the order they are asked: one
 * thread reads it where it stands, for waves it is copied. Each number is a sum of its own with a fixed order, whatever
 * the vectors' length. */
#include "base/threads.h"
#include "linalg/block_kernels.h"
#include "problem/network.h"
#include "solvers/local.h"

#include <string.h>

enum { CHECK_EVERY = 16 }; /* sweeps, once 1, 2, 4, 8 have passed */

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

/* A block in the order of waves, a cone with all that is read of it: eight cache lines. In another order than that of
 * memory it would take half as long again to fetch them from where they stand. */
typedef struct Place {
    double C[36], q[3], r[3]; /* of a cone; copies */
    Cone cone;
    const double *D; /* C, where they are the same rows */
    int node[2];
    int block, first; /* its number, its first row */
    bool plain;       /* of three rows */
    bool begins;      /* a run; else it goes with the place before it */
} Place;

typedef struct Work {
    Cone *cone;     /* per block, one after the other; or */
    Place *place;   /* in the order of waves; else NULL */
    BriStage *wave; /* of places; NULL: one */
    int waves;
    double *others; /* 18 per row of those that are no cones of three rows: response and diagonal */
    double *best;   /* rows */
    double *v_free; /* 6 nodes */
    double each;    /* operations of a sweep */
    double dearest; /* operations that the local answers of a sweep may take beside what is paid for it */
    bool wide;      /* the CPU has vectors of four; changes speed, not bits */
} Work;

enum { CONE = sizeof(Cone) / sizeof(double), PLACE = sizeof(Place) / sizeof(double), WAVE = 2 }; /* doubles */

static bool is_plain(const BriBlock *block) { return block->set != BRI_SET_BOX && block->rows == 3; }

size_t bri_network_scratch(const BriNetwork *network) {
    size_t rows = (size_t)network->rows, others = network->block ? 0 : rows; /* not known: as many as there may be */
    for (int k = 0; network->block && k < network->blocks; k++)
        if (!is_plain(&network->block[k])) others += (size_t)network->block[k].rows;
    size_t each = network->threads > 1 ? PLACE + WAVE : CONE;
    return rows + 18 * others + each * (size_t)network->blocks + 6 * (size_t)network->nodes;
}

static Work lay_out(const BriNetwork *network, double *scratch) {
    size_t rows = (size_t)network->rows;
    Work a = {.best = scratch, .wide = bri_has_wide_vectors() && !network->narrow};
    a.v_free = a.best + rows;
    double *blocks = a.v_free + 6 * (size_t)network->nodes;
    a.others = blocks + (network->threads > 1 ? PLACE + WAVE : CONE) * (size_t)network->blocks;
    if (network->threads < 2) {
        a.cone = (Cone *)(void *)blocks;
    } else {
        a.place = (Place *)(void *)blocks;
        a.wave = (BriStage *)(void *)(blocks + PLACE * (size_t)network->blocks);
    }
    return a;
}

/* ------------------------------------------------------------------ waves */

/* The end of the run that begins with block k: blocks that follow each other and begin with the same node wait for each
 * other anyway, and a thread that takes them all has the node at hand. */
static int find_run(const BriNetwork *network, int k) {
    enum { LONGEST = 8 }; /* blocks: many on one body are no reason for the others of a wave to wait */
    int end = k + 1;
    while (end < network->blocks && end < k + LONGEST && network->node[end][0] == network->node[k][0]) end++;
    return end;
}

/* One behind the last wave of the nodes of a run, begin .. end - 1, by `last`; which it then is itself. */
static int take_wave(const BriNetwork *network, int begin, int end, int *last) {
    const int *node = network->node[begin], *behind = network->node[end - 1] + 2;
    int wave = 0;
    for (const int *n = node; n < behind; n++)
        if (*n >= 0 && last[*n] > wave) wave = last[*n];
    for (const int *n = node; n < behind; n++)
        if (*n >= 0) last[*n] = wave + 1;
    return wave;
}

/* The wave of each block, into `of`. `last`: per node. Returns their number. */
static int number_waves(const BriNetwork *network, int *last, int *of) {
    int waves = 0;
    memset(last, 0, (size_t)network->nodes * sizeof *last);
    for (int begin = 0, end = 0; begin < network->blocks; begin = end) {
        end = find_run(network, begin);
        int wave = take_wave(network, begin, end, last);
        for (int k = begin; k < end; k++) of[k] = wave;
        if (wave >= waves) waves = wave + 1;
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
    if (network->threads < 2) return;
    int *of = (int *)(void *)a->best, *last = (int *)(void *)a->v_free; /* both not yet in use */
    int waves = number_waves(network, last, of);
    memset(a->wave, 0, (size_t)waves * sizeof *a->wave);
    for (int k = 0; k < network->blocks; k++) a->wave[of[k]].end++;
    for (int i = 0, at = 0; i < waves; i++) {
        int count = a->wave[i].end;
        a->wave[i].begin = a->wave[i].end = at;
        at += count;
    }
    for (int begin = 0, end = 0; begin < network->blocks; begin = end) {
        end = find_run(network, begin);
        for (int k = begin; k < end; k++) {
            Place *place = &a->place[a->wave[of[k]].end++];
            place->block = k;
            place->begins = k == begin;
        }
    }
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
    bri_network_diagonal(network, k, cone->W);
    invert(cone->W, cone->inverse);
}

/* The i-th that is asked. */
static int find_block(const Work *a, int i) { return a->place ? a->place[i].block : i; }
static Cone *find_cone(const Work *a, int i) { return a->place ? &a->place[i].cone : &a->cone[i]; }

/* Room for those that are not plain, and what a sweep takes; and its local answers at most: one thread counts that as it
 * goes along. */
static void prepare_others(const BriNetwork *network, Work *a) {
    const double PLAIN = 50, OTHER = 20, ROW = 40; /* operations: a block; another, and each of its rows */
    double *others = a->others;
    a->dearest = a->place ? 0 : __builtin_inf();
    for (int i = 0; i < network->blocks; i++) {
        const BriBlock *block = &network->block[find_block(a, i)];
        bool plain = is_plain(block);
        Cone *cone = find_cone(a, i);
        if (block->set == BRI_SET_CONE) a->dearest += bri_has_moments(block) ? __builtin_inf() : BRI_CONE_SEARCH;
        a->each += plain ? PLAIN : OTHER + ROW * block->rows;
        if (plain) continue;
        cone->response = others;
        cone->diagonal = others += 12 * block->rows;
        others += 6 * block->rows;
    }
}

/* A loop over blocks in the order they are asked. */
typedef struct Pass {
    const BriNetwork *network;
    const Work *work;
    double *r, *v;
    BriBudget spent[BRI_MOST_THREADS]; /* per lane */
} Pass;

static void fill_place(const BriNetwork *network, const double *r, Place *place) {
    int k = place->block, first = network->block[k].first;
    const double *C = bri_network_C(network, k), *D = bri_network_D(network, k);
    memcpy(place->node, network->node[k], sizeof place->node);
    place->first = first;
    place->plain = is_plain(&network->block[k]);
    if (!place->plain) return;
    memcpy(place->C, C, sizeof place->C);
    memcpy(place->q, network->q + first, sizeof place->q);
    memcpy(place->r, r + first, sizeof place->r);
    place->D = D == C ? place->C : D;
}

static void prepare_blocks(void *loop, const BriShare *share) {
    const Pass *pass = loop;
    const BriNetwork *network = pass->network;
    for (int i = share->begin; i < share->end; i++) {
        Cone *cone = find_cone(pass->work, i);
        int k = find_block(pass->work, i), rows = network->block[k].rows;
        if (pass->work->place) fill_place(network, pass->r, &pass->work->place[i]);
        if (is_plain(&network->block[k])) {
            pack(network, k, cone);
            continue;
        }
        bri_network_diagonal(network, k, cone->diagonal);
        for (int row = 0; row < rows; row++) bri_network_response(network, k, row, cone->response + 12 * (size_t)row);
        cone->diagonal[0] += bri_network_compliance(network, k); /* of rows that yield */
    }
}

/* Of places: the runs that begin in a share. */
static BriShare find_runs(const Pass *pass, const BriShare *share) {
    const Place *place = pass->work->place;
    BriShare runs = *share;
    while (runs.begin < share->end && !place[runs.begin].begins) runs.begin++;
    while (runs.begin < share->end && runs.end < pass->network->blocks && !place[runs.end].begins) runs.end++;
    return runs;
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
    bool free = block->set == BRI_SET_FREE;
    for (int i = 0; i < 3; i++) b[i] = u[i] - (W[3 * i] * r[0] + W[3 * i + 1] * r[1] + W[3 * i + 2] * r[2]);
    if (!free && b[0] >= 0) {
        r[0] = r[1] = r[2] = 0;
    } else if (I[0] > 0 && (free || (n >= 0 && x * x + y * y <= block->mu * block->mu * n * n))) {
        r[0] = n, r[1] = x, r[2] = y;
    } else {
        bri_block_solve(block, W, 3, b, bri_network_scale(pass->network, k), budget, r);
    }
}

/* A cone that is asked. */
typedef struct Asked {
    const double *C, *D, *q;
    const Cone *cone;
    const int *node;
    double *r;
    int block;
} Asked;

KERNEL void relax_cone(bool wide, const Pass *pass, Asked at, BriBudget *budget) {
    const double REST[6] = {0};
    double u[3], dr[3], *v = pass->v;
    const BriNetwork *network = pass->network;
    int n[2] = {at.node[0], at.node[1]};
    const double *a = n[0] >= 0 ? v + 6 * (size_t)n[0] : REST, *b = n[1] >= 0 ? v + 6 * (size_t)n[1] : REST;
    read_rows(at.C, at.q, a, b, u);
    memcpy(dr, at.r, sizeof dr);
    answer_cone(pass, at.cone, u, budget, at.block, at.r);
    for (int i = 0; i < 3; i++) dr[i] = at.r[i] - dr[i];
    if (dr[0] == 0 && dr[1] == 0 && dr[2] == 0) return;
    if (n[0] >= 0) push_body(wide, network, n[0], at.D, dr, v);
    if (n[1] >= 0) push_body(wide, network, n[1], at.D + 6, dr, v);
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

/* All blocks, in their own order. */
KERNEL void sweep_blocks(bool wide, const Pass *pass, bool backwards, BriBudget *budget) {
    const BriNetwork *network = pass->network;
    for (int i = 0; i < network->blocks; i++) {
        int k = backwards ? network->blocks - 1 - i : i;
        const BriBlock *block = &network->block[k];
        const Cone *cone = &pass->work->cone[k];
        if (is_plain(block))
            relax_cone(wide, pass,
                       (Asked){bri_network_C(network, k), bri_network_D(network, k), network->q + block->first, cone,
                               network->node[k], pass->r + block->first, k},
                       budget);
        else
            relax(pass, cone, k, budget);
    }
}

/* In the order of waves bodies lie apart: they are sent for before they are needed. */
KERNEL void send_for(const Pass *pass, const Place *place) {
    for (int side = 0; side < 2; side++) {
        int node = place->node[side] >= 0 ? place->node[side] : 0;
        const double *v = pass->v + 6 * (size_t)node;
        __builtin_prefetch(v);
        __builtin_prefetch(v + 5);
        __builtin_prefetch(pass->network->inverse_inertia + 9 * (size_t)node);
        __builtin_prefetch(pass->network->inverse_inertia + 9 * (size_t)node + 8);
    }
}

KERNEL void sweep_places(bool wide, const Pass *pass, BriShare of, BriBudget *budget) {
    enum { AHEAD = 4 };
    for (int k = of.begin; k < of.end; k++) {
        Place *p = &pass->work->place[of.backwards ? of.begin + of.end - 1 - k : k];
        if (k + AHEAD < of.end) send_for(pass, of.backwards ? p - AHEAD : p + AHEAD);
        if (p->plain)
            relax_cone(wide, pass, (Asked){p->C, p->D, p->q, &p->cone, p->node, p->r, p->block}, budget);
        else
            relax(pass, &p->cone, p->block, budget);
    }
}

KERNEL void sweep_any(bool wide, Pass *pass, const BriShare *share) {
    BriBudget *budget = &pass->spent[share->lane];
    if (pass->work->place)
        sweep_places(wide, pass, find_runs(pass, share), budget);
    else
        sweep_blocks(wide, pass, share->backwards, budget);
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

static void apply_blocks(void *loop, const BriShare *share) {
    const Pass *pass = loop;
    const BriNetwork *network = pass->network;
    if (!pass->work->place) {
        bri_network_apply(network, pass->r, pass->v);
        return;
    }
    BriShare runs = find_runs(pass, share);
    for (int i = runs.begin; i < runs.end; i++) {
        const Place *p = &pass->work->place[i];
        if (p->plain)
            bri_network_push(network, p->node, p->D, 3, pass->r + p->first, pass->v);
        else
            bri_network_apply_block(network, p->block, pass->r, pass->v);
    }
}

static void return_answers(void *loop, const BriShare *share) {
    const Pass *pass = loop;
    for (int i = share->begin; i < share->end; i++) {
        const Place *p = &pass->work->place[i];
        if (p->plain) memcpy(pass->r + p->first, p->r, sizeof p->r);
    }
}

/* Makes v anew from r. */
static BriCertificate judge(Pass *pass) {
    const BriNetwork *network = pass->network;
    memcpy(pass->v, pass->work->v_free, 6 * (size_t)network->nodes * sizeof(double));
    go_through(pass, 0, 1, apply_blocks);
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
        if (a.place) bri_share(network->threads, network->blocks, return_answers, &pass);
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
