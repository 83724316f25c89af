/* epa.c: the direction of least overlap, see gjk.h.
 *
 * A polytope of support points grows inside D: take its face nearest to the origin (by signed distance d, outward n),
 * and the support point w along n. If n.w - d is small, n is the answer; otherwise the polytope takes w in: faces that
 * see w go, their rim is joined to w. Since min d <= min h <= h(n), the best h(n) met is kept and what is left is
 * known. A polytope that cannot start (D flat) gives a direction square to it. */
#include "geom/gjk.h"

enum { MOST_VERTICES = 96, MOST_FACES = 2 * MOST_VERTICES, MOST_EDGES = 3 * MOST_VERTICES };

/* Relative to the size of D: what counts as flat, as seeing a point, and as arrived (nearest.c goes on from there). */
static const double FLAT = 1e-10, SEES = 1e-13, ARRIVED = 1e-8;

typedef struct Face {
    int v[3];
    BrVec3 n; /* unit, outward */
    double d;
} Face;

typedef struct Hull {
    const BriConvex *a, *b;
    double size;
    int vertices, faces;
    BrVec3 vertex[MOST_VERTICES];
    Face face[MOST_FACES];
} Hull;

static BrVec3 find_support(const Hull *hull, BrVec3 n) {
    BrVec3 c = bri_sub(hull->a->centre, hull->b->centre);
    return bri_add(c, bri_add(bri_convex_support(hull->a, n), bri_convex_support(hull->b, n)));
}

/* Slivers have no direction: they stay as faces that are never nearest and see nothing. */
static Face make_face(const Hull *hull, int i, int j, int k) {
    BrVec3 p = hull->vertex[i];
    BrVec3 n = bri_cross(bri_sub(hull->vertex[j], p), bri_sub(hull->vertex[k], p));
    double length = bri_norm(n);
    Face face = {{i, j, k}, {0, 0, 0}, __builtin_inf()};
    if (length > SEES * hull->size * hull->size) {
        face.n = bri_scale(1 / length, n);
        face.d = bri_dot(face.n, p);
    }
    return face;
}

/* Of the two ends of D along n, the one farther from p in that direction. */
static BrVec3 find_far_end(const Hull *hull, BrVec3 n, BrVec3 p) {
    BrVec3 high = find_support(hull, n), low = find_support(hull, bri_neg(n));
    return bri_abs(bri_dot(n, bri_sub(high, p))) >= bri_abs(bri_dot(n, bri_sub(low, p))) ? high : low;
}

/* D has no width along n or its opposite: of the two, the one away from D. */
static BrVec3 point_away(const Hull *hull, BrVec3 n) {
    return bri_dot(n, bri_sub(hull->a->centre, hull->b->centre)) > 0 ? bri_neg(n) : n;
}

/* Four support points that span a volume. If there are none, *square is a direction square to what they span. */
static bool start_hull(Hull *hull, BrVec3 *square) {
    static const BrVec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    BrVec3 *p = hull->vertex, e = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        BrVec3 high = find_support(hull, axis[i]), low = find_support(hull, bri_neg(axis[i]));
        if (bri_norm(bri_sub(high, low)) <= bri_norm(e)) continue;
        e = bri_sub(high, low);
        p[0] = low;
        p[1] = high;
    }
    double length = bri_norm(e);
    if (!(length > FLAT * hull->size)) {
        BrVec3 c = bri_sub(hull->b->centre, hull->a->centre);
        length = bri_norm(c);
        *square = length > 0 ? bri_scale(1 / length, c) : bri_vec(0, 0, 1);
        return false;
    }
    e = bri_scale(1 / length, e);
    BrMat3 frame = bri_rotation_frame(e, bri_vec(1, 0, 0));
    double widest = 0;
    for (int i = 0; i < 4; i++) { /* four directions about e, 45 degrees apart */
        BrVec3 x = bri_column(&frame, 0), y = bri_column(&frame, 1);
        BrVec3 n = i == 0 ? x : i == 1 ? y : i == 2 ? bri_add(x, y) : bri_sub(x, y);
        BrVec3 q = find_far_end(hull, n, p[0]);
        double width = bri_norm(bri_cross(e, bri_sub(q, p[0])));
        if (width <= widest) continue;
        widest = width;
        p[2] = q;
    }
    BrVec3 n = bri_cross(e, bri_sub(p[2], p[0]));
    bool is_line = !(widest > FLAT * hull->size);
    n = is_line ? bri_column(&frame, 0) : bri_scale(1 / bri_norm(n), n);
    *square = point_away(hull, n);
    if (is_line) return false;
    p[3] = find_far_end(hull, n, p[0]);
    return bri_abs(bri_dot(n, bri_sub(p[3], p[0]))) > FLAT * hull->size;
}

