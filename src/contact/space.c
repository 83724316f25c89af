/* space.c: memory of the contact problem. What goes with shapes and bodies is made with the workspace; what goes with
 * contacts starts small and grows when they ask for it, up to the model's capacity: a heap has room for many times the
 * contacts it has. Contacts grow while they are found, all else once they are, so that nothing of it has to be kept.
 * What a small scene could ever need is made at once. */
#include "contact/desk.h"
#include "contact/lanes.h"

#include <string.h>

enum {
    START = 256,        /* contacts: less than 1 MB; small scenes never ask for more */
    START_PAIRS = 4096, /* 8 bytes each */
    KEPT = 1024,        /* contacts whose rows of ME are kept: they still fit a cache beside all else */
    FEW_SHAPES = 8
};

/* So many contacts, or all that there may be. */
static int find_room(const BrModel *m, int contacts) {
    return m->contact_capacity < contacts ? m->contact_capacity : contacts;
}

/* Rows of the problem, and of C and D. */
static size_t count_rows(const BrModel *m, int contacts) {
    return (m->turns ? 6 : 3) * (size_t)contacts + (size_t)m->bounds;
}
static int count_rows_each(const BrModel *m) { return m->turns ? 12 : 3; }
static size_t count_lines(const BrModel *m, int contacts) {
    return (size_t)count_rows_each(m) * (size_t)contacts + (size_t)m->bounds;
}

/* As long as shapes and bodies. */
static bool work_arrays(const BrModel *m, BriContacts *c, BriArrayWork work) {
    size_t shapes = (size_t)m->shapes, bodies = (size_t)m->bodies;
    const BriArray arrays[] = {BRI_ARRAY(c->bound, (size_t)m->bounds),
                               BRI_ARRAY(c->fact, shapes),
                               BRI_ARRAY(c->box, shapes),
                               BRI_ARRAY(c->frame, shapes),
                               BRI_ARRAY(c->reach, shapes),
                               BRI_ARRAY(c->way, shapes),
                               BRI_ARRAY(c->root, bodies),
                               BRI_ARRAY(c->groups.of, bodies),
                               BRI_ARRAY(c->groups.call, bodies),
                               BRI_ARRAY(c->groups.touch, bodies),
                               BRI_ARRAY(c->groups.pile, bodies),
                               BRI_ARRAY(c->groups.gain, bodies),
                               BRI_ARRAY(c->groups.size, bodies),
                               BRI_ARRAY(c->sleep.asleep, bodies),
                               BRI_ARRAY(c->sleep.driven, bodies),
                               BRI_ARRAY(c->sleep.idle, shapes),
                               BRI_ARRAY(c->sleep.island, bodies),
                               BRI_ARRAY(c->sleep.called, bodies),
                               BRI_ARRAY(c->sleep.rested, bodies),
                               BRI_ARRAY(c->island_begin, bodies + 1),
                               BRI_ARRAY(c->free, bodies),
                               BRI_ARRAY(c->ME, BRI_ROW * (size_t)c->ME_room),
                               BRI_ARRAY(c->shares.probe, m->joints ? 6 * (size_t)m->moving + (size_t)m->rows : 0),
                               BRI_LATER_ARRAY(c->always),
                               BRI_LATER_ARRAY(c->old),
                               BRI_LATER_ARRAY(c->old_soft),
                               BRI_LATER_ARRAY(c->old_turning),
                               BRI_LATER_ARRAY(c->kept),
                               BRI_LATER_ARRAY(c->kept_turning),
                               BRI_LATER_ARRAY(c->gone),
                               BRI_LATER_ARRAY(c->other),
                               BRI_LATER_ARRAY(c->push_frame),
                               BRI_LATER_ARRAY(c->tries),
                               BRI_LATER_ARRAY(c->bias),
                               BRI_LATER_ARRAY(c->ends),
                               BRI_LATER_ARRAY(c->number),
                               BRI_LATER_ARRAY(c->pair_begin),
                               BRI_LATER_ARRAY(c->shares.y)};
    return bri_work_arrays(&m->allocator, arrays, BRI_COUNT(arrays), work);
}

