/* overlap.c: see overlap.h. A step's conditions hold at the places it found at its start. A body that turns or flies
 * far within the step may come down on another place, of which no condition knew, and the velocities that took it there
 * are no solution of the contact problem at the end. */
#include "step/overlap.h"

#include "base/threads.h"

/* Of an overlap at the start of a step: what is less at its end is being pushed out: by a fifth (contact/project.c), or
 * less where others push back. */
static const double LEAVING = 0.99;

/* How far a shape's points came by turning, m: at most its arm times |A - A_0|. */
static double measure_turn(const BriShapeFacts *s, const BriBodyState *from, const BriBodyState *to) {
    double turn = 0;
    if (s->arm == 0) return 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) turn += (to->A.m[i][j] - from->A.m[i][j]) * (to->A.m[i][j] - from->A.m[i][j]);
    return turn > 0 ? s->arm * bri_sqrt(turn) : 0;
}

/* How far they came within the step, m: with the body's centre, and by turning. */
static double measure_way(const BriShapeFacts *s, const BriBodyState *start, const BriBodyState *bodies) {
    if (s->still) return 0;
    const BriBodyState *from = &start[s->body], *to = &bodies[s->body];
    return bri_norm(bri_sub(to->r, from->r)) + measure_turn(s, from, to);
}

