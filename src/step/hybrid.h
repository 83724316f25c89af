/* hybrid.h: which model makes the next step of the formulation hybrid (hybrid.c). */
#ifndef BRI_HYBRID_H
#define BRI_HYBRID_H

#include "step/schemes.h"

/* What the step from this state is made by: `def` as timestepping or as compliant has it. *why: an event, if a motion
 * begins with the latter; for the step's report, when it is made. */
BrStepDef bri_hybrid_part(const BrModel *model, BrWorkspace *workspace, const BrState *state, const BrStepDef *def,
                          BrEvent *why);
void bri_hybrid_note_first(BrStepReport *report, const BrEvent *why);

/* After a step that was taken: does the next one need the other model? Then the state goes over, if that is within the work
 * that a step may take. */
void bri_hybrid_switch(const BrModel *model, BrWorkspace *workspace, BrState *state, const BrStepDef *def,
                       BrStepReport *report);

/* def as one of its two parts has it. */
BrStepDef bri_hybrid_def(const BrModel *model, const BrStepDef *def, bool compliant);

#endif
