/* space.c: memory of the contact problem, made once with the workspace. */
#include "contact/pile.h"
#include "problem/polygon.h"

#include <string.h>

enum { MOST_SIDES = 16 }; /* of a friction polygon: as br_step_fits() allows */

/* Scratch of every solver for a problem of this many rows, all contacts being cones, or all rows boxes. */
static size_t find_scratch(const BrAllocator *allocator, int rows, bool *fine) {
    BriBlock *block = bri_allocate(allocator, (size_t)rows, sizeof *block);
    size_t size = 0;
    *fine = block != NULL;
    if (!block) return 0;
    for (int k = 0; k < rows; k++)
        block[k] = (BriBlock){.set = BRI_SET_BOX, .first = k, .rows = 1, .lower = -1, .upper = 1};
    BriProblem problem = {.rows = rows, .stride = rows, .blocks = rows, .block = block};
    size = bri_solver_scratch(&problem);
    for (int k = 0; k < rows / 3; k++) block[k] = (BriBlock){.set = BRI_SET_CONE, .first = 3 * k, .rows = 3, .mu = 1};
    problem.blocks = rows / 3;
    problem.rows = 3 * problem.blocks;
    size_t cones = bri_solver_scratch(&problem), plain = (size_t)rows * (size_t)rows + (size_t)rows;
    bri_release(allocator, block);
    size = size > cones ? size : cones;
    return size > plain ? size : plain;
}

/* Rows of the problem, and of C and D. */
static size_t count_rows(const BrModel *m) {
    return (m->turns ? 6 : 3) * (size_t)m->contact_capacity + (size_t)m->bounds;
}
static int count_rows_each(const BrModel *m) { return m->turns ? 12 : 3; }

/* scratch: of solvers, doubles. */
static bool work_arrays(const BrModel *m, BriContacts *c, size_t scratch, BriArrayWork work) {
    size_t contacts = (size_t)m->contact_capacity, rows = count_rows(m), dense = (size_t)c->dense_rows;
    size_t lines = (size_t)count_rows_each(m) * contacts + (size_t)m->bounds;
    size_t shapes = (size_t)m->shapes, bodies = (size_t)m->bodies;
    const BriArray arrays[] = {BRI_ARRAY(c->contact, contacts),
                               BRI_ARRAY(c->old, contacts),
                               BRI_ARRAY(c->bound, (size_t)m->bounds),
                               BRI_ARRAY(c->box, shapes),
                               BRI_ARRAY(c->frame, shapes),
                               BRI_ARRAY(c->pair, (size_t)m->pair_capacity),
                               BRI_ARRAY(c->reach, shapes),
                               BRI_ARRAY(c->other, lines * BRI_ROW),
                               BRI_ARRAY(c->D, lines * BRI_ROW),
                               BRI_ARRAY(c->E, rows * BRI_ROW),
                               BRI_ARRAY(c->ME, rows * BRI_ROW),
                               BRI_ARRAY(c->root, bodies),
                               BRI_ARRAY(c->unit, rows),
                               BRI_ARRAY(c->block, rows),
                               BRI_ARRAY(c->W, dense * dense),
                               BRI_ARRAY(c->q, rows),
                               BRI_ARRAY(c->r, rows),
                               BRI_ARRAY(c->u, rows),
                               BRI_ARRAY(c->zero, rows),
                               BRI_ARRAY(c->scale, rows),
                               BRI_ARRAY(c->scratch, scratch),
                               BRI_ARRAY(c->free, bodies),
                               BRI_ARRAY(c->x, 6 * (size_t)m->moving + (size_t)m->rows),
                               BRI_ARRAY(c->bias, lines),
                               BRI_ARRAY(c->shares.probe, m->joints ? 6 * (size_t)m->moving + (size_t)m->rows : 0),
                               BRI_ARRAY(c->angle, contacts),
                               BRI_ARRAY(c->cone_contact, contacts),
                               BRI_LATER_ARRAY(c->polygon),
                               BRI_LATER_ARRAY(c->polygon_block),
                               BRI_LATER_ARRAY(c->shares.y)};
    return bri_work_arrays(&m->allocator, arrays, BRI_COUNT(arrays), work);
}

/* Nothing moves these: they are where the model says. */
static void place_still_shapes(const BrModel *m, BriFrame *frame) {
    for (int i = 0; i < m->shapes; i++) {
        const BriBody *body = &m->body[m->shape[i].body];
        if (bri_is_still(body)) bri_place_shape(&m->shape[i], body->def.position, &body->def.rotation, &frame[i]);
    }
}

/* A box around a plane or a tube tells little. Where few pairs may meet and all are with such shapes, they are listed
 * once and for all. */
static void list_pairs(const BrModel *m, BriContacts *c) {
    enum { FEW = 8 }; /* shapes */
    c->always_pairs = m->shapes <= FEW;
    for (int a = 0; c->always_pairs && a < m->shapes; a++)
        for (int b = a + 1; c->always_pairs && b < m->shapes; b++) {
            if (!bri_shapes_may_touch(m, a, b)) continue;
            bool both_end =
                br_shape_info(m->shape[a].shape.kind)->convex && br_shape_info(m->shape[b].shape.kind)->convex;
            c->always_pairs = !both_end && c->pairs < m->pair_capacity;
            if (c->always_pairs) c->pair[c->pairs++] = (BriPair){a, b};
        }
}

BrStatus bri_contacts_create(const BrModel *m, BriContacts **contacts, BrError *error) {
    const BrAllocator *a = &m->allocator;
    size_t rows = count_rows(m), dense = rows < BRI_DENSE_ROWS ? rows : BRI_DENSE_ROWS;
    BriContacts *c = *contacts = bri_allocate(a, 1, sizeof *c);
    if (!c) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for contacts");
    bool fine = true;
    c->dense_rows = (int)dense;
    c->rows_each = count_rows_each(m);
    size_t scratch = find_scratch(a, (int)dense, &fine);
    fine = work_arrays(m, c, scratch, BRI_MAKE) && fine;
    if (rows > BRI_FEW_ROWS) fine = (c->pile = bri_pile_create(m)) != NULL && fine;
    BrStatus status =
        fine ? BR_OK : bri_fail(error, BR_OUT_OF_MEMORY, "no memory for %d contacts", m->contact_capacity);
    if (status == BR_OK) place_still_shapes(m, c->frame);
    if (status == BR_OK) list_pairs(m, c);
    if (status == BR_OK && m->shapes) status = bri_broad_create(m->shapes, m->pair_capacity, a, &c->broad, error);
    return status;
}

void bri_contacts_release(const BrModel *m, BriContacts *c) {
    if (!c) return;
    bri_pile_release(m, c->pile);
    if (c->broad) bri_broad_release(c->broad, &m->allocator);
    work_arrays(m, c, 0, BRI_RELEASE);
    bri_release(&m->allocator, c);
}
