/* bristle/coupling.h: couplings between the coordinates of two joints: gears, racks, screws, belts. A coupling is one
 * exact constraint, like a joint's rows; it transmits without loss. Coordinates are measured from the initial pose, and
 * angles count turns (not those of universal joints, which cannot be coupled). */
#ifndef BRISTLE_COUPLING_H
#define BRISTLE_COUPLING_H

#include "bristle/step.h"

#ifdef __cplusplus
extern "C" {
#endif

BR_DECLARE_ID(BrCouplingId);

/* With q the coordinates of the first and the second joint: */
typedef enum BrCouplingType {
    BR_COUPLING_GEAR,  /* q1 = ratio q2 + offset: both angles, or both slides */
    BR_COUPLING_RACK,  /* q2 = radius q1 + offset: the first is an angle, the second a slide */
    BR_COUPLING_SCREW, /* q2 = lead/(2 pi) q1 + offset: likewise */
    BR_COUPLING_BELT,  /* radius q1 = radius_b q2 + offset: both angles, same sense; crossed: opposite sense */
    BR_COUPLING_TYPES
} BrCouplingType;

typedef struct BrCouplingDef {
    uint32_t cookie, struct_size; /* of BR_DEFAULT, not to be set */
    const char *name;
    BrCouplingType type;
    BrJointId joint_a, joint_b;     /* two different joints, or two coordinates of one */
    int coordinate_a, coordinate_b; /* which of their coordinates */
    double ratio;                   /* gear: not zero; negative: wheels that mesh outside */
    double radius, radius_b;        /* m, not zero: rack: of the pitch circle (negative: the other sense); belt: > 0 */
    double lead;                    /* m per turn, not zero: screw */
    bool crossed;                   /* belt */
    double offset;                  /* rad or m; belt: m */
} BrCouplingDef;

BR_DEFAULT(BrCouplingDef, br_default_coupling_def, br_start_coupling_def) /* a gear of ratio 0, to be set */

/* `id` may be NULL. */
BR_API BrStatus br_model_add_coupling(BrModel *model, const BrCouplingDef *def, BrCouplingId *id, BrError *error);

BR_API int br_model_coupling_count(const BrModel *model);
BR_API BrCouplingId br_model_coupling(const BrModel *model, int number); /* null outside */
BR_API BrCouplingId br_model_find_coupling(const BrModel *model, const char *name);
BR_API const BrCouplingDef *br_coupling_def(const BrModel *model, BrCouplingId id); /* NULL: not of this model */

/* What a coupling does at a state. Efforts act on the second body of each joint, towards larger coordinates, and are opposite on
 * the first, as those of motors. What goes in at one end comes out at the other: effort_a rate_a + effort_b rate_b = 0. */
typedef struct BrCouplingReading {
    double error;              /* m or rad: q1 - ratio q2 - offset, and the like */
    double effort_a, effort_b; /* N m, of slides N, on both coordinates */
    double power;              /* W: that goes from the second to the first coordinate, effort_a rate_a */
} BrCouplingReading;

/* Of the last br_evaluate(), which was of this state; redundant constraints share the load with the least norm. */
BR_API BrStatus br_coupling_read(const BrModel *model, const BrWorkspace *workspace, const BrState *state,
                                 BrCouplingId id, BrCouplingReading *reading);

/* What there is, for scene files and lists of words. */
typedef struct BrCouplingInfo {
    const char *name; /* in scene files */
    const char *help;
    bool angle_a, angle_b; /* the coordinate is an angle; gears: both may be slides instead */
} BrCouplingInfo;

BR_API const BrCouplingInfo *br_coupling_info(BrCouplingType type); /* NULL outside the list */

#ifdef __cplusplus
}
#endif

#endif
