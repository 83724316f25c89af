/* start.h: joints to where they start, and the rest of the machine with them. */
#ifndef BRI_START_H
#define BRI_START_H

#include "dynamics/constrain.h"

/* Does any joint say where it starts, or how fast? */
bool bri_has_starts(const BrModel *model);

/* In the trial state, whose joints are closed in the pose that they are defined in: machines whose bodies still stand in `given` as
 * they are defined are put where their joints start, with the rates that these start with. */
BrStatus bri_start_joints(BriStep *step, const BriBodyState *given, BrError *error);

#endif
