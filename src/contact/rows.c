/* rows.c: contacts and bounds as rows of twelve numbers:
 *     u = C v,   row of direction d: (-d, -A_a^T (s_a x d); d, A_b^T (s_b x d)),   s: centre of mass to the point (1.3)
 * both about one point of the line between the surfaces: the normal row is exactly the rate of the gap wherever on that
 * line it is, and impulses keep the angular momentum. */
#include "base/threads.h"
#include "contact/contact.h"

#include <string.h>

/* The half of a contact's first rows that belongs to one of its bodies; sign: of b 1, of a -1. */
static void fill_half(const BrMat3 *frame, const BriBodyState *body, BrVec3 point, double sign, int count,
                      double *row) {
    BrVec3 s = bri_sub(point, body->r);
    for (int i = 0; i < count; i++, row += BRI_ROW) {
        BrVec3 d = bri_scale(sign, bri_column(frame, i)), turn = bri_mul_t(&body->A, bri_cross(s, d));
        row[0] = d.x, row[1] = d.y, row[2] = d.z;
        row[3] = turn.x, row[4] = turn.y, row[5] = turn.z;
    }
}

/* Rows of turns about t1, t2 and n, of one of its bodies (7.35). */
static void fill_turns(const BriContact *c, const BriBodyState *body, double sign, double *row) {
    static const int AXIS[3] = {1, 2, 0};
    for (int i = 0; i < 3; i++, row += BRI_ROW) {
        BrVec3 d = bri_scale(sign * c->turning->length, bri_column(&c->at.frame, AXIS[i])),
               turn = bri_mul_t(&body->A, d);
        row[0] = row[1] = row[2] = 0;
        row[3] = turn.x, row[4] = turn.y, row[5] = turn.z;
    }
}

/* Its first rows; with all three also those of moments. */
static void fill_rows(const BriContact *c, const BriBodyState *bodies, int count, double *row) {
    BrVec3 p = bri_contact_point(c);
    if (count == 3 && bri_resists_turning(c)) {
        double *turns = row + 3 * BRI_ROW;
        if (c->at.still_a)
            for (int i = 0; i < 3; i++) memset(turns + BRI_ROW * i, 0, 6 * sizeof *turns);
        else
            fill_turns(c, &bodies[c->at.a], -1, turns);
        fill_turns(c, &bodies[c->at.b], 1, turns + 6);
    }
    if (c->at.still_a)
        for (int i = 0; i < count; i++) memset(row + BRI_ROW * i, 0, 6 * sizeof *row);
    else
        fill_half(&c->at.frame, &bodies[c->at.a], p, -1, count, row);
    fill_half(&c->at.frame, &bodies[c->at.b], p, 1, count, row + 6);
}

static void fill_bound_rows(const BriStep *step, const BriBodyState *bodies, double *rows) {
    const BrModel *m = step->model;
    const BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->bounds; k++, rows += BRI_ROW) {
        const BriJoint *j = &m->joint[c->bound[k].joint];
        BriJointPose pose =
            bri_joint_pose(j, &bodies[j->a], &bodies[j->b], bri_state_joints(step->ws->trial)[c->bound[k].joint].angle);
        bri_joint_coordinate_row(j, &pose, m->bound[c->bound[k].bound].coordinate, rows, rows + 6);
    }
}

/* Rows of all contacts. */
typedef struct RowLoop {
    BriContacts *contacts;
    const BriBodyState *bodies;
    double *rows; /* of the first contact */
    bool push;    /* directions of impulses, */
    bool moves;   /* which stay when the contacts move on to another pose */
    bool few;     /* of active contacts, and only those that they are asked for */
} RowLoop;

static void fill_share(void *loop, const BriShare *share) {
    const RowLoop *l = loop;
    for (int k = share->begin; k < share->end; k++) {
        BriContact *contact = &l->contacts->contact[k];
        if (l->few && !contact->ask.active) continue;
        fill_rows(contact, l->bodies, l->few && contact->ask.one_row ? 1 : 3,
                  bri_contact_rows(l->contacts, l->rows, k));
        if (!l->push) continue;
        contact->ask.push_frame = l->moves ? &l->contacts->push_frame[k] : NULL;
        if (l->moves) *contact->ask.push_frame = contact->at.frame;
    }
}

static void fill_all(const BriStep *step, RowLoop loop) {
    bri_share(step->def->threads, loop.contacts->count, fill_share, &loop);
}

void bri_contacts_rows(const BriStep *step, const BriBodyState *bodies, double *rows) {
    BriContacts *c = step->ws->contacts;
    fill_all(step, (RowLoop){.contacts = c, .bodies = bodies, .rows = rows});
    if (c->bounds) fill_bound_rows(step, bodies, bri_contact_rows(c, rows, c->count));
}

static void fill_push_rows(BriStep *step, const BriBodyState *bodies, bool moves) {
    BriContacts *c = step->ws->contacts;
    fill_all(step, (RowLoop){.contacts = c, .bodies = bodies, .rows = c->D, .push = true, .moves = moves});
    if (c->bounds) fill_bound_rows(step, bodies, bri_contact_rows(c, c->D, c->count));
}

void bri_contacts_push_rows(BriStep *step, const BriBodyState *bodies) { fill_push_rows(step, bodies, true); }

void bri_contacts_condition_rows(BriStep *step, const BriBodyState *bodies) {
    BriContacts *c = step->ws->contacts;
    c->C = c->other;
    bri_contacts_rows(step, bodies, c->C);
}

void bri_contacts_push_where_asked(BriStep *step) {
    BriContacts *c = step->ws->contacts;
    double *asked = c->other; /* both are as long (space.c) */
    c->other = c->D, c->D = asked;
    for (int k = 0; k < c->count; k++) *c->contact[k].ask.push_frame = c->contact[k].at.frame;
}

void bri_contacts_same_rows(BriStep *step, const BriBodyState *bodies) {
    fill_push_rows(step, bodies, false);
    step->ws->contacts->C = step->ws->contacts->D;
}

void bri_contact_same_rows(BriContacts *c, int contact, const BriBodyState *bodies) {
    c->contact[contact].ask.push_frame = NULL;
    fill_rows(&c->contact[contact], bodies, 3, bri_contact_rows(c, c->D, contact));
}

void bri_bounds_same_rows(BriStep *step, const BriBodyState *bodies) {
    BriContacts *c = step->ws->contacts;
    if (c->bounds) fill_bound_rows(step, bodies, bri_contact_rows(c, c->D, c->count));
    c->C = c->D;
}

void bri_contacts_few_rows(BriStep *step, const BriBodyState *bodies) {
    BriContacts *c = step->ws->contacts;
    fill_all(step, (RowLoop){.contacts = c, .bodies = bodies, .rows = c->D, .few = true});
    c->C = c->D;
}

static BrVec3 point_velocity(const BriBodyState *b, BrVec3 point) {
    return bri_add(b->v, bri_cross(bri_mul(&b->A, b->w), bri_sub(point, b->r)));
}

BrVec3 bri_contact_velocity(const BriContact *c, const BriBodyState *bodies) {
    BrVec3 p = bri_contact_point(c), u = bri_add(point_velocity(&bodies[c->at.b], p), c->at.belt);
    return c->at.still_a ? u : bri_sub(u, point_velocity(&bodies[c->at.a], p));
}
