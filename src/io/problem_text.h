/* problem_text.h: a contact problem as it was read: W dense by rows or sparse, q, and one block per row or contact. */
#ifndef BRI_PROBLEM_TEXT_H
#define BRI_PROBLEM_TEXT_H

#include "bristle/problem.h"
#include "io/problem_matrix.h"

struct BrProblem {
    BrAllocator allocator;
    const char *kind;
    int contacts;
    double *W;          /* NULL: W is sparse */
    BriSparseRoom room; /* of a sparse W */
    double *q;
    BriBlock *block;
    BriProblem problem; /* point to these; without W if it is sparse, */
    BriSparse sparse;   /* without all but rows, q and blocks if it is not */
};

/* Steps of reading, for all formats: q and blocks of as many rows each; W from its entries; W and q of a global problem,
 * q being b. false: refused. */
bool bri_problem_start(BriTokens *t, int rows, int blocks, BrProblem *p);
bool bri_problem_build(BriTokens *t, const BriEntries *W, BrProblem *p);
bool bri_problem_condense(BriTokens *t, const BriGlobal *global, BrProblem *p);

/* An HDF5 file of FCLIB, the text being its bytes. */
bool bri_problem_read_fclib(BriTokens *t, BrProblem *p);

/* As bri_problem_judge, of either. */
BriCertificate bri_file_judge(const BrProblem *problem, const double *r, double *u);

#endif
