/* contact_rows.c: contacts and bounds as rows of twelve numbers:
 *     u = C v,   row of direction d: (-d, -A_a^T (s_a x d); d, A_b^T (s_b x d)),   s: centre of mass to the point (1.3)
 * both about one point of the line between the surfaces: the normal row is exactly the rate of the gap wherever on that
 * line it is, and impulses keep the angular momentum. */
#include "step/contact.h"

#include <string.h>

static void fill_row(const BriContact *c, const BriBodyState *bodies, BrVec3 d, double *row) {
    const BriBodyState *a = &bodies[c->a], *b = &bodies[c->b];
    BrVec3 p = bri_contact_point(c), turn_a = bri_mul_t(&a->A, bri_cross(bri_sub(p, a->r), d));
    BrVec3 turn_b = bri_mul_t(&b->A, bri_cross(bri_sub(p, b->r), d));
    row[0] = -d.x, row[1] = -d.y, row[2] = -d.z;
    row[3] = -turn_a.x, row[4] = -turn_a.y, row[5] = -turn_a.z;
    row[6] = d.x, row[7] = d.y, row[8] = d.z;
    row[9] = turn_b.x, row[10] = turn_b.y, row[11] = turn_b.z;
}

void bri_contacts_rows(const BriStep *step, const BriBodyState *bodies, double *rows) {
    const BrModel *m = step->model;
    const BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->count; k++)
        for (int i = 0; i < 3; i++, rows += BRI_ROW)
            fill_row(&c->contact[k], bodies, bri_column(&c->contact[k].frame, i), rows);
    for (int k = 0; k < c->bounds; k++, rows += BRI_ROW) {
        const BriJoint *j = &m->joint[c->bound[k].joint];
        BriJointPose pose =
            bri_joint_pose(j, &bodies[j->a], &bodies[j->b], bri_state_joints(step->ws->trial)[c->bound[k].joint].angle);
        bri_joint_coordinate_row(j, &pose, m->bound[c->bound[k].bound].coordinate, rows, rows + 6);
    }
}

void bri_contacts_push_rows(BriStep *step, const BriBodyState *bodies) {
    BriContacts *c = step->ws->contacts;
    bri_contacts_rows(step, bodies, c->D);
    for (int k = 0; k < c->count; k++) c->contact[k].push_frame = c->contact[k].frame;
    c->one_pose = false;
}

void bri_contacts_same_rows(BriStep *step, const BriBodyState *bodies) {
    BriContacts *c = step->ws->contacts;
    bri_contacts_push_rows(step, bodies);
    memcpy(c->C, c->D, sizeof(double) * BRI_ROW * (size_t)(3 * c->count + c->bounds));
    c->one_pose = true;
}

static BrVec3 point_velocity(const BriBodyState *b, BrVec3 point) {
    return bri_add(b->v, bri_cross(bri_mul(&b->A, b->w), bri_sub(point, b->r)));
}

BrVec3 bri_contact_velocity(const BriContact *c, const BriBodyState *bodies) {
    BrVec3 p = bri_contact_point(c);
    BrVec3 u = bri_sub(point_velocity(&bodies[c->b], p), point_velocity(&bodies[c->a], p));
    return bri_add(u, c->belt);
}
