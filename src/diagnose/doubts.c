/* doubts.c: what rigid contact may not answer as its user expects, seen from one state: bodies inside each other,
 * Painleve's paradox, wedges, contacts beside joints that carry the same load.
 *
 * One contact, W = J K^-1 J^T its mobility with the joints holding (kg^-1), N its normal, T its tangents:
 *     W_NN > mu |W_NT|          whatever the direction of the slip, pressing harder presses the bodies apart: for each
 *                               free motion there is one force [Painleve 1895; Genot and Brogliato 1999]
 *     W_NN = 0                  joints hold the normal: they and the contact share one load (7.30), and nothing rigid
 *                               tells how
 * Two contacts of a body at p and q: forces f and -f along the line p q leave the body alone. They are inside both
 * cones if the line is within atan(mu) of both normals [Nguyen 1988]; and what else they push, the bodies on the other
 * sides, must not give way. Then such forces may be there or not, and nothing rigid tells. */
#include "bristle/contact.h"
#include "contact/contact.h"
#include "diagnose/mobility.h"

#include <stdio.h>
#include <string.h>

enum { MOST_LOOKS = 10000000 }; /* pairs of contacts: of very many the first ones stand for the others */

static const double DEEP = 1e-6; /* of the smaller extent */

static const char *const KINDS[BR_DOUBTS] = {"overlap", "painleve", "wedge",   "carried", "approach",
                                             "limit",   "step",     "inertia", "density"};

const char *br_doubt_name(BrDoubtKind kind) { return (unsigned)kind < BR_DOUBTS ? KINDS[kind] : "unknown"; }

typedef struct Search {
    const BrModel *model;
    BrWorkspace *workspace;
    const BriBodyState *bodies;
    void (*tell)(void *user, const BrDoubt *doubt);
    void *user;
    bool hybrid; /* the state is of that formulation */
} Search;

static const char *name_body(const Search *s, int body) { return s->model->body_def[body].name; }

static double find_mu(const BriContact *c) {
    return bri_max(c->at.surface->mu_s, bri_surface_mu(c->at.surface, bri_norm(c->mode.slip)));
}

static bool same_bodies(const BriContact *c, const BriContact *d) { return c->at.a == d->at.a && c->at.b == d->at.b; }

static BrDoubt start_doubt(const Search *s, BrDoubtKind kind, const BriContact *c) {
    return (BrDoubt){.kind = kind, .body = {br_model_body(s->model, c->at.a), br_model_body(s->model, c->at.b)}};
}

/* hybrid asks for itself, and follows what rigid contact does not tell. */
static bool is_followed(const Search *s, BrDoubtKind kind) {
    return s->hybrid && (kind == BR_DOUBT_PAINLEVE || kind == BR_DOUBT_WEDGE);
}

static void tell(const Search *s, BrDoubt *doubt) {
    if (is_followed(s, doubt->kind)) return;
    bri_clean_text(doubt->text);
    s->tell(s->user, doubt);
}

/* ------------------------------------------------------------------ two bodies */

/* How deep a contact lies, of the smaller extent of what ends. */
static double find_part(const BrModel *m, const BriContact *c) { return -c->at.touch.gap / bri_contact_extent(m, c); }

/* Along the normal at the deepest place, by as much as it is deep. */
static void tell_overlap(const Search *s, const BriContact *first, int count) {
    BrDoubt doubt = start_doubt(s, BR_DOUBT_OVERLAP, first);
    for (int k = 0; k < count; k++) {
        double part = find_part(s->model, &first[k]), depth = -first[k].at.touch.gap;
        if (part > DEEP) doubt.contacts++;
        if (depth > doubt.value) doubt.value = depth, doubt.way = bri_scale(depth, bri_normal(&first[k]));
        doubt.limit = bri_max(doubt.limit, part);
    }
    if (!doubt.contacts) return;
    bool b_moves = s->model->body[first->at.b].node >= 0;
    const char *a = name_body(s, first->at.a), *b = name_body(s, first->at.b);
    BrVec3 way = bri_scale(b_moves ? 1 : -1, doubt.way);
    snprintf(
        doubt.text, sizeof doubt.text,
        "'%.60s' and '%.60s' begin %.3g m inside each other, %.2g of the smaller one's extent, and the first step "
        "pushes them apart; move '%.60s' by [%.3g, %.3g, %.3g] m, or separate them with --separate, or let them never "
        "touch: filters: [{never: [%.60s, %.60s]}]",
        b, a, doubt.value, doubt.limit, b_moves ? b : a, way.x, way.y, way.z, b, a);
    tell(s, &doubt);
}

/* The joint that a unit force along the normal, solved last, loads most. */
static int find_carrier(const BrModel *m, const double *x) {
    double most = 0;
    int carrier = -1;
    for (int k = 0; k < m->joints; k++) {
        const double *row = x + 6 * m->moving + m->joint[k].first_row;
        double sum = 0;
        for (int r = 0; r < m->joint[k].rows; r++) sum += row[r] * row[r];
        if (sum > most) most = sum, carrier = k;
    }
    return carrier;
}

