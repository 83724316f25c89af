/* follow.c: see pair.h. A place that is made of features fixed in both shapes needs no search once these are known:
 *
 *     vertex p over a face or plane (n, o)      gap = n.(p - o);  p of a ball or leaning disc: the lowest
 *     edges p + x d and q + y e that cross      m = d x e / |d x e|,   gap = m.(q - p)
 *
 * with the formulas of pair_plane.c and pair_convex.c, so that where the search finds the place it finds the same. */
#include "collide/patch.h"

static bool has_corners(const BriShape *s) { return s->kind == BR_SHAPE_BOX || s->kind == BR_SHAPE_CAPSULE; }

/* A numbered point of a box or capsule, on its surface towards -n. */
static BrVec3 find_point(const BriShape *s, const BriFrame *frame, uint32_t number, BrVec3 n) {
    if (s->kind == BR_SHAPE_BOX) return bri_box_vertex(s, frame, number);
    return bri_add_scaled(bri_axis_point(frame, number ? s->half_length : -s->half_length), -s->radius, n);
}

static void set_place(BriTouch *touch, BrVec3 point_b, BrVec3 normal, double gap) {
    touch->point_a = bri_add_scaled(point_b, -gap, normal);
    touch->point_b = point_b;
    touch->normal = normal;
    touch->gap = gap;
}

static bool follow_plane(const BriFrame *plane, const BriShape *b, const BriFrame *frame_b, BriTouch *touch) {
    BrVec3 n = bri_column(&plane->axes, 2), p;
    if (has_corners(b))
        p = find_point(b, frame_b, touch->feature, n);
    else if (b->kind == BR_SHAPE_SPHERE)
        p = bri_add_scaled(frame_b->position, -b->radius, n);
    else if (b->kind != BR_SHAPE_DISC || touch->feature != BRI_RIM_LOW ||
             !(bri_rim_lowest(b, frame_b, n, 0, &p) >= BRI_LEANING))
        return false;
    set_place(touch, p, n, bri_dot(n, bri_sub(p, plane->position)));
    return true;
}

/* A point of `other` over face 2 k + positive of a box; `mirrored`: the box is b. */
static bool follow_point(const BriShape *box, const BriFrame *frame, const BriShape *other, const BriFrame *of_other,
                         BriFeature feature, bool mirrored, BriTouch *touch) {
    if (box->kind != BR_SHAPE_BOX || !has_corners(other)) return false;
    uint32_t axis = feature.first >> 1, corner = feature.first & 1 ? 1U << axis : 0;
    BrVec3 n = bri_column(&frame->axes, (int)axis);
    if (!corner) n = bri_neg(n);
    BrVec3 p = find_point(other, of_other, feature.second, n);
    double gap = bri_dot(n, bri_sub(p, bri_box_vertex(box, frame, corner)));
    set_place(touch, mirrored ? bri_add_scaled(p, -gap, n) : p, mirrored ? bri_neg(n) : n, gap);
    return true;
}

typedef struct Edge {
    BrVec3 p, d; /* start; unit */
    double length, swell;
} Edge;

/* Edges of a box by number: four along x, then y, then z, as in side.c. */
static Edge find_edge(const BriShape *s, const BriFrame *frame, uint32_t number) {
    if (s->kind == BR_SHAPE_CAPSULE)
        return (Edge){bri_axis_point(frame, -s->half_length), bri_column(&frame->axes, 2), 2 * s->half_length,
                      s->radius};
    uint32_t axis = number >> 2, k = number & 3;
    uint32_t low = axis == 0 ? k << 1 : axis == 1 ? (k & 1) | (k & 2) << 1 : k;
    double half = axis == 0 ? s->half.x : axis == 1 ? s->half.y : s->half.z;
    return (Edge){bri_box_vertex(s, frame, low), bri_column(&frame->axes, (int)axis), 2 * half, 0};
}

static bool follow_crossing(const BriShape *a, const BriFrame *frame_a, const BriShape *b, const BriFrame *frame_b,
                            BriFeature feature, BriTouch *touch) {
    if (!has_corners(a) || !has_corners(b)) return false;
    Edge self = find_edge(a, frame_a, feature.first), other = find_edge(b, frame_b, feature.second);
    BrVec3 m = bri_cross(self.d, other.d), r = bri_sub(other.p, self.p);
    double sine2 = bri_dot(m, m), cosine = bri_dot(self.d, other.d);
    double ra = bri_dot(r, self.d), rb = bri_dot(r, other.d), x = ra - cosine * rb, y = cosine * ra - rb;
    if (!(sine2 > BRI_PARALLEL * BRI_PARALLEL)) return false;
    if (x < 0 || x > sine2 * self.length || y < 0 || y > sine2 * other.length) return false;
    m = bri_scale((bri_dot(m, touch->normal) >= 0 ? 1 : -1) / bri_sqrt(sine2), m);
    double gap = bri_dot(m, r) - self.swell - other.swell;
    set_place(touch, bri_add_scaled(bri_add_scaled(other.p, y / sine2, other.d), -other.swell, m), m, gap);
    return true;
}

static bool follow_ordered(const BriShape *a, const BriFrame *frame_a, const BriShape *b, const BriFrame *frame_b,
                           BriTouch *touch) {
    BriFeature feature = bri_feature_read(touch->feature);
    if (a->kind == BR_SHAPE_PLANE) return follow_plane(frame_a, b, frame_b, touch);
    if (a->kind == BR_SHAPE_TUBE) return false;
    if (feature.kind == BRI_FEATURE_OVER_A) return follow_point(a, frame_a, b, frame_b, feature, false, touch);
    if (feature.kind == BRI_FEATURE_OVER_B) return follow_point(b, frame_b, a, frame_a, feature, true, touch);
    return feature.kind == BRI_FEATURE_CROSS && follow_crossing(a, frame_a, b, frame_b, feature, touch);
}

bool bri_touch_follow(const BriShape *a, const BriFrame *frame_a, const BriShape *b, const BriFrame *frame_b,
                      BriTouch *touch) {
    bool planes = a->kind == BR_SHAPE_PLANE || b->kind == BR_SHAPE_PLANE;
    if (!planes && !has_corners(a) && !has_corners(b)) return false;
    if (bri_pair_is_in_order(a, b)) return follow_ordered(a, frame_a, b, frame_b, touch);
    BriTouch turned = *touch;
    bri_touch_mirror(&turned);
    if (!follow_ordered(b, frame_b, a, frame_a, &turned)) return false;
    bri_touch_mirror(&turned);
    *touch = turned;
    return true;
}
