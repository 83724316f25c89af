/* jointed.c: W = C K^-1 E^T where joints answer, K = L D L^T being the machines' factor (5.1).
 *
 * An entry is the product of two half solves (7.44), W_ij = (L^-1 C_i)^T D^-1 (L^-1 E_j), each of which goes down the
 * factor along the path of the row's two bodies and no farther: in a tree of joints, the way to its root. Where joints
 * hold a row so firmly that little is left of what its bodies would do alone, rounding would show: that column is a whole
 * solve, and so are all where a path is long, or where joints and contacts share a load. */
#include "contact/units.h"

#include <string.h>

/* ------------------------------------------------------------------ whole solves */

/* Of what a row's bodies would do alone: where less is left, rounding may show. */
static const double LITTLE = 1e-4;

/* x keeps the joints closed but for what rounding left, which grows with the ratio of masses: takes that out. */
static void close_joints(const BriStep *step, double *x) {
    const BrModel *m = step->model;
    BriSystem *system = &step->ws->system;
    double *rate = step->ws->error;
    for (int k = 0; k < m->joints; k++) {
        const BriJoint *j = &m->joint[k];
        int a = m->body[j->a].node, b = m->body[j->b].node;
        for (int r = j->first_row; r < j->first_row + j->rows; r++) {
            rate[r] = a >= 0 ? -bri_dot6(system->J.a + 6 * r, x + 6 * a) : 0;
            if (b >= 0) rate[r] -= bri_dot6(system->J.b + 6 * r, x + 6 * b);
        }
        if (!j->coupling) continue;
        BriRowEnds ends = bri_row_ends(m, &system->J, k, j->first_row);
        for (int e = 2, node; e < ends.count; e++)
            if ((node = m->body[ends.body[e]].node) >= 0) rate[j->first_row] -= bri_dot6(ends.part[e], x + 6 * node);
    }
    bri_spend(step->budget, system->ldl.solve_work + 50. * m->rows);
    bri_system_solve(m, system, rate);
    for (int i = 0; i < 6 * m->moving; i++) x[i] += system->x[i];
}

/* The machines that a unit is part of, one or two: calls `visit` with their parts of contacts->desk.x. */
static void visit_parts(const BriStep *step, const BriUnit *unit,
                        void (*visit)(const BriBlockLdl *ldl, int part, double *x)) {
    const BrModel *m = step->model;
    const BriBlockLdl *ldl = &step->ws->system.ldl;
    int a = m->body[unit->a].node, b = m->body[unit->b].node;
    if (a >= 0) visit(ldl, ldl->part[a], step->ws->contacts->desk.x);
    if (b >= 0 && (a < 0 || ldl->part[a] != ldl->part[b])) visit(ldl, ldl->part[b], step->ws->contacts->desk.x);
}

/* Zeros in contacts->desk.x, of all machines that the island is part of. */
static void clear_machines(const BriStep *step, const BriIsland *island) {
    for (int k = island->begin; k < island->end; k++)
        visit_parts(step, &step->ws->contacts->unit[k], bri_ldl_clear_part);
}

const double *bri_unit_answer(const BriStep *step, const BriUnit *unit, const double *E, double alone) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    int a = m->body[unit->a].node, b = m->body[unit->b].node;
    bri_unit_spread(m, unit, E, 1, c->desk.x);
    bri_spend(step->budget, step->ws->system.ldl.solve_work);
    visit_parts(step, unit, bri_ldl_solve_part);
    for (int pass = 0; pass < 2; pass++) {
        double left = (a >= 0 ? bri_dot6(E, c->desk.x + 6 * a) : 0) + (b >= 0 ? bri_dot6(E + 6, c->desk.x + 6 * b) : 0);
        if (left > LITTLE * alone) break;
        close_joints(step, c->desk.x);
    }
    return c->desk.x;
}

/* What a row would do with its two bodies alone. */
static double couple_alone(const BriStep *step, const BriUnit *unit, int row) {
    double room[BRI_UNIT_NUMBERS];
    const double *ME = bri_unit_responses(step, unit, room);
    return bri_unit_couple(unit, step->ws->contacts->C + BRI_ROW * (unit->first + row), ME + BRI_ROW * row);
}

