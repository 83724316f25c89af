/* island.c: the problem of one island: its blocks, and who answers it. Cones and boxes with a matrix; polygons
 * as a larger linear problem; islands too large for a matrix by sweeps over their blocks. */
#include "contact/lanes.h"
#include "contact/pile.h"
#include "linalg/deficient.h"
#include "linalg/dense.h"
#include "problem/polygon.h"

#include <string.h>

/* ------------------------------------------------------------------ the problem of one island */

static BriBlock make_box(int row, double lower, double upper) {
    return (BriBlock){.set = BRI_SET_BOX, .first = row, .rows = 1, .lower = lower, .upper = upper};
}

/* The cone of a contact with moments: slip, if that is not along a known direction, then those that take part. */
static BriBlock make_cone_with_moments(const BriContact *contact, int row) {
    const BriAsked *ask = &contact->ask;
    double roll = contact->at.surface->mu_r / contact->turning->length;
    double spin = contact->at.surface->mu_spin / contact->turning->length;
    return (BriBlock){.set = BRI_SET_CONE,
                      .first = row,
                      .rows = (ask->one_row ? 1 : 3) + 2 * ask->rolls + ask->spins,
                      .mu = !ask->one_row ? contact->mode.mu
                            : ask->rolls  ? roll
                                          : spin,
                      .roll = roll,
                      .spin = spin};
}

/* Blocks of one contact from row `row` on. `slips`: its rows' unit of 1 m/s. Returns their number. */
static int fill_contact(const BriContact *contact, int row, double slips, BriBlock *block) {
    double none = __builtin_inf();
    if (contact->ask.rolls || contact->ask.spins) {
        *block = make_cone_with_moments(contact, row);
        return 1;
    }
    if (!contact->ask.one_row && !contact->ask.bounded) {
        *block = (BriBlock){.set = BRI_SET_CONE, .first = row, .rows = 3, .mu = contact->mode.mu};
        if (contact->at.surface->creep > 0) block->creep = slips * contact->at.surface->creep;
        return 1;
    }
    block[0] = make_box(row, 0, none);
    for (int i = 0; !contact->ask.one_row && i < 2; i++) {
        double most = contact->ask.limits->compliance[i] <= 1e300 ? contact->ask.limits->bound : 0;
        block[1 + i] = make_box(row + 1 + i, -most, most);
    }
    return contact->ask.one_row ? 1 : 3;
}

int bri_unit_blocks(const BriContacts *c, const BriUnit *unit, int row, BriBlock *block) {
    if (unit->contact >= 0) return fill_contact(&c->contact[unit->contact], row, c->slips, block);
    const BriBoundRow *bound = &c->bound[-1 - unit->contact];
    *block = make_box(row, bound->lower, bound->upper);
    return 1;
}

int bri_island_blocks(const BriStep *step, const BriIsland *island) {
    BriContacts *c = step->ws->contacts;
    int count = 0;
    for (int k = island->begin; k < island->end; k++)
        count += bri_unit_blocks(c, &c->unit[k], c->unit[k].row - island->first, &c->desk.block[count]);
    return count;
}

void bri_island_add_compliance(const BriContacts *c, const BriIsland *island, const double *r, double *u) {
    for (int k = island->begin; k < island->end; k++) {
        const BriUnit *unit = &c->unit[k];
        if (unit->contact < 0 && r) u[unit->row] += c->bound[-1 - unit->contact].yield * r[unit->row];
        if (unit->contact < 0 || !c->contact[unit->contact].ask.bounded) continue;
        const BriFrictionRows *limits = c->contact[unit->contact].ask.limits;
        for (int i = 0; i < 2; i++)
            if (limits->compliance[i] <= 1e300)
                u[unit->row + 1 + i] += limits->compliance[i] * ((r ? r[unit->row + 1 + i] : 0) - limits->offset[i]);
    }
}

