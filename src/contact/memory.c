/* memory.c: what a contact leaves behind: its entry in the state's table, energy in the books, events. */
#include "contact/units.h"

#include <string.h>

void bri_note_event(BriStep *step, BrEventKind kind, double time, const BriContact *c, double before, double after) {
    BrStepReport *report = step->report;
    if (report->events < BR_STEP_EVENTS)
        report->event[report->events] = (BrEvent){kind,
                                                  time,
                                                  br_model_body(step->model, c->at.a),
                                                  br_model_body(step->model, c->at.b),
                                                  before,
                                                  after,
                                                  {0},
                                                  BR_SWITCH_NONE};
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

/* Friction's loss in a smooth solve, J: its impulse at the mean slip, that which the contact had and has. A contact
 * that held has slip before only because its place moved on with the pose: what that costs is the scheme's, not
 * friction's. Bristles may also give back. */
static double find_friction_loss(const BriContact *c) {
    BrVec3 n = bri_column(bri_push_frame(c), 0), push = bri_add_scaled(c->got.push, -bri_dot(n, c->got.push), n);
    BrVec3 slip = bri_vec(0, 0, 0);
    bool elastic = bri_law_record(&c->at.surface->laws.friction)->bounded.stored != NULL;
    if (c->mode.slid || elastic) slip = bri_tangential(c, c->hit.before);
    if (bri_slips(c) || elastic) slip = bri_add(slip, bri_tangential(c, c->got.u));
    double loss = -0.5 * bri_dot(push, slip);
    return elastic ? loss : bri_max(0, loss);
}

/* The same of a limit or of dry friction. A limit that was reached before moves only with the pose, but where it is left and
 * struck within a step. */
static double find_bound_loss(const BriStep *step, const BriBoundRow *bound, double before, double after) {
    const BriBoundState *was = &bri_state_bounds(step->start)[bound->bound];
    bool reached = !step->keeps_bounds && bri_is_limit(bound) && was->impulse != 0 && was->landing == 0;
    return reached ? 0 : bri_max(0, -0.5 * bound->p * (before + after));
}

static void book_bounds(BriStep *step, const BriBodyState *before, const BriBodyState *after) {
    BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->bounds; k++) {
        BriBoundRow *bound = &c->bound[k];
        const BriJoint *j = &step->model->joint[bound->joint];
        const double *row = c->C + BRI_ROW * (c->rows_each * c->count + k);
        double last = bri_row_rate(row, &after[j->a]) + bri_row_rate(row + 6, &after[j->b]);
        bound->total += bound->p;
        bound->lands = bri_is_limit(bound) && bri_state_bounds(step->start)[bound->bound].impulse == 0 &&
                       bound->p * last < 0 && bri_abs(last) > BRI_SLIP;
        if (bound->kind == BRI_BOUND_MOTOR || bound->p == 0) continue; /* a motor's work is counted with the joints' */
        double loss = find_bound_loss(step, bound, bri_bound_rate(step, bound, before), last);
        step->contact_loss += loss;
        if (bound->kind == BRI_BOUND_GRIP) step->ws->grip[step->model->bound[bound->bound].grip].heat += loss;
    }
}

/* Moments of one contact; *struck: of all that strikes. */
static void book_moments(BriStep *step, BriContact *c, const BriBodyState *before, const BriBodyState *after,
                         bool impact, double *struck) {
    double loss = bri_find_turning_loss(c);
    c->turning->total = bri_add(c->turning->total, c->turning->moment);
    if (impact || c->hit.counts)
        *struck += loss;
    else
        step->contact_loss += bri_max(0, loss);
    if (step->model->motions) step->contact_work += bri_find_turning_work(step->model, c, before, after);
}

/* (7.22) */
void bri_contacts_book(BriStep *step, const BriBodyState *before, const BriBodyState *after, double span) {
    BriContacts *c = step->ws->contacts;
    bool impact = span == 0;
    double struck = 0; /* by all that strikes: one may gain what another loses */
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        if (!contact->ask.active) continue;
        contact->sum.total = bri_add(contact->sum.total, contact->got.push);
        if (bri_resists_turning(contact)) book_moments(step, contact, before, after, impact, &struck);
        if (!impact) bri_bend_bristles(contact, span);
        BrVec3 mean = bri_scale(0.5, bri_add(contact->hit.before, contact->got.u)), n = bri_normal(contact);
        if (impact || contact->hit.counts)
            struck -= bri_dot(contact->got.push, mean);
        else
            step->contact_loss += find_friction_loss(contact);
        if (!impact && !contact->hit.counts && (!contact->was.known || contact->was.landing))
            struck -= bri_dot(contact->got.push, n) * bri_dot(mean, n);
        bool runs = contact->at.runs && bri_dot(contact->at.belt, contact->at.belt) != 0;
        if (step->model->motions == 0 && !runs) continue; /* nothing is moved */
        BrVec3 moved = bri_add(bri_contact_moved_velocity(step->model, before, contact),
                               bri_contact_moved_velocity(step->model, after, contact));
        step->contact_work -= 0.5 * bri_dot(contact->got.push, moved);
    }
    step->contact_loss += bri_max(0, struck);
    book_bounds(step, before, after);
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
static bool has_left(const BriContact *c, double slow) {
    return !(c->got.p[0] > 0) || bri_dot(bri_normal(c), c->got.u) > slow;
}