/* As long as contacts: what is found, */
static bool work_contact_arrays(const BrModel *m, BriContacts *c, int room, BriArrayWork work) {
    size_t contacts = (size_t)room;
    const BriArray arrays[] = {BRI_ARRAY(c->contact, contacts), BRI_ARRAY(c->hold, c->has_holds ? contacts : 0),
                               BRI_ARRAY(c->soft, c->has_soft ? contacts : 0),
                               BRI_ARRAY(c->turning, m->turns ? contacts : 0)};
    return bri_work_arrays(&m->allocator, arrays, BRI_COUNT(arrays), work);
}

/* and what is made of it. */
static bool work_row_arrays(const BrModel *m, BriContacts *c, int room, BriArrayWork work) {
    size_t contacts = (size_t)room, rows = count_rows(m, room), lines = count_lines(m, room);
    const BriArray arrays[] = {BRI_ARRAY(c->phase, c->has_phases ? contacts : 0),
                               BRI_ARRAY(c->free_rate, c->has_bounces ? contacts : 0),
                               BRI_ARRAY(c->limits, c->has_limits ? contacts : 0),
                               BRI_ARRAY(c->D, lines * BRI_ROW),
                               BRI_ARRAY(c->unit, contacts + (size_t)m->bounds),
                               BRI_ARRAY(c->place, contacts + (size_t)m->bounds),
                               BRI_ARRAY(c->q, rows),
                               BRI_ARRAY(c->r, rows),
                               BRI_ARRAY(c->u, rows),
                               BRI_ARRAY(c->scale, rows)};
    return bri_work_arrays(&m->allocator, arrays, BRI_COUNT(arrays), work);
}

/* ------------------------------------------------------------------ growing */

/* A longer array in place of *array, whose contents nobody needs. false: no memory, and all is as it was. */
static bool lengthen(const BrAllocator *allocator, void **array, size_t count, size_t size) {
    void *longer = bri_allocate(allocator, count, size);
    if (!longer) return false;
    bri_release(allocator, *array);
    *array = longer;
    return true;
}

static void copy_contacts(const BrModel *m, const BriContacts *from, BriContacts *to) {
    if (from->count == 0) return;
    memcpy(to->contact, from->contact, (size_t)from->count * sizeof *to->contact);
    if (from->has_holds) memcpy(to->hold, from->hold, (size_t)from->count * sizeof *to->hold);
    if (m->turns) memcpy(to->turning, from->turning, (size_t)from->count * sizeof *to->turning);
    for (int k = 0; m->turns && k < from->count; k++) to->contact[k].turning = &to->turning[k];
    if (!from->has_soft) return;
    memcpy(to->soft, from->soft, (size_t)from->count * sizeof *to->soft);
    for (int k = 0; k < from->count; k++) to->contact[k].soft = &to->soft[k];
}

bool bri_contacts_grow(const BrModel *m, BriContacts *c, int needed) {
    const int MANY = 1000; /* 1 MB */
    int room = c->room + c->room / (c->room > MANY ? 16 : 4);
    room = room > m->contact_capacity ? m->contact_capacity : room;
    if (room < needed) room = needed; /* readings have those that pushed beside those that are closed now */
    BriContacts larger = *c;
    bool fine = work_contact_arrays(m, &larger, room, BRI_MAKE);
    if (fine) copy_contacts(m, c, &larger);
    work_contact_arrays(m, fine ? c : &larger, 0, BRI_RELEASE);
    if (!fine) return false;
    *c = larger;
    c->room = room;
    return true;
}

static bool make_row_room(const BrModel *m, BriContacts *c) {
    if (c->D && c->row_room >= c->room) return true; /* bounds have rows too */
    work_row_arrays(m, c, 0, BRI_RELEASE);
    c->C = NULL; /* rows are to be made anew */
    c->row_room = 0;
    if (!work_row_arrays(m, c, c->room, BRI_MAKE)) {
        work_row_arrays(m, c, 0, BRI_RELEASE);
        c->count = 0; /* none that could be read */
        return false;
    }
    c->row_room = c->room;
    return true;
}

static bool make_old_room(const BrModel *m, BriContacts *c) {
    if (c->old && c->old_room == c->room) return true;
    void *old = c->old, *soft = c->old_soft, *turning = c->old_turning;
    bool fine = lengthen(&m->allocator, &old, (size_t)c->room, sizeof *c->old) &&
                lengthen(&m->allocator, &soft, c->has_soft ? (size_t)c->room : 0, sizeof *c->old_soft) &&
                lengthen(&m->allocator, &turning, m->turns ? (size_t)c->room : 0, sizeof *c->old_turning);
    c->old = old;
    c->old_soft = soft;
    c->old_turning = turning;
    if (fine) c->old_room = c->room;
    return fine;
}

