/* compliant_memory.c: see compliant.h. What the two laws of a contact remember, as part of y and by the laws' tables;
 * vectors z stay in the tangent plane while the normal n turns: z' = (law's) - n (n'.z) (9.9) */
#include "step/compliant.h"

#include <string.h>

enum { IMPULSE = 3 };

/* One of its two laws, with what that remembers. */
typedef struct Part {
    const BrLaw *law;
    double *memory, *rate;
} Part;

enum { FRICTION, NORMAL, PARTS }; /* their order in y */

static Part find_part(BriContact *c, int part) {
    const BrSurface *laws = &c->at.surface->laws;
    if (part == FRICTION) return (Part){&laws->compliant_friction, c->soft.memory.friction, c->soft.rate.friction};
    return (Part){&laws->compliant_normal, c->soft.memory.normal, c->soft.rate.normal};
}

int bri_soft_per_contact(const BrModel *m) {
    int most = 0;
    for (int i = 0; i < m->surfaces; i++) {
        const BrSurface *laws = &m->surface[i].laws;
        int rates = bri_law_rates(&laws->compliant_friction) + bri_law_rates(&laws->compliant_normal);
        most = rates > most ? rates : most;
    }
    return most + IMPULSE;
}

static BrVec3 get(const double *numbers) { return bri_vec(numbers[0], numbers[1], numbers[2]); }
static void put(BrVec3 v, double *numbers) { numbers[0] = v.x, numbers[1] = v.y, numbers[2] = v.z; }

/* A vector in the tangent plane that a law remembers: its three numbers, and their rates. */
typedef struct Vector {
    double *z, *rate;
} Vector;

enum { MOST_VECTORS = PARTS * BR_LAW_MEMORIES };

static int find_vectors(BriContact *c, Vector vector[MOST_VECTORS]) {
    int count = 0;
    for (int p = 0; p < PARTS; p++) {
        Part part = find_part(c, p);
        for (int i = 0, at = 0; i < part.law->info->memories; i++) {
            const BrLawMemory *memory = &part.law->info->memory[i];
            if (memory->tangent) vector[count++] = (Vector){part.memory + at, part.rate + at};
            at += bri_memory_width(memory);
        }
    }
    return count;
}

void bri_soft_touch(BriContact *c) {
    double speed = -bri_dot(bri_normal(c), c->got.u);
    c->soft.live = true;
    c->soft.memory = (BriContactMemory){0};
    for (int p = 0; p < PARTS; p++) bri_law_touch(find_part(c, p).law, speed, find_part(c, p).memory);
}

void bri_soft_set_first(const BrModel *m, BriContact *c) {
    int low = c->at.a < c->at.b ? c->at.a : c->at.b, high = c->at.a < c->at.b ? c->at.b : c->at.a, at;
    for (int i = 0; i < m->memories; i++)
        for (int p = 0; p < PARTS && m->memory[i].a == low && m->memory[i].b == high; p++) {
            Part part = find_part(c, p);
            if (bri_law_find_memory(part.law, m->memory[i].name, &at)) part.memory[at] = m->memory[i].value;
        }
}

const double *bri_soft_read_contact(BriContact *c, const double *y) {
    Vector vector[MOST_VECTORS];
    for (int p = 0; p < PARTS; p++) {
        Part part = find_part(c, p);
        int rates = bri_law_rates(part.law);
        memcpy(part.memory, y, (size_t)rates * sizeof *y);
        y += rates;
    }
    for (int i = find_vectors(c, vector) - 1; i >= 0; i--) put(bri_tangential(c, get(vector[i].z)), vector[i].z);
    c->sum.total = get(y);
    return y + IMPULSE;
}

double *bri_soft_write_contact(BriContact *c, bool rates, double *y) {
    for (int p = 0; p < PARTS; p++) {
        Part part = find_part(c, p);
        int count = bri_law_rates(part.law);
        memcpy(y, rates ? part.rate : part.memory, (size_t)count * sizeof *y);
        y += count;
    }
    put(rates ? c->got.push : c->sum.total, y);
    return y + IMPULSE;
}

bool bri_soft_is_bent(BriContact *c) {
    Vector vector[MOST_VECTORS];
    bool bent = false;
    for (int i = find_vectors(c, vector) - 1; i >= 0; i--)
        bent = bent || bri_dot(get(vector[i].z), get(vector[i].z)) != 0;
    return bent;
}

void bri_soft_turn_vectors(BriContact *c) {
    Vector vector[MOST_VECTORS];
    BrVec3 n = bri_normal(c);
    for (int i = find_vectors(c, vector) - 1; i >= 0; i--)
        put(bri_add_scaled(get(vector[i].rate), -bri_dot(c->soft.normal_rate, get(vector[i].z)), n), vector[i].rate);
}
