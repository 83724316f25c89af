/* overlap.c: see overlap.h. A step's conditions hold at the places it found at its start. A body that turns or flies
 * far within the step may come down on another place, of which no condition knew, and the velocities that took it there
 * are no solution of the contact problem at the end. */
#include "step/overlap.h"

/* Of an overlap at the start of a step: what is less at its end is being pushed out: by a fifth (contact/project.c), or
 * less where others push back. */
static const double LEAVING = 0.99;

/* How far a shape's points came within the step, m: its centre, and at most its extent times |A - A_0|. */
static double measure_way(const BriModelShape *s, const BriBodyState *from, const BriBodyState *to) {
    double turn = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) turn += (to->A.m[i][j] - from->A.m[i][j]) * (to->A.m[i][j] - from->A.m[i][j]);
    double arm = bri_is_finite(s->extent) ? s->extent + bri_norm(s->def.position_body) : 0;
    return bri_norm(bri_sub(to->r, from->r)) + (turn > 0 ? arm * bri_sqrt(turn) : 0);
}

static double find_depth(const BrModel *m, const BriPair *pair, const BriBodyState *bodies) {
    const BriModelShape *a = &m->shape[pair->a], *b = &m->shape[pair->b];
    BriFrame frame_a, frame_b;
    BriTouch touch[BRI_PATCH];
    double depth = 0;
    bri_place_shape(a, bodies[a->body].r, &bodies[a->body].A, &frame_a);
    bri_place_shape(b, bodies[b->body].r, &bodies[b->body].A, &frame_b);
    int points = bri_collide(&a->shape, &frame_a, &b->shape, &frame_b, 0, touch);
    for (int i = 0; i < points; i++) depth = bri_max(depth, -touch[i].gap);
    return depth;
}

/* What an overlap of a pair is measured by, m: the smaller of its moving shapes, by its extent, or by its width where it
 * is a thin plate or rod; a hundredth of the width is then what BRI_THROUGH of it is. Discs have no width. */
static double find_size(const BrModel *m, const BriPair *pair) {
    const int ends[2] = {pair->a, pair->b};
    double size = __builtin_inf();
    for (int e = 0; e < 2; e++) {
        const BriModelShape *s = &m->shape[ends[e]];
        double width = 2 * bri_shape_half_width(&s->shape);
        if (m->body[s->body].node < 0 || !(s->extent > 0)) continue;
        size = bri_min(size, s->extent);
        if (width > 0) size = bri_min(size, 0.01 / BRI_THROUGH * width);
    }
    return size;
}

/* The deepest overlap of pair k where the step found its contacts, m, of those it has; `at`: where to look on, contacts
 * come in the order of pairs. */
static double find_known_depth(const BriContacts *c, int k, int *at) {
    uint64_t first = (uint64_t)c->pair[k].a << 40 | (uint64_t)c->pair[k].b << 16, last = first + 0x10000;
    double depth = 0;
    while (*at < c->count && c->contact[*at].at.key <= first) ++*at;
    for (int i = *at; i < c->count && c->contact[i].at.key <= last; i++)
        depth = bri_max(depth, -c->contact[i].at.start_gap);
    return depth;
}

BriOverlap bri_find_overlap(const BriStep *step, const BriBodyState *bodies) {
    const BrModel *m = step->model;
    const BriContacts *c = step->ws->contacts;
    const BriBodyState *start = bri_state_bodies(step->start);
    BriOverlap worst = {0};
    for (int k = 0, at = 0; k < c->pairs; k++) {
        const BriModelShape *a = &m->shape[c->pair[k].a], *b = &m->shape[c->pair[k].b];
        double size = find_size(m, &c->pair[k]), known = find_known_depth(c, k, &at);
        double way =
            measure_way(a, &start[a->body], &bodies[a->body]) + measure_way(b, &start[b->body], &bodies[b->body]);
        if (!(known + way > BRI_THROUGH * size)) continue; /* it cannot have come so deep */
        double depth = find_depth(m, &c->pair[k], bodies);
        bri_spend(step->budget, 2 * bri_collide_work(&a->shape, &b->shape));
        if (!(depth > BRI_THROUGH * size)) continue;
        double before = find_depth(m, &c->pair[k], start);
        bool knows_all = bri_pair_has_one_place(&a->shape, &b->shape);
        if (depth > before && !knows_all) worst.made = bri_max(worst.made, depth / size);
        if (depth > LEAVING * before) worst.left = bri_max(worst.left, depth / size);
    }
    return worst;
}