bool bri_contacts_put_aside(const BrModel *m, BriContacts *c) {
    if (!make_old_room(m, c)) return false;
    BriContact *contact = c->old;
    BriSoftContact *soft = c->old_soft;
    BriTurning *turning = c->old_turning;
    c->old = c->contact, c->old_soft = c->soft, c->old_turning = c->turning;
    c->contact = contact, c->soft = soft, c->turning = turning;
    c->old_count = c->count;
    return true;
}

bool bri_contacts_make_holds(const BrModel *m, BriContacts *c) {
    void *hold = c->hold;
    c->has_holds = lengthen(&m->allocator, &hold, (size_t)c->room, sizeof *c->hold);
    c->hold = hold;
    return c->has_holds;
}

bool bri_contacts_make_touches(const BrModel *m, BriContacts *c) {
    if (!c->found) c->found = bri_allocate(&m->allocator, BRI_TOUCHES, sizeof *c->found);
    return c->found;
}

bool bri_contacts_make_kept(const BrModel *m, BriContacts *c, int needed) {
    if (needed <= c->kept_room) return true;
    int room = needed > c->room ? needed : c->room;
    BriContact *kept = bri_allocate(&m->allocator, (size_t)room, sizeof *kept);
    BriTurning *turning = m->turns ? bri_allocate(&m->allocator, (size_t)room, sizeof *turning) : NULL;
    if (!kept || (m->turns && !turning)) {
        bri_release(&m->allocator, kept);
        bri_release(&m->allocator, turning);
        return false;
    }
    for (int k = 0; k < c->kept_count; k++) {
        kept[k] = c->kept[k];
        if (!m->turns) continue;
        turning[k] = c->kept_turning[k];
        kept[k].turning = &turning[k];
    }
    bri_release(&m->allocator, c->kept);
    bri_release(&m->allocator, c->kept_turning);
    c->kept = kept, c->kept_turning = turning;
    c->kept_room = room;
    return true;
}

bool bri_contacts_make_soft(const BrModel *m, BriContacts *c) {
    if (c->has_soft) return true;
    void *soft = c->soft;
    bool fine = lengthen(&m->allocator, &soft, (size_t)c->room, sizeof *c->soft);
    c->soft = soft;
    if (!fine) return false;
    c->has_soft = true;
    c->count = c->old_count = 0;
    c->old_room = 0; /* to be made with theirs */
    return make_old_room(m, c);
}

/* For places that let go within a step; more of them than this at once make room for themselves. */
static bool make_gone_room(const BrModel *m, BriContacts *c) {
    if (c->room == 0) return true;
    c->gone = bri_allocate(&m->allocator, (size_t)c->room, sizeof *c->gone);
    if (c->gone) c->gone_room = c->room;
    return c->gone != NULL;
}

static bool make_other_room(const BrModel *m, BriContacts *c) {
    void *other = c->other, *frame = c->push_frame, *tries = c->tries;
    bool fine = lengthen(&m->allocator, &other, count_lines(m, c->room) * BRI_ROW, sizeof *c->other) &&
                lengthen(&m->allocator, &frame, (size_t)c->room, sizeof *c->push_frame) &&
                lengthen(&m->allocator, &tries, (size_t)c->room, sizeof *c->tries);
    c->other = other;
    c->push_frame = frame;
    c->tries = tries;
    if (fine) c->other_room = c->room;
    return fine;
}

bool bri_contacts_make_force_room(const BrModel *m, BriContacts *c) {
    if (c->bias && c->force_room >= c->room) return true; /* bounds have rows too */
    void *bias = c->bias, *ends = c->ends, *number = c->number, *begin = c->pair_begin;
    bool fine = lengthen(&m->allocator, &bias, count_lines(m, c->room), sizeof *c->bias) &&
                lengthen(&m->allocator, &ends, (size_t)c->room, sizeof *c->ends) &&
                lengthen(&m->allocator, &number, (size_t)c->room, sizeof *c->number) &&
                lengthen(&m->allocator, &begin, (size_t)c->room, sizeof *c->pair_begin);
    c->bias = bias;
    c->ends = ends;
    c->number = number;
    c->pair_begin = begin;
    if (fine) c->force_room = c->room;
    return fine;
}

