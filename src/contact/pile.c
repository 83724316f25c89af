/* pile.c: see pile.h. */
#include "contact/pile.h"

#include "base/threads.h"
#include "linalg/block_lu.h"
#include "linalg/sets.h"
#include "math/halving.h"
#include "solvers/solvers.h"

#include <string.h>

enum { MOST_BLOCKS = 2000000 }; /* of the factor, were it made: its layout is some bytes for each */

/* Rows of contacts stay where they are: blocks point to them. Only those of joints, and directions of impulses that go
 * against a known slip, are written here. */
struct BriPile {
    int block_room, drag_room, yield_room;
    BriNetwork network;
    BriBundles bundles;
    int cut; /* nodes on one side of the first of the cuts that make its parts, next to the other; 0: it has one part */
    /* per moving body of the model */
    int *local;
    /* per node */
    int *body, *part;
    double *mass, *inertia, *inverse_mass, *inverse_inertia, *v;
    /* per block */
    double *scale;
    BriBlock *block;
    const double **C, **D;
    int (*node)[2], (*edge)[2], *block_edge;
    /* per row, of contacts whose friction drags: 12 each */
    double *drag;
    /* per row, if some yield */
    double *compliance;
    /* the model has joints: per row, units' first, then joints', and 12 per row of joints; else q and r are views */
    int joint_room;
    double *q, *r, *joint_C, *joint_D;
    double *scratch;
    size_t scratch_room;
    BriBlockLu lu;
};

/* ------------------------------------------------------------------ room */

static bool work_nodes(const BrModel *m, BriPile *p, size_t nodes, BriArrayWork work) {
    const BriArray arrays[] = {BRI_ARRAY(p->local, (size_t)m->moving),
                               BRI_ARRAY(p->body, nodes),
                               BRI_ARRAY(p->part, nodes),
                               BRI_ARRAY(p->mass, nodes),
                               BRI_ARRAY(p->inertia, 9 * nodes),
                               BRI_ARRAY(p->inverse_mass, nodes),
                               BRI_ARRAY(p->inverse_inertia, 9 * nodes),
                               BRI_ARRAY(p->v, 6 * nodes)};
    return bri_work_arrays(&m->allocator, arrays, BRI_COUNT(arrays), work);
}

static bool work_blocks(const BrModel *m, BriPile *p, size_t blocks, BriArrayWork work) {
    const BriArray arrays[] = {BRI_ARRAY(p->scale, blocks),     BRI_ARRAY(p->block, blocks), BRI_ARRAY(p->C, blocks),
                               BRI_ARRAY(p->D, blocks),         BRI_ARRAY(p->node, blocks),  BRI_ARRAY(p->edge, blocks),
                               BRI_ARRAY(p->block_edge, blocks)};
    return bri_work_arrays(&m->allocator, arrays, BRI_COUNT(arrays), work);
}

static bool work_joint_rows(const BrModel *m, BriPile *p, size_t rows, BriArrayWork work) {
    size_t numbers = work == BRI_MAKE ? BRI_ROW * (size_t)m->rows : 0;
    const BriArray arrays[] = {BRI_ARRAY(p->q, rows), BRI_ARRAY(p->r, rows), BRI_ARRAY(p->joint_C, numbers),
                               BRI_ARRAY(p->joint_D, numbers)};
    return bri_work_arrays(&m->allocator, arrays, BRI_COUNT(arrays), work);
}

void bri_pile_release(const BrModel *m, BriPile *p) {
    if (!p) return;
    work_nodes(m, p, 0, BRI_RELEASE);
    work_blocks(m, p, 0, BRI_RELEASE);
    work_joint_rows(m, p, 0, BRI_RELEASE);
    bri_release(&m->allocator, p->drag);
    bri_release(&m->allocator, p->compliance);
    bri_release(&m->allocator, p->scratch);
    bri_block_lu_release(&p->lu, &m->allocator);
    bri_release(&m->allocator, p);
}

