/* pair.c: which shapes can touch, and who looks where. Planes, tubes and walls come first in a pair; the mirror of an answer
 * is the answer to the mirrored question. */
#include "collide/pair.h"

#include "collide/patch.h"
#include "geom/wall.h"

static inline bool is_endless(BrShapeKind kind) {
    return kind == BR_SHAPE_PLANE || kind == BR_SHAPE_TUBE || bri_is_wall(kind);
}

/* Why two shapes never touch; NULL: they may. */
static inline const char *find_reason(BrShapeKind a, BrShapeKind b) {
    if ((unsigned)a >= BR_SHAPE_KINDS || (unsigned)b >= BR_SHAPE_KINDS) return "one of them is no shape";
    if (a == BR_SHAPE_POINT && b == BR_SHAPE_POINT) return "two points never touch; give one of them a radius";
    if (is_endless(a) && is_endless(b)) return "planes, tubes and curved walls touch bodies, not each other";
    if ((bri_is_wall(a) && !bri_is_round(b)) || (bri_is_wall(b) && !bri_is_round(a)))
        return "curved walls touch points, spheres and ellipsoids only";
    return NULL;
}

bool br_shapes_collide(BrShapeKind a, BrShapeKind b, const char **why) {
    const char *reason = find_reason(a, b);
    if (why) *why = reason;
    return !reason;
}

/* Who is a: planes, tubes and walls, then the lower kind, then the smaller size. Constant in time, so that features are. */
bool bri_pair_is_in_order(const BriShape *a, const BriShape *b) {
    bool first = is_endless(a->kind);
    if (first != is_endless(b->kind)) return first;
    if (a->kind != b->kind) return a->kind < b->kind;
    const double x[] = {a->radius, a->half_length, a->half.x, a->half.y, a->half.z};
    const double y[] = {b->radius, b->half_length, b->half.x, b->half.y, b->half.z}; /* walls never meet each other */
    for (int i = 0; i < 5; i++)
        if (x[i] != y[i]) return x[i] < y[i];
    return true;
}

/* Has it a single lowest point, whatever it lies on? */
static inline bool has_one_place(BrShapeKind kind) { return bri_is_round(kind) || kind == BR_SHAPE_PLANE; }

bool bri_pair_has_one_place(const BriShape *a, const BriShape *b) {
    return has_one_place(a->kind) && has_one_place(b->kind);
}

/* NaN is nowhere. */
static inline bool is_somewhere(const BriFrame *f) {
    const double(*m)[3] = f->axes.m;
    double sum = bri_abs(f->position.x) + bri_abs(f->position.y) + bri_abs(f->position.z);
    for (int i = 0; i < 3; i++) sum += bri_abs(m[i][0]) + bri_abs(m[i][1]) + bri_abs(m[i][2]);
    return sum < BRI_FARTHEST;
}

static inline bool is_ball(BrShapeKind kind) { return kind == BR_SHAPE_POINT || kind == BR_SHAPE_SPHERE; }
static inline bool is_straight(BrShapeKind kind) {
    return is_ball(kind) || kind == BR_SHAPE_CAPSULE || kind == BR_SHAPE_BOX;
}

static inline bool have_closed_form(BrShapeKind a, BrShapeKind b) {
    bool round = a == BR_SHAPE_ELLIPSOID || b == BR_SHAPE_ELLIPSOID;
    return (is_straight(a) && is_straight(b)) || ((is_ball(a) || is_ball(b)) && !round);
}

/* Measured at random poses, overlapping or near: a pair takes about what its two shapes ask for. */
double bri_collide_work(const BriShape *a, const BriShape *b) {
    static const double CLOSED[BR_SHAPE_KINDS] = {
        [BR_SHAPE_POINT] = 20, [BR_SHAPE_SPHERE] = 20,   [BR_SHAPE_CAPSULE] = 80,
        [BR_SHAPE_BOX] = 200,  [BR_SHAPE_CYLINDER] = 80, [BR_SHAPE_DISC] = 80};
    static const double SEARCH[BR_SHAPE_KINDS] = {
        [BR_SHAPE_POINT] = 300,     [BR_SHAPE_SPHERE] = 500, [BR_SHAPE_BOX] = 2500,      [BR_SHAPE_CAPSULE] = 1500,
        [BR_SHAPE_CYLINDER] = 4000, [BR_SHAPE_DISC] = 3000,  [BR_SHAPE_ELLIPSOID] = 6000};
    if (a->kind == BR_SHAPE_PLANE || b->kind == BR_SHAPE_PLANE) return 200;
    if (a->kind == BR_SHAPE_TUBE || b->kind == BR_SHAPE_TUBE) return 1000;
    if (bri_is_wall(a->kind) || bri_is_wall(b->kind)) return 2000;
    if (have_closed_form(a->kind, b->kind)) return CLOSED[a->kind] + CLOSED[b->kind];
    return SEARCH[a->kind] + SEARCH[b->kind];
}

/* What is round meets a wall where it is nearest, at one place. */
static void collide_wall(const BriShape *wall, const BriFrame *frame, const BriShape *b, const BriFrame *frame_b,
                         BriPatch *patch) {
    BriConvex body = bri_convex_make(b, frame_b);
    BriMeeting at;
    if (bri_wall_meet(wall, frame, &body, &at)) bri_patch_add(patch, at.body_point, at.normal, at.gap, 0);
}

static void collide_ordered(const BriShape *a, const BriFrame *frame_a, const BriShape *b, const BriFrame *frame_b,
                            BriPatch *patch) {
    if (a->kind == BR_SHAPE_PLANE)
        bri_collide_plane(frame_a, b, frame_b, patch);
    else if (a->kind == BR_SHAPE_TUBE)
        bri_collide_tube(a, frame_a, b, frame_b, patch);
    else if (bri_is_wall(a->kind))
        collide_wall(a, frame_a, b, frame_b, patch);
    else
        bri_collide_convex(a, frame_a, b, frame_b, patch);
}

int bri_collide(const BriShape *a, const BriFrame *frame_a, const BriShape *b, const BriFrame *frame_b, double reach,
                BriTouch touch[BRI_PATCH]) {
    if (find_reason(a->kind, b->kind) || !is_somewhere(frame_a) || !is_somewhere(frame_b)) return 0;
    BriPatch patch;
    patch.reach = reach;
    patch.count = 0;
    if (bri_pair_is_in_order(a, b)) {
        collide_ordered(a, frame_a, b, frame_b, &patch);
        return bri_patch_choose(&patch, touch);
    }
    collide_ordered(b, frame_b, a, frame_a, &patch);
    int count = bri_patch_choose(&patch, touch);
    for (int i = 0; i < count; i++) bri_touch_mirror(&touch[i]);
    return count;
}
