/* shown.c: an answer as users see it: in N and m/s^2, with bodies and joints. */
#include "diagnose/told.h"

BrVec3 bri_modes_to_world(const BriModeContact *c, const double *rows) {
    const double(*f)[3] = c->frame;
    return bri_vec(rows[0] * f[0][0] + rows[1] * f[1][0] + rows[2] * f[2][0],
                   rows[0] * f[0][1] + rows[1] * f[1][1] + rows[2] * f[2][1],
                   rows[0] * f[0][2] + rows[1] * f[1][2] + rows[2] * f[2][2]);
}

static BrAnswerPart find_part(const BriBoundRow *bound) {
    if (bri_is_limit(bound)) return BR_ANSWER_LIMIT;
    return bound->kind == BRI_BOUND_MOTOR ? BR_ANSWER_MOTOR : BR_ANSWER_DRY_FRICTION;
}

/* Force and acceleration of a contact in an answer, in N and m/s^2. */
static void show_contact(const BriTold *t, const BriAnswerView *answer, int k, BrAnswerContact *seen) {
    static const BrContactMode MODES[] = {BR_CONTACT_OPEN, BR_CONTACT_STICK, BR_CONTACT_SLIP};
    const BriModeArrays *m = &t->modes;
    const BrModel *model = t->island.at->model;
    const BriBoundRow *bound = bri_told_bound(t, k);
    double force = *m->acceleration / m->scale[k], unit = *m->acceleration * m->scale[k];
    if (bound) {
        bool limit = bri_is_limit(bound);
        *seen = (BrAnswerContact){.part = find_part(bound),
                                  .body_a = br_model_body(model, model->joint[bound->joint].a),
                                  .body_b = br_model_body(model, model->joint[bound->joint].b),
                                  .joint = br_model_joint(model, bound->joint),
                                  .mode = limit && answer->mode[k] == BRI_MODE_SLIDES ? BR_CONTACT_STICK
                                                                                      : MODES[answer->mode[k]],
                                  .normal_force = force * answer->p[3 * k],
                                  .normal_acceleration = unit * answer->u[3 * k]};
        return;
    }
    const BriContact *c = bri_told_contact(t, k);
    const BriModeContact *mode = &m->contact[k];
    double friction[3] = {0}, across[3] = {0};
    if (mode->borne) force *= c->turning->length, unit /= c->turning->length;
    for (int r = 1; r < 3; r++) {
        friction[r] = force * answer->p[3 * k + r];
        across[r] = unit * answer->u[3 * k + r];
    }
    *seen = (BrAnswerContact){.part = mode->spins   ? BR_ANSWER_SPINNING
                                      : mode->borne ? BR_ANSWER_ROLLING
                                                    : BR_ANSWER_CONTACT,
                              .body_a = br_model_body(model, c->at.a),
                              .body_b = br_model_body(model, c->at.b),
                              .point = bri_contact_point(c),
                              .mode = MODES[answer->mode[k]],
                              .normal_force = force * answer->p[3 * k],
                              .friction_force = bri_modes_to_world(mode, friction),
                              .normal_acceleration = unit * answer->u[3 * k],
                              .tangential_acceleration = bri_modes_to_world(mode, across)};
}

BrAnswer bri_show_answer(BriTold *t, const BriAnswerView *answer, const BriLayer *layer, bool shared,
                         BrAnswerContact *seen) {
    static const BrAnswerStability STABILITIES[] = {BR_ANSWER_STABLE, BR_ANSWER_UNSTABLE, BR_ANSWER_DEGENERATE,
                                                    BR_ANSWER_DEPENDENT, BR_ANSWER_UNTOLD};
    t->told.stable += layer->settling == BRI_STABLE, t->told.unstable += layer->settling == BRI_UNSTABLE;
    for (int k = 0; k < t->modes.contacts; k++) show_contact(t, answer, k, &seen[k]);
    return (BrAnswer){seen, STABILITIES[layer->settling], layer->growth, shared};
}
