/* lasting.c: lasting contacts (joints of the type contact): what makes sense, which surfaces touch, and where. */
#include "geom/wall.h"
#include "model/model.h"

#include <stdio.h>

BrStatus bri_check_lasting(const BrModel *m, const BrJointDef *def, BrError *error) {
    const double MOST = 1e30; /* N/m^1.5 */
    char what[128];
    if (!(def->stiffness >= 0 && def->stiffness <= MOST))
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "contact '%s': the stiffness is %.9g N/m^1.5; allowed is 0, for a rigid contact, to %.0e",
                        def->name, def->stiffness, MOST);
    for (int i = 0; i < br_bearing_parameter_count(); i++) {
        const BrBearingParameter *word = br_bearing_parameter(i);
        if (bri_bearing_is_given(&def->friction, word))
            return bri_fail(error, BR_INVALID_ARGUMENT, "contact '%s': %s is given, which a contact has not", def->name,
                            word->key);
    }
    if (!def->friction.law.info) return BR_OK;
    snprintf(what, sizeof what, "contact '%s'", def->name);
    return bri_lasting_law_check(&m->laws, &def->friction.law, what, error);
}

/* A body's shape by its number; NULL: it has none of that number. */
static const BriModelShape *find_shape(const BrModel *m, int body, int number) {
    for (int i = 0; i < m->shapes; i++)
        if (m->shape[i].body == body && number-- == 0) return &m->shape[i];
    return NULL;
}

/* Of a body where it touches: the mean of its radii of curvature; of a point there is none. */
static double find_radius(const BriModelShape *s) {
    BrVec3 a = s->shape.half;
    return s->shape.kind == BR_SHAPE_SPHERE ? s->shape.radius : (a.x + a.y + a.z) / 3;
}

/* Which of the two is the wall: of two round ones the larger; -1: these do not make a contact. */
static int find_wall(const BriModelShape *a, const BriModelShape *b) {
    BrShapeKind one = a->shape.kind, other = b->shape.kind;
    bool first = bri_is_smooth(one) && bri_is_round(other), second = bri_is_smooth(other) && bri_is_round(one);
    if (first && second) return find_radius(b) > find_radius(a);
    return first ? 0 : second ? 1 : -1;
}

static BriFrame place_shape(const BrModel *m, const BriModelShape *s) {
    const BrBodyDef *body = &m->body_def[s->body];
    BriFrame frame;
    bri_place_shape(s, body->position, &body->rotation, &frame);
    return frame;
}

/* Where they are nearest in the initial pose: the joint's point, its frame's z along the normal. */
static BrStatus place_contact(BrModel *m, BriJoint *j, BriLasting *lasting, BrError *error) {
    const BriModelShape *wall = lasting->shape[lasting->wall], *round = lasting->shape[1 - lasting->wall];
    BriFrame wall_frame = place_shape(m, wall), frame = place_shape(m, round);
    BriConvex body = bri_convex_make(&round->shape, &frame);
    BriMeeting at;
    const char *one = m->body_def[wall->body].name, *other = m->body_def[round->body].name;
    if (!bri_wall_meet(&wall->shape, &wall_frame, &body, &at))
        return bri_fail(error, BR_INVALID_MODEL,
                        "contact '%s': there is no place of '%s' that '%s' is nearest to: its gradient vanishes, or it "
                        "has ended before",
                        j->def.name, one, other);
    if (bri_fit_each_other(&at, &body))
        return bri_fail(
            error, BR_INVALID_MODEL,
            "contact '%s': the surfaces of '%s' and '%s' bend alike where they meet, so that they touch along "
            "a line or everywhere, or '%s' does not fit in; a lasting contact has one place",
            j->def.name, one, other, other);
    const double SLIGHT = 1e-6; /* of the radius: no Hertz contact works with less */
    double radius = round->shape.kind == BR_SHAPE_POINT ? 0 : find_radius(round);
    double given = j->def.friction.law.info ? bri_tracked_radius(&j->def.friction.law) : 0;
    lasting->radius = given > 0 ? given : radius;
    lasting->slight = SLIGHT * (radius > 0 ? radius : 1);
    if (j->def.friction.law.info && !(lasting->radius > 0))
        return bri_fail(error, BR_INVALID_MODEL,
                        "contact '%s': a point has no radius to roll on; give its friction's 'radius'", j->def.name);
    const BrBodyDef *a = &m->body_def[j->a], *b = &m->body_def[j->b];
    BrVec3 point[2] = {lasting->wall == 0 ? at.wall_point : at.body_point,
                       lasting->wall == 0 ? at.body_point : at.wall_point};
    BrVec3 n = lasting->wall == 0 ? at.normal : bri_neg(at.normal);
    BrMat3 frame_z = bri_rotation_frame(n, bri_vec(1, 0, 0));
    j->point_a = bri_mul_t(&a->rotation, bri_sub(point[0], a->position));
    j->point_b = bri_mul_t(&b->rotation, bri_sub(point[1], b->position));
    j->frame_a = bri_mat_mul_t(&a->rotation, &frame_z);
    j->frame_b = bri_mat_mul_t(&b->rotation, &frame_z);
    return BR_OK;
}

