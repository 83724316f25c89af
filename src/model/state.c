/* state.c: making, copying and hashing states; setting and reading bodies and inputs. */
#include "model/state.h"

#include "bristle/step.h"

#include <string.h>

BrStatus br_state_create(const BrModel *model, BrState **state, BrError *error) {
    BRI_NEED(state, "state", error);
    *state = NULL;
    BRI_NEED(model, "model", error);
    if (!model->built)
        return bri_fail(error, BR_WRONG_STAGE, "a state needs a built model: call br_model_build() first");
    size_t size = sizeof(BrState) +
                  (size_t)model->bodies * (sizeof(BriBodyState) + sizeof(BriBodyHistory) + sizeof(BriBodyInput)) +
                  (size_t)model->joints * sizeof(BriJointState) + (size_t)model->motors * sizeof(BriMotorInput) +
                  (size_t)model->bounds * sizeof(BriBoundState) + (size_t)model->grips * sizeof(BriGripState) +
                  (size_t)model->lastings * sizeof(BriLastingState) +
                  (size_t)model->contact_capacity * sizeof(BriContactState);
    BrState *s = bri_allocate(&model->allocator, size, 1);
    if (!s) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for a state of %zu bytes", size);
    s->fingerprint = model->fingerprint;
    s->size = size;
    s->bodies = model->bodies;
    s->joints = model->joints;
    s->motors = model->motors;
    s->bounds = model->bounds;
    s->grips = model->grips;
    s->lastings = model->lastings;
    s->contact_capacity = model->contact_capacity;
    for (int i = 0; i < model->bodies; i++) {
        const BrBodyDef *def = &model->body_def[i];
        BriBodyState *b = &bri_state_bodies(s)[i];
        bool moves = def->kind == BR_BODY_DYNAMIC;
        *b = (BriBodyState){.r = def->position, .A = def->rotation};
        if (moves) b->v = def->velocity;
        if (moves) b->w = bri_mul_t(&def->rotation, def->angular_velocity);
    }
    for (int k = 0; k < model->grips; k++)
        bri_state_grips(s)[k].dwell =
            bri_law_record(&model->joint[model->grip[k].joint].def.friction.law)->bearing.settles ? 1 : 0;
    *state = s;
    return BR_OK;
}

void br_state_destroy(const BrModel *model, BrState *state) {
    if (model) bri_release(&model->allocator, state);
}

size_t br_state_size(const BrState *state) { return state ? state->size : 0; }
const void *br_state_bytes(const BrState *state) { return state; }
uint64_t br_state_hash(const BrState *state) { return state ? bri_hash(state, state->size, 0) : 0; }
double br_state_time(const BrState *state) { return state ? state->time : 0; }
uint64_t br_state_step(const BrState *state) { return state ? state->steps : 0; }

void bri_state_assign(BrState *to, const BrState *from) {
    BriContactState *memory = bri_state_contacts(to);
    int had = to->contacts, has = from->contacts;
    memmove(to, from, (size_t)((uintptr_t)(bri_state_contacts(from) + has) - (uintptr_t)from));
    if (had > has) memset(memory + has, 0, (size_t)(had - has) * sizeof *memory);
}

/* Bytes from a place in one state to another, into the same place of another state. */
static void copy_part(BrState *to, const BrState *from, const void *begin, const void *end) {
    size_t first = (size_t)((uintptr_t)begin - (uintptr_t)from), size = (size_t)((uintptr_t)end - (uintptr_t)begin);
    memcpy((char *)to + first, begin, size);
}

void bri_state_forget_history(BrState *state) {
    if (state->history != 0) memset(bri_state_history(state), 0, (size_t)state->bodies * sizeof(BriBodyHistory));
    state->history = 0;
}

void bri_state_begin(BrState *to, const BrState *from) {
    int had = to->contacts;
    bri_state_forget_history(to); /* a scheme that wants one writes it */
    const void *history = bri_state_history(from), *inputs = bri_state_inputs(from),
               *rest = bri_state_motor_inputs(from);
    copy_part(to, from, from, history);
    if (from->loaded != 0) copy_part(to, from, inputs, rest);
    copy_part(to, from, rest, bri_state_contacts(from));
    to->contacts = had;
    to->history = 0;
}

void bri_state_take(BrState *to, const BrState *from) {
    BriContactState *memory = bri_state_contacts(to);
    int had = to->contacts, has = from->contacts;
    bool histories = to->history != 0 || from->history != 0;
    copy_part(to, from, from, histories ? (const void *)bri_state_inputs(from) : bri_state_history(from));
    copy_part(to, from, bri_state_motor_inputs(from), bri_state_contacts(from) + has);
    if (had > has) memset(memory + has, 0, (size_t)(had - has) * sizeof *memory);
}

