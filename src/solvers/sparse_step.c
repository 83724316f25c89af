/* sparse_step.c: see sparse_step.h. */
#include "solvers/sparse_step.h"

#include "solvers/equations.h"

enum {
    OPEN = -1,            /* of a block's node: its step is known */
    WAITING = -2,         /* it has none yet */
    REFINEMENTS = 3,      /* of an answer, at most */
    MOST_BLOCKS = 1500000 /* of L, and of U: 0.9 GB */
};

/* ------------------------------------------------------------------ room */

bool bri_sparse_step_prepare(BriSparseStep *s, const BriSparse *problem, const BrAllocator *allocator) {
    size_t n = (size_t)problem->blocks, rows = (size_t)problem->rows, places = (size_t)problem->begin[n];
    *s = (BriSparseStep){.problem = problem, .allocator = allocator};
    double *x = s->numbers = bri_allocate(allocator, 20 * n + 3 * rows, sizeof *x);
    int *i = s->integers = bri_allocate(allocator, 10 * n + 1 + places, sizeof *i);
    s->no_memory = !x || !i;
    if (s->no_memory) return false;
    s->scale = x;
    s->rho = s->scale + n;
    s->u = s->rho + n;
    s->phi = s->u + rows;
    s->step = s->phi + rows;
    s->b = s->step + rows;
    s->x = s->b + 6 * n;
    s->y = s->x + 6 * n;
    s->node = i;
    s->slot = s->node + n;
    s->mark = s->slot + n;
    s->member = s->mark + n;
    s->edge_begin = s->member + 6 * n;
    s->place_edge = s->edge_begin + n + 1;
    for (int k = 0; k < problem->blocks; k++) s->rho[k] = s->scale[k] = bri_sparse_scale(problem, k);
    return true;
}

void bri_sparse_step_release(BriSparseStep *s) {
    bri_release(s->allocator, s->numbers);
    bri_release(s->allocator, s->integers);
    bri_release(s->allocator, s->edge);
    bri_block_lu_release(&s->lu, s->allocator);
}

/* ------------------------------------------------------------------ equations */

void bri_sparse_step_measure(BriSparseStep *s, const double *r) {
    const BriSparse *p = s->problem;
    s->merit = s->residual = 0;
    bri_sparse_velocities(p, r, s->u);
    for (int k = 0; k < p->blocks; k++) {
        const BriBlock *block = &p->block[k];
        int i = block->first;
        double residual = bri_block_residual(block, r + i, s->u + i, s->scale[k]);
        for (int j = i; s->prox > 0 && j < i + block->rows; j++)
            s->u[j] += s->prox / s->scale[k] * (r[j] - s->center[j]);
        bri_block_equations(block, 1, s->rho[k], r + i, s->u + i, s->phi + i);
        for (int j = i; j < i + block->rows; j++) s->merit += s->phi[j] * s->phi[j];
        if (!(residual <= s->residual)) s->residual = residual;
    }
}

/* Blocks whose step is known get it. */
static void find_known(BriSparseStep *s, const double *r) {
    const BriSparse *p = s->problem;
    for (int k = 0; k < p->blocks; k++) {
        const BriBlock *block = &p->block[k];
        int i = block->first;
        bool known = bri_step_is_known(block, s->rho[k], r[i], s->u[i]);
        s->node[k] = known ? OPEN : WAITING;
        for (int j = i; j < i + block->rows; j++) s->step[j] = known ? -s->rho[k] * s->phi[j] : 0;
    }
}

/* ------------------------------------------------------------------ A's graph */

/* The waiting neighbour of `block`, of at most `room` rows, that shares the largest part of its neighbours with it; -1 if
 * there is none. The neighbours of `block` are marked with its number. */
static int find_partner(const BriSparseStep *s, int block, int room) {
    const BriSparse *p = s->problem;
    double most = 0;
    int best = -1;
    for (int i = p->begin[block]; i < p->begin[block + 1]; i++) {
        int other = p->column[i], common = 0, count = p->begin[other + 1] - p->begin[other];
        if (s->node[other] != WAITING || p->block[other].rows > room) continue;
        for (int j = p->begin[other]; j < p->begin[other + 1]; j++) common += s->mark[p->column[j]] == block;
        if (common > most * count) most = (double)common / count, best = other;
    }
    return best;
}