int64_t bri_pile_factor_bytes(const BriPile *p) {
    const BriBlockLu *lu = &p->lu;
    return (int64_t)sizeof(double) * (lu->lower_capacity + lu->upper_capacity + lu->pivot_capacity +
                                      lu->layout.matrix_capacity + lu->layout.factor_capacity);
}

typedef bool Arrays(const BrModel *m, BriPile *p, size_t count, BriArrayWork work);

/* Arrays for `count` elements, the first of them of `size` bytes each, where there is room for *room. What stands in them
 * is lost. false: no memory. */
static bool make_arrays(const BrModel *m, BriPile *p, Arrays *arrays, int count, size_t size, int *room) {
    if (count <= *room) return true;
    int more = (int)bri_with_spare(count, size);
    arrays(m, p, 0, BRI_RELEASE);
    *room = 0;
    if (!arrays(m, p, (size_t)more, BRI_MAKE)) return false;
    *room = more;
    return true;
}

static bool make_blocks(const BrModel *m, BriPile *p, int blocks) {
    return make_arrays(m, p, work_blocks, blocks, sizeof *p->block, &p->block_room);
}

static bool make_joint_rows(const BrModel *m, BriPile *p, int rows) {
    return make_arrays(m, p, work_joint_rows, rows, sizeof *p->q, &p->joint_room);
}

/* Room for so many doubles in *array. */
static bool make_doubles(const BrModel *m, double **array, int *room, int count) {
    int64_t capacity = *room;
    bool fine = bri_make_numbers((void **)array, &capacity, &m->allocator, count, sizeof **array);
    *room = (int)capacity;
    return fine;
}

/* `factors`: also for methods that have one. */
static bool make_scratch(const BrModel *m, BriPile *p, bool factors) {
    int64_t capacity = (int64_t)p->scratch_room, needed = (int64_t)bri_ladder_scratch(&p->network, factors);
    bool fine = bri_make_numbers((void **)&p->scratch, &capacity, &m->allocator, needed, sizeof *p->scratch);
    p->scratch_room = (size_t)capacity;
    return fine;
}

/* Room for a factor whose nodes touch the `reach` before them, each several times over. */
static bool reserve_factor(const BrModel *m, BriPile *p, int nodes, int reach) {
    int edges = 0;
    for (int a = 0; a < nodes; a++)
        for (int b = 0; b < 2 * reach && b < 2 * a && edges < p->block_room; b++, edges++)
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
    int some = all < ROWS ? all : ROWS;
    if (!make_blocks(m, p, some) || !make_doubles(m, &p->drag, &p->drag_room, BRI_ROW * some) ||
        !make_doubles(m, &p->compliance, &p->yield_room, some) || (m->rows && !make_joint_rows(m, p, some)))
        return false;
    p->network = (BriNetwork){.nodes = nodes, .rows = p->block_room, .blocks = p->block_room};
    return make_scratch(m, p, true) && reserve_factor(m, p, nodes, nodes) && reserve_factor(m, p, nodes, 4) &&
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
    p->mass[node] = b->mass;
    p->inverse_mass[node] = b->inverse_mass;
    memcpy(p->inertia + 9 * (size_t)node, b->inertia.m, sizeof b->inertia.m);
    memcpy(p->inverse_inertia + 9 * (size_t)node, b->inverse_inertia.m, sizeof b->inverse_inertia.m);
    return node;
}

