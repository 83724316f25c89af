/* gjk.c: the distance of two convex cores, see gjk.h.
 *
 * v is the point of the current simplex nearest to the origin, w the support point of D along -v. Then
 *     v.w / |v|  <=  distance  <=  |v|,
 * and the search ends when the two meet, when w is not new, or when |v| stops falling (rounding).
 *
 * The nearest point of a simplex: for each of its faces, the point of the face's affine hull nearest to the origin, in
 * barycentric coordinates; of those inside their face, the nearest. At most 8 faces hold the newest vertex. */
#include "geom/gjk.h"

enum { MOST_ITERATIONS = 96 }; /* nearest.c goes on from wherever it ends */

/* Relative distance of bounds at which the search ends: above rounding, below what anyone can see. */
static const double TOLERANCE = 1e-14;
/* The same where one of the two is an ellipsoid: then the nearest points are alone, and the normal is known to its
 * square root, 1e-3 rad, from where Newton's method (nearest.c) takes three steps. */
static const double ROUND_TOLERANCE = 1e-6;
/* Sine of an angle at which a face or a tetrahedron has no digits left. */
static const double FLAT = 1e-13, FLAT_SQUARED = 1e-26;

typedef struct Vertex {
    BrVec3 a, b, w; /* support points, and a - b */
} Vertex;

typedef struct Simplex {
    int count;
    Vertex vertex[4];
    double weight[4];
    BrVec3 v;
} Simplex;

static Vertex find_support(const BriConvex *a, const BriConvex *b, BrVec3 n) {
    Vertex s = {bri_convex_support(a, n), bri_neg(bri_convex_support(b, n)), {0, 0, 0}};
    s.w = bri_add(bri_sub(a->centre, b->centre), bri_sub(s.a, s.b));
    return s;
}

/* Barycentric coordinates of the origin's foot on the hull of p[0..count-1]; false if it lies outside or the hull is
 * flatter than it should be. */
static bool find_foot(const BrVec3 *p, int count, double weight[4]) {
    if (count == 1) {
        weight[0] = 1;
        return true;
    }
    BrVec3 e = bri_sub(p[1], p[0]);
    if (count == 2) {
        double ee = bri_dot(e, e);
        if (!(ee > 0)) return false;
        weight[1] = -bri_dot(p[0], e) / ee;
        weight[0] = bri_dot(p[1], e) / ee;
        return weight[0] >= 0 && weight[1] >= 0;
    }
    BrVec3 f = bri_sub(p[2], p[0]), n = bri_cross(e, f);
    double nn = bri_dot(n, n);
    if (!(nn > FLAT_SQUARED * bri_dot(e, e) * bri_dot(f, f))) return false;
    if (count == 3) {
        weight[0] = bri_dot(n, bri_cross(p[1], p[2])) / nn;
        weight[1] = bri_dot(n, bri_cross(p[2], p[0])) / nn;
        weight[2] = bri_dot(n, bri_cross(p[0], p[1])) / nn;
        return weight[0] >= 0 && weight[1] >= 0 && weight[2] >= 0;
    }
    BrVec3 g = bri_sub(p[3], p[0]);
    double volume = bri_dot(n, g);
    if (!(bri_abs(volume) > FLAT * bri_sqrt(nn) * bri_norm(g))) return false;
    weight[1] = -bri_dot(p[0], bri_cross(f, g)) / volume;
    weight[2] = -bri_dot(p[0], bri_cross(g, e)) / volume;
    weight[3] = -bri_dot(p[0], n) / volume;
    weight[0] = 1 - weight[1] - weight[2] - weight[3];
    return weight[0] >= 0 && weight[1] >= 0 && weight[2] >= 0 && weight[3] >= 0;
}

/* Keeps the face of the simplex that is nearest to the origin, and that nearest point. Faces without the last vertex
 * were there before and cannot be nearer than what was found then. */
static void reduce_simplex(Simplex *s) {
    unsigned last = 1U << (s->count - 1), best = last;
    double least = __builtin_inf(), best_weight[4] = {1};
    for (unsigned face = last; face < 2 * last; face++) {
        BrVec3 p[4], v = {0, 0, 0};
        double weight[4];
        int count = 0;
        for (int i = 0; i < s->count; i++)
            if (face >> i & 1) p[count++] = s->vertex[i].w;
        if (!find_foot(p, count, weight)) continue;
        for (int i = 0; i < count && count < 4; i++) v = bri_add_scaled(v, weight[i], p[i]);
        double length = bri_dot(v, v);
        if (!(length < least)) continue;
        least = length;
        best = face;
        s->v = v;
        for (int i = 0; i < count; i++) best_weight[i] = weight[i];
    }
    int kept = 0;
    for (int i = 0; i < s->count; i++)
        if (best >> i & 1) s->vertex[kept++] = s->vertex[i];
    s->count = kept;
    for (int i = 0; i < kept; i++) s->weight[i] = best_weight[i];
}

static bool is_known(const Simplex *s, BrVec3 w) {
    for (int i = 0; i < s->count; i++)
        if (w.x == s->vertex[i].w.x && w.y == s->vertex[i].w.y && w.z == s->vertex[i].w.z) return true;
    return false;
}

static BriGjk make_answer(const BriConvex *a, const BriConvex *b, const Simplex *s, int iterations) {
    BriGjk g = {.iterations = iterations, .point_a = a->centre, .point_b = b->centre};
    for (int i = 0; i < s->count; i++) {
        g.point_a = bri_add_scaled(g.point_a, s->weight[i], s->vertex[i].a);
        g.point_b = bri_add_scaled(g.point_b, s->weight[i], s->vertex[i].b);
    }
    g.distance = bri_norm(s->v);
    if (g.distance > 0) g.normal = bri_scale(-1 / g.distance, s->v);
    return g;
}

BriGjk bri_gjk(const BriConvex *a, const BriConvex *b, double far) {
    Simplex s = {.count = 1, .weight = {1}};
    s.vertex[0] = find_support(a, b, bri_sub(b->centre, a->centre));
    s.v = s.vertex[0].w;
    double tolerance = a->semi.z > 0 || b->semi.z > 0 ? ROUND_TOLERANCE : TOLERANCE;
    bool is_far = false;
    int n = 0;
    for (; n < MOST_ITERATIONS; n++) {
        double vv = bri_dot(s.v, s.v);
        if (!(vv > 0)) break;
        Vertex next = find_support(a, b, bri_neg(s.v));
        double vw = bri_dot(s.v, next.w);
        is_far = vw > far * bri_sqrt(vv);
        if (is_far) break;
        if (vv - vw <= tolerance * vv || is_known(&s, next.w) || s.count == 4) break;
        Simplex grown = s;
        grown.vertex[grown.count++] = next;
        reduce_simplex(&grown);
        if (!(bri_dot(grown.v, grown.v) < vv)) break; /* rounding: no further down */
        s = grown;
    }
    BriGjk answer = make_answer(a, b, &s, n);
    answer.far = is_far;
    return answer;
}
