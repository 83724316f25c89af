/* bristle/problem.h: assembled contact problems as files, without bodies (formats: those of Siconos' numerics, and
 * FCLIB's HDF5).
 *     u = W r + q,   r in its sets, u answering it:  lcp, mlcp, relay, friction (2-D and 3-D, normal first)
 * Global friction problems, M v = f + H r, u = H^T v + b, become W = H^T M^-1 H, q = b + H^T M^-1 f when they are read. */
#ifndef BRISTLE_PROBLEM_H
#define BRISTLE_PROBLEM_H

#include "bristle/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct BrProblem BrProblem;

/* Reads a file ("-" is standard input), or text that is called `name` in messages. `kind`: "lcp", "mlcp", "relay",
 * "friction" or "global"; NULL: whichever the text can be read as, and a refusal if that is more than one. On refusal `error` has
 * file and line, what was found and what was expected; *problem is NULL. Matrices that the file has as blocks or sparse
 * stay so: thousands of contacts are no matter. `allocator` NULL: malloc and free. */
BR_API BrStatus br_problem_load(const char *path, const char *kind, const BrAllocator *allocator, BrProblem **problem,
                                BrError *error);
BR_API BrStatus br_problem_parse(const char *text, size_t size, const char *name, const char *kind,
                                 const BrAllocator *allocator, BrProblem **problem, BrError *error);
BR_API void br_problem_destroy(BrProblem *problem); /* NULL allowed */

BR_API const char *br_problem_kind(const BrProblem *problem); /* as above */
BR_API int br_problem_rows(const BrProblem *problem);
BR_API int br_problem_contacts(const BrProblem *problem); /* 0 if it is no friction problem */

typedef struct BrSolveDef {
    uint32_t cookie, struct_size; /* of BR_DEFAULT, not to be set */
    double tolerance;             /* of the relative residual; 1e-8 */
    const char *solver; /* NULL: bristle chooses; else only this one, of those of bristle/solver.h that solve files */
} BrSolveDef;

BR_DEFAULT(BrSolveDef, br_default_solve_def, br_start_solve_def)

typedef enum BrVerdict {
    BR_VERDICT_SOLVED,        /* the relative residual is below the tolerance */
    BR_VERDICT_STOPPED_SHORT, /* r is the best that was found */
    BR_VERDICT_NO_SOLUTION    /* proved: `proof` says how */
} BrVerdict;

typedef struct BrSolution {
    BrVerdict verdict;
    const char *solver; /* who gave the answer */
    int iterations;     /* pivots, Newton steps or sweeps, in all */
    double residual;   /* m/s: largest |r - P(r - rho u~)| / rho of a row or contact, rho = rows / trace of its block */
    double relative;   /* |r - P(r - u~)| / |q| over all; absolute if q = 0 */
    int worst;         /* row or contact of `residual`; -1 if there is none */
    const char *proof; /* or what a method stopped at; NULL */
} BrSolution;

/* Solves from r (rows; a guess, zeros are fine) into r and u = W r + q (rows; NULL allowed). BR_OK: solved;
 * BR_NOT_CONVERGED: see the verdict. */
BR_API BrStatus br_problem_solve(const BrProblem *problem, const BrSolveDef *def, double *r, double *u,
                                 BrSolution *solution, BrError *error);

#ifdef __cplusplus
}
#endif

#endif
