/* hold.h: friction in bearings at the level of accelerations, for readings and the event formulation; and what a step that
 * is taken leaves of it, whatever the formulation. */
#ifndef BRI_HOLD_H
#define BRI_HOLD_H

#include "dynamics/slide.h"

/* Accelerations into ws->acceleration and all rows' forces into ws->lambda, sliding grips pushing with
 * ws->grip[].force. false: not to the tolerance. */
typedef bool BriAccelerate(void *user);

/* Accelerates until friction and reactions agree, grips sliding or holding as they do. */
bool bri_hold_settle(BriStep *step, const BriBodyState *bodies, BriAccelerate *accelerate, void *user);

/* The same, those that hold too much beginning to slide. */
bool bri_hold_choose(BriStep *step, const BriBodyState *bodies, BriAccelerate *accelerate, void *user);

/* Of a grip on a driven coordinate, its joint's rows, Jb on body b, pushing with `lambda`: friction and what the drive has to
 * give, into its work record. */
void bri_hold_drive(const BriStep *step, int grip, const BriBodyState *bodies, const double *Jb, const double *lambda);

/* What the drive of this coordinate gives, with friction and efficiency; as bri_hold_drive() found it. */
double bri_drive_effort(const BrModel *model, const BrWorkspace *workspace, int joint, int drive, double lambda);

/* What dry friction and a drive's efficiency take, W, with the forces that were settled last; and with viscous friction. */
double bri_hold_power(const BriStep *step, int grip);
double bri_hold_heat(const BriStep *step, const BriBodyState *bodies, int grip);

/* A joint begins to slide or to hold, a lasting contact closes or opens. */
void bri_note_joint_event(BriStep *step, BrEventKind kind, double time, int joint, double before, double after);

/* Grips at the end of a step that is taken, into ws->trial, and their heat into the step's books. */
void bri_grips_accept(BriStep *step);

#endif
