/* contact_solve.c: joints and contacts in one solve.
 *
 * Joints are eliminated by the saddle factor K: the contacts' problem is u = W r + q, W = C K^-1 D^T (7.1). Velocities
 * are v = free + K^-1 D^T r with the joints' own answer found anew for every r, so that u below is what the bodies
 * really do; q = u - W r absorbs whatever W leaves out (conditions at another pose than the factor, motors at their
 * bounds), and the problem is solved again until the certificate, made with that u, holds. Without joints W is exact:
 * one pass. */
#include "linalg/dense.h"
#include "problem/polygon.h"
#include "step/contact.h"

#include <string.h>

enum { MOST_JOINT_PASSES = 12, MOST_ROUNDS = 8, MOST_SWEEPS = 1000, PROJECTION_SWEEPS = 50 };

/* ------------------------------------------------------------------ units and islands */

static int find_root(int *root, int i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
}

static void join(const BrModel *m, int *root, int a, int b) {
    if (m->body[a].node < 0 || m->body[b].node < 0) return;
    a = find_root(root, a), b = find_root(root, b);
    if (a < b)
        root[b] = a;
    else
        root[a] = b;
}

static void add_unit(BriContacts *c, int a, int b, int contact, int rows, int first) {
    c->unit[c->units++] = (BriUnit){.a = a, .b = b, .contact = contact, .rows = rows, .first = first};
}

static int compare_units(const void *a, const void *b) {
    const BriUnit *x = a, *y = b;
    if (x->island != y->island) return x->island < y->island ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* The active contacts and bounds, in order of islands: those that share no moving body, not even through joints, are
 * solved apart. */
static void gather_units(const BriStep *step) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    c->units = 0;
    for (int k = 0; k < c->count; k++)
        if (c->contact[k].active)
            add_unit(c, c->contact[k].a, c->contact[k].b, k, c->contact[k].one_row ? 1 : 3, 3 * k);
    for (int k = 0; k < c->bounds; k++) {
        const BriJoint *j = &m->joint[c->bound[k].joint];
        add_unit(c, j->a, j->b, -1 - k, 1, 3 * c->count + k);
    }
    if (c->units > 1) {
        for (int i = 0; i < m->bodies; i++) c->root[i] = i;
        for (int k = 0; k < m->joints; k++) join(m, c->root, m->joint[k].a, m->joint[k].b);
        for (int k = 0; k < c->units; k++) join(m, c->root, c->unit[k].a, c->unit[k].b);
        for (int k = 0; k < c->units; k++)
            c->unit[k].island = find_root(c->root, m->body[c->unit[k].a].node < 0 ? c->unit[k].b : c->unit[k].a);
        bri_sort(c->unit, (size_t)c->units, sizeof *c->unit, compare_units);
    }
    for (int k = 0, row = 0; k < c->units; row += c->unit[k++].rows) c->unit[k].row = row;
}

/* Units from `begin` to `end` that are solved together. */
typedef struct Island {
    int begin, end;  /* units */
    int first, rows; /* rows */
} Island;

static Island find_island(const BriContacts *c, int begin) {
    Island island = {.begin = begin, .end = begin, .first = c->unit[begin].row};
    while (island.end < c->units && c->unit[island.end].island == c->unit[begin].island)
        island.rows += c->unit[island.end++].rows;
    return island;
}

/* ------------------------------------------------------------------ rows */

static void apply_inverse_mass(const BriBody *body, const double *f, double *v) {
    const BrMat3 *I = &body->inverse_inertia;
    for (int k = 0; k < 3; k++) {
        v[k] = body->inverse_mass * f[k];
        v[3 + k] = I->m[k][0] * f[3] + I->m[k][1] * f[4] + I->m[k][2] * f[5];
    }
}

/* Directions of impulses of all units: rows of D, or the one of friction along a known slip, n - mu d. */
static void fill_directions(const BriStep *step) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->units; k++) {
        const BriUnit *unit = &c->unit[k];
        double *E = c->E + BRI_ROW * unit->row;
        const double *D = c->D + BRI_ROW * unit->first;
        memcpy(E, D, sizeof(double) * BRI_ROW * (size_t)unit->rows);
        if (unit->contact >= 0 && c->contact[unit->contact].one_row) {
            const BriContact *contact = &c->contact[unit->contact];
            double d1 = contact->drag * bri_dot(contact->direction, bri_column(&contact->push_frame, 1));
            double d2 = contact->drag * bri_dot(contact->direction, bri_column(&contact->push_frame, 2));
            for (int i = 0; i < BRI_ROW; i++) E[i] -= d1 * D[BRI_ROW + i] + d2 * D[2 * BRI_ROW + i];
        }
        for (int r = 0; r < unit->rows; r++) {
            double *from = E + BRI_ROW * r, *to = c->ME + BRI_ROW * (unit->row + r);
            apply_inverse_mass(&m->body[unit->a], from, to);
            apply_inverse_mass(&m->body[unit->b], from + 6, to + 6);
        }
    }
}

