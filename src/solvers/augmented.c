/* augmented.c: the contact problem of a network (7.6) by augmented Lagrangians, Newton's method inside.
 *
 *     v(r) = argmin 1/2 |v - v_free|_M^2 + sum_k |P_k(r_k - rho_k u~_k(v))|^2 / (2 rho_k),   r <- P(r - rho u~(v))       (7.31)
 *
 * u~ = D v + q + s; s = (C - D) v + sum mu_i |u_i| e_N: conditions that stand at another pose than the pushes, and the cone's
 * slip, both of the step before. With s fixed the inner problem is convex, of six unknowns a body: slope
 * M (v - v_free) - D^T P(y), matrix H = M + sum rho D^T P'(y) D, which holds joints (free blocks) and contacts alike and
 * is factored on the graph of who touches whom. A step along Newton's direction goes to where the slope along it has
 * vanished. What a pile carries statically, however often over, costs few passes: r moves along all of it at once, where
 * sweeps pass it on from neighbour to neighbour. Slips are only followed from pass to pass: what slides is for
 * network_newton.c. */
#include "linalg/block_cholesky.h"
#include "math/vec.h"
#include "solvers/masses.h"

#include <string.h>

/* P(y) is 0 or at a bound; y itself; on the cone's edge. */
typedef enum Stand { AWAY, HELD, EDGE } Stand;

typedef struct Work {
    const BriNetwork *network;
    BriCholesky *factor;
    double firmness;                       /* rho of a block over that of (7.2) */
    double slack;                          /* m/s: rates that are none; in the first step */
    double *scale;                         /* per block: rho of (7.2) */
    double *r, *u, *p, *du;                /* rows: last pass, D v + q, P(y), D of the step */
    double *lag;                           /* rows, m/s: s */
    double *derivative;                    /* 6 per row, rows x rows each block: P'(y) of those on the edge */
    Stand *stand, *factored;               /* per block; and as H was factored last */
    double *v, *v_free, *slope, *step, *x; /* 6 per node; x: scratch */
    double factored_firmness;              /* 0: no factor */
} Work;

size_t bri_augmented_scratch(const BriNetwork *network) {
    size_t rows = (size_t)network->rows, blocks = (size_t)network->blocks;
    return 11 * rows + 3 * blocks + 30 * (size_t)network->nodes;
}

static Work lay_out(const BriNetwork *network, BriCholesky *factor, double *scratch) {
    size_t rows = (size_t)network->rows, blocks = (size_t)network->blocks, six = 6 * (size_t)network->nodes;
    Work a = {.network = network, .factor = factor, .scale = scratch};
    a.r = a.scale + blocks;
    a.u = a.r + rows;
    a.p = a.u + rows;
    a.du = a.p + rows;
    a.lag = a.du + rows;
    a.derivative = a.lag + rows;
    a.v = a.derivative + 6 * rows;
    a.v_free = a.v + six;
    a.slope = a.v_free + six;
    a.step = a.slope + six;
    a.x = a.step + six;
    a.stand = (Stand *)(void *)(a.x + six);
    a.factored = a.stand + blocks;
    return a;
}

/* ------------------------------------------------------------------ one block */

/* P'(y) on the edge of a cone: along the edge and across it; t: unit tangent, part: how much of a turn is followed. */
static void find_derivative(double mu, const double t[2], double part, double *J) {
    double w = 1 / (1 + mu * mu), across[3] = {1 - t[0] * t[0], -t[0] * t[1], 1 - t[1] * t[1]};
    J[0] = w;
    J[1] = J[3] = w * mu * t[0];
    J[2] = J[6] = w * mu * t[1];
    J[4] = w * mu * mu * t[0] * t[0] + part * across[0];
    J[5] = J[7] = w * mu * mu * t[0] * t[1] + part * across[1];
    J[8] = w * mu * mu * t[1] * t[1] + part * across[2];
}

/* y -> P(y) in place, as below, of a cone with moments. Kept apart (noinline), as others of these: their frames would
 * burden Coulomb's cones. */
__attribute__((noinline)) static Stand project_discs(const BriBlock *block, double slack, double *y, double *J) {
    BriStand s = bri_block_stand(block, y);
    bool binds = false, little = y[0] >= -slack, grips = true;
    for (int k = 0; k < s.discs; k++) {
        binds = binds || s.binds[k];
        little = little && s.size[k] <= slack;
        grips = grips && s.disc[k].mu > 0;
    }
    if (s.normal > 0 && !binds) return HELD;
    if (s.normal > 0 && J) bri_stand_derivative(&s, y, J);
    bri_block_project(block, y);
    return s.normal > 0 ? EDGE : grips && little ? HELD : AWAY;
}

