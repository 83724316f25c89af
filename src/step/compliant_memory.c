/* compliant_memory.c: see compliant.h. What the two laws of a contact remember, as part of y and by the laws' tables;
 * vectors z stay in the tangent plane while the normal n turns:
 *     z' = (law's) - n (n'.z)                                                                                  (9.9) */
#include "step/compliant.h"

enum { IMPULSE = 3 };

static BrVec3 get(const double *numbers) { return bri_vec(numbers[0], numbers[1], numbers[2]); }
static void put(BrVec3 v, double *numbers) { numbers[0] = v.x, numbers[1] = v.y, numbers[2] = v.z; }

int bri_soft_per_contact(const BrModel *m) {
    int most = 0;
    for (int i = 0; i < m->surfaces; i++) most = m->surface[i].memory.rates > most ? m->surface[i].memory.rates : most;
    return most + IMPULSE;
}

void bri_soft_touch(BriContact *c) {
    const BrSurface *laws = &c->at.surface->laws;
    double speed = -bri_dot(bri_normal(c), c->got.u);
    c->soft->live = true;
    c->soft->memory = (BriContactMemory){0};
    bri_law_touch(&laws->compliant_friction, speed, c->soft->memory.friction);
    bri_law_touch(&laws->compliant_normal, speed, c->soft->memory.normal);
}

void bri_soft_set_first(const BrModel *m, BriContact *c) {
    const BrSurface *laws = &c->at.surface->laws;
    int low = c->at.a < c->at.b ? c->at.a : c->at.b, high = c->at.a < c->at.b ? c->at.b : c->at.a, at;
    for (int i = 0; i < m->memories; i++) {
        const BriMemory *first = &m->memory[i];
        if (first->a != low || first->b != high) continue;
        const BrLawMemory *is = bri_law_find_memory(&laws->compliant_friction, first->name, &at);
        if (is && is->tangent)
            put(bri_tangential(c, bri_scale(c->at.b == high ? 1 : -1, first->vector)), c->soft->memory.friction + at);
        else if (is)
            c->soft->memory.friction[at] = first->value;
        if (bri_law_find_memory(&laws->compliant_normal, first->name, &at)) c->soft->memory.normal[at] = first->value;
    }
}

double bri_soft_bend(const BriContact *c, BriContactMemory *memory) {
    const BrSurface *laws = &c->at.surface->laws;
    const BrLaw *rub = &laws->compliant_friction;
    double force = c->got.p[0], unused[BRI_FRICTION_MEMORY] = {0};
    int at;
    bri_law_touch(rub, 0, memory->friction);
    bri_law_touch(&laws->compliant_normal, 0, memory->normal);
    const BrLawMemory *z = bri_law_find_memory(rub, "deflection", &at);
    double stiffness = bri_friction_stick(rub, force).stiffness;
    if (z && stiffness > 0) put(bri_scale(-1 / stiffness, bri_tangential(c, c->got.push)), memory->friction + at);
    return bri_friction_answer(rub, force, bri_vec(0, 0, 0), memory->friction, unused).stored;
}

const double *bri_soft_read_contact(BriContact *c, const double *y) {
    const BriMemoryPlan *plan = &c->at.surface->memory;
    double *number = c->soft->memory.number;
    for (int i = 0; i < plan->rates; i++) number[plan->rate[i]] = *y++;
    for (int i = 0; i < plan->vectors; i++) {
        double *z = number + plan->vector[i];
        put(bri_tangential(c, get(z)), z);
    }
    c->sum.total = get(y);
    return y + IMPULSE;
}

double *bri_soft_write_contact(const BriContact *c, bool rates, double *y) {
    const BriMemoryPlan *plan = &c->at.surface->memory;
    const double *number = rates ? c->soft->rate.number : c->soft->memory.number;
    for (int i = 0; i < plan->rates; i++) *y++ = number[plan->rate[i]];
    put(rates ? c->got.push : c->sum.total, y);
    return y + IMPULSE;
}

bool bri_soft_is_bent(const BriContact *c) {
    const BriMemoryPlan *plan = &c->at.surface->memory;
    for (int i = 0; i < plan->vectors; i++) {
        BrVec3 z = get(c->soft->memory.number + plan->vector[i]);
        if (bri_dot(z, z) != 0) return true;
    }
    return false;
}

void bri_soft_turn_vectors(BriContact *c) {
    const BriMemoryPlan *plan = &c->at.surface->memory;
    for (int i = 0; i < plan->vectors; i++) {
        BrVec3 z = get(c->soft->memory.number + plan->vector[i]);
        double *rate = c->soft->rate.number + plan->vector[i];
        put(bri_add_scaled(get(rate), -bri_dot(c->soft->normal_rate, z), bri_normal(c)), rate);
    }
}
