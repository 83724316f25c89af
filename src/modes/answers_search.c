/* answers_search.c: see answers.h: several contacts without slip, in space. Which of them are open, roll or slide is tried
 * out; directions of slides are looked for by
 *     d_i <- u_ti/|u_ti|  of the linear problem in which contact i slides along d_i,
 * from several starts. What it comes to rest at is an answer (d.u_t > 0); answers that it does not come to rest at, or that
 * no start leads to, are not found. */
#include "modes/answers.h"

#include "math/vec.h"

enum { STARTS = 7, MOST_TURNS = 200, MOST_COMBINATIONS = 100 };

static const double PI = 3.14159265358979323846;
static const double RESTS = 1e-11; /* rad: directions that change by less have come to rest */

static bool may_turn(const BriModes *m, int k) { return m->contact[k].kind == BRI_CASE_RESTS; }

/* As the contact slides along d (two numbers along t1 and t2). */
static void let_slide(BriModes *m, int k, const double d[2]) {
    BriModeContact *c = &m->contact[k];
    c->kind = BRI_CASE_SLIPS;
    for (int i = 0; i < 2; i++) c->drag[i] = c->mu_k * d[i];
}

/* Start 0: as they would slide if nothing pressed; the others all along one direction of the world. */
static void start_direction(const BriModes *m, int k, int start, double d[2]) {
    const BriModeContact *c = &m->contact[k];
    double sine, cosine;
    bri_sincos(2 * PI * start / (STARTS - 1), &sine, &cosine);
    for (int i = 0; i < 2; i++) {
        const double *first = m->contact[0].frame[1], *second = m->contact[0].frame[2], *t = c->frame[1 + i];
        d[i] = 0;
        for (int x = 0; x < 3; x++) d[i] += t[x] * (cosine * first[x] + sine * second[x]);
        if (start == 0) d[i] = m->b[3 * k + 1 + i];
    }
    double length = bri_sqrt(d[0] * d[0] + d[1] * d[1]);
    for (int i = 0; i < 2; i++) d[i] = length > 0 ? d[i] / length : i == 0;
}

/* Follows one start; `slides`: bits of those whose direction is looked for. by->endless: of the linear problem that it comes to
 * rest at. */
static bool follow(const BriModes *m, const BriCombination *c, unsigned slides, int start, BriModeAnswer *answer,
                   BriCombining *by) {
    BriModes turned = *m;
    double d[BRI_MODES][2], change = 1;
    for (int k = 0; k < m->contacts; k++)
        if (slides >> k & 1) start_direction(m, k, start, d[k]);
    for (int n = 0; n < MOST_TURNS && change > RESTS; n++) {
        for (int k = 0; k < m->contacts; k++)
            if (slides >> k & 1) let_slide(&turned, k, d[k]);
        by->endless = false;
        if (!bri_answer_combination(&turned, c, answer, by) || !bri_has_budget(by->budget)) return false;
        change = 0;
        for (int k = 0; k < m->contacts; k++) {
            const double *u = answer->u + 3 * k + 1;
            double size = bri_sqrt(u[0] * u[0] + u[1] * u[1]);
            if (!(slides >> k & 1)) continue;
            if (!(size > RESTS)) return false; /* it rolls */
            change = bri_max(change, bri_abs(d[k][0] - u[0] / size) + bri_abs(d[k][1] - u[1] / size));
            d[k][0] = u[0] / size, d[k][1] = u[1] / size;
        }
    }
    return change <= RESTS;
}

/* What a contact does, by a digit: 0 open, 1 rolls or slides along its slip, 2 slides in a direction that is looked for; or what
 * a bounded row does: 0 holds, 1 and 2 gives way. */
static unsigned choose(const BriModes *m, const int *digit, BriCombination *c) {
    unsigned slides = 0;
    for (int k = 0; k < m->contacts; k++) {
        bool turns = may_turn(m, k);
        c->sign[k] = 0;
        c->mode[k] = digit[k] == 0 ? BRI_MODE_OPEN : digit[k] == 1 && turns ? BRI_MODE_ROLLS : BRI_MODE_SLIDES;
        if (m->contact[k].bounded) {
            c->mode[k] = digit[k] == 0 ? BRI_MODE_ROLLS : BRI_MODE_SLIDES;
            c->sign[k] = digit[k] == 0 ? 0 : digit[k] == 1 ? 1 : -1;
            continue;
        }
        slides |= (unsigned)(digit[k] == 2) << k;
    }
    return slides;
}

static int count_digits(const BriModes *m, int k) { return may_turn(m, k) || m->contact[k].bounded ? 3 : 2; }

/* Do all that may turn do the same? */
static bool is_uniform(const BriModes *m, const int *digit) {
    int first = -1;
    for (int k = 0; k < m->contacts; k++) {
        if (!may_turn(m, k)) continue;
        if (first >= 0 && digit[k] != first) return false;
        first = digit[k];
    }
    return true;
}

void bri_search_answers(const BriModes *m, BriBudget *budget, BriModeAnswers *a) {
    int digit[BRI_MODES] = {0}, k = 0, combinations = 1;
    for (int i = 0; i < m->contacts; i++) combinations *= count_digits(m, i);
    while (k < m->contacts) {
        BriCombination c;
        BriModeAnswer answer;
        unsigned slides = choose(m, digit, &c);
        bool asked = slides && (combinations <= MOST_COMBINATIONS || is_uniform(m, digit));
        for (int start = 0; asked && start < STARTS && bri_has_budget(budget); start++) {
            BriCombining by = {false, budget};
            if (!follow(m, &c, slides, start, &answer, &by)) continue;
            bri_answers_add(m, a, &answer);
            a->endless = a->endless || by.endless;
        }
        for (k = 0; k < m->contacts && ++digit[k] == count_digits(m, k);) digit[k++] = 0;
    }
}