/* y -> P(y) in place. J: P'(y), if on the edge; may be NULL. What touches without pushing or moving, y being
 * less than `slack`, is at the cone's tip: of the derivatives there that of what is held lets a whole pile, dropped as
 * one, be caught in one step. */
static Stand project_cone(const BriBlock *block, double slack, double *y, double *J) {
    double mu = block->mu, y2 = block->rows > 2 ? y[2] : 0, size = bri_sqrt(y[1] * y[1] + y2 * y2);
    if (mu > 0 && y[0] > 0 && size <= mu * y[0]) return HELD;
    double along = (y[0] + mu * size) / (1 + mu * mu);
    if (!(along > 0)) {
        Stand stand = mu > 0 && y[0] >= -slack && size <= slack ? HELD : AWAY;
        for (int i = 0; i < block->rows; i++) y[i] = 0;
        return stand;
    }
    double one = size > 0 ? 1 / size : 0, t[2] = {one * y[1], one * y2};
    if (J) find_derivative(mu, t, mu * along * one, J);
    y[0] = along;
    y[1] = mu * along * t[0];
    if (block->rows > 2) y[2] = mu * along * t[1];
    return EDGE;
}

/* P(r - rho u~) of block k with D v + q = u; u and p count from its first row. */
static Stand answer(const Work *a, int k, const double *u, double *p, double *J) {
    const BriBlock *block = &a->network->block[k];
    double rho = a->firmness * a->scale[k];
    const double *r = a->r + block->first, *lag = a->lag + block->first;
    for (int i = 0; i < block->rows; i++) p[i] = r[i] - rho * (u[i] + lag[i]);
    if (block->set == BRI_SET_FREE) return HELD;
    if (block->set == BRI_SET_CONE && block->rows > 3) return project_discs(block, rho * a->slack, p, J);
    if (block->set == BRI_SET_CONE) return project_cone(block, rho * a->slack, p, J);
    p[0] /= 1 + rho * bri_network_compliance(a->network, k);
    if (p[0] > block->lower && p[0] < block->upper) return HELD;
    p[0] = p[0] > block->lower ? block->upper : block->lower;
    return AWAY;
}

/* ------------------------------------------------------------------ velocities and slopes */

static void multiply_mass(const BriNetwork *n, int node, const double *v, double *f) {
    const double *I = n->inertia + 9 * (size_t)node;
    for (int i = 0; i < 3; i++) {
        f[i] = n->mass[node] * v[i];
        f[i + 3] = I[3 * i] * v[3] + I[3 * i + 1] * v[4] + I[3 * i + 2] * v[5];
    }
}

/* to = rows v, one block, rows being its C or D. */
static void find_rates(const BriNetwork *n, int k, const double *rows, const double *v, double *to) {
    const BriBlock *block = &n->block[k];
    const double *a = n->node[k][0] >= 0 ? v + 6 * (size_t)n->node[k][0] : NULL,
                 *b = n->node[k][1] >= 0 ? v + 6 * (size_t)n->node[k][1] : NULL;
    for (int i = 0; i < block->rows; i++, rows += 12) {
        double sum = 0;
        if (a)
            sum += rows[0] * a[0] + rows[1] * a[1] + rows[2] * a[2] + rows[3] * a[3] + rows[4] * a[4] + rows[5] * a[5];
        if (b)
            sum +=
                rows[6] * b[0] + rows[7] * b[1] + rows[8] * b[2] + rows[9] * b[3] + rows[10] * b[4] + rows[11] * b[5];
        to[i] = sum;
    }
}

/* x += factor D^T p, one block. */
static void push(const BriNetwork *n, int k, double factor, const double *p, double *x) {
    const BriBlock *block = &n->block[k];
    for (int side = 0; side < 2; side++) {
        if (n->node[k][side] < 0) continue;
        double *at = x + 6 * (size_t)n->node[k][side];
        const double *D = bri_network_D(n, k) + 6 * side;
        for (int i = 0; i < block->rows; i++, D += 12)
            for (int j = 0; j < 6; j++) at[j] += D[j] * (factor * p[i]);
    }
}

/* |x_i| of a disc. */
static double measure_disc(const BriDisc *disc, const double *x) {
    const double *own = x + disc->first;
    return bri_sqrt(own[0] * own[0] + (disc->rows > 1 ? own[1] * own[1] : 0));
}

