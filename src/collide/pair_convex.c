/* pair_convex.c: two convex shapes.
 *
 * The nearest points (geom/nearest.h) give the gap and its normal n. Where a face or an edge of each looks at the other
 * (side.h) there may be more places to touch; each is the exact distance of two features that are fixed in the bodies,
 * with its own normal m, so that d gap/dt = m.(v_b - v_a) holds for each of them, tilted or not:
 *
 *     point of one over a face of the other     m = the face's normal
 *     edge crossing an edge                     m = d x e / |d x e|
 *     end of an edge beside a parallel edge     m from the foot on the edge to the end
 *     rim of a round end crossing an edge       m = t x e / |t x e|, t the rim's tangent
 *     rim crossing a rim                        m = the end's normal (both ends lie flat: parallel to BRI_FLAT)
 *
 * Those whose normal is far from n belong elsewhere and are left out. Lone points (spheres, ellipsoids, tilted discs)
 * have one place, feature 0, which is the same wherever on the other shape it is. */
#include "collide/patch.h"
#include "collide/side.h"
#include "geom/nearest.h"

/* Cosine to n beyond which a feature belongs to this place: 8 degrees. */
static const double ALIKE = 0.99;
/* Of the shapes' size: what is nearer than this is one place, and what is less outside than this is inside. */
static const double SAME = 1e-6;
/* BRI_PARALLEL squared: the determinant of an edge along the rim's tangent, which has no crossing. */
static const double SINGULAR = 1e-8;

/* One of the two looks at the other: `mirrored` when the other is a. */
typedef struct View {
    const BriSide *self, *other;
    BrVec3 n; /* outward from self */
    bool mirrored;
    double size;
    BriPatch *patch;
} View;

/* Adds the place where the other's surface point p lies at height `gap` over self along m. */
static void add_place(const View *view, BrVec3 p, BrVec3 m, double gap, uint32_t feature) {
    if (!(gap <= view->patch->reach)) return;
    BrVec3 point_b = view->mirrored ? bri_add_scaled(p, -gap, m) : p;
    if (bri_patch_has(view->patch, point_b, SAME * view->size)) return;
    bri_patch_add(view->patch, point_b, view->mirrored ? bri_neg(m) : m, gap, feature);
}

static bool faces_other(const View *view) { return view->self->flat && bri_dot(view->self->normal, view->n) > ALIKE; }
static bool faces_back(const View *view) { return view->other->flat && bri_dot(view->other->normal, view->n) < -ALIKE; }

/* Points of the other over the face of self. true: it is a face, and all its corners are. */
static bool add_points_over(const View *view, BriFeatureKind kind) {
    const BriSide *self = view->self, *other = view->other;
    int held = 0;
    if (!faces_other(view)) return false;
    for (int i = 0; i < other->count; i++) {
        BrVec3 p = bri_add(other->point[i], bri_side_swell(other, bri_neg(self->normal)));
        if (!bri_side_holds(self, p, SAME * view->size)) continue;
        held++;
        double gap = bri_dot(self->normal, bri_sub(p, self->point[0]));
        add_place(view, p, self->normal, gap, bri_feature_make(kind, self->face, other->id[i]));
    }
    return held == 4 && !other->round && faces_back(view);
}

typedef struct Edge {
    BrVec3 p, d; /* start; unit */
    double length;
} Edge;

static Edge find_edge(const BriSide *side, int i) { return (Edge){side->point[i], side->along[i], side->length[i]}; }

/* Edges i and i + 2 of a side are parallel: what depends on directions alone is the same for four pairs of edges. */
typedef struct Directions {
    bool cross; /* with a normal that is alike */
    BrVec3 m;   /* unit: that normal */
    double cosine, sine2;
} Directions;

