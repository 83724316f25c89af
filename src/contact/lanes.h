/* lanes.h: islands, each solved for itself: one after the other, or several at once, with the same bits. */
#ifndef BRI_LANES_H
#define BRI_LANES_H

#include "contact/units.h"

/* Solves an island of step->ws->contacts. It may write its own units and rows, and what belongs to the step and its
 * workspace's desk; of `asked` it is told by the caller. */
typedef void BriSolveIsland(BriStep *step, const BriIsland *island, const void *asked);

typedef struct BriLanes BriLanes;

/* All islands, or those alone whose answer is not exact yet. */
void bri_solve_islands(BriStep *step, bool all, BriSolveIsland *solve, const void *asked);

void bri_lanes_release(const BrModel *model, BriContacts *contacts);

#endif
