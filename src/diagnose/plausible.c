/* plausible.c: what may have been meant otherwise, seen where a run starts: joints past their limits, bodies that touch and
 * approach, steps too large for speeds, and inertias and densities that slips in units make.
 *
 *     J of a body of mass m, whose farthest point of a shape is L away from its centre of mass:
 *     k = sqrt(J_largest/m) <= L if its shapes are all of it. Told where k > 3 L, or < L/100: a slip in units is a thousand.
 *     A body that flies v dt > 2 L in a step passes through its own length; one that turns w dt > 1 tells a step no direction. */
#include "bristle/contact.h"
#include "contact/contact.h"
#include "diagnose/mobility.h"

#include <stdio.h>
#include <string.h>

static const double WIDE = 3, NARROW = 0.01;   /* of the radius of gyration and the shapes' extent */
static const double LIGHT = 10, HEAVY = 25000; /* kg/m^3: foams; osmium has 22590 */
static const double TURN = 1;                  /* rad in a step */
static const double SLOW = 1e-6;               /* m/s: what velocities as they are written leave */
static const double PAST = 1e-9;               /* of 1 and the limit: how numbers are written */

typedef struct Look {
    const BrModel *model;
    BrWorkspace *workspace;
    const BrState *state;
    const BrStepDef *step;
    void (*tell)(void *user, const BrDoubt *doubt);
    void *user;
} Look;

static void tell(const Look *l, BrDoubt *doubt) {
    bri_clean_text(doubt->text);
    l->tell(l->user, doubt);
}

/* ------------------------------------------------------------------ joints */

static void look_at_limits(const Look *l, int k) {
    const BriJoint *j = &l->model->joint[k];
    double q[3], rate[3];
    br_joint_position(l->model, l->state, br_model_joint(l->model, k), q, rate);
    for (int c = 0; c < j->type->info.coordinates; c++) {
        double low = j->def.lower[c], high = j->def.upper[c], limit = q[c] < low ? low : high;
        const BrJointCoordinate *of = &j->type->info.coordinate[c];
        if (!(q[c] < low || q[c] > high) || bri_abs(q[c] - limit) <= PAST * (1 + bri_abs(limit))) continue;
        BrDoubt doubt = {.kind = BR_DOUBT_LIMIT, .joint = br_model_joint(l->model, k), .value = q[c], .limit = limit};
        snprintf(doubt.text, sizeof doubt.text,
                 "joint '%.60s' begins at %s = %.6g %s, past its %s limit of %.6g %s: the first steps take it back; "
                 "start it "
                 "within its limits: start: %.6g %s",
                 j->def.name, of->name, q[c], of->unit, q[c] < low ? "lower" : "upper", limit, of->unit, limit,
                 of->unit);
        tell(l, &doubt);
    }
}

/* ------------------------------------------------------------------ bodies */

/* The farthest point of a body's shapes from its centre of mass; 0: it has none that ends. */
static double find_extent(const BrModel *m, int body) {
    double extent = 0;
    for (int i = 0; i < m->shapes; i++)
        if (m->shape[i].body == body) extent = bri_max(extent, m->shape[i].extent);
    return bri_is_finite(extent) ? extent : 0;
}

static void look_at_inertia(const Look *l, int body, double extent) {
    const BriBody *b = &l->model->body[body];
    const double *J = b->top.inertia;
    double k = bri_sqrt(bri_max(J[0], bri_max(J[1], J[2])) / b->mass);
    BrDoubt doubt = {.kind = BR_DOUBT_INERTIA, .body = {br_model_body(l->model, body)}, .value = k, .limit = extent};
    if (!(extent > 0) || (k <= WIDE * extent && k >= NARROW * extent)) return;
    snprintf(doubt.text, sizeof doubt.text,
             "the inertia of body '%.60s' is that of its mass %.3g m away from its centre, and its shapes reach %.3g "
             "m: about "
             "%.2g kg m^2 would be usual; see the units of inertia (kg m^2), mass and shapes",
             l->model->body_def[body].name, k, extent, 0.4 * b->mass * extent * extent);
    tell(l, &doubt);
}

/* Does a step look where it goes? Those that locate touches do. */
static bool is_fixed_step(const BrStepDef *def) {
    return def->formulation != BR_FORMULATION_EVENT && def->scheme != BR_SCHEME_ADAPTIVE &&
           def->scheme != BR_SCHEME_STIFF;
}

static bool may_pass_by(const BrStepDef *def) {
    return def->scheme == BR_SCHEME_MOREAU || def->scheme == BR_SCHEME_EULER_PAPER;
}