/* mu_i |u_i| of all discs but the first. */
__attribute__((noinline)) static double sum_turns(const BriBlock *block, const double *u) {
    BriDisc disc[BRI_DISCS];
    int discs = bri_block_discs(block, disc);
    double sum = 0;
    for (int i = 1; i < discs; i++) sum += disc[i].mu * measure_disc(&disc[i], u);
    return sum;
}

/* s, at velocities v. */
static void find_lag(const Work *a, const double *v) {
    const BriNetwork *n = a->network;
    for (int k = 0; k < n->blocks; k++) {
        const BriBlock *block = &n->block[k];
        double c[6] = {0}, d[6], *lag = a->lag + block->first;
        find_rates(n, k, bri_network_C(n, k), v, c);
        find_rates(n, k, bri_network_D(n, k), v, d);
        for (int i = 0; i < block->rows; i++) lag[i] = c[i] - d[i];
        if (block->set != BRI_SET_CONE) continue;
        for (int i = 1; i < block->rows; i++) c[i] += n->q[block->first + i];
        lag[0] += block->mu * bri_sqrt(c[1] * c[1] + c[2] * c[2]);
        if (block->rows > 3) lag[0] += sum_turns(block, c);
    }
}

/* All of it at a->v: u, p = P(y), stands, slope. */
static void look(Work *a) {
    const BriNetwork *n = a->network;
    for (int i = 0; i < n->nodes; i++) {
        double moved[6];
        for (int j = 0; j < 6; j++) moved[j] = a->v[6 * i + j] - a->v_free[6 * i + j];
        multiply_mass(n, i, moved, a->slope + 6 * (size_t)i);
    }
    for (int k = 0; k < n->blocks; k++) {
        const BriBlock *block = &n->block[k];
        double *u = a->u + block->first, *p = a->p + block->first;
        find_rates(n, k, bri_network_D(n, k), a->v, u);
        for (int i = 0; i < block->rows; i++) u[i] += n->q[block->first + i];
        a->stand[k] = answer(a, k, u, p, a->derivative + 6 * (size_t)block->first);
        if (a->stand[k] != AWAY || block->set == BRI_SET_BOX) push(n, k, -1, p, a->slope);
    }
    bri_spend(n->budget, 60. * n->rows);
}

/* The largest change of r that the pass at hand makes, as a velocity. */
static double find_change(const Work *a) {
    const BriNetwork *n = a->network;
    double most = 0;
    for (int k = 0; k < n->blocks; k++) {
        double rho = a->firmness * a->scale[k];
        for (int i = n->block[k].first; i < n->block[k].first + n->block[k].rows; i++)
            most = bri_max(most, bri_abs(a->p[i] - a->r[i]) / rho);
    }
    return most;
}

/* Residual of p with the velocities that it makes: the certificate, m/s. *rounding: below that it has no digits; *unrest:
 * how far these velocities are from a->v, at the blocks. */
static double certify(const Work *a, double *rounding, double *unrest) {
    const BriNetwork *n = a->network;
    double worst = 0, most = 0;
    memcpy(a->x, a->v_free, 6 * (size_t)n->nodes * sizeof(double));
    bri_network_apply(n, a->p, a->x);
    *unrest = 0;
    for (int k = 0; k < n->blocks; k++) {
        const BriBlock *block = &n->block[k];
        const double *p = a->p + block->first;
        double u[6] = {0}, d[6];
        find_rates(n, k, bri_network_C(n, k), a->x, u);
        find_rates(n, k, bri_network_D(n, k), a->x, d);
        for (int i = 0; i < block->rows; i++) {
            u[i] += n->q[block->first + i];
            d[i] += n->q[block->first + i];
            *unrest = bri_max(*unrest, bri_abs(d[i] - a->u[block->first + i]));
        }
        u[0] += bri_network_compliance(n, k) * p[0];
        double residual = bri_block_residual(block, p, u, a->scale[k]);
        if (!(residual <= worst)) worst = residual;
        most = bri_max(most, bri_abs(p[0]) / a->scale[k]);
    }
    *rounding = BRI_ROUNDED * most;
    bri_spend(n->budget, 100. * n->rows);
    return worst;
}

/* ------------------------------------------------------------------ Newton's step */

typedef struct Pair {
    int a, b, edge;
    double aa[36], ab[36], bb[36];
} Pair;

/* A row of a block's P'(y); those of Coulomb's cone have three numbers, also in the plane. */
static const double *find_row(const Work *a, const BriBlock *block, int row) {
    return a->derivative + 6 * (size_t)block->first + (block->rows < 3 ? 3 : block->rows) * row;
}

