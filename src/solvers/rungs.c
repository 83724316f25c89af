/* rungs.c: the solvers there are, weakest first: `bristle solvers`, `--solver`, error texts and reports read this list. */
#include "solvers/solvers.h"

#include <string.h>

enum { ROWS = BR_SET_FREE | BR_SET_BOX, ALL = BR_SET_FREE | BR_SET_BOX | BR_SET_CONE };

static const BrSolverInfo RUNGS[] = {
    {"guess", "nothing has changed: the impulses of the step before", "warm start", ALL, BR_SOLVES_STEPS},
    {"row", "one row alone: a clamp", "closed form", ROWS, BR_SOLVES_STEPS},
    {"cone", "one contact alone: the exact Coulomb cone", "closed form; Halley's method on the angle of the slip",
     BR_SET_CONE, BR_SOLVES_STEPS | BR_SOLVES_FILES},
    {"pivoting", "rows with bounds: all that are wrong change sides at once", "Judice and Pires 1992", ROWS,
     BR_SOLVES_STEPS | BR_SOLVES_FILES},
    {"newton", "all contacts at once; dense, or sparse for large files", "Alart and Curnier 1991", ALL,
     BR_SOLVES_STEPS | BR_SOLVES_FILES | BR_SOLVES_LARGE},
    {"sweeps", "contact after contact, each exactly (block Gauss-Seidel); dense, or sparse for large files",
     "Jean and Moreau 1992 (NSCD)", ALL, BR_SOLVES_STEPS | BR_SOLVES_FILES | BR_SOLVES_LARGE},
    {"lemke", "rows with bounds where pivoting cycles; may prove that there is no answer", "Lemke 1965", ROWS,
     BR_SOLVES_STEPS | BR_SOLVES_FILES},
    {"enumeration", "few rows with bounds: all complementary sets, an answer or the proof that there is none",
     "Murty 1988", ROWS, BR_SOLVES_FILES},
    {"network newton", "piles: all bodies, joints and contacts at once, sparse LU",
     "Alart and Curnier 1991; Kelley and Keyes 1998", ALL, BR_SOLVES_STEPS},
    {"augmented", "piles let go at once: augmented Lagrangians in velocities, sparse Cholesky",
     "Alart and Curnier 1991; Rockafellar 1976", ALL, BR_SOLVES_STEPS},
    {"network sweeps", "piles: sweeps without a matrix", "Jean and Moreau 1992 (NSCD)", ALL, BR_SOLVES_STEPS},
    {"proximal", "large files in which much slides: Newton with a proximal point", "Rockafellar 1976", ALL,
     BR_SOLVES_FILES | BR_SOLVES_LARGE},
};

int br_solver_count(void) { return BRI_COUNT(RUNGS); }

const BrSolverInfo *br_solver_info(int number) {
    return number >= 0 && number < BRI_COUNT(RUNGS) ? &RUNGS[number] : NULL;
}

static int find_rung(const char *name) {
    for (int i = 0; name && i < BRI_COUNT(RUNGS); i++)
        if (strcmp(name, RUNGS[i].name) == 0) return i;
    return -1;
}

const BrSolverInfo *br_solver_find(const char *name) { return br_solver_info(find_rung(name)); }

const char *bri_stronger_solver(const char *a, const char *b) {
    if (a == b || !b) return a;
    return !a || find_rung(b) > find_rung(a) ? b : a;
}
