/* wall.c: see wall.h.
 *
 * Nearest to p is x with  p - x = d n(x),  g(x) = 0,  n = G/|G|,  G = grad g.  From a guess x a step along the tangents E,
 *
 *     (1 + d B) s = E^T (p - x),    x <- x + E s - (g/|G|) n,    B = E^T (dn/dx) E                              (11.1)
 *
 * is Newton's. Spheres' centres need no more: their gap is d less the radius. With an ellipsoid's points x_e(-n), whose
 * derivative by n is -R, R its radii of curvature, the common normal has  E^T (x_e - x) = 0,  and Newton's step is
 *
 *     (1 + R B) s = E^T (x_e - x).                                                                              (11.2)
 *
 * These are the equations of evolving contact [Fang & Negrut, Eqs 1-3] with points on the surfaces and tangents frozen
 * during a step of Newton's; what is left over of the seven, the gap along n, is the condition on the bodies. */
#include "geom/wall.h"

#include "geom/profile.h"

enum { MOST_STEPS = 60 };

static const double ARRIVED = 4e-16; /* of the size: a step that changes nothing */

bool bri_is_smooth(BrShapeKind kind) {
    return bri_is_wall(kind) || kind == BR_SHAPE_SPHERE || kind == BR_SHAPE_ELLIPSOID || kind == BR_SHAPE_PLANE ||
           kind == BR_SHAPE_CYLINDER || kind == BR_SHAPE_TUBE;
}

/* x y^T */
static BrMat3 outer(double factor, BrVec3 x, BrVec3 y) {
    return bri_from_columns(bri_scale(factor * y.x, x), bri_scale(factor * y.y, x), bri_scale(factor * y.z, x));
}

static BrMat3 add(const BrMat3 *A, const BrMat3 *B) {
    BrMat3 C;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) C.m[i][j] = A->m[i][j] + B->m[i][j];
    return C;
}

/* ------------------------------------------------------------------ closed forms */

static bool project_torus(const BriShape *wall, BrVec3 p, double sign, BriWallPlace *place) {
    double rho = bri_norm(bri_vec(p.x, p.y, 0)), r = wall->radius;
    if (!(rho > BRI_SPECK)) return false; /* on its axis all of the ring is equally near */
    BrVec3 out = bri_vec(p.x / rho, p.y / rho, 0), q = bri_add_scaled(p, -wall->ring, out);
    double length = bri_norm(q);
    BrVec3 n = length > BRI_SPECK * wall->ring ? bri_scale(1 / length, q) : bri_vec(0, 0, -1);
    BrVec3 foot = bri_add_scaled(bri_scale(wall->ring, out), r, n), along = bri_vec(-out.y, out.x, 0);
    double cosine = bri_dot(n, out);
    BrVec3 about = bri_cross(n, along);
    BrMat3 tube = outer(sign / r, about, about), ring = outer(sign * cosine / (wall->ring + r * cosine), along, along);
    *place = (BriWallPlace){foot, bri_scale(sign, n), add(&tube, &ring), sign * (length - r)};
    return true;
}

/* t of the nearest point x_i = e_i^2 p_i / (t + e_i^2), where f(t) = sum (e_i p_i / (t + e_i^2))^2 = 1: f falls and is
 * convex right of its poles, so that Newton's steps from the left stay left. */
static double find_multiplier(const double e[3], const double p[3], double t) {
    for (int k = 0; k < MOST_STEPS; k++) {
        double f = -1, slope = 0;
        for (int i = 0; i < 3; i++) {
            double d = t + e[i] * e[i], q = e[i] * p[i] / d;
            f += q * q;
            slope -= 2 * q * q / d;
        }
        double next = t - f / slope;
        if (!(slope < 0) || !(next > t)) break;
        t = next;
    }
    return t;
}

static void find_foot_on_ellipsoid(const double e[3], const double p[3], double x[3]) {
    int least = e[0] <= e[1] && e[0] <= e[2] ? 0 : e[1] <= e[2] ? 1 : 2;
    double pole = -e[least] * e[least], t = pole, sum = 0;
    for (int i = 0; i < 3; i++) t = bri_max(t, e[i] * bri_abs(p[i]) - e[i] * e[i]);
    bool has_root = t > pole * (1 - 1e-15);
    if (has_root) t = find_multiplier(e, p, t);
    for (int i = 0; i < 3; i++) {
        double d = t + e[i] * e[i];
        x[i] = i == least && !has_root ? 0 : d > 0 ? e[i] * e[i] * p[i] / d : 0;
        sum += x[i] / e[i] * (x[i] / e[i]);
    }
    if (!has_root && sum < 1) { /* square to its shortest axis two places are nearest: the lower one */
        x[least] = -e[least] * bri_sqrt(1 - sum);
        sum = 1;
    }
    for (int i = 0; i < 3; i++) x[i] /= bri_sqrt(sum);
}

