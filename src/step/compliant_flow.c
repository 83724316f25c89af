/* compliant_flow.c: see compliant.h. Laws give forces from depth, slip and memory (9.1-9.8); memory is integrated with
 * the motion. Its vectors z stay in the tangent plane while the normal n turns:
 *     z' = (law's) - n (n'.z)                                                                                  (9.9) */
#include "dynamics/force.h"
#include "dynamics/motion.h"
#include "step/bound_modes.h"
#include "step/compliant.h"
#include "step/stiff.h"

#include <string.h>

enum { EXTRA = 3 };

static int extra_at(const BriSoft *s) { return BRI_PACKED * s->step->model->moving; }
static int contacts_at(const BriSoft *s) { return extra_at(s) + EXTRA + s->step->model->rows; }

/* ------------------------------------------------------------------ forces of one contact */

/* The law's own stiffness, or Hertz's: k = 4/3 E* sqrt(R). */
static double find_stiffness(const BrModel *m, const BriContact *c) {
    double own = bri_normal_power(&c->at.surface->laws.compliant_normal).stiffness;
    if (own > 0) return own;
    return 4.0 / 3 * c->at.surface->modulus *
           bri_sqrt(bri_shapes_radius(&m->shape[c->at.shape_a].shape, &m->shape[c->at.shape_b].shape));
}

double bri_soft_depth(const BrModel *m, const BriContact *c) {
    double force = bri_max(0, c->got.p[0]), exponent = bri_normal_power(&c->at.surface->laws.compliant_normal).exponent;
    return force > 0 ? bri_pow(force / find_stiffness(m, c), 1 / exponent) : 0;
}

/* Force, rates of memory, energies; only while it touches. */
static void apply_laws(BriContact *c) {
    const BrLaw *press = &c->at.surface->laws.compliant_normal, *rub = &c->at.surface->laws.compliant_friction;
    BriSoftContact *soft = c->soft;
    BrVec3 n = bri_normal(c), slip = bri_tangential(c, c->got.u);
    double depth = -c->at.touch.gap, rate = -bri_dot(n, c->got.u);
    soft->rate = (BriContactMemory){0};
    c->mode.mu = bri_friction_limit(rub, soft->memory.friction);
    if (!soft->live) {
        c->got = (BriAnswered){.u = c->got.u};
        c->mode.sliding = false;
        soft->stored = soft->lost = 0;
        return;
    }
    BrNormalAnswer normal =
        bri_normal_answer(press, soft->stiffness, soft->memory.normal, depth, rate, soft->rate.normal);
    BrFrictionAnswer friction =
        bri_friction_answer(rub, normal.force, slip, soft->memory.friction, soft->rate.friction);
    bri_soft_turn_vectors(c);
    if (!(depth > 0)) { /* takes nothing from the motion any more; its bristles still relax */
        friction.loss += bri_dot(friction.force, slip);
        friction.force = bri_vec(0, 0, 0);
    }
    c->got.push = bri_add_scaled(friction.force, normal.force, n);
    for (int i = 0; i < 3; i++) c->got.p[i] = bri_dot(c->got.push, bri_column(&c->at.frame, i));
    c->mode.sliding = friction.slides;
    soft->stored = normal.stored + friction.stored;
    soft->lost = normal.loss + friction.loss;
}

