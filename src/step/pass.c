/* pass.c: see overlap.h. Poses at the two ends of a way say nothing of what lay between, once the way is longer than the
 * bodies are thick. Such pairs are followed along it by conservative advancement: two surfaces a gap apart cannot meet
 * before they have come that way. Steps aim a little beyond the gap, so that the touch is seen as an overlap that is
 * still on its own side. */
#include "step/overlap.h"

#include "dynamics/motion.h"

enum { MOST_LOOKS = 1000 }; /* of a pair: one that grazes another all along its way is looked at no closer */

/* The farthest way of a shape's points in a time h. A moved body's may change on the way: twice what it is. */
static double find_way(const BrModel *m, const BriModelShape *s, const BriBodyState *with, double h) {
    const BriBody *body = &m->body[s->body];
    double speed = bri_norm(with[s->body].v) + s->extent * bri_norm(with[s->body].w);
    return bri_is_still(body) ? 0 : (body->node < 0 ? 2 : 1) * h * speed;
}

/* Bodies of a pair at a time of their way. */
static void move_pair(const BrModel *m, const BriModelShape *shape, const BriWay *way, double time, BriFrame *frame) {
    BriBodyState at = way->from[shape->body];
    const BriBody *body = &m->body[shape->body];
    if (body->node >= 0) {
        at.r = bri_add_scaled(at.r, time, way->with[shape->body].v);
        at.A = bri_rotation_turn(&at.A, bri_scale(time, way->with[shape->body].w));
    } else if (!bri_is_still(body))
        bri_motion_advance(m, shape->body, way->time, time, &way->from[shape->body], &at);
    bri_place_shape(shape, at.r, &at.A, frame);
}

static double find_gap(const BrModel *m, const BriPair *pair, const BriWay *way, double time, double reach) {
    const BriModelShape *a = &m->shape[pair->a], *b = &m->shape[pair->b];
    BriFrame frame_a, frame_b;
    BriTouch touch[BRI_PATCH];
    double least = reach;
    move_pair(m, a, way, time, &frame_a);
    move_pair(m, b, way, time, &frame_b);
    int points = bri_collide(&a->shape, &frame_a, &b->shape, &frame_b, reach, touch);
    for (int i = 0; i < points; i++) least = bri_min(least, touch[i].gap);
    return least;
}

/* When one pair first overlaps, or way->h. Those that do from the start are not asked. */
static double follow_pair(BriStep *step, const BriPair *pair, const BriWay *way) {
    const BrModel *m = step->model;
    const BriModelShape *a = &m->shape[pair->a], *b = &m->shape[pair->b];
    double width = bri_shape_half_width(&a->shape) + bri_shape_half_width(&b->shape);
    if (!bri_is_finite(width)) return way->h;
    double far = find_way(m, a, way->with, way->h) + find_way(m, b, way->with, way->h);
    if (!(far > width)) return way->h; /* they would still overlap at the end, and on their own sides */
    double beyond = bri_max(0.25 * width, 1e-3 * far), time = 0;
    for (int k = 0; k < MOST_LOOKS && time < way->h; k++) {
        double gap = find_gap(m, pair, way, time, far);
        if (gap < 0) return k ? time : way->h;
        if (!bri_spend(step->budget, bri_collide_work(&a->shape, &b->shape))) break;
        time += way->h * (gap + beyond) / far;
    }
    return way->h;
}

double bri_find_pass(BriStep *step, const BriWay *way) {
    BriContacts *c = step->ws->contacts;
    double first = way->h;
    for (int k = 0; k < c->pairs; k++) {
        int body = c->fact[c->pair[k].a].fixed ? c->fact[c->pair[k].b].body : c->fact[c->pair[k].a].body;
        if (bri_is_put_aside(step, body)) continue;
        double passes = follow_pair(step, &c->pair[k], way);
        if (passes < way->h) bri_group_note(c, body, BRI_GROUP_TOUCHES);
        first = bri_min(first, passes);
    }
    return first;
}
