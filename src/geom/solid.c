/* solid.c: see solid.h. V volume, c = 1/V int p, and S = 1/V int (p - c)(p - c)^T of each shape                    (2.9)
 *
 *     sphere      4/3 pi r^3          S = r^2/5
 *     box         8 a b c             S = a^2/3, ... of half edges
 *     cylinder    2 pi r^2 h          S = r^2/4, r^2/4, h^2/3 of half the length h
 *     capsule     a cylinder C, and two halves of a ball B about z = +-h:
 *                 V S_zz = C h^2/3 + B (h^2 + 3/4 h r + r^2/5)
 *     disc        no volume           S = r^2/4, r^2/4, 0 of its area
 *     ellipsoid   4/3 pi a b c        S = a^2/5, ...
 *     torus       2 pi^2 R r^2        S = R^2/2 + 3/8 r^2 twice, r^2/4
 *
 * Profiles are cubic pieces (profile.h) with the solid to their right. By Green's theorem areas and volumes are integrals along
 * them; x and y count from a point of the profile, so that little cancels:
 *
 *     extrusion   A = -int x dy, A x_c = -1/2 int x^2 dy, A <x^2> = -1/3 int x^3 dy, A <x y> = -1/2 int x^2 y dy,
 *                 A y_c = 1/2 int y^2 dx, A <y^2> = 1/3 int y^3 dx, V = A length
 *     revolution  V = -pi int r^2 dz, V z_c = -pi int r^2 z dz, V <z^2> = -pi int r^2 z^2 dz,
 *                 V <x^2> = V <y^2> = -pi/4 int r^4 dz
 *
 * The integrands are polynomials of degree 14 at most on each piece; Gauss's rule with eight points is exact to 15. A straight
 * way square to the axis, or along it, adds nothing to the integrals of a revolution: they are those of the profile closed by flat
 * faces. */
#include "geom/solid.h"

#include "geom/profile.h"

static const double PI = 3.14159265358979323846;

/* ------------------------------------------------------------------ closed forms */

static void find_capsule(double r, double h, BriSolid *s) {
    double cylinder = 2 * PI * r * r * h, ball = 4. / 3 * PI * r * r * r, volume = cylinder + ball;
    double across = (cylinder * r * r / 4 + ball * r * r / 5) / volume;
    double along = (cylinder * h * h / 3 + ball * (h * h + 0.75 * h * r + r * r / 5)) / volume;
    s->volume = volume;
    s->spread = bri_diagonal(across, across, along);
}

/* ------------------------------------------------------------------ profiles */

enum { POINTS = 8, INTEGRALS = 6 };
static const double NODE[POINTS / 2] = {0.18343464249564980494, 0.52553240991632898582, 0.79666647741362673959,
                                        0.96028985649753623168};
static const double WEIGHT[POINTS / 2] = {0.36268378337836198297, 0.31370664587788728734, 0.22238103445337447054,
                                          0.10122853629037625915};

/* Sums of `integrand` along the profile; `from` is where coordinates count from. */
static void integrate(const BriProfile *p, const double from[2],
                      void (*integrand)(const double at[2], const double way[2], double value[INTEGRALS]),
                      double sum[INTEGRALS]) {
    for (int i = 0; i < INTEGRALS; i++) sum[i] = 0;
    for (int piece = 0; piece < bri_profile_pieces(p); piece++)
        for (int g = 0; g < POINTS; g++) {
            double at[2], way[2], value[INTEGRALS], node = g % 2 ? -NODE[g / 2] : NODE[g / 2];
            bri_profile_place(p, piece, 0.5 + 0.5 * node, at, way);
            at[0] -= from[0], at[1] -= from[1];
            integrand(at, way, value);
            for (int i = 0; i < INTEGRALS; i++) sum[i] += 0.5 * WEIGHT[g / 2] * value[i];
        }
}

