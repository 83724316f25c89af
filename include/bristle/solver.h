/* bristle/solver.h: the solvers there are. `bristle solvers` prints this list; BrStepReport and BrSolution name who gave an
 * answer by it, and BrSolveDef asks for one. */
#ifndef BRISTLE_SOLVER_H
#define BRISTLE_SOLVER_H

#include "bristle/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum BrSet {
    BR_SET_FREE = 1, /* u = 0: joints, equalities */
    BR_SET_BOX = 2,  /* lower <= r <= upper: limits, motors, dry joints, LCPs */
    BR_SET_CONE = 4  /* |r_T| <= mu r_N: Coulomb friction, in the plane and in space */
} BrSet;

typedef enum BrSolves {
    BR_SOLVES_STEPS = 1, /* contacts of a step */
    BR_SOLVES_FILES = 2, /* problem files, up to some thousand rows */
    BR_SOLVES_LARGE = 4  /* problem files whose W is sparse, of any size */
} BrSolves;

typedef struct BrSolverInfo {
    const char *name, *help, *reference;
    int sets;   /* sum of BrSet: what it supports */
    int solves; /* sum of BrSolves: where it is asked */
} BrSolverInfo;

/* Weakest first: as they are asked. */
BR_API int br_solver_count(void);
BR_API const BrSolverInfo *br_solver_info(int number);       /* NULL outside the list */
BR_API const BrSolverInfo *br_solver_find(const char *name); /* NULL if there is none */

#ifdef __cplusplus
}
#endif

#endif