/* What it pushes onto the moving bodies, six numbers each. */
static void add_push(const BrModel *m, const BriContact *c, const BriBodyState *bodies, double *f) {
    BrVec3 point = bri_contact_point(c);
    int ends[2] = {c->at.a, c->at.b};
    for (int e = 0; e < 2; e++) {
        const BriBodyState *b = &bodies[ends[e]];
        int node = m->body[ends[e]].node;
        if (node < 0) continue;
        BrVec3 force = bri_scale(e ? 1 : -1, c->got.push);
        BrVec3 torque = bri_mul_t(&b->A, bri_cross(bri_sub(point, b->r), force));
        double six[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
        for (int i = 0; i < 6; i++) f[6 * node + i] += six[i];
    }
}

/* ------------------------------------------------------------------ y */

void bri_soft_read(BriSoft *s, const double *y) {
    BriContacts *c = s->step->ws->contacts;
    double t = y[extra_at(s) + 2];
    const double *from = y + contacts_at(s);
    s->step->ws->trial->time = t;
    bri_unpack_bodies(s->step, y, t, s->bodies);
    if (s->bounded) bri_bounds_look(s->step, s->bodies);
    bri_contacts_move(s->step, s->bodies);
    for (int k = 0; k < c->count; k++) {
        c->contact[k].got.u = bri_contact_velocity(&c->contact[k], s->bodies);
        from = bri_soft_read_contact(&c->contact[k], from);
    }
}

/* The contacts' part of y, and what comes behind it. */
static void write_memory(BriSoft *s) {
    BriContacts *c = s->step->ws->contacts;
    double *out = s->y + contacts_at(s);
    for (int k = 0; k < s->bounds; k++) c->bound[k].total = bri_soft_bounds(s, s->y)[k];
    for (int k = 0; k < c->count; k++) out = bri_soft_write_contact(&c->contact[k], false, out);
    for (int k = 0; k < s->bounds; k++) *out++ = c->bound[k].total;
    s->ode.size = (int)(out - s->y);
}

/* n' of the contacts with a deflection. */
static void find_normal_rates(BriSoft *s) {
    BriContacts *c = s->step->ws->contacts;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        bool bent = contact->soft->live && bri_soft_is_bent(contact);
        contact->soft->normal_rate = bent ? bri_contact_normal_rate(s->step, contact, s->bodies) : bri_vec(0, 0, 0);
    }
}

void bri_soft_push(BriSoft *s) {
    const BrModel *m = s->step->model;
    BrWorkspace *w = s->step->ws;
    memset(w->f, 0, 6 * (size_t)m->moving * sizeof(double));
    find_normal_rates(s);
    for (int k = 0; k < w->contacts->count; k++) {
        apply_laws(&w->contacts->contact[k]);
        if (w->contacts->contact[k].soft->live) add_push(m, &w->contacts->contact[k], s->bodies, w->f);
    }
}

double bri_soft_power(BriSoft *s) {
    const BrModel *m = s->step->model;
    BrWorkspace *w = s->step->ws;
    double sum = 0;
    for (int k = 0; k < w->contacts->count; k++)
        if (w->contacts->contact[k].soft->live)
            sum += bri_dot(w->contacts->contact[k].got.push, w->contacts->contact[k].got.u);
    bri_forces(m, w->trial, s->bodies, w->trial->time, w->f);
    for (int n = 0; n < m->moving; n++) {
        const BriBodyState *b = &s->bodies[m->moving_body[n]];
        const double *f = w->f + 6 * n;
        sum += bri_dot(bri_vec(f[0], f[1], f[2]), b->v) + bri_dot(bri_vec(f[3], f[4], f[5]), b->w);
    }
    return sum;
}

static void find_rate(void *user, double x, const double *y, double *dy) {
    BriSoft *s = user;
    const BrModel *m = s->step->model;
    BrWorkspace *w = s->step->ws;
    double *out = dy + extra_at(s);
    (void)x; /* time is part of y */
    bri_spend(s->step->budget, 1000. + 300. * m->bodies + 1000. * m->joints);
    bri_soft_read(s, y);
    bri_soft_push(s);
    bri_soft_accelerate(s);
    bri_pack_rates(m, s->bodies, w->acceleration, dy);
    bri_powers(m, w->trial, &out[1], &out[0]);
    for (int k = 0; k < m->joints; k++) out[1] += bri_joint_power(m, w->trial, k, w->lambda);
    out[2] = 1;
    if (s->bounded) bri_bounds_power(s->step, s->bodies, &out[0], &out[1]);
    memcpy(out + EXTRA, w->lambda, (size_t)m->rows * sizeof(double));
    double *memory = dy + contacts_at(s);
    for (int k = 0; k < w->contacts->count; k++) {
        const BriContact *c = &w->contacts->contact[k];
        memory = bri_soft_write_contact(c, true, memory);
        out[0] += c->soft->lost;
        out[1] -= bri_dot(c->got.push, bri_contact_moved_velocity(m, s->bodies, c));
    }
    for (int k = 0; k < s->bounds; k++) *memory++ = w->contacts->bound[k].p;
}