static double dot6(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

/* C_i . M^-1 E_j over the bodies that both units have. */
static double couple(const BriUnit *i, const double *C, const BriUnit *j, const double *ME) {
    double sum = 0;
    if (i->a == j->a) sum += dot6(C, ME);
    if (i->a == j->b) sum += dot6(C, ME + 6);
    if (i->b == j->a) sum += dot6(C + 6, ME);
    if (i->b == j->b) sum += dot6(C + 6, ME + 6);
    return sum;
}

/* x += factor E on the moving bodies of a unit. */
static void spread(const BrModel *m, const BriUnit *unit, const double *E, double factor, double *x) {
    int nodes[2] = {m->body[unit->a].node, m->body[unit->b].node};
    for (int e = 0; e < 2; e++)
        for (int k = 0; nodes[e] >= 0 && k < 6; k++) x[6 * nodes[e] + k] += factor * E[6 * e + k];
}

/* Without joints: W = C M^-1 E^T from the bodies that units share. Where conditions stand at the pose of the forces W
 * is symmetric, and half of it is enough. */
static void assemble_free(const BriContacts *c, const Island *island) {
    int rows = island->rows, first = island->first;
    for (int i = island->begin; i < island->end; i++) {
        const BriUnit *to = &c->unit[i];
        bool mirror = c->one_pose;
        for (int j = island->begin; j < island->end; j++) {
            const BriUnit *from = &c->unit[j];
            bool skew = to->rows != 3 || from->rows != 3; /* one-row units push along another direction */
            if (mirror && j < i && !skew) continue;
            for (int r = 0; r < to->rows; r++)
                for (int s = 0; s < from->rows; s++)
                    c->W[(to->row - first + r) * rows + from->row - first + s] =
                        couple(to, c->C + BRI_ROW * (to->first + r), from, c->ME + BRI_ROW * (from->row + s));
            for (int r = 0; mirror && !skew && j > i && r < 3; r++)
                for (int s = 0; s < 3; s++)
                    c->W[(from->row - first + s) * rows + to->row - first + r] =
                        c->W[(to->row - first + r) * rows + from->row - first + s];
        }
    }
}

/* With joints: a column of W is what the whole machine does under one unit impulse. */
static void assemble_jointed(const BriStep *step, const Island *island) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    int rows = island->rows, first = island->first;
    for (int j = island->begin; j < island->end; j++)
        for (int s = 0; s < c->unit[j].rows; s++) {
            const BriUnit *from = &c->unit[j];
            memset(c->x, 0, (6 * (size_t)m->moving + (size_t)m->rows) * sizeof(double));
            spread(m, from, c->E + BRI_ROW * (from->row + s), 1, c->x);
            bri_ldl_solve(&step->ws->system.ldl, c->x);
            for (int i = island->begin; i < island->end; i++)
                for (int r = 0; r < c->unit[i].rows; r++) {
                    const BriUnit *to = &c->unit[i];
                    const double *C = c->C + BRI_ROW * (to->first + r);
                    int a = m->body[to->a].node, b = m->body[to->b].node;
                    double sum = 0;
                    if (a >= 0) sum += dot6(C, c->x + 6 * a);
                    if (b >= 0) sum += dot6(C + 6, c->x + 6 * b);
                    c->W[(to->row - first + r) * rows + from->row - first + s] = sum;
                }
        }
}

static void assemble(const BriStep *step, const Island *island) {
    if (step->model->joints)
        assemble_jointed(step, island);
    else
        assemble_free(step->ws->contacts, island);
}

/* ------------------------------------------------------------------ velocities and impulses */

static double row_rate(const double *C, const BriBodyState *a, const BriBodyState *b) {
    return bri_row_rate(C, a) + bri_row_rate(C + 6, b);
}

/* u of every row with its offsets. */
static void measure(const BriStep *step, const BriBodyState *bodies) {
    BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->units; k++) {
        const BriUnit *unit = &c->unit[k];
        const BriBodyState *a = &bodies[unit->a], *b = &bodies[unit->b];
        double *u = c->u + unit->row;
        const double *C = c->C + BRI_ROW * unit->first;
        for (int r = 0; r < unit->rows; r++) u[r] = row_rate(C + BRI_ROW * r, a, b);
        if (unit->contact < 0) {
            u[0] += c->bound[-1 - unit->contact].offset;
            continue;
        }
        const BriContact *contact = &c->contact[unit->contact];
        BrVec3 tangent = bri_add(contact->belt, contact->tangent_offset);
        u[0] += contact->normal_offset;
        for (int r = 1; r < unit->rows; r++) u[r] += bri_dot(bri_column(&contact->frame, r), tangent);
    }
}

