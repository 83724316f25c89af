/* mobility.h: how easily a body gives way where one of its shapes touches. */
#ifndef BRI_MOBILITY_H
#define BRI_MOBILITY_H

#include "model/model.h"

/* kg^-1: the largest eigenvalue of W = J M^-1 J^T over the contacts of one side; 0 for bodies that cannot be pushed. */
typedef struct BriMobility {
    int contacts;                   /* most of one side: 4 for faces, 2 for edges, else 1 */
    double one_normal, one_tangent; /* a single contact */
    double normal, tangent;         /* `contacts` of them, each as stiff */
} BriMobility;

/* The worst of 26 directions from which something may come; of sides, the worst of six. */
BriMobility bri_shape_mobility(const BrModel *model, int shape);

#endif
