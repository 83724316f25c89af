/* pile.c: see pile.h. */
#include "contact/pile.h"
#include "linalg/block_lu.h"
#include "linalg/sets.h"
#include "solvers/solvers.h"

#include <string.h>

enum { MOST_BLOCKS = 2000000 }; /* of the factor: 600 MB */

struct BriPile {
    int node_room, row_room, block_room;
    BriNetwork network;
    /* per moving body of the model */
    int *local;
    /* per node */
    int *body;
    double *mass, *inertia, *inverse_mass, *inverse_inertia, *v;
    /* per row: units' first, then joints' */
    double *C, *D, *q, *r, *compliance;
    /* per block */
    double *scale;
    BriBlock *block;
    int (*node)[2], (*edge)[2], *block_edge;
    double *scratch;
    size_t scratch_room;
    BriBlockLu lu;
};

/* ------------------------------------------------------------------ room */

static bool work_nodes(const BrModel *m, BriPile *p, size_t nodes, BriArrayWork work) {
    const BriArray arrays[] = {BRI_ARRAY(p->local, (size_t)m->moving),
                               BRI_ARRAY(p->body, nodes),
                               BRI_ARRAY(p->mass, nodes),
                               BRI_ARRAY(p->inertia, 9 * nodes),
                               BRI_ARRAY(p->inverse_mass, nodes),
                               BRI_ARRAY(p->inverse_inertia, 9 * nodes),
                               BRI_ARRAY(p->v, 6 * nodes)};
    return bri_work_arrays(&m->allocator, arrays, BRI_COUNT(arrays), work);
}

static bool work_rows(const BrModel *m, BriPile *p, size_t rows, BriArrayWork work) {
    const BriArray arrays[] = {BRI_ARRAY(p->C, BRI_ROW * rows), BRI_ARRAY(p->D, BRI_ROW * rows),
                               BRI_ARRAY(p->q, rows),           BRI_ARRAY(p->r, rows),
                               BRI_ARRAY(p->compliance, rows),  BRI_ARRAY(p->scale, rows),
                               BRI_ARRAY(p->block, rows),       BRI_ARRAY(p->node, rows),
                               BRI_ARRAY(p->edge, rows),        BRI_ARRAY(p->block_edge, rows)};
    return bri_work_arrays(&m->allocator, arrays, BRI_COUNT(arrays), work);
}

void bri_pile_release(const BrModel *m, BriPile *p) {
    if (!p) return;
    work_nodes(m, p, 0, BRI_RELEASE);
    work_rows(m, p, 0, BRI_RELEASE);
    bri_release(&m->allocator, p->scratch);
    bri_block_lu_release(&p->lu, &m->allocator);
    bri_release(&m->allocator, p);
}

/* Rows: half as many again as are needed, so that piles that grow seldom ask. */
static bool make_rows(const BrModel *m, BriPile *p, int rows) {
    if (rows <= p->row_room) return true;
    work_rows(m, p, 0, BRI_RELEASE);
    p->row_room = 0;
    int room = rows + rows / 2;
    if (!work_rows(m, p, (size_t)room, BRI_MAKE)) return false;
    p->row_room = room;
    return true;
}

static bool make_scratch(const BrModel *m, BriPile *p) {
    size_t needed = bri_ladder_scratch(&p->network);
    if (needed <= p->scratch_room) return true;
    bri_release(&m->allocator, p->scratch);
    p->scratch_room = 0;
    p->scratch = bri_allocate(&m->allocator, needed + needed / 2, sizeof *p->scratch);
    if (!p->scratch) return false;
    p->scratch_room = needed + needed / 2;
    return true;
}

/* Room for a factor whose nodes touch the `reach` before them, each several times over. */
static bool reserve_factor(const BrModel *m, BriPile *p, int nodes, int reach) {
    int edges = 0;
    for (int a = 0; a < nodes; a++)
        for (int b = 0; b < 2 * reach && b < 2 * a && edges < p->row_room; b++, edges++)
            p->edge[edges][0] = a, p->edge[edges][1] = a - 1 - b / 2;
    return bri_block_lu_analyse(&p->lu, &m->allocator, nodes, edges, (const int(*)[2])p->edge, MOST_BLOCKS) !=
           BRI_ANALYSIS_NO_MEMORY;
}

/* Room for piles of some bodies, so that small scenes never ask for more. All that touch make the most blocks, those in
 * rows the most panels. */
