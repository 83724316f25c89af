/* definite.h: can the difference of two answers have energy? A proof for any number of contacts, however they depend on
 * each other. */
#ifndef BRI_DEFINITE_H
#define BRI_DEFINITE_H

#include "base/budget.h"
#include "modes/contact_modes.h"

typedef enum BriDefinite {
    BRI_DEFINITE_NOT,    /* not shown */
    BRI_DEFINITE_SHARED, /* no more than one acceleration, for every b; loads may be shared */
    BRI_DEFINITE_ONE     /* one answer for every b */
} BriDefinite;

/* `modes` is prepared, or scaled. scratch: bri_definite_scratch() doubles. The work that it takes is spent. */
BriDefinite bri_prove_definite(const BriModeView *modes, double *scratch, BriBudget *budget);
/* About an answer (alone.c): is it the only one? drag: of each contact at rest friction per normal force. */
bool bri_prove_definite_about(const BriModeView *modes, const double (*drag)[2], double *scratch, BriBudget *budget);
size_t bri_definite_scratch(int contacts);
/* Operations of it, roughly. */
double bri_definite_work(int contacts);

#endif