static void make_nodes(BriSparseStep *s) {
    const BriSparse *p = s->problem;
    s->nodes = 0;
    for (int k = 0; k < p->blocks; k++) s->mark[k] = -1;
    for (int k = 0; k < p->blocks; k++) {
        if (s->node[k] != WAITING) continue;
        int node = s->nodes++, used = 0, *member = s->member + 6 * (ptrdiff_t)node;
        for (int i = p->begin[k]; i < p->begin[k + 1]; i++) s->mark[p->column[i]] = k;
        for (int i = 0; i < 6; i++) member[i] = -1;
        for (int next = k; next >= 0; next = find_partner(s, k, 6 - used)) {
            s->node[next] = node;
            s->slot[next] = used;
            *member++ = next;
            used += p->block[next].rows;
            if (used == 6) break;
        }
    }
}

static bool add_edge(BriSparseStep *s, int from, int to) {
    if (s->edges == s->edge_capacity) {
        int wanted = s->edge_capacity ? 2 * s->edge_capacity : 1024;
        int(*more)[2] = wanted < INT32_MAX / 2 ? bri_allocate(s->allocator, (size_t)wanted, sizeof *more) : NULL;
        if (!more) return false;
        if (s->edges) memcpy(more, s->edge, (size_t)s->edges * sizeof *more);
        bri_release(s->allocator, s->edge);
        s->edge = more;
        s->edge_capacity = wanted;
    }
    s->edge[s->edges][0] = from;
    s->edge[s->edges++][1] = to;
    return true;
}

/* The edge of two nodes that is there already, or -1. Of `node` itself those so far are marked. */
static int find_edge(const BriSparseStep *s, int node, int other) {
    if (s->mark[other] >= s->edge_begin[node]) return s->mark[other];
    for (int e = s->edge_begin[other]; other < node && e < s->edge_begin[other + 1]; e++)
        if (s->edge[e][1] == node) return e;
    return -1;
}

static bool make_edges(BriSparseStep *s) {
    const BriSparse *p = s->problem;
    s->edges = 0;
    for (int n = 0; n < s->nodes; n++) s->mark[n] = -1;
    for (int n = 0; n < s->nodes; n++) {
        s->edge_begin[n] = s->edges;
        for (int m = 0; m < 6 && s->member[6 * n + m] >= 0; m++) {
            int k = s->member[6 * n + m];
            for (int i = p->begin[k]; i < p->begin[k + 1]; i++) {
                int other = s->node[p->column[i]];
                if (other < 0 || other == n) continue;
                s->place_edge[i] = find_edge(s, n, other);
                if (s->place_edge[i] >= 0) continue;
                s->place_edge[i] = s->mark[other] = s->edges;
                if (!add_edge(s, n, other)) return false;
            }
        }
        s->edge_begin[n + 1] = s->edges;
    }
    return true;
}

/* ------------------------------------------------------------------ A's numbers */

/* T and E of block k, rows x rows. */
static void differentiate(const BriSparseStep *s, int k, const double *r, double *T, double *E) {
    const BriBlock *block = &s->problem->block[k];
    int n = block->rows, i = block->first;
    double M[2][3], rho = s->rho[k];
    for (int j = 0; j < n * n; j++) T[j] = j % (n + 1) == 0, E[j] = 0;
    if (block->set != BRI_SET_CONE || !bri_slip_derivative(block, block->mu, rho, r + i, s->u + i, M)) return;
    for (int row = 1; row < n; row++)
        for (int j = 0; j < n; j++) {
            T[row * n + j] = M[row - 1][j];
            E[row * n + j] = ((row == j) - M[row - 1][j]) / rho;
        }
}

/* Adds B, n x m, to the part of A in which block k has the rows and the column of `place` the columns. */
static void add_part(BriSparseStep *s, int k, int place, const double *B, int n, int m) {
    int other = s->problem->column[place], node = s->node[k], row = s->slot[k], column = s->slot[other];
    bool inside = s->node[other] == node, turned = !inside && s->edge[s->place_edge[place]][0] != node;
    double *A = inside   ? bri_block_lu_node(&s->lu, node)
                : turned ? bri_block_lu_turned(&s->lu, s->place_edge[place])
                         : bri_block_lu_edge(&s->lu, s->place_edge[place]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) A[turned ? 6 * (column + j) + row + i : 6 * (row + i) + column + j] += B[i * m + j];
}