/* Islands of many rows have a matrix only with joints and with polygons (bri_is_pile()). */
bool bri_contacts_make_solver_room(const BriStep *step) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    bool dense = m->joints || step->def->friction_set == BR_FRICTION_POLYGON;
    bool two_poses = step->def->scheme == BR_SCHEME_HEM2;
    bool has_other = c->other && c->other_room >= c->room; /* bounds have rows too */
    bool forces = step->def->formulation == BR_FORMULATION_EVENT;
    if (step->def->friction_set == BR_FRICTION_BOX && !c->has_limits) {
        c->has_limits = true;
        c->row_room = -1; /* to be made with them */
    }
    int rows = (int)count_rows(m, c->count);
    if (!dense && rows > BRI_SOME_ROWS) rows = BRI_SOME_ROWS;
    return make_row_room(m, c) && bri_desk_make_room(m, c, rows, &c->desk) &&
           (!two_poses || has_other || make_other_room(m, c)) && (!forces || bri_contacts_make_force_room(m, c));
}

/* ------------------------------------------------------------------ beginning */

/* Does a shape stand as its body does? */
static bool is_centred(const BriFrame *frame) {
    const BrVec3 *p = &frame->position;
    bool same = p->x == 0 && p->y == 0 && p->z == 0;
    for (int i = 0; i < 9; i++) same = same && frame->axes.m[i / 3][i % 3] == BRI_CENTRE.axes.m[i / 3][i % 3];
    return same;
}

/* Its extent, or its width where it is a thin plate or rod; a hundredth of the width is then what BRI_THROUGH of it is.
 * Discs have no width. */
static double find_bulk(const BriModelShape *s, const BriBody *body) {
    double width = 2 * bri_shape_half_width(&s->shape);
    if (body->node < 0 || !(s->extent > 0)) return __builtin_inf();
    return width > 0 ? bri_min(s->extent, 0.01 / BRI_THROUGH * width) : s->extent;
}

/* Balls turn about their centre without coming anywhere. */
static double find_arm(const BriModelShape *s) {
    bool ball = s->shape.kind == BR_SHAPE_POINT || s->shape.kind == BR_SHAPE_SPHERE;
    if (!bri_is_finite(s->extent)) return 0;
    return (ball ? 0 : s->extent) + bri_norm(s->def.position_body);
}

/* What is still is where the model says, once and for all. */
static void know_shapes(const BrModel *m, BriContacts *c) {
    for (int i = 0; i < m->shapes; i++) {
        const BriModelShape *s = &m->shape[i];
        const BriBody *body = &m->body[s->body];
        bool convex = br_shape_info(s->shape.kind)->convex;
        c->fact[i] = (BriShapeFacts){.shape = s->shape,
                                     .extent = s->extent,
                                     .ball = convex ? bri_shape_extent(&s->shape) : __builtin_inf(),
                                     .arm = find_arm(s),
                                     .bulk = find_bulk(s, body),
                                     .body = s->body,
                                     .material = s->material,
                                     .fixed = body->node < 0,
                                     .still = bri_is_still(body),
                                     .runs = s->has_motion,
                                     .centred = is_centred(&s->frame)};
        if (c->fact[i].still)
            bri_place_shape(s, m->body_def[s->body].position, &m->body_def[s->body].rotation, &c->frame[i]);
    }
}

static bool varies(const BriForce *force) {
    for (int k = 0; k < 3; k++)
        if (force->force[k].kind != BRI_CONSTANT || force->torque[k].kind != BRI_CONSTANT) return true;
    return false;
}

/* Bodies on which something acts that changes though they rest: these never sleep. A joint's other body may move. */
static void know_driven(const BrModel *m, unsigned char *driven) {
    for (int k = 0; k < m->joints; k++) driven[m->joint[k].a] = driven[m->joint[k].b] = 1;
    for (int k = 0; k < m->springs; k++)
        if (m->spring[k].joint < 0) driven[m->spring[k].a] = driven[m->spring[k].b] = 1;
    for (int k = 0; k < m->bushings; k++) driven[m->bushing[k].a] = driven[m->bushing[k].b] = 1;
    for (int k = 0; k < m->forces; k++)
        if (varies(&m->force[k])) driven[m->force[k].body] = 1;
}

