/* pair_tube.c: the inner wall of a tube against what moves inside. A point p of b at the distance rho from the axis of
 * a bore of radius R has the
 *
 *     gap = R - rho,     its normal points to the axis.
 *
 * The points are those of b that can be farthest from the axis:
 *
 *     point, box           the vertices
 *     sphere, capsule      p = c + r e                           c: the centres of ball and caps; e: unit, outward
 *     disc, cylinder end   p = c(t) = c + r (x cos t + y sin t)  at the maxima, one or two, of
 *                          F(t) = |P c(t)|^2 / 2                 P: projection along the tube's axis
 *     ellipsoid            seen along the axis it is an ellipse c(t), x and y being its semi-axes; where that is
 *                          farthest out, along e, the point is the ellipsoid's support along e
 *
 * Points beyond the ends of the tube touch nothing. */
#include "collide/patch.h"
#include "geom/convex.h"

static const double PI = 3.14159265358979323846;
static const double SPECK = 1e-140;   /* m: the square of less has lost its digits */
static const double ARRIVED = 1e-16;  /* rad: Newton's last step */
static const double ROUNDING = 1e-14; /* of the rim's size squared: slopes of F that are none */

typedef struct Tube {
    BrVec3 axis, origin;
    double radius, half_length;
} Tube;

static BrVec3 project(const Tube *tube, BrVec3 v) { return bri_add_scaled(v, -bri_dot(v, tube->axis), tube->axis); }

/* A ball of `radius` about p. */
static void add_ball(BriPatch *patch, const Tube *tube, BrVec3 p, double radius, uint32_t feature) {
    BrVec3 q = bri_sub(p, tube->origin);
    if (bri_abs(bri_dot(q, tube->axis)) > tube->half_length) return;
    BrVec3 across = project(tube, q);
    double rho = bri_norm(across);
    BrMat3 frame = bri_rotation_frame(tube->axis, bri_vec(1, 0, 0));
    BrVec3 outward = rho > SPECK ? /* else on the axis: any */ bri_scale(1 / rho, across) : bri_column(&frame, 0);
    bri_patch_add(patch, bri_add_scaled(p, radius, outward), bri_neg(outward), tube->radius - rho - radius, feature);
}

/* P c(t) = c + x cos t + y sin t, and F with its first two derivatives. */
typedef struct Rim {
    BrVec3 c, x, y;
} Rim;

static double evaluate_rim(const Rim *rim, double t, double *first, double *second) {
    double sine, cosine;
    bri_sincos(t, &sine, &cosine);
    BrVec3 p = bri_add(rim->c, bri_add(bri_scale(cosine, rim->x), bri_scale(sine, rim->y)));
    BrVec3 v = bri_sub(bri_scale(cosine, rim->y), bri_scale(sine, rim->x)), a = bri_sub(rim->c, p);
    *first = bri_dot(p, v);
    *second = bri_dot(v, v) + bri_dot(p, a);
    return 0.5 * bri_dot(p, p);
}

/* The maximum between low and high, where F' falls through 0: Newton, kept inside by bisection. */
static double refine_maximum(const Rim *rim, double low, double high) {
    double t = 0.5 * (low + high);
    for (int k = 0; k < 60; k++) {
        double first, second;
        evaluate_rim(rim, t, &first, &second);
        if (first == 0) break;
        *(first > 0 ? &low : &high) = t;
        double next = second < 0 ? t - first / second : low - 1;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (bri_abs(next - t) < ARRIVED) break;
        t = next;
    }
    return t;
}

static void add_rim_point(BriPatch *patch, const Tube *tube, const BriShape *b, const BriFrame *frame, double z,
                          double t, uint32_t feature) {
    double sine, cosine;
    bri_sincos(t, &sine, &cosine);
    BrVec3 x = bri_column(&frame->axes, 0), y = bri_column(&frame->axes, 1);
    BrVec3 e = bri_add(bri_scale(cosine, x), bri_scale(sine, y));
    add_ball(patch, tube, bri_add_scaled(bri_axis_point(frame, z), b->radius, e), 0, feature);
}

/* How far the rim's point at t lies to one side of the plane that both axes span. */
static double measure_aside(const Tube *tube, const BriFrame *frame, double t) {
    double sine, cosine;
    bri_sincos(t, &sine, &cosine);
    BrVec3 e = bri_add(bri_scale(cosine, bri_column(&frame->axes, 0)), bri_scale(sine, bri_column(&frame->axes, 1)));
    return bri_dot(bri_cross(bri_column(&frame->axes, 2), tube->axis), e);
}

/* The angles of the maxima of F, one or two; 0: all of the rim is equally far out. */
static int find_maxima(const Rim *rim, double angle[2]) {
    enum { PARTS = 32 };
    double slope[PARTS + 1], second, size = bri_dot(rim->x, rim->x) + bri_dot(rim->y, rim->y);
    for (int i = 0; i <= PARTS; i++) evaluate_rim(rim, 2 * PI * i / PARTS, &slope[i], &second);
    int found = 0;
    for (int i = 0; i < PARTS && found < 2; i++)
        if (slope[i] > ROUNDING * size && slope[i + 1] <= ROUNDING * size)
            angle[found++] = refine_maximum(rim, 2 * PI * i / PARTS, 2 * PI * (i + 1) / PARTS);
    return found;
}

/* One maximum: `feature`. Two lie on both sides of the plane of the two axes: `feature` on one, the next number on the
 * other. A rim about the tube's axis, all of it equally far: four points. */