/* A column of W: what the whole machine does under a unit impulse along row s of unit j. contacts->desk.x is zero in
 * the machines of the island, before and after. */
static void fill_column(const BriStep *step, const BriIsland *island, int j, int s) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    const BriUnit *from = &c->unit[j];
    int rows = island->rows, first = island->first;
    double room[BRI_UNIT_NUMBERS];
    const double *E = bri_unit_directions(c, from, room) + BRI_ROW * s;
    const double *x = bri_unit_answer(step, from, E, couple_alone(step, from, s));
    for (int i = island->begin; i < island->end; i++)
        for (int r = 0; r < c->unit[i].rows; r++) {
            const BriUnit *to = &c->unit[i];
            const double *C = c->C + BRI_ROW * (to->first + r);
            int a = m->body[to->a].node, b = m->body[to->b].node;
            double sum = 0;
            if (a >= 0) sum += bri_dot6(C, x + 6 * a);
            if (b >= 0) sum += bri_dot6(C + 6, x + 6 * b);
            if (to->shared >= 0 && r == 0) /* (7.30): joints answer with -x */
                sum = (i == j && s == 0 ? to->share : 0) - bri_unit_joint_share(step, to, x + 6 * m->moving);
            c->desk.W[(to->row - first + r) * rows + from->row - first + s] = sum;
        }
    visit_parts(step, from, bri_ldl_clear_part);
}

/* ------------------------------------------------------------------ half solves */

/* The path of a unit: positions, and where its scalars stand in x. */
typedef struct Path {
    int count, width;
    int *position, *index;
} Path;

static Path find_path(const BriStep *step, const BriIsland *island, int k) {
    const BrModel *m = step->model;
    const BriContacts *c = step->ws->contacts;
    const BriBlockLdl *ldl = &step->ws->system.ldl;
    int *own = c->desk.half_path + (size_t)(k - island->begin) * (2 + 2 * (size_t)c->half_width);
    Path path = {.position = own + 2, .index = own + 2 + c->half_width};
    path.count = own[0] = bri_ldl_find_path(ldl, m->body[c->unit[k].a].node, m->body[c->unit[k].b].node, c->half_width,
                                            path.position, &path.width);
    own[1] = path.width;
    for (int i = 0, at = 0; i < path.count; i++)
        for (int s = 0, node = ldl->order[path.position[i]]; s < ldl->size[node]; s++)
            path.index[at++] = ldl->row[node] + s;
    return path;
}

/* The same, found before. */
static Path get_path(const BriContacts *c, const BriIsland *island, int k) {
    int *own = c->desk.half_path + (size_t)(k - island->begin) * (2 + 2 * (size_t)c->half_width);
    return (Path){own[0], own[1], own + 2, own + 2 + c->half_width};
}

/* contacts->desk.x, zero on the path, becomes L^-1 of a row (twelve numbers) of a unit. */
static void go_down(const BriStep *step, const BriUnit *unit, const Path *path, const double *row) {
    bri_unit_spread(step->model, unit, row, 1, step->ws->contacts->desk.x);
    bri_ldl_go_down(&step->ws->system.ldl, path->position, path->count, step->ws->contacts->desk.x);
}

/* Paths of all units. Returns the scalars of all rows' paths together; 0: one is too long, or joints share its load. */
static double find_paths(const BriStep *step, const BriIsland *island) {
    const BriContacts *c = step->ws->contacts;
    double all = 0;
    if (island->rows > c->desk.half_room) return 0;
    for (int k = island->begin; k < island->end; k++) {
        Path path = find_path(step, island, k);
        if (path.count == 0 || c->unit[k].shared >= 0) return 0;
        all += (double)path.width * c->unit[k].rows;
    }
    return all;
}

/* Operations: each row goes down its path, some per scalar, and meets all others there. */
static double find_half_work(const BriIsland *island, double scalars) { return scalars * (12 + island->rows); }

