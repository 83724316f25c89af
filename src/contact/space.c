/* contact_space.c: memory of the contact problem, made once with the workspace. */
#include "contact/contact.h"
#include "problem/polygon.h"

#include <string.h>

enum { MOST_SIDES = 16 };

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

/* For islands that may outgrow the matrix. */
static BriLarge *make_large(const BrModel *m, size_t rows) {
    const BrAllocator *a = &m->allocator;
    size_t moving = (size_t)m->moving;
    BriNetwork widest = {.nodes = m->moving, .rows = (int)rows, .blocks = (int)rows};
    BriLarge *l = bri_allocate(a, 1, sizeof *l);
    if (!l) return NULL;
    l->inverse_mass = bri_allocate(a, moving, sizeof(double));
    l->inverse_inertia = bri_allocate(a, 9 * moving, sizeof(double));
    l->v = bri_allocate(a, 6 * moving, sizeof(double));
    l->C = bri_allocate(a, BRI_ROW * rows, sizeof(double));
    l->q = bri_allocate(a, rows, sizeof(double));
    l->node = bri_allocate(a, rows, sizeof *l->node);
    l->scratch = bri_allocate(a, bri_network_scratch(&widest), sizeof(double));
    for (int n = 0; l->inverse_mass && l->inverse_inertia && n < m->moving; n++) {
        const BriBody *body = &m->body[m->moving_body[n]];
        l->inverse_mass[n] = body->inverse_mass;
        memcpy(l->inverse_inertia + 9 * n, body->inverse_inertia.m, sizeof body->inverse_inertia.m);
    }
    return l;
}

static bool is_whole(const BriLarge *l) {
    return l && l->inverse_mass && l->inverse_inertia && l->v && l->C && l->q && l->node && l->scratch;
}

static void release_large(const BrAllocator *a, BriLarge *l) {
    if (!l) return;
    void *owned[] = {l->inverse_mass, l->inverse_inertia, l->v, l->C, l->q, l->node, l->scratch, l};
    for (int i = 0; i < BRI_COUNT(owned); i++) bri_release(a, owned[i]);
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
    enum { FEW = 8 };
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
    size_t contact_count = (size_t)m->contact_capacity, rows = 3 * contact_count + (size_t)m->bounds;
    size_t shapes = (size_t)m->shapes, bodies = (size_t)m->bodies;
    size_t dense = rows < BRI_DENSE_ROWS ? rows : BRI_DENSE_ROWS;
    BriContacts *c = *contacts = bri_allocate(a, 1, sizeof *c);
    if (!c) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for contacts");
    bool fine = true;
    c->dense_rows = (int)dense;
    size_t scratch = find_scratch(a, (int)dense, &fine);
    struct {
        void **place;
        size_t count, size;
    } arrays[] = {{(void **)&c->contact, contact_count, sizeof *c->contact},
                  {(void **)&c->old, contact_count, sizeof *c->old},
                  {(void **)&c->bound, (size_t)m->bounds, sizeof *c->bound},
                  {(void **)&c->box, shapes, sizeof *c->box},
                  {(void **)&c->frame, shapes, sizeof *c->frame},
                  {(void **)&c->pair, (size_t)m->pair_capacity, sizeof *c->pair},
                  {(void **)&c->reach, shapes, sizeof(double)},
                  {(void **)&c->other, rows * BRI_ROW, sizeof(double)},
                  {(void **)&c->D, rows * BRI_ROW, sizeof(double)},
                  {(void **)&c->E, rows * BRI_ROW, sizeof(double)},
                  {(void **)&c->ME, rows * BRI_ROW, sizeof(double)},
                  {(void **)&c->root, bodies, sizeof(int)},
                  {(void **)&c->unit, rows, sizeof *c->unit},
                  {(void **)&c->block, rows, sizeof *c->block},
                  {(void **)&c->W, dense * dense, sizeof(double)},
                  {(void **)&c->q, rows, sizeof(double)},
                  {(void **)&c->r, rows, sizeof(double)},
                  {(void **)&c->u, rows, sizeof(double)},
                  {(void **)&c->zero, rows, sizeof(double)},
                  {(void **)&c->scale, rows, sizeof(double)},
                  {(void **)&c->scratch, scratch, sizeof(double)},
                  {(void **)&c->free, bodies, sizeof *c->free},
                  {(void **)&c->x, 6 * (size_t)m->moving + (size_t)m->rows, sizeof(double)},
                  {(void **)&c->bias, rows, sizeof(double)},
                  {(void **)&c->angle, contact_count, sizeof(double)},
                  {(void **)&c->cone_contact, contact_count, sizeof(int)}};
    for (int i = 0; i < BRI_COUNT(arrays); i++)
        fine = (*arrays[i].place = bri_allocate(a, arrays[i].count, arrays[i].size)) && fine;
    if (rows > dense) fine = is_whole(c->large = make_large(m, rows)) && fine;
    BrStatus status = fine ? BR_OK : bri_fail(error, BR_OUT_OF_MEMORY, "no memory for %zu contacts", contact_count);
    if (status == BR_OK) place_still_shapes(m, c->frame);
    if (status == BR_OK) list_pairs(m, c);
    if (status == BR_OK && m->shapes) status = bri_broad_create(m->shapes, m->pair_capacity, a, &c->broad, error);
    return status;
}

void bri_contacts_release(const BrModel *m, BriContacts *c) {
    if (!c) return;
    release_large(&m->allocator, c->large);
    if (c->broad) bri_broad_release(c->broad, &m->allocator);
    void *owned[] = {c->contact,
                     c->old,
                     c->bound,
                     c->box,
                     c->frame,
                     c->pair,
                     c->reach,
                     c->other,
                     c->D,
                     c->E,
                     c->ME,
                     c->root,
                     c->unit,
                     c->block,
                     c->W,
                     c->q,
                     c->r,
                     c->u,
                     c->zero,
                     c->scale,
                     c->scratch,
                     c->free,
                     c->x,
                     c->angle,
                     c->cone_contact,
                     c->polygon,
                     c->polygon_block,
                     c->bias,
                     c};
    for (int i = 0; i < BRI_COUNT(owned); i++) bri_release(&m->allocator, owned[i]);
}