/* bodies = free + all impulses, joints answering. */
static bool push_all(BriStep *step, const BriSpan *span) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    for (int n = 0; n < m->moving; n++) {
        int i = m->moving_body[n];
        span->bodies[i].v = c->free[i].v;
        span->bodies[i].w = c->free[i].w;
    }
    for (int k = 0; k < c->units; k++) {
        const BriUnit *unit = &c->unit[k];
        BriBodyState *a = &span->bodies[unit->a], *b = &span->bodies[unit->b];
        for (int r = 0; r < unit->rows; r++) {
            double p = c->r[unit->row + r];
            const double *d = c->ME + BRI_ROW * (unit->row + r);
            a->v = bri_add_scaled(a->v, p, bri_vec(d[0], d[1], d[2]));
            a->w = bri_add_scaled(a->w, p, bri_vec(d[3], d[4], d[5]));
            b->v = bri_add_scaled(b->v, p, bri_vec(d[6], d[7], d[8]));
            b->w = bri_add_scaled(b->w, p, bri_vec(d[9], d[10], d[11]));
        }
    }
    return !m->joints || bri_constrain_rates(step, span->D, span->C, span->target, span->span, span->bodies, span->p);
}

/* ------------------------------------------------------------------ the problem of one island */

static BriBlock make_box(int row, double lower, double upper) {
    return (BriBlock){.set = BRI_SET_BOX, .first = row, .rows = 1, .lower = lower, .upper = upper};
}

/* Blocks of the units; rows count from the island's first. Returns their number. */
static int fill_blocks(const BriStep *step, const Island *island) {
    BriContacts *c = step->ws->contacts;
    double none = __builtin_inf();
    int count = 0;
    for (int k = island->begin; k < island->end; k++) {
        const BriUnit *unit = &c->unit[k];
        const BriContact *contact = unit->contact >= 0 ? &c->contact[unit->contact] : NULL;
        const BriBoundRow *bound = contact ? NULL : &c->bound[-1 - unit->contact];
        int row = unit->row - island->first;
        if (bound)
            c->block[count++] = make_box(row, bound->lower, bound->upper);
        else if (contact->one_row)
            c->block[count++] = make_box(row, 0, none);
        else if (!contact->bounded)
            c->block[count++] = (BriBlock){.set = BRI_SET_CONE, .first = row, .rows = 3, .mu = contact->mu};
        else {
            c->block[count++] = make_box(row, 0, none);
            for (int i = 0; i < 2; i++) {
                double most = contact->limits.compliance[i] <= 1e300 ? contact->limits.bound : 0;
                c->block[count++] = make_box(row + 1 + i, -most, most);
            }
        }
    }
    return count;
}

/* Bounded friction is elastic: u + compliance (r - offset). Adds that to u of the tangential rows. */
static void add_compliance(const BriContacts *c, const Island *island, const double *r, double *u) {
    for (int k = island->begin; k < island->end; k++) {
        const BriUnit *unit = &c->unit[k];
        if (unit->contact < 0 || !c->contact[unit->contact].bounded) continue;
        const BriBristleRows *limits = &c->contact[unit->contact].limits;
        for (int i = 0; i < 2; i++)
            if (limits->compliance[i] <= 1e300)
                u[unit->row + 1 + i] += limits->compliance[i] * (r[unit->row + 1 + i] - limits->offset[i]);
    }
}

static void add_compliance_to_matrix(BriContacts *c, const Island *island) {
    for (int k = island->begin; k < island->end; k++) {
        const BriUnit *unit = &c->unit[k];
        if (unit->contact < 0 || !c->contact[unit->contact].bounded) continue;
        for (int i = 0; i < 2; i++) {
            int row = unit->row - island->first + 1 + i;
            double compliance = c->contact[unit->contact].limits.compliance[i];
            if (compliance <= 1e300) c->W[row * island->rows + row] += compliance;
        }
    }
}

static void note_solver(BriStep *step, const BriSolverReport *report) {
    step->report.solver_iterations += report->iterations;
    if (!step->report.solver) step->report.solver = report->solver;
}