static void add_rim(BriPatch *patch, const Tube *tube, const BriShape *b, const BriFrame *frame, double z,
                    uint32_t feature) {
    BrVec3 x = bri_column(&frame->axes, 0), y = bri_column(&frame->axes, 1);
    double angle[2];
    Rim rim = {project(tube, bri_sub(bri_axis_point(frame, z), tube->origin)), project(tube, bri_scale(b->radius, x)),
               project(tube, bri_scale(b->radius, y))};
    int found = find_maxima(&rim, angle);
    bool first_aside = found == 2 && measure_aside(tube, frame, angle[0]) < measure_aside(tube, frame, angle[1]);
    for (int i = 0; i < found; i++)
        add_rim_point(patch, tube, b, frame, z, angle[i], feature + ((i == 1) != first_aside && found == 2 ? 1U : 0U));
    for (int i = 0; found == 0 && i < 4; i++)
        add_rim_point(patch, tube, b, frame, z, 0.5 * PI * i, feature - BRI_RIM_LOW + (uint32_t)i);
}

/* An ellipsoid as seen along the tube's axis: in the plane across it the matrix S = P Q P has the semi-axes. */
static Rim see_along(const Tube *tube, const BriConvex *c) {
    BrMat3 across = bri_rotation_frame(tube->axis, bri_vec(1, 0, 0));
    BrVec3 x = bri_column(&across, 0), y = bri_column(&across, 1), semi = c->semi;
    BrVec3 p = bri_mul_t(&c->axes, x), q = bri_mul_t(&c->axes, y);
    p = bri_vec(semi.x * p.x, semi.y * p.y, semi.z * p.z);
    q = bri_vec(semi.x * q.x, semi.y * q.y, semi.z * q.z);
    double pp = bri_dot(p, p), qq = bri_dot(q, q), pq = bri_dot(p, q);
    double half = 0.5 * bri_atan2(2 * pq, pp - qq), sine, cosine;
    bri_sincos(half, &sine, &cosine);
    double large = cosine * cosine * pp + 2 * sine * cosine * pq + sine * sine * qq,
           small = sine * sine * pp - 2 * sine * cosine * pq + cosine * cosine * qq;
    BrVec3 major = bri_add(bri_scale(cosine, x), bri_scale(sine, y)),
           minor = bri_sub(bri_scale(cosine, y), bri_scale(sine, x));
    return (Rim){project(tube, bri_sub(c->centre, tube->origin)), bri_scale(bri_sqrt(bri_max(large, 0)), major),
                 bri_scale(bri_sqrt(bri_max(small, 0)), minor)};
}

/* One maximum: feature 0. Two lie towards the ends of the body's longest axis: 1 on its positive side, 2 on the other.
 * One that runs round the axis like a ball touches nowhere in particular: where its longest axis points. */
static void add_ellipsoid(BriPatch *patch, const Tube *tube, const BriShape *b, const BriFrame *frame) {
    BriConvex c = bri_convex_make(b, frame);
    Rim rim = see_along(tube, &c);
    int longest = b->half.x >= b->half.y && b->half.x >= b->half.z ? 0 : b->half.y >= b->half.z ? 1 : 2;
    double angle[2] = {0, 0};
    int found = find_maxima(&rim, angle);
    for (int i = 0; i < (found ? found : 1); i++) {
        double sine, cosine;
        bri_sincos(angle[i], &sine, &cosine);
        BrVec3 out = bri_add(rim.c, bri_add(bri_scale(cosine, rim.x), bri_scale(sine, rim.y)));
        double size = bri_abs(out.x) + bri_abs(out.y) + bri_abs(out.z); /* of specks the squares would be none */
        double end = bri_dot(out, bri_column(&frame->axes, longest));
        if (!(size > 0)) continue;
        BrVec3 outward = bri_scale(1 / size, out);
        double part = bri_norm(outward), rho = part * size;
        outward = bri_scale(1 / part, outward);
        BrVec3 p = bri_add(c.centre, bri_convex_support(&c, outward));
        if (bri_abs(bri_dot(bri_sub(p, tube->origin), tube->axis)) > tube->half_length) continue;
        bri_patch_add(patch, p, bri_neg(outward), tube->radius - rho, found < 2 ? 0 : end >= 0 ? 1 : 2);
    }
}

void bri_collide_tube(const BriShape *shape, const BriFrame *frame, const BriShape *b, const BriFrame *frame_b,
                      BriPatch *patch) {
    Tube tube = {bri_column(&frame->axes, 2), frame->position, shape->radius, shape->half_length};
    double l = b->half_length;
    switch (b->kind) {
    case BR_SHAPE_POINT: add_ball(patch, &tube, frame_b->position, 0, 0); break;
    case BR_SHAPE_SPHERE: add_ball(patch, &tube, frame_b->position, b->radius, 0); break;
    case BR_SHAPE_CAPSULE:
        add_ball(patch, &tube, bri_axis_point(frame_b, -l), b->radius, 0);
        add_ball(patch, &tube, bri_axis_point(frame_b, l), b->radius, 1);
        break;
    case BR_SHAPE_BOX:
        for (uint32_t i = 0; i < 8; i++) add_ball(patch, &tube, bri_box_vertex(b, frame_b, i), 0, i);
        break;
    case BR_SHAPE_ELLIPSOID: add_ellipsoid(patch, &tube, b, frame_b); break;
    case BR_SHAPE_DISC: add_rim(patch, &tube, b, frame_b, 0, BRI_RIM_LOW); break;
    case BR_SHAPE_CYLINDER:
        add_rim(patch, &tube, b, frame_b, -l, BRI_RIM_LOW);
        add_rim(patch, &tube, b, frame_b, l, BRI_RIM_TOP + BRI_RIM_LOW);
        break;
    default: break;
    }
}
