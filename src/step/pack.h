/* pack.h: moving bodies as a column of numbers, for integrators of ordinary differential equations:
 * r (3), A (9, by rows), v (3), w (3) per moving body. */
#ifndef BRI_PACK_H
#define BRI_PACK_H

#include "dynamics/workspace.h"

enum { BRI_PACKED = 18 };

/* Rotations are made exact on the way. */
void bri_pack_bodies(const BrModel *model, const BriBodyState *bodies, double *y);
/* Bodies that do not move freely stand where their motions have them at time t. */
void bri_unpack_bodies(const BriStep *step, const double *y, double t, BriBodyState *bodies);
/* d/dt of the column, with accelerations (six per body, all bodies). */
void bri_pack_rates(const BrModel *model, const BriBodyState *bodies, const double *acceleration, double *dy);

/* The rotation nearest to a matrix that is nearly one. */
BrMat3 bri_straighten(const BrMat3 *rotation);

#endif