/* Room for the polygonal problem; grows when the first such step is made. false: no memory. */
static bool make_polygon_room(BriStep *step, int rows, int blocks) {
    const BrAllocator *allocator = &step->model->allocator;
    BriContacts *c = step->ws->contacts;
    if (rows <= c->polygon_rows) return true;
    bri_release(allocator, c->polygon);
    bri_release(allocator, c->polygon_block);
    c->polygon_rows = 0;
    c->polygon_block = bri_allocate(allocator, (size_t)blocks, sizeof *c->polygon_block);
    for (int k = 0; c->polygon_block && k < blocks; k++)
        c->polygon_block[k] = (BriBlock){.set = BRI_SET_BOX, .first = k, .rows = 1, .upper = 1};
    BriProblem widest = {.rows = rows, .stride = rows, .blocks = blocks, .block = c->polygon_block};
    size_t n = (size_t)rows;
    c->polygon = c->polygon_block
                     ? bri_allocate(allocator, n * n + 3 * n + bri_boxes_scratch(&widest), sizeof *c->polygon)
                     : NULL;
    if (!c->polygon) return false;
    c->polygon_rows = rows;
    return true;
}

/* The polygonal friction cone: a larger linear problem. */
static void solve_polygon(BriStep *step, const BriProblem *problem, double *r) {
    BriContacts *c = step->ws->contacts;
    BriSolverReport report;
    BriProblem linear;
    int sides = step->def->polygon_sides, cone = 0;
    for (int k = 0; k < problem->blocks; k++) {
        if (problem->block[k].set != BRI_SET_CONE) continue;
        const BriContact *contact = &c->contact[c->cone_contact[cone]];
        double x = bri_dot(contact->slip, bri_column(&contact->frame, 1)),
               y = bri_dot(contact->slip, bri_column(&contact->frame, 2));
        c->angle[cone++] = step->def->polygon_by_slip && x * x + y * y > 0 ? bri_atan2(-y, -x) : 0;
    }
    int rows = bri_polygon_rows(problem, sides);
    if (!make_polygon_room(step, rows, bri_polygon_blocks(problem, sides))) {
        step->polygon_residual = __builtin_inf();
        return;
    }
    double *W = c->polygon, *q = W + (size_t)rows * (size_t)rows, *z = q + rows, *scratch = z + 2 * rows;
    bri_polygon_build(problem, sides, c->angle, W, q, c->polygon_block, &linear);
    memset(z, 0, (size_t)rows * sizeof(double));
    bri_solve_boxes(&linear, 0.1 * step->contact_tolerance, z, scratch, &report);
    bri_polygon_read(problem, sides, c->angle, z, r);
    step->polygon_residual = bri_max(step->polygon_residual, report.certificate.residual);
    note_solver(step, &report);
}

/* The island's r, W and q being there. */
static void solve_island(BriStep *step, const Island *island) {
    BriContacts *c = step->ws->contacts;
    double *r = c->r + island->first;
    BriSolverReport report;
    BriProblem problem = {island->rows, c->W, island->rows, c->q + island->first, fill_blocks(step, island), c->block};
    for (int k = 0; k < problem.blocks; k++)
        c->scale[island->first + problem.block[k].first] = bri_block_scale(&problem, k);
    if (step->def->friction_set == BR_FRICTION_POLYGON && !c->has_bounded) {
        for (int k = island->begin, cone = 0; k < island->end; k++)
            if (c->unit[k].contact >= 0 && c->unit[k].rows == 3) c->cone_contact[cone++] = c->unit[k].contact;
        solve_polygon(step, &problem, r);
        return;
    }
    bri_solve(&problem, 0.1 * step->contact_tolerance, r, c->scratch, &report);
    note_solver(step, &report);
}

/* q = u - W r, then r anew. */
static void solve_dense(BriStep *step, const Island *island) {
    BriContacts *c = step->ws->contacts;
    double *r = c->r + island->first, *q = c->q + island->first;
    assemble(step, island);
    for (int i = 0; i < island->rows; i++) {
        double sum = c->u[island->first + i];
        for (int k = 0; k < island->rows; k++) sum -= c->W[i * island->rows + k] * r[k];
        q[i] = sum;
    }
    if (c->has_bounded) {
        add_compliance_to_matrix(c, island);
        for (int i = 0; i < island->rows; i++) c->zero[island->first + i] = 0;
        add_compliance(c, island, c->zero, c->q);
    }
    solve_island(step, island);
}

/* An island too large for a matrix: sweeps over its blocks (in c->block), bodies carrying the velocities large->v (6
 * per moving body); large->q is what rows have beside C v. r is a guess and the answer. Joints are not seen. */