static Directions cross_directions(const View *view, int i, int j) {
    BrVec3 d = view->self->along[i], e = view->other->along[j], m = bri_cross(d, e);
    double sine2 = bri_dot(m, m), height = bri_dot(m, view->n);
    bool alike = height * height > ALIKE * ALIKE * sine2 && sine2 > BRI_PARALLEL * BRI_PARALLEL;
    if (!alike) return (Directions){.cross = false};
    return (Directions){true, bri_scale((height >= 0 ? 1 : -1) / bri_sqrt(sine2), m), bri_dot(d, e), sine2};
}

/* Edge i of self across edge j of the other. */
static void add_crossing(const View *view, int i, int j, const Directions *of) {
    Edge a = find_edge(view->self, i), b = find_edge(view->other, j);
    BrVec3 m = of->m, r = bri_sub(b.p, a.p);
    /* r + y b.d - x a.d along m: solved across it */
    double cosine = (i < 2) == (j < 2) ? of->cosine : -of->cosine, ra = bri_dot(r, a.d), rb = bri_dot(r, b.d);
    double x = ra - cosine * rb, y = cosine * ra - rb;
    if (x < 0 || x > of->sine2 * a.length || y < 0 || y > of->sine2 * b.length) return;
    double gap = bri_dot(m, r) - view->self->swell - view->other->swell;
    BrVec3 p = bri_add_scaled(bri_add_scaled(b.p, y / of->sine2, b.d), -view->other->swell, m);
    add_place(view, p, m, gap, bri_feature_make(BRI_FEATURE_CROSS, view->self->edge[i], view->other->edge[j]));
}

static void add_crossings(const View *view) {
    Directions of[2][2];
    for (int i = 0; i < view->self->edges && i < 2; i++)
        for (int j = 0; j < view->other->edges && j < 2; j++) of[i][j] = cross_directions(view, i, j);
    for (int i = 0; i < view->self->edges; i++)
        for (int j = 0; j < view->other->edges; j++)
            if (of[i % 2][j % 2].cross) add_crossing(view, i, j, &of[i % 2][j % 2]);
}

/* The ends of edge j of the other beside edge i of self, nearly parallel to it. */
static void add_ends(const View *view, int i, int j, BriFeatureKind kind) {
    const BriSide *self = view->self, *other = view->other;
    Edge a = find_edge(self, i), b = find_edge(other, j);
    double swell = self->swell + other->swell;
    bool all_round = (self->swell == 0 || self->swells_round) && (other->swell == 0 || other->swells_round);
    BrVec3 across = bri_cross(a.d, b.d);
    double most = all_round ? 0.1 : BRI_PARALLEL;
    if (!(bri_dot(across, across) < most * most)) return;
    for (int k = 0; k < 2; k++) {
        int end = (j + k) % other->count;
        BrVec3 q = other->point[end];
        double x = bri_dot(a.d, bri_sub(q, a.p));
        if (x < -SAME * view->size || x > a.length + SAME * view->size) continue;
        if (faces_other(view) && bri_side_holds(self, q, SAME * view->size)) continue; /* over the face: is there */
        BrVec3 r = bri_sub(q, bri_add_scaled(a.p, x, a.d));
        bool meet = bri_norm(r) < SAME * view->size; /* no direction left between them: n's */
        BrVec3 m = meet ? bri_add_scaled(view->n, -bri_dot(view->n, a.d), a.d) : r;
        double length = bri_norm(m);
        if (!(length > 0)) continue;
        m = bri_scale((bri_dot(m, view->n) >= 0 ? 1 : -1) / length, m);
        if (bri_dot(m, view->n) < ALIKE) continue;
        add_place(view, bri_add_scaled(q, -other->swell, m), m, bri_dot(m, r) - swell,
                  bri_feature_make(kind, self->edge[i], other->id[end]));
    }
}

static void add_parallels(const View *view, BriFeatureKind kind) {
    for (int i = 0; i < view->self->edges; i++)
        for (int j = 0; j < view->other->edges; j++) add_ends(view, i, j, kind);
}

/* ------------------------------------------------------------------ round ends */

/* From where an edge q + x e crosses a rim, as seen along the face's normal n, to where it is nearest to it: with p on
 * the rim, t its tangent and d = q + x e - p, Newton's method for t.d = 0 and e.d = 0. Returns d; x and t as found. */
