/* quantity.c: see quantity.h. All but contact forces follows from poses and velocities, so that it has the order of the
 * scheme; contact forces are the means over the step before, as a sampling controller knows them. */
#include "dynamics/quantity.h"

#include "dynamics/joint.h"

static double component(BrVec3 v, int k) { return k == 0 ? v.x : k == 1 ? v.y : v.z; }

static double read_body(const BriBodyState *b, int part) {
    int k = part % 3;
    if (part < 3) return component(b->r, k);
    if (part < 6) return component(b->v, k);
    if (part < 9) return component(bri_mul(&b->A, b->w), k);
    return b->A.m[part / 3 - 3][k];
}

static double read_joint(const BriInstant *at, int joint, int part) {
    const BriJoint *j = &at->model->joint[joint];
    BriJointPose pose =
        bri_joint_pose(j, &at->bodies[j->a], &at->bodies[j->b], bri_state_joints(at->start)[joint].angle);
    double position, rate;
    bri_joint_coordinate(j, &pose, part / 2, &position, &rate);
    return part % 2 ? rate : position;
}

/* Impulses act on the body of the shape with the higher number. */
static double read_contact(const BriInstant *at, const BriQuantity *q) {
    const BrModel *m = at->model;
    BrVec3 sum = {0, 0, 0};
    for (int i = 0; i < at->start->contacts; i++) {
        const BriContactState *c = &bri_state_contacts(at->start)[i];
        if (!bri_knows_contact(m, c)) continue;
        int a = m->shape[bri_contact_state_a(c)].body, b = m->shape[bri_contact_state_b(c)].body;
        if (b == q->a && a == q->b) sum = bri_add(sum, c->impulse);
        if (a == q->a && b == q->b) sum = bri_sub(sum, c->impulse);
    }
    double dt = at->start->steps ? at->start->dt : 0, per = dt > 0 ? 1 / dt : 0;
    return per * (q->part < 3 ? component(sum, q->part) : bri_norm(sum));
}

static double read_table(const BriInstant *at, const BriSignal *s) {
    const BriJet none[BRI_EXPRESSION_VARIABLES] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    BriAround around = bri_around(at);
    double x = s->over.count ? bri_expression_evaluate_in(&s->over, none, &around).f : at->time;
    return bri_function_evaluate(&s->value, x, 0).f;
}

static double read_quantity(const void *user, int number) {
    const BriInstant *at = user;
    const BriQuantity *q = &at->model->quantity[number];
    switch (q->kind) {
    case BRI_QUANTITY_TIME: return at->time;
    case BRI_QUANTITY_BODY: return read_body(&at->bodies[q->a], q->part);
    case BRI_QUANTITY_JOINT: return read_joint(at, q->a, q->part);
    case BRI_QUANTITY_CONTACT: return read_contact(at, q);
    case BRI_QUANTITY_TABLE: return read_table(at, &at->model->signal[q->a]);
    }
    return 0;
}

BriAround bri_around(const BriInstant *instant) { return (BriAround){read_quantity, instant}; }

double bri_signal_read(const BriInstant *at, int signal) {
    const BriSignal *s = &at->model->signal[signal];
    BriAround around = bri_around(at);
    return s->value.kind == BRI_FORMULA ? bri_function_evaluate_in(&s->value, 0, 0, &around).f : read_table(at, s);
}

BrStatus br_signal_value(const BrModel *m, const BrState *state, BrSignalId id, double *value) {
    if (!m || !state || !value) return BR_INVALID_ARGUMENT;
    int k = bri_signal_number(m, id);
    if (state->fingerprint != m->fingerprint) return BR_MISMATCH;
    if (k < 0) return BR_INVALID_ID;
    BriInstant now = {m, state, bri_state_bodies(state), state->time};
    *value = bri_signal_read(&now, k);
    return BR_OK;
}
