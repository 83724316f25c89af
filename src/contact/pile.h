/* pile.h: an island as a network: its bodies as nodes, its contacts, bounds and joints as blocks between two of them.
 * For islands of more than a few rows; those of joints are rows of the same problem there. */
#ifndef BRI_PILE_H
#define BRI_PILE_H

#include "contact/units.h"

typedef struct BriPile BriPile;

BriPile *bri_pile_create(const BrModel *model);
void bri_pile_release(const BrModel *model, BriPile *pile);
/* Bytes of a factor's numbers, where one was cheap enough to be made. */
int64_t bri_pile_factor_bytes(const BriPile *pile);

/* contacts->r of an island anew, that at hand being the guess; contacts->u is what `bodies` do, with offsets. Returns
 * the residual, in tolerances. */
double bri_pile_solve_velocities(BriStep *step, const BriSpan *span, const BriBodyState *bodies,
                                 const BriIsland *island);

/* The same from rest, u = W r + q with contacts->q. */
double bri_pile_solve_from_rest(BriStep *step, const BriIsland *island);

/* W x = c, by rows: c in contacts->q, x into contacts->r; least squares where W is singular. */
void bri_pile_solve_linear(BriStep *step, const BriIsland *island);

#endif
