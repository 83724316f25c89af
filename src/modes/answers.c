/* answers.c: see answers.h. One combination of modes is a linear problem (Loetstedt 1981; Pfeiffer and Glocker 1996):
 *
 *     open     p = 0,                                  u_n >= 0
 *     rolls    p in the cone of mu_s,                  u = 0                                                    (12.2)
 *     slides   p = N (1, -drag),  N >= 0,              u_n = 0; without slip: drag = mu_k s,  s u_t1 >= 0, s = 1, -1
 *
 * and of a row with bounds
 *
 *     holds    lower <= p <= upper,                    u = 0                                                   (12.14)
 *     gives way   p = lower, u >= 0,    or   p = upper, u <= 0
 *
 * Every way to combine them is tried. Where a combination's equations are singular, forces >= 0 that solve them are
 * looked for by the simplex method, with edges of cones as unknowns; if accelerations differ among those, there is no end
 * of answers, else only the share of forces is open (z.W z = 0 of forces z that move nothing: then W z = 0).
 *
 * A contact that could hold does not begin to slide: where mu_s > mu_k an answer whose slides without slip could roll as
 * well, all else alike, is passed over. */
#include "modes/answers.h"

#include "linalg/dense.h"
#include "linalg/simplex.h"
#include "math/vec.h"

#include <string.h>

enum { EDGES = 32 }; /* of a cone in space, inside it: only for equations that are singular */

static const double NOTHING = 1e-9;      /* of numbers near 1: forces and accelerations of this size are none */
static const double SMALL_PIVOT = 1e-11; /* the same */
static const double PI = 3.14159265358979323846;

static int count_modes(const BriModes *m, int contact) {
    return m->contact[contact].bounded ? 3 : m->contact[contact].kind == BRI_CASE_IN_LINE ? 4 : 2;
}

static void choose_mode(const BriModes *m, int contact, int number, BriCombination *c) {
    bool slips = m->contact[contact].kind == BRI_CASE_SLIPS;
    if (m->contact[contact].bounded) {
        c->mode[contact] = number == 0 ? BRI_MODE_ROLLS : BRI_MODE_SLIDES;
        c->sign[contact] = number == 0 ? 0 : number == 1 ? 1 : -1;
        return;
    }
    c->mode[contact] = number == 0 ? BRI_MODE_OPEN : number == 1 && !slips ? BRI_MODE_ROLLS : BRI_MODE_SLIDES;
    c->sign[contact] = number < 2 ? 0 : number == 2 ? 1 : -1;
}

/* Friction per normal force of a slide. */
static void find_drag(const BriModes *m, const BriCombination *c, int k, double drag[2]) {
    const BriModeContact *contact = &m->contact[k];
    drag[0] = c->sign[k] ? c->sign[k] * contact->mu_k : contact->drag[0];
    drag[1] = c->sign[k] ? 0 : contact->drag[1];
}

/* ------------------------------------------------------------------ the linear problem */

/* An unknown: a force of one contact, or how far a condition is from its bound. */
typedef struct Column {
    int contact;     /* of a force; -1 */
    int slack;       /* row that it is the slack of; -1 */
    double sign;     /* of the slack: condition = sign * slack */
    double force[3]; /* along n, t1, t2 */
    bool free;       /* may have either sign */
} Column;

typedef struct System {
    int rows, columns;
    int row[BRI_MODE_ROWS];  /* of W; -1 - 2 k, -2 - 2 k: of a bounded row p = x - y that x/upper, y/-lower <= 1 */
    double given[BRI_MODES]; /* force of bounded rows that give way */
    Column column[BRI_SIMPLEX_COLUMNS];
} System;

static void add_force(System *s, int contact, double n, double t1, double t2, bool free) {
    s->column[s->columns++] = (Column){contact, -1, 0, {n, t1, t2}, free};
}

static void add_row(System *s, int row, double slack) {
    s->row[s->rows++] = row;
    if (slack != 0) s->column[s->columns++] = (Column){-1, row, slack, {0}, false};
}

/* Forces of a contact that rolls: along its rows, or along the edges of its cone. */
static void add_cone(const BriModes *m, System *s, int k, bool edges) {
    const BriModeContact *c = &m->contact[k];
    bool line = c->kind == BRI_CASE_IN_LINE;
    if (!edges) {
        add_force(s, k, 1, 0, 0, true);
        add_force(s, k, 0, 1, 0, true);
        if (!line) add_force(s, k, 0, 0, 1, true);
        return;
    }
    for (int i = 0; line && i < 2; i++) add_force(s, k, 1, i ? c->mu_s : -c->mu_s, 0, false);
    for (int i = 0; !line && i < EDGES; i++) {
        double sine, cosine;
        bri_sincos(2 * PI * i / EDGES, &sine, &cosine);
        add_force(s, k, 1, c->mu_s * cosine, c->mu_s * sine, false);
    }
}

