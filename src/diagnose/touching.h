/* touching.h: one contact by numbers, and the steps it allows. */
#ifndef BRI_TOUCHING_H
#define BRI_TOUCHING_H

#include "diagnose/growth.h"

typedef struct BriTouching {
    const BrLaw *normal, *friction;
    double stiffness;                         /* N/m^p */
    double memory[BRI_NORMAL_MEMORY];         /* of the normal law, since the touch */
    double load;                              /* N, at rest */
    double speed;                             /* m/s, of an impact; 0: none */
    double normal_mobility, tangent_mobility; /* kg^-1 */
} BriTouching;

typedef struct BriTouchingLimits {
    double largest_step; /* s */
    double slow_step;    /* s: of touches at the law's floor, come to rest; infinite: the law has none */
    double impact_time;  /* s: of an impact, or half a swing at rest; infinite: neither */
    const char *what;    /* "sigma_1 in stick": what sets the largest step */
    double rate;         /* 1/s, of what sets it */
    bool swings;         /* else it decays */
} BriTouchingLimits;

BriTouchingLimits bri_touching_limits(const BriTouching *touching, BrScheme scheme);

/* How many substeps of dt: at most half of the largest step, and at least 16 per impact. */
int bri_recommend_substeps(double dt, double largest_step, double impact_time);

#endif
