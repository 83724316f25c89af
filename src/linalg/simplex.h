/* simplex.h: numbers x >= 0 with A x = d, and the most that a linear function of them can be: the simplex method with
 * Bland's rule, for a few dozen rows. Nothing allocates. */
#ifndef BRI_SIMPLEX_H
#define BRI_SIMPLEX_H

#include "base/base.h"

enum { BRI_SIMPLEX_ROWS = 24, BRI_SIMPLEX_COLUMNS = 272 };

typedef struct BriSimplex {
    int rows, columns;
    int basis[BRI_SIMPLEX_ROWS]; /* per row the column that is basic there; >= columns: none yet */
    double T[BRI_SIMPLEX_ROWS][BRI_SIMPLEX_COLUMNS + 1]; /* the last column is d */
} BriSimplex;

/* The caller has filled rows, columns and T = (A d), whose entries should be near 1. false: there is no such x. */
bool bri_simplex_begin(BriSimplex *simplex);
/* After that: the x at hand; */
void bri_simplex_point(const BriSimplex *simplex, double *x);
/* the most that g.x can be, and an x where it is; infinite: there is no most. */
double bri_simplex_most(BriSimplex *simplex, const double *g);

#endif
