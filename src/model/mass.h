/* mass.h: masses of shapes, with memory from where it is wanted. */
#ifndef BRI_MASS_H
#define BRI_MASS_H

#include "bristle/mass.h"

/* br_shape_mass() of a density, or, where that is 0, br_shape_mass_given() of `kilograms`. */
BrStatus bri_shape_mass(const BrShapeDef *def, double density, double kilograms, const BrAllocator *allocator,
                        BrMass *mass, BrError *error);

#endif