/* rho P'(y) D of one row. */
static void weigh_row(const Work *a, int k, int row, double *to) {
    const BriBlock *block = &a->network->block[k];
    const double *D = bri_network_D(a->network, k);
    double rho = a->firmness * a->scale[k];
    if (a->stand[k] != EDGE) {
        rho /= 1 + rho * bri_network_compliance(a->network, k);
        for (int j = 0; j < 12; j++) to[j] = rho * D[12 * row + j];
        return;
    }
    const double *J = find_row(a, block, row);
    for (int j = 0; j < 12; j++) {
        to[j] = J[0] * D[j] + J[1] * D[12 + j];
        if (block->rows > 2) to[j] += J[2] * D[24 + j];
        for (int i = 3; i < block->rows; i++) to[j] += J[i] * D[12 * i + j];
        to[j] *= rho;
    }
}

static void add_block(const Work *a, int k, Pair *pair) {
    const BriBlock *block = &a->network->block[k];
    const double *D = bri_network_D(a->network, k);
    for (int i = 0; i < block->rows; i++, D += 12) {
        double T[12];
        weigh_row(a, k, i, T);
        if (pair->a >= 0) bri_add_outer(D, T, pair->aa);
        if (pair->b >= 0) bri_add_outer(D + 6, T + 6, pair->bb);
        if (pair->edge >= 0) bri_add_outer(D, T + 6, pair->ab);
    }
}

static void add_pair(BriCholesky *factor, const Pair *pair) {
    if (pair->a >= 0) bri_cholesky_add_node(factor, pair->a, pair->aa);
    if (pair->b >= 0) bri_cholesky_add_node(factor, pair->b, pair->bb);
    if (pair->edge >= 0) bri_cholesky_add_edge(factor, pair->edge, pair->ab);
}

/* H into factor->matrix. Blocks of the same two nodes mostly stand together, and are summed first. */
static void fill(const Work *a) {
    const BriNetwork *n = a->network;
    Pair pair = {.a = -1, .b = -1, .edge = -1};
    bri_cholesky_clear(a->factor);
    bri_add_masses(n, a->factor);
    for (int k = 0; k < n->blocks; k++) {
        if (a->stand[k] == AWAY) continue;
        if (pair.a != n->node[k][0] || pair.b != n->node[k][1]) {
            add_pair(a->factor, &pair);
            pair = (Pair){.a = n->node[k][0], .b = n->node[k][1], .edge = n->block_edge[k]};
        }
        add_block(a, k, &pair);
    }
    add_pair(a->factor, &pair);
}

/* Is H as it was factored last? */
static bool is_factored(const Work *a) {
    if (a->factored_firmness != a->firmness) return false;
    for (int k = 0; k < a->network->blocks; k++)
        if (a->stand[k] != a->factored[k] || a->stand[k] == EDGE) return false;
    return true;
}

/* ------------------------------------------------------------------ steps */

/* step = -H^-1 slope. false: H is not positive. */
static bool find_step(Work *a) {
    const BriNetwork *n = a->network;
    if (!is_factored(a)) {
        bri_spend(n->budget, 150. * n->rows + a->factor->factor_work);
        fill(a);
        if (!bri_cholesky_factor(a->factor)) return false;
        a->factored_firmness = a->firmness;
        memcpy(a->factored, a->stand, (size_t)n->blocks * sizeof *a->factored);
    }
    for (int i = 0; i < 6 * n->nodes; i++) a->step[i] = -a->slope[i];
    bri_spend(n->budget, a->factor->solve_work);
    bri_cholesky_solve(a->factor, a->step);
    return true;
}

/* d/dt of the function at v + t step; still: of its first part at 0, and that part's second derivative. Less than
 * what it is rounded to is 0. */
static double find_slope_at(const Work *a, double t, const double still[2]) {
    const BriNetwork *n = a->network;
    double sum = still[0] + t * still[1], size = bri_abs(still[0]) + t * still[1];
    for (int k = 0; k < n->blocks; k++) {
        const BriBlock *block = &n->block[k];
        const double *u = a->u + block->first, *du = a->du + block->first;
        double at[6], p[6];
        for (int i = 0; i < block->rows; i++) at[i] = u[i] + t * du[i];
        answer(a, k, at, p, NULL);
        for (int i = 0; i < block->rows; i++) {
            sum -= p[i] * du[i];
            size += bri_abs(p[i] * du[i]);
        }
    }
    bri_spend(n->budget, 20. * n->rows);
    return bri_abs(sum) > BRI_ROUNDED * size ? sum : 0;
}

