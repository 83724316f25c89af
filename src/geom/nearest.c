/* nearest.c: see nearest.h.
 *
 * The signed gap is the largest of -h(n) over unit vectors n, where (convex.h), with c = centre_a - centre_b,
 *
 *     h(n) = c.n + sum_i half_i |n.u_i| + sum_k sqrt(n.Q_k n),      u_i: box axes of both,
 *                                                                   Q = axes diag(semi^2) axes^T.
 *
 * Many cores have a closed form (closed.h). For the others GJK (apart) or EPA (touching, overlapping) come near the
 * maximum; this file goes the rest of the way. At the maximum some edges lie square to n (n.u_i = 0), or n is the axis
 * of a flat end. So each plausible set of these is assumed in turn, nearest to the start: two edges, or an axis, fix n;
 * one edge leaves a circle; none the sphere. On circle and sphere h is smooth, and Newton's method minimises it: with
 * p = grad h, a point of D, and t in the tangent space,
 *
 *     residual t.p,      second derivative t.(sum_k (Q_k - Q_k n n Q_k / s_k^2) / s_k) t - h,      s_k = sqrt(n.Q_k n).
 *
 * The n with the largest -h(n) wins; sets that fix n are preferred within rounding, so that normals of faces are exact.
 */
#include "geom/nearest.h"

#include "geom/closed.h"
#include "geom/gjk.h"

/* Sine of the angle about the start in which edges and axes are tried: beyond EPA's error, short of other minima. */
static const double NEAR = 0.2;
static const double SINGULAR = 1e-14; /* of the trace squared: a second derivative without digits */
static const double SHORT = 1e-5;     /* rad: the square is below rounding, so h cannot tell whether a step was good */
static const double PARALLEL_SQUARED = BRI_CROSSING * BRI_CROSSING;

enum { MOST_EDGES = 6, MOST_STEPS = 24 };

typedef struct Search {
    const BriConvex *a, *b;
    BrVec3 c;
    double size;        /* m: what rounding in h is relative to */
    BrVec3 start, best; /* unit */
    double least;       /* h(best) */
} Search;

static double evaluate_h(const Search *s, BrVec3 n) {
    return bri_dot(s->c, n) + bri_convex_height(s->a, n) + bri_convex_height(s->b, n);
}

static BrVec3 evaluate_gradient(const Search *s, BrVec3 n) {
    return bri_add(s->c, bri_add(bri_convex_support(s->a, n), bri_convex_support(s->b, n)));
}

static BrVec3 make_unit(BrVec3 v) { return bri_scale(1 / bri_norm(v), v); }

/* Keeps n if h(n) is lower by more than `margin`. */
static void offer(Search *s, BrVec3 n, double margin) {
    double h = evaluate_h(s, n);
    if (!(h < s->least - margin)) return;
    s->least = h;
    s->best = n;
}

/* Newton's step at n in the span of the tangents t[0], t[1] (count of them); false where h is not convex. */
static bool find_step(const Search *s, BrVec3 n, double h, const BrVec3 t[2], int count, BrVec3 *step) {
    BrVec3 p = evaluate_gradient(s, n);
    double r[2] = {0, 0}, H[2][2] = {{1, 0}, {0, 1}};
    for (int i = 0; i < count; i++) {
        r[i] = bri_dot(t[i], p);
        for (int j = 0; j < count; j++)
            H[i][j] = bri_convex_curvature(s->a, n, t[i], t[j]) + bri_convex_curvature(s->b, n, t[i], t[j]) -
                      (i == j ? h : 0);
    }
    double determinant = H[0][0] * H[1][1] - H[0][1] * H[1][0];
    double trace = H[0][0] + H[1][1];
    if (!(trace > 0 && determinant > SINGULAR * trace * trace)) return false;
    double x = -(H[1][1] * r[0] - H[0][1] * r[1]) / determinant;
    double y = -(H[0][0] * r[1] - H[1][0] * r[0]) / determinant;
    double length = bri_sqrt(x * x + y * y), scale = length > 0.3 ? 0.3 / length : 1;
    *step = bri_add(bri_scale(scale * x, t[0]), bri_scale(scale * y, t[1]));
    return length > 0;
}

