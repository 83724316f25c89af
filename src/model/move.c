/* move.c: a state goes on in another model that has room for the same numbers, each with the same meaning: masses, laws,
 * springs, motors' functions, forces and gravity may be others. */
#include "model/state.h"

#include <stdio.h>
#include <string.h>

static bool are_same_text(const char *a, const char *b) { return strcmp(a, b) == 0; }

/* What differs, as a phrase in `why`; false: nothing. */
static bool bodies_differ(const BrModel *a, const BrModel *b, char *why, size_t size) {
    for (int i = 0; i < a->bodies && i < b->bodies; i++) {
        const BrBodyDef *one = &a->body_def[i], *other = &b->body_def[i];
        if (are_same_text(one->name, other->name) && one->kind == other->kind) continue;
        snprintf(why, size, "body '%s' there is '%s' here, or of another kind", one->name, other->name);
        return true;
    }
    snprintf(why, size, "it has %d bodies, and the model %d", a->bodies, b->bodies);
    return a->bodies != b->bodies;
}

static bool drives_differ(const BriJoint *a, const BriJoint *b) {
    bool same = a->drives == b->drives;
    for (int d = 0; same && d < a->drives; d++) {
        const BriDrive *one = &a->drive[d], *other = &b->drive[d];
        same = one->coordinate == other->coordinate && one->by_velocity == other->by_velocity &&
               one->motor == other->motor && one->motion == other->motion && one->grip == other->grip;
    }
    return !same;
}

static bool bits_differ(const void *a, const void *b, size_t size) { return memcmp(a, b, size) != 0; }

static bool geometry_differs(const BriJoint *a, const BriJoint *b) {
    return bits_differ(&a->point_a, &b->point_a, sizeof a->point_a) ||
           bits_differ(&a->point_b, &b->point_b, sizeof a->point_b) ||
           bits_differ(&a->frame_a, &b->frame_a, sizeof a->frame_a) ||
           bits_differ(&a->frame_b, &b->frame_b, sizeof a->frame_b) || a->length != b->length || a->pitch != b->pitch ||
           a->radius != b->radius;
}

/* Of a coupling's row: it would not hold where the state is. */
static bool couplings_differ(const BriJoint *a, const BriJoint *b) {
    const BriCoupling *one = a->coupling, *other = b->coupling;
    if (!one || !other) return one != other;
    bool same = one->offset == other->offset;
    for (int i = 0; same && i < 2; i++)
        same = one->joint[i] == other->joint[i] && one->coordinate[i] == other->coordinate[i] &&
               one->factor[i] == other->factor[i];
    return !same;
}

static bool joints_differ(const BrModel *a, const BrModel *b, char *why, size_t size) {
    for (int i = 0; i < a->joints && i < b->joints; i++) {
        const BriJoint *one = &a->joint[i], *other = &b->joint[i];
        const char *what = !are_same_text(one->def.name, other->def.name) || one->type != other->type ? "is another one"
                           : one->a != other->a || one->b != other->b              ? "connects other bodies"
                           : couplings_differ(one, other)                          ? "couples otherwise"
                           : geometry_differs(one, other)                          ? "stands elsewhere on its bodies"
                           : one->rows != other->rows || drives_differ(one, other) ? "is driven otherwise"
                                                                                   : NULL;
        if (!what) continue;
        snprintf(why, size, "joint '%s' %s", one->def.name, what);
        return true;
    }
    snprintf(why, size, "it has %d joints, and the model %d", a->joints, b->joints);
    return a->joints != b->joints;
}

static bool is_same_bound(const BriJointBound *a, const BriJointBound *b) {
    return a->joint == b->joint && a->coordinate == b->coordinate && a->kind == b->kind;
}

static bool bounds_differ(const BrModel *a, const BrModel *b, char *why, size_t size) {
    int i = 0;
    while (i < a->bounds && i < b->bounds && is_same_bound(&a->bound[i], &b->bound[i])) i++;
    if (i == a->bounds && i == b->bounds) return false;
    const BriJoint *joint = i < a->bounds ? &a->joint[a->bound[i].joint] : &b->joint[b->bound[i].joint];
    snprintf(why, size, "joint '%s' has other limits, friction or motors: not other values, but more or fewer",
             joint->def.name);
    return true;
}