static void add_bounded(const BriModes *m, const BriCombination *c, System *s, int k, bool edges) {
    const BriModeContact *of = &m->contact[k];
    bool holds = c->mode[k] == BRI_MODE_ROLLS;
    if (!holds) s->given[k] = c->sign[k] > 0 ? of->lower : of->upper;
    add_row(s, 3 * k, holds ? 0 : c->sign[k]);
    if (!holds) return;
    add_force(s, k, 1, 0, 0, !edges);
    if (!edges) return;
    add_force(s, k, -1, 0, 0, false);
    for (int i = 0; i < 2; i++) add_row(s, -1 - 2 * k - i, -1);
}

static void make_system(const BriModes *m, const BriCombination *c, bool edges, System *s) {
    s->rows = s->columns = 0;
    for (int k = 0; k < m->contacts; k++) {
        double drag[2];
        int n = 3 * k;
        s->given[k] = 0;
        if (m->contact[k].bounded) {
            add_bounded(m, c, s, k, edges);
            continue;
        }
        add_row(s, n, c->mode[k] == BRI_MODE_OPEN ? 1 : 0);
        if (c->mode[k] == BRI_MODE_ROLLS) {
            add_cone(m, s, k, edges);
            add_row(s, n + 1, 0);
            if (m->contact[k].kind == BRI_CASE_RESTS) add_row(s, n + 2, 0);
        } else if (c->mode[k] == BRI_MODE_SLIDES) {
            find_drag(m, c, k, drag);
            add_force(s, k, 1, -drag[0], -drag[1], false);
            if (c->sign[k]) add_row(s, n + 1, c->sign[k]);
        }
    }
}

/* Of which part of its bound a force is. */
static double find_part(const BriModes *m, const Column *c, int row) {
    int contact = (-1 - row) / 2;
    bool upper = (-1 - row) % 2 == 0;
    if (c->contact != contact || upper != (c->force[0] > 0)) return 0;
    return 1 / (upper ? m->contact[contact].upper : -m->contact[contact].lower);
}

/* What a column does to a row. */
static double find_entry(const BriModes *m, const Column *c, int row) {
    if (c->contact < 0) return c->slack == row ? -c->sign : 0;
    if (row < 0) return find_part(m, c, row);
    const double *W = &m->W[row][3 * c->contact];
    return W[0] * c->force[0] + W[1] * c->force[1] + W[2] * c->force[2];
}

/* What columns have to make up for. */
static double find_right(const BriModes *m, const System *s, int row) {
    if (row < 0) return 1;
    double sum = -m->b[row];
    for (int k = 0; k < m->contacts; k++)
        if (s->given[k] != 0) sum -= m->W[row][3 * k] * s->given[k];
    return sum;
}

static void read_forces(const BriModes *m, const System *s, const double *x, double *p) {
    memset(p, 0, BRI_MODE_ROWS * sizeof *p);
    for (int k = 0; k < m->contacts; k++) p[3 * k] = s->given[k];
    for (int j = 0; j < s->columns; j++)
        for (int i = 0; s->column[j].contact >= 0 && i < 3; i++)
            p[3 * s->column[j].contact + i] += x[j] * s->column[j].force[i];
}

/* ------------------------------------------------------------------ answers of one combination */

static BriModeAnswer start_answer(const BriModes *m, const BriCombination *c) {
    BriModeAnswer answer = {.shared = false};
    for (int k = 0; k < m->contacts; k++) {
        answer.mode[k] = c->mode[k];
        if (c->mode[k] == BRI_MODE_SLIDES) find_drag(m, c, k, answer.drag[k]);
    }
    return answer;
}

static bool is_in_cones(const BriModes *m, const BriCombination *c, const double *p, double size) {
    for (int k = 0; k < m->contacts; k++) {
        const double *f = p + 3 * k, nothing = NOTHING * size;
        const BriModeContact *of = &m->contact[k];
        if (c->mode[k] != BRI_MODE_ROLLS) continue;
        if (of->bounded && !(f[0] >= of->lower - nothing && f[0] <= of->upper + nothing)) return false;
        if (of->bounded) continue;
        if (bri_sqrt(f[1] * f[1] + f[2] * f[2]) > of->mu_s * f[0] + nothing) return false;
    }
    return true;
}

