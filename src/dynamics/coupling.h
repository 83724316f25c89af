/* coupling.h: couplings as rows: what they are off by, their Jacobian and their bias. Their joints stand behind the users'. */
#ifndef BRI_DYNAMICS_COUPLING_H
#define BRI_DYNAMICS_COUPLING_H

#include "dynamics/system.h"

/* m or rad, at poses that turns on from the state's angles for `elapsed` (s) have led to. */
double bri_coupling_error(const BrModel *model, const BriCoupling *coupling, const BrState *angles,
                          const BriBodyState *bodies, double elapsed);

/* The row of a coupling's joint, six numbers each on its bodies a and b and on the two beyond. */
void bri_coupling_row(const BrModel *model, const BrState *angles, const BriBodyState *bodies, int joint,
                      double *part[4]);

/* d/dt(row) v */
double bri_coupling_bias(const BrModel *model, const BriCoupling *coupling, const BrState *angles,
                         const BriBodyState *bodies);

#endif
