/* suggest.c: parameters of compliant contact from what is known of it. F load, d depth under it, m = 1/(1/m_a + 1/m_b).
 *
 *     k = F/d^(3/2)                        or Hertz's 4/3 E* sqrt(R) with 1/E* = 2 (1 - nu^2)/E
 *     floor: F a/m = 2 omega               slower touches come to rest critically damped; at most a tenth of the speed
 *     sigma_0 = mu F/(d/10)                bristles bend by a tenth of the depth before they slide
 *     sigma_1 = 2 sqrt(sigma_0 m 2/7)      critical on a solid ball, which gives way across with 2/7 of its mass
 *     v_s = mu F/sigma_1                   the slip at which sigma_1 alone is all of friction
 *     tau_dw = 10 sigma_1/sigma_0          long against the bristles' own time */
#include "bristle/compliance.h"
#include "diagnose/touching.h"
#include "model/model.h"

static const double BENDING = 0.1, BALL = 2.0 / 7, EXPONENT = 1.5;
static const double SMOOTH = 1e-3; /* bristles of smoother surfaces are as stiff as these */

void br_start_suggest_def(BrSuggestDef *def, uint32_t size) {
    if (!bri_start_def(def, size, sizeof *def)) return;
    def->mass = 1;
    def->mass_b = __builtin_inf();
    def->restitution = 0.5;
    def->mu_s = def->mu_k = 0.3;
    def->speed = 1;
    def->dt = 1e-3;
}

/* Three digits. */
static double round_off(double x) {
    double up = 1, down = 1;
    while (x * up / down < 100) up *= 10;
    while (x * up / down >= 1000) down *= 10;
    return bri_floor(x * up / down + 0.5) * down / up;
}

static BrStatus check(const BrSuggestDef *d, BrError *error) {
    BrStatus status = bri_check_def(d, sizeof *d, "br_default_suggest_def", error); /* before it is read */
    if (status != BR_OK) return status;
    const struct {
        const char *name;
        double value, lowest, highest;
    } fields[] = {{"mass", d->mass, 1e-12, 1e12},
                  {"load", d->load, 0, 1e12},
                  {"restitution", d->restitution, 0.01, 1},
                  {"mu", d->mu_s, 0, 1e6},
                  {"mu_k", d->mu_k, 0, d->mu_s},
                  {"speed", d->speed, 1e-9, 1e6},
                  {"dt", d->dt, 1e-12, 1e6},
                  {"poissons_ratio", d->poissons_ratio, 0, 0.5}};
    for (int i = 0; i < BRI_COUNT(fields); i++)
        if (!(fields[i].value >= fields[i].lowest && fields[i].value <= fields[i].highest))
            return bri_fail(error, BR_INVALID_ARGUMENT, "%s is %.9g; allowed is %.9g to %.9g", fields[i].name,
                            fields[i].value, fields[i].lowest, fields[i].highest);
    if (!(d->mass_b >= 1e-12))
        return bri_fail(error, BR_INVALID_ARGUMENT, "the other mass is %.9g; it must be more than 0", d->mass_b);
    bool elastic = d->youngs_modulus >= 1 && d->youngs_modulus <= 1e18 && d->radius >= 1e-9 && d->radius <= 1e9;
    if (elastic == (d->depth >= 1e-12 && d->depth <= 1e3))
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "the stiffness comes from a depth, or from a modulus and a radius: one of both");
    return BR_OK;
}

