/* bench_pairs.c: how long it takes to find where two shapes touch. One JSON line per pair of shapes and kind of pose:
 * CPU time per query, and that of the search (GJK, EPA, Newton's method) for the nearest points alone, in the same run.
 * Sizes are 0.2 to 1 m, turned at random; the look-ahead is 0.05 m. Poses:
 *
 *     near      gaps within 5 mm of zero         deep      overlaps of 50 to 200 mm
 *     flat      as near, face over face          apart     gaps of 60 to 300 mm: out of reach
 *
 * Usage: bench_pairs */
#include "../bench.h"

#include "collide/pair.h"
#include "geom/nearest.h"

enum { POSES = 256, ROUNDS = 8, REPEATS = 7 };
static const double REACH = 0.05;

typedef struct Pose {
    BriShape a, b;
    BriFrame frame_a, frame_b;
} Pose;

/* ------------------------------------------------------------------ poses */

static double draw(uint64_t *random, double low, double high) {
    *random = *random * 6364136223846793005U + 1442695040888963407U;
    return low + (high - low) * (double)(*random >> 11) * 0x1p-53;
}

static BrVec3 draw_vec(uint64_t *random, double size) {
    double x = draw(random, -size, size), y = draw(random, -size, size), z = draw(random, -size, size);
    return bri_vec(x, y, z);
}

static BriShape draw_shape(uint64_t *random, BrShapeKind kind) {
    BriShape shape = {.kind = kind, .half = bri_vec(0.6, 0.6, 0.6)};
    shape.half = bri_add(shape.half, draw_vec(random, 0.4));
    shape.radius = draw(random, 0.2, 1);
    shape.half_length = draw(random, 0.2, 1);
    return shape;
}

typedef struct Kind {
    const char *name;
    double low, high; /* m: gaps */
    bool flat;
} Kind;

static Pose draw_pose(uint64_t *random, const BrShapeKind pair[2], const Kind *kind) {
    Pose p = {.a = draw_shape(random, pair[0]), .b = draw_shape(random, pair[1])};
    p.frame_a.axes = bri_rotation_exp(draw_vec(random, 3));
    p.frame_b.axes = bri_rotation_exp(draw_vec(random, 3));
    p.frame_b.position = draw_vec(random, 1);
    if (kind->flat) { /* turned about a's z, and over it */
        BrMat3 turn = bri_rotation_exp(bri_vec(0, 0, draw(random, -3, 3)));
        p.frame_b.axes = bri_mat_mul(&p.frame_a.axes, &turn);
        p.frame_b.position = bri_mul(&p.frame_a.axes, bri_vec(draw(random, -0.3, 0.3), draw(random, -0.3, 0.3), 3));
    }
    double gap = draw(random, kind->low, kind->high);
    for (int k = 0; k < 20; k++) { /* along the normal, until the gap is what it should be */
        BriConvex a = bri_convex_make(&p.a, &p.frame_a), b = bri_convex_make(&p.b, &p.frame_b);
        BriNearest nearest;
        if (!bri_nearest(&a, &b, 1e9, &nearest)) continue;
        p.frame_b.position = bri_add_scaled(p.frame_b.position, gap - nearest.gap, nearest.normal);
    }
    return p;
}

/* ------------------------------------------------------------------ times */

/* Both return something of the answer, so that nothing is left out. */
static double collide(const Pose *p) {
    BriTouch touch[BRI_PATCH];
    int count = bri_collide(&p->a, &p->frame_a, &p->b, &p->frame_b, REACH, touch);
    return count ? touch[0].gap : 0;
}

static double search(const Pose *p) {
    BriConvex a = bri_convex_make(&p->a, &p->frame_a), b = bri_convex_make(&p->b, &p->frame_b);
    BriNearest nearest;
    return bri_nearest_search(&a, &b, REACH, &nearest) ? nearest.gap : 0;
}

/* ns per query: the best of several */
static double measure(const Pose *pose, double (*query)(const Pose *), volatile double *sum) {
    double best = 1e300;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double start = cpu_seconds(), got = 0;
        for (int k = 0; k < ROUNDS * POSES; k++) got += query(&pose[k % POSES]);
        double used = (cpu_seconds() - start) / (ROUNDS * POSES);
        best = used < best ? used : best;
        *sum = got;
    }
    return 1e9 * best;
}

int main(void) {
    static const BrShapeKind PAIRS[][2] = {
        {BR_SHAPE_SPHERE, BR_SHAPE_SPHERE},   {BR_SHAPE_SPHERE, BR_SHAPE_CAPSULE},
        {BR_SHAPE_SPHERE, BR_SHAPE_BOX},      {BR_SHAPE_CAPSULE, BR_SHAPE_CAPSULE},
        {BR_SHAPE_CAPSULE, BR_SHAPE_BOX},     {BR_SHAPE_BOX, BR_SHAPE_BOX},
        {BR_SHAPE_SPHERE, BR_SHAPE_CYLINDER}, {BR_SHAPE_BOX, BR_SHAPE_CYLINDER},
        {BR_SHAPE_BOX, BR_SHAPE_ELLIPSOID},   {BR_SHAPE_ELLIPSOID, BR_SHAPE_ELLIPSOID}};
    static const Kind KINDS[] = {{"near", -0.005, 0.005, false},
                                 {"flat", -0.005, 0.005, true},
                                 {"deep", -0.2, -0.05, false},
                                 {"apart", 0.06, 0.3, false}};
    static Pose pose[POSES];
    volatile double sum = 0;
    for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++)
        for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
            uint64_t random = 1;
            for (int n = 0; n < POSES; n++) pose[n] = draw_pose(&random, PAIRS[i], &KINDS[k]);
            double ns = measure(pose, collide, &sum), ns_search = measure(pose, search, &sum);
            printf("{\"a\":\"%s\",\"b\":\"%s\",\"pose\":\"%s\",\"ns\":%.0f,\"ns_search\":%.0f}\n",
                   br_shape_info(PAIRS[i][0])->name, br_shape_info(PAIRS[i][1])->name, KINDS[k].name, ns, ns_search);
            fflush(stdout);
        }
    return 0;
}
