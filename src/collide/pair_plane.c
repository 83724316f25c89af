/* pair_plane.c: a plane against everything convex. With n the plane's normal and d its place, a point p of b has the
 * gap n.p - d; the points are those of b that can be lowest:
 *
 *     point, box           the vertices
 *     sphere, capsule      p = c - r n                       c: the centres of ball and caps
 *     ellipsoid            p = c - A^2 n / sqrt(n.A^2 n)     A^2 = axes diag(semi^2) axes^T
 *     disc, cylinder end   p = c - r n_t / |n_t|             n_t = n - (n.z) z, z the axis: the lowest of the rim;
 *                                                            flat (|n_t| < BRI_FLAT): four points of the rim that are
 *                                                            fixed in the body
 *
 * Each of these is either fixed in b or the lowest of a curve fixed in b, so that d gap/dt = n.(v_b - v_a) exactly. */
#include "collide/patch.h"
#include "geom/convex.h"

typedef struct Plane {
    BrVec3 n, origin;
} Plane;

static void add_point(BriPatch *patch, const Plane *plane, BrVec3 p, uint32_t feature) {
    bri_patch_add(patch, p, plane->n, bri_dot(plane->n, bri_sub(p, plane->origin)), feature);
}

static void add_ball(BriPatch *patch, const Plane *plane, BrVec3 centre, double radius, uint32_t feature) {
    add_point(patch, plane, bri_add_scaled(centre, -radius, plane->n), feature);
}

/* The end of a cylinder at height z along its axis; `top` for the one at +z. */
static void add_end(BriPatch *patch, const Plane *plane, const BriShape *b, const BriFrame *frame, double z, bool top) {
    BrVec3 lowest;
    double tilt = bri_rim_lowest(b, frame, plane->n, z, &lowest);
    if (tilt >= BRI_FLAT) add_point(patch, plane, lowest, top ? BRI_RIM_HIGH : BRI_RIM_LOW);
    if (tilt >= BRI_LEANING) return;
    /* nearly flat, the lowest point may be on the other side a moment later: what else of the rim is near counts too */
    for (uint32_t quarter = 0; quarter < 4; quarter++)
        add_point(patch, plane, bri_rim_point(b, frame, z, quarter), quarter + (top ? BRI_RIM_TOP : 0));
}

static void add_cylinder(BriPatch *patch, const Plane *plane, const BriShape *b, const BriFrame *frame) {
    double l = b->half_length, cosine = bri_dot(plane->n, bri_column(&frame->axes, 2));
    bool stands = 1 - cosine * cosine < BRI_FLAT * BRI_FLAT; /* then the upper end adds nothing */
    if (!stands || cosine >= 0) add_end(patch, plane, b, frame, -l, false);
    if (!stands || cosine < 0) add_end(patch, plane, b, frame, l, true);
}

void bri_collide_plane(const BriFrame *frame, const BriShape *b, const BriFrame *frame_b, BriPatch *patch) {
    Plane plane = {bri_column(&frame->axes, 2), frame->position};
    double l = b->half_length;
    BriConvex c;
    switch (b->kind) {
    case BR_SHAPE_POINT: add_point(patch, &plane, frame_b->position, 0); break;
    case BR_SHAPE_SPHERE: add_ball(patch, &plane, frame_b->position, b->radius, 0); break;
    case BR_SHAPE_BOX:
        for (uint32_t i = 0; i < 8; i++) add_point(patch, &plane, bri_box_vertex(b, frame_b, i), i);
        break;
    case BR_SHAPE_CAPSULE:
        add_ball(patch, &plane, bri_axis_point(frame_b, -l), b->radius, 0);
        add_ball(patch, &plane, bri_axis_point(frame_b, l), b->radius, 1);
        break;
    case BR_SHAPE_CYLINDER: add_cylinder(patch, &plane, b, frame_b); break;
    case BR_SHAPE_DISC: add_end(patch, &plane, b, frame_b, 0, false); break;
    case BR_SHAPE_ELLIPSOID:
        c = bri_convex_make(b, frame_b);
        add_point(patch, &plane, bri_sub(c.centre, bri_convex_support(&c, plane.n)), 0);
        break;
    default: break;
    }
}
