/* closed_round.c: a point against a cylinder or a disc, see closed.h.
 *
 * In the axes of b, with rho the distance from its axis, b is rho <= r, |z| <= l. Outside, the nearest point is the
 * clamped one; inside, the way out is through the wall or the end, whichever is nearer. */
#include "geom/closed.h"

bool bri_round_has_gap(const BriConvex *a, const BriConvex *b) {
    bool is_point = bri_convex_size(a) == 0;
    return is_point && b->semi.x > 0 && b->semi.y == b->semi.x && b->semi.z == 0 && b->half.x == 0 && b->half.y == 0;
}

BriCoreGap bri_round_gap(const BriConvex *a, const BriConvex *b) {
    BrVec3 p = bri_neg(bri_mul_t(&b->axes, bri_convex_offset(a, b)));
    double rho = bri_sqrt(p.x * p.x + p.y * p.y), top = p.z < 0 ? -1 : 1;
    double wall = rho - b->semi.x, end = top * p.z - b->half.z; /* how far outside */
    BrVec3 out = rho > 0 ? bri_vec(p.x / rho, p.y / rho, 0) : bri_vec(1, 0, 0);
    double x = bri_max(wall, 0), z = bri_max(end, 0), gap = bri_sqrt(x * x + z * z);
    if (!(gap > BRI_TOUCHING * bri_convex_size(b))) { /* inside, or as good as */
        x = wall > end;
        z = !(wall > end);
        gap = bri_max(wall, end);
    } else {
        x /= gap;
        z /= gap;
    }
    BrVec3 n = bri_vec(-x * out.x, -x * out.y, -z * top);
    return (BriCoreGap){.normal = bri_mul(&b->axes, n), .gap = gap, .apart = true};
}
