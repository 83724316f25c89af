/* closed_box.c: the face of D = { a - b } that lies highest over the origin, see closed.h.
 *
 * D is a sum of segments: the edges u_m of both, with half lengths h_m. Each of its faces holds two of them, so its
 * normal n is an axis of a box or square to an edge of each (the separating axes: Gottschalk, Lin & Manocha 1996), and
 * with c from a's centre to b's,
 *
 *     height(n) = n.c - sum_m h_m |n.u_m|.
 *
 * The highest one is the gap if the cores overlap. If they do not, it is the gap where the origin lies over that face:
 * with r = c - sum_m h_m sign(n.u_m) u_m over the edges that are not in the face, for each edge u_k that is,
 *
 *     |r.(n x u_k)| <= sum_m h_m |u_m.(n x u_k)|        over the edges in the face.
 *
 * Elsewhere an edge or a corner of D is nearest: a corner of one box and a corner or an edge of the other. Of all 16
 * corners, the one nearest to the other box is taken.
 *
 * Nothing is remembered from query to query: the answer is a function of the two poses, and the first axis that is
 * farther than asked for ends the search. All in the axes of b. */
#include "geom/closed.h"

typedef struct Pair {
    double c[3];         /* from a's centre to b's */
    double R[3][3];      /* R[i][j]: component i of a's axis j */
    double Q[3][3];      /* |R| */
    double h[3], k[3];   /* half edges of b, of a */
    int first;           /* of a's axes with an edge: 0, or 2 for a segment; 3: none */
    double size;         /* m: what rounding is relative to */
    double height, n[3]; /* the highest so far */
} Pair;

static Pair make_pair(const BriConvex *a, const BriConvex *b) {
    BrVec3 c = bri_mul_t(&b->axes, bri_convex_offset(a, b));
    BrMat3 R = bri_mat_mul_t(&b->axes, &a->axes);
    Pair p = {.c = {c.x, c.y, c.z},
              .h = {b->half.x, b->half.y, b->half.z},
              .k = {a->half.x, a->half.y, a->half.z},
              .first = a->half.x > 0   ? 0
                       : a->half.z > 0 ? 2
                                       : 3,
              .size = bri_norm(a->half) + bri_norm(b->half) + bri_norm(c),
              .height = -__builtin_inf()};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            p.R[i][j] = R.m[i][j];
            p.Q[i][j] = bri_abs(R.m[i][j]);
        }
    return p;
}

/* Keeps sign(along) n if it is higher by more than `margin`. */
static void offer(Pair *p, double height, double along, double x, double y, double z, double margin) {
    if (!(height > p->height + margin)) return;
    double sign = along < 0 ? -1 : 1;
    p->height = height;
    p->n[0] = sign * x;
    p->n[1] = sign * y;
    p->n[2] = sign * z;
}

/* Axes of a first, so that they win where both are the same. False: farther than `far`. */
static bool try_faces(Pair *p, double far) {
    double margin = p->first == 0 ? BRI_ROUNDING * p->size : 0;
    for (int j = p->first == 0 ? 0 : 3; j < 3; j++) {
        double along = p->c[0] * p->R[0][j] + p->c[1] * p->R[1][j] + p->c[2] * p->R[2][j];
        double height = bri_abs(along) - p->k[j] - (p->h[0] * p->Q[0][j] + p->h[1] * p->Q[1][j] + p->h[2] * p->Q[2][j]);
        offer(p, height, along, p->R[0][j], p->R[1][j], p->R[2][j], 0);
    }
    if (p->height > far) return false;
    for (int i = 0; i < 3; i++) {
        double along = p->c[i];
        double height = bri_abs(along) - p->h[i] - (p->k[0] * p->Q[i][0] + p->k[1] * p->Q[i][1] + p->k[2] * p->Q[i][2]);
        offer(p, height, along, i == 0, i == 1, i == 2, margin);
    }
    return !(p->height > far);
}

