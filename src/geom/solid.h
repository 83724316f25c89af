/* solid.h: how much room a shape fills, and how it is spread. */
#ifndef BRI_SOLID_H
#define BRI_SOLID_H

#include "geom/shape.h"

typedef struct BriSolid {
    double volume; /* m^3; 0: it has none */
    BrVec3 centre; /* m: of its volume (a disc: of its area), in the shape's frame */
    BrMat3 spread; /* m^2: the mean of (p - centre) (p - centre)^T over it */
} BriSolid;

/* false: nothing can be spread over it: what it encloses has no end, or it is a wall that is touched from inside. */
bool bri_shape_solid(const BriShape *shape, BriSolid *solid);

#endif