static bool reserve(const BrModel *m, BriPile *p) {
    enum { NODES = 24, ROWS = 900 };
    int all = (m->turns ? 6 : 3) * m->contact_capacity + m->bounds + m->rows,
        nodes = m->moving < NODES ? m->moving : NODES;
    if (!make_rows(m, p, all < ROWS ? all : ROWS)) return false;
    p->network = (BriNetwork){.nodes = nodes, .rows = p->row_room, .blocks = p->row_room};
    return make_scratch(m, p) && reserve_factor(m, p, nodes, nodes) && reserve_factor(m, p, nodes, 4) &&
           reserve_factor(m, p, nodes, 1);
}

BriPile *bri_pile_create(const BrModel *m) {
    BriPile *p = bri_allocate(&m->allocator, 1, sizeof *p);
    if (!p || (work_nodes(m, p, (size_t)m->moving, BRI_MAKE) && reserve(m, p))) return p;
    bri_pile_release(m, p);
    return NULL;
}

/* ------------------------------------------------------------------ nodes and blocks */

static int take_node(const BrModel *m, BriPile *p, int body) {
    int number = m->body[body].node;
    if (number < 0) return -1;
    if (p->local[number] >= 0) return p->local[number];
    int node = p->local[number] = p->network.nodes++;
    const BriBody *b = &m->body[body];
    p->body[node] = body;
    p->mass[node] = b->def.mass;
    p->inverse_mass[node] = b->inverse_mass;
    memcpy(p->inertia + 9 * (size_t)node, b->def.inertia.m, sizeof b->def.inertia.m);
    memcpy(p->inverse_inertia + 9 * (size_t)node, b->inverse_inertia.m, sizeof b->inverse_inertia.m);
    return node;
}

/* The edge of a block; blocks that stand together mostly have the same. */
static int take_edge(BriPile *p, const int node[2]) {
    BriNetwork *n = &p->network;
    if (node[0] < 0 || node[1] < 0) return -1;
    if (n->edges == 0 || p->edge[n->edges - 1][0] != node[0] || p->edge[n->edges - 1][1] != node[1]) {
        p->edge[n->edges][0] = node[0];
        p->edge[n->edges++][1] = node[1];
    }
    return n->edges - 1;
}

static void place_blocks(const BrModel *m, BriPile *p, int count, int a, int b) {
    BriNetwork *n = &p->network;
    int node[2] = {take_node(m, p, a), take_node(m, p, b)};
    for (int i = 0; i < count; i++, n->blocks++) {
        memcpy(p->node[n->blocks], node, sizeof node);
        p->block_edge[n->blocks] = take_edge(p, node);
    }
}

/* Contacts and bounds. `free`: whatever they are, as rows that hold. */
static void add_units(const BriStep *step, BriPile *p, const BriIsland *island, bool free) {
    BriContacts *c = step->ws->contacts;
    BriNetwork *n = &p->network;
    for (int k = island->begin; k < island->end; k++) {
        const BriUnit *unit = &c->unit[k];
        int row = unit->row - island->first, blocks = 1;
        if (free)
            p->block[n->blocks] = (BriBlock){.set = BRI_SET_FREE, .first = row, .rows = unit->rows};
        else
            blocks = bri_unit_blocks(c, unit, row, &p->block[n->blocks]);
        place_blocks(step->model, p, blocks, unit->a, unit->b);
        size_t bytes = sizeof(double) * BRI_ROW * (size_t)unit->rows;
        memcpy(p->C + BRI_ROW * row, c->C + BRI_ROW * unit->first, bytes);
        memcpy(p->D + BRI_ROW * row, c->E + BRI_ROW * unit->row, bytes);
        memcpy(p->r + row, c->r + unit->row, sizeof(double) * (size_t)unit->rows);
        memset(p->compliance + row, 0, sizeof(double) * (size_t)unit->rows);
        if (free || unit->contact < 0 || !c->contact[unit->contact].ask.bounded) continue;
        const BriFrictionRows *limits = &c->contact[unit->contact].ask.limits;
        for (int i = 0; i < 2; i++)
            if (limits->compliance[i] <= 1e300) p->compliance[row + 1 + i] = limits->compliance[i];
    }
    n->rows = island->rows;
}

