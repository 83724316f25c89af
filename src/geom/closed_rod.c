/* closed_rod.c: a point or a segment against a point, a segment or a box, see closed.h.
 *
 * All in the axes of b, where b is |x_i| <= h_i and a is x(t) = p + t d, |t| <= l. With e(x) = x - (x clamped to b),
 *
 *     f(t) = |e(x(t))|^2 / 2,      g(t) = f'(t) = d.e(x(t)):
 *
 * f is convex, g grows and is linear between the t where a crosses the planes of b's faces. So the two of these, or of
 * the ends, between which g changes its sign hold the nearest point, and a straight line finds it. Where a runs
 * parallel to b, g is 0 over an interval: its middle is taken. */
#include "geom/closed.h"

/* Sine of the angle below which two segments through each other are parallel: any direction square to them will do. */
static const double LINE = 1e-10;

static bool is_box(const BriConvex *c) { return c->half.x > 0 && c->half.y > 0 && c->half.z > 0; }
static bool is_rod(const BriConvex *c) { return c->half.x == 0 && c->half.y == 0; }
static bool is_straight(const BriConvex *c) { return c->semi.x == 0 && c->semi.y == 0 && c->semi.z == 0; }

bool bri_rod_has_gap(const BriConvex *a, const BriConvex *b) {
    return is_straight(a) && is_straight(b) && is_rod(a) && (is_rod(b) || is_box(b));
}

typedef struct Line {
    double p[3], d[3], h[3];
} Line;

static double find_excess(double x, double h) { return x > h ? x - h : x < -h ? x + h : 0; }

static double evaluate_slope(const Line *line, double t) {
    double g = 0;
    for (int i = 0; i < 3; i++) g += line->d[i] * find_excess(line->p[i] + t * line->d[i], line->h[i]);
    return g;
}

/* An interval in which g changes its sign. */
typedef struct Bracket {
    double low, high, g_low, g_high;
} Bracket;

static void tighten(Bracket *b, double t, double g, bool is_below) {
    if (is_below && t > b->low) {
        b->low = t;
        b->g_low = g;
    } else if (!is_below && t < b->high) {
        b->high = t;
        b->g_high = g;
    }
}

static double find_root(const Bracket *b) {
    double rise = b->g_high - b->g_low;
    return rise > 0 ? b->low - (b->high - b->low) * (b->g_low / rise) : 0.5 * (b->low + b->high);
}

/* The middle of all t where f is least. */
static double find_nearest_t(const Line *line, double l) {
    if (!(l > 0)) return 0;
    Bracket all = {-l, l, evaluate_slope(line, -l), evaluate_slope(line, l)};
    if (all.g_low > 0) return -l;
    if (all.g_high < 0) return l;
    Bracket first = all, last = all; /* about the least such t, and about the largest */
    for (int i = 0; i < 3; i++) {
        double middle = -line->p[i] / line->d[i], half = line->h[i] / bri_abs(line->d[i]);
        if (!(half > 0)) continue;
        for (int side = -1; side < 2; side += 2) {
            double t = middle + side * half;
            if (!(t > first.low && t < last.high)) continue;
            double g = evaluate_slope(line, t);
            tighten(&first, t, g, g < 0);
            tighten(&last, t, g, g <= 0);
        }
    }
    double low = first.g_low < 0 ? find_root(&first) : first.low;
    double high = last.g_high > 0 ? find_root(&last) : last.high;
    return 0.5 * (low + high);
}

/* ------------------------------------------------------------------ the direction */

/* Square to what is left of D when rods lie in each other: to both where they cross, to the line where they do not. */
static BrVec3 find_square(const BriConvex *a, const BriConvex *b, const Line *line, BrVec3 c) {
    BrVec3 axis = bri_column(b->half.z > 0 ? &b->axes : &a->axes, 2), n;
    double sine = bri_sqrt(line->d[0] * line->d[0] + line->d[1] * line->d[1]);
    if (!(b->half.z > 0) && !(a->half.z > 0)) {
        n = bri_vec(0, 0, 1);
    } else if (a->half.z > 0 && b->half.z > 0 && sine > LINE) {
        n = bri_mul(&b->axes, bri_vec(line->d[1] / sine, -line->d[0] / sine, 0)); /* d x z */
    } else {
        BrMat3 frame = bri_rotation_frame(axis, bri_vec(1, 0, 0));
        n = bri_column(&frame, 0);
    }
    return bri_dot(n, c) < 0 ? bri_neg(n) : n;
}

/* Overlapping, or as good as: the way out is through a face of b, or of what lies between the rod and b's edges. */
static BriCoreGap find_way_out(const BriConvex *a, const BriConvex *b, const Line *line, BrVec3 c) {
    BriCoreGap found = {.apart = false};
    if (is_rod(b))
        found.normal = find_square(a, b, line, c);
    else
        bri_box_gap(a, b, __builtin_inf(), &found);
    return found;
}

/* From the excess e at t to the normal, in the axes of b, and the distance. A rod's inside beside an edge of b: square
 * to both, which has more digits than e when they are near. */
static double find_direction(const Line *line, const double e[3], bool inside, double distance, double n[3]) {
    int out = (e[0] != 0) + (e[1] != 0) + (e[2] != 0);
    int i = e[0] == 0 ? 0 : e[1] == 0 ? 1 : 2, j = (i + 1) % 3, k = (i + 2) % 3;
    if (inside && out == 2) {
        double x = line->d[k], y = -line->d[j], sine = bri_sqrt(x * x + y * y); /* d x axis i */
        double height = e[j] * x + e[k] * y;
        if (sine > BRI_CROSSING) {
            double scale = (height > 0 ? -1 : 1) / sine;
            n[i] = 0;
            n[j] = scale * x;
            n[k] = scale * y;
            return bri_abs(height) / sine;
        }
    }
    /* long rods that are near: what rounding leaves of n along d would count many times */
    double along = inside ? (line->d[0] * e[0] + line->d[1] * e[1] + line->d[2] * e[2]) : 0;
    for (int m = 0; m < 3; m++) n[m] = (along * line->d[m] - e[m]) / distance;
    return distance;
}

BriCoreGap bri_rod_gap(const BriConvex *a, const BriConvex *b) {
    BrVec3 c = bri_convex_offset(a, b), z = bri_column(&a->axes, 2);
    BrVec3 p = bri_neg(bri_mul_t(&b->axes, c)), d = bri_mul_t(&b->axes, z);
    Line line = {{p.x, p.y, p.z}, {d.x, d.y, d.z}, {b->half.x, b->half.y, b->half.z}};
    double l = a->half.z, t = find_nearest_t(&line, l), e[3], n[3];
    for (int i = 0; i < 3; i++) e[i] = find_excess(line.p[i] + t * line.d[i], line.h[i]);
    double distance = bri_norm(bri_vec(e[0], e[1], e[2]));
    if (!(distance > BRI_TOUCHING * (bri_convex_size(a) + bri_convex_size(b)))) return find_way_out(a, b, &line, c);
    BriCoreGap found = {.apart = true, .point = bri_scale(t, z)};
    found.gap = find_direction(&line, e, t > -l && t < l, distance, n);
    found.normal = bri_mul(&b->axes, bri_vec(n[0], n[1], n[2]));
    return found;
}
