/* alone.h: is an answer that was found the only one under its load? */
#ifndef BRI_ALONE_H
#define BRI_ALONE_H

#include "base/budget.h"
#include "modes/answers.h"

/* `modes` is prepared, or scaled, with faces and places. scratch: bri_alone_scratch() doubles. The work that it takes is spent. */
bool bri_prove_alone(const BriModeView *modes, const BriAnswerView *answer, double *scratch, BriBudget *budget);
size_t bri_alone_scratch(int contacts);
/* The same of few contacts. */
bool bri_is_alone(const BriModes *modes, const BriModeAnswer *answer);

#endif
