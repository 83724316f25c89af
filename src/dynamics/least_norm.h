/* least_norm.h: of the joints' impulses that do the same to the bodies, the shortest.
 *
 * The factor leaves dependent rows out; they span the null space of J^T, N = [e_k + answer of the other rows]. The
 * shortest is lambda + N z with N^T N z = -N^T lambda, by conjugate gradients, each product with N or N^T being one
 * solve (5.2). */
#ifndef BRI_LEAST_NORM_H
#define BRI_LEAST_NORM_H

#include "dynamics/system.h"

/* `lambda`: of all rows, the factor's pose being theirs. `scratch`: four times as many. */
void bri_shorten(const BrModel *model, BriSystem *system, double *scratch, double *lambda);

#endif
