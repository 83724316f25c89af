/* build.c: making a model and freezing it. */
#include "model/add.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

/* From address and time: two models share a number once in 4e9. */
static uint32_t make_number(const BrModel *model) {
    struct timespec now = {0};
    timespec_get(&now, TIME_UTC);
    uint64_t seed[3] = {(uint64_t)(uintptr_t)model, (uint64_t)now.tv_sec, (uint64_t)now.tv_nsec};
    uint32_t number = (uint32_t)bri_hash(seed, sizeof seed, 0);
    return number ? number : 1;
}

BrStatus br_model_create(const BrModelDef *def, BrModel **model, BrError *error) {
    BRI_NEED(model, "model", error);
    *model = NULL;
    BrStatus status = bri_check_def(def, sizeof *def, "br_default_model_def", error);
    if (status != BR_OK) return status;
    if (def->contact_capacity < 0 || def->contact_capacity > 1000000)
        return bri_fail(error, BR_INVALID_ARGUMENT, "contact_capacity is %d; allowed is 0 (from the shapes) to 1000000",
                        def->contact_capacity);
    if (!bri_vec_is_finite(def->gravity)) return bri_fail(error, BR_INVALID_ARGUMENT, "gravity is not finite");
    BrAllocator allocator;
    status = bri_choose_allocator(&def->allocator, &allocator, error);
    if (status != BR_OK) return status;
    BrModel *m = bri_allocate(&allocator, 1, sizeof *m);
    if (!m) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for a model");
    m->allocator = allocator;
    m->log = def->log;
    m->gravity = def->gravity;
    m->contact_capacity = def->contact_capacity;
    m->number = make_number(m);
    *model = m;
    return BR_OK;
}

void bri_tell(const BrModel *model, const char *format, ...) {
    char line[512];
    if (!model->log.write) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    model->log.write(model->log.user, line);
}

void br_model_destroy(BrModel *m) {
    if (!m) return;
    BrAllocator allocator = m->allocator;
    for (int i = 0; i < m->bodies; i++) bri_release(&allocator, (void *)(uintptr_t)m->body_def[i].name);
    for (int i = 0; i < bri_own_joints(m); i++) bri_release(&allocator, (void *)(uintptr_t)m->joint[i].def.name);
    for (int i = 0; i < m->sensors; i++) bri_release(&allocator, (void *)(uintptr_t)m->sensor[i].def.name);
    for (int i = 0; i < m->couplings; i++) bri_release(&allocator, (void *)(uintptr_t)m->coupling[i].def.name);
    for (int i = 0; i < m->bushings; i++) bri_release(&allocator, (void *)(uintptr_t)m->bushing[i].def.name);
    for (int i = 0; i < m->springs; i++) bri_release_spring(&m->spring[i], &allocator);
    for (int i = 0; i < m->motors; i++) bri_release_motor(&m->motor[i], &allocator);
    for (int i = 0; i < m->motions; i++) bri_release_motion(&m->motion[i], &allocator);
    for (int i = 0; i < m->forces; i++) bri_release_force(&m->force[i], &allocator);
    for (int i = 0; i < m->signals; i++) bri_release_signal(&m->signal[i], &allocator);
    for (int i = 0; i < m->materials; i++) bri_release(&allocator, (void *)(uintptr_t)m->material[i].def.name);
    for (int i = 0; i < m->shapes; i++) bri_release_shape(&m->shape[i], &allocator);
    for (int i = 0; i < m->surfaces; i++) bri_release_surface(&m->surface[i], &allocator);
    for (int i = 0; i < m->laws.count; i++) bri_release(&allocator, m->laws.law[i]);
    bri_release(&allocator, m->laws.law);
    BriNames *names[] = {&m->body_names,     &m->joint_names,  &m->spring_names, &m->motor_names,
                         &m->motion_names,   &m->force_names,  &m->signal_names, &m->material_names,
                         &m->coupling_names, &m->sensor_names, &m->bushing_names};
    for (int i = 0; i < BRI_COUNT(names); i++) bri_names_release(names[i], &allocator);
    void *arrays[] = {m->body,          m->body_def, m->body_given, m->joint,  m->spring,      m->motor,    m->motion,
                      m->force,         m->signal,   m->quantity,   m->slot,   m->moving_body, m->material, m->surface,
                      m->surface_order, m->shape,    m->filter,     m->memory, m->bound,       m->apart,    m->grip,
                      m->lasting,       m->stranger, m->coupling,   m->sensor, m->bushing};
    for (int i = 0; i < BRI_COUNT(arrays); i++) bri_release(&allocator, arrays[i]);
    bri_release(&allocator, m);
}

/* Which rows grips have, and how far hinges give way to their friction. */
static void prepare_grips(BrModel *m) {
    for (int k = 0; k < m->grips; k++) {
        BriGrip *g = &m->grip[k];
        const BriJoint *j = &m->joint[g->joint];
        for (int r = 0; r < g->rows; r++) g->row[r] = j->first_row + j->type->info.constraints + g->drive[r];
        const BriBody *end[2] = {&m->body[j->a], &m->body[j->b]};
        BrVec3 axis[2] = {bri_column(&j->frame_a, 2), bri_column(&j->frame_b, 2)};
        for (int e = 0; e < 2 && j->def.type == BR_JOINT_REVOLUTE; e++)
            if (end[e]->node >= 0)
                g->mobility +=
                    g->length[0] * g->length[0] * bri_dot(axis[e], bri_mul(&end[e]->inverse_inertia, axis[e]));
    }
}

/* ------------------------------------------------------------------ freezing */