/* One impact with its losses: depth, force and time of the suggestion. */
static void simulate_impact(const BriTouching *t, BrSuggestion *s) {
    enum { PER_IMPACT = 400, MOST = 400000 };
    double depth = bri_impact_depth(t->stiffness, EXPONENT, 0, t->normal_mobility, t->speed);
    double h = bri_impact_time(EXPONENT, depth, t->speed) / PER_IMPACT, x = 0, v = t->speed, time = 0;
    for (int k = 0; k < MOST && x >= 0; k++, time += h) {
        double a[4], xs = x, vs = v, far[4] = {0, 0.5 * h, 0.5 * h, h}, xv[4];
        for (int i = 0; i < 4; i++) {
            if (i) xs = x + far[i] * xv[i - 1], vs = v + far[i] * a[i - 1];
            double unused[BRI_NORMAL_MEMORY];
            BrNormalAnswer answer = bri_normal_answer(t->normal, t->stiffness, t->memory, xs, vs, unused);
            if (i == 0) s->impact_force = bri_max(s->impact_force, answer.force);
            xv[i] = vs;
            a[i] = -answer.force * t->normal_mobility;
        }
        s->impact_depth = bri_max(s->impact_depth, x);
        x += h / 6 * (xv[0] + 2 * xv[1] + 2 * xv[2] + xv[3]);
        v += h / 6 * (a[0] + 2 * a[1] + 2 * a[2] + a[3]);
    }
    s->impact_time = time;
}

static void set(BrLaw *law, const char *name, double value) { br_law_set(law, name, round_off(value)); }

static void choose_laws(const BrSuggestDef *d, double mass, BrSuggestion *s) {
    double reduced = d->youngs_modulus / (2 * (1 - d->poissons_ratio * d->poissons_ratio));
    double k = d->depth > 0 ? s->load / bri_pow(d->depth, EXPONENT) : 4.0 / 3 * reduced * bri_sqrt(d->radius);
    s->normal = br_law(BR_LAW_NORMAL, "gonthier");
    set(&s->normal, "stiffness", k);
    br_law_set(&s->normal, "e", d->restitution);
    s->depth = bri_pow(s->load / bri_normal_power(&s->normal).stiffness, 1 / EXPONENT);
    double omega = bri_sqrt(EXPONENT * s->load / (s->depth * mass));
    double critical = s->load / mass * bri_restitution_damping(d->restitution) / (2 * d->restitution * omega);
    set(&s->normal, "floor", bri_max(1e-9, bri_min(0.1 * d->speed, critical)));

    double most = bri_max(SMOOTH, d->mu_s) * s->load, sigma_0 = round_off(most / (BENDING * s->depth));
    double sigma_1 = round_off(2 * bri_sqrt(sigma_0 * mass * BALL));
    s->friction = br_law(BR_LAW_FRICTION, "dwell");
    br_law_set(&s->friction, "mu_s", d->mu_s);
    br_law_set(&s->friction, "mu_k", d->mu_k);
    br_law_set(&s->friction, "sigma_0", sigma_0);
    br_law_set(&s->friction, "sigma_1", sigma_1);
    set(&s->friction, "v_s", most / sigma_1);
    set(&s->friction, "tau_dw", 10 * sigma_1 / sigma_0);
    s->deflection = most / sigma_0;
}

BrStatus br_suggest(const BrSuggestDef *d, BrSuggestion *s, BrError *error) {
    BRI_NEED(s, "suggestion", error);
    const double STANDARD = 9.81; /* m/s^2 */
    BrStatus status = check(d, error);
    if (status != BR_OK) return status;
    double mobility = 1 / d->mass + 1 / d->mass_b;
    *s = (BrSuggestion){.load = d->load > 0 ? d->load : STANDARD * d->mass};
    choose_laws(d, 1 / mobility, s);
    status = bri_law_check(NULL, &s->normal, BR_LAW_NORMAL, "the suggestion", error);
    if (status == BR_OK) status = bri_law_check(NULL, &s->friction, BR_LAW_FRICTION, "the suggestion", error);
    if (status != BR_OK) return status;

    BriTouching t = {.normal = &s->normal,
                     .friction = &s->friction,
                     .stiffness = bri_normal_power(&s->normal).stiffness,
                     .load = s->load,
                     .speed = d->speed,
                     .normal_mobility = mobility,
                     .tangent_mobility = mobility / BALL};
    bri_law_touch(&s->normal, d->speed, t.memory);
    BriTouchingLimits limits = bri_touching_limits(&t, BR_SCHEME_RK4);
    simulate_impact(&t, s);
    s->largest_step = bri_min(limits.largest_step, limits.slow_step);
    s->substeps = bri_recommend_substeps(d->dt, s->largest_step, limits.impact_time);
    s->steps_per_impact = limits.impact_time * s->substeps / d->dt;
    return BR_OK;
}

