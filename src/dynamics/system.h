/* system.h: the whole machine's constraints: Jacobian, saddle matrix, its factor and solves.
 *
 *     | M  J^T | | dv |   | 0 |
 *     | J   0  | |-p  | = | c |      that is   J M^-1 J^T p = c,   dv = M^-1 J^T p                              (5.1)
 *
 * One column of numbers per row p (impulses), six per moving body (dv: linear in world axes, angular in body axes). */
#ifndef BRI_SYSTEM_H
#define BRI_SYSTEM_H

#include "dynamics/joint.h"
#include "linalg/block_ldl.h"

typedef struct BriJacobian {
    double *a, *b;   /* rows x 6: the parts of each joint's body a and body b */
    double *more[2]; /* couplings x 6: the parts of the bodies that these have beyond */
} BriJacobian;

/* The bodies that a row of a joint has parts on, and these parts, six numbers each. */
typedef struct BriRowEnds {
    int count; /* 2; of couplings up to 4 */
    int body[4];
    const double *part[4];
} BriRowEnds;

static inline BriRowEnds bri_row_ends(const BrModel *m, const BriJacobian *J, int joint, int row) {
    const BriJoint *j = &m->joint[joint];
    BriRowEnds ends = {2, {j->a, j->b}, {J->a + 6 * row, J->b + 6 * row}};
    for (int i = 0; j->coupling && i < 2; i++) {
        if (j->coupling->more[i] < 0) continue;
        ends.body[ends.count] = j->coupling->more[i];
        ends.part[ends.count++] = J->more[i] + 6 * (joint - bri_own_joints(m));
    }
    return ends;
}

/* Rows whose drives have changed their minds since the factor was made (switched.h). */
enum { BRI_SWITCHES = 12 };
typedef struct BriSwitch {
    int joint, row;
    bool comes;   /* it is not in the factor; else it leaves it */
    double scale; /* of its row and column of S */
} BriSwitch;

typedef struct BriSwitches {
    int slots; /* rows whose response is known, */
    BriSwitch one[BRI_SWITCHES];
    double *response;                /* of each, as long as x; NULL: no drive ever changes its mind */
    int count, active[BRI_SWITCHES]; /* and those that differ from the factor now */
    double S[BRI_SWITCHES * BRI_SWITCHES];
    int pivot[BRI_SWITCHES];
} BriSwitches;

typedef struct BriSystem {
    BriBlockLdl ldl;
    int *edge_a, *edge_b;      /* per joint: edge to its body, or -1 */
    int *edge_more[2];         /* per coupling: edges to the bodies beyond these, or -1 */
    BriJacobian J;             /* at the pose of the factor: directions of forces */
    BriJacobian C;             /* where conditions are asked, when that is another pose */
    BriBodyState *factor_pose; /* the poses J and the factor belong to */
    unsigned char *factor_off; /* per joint, bits: rows that are off, switches being counted */
    BriSwitches switches;
    unsigned char *dependent; /* per joint, bits: rows left out because they follow from others */
    int dependent_rows;
    bool factored;
    int weights;   /* what stands in the untouched pivots: 0 nothing yet, 1 masses, 2 sizes */
    double *soft;  /* per lasting contact: how far its row yields to an impulse, in (5.1), 1/kg; who changes it forgets
                           the factor */
    double *yield; /* per row, where there are servos: how far it yields to an impulse, likewise, */
    double *give;  /* and which part of that is its bodies': what its rate is off by counts so much */
    double *x;     /* right-hand side and solution of (5.1) */
    int factorizations; /* counted for the report */
} BriSystem;

BrStatus bri_system_create(const BrModel *model, BriSystem *system, BrError *error);
void bri_system_release(const BrModel *model, BriSystem *system);

/* The rows of one joint with its drives, rows x 6 for each body. */
void bri_system_joint_rows(const BrModel *model, const BrState *angles, const BriBodyState *bodies, int joint,
                           double *Ja, double *Jb);