static bool memories_differ(const BrLaw *a, const BrLaw *b) {
    int has = a->info ? a->info->memories : 0;
    bool same = has == (b->info ? b->info->memories : 0);
    for (int k = 0; same && k < has; k++) same = are_same_text(a->info->memory[k].name, b->info->memory[k].name);
    return !same;
}

static bool contacts_differ(const BrModel *a, const BrModel *b, char *why, size_t size) {
    for (int i = 0; i < a->shapes && i < b->shapes; i++) {
        const BriModelShape *one = &a->shape[i], *other = &b->shape[i];
        if (one->body == other->body && one->shape.kind == other->shape.kind && one->material == other->material)
            continue;
        snprintf(why, size, "shape %d is another one: of '%s' there, of '%s' here", i, a->body_def[one->body].name,
                 b->body_def[other->body].name);
        return true;
    }
    for (int i = 0; i < a->surfaces; i++) {
        const BriSurface *one = &a->surface[i], *other = bri_find_surface(b, one->a, one->b);
        if (!one->used || (other && !memories_differ(&one->laws.compliant_friction, &other->laws.compliant_friction) &&
                           !memories_differ(&one->laws.compliant_normal, &other->laws.compliant_normal)))
            continue;
        snprintf(why, size, "the laws between '%s' and '%s' remember other things", a->material[one->a].def.name,
                 a->material[one->b].def.name);
        return true;
    }
    snprintf(why, size, "it has %d shapes and room for %d contacts, and the model %d and %d", a->shapes,
             a->contact_capacity, b->shapes, b->contact_capacity);
    return a->shapes != b->shapes || a->contact_capacity != b->contact_capacity || a->materials != b->materials;
}

static bool counts_differ(const BrModel *a, const BrModel *b, char *why, size_t size) {
    for (int i = 0; i < a->motors && i < b->motors; i++) {
        const BriMotor *one = &a->motor[i], *other = &b->motor[i];
        if (one->joint == other->joint && one->def.coordinate == other->def.coordinate &&
            one->def.kind == other->def.kind && one->follows == other->follows)
            continue;
        snprintf(why, size, "motor '%s' drives another coordinate, or in another way", one->def.name);
        return true;
    }
    snprintf(why, size, "it has %d motors, %d bearings that rub and %d lasting contacts, and the model %d, %d and %d",
             a->motors, a->grips, a->lastings, b->motors, b->grips, b->lastings);
    return a->motors != b->motors || a->grips != b->grips || a->lastings != b->lastings;
}

BrStatus br_state_move(const BrModel *from, const BrState *source, const BrModel *to, BrState **state, BrError *error) {
    char why[200];
    BRI_NEED(state, "state", error);
    *state = NULL;
    BRI_NEED(from && source && to, "models and source", error);
    if (source->fingerprint != from->fingerprint)
        return bri_fail(error, BR_MISMATCH, "the state is not one of the first model");
    if (!to->built)
        return bri_fail(error, BR_WRONG_STAGE, "a state moves to a built model: call br_model_build() first");
    if (bodies_differ(from, to, why, sizeof why) || joints_differ(from, to, why, sizeof why) ||
        bounds_differ(from, to, why, sizeof why) || contacts_differ(from, to, why, sizeof why) ||
        counts_differ(from, to, why, sizeof why))
        return bri_fail(error, BR_MISMATCH,
                        "this state cannot go on in the other model: %s; masses, laws' values, springs, motors' and "
                        "forces' functions and gravity may differ",
                        why);
    BrStatus status = br_state_create(to, state, error);
    if (status != BR_OK) return status;
    BrState *s = *state;
    uint64_t fingerprint = s->fingerprint;
    bri_state_assign(s, source);
    s->fingerprint = fingerprint;
    s->books_open = 0; /* energies are others */
    s->powers_known = 0;
    for (int k = 0; k < s->contacts && s->formulation != BR_FORMULATION_COMPLIANT; k++)
        bri_state_contacts(s)[k].rested = 0; /* who sleeps wakes */
    return BR_OK;
}