/* ------------------------------------------------------------------ from a model */

const BrSurface *br_material_surface(const BrModel *m, BrMaterialId a, BrMaterialId b) {
    if (!m) return NULL;
    int first = bri_material_number(m, a), second = bri_material_number(m, b);
    const BriSurface *surface = first >= 0 && second >= 0 ? bri_find_surface(m, first, second) : NULL;
    return surface ? &surface->laws : NULL;
}

/* The lightest bodies, the largest weight, the smallest shape and radius of all pairs. */
static void take_pair(const BrModel *m, int i, int k, BrSuggestDef *d, double *size) {
    const int shapes[2] = {i, k};
    double masses[2], radius = bri_shapes_radius(&m->shape[i].shape, &m->shape[k].shape);
    for (int e = 0; e < 2; e++) {
        const BriBody *body = &m->body[m->shape[shapes[e]].body];
        double extent = bri_shape_extent(&m->shape[shapes[e]].shape);
        masses[e] = body->node >= 0 ? body->mass : __builtin_inf();
        if (body->node >= 0) d->load = bri_max(d->load, body->mass * bri_norm(m->gravity));
        if (extent > 0) *size = bri_min(*size, extent);
    }
    d->mass = bri_min(d->mass, bri_min(masses[0], masses[1]));
    d->mass_b = bri_min(d->mass_b, bri_max(masses[0], masses[1]));
    if (radius > 0) d->radius = d->radius > 0 ? bri_min(d->radius, radius) : radius;
}

BrStatus br_suggest_for(const BrModel *m, BrMaterialId a, BrMaterialId b, BrSuggestDef *d, BrError *error) {
    BRI_NEED(m && d, "model and def", error);
    const double SHALLOW = 1e-3, LEAST_E = 0.1, STANDARD = 9.81, WITHOUT_SIZE = 1; /* -, -, m/s^2, m */
    int first = bri_material_number(m, a), second = bri_material_number(m, b), pairs = 0;
    double size = __builtin_inf();
    if (first < 0 || second < 0) return bri_fail(error, BR_INVALID_ID, "the material is not one of this model");
    *d = br_default_suggest_def();
    d->mass = __builtin_inf();
    for (int i = 0; i < m->shapes; i++)
        for (int k = i + 1; k < m->shapes; k++) {
            int low = m->shape[i].material, high = m->shape[k].material;
            bool these = (low == first && high == second) || (low == second && high == first);
            if (!these || !bri_shapes_may_touch(m, i, k)) continue;
            take_pair(m, i, k, d, &size);
            pairs++;
        }
    const BriSurface *surface = bri_find_surface(m, first, second);
    if (!pairs || !surface)
        return bri_fail(error, BR_INVALID_ARGUMENT, "no shapes of the materials '%s' and '%s' may meet",
                        m->material[first].def.name, m->material[second].def.name);
    if (!bri_is_finite(size)) size = WITHOUT_SIZE;
    if (surface->modulus > 0 && surface->round) { /* E* as that of two bodies alike */
        d->youngs_modulus = 2 * surface->modulus;
    } else {
        d->depth = SHALLOW * size;
    }
    d->restitution = bri_max(LEAST_E, surface->e);
    d->mu_s = surface->mu_s;
    d->mu_k = bri_min(d->mu_s, surface->mu_k);
    d->speed = bri_sqrt(2 * bri_max(bri_norm(m->gravity), STANDARD) * size);
    return BR_OK;
}