/* J at a pose; angles are measured near those of `angles`. */
void bri_system_jacobian(const BrModel *model, const BrState *angles, const BriBodyState *bodies, BriJacobian *J);

/* Jacobian and factor at a pose, with clamped motors' rows (in `angles`) left out; nothing is done if it is there. */
void bri_system_factor(const BrModel *model, BriSystem *system, const BrState *angles, const BriBodyState *bodies);

/* Was the factor at hand made at this pose, whatever rows have been switched since? */
bool bri_system_is_made_at(const BrModel *model, const BriSystem *system, const BriBodyState *bodies);

/* Redundant rows of a joint, rows of clamped motors and grips and of contacts that are not held, as bits. */
unsigned bri_system_off_rows(const BrModel *model, const BrState *angles, int joint);

/* Finds the rows that follow from the other joints' at a pose, and notes them in `state`. Rank is geometry: the factor
 * used has no masses, only sizes, so that light and heavy bodies can share a loop. */
void bri_system_find_rank(const BrModel *model, BriSystem *system, BrState *state, const BriBodyState *bodies);

/* x <- K^-1 x, as block_ldl.h has it, but with the rows that are on now. */
void bri_system_solve_loads(const BrModel *model, const BriSystem *system, double *x);

/* Does the factor, as it was made, hold a row of a joint? */
static inline bool bri_system_has_row(const BrModel *model, const BriSystem *system, int joint, int row) {
    return !(system->ldl.off[model->moving + joint] >> (row - model->joint[joint].first_row) & 1);
}
/* The same, where rows that are off push along D with `push`, by rows, as well; those of drives alone count. x: what rows are
 * asked for, bodies zero; `ask`: some that are no switches are. Rows that have left the factor, or come into it, cost no
 * solve (5.4a). */
void bri_system_solve_pushed(const BrModel *model, const BriSystem *system, const BriJacobian *D, const double *push,
                             bool ask, double *x);

/* Solves (5.1): p in, as c; p out. dv is left in system->x, six per moving body. Rows left out give zero. */
void bri_system_solve(const BrModel *model, BriSystem *system, double *p);

/* Position errors of all rows at `time`, as far after the turns of `angles` were counted as it is after their time; rows without a position level give zero. */
void bri_system_errors(const BrModel *model, const BrState *angles, const BriBodyState *bodies, double time,
                       double *error);

/* Wanted rates of all rows (drives; zero for the others), and wanted accelerations. */
void bri_system_targets(const BrModel *model, const BrState *state, double time, double *target);
void bri_system_target_rates(const BrModel *model, const BrState *state, double time, double *target);

/* rate = J v, of all rows; of one joint's. */
void bri_system_rates(const BrModel *model, const BriJacobian *J, const BriBodyState *bodies, double *rate);
void bri_system_joint_rates(const BrModel *model, const BriJacobian *J, const BriBodyState *bodies, int joint,
                            double *rate);

/* The same of one row. */
double bri_system_row_rate(const BrModel *model, const BriJacobian *J, const BriBodyState *bodies, int joint, int row);

/* v += M^-1 J^T p on moving bodies, for joint j's rows alone. */
void bri_system_push(const BrModel *model, const BriJacobian *J, int joint, const double *p, BriBodyState *bodies);

/* The same of the rows of its drives alone. */
void bri_system_push_drives(const BrModel *model, const BriJacobian *J, int joint, const double *p,
                            BriBodyState *bodies);

/* x += factor J_row^T on the two bodies of a joint. */
void bri_system_add_row(const BrModel *model, const BriJacobian *J, int joint, int row, double factor, double *x);

/* v += x, six numbers per moving body. */
void bri_system_add(const BrModel *model, const double *x, BriBodyState *bodies);

/* Row of a drive of a joint. */
static inline int bri_drive_row(const BriJoint *j, int drive) {
    return j->first_row + j->type->info.constraints + drive;
}

#endif