static void sweep(BriStep *step, const Island *island, int blocks, int most) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    BriLarge *large = c->large;
    BriSolverReport report;
    int count = 0;
    for (int k = island->begin; k < island->end; k++) {
        const BriUnit *unit = &c->unit[k];
        int row = unit->row - island->first;
        memcpy(large->C + BRI_ROW * row, c->C + BRI_ROW * unit->first, sizeof(double) * BRI_ROW * (size_t)unit->rows);
        while (count < blocks && c->block[count].first < row + unit->rows) {
            large->node[count][0] = m->body[unit->a].node;
            large->node[count++][1] = m->body[unit->b].node;
        }
    }
    BriNetwork network = {.nodes = m->moving,
                          .inverse_mass = large->inverse_mass,
                          .inverse_inertia = large->inverse_inertia,
                          .rows = island->rows,
                          .blocks = blocks,
                          .block = c->block,
                          .node = (const int(*)[2])large->node,
                          .C = large->C,
                          .D = c->E + BRI_ROW * island->first,
                          .q = large->q};
    double tolerance = 0.1 * step->contact_tolerance;
    bri_solve_network(&network, tolerance, most, c->r + island->first, large->v, large->scratch, &report);
    for (int k = 0; k < blocks; k++) {
        double W[36], trace = 0;
        int rows = c->block[k].rows;
        bri_network_diagonal(&network, k, W);
        for (int i = 0; i < rows; i++) trace += W[i * rows + i];
        c->scale[island->first + c->block[k].first] = trace > 0 ? rows / trace : 1;
    }
    note_solver(step, &report);
}

/* From free velocities; u has the guess in it, as `bodies` do. */
static void solve_large(BriStep *step, const BriBodyState *bodies, const Island *island) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    for (int n = 0; n < m->moving; n++) {
        const BriBodyState *b = &c->free[m->moving_body[n]];
        double v[6] = {b->v.x, b->v.y, b->v.z, b->w.x, b->w.y, b->w.z};
        memcpy(c->large->v + 6 * n, v, sizeof v);
    }
    for (int k = island->begin; k < island->end; k++) {
        const BriUnit *unit = &c->unit[k];
        for (int r = 0; r < unit->rows; r++) {
            const double *C = c->C + BRI_ROW * (unit->first + r);
            double *q = &c->large->q[unit->row - island->first + r];
            *q = c->u[unit->row + r];
            if (m->body[unit->a].node >= 0) *q -= bri_row_rate(C, &bodies[unit->a]);
            if (m->body[unit->b].node >= 0) *q -= bri_row_rate(C + 6, &bodies[unit->b]);
        }
    }
    sweep(step, island, fill_blocks(step, island), MOST_SWEEPS);
}

/* From rest, with c->q as it stands; r starts at zero. */
static void sweep_from_rest(BriStep *step, const Island *island, int blocks, int most) {
    BriContacts *c = step->ws->contacts;
    memset(c->large->v, 0, 6 * (size_t)step->model->moving * sizeof(double));
    memset(c->r + island->first, 0, (size_t)island->rows * sizeof(double));
    memcpy(c->large->q, c->q + island->first, (size_t)island->rows * sizeof(double));
    sweep(step, island, blocks, most);
}

/* ------------------------------------------------------------------ all islands */

/* The worst block, with what the bodies really do. */
static double certify(BriStep *step, int *worst_unit) {
    BriContacts *c = step->ws->contacts;
    double worst = 0;
    *worst_unit = -1;
    for (int begin = 0; begin < c->units;) {
        Island island = find_island(c, begin);
        if (c->has_bounded) add_compliance(c, &island, c->r, c->u);
        int blocks = fill_blocks(step, &island);
        for (int k = 0; k < blocks; k++) {
            int row = island.first + c->block[k].first;
            double v = bri_block_residual(&c->block[k], c->r + row, c->u + row, c->scale[row]);
            if (v <= worst) continue;
            worst = v; /* NaN counts as worst */
            for (int i = island.begin; i < island.end; i++)
                if (c->unit[i].row <= row) *worst_unit = i;
        }
        begin = island.end;
    }
    return worst;
}

/* r from the last step's impulses: a guess. */
static void guess(const BriStep *step, double span) {
    BriContacts *c = step->ws->contacts;
    double scale = step->start->dt > 0 ? span / step->start->dt : 0;
    for (int k = 0; k < c->units; k++) {
        const BriUnit *unit = &c->unit[k];
        const BriContact *contact = unit->contact >= 0 ? &c->contact[unit->contact] : NULL;
        for (int r = 0; r < unit->rows; r++)
            c->r[unit->row + r] = contact ? scale * bri_dot(contact->impulse, bri_column(&contact->push_frame, r)) : 0;
    }
}

