/* read.c: contacts as users see them. */
#include "contact/contact.h"

#include <string.h>

const char *br_contact_mode_name(BrContactMode mode) {
    static const char *const NAMES[] = {"open", "stick", "slip", "rolling", "mixed"};
    return (unsigned)mode < BRI_COUNT(NAMES) ? NAMES[mode] : "unknown";
}

int br_contact_count(const BrModel *m, const BrWorkspace *w) {
    return m && w && m->touches && w->evaluated && w->fingerprint == m->fingerprint ? w->contacts->count : 0;
}

static int compare_ends(const void *a, const void *b) {
    const BriContactEnds *x = a, *y = b;
    if (x->second != y->second) return x->second < y->second ? -1 : 1;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return (x->contact > y->contact) - (x->contact < y->contact);
}

void bri_number_contacts(BrWorkspace *w) {
    BriContacts *c = w->contacts;
    BriContactEnds *ends = c->ends;
    c->pairs_touch = 0;
    for (int k = 0; k < c->count; k++) ends[k] = (BriContactEnds){c->contact[k].at.b, c->contact[k].at.a, k};
    bri_sort(ends, (size_t)c->count, sizeof *ends, compare_ends);
    for (int i = 0, number = 0; i < c->count; i++) {
        bool same = i > 0 && ends[i].first == ends[i - 1].first && ends[i].second == ends[i - 1].second;
        number = same ? number + 1 : 0;
        if (!same) c->pair_begin[c->pairs_touch++] = i;
        c->number[ends[i].contact] = number;
    }
}

static BrVec3 find_slip(const BriContact *c) { return bri_tangential(c, c->was.known ? c->mode.slip : c->got.u); }

/* Sticking contacts whose bodies turn against each other about a tangent roll. Those that creep stick where friction is
 * still far from its bound, as the compliant law says it. */
static BrContactMode find_mode(const BrWorkspace *w, const BriContact *c) {
    if (!(c->got.p[0] > 0)) return BR_CONTACT_OPEN;
    bool slips = bri_creeps(c) ? bri_norm(find_slip(c)) > c->at.surface->creep : c->mode.sliding;
    if (slips) return BR_CONTACT_SLIP;
    const BriBodyState *a = &bri_state_bodies(w->trial)[c->at.a], *b = &bri_state_bodies(w->trial)[c->at.b];
    BrVec3 turn = bri_sub(bri_mul(&b->A, b->w), bri_mul(&a->A, a->w));
    const double TURNS = 1e-6; /* rad/s; only a name hangs on it; absolute */
    return bri_norm(bri_tangential(c, turn)) > TURNS ? BR_CONTACT_ROLLING : BR_CONTACT_STICK;
}

static void read_moments(const BriContact *c, double per, BrContact *contact) {
    const BriTurning *t = c->turning;
    BrVec3 n = bri_normal(c);
    contact->rolling_moment = bri_tangential(c, t->moment);
    contact->spinning_moment = bri_scale(bri_dot(n, t->moment), n);
    contact->rolling_moment_mean = bri_scale(per, bri_tangential(c, t->was));
    contact->spinning_moment_mean = bri_scale(per * bri_dot(n, t->was), n);
}

BrStatus br_contact(const BrModel *m, const BrWorkspace *w, int number, BrContact *contact) {
    if (!m || !w || !contact) return BR_INVALID_ARGUMENT;
    if (w->fingerprint != m->fingerprint) return BR_MISMATCH;
    if (!w->evaluated) return BR_WRONG_STAGE;
    if (number < 0 || number >= br_contact_count(m, w)) return BR_INVALID_ARGUMENT;
    const BriContact *c = &w->contacts->contact[number];
    double dt = w->trial->dt, per = w->trial->steps && dt > 0 ? 1 / dt : 0;
    BrVec3 n = bri_normal(c);
    double friction = bri_sqrt(c->got.p[1] * c->got.p[1] + c->got.p[2] * c->got.p[2]);
    *contact = (BrContact){.body_a = br_model_body(m, c->at.a),
                           .body_b = br_model_body(m, c->at.b),
                           .shape_a = br_model_shape(m, c->at.shape_a),
                           .shape_b = br_model_shape(m, c->at.shape_b),
                           .number = w->contacts->number[number],
                           .key = bri_contact_key(c),
                           .point = bri_scale(0.5, bri_add(c->at.touch.point_a, c->at.touch.point_b)),
                           .frame = c->at.frame,
                           .gap = c->at.touch.gap,
                           .slip = find_slip(c),
                           .normal_force = c->got.p[0],
                           .friction_force = bri_add_scaled(c->got.push, -c->got.p[0], n),
                           .normal_force_mean = per * bri_dot(n, c->was.impulse),
                           .friction_force_mean = bri_scale(per, bri_tangential(c, c->was.impulse)),
                           .mu = c->mode.mu,
                           .margin = c->mode.mu * c->got.p[0] - friction,
                           .mode = find_mode(w, c)};
    if (bri_resists_turning(c)) read_moments(c, per, contact);
    return BR_OK;
}

BrStatus br_contact_memory(const BrModel *m, const BrWorkspace *w, int number, const char *name, double value[3]) {
    if (!m || !w || !name || !value) return BR_INVALID_ARGUMENT;
    if (w->fingerprint != m->fingerprint) return BR_MISMATCH;
    if (!w->evaluated) return BR_WRONG_STAGE;
    const BrLawMemory *called = bri_find_memory(&m->laws, name);
    if (number < 0 || number >= br_contact_count(m, w) || !called) return BR_INVALID_ARGUMENT;
    const BriContact *c = &w->contacts->contact[number];
    const BrSurface *laws = &c->at.surface->laws;
    value[0] = value[1] = value[2] = 0;
    for (int part = 0; part < 2; part++) {
        int at;
        const double *from = !c->soft ? NULL : part ? c->soft->memory.normal : c->soft->memory.friction;
        const BrLawMemory *memory =
            bri_law_find_memory(part ? &laws->compliant_normal : &laws->compliant_friction, called->name, &at);
        if (memory && from) memcpy(value, from + at, (size_t)bri_memory_width(memory) * sizeof *value);
    }
    return BR_OK;
}