void bri_state_end_contacts(BrState *state, int live) {
    BriContactState *memory = bri_state_contacts(state);
    if (state->contacts > live) memset(memory + live, 0, (size_t)(state->contacts - live) * sizeof *memory);
    state->contacts = live;
}

BrStatus br_state_copy(BrState *target, const BrState *source) {
    if (!target || !source) return BR_INVALID_ARGUMENT;
    if (target->fingerprint != source->fingerprint || target->size != source->size) return BR_MISMATCH;
    bri_state_assign(target, source);
    return BR_OK;
}

BrStatus br_state_restore(BrState *state, const void *bytes, size_t size, BrError *error) {
    BRI_NEED(state && bytes, "state and bytes", error);
    BrState header;
    if (size != state->size)
        return bri_fail(error, BR_MISMATCH, "the stored state has %zu bytes, this model's have %zu", size,
                        (size_t)state->size);
    memcpy(&header, bytes, sizeof header);
    if (header.fingerprint != state->fingerprint || header.size != state->size || header.bodies != state->bodies ||
        header.joints != state->joints || header.motors != state->motors || header.bounds != state->bounds ||
        header.grips != state->grips || header.lastings != state->lastings ||
        header.contact_capacity != state->contact_capacity || header.contacts < 0 ||
        header.contacts > header.contact_capacity)
        return bri_fail(error, BR_MISMATCH, "the stored state belongs to another model");
    memcpy(state, bytes, size);
    memset(bri_state_contacts(state) + state->contacts, 0,
           (size_t)(state->contact_capacity - state->contacts) * sizeof(BriContactState)); /* whatever was stored */
    return BR_OK;
}

/* ------------------------------------------------------------------ bodies */

/* BR_OK if the state and the id are of this model. */
static BrStatus check_body(const BrModel *model, const BrState *state, BrBodyId id) {
    if (!model || !state) return BR_INVALID_ARGUMENT;
    if (state->fingerprint != model->fingerprint) return BR_MISMATCH;
    return bri_body_number(model, id) < 0 ? BR_INVALID_ID : BR_OK;
}

static BriBodyState *find_body(const BrModel *model, const BrState *state, BrBodyId id) {
    return &bri_state_bodies(state)[bri_body_number(model, id)];
}

BrStatus br_body_pose(const BrModel *model, const BrState *state, BrBodyId id, BrPose *pose) {
    if (!pose) return BR_INVALID_ARGUMENT;
    BrStatus status = check_body(model, state, id);
    if (status != BR_OK) return status;
    const BriBodyState *b = find_body(model, state, id);
    *pose = (BrPose){b->r, b->A};
    return BR_OK;
}

BrStatus br_body_frame(const BrModel *model, const BrState *state, BrBodyId id, BrPose *frame) {
    BrStatus status = br_body_pose(model, state, id, frame);
    if (status != BR_OK) return status;
    BrVec3 way = model->body_def[bri_body_number(model, id)].frame_body;
    if (bri_has_frame(way)) frame->position = bri_add(frame->position, bri_mul(&frame->rotation, way));
    return BR_OK;
}

BrStatus br_body_twist(const BrModel *model, const BrState *state, BrBodyId id, BrTwist *twist) {
    if (!twist) return BR_INVALID_ARGUMENT;
    BrStatus status = check_body(model, state, id);
    if (status != BR_OK) return status;
    const BriBodyState *b = find_body(model, state, id);
    *twist = (BrTwist){b->v, bri_mul(&b->A, b->w)};
    return BR_OK;
}

static BrStatus check_dynamic(const BrModel *model, const BrState *state, BrBodyId id, BrError *error) {
    BRI_NEED(model && state, "model and state", error);
    BrStatus status = check_body(model, state, id);
    if (status == BR_MISMATCH) return bri_fail(error, status, "the state belongs to another model");
    if (status != BR_OK) return bri_fail(error, status, "the body id is null, stale or of another model");
    const BrBodyDef *body = &model->body_def[bri_body_number(model, id)];
    if (body->kind != BR_BODY_DYNAMIC)
        return bri_fail(error, BR_INVALID_ARGUMENT, "body '%s' is not dynamic: it cannot be set or pushed", body->name);
    return BR_OK;
}

/* Slips and modes belong to the motion as it was. */
static void forget_contacts(BrState *state) { bri_state_end_contacts(state, 0); }