/* v to where the slope along the step has vanished, nearly; at most by the whole step. */
static void go(Work *a) {
    enum { LOOKS = 12 };
    const double LITTLE = 0.1; /* of the slope at the start */
    const BriNetwork *n = a->network;
    double still[2] = {0, 0}, first = 0;
    for (int i = 0; i < n->nodes; i++) {
        double force[6];
        const double *s = a->step + 6 * (size_t)i;
        multiply_mass(n, i, s, force);
        for (int j = 0; j < 6; j++) {
            still[0] += force[j] * (a->v[6 * i + j] - a->v_free[6 * i + j]);
            still[1] += force[j] * s[j];
            first += a->slope[6 * i + j] * s[j];
        }
    }
    for (int k = 0; k < n->blocks; k++) find_rates(n, k, bri_network_D(n, k), a->step, a->du + n->block[k].first);
    double low = 0, at_low = first, high = 1, at_high = find_slope_at(a, 1, still), t = 1, now = at_high;
    for (int looks = 0; looks < LOOKS && at_high > 0 && bri_abs(now) > LITTLE * bri_abs(first); looks++) {
        t = low + (high - low) * bri_max(0.1, bri_min(0.9, at_low / (at_low - at_high)));
        now = find_slope_at(a, t, still);
        if (now < 0)
            low = t, at_low = now;
        else
            high = t, at_high = now;
    }
    for (int i = 0; i < 6 * n->nodes; i++) a->v[i] += t * a->step[i];
}

/* ------------------------------------------------------------------ passes */

static void prepare(Work *a, const double *r, const double *v) {
    const BriNetwork *n = a->network;
    size_t six = 6 * (size_t)n->nodes * sizeof(double);
    memcpy(a->v_free, v, six);
    memcpy(a->v, v, six);
    memcpy(a->r, r, (size_t)n->rows * sizeof(double));
    bri_network_apply(n, r, a->v);
    for (int k = 0; k < n->blocks; k++) a->scale[k] = bri_network_scale(n, k);
    find_lag(a, a->v);
}

/* Is the best that was found good enough? It goes on below the tolerance while that gains, since an exact answer makes
 * the next step's guess exact. */
static bool is_done(double least, double residual, double tolerance, double rounding) {
    const double AIM = 1e-3; /* of the tolerance */
    if (least <= bri_solver_goal(AIM * tolerance, 0.2 * rounding)) return true;
    return least <= bri_solver_goal(tolerance, rounding) && !(residual <= least);
}

/* A pass is over: r <- P(y). Passes of few steps bear more firmness, those of many have too much. */
static void end_pass(Work *a, int steps, bool slow) {
    const double LEAST = 1, MOST = 1e9;
    memcpy(a->r, a->p, (size_t)a->network->rows * sizeof(double));
    find_lag(a, a->v);
    if (steps <= 6 && slow) a->firmness = bri_min(MOST, (steps <= 2 ? 10 : 3) * a->firmness);
    if (steps > 12) a->firmness = bri_max(LEAST, a->firmness / 3);
    look(a);
}

BriAnswer bri_solve_augmented(const BriNetwork *network, BriCholesky *factor, double tolerance, int most, double *r,
                              double *v, double *scratch, BriSolverReport *report) {
    const double FIRST = 1e3; /* firmness */
    const double QUIET = 0.3; /* of what a pass changes: an inner problem that near its end is done */
    Work a = lay_out(network, factor, scratch);
    double least = __builtin_inf(), before = __builtin_inf(), rounding = 0, unrest;
    int steps = 0; /* of the pass at hand */
    *report = (BriSolverReport){.solver = "augmented"};
    a.firmness = FIRST;
    a.slack = 10 * tolerance;
    prepare(&a, r, v);
    memcpy(a.p, r, (size_t)network->rows * sizeof(double)); /* the guess may be the best that there is */
    least = certify(&a, &rounding, &unrest);
    for (; report->iterations < most; report->iterations++) {
        look(&a);
        double residual = certify(&a, &rounding, &unrest), change = find_change(&a);
        if (residual < least) {
            least = residual;
            memcpy(r, a.p, (size_t)network->rows * sizeof(double));
        }
        steps++;
        bool over = unrest <= QUIET * change || (unrest <= change && steps > 3);
        if (is_done(least, over ? residual : 0, tolerance, rounding) || !bri_has_budget(network->budget)) break;
        if (over) {
            end_pass(&a, steps, change > 0.1 * before);
            before = change;
            steps = 0;
        }
        if (!find_step(&a)) break;
        a.slack = 0;
        go(&a);
    }
    bri_network_apply(network, r, v);
    report->certificate = (BriCertificate){.residual = least, .relative = __builtin_nan(""), .worst = -1};
    return least <= bri_solver_goal(tolerance, rounding) ? BRI_SOLVED : BRI_STOPPED_SHORT;
}