/* The same towards a plane that stands still: into which nobody comes by going along it. */
static double measure_fall(const BriFrame *plane, const BriShapeFacts *s, const BriBodyState *start,
                           const BriBodyState *bodies) {
    const BriBodyState *from = &start[s->body], *to = &bodies[s->body];
    double fall = -bri_dot(bri_column(&plane->axes, 2), bri_sub(to->r, from->r));
    return bri_max(0, fall) + measure_turn(s, from, to);
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

/* What an overlap of a pair is measured by, m: the smaller of its moving shapes. */
static double find_size(const BriContacts *c, const BriPair *pair) {
    return bri_min(c->fact[pair->a].bulk, c->fact[pair->b].bulk);
}

static uint64_t find_first_key(const BriPair *pair) { return (uint64_t)pair->a << 40 | (uint64_t)pair->b << 16; }

int bri_first_contact(const BriContacts *c, const BriPair *pair) {
    uint64_t first = find_first_key(pair); /* contacts come in the order of pairs */
    int low = 0, high = c->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (bri_contact_key(&c->contact[middle]) <= first)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_of_pair(const BriContact *c, const BriPair *pair) {
    return (c->at.shape_a == pair->a && c->at.shape_b == pair->b) ||
           (c->at.shape_a == pair->b && c->at.shape_b == pair->a);
}

/* The deepest overlap of pair k where the step found its contacts, m, of those it has; `at`: where to look on. */
static double find_known_depth(const BriContacts *c, int k, int *at) {
    const BriPair *pair = &c->pair[k];
    uint64_t first = find_first_key(pair);
    double depth = 0;
    while (*at < c->count && !is_of_pair(&c->contact[*at], pair) && bri_contact_key(&c->contact[*at]) <= first) ++*at;
    for (; *at < c->count && is_of_pair(&c->contact[*at], pair); ++*at)
        depth = bri_max(depth, -c->contact[*at].at.start_gap);
    return depth;
}

/* What a thread has seen. */
typedef struct Seen {
    BriOverlap worst;
    double spent; /* operations, a whole number */
} Seen;

typedef struct Loop {
    const BriStep *step;
    const BriBodyState *bodies;
    bool ways; /* of all shapes are known: pairs share them */
    Seen lane[BRI_MOST_THREADS];
} Loop;

/* A pair, of the size `size`, that may have come deeper. `known`: a condition knew all of its places. */
static void judge_pair(const BriStep *step, const BriPair *pair, double size, bool known, const BriBodyState *bodies,
                       Seen *seen) {
    const BrModel *m = step->model;
    BriOverlap *worst = &seen->worst;
    double depth = find_depth(m, pair, bodies);
    seen->spent += 2 * bri_collide_work(&m->shape[pair->a].shape, &m->shape[pair->b].shape);
    if (!(depth > BRI_THROUGH * size)) return;
    double before = find_depth(m, pair, bri_state_bodies(step->start));
    if (depth > before && !known) worst->made = bri_max(worst->made, depth / size);
    if (depth > LEAVING * before) worst->left = bri_max(worst->left, depth / size);
}

static bool is_pair_known(const BriContacts *c, int a, int b) {
    int low = 0, high = c->pairs; /* sorted by a, then b */
    while (low < high) {
        int middle = (low + high) / 2;
        const BriPair *pair = &c->pair[middle];
        if (pair->a < a || (pair->a == a && pair->b < b))
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->pairs && c->pair[low].a == a && c->pair[low].b == b;
}

static BriBounds find_box(const BriModelShape *s, const BriBodyState *bodies) {
    BriFrame frame;
    bri_place_shape(s, bodies[s->body].r, &bodies[s->body].A, &frame);
    return bri_shape_bounds(&s->shape, &frame);
}

/* Shape i came farther than the step reckoned with, struck by what was struck itself: it may be inside one that no pair
 * names. */
static void judge_stray(const BriStep *step, int i, const BriBodyState *bodies, Seen *seen) {
    const BrModel *m = step->model;
    BriBounds own = find_box(&m->shape[i], bodies);
    seen->spent += 100. * m->shapes;
    for (int k = 0; k < m->shapes; k++) {
        BriPair pair = i < k ? (BriPair){i, k} : (BriPair){k, i};
        if (k == i || !bri_shapes_may_touch(m, pair.a, pair.b)) continue;
        BriBounds other = find_box(&m->shape[k], bodies);
        bool apart = own.low.x > other.high.x || own.low.y > other.high.y || own.low.z > other.high.z ||
                     own.high.x < other.low.x || own.high.y < other.low.y || own.high.z < other.low.z;
        if (apart || is_pair_known(step->ws->contacts, pair.a, pair.b)) continue;
        judge_pair(step, &pair, find_size(step->ws->contacts, &pair), false, bodies, seen);
    }
}

static bool is_floor(const BriShapeFacts *s) { return s->still && s->shape.kind == BR_SHAPE_PLANE; }

/* How much nearer the shapes of a pair may have come within the step, m. */
static double find_approach(const Loop *l, const BriPair *pair) {
    const BriContacts *c = l->step->ws->contacts;
    const BriShapeFacts *a = &c->fact[pair->a], *b = &c->fact[pair->b];
    const BriBodyState *start = bri_state_bodies(l->step->start);
    if (is_floor(a)) return measure_fall(&c->frame[pair->a], b, start, l->bodies);
    if (is_floor(b)) return measure_fall(&c->frame[pair->b], a, start, l->bodies);
    if (l->ways) return c->way[pair->a] + c->way[pair->b];
    return measure_way(a, start, l->bodies) + measure_way(b, start, l->bodies);
}

static void judge_pairs(void *loop, const BriShare *share) {
    Loop *l = loop;
    const BriContacts *c = l->step->ws->contacts;
    int at = -1;                                                          /* not looked for yet */
    const double MOST_KNOWN = c->overlaps ? __builtin_inf() : BRI_CLOSED; /* m: nothing is no more than that */
    for (int k = share->begin; k < share->end; k++) {
        const BriPair *pair = &c->pair[k];
        double size = find_size(c, pair);
        double way = find_approach(l, pair);
        if (!(MOST_KNOWN + way > BRI_THROUGH * size)) continue; /* no contact need be looked at */
        if (at < 0) at = bri_first_contact(c, pair);
        double known = find_known_depth(c, k, &at);
        if (!(known + way > BRI_THROUGH * size)) continue; /* it cannot have come so deep */
        bool one_place = bri_pair_has_one_place(&c->fact[pair->a].shape, &c->fact[pair->b].shape);
        judge_pair(l->step, pair, size, one_place, l->bodies, &l->lane[share->lane]);
    }
}

/* And notes how far they came. */
static void judge_strays(void *loop, const BriShare *share) {
    Loop *l = loop;
    const BriStep *step = l->step;
    const BriContacts *c = step->ws->contacts;
    const BriBodyState *start = bri_state_bodies(step->start), *bodies = l->bodies;
    for (int i = share->begin; i < share->end; i++) {
        c->way[i] = measure_way(&c->fact[i], start, bodies);
        if (c->fact[i].fixed || !(c->way[i] > c->reach[i])) continue;
        judge_stray(step, i, bodies, &l->lane[share->lane]);
    }
}

BriOverlap bri_find_overlap(const BriStep *step, const BriBodyState *bodies) {
    const BriContacts *c = step->ws->contacts;
    Loop loop;
    BriOverlap worst = {0};
    double spent = 0;
    int lanes = bri_lanes(step->def->threads);
    loop.step = step, loop.bodies = bodies, loop.ways = !c->always;
    for (int i = 0; i < lanes; i++) loop.lane[i] = (Seen){0};
    if (!c->always) bri_share(step->def->threads, step->model->shapes, judge_strays, &loop);
    bri_share(step->def->threads, c->pairs, judge_pairs, &loop);
    for (int i = 0; i < lanes; i++) {
        worst.made = bri_max(worst.made, loop.lane[i].worst.made);
        worst.left = bri_max(worst.left, loop.lane[i].worst.left);
        spent += loop.lane[i].spent;
    }
    bri_spend(step->budget, spent);
    return worst;
}