/* What a joint's row has beside the velocities of bodies that can be pushed: m/s. */
static double find_drive(const BrModel *m, const BriSpan *span, const BriJoint *j, int row) {
    double q = -span->target[row];
    if (m->body[j->a].node < 0) q += bri_row_rate(span->C->a + 6 * row, &span->bodies[j->a]);
    if (m->body[j->b].node < 0) q += bri_row_rate(span->C->b + 6 * row, &span->bodies[j->b]);
    return q;
}

/* The rows of a joint that hold: one block of those that follow each other. */
static void add_joint(const BriStep *step, BriPile *p, const BriSpan *span, int joint) {
    const BrModel *m = step->model;
    const BriSystem *system = &step->ws->system;
    const BriJacobian *D = span ? span->D : &system->J, *C = span ? span->C : &system->J;
    const BriJoint *j = &m->joint[joint];
    BriNetwork *n = &p->network;
    int first = n->rows;
    for (int r = 0; r < j->rows; r++) {
        int row = j->first_row + r;
        if (system->factor_off[joint] >> r & 1) continue;
        memcpy(p->D + BRI_ROW * n->rows, D->a + 6 * row, 6 * sizeof(double));
        memcpy(p->D + BRI_ROW * n->rows + 6, D->b + 6 * row, 6 * sizeof(double));
        memcpy(p->C + BRI_ROW * n->rows, C->a + 6 * row, 6 * sizeof(double));
        memcpy(p->C + BRI_ROW * n->rows + 6, C->b + 6 * row, 6 * sizeof(double));
        p->q[n->rows] = span ? find_drive(m, span, j, row) : 0;
        p->r[n->rows] = span ? span->p[row] : 0;
        p->compliance[n->rows++] = 0;
    }
    if (n->rows == first) return;
    p->block[n->blocks] = (BriBlock){.set = BRI_SET_FREE, .first = first, .rows = n->rows - first};
    place_blocks(m, p, 1, j->a, j->b);
}

static bool is_of_island(const BriStep *step, const BriJoint *j, int island) {
    const BrModel *m = step->model;
    int body = m->body[j->a].node >= 0 ? j->a : j->b;
    return m->body[body].node >= 0 && bri_find_root(step->ws->contacts->root, body) == island;
}

/* The network of an island but for q of its units and the free velocities. */
static bool build(BriStep *step, const BriSpan *span, const BriIsland *island, bool free) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    BriPile *p = c->pile;
    if (!make_rows(m, p, island->rows + m->rows)) return false;
    for (int i = 0; i < m->moving; i++) p->local[i] = -1;
    p->network = (BriNetwork){.block = p->block,
                              .node = (const int(*)[2])p->node,
                              .C = p->C,
                              .D = p->D,
                              .q = p->q,
                              .mass = p->mass,
                              .inertia = p->inertia,
                              .inverse_mass = p->inverse_mass,
                              .inverse_inertia = p->inverse_inertia,
                              .edge = (const int(*)[2])p->edge,
                              .block_edge = p->block_edge,
                              .compliance = p->compliance,
                              .budget = step->budget,
                              .threads = step->def->threads};
    add_units(step, p, island, free);
    for (int k = 0; k < m->joints; k++)
        if (is_of_island(step, &m->joint[k], c->unit[island->begin].island)) add_joint(step, p, span, k);
    for (int k = 0; k < p->network.blocks; k++) p->scale[k] = bri_network_scale(&p->network, k);
    p->network.scale = p->scale;
    return make_scratch(m, p);
}

/* ------------------------------------------------------------------ solving */

static void note_scales(BriContacts *c, const BriIsland *island, const BriNetwork *n) {
    for (int k = 0; k < n->blocks && n->block[k].first < island->rows; k++)
        c->scale[island->first + n->block[k].first] = n->scale[k];
}

static void set_velocities(BriPile *p, const BriBodyState *bodies) {
    for (int i = 0; i < p->network.nodes; i++) {
        const BriBodyState *b = &bodies[p->body[i]];
        double v[6] = {b->v.x, b->v.y, b->v.z, b->w.x, b->w.y, b->w.z};
        memcpy(p->v + 6 * (size_t)i, v, sizeof v);
    }
}

/* The factor's layout, and room for its numbers; NULL: it is too large, or there is no memory, or the layout alone would
 * take what contacts may cost. */
