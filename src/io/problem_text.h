/* problem_text.h: a contact problem as it was read: W dense by rows or sparse, q, and one block per row or contact. */
#ifndef BRI_PROBLEM_TEXT_H
#define BRI_PROBLEM_TEXT_H

#include "bristle/problem.h"
#include "problem/sparse.h"

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

/* As bri_problem_judge, of either. */
BriCertificate bri_file_judge(const BrProblem *problem, const double *r, double *u);

#endif