/* Block row k of A, and its right side. */
static void fill_row(BriSparseStep *s, int k, const double *r, double eps) {
    const BriSparse *p = s->problem;
    int n = p->block[k].rows;
    double T[36] = {0}, E[36] = {0}, known[6] = {0}, *b = s->b + 6 * (ptrdiff_t)s->node[k] + s->slot[k];
    double more = eps / s->rho[k] + s->prox / s->scale[k];
    differentiate(s, k, r, T, E);
    for (int i = p->begin[k]; i < p->begin[k + 1]; i++) {
        int c = p->column[i], m = p->block[c].rows;
        const double *W = p->W + p->at[i], *step = s->step + p->block[c].first;
        if (s->node[c] < 0) {
            for (int x = 0; x < n; x++)
                for (int y = 0; y < m; y++) known[x] -= W[x * m + y] * step[y];
            continue;
        }
        double B[36] = {0};
        for (int x = 0; x < n; x++)
            for (int z = 0; z < n; z++)
                for (int y = 0; y < m; y++) B[x * m + y] += T[x * n + z] * W[z * m + y];
        for (int x = 0; c == k && x < n * n; x++) B[x] += more * T[x] + E[x];
        add_part(s, k, i, B, n, m);
    }
    for (int x = 0; x < n; x++) {
        b[x] = -s->phi[p->block[k].first + x];
        for (int z = 0; z < n; z++) b[x] += T[x * n + z] * known[z];
    }
}

static void fill(BriSparseStep *s, const double *r, double eps) {
    const BriSparse *p = s->problem;
    bri_block_lu_clear(&s->lu);
    memset(s->b, 0, 6 * (size_t)s->nodes * sizeof(double));
    for (int n = 0; n < s->nodes; n++) {
        int used = 0;
        for (int m = 0; m < 6 && s->member[6 * n + m] >= 0; m++) used += p->block[s->member[6 * n + m]].rows;
        for (; used < 6; used++) bri_block_lu_node(&s->lu, n)[7 * used] = 1; /* rows that nobody has */
    }
    for (int k = 0; k < p->blocks; k++)
        if (s->node[k] >= 0) fill_row(s, k, r, eps);
}

/* ------------------------------------------------------------------ the step */

static double measure_square(const double *x, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += x[i] * x[i];
    return sum;
}

/* x = A^-1 b; what pivoting inside blocks alone loses is refined away. */
static void solve(BriSparseStep *s) {
    int n = 6 * s->nodes;
    double before = __builtin_inf();
    memcpy(s->x, s->b, (size_t)n * sizeof(double));
    bri_block_lu_solve(&s->lu, s->x);
    for (int k = 0; k < REFINEMENTS; k++) {
        bri_block_lu_multiply(&s->lu, s->x, s->y);
        for (int i = 0; i < n; i++) s->y[i] = s->b[i] - s->y[i];
        double left = measure_square(s->y, n);
        if (!(left < 0.01 * before)) break; /* a tenth of what was left, or nothing is gained any more */
        before = left;
        bri_block_lu_solve(&s->lu, s->y);
        for (int i = 0; i < n; i++) s->x[i] += s->y[i];
    }
}

bool bri_sparse_step_find(BriSparseStep *s, const double *r, double eps) {
    const BriSparse *p = s->problem;
    find_known(s, r);
    make_nodes(s);
    BriAnalysis analysis = BRI_ANALYSIS_NO_MEMORY;
    if (make_edges(s))
        analysis =
            bri_block_lu_analyse(&s->lu, s->allocator, s->nodes, s->edges, (const int(*)[2])s->edge, MOST_BLOCKS);
    s->no_memory = analysis == BRI_ANALYSIS_NO_MEMORY;
    s->too_dear = analysis == BRI_ANALYSIS_TOO_LARGE;
    if (analysis != BRI_ANALYSIS_DONE) return false;
    double work = 4 * s->lu.layout.factor_work + 8 * s->lu.layout.solve_work + 100. * p->rows;
    s->too_dear = work > s->dearest;
    if (s->too_dear) return false;
    s->work += work;
    bri_spend(p->budget, work);
    fill(s, r, eps);
    if (!bri_block_lu_factor(&s->lu)) return false;
    solve(s);
    for (int k = 0; k < p->blocks; k++)
        for (int i = 0; s->node[k] >= 0 && i < p->block[k].rows; i++)
            s->step[p->block[k].first + i] = s->x[6 * s->node[k] + s->slot[k] + i];
    return true;
}
