/* bristle/shape.h: the shapes bodies touch with. `bristle shapes` prints the same table. */
#ifndef BRISTLE_SHAPE_H
#define BRISTLE_SHAPE_H

#include "bristle/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum BrShapeKind {
    BR_SHAPE_POINT,
    BR_SHAPE_SPHERE,
    BR_SHAPE_PLANE,
    BR_SHAPE_BOX,
    BR_SHAPE_CAPSULE,
    BR_SHAPE_CYLINDER,
    BR_SHAPE_DISC,
    BR_SHAPE_ELLIPSOID,
    BR_SHAPE_TUBE,
    /* curved walls: they touch what has one nearest point: points, spheres, ellipsoids */
    BR_SHAPE_BOWL,
    BR_SHAPE_TORUS,
    BR_SHAPE_GROOVE,
    BR_SHAPE_QUADRIC,
    BR_SHAPE_EXTRUSION,
    BR_SHAPE_REVOLUTION,
    BR_SHAPE_FUNCTION, /* in C only */
    BR_SHAPE_KINDS
} BrShapeKind;

/* What a shape's definition may say beside where it is. */
typedef enum BrShapeField {
    BR_SHAPE_SIZE,
    BR_SHAPE_SEMI_AXES,
    BR_SHAPE_RADIUS,
    BR_SHAPE_LENGTH,
    BR_SHAPE_RING_RADIUS,
    BR_SHAPE_COEFFICIENTS,
    BR_SHAPE_POINTS
} BrShapeField;

typedef struct BrShapeParameter {
    BrShapeField field;
    const char *key;  /* in scene files */
    const char *unit; /* "m", or "": pure numbers */
    const char *help;
} BrShapeParameter;

typedef struct BrShapeInfo {
    const char *name;
    const char *help;
    const char *axis; /* "axis" or "normal": the key that turns the shape's z; NULL: it has none */
    bool convex;
    int parameters;
    BrShapeParameter parameter[2];
} BrShapeInfo;

BR_API const BrShapeInfo *br_shape_info(BrShapeKind kind); /* NULL outside the list */

/* A surface of one's own: g(p), 0 on it, negative in what is solid, with its gradient and its (symmetric) Hessian; p in the
 * shape's axes, m. It must give the same numbers for the same p, and be twice differentiable where it is touched. */
typedef double (*BrSurfaceFunction)(void *user, BrVec3 p, BrVec3 *gradient, BrMat3 *hessian);

/* Can these two kinds touch each other? If not, *why (NULL allowed) is a phrase for a message. */
BR_API bool br_shapes_collide(BrShapeKind a, BrShapeKind b, const char **why);

#ifdef __cplusplus
}
#endif

#endif