/* W of the two bodies without joints, kg^-1: rows and columns are two tangents and the normal. */
static void find_free_matrix(const Search *s, const BriContact *c, double W[3][3]) {
    const int ends[2] = {c->at.a, c->at.b};
    memset(W, 0, 9 * sizeof W[0][0]);
    for (int e = 0; e < 2; e++) {
        const BriBody *body = &s->model->body[ends[e]];
        const BriBodyState *at = &s->bodies[ends[e]];
        BrVec3 arm = bri_mul_t(&at->A, bri_sub(bri_contact_point(c), at->r)), d[3];
        if (body->node < 0) continue;
        for (int i = 0; i < 3; i++) d[i] = bri_mul_t(&at->A, bri_column(&c->at.frame, (i + 1) % 3));
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                W[i][k] += (i == k) * body->inverse_mass +
                           bri_dot(bri_cross(arm, d[i]), bri_mul(&body->inverse_inertia, bri_cross(arm, d[k])));
    }
}

static void tell_carried(const Search *s, const BriContact *c, int joint, int count) {
    BrDoubt doubt = start_doubt(s, BR_DOUBT_CARRIED, c);
    doubt.joint = br_model_joint(s->model, joint);
    doubt.contacts = count;
    snprintf(doubt.text, sizeof doubt.text,
             "contact %.60s/%.60s (%d places) shares its load with joint '%.60s' by least norm: nothing rigid tells "
             "which of them carries how much, and friction depends on it; loosen the joint along the contact's "
             "normal, or give the contact compliance (formulation compliant)",
             name_body(s, c->at.b), name_body(s, c->at.a), count, s->model->joint[joint].def.name);
    tell(s, &doubt);
}

static void tell_painleve(const Search *s, const BriContact *c, double safe, int count) {
    BrDoubt doubt = start_doubt(s, BR_DOUBT_PAINLEVE, c);
    doubt.contacts = count;
    doubt.value = find_mu(c);
    doubt.limit = safe;
    snprintf(doubt.text, sizeof doubt.text,
             "%.60s/%.60s: a slide may turn the bodies into each other (mu is %.3g, safe is less than %.3g): the rigid "
             "answer may be missing or not unique here (Painleve); lower mu, or use the formulation compliant",
             name_body(s, c->at.b), name_body(s, c->at.a), doubt.value, safe);
    tell(s, &doubt);
}

static void look_at_bodies(const Search *s, const BriContact *first, int count) {
    double least = __builtin_inf();
    int carried = 0, carrier = -1, steep = 0;
    bool held = bri_body_is_held(s->model, first->at.a) || bri_body_is_held(s->model, first->at.b);
    tell_overlap(s, first, count);
    for (int k = 0; k < count; k++) {
        const BriContact *c = &first[k];
        const int ends[2] = {c->at.a, c->at.b};
        double W[3][3], mu = find_mu(c);
        find_free_matrix(s, c, W);
        double free = W[2][2];
        if (held) bri_held_matrix(s->model, s->workspace, s->bodies, ends, bri_contact_point(c), bri_normal(c), W);
        if (W[2][2] <= BRI_CARRIED * free) {
            carrier = find_carrier(s->model, s->workspace->system.x);
            carried += carrier >= 0;
            continue;
        }
        double across = bri_sqrt(W[2][0] * W[2][0] + W[2][1] * W[2][1]);
        if (!(mu * across >= W[2][2])) continue;
        least = bri_min(least, W[2][2] / across);
        steep++;
    }
    if (carried) tell_carried(s, first, carrier, carried);
    if (steep) tell_painleve(s, first, least, steep);
}

/* ------------------------------------------------------------------ wedges */

/* A contact as one of its bodies sees it. */
typedef struct Side {
    const BriContact *contact;
    int other;
    BrVec3 point, push; /* where, and along what it pushes the body */
} Side;

static Side see_from(const BriContact *c, int body) {
    bool is_b = c->at.b == body;
    return (Side){c, is_b ? c->at.a : c->at.b, bri_contact_point(c), is_b ? bri_normal(c) : bri_neg(bri_normal(c))};
}

/* The tangent of the angle between the normal and the line to the other contact; infinite: it leads outside. */
static double find_slope(const Side *side, BrVec3 line) {
    double along = bri_dot(side->push, line);
    return along > 0 ? bri_norm(bri_cross(side->push, line)) / along : __builtin_inf();
}

