/* hybrid.h: which model makes the next step of the formulation hybrid (hybrid.c). */
#ifndef BRI_HYBRID_H
#define BRI_HYBRID_H

#include "step/verdict.h"

/* How the next step is made. */
typedef struct BriHybridPlan {
    BrStepDef def;                  /* as timestepping or as compliant has it */
    int partings;                   /* contacts that part in it, */
    uint64_t parting[BRI_PARTINGS]; /* their keys */
    int tellings;
    BrEvent
        told[BRI_PARTINGS]; /* for the step's report, when it is made: what was chosen, or that it begins compliant */
} BriHybridPlan;

/* From this state. */
void bri_hybrid_plan(const BrModel *model, BrWorkspace *workspace, const BrState *state, const BrStepDef *def,
                     BriHybridPlan *plan);
void bri_hybrid_tell(BrStepReport *report, const BriHybridPlan *plan);

/* After a step that was taken: does the next one need the other model? Then the state goes over, if that is within the work
 * that a step may take. */
void bri_hybrid_switch(const BrModel *model, BrWorkspace *workspace, BrState *state, const BrStepDef *def,
                       BrStepReport *report);

/* def as one of its two parts has it. */
BrStepDef bri_hybrid_def(const BrModel *model, const BrStepDef *def, bool compliant);

#endif