/* Newton's method from n, square to the unit vector u unless that is NULL. */
static void descend(Search *s, BrVec3 n, const BrVec3 *u) {
    if (u) n = make_unit(bri_add_scaled(n, -bri_dot(n, *u), *u));
    double h = evaluate_h(s, n);
    for (int k = 0, trusted = 0; k < MOST_STEPS && trusted < 3; k++) {
        BrMat3 frame = bri_rotation_frame(n, u ? *u : bri_vec(0, 0, 1));
        BrVec3 t[2] = {bri_column(&frame, 1), u ? bri_vec(0, 0, 0) : bri_column(&frame, 0)}, step;
        if (!find_step(s, n, h, t, u ? 1 : 2, &step)) break;
        bool lower = false, near = bri_norm(step) < SHORT; /* h is flat to rounding there: trust the residual */
        trusted += near;
        for (int halving = 0; halving < 8 && !lower; halving++, step = bri_scale(0.5, step)) {
            BrVec3 trial = make_unit(bri_add(n, step));
            double value = evaluate_h(s, trial);
            lower = value < h || (near && value < h + BRI_ROUNDING * s->size);
            if (!lower) continue;
            n = trial;
            h = value;
        }
        if (!lower) break;
    }
    offer(s, n, BRI_ROUNDING * s->size);
}

static int list_edges(const BriConvex *c, BrVec3 start, BrVec3 *edge) {
    const double half[3] = {c->half.x, c->half.y, c->half.z};
    int count = 0;
    for (int i = 0; i < 3; i++) {
        BrVec3 u = bri_column(&c->axes, i);
        if (half[i] > 0 && bri_abs(bri_dot(u, start)) < NEAR) edge[count++] = u;
    }
    return count;
}

/* The axis of a flat end, or of a box's face: exact, where a cross product would round. */
static void offer_axes(Search *s, const BriConvex *c) {
    const double half[3] = {c->half.x, c->half.y, c->half.z}, semi[3] = {c->semi.x, c->semi.y, c->semi.z};
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        BrVec3 u = bri_column(&c->axes, i);
        double cosine = bri_dot(u, s->start);
        bool is_flat = semi[i] == 0 && ((half[j] > 0 && half[k] > 0) || (semi[j] > 0 && semi[k] > 0));
        if (is_flat && bri_abs(cosine) > 1 - 0.5 * NEAR * NEAR) offer(s, cosine > 0 ? u : bri_neg(u), 0);
    }
}

static void polish(Search *s, BrVec3 start) {
    s->start = s->best = start;
    s->least = evaluate_h(s, s->start) + 10 * BRI_ROUNDING * s->size; /* an exact axis as good as the start is taken */
    offer_axes(s, s->a);
    offer_axes(s, s->b);
    BrVec3 edge[MOST_EDGES];
    int count = list_edges(s->a, s->start, edge);
    count += list_edges(s->b, s->start, edge + count);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++) {
            BrVec3 n = bri_cross(edge[i], edge[j]);
            double length = bri_norm(n);
            if (length < BRI_CROSSING) continue;
            n = bri_scale((bri_dot(n, s->start) >= 0 ? 1 : -1) / length, n);
            if (bri_dot(n, s->start) > 1 - NEAR * NEAR) offer(s, n, BRI_ROUNDING * s->size);
        }
    for (int round = 0; round < 2; round++) { /* the second time from the best so far */
        BrVec3 from = round ? s->best : s->start;
        for (int i = 0; i < count; i++) descend(s, from, &edge[i]);
        descend(s, from, NULL);
    }
    offer(s, s->start, 10 * BRI_ROUNDING * s->size);
    s->least = evaluate_h(s, s->best);
}

/* ------------------------------------------------------------------ points */

/* The face of a core that is farthest along n: its middle, and how many directions it has. */
typedef struct Flat {
    BrVec3 middle; /* from the centre */
    int count;
    BrVec3 edge; /* of the last one, unit */
    double half;
} Flat;