double bri_jointed_work(const BriStep *step, const BriIsland *island) {
    double scalars = find_paths(step, island);
    return scalars > 0 ? find_half_work(island, scalars) : island->rows * step->ws->system.ldl.solve_work;
}

/* L^-1 C^T of all rows. */
static void prepare_halves(const BriStep *step, const BriIsland *island) {
    const BriContacts *c = step->ws->contacts;
    for (int k = island->begin; k < island->end; k++) {
        const BriUnit *unit = &c->unit[k];
        Path path = get_path(c, island, k);
        for (int i = 0; i < path.width; i++) c->desk.x[path.index[i]] = 0;
        for (int r = 0; r < unit->rows; r++) {
            double *y = c->desk.half + (size_t)(unit->row - island->first + r) * (size_t)c->half_width;
            go_down(step, unit, &path, c->C + BRI_ROW * (unit->first + r));
            for (int i = 0; i < path.width; i++) {
                y[i] = c->desk.x[path.index[i]];
                c->desk.x[path.index[i]] = 0;
            }
        }
    }
}

/* Products of `rows` vectors y, `stride` numbers apart, with x where `index` says. Sums of even and odd places stand apart:
 * one would wait for itself. */
static inline __attribute__((always_inline)) void multiply_halves(int rows, const double *y, int stride,
                                                                  const double *x, const Path *path, double *product) {
    double even[BRI_UNIT_NUMBERS / BRI_ROW] = {0}, odd[BRI_UNIT_NUMBERS / BRI_ROW] = {0};
    int k = 0;
    for (; k + 2 <= path->width; k += 2) {
        double first = x[path->index[k]], second = x[path->index[k + 1]];
        for (int r = 0; r < rows; r++) {
            even[r] += y[r * stride + k] * first;
            odd[r] += y[r * stride + k + 1] * second;
        }
    }
    for (int r = 0; r < rows; r++)
        product[r] = even[r] + odd[r] + (k < path->width ? y[r * stride + k] * x[path->index[k]] : 0);
}

/* W of the rows of one unit and the column whose D^-1 L^-1 E stands in contacts->desk.x. */
static void couple_halves(const BriContacts *c, const BriIsland *island, int i, int column) {
    const BriUnit *to = &c->unit[i];
    Path path = get_path(c, island, i);
    int row = to->row - island->first;
    const double *y = c->desk.half + (size_t)row * (size_t)c->half_width;
    double product[BRI_UNIT_NUMBERS / BRI_ROW];
    if (to->rows == 3)
        multiply_halves(3, y, c->half_width, c->desk.x, &path, product);
    else if (to->rows == 1)
        multiply_halves(1, y, c->half_width, c->desk.x, &path, product);
    else
        multiply_halves(to->rows, y, c->half_width, c->desk.x, &path, product);
    for (int r = 0; r < to->rows; r++) c->desk.W[(row + r) * island->rows + column] = product[r];
}

/* Row s of unit j as a column by halves, of the rows of units before `end`. false: joints hold the row, and hardly anything
 * is left of it. */
static bool fill_half_column(const BriStep *step, const BriIsland *island, int j, int s, int end) {
    const BriContacts *c = step->ws->contacts;
    const BriUnit *from = &c->unit[j];
    Path path = get_path(c, island, j);
    int column = from->row - island->first + s;
    double room[BRI_UNIT_NUMBERS], left;
    const double *y = c->desk.half + (size_t)column * (size_t)c->half_width;
    if (c->C != c->D || from->drags)
        go_down(step, from, &path, bri_unit_directions(c, from, room) + BRI_ROW * s);
    else
        for (int k = 0; k < path.width; k++) c->desk.x[path.index[k]] = y[k];
    bri_ldl_divide(&step->ws->system.ldl, path.position, path.count, c->desk.x);
    multiply_halves(1, y, 0, c->desk.x, &path, &left);
    bool fine = left > LITTLE * couple_alone(step, from, s);
    for (int i = island->begin; fine && i < end; i++) couple_halves(c, island, i, column);
    for (int k = 0; k < path.width; k++) c->desk.x[path.index[k]] = 0;
    return fine;
}