/* Numbers the rows and the bodies that can move. */
static BrStatus number_parts(BrModel *m, BrError *error) {
    m->moving_body = bri_allocate(&m->allocator, (size_t)m->bodies, sizeof(int));
    if (!m->moving_body) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory to build the model");
    for (int i = 0; i < m->bodies; i++) {
        if (m->body_def[i].kind != BR_BODY_DYNAMIC) continue;
        m->body[i].node = m->moving;
        m->moving_body[m->moving++] = i;
    }
    for (int i = 0; i < m->joints; i++) {
        BriJoint *j = &m->joint[i];
        j->first_row = m->rows;
        m->rows += j->rows;
        m->body[j->a].size = bri_max(m->body[j->a].size, bri_norm(j->point_a));
        m->body[j->b].size = bri_max(m->body[j->b].size, bri_norm(j->point_b));
    }
    prepare_grips(m);
    for (int n = 0; n < m->moving; n++) {
        BriBody *b = &m->body[m->moving_body[n]];
        double largest = bri_max(b->top.inertia[0], bri_max(b->top.inertia[1], b->top.inertia[2]));
        b->size = bri_max(b->size, bri_sqrt(largest / b->mass));
    }
    return BR_OK;
}

static void note_energy_users(BrModel *m) {
    m->keeps_energy_books = m->motors || m->motions || m->forces || m->touches;
    m->viscous = false;
    for (int k = 0; k < m->grips; k++) m->viscous = m->viscous || m->joint[m->grip[k].joint].def.friction.viscous > 0;
    m->rate_dependent = m->viscous;
    for (int i = 0; i < m->springs; i++) {
        const BriSpring *s = &m->spring[i];
        bool rate = !bri_function_is_zero(&s->damping) || bri_function_uses_rate(&s->force) ||
                    bri_function_uses_rate(&s->stiffness) || bri_reads_rates(m, &s->stiffness) ||
                    bri_reads_rates(m, &s->damping) || bri_reads_rates(m, &s->force);
        m->rate_dependent = m->rate_dependent || rate;
        m->keeps_energy_books = m->keeps_energy_books || rate || s->works_only;
    }
    for (int i = 0; i < m->bushings; i++) {
        const BrBushingDef *b = &m->bushing[i].def;
        bool rate = bri_dot(b->damping, b->damping) + bri_dot(b->torsion_damping, b->torsion_damping) > 0;
        m->rate_dependent = m->rate_dependent || rate;
        m->keeps_energy_books = m->keeps_energy_books || rate;
    }
    for (int i = 0; i < m->motors; i++)
        m->rate_dependent = m->rate_dependent || bri_reads_rates(m, &m->motor[i].effort);
    for (int i = 0; i < m->forces; i++)
        for (int k = 0; k < 3; k++)
            m->rate_dependent = m->rate_dependent || bri_reads_rates(m, &m->force[i].force[k]) ||
                                bri_reads_rates(m, &m->force[i].torque[k]);
}

/* Where the table of a memory stands among those of all laws. */
static int find_rank(const BrModel *m, const char *name) {
    int rank = 0;
    for (int i = 0; i < bri_law_count(&m->laws); i++)
        for (int k = 0; k < bri_law_info(&m->laws, i)->memories; k++, rank++)
            if (bri_law_info(&m->laws, i)->memory[k].name == name) return rank;
    return rank;
}

static bool comes_before(const BrModel *m, const BriMemory *x, const BriMemory *y) {
    if (x->a != y->a) return x->a < y->a;
    if (x->b != y->b) return x->b < y->b;
    return find_rank(m, x->name) < find_rank(m, y->name);
}

/* What may come in any order stands in one: so that a model is the same whoever wrote it. Motors before motions. */
static void put_in_order(BrModel *m) {
    for (int k = 0; k < m->joints; k++)
        for (int d = 1, last = m->joint[k].drives; d < last; d++)
            for (BriDrive *drive = m->joint[k].drive + d; drive > m->joint[k].drive; drive--) {
                if (drive->motor < 0 || drive[-1].motor >= 0) break;
                BriDrive other = drive[-1];
                drive[-1] = drive[0], drive[0] = other;
            }
    for (int k = 1; k < m->memories; k++)
        for (BriMemory *memory = m->memory + k; memory > m->memory && comes_before(m, memory, memory - 1); memory--) {
            BriMemory other = memory[-1];
            memory[-1] = memory[0], memory[0] = other;
        }
}

BrStatus br_model_build(BrModel *m, BrError *error) {
    BRI_NEED(m, "model", error);
    if (m->built) return bri_fail(error, BR_WRONG_STAGE, "the model is built already");
    put_in_order(m);
    m->moving = m->rows = 0;
    bri_release(&m->allocator, m->moving_body);
    m->moving_body = NULL;
    for (int i = 0; i < m->bodies; i++) m->body[i].node = -1;
    for (int i = 0; i < m->shapes; i++) m->shape[i].shape.quadric = m->shape[i].def.quadric; /* it stays there now */
    BrStatus status = bri_model_make_grips(m, error);
    if (status == BR_OK) status = bri_model_make_lastings(m, error);
    if (status == BR_OK) status = bri_model_make_couplings(m, error);
    if (status == BR_OK) status = number_parts(m, error);
    if (status == BR_OK) status = bri_model_find_tree(m, error);
    if (status == BR_OK) status = bri_model_prepare_contact(m, error);
    if (status != BR_OK) {
        m->joints -= m->coupled; /* others may be added yet */
        m->coupled = 0;
        return status;
    }
    note_energy_users(m);
    m->fingerprint = bri_model_hash(m);
    m->built = true;
    return BR_OK;
}
