/* problem_text.h: a contact problem as it was read: W dense by rows, q, and one block per row or contact. */
#ifndef BRI_PROBLEM_TEXT_H
#define BRI_PROBLEM_TEXT_H

#include "bristle/problem.h"
#include "problem/problem.h"

struct BrProblem {
    BrAllocator allocator;
    const char *kind;
    int contacts;
    double *W, *q;
    BriBlock *block;
    BriProblem problem; /* points to these */
};

#endif
