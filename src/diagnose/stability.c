/* stability.c: which inner steps of the formulation compliant are stable, pair by pair (touching.c). */
#include "bristle/compliance.h"
#include "collide/pair.h"
#include "diagnose/mobility.h"
#include "diagnose/touching.h"
#include "step/compliant.h"

#include <stdio.h>
#include <string.h>

enum { MOST_LOOKS = 1000000 }; /* pairs: of very many shapes the first ones stand for the others */

typedef struct Search {
    const BrModel *model;
    BrWorkspace *workspace;
    const BriBodyState *bodies;
    const BriFrame *frame; /* of the shapes */
    const BriMobility *mobility;
    BrScheme scheme;
    BrStability *best;
} Search;

/* What the two shapes are, wherever they are; `touch`: where they are nearest, or NULL. */
static BriTouching describe_pair(const Search *s, int a, int b, const BriTouch *touch) {
    const BrModel *m = s->model;
    const BriSurface *surface = bri_find_surface(m, m->shape[a].material, m->shape[b].material);
    const BriMobility *ma = &s->mobility[a], *mb = &s->mobility[b];
    const BriBody *body_a = &m->body[m->shape[a].body], *body_b = &m->body[m->shape[b].body];
    BriTouching t = {.normal = &surface->laws.compliant_normal, .friction = &surface->laws.compliant_friction};
    int contacts = ma->contacts < mb->contacts ? ma->contacts : mb->contacts;
    double weight = 0;
    if (body_a->node >= 0) weight = body_a->mass * bri_norm(m->gravity);
    if (body_b->node >= 0) weight = bri_max(weight, body_b->mass * bri_norm(m->gravity));
    t.load = weight / contacts;
    t.normal_mobility = contacts > 1 ? ma->normal + mb->normal : ma->one_normal + mb->one_normal;
    t.tangent_mobility = contacts > 1 ? ma->tangent + mb->tangent : ma->one_tangent + mb->one_tangent;
    const int ends[2] = {m->shape[a].body, m->shape[b].body};
    if (touch && (bri_body_is_held(m, ends[0]) || bri_body_is_held(m, ends[1]))) {
        double normal, tangent;
        bri_held_mobility(m, s->workspace, s->bodies, ends, touch->point_b, touch->normal, &normal, &tangent);
        t.normal_mobility = bri_min(t.normal_mobility, contacts * normal);
        t.tangent_mobility = bri_min(t.tangent_mobility, contacts * tangent);
    }
    t.stiffness = bri_normal_power(t.normal).stiffness;
    if (t.stiffness == 0)
        t.stiffness = 4.0 / 3 * surface->modulus * bri_sqrt(bri_shapes_radius(&m->shape[a].shape, &m->shape[b].shape));
    return t;
}

static void note(Search *s, int a, int b, const BriTouching *t) {
    const BrModel *m = s->model;
    BriTouchingLimits limits = bri_touching_limits(t, s->scheme);
    s->best->impact_time = bri_min(s->best->impact_time, limits.impact_time);
    s->best->slow_step = bri_min(s->best->slow_step, limits.slow_step);
    if (!(limits.largest_step < s->best->largest_step)) return;
    s->best->largest_step = limits.largest_step;
    s->best->shape_a = br_model_shape(m, a);
    s->best->shape_b = br_model_shape(m, b);
    snprintf(s->best->why, sizeof s->best->why, "%.50s/%.50s: %s %s at %.5g %s", m->body_def[m->shape[b].body].name,
             m->body_def[m->shape[a].body].name, limits.what, limits.swings ? "swings" : "decays", limits.rate,
             limits.swings ? "rad/s" : "1/s");
    bri_clean_text(s->best->why);
}

static BrVec3 find_velocity(const BriBodyState *b, BrVec3 point) {
    return bri_add(b->v, bri_cross(bri_mul(&b->A, b->w), bri_sub(point, b->r)));
}

/* The speed at which they will meet: that of now, and what a fall across the gap adds. */
static double find_impact_speed(const Search *s, int a, int b, const BriTouch *touch) {
    const BrModel *m = s->model;
    int body_a = m->shape[a].body, body_b = m->shape[b].body;
    BrVec3 n = touch->normal, pull = bri_vec(0, 0, 0);
    BrVec3 u =
        bri_sub(find_velocity(&s->bodies[body_b], touch->point_b), find_velocity(&s->bodies[body_a], touch->point_a));
    if (m->body[body_b].node >= 0) pull = bri_add(pull, m->gravity);
    if (m->body[body_a].node >= 0) pull = bri_sub(pull, m->gravity);
    double approach = -bri_dot(n, u), fall = -bri_dot(n, pull);
    return fall > 0 ? bri_sqrt(approach * approach + 2 * fall * touch->gap) : bri_max(0, approach);
}

