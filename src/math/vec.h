/* vec.h: 3-vectors and 3x3 matrices, by value. */
#ifndef BRI_VEC_H
#define BRI_VEC_H

#include "bristle/base.h"
#include "math/elementary.h"

static inline BrVec3 bri_vec(double x, double y, double z) { return (BrVec3){x, y, z}; }
static inline BrVec3 bri_add(BrVec3 a, BrVec3 b) { return bri_vec(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline BrVec3 bri_sub(BrVec3 a, BrVec3 b) { return bri_vec(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline BrVec3 bri_neg(BrVec3 a) { return bri_vec(-a.x, -a.y, -a.z); }
static inline BrVec3 bri_scale(double s, BrVec3 a) { return bri_vec(s * a.x, s * a.y, s * a.z); }
/* a + s b */
static inline BrVec3 bri_add_scaled(BrVec3 a, double s, BrVec3 b) {
    return bri_vec(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
static inline double bri_dot(BrVec3 a, BrVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline BrVec3 bri_cross(BrVec3 a, BrVec3 b) {
    return bri_vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double bri_norm(BrVec3 a) { return bri_sqrt(bri_dot(a, a)); }
static inline double bri_max(double a, double b) { return a > b ? a : b; }
static inline double bri_min(double a, double b) { return a < b ? a : b; }

static inline bool bri_vec_is_finite(BrVec3 a) {
    return bri_is_finite(a.x) && bri_is_finite(a.y) && bri_is_finite(a.z);
}

static inline BrMat3 bri_identity(void) { return (BrMat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}; }
static inline BrMat3 bri_diagonal(double a, double b, double c) { return (BrMat3){{{a, 0, 0}, {0, b, 0}, {0, 0, c}}}; }

/* M a */
static inline BrVec3 bri_mul(const BrMat3 *M, BrVec3 a) {
    return bri_vec(M->m[0][0] * a.x + M->m[0][1] * a.y + M->m[0][2] * a.z,
                   M->m[1][0] * a.x + M->m[1][1] * a.y + M->m[1][2] * a.z,
                   M->m[2][0] * a.x + M->m[2][1] * a.y + M->m[2][2] * a.z);
}
/* M^T a */
static inline BrVec3 bri_mul_t(const BrMat3 *M, BrVec3 a) {
    return bri_vec(M->m[0][0] * a.x + M->m[1][0] * a.y + M->m[2][0] * a.z,
                   M->m[0][1] * a.x + M->m[1][1] * a.y + M->m[2][1] * a.z,
                   M->m[0][2] * a.x + M->m[1][2] * a.y + M->m[2][2] * a.z);
}
/* A B */
static inline BrMat3 bri_mat_mul(const BrMat3 *A, const BrMat3 *B) {
    BrMat3 C;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C.m[i][j] = A->m[i][0] * B->m[0][j] + A->m[i][1] * B->m[1][j] + A->m[i][2] * B->m[2][j];
    return C;
}
/* A^T B */
static inline BrMat3 bri_mat_mul_t(const BrMat3 *A, const BrMat3 *B) {
    BrMat3 C;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C.m[i][j] = A->m[0][i] * B->m[0][j] + A->m[1][i] * B->m[1][j] + A->m[2][i] * B->m[2][j];
    return C;
}
static inline BrMat3 bri_transpose(const BrMat3 *A) {
    BrMat3 C;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) C.m[i][j] = A->m[j][i];
    return C;
}
static inline BrVec3 bri_column(const BrMat3 *A, int j) { return bri_vec(A->m[0][j], A->m[1][j], A->m[2][j]); }
static inline BrMat3 bri_from_columns(BrVec3 x, BrVec3 y, BrVec3 z) {
    return (BrMat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}

#endif