static void add_compliance_to_matrix(BriContacts *c, const BriIsland *island) {
    for (int k = island->begin; k < island->end; k++) {
        const BriUnit *unit = &c->unit[k];
        int own = unit->row - island->first;
        if (unit->contact < 0) c->desk.W[own * (island->rows + 1)] += c->bound[-1 - unit->contact].yield;
        if (unit->contact < 0 || !c->contact[unit->contact].ask.bounded) continue;
        for (int i = 0; i < 2; i++) {
            int row = unit->row - island->first + 1 + i;
            double compliance = c->contact[unit->contact].ask.limits->compliance[i];
            if (compliance <= 1e300) c->desk.W[row * island->rows + row] += compliance;
        }
    }
}

BriBudget bri_open_problem(const BriStep *step) {
    const BriBudget *all = step->budget;
    const double SHARE = 0.5; /* of what contacts have left: the other way needs some too */
    double own = step->def->contact_work - (all->spent - step->solving_from);
    double left = bri_min(all->most - all->spent, step->has_other_way ? SHARE * own : own);
    return (BriBudget){
        .most = left, .next_look = BRI_LOOK, .stop = all->stop, .user = all->user, .stopped = all->stopped};
}

void bri_close_problem(BriStep *step, const BriBudget *budget) {
    step->budget->stopped = budget->stopped;
    bri_spend(step->budget, budget->spent);
}

static void note_solver(BriStep *step, const BriSolverReport *report) {
    step->report->solver_iterations += report->iterations;
    step->report->solver = bri_stronger_solver(step->report->solver, report->solver);
}

/* Room for the polygonal problem, made in the first such step: for all contacts the model has room for, so that warm
 * steps allocate nothing, unless that were very much; then it grows. false: no memory. */
static bool make_polygon_room(BriStep *step, int rows) {
    enum { MUCH = 1000 }; /* rows: 8 MB per matrix, and several of them; more would be felt as a pause */
    const BrAllocator *allocator = &step->model->allocator;
    BriDesk *d = &step->ws->contacts->desk;
    if (rows <= d->polygon_rows) return true;
    int all = step->model->contact_capacity * (step->def->polygon_sides + 2) + step->model->bounds;
    if (rows < all) rows = all < MUCH ? all : rows < MUCH ? MUCH : rows;
    int blocks = rows;
    bri_release(allocator, d->polygon);
    bri_release(allocator, d->polygon_block);
    d->polygon_rows = 0;
    d->polygon_block = bri_allocate(allocator, (size_t)blocks, sizeof *d->polygon_block);
    for (int k = 0; d->polygon_block && k < blocks; k++)
        d->polygon_block[k] = (BriBlock){.set = BRI_SET_BOX, .first = k, .rows = 1, .upper = 1};
    BriProblem widest = {.rows = rows, .stride = rows, .blocks = blocks, .block = d->polygon_block};
    size_t n = (size_t)rows;
    d->polygon = d->polygon_block
                     ? bri_allocate(allocator, n * n + 3 * n + bri_boxes_scratch(&widest), sizeof *d->polygon)
                     : NULL;
    if (!d->polygon) return false;
    d->polygon_rows = rows;
    return true;
}

/* The answer with cones inside the polygons: where contacts stick it is the polygons' own. Returns its residual. `mu`: room
 * for a number per block. */
static double solve_inside(BriStep *step, const BriProblem *problem, double tolerance, double *r, double *mu) {
    const BriDesk *d = &step->ws->contacts->desk;
    const double PI = 3.14159265358979323846;
    const double inside = bri_cos(PI / step->def->polygon_sides) * (1 - 1e-12); /* roundings of a sum of two */
    BriSolverReport report;
    for (int k = 0; k < problem->blocks; k++) {
        mu[k] = d->block[k].mu;
        if (d->block[k].set == BRI_SET_CONE && d->block[k].rows == 3) d->block[k].mu *= inside;
    }
    bri_solve(problem, tolerance, r, d->scratch, &report);
    for (int k = 0; k < problem->blocks; k++) d->block[k].mu = mu[k];
    note_solver(step, &report);
    return report.certificate.residual;
}

/* The polygonal friction cone: a larger linear problem, of which Lemke's method from nothing takes seconds for fifty contacts. So it
 * begins with the answer of a cone, and ends there where contacts stick. */
