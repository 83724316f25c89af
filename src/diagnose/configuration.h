/* configuration.h: how far a contact's bodies are from a pose in which a slide presses itself. */
#ifndef BRI_CONFIGURATION_H
#define BRI_CONFIGURATION_H

#include "contact/contact.h"

/* To first order; negative: that it takes to leave. Infinite: none does; NaN: not told. */
typedef struct BriConfiguration {
    double turn; /* rad: body b about the place of touch */
    BrVec3 axis; /* unit, world: the axis that takes least */
    double move; /* m: body b along the surface of a */
    BrVec3 way;  /* unit, world: the way that takes least */
} BriConfiguration;

/* Of one contact between bodies that no joint holds. `slip`: its velocity if friction goes against it, else zero; mu that holds. */
BriConfiguration bri_find_configuration(const BriStep *at, const BriContact *contact, BrVec3 slip, double mu);

#endif