/* sign: 1 what is inside is solid, -1 what is outside. */
static bool project_ellipsoid(const BriShape *wall, BrVec3 p, double sign, BriWallPlace *place) {
    const double e[3] = {wall->half.x, wall->half.y, wall->half.z}, q[3] = {p.x, p.y, p.z};
    double x[3];
    find_foot_on_ellipsoid(e, q, x);
    BrVec3 foot = bri_vec(x[0], x[1], x[2]);
    BrVec3 G = bri_vec(x[0] / (e[0] * e[0]), x[1] / (e[1] * e[1]), x[2] / (e[2] * e[2]));
    double length = bri_norm(G);
    BrVec3 n = bri_scale(sign / length, G);
    double k = sign / length;
    BrMat3 H = bri_diagonal(k / (e[0] * e[0]), k / (e[1] * e[1]), k / (e[2] * e[2]));
    BrMat3 off = outer(-1, n, n), I = bri_identity(), P = add(&I, &off), PH = bri_mat_mul(&P, &H);
    *place = (BriWallPlace){foot, n, bri_mat_mul(&PH, &P), bri_dot(n, bri_sub(p, foot))};
    return true;
}

/* A pipe's inside or a rod's outside, without its ends. */
static bool project_cylinder(const BriShape *wall, BrVec3 p, double sign, BriWallPlace *place) {
    double rho = bri_norm(bri_vec(p.x, p.y, 0));
    if (bri_abs(p.z) > wall->half_length || !(rho > BRI_SPECK)) return false;
    BrVec3 out = bri_vec(p.x / rho, p.y / rho, 0), along = bri_vec(-out.y, out.x, 0);
    *place = (BriWallPlace){bri_vec(wall->radius * out.x, wall->radius * out.y, p.z), bri_scale(sign, out),
                            outer(sign / wall->radius, along, along), sign * (rho - wall->radius)};
    return true;
}

static bool project_sphere(const BriShape *wall, BrVec3 p, BriWallPlace *place) {
    double length = bri_norm(p), r = wall->radius;
    BrVec3 n = length > BRI_SPECK ? bri_scale(1 / length, p) : bri_vec(0, 0, 1);
    BrMat3 I = bri_diagonal(1 / r, 1 / r, 1 / r), off = outer(-1 / r, n, n);
    *place = (BriWallPlace){bri_scale(r, n), n, add(&I, &off), length - r};
    return true;
}

static bool project_plane(BrVec3 p, BriWallPlace *place) {
    *place = (BriWallPlace){.foot = {p.x, p.y, 0}, .normal = {0, 0, 1}, .distance = p.z};
    return true;
}

static bool project_extrusion(const BriShape *wall, BrVec3 p, BriWallPlace *place) {
    BriProfilePoint at;
    if (bri_abs(p.z) > wall->half_length || !bri_profile_nearest(wall->profile, p.x, p.y, &at)) return false;
    BrVec3 t = bri_vec(at.tx, at.ty, 0);
    *place = (BriWallPlace){bri_vec(at.x, at.y, p.z), bri_vec(-at.ty, at.tx, 0), outer(at.bend, t, t), at.distance};
    return true;
}

static bool project_revolution(const BriShape *wall, BrVec3 p, BriWallPlace *place) {
    double rho = bri_norm(bri_vec(p.x, p.y, 0));
    BriProfilePoint at;
    if (!bri_profile_nearest(wall->profile, rho, p.z, &at)) return false;
    BrVec3 out = rho > BRI_SPECK ? bri_vec(p.x / rho, p.y / rho, 0) : bri_vec(1, 0, 0), along = {-out.y, out.x, 0};
    BrVec3 t = bri_add_scaled(bri_scale(at.tx, out), at.ty, bri_vec(0, 0, 1));
    BrVec3 n = bri_add_scaled(bri_scale(-at.ty, out), at.tx, bri_vec(0, 0, 1));
    const double NEAR = 1e-9; /* of its size, to the axis: there the profile's bend is that all round */
    double round = at.x > NEAR * bri_profile_extent(wall->profile) ? -at.ty / at.x : at.bend;
    BrMat3 meridian = outer(at.bend, t, t), circle = outer(round, along, along);
    *place = (BriWallPlace){bri_add_scaled(bri_scale(at.x, out), at.y, bri_vec(0, 0, 1)), n, add(&meridian, &circle),
                            at.distance};
    return true;
}