static void look_at_speed(const Look *l, int body, double extent) {
    const BriBodyState *b = &bri_state_bodies(l->state)[body];
    bool inner = l->step->formulation == BR_FORMULATION_COMPLIANT && l->step->substeps > 0;
    double dt = l->step->dt / (inner ? l->step->substeps : 1), speed = bri_norm(b->v), spin = bri_norm(b->w);
    BrDoubt doubt = {.kind = BR_DOUBT_STEP, .body = {br_model_body(l->model, body)}};
    const char *name = l->model->body_def[body].name;
    if (may_pass_by(l->step) && l->model->meets && extent > 0 && speed * dt > 2 * extent) {
        doubt.value = speed * dt, doubt.limit = 2 * extent / speed;
        snprintf(
            doubt.text, sizeof doubt.text,
            "body '%.60s' flies %.3g m in a step, farther than it is long (%.3g m): where it meets others is not known "
            "better than that; take dt = %.2g s, or the scheme hem2, which locates touches",
            name, speed * dt, 2 * extent, doubt.limit);
        tell(l, &doubt);
    }
    if (is_fixed_step(l->step) && spin * dt > TURN) {
        doubt.value = spin * dt, doubt.limit = TURN / (10 * spin);
        snprintf(doubt.text, sizeof doubt.text,
                 "body '%.60s' turns by %.3g rad in a step, too far for a step to know which way; take dt = %.2g s, a "
                 "tenth of a "
                 "radian",
                 name, spin * dt, doubt.limit);
        tell(l, &doubt);
    }
}

/* ------------------------------------------------------------------ materials */

static void look_at_density(const Look *l, const char *what, const char *name, double density) {
    BrDoubt doubt = {.kind = BR_DOUBT_DENSITY, .value = density, .limit = density < LIGHT ? LIGHT : HEAVY};
    if (density == 0 || (density >= LIGHT && density <= HEAVY)) return;
    snprintf(doubt.text, sizeof doubt.text,
             "the density of %s '%.60s' is %.4g kg/m^3, %s; with a unit it cannot be mistaken: density: %.4g %s", what,
             name, density, density < LIGHT ? "less than foam has" : "more than any metal has", density,
             density < LIGHT ? "g/cm^3" : "kg/m^3");
    tell(l, &doubt);
}

/* ------------------------------------------------------------------ contacts */

/* Bodies that touch where the run starts, and go towards each other faster than what counts as rest. */
static BrStatus look_for_blows(const Look *l, BrError *error) {
    const BrModel *m = l->model;
    const BriBodyState *bodies = bri_state_bodies(l->state);
    BriContacts *c = l->workspace->contacts;
    bool yields = l->step->formulation == BR_FORMULATION_COMPLIANT; /* blows are what it is for */
    if (!m->meets || yields) return BR_OK;
    bri_hold_joints(m, l->workspace, l->state);
    l->workspace->evaluated = false;
    BrStepDef def = br_default_step_def();
    BriStep at = {.model = m,
                  .ws = l->workspace,
                  .start = l->state,
                  .def = &def,
                  .error = error,
                  .report = &l->workspace->report};
    BrStatus status = bri_contacts_find(&at, bodies, 0, error);
    double rest = l->step->impact_speed > 0 ? l->step->impact_speed : 2 * bri_norm(m->gravity) * l->step->dt;
    rest = bri_max(rest, SLOW);
    for (int k = 0; status == BR_OK && k < c->count; k++) {
        const BriContact *contact = &c->contact[k];
        double rate = bri_dot(bri_normal(contact), bri_contact_velocity(contact, bodies));
        bool same = k > 0 && contact->at.a == c->contact[k - 1].at.a && contact->at.b == c->contact[k - 1].at.b;
        bool touches = bri_abs(contact->at.touch.gap) <= 1e-6 * bri_contact_extent(m, contact);
        if (same || !touches || !(rate < -rest)) continue;
        BrDoubt doubt = {.kind = BR_DOUBT_APPROACH,
                         .body = {br_model_body(m, contact->at.a), br_model_body(m, contact->at.b)},
                         .contacts = 1,
                         .value = -rate,
                         .limit = rest};
        snprintf(doubt.text, sizeof doubt.text,
                 "'%.60s' and '%.60s' touch at the start and approach each other at %.3g m/s: the run begins with a "
                 "blow; let "
                 "them start apart, or with velocities that fit",
                 m->body_def[contact->at.b].name, m->body_def[contact->at.a].name, -rate);
        tell(l, &doubt);
    }
    return status;
}

/* ------------------------------------------------------------------ all of them */

BrStatus br_start_doubts(const BrModel *m, BrWorkspace *w, const BrState *state, const BrStepDef *step,
                         void (*tell_user)(void *user, const BrDoubt *doubt), void *user, BrError *error) {
    BRI_NEED(m && w && state && step && tell_user, "model, workspace, state, step and tell", error);
    BrStatus status = bri_check_def(step, sizeof *step, "br_default_step_def", error);
    if (status != BR_OK) return status;
    if (state->fingerprint != m->fingerprint || w->fingerprint != m->fingerprint)
        return bri_fail(error, BR_MISMATCH, "the state or the workspace belongs to another model");
    Look l = {m, w, state, step, tell_user, user};
    for (int i = 0; i < m->materials; i++)
        look_at_density(&l, "material", m->material[i].def.name, m->material[i].def.density);
    for (int i = 0; i < m->shapes; i++)
        look_at_density(&l, "a shape of body", m->body_def[m->shape[i].body].name, m->shape[i].def.density);
    for (int k = 0; k < m->joints; k++) look_at_limits(&l, k);
    for (int n = 0; n < m->moving; n++) {
        int body = m->moving_body[n];
        double extent = find_extent(m, body);
        look_at_inertia(&l, body, extent);
        look_at_speed(&l, body, extent);
    }
    return look_for_blows(&l, error);
}