/* Impulses and velocities of every unit. */
static void read_answer(const BriStep *step, const BriBodyState *bodies) {
    BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->units; k++) {
        const BriUnit *unit = &c->unit[k];
        const double *r = c->r + unit->row;
        if (unit->contact < 0) {
            c->bound[-1 - unit->contact].p = r[0];
            continue;
        }
        BriContact *contact = &c->contact[unit->contact];
        const BriBodyState *a = &bodies[contact->a], *b = &bodies[contact->b];
        BrVec3 n = bri_column(&contact->push_frame, 0), t1 = bri_column(&contact->push_frame, 1),
               t2 = bri_column(&contact->push_frame, 2);
        contact->p[0] = r[0];
        contact->p[1] = contact->one_row ? -contact->drag * r[0] * bri_dot(contact->direction, t1) : r[1];
        contact->p[2] = contact->one_row ? -contact->drag * r[0] * bri_dot(contact->direction, t2) : r[2];
        contact->push =
            bri_add(bri_scale(contact->p[0], n), bri_add(bri_scale(contact->p[1], t1), bri_scale(contact->p[2], t2)));
        BrVec3 u = contact->belt;
        for (int i = 0; i < 3; i++)
            u = bri_add_scaled(u, row_rate(c->C + BRI_ROW * (unit->first + i), a, b), bri_column(&contact->frame, i));
        contact->u = u;
    }
}

/* rho of every block from the masses alone: for asking whether a guess will do before W is there. */
static void guess_scales(const BriContacts *c) {
    for (int k = 0; k < c->units; k++) {
        const BriUnit *unit = &c->unit[k];
        double trace = 0;
        for (int r = 0; r < unit->rows; r++)
            trace += couple(unit, c->C + BRI_ROW * (unit->first + r), unit, c->ME + BRI_ROW * (unit->row + r));
        c->scale[unit->row] = trace > 0 ? unit->rows / trace : 1;
    }
}

/* One solve with the units as they stand. Returns the worst residual, m/s. */
static double solve_units(BriStep *step, const BriSpan *span, int *worst_unit) {
    BriContacts *c = step->ws->contacts;
    double worst = 0, before = __builtin_inf();
    gather_units(step);
    fill_directions(step);
    guess(step, span->span);
    bool plain = !c->has_bounded && step->def->friction_set == BR_FRICTION_CONE;
    if (plain) guess_scales(c);
    for (int pass = 0;; pass++) {
        push_all(step, span);
        measure(step, span->bodies);
        /* what rests or slides on as it did is solved already */
        if (pass == 0 && plain && (worst = certify(step, worst_unit)) <= 1e-2 * step->contact_tolerance) break;
        if (pass > 0) {
            worst = certify(step, worst_unit);
            bool done = worst <= step->contact_tolerance || pass == MOST_JOINT_PASSES || !(worst < 0.5 * before) ||
                        (pass == 1 && !step->model->joints);
            if (done) break;
            measure(step, span->bodies); /* without compliance */
            before = worst;
        }
        for (int begin = 0; begin < c->units;) {
            Island island = find_island(c, begin);
            if (island.rows <= c->dense_rows)
                solve_dense(step, &island);
            else
                solve_large(step, span->bodies, &island);
            begin = island.end;
        }
    }
    read_answer(step, span->bodies);
    return worst;
}

/* ------------------------------------------------------------------ modes */

/* Contacts that slide may do so along their slip, as one row (7.19). */
static void choose_directions(BriContacts *c, bool along_slip) {
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        BrVec3 n = bri_column(&contact->push_frame, 0),
               slip = bri_add_scaled(contact->slip, -bri_dot(n, contact->slip), n);
        double speed = bri_norm(slip);
        contact->one_row = along_slip && contact->active && contact->sliding && speed > BRI_SLIP;
        contact->drag = contact->mu;
        if (contact->one_row) contact->direction = bri_scale(1 / speed, slip);
    }
}

/* What the answer contradicts is changed: a slide along a known direction that would reverse becomes a cone; a contact
 * that breaks away goes on with the kinetic coefficient (7.18). true: solve again. */
