/* desk.c: see desk.h. */
#include "contact/desk.h"

#include "contact/pile.h"

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
    size_t cones = bri_solver_scratch(&problem), plain = (size_t)rows * (size_t)(rows + 2);
    bri_release(allocator, block);
    size = size > cones ? size : cones;
    return size > plain ? size : plain;
}

/* As long as the rows of an island that has a matrix; width: of half solves, scratch: of its solvers, doubles. */
static bool work_arrays(const BrModel *m, BriDesk *d, size_t rows, size_t width, size_t scratch, BriArrayWork work) {
    size_t halves = m->joints == 0 ? 0 : rows < BRI_SOME_ROWS ? rows : BRI_SOME_ROWS;
    d->half_room = (int)halves;
    const BriArray arrays[] = {BRI_ARRAY(d->W, rows * rows),       BRI_ARRAY(d->scratch, scratch),
                               BRI_ARRAY(d->block, rows),          BRI_ARRAY(d->guess, rows),
                               BRI_ARRAY(d->angle, rows),          BRI_ARRAY(d->cone_contact, rows),
                               BRI_ARRAY(d->half, halves * width), BRI_ARRAY(d->half_path, halves * (2 * width + 2))};
    return bri_work_arrays(&m->allocator, arrays, BRI_COUNT(arrays), work);
}

bool bri_desk_make(const BrModel *m, bool piles, BriDesk *d) {
    *d = (BriDesk){.matrix_of = -1};
    d->x = bri_allocate(&m->allocator, 6 * (size_t)m->moving + (size_t)m->rows, sizeof *d->x);
    if (piles) d->pile = bri_pile_create(m);
    return d->x && (d->pile || !piles);
}

/* What was there goes first: this is the largest of all. */
bool bri_desk_make_room(const BrModel *m, const BriContacts *c, int rows, BriDesk *d) {
    size_t width = (size_t)c->half_width;
    if (rows > c->dense_rows) rows = c->dense_rows;
    if (rows <= d->dense_room) return true;
    int half_more = d->dense_room + d->dense_room / 2;
    if (rows < half_more) rows = half_more < c->dense_rows ? half_more : c->dense_rows;
    bool fine;
    size_t scratch = find_scratch(&m->allocator, rows, &fine);
    if (!fine) return false;
    work_arrays(m, d, 0, 0, 0, BRI_RELEASE);
    d->dense_room = 0;
    if (!work_arrays(m, d, (size_t)rows, width, scratch, BRI_MAKE)) {
        work_arrays(m, d, 0, 0, 0, BRI_RELEASE);
        return false;
    }
    d->dense_room = rows;
    return true;
}

void bri_desk_release(const BrModel *m, BriDesk *d) {
    bri_pile_release(m, d->pile);
    work_arrays(m, d, 0, 0, 0, BRI_RELEASE);
    bri_release(&m->allocator, d->polygon);
    bri_release(&m->allocator, d->polygon_block);
    bri_release(&m->allocator, d->x);
}
