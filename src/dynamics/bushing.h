/* bushing.h: what bushings push with, store and lose. */
#ifndef BRI_BUSHING_H
#define BRI_BUSHING_H

#include "model/state.h"

void bri_bushings_push(const BrModel *model, const BriBodyState *bodies, double *f);
double bri_bushings_energy(const BrModel *model, const BriBodyState *bodies); /* J */
/* W that dampers take; *work: what moved bodies put in is added. */
double bri_bushings_loss(const BrModel *model, const BriBodyState *bodies, double *work);

#endif