static void solve_polygon(BriStep *step, const BriProblem *problem, double tolerance, double *r) {
    const BriContacts *c = step->ws->contacts;
    const BriDesk *d = &c->desk;
    BriSolverReport report;
    BriProblem linear;
    int sides = step->def->polygon_sides, cone = 0;
    for (int k = 0; k < problem->blocks; k++) {
        if (problem->block[k].set != BRI_SET_CONE) continue;
        const BriContact *contact = &c->contact[d->cone_contact[cone]];
        double x = bri_dot(contact->mode.slip, bri_column(&contact->at.frame, 1)),
               y = bri_dot(contact->mode.slip, bri_column(&contact->at.frame, 2));
        d->angle[cone++] = step->def->polygon_by_slip && x * x + y * y > 0 ? bri_atan2(-y, -x) : 0;
    }
    int rows = bri_polygon_rows(problem, sides);
    if (!make_polygon_room(step, rows) || !d->polygon) {
        step->polygon_times = __builtin_inf();
        return;
    }
    double *W = d->polygon, *q = W + (size_t)rows * (size_t)rows, *z = q + rows, *scratch = z + 2 * rows;
    double most = 0.1 * tolerance, left = solve_inside(step, problem, most, r, z);
    bri_problem_judge(problem, r, scratch);
    bri_polygon_guess(problem, sides, d->angle, r, scratch, z);
    bool known = left <= most && bri_polygon_holds(problem, sides, z, most);
    if (!known) {
        bri_polygon_build(problem, sides, d->angle, W, q, d->polygon_block, &linear);
        bri_solve_boxes_soon(&linear, most, z, scratch, &report);
        bri_polygon_read(problem, sides, d->angle, z, r);
        left = report.certificate.residual;
        note_solver(step, &report);
    }
    step->polygon_times = bri_max(step->polygon_times, left / tolerance);
}

/* The island's r, W and q being there. rough: m/s that may be left, or 0; shortest: as BriProblem has it. Returns the solver's residual, in tolerances. */
static double solve_island(BriStep *step, const BriIsland *island, double rough, bool shortest) {
    BriContacts *c = step->ws->contacts;
    double tolerance = c->unit[island->begin].tolerance;
    double *r = c->r + island->first;
    BriSolverReport report;
    BriBudget budget = bri_open_problem(step);
    const double NEARLY =
        1e3; /* tolerances: W's own rounding where joints hold a row; it goes when u is measured anew */
    BriProblem problem = {.rows = island->rows,
                          .W = c->desk.W,
                          .stride = island->rows,
                          .q = c->q + island->first,
                          .blocks = bri_island_blocks(step, island),
                          .block = c->desk.block,
                          .budget = &budget,
                          .enough = step->model->joints ? NEARLY * 0.1 * tolerance : 0,
                          .jointed = step->model->joints > 0,
                          .shortest = shortest,
                          .hasty = step->has_other_way};
    for (int k = 0; k < problem.blocks; k++)
        c->scale[island->first + problem.block[k].first] = bri_block_scale(&problem, k);
    if (step->def->friction_set == BR_FRICTION_POLYGON && !c->has_bounded) {
        for (int k = island->begin, cone = 0; k < island->end; k++)
            if (c->unit[k].contact >= 0 && c->unit[k].rows == 3) c->desk.cone_contact[cone++] = c->unit[k].contact;
        solve_polygon(step, &problem, tolerance, r);
        bri_close_problem(step, &budget);
        return step->polygon_times;
    }
    bri_solve(&problem, bri_max(0.1 * tolerance, rough), r, c->desk.scratch, &report);
    bri_close_problem(step, &budget);
    note_solver(step, &report);
    return report.certificate.residual / tolerance;
}

/* The step of Newton's is on what pushes: half of the contacts, mostly. */
double bri_island_dense_work(const BriStep *step, const BriIsland *island) {
    double rows = island->rows, pushing = 0.5 * rows;
    double W = 13 * rows * rows + (step->model->joints ? bri_jointed_work(step, island) : 0);
    return W + pushing * pushing * pushing / 3;
}