/* Numbers of y, with as many contacts as there may be. */
static int count_most(const BrModel *m) {
    return BRI_PACKED * m->moving + EXTRA + m->rows + m->bounds + bri_soft_per_contact(m) * m->contact_capacity;
}

double *bri_soft_reserve(const BrModel *m, BrWorkspace *w, BrScheme scheme) {
    int most = count_most(m);
    bool stiff = scheme == BR_SCHEME_STIFF;
    size_t columns = 2 + (stiff ? 0 : BRI_COLUMNS + 4);
    w->contacts->count = 0;
    double *room =
        bri_make_flow(m, w, 6 * (size_t)m->bodies + columns * (size_t)most + (stiff ? bri_stiff_scratch(most) : 0));
    return bri_contacts_make_soft(m, w->contacts) ? room : NULL;
}

BrStatus bri_soft_start(BriStep *step, BriSoft *s) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    *s = (BriSoft){.step = step, .bodies = bri_state_bodies(w->trial)};
    int most = count_most(m);
    double *room = bri_soft_reserve(m, w, step->def->scheme);
    if (room && m->bounds && !bri_contacts_make_force_room(m, w->contacts)) room = NULL;
    if (!room) {
        bri_fail(step->error, BR_OUT_OF_MEMORY, "no memory for the compliant formulation");
        return BR_OUT_OF_MEMORY;
    }
    s->fixed = room;
    room += 6 * m->bodies;
    s->y = room, s->end = room + most;
    s->bounded = step->h > 0 && bri_bounds_any(m); /* not of readings */
    if (s->bounded) bri_bounds_begin(step, s->bodies);
    s->bounds = s->bounded ? w->contacts->bounds : 0;
    s->ode = (BriOde){contacts_at(s) + s->bounds, find_rate, s, room + 2 * most, step->budget, .along = s->bounds};
    memset(s->y, 0, (size_t)s->ode.size * sizeof(double));
    bri_pack_bodies(m, s->bodies, s->y);
    *bri_soft_time(s, s->y) = step->start->time;
    return BR_OK;
}

/* ------------------------------------------------------------------ contacts come and go */

/* Is there a contact of this key? `k`: where to look on; keys come in order. */
static bool is_found(const BriContacts *c, uint64_t key, int *k) {
    while (*k < c->count && bri_contact_key(&c->contact[*k]) < key) ++*k;
    return *k < c->count && bri_contact_key(&c->contact[*k]) == key;
}

/* What all contacts held before this look, J, if one of them has vanished from the list; else 0. */
static double find_torn(const BriSoft *s) {
    const BriContacts *c = s->step->ws->contacts;
    const BrState *start = s->step->start;
    double held = 0;
    bool torn = false;
    int k = 0;
    if (!s->looked) { /* the last step's; without books nothing is owed */
        bool counts = start->books_open != 0 && start->formulation == BR_FORMULATION_COMPLIANT;
        const BriContactState *memory = bri_state_contacts(start);
        for (int i = 0; counts && i < start->contacts; i++)
            torn = torn || (memory[i].mode != BRI_CONTACT_GONE && !is_found(c, memory[i].key, &k));
        return torn ? start->contact_energy : 0;
    }
    for (int i = 0; i < c->old_count; i++) {
        if (!c->old[i].soft->live) continue;
        held += c->old[i].soft->stored;
        torn = torn || !is_found(c, bri_contact_key(&c->old[i]), &k);
    }
    return torn ? held : 0;
}

