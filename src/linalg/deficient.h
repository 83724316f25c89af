/* deficient.h: W x = b where rows of W depend on each other, as those of four corners on one floor do, and W need not be
 * symmetric. Of all answers the one with z.x = 0 for every z with z W = 0: for symmetric W the shortest; of loads the
 * ones that equal springs under all places would have. It is exact, and smooth where W is, which no small number added
 * to the diagonal makes it. */
#ifndef BRI_DEFICIENT_H
#define BRI_DEFICIENT_H

#include "base/base.h"

/* x: b in, the answer out. Destroyed: W (n x n), b (n, scratch). places: 3 n. false: no such answer is the only one, x
 * is none. */
bool bri_solve_deficient(double *W, int n, double *x, double *b, int *places);

#endif