/* q, then r anew. With joints q = u - W r; else it is known without r, whose rounding would show. */
void bri_island_solve_dense(BriStep *step, const BriIsland *island, double rough, bool shortest) {
    BriContacts *c = step->ws->contacts;
    double *r = c->r + island->first, *q = c->q + island->first;
    if (c->complies || c->desk.matrix_of != island->begin)
        bri_units_assemble(step, island); /* else of the pass before */
    for (int i = 0; i < island->rows; i++) {
        double sum = c->u[island->first + i];
        for (int k = 0; step->model->joints && k < island->rows; k++) sum -= c->desk.W[i * island->rows + k] * r[k];
        q[i] = sum;
    }
    if (c->complies) {
        add_compliance_to_matrix(c, island);
        bri_island_add_compliance(c, island, NULL, c->q);
    }
    solve_island(step, island, rough, shortest);
}

/* ------------------------------------------------------------------ linear systems, and problems from rest */

/* Three rows by Cramer's rule; false: singular. */
static bool solve_three(const double *W, double *x) {
    BrVec3 a = bri_vec(W[0], W[3], W[6]), b = bri_vec(W[1], W[4], W[7]), c = bri_vec(W[2], W[5], W[8]);
    BrVec3 y = bri_vec(x[0], x[1], x[2]), bc = bri_cross(b, c);
    double det = bri_dot(a, bc), size = bri_norm(a) * bri_norm(b) * bri_norm(c);
    const double SINGULAR = 1e-10; /* of the columns' lengths: Cramer's rule has six digits left */
    if (!(det > SINGULAR * size)) return false;
    x[0] = bri_dot(y, bc) / det;
    x[1] = bri_dot(a, bri_cross(y, c)) / det;
    x[2] = bri_dot(a, bri_cross(b, y)) / det;
    return true;
}

/* By (W + eps) dx = c - W x, repeated: ends at a least-squares answer of small norm also where W is singular. eps is
 * relative to each row's own entry, so that what carries a light body is as exact as what carries a heavy one. */
static void solve_singular(BriContacts *c, const BriIsland *island, double *x) {
    enum { REPEATS = 12 };     /* each takes off all but eps/(eps + l) of what is left along an eigenvalue l of W */
    const double NUDGE = 1e-9; /* eps */
    int n = island->rows;
    double left = __builtin_inf(), *LU = c->desk.scratch, *rest = c->desk.guess;
    int *pivot = (int *)(c->desk.scratch + (size_t)n * (size_t)n);
    memcpy(LU, c->desk.W, sizeof(double) * (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++) LU[i * n + i] *= 1 + NUDGE;
    for (int i = 0; i < n; i++) c->q[island->first + i] = x[i], x[i] = 0;
    if (!bri_lu_factor(LU, n, n, pivot)) return;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double before = left;
        left = 0;
        for (int i = 0; i < n; i++) {
            rest[i] = c->q[island->first + i];
            for (int k = 0; k < n; k++) rest[i] -= c->desk.W[i * n + k] * x[k];
            left = bri_max(left, bri_abs(rest[i]));
        }
        if (repeat > 2 && !(left < 0.1 * before)) break; /* nothing more to gain */
        bri_lu_solve(LU, n, n, pivot, rest);
        for (int i = 0; i < n; i++) x[i] += rest[i];
    }
}

/* Blocks of a network have two bodies, and couplings may have more, which matrices alone know. Joints make networks dear, and W
 * cheap. But sweeps leave something useful wherever they end, and marches do not: whose
 * work is bounded begins with those. */
bool bri_is_pile(const BriStep *step, const BriIsland *island) {
    const BriContacts *c = step->ws->contacts;
    if (step->model->couples_more && island->rows <= BRI_SOME_ROWS) return false;
    bool dense = step->def->friction_set == BR_FRICTION_POLYGON && !c->has_bounded;
    for (int k = island->begin; k < island->end; k++) dense = dense || c->unit[k].shared >= 0;
    if (dense) return island->rows > c->dense_rows;
    if (island->rows <= BRI_FEW_ROWS) return false;
    if (!step->model->joints || island->rows > BRI_JOINTED_ROWS) return true;
    return step->def->contact_work < __builtin_inf();
}