static void extrude(const double at[2], const double way[2], double value[INTEGRALS]) {
    double x = at[0], y = at[1], dx = way[0], dy = way[1];
    value[0] = -x * dy;
    value[1] = -x * x * dy / 2;
    value[2] = y * y * dx / 2;
    value[3] = -x * x * x * dy / 3;
    value[4] = y * y * y * dx / 3;
    value[5] = -x * x * y * dy / 2;
}

static bool find_extrusion(const BriShape *shape, BriSolid *s) {
    double from[2], way[2], sum[INTEGRALS], length = 2 * shape->half_length;
    bri_profile_place(shape->profile, 0, 0, from, way);
    integrate(shape->profile, from, extrude, sum);
    double area = sum[0], x = sum[1] / area, y = sum[2] / area;
    if (!(area > 0)) return false;
    double across = sum[5] / area - x * y;
    s->volume = area * length;
    s->centre = bri_vec(from[0] + x, from[1] + y, 0);
    s->spread = bri_diagonal(sum[3] / area - x * x, sum[4] / area - y * y, length * length / 12);
    s->spread.m[0][1] = s->spread.m[1][0] = across;
    return true;
}

static void revolve(const double at[2], const double way[2], double value[INTEGRALS]) {
    double r2 = at[0] * at[0], z = at[1], dz = way[1];
    value[0] = -PI * r2 * dz;
    value[1] = value[0] * z;
    value[2] = value[1] * z;
    value[3] = value[0] * r2 / 4;
    value[4] = value[5] = 0;
}

static bool find_revolution(const BriShape *shape, BriSolid *s) {
    double from[2], way[2], sum[INTEGRALS];
    bri_profile_place(shape->profile, 0, 0, from, way);
    from[0] = 0; /* radii count from the axis */
    integrate(shape->profile, from, revolve, sum);
    double volume = sum[0], z = sum[1] / volume, across = sum[3] / volume;
    if (!(volume > 0)) return false; /* what is solid lies outside */
    s->volume = volume;
    s->centre = bri_vec(0, 0, from[1] + z);
    s->spread = bri_diagonal(across, across, sum[2] / volume - z * z);
    return true;
}

/* ------------------------------------------------------------------ all of them */

bool bri_shape_solid(const BriShape *shape, BriSolid *s) {
    double r = shape->radius, h = shape->half_length, R = shape->ring;
    BrVec3 a = shape->half;
    *s = (BriSolid){0};
    switch (shape->kind) {
    case BR_SHAPE_POINT: return true;
    case BR_SHAPE_SPHERE:
        s->volume = 4. / 3 * PI * r * r * r;
        s->spread = bri_diagonal(r * r / 5, r * r / 5, r * r / 5);
        return true;
    case BR_SHAPE_BOX:
        s->volume = 8 * a.x * a.y * a.z;
        s->spread = bri_diagonal(a.x * a.x / 3, a.y * a.y / 3, a.z * a.z / 3);
        return true;
    case BR_SHAPE_CAPSULE: find_capsule(r, h, s); return true;
    case BR_SHAPE_CYLINDER:
        s->volume = 2 * PI * r * r * h;
        s->spread = bri_diagonal(r * r / 4, r * r / 4, h * h / 3);
        return true;
    case BR_SHAPE_DISC: s->spread = bri_diagonal(r * r / 4, r * r / 4, 0); return true;
    case BR_SHAPE_ELLIPSOID:
        s->volume = 4. / 3 * PI * a.x * a.y * a.z;
        s->spread = bri_diagonal(a.x * a.x / 5, a.y * a.y / 5, a.z * a.z / 5);
        return true;
    case BR_SHAPE_TORUS: {
        double across = R * R / 2 + 0.375 * r * r;
        s->volume = 2 * PI * PI * R * r * r;
        s->spread = bri_diagonal(across, across, r * r / 4);
        return true;
    }
    case BR_SHAPE_EXTRUSION: return find_extrusion(shape, s);
    case BR_SHAPE_REVOLUTION: return find_revolution(shape, s);
    default: return false;
    }
}
