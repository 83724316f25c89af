/* crowd.c: see crowd.h. As a problem of problem.h: a contact that slips, or has no friction, is one row, its friction in its
 * column,
 *     u_n = (W (n - drag)) N + b_n >= 0  _|_  N >= 0
 * one at rest a cone of mu_s. Those of the cones that turn out to slide slide with mu_k, and the problem is solved again. */
#include "modes/crowd.h"

#include "math/vec.h"
#include "solvers/solvers.h"

#include <string.h>

static const double GOAL = 1e-12;   /* of numbers near 1: what solvers go for, */
static const double NOTHING = 1e-9; /* what makes an answer, and what is nothing in it */
static const double DIFFER = 1e-6;  /* the same: answers that differ by less are one */

/* ------------------------------------------------------------------ memory */

typedef struct Room {
    double *memory;
    size_t used;
} Room;

static double *take(Room *room, size_t count) {
    double *taken = room->memory ? room->memory + room->used : NULL;
    room->used += count;
    return taken;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static size_t count_doubles(size_t bytes) { return (bytes + sizeof(double) - 1) / sizeof(double); }

/* Of a problem of r, q, W and blocks, with what solvers need (solvers.h). */
static size_t find_solver_scratch(int contacts) {
    size_t n = (size_t)contacts, rows = 3 * n;
    size_t boxes = larger(bri_lemke_scratch(contacts, 0), bri_enumeration_scratch(contacts, 0));
    boxes = n + larger(boxes, bri_pivoting_scratch(contacts));
    size_t solvers = larger(rows * rows + 6 * rows + 3 * n, boxes);
    return rows * rows + 3 * rows + count_doubles(n * sizeof(BriBlock)) + solvers;
}

static BriCrowd place(Room *room, int contacts) {
    size_t n = (size_t)contacts, rows = 3 * n;
    BriCrowd c = {.modes = {.contacts = contacts, .stride = 3 * contacts}};
    c.modes.W = take(room, rows * rows);
    c.modes.b = take(room, rows), c.modes.size = take(room, rows), c.modes.scale = take(room, n);
    c.modes.acceleration = take(room, 1);
    c.modes.contact = (BriModeContact *)take(room, count_doubles(n * sizeof *c.modes.contact));
    for (int i = 0; i < BRI_CROWD_ANSWERS; i++) {
        BriCrowdAnswer *a = &c.answer[i];
        a->mode = (BriMode *)take(room, count_doubles(n * sizeof *a->mode));
        a->drag = (double(*)[2])take(room, 2 * n);
        a->p = take(room, rows), a->u = take(room, rows);
    }
    size_t scratch = larger(bri_alone_scratch(contacts), bri_layer_scratch(contacts));
    c.scratch = take(room, larger(scratch, find_solver_scratch(contacts)));
    return c;
}

size_t bri_crowd_size(int contacts) {
    Room room = {NULL, 0};
    place(&room, contacts);
    return room.used;
}

BriCrowd bri_crowd_place(double *memory, int contacts, BriBudget *budget) {
    Room room = {memory, 0};
    BriCrowd crowd = place(&room, contacts);
    crowd.budget = budget;
    return crowd;
}

void bri_crowd_take(BriCrowd *crowd, const BriModes *few) {
    BriModeArrays *m = &crowd->modes;
    size_t n = (size_t)few->contacts, rows = 3 * n;
    for (size_t i = 0; i < rows; i++) memcpy(m->W + i * (size_t)m->stride, few->W[i], rows * sizeof(double));
    memcpy(m->b, few->b, rows * sizeof *m->b);
    memcpy(m->size, few->size, rows * sizeof *m->size);
    memcpy(m->scale, few->scale, n * sizeof *m->scale);
    memcpy(m->contact, few->contact, n * sizeof *m->contact);
    *m->acceleration = few->acceleration;
}

static BriModeView view(const BriCrowd *c) {
    const BriModeArrays *m = &c->modes;
    return (BriModeView){m->contacts, m->stride, m->W, m->b, m->scale, m->contact};
}

/* ------------------------------------------------------------------ the problem */

typedef struct Asked {
    BriProblem problem;
    BriBlock *block;
    double *W, *q, *r, *u, *scratch;
} Asked;

static bool is_row(const BriModeContact *c, bool smooth) { return smooth || c->kind == BRI_CASE_SLIPS; }

static Asked begin_problem(const BriCrowd *crowd) {
    size_t n = (size_t)crowd->modes.contacts, rows = 3 * n;
    Asked a = {.W = crowd->scratch};
    a.q = a.W + rows * rows, a.r = a.q + rows, a.u = a.r + rows;
    a.block = (BriBlock *)(a.u + rows);
    a.scratch = a.u + rows + count_doubles(n * sizeof *a.block);
    return a;
}

/* Rows of W that a contact has in the problem, its normal first: of what is at rest, and borne by it. Returns how many; `block`: what
 * they are, if asked. smooth: as if nothing had friction. */
static int list_rows(const BriModeArrays *m, int k, bool smooth, int row[6], BriBlock *block) {
    const BriModeContact *c = &m->contact[k];
    int rows = 1, discs = 0;
    double mu[3] = {0};
    row[0] = 3 * k;
    if (!is_row(c, smooth)) {
        row[rows++] = 3 * k + 1, row[rows++] = 3 * k + 2;
        mu[discs++] = c->mu_s;
    }
    for (int j = bri_next_borne(m->contact, m->contacts, k, 0); j && !smooth;
         j = bri_next_borne(m->contact, m->contacts, k, j)) {
        if (m->contact[j].kind == BRI_CASE_SLIPS) continue;
        row[rows++] = 3 * j + 1;
        if (!m->contact[j].spins) row[rows++] = 3 * j + 2;
        mu[discs++] = m->contact[j].mu_s;
    }
    if (!block) return rows;
    bool spins = m->contact[row[rows - 1] / 3].spins;
    *block = (BriBlock){.set = rows == 1 ? BRI_SET_BOX : BRI_SET_CONE, .rows = rows, .mu = mu[0]};
    block->lower = c->bounded ? c->lower : 0, block->upper = c->bounded ? c->upper : __builtin_inf();
    block->spin = spins && discs > 1 ? mu[discs - 1] : 0; /* one disc alone is the first, whatever it is */
    block->roll = rows > 4 ? mu[1] : 0;
    return rows;
}

static double find_drag(const BriModeArrays *m, const double *W, int k) {
    const BriModeContact *c = &m->contact[k];
    return c->kind == BRI_CASE_SLIPS ? c->drag[0] * W[3 * k + 1] + c->drag[1] * W[3 * k + 2] : 0;
}

/* What friction, or a moment, of known direction that goes with the normal force of a contact takes from a row of W. */
static double find_dragged(const BriModeArrays *m, const double *W, int k) {
    double sum = find_drag(m, W, k);
    for (int j = bri_next_borne(m->contact, m->contacts, k, 0); j; j = bri_next_borne(m->contact, m->contacts, k, j))
        sum += find_drag(m, W, j);
    return sum;
}

static void fill_problem(const BriCrowd *crowd, bool smooth, Asked *a) {
    const BriModeArrays *m = &crowd->modes;
    size_t stride = (size_t)m->stride;
    int rows = 0, blocks = 0, row[6], column[6];
    for (int k = 0; k < m->contacts && !m->contact[k].borne; k++, blocks++) {
        int count = list_rows(m, k, smooth, row, &a->block[k]);
        a->block[k].first = rows;
        rows += count;
    }
    for (int k = 0; k < blocks; k++)
        for (int i = 0, count = list_rows(m, k, smooth, row, NULL); i < count; i++) {
            const double *W = m->W + (size_t)row[i] * stride;
            double *to = a->W + (size_t)(a->block[k].first + i) * (size_t)rows;
            a->q[a->block[k].first + i] = m->b[row[i]];
            for (int j = 0; j < blocks; j++) {
                int columns = list_rows(m, j, smooth, column, NULL);
                for (int c = 0; c < columns; c++) to[a->block[j].first + c] = W[column[c]];
                if (!smooth) to[a->block[j].first] -= find_dragged(m, W, j);
            }
        }
    a->problem = (BriProblem){.rows = rows,
                              .W = a->W,
                              .stride = rows,
                              .q = a->q,
                              .blocks = blocks,
                              .block = a->block,
                              .budget = crowd->budget};
}

/* From the r there is. */
static bool solve(Asked *a) {
    BriSolverReport report;
    bri_solve(&a->problem, GOAL, a->r, a->scratch, &report);
    BriCertificate judged = bri_problem_check(&a->problem, a->r, a->u);
    return judged.residual <= NOTHING;
}

/* ------------------------------------------------------------------ answers */

/* p of r. */
static void read_forces(const BriCrowd *crowd, const Asked *a, bool smooth, double *p) {
    const BriModeArrays *m = &crowd->modes;
    int row[6];
    memset(p, 0, 3 * (size_t)m->contacts * sizeof *p);
    for (int k = 0; k < a->problem.blocks; k++) {
        const double *r = a->r + a->block[k].first;
        for (int i = 0, count = list_rows(m, k, smooth, row, NULL); i < count; i++) p[row[i]] = r[i];
    }
    for (int k = 0; k < m->contacts && !smooth; k++) {
        const BriModeContact *c = &m->contact[k];
        for (int i = 0; c->kind == BRI_CASE_SLIPS && i < 2; i++)
            p[3 * k + 1 + i] = -c->drag[i] * p[3 * bri_bearer(c, k)];
    }
}

static BriMode find_mode(const BriModeContact *c, const double *u, double load, bool smooth) {
    bool slides = c->kind == BRI_CASE_SLIPS || (!smooth && bri_sqrt(u[1] * u[1] + u[2] * u[2]) > NOTHING);
    if (c->bounded) return bri_abs(u[0]) > NOTHING ? BRI_MODE_SLIDES : BRI_MODE_ROLLS;
    return !(load > NOTHING) ? BRI_MODE_OPEN : slides ? BRI_MODE_SLIDES : BRI_MODE_ROLLS;
}

/* p and u of r, and what each contact does. */
static void read_answer(const BriCrowd *crowd, const Asked *a, bool smooth, BriCrowdAnswer *answer) {
    const BriModeArrays *m = &crowd->modes;
    int rows = 3 * m->contacts;
    answer->shared = false;
    read_forces(crowd, a, smooth, answer->p);
    for (int i = 0; i < rows; i++) {
        const double *W = m->W + (size_t)i * (size_t)m->stride;
        answer->u[i] = m->b[i];
        for (int j = 0; j < rows; j++) answer->u[i] += W[j] * answer->p[j];
    }
    for (int k = 0; k < m->contacts; k++) {
        const BriModeContact *c = &m->contact[k];
        const double *p = answer->p + 3 * k, load = answer->p[3 * bri_bearer(c, k)];
        answer->mode[k] = find_mode(c, answer->u + 3 * k, load, smooth);
        bool slides = answer->mode[k] == BRI_MODE_SLIDES && !c->bounded;
        for (int i = 0; i < 2; i++) answer->drag[k][i] = slides ? -p[1 + i] / load : c->drag[i];
    }
}

/* Keeps the one that was just read, unless it is there. */
static void keep(BriCrowd *crowd) {
    const BriCrowdAnswer *read = &crowd->answer[crowd->answers];
    int rows = 3 * crowd->modes.contacts;
    for (int n = 0; n < crowd->answers; n++) {
        double size = 1;
        bool same = true;
        for (int i = 0; i < rows; i++) size = bri_max(size, bri_abs(read->u[i]));
        for (int i = 0; i < rows; i++) same = same && bri_abs(read->u[i] - crowd->answer[n].u[i]) <= DIFFER * size;
        if (same) return;
    }
    crowd->answers++;
}

/* Contacts at rest that slide do so with mu_k: true: some had another coefficient. */
static bool lower_friction(const BriCrowd *crowd, const BriCrowdAnswer *answer, Asked *a) {
    bool changed = false;
    for (int k = 0; k < a->problem.blocks; k++) {
        const BriModeContact *c = &crowd->modes.contact[k];
        bool slides = answer->mode[k] == BRI_MODE_SLIDES && c->kind != BRI_CASE_SLIPS;
        if (!slides || c->mu_k == a->block[k].mu) continue;
        a->block[k].mu = c->mu_k;
        changed = true;
    }
    return changed;
}

/* Does what was let slide with mu_k slide? */
static bool is_consistent(const BriCrowd *crowd, const BriCrowdAnswer *answer, const Asked *a) {
    for (int k = 0; k < a->problem.blocks; k++) {
        const BriModeContact *c = &crowd->modes.contact[k];
        bool lowered = c->kind != BRI_CASE_SLIPS && a->block[k].mu != c->mu_s;
        if (lowered && answer->mode[k] == BRI_MODE_ROLLS) return false;
    }
    return true;
}

static void answer_from_here(BriCrowd *crowd, Asked *a) {
    BriCrowdAnswer *answer = &crowd->answer[crowd->answers];
    bool found = solve(a);
    if (!found) return;
    read_answer(crowd, a, false, answer);
    for (int round = 0; round < 3 && lower_friction(crowd, answer, a); round++) {
        if (!solve(a)) return;
        read_answer(crowd, a, false, answer);
    }
    if (is_consistent(crowd, answer, a)) keep(crowd);
}

/* ------------------------------------------------------------------ what is asked */

bool bri_crowd_lies_flat(BriCrowd *crowd) {
    const BriModeArrays *m = &crowd->modes;
    Asked a = begin_problem(crowd);
    for (int k = 0; k < m->contacts; k++)
        if (m->contact[k].kind == BRI_CASE_SLIPS && m->contact[k].mu_k > 0 &&
            (m->contact[k].slip[0] != 0 || m->contact[k].slip[1] != 0))
            return false;
    fill_problem(crowd, true, &a);
    memset(a.r, 0, (size_t)a.problem.rows * sizeof *a.r);
    if (!solve(&a)) return false;
    BriCrowdAnswer *answer = &crowd->answer[crowd->answers];
    read_answer(crowd, &a, true, answer);
    for (int r = 0; r < 3 * m->contacts; r++)
        if (r % 3 && m->contact[r / 3].mu_s > 0 && bri_abs(answer->u[r]) > NOTHING) return false;
    keep(crowd);
    return true;
}

BriDefinite bri_crowd_is_definite(BriCrowd *crowd) {
    BriModeView of = view(crowd);
    if (!bri_can_spend(crowd->budget, bri_definite_work(of.contacts))) return BRI_DEFINITE_NOT;
    return bri_prove_definite(&of, crowd->scratch, crowd->budget);
}

bool bri_crowd_is_alone(BriCrowd *crowd, int number) {
    const BriCrowdAnswer *a = &crowd->answer[number];
    BriModeView of = view(crowd);
    BriAnswerView answer = {a->mode, (const double(*)[2])a->drag, a->p, a->u};
    return bri_prove_alone(&of, &answer, crowd->scratch, crowd->budget);
}

static double draw(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

/* 0: nothing presses; 1: everything, without friction; others: at random, inside the cones. */
static void begin_at(Asked *a, int beginning, uint64_t *seed) {
    for (int k = 0; k < a->problem.blocks; k++) {
        double *r = a->r + a->block[k].first, N = beginning == 0 ? 0 : beginning == 1 ? 1 : 4 * draw(seed);
        r[0] = bri_min(N, a->block[k].upper);
        for (int i = 1; i < a->block[k].rows; i++)
            r[i] = beginning < 2 || i > 2 ? 0 : a->block[k].mu * N * (1.4 * draw(seed) - 0.7);
    }
}

int bri_crowd_search(BriCrowd *crowd, bool all) {
    uint64_t seed = 1;
    int beginning = 0;
    for (; beginning < BRI_CROWD_BEGINNINGS && crowd->answers < BRI_CROWD_ANSWERS; beginning++) {
        Asked a = begin_problem(crowd);
        if (!bri_has_budget(crowd->budget) || (!all && crowd->answers > 0)) break;
        bri_spend(crowd->budget, 9. * crowd->modes.contacts * crowd->modes.contacts);
        fill_problem(crowd, false, &a);
        begin_at(&a, beginning, &seed);
        answer_from_here(crowd, &a);
    }
    return beginning;
}

BriLayer bri_crowd_layer(const BriCrowd *crowd, int number, const BriGive *give) {
    int last = crowd->modes.contacts - 1;
    if (crowd->modes.contact[last].borne)
        return (BriLayer){.settling = BRI_UNTOLD}; /* what moments do to it is not known */
    const BriCrowdAnswer *a = &crowd->answer[number];
    BriModeView of = view(crowd);
    BriAnswerView answer = {a->mode, (const double(*)[2])a->drag, a->p, a->u};
    return bri_find_layer_with(&of, &answer, give, crowd->scratch, crowd->budget);
}