/* New, it has been slowed down so that it reaches the surface in the next step (7.16). */
static bool will_land(const BriStep *step, const BriContact *c) {
    return step->def->formulation != BR_FORMULATION_EVENT && !c->was.known &&
           bri_dot(c->got.u, bri_normal(c)) < -BRI_SLIP;
}

/* Those who sleep keep what they had: entries of the state before with smaller keys than this, from *at on. Returns how
 * many there are then. */
static int keep_sleepers(const BriStep *step, uint64_t key, int *at, int live) {
    const BriContactState *before = bri_state_contacts(step->start);
    BriContactState *memory = bri_state_contacts(step->ws->trial);
    for (; *at < step->start->contacts && before[*at].key < key; ++*at)
        if (bri_contact_sleeps(step, &before[*at])) memory[live++] = before[*at];
    return live;
}

/* Are most of a contact's impulses blows, and not of the force that it has now? */
static bool was_struck(const BriContact *c, double h) {
    return bri_norm(bri_add_scaled(c->sum.total, -h, c->got.push)) > 0.5 * bri_norm(c->sum.total);
}

/* Of impulses of h, those of one solve, what the next step begins with. */
static void remember_part(const BriContacts *c, const BriContact *contact, double h, BriContactState *entry) {
    BrVec3 others = bri_sub(contact->sum.total, contact->got.push);
    double scale = bri_load_scale(c, h);
    if (bri_dot(others, others) != 0) return;
    entry->impulse = bri_contact_next_load(contact, scale, contact->got.load, entry->impulse);
    if (!bri_resists_turning(contact)) return;
    entry->moment = bri_contact_next_load(contact, scale, contact->turning->load, entry->moment);
}

BrStatus bri_contacts_remember(BriStep *step, double h) {
    BriContacts *c = step->ws->contacts;
    BrState *end = step->ws->trial;
    BriContactState *memory = bri_state_contacts(end);
    double time = step->start->time + h;
    bool event = step->def->formulation == BR_FORMULATION_EVENT;
    double slow = event ? 1e3 * step->velocity_tolerance : bri_impact_speed(step);
    double stored = 0;
    int live = 0, slept = 0;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        bool pushes = bri_dot(event ? contact->got.push : contact->sum.total, bri_normal(contact)) > 0,
             rests = contact->at.touch.gap <= contact->at.nothing;
        if (!pushes && !rests) {
            if (contact->was.known && !event) bri_note_event(step, BR_EVENT_SEPARATION, time, contact, 0, 0);
            if (!bri_contact_note_gone(step->model, c, contact))
                return bri_fail(step->error, BR_OUT_OF_MEMORY, "no memory for contacts that have let go");
            continue;
        }
        BrVec3 slip = bri_tangential(contact, contact->got.u);
        bool creeps = bri_creeps(contact);
        bool sticks = event ? !contact->mode.sliding : bri_norm(slip) <= BRI_SLIP && !creeps;
        if (event && !sticks && !creeps && bri_norm(slip) <= BRI_SLIP)
            slip = bri_scale(0.5 * BRI_SLIP, contact->mode.direction);
        if (step->asleep) live = keep_sleepers(step, bri_contact_key(contact), &slept, live);
        BriContactState *entry = &memory[live++];
        *entry = (BriContactState){.key = bri_contact_key(contact), .impulse = contact->sum.total, .slip = slip};
        entry->struck = event && was_struck(contact, h);
        if (bri_resists_turning(contact)) entry->moment = contact->turning->total;
        if (contact->got.part != 1) remember_part(c, contact, h, entry);
        stored += entry->stored = contact->sum.stored;
        bool open = pushes && (has_left(contact, slow) || will_land(step, contact));
        entry->mode = open ? BR_CONTACT_OPEN : sticks ? BR_CONTACT_STICK : BR_CONTACT_SLIP;
        if (!event) note_mode(step, contact, sticks, time);
    }
    if (step->asleep) live = keep_sleepers(step, UINT64_MAX, &slept, live);
    end->contact_energy = stored;
    step->contact_loss += step->start->contact_energy - stored; /* what let go is lost */
    for (int k = 0; k < end->bounds; k++) bri_state_bounds(end)[k] = (BriBoundState){0};
    for (int k = 0; k < c->bounds; k++)
        bri_state_bounds(end)[c->bound[k].bound] = (BriBoundState){c->bound[k].total, c->bound[k].lands};
    return bri_contacts_end(step, live);
}
