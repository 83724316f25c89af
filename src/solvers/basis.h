/* basis.h: answers to free and box rows from a guess of where each row stands: what pivoting looks for, and what
 * makes the answers of tableaus exact again. */
#ifndef BRI_BASIS_H
#define BRI_BASIS_H

#include "problem/problem.h"

typedef enum BriPlace { BRI_AT_LOWER, BRI_AT_UPPER, BRI_INSIDE } BriPlace; /* inside: u = 0; free rows are always so */

/* A box or free block's bounds; -infinity, infinity for free rows. */
double bri_lower_bound(const BriBlock *block);
double bri_upper_bound(const BriBlock *block);

/* Is every block free or a box? */
bool bri_has_boxes_only(const BriProblem *problem);

/* r of the places (per row): bounds where they say so, u = 0 elsewhere, by LU with two steps of refinement. Where the
 * matrix is singular, (A + d I) x' = d x - b is iterated instead, which leads to an answer of A x = -b if there is
 * one and A is semidefinite. `scratch`: bri_basis_scratch(rows). false: numbers that are not finite. */
bool bri_basis_solve(const BriProblem *problem, const unsigned char *place, double *r, double *scratch);
size_t bri_basis_scratch(int rows);

/* The places that r and u = W r + q speak for: where the projection of r - rho u lies. */
void bri_read_places(const BriProblem *problem, const double *r, const double *u, unsigned char *place);

/* The places of r and u = W r + q, then bri_basis_solve from there; keeps the better of the two answers, in r,
 * and returns its certificate. `scratch`: bri_polish_scratch(rows). */
BriCertificate bri_polish(const BriProblem *problem, double *r, double *scratch);
size_t bri_polish_scratch(int rows);

#endif
