/* sleep.c: islands at rest. Bodies that touch each other (fixed ones do not join) and have been at rest for a while are
 * not stepped: their velocities are zero, poses and contacts stay as they are to the bit, and what they cost is a look at
 * their boxes. An island is woken before the step that may bring something to it is made, and goes on from what its
 * contacts remember, as if it had never slept.
 *
 * At rest: in a step that was certified every contact of the island stuck and pushed or rested, no point moved faster
 * than BRI_SLIP (what counts as no slip), and no pose was moved on by more than that makes in the step. For how long?
 * Whoever is pushed by a part HIDDEN of its weight, which is what the certificate may leave, has reached BRI_SLIP after
 *     T = BRI_SLIP / (HIDDEN |g|)                                                                           (7.47)
 * (0.1 s on Earth): rest over T, and over no fewer than FEW steps, is rest, and a turn of the motion is none. Without
 * gravity there is no such time, and nobody sleeps.
 *
 * How long is counted in the state's contact table, per contact, so that a state is all there is. The islands follow from
 * the table. */
#include "contact/contact.h"
#include "dynamics/force.h"
#include "linalg/sets.h"

#include <string.h>

static const double HIDDEN = 1e-9; /* of the weight: what contact_tolerance is, unless set */
enum { FEW = 10 };

/* Steps at rest before sleep; infinite: never. */
static double count_steps(const BriStep *step) {
    double weight = bri_norm(step->model->gravity); /* per mass */
    if (!(weight > 0)) return __builtin_inf();
    return bri_max(FEW, bri_floor(BRI_SLIP / (HIDDEN * weight) / step->h) + 1);
}

/* Bodies of a contact in the table. */
static void find_bodies(const BriContacts *c, const BriContactState *contact, int body[2]) {
    body[0] = c->fact[bri_contact_state_a(contact)].body;
    body[1] = c->fact[bri_contact_state_b(contact)].body;
}

/* That of them which can be pushed: its island is the contact's. */
static int find_pushed(const BrModel *m, const int body[2]) { return m->body[body[0]].node >= 0 ? body[0] : body[1]; }

bool bri_contact_sleeps(const BriStep *step, const BriContactState *contact) {
    int body[2];
    find_bodies(step->ws->contacts, contact, body);
    return bri_sleeps(step, body[0]) || bri_sleeps(step, body[1]);
}

/* Islands by the contacts of a state; those that sleep already are left alone. */
static void find_islands(const BriStep *step, const BrState *state) {
    const BrModel *m = step->model;
    const BriContacts *c = step->ws->contacts;
    const BriContactState *contact = bri_state_contacts(state);
    int *island = c->sleep.island, body[2];
    for (int i = 0; i < m->bodies; i++) island[i] = i;
    for (int k = 0; k < state->contacts; k++) {
        find_bodies(c, &contact[k], body);
        if (bri_sleeps(step, body[0]) || bri_sleeps(step, body[1])) continue;
        if (m->body[body[0]].node >= 0 && m->body[body[1]].node >= 0) bri_join_sets(island, body[0], body[1]);
    }
    for (int i = 0; i < m->bodies; i++) island[i] = bri_find_root(island, i);
}

/* Whoever rested least counts. Infinite: nothing touches the island, or nothing that was there before. */
static void note_rest(const BriStep *step, const BriContactState *contact, double rested) {
    const BriContacts *c = step->ws->contacts;
    int body[2];
    find_bodies(c, contact, body);
    double *least = &c->sleep.rested[c->sleep.island[find_pushed(step->model, body)]];
    *least = bri_min(*least, rested);
}

static void forget_rest(const BriStep *step) {
    for (int i = 0; i < step->model->bodies; i++) step->ws->contacts->sleep.rested[i] = __builtin_inf();
}

/* Who they are that sleep. */
static void note_sleepers(const BriStep *step) {
    BriContacts *c = step->ws->contacts;
    BriSleepers *count = &c->sleep.count;
    *count = (BriSleepers){0};
    for (int i = 0; i < step->model->bodies; i++) count->bodies += bri_sleeps(step, i);
    for (int k = 0; k < step->start->contacts; k++)
        count->contacts += bri_contact_sleeps(step, &bri_state_contacts(step->start)[k]);
    for (int i = 0; i < step->model->shapes; i++) {
        bool sleeps = bri_sleeps(step, c->fact[i].body);
        c->sleep.idle[i] = c->fact[i].still || sleeps;
        count->shapes += sleeps;
    }
}

void bri_sleep_begin(BriStep *step) {
    const BrState *start = step->start;
    BriContacts *c = step->ws->contacts;
    bool any = false;
    /* impulses are those of the last step's length and formulation */
    if (!step->def->sleeping || start->dt != step->h || start->formulation != BR_FORMULATION_TIMESTEPPING) return;
    for (int k = 0; k < start->contacts; k++)
        if (!bri_knows_contact(step->model, &bri_state_contacts(start)[k])) return;
    double enough = count_steps(step);
    find_islands(step, start);
    forget_rest(step);
    for (int k = 0; k < start->contacts; k++)
        note_rest(step, &bri_state_contacts(start)[k], bri_state_contacts(start)[k].rested);
    for (int i = 0; i < step->model->bodies; i++) {
        double rested = c->sleep.rested[c->sleep.island[i]];
        c->sleep.asleep[i] = rested >= enough && bri_is_finite(rested);
        any = any || c->sleep.asleep[i];
    }
    if (!any) return;
    step->asleep = c->sleep.asleep;
    note_sleepers(step);
}

