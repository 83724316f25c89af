/* grip.h: friction in the bearings of joints: what presses there, and how much friction that bears. Pure functions of one
 * joint; who slides and who sticks is decided by the formulations (slide.h, contact/gripped.c, step/hold.c). */
#ifndef BRI_GRIP_H
#define BRI_GRIP_H

#include "dynamics/joint.h"

/* What a joint's holding rows do to body b: force (N, or N s) and torque about the bearings' centre, world axes. */
typedef struct BriHeld {
    BrVec3 force, torque;
    double thread; /* of the row of a screw, along the axis */
    BrVec3 axis;   /* unit: of the pin, the guide, the thread; world */
    BrMat3 frame;  /* joint frame on a, world */
} BriHeld;

/* Of one grip; the joint's rows push with p, of which those of its drives are left out. Jb: its rows' part of body b.
 * friction: what all grips of the joint exert, N or N s, by rows; the second pin's behind the first's. */
BriHeld bri_grip_held(const BriJoint *joint, const BriGrip *grip, const BriJointPose *pose, const double *Jb,
                      const double *p, const double *friction);

/* What presses, and the friction that it bears: N, or N s. */
typedef struct BriGripLoad {
    double normal[2];    /* at both bearings of a pin or ends of a guide; of a ball and a thread the first alone */
    double thrust;       /* on the collar */
    double lower, upper; /* of the friction of one row; of several: |f| <= upper */
} BriGripLoad;

/* friction: of this grip, by rows: it takes its part of what the bearings carry. preload: N, or N s. */
BriGripLoad bri_grip_load(const BriJoint *joint, const BriGrip *grip, const BriHeld *held, const double *friction,
                          double mu, double preload);

/* What a hinge bears, N or N s: the same as `upper` and -lower of the above, in the axes of its frame on a, `frame`, without what
 * presses where. */
double bri_hinge_bears(const BriJoint *joint, const BrMat3 *frame, const double *p, double mu, double preload);

/* The most by which what `more` adds to the impulses of a hinge's rows changes what it bears (10.12), N or N s. Of other
 * joints friction has a part of its own in their loads. */
double bri_grip_reach(const BriJoint *joint, const double *more, double mu);

/* mu up to which it holds, and while it slides (m/s), its surfaces having settled as a state says. */
static inline double bri_grip_holds(const BriJoint *j, const BriGripState *state) {
    return bri_bearing_holds(&j->def.friction.law, state->dwell);
}
static inline double bri_grip_slides(const BriJoint *j, double speed, const BriGripState *state) {
    return bri_bearing_slides(&j->def.friction.law, speed, state->dwell);
}
/* m/s: over such slips friction is smoothed; 0: it holds. */
static inline double bri_grip_width(const BriJoint *j) { return bri_bearing_width(&j->def.friction.law); }

/* Length of a grip's rows together. */
static inline double bri_grip_size(const BriGrip *grip, const double *x) {
    double sum = 0;
    if (grip->rows == 1) return bri_abs(x[0]);
    for (int r = 0; r < grip->rows; r++) sum += x[r] * x[r];
    return bri_sqrt(sum);
}

#endif