static BriBlockLu *lay_out_factor(const BrModel *m, BriPile *p, double may_cost) {
    const double LAYOUT = 1e4; /* operations per node: its order, and where its blocks lie */
    const BriNetwork *n = &p->network;
    if (LAYOUT * n->nodes > may_cost) return NULL;
    BriAnalysis analysis = bri_block_lu_analyse(&p->lu, &m->allocator, n->nodes, n->edges, n->edge, MOST_BLOCKS);
    return analysis == BRI_ANALYSIS_DONE ? &p->lu : NULL;
}

/* r of an island. Returns the residual, in tolerances. */
static double solve(BriStep *step, const BriIsland *island, bool linear) {
    bool hasty = step->has_other_way || island->rows <= BRI_SOME_ROWS; /* a matrix stands behind it */
    BriLadder kind = linear ? BRI_LADDER_LINEAR : hasty ? BRI_LADDER_HASTY : BRI_LADDER_WHOLE;
    BriContacts *c = step->ws->contacts;
    BriPile *p = c->pile;
    double tolerance = c->unit[island->begin].tolerance;
    BriBudget budget = bri_open_problem(step);
    if (!linear) p->network.budget = &budget; /* displacements are no answers that could be less exact */
    BriSolverReport report;
    BriAnswer answer = bri_solve_ladder(&p->network, lay_out_factor(step->model, p, budget.most), kind, 0.5 * tolerance,
                                        p->r, p->v, p->scratch, &report);
    if (!linear) bri_close_problem(step, &budget);
    memcpy(c->r + island->first, p->r, sizeof(double) * (size_t)island->rows);
    note_scales(c, island, &p->network);
    step->report->solver_iterations += report.iterations;
    step->report->solver = bri_stronger_solver(step->report->solver, report.solver);
    double times = report.certificate.residual / tolerance;
    return answer == BRI_SOLVED ? bri_min(times, 1) : times; /* what masses round to may be more */
}

double bri_pile_solve_velocities(BriStep *step, const BriSpan *span, const BriBodyState *bodies,
                                 const BriIsland *island) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    BriPile *p = c->pile;
    if (!build(step, span, island, false)) return __builtin_inf();
    for (int k = island->begin; k < island->end; k++) {
        const BriUnit *unit = &c->unit[k];
        for (int r = 0; r < unit->rows; r++) {
            const double *C = c->C + BRI_ROW * (unit->first + r);
            double *q = &p->q[unit->row - island->first + r];
            *q = c->u[unit->row + r];
            if (m->body[unit->a].node >= 0) *q -= bri_row_rate(C, &bodies[unit->a]);
            if (m->body[unit->b].node >= 0) *q -= bri_row_rate(C + 6, &bodies[unit->b]);
        }
    }
    if (c->has_bounded) {
        for (int i = 0; i < island->rows; i++) c->zero[island->first + i] = 0;
        memcpy(c->q + island->first, p->q, sizeof(double) * (size_t)island->rows);
        bri_island_add_compliance(c, island, c->zero, c->q);
        memcpy(p->q, c->q + island->first, sizeof(double) * (size_t)island->rows);
    }
    set_velocities(p, c->free);
    return solve(step, island, false);
}

double bri_pile_solve_from_rest(BriStep *step, const BriIsland *island) {
    BriContacts *c = step->ws->contacts;
    BriPile *p = c->pile;
    if (!build(step, NULL, island, false)) return __builtin_inf();
    memcpy(p->q, c->q + island->first, sizeof(double) * (size_t)island->rows);
    memset(p->v, 0, 6 * (size_t)p->network.nodes * sizeof(double));
    return solve(step, island, false);
}

void bri_pile_solve_linear(BriStep *step, const BriIsland *island) {
    BriContacts *c = step->ws->contacts;
    BriPile *p = c->pile;
    if (!build(step, NULL, island, true)) return;
    double largest = 0;
    for (int i = 0; i < island->rows; i++) {
        p->q[i] = -c->q[island->first + i];
        p->r[i] = 0;
        largest = bri_max(largest, bri_abs(p->q[i]));
    }
    memset(p->v, 0, 6 * (size_t)p->network.nodes * sizeof(double));
    const double PART = 1e-8, LITTLE = 1e-2; /* of the largest; of what counts as none */
    double none = BRI_CLOSED;
    for (int k = island->begin; k < island->end; k++) none = bri_min(none, c->contact[c->unit[k].contact].at.nothing);
    for (int k = island->begin; k < island->end; k++) c->unit[k].tolerance = bri_max(PART * largest, LITTLE * none);
    solve(step, island, true);
}