static void close_hull(Hull *hull) {
    BrVec3 *p = hull->vertex;
    BrVec3 n = bri_cross(bri_sub(p[1], p[0]), bri_sub(p[2], p[0]));
    if (bri_dot(n, bri_sub(p[3], p[0])) > 0) {
        BrVec3 swap = p[1];
        p[1] = p[2];
        p[2] = swap;
    }
    static const int corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    for (int i = 0; i < 4; i++) hull->face[i] = make_face(hull, corner[i][0], corner[i][1], corner[i][2]);
    hull->vertices = hull->faces = 4;
}

/* Adds the edge i-j to the rim, or removes its opposite: edges between two faces that go cancel. */
static int toggle_edge(int (*rim)[2], int count, int i, int j) {
    for (int k = 0; k < count; k++)
        if (rim[k][0] == j && rim[k][1] == i) {
            rim[k][0] = rim[count - 1][0];
            rim[k][1] = rim[count - 1][1];
            return count - 1;
        }
    if (count < MOST_EDGES) {
        rim[count][0] = i;
        rim[count][1] = j;
        count++;
    }
    return count;
}

/* Takes w in; false when there is no room. */
static bool grow_hull(Hull *hull, BrVec3 w) {
    int rim[MOST_EDGES][2], edges = 0, kept = 0;
    for (int i = 0; i < hull->faces; i++) {
        Face *f = &hull->face[i];
        bool sees = f->d < __builtin_inf() && bri_dot(f->n, w) - f->d > SEES * hull->size;
        if (!sees) {
            hull->face[kept++] = *f;
            continue;
        }
        for (int k = 0; k < 3; k++) edges = toggle_edge(rim, edges, f->v[k], f->v[(k + 1) % 3]);
    }
    if (hull->vertices == MOST_VERTICES || kept + edges > MOST_FACES) return false;
    hull->faces = kept;
    hull->vertex[hull->vertices++] = w;
    for (int k = 0; k < edges; k++)
        hull->face[hull->faces++] = make_face(hull, rim[k][0], rim[k][1], hull->vertices - 1);
    return true;
}

BrVec3 bri_epa(const BriConvex *a, const BriConvex *b) {
    Hull hull; /* 11 kB: filled as it grows */
    hull.a = a;
    hull.b = b;
    hull.size = bri_convex_size(a) + bri_convex_size(b);
    BrVec3 best;
    if (!start_hull(&hull, &best)) return best;
    close_hull(&hull);
    double least = bri_dot(best, find_support(&hull, best));
    for (int n = 0; n < 2 * MOST_VERTICES; n++) {
        const Face *nearest = &hull.face[0];
        for (int i = 1; i < hull.faces; i++)
            if (hull.face[i].d < nearest->d) nearest = &hull.face[i];
        if (!(nearest->d < __builtin_inf())) break;
        BrVec3 w = find_support(&hull, nearest->n);
        double h = bri_dot(nearest->n, w);
        if (h < least) {
            least = h;
            best = nearest->n;
        }
        if (h - nearest->d <= ARRIVED * hull.size || least - nearest->d <= ARRIVED * hull.size) break;
        if (!grow_hull(&hull, w)) break;
    }
    return best;
}