static Flat find_flat(const BriConvex *c, BrVec3 n) {
    BriConvex rest = *c;
    double *half[3] = {&rest.half.x, &rest.half.y, &rest.half.z};
    Flat flat = {.count = 0};
    for (int i = 0; i < 3; i++) {
        BrVec3 u = bri_column(&c->axes, i);
        if (!(*half[i] > 0) || bri_abs(bri_dot(u, n)) > BRI_SQUARE) continue;
        flat.count++;
        flat.edge = u;
        flat.half = *half[i];
        *half[i] = 0;
    }
    BrVec3 m = bri_mul_t(&c->axes, n);
    bool is_end = c->semi.x > 0 && c->semi.z == 0 && bri_abs(m.x) < BRI_SQUARE && bri_abs(m.y) < BRI_SQUARE;
    if (is_end) {
        flat.count += 2;
        rest.semi = bri_vec(0, 0, 0);
    }
    flat.middle = bri_convex_support(&rest, n);
    return flat;
}

/* Where two lines p + x d, q + y e (unit directions) come nearest; x within half of p. */
static BrVec3 cross_lines(BrVec3 p, BrVec3 d, double half, BrVec3 q, BrVec3 e) {
    BrVec3 r = bri_sub(q, p);
    double cosine = bri_dot(d, e), sine2 = 1 - cosine * cosine;
    double x = sine2 > PARALLEL_SQUARED ? (bri_dot(r, d) - cosine * bri_dot(r, e)) / sine2 : bri_dot(r, d);
    return bri_add_scaled(p, bri_max(-half, bri_min(half, x)), d);
}

/* Two points on the cores' faces, one above the other along n: the lone point of one face, the crossing of two edges,
 * or what GJK found. */
static void find_points(const BriConvex *ca, const BriConvex *cb, const BriGjk *gjk, BriNearest *out) {
    BrVec3 n = out->normal;
    Flat fa = find_flat(ca, n), fb = find_flat(cb, bri_neg(n));
    BrVec3 a = bri_add(ca->centre, fa.middle), b = bri_add(cb->centre, fb.middle);
    bool from_a = fa.count < fb.count; /* the point of the smaller face, seen from the other */
    if (fa.count == 1 && fb.count == 1) {
        a = cross_lines(a, fa.edge, fa.half, b, fb.edge);
        from_a = true;
    } else if (fa.count > 0 && fb.count > 0 && gjk->distance > 0) {
        BrVec3 middle = bri_scale(0.5, bri_add(gjk->point_a, gjk->point_b));
        a = bri_add_scaled(middle, bri_dot(n, bri_sub(a, middle)), n);
        from_a = true;
    }
    if (from_a)
        b = bri_add_scaled(a, out->gap, n);
    else
        a = bri_add_scaled(b, -out->gap, n);
    out->point_a = bri_add_scaled(a, ca->ball, n);
    out->point_b = bri_add_scaled(b, -cb->ball, n);
}

/* A fixed order for any two shapes, so that ties fall the same way round for (a, b) and (b, a). */
static bool is_in_order(const BriConvex *a, const BriConvex *b) {
    const double x[] = {a->half.x, a->half.y,   a->half.z,   a->semi.x,   a->semi.y,
                        a->semi.z, a->centre.x, a->centre.y, a->centre.z, a->axes.m[0][0]};
    const double y[] = {b->half.x, b->half.y,   b->half.z,   b->semi.x,   b->semi.y,
                        b->semi.z, b->centre.x, b->centre.y, b->centre.z, b->axes.m[0][0]};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        if (x[i] != y[i]) return x[i] < y[i];
    return true;
}

/* About a's centre: shapes far from the world's origin keep their digits. */
static void move_to_origin(BriConvex *a, BriConvex *b) {
    b->centre = bri_convex_offset(a, b);
    a->centre = bri_vec(0, 0, 0);
}

/* From the gap of the cores to that of the shapes, and back from a's centre. */
static void finish(const BriConvex *a, const BriConvex *b, BriNearest *nearest) {
    nearest->gap -= a->ball + b->ball;
    nearest->point_a = bri_add(nearest->point_a, a->centre);
    nearest->point_b = bri_add(nearest->point_b, a->centre);
}