/* Square to axis i of b and axis j of a:  n = e_i x u_j,  with components  n_m = -R[l][j], n_l = R[m][j]. */
static void try_crossing(Pair *p, int i, int j) {
    int m = (i + 1) % 3, l = (i + 2) % 3;
    double x = -p->R[l][j], y = p->R[m][j], sine = bri_sqrt(x * x + y * y);
    if (!(sine > BRI_CROSSING)) return;
    double along = p->c[m] * x + p->c[l] * y, width = p->h[m] * bri_abs(x) + p->h[l] * bri_abs(y);
    int q = (j + 1) % 3, r = (j + 2) % 3; /* a's other edges */
    width += p->k[q] * bri_abs(p->R[m][q] * x + p->R[l][q] * y) + p->k[r] * bri_abs(p->R[m][r] * x + p->R[l][r] * y);
    double rise = bri_abs(along) - width, n[3] = {0, 0, 0};
    if (!(rise > p->height * sine)) return; /* mostly: before it takes three divisions */
    n[m] = x / sine;
    n[l] = y / sine;
    offer(p, rise / sine, along, n[0], n[1], n[2], BRI_ROUNDING * p->size);
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Does the origin lie over the face of D with the normal found? */
static bool is_over_face(const Pair *p) {
    double edge[6][3], half[6], r[3] = {p->c[0], p->c[1], p->c[2]};
    int count = 0;
    for (int m = 0; m < 6; m++) {
        int j = m % 3;
        double u[3] = {m < 3 ? j == 0 : p->R[0][j], m < 3 ? j == 1 : p->R[1][j], m < 3 ? j == 2 : p->R[2][j]};
        double h = m < 3 ? p->h[j] : p->k[j], cosine = dot(p->n, u);
        if (bri_abs(cosine) <= BRI_SQUARE) {
            half[count] = h;
            for (int i = 0; i < 3; i++) edge[count][i] = u[i];
            count++;
        } else {
            for (int i = 0; i < 3; i++) r[i] -= (cosine > 0 ? h : -h) * u[i];
        }
    }
    for (int k = 0; k < count; k++) {
        const double *n = p->n, *u = edge[k];
        double w[3] = {n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]};
        double width = BRI_ROUNDING * p->size;
        for (int m = 0; m < count; m++) width += half[m] * bri_abs(dot(w, edge[m]));
        if (bri_abs(dot(w, r)) > width) return false;
    }
    return true;
}

/* ------------------------------------------------------------------ corners */

/* A corner of one box beside the other, in the axes of the other. */
typedef struct Corner {
    double square; /* m^2: of the distance */
    double e[3];   /* from the other to the corner */
    double x[3];   /* the corner, from the other's centre */
} Corner;

/* Of the corners at c + sum +-k_j R_j the one nearest to |x_i| <= h_i, R_j being the columns of R. */
static Corner find_nearest_corner(const double c[3], const double R[3][3], const double k[3], const double h[3]) {
    Corner best = {.square = __builtin_inf()};
    for (unsigned corner = 0; corner < 8; corner++) {
        Corner now = {.square = 0};
        double x = corner & 1 ? k[0] : -k[0], y = corner & 2 ? k[1] : -k[1], z = corner & 4 ? k[2] : -k[2];
        for (int i = 0; i < 3; i++) {
            now.x[i] = c[i] + R[i][0] * x + R[i][1] * y + R[i][2] * z;
            now.e[i] = bri_max(now.x[i] - h[i], 0) + bri_min(now.x[i] + h[i], 0);
            now.square += now.e[i] * now.e[i];
        }
        if (now.square < best.square) best = now;
    }
    return best;
}

static BriCoreGap find_corner(const Pair *p, const BriConvex *a, const BriConvex *b) {
    double back[3] = {-p->c[0], -p->c[1], -p->c[2]}, T[3][3], c[3];
    for (int i = 0; i < 3; i++) {
        c[i] = p->R[0][i] * p->c[0] + p->R[1][i] * p->c[1] + p->R[2][i] * p->c[2];
        for (int j = 0; j < 3; j++) T[i][j] = p->R[j][i];
    }
    Corner of_a = find_nearest_corner(back, p->R, p->k, p->h), of_b = find_nearest_corner(c, T, p->h, p->k);
    bool is_of_b = of_b.square < of_a.square;
    const Corner *best = is_of_b ? &of_b : &of_a;
    double gap = bri_sqrt(best->square), scale = (is_of_b ? 1 : -1) / gap;
    BrVec3 e = bri_vec(best->e[0], best->e[1], best->e[2]), x = bri_vec(best->x[0], best->x[1], best->x[2]);
    const BrMat3 *axes = is_of_b ? &a->axes : &b->axes;
    BriCoreGap found = {.normal = bri_scale(scale, bri_mul(axes, e)), .gap = gap, .apart = true};
    found.point = is_of_b ? bri_mul(axes, bri_sub(x, e)) : bri_add(bri_sub(b->centre, a->centre), bri_mul(axes, x));
    return found;
}

bool bri_box_gap(const BriConvex *a, const BriConvex *b, double far, BriCoreGap *gap) {
    Pair p = make_pair(a, b);
    if (!try_faces(&p, far)) return false;
    for (int i = 0; i < 3; i++)
        for (int j = p.first; j < 3; j++) try_crossing(&p, i, j);
    if (p.height > far) return false;
    if (p.height > BRI_TOUCHING * p.size && !is_over_face(&p))
        *gap = find_corner(&p, a, b);
    else
        *gap = (BriCoreGap){.normal = bri_mul(&b->axes, bri_vec(p.n[0], p.n[1], p.n[2])), .gap = p.height};
    return gap->gap <= far;
}