static BrStatus add_lasting(BrModel *m, int joint, BrError *error) {
    BriJoint *j = &m->joint[joint];
    BriLasting *lasting = &m->lasting[m->lastings];
    const int body[2] = {j->a, j->b}, number[2] = {j->def.shape_a, j->def.shape_b};
    *lasting = (BriLasting){.joint = joint};
    for (int e = 0; e < 2; e++) {
        lasting->shape[e] = number[e] >= 0 ? find_shape(m, body[e], number[e]) : NULL;
        if (!lasting->shape[e])
            return bri_fail(error, BR_INVALID_MODEL, "contact '%s': body '%s' has no shape %d (they count from 0)",
                            j->def.name, m->body_def[body[e]].name, number[e]);
    }
    lasting->wall = find_wall(lasting->shape[0], lasting->shape[1]);
    if (lasting->wall < 0)
        return bri_fail(
            error, BR_INVALID_MODEL,
            "contact '%s': a %s of '%s' and a %s of '%s' make no lasting contact; one of them must be a point, "
            "a sphere or an ellipsoid, the other a smooth surface",
            j->def.name, br_shape_info(lasting->shape[0]->shape.kind)->name, m->body_def[j->a].name,
            br_shape_info(lasting->shape[1]->shape.kind)->name, m->body_def[j->b].name);
    for (int e = 0; e < 2; e++)
        if (lasting->shape[e]->has_motion)
            return bri_fail(
                error, BR_UNSUPPORTED,
                "contact '%s': the surface of '%s' runs (surface_velocity), which a lasting contact does not "
                "know; move the body instead, or take the contact away and use timestepping",
                j->def.name, m->body_def[body[e]].name);
    for (int i = m->filters - 1; i >= 0; i--)
        if (!m->filter[i].touch &&
            ((m->filter[i].a == j->a && m->filter[i].b == j->b) || (m->filter[i].a == j->b && m->filter[i].b == j->a)))
            return bri_fail(
                error, BR_INVALID_MODEL,
                "contact '%s' holds '%s' and '%s' in touch, and a filter says that they never touch; take one "
                "of both away",
                j->def.name, m->body_def[j->a].name, m->body_def[j->b].name);
    BrStatus status = place_contact(m, j, lasting, error);
    if (status != BR_OK) return status;
    j->lasting = lasting;
    m->lastings++;
    return BR_OK;
}

BrStatus bri_model_make_lastings(BrModel *m, BrError *error) {
    int count = 0;
    BrStatus status = BR_OK;
    for (int k = 0; k < m->joints; k++) count += m->joint[k].def.type == BR_JOINT_CONTACT;
    bri_release(&m->allocator, m->lasting);
    m->lasting = bri_allocate(&m->allocator, (size_t)count, sizeof *m->lasting);
    m->lastings = 0;
    if (!m->lasting) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory to build the model");
    for (int k = 0; status == BR_OK && k < m->joints; k++)
        if (m->joint[k].def.type == BR_JOINT_CONTACT) status = add_lasting(m, k, error);
    return status;
}