/* ------------------------------------------------------------------ functions */

typedef struct Jet {
    double g;
    BrVec3 G;
    BrMat3 H;
} Jet;

static Jet evaluate(const BriShape *wall, BrVec3 p) {
    Jet j = {0};
    if (wall->kind == BR_SHAPE_FUNCTION) {
        j.g = wall->function(wall->user, p, &j.G, &j.H);
        return j;
    }
    const double *c = wall->quadric;
    j.H = (BrMat3){{{2 * c[0], c[3], c[4]}, {c[3], 2 * c[1], c[5]}, {c[4], c[5], 2 * c[2]}}};
    BrVec3 half = bri_scale(0.5, bri_mul(&j.H, p)), linear = bri_vec(c[6], c[7], c[8]);
    j.g = bri_dot(p, bri_add(half, linear)) + c[9];
    j.G = bri_add(bri_scale(2, half), linear);
    return j;
}

/* Symmetric where it counts: x = A^-1 b of a 2 x 2 matrix; false: it has none. */
static bool solve_two(const double A[2][2], const double b[2], double x[2]) {
    double determinant = A[0][0] * A[1][1] - A[0][1] * A[1][0];
    double size = bri_abs(A[0][0]) + bri_abs(A[0][1]) + bri_abs(A[1][0]) + bri_abs(A[1][1]);
    if (!(bri_abs(determinant) > 1e-12 * size * size)) return false;
    x[0] = (b[0] * A[1][1] - b[1] * A[0][1]) / determinant;
    x[1] = (b[1] * A[0][0] - b[0] * A[1][0]) / determinant;
    return true;
}

/* n and dn/dx, in the tangent plane, of a jet. */
static bool find_bend(const Jet *j, BrVec3 *n, BrMat3 *bend, double *slope) {
    *slope = bri_norm(j->G);
    if (!(*slope > 1e-150) || !bri_is_finite(*slope)) return false;
    *n = bri_scale(1 / *slope, j->G);
    BrMat3 I = bri_identity(), off = outer(-1, *n, *n), P = add(&I, &off), PH = bri_mat_mul(&P, &j->H);
    *bend = bri_mat_mul(&PH, &P);
    for (int i = 0; i < 9; i++) (&bend->m[0][0])[i] /= *slope;
    return true;
}

/* From far away: along the gradient to the surface. */
static bool approach(const BriShape *wall, BrVec3 p, BrVec3 *x) {
    enum { MOST = 40 };
    *x = p;
    for (int k = 0; k < MOST; k++) {
        Jet j = evaluate(wall, *x);
        double square = bri_dot(j.G, j.G);
        if (!(square > 1e-300) || !bri_is_finite(square)) return false;
        BrVec3 step = bri_scale(-j.g / square, j.G);
        *x = bri_add(*x, step);
        if (bri_norm(step) <= 1e-6 * (bri_norm(*x) + bri_norm(bri_sub(p, *x)))) return true;
    }
    return true;
}

/* Newton's way (11.1) from x on. *least: the smaller of 1 + d B's two values, positive where x is a nearest place. */
static bool descend(const BriShape *wall, BrVec3 p, BrVec3 x, BriWallPlace *place, double *least) {
    double slope, before = __builtin_inf();
    for (int k = 0; k < MOST_STEPS; k++) {
        BrVec3 n;
        Jet j = evaluate(wall, x);
        if (!find_bend(&j, &n, &place->bend, &slope)) return false;
        BrVec3 r = bri_sub(p, x);
        double d = bri_dot(n, r);
        BrMat3 E = bri_rotation_frame(n, bri_vec(1, 0, 0));
        double A[2][2], b[2], s[2];
        for (int i = 0; i < 2; i++) {
            BrVec3 e = bri_column(&E, i), bent = bri_mul(&place->bend, e);
            for (int c = 0; c < 2; c++) A[c][i] = (c == i) + d * bri_dot(bri_column(&E, c), bent);
            b[i] = bri_dot(e, r);
        }
        double half = 0.5 * (A[0][0] + A[1][1]), apart = 0.5 * (A[0][0] - A[1][1]);
        *least = half - bri_sqrt(apart * apart + A[0][1] * A[1][0]);
        if (!(*least > 0) || !solve_two(A, b, s)) s[0] = b[0], s[1] = b[1]; /* downhill, not to a saddle */
        double length = bri_norm(bri_vec(s[0], s[1], 0)), most = bri_abs(d) + bri_norm(bri_vec(b[0], b[1], 0));
        double part = length > most ? most / length : 1; /* no farther than the point is away */
        BrVec3 step = bri_add(bri_scale(part * s[0], bri_column(&E, 0)), bri_scale(part * s[1], bri_column(&E, 1)));
        step = bri_add_scaled(step, -j.g / slope, n);
        double way = bri_norm(step), size = bri_norm(x) + bri_abs(d);
        *place = (BriWallPlace){x, n, place->bend, d};
        if (way <= ARRIVED * size || (way <= 1e-12 * size && way >= before)) return true;
        before = way;
        x = bri_add(x, step);
    }
    return before <= 1e-9 * (bri_norm(x) + bri_abs(place->distance));
}

