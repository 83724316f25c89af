/* mobility.h: how easily a body gives way where one of its shapes touches. */
#ifndef BRI_MOBILITY_H
#define BRI_MOBILITY_H

#include "dynamics/workspace.h"
#include "model/model.h"

/* kg^-1: the largest eigenvalue of W = J M^-1 J^T over the contacts of one side; 0 for bodies that cannot be pushed. */
typedef struct BriMobility {
    int contacts;                   /* most of one side: 4 for faces, 2 for edges, else 1 */
    double one_normal, one_tangent; /* a single contact */
    double normal, tangent;         /* `contacts` of them, each as stiff */
} BriMobility;

/* The worst of 26 directions from which something may come; of sides, the worst of six. */
BriMobility bri_shape_mobility(const BrModel *model, int shape);

/* The factor of the joints where the state is, which is copied to ws->trial; motors hold nothing. */
void bri_hold_joints(const BrModel *model, BrWorkspace *workspace, const BrState *state);

/* Adds a force (world) at a point to a load of the moving bodies. */
void bri_add_force(const BrModel *model, const BriBodyState *bodies, int body, BrVec3 point, BrVec3 force,
                   double *load);

/* How two bodies give way to each other at a point (world), the joints holding: rows and columns are two tangents and
 * n, kg^-1. The workspace's factor must be that of `bodies`; its x is what a unit force along n does, the joints' rows
 * included. */
void bri_held_matrix(const BrModel *model, BrWorkspace *workspace, const BriBodyState *bodies, const int ends[2],
                     BrVec3 point, BrVec3 n, double W[3][3]);

/* Does a joint hold this body? */
bool bri_body_is_held(const BrModel *model, int body);
/* The same: along n, and at most across it. */
void bri_held_mobility(const BrModel *model, BrWorkspace *workspace, const BriBodyState *bodies, const int ends[2],
                       BrVec3 point, BrVec3 n, double *normal, double *tangent);

#endif