/* Slides push along more than their normals, each in its own direction: how corners that depend on each other share a
 * load says what their friction does, and must be exact. */
static bool solve_slides(BriContacts *c, const BriIsland *island, double *x) {
    int n = island->rows;
    bool drags = false;
    for (int k = island->begin; k < island->end; k++) drags = drags || c->unit[k].drags;
    if (!drags) return false;
    memcpy(c->desk.scratch, c->desk.W, sizeof(double) * (size_t)n * (size_t)n);
    memcpy(c->q + island->first, x, sizeof(double) * (size_t)n);
    if (bri_solve_deficient(c->desk.scratch, n, x, c->desk.guess, (int *)(c->desk.scratch + (size_t)n * (size_t)n)))
        return true;
    memcpy(x, c->q + island->first, sizeof(double) * (size_t)n);
    return false;
}

/* w x = c. A slide that turns its bodies into each other (w < 0, Painleve) holds what parts by itself (c < 0): an answer
 * of the modes, if not a stable one; else there is none. */
static double hold_row(double w, double c) { return w > 0 || (w < 0 && c < 0) ? c / w : 0; }

static void solve_linear(BriStep *step, const BriIsland *island, const void *none) {
    (void)none;
    BriContacts *c = step->ws->contacts;
    double *x = c->r + island->first;
    if (bri_is_pile(step, island)) {
        memcpy(c->q + island->first, x, (size_t)island->rows * sizeof(double));
        bri_pile_solve_linear(step, island);
        return;
    }
    if (island->rows == 1 && !step->model->joints) {
        const BriUnit *unit = &c->unit[island->begin];
        double room[BRI_UNIT_NUMBERS];
        double w = bri_unit_couple(unit, c->C + BRI_ROW * unit->first, bri_unit_responses(step, unit, room));
        x[0] = hold_row(w, x[0]);
        return;
    }
    bri_units_assemble(step, island);
    bri_spend(step->budget, (double)island->rows * island->rows * island->rows / 3);
    if (island->rows == 1)
        x[0] = hold_row(c->desk.W[0], x[0]);
    else if (!(island->rows == 3 && solve_three(c->desk.W, x)) && !solve_slides(c, island, x))
        solve_singular(c, island, x);
}

void bri_units_solve_linear(BriStep *step) { bri_solve_islands(step, true, solve_linear, NULL); }

/* An answer that is none stays in its sets: nothing pulls, nothing leaves its cone. */
static void project_answer(const BriContacts *c, const BriIsland *island) {
    for (int k = island->begin; k < island->end; k++) {
        BriBlock block[3];
        int blocks = bri_unit_blocks(c, &c->unit[k], c->unit[k].row, block);
        for (int i = 0; i < blocks; i++) bri_block_project(&block[i], c->r + block[i].first);
    }
}

bool bri_units_solve_cones(BriStep *step) {
    BriContacts *c = step->ws->contacts;
    bool fine = true;
    bri_begin_contacts(step);
    c->has_bounded = c->complies = false;
    bri_units_guess(step, bri_all_units(c), 1); /* of several answers the one that the last step had */
    for (int k = 0; k < c->units; k++) {
        c->unit[k].speed = 0;
        for (int r = 0; r < c->unit[k].rows; r++)
            c->unit[k].speed = bri_max(c->unit[k].speed, bri_abs(c->q[c->unit[k].row + r]));
    }
    bri_units_set_tolerances(c, bri_all_units(c), 1e-9, 1e3 * step->velocity_tolerance);
    for (int begin = 0; begin < c->units;) {
        BriIsland island = bri_island_at(c, begin);
        begin = island.end;
        double times;
        if (bri_is_pile(step, &island)) {
            times = bri_pile_solve_from_rest(step, &island);
        } else {
            bri_units_assemble(step, &island);
            times = solve_island(step, &island, 0, true);
        }
        project_answer(c, &island);
        fine = times <= 1 && fine;
    }
    bri_end_contacts(step);
    return fine;
}