/* Do the bodies on the other sides stand against forces along the line, each away from the held one? */
static bool others_hold(const Search *s, const Side *i, const Side *j, BrVec3 line) {
    const BrModel *m = s->model;
    const Side *sides[2] = {i, j};
    BrVec3 unit = bri_scale(1 / bri_norm(line), line);
    double *x = s->workspace->system.x, load[2][6] = {{0}}, free = 0, held = 0;
    if (i->other == j->other) return true; /* the two forces cancel on it, too */
    memset(x, 0, (6 * (size_t)m->moving + (size_t)m->rows) * sizeof *x);
    for (int e = 0; e < 2; e++) {
        const BriBody *body = &m->body[sides[e]->other];
        if (body->node < 0) continue;
        if (!bri_body_is_held(m, sides[e]->other)) return false;
        bri_add_force(m, s->bodies, sides[e]->other, sides[e]->point, e ? unit : bri_neg(unit), x);
        memcpy(load[e], x + 6 * body->node, sizeof load[e]);
        BrVec3 turn = bri_vec(load[e][3], load[e][4], load[e][5]);
        free += body->inverse_mass + bri_dot(turn, bri_mul(&body->inverse_inertia, turn));
    }
    bri_ldl_solve(&s->workspace->system.ldl, x);
    for (int e = 0; e < 2; e++)
        for (int c = 0, node = m->body[sides[e]->other].node; node >= 0 && c < 6; c++)
            held += load[e][c] * x[6 * node + c];
    return held <= BRI_CARRIED * free;
}

static bool look_at_wedge(const Search *s, int body, const BriContact *c, const BriContact *d) {
    Side i = see_from(c, body), j = see_from(d, body);
    BrVec3 line = bri_sub(j.point, i.point);
    double mu = bri_min(find_mu(c), find_mu(d)), slope_i = find_slope(&i, line),
           slope_j = find_slope(&j, bri_neg(line));
    bool inside = mu > 0 && slope_i <= find_mu(c) && slope_j <= find_mu(d);
    if (!inside || !others_hold(s, &i, &j, line)) return false;
    BrDoubt doubt = {
        .kind = BR_DOUBT_WEDGE,
        .body = {br_model_body(s->model, body), br_model_body(s->model, i.other), br_model_body(s->model, j.other)},
        .contacts = 2,
        .value = mu,
        .limit = bri_max(slope_i, slope_j)};
    snprintf(doubt.text, sizeof doubt.text,
             "'%.60s' may be wedged between '%.60s' and '%.60s': friction alone can hold it (mu is %.3g, enough is "
             "%.3g), so it may hold or come out: formulations may differ; lower mu, or use the formulation compliant",
             name_body(s, body), name_body(s, i.other), name_body(s, j.other), mu, doubt.limit);
    tell(s, &doubt);
    return true;
}

/* Each body once, between each two others. */
static void look_for_wedges(const Search *s) {
    const BriContacts *c = s->workspace->contacts;
    long looks = 0;
    for (int k = 0; k < c->count; k++)
        for (int e = 0; e < 2; e++) {
            const BriContact *first = &c->contact[k];
            int body = e ? first->at.b : first->at.a;
            if (s->model->body[body].node < 0 || (k > 0 && same_bodies(first, &c->contact[k - 1]))) continue;
            for (int i = k + 1; i < c->count && looks < MOST_LOOKS; i++, looks++) {
                const BriContact *second = &c->contact[i];
                if (second->at.a != body && second->at.b != body) continue;
                bool found = false;
                for (int n = k; n < i && !found && same_bodies(first, &c->contact[n]); n++)
                    found = look_at_wedge(s, body, &c->contact[n], second);
                if (found) break;
            }
        }
}

/* ------------------------------------------------------------------ all of them */

BrStatus br_state_doubts(const BrModel *m, BrWorkspace *w, const BrState *state,
                         void (*tell_user)(void *user, const BrDoubt *doubt), void *user, BrError *error) {
    BRI_NEED(m && w && state && tell_user, "model, workspace, state and tell", error);
    if (state->fingerprint != m->fingerprint || w->fingerprint != m->fingerprint)
        return bri_fail(error, BR_MISMATCH, "the state or the workspace belongs to another model");
    if (!m->touches || state->formulation == BR_FORMULATION_COMPLIANT) return BR_OK;
    w->evaluated = false;
    bri_hold_joints(m, w, state);
    BrStepDef def = br_default_step_def();
    BriStep at = {.model = m, .ws = w, .start = state, .def = &def, .error = error, .report = &w->report};
    BriContacts *c = w->contacts;
    BrStatus status = bri_contacts_find(&at, bri_state_bodies(state), 0, error);
    if (status != BR_OK) return status;
    Search s = {m, w, bri_state_bodies(state), tell_user, user, state->formulation == BR_FORMULATION_HYBRID};
    for (int k = 0, count; k < c->count; k += count) {
        for (count = 1; k + count < c->count && same_bodies(&c->contact[k], &c->contact[k + count]);) count++;
        look_at_bodies(&s, &c->contact[k], count);
    }
    look_for_wedges(&s);
    return BR_OK;
}
