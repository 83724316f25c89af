/* fingerprint.c: one number for names, numbers and topology; strings and tables are followed, pointers are not hashed.
 */
#include "model/model.h"

#include <string.h>

/* Where a quantity is read its number stands in the place of the constant. */
static uint64_t hash_expression(const BriExpression *e, uint64_t h) {
    for (int i = 0; i < e->count; i++) {
        const BriInstruction *c = &e->code[i];
        double words[] = {c->operation, c->variable, c->constant};
        h = bri_hash(words, sizeof words, h);
    }
    return h;
}

static uint64_t hash_function(const BriFunction *f, uint64_t h) {
    double numbers[] = {(double)f->kind, f->constant, f->amplitude, f->angular_frequency, f->phase};
    h = bri_hash(numbers, sizeof numbers, h);
    if (f->kind == BRI_TABLE) h = bri_hash(f->table, 2 * (size_t)f->points * sizeof(double), h);
    return f->kind == BRI_FORMULA ? hash_expression(&f->formula, h) : h;
}

static uint64_t hash_name(const char *name, uint64_t h) { return bri_hash(name, strlen(name), h); }

static uint64_t hash_law(const BrLaw *law, uint64_t h) {
    if (!law->info) return h;
    h = bri_hash(law->table, 2 * (size_t)law->points * sizeof(double), h);
    return bri_hash(law->value, (size_t)law->info->parameters * sizeof(double), hash_name(law->info->name, h));
}

/* Friction in bearings counts where there is some. */
static uint64_t hash_friction(const BrJointFriction *f, uint64_t h) {
    if (!f->law.info) return h;
    h = hash_law(&f->law, h);
    for (int i = 0; i < br_bearing_parameter_count(); i++)
        h = bri_hash((const char *)f + br_bearing_parameter(i)->offset, sizeof(double), h);
    h = bri_hash(&f->guide_side, sizeof f->guide_side, h);
    return bri_hash(&f->bearings_on_first, sizeof f->bearings_on_first, h);
}

/* Its point and frames are those of the place where it touches first. */
static uint64_t hash_lasting(const BriJoint *j, uint64_t h) {
    double numbers[] = {j->def.shape_a, j->def.shape_b, j->def.stiffness};
    return bri_hash(numbers, sizeof numbers, h);
}

/* Starts count where they are given. */
static uint64_t hash_starts(const BrJointDef *def, uint64_t h) {
    const double *numbers[2] = {def->start, def->start_rate};
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < 3; c++) {
            double words[] = {i, c, numbers[i][c]};
            if (numbers[i][c] == numbers[i][c]) h = bri_hash(words, sizeof words, h);
        }
    return h;
}

static uint64_t hash_bodies_and_joints(const BrModel *m, uint64_t h) {
    for (int i = 0; i < m->bodies; i++) {
        const BrBodyDef *d = &m->body_def[i];
        h = hash_name(d->name, h);
        int kind = (int)d->kind;
        h = bri_hash(&kind, sizeof kind, h);
        h = bri_hash(&d->mass, sizeof d->mass, h);
        h = bri_hash(&d->inertia, sizeof d->inertia, h);
        BrVec3 vectors[] = {d->position, d->velocity, d->angular_velocity};
        h = bri_hash(vectors, sizeof vectors, h);
        h = bri_hash(&d->rotation, sizeof d->rotation, h);
        if (bri_has_frame(d->frame_body)) h = bri_hash(&d->frame_body, sizeof d->frame_body, h);
    }
    for (int i = 0; i < m->joints; i++) {
        const BriJoint *j = &m->joint[i];
        h = hash_name(j->def.name, h);
        int numbers[] = {(int)j->def.type, j->a, j->b, j->rows};
        double lengths[] = {j->length, j->pitch, j->radius};
        h = bri_hash(numbers, sizeof numbers, h);
        h = bri_hash(lengths, sizeof lengths, h);
        for (int b = 0; b < m->bounds - m->motor_bounds; b++) { /* limits and friction count where there are any */
            if (m->bound[b].joint != i || m->bound[b].kind == BRI_BOUND_GRIP) continue;
            int c = m->bound[b].coordinate;
            double numbers_of_bound[] = {c, j->def.lower[c], j->def.upper[c], j->def.dry_friction[c]};
            h = bri_hash(numbers_of_bound, sizeof numbers_of_bound, h);
        }
        h = hash_starts(&j->def, h);
        h = hash_friction(&j->def.friction, h);
        if (j->lasting) h = hash_lasting(j, h);
        h = bri_hash(&j->point_a, sizeof j->point_a, h);
        h = bri_hash(&j->point_b, sizeof j->point_b, h);
        h = bri_hash(&j->frame_a, sizeof j->frame_a, h);
        h = bri_hash(&j->frame_b, sizeof j->frame_b, h);
    }
    return h;
}

/* What curved walls have beside it. */
static uint64_t hash_wall(const BriModelShape *s, uint64_t h) {
    if (s->shape.ring > 0) h = bri_hash(&s->shape.ring, sizeof s->shape.ring, h);
    if (s->shape.kind == BR_SHAPE_QUADRIC) h = bri_hash(s->def.quadric, sizeof s->def.quadric, h);
    if (s->def.point_count) h = bri_hash(s->def.points, 2 * (size_t)s->def.point_count * sizeof(double), h);
    return h;
}

static uint64_t hash_surface(const BriSurface *surface, uint64_t h) {
    int numbers[] = {surface->a, surface->b};
    h = bri_hash(numbers, sizeof numbers, h);
    const BrSurface *laws = &surface->laws;
    h = hash_law(&laws->friction, hash_law(&laws->normal, h));
    h = hash_law(&laws->compliant_friction, hash_law(&laws->compliant_normal, h));
    return surface->modulus > 0 ? bri_hash(&surface->modulus, sizeof(double), h) : h;
}

