/* bristle/mass.h: mass, centre of mass and inertia of bodies that are made of shapes.
 *
 *     BrMass all = {0}, part;
 *     br_shape_mass(&rim, 7800, &part, &error);        a shape of steel, where its definition has it
 *     all = br_mass_add(all, part);
 *     ...
 *     br_body_def_set_mass(&body, &all);               mass, inertia, and the centre of mass as the body's position
 *
 * Each shape counts with all of its volume: what two of them share is counted twice. */
#ifndef BRISTLE_MASS_H
#define BRISTLE_MASS_H

#include "bristle/contact.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of something with an origin and axes of its own. */
typedef struct BrMass {
    double mass;    /* kg */
    BrVec3 centre;  /* m: centre of mass, from the origin */
    BrMat3 inertia; /* kg m^2, about the centre of mass */
} BrMass;

/* A shape filled with so much per volume (kg/m^3, > 0), in the axes that its position_body and rotation_body are given in.
 * Its body and material are not looked at. Refused: shapes without volume, which are points, discs, planes, quadrics,
 * functions, and walls that are touched from inside. A revolution is closed by flat faces where its ends lie off the axis. */
BR_API BrStatus br_shape_mass(const BrShapeDef *def, double density, BrMass *mass, BrError *error);
/* The same of a known mass (kg, > 0), spread evenly over the volume, over the area of a disc, or at a point. */
BR_API BrStatus br_shape_mass_given(const BrShapeDef *def, double kilograms, BrMass *mass, BrError *error);

/* Both together, in the same axes; by parallel axes. */
BR_API BrMass br_mass_add(BrMass a, BrMass b);
/* The same with all masses times `factor`. */
BR_API BrMass br_mass_scale(BrMass mass, double factor);
/* The same seen from other axes, in which the old ones stand at `position` (m), turned by `rotation` (old to new). */
BR_API BrMass br_mass_move(BrMass mass, BrVec3 position, const BrMat3 *rotation);

/* Mass and inertia into a definition whose pose is that of the axes that `mass` is told in, the body's frame. Its position is that
 * of the centre of mass afterwards, and frame_body leads back. Shapes, and points in body axes, still count from the
 * centre of mass: subtract mass->centre from what is given in the frame. */
BR_API void br_body_def_set_mass(BrBodyDef *def, const BrMass *mass);

#ifdef __cplusplus
}
#endif

#endif
