/* lanes.h: islands, each solved for itself: one after the other, or several at once, with the same bits. */
#ifndef BRI_LANES_H
#define BRI_LANES_H

#include "contact/units.h"

/* Solves an island of step->ws->contacts, `asked` being what the caller wants of it. It may write the island's own units
 * and rows, and what belongs to the step and to its workspace's desk. */
typedef void BriSolveIsland(BriStep *step, const BriIsland *island, const void *asked);

typedef struct BriLanes BriLanes;

/* All islands, or those alone whose answer is not exact yet. */
void bri_solve_islands(BriStep *step, bool all, BriSolveIsland *solve, const void *asked);

void bri_lanes_release(const BrModel *model, BriContacts *contacts);

#endif
