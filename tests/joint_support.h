/* joint_support.h: what the tests of rotations, factors and joints share: random things from a fixed seed, and checks
 * that say how far off a number was. Include after cmocka.h. */
#ifndef JOINT_SUPPORT_H
#define JOINT_SUPPORT_H

#include "math/so3.h"

#include <math.h>

typedef struct Random {
    uint64_t state; /* not 0 */
} Random;

static inline uint64_t next_random(Random *r) { /* xorshift64* (Vigna 2016) */
    r->state ^= r->state >> 12;
    r->state ^= r->state << 25;
    r->state ^= r->state >> 27;
    return r->state * UINT64_C(2685821657736338717);
}

static inline double draw(Random *r, double low, double high) {
    return low + (high - low) * ((double)(next_random(r) >> 11) * 0x1p-53);
}
/* low..high, both included */
static inline int draw_int(Random *r, int low, int high) {
    return low + (int)(next_random(r) % (uint64_t)(high - low + 1));
}
static inline BrVec3 draw_vec(Random *r, double size) {
    double x = draw(r, -size, size), y = draw(r, -size, size), z = draw(r, -size, size);
    return bri_vec(x, y, z);
}
static inline BrVec3 draw_unit(Random *r) {
    for (;;) {
        BrVec3 v = draw_vec(r, 1);
        double n = bri_norm(v);
        if (n > 0.1 && n < 1) return bri_scale(1 / n, v);
    }
}
static inline BrMat3 draw_rotation(Random *r) {
    BrVec3 axis = draw_unit(r);
    return bri_rotation_exp(bri_scale(draw(r, -3.1, 3.1), axis));
}

static inline void check_close(double value, double expected, double tolerance, const char *what, const char *file,
                               int line) {
    if (fabs(value - expected) <= tolerance) return;
    print_error("%s: %.17g, expected %.17g, off by %.3g, allowed %.3g\n", what, value, expected, value - expected,
                tolerance);
    _fail(file, line);
}
#define assert_close(value, expected, tolerance) check_close(value, expected, tolerance, #value, __FILE__, __LINE__)

static inline double vec_distance(BrVec3 a, BrVec3 b) { return bri_norm(bri_sub(a, b)); }

/* Largest entry of |A - B|. */
static inline double mat_distance(const BrMat3 *A, const BrMat3 *B) {
    double worst = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) worst = fmax(worst, fabs(A->m[i][j] - B->m[i][j]));
    return worst;
}

#endif