/* May shape b, which does not sleep, come to shape a, which does? */
static bool calls(const BriStep *step, const BriShapeFacts *a, const BriShapeFacts *b) {
    return bri_sleeps(step, a->body) && !bri_sleeps(step, b->body) && !b->still;
}

bool bri_sleep_wake(BriStep *step) {
    const BrModel *m = step->model;
    const BriContacts *c = step->ws->contacts;
    bool any = false;
    memset(c->sleep.called, 0, (size_t)m->bodies);
    for (int k = 0; k < c->pairs; k++) {
        const BriShapeFacts *a = &c->fact[c->pair[k].a], *b = &c->fact[c->pair[k].b];
        const BriShapeFacts *sleeper = calls(step, a, b) ? a : calls(step, b, a) ? b : NULL;
        if (!sleeper) continue;
        c->sleep.called[c->sleep.island[sleeper->body]] = true;
        any = true;
    }
    if (!any) return false;
    for (int i = 0; i < m->bodies; i++)
        if (c->sleep.called[c->sleep.island[i]]) c->sleep.asleep[i] = false;
    note_sleepers(step);
    return true;
}

/* ------------------------------------------------------------------ falling asleep */

/* Has a body moved in this step, or is it pushed by what may change? */
static bool is_lively(const BriStep *step, int body) {
    const BriBodyState *from = &bri_state_bodies(step->start)[body], *to = &bri_state_bodies(step->ws->trial)[body];
    double size = step->model->body[body].size, turn = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) turn = bri_max(turn, bri_abs(to->A.m[i][j] - from->A.m[i][j]));
    double speed = bri_norm(to->v) + size * bri_norm(to->w), way = bri_norm(bri_sub(to->r, from->r)) + size * turn;
    return step->ws->contacts->sleep.driven[body] || !(speed <= BRI_SLIP) ||
           !(way <= BRI_SLIP * step->h + step->position_tolerance);
}

/* Does a contact do anything but hold: does it slip (also over a belt), bounce or land, is it moved, or has its law a
 * memory that goes on? */
static bool is_restless(const BriStep *step, const BriContactState *contact) {
    const BrModel *m = step->model;
    const BriShapeFacts *a = &step->ws->contacts->fact[bri_contact_state_a(contact)],
                        *b = &step->ws->contacts->fact[bri_contact_state_b(contact)];
    const BriSurface *surface = bri_find_surface(m, a->material, b->material);
    bool moved = m->body[a->body].motion >= 0 || m->body[b->body].motion >= 0;
    return contact->mode != BR_CONTACT_STICK || moved || bri_law_record(&surface->laws.friction)->bounded.rows;
}

/* Which islands are kept from rest, and how long the others had rested before this step. */
static void judge_islands(const BriStep *step, bool certified) {
    const BrModel *m = step->model;
    const BriContacts *c = step->ws->contacts;
    const BrState *start = step->start, *end = step->ws->trial;
    const BriContactState *before = bri_state_contacts(start), *contact = bri_state_contacts(end);
    bool counts = start->dt == step->h && start->formulation == BR_FORMULATION_TIMESTEPPING;
    int body[2];
    memset(c->sleep.called, 0, (size_t)m->bodies);
    forget_rest(step);
    for (int n = 0; n < m->moving; n++) {
        int i = m->moving_body[n];
        if (!bri_sleeps(step, i) && is_lively(step, i)) c->sleep.called[c->sleep.island[i]] = true;
    }
    for (int k = 0, at = 0; k < end->contacts; k++) {
        find_bodies(c, &contact[k], body);
        int pushed = find_pushed(m, body);
        if (bri_sleeps(step, pushed)) continue;
        if (!certified || is_restless(step, &contact[k])) c->sleep.called[c->sleep.island[pushed]] = true;
        while (at < start->contacts && before[at].key < contact[k].key) at++;
        bool known = at < start->contacts && before[at].key == contact[k].key;
        if (known) note_rest(step, &contact[k], counts ? before[at].rested : 0);
    }
}

/* What is left of its motion is lost to its contacts. */
static void stop_body(BriStep *step, int body) {
    BriBodyState *b = &bri_state_bodies(step->ws->trial)[body];
    step->contact_loss += bri_body_energy(step->model, body, b);
    b->v = b->w = bri_vec(0, 0, 0);
}

void bri_sleep_end(BriStep *step, bool certified) {
    const BrModel *m = step->model;
    const BriContacts *c = step->ws->contacts;
    BrState *end = step->ws->trial;
    double enough = count_steps(step);
    int body[2];
    if (!bri_is_finite(enough)) return;
    find_islands(step, end);
    judge_islands(step, certified);
    for (int i = 0; i < m->bodies; i++) { /* one more; what had no contact before begins */
        double *rested = &c->sleep.rested[i];
        *rested = c->sleep.called[i] ? 0 : bri_is_finite(*rested) ? bri_min(*rested + 1, enough) : 0;
    }
    for (int k = 0; k < end->contacts; k++) {
        BriContactState *contact = &bri_state_contacts(end)[k];
        find_bodies(c, contact, body);
        int pushed = find_pushed(m, body);
        if (!bri_sleeps(step, pushed)) contact->rested = c->sleep.rested[c->sleep.island[pushed]];
    }
    for (int n = 0; n < m->moving; n++) {
        int i = m->moving_body[n];
        bool tired = !bri_sleeps(step, i) && c->sleep.rested[c->sleep.island[i]] >= enough;
        if (tired) stop_body(step, i);
        step->report->sleeping += tired || bri_sleeps(step, i);
    }
}
