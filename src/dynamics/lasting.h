/* lasting.h: lasting contacts (evolving contact: the points of touch are unknowns): their row, and their friction.
 *
 * Fang and Negrut write seven conditions for the six coordinates of the two points of touch and the bodies' poses: the points
 * coincide, the normals are opposite, both points are on their surfaces. Six of them find the points where the bodies
 * stand (geom/wall.h); the one left is a gap along the common normal, and a row of the machine like any joint's. */
#ifndef BRI_LASTING_H
#define BRI_LASTING_H

#include "dynamics/joint.h"
#include "geom/wall.h"

/* Where the surfaces of a contact meet. */
typedef struct BriPlace {
    BrVec3 point_a, point_b; /* m, world */
    BrVec3 normal;           /* unit, from a to b */
    double gap;              /* m; infinite: they meet nowhere */
    BriMeeting meeting;
    BriConvex body; /* the one that is no wall */
} BriPlace;

BriPlace bri_lasting_place(const BriJoint *joint, const BriBodyState *a, const BriBodyState *b);

/* The gap's second derivative with all accelerations zero. */
double bri_lasting_bias(const BriJoint *joint, const BriJointPose *pose);

/* How far all seven conditions are from holding at the points of a state: root of the sum of squares, m or 1. */
double bri_lasting_violation(const BriJoint *joint, const BriLastingState *state, const BriBodyState *a,
                             const BriBodyState *b);

/* Depth under a force, and its slope (m/N): Hertz's (N/K)^(2/3), linear where it is slight, and so for pulls. */
double bri_lasting_depth(const BriJoint *joint, double force, double *slope);
double bri_lasting_push(const BriJoint *joint, double gap);     /* N: the force that has this depth; 0 for gaps */
double bri_lasting_energy(const BriJoint *joint, double force); /* J */

/* Looks at contacts that are not known yet: closed ones, of a gap that is `slight` at most, are held. Those of other formulations are forgotten. */
void bri_lasting_begin(const BrModel *model, BrState *state, const BriBodyState *bodies);
void bri_lasting_forget(const BrModel *model, BrState *state);

/* Friction of the contacts of `state`, at places of `bodies`, onto the forces f. */
void bri_lasting_forces(const BrModel *model, const BrState *state, const BriBodyState *bodies, double *f);

/* What contacts did over a part of a step, J. */
typedef struct BriLastingWork {
    double heat;   /* of friction */
    double put_in; /* by bodies that are moved, against friction */
} BriLastingWork;

/* Contacts after a part of a step, h long, that ended at `bodies`: their points, and the friction of the next part, by the
 * force (N) that each had. */
BriLastingWork bri_lasting_follow(const BrModel *model, BrState *state, const BriBodyState *bodies, double h,
                                  const double *normal_force);

/* The tangential mobility of a contact where its bodies stand, joints aside: 1/kg, and that of turns in 1/(kg m^2). */
typedef struct BriLastingMobility {
    double slide, roll, spin;
} BriLastingMobility;
BriLastingMobility bri_lasting_mobility(const BrModel *model, const BriLasting *lasting);

#endif