static bool review_modes(const BriStep *step) {
    BriContacts *c = step->ws->contacts;
    bool changed = false;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        if (!contact->active || contact->bounded) continue;
        BrVec3 slip = bri_add(bri_tangential(contact, contact->u), contact->tangent_offset);
        if (contact->one_row && contact->p[0] > 0 && !(bri_dot(contact->direction, slip) > 0)) {
            contact->one_row = false;
            changed = true;
        }
        double pt = bri_sqrt(contact->p[1] * contact->p[1] + contact->p[2] * contact->p[2]);
        bool breaks = !contact->sliding && contact->p[0] > 0 && contact->surface->mu_k < contact->surface->mu_s &&
                      pt >= (1 - 1e-12) * contact->mu * contact->p[0] && bri_norm(slip) > BRI_SLIP;
        if (breaks) {
            contact->sliding = true;
            contact->mu = contact->surface->mu_k;
            changed = true;
        }
    }
    return changed;
}

/* Bounds of box and bristle friction stand on a normal force: that of the last step, renewed pass by pass. */
static void renew_bounds(const BriStep *step, double span, bool first) {
    BriContacts *c = step->ws->contacts;
    c->has_bounded = false;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        const BrLaw *law = &contact->surface->laws.friction;
        bool bristle = bri_law_is(law, &bri_law_bristle);
        contact->bounded = contact->active && (bristle || step->def->friction_set == BR_FRICTION_BOX);
        if (!contact->bounded) continue;
        c->has_bounded = true;
        BrVec3 t1 = bri_column(&contact->frame, 1), t2 = bri_column(&contact->frame, 2);
        double last = step->start->dt > 0 ? 1 / step->start->dt : 0;
        double normal =
            first ? last * bri_max(0, bri_dot(contact->impulse, bri_normal(contact))) : contact->p[0] / span;
        double slip[2] = {bri_dot(contact->slip, t1), bri_dot(contact->slip, t2)};
        double force[2] = {last * bri_dot(contact->impulse, t1), last * bri_dot(contact->impulse, t2)};
        contact->limits = (BriBristleRows){.axis = {1, 0}, .bound = span * contact->mu * normal};
        if (bristle) contact->limits = bri_bristle_rows(law, span, slip, force, normal);
    }
}

/* Bristle rows stand along the slip or the last force: the frame turns there, once per step. */
static void turn_frames(BriStep *step, const BriBodyState *bodies) {
    BriContacts *c = step->ws->contacts;
    bool turned = false;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        const double *axis = contact->limits.axis;
        if (!contact->bounded || (axis[0] == 1 && axis[1] == 0)) continue;
        BrVec3 n = bri_normal(contact), t1 = bri_column(&contact->frame, 1), t2 = bri_column(&contact->frame, 2);
        BrVec3 t = bri_add(bri_scale(axis[0], t1), bri_scale(axis[1], t2));
        t = bri_scale(1 / bri_norm(t), t);
        contact->frame = bri_from_columns(n, t, bri_cross(n, t));
        turned = true;
    }
    if (!turned) return;
    bri_contacts_same_rows(step, bodies);
}

static int count_bound_passes(const BriContacts *c) {
    int most = 0;
    for (int k = 0; k < c->count; k++) {
        const BriContact *contact = &c->contact[k];
        const BrLaw *law = &contact->surface->laws.friction;
        if (!contact->bounded) continue;
        int wanted = bri_law_is(law, &bri_law_bristle) ? (int)law->value[BRI_BRISTLE_ITERATIONS] : 3;
        if (!contact->known) wanted = 10; /* no normal force to start from */
        most = wanted > most ? wanted : most;
    }
    return most;
}

static bool note_residual(BriStep *step, double worst, int worst_unit) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    BrStepReport *report = &step->report;
    if (step->def->friction_set == BR_FRICTION_POLYGON && !c->has_bounded) worst = step->polygon_residual;
    bool fine = worst <= step->contact_tolerance;
    report->uncertified_contacts += !fine;
    if (worst > report->contact_residual || !(worst <= 1e300)) {
        report->contact_residual = worst;
        if (worst_unit >= 0) {
            report->worst_contact[0] = br_model_body(m, c->unit[worst_unit].a);
            report->worst_contact[1] = br_model_body(m, c->unit[worst_unit].b);
        }
    }
    return fine;
}

bool bri_solve_rates(BriStep *step, const BriSpan *span, bool along_slip) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    int worst_unit = -1;
    double worst = 0;
    if (!m->touches || c->count + c->bounds == 0)
        return !m->joints ||
               bri_constrain_rates(step, span->D, span->C, span->target, span->span, span->bodies, span->p);
    memcpy(c->free, span->bodies, (size_t)m->bodies * sizeof *c->free);
    choose_directions(c, along_slip);
    renew_bounds(step, span->span, true);
    if (c->has_bounded) turn_frames(step, span->bodies);
    int passes = c->has_bounded ? count_bound_passes(c) : 0;
    for (int round = 0; round < MOST_ROUNDS + passes; round++) {
        worst = solve_units(step, span, &worst_unit);
        bool again = review_modes(step);
        if (round < passes) {
            renew_bounds(step, span->span, false);
            again = true;
        }
        if (!again) break;
    }
    return note_residual(step, worst, worst_unit);
}

