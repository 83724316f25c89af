/* contact_memory.c: what a contact leaves behind: its entry in the state's table, energy in the books, events. */
#include "contact/contact.h"

#include <string.h>

void bri_note_event(BriStep *step, BrEventKind kind, double time, const BriContact *c, double before, double after) {
    BrStepReport *report = step->report;
    if (report->events < BR_STEP_EVENTS)
        report->event[report->events] = (BrEvent){
            kind, time, br_model_body(step->model, c->at.a), br_model_body(step->model, c->at.b), before, after};
    report->events++;
}

BrVec3 bri_contact_moved_velocity(const BrModel *m, const BriBodyState *bodies, const BriContact *c) {
    BrVec3 u = c->at.belt;
    for (int e = 0; e < 2; e++) {
        const BriBodyState *b = &bodies[e ? c->at.b : c->at.a];
        if (m->body[e ? c->at.b : c->at.a].motion < 0) continue;
        BrVec3 arm = bri_sub(bri_contact_point(c), b->r);
        BrVec3 v = bri_add(b->v, bri_cross(bri_mul(&b->A, b->w), arm));
        u = e ? bri_add(u, v) : bri_sub(u, v);
    }
    return u;
}

/* (7.22) */
void bri_contacts_book(BriStep *step, const BriBodyState *before, const BriBodyState *after) {
    BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        if (!contact->ask.active) continue;
        contact->sum.total = bri_add(contact->sum.total, contact->got.push);
        double relative = 0.5 * bri_dot(contact->got.push, bri_add(contact->hit.before, contact->got.u));
        step->contact_loss -= relative;
        if (step->model->motions == 0 && bri_dot(contact->at.belt, contact->at.belt) == 0)
            continue; /* nothing is moved */
        BrVec3 moved = bri_add(bri_contact_moved_velocity(step->model, before, contact),
                               bri_contact_moved_velocity(step->model, after, contact));
        step->contact_work -= 0.5 * bri_dot(contact->got.push, moved);
    }
    for (int k = 0; k < c->bounds; k++) {
        const BriJoint *j = &step->model->joint[c->bound[k].joint];
        const double *row = c->D + BRI_ROW * (3 * c->count + k);
        double rates = bri_row_rate(row, &before[j->a]) + bri_row_rate(row + 6, &before[j->b]) +
                       bri_row_rate(row, &after[j->a]) + bri_row_rate(row + 6, &after[j->b]);
        c->bound[k].total += c->bound[k].p;
        if (c->bound[k].kind == BRI_BOUND_MOTOR) continue; /* its work is counted with the joints' */
        step->contact_loss -= 0.5 * c->bound[k].p * rates;
    }
}

/* Events of the mode: from what the state remembered to what the step found. */
static void note_mode(BriStep *step, const BriContact *c, bool sticks, double time) {
    if (!c->was.known) {
        bri_note_event(step, BR_EVENT_TOUCH, time, c, 0, 0);
        return;
    }
    if (sticks && c->was.sliding) bri_note_event(step, BR_EVENT_STICK, time, c, bri_norm(c->mode.slip), 0);
    if (!sticks && !c->was.sliding)
        bri_note_event(step, BR_EVENT_SLIP, time, c, 0, bri_norm(bri_tangential(c, c->got.u)));
}

/* Has it, having pushed in this step, bounced off or let go? Then it is open, however near it still is. */
static bool has_left(const BriStep *step, const BriContact *c) {
    double slow =
        step->def->formulation == BR_FORMULATION_EVENT ? 1e3 * step->velocity_tolerance : bri_impact_speed(step);
    return !(c->got.p[0] > 0) || bri_dot(bri_normal(c), c->got.u) > slow;
}

void bri_contacts_remember(BriStep *step, double h) {
    BriContacts *c = step->ws->contacts;
    BrState *end = step->ws->trial;
    BriContactState *memory = bri_state_contacts(end);
    double time = step->start->time + h;
    int live = 0;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        bool pushes = bri_dot(contact->sum.total, bri_normal(contact)) > 0, rests = contact->at.touch.gap <= BRI_CLOSED;
        if (!pushes && !rests) {
            if (contact->was.known && step->def->formulation != BR_FORMULATION_EVENT)
                bri_note_event(step, BR_EVENT_SEPARATION, time, contact, 0, 0);
            continue;
        }
        BrVec3 slip = bri_tangential(contact, contact->got.u);
        bool event = step->def->formulation == BR_FORMULATION_EVENT;
        bool sticks = event ? !contact->mode.sliding : bri_norm(slip) <= BRI_SLIP;
        if (event && !sticks && bri_norm(slip) <= BRI_SLIP) slip = bri_scale(0.5 * BRI_SLIP, contact->mode.direction);
        BriContactState *entry = &memory[live++];
        *entry = (BriContactState){.key = contact->at.key, .impulse = contact->sum.total, .slip = slip};
        entry->mode = pushes && has_left(step, contact) ? BR_CONTACT_OPEN : sticks ? BR_CONTACT_STICK : BR_CONTACT_SLIP;
        if (sticks && pushes && !contact->was.sliding)
            entry->anchor = bri_tangential(contact, bri_add(contact->was.anchor, contact->sum.moved));
        if (!event) note_mode(step, contact, sticks, time);
    }
    memset(memory + live, 0, (size_t)(end->contact_capacity - live) * sizeof *memory);
    end->contacts = live;
    for (int k = 0; k < end->bounds; k++) bri_state_bounds(end)[k].impulse = 0;
    for (int k = 0; k < c->bounds; k++) bri_state_bounds(end)[c->bound[k].bound].impulse = c->bound[k].total;
}