/* The two in their order. */
static bool search(const BriConvex *a, const BriConvex *b, double far, BriNearest *nearest) {
    BriConvex local_a = *a, local_b = *b;
    move_to_origin(&local_a, &local_b);
    Search s = {.a = &local_a, .b = &local_b, .c = bri_neg(local_b.centre)};
    double cores = bri_convex_size(a) + bri_convex_size(b);
    s.size = cores + bri_norm(s.c);
    double balls = a->ball + b->ball;
    BriGjk gjk = bri_gjk(s.a, s.b, far + balls);
    if (gjk.far) return false;
    bool apart = false;
    if (gjk.distance > BRI_TOUCHING * cores) { /* believed if its own normal proves it */
        polish(&s, gjk.normal);
        apart = -s.least > 0.9 * gjk.distance;
    }
    if (!apart) {
        Search touching = s;
        polish(&touching, bri_epa(s.a, s.b));
        if (!(gjk.distance > BRI_TOUCHING * cores) || touching.least < s.least) s = touching;
    }
    if (-s.least > far + balls) return false;
    BriNearest found = {.normal = s.best, .gap = -s.least};
    find_points(s.a, s.b, apart ? &gjk : &(BriGjk){0}, &found);
    finish(a, b, &found);
    *nearest = found;
    return true;
}

static bool has_closed_form(const BriConvex *a, const BriConvex *b) {
    return bri_rod_has_gap(a, b) || bri_round_has_gap(a, b);
}

/* The same where there is one. */
static bool compute(const BriConvex *a, const BriConvex *b, double far, BriNearest *nearest) {
    BriCoreGap core = bri_round_has_gap(a, b) ? bri_round_gap(a, b) : bri_rod_gap(a, b);
    if (core.gap > far + a->ball + b->ball) return false;
    nearest->normal = core.normal;
    nearest->gap = core.gap;
    if (core.apart) {
        nearest->point_a = bri_add_scaled(core.point, a->ball, core.normal);
        nearest->point_b = bri_add_scaled(core.point, core.gap - b->ball, core.normal);
    } else {
        BriConvex local_a = *a, local_b = *b;
        move_to_origin(&local_a, &local_b);
        find_points(&local_a, &local_b, &(BriGjk){0}, nearest);
    }
    finish(a, b, nearest);
    return true;
}

typedef bool (*Method)(const BriConvex *a, const BriConvex *b, double far, BriNearest *nearest);

static bool ask_in_order(Method method, const BriConvex *a, const BriConvex *b, double far, BriNearest *nearest) {
    if (is_in_order(a, b)) return method(a, b, far, nearest);
    BriNearest m;
    if (!method(b, a, far, &m)) return false;
    *nearest = (BriNearest){bri_neg(m.normal), m.gap, m.point_b, m.point_a};
    return true;
}

bool bri_nearest(const BriConvex *a, const BriConvex *b, double far, BriNearest *nearest) {
    return ask_in_order(has_closed_form(a, b) || has_closed_form(b, a) ? compute : search, a, b, far, nearest);
}

bool bri_nearest_search(const BriConvex *a, const BriConvex *b, double far, BriNearest *nearest) {
    return ask_in_order(search, a, b, far, nearest);
}

/* A box that is one. */
static bool has_volume(const BriConvex *c) {
    return c->half.x > 0 && c->half.y > 0 && c->half.z > 0 && c->semi.x == 0 && c->ball == 0;
}

bool bri_nearest_normal(const BriConvex *a, const BriConvex *b, double far, BriNearest *nearest, bool *has_points) {
    *has_points = true;
    if (!has_volume(a) || !has_volume(b)) return bri_nearest(a, b, far, nearest);
    bool ordered = is_in_order(a, b);
    BriCoreGap core;
    if (!bri_box_gap(ordered ? a : b, ordered ? b : a, far, &core)) return false;
    BriNearest found = {.normal = core.normal, .gap = core.gap};
    *has_points = core.apart;
    found.point_a = bri_add((ordered ? a : b)->centre, core.point);
    found.point_b = bri_add_scaled(found.point_a, core.gap, core.normal);
    *nearest = ordered ? found : (BriNearest){bri_neg(found.normal), found.gap, found.point_b, found.point_a};
    return true;
}