/* ------------------------------------------------------------------ the units' linear system, for the projection */

void bri_units_prepare(BriStep *step) {
    gather_units(step);
    fill_directions(step);
}

const double *bri_units_spread(BriStep *step, const double *x) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    memset(c->x, 0, (6 * (size_t)m->moving + (size_t)m->rows) * sizeof(double));
    for (int k = 0; k < c->units; k++)
        for (int r = 0; r < c->unit[k].rows; r++) {
            int row = c->unit[k].row + r;
            const double *source = m->joints ? c->E : c->ME;
            spread(m, &c->unit[k], source + BRI_ROW * row, x[row], c->x);
        }
    if (m->joints) bri_ldl_solve(&step->ws->system.ldl, c->x);
    return c->x;
}

/* Three rows by Cramer's rule; false: singular. */
static bool solve_three(const double *W, double *x) {
    BrVec3 a = bri_vec(W[0], W[3], W[6]), b = bri_vec(W[1], W[4], W[7]), c = bri_vec(W[2], W[5], W[8]);
    BrVec3 y = bri_vec(x[0], x[1], x[2]), bc = bri_cross(b, c);
    double det = bri_dot(a, bc), size = bri_norm(a) * bri_norm(b) * bri_norm(c);
    if (!(det > 1e-10 * size)) return false;
    x[0] = bri_dot(y, bc) / det;
    x[1] = bri_dot(a, bri_cross(y, c)) / det;
    x[2] = bri_dot(a, bri_cross(b, y)) / det;
    return true;
}

/* By (W + eps) dx = c - W x, repeated: ends at a least-squares answer of small norm also where W is singular. */
static void solve_singular(BriContacts *c, const Island *island, double *x) {
    enum { REPEATS = 3 };
    int n = island->rows;
    double trace = 0, *LU = c->scratch, *rest = c->zero + island->first;
    int *pivot = (int *)(c->scratch + (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++) trace += c->W[i * n + i];
    memcpy(LU, c->W, sizeof(double) * (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++) LU[i * n + i] += 1e-9 * trace / n;
    for (int i = 0; i < n; i++) c->q[island->first + i] = x[i], x[i] = 0;
    if (!bri_lu_factor(LU, n, n, pivot)) return;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        for (int i = 0; i < n; i++) {
            rest[i] = c->q[island->first + i];
            for (int k = 0; k < n; k++) rest[i] -= c->W[i * n + k] * x[k];
        }
        bri_lu_solve(LU, n, n, pivot, rest);
        for (int i = 0; i < n; i++) x[i] += rest[i];
    }
}

/* The same by sweeps: as far as they come. */
static void solve_singular_large(BriStep *step, const Island *island, const double *x) {
    BriContacts *c = step->ws->contacts;
    int blocks = 0;
    for (int k = island->begin; k < island->end; k++)
        c->block[blocks++] =
            (BriBlock){.set = BRI_SET_FREE, .first = c->unit[k].row - island->first, .rows = c->unit[k].rows};
    for (int i = 0; i < island->rows; i++) c->q[island->first + i] = -x[island->first + i];
    sweep_from_rest(step, island, blocks, PROJECTION_SWEEPS);
}

void bri_units_solve(BriStep *step) {
    BriContacts *c = step->ws->contacts;
    double *x = c->r;
    for (int begin = 0; begin < c->units;) {
        Island island = find_island(c, begin);
        begin = island.end;
        if (island.rows > c->dense_rows) {
            solve_singular_large(step, &island, x);
            continue;
        }
        assemble(step, &island);
        if (island.rows == 1)
            x[island.first] = c->W[0] > 0 ? x[island.first] / c->W[0] : 0;
        else if (island.rows == 3 && solve_three(c->W, x + island.first))
            continue;
        else
            solve_singular(c, &island, x + island.first);
    }
}

void bri_units_answer(BriStep *step) {
    BriContacts *c = step->ws->contacts;
    c->has_bounded = false;
    for (int begin = 0; begin < c->units;) {
        Island island = find_island(c, begin);
        begin = island.end;
        if (island.rows > c->dense_rows) {
            sweep_from_rest(step, &island, fill_blocks(step, &island), MOST_SWEEPS);
            continue;
        }
        assemble(step, &island);
        for (int i = 0; i < island.rows; i++) c->r[island.first + i] = 0;
        solve_island(step, &island);
    }
}
