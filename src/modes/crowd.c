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

/* smooth: as if nothing had friction. */
static void fill_problem(const BriCrowd *crowd, bool smooth, Asked *a) {
    const BriModeArrays *m = &crowd->modes;
    size_t stride = (size_t)m->stride;
    int rows = 0;
    for (int k = 0; k < m->contacts; k++) {
        bool row = is_row(&m->contact[k], smooth);
        a->block[k] = (BriBlock){.set = row ? BRI_SET_BOX : BRI_SET_CONE, .first = rows, .rows = row ? 1 : 3};
        a->block[k].lower = m->contact[k].bounded ? m->contact[k].lower : 0;
        a->block[k].upper = m->contact[k].bounded ? m->contact[k].upper : __builtin_inf();
        a->block[k].mu = m->contact[k].mu_s;
        rows += a->block[k].rows;
    }
    for (int k = 0; k < m->contacts; k++)
        for (int i = 0; i < a->block[k].rows; i++) {
            const double *W = m->W + (size_t)(3 * k + i) * stride;
            double *to = a->W + (size_t)(a->block[k].first + i) * (size_t)rows;
            a->q[a->block[k].first + i] = m->b[3 * k + i];
            for (int j = 0; j < m->contacts; j++) {
                const double *of = W + 3 * (size_t)j, *drag = m->contact[j].drag;
                for (int c = 0; c < a->block[j].rows; c++) to[a->block[j].first + c] = of[c];
                if (!smooth && is_row(&m->contact[j], false))
                    to[a->block[j].first] = of[0] - drag[0] * of[1] - drag[1] * of[2];
            }
        }
    a->problem = (BriProblem){.rows = rows,
                              .W = a->W,
                              .stride = rows,
                              .q = a->q,
                              .blocks = m->contacts,
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

/* p and u of r, and what each contact does. */
static void read_answer(const BriCrowd *crowd, const Asked *a, bool smooth, BriCrowdAnswer *answer) {
    const BriModeArrays *m = &crowd->modes;
    int rows = 3 * m->contacts;
    answer->shared = false;
    for (int k = 0; k < m->contacts; k++) {
        const double *r = a->r + a->block[k].first, *drag = m->contact[k].drag;
        bool row = is_row(&m->contact[k], smooth);
        for (int i = 0; i < 3; i++)
            answer->p[3 * k + i] = !row ? r[i] : i == 0 ? r[0] : smooth ? 0 : -drag[i - 1] * r[0];
    }
    for (int i = 0; i < rows; i++) {
        const double *W = m->W + (size_t)i * (size_t)m->stride;
        answer->u[i] = m->b[i];
        for (int j = 0; j < rows; j++) answer->u[i] += W[j] * answer->p[j];
    }
    for (int k = 0; k < m->contacts; k++) {
        const BriModeContact *c = &m->contact[k];
        const double *p = answer->p + 3 * k, *u = answer->u + 3 * k;
        bool slides = c->kind == BRI_CASE_SLIPS || (!smooth && bri_sqrt(u[1] * u[1] + u[2] * u[2]) > NOTHING);
        answer->mode[k] = !(p[0] > NOTHING) ? BRI_MODE_OPEN : slides ? BRI_MODE_SLIDES : BRI_MODE_ROLLS;
        if (c->bounded) answer->mode[k] = bri_abs(u[0]) > NOTHING ? BRI_MODE_SLIDES : BRI_MODE_ROLLS;
        for (int i = 0; i < 2; i++)
            answer->drag[k][i] = answer->mode[k] == BRI_MODE_SLIDES ? -p[1 + i] / p[0] : c->drag[i];
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
    for (int k = 0; k < crowd->modes.contacts; k++) {
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
    for (int k = 0; k < crowd->modes.contacts; k++) {
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
static void begin_at(const BriCrowd *crowd, Asked *a, int beginning, uint64_t *seed) {
    for (int k = 0; k < crowd->modes.contacts; k++) {
        double *r = a->r + a->block[k].first, N = beginning == 0 ? 0 : beginning == 1 ? 1 : 4 * draw(seed);
        r[0] = bri_min(N, a->block[k].upper);
        for (int i = 1; i < a->block[k].rows; i++)
            r[i] = beginning < 2 ? 0 : a->block[k].mu * N * (1.4 * draw(seed) - 0.7);
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
        begin_at(crowd, &a, beginning, &seed);
        answer_from_here(crowd, &a);
    }
    return beginning;
}

BriLayer bri_crowd_layer(const BriCrowd *crowd, int number, const BriGive *give) {
    const BriCrowdAnswer *a = &crowd->answer[number];
    BriModeView of = view(crowd);
    BriAnswerView answer = {a->mode, (const double(*)[2])a->drag, a->p, a->u};
    return bri_find_layer_with(&of, &answer, give, crowd->scratch, crowd->budget);
}
