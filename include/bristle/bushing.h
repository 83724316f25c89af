/* bristle/bushing.h: bushings: a spring and a damper in all six directions between two bodies, at one point. */
#ifndef BRISTLE_BUSHING_H
#define BRISTLE_BUSHING_H

#include "bristle/state.h"

#ifdef __cplusplus
extern "C" {
#endif

BR_DECLARE_ID(BrBushingId);

/* Its axes are z along `axis`, x the world's x made perpendicular to it (of an axis along x: y), y completing them; they turn with
 * the first body. u is how far the second body's point is from the first's, phi the rotation vector of the second against the
 * first, rad, both in these axes and zero in the initial pose; |phi| < pi. The energy is (u.K u + phi.K_t phi)/2, what is lost
 * u'.C u' + phi'.C_t phi'. */
typedef struct BrBushingDef {
    uint32_t cookie, struct_size; /* of BR_DEFAULT, not to be set */
    const char *name;
    BrBodyId body_a, body_b;
    BrVec3 at;                                 /* world, in the initial pose */
    BrVec3 axis;                               /* world, any length > 0; default z */
    BrVec3 stiffness, damping;                 /* N/m, N s/m: along x, y, z of its axes; >= 0 */
    BrVec3 torsion_stiffness, torsion_damping; /* N m/rad, N m s/rad: about them */
} BrBushingDef;

BR_DEFAULT(BrBushingDef, br_default_bushing_def, br_start_bushing_def)

/* `id` may be NULL. */
BR_API BrStatus br_model_add_bushing(BrModel *model, const BrBushingDef *def, BrBushingId *id, BrError *error);
BR_API int br_model_bushing_count(const BrModel *model);
BR_API BrBushingId br_model_bushing(const BrModel *model, int number); /* null outside */
BR_API BrBushingId br_model_find_bushing(const BrModel *model, const char *name);
BR_API const BrBushingDef *br_bushing_def(const BrModel *model, BrBushingId id); /* NULL: not of this model */

/* At a state, in its axes: force and torque act on the second body at its point, and are opposite on the first. */
typedef struct BrBushingReading {
    BrVec3 deflection, turn; /* m, rad */
    BrVec3 force, torque;    /* N, N m */
} BrBushingReading;

BR_API BrStatus br_bushing_read(const BrModel *model, const BrState *state, BrBushingId id, BrBushingReading *reading);

#ifdef __cplusplus
}
#endif

#endif