static void take_nodes(const BrModel *m, BriPile *p, const BriUnit *unit, int node[2]) {
    node[0] = take_node(m, p, unit->a);
    node[1] = take_node(m, p, unit->b);
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

/* Blocks that stand between the same two nodes; the rows of the first begin at C and D, the others' follow. */
static void place_blocks(BriPile *p, int count, const int node[2], int edge, const double *C, const double *D) {
    BriNetwork *n = &p->network;
    for (int i = 0; i < count; i++, n->blocks++) {
        memcpy(p->node[n->blocks], node, sizeof p->node[0]);
        p->block_edge[n->blocks] = edge;
        p->C[n->blocks] = C;
        p->D[n->blocks] = D;
        C += BRI_ROW * p->block[n->blocks].rows;
        D += BRI_ROW * p->block[n->blocks].rows;
    }
}

/* Rows of bounded friction yield. */
static void note_compliance(const BriContact *contact, double *compliance) {
    const BriFrictionRows *limits = contact->ask.limits;
    for (int i = 0; contact->ask.bounded && i < 2; i++)
        if (limits->compliance[i] <= 1e300) compliance[1 + i] = limits->compliance[i];
}

/* ------------------------------------------------------------------ parts */

/* How many times a pile's bodies are halved. */
static int count_levels(int nodes) {
    const int LEAST = 256; /* nodes of a part, with some 600 contacts: what a thread takes at a time, some 30 us */
    int levels = 0;
    while (levels < BRI_MOST_LEVELS && nodes >> (levels + 1) >= LEAST) levels++;
    return levels;
}

/* Bodies in parts, by where they were when the step began. */
static void find_parts(const BriStep *step, BriPile *p, int levels) {
    int nodes = p->network.nodes;
    BriPoint *point = (BriPoint *)(void *)p->v; /* which is written later */
    const BriBodyState *bodies = bri_state_bodies(step->start);
    for (int i = 0; i < nodes; i++) {
        BrVec3 r = bodies[p->body[i]].r;
        point[i] = (BriPoint){{r.x, r.y, r.z}, i};
    }
    bri_halve_points(point, nodes, levels);
    for (int part = 0, i = 0; part < 1 << levels; part++)
        for (int end = bri_first_point(nodes, levels, part + 1); i < end; i++) p->part[point[i].owner] = part;
}

/* The nodes on one side of the first cut that have an edge across it, of the side that has fewer. */
static int count_cut(BriPile *p, int levels) {
    unsigned char *touches = (unsigned char *)(void *)p->v; /* which is written later */
    int count[2] = {0, 0};
    memset(touches, 0, (size_t)p->network.nodes);
    for (int e = 0; e < p->network.edges; e++) {
        int a = p->edge[e][0], b = p->edge[e][1];
        if (p->part[a] >> (levels - 1) != p->part[b] >> (levels - 1)) touches[a] = touches[b] = 1;
    }
    for (int i = 0; i < p->network.nodes; i++) count[p->part[i] >> (levels - 1)] += touches[i];
    return count[0] < count[1] ? count[0] : count[1];
}

/* The bundle of a unit whose nodes have their numbers. */
static int find_bundle(const BrModel *m, BriPile *p, const BriUnit *unit, int levels) {
    int node[2];
    take_nodes(m, p, unit, node);
    int a = node[0] >= 0 ? node[0] : node[1], b = node[1] >= 0 ? node[1] : node[0];
    return bri_find_bundle(levels, p->part[a], p->part[b]);
}

/* Units of a large pile by bundles, in each in their own order; bundles->begin counts units then. */
static void order_units(const BriStep *step, BriPile *p, const BriUnit *unit, int units, int levels, int *order) {
    int at[BRI_MOST_BUNDLES + 1] = {0}, *bundle = p->block_edge; /* which is written later */
    find_parts(step, p, levels);
    p->cut = count_cut(p, levels);
    bri_bundles_set_stages(&p->bundles, levels);
    for (int i = 0; i < units; i++) {
        bundle[i] = find_bundle(step->model, p, &unit[i], levels);
        at[bundle[i] + 1]++;
    }
    for (int i = 0; i < BRI_MOST_BUNDLES; i++) at[i + 1] += at[i];
    memcpy(p->bundles.begin, at, sizeof p->bundles.begin);
    for (int i = 0; i < units; i++) order[at[bundle[i]]++] = i;
    p->network.bundles = &p->bundles;
}

/* ------------------------------------------------------------------ units and joints */

/* A loop over the units of an island. */
typedef struct Adding {
    const BriStep *step;
    BriPile *pile;
    const BriIsland *island;
    bool free;    /* whatever they are, as rows that hold */
    double *drag; /* where directions of the next may be written */
} Adding;

static void add_unit(Adding *l, const BriUnit *unit, int edge) {
    BriContacts *c = l->step->ws->contacts;
    BriPile *p = l->pile;
    BriNetwork *n = &p->network;
    int row = unit->row - l->island->first, blocks = 1, node[2];
    if (l->free)
        p->block[n->blocks] = (BriBlock){.set = BRI_SET_FREE, .first = row, .rows = unit->rows};
    else
        blocks = bri_unit_blocks(c, unit, row, &p->block[n->blocks]);
    const double *D = bri_unit_directions(c, unit, l->drag);
    if (D == l->drag) l->drag += BRI_ROW * unit->rows;
    take_nodes(l->step->model, p, unit, node);
    place_blocks(p, blocks, node, edge, c->C + BRI_ROW * unit->first, D);
    if (!n->compliance || l->free) return;
    if (unit->contact >= 0)
        note_compliance(&c->contact[unit->contact], p->compliance + row);
    else
        p->compliance[row] = c->bound[-1 - unit->contact].yield;
}

/* Contacts and bounds: of a small pile one after the other, of a large one bundle by bundle. Nodes and edges are numbered
 * in the order of units in either case, so that a factor's layout does not change with the parts. */
static void add_units(const BriStep *step, BriPile *p, const BriIsland *island, bool free) {
    const BriUnit *unit = step->ws->contacts->unit + island->begin;
    int units = island->end - island->begin;
    int *edge = (int *)(void *)p->scale, *order = edge + units; /* scales are written later */
    Adding loop = {step, p, island, free, p->drag};
    for (int i = 0; i < units; i++) {
        int node[2];
        take_nodes(step->model, p, &unit[i], node);
        edge[i] = take_edge(p, node);
    }
    p->cut = 0;
    int levels = count_levels(p->network.nodes), bundles = bri_first_bundle(levels, levels + 1);
    if (levels > 0) order_units(step, p, unit, units, levels, order);
    for (int bundle = 0, i = 0; bundle < bundles; bundle++) {
        int end = levels > 0 ? p->bundles.begin[bundle + 1] : units;
        p->bundles.begin[bundle] = p->network.blocks;
        for (; i < end; i++) {
            int k = levels > 0 ? order[i] : i;
            add_unit(&loop, &unit[k], edge[k]);
        }
    }
    p->bundles.begin[bundles] = p->network.blocks;
    p->network.rows = island->rows;
}

/* What a joint's row has beside the velocities of bodies that can be pushed: m/s. */
static double find_drive(const BrModel *m, const BriSpan *span, const BriJoint *j, int row) {
    double q = -span->target[row];
    if (m->body[j->a].node < 0) q += bri_row_rate(span->C->a + 6 * row, &span->bodies[j->a]);
    if (m->body[j->b].node < 0) q += bri_row_rate(span->C->b + 6 * row, &span->bodies[j->b]);
    return q;
}

/* The rows of a joint that hold: one block of those that follow each other. A coupling of more than two bodies is left to the
 * solves after this one, which find what its part in W was. */
static void add_joint(const BriStep *step, BriPile *p, const BriSpan *span, int joint) {
    const BrModel *m = step->model;
    const BriSystem *system = &step->ws->system;
    const BriJacobian *D = span ? span->D : &system->J, *C = span ? span->C : &system->J;
    const BriJoint *j = &m->joint[joint];
    BriNetwork *n = &p->network;
    int first = n->rows;
    if (j->coupling && j->coupling->more[0] >= 0) return;
    double *own_C = p->joint_C + BRI_ROW * j->first_row, *own_D = p->joint_D + BRI_ROW * j->first_row;
    for (int r = 0; r < j->rows; r++) {
        int row = j->first_row + r;
        if (system->factor_off[joint] >> r & 1) continue;
        double *to_C = own_C + BRI_ROW * (n->rows - first), *to_D = own_D + BRI_ROW * (n->rows - first);
        memcpy(to_D, D->a + 6 * row, 6 * sizeof(double));
        memcpy(to_D + 6, D->b + 6 * row, 6 * sizeof(double));
        memcpy(to_C, C->a + 6 * row, 6 * sizeof(double));
        memcpy(to_C + 6, C->b + 6 * row, 6 * sizeof(double));
        if (n->compliance && m->servos) p->compliance[n->rows] = system->yield[row];
        p->q[n->rows] = span ? find_drive(m, span, j, row) : 0;
        p->r[n->rows++] = span ? span->p[row] : 0;
    }
    if (n->rows == first) return;
    p->block[n->blocks] = (BriBlock){.set = BRI_SET_FREE, .first = first, .rows = n->rows - first};
    int node[2] = {take_node(m, p, j->a), take_node(m, p, j->b)};
    place_blocks(p, 1, node, take_edge(p, node), own_C, own_D);
}

static bool is_of_island(const BriStep *step, const BriJoint *j, int island) {
    const BrModel *m = step->model;
    int body = m->body[j->a].node >= 0 ? j->a : j->b;
    return m->body[body].node >= 0 && bri_look_up_root(step->ws->contacts->root, body) == island;
}

/* Room for all that is as long as its rows and blocks. */
static bool make_room(BriStep *step, BriPile *p, const BriIsland *island) {
    const BrModel *m = step->model;
    const BriContacts *c = step->ws->contacts;
    int rows = island->rows + m->rows, drags = 0;
    for (int k = island->begin; k < island->end; k++) drags += c->unit[k].drags ? c->unit[k].rows : 0;
    int blocks = c->has_bounded ? island->rows : island->end - island->begin; /* bounded friction is three */
    return make_blocks(m, p, blocks + m->joints) && make_doubles(m, &p->drag, &p->drag_room, BRI_ROW * drags) &&
           (!c->complies || make_doubles(m, &p->compliance, &p->yield_room, rows)) &&
           (!m->rows || make_joint_rows(m, p, rows));
}

/* Where q and r of the network stand: joints' rows come behind those of the island. */
static double *find_q(const BrModel *m, const BriContacts *c, const BriIsland *island) {
    return m->rows ? c->desk.pile->q : c->q + island->first;
}
static double *find_r(const BrModel *m, const BriContacts *c, const BriIsland *island) {
    return m->rows ? c->desk.pile->r : c->r + island->first;
}

static void scale_share(void *loop, const BriShare *share) {
    BriPile *p = loop;
    for (int k = share->begin; k < share->end; k++) p->scale[k] = bri_network_scale(&p->network, k);
}

/* The network of an island but for q of its units and the free velocities. */
static bool build(BriStep *step, const BriSpan *span, const BriIsland *island, bool free) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    BriPile *p = c->desk.pile;
    size_t rows = (size_t)island->rows + (size_t)m->rows;
    if (!make_room(step, p, island)) return false;
    if (c->complies) memset(p->compliance, 0, rows * sizeof *p->compliance);
    if (m->rows) memcpy(p->r, c->r + island->first, (size_t)island->rows * sizeof *p->r);
    for (int i = 0; i < m->moving; i++) p->local[i] = -1;
    p->network = (BriNetwork){.block = p->block,
                              .node = (const int(*)[2])p->node,
                              .C_at = p->C,
                              .D_at = p->D,
                              .q = find_q(m, c, island),
                              .mass = p->mass,
                              .inertia = p->inertia,
                              .inverse_mass = p->inverse_mass,
                              .inverse_inertia = p->inverse_inertia,
                              .edge = (const int(*)[2])p->edge,
                              .block_edge = p->block_edge,
                              .compliance = c->complies ? p->compliance : NULL,
                              .budget = step->budget,
                              .threads = step->def->threads};
    add_units(step, p, island, free);
    for (int k = 0; k < p->network.blocks; k++) p->network.creeps = p->network.creeps || p->block[k].creep > 0;
    for (int k = 0; k < m->joints; k++)
        if (is_of_island(step, &m->joint[k], c->unit[island->begin].island)) add_joint(step, p, span, k);
    if (p->network.bundles) bri_bundles_close(&p->bundles, p->network.blocks);
    bri_share(step->def->threads, p->network.blocks, scale_share, p);
    p->network.scale = p->scale;
    return true;
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

/* Whatever its order, a factor ends with a dense triangle of about as many nodes as separate the halves of what it is
 * of: the least operations that it may take, without its layout. */
static double find_least_work(const BriPile *p) {
    double rows = 6. * p->cut;
    return rows * rows * rows / 3;
}

/* The factor's layout, and room for its numbers if they may be asked for: of a large heap they would be twenty times all
 * the rest. NULL: it is too large, or there is no memory, or the layout alone would take what contacts may cost. */
static BriBlockLu *lay_out_factor(const BrModel *m, BriPile *p, BriLadder kind, double may_cost) {
    const double LAYOUT = 1e4;              /* operations per node: its order, and where its blocks lie */
    const double FAR = 2 * BRI_LADDER_WORK; /* a factor so dear will not be asked for soon */
    const int64_t MUCH = 1 << 20;           /* numbers of L, 8 MB: less is left for the small islands beside a large */
    const BriNetwork *n = &p->network;
    BriBlockLu *lu = &p->lu;
    if (LAYOUT * n->nodes > may_cost) return NULL;
    bool far = find_least_work(p) > BRI_LADDER_WORK;
    BriAnalysis analysis =
        far ? BRI_ANALYSIS_TOO_LARGE
            : bri_cholesky_lay_out(&lu->layout, &m->allocator, n->nodes, n->edges, n->edge, MOST_BLOCKS);
    if ((far || lu->layout.factor_work > FAR) && lu->layout.factor_capacity > MUCH) {
        bri_block_lu_give_back(lu, &m->allocator);
        bri_release(&m->allocator, p->scratch); /* of methods with a factor; sweeps need half as much */
        p->scratch = NULL;
        p->scratch_room = 0;
    }
    if (analysis == BRI_ANALYSIS_DONE && bri_ladder_may_factor(n, &lu->layout, kind))
        analysis = bri_block_lu_make_room(lu, &m->allocator);
    return analysis == BRI_ANALYSIS_DONE ? lu : NULL;
}

/* r of an island. Returns the residual, in tolerances. */
static double solve(BriStep *step, const BriIsland *island, bool linear) {
    /* a matrix stands behind it; but what hem2 could not solve is hard, and there the network's other rungs cost less */
    bool matrix = island->rows <= BRI_SOME_ROWS && (step->model->joints || !step->group);
    bool hasty = step->has_other_way || matrix;
    BriLadder kind = linear ? BRI_LADDER_LINEAR : hasty ? BRI_LADDER_HASTY : BRI_LADDER_WHOLE;
    BriContacts *c = step->ws->contacts;
    BriPile *p = c->desk.pile;
    double tolerance = c->unit[island->begin].tolerance, *r = find_r(step->model, c, island);
    const double PUSHING = 0.25; /* of what contacts may cost is for displacements, whatever velocities took */
    BriBudget budget = bri_open_problem(step);
    if (linear && budget.most < PUSHING * step->def->contact_work) budget.most = PUSHING * step->def->contact_work;
    p->network.budget = &budget;
    BriBlockLu *lu = lay_out_factor(step->model, p, kind, budget.most);
    if (!make_scratch(step->model, p, lu && lu->layout.has_room)) return __builtin_inf();
    BriSolverReport report;
    BriAnswer answer = bri_solve_ladder(&p->network, lu, kind, 0.5 * tolerance, r, p->v, p->scratch, &report);
    bri_close_problem(step, &budget);
    if (step->model->rows) memcpy(c->r + island->first, r, sizeof(double) * (size_t)island->rows);
    note_scales(c, island, &p->network);
    step->report->solver_iterations += report.iterations;
    step->report->solver = bri_stronger_solver(step->report->solver, report.solver);
    double times = report.certificate.residual / tolerance;
    return answer == BRI_SOLVED ? bri_min(times, 1) : times; /* what masses round to may be more */
}

typedef struct Measuring {
    const BriStep *step;
    const BriBodyState *bodies;
    int begin; /* the first unit */
} Measuring;

/* q: u without what the bodies that can be pushed do. */
static void measure_share(void *loop, const BriShare *share) {
    const Measuring *l = loop;
    const BrModel *m = l->step->model;
    const BriContacts *c = l->step->ws->contacts;
    const BriBodyState *bodies = l->bodies;
    for (int k = l->begin + share->begin; k < l->begin + share->end; k++) {
        const BriUnit *unit = &c->unit[k];
        for (int r = 0; r < unit->rows; r++) {
            const double *C = c->C + BRI_ROW * (unit->first + r);
            double *q = &c->q[unit->row + r];
            *q = c->u[unit->row + r];
            if (m->body[unit->a].node >= 0) *q -= bri_row_rate(C, &bodies[unit->a]);
            if (m->body[unit->b].node >= 0) *q -= bri_row_rate(C + 6, &bodies[unit->b]);
        }
    }
}

double bri_pile_solve_velocities(BriStep *step, const BriSpan *span, const BriBodyState *bodies,
                                 const BriIsland *island) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    BriPile *p = c->desk.pile;
    Measuring loop = {step, bodies, island->begin};
    if (!build(step, span, island, false)) return __builtin_inf();
    bri_share(step->def->threads, island->end - island->begin, measure_share, &loop);
    if (c->complies) bri_island_add_compliance(c, island, NULL, c->q);
    if (m->rows) memcpy(p->q, c->q + island->first, sizeof(double) * (size_t)island->rows);
    set_velocities(p, c->free);
    return solve(step, island, false);
}