/* A pair that does not touch now. */
static void look_at_pair(Search *s, int a, int b) {
    const double FAR = 1e6; /* m */
    const BrModel *m = s->model;
    BriTouch touch[BRI_PATCH];
    int count = bri_collide(&m->shape[a].shape, &s->frame[a], &m->shape[b].shape, &s->frame[b], FAR, touch),
        nearest = 0;
    for (int i = 1; i < count; i++)
        if (touch[i].gap < touch[nearest].gap) nearest = i;
    if (count > 0 && touch[nearest].gap < 0) return;
    BriTouching t = describe_pair(s, a, b, count > 0 ? &touch[nearest] : NULL);
    if (count > 0) t.speed = find_impact_speed(s, a, b, &touch[nearest]);
    bri_law_touch(t.normal, t.speed, t.memory);
    note(s, a, b, &t);
}

static void look_at_contact(Search *s, const BriContact *c) {
    BriTouch touch = bri_contact_touch(c);
    BriTouching t = describe_pair(s, c->at.shape_a, c->at.shape_b, &touch);
    if (c->soft) memcpy(t.memory, c->soft->memory.normal, sizeof t.memory);
    t.load = bri_max(t.load, c->got.p[0]);
    t.speed = bri_max(0, -bri_dot(bri_normal(c), c->got.u));
    note(s, c->at.shape_a, c->at.shape_b, &t);
}

static void count_substeps(const BrStepDef *def, BrStability *best) {
    double least = def->dt / best->largest_step, whole = bri_floor(least);
    best->steps_per_impact = best->impact_time / best->inner_step;
    best->least_substeps = (int)bri_min(100000, bri_max(1, whole < least ? whole + 1 : whole));
    best->substeps = bri_recommend_substeps(def->dt, best->largest_step, best->impact_time);
}

BrStatus br_stability(const BrModel *m, BrWorkspace *w, const BrState *state, const BrStepDef *def,
                      BrStability *stability, BrError *error) {
    BRI_NEED(m && w && state && stability, "model, workspace, state and stability", error);
    const double none = __builtin_inf();
    if (state->fingerprint != m->fingerprint || w->fingerprint != m->fingerprint)
        return bri_fail(error, BR_MISMATCH, "the state or the workspace belongs to another model");
    BrStatus status = bri_check_def(def, sizeof *def, "br_default_step_def", error);
    if (status != BR_OK) return status;
    if (def->formulation != BR_FORMULATION_COMPLIANT)
        return bri_fail(error, BR_UNSUPPORTED, "stable steps are asked of the formulation compliant, not of %s",
                        br_formulation_name(def->formulation));
    status = br_step_fits(m, def, error);
    if (status != BR_OK) return status;
    BriMobility *mobility = bri_allocate(&m->allocator, (size_t)m->shapes, sizeof *mobility);
    if (!mobility) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory to look for stable steps");
    bri_state_assign(w->trial, state);
    w->evaluated = false;
    status = bri_compliant_forces(m, w, state, error);
    bool adaptive = def->scheme >= BR_SCHEME_ADAPTIVE; /* or stiff */
    *stability = (BrStability){.largest_step = none, .slow_step = none, .impact_time = none};
    stability->inner_step = adaptive ? def->dt : def->dt / def->substeps;
    if (status == BR_OK) bri_hold_joints(m, w, state);
    Search s = {m, w, bri_state_bodies(state), w->contacts->frame, mobility, def->scheme, stability};
    for (int i = 0; status == BR_OK && i < m->shapes; i++) mobility[i] = bri_shape_mobility(m, i);
    for (int a = 0, looks = 0; status == BR_OK && a < m->shapes; a++)
        for (int b = a + 1; b < m->shapes && looks < MOST_LOOKS; b++, looks++)
            if (bri_shapes_may_touch(m, a, b)) look_at_pair(&s, a, b);
    for (int k = 0; status == BR_OK && k < w->contacts->count; k++)
        if (w->contacts->contact[k].ask.active) look_at_contact(&s, &w->contacts->contact[k]);
    bri_release(&m->allocator, mobility);
    if (adaptive) stability->largest_step = stability->slow_step = none;
    count_substeps(def, stability);
    return status;
}