/* What contacts that vanished held is lost, but for what others hold that came in their place (an edge takes over from
 * a corner). Forces are known. */
static void book_vanished(BriSoft *s) {
    const BriContacts *c = s->step->ws->contacts;
    double left = find_torn(s);
    for (int k = 0; k < c->count; k++)
        if (c->contact[k].soft->live) left -= c->contact[k].soft->stored;
    s->y[extra_at(s)] += bri_max(0, left);
}

BrStatus bri_soft_look(BriSoft *s, double ahead) {
    const BrModel *m = s->step->model;
    BriContacts *c = s->step->ws->contacts;
    bool remembered = s->step->start->formulation == BR_FORMULATION_COMPLIANT; /* rigid steps leave no such memory */
    bri_soft_read(s, s->y);
    BrStatus status = bri_contacts_renew(s->step, s->bodies, ahead);
    for (int k = 0, i = 0; status == BR_OK && k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        uint64_t key = bri_contact_key(contact);
        while (i < c->old_count && bri_contact_key(&c->old[i]) < key) i++;
        const BriContact *old = i < c->old_count && bri_contact_key(&c->old[i]) == key ? &c->old[i] : NULL;
        contact->got.u = bri_contact_velocity(contact, s->bodies);
        contact->soft->stiffness = find_stiffness(m, contact);
        contact->soft->live = s->looked ? old && old->soft->live : contact->was.known && remembered;
        if (old) contact->soft->memory = old->soft->memory;
        if (contact->soft->live || !(contact->at.touch.gap < 0)) continue;
        bri_soft_touch(contact);
        if (!s->looked && s->step->start->steps == 0) bri_soft_set_first(m, contact);
    }
    if (status < 0) return status;
    write_memory(s);
    bri_soft_read(s, s->y);
    bri_soft_push(s);
    book_vanished(s);
    s->looked = true;
    return BR_OK;
}

double bri_soft_overlap(BriSoft *s, const double *y) {
    const BriContacts *c = s->step->ws->contacts;
    double deepest = -__builtin_inf();
    bri_soft_read(s, y);
    for (int k = 0; k < c->count; k++)
        if (!c->contact[k].soft->live) deepest = bri_max(deepest, -c->contact[k].at.touch.gap);
    return deepest;
}

double bri_soft_parting(BriSoft *s, const double *y) {
    const BriContacts *c = s->step->ws->contacts;
    double farthest = -__builtin_inf();
    bri_soft_read(s, y);
    for (int k = 0; k < c->count; k++)
        if (c->contact[k].soft->live) farthest = bri_max(farthest, c->contact[k].at.touch.gap);
    return farthest;
}

void bri_soft_switch(BriSoft *s) {
    BriContacts *c = s->step->ws->contacts;
    double time = *bri_soft_time(s, s->y);
    bri_soft_read(s, s->y);
    bri_soft_push(s);
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        double speed = bri_dot(bri_normal(contact), contact->got.u);
        if (!contact->soft->live && contact->at.touch.gap < 0) {
            bri_soft_touch(contact);
            s->step->report->impacts++;
            bri_note_event(s->step, BR_EVENT_TOUCH, time, contact, speed, 0);
        } else if (contact->soft->live && contact->at.touch.gap > 0) {
            contact->soft->live = false;
            s->y[extra_at(s)] += contact->soft->stored;
            contact->soft->memory = (BriContactMemory){0};
            bri_note_event(s->step, BR_EVENT_SEPARATION, time, contact, speed, 0);
        }
    }
    write_memory(s);
}