/* Where conditions and impulses go the same way W is symmetric, and half of it is enough. */
static bool is_symmetric(const BriContacts *c, const BriIsland *island) {
    bool same = c->C == c->D;
    for (int k = island->begin; same && k < island->end; k++) same = !c->unit[k].drags;
    return same;
}

/* From the last column to the first: what lies below the diagonal is known from those behind it. */
static void assemble_halves(const BriStep *step, const BriIsland *island) {
    const BriContacts *c = step->ws->contacts;
    int rows = island->rows;
    bool mirror = is_symmetric(c, island);
    for (int j = island->end - 1; j >= island->begin; j--)
        for (int s = c->unit[j].rows - 1; s >= 0; s--) {
            int column = c->unit[j].row - island->first + s;
            if (!fill_half_column(step, island, j, s, mirror ? j + 1 : island->end)) {
                clear_machines(step, island);
                fill_column(step, island, j, s);
                continue;
            }
            for (int i = column + 1; mirror && i < rows; i++)
                c->desk.W[i * rows + column] = c->desk.W[column * rows + i];
        }
}

/* ------------------------------------------------------------------ rows that joints hold */

/* A row that joints hold wholly has no W but rounding, and its impulse would have no bounds. It gets the one of the
 * bodies without joints. */
static void fill_held_rows(const BriStep *step, const BriIsland *island) {
    const BriContacts *c = step->ws->contacts;
    const double HELD = 1e-13; /* of what its two bodies would do alone: 500 roundings */
    for (int k = island->begin; k < island->end; k++)
        for (int r = 0; r < c->unit[k].rows; r++) {
            const BriUnit *unit = &c->unit[k];
            int i = unit->row - island->first + r;
            double alone = couple_alone(step, unit, r);
            if (bri_abs(c->desk.W[i * island->rows + i]) < HELD * alone) c->desk.W[i * island->rows + i] = alone;
        }
}

/* The same of a direction between two tangents: a block in a guide cannot slip across it, whatever its frame. W of the
 * tangents is then l (1 - d d^T) but for rounding, d being the unit vector that joints hold. `row`: the first of the two
 * in its unit. */
static void fill_held_pair(const BriStep *step, const BriIsland *island, const BriUnit *unit, int row) {
    int rows = island->rows;
    double *W = step->ws->contacts->desk.W + (unit->row - island->first + row) * (rows + 1);
    double xx = W[0], xy = 0.5 * (W[1] + W[rows]), yy = W[rows + 1], l = xx + yy;
    if (!(l > 0) || !(xx * yy - xy * xy <= BRI_CARRIED * l * l)) return;
    double alone = 0.5 * (couple_alone(step, unit, row) + couple_alone(step, unit, row + 1)) / l;
    W[0] += alone * yy, W[1] -= alone * xy, W[rows] -= alone * xy, W[rows + 1] += alone * xx;
}

static void fill_held_slips(const BriStep *step, const BriIsland *island) {
    for (int k = island->begin; k < island->end; k++) {
        const BriUnit *unit = &step->ws->contacts->unit[k];
        if (unit->rows < 3) continue;
        fill_held_pair(step, island, unit, 1);
        if (unit->rows > 4) fill_held_pair(step, island, unit, 3); /* a wheel turns about its axle alone */
    }
}

void bri_assemble_jointed(const BriStep *step, const BriIsland *island) {
    const BriContacts *c = step->ws->contacts;
    double scalars = find_paths(step, island);
    if (scalars > 0) {
        bri_spend(step->budget, find_half_work(island, scalars));
        prepare_halves(step, island);
        assemble_halves(step, island);
    } else {
        clear_machines(step, island);
        for (int j = island->begin; j < island->end; j++)
            for (int s = 0; s < c->unit[j].rows; s++) fill_column(step, island, j, s);
    }
    fill_held_rows(step, island);
    fill_held_slips(step, island);
}