/* A box around a plane or a tube tells little. Where few pairs may meet and all are with such shapes, they are listed
 * once and for all. false: no memory. */
static bool list_pairs(const BrModel *m, BriContacts *c) {
    if (m->shapes > FEW_SHAPES) return true;
    c->always = bri_allocate(&m->allocator, FEW_SHAPES * FEW_SHAPES / 2, sizeof *c->always);
    if (!c->always) return false;
    bool always = true;
    for (int a = 0; always && a < m->shapes; a++)
        for (int b = a + 1; always && b < m->shapes; b++) {
            if (!bri_shapes_may_touch(m, a, b)) continue;
            bool both_end =
                br_shape_info(m->shape[a].shape.kind)->convex && br_shape_info(m->shape[b].shape.kind)->convex;
            always = !both_end && c->pairs < m->pair_capacity;
            if (always) c->always[c->pairs++] = (BriPair){a, b};
        }
    if (!always) {
        bri_release(&m->allocator, c->always);
        c->always = NULL;
        c->pairs = 0;
    }
    c->pair = c->always;
    return true;
}

/* All that a small scene may ask for, so that it never does; of a large one, a start. */
static bool make_first_room(const BrModel *m, BriContacts *c) {
    int room = find_room(m, START);
    size_t rows = count_rows(m, room), all = count_rows(m, m->contact_capacity);
    size_t dense = m->joints || rows < BRI_SOME_ROWS ? rows : BRI_SOME_ROWS;
    for (int k = 0; k < m->surfaces; k++) {
        const BrLaw *friction = &m->surface[k].laws.friction;
        c->has_phases = c->has_phases || m->surface[k].hypothesis != BRI_NEWTON;
        c->has_breaks = c->has_breaks || m->surface[k].mu_k < m->surface[k].mu_s;
        c->has_bounces = c->has_bounces || c->has_phases || m->surface[k].e > 0;
        c->has_limits = c->has_limits || bri_law_record(friction)->bounded.rows;
    }
    c->dense_rows = (int)(all < BRI_DENSE_ROWS ? all : BRI_DENSE_ROWS);
    c->room = room;
    c->has_holds = m->contact_capacity <= START;
    return work_contact_arrays(m, c, room, BRI_MAKE) && make_row_room(m, c) && make_old_room(m, c) &&
           make_other_room(m, c) && make_gone_room(m, c) && bri_contacts_make_kept(m, c, room) &&
           bri_contacts_make_force_room(m, c) && bri_desk_make_room(m, c, (int)dense, &c->desk);
}

BrStatus bri_contacts_create(const BrModel *m, BriContacts **contacts, BrError *error) {
    const BrAllocator *a = &m->allocator;
    BriContacts *c = *contacts = bri_allocate(a, 1, sizeof *c);
    if (!c) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for contacts");
    c->rows_each = count_rows_each(m);
    c->ME_room = (int)count_rows(m, find_room(m, KEPT));
    int scalars = 6 * m->moving + m->rows;
    c->half_width = scalars < BRI_HALF_WIDTH ? scalars : BRI_HALF_WIDTH;
    bool piles = count_rows(m, m->contact_capacity) > BRI_FEW_ROWS;
    bool fine =
        work_arrays(m, c, BRI_MAKE) && bri_desk_make(m, piles, &c->desk) && make_first_room(m, c) && list_pairs(m, c);
    if (!fine) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for contacts");
    know_shapes(m, c);
    know_driven(m, c->sleep.driven);
    int pairs = m->pair_capacity < START_PAIRS ? m->pair_capacity : START_PAIRS;
    return m->shapes ? bri_broad_create(m->shapes, pairs, a, &c->broad, error) : BR_OK;
}

void bri_contacts_release(const BrModel *m, BriContacts *c) {
    if (!c) return;
    bri_lanes_release(m, c);
    bri_desk_release(m, &c->desk);
    if (c->broad) bri_broad_release(c->broad, &m->allocator);
    work_contact_arrays(m, c, 0, BRI_RELEASE);
    work_row_arrays(m, c, 0, BRI_RELEASE);
    work_arrays(m, c, BRI_RELEASE);
    bri_release(&m->allocator, c->found);
    bri_release(&m->allocator, c);
}
