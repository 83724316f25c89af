/* polygon.h: Coulomb's cone as a polygon, which makes the contact problem linear. M. Anitescu and F. A. Potra,
 * Nonlinear Dynamics 14 (1997) 231-247, after D. E. Stewart and J. C. Trinkle (1996).
 *
 * r_N = p,  r_T = sum_i beta_i d_i,  d_i the n unit directions at angle + 2 pi i/n in the tangent plane:
 *     0 <= p      _|_  u_N                >= 0
 *     0 <= beta_i _|_  d_i . u_T + gamma  >= 0                                                              (7.11)
 *     0 <= gamma  _|_  mu p - sum_i beta_i >= 0
 * gamma (m/s) is the sliding speed as far as the polygon sees it. The matrix is copositive where W is semidefinite, so
 * Lemke's method ends. A cone in the plane has the two directions +1 and -1, which is exact. Other blocks are kept. */
#ifndef BRI_POLYGON_H
#define BRI_POLYGON_H

#include "problem/problem.h"

/* Rows and blocks of the linear problem; `sides` >= 3. */
int bri_polygon_rows(const BriProblem *problem, int sides);
int bri_polygon_blocks(const BriProblem *problem, int sides);

/* Fills W (rows x rows), q (rows) and block (blocks) and lets *linear point to them. `angle` (rad): per cone in order,
 * the direction of d_0 in its tangent basis; NULL: zero. Sizes as above, with the same `sides`. */
void bri_polygon_build(const BriProblem *problem, int sides, const double *angle, double *W, double *q, BriBlock *block,
                       BriProblem *linear);

/* From an answer z of the linear problem to r of the contact problem. */
void bri_polygon_read(const BriProblem *problem, int sides, const double *angle, const double *z, double *r);
/* From r to a guess z: r_T lies between two directions; gamma from u = W r + q (NULL: zero). */
void bri_polygon_guess(const BriProblem *problem, int sides, const double *angle, const double *r, const double *u,
                       double *z);

/* Of z guessed from an answer with cones inside the polygons: is every contact open, or slower than `still`, m/s? Then it is
 * the polygons' answer too. */
bool bri_polygon_holds(const BriProblem *problem, int sides, const double *z, double still);

#endif