static BrVec3 approach_rim(const BriSide *rim, const Edge *edge, double *x, BrVec3 *t) {
    BrVec3 n = rim->normal, q = bri_add_scaled(edge->p, *x, edge->d), r = bri_sub(q, rim->centre), d = {0, 0, 0};
    r = bri_add_scaled(r, -bri_dot(r, n), n);
    for (int k = 0; k < 6; k++) {
        r = bri_scale(1 / bri_norm(r), r);
        *t = bri_cross(n, r);
        d = bri_sub(bri_add_scaled(edge->p, *x, edge->d), bri_add_scaled(rim->centre, rim->radius, r));
        double c = bri_dot(*t, edge->d), f = bri_dot(*t, d), g = bri_dot(edge->d, d);
        double turn = -1 - bri_dot(r, d) / rim->radius, determinant = turn + c * c;
        if (!(determinant < -SINGULAR)) break;
        double arc = (-f + c * g) / determinant;
        *x += c * arc - g;
        r = bri_add_scaled(r, arc / rim->radius, *t);
    }
    return d;
}

/* Edge i of the other through the rim of self; k is the first or the second time. */
static void add_edge_through_rim(const View *view, int i, uint32_t k, double x) {
    const BriSide *self = view->self, *other = view->other;
    Edge edge = find_edge(other, i);
    BrVec3 t, d = approach_rim(self, &edge, &x, &t), m = bri_cross(t, edge.d);
    double sine = bri_norm(m);
    if (!(sine > BRI_PARALLEL) || !(x >= 0 && x <= edge.length)) return;
    m = bri_scale((bri_dot(m, view->n) >= 0 ? 1 : -1) / sine, m);
    if (bri_dot(m, view->n) < ALIKE) return;
    BrVec3 p = bri_add_scaled(bri_add_scaled(edge.p, x, edge.d), -other->swell, m);
    add_place(view, p, m, bri_dot(m, d) - other->swell, bri_feature_make(BRI_FEATURE_RIM_EDGE, other->edge[i], k));
}

static void add_edges_through_rim(const View *view) {
    const BriSide *self = view->self;
    if (!self->round || !faces_other(view)) return;
    for (int i = 0; i < view->other->edges; i++) {
        Edge e = find_edge(view->other, i);
        BrVec3 r = bri_sub(e.p, self->centre), d = bri_add_scaled(e.d, -bri_dot(e.d, self->normal), self->normal);
        r = bri_add_scaled(r, -bri_dot(r, self->normal), self->normal);
        double dd = bri_dot(d, d), rd = bri_dot(r, d);
        double root = rd * rd - dd * (bri_dot(r, r) - self->radius * self->radius);
        if (!(dd > 0.25) || !(root > 0)) continue;
        add_edge_through_rim(view, i, 0, (-rd - bri_sqrt(root)) / dd);
        add_edge_through_rim(view, i, 1, (-rd + bri_sqrt(root)) / dd);
    }
}

/* Two rims crossing: at c + (x, +-y) with x along the line of centres, x = (d^2 + R^2 - r^2)/(2 d). */
static void add_rims(const View *view) {
    const BriSide *self = view->self, *other = view->other;
    if (!self->round || !other->round || !faces_other(view)) return;
    BrVec3 n = self->normal, along = bri_sub(other->centre, self->centre);
    double height = bri_dot(along, n), R = self->radius, r = other->radius;
    along = bri_add_scaled(along, -height, n);
    double d = bri_norm(along);
    if (!(d > SAME * view->size)) return;
    along = bri_scale(1 / d, along);
    double x = (d * d + R * R - r * r) / (2 * d), yy = R * R - x * x;
    if (!(yy > 0)) return;
    BrVec3 aside = bri_cross(n, along), foot = bri_add_scaled(self->centre, x, along);
    for (uint32_t k = 0; k < 2; k++) {
        BrVec3 p = bri_add_scaled(foot, (k ? 1 : -1) * bri_sqrt(yy), aside);
        /* up to the other's face */
        double gap = bri_dot(other->normal, bri_sub(other->centre, p)) / bri_dot(other->normal, n);
        add_place(view, bri_add_scaled(p, gap, n), n, gap, bri_feature_make(BRI_FEATURE_RIM_RIM, 0, k));
    }
}