typedef enum Outcome { NO_ANSWER, ANSWERED, SINGULAR } Outcome;

static Outcome solve_regular(const BriModes *m, const BriCombination *c, BriModeAnswer *answer) {
    System s;
    double A[BRI_MODE_ROWS * BRI_MODE_ROWS] = {0}, x[BRI_MODE_ROWS] = {0}, size = 1;
    int pivot[BRI_MODE_ROWS];
    make_system(m, c, false, &s);
    for (int i = 0; i < s.rows; i++) {
        x[i] = find_right(m, &s, s.row[i]);
        for (int j = 0; j < s.columns; j++) A[s.columns * i + j] = find_entry(m, &s.column[j], s.row[i]);
    }
    if (!bri_lu_factor(A, s.rows, s.rows, pivot)) return SINGULAR;
    for (int i = 0; i < s.rows; i++)
        if (!(bri_abs(A[s.rows * i + i]) > SMALL_PIVOT)) return SINGULAR; /* but for rounding of W */
    bri_lu_solve(A, s.rows, s.rows, pivot, x);
    for (int i = 0; i < s.rows; i++) size = bri_max(size, bri_abs(x[i]));
    for (int i = 0; i < s.columns; i++)
        if (!s.column[i].free && x[i] < -NOTHING * size) return NO_ANSWER;
    *answer = start_answer(m, c);
    read_forces(m, &s, x, answer->p);
    return is_in_cones(m, c, answer->p, size) ? ANSWERED : NO_ANSWER;
}

/* Do accelerations differ among the forces that solve the equations? Along each row the most and the least. */
static bool is_endless(const BriModes *m, const System *s, BriSimplex *simplex) {
    double g[BRI_SIMPLEX_COLUMNS];
    for (int row = 0; row < 3 * m->contacts; row++) {
        double most[2] = {0}, size = 0;
        for (int sign = 0; sign < 2; sign++) {
            for (int j = 0; j < s->columns; j++) {
                bool force = s->column[j].contact >= 0;
                g[j] = force ? (sign ? -1 : 1) * find_entry(m, &s->column[j], row) : 0;
                size = bri_max(size, bri_abs(g[j]));
            }
            if (!(size > NOTHING)) break;
            most[sign] = bri_simplex_most(simplex, g);
            if (!bri_is_finite(most[sign])) return true;
        }
        if (size > NOTHING && most[0] + most[1] > 1e3 * NOTHING * bri_max(1, bri_abs(most[0]))) return true;
    }
    return false;
}

/* Operations of so many exchanges of a simplex, with looking for them. */
static void spend_exchanges(BriBudget *budget, const System *s, double exchanges) {
    bri_spend(budget, 2 * exchanges * s->rows * s->columns);
}

static bool solve_singular(const BriModes *m, const BriCombination *c, BriModeAnswer *answer, BriCombining *by) {
    System s;
    BriSimplex simplex;
    double x[BRI_SIMPLEX_COLUMNS];
    make_system(m, c, true, &s);
    simplex.rows = s.rows, simplex.columns = s.columns;
    for (int i = 0; i < s.rows; i++) {
        for (int j = 0; j < s.columns; j++) simplex.T[i][j] = find_entry(m, &s.column[j], s.row[i]);
        simplex.T[i][s.columns] = find_right(m, &s, s.row[i]);
    }
    spend_exchanges(by->budget, &s, s.rows); /* roughly one for each row */
    if (!bri_simplex_begin(&simplex)) return false;
    bri_simplex_point(&simplex, x);
    *answer = start_answer(m, c);
    answer->shared = true;
    read_forces(m, &s, x, answer->p);
    if (by->endless) return true;
    spend_exchanges(by->budget, &s, 18. * m->contacts); /* three for the most and for the least along each row */
    by->endless = is_endless(m, &s, &simplex);
    return true;
}

bool bri_answer_combination(const BriModes *m, const BriCombination *c, BriModeAnswer *answer, BriCombining *by) {
    double rows = 3. * m->contacts;
    Outcome outcome = solve_regular(m, c, answer);
    bri_spend(by->budget, rows * rows * (rows / 3 + 2));
    if (outcome == NO_ANSWER || (outcome == SINGULAR && !solve_singular(m, c, answer, by))) return false;
    bri_answer_accelerate(m, answer);
    return true;
}