/* Velocities onto the joints. That is rounding, but for a motor that is not at its speed yet: it jolts, and works. */
static bool constrain_velocities(BriSoft *s, double t) {
    const BrModel *m = s->step->model;
    BrWorkspace *w = s->step->ws;
    double *extra = s->y + extra_at(s);
    memcpy(w->part_start, s->bodies, (size_t)m->bodies * sizeof *s->bodies);
    bri_system_targets(m, s->step->start, t, w->target);
    BriRates rates = {&w->system.J, &w->system.J, w->target, 0, s->bodies, w->p, false, 0};
    bool fine = (s->bounded ? bri_hold_rates : bri_constrain_rates)(s->step, &rates);
    extra[1] += bri_jolt_work(m, w->trial, w->part_start, s->bodies, w->p);
    for (int r = 0; r < m->rows; r++) extra[EXTRA + r] += w->p[r];
    return fine;
}

bool bri_soft_project(BriSoft *s) {
    const BrModel *m = s->step->model;
    double t = *bri_soft_time(s, s->y);
    bri_unpack_bodies(s->step, s->y, t, s->bodies);
    bool fine = true;
    if (m->joints) {
        bri_factor(s->step, s->bodies);
        if (s->bounds) { /* what was looked at last may be another end that was tried */
            bri_bounds_look(s->step, s->bodies);
            bri_limits_settle(s->step, s->bodies);
        }
        fine = bri_constrain_positions(s->step, t, s->bodies);
        bri_factor(s->step, s->bodies);
        fine = constrain_velocities(s, t) && fine;
        if (s->bounds) bri_soft_hold(s);
    }
    bri_pack_bodies(m, s->bodies, s->y);
    return fine;
}

/* ------------------------------------------------------------------ the end of the step */

BrStatus bri_soft_finish(BriSoft *s) {
    BriStep *step = s->step;
    BriContacts *c = step->ws->contacts;
    BrState *end = step->ws->trial;
    BriContactState *memory = bri_state_contacts(end);
    const double *extra = s->y + extra_at(s);
    int live = 0;
    bri_soft_read(s, s->y);
    bri_soft_push(s);
    memcpy(step->ws->p_step, extra + EXTRA, (size_t)step->model->rows * sizeof(double));
    for (int k = 0; k < end->bounds; k++) bri_state_bounds(end)[k] = (BriBoundState){0};
    for (int k = 0; k < s->bounds; k++)
        bri_state_bounds(end)[c->bound[k].bound] = (BriBoundState){bri_soft_bounds(s, s->y)[k], c->bound[k].lands};
    step->contact_loss = extra[0];
    step->contact_work = extra[1];
    end->contact_energy = 0;
    for (int k = 0; k < c->count; k++) {
        const BriContact *contact = &c->contact[k];
        if (!contact->soft->live) {
            if (!bri_contact_note_gone(step->model, c, contact))
                return bri_fail(step->error, BR_OUT_OF_MEMORY, "no memory for contacts that have let go");
            continue;
        }
        end->contact_energy += contact->soft->stored;
        memory[live++] = (BriContactState){.key = bri_contact_key(contact),
                                           .mode = contact->mode.sliding ? BR_CONTACT_SLIP : BR_CONTACT_STICK,
                                           .impulse = contact->sum.total,
                                           .slip = bri_tangential(contact, contact->got.u),
                                           .memory = contact->soft->memory};
    }
    step->report->contacts = live;
    return bri_contacts_end(step, live);
}

BrStatus bri_compliant_forces(const BrModel *m, BrWorkspace *w, const BrState *state, BrError *error) {
    BrStepDef def = br_default_step_def();
    BriStep at = {.model = m, .ws = w, .start = state, .def = &def, .error = error, .report = &w->report};
    BriSoft soft;
    BrStatus status = bri_surfaces_comply(m, error);
    if (status == BR_OK) status = bri_soft_start(&at, &soft);
    if (status == BR_OK) status = bri_soft_look(&soft, 0);
    if (status < 0) w->contacts->count = 0;
    for (int k = 0; k < w->contacts->count; k++)
        w->contacts->contact[k].ask.active = w->contacts->contact[k].soft->live;
    bri_state_assign(w->trial, state);
    return status == BR_OK ? bri_contacts_recall_pushed(&at, bri_state_bodies(w->trial)) : status;
}
