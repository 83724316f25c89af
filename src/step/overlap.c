/* overlap.c: see overlap.h. A step's conditions hold at the places it found at its start. A body that turns or flies
 * far within the step may come down on another place, of which no condition knew, and the velocities that took it there
 * are no solution of the contact problem at the end. */
#include "step/overlap.h"

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

double bri_overlap_made(const BriStep *step, const BriBodyState *bodies) {
    const BrModel *m = step->model;
    const BriContacts *c = step->ws->contacts;
    const BriBodyState *start = bri_state_bodies(step->start);
    double worst = 0;
    for (int k = 0; k < c->pairs; k++) {
        double size = __builtin_inf(), way = 0;
        int ends[2] = {c->pair[k].a, c->pair[k].b};
        if (bri_pair_has_one_place(&m->shape[ends[0]].shape, &m->shape[ends[1]].shape)) continue;
        for (int e = 0; e < 2; e++) {
            const BriModelShape *s = &m->shape[ends[e]];
            if (m->body[s->body].node >= 0 && s->extent > 0) size = bri_min(size, s->extent);
            way += measure_way(s, &start[s->body], &bodies[s->body]);
        }
        if (!(way > BRI_THROUGH * size)) continue; /* it cannot have come so deep */
        double depth = find_depth(m, &c->pair[k], bodies);
        bri_spend(step->budget, 2 * bri_collide_work(&m->shape[ends[0]].shape, &m->shape[ends[1]].shape));
        if (depth > BRI_THROUGH * size && depth > find_depth(m, &c->pair[k], start))
            worst = bri_max(worst, depth / size);
    }
    return worst;
}