/* ------------------------------------------------------------------ both together */

static void add_all_places(const BriSide *a, const BriSide *b, BrVec3 n, double size, BriPatch *patch) {
    View from_a = {a, b, n, false, size, patch};
    View from_b = {b, a, bri_neg(n), true, size, patch};
    bool inside = add_points_over(&from_a, BRI_FEATURE_OVER_A);
    inside = add_points_over(&from_b, BRI_FEATURE_OVER_B) || inside;
    if (!inside) add_crossings(&from_a); /* edges of a face that lies within another cross none of its edges */
    add_edges_through_rim(&from_a);
    add_edges_through_rim(&from_b);
    add_rims(&from_a);
    if (patch->count == 0 || a->swell + b->swell > 0) {
        add_parallels(&from_a, BRI_FEATURE_BESIDE_A);
        add_parallels(&from_b, BRI_FEATURE_BESIDE_B);
    }
}

static bool has_as_near(const BriPatch *patch, double gap) {
    for (int i = 0; i < patch->count; i++)
        if (patch->touch[i].gap <= gap) return true;
    return false;
}

static bool is_ball(const BriShape *s) { return s->kind == BR_SHAPE_POINT || s->kind == BR_SHAPE_SPHERE; }

/* Always a lone point, whatever it looks at. */
static bool is_lone(const BriShape *s) { return is_ball(s) || s->kind == BR_SHAPE_ELLIPSOID; }

/* Centres c apart: n = c / |c|, and up where they are in one place. */
static void collide_balls(const BriShape *a, const BriShape *b, BrVec3 c, BrVec3 centre_b, BriPatch *patch) {
    double distance = bri_norm(c), radius_b = b->kind == BR_SHAPE_SPHERE ? b->radius : 0;
    double gap = distance - radius_b - (a->kind == BR_SHAPE_SPHERE ? a->radius : 0);
    BrVec3 n = distance < BRI_SPECK ? bri_vec(0, 0, 1) : bri_scale(1 / distance, c);
    bri_patch_add(patch, bri_add_scaled(centre_b, -radius_b, n), n, gap, 0);
}

void bri_collide_convex(const BriShape *a, const BriFrame *frame_a, const BriShape *b, const BriFrame *frame_b,
                        BriPatch *patch) {
    double size = bri_shape_extent(a) + bri_shape_extent(b), farthest = size + patch->reach;
    BrVec3 c = bri_sub(frame_b->position, frame_a->position);
    if (bri_dot(c, c) > farthest * farthest) return; /* the balls about them are */
    if (is_ball(a) && is_ball(b)) {
        collide_balls(a, b, c, frame_b->position, patch);
        return;
    }
    BriConvex ca = bri_convex_make(a, frame_a), cb = bri_convex_make(b, frame_b);
    BriNearest nearest;
    bool has_points;
    if (!bri_nearest_normal(&ca, &cb, patch->reach, &nearest, &has_points)) return;
    if (!is_lone(a) && !is_lone(b)) {
        BriSide side_a, side_b;
        bri_side_make(a, frame_a, nearest.normal, &side_a);
        bri_side_make(b, frame_b, bri_neg(nearest.normal), &side_b);
        if (side_a.count > 1 && side_b.count > 1) add_all_places(&side_a, &side_b, nearest.normal, size, patch);
        if (has_as_near(patch, nearest.gap + SAME * size)) return;
    }
    if (!has_points && !bri_nearest_search(&ca, &cb, patch->reach, &nearest)) return;
    bri_patch_add(patch, nearest.point_b, nearest.normal, nearest.gap, 0);
}