static uint64_t hash_contact(const BrModel *m, uint64_t h) {
    for (int pairs = 0; pairs < 2; pairs++) /* materials first, however they came */
        for (int i = 0; i < m->surfaces; i++)
            if ((m->surface[i].a != m->surface[i].b) == pairs) h = hash_surface(&m->surface[i], h);
    for (int i = 0; i < m->shapes; i++) {
        const BriModelShape *s = &m->shape[i];
        int numbers[] = {(int)s->shape.kind, s->body, s->material};
        BrVec3 vectors[] = {s->shape.half, s->frame.position, s->def.surface_velocity_body};
        double lengths[] = {s->shape.radius, s->shape.half_length};
        h = bri_hash(vectors, sizeof vectors, bri_hash(numbers, sizeof numbers, h));
        h = bri_hash(&s->frame.axes, sizeof s->frame.axes, bri_hash(lengths, sizeof lengths, h));
        h = hash_wall(s, h);
    }
    for (int i = 0; i < m->filters; i++) {
        int numbers[] = {m->filter[i].a, m->filter[i].b, m->filter[i].touch};
        h = bri_hash(numbers, sizeof numbers, h);
    }
    for (int i = 0; i < m->memories; i++) {
        const BriMemory *first = &m->memory[i];
        double numbers[] = {first->a, first->b, first->value};
        h = bri_hash(numbers, sizeof numbers, hash_name(first->name, h));
        if (bri_dot(first->vector, first->vector) > 0) h = bri_hash(&first->vector, sizeof first->vector, h);
    }
    return m->touches ? bri_hash(&m->contact_capacity, sizeof m->contact_capacity, h) : h;
}

static uint64_t hash_signals(const BrModel *m, uint64_t h) {
    for (int i = 0; i < m->quantities; i++) {
        const BriQuantity *q = &m->quantity[i];
        int numbers[] = {(int)q->kind, q->a, q->b, q->part};
        h = bri_hash(numbers, sizeof numbers, h);
    }
    for (int i = 0; i < m->signals; i++) {
        const BriSignal *s = &m->signal[i];
        h = hash_expression(&s->over, hash_function(&s->value, hash_name(s->def.name, h)));
    }
    return h;
}

uint64_t bri_model_hash(const BrModel *m) {
    uint64_t h = bri_hash(&m->gravity, sizeof m->gravity, BR_NUMERICS_VERSION);
    h = hash_contact(m, hash_bodies_and_joints(m, h));
    for (int i = 0; i < m->bushings; i++) {
        const BriBushing *b = &m->bushing[i];
        int ends[] = {b->a, b->b};
        BrVec3 gains[] = {b->def.stiffness, b->def.damping, b->def.torsion_stiffness, b->def.torsion_damping};
        h = bri_hash(gains, sizeof gains, bri_hash(ends, sizeof ends, hash_name(b->def.name, h)));
        h = bri_hash(b->frame, sizeof b->frame, bri_hash(b->point, sizeof b->point, h));
    }
    for (int i = 0; i < m->couplings; i++) {
        const BriCoupling *c = &m->coupling[i];
        double numbers[] = {c->joint[0],  c->coordinate[0], c->joint[1], c->coordinate[1],
                            c->factor[0], c->factor[1],     c->offset};
        h = bri_hash(numbers, sizeof numbers, hash_name(c->def.name, h));
    }
    for (int i = 0; i < m->springs; i++) {
        const BriSpring *s = &m->spring[i];
        int numbers[] = {s->a, s->b, s->joint, s->def.coordinate};
        h = bri_hash(numbers, sizeof numbers, hash_name(s->def.name, h));
        BrVec3 points[] = {s->def.point_a_body, s->def.point_b_body, s->def.direction_at_zero};
        h = bri_hash(points, sizeof points, h);
        h = bri_hash(&s->def.free_length, sizeof(double), h);
        double play[] = {s->def.play_lower, s->def.play_upper};
        if (play[0] < play[1]) h = bri_hash(play, sizeof play, h);
        h = hash_function(&s->force, hash_function(&s->damping, hash_function(&s->stiffness, h)));
    }
    for (int i = 0; i < m->motors; i++) {
        const BriMotor *d = &m->motor[i];
        double numbers[] = {d->joint, d->def.coordinate, d->def.max_effort};
        h = hash_function(&d->speed, bri_hash(numbers, sizeof numbers, hash_name(d->def.name, h)));
        if (d->def.kind == BR_MOTOR_SPEED) continue;
        double more[] = {d->def.kind,      d->def.stiffness,     d->def.damping,
                         d->def.frequency, d->def.damping_ratio, d->def.max_speed};
        h = hash_function(&d->position, hash_function(&d->effort, bri_hash(more, sizeof more, h)));
    }
    for (int i = 0; i < m->motions; i++) {
        const BriMotion *d = &m->motion[i];
        int numbers[] = {d->joint, d->body, d->def.coordinate, d->def.by_velocity};
        h = hash_function(&d->drive, bri_hash(numbers, sizeof numbers, hash_name(d->def.name, h)));
        for (int k = 0; k < 3; k++) h = hash_function(&d->angular[k], hash_function(&d->linear[k], h));
    }
    for (int i = 0; i < m->forces; i++) {
        const BriForce *f = &m->force[i];
        int numbers[] = {f->body, f->def.in_body_axes};
        h = bri_hash(numbers, sizeof numbers, hash_name(f->def.name, h));
        h = bri_hash(&f->def.point_body, sizeof(BrVec3), h);
        for (int k = 0; k < 3; k++) h = hash_function(&f->torque[k], hash_function(&f->force[k], h));
    }
    return hash_signals(m, h);
}