/* ------------------------------------------------------------------ all of them */

static double largest(const double *x, int count) {
    double most = 0;
    for (int i = 0; i < count; i++) most = bri_max(most, bri_abs(x[i]));
    return most;
}

static bool differ(const double *x, const double *y, int count) {
    double size = bri_max(1, bri_max(largest(x, count), largest(y, count)));
    for (int i = 0; i < count; i++)
        if (bri_abs(x[i] - y[i]) > 10 * NOTHING * size) return true;
    return false;
}

void bri_answer_accelerate(const BriModes *m, BriModeAnswer *answer) {
    int rows = 3 * m->contacts;
    for (int i = 0; i < rows; i++) {
        answer->u[i] = m->b[i];
        for (int j = 0; j < rows; j++) answer->u[i] += m->W[i][j] * answer->p[j];
    }
}

void bri_answers_add(const BriModes *m, BriModeAnswers *a, const BriModeAnswer *answer) {
    int rows = 3 * m->contacts;
    for (int i = 0; i < a->count && i < BRI_ANSWERS; i++) {
        if (differ(a->answer[i].u, answer->u, rows)) continue;
        a->answer[i].shared = a->answer[i].shared || answer->shared || differ(a->answer[i].p, answer->p, rows);
        return;
    }
    if (a->count < BRI_ANSWERS) a->answer[a->count] = *answer;
    a->count++;
}

/* Is `held` what `slid` is but for slides that begin in one and roll in the other? */
static bool holds_instead(const BriModes *m, const BriModeAnswer *slid, const BriModeAnswer *held) {
    bool some = false;
    for (int k = 0; k < m->contacts; k++) {
        const BriModeContact *c = &m->contact[k];
        bool begins_here = slid->mode[k] == BRI_MODE_SLIDES && c->kind != BRI_CASE_SLIPS && c->mu_s > c->mu_k;
        if (begins_here && held->mode[k] == BRI_MODE_ROLLS)
            some = true;
        else if (slid->mode[k] != held->mode[k] || differ(slid->drag[k], held->drag[k], 2))
            return false;
    }
    return some;
}

/* Contacts that could hold do not begin to slide. */
static void pass_over(const BriModes *m, BriModeAnswers *a) {
    bool passed[BRI_ANSWERS] = {false};
    int count = a->count < BRI_ANSWERS ? a->count : BRI_ANSWERS, kept = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++) passed[i] = passed[i] || holds_instead(m, &a->answer[i], &a->answer[k]);
    for (int i = 0; i < count; i++) {
        if (passed[i]) continue;
        if (kept != i) a->answer[kept] = a->answer[i];
        kept++;
    }
    a->count -= count - kept;
}

/* The next combination; false: that was the last. `number`: per contact that of its mode. */
static bool go_on(const BriModes *m, int *number) {
    int k = 0;
    for (; k < m->contacts && ++number[k] == count_modes(m, k); k++) number[k] = 0;
    return k < m->contacts;
}

static BriCombination combine(const BriModes *m, const int *number) {
    BriCombination c;
    for (int i = 0; i < m->contacts; i++) choose_mode(m, i, number[i], &c);
    return c;
}

bool bri_find_first_answer(const BriModes *m, BriModeAnswer *answer) {
    int number[BRI_MODES] = {0};
    BriCombining by = {false, NULL};
    do {
        BriCombination c = combine(m, number);
        if (bri_answer_combination(m, &c, answer, &by)) return true;
    } while (go_on(m, number));
    return false;
}

void bri_find_answers(const BriModes *m, BriBudget *budget, BriModeAnswers *a) {
    int number[BRI_MODES] = {0};
    BriCombining by = {false, budget};
    bool more = true;
    a->count = 0;
    a->endless = a->stopped = false;
    a->complete = m->in_plane;
    if (m->contacts == 1 && !m->in_plane) {
        bri_find_answers_around(m, a);
        pass_over(m, a);
        return;
    }
    for (; more && bri_has_budget(budget); more = go_on(m, number)) {
        BriCombination c = combine(m, number);
        BriModeAnswer answer;
        if (bri_answer_combination(m, &c, &answer, &by)) bri_answers_add(m, a, &answer);
    }
    a->endless = by.endless;
    if (!m->in_plane) bri_search_answers(m, budget, a);
    a->stopped = more || !bri_has_budget(budget);
    a->complete = a->complete && !a->stopped;
    pass_over(m, a);
}