BrStatus br_body_set_pose(const BrModel *model, BrState *state, BrBodyId id, BrPose pose, BrError *error) {
    BrStatus status = check_dynamic(model, state, id, error);
    if (status != BR_OK) return status;
    if (!bri_vec_is_finite(pose.position) || !(bri_rotation_error(&pose.rotation) <= BRI_ROTATION_ERROR))
        return bri_fail(error, BR_INVALID_ARGUMENT, "the pose for body '%s' is not finite or not a rotation",
                        br_body_def(model, id)->name);
    BriBodyState *b = find_body(model, state, id);
    BrVec3 spin = bri_mul(&b->A, b->w); /* the twist stays what it is in world axes */
    b->r = pose.position;
    b->A = bri_rotation_normalise(&pose.rotation);
    b->w = bri_mul_t(&b->A, spin);
    state->rank_known = 0;
    forget_contacts(state);
    bri_state_forget_history(state);
    state->books_open = 0;
    state->powers_known = 0;
    return BR_OK;
}

BrStatus br_body_set_twist(const BrModel *model, BrState *state, BrBodyId id, BrTwist twist, BrError *error) {
    BrStatus status = check_dynamic(model, state, id, error);
    if (status != BR_OK) return status;
    if (!bri_vec_is_finite(twist.linear) || !bri_vec_is_finite(twist.angular))
        return bri_fail(error, BR_INVALID_ARGUMENT, "the velocity for body '%s' is not finite",
                        br_body_def(model, id)->name);
    BriBodyState *b = find_body(model, state, id);
    b->v = twist.linear;
    b->w = bri_mul_t(&b->A, twist.angular);
    forget_contacts(state);
    bri_state_forget_history(state);
    state->books_open = 0;
    state->powers_known = 0;
    return BR_OK;
}

/* ------------------------------------------------------------------ inputs */

static bool are_same(BrVec3 a, BrVec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* What acts on a body has changed: its contacts, and so its island, have to come to rest anew. */
static void disturb(const BrModel *model, BrState *state, int body) {
    if (state->formulation == BR_FORMULATION_COMPLIANT) return; /* which knows no rest */
    for (int k = 0; k < state->contacts; k++) {
        BriContactState *contact = &bri_state_contacts(state)[k];
        if (!bri_knows_contact(model, contact)) continue;
        bool own = model->shape[bri_contact_state_a(contact)].body == body ||
                   model->shape[bri_contact_state_b(contact)].body == body;
        if (own) contact->rested = 0;
    }
}

BrStatus br_body_set_load(const BrModel *model, BrState *state, BrBodyId id, BrVec3 force, BrVec3 torque,
                          BrError *error) {
    BrStatus status = check_dynamic(model, state, id, error);
    if (status != BR_OK) return status;
    if (!bri_vec_is_finite(force) || !bri_vec_is_finite(torque))
        return bri_fail(error, BR_INVALID_ARGUMENT, "the load on body '%s' is not finite",
                        br_body_def(model, id)->name);
    int body = bri_body_number(model, id);
    BriBodyInput *input = &bri_state_inputs(state)[body];
    if (!are_same(input->force, force) || !are_same(input->torque, torque)) disturb(model, state, body);
    *input = (BriBodyInput){force, torque};
    state->loaded = 1;
    state->powers_known = 0;
    return BR_OK;
}

BrStatus br_body_load(const BrModel *model, const BrState *state, BrBodyId id, BrVec3 *force, BrVec3 *torque) {
    if (!force || !torque) return BR_INVALID_ARGUMENT;
    BrStatus status = check_body(model, state, id);
    if (status != BR_OK) return status;
    const BriBodyInput *input = &bri_state_inputs(state)[bri_body_number(model, id)];
    *force = input->force;
    *torque = input->torque;
    return BR_OK;
}

BrStatus br_motor_set_target(const BrModel *model, BrState *state, BrMotorId id, double target, double max_effort,
                             BrError *error) {
    BRI_NEED(model && state, "model and state", error);
    int n = bri_motor_number(model, id);
    if (state->fingerprint != model->fingerprint)
        return bri_fail(error, BR_MISMATCH, "the state belongs to another model");
    if (n < 0) return bri_fail(error, BR_INVALID_ID, "the motor id is null or of another model");
    if (!bri_is_finite(target) || !(max_effort > 0))
        return bri_fail(error, BR_INVALID_ARGUMENT, "motor '%s': target %.9g must be finite and effort %.9g positive",
                        model->motor[n].def.name, target, max_effort);
    bri_state_motor_inputs(state)[n] = (BriMotorInput){1, target, max_effort, 1};
    state->powers_known = 0;
    return BR_OK;
}

BrStatus br_motor_release(const BrModel *model, BrState *state, BrMotorId id) {
    if (!model || !state) return BR_INVALID_ARGUMENT;
    int n = bri_motor_number(model, id);
    if (state->fingerprint != model->fingerprint) return BR_MISMATCH;
    if (n < 0) return BR_INVALID_ID;
    bri_state_motor_inputs(state)[n] = (BriMotorInput){0, 0, 0, 1};
    state->powers_known = 0;
    return BR_OK;
}