double bri_pile_solve_from_rest(BriStep *step, const BriIsland *island) {
    BriContacts *c = step->ws->contacts;
    BriPile *p = c->desk.pile;
    if (!build(step, NULL, island, false)) return __builtin_inf();
    if (step->model->rows) memcpy(p->q, c->q + island->first, sizeof(double) * (size_t)island->rows);
    memset(p->v, 0, 6 * (size_t)p->network.nodes * sizeof(double));
    return solve(step, island, false);
}

void bri_pile_solve_linear(BriStep *step, const BriIsland *island) {
    BriContacts *c = step->ws->contacts;
    BriPile *p = c->desk.pile;
    if (!build(step, NULL, island, true)) return;
    double largest = 0, *q = find_q(step->model, c, island), *r = find_r(step->model, c, island);
    for (int i = 0; i < island->rows; i++) {
        q[i] = -c->q[island->first + i];
        r[i] = 0;
        largest = bri_max(largest, bri_abs(q[i]));
    }
    memset(p->v, 0, 6 * (size_t)p->network.nodes * sizeof(double));
    const double PART = 1e-8, LITTLE = 1e-2; /* of the largest; of what counts as none */
    double none = BRI_CLOSED;
    for (int k = island->begin; k < island->end; k++) none = bri_min(none, c->contact[c->unit[k].contact].at.nothing);
    for (int k = island->begin; k < island->end; k++) c->unit[k].tolerance = bri_max(PART * largest, LITTLE * none);
    solve(step, island, true);
}