/* From p itself; where that leads to no place that is surely nearest, from all round p too. */
static bool project_function(const BriShape *wall, BrVec3 p, BriWallPlace *place) {
    const double SURE = 0.5; /* of 1 + d B: p is nearer than half of the radius of curvature */
    BrVec3 x;
    double least = 0;
    bool found = approach(wall, p, &x) && descend(wall, p, x, place, &least);
    if (found && least > SURE) return true;
    double reach = found && place->distance != 0 ? bri_abs(place->distance) : bri_norm(p) > 0 ? bri_norm(p) : 1;
    found = found && least > 0;
    for (int k = 0; k < 27; k++) {
        const int part[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        BrVec3 d = bri_vec(part[0], part[1], part[2]);
        BriWallPlace other;
        if (k == 13) continue; /* no direction */
        d = bri_add_scaled(p, reach / bri_norm(d), d);
        if (!approach(wall, d, &x) || !descend(wall, p, x, &other, &least) || !(least > 0)) continue;
        if (found && !(bri_abs(other.distance) < bri_abs(place->distance))) continue;
        *place = other;
        found = true;
    }
    return found;
}

bool bri_wall_project(const BriShape *wall, BrVec3 p, BriWallPlace *place) {
    switch (wall->kind) {
    case BR_SHAPE_BOWL: return project_ellipsoid(wall, p, -1, place);
    case BR_SHAPE_ELLIPSOID: return project_ellipsoid(wall, p, 1, place);
    case BR_SHAPE_SPHERE: return project_sphere(wall, p, place);
    case BR_SHAPE_PLANE: return project_plane(p, place);
    case BR_SHAPE_CYLINDER: return project_cylinder(wall, p, 1, place);
    case BR_SHAPE_TUBE: return project_cylinder(wall, p, -1, place);
    case BR_SHAPE_TORUS: return project_torus(wall, p, 1, place);
    case BR_SHAPE_GROOVE: return project_torus(wall, p, -1, place);
    case BR_SHAPE_EXTRUSION: return project_extrusion(wall, p, place);
    case BR_SHAPE_REVOLUTION: return project_revolution(wall, p, place);
    case BR_SHAPE_QUADRIC:
    case BR_SHAPE_FUNCTION: return project_function(wall, p, place);
    default: return false;
    }
}

/* ------------------------------------------------------------------ meeting a body */

/* What a step of (11.2) starts from: the wall's place, the body's point that looks at it, and how far aside of each other
 * they are, along the tangents E. `body` in the wall's axes. */
typedef struct Facing {
    BriWallPlace place;
    BrVec3 point;
    BrMat3 E;
    double b[2], aside;
} Facing;

static bool face(const BriShape *wall, const BriConvex *body, BrVec3 near, Facing *f) {
    if (!bri_wall_project(wall, near, &f->place)) return false;
    f->point = bri_add(body->centre, bri_convex_support(body, bri_neg(f->place.normal)));
    f->E = bri_rotation_frame(f->place.normal, bri_vec(1, 0, 0));
    BrVec3 r = bri_sub(f->point, f->place.foot);
    for (int i = 0; i < 2; i++) f->b[i] = bri_dot(bri_column(&f->E, i), r);
    f->aside = bri_norm(bri_vec(f->b[0], f->b[1], 0));
    return true;
}

/* Newton's way along the wall; where the matrix is none, straight to under the point. */
static BrVec3 find_way(const BriConvex *body, const Facing *f, double most) {
    double A[2][2], s[2];
    for (int i = 0; i < 2; i++) {
        BrVec3 bent = bri_mul(&f->place.bend, bri_column(&f->E, i));
        for (int c = 0; c < 2; c++)
            A[c][i] = (c == i) + bri_convex_curvature(body, f->place.normal, bri_column(&f->E, c), bent);
    }
    if (!solve_two(A, f->b, s)) s[0] = f->b[0], s[1] = f->b[1];
    double length = bri_norm(bri_vec(s[0], s[1], 0)), part = length > most ? most / length : 1;
    return bri_add(bri_scale(part * s[0], bri_column(&f->E, 0)), bri_scale(part * s[1], bri_column(&f->E, 1)));
}

/* (11.2), halving steps that do not gain: both points move until they face each other. */
static bool face_each_other(const BriShape *wall, const BriConvex *body, Facing *f) {
    enum { HALVINGS = 8 };
    const double EXACT = 1e-12; /* of the size: what is left where rounding ends it */
    double size = bri_convex_size(body);
    for (int k = 0; k < MOST_STEPS && f->aside > ARRIVED * size; k++) {
        BrVec3 way = find_way(body, f, size);
        Facing next;
        bool gains = false;
        for (int h = 0; h < HALVINGS && !gains; h++, way = bri_scale(0.5, way))
            gains = face(wall, body, bri_add(f->place.foot, way), &next) && next.aside < f->aside;
        if (!gains) break;
        *f = next;
    }
    return f->aside <= EXACT * size;
}

/* The body's point that its unit ball's u becomes, and how far it is from the wall; infinite: it looks at none. */
static double look_from(const BriShape *wall, const BriConvex *body, BrVec3 u, BrVec3 *point) {
    BrVec3 on = bri_vec(body->semi.x * u.x, body->semi.y * u.y, body->semi.z * u.z);
    BriWallPlace place;
    *point = bri_add(body->centre, bri_mul(&body->axes, on));
    return bri_wall_project(wall, *point, &place) ? place.distance : __builtin_inf();
}

/* Roughly the body's deepest point: the deepest of some all round, then whichever way is deeper, in ever shorter steps. */
static bool find_deepest(const BriShape *wall, const BriConvex *body, BrVec3 *deepest) {
    enum { LOOKS = 64, WAYS = 8, MOST_ROUNDS = 100 };
    const double GOLDEN = 2.399963229728653,
                 TURN = 6.28318530717958647692 / WAYS; /* rad; the first between even looks */
    const double SHORTEST = 1e-3;                      /* of the ball's radius */
    double least = __builtin_inf(), sine, cosine;
    BrVec3 u = {0, 0, 1}, best = u, point;
    for (int k = 0; k < LOOKS; k++) {
        double z = 1 - (2 * k + 1.) / LOOKS, r = bri_sqrt(1 - z * z);
        bri_sincos(GOLDEN * k, &sine, &cosine);
        u = bri_vec(r * cosine, r * sine, z);
        double distance = look_from(wall, body, u, &point);
        if (distance < least) least = distance, best = u, *deepest = point;
    }
    double step = 0.25;
    for (int round = 0; bri_is_finite(least) && step > SHORTEST && round < MOST_ROUNDS; round++, step *= 0.5) {
        BrMat3 E = bri_rotation_frame(best, bri_vec(1, 0, 0));
        for (int k = 0; k < WAYS; k++) {
            bri_sincos(TURN * k, &sine, &cosine);
            BrVec3 way = bri_add(bri_scale(cosine, bri_column(&E, 0)), bri_scale(sine, bri_column(&E, 1)));
            u = bri_add_scaled(bri_column(&E, 2), step, way);
            u = bri_scale(1 / bri_norm(u), u);
            double distance = look_from(wall, body, u, &point);
            if (distance < least) least = distance, best = u, *deepest = point, step *= 2;
            if (best.x == u.x && best.y == u.y && best.z == u.z) break; /* from there once more */
        }
    }
    return bri_is_finite(least);
}

/* From the wall's place nearest to the centre; where that leads nowhere, from the body's deepest point, which also stands
 * where nothing better is found. */
static bool face_ellipsoid(const BriShape *wall, const BriConvex *body, BriWallPlace *place, BrVec3 *point) {
    Facing f;
    bool found = face(wall, body, place->foot, &f) && face_each_other(wall, body, &f);
    if (!found) {
        if (!find_deepest(wall, body, point) || !face(wall, body, *point, &f)) return false;
        *place = f.place;
        found = face_each_other(wall, body, &f);
    }
    if (found) *place = f.place, *point = f.point;
    return true;
}

bool bri_wall_meet(const BriShape *wall, const BriFrame *frame, const BriConvex *body, BriMeeting *meeting) {
    BriConvex local = *body;
    local.centre = bri_mul_t(&frame->axes, bri_sub(body->centre, frame->position));
    local.axes = bri_mat_mul_t(&frame->axes, &body->axes);
    BriWallPlace place;
    BrVec3 point = local.centre;
    if (!bri_wall_project(wall, local.centre, &place)) return false;
    if (body->semi.x + body->semi.y + body->semi.z > 0 && !face_ellipsoid(wall, &local, &place, &point)) return false;
    double apart = bri_dot(place.normal, bri_sub(point, place.foot));
    BrVec3 n = bri_mul(&frame->axes, place.normal);
    meeting->normal = n;
    meeting->gap = apart - body->ball;
    meeting->body_point = bri_add_scaled(bri_add(frame->position, bri_mul(&frame->axes, point)), -body->ball, n);
    meeting->wall_point = bri_add_scaled(meeting->body_point, -meeting->gap, n);
    BrMat3 turned = bri_mat_mul(&frame->axes, &place.bend), back = bri_transpose(&frame->axes);
    meeting->bend = bri_mat_mul(&turned, &back);
    return true;
}

/* The body's radii of curvature, R x. */
static BrVec3 bend_back(const BriConvex *body, BrVec3 n, BrVec3 x) {
    BrMat3 E = bri_rotation_frame(n, bri_vec(1, 0, 0));
    BrVec3 y = bri_scale(body->ball, x);
    if (body->semi.x + body->semi.y + body->semi.z == 0) return y;
    for (int i = 0; i < 2; i++)
        y = bri_add_scaled(y, bri_convex_curvature(body, n, bri_column(&E, i), x), bri_column(&E, i));
    return y;
}

/* 1 + (R + gap) B along the tangents E. */
static void find_fit(const BriMeeting *at, const BriConvex *body, const BrMat3 *E, double A[2][2]) {
    for (int i = 0; i < 2; i++) {
        BrVec3 bent = bri_mul(&at->bend, bri_column(E, i));
        BrVec3 both = bri_add_scaled(bend_back(body, at->normal, bent), at->gap, bent);
        for (int c = 0; c < 2; c++) A[c][i] = (c == i) + bri_dot(bri_column(E, c), both);
    }
}

BriMeetingRates bri_meeting_rates(const BriMeeting *at, const BriConvex *body, const BriCarrier *wall,
                                  const BriCarrier *carrier) {
    BrVec3 n = at->normal, vw = bri_add(wall->v, bri_cross(wall->w, bri_sub(at->wall_point, wall->r)));
    BrVec3 vb = bri_add(carrier->v, bri_cross(carrier->w, bri_sub(at->body_point, carrier->r)));
    BrMat3 E = bri_rotation_frame(n, bri_vec(1, 0, 0));
    BrVec3 turn_w = bri_cross(wall->w, n), turn_b = bri_cross(carrier->w, n);
    BrVec3 right = bri_add(bri_sub(vb, vw), bend_back(body, n, bri_sub(turn_b, turn_w)));
    right = bri_add_scaled(right, -at->gap, turn_w);
    double A[2][2], b[2], s[2];
    find_fit(at, body, &E, A);
    for (int i = 0; i < 2; i++) b[i] = bri_dot(bri_column(&E, i), right);
    if (!solve_two(A, b, s)) s[0] = s[1] = 0; /* surfaces that fit each other: any place is as good */
    BrVec3 travel = bri_add(bri_scale(s[0], bri_column(&E, 0)), bri_scale(s[1], bri_column(&E, 1)));
    BrVec3 turn = bri_add(turn_w, bri_mul(&at->bend, travel));
    BrVec3 other = bend_back(body, n, bri_sub(turn_b, turn));
    return (BriMeetingRates){turn, bri_add(vw, travel), bri_add(vb, other)};
}

bool bri_fit_each_other(const BriMeeting *at, const BriConvex *body) {
    const double FLAT = 1e-9; /* of 1: 1 + R B, the curvatures' sum times R */
    BrMat3 E = bri_rotation_frame(at->normal, bri_vec(1, 0, 0));
    double A[2][2];
    find_fit(at, body, &E, A);
    return !(A[0][0] * A[1][1] - A[0][1] * A[1][0] > FLAT);
}
