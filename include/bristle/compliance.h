/* bristle/compliance.h: compliant contact by numbers: which inner steps are stable, and which parameters to begin with.
 */
#ifndef BRISTLE_COMPLIANCE_H
#define BRISTLE_COMPLIANCE_H

#include "bristle/contact.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ stable steps */

/* Of the formulation compliant. The inner step is dt/substeps. */
typedef struct BrStability {
    double inner_step;   /* s */
    double largest_step; /* s: a larger one makes some contact swing or tremble; infinite: nothing touches, or the
                            adaptive scheme finds its own */
    BrShapeId shape_a, shape_b; /* that set it; null: none */
    char why[200];              /* "ball/plane: sigma_1 in stick decays at 17500 1/s"; empty: none */
    double slow_step;   /* s: where touches at the floor of the law gonthier come to rest; a larger one leaves them
                           trembling, with speeds below floor e/d; infinite: there is no such law */
    double impact_time; /* s: of the shortest impact to be expected, without losses, or half a swing at rest; infinite:
                           none */
    double steps_per_impact; /* at this inner step; infinite: none */
    int least_substeps;      /* that are stable at this dt and scheme */
    int substeps;            /* to be recommended: half of the largest step, and 16 steps per impact */
} BrStability;

/* Looks at each pair of shapes that may meet, by itself, as it is now: the depth under the weight of the heavier body
 * (or the present force), the depth of an impact at the speed of its approach, with what it gains by falling across the
 * gap, friction in stick under that weight. How easily a body gives way at a contact is bounded by its shape's corners
 * and ends; on joints it is what they leave where it is now. Springs are br_analyse()'s. */
BR_API BrStatus br_stability(const BrModel *model, BrWorkspace *workspace, const BrState *state, const BrStepDef *def,
                             BrStability *stability, BrError *error);

/* ------------------------------------------------------------------ parameters to begin with */

/* What is known of a contact. The stiffness comes from `depth`, or from youngs_modulus, poissons_ratio and radius. */
typedef struct BrSuggestDef {
    uint32_t cookie, struct_size;          /* of BR_DEFAULT, not to be set */
    double mass, mass_b;                   /* kg; mass_b is infinite for a fixed body */
    double load;                           /* N, at rest; 0: 9.81 m/s^2 times mass */
    double depth;                          /* m, allowed under the load */
    double youngs_modulus, poissons_ratio; /* Pa; of both bodies alike */
    double radius;                         /* m: 1/R = 1/R_a + 1/R_b */
    double restitution;                    /* 0.01 to 1 */
    double mu_s, mu_k;                     /* mu_s >= mu_k */
    double speed;                          /* m/s, of an impact */
    double dt;                             /* s */
} BrSuggestDef;

typedef struct BrSuggestion {
    BrLaw normal, friction;  /* gonthier with Hertz's exponent, dwell; parameters have three digits */
    double load, depth;      /* N, m: at rest */
    double deflection;       /* m: of the bristles where they begin to slide under the load */
    double impact_depth;     /* m, at the speed given */
    double impact_force;     /* N, the largest */
    double impact_time;      /* s */
    double largest_step;     /* s: stable with rk4 */
    int substeps;            /* of rk4 at dt: half of the largest step, and 16 steps per impact */
    double steps_per_impact; /* with them */
} BrSuggestion;

/* 1 kg on a fixed body, e = 0.5, mu = 0.3, 1 m/s, 1 ms */
BR_DEFAULT(BrSuggestDef, br_default_suggest_def, br_start_suggest_def)
BR_API BrStatus br_suggest(const BrSuggestDef *def, BrSuggestion *suggestion, BrError *error);

/* What a built model knows of two materials that meet: the lightest bodies, the largest weight, their moduli or a depth
 * of a thousandth of the smallest shape, restitution (0.1 at least: less takes very small steps) and friction; the
 * impact is that of a fall by the size of the smallest shape. BR_INVALID_ARGUMENT if no shapes of these may meet. */
BR_API BrStatus br_suggest_for(const BrModel *model, BrMaterialId a, BrMaterialId b, BrSuggestDef *def, BrError *error);

/* How two materials meet; NULL if nothing is said about it. */
BR_API const BrSurface *br_material_surface(const BrModel *model, BrMaterialId a, BrMaterialId b);

#ifdef __cplusplus
}
#endif

#endif
