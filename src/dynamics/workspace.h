/* workspace.h: scratch of one thread, and what a step in the making needs. */
#ifndef BRI_WORKSPACE_H
#define BRI_WORKSPACE_H

#include "base/budget.h"
#include "bristle/step.h"
#include "dynamics/grip.h"
#include "dynamics/system.h"

#include <string.h>

typedef struct BriContacts BriContacts;

/* What a step in the making does with a limit: not known yet, left out as too far away, or asked in any case. */
typedef enum BriLimitCall { BRI_LIMIT_UNKNOWN, BRI_LIMIT_LEFT_OUT, BRI_LIMIT_ASKED } BriLimitCall;

/* A grip in the making of a step or a reading. */
typedef struct BriGripWork {
    double force[3];   /* N: friction on b, by rows; before a solve: a guess */
    double slip[3];    /* m/s: at which it is asked for */
    BriGripLoad load;  /* N s, or N in readings; */
    double mu;         /* with which it bears that */
    double nothing;    /* N s: less friction moves nothing that could be measured; 0 in readings */
    double mu_s, mu_k; /* up to which it holds; with which it slides, where that is the same for each slip */
    double limit;      /* N: the most that friction can be, the last time; */
    double change;     /* N: by how much that changed, */
    int growths;       /* how often that grew, one time after the other */
    bool jams;         /* friction that grows by itself: it holds */
    double freed;      /* BriClamp of the slide that it was before it was to hold, in this solve; 0: none */
    bool returned;     /* the same: it went back to that slide once, */
    bool barred;       /* and cannot hold any more; or no solve came to an end when it was to */
    double share;      /* of what its bearings bear: what it holds */
    bool moves;        /* it has slipped since it was let go */
    bool was_off;      /* event, smooth: it slid before it was asked anew */
    bool slides;       /* timestepping: as far as the step has come, */
    double first[3];   /* m/s: its slip when the step began, */
    double start[3];   /* timestepping and smooth: when the part of the step at hand did */
    double began[3];   /* the same of event: friction past a slide's end is as if it went on; else 0 */
    int bound;         /* the first of its rows among the bounds; -1: it has none */
    double heat;       /* J: of the step */
    double asked[3], answered[3], last_asked[3]; /* N: of friction and reactions in search of each other, */
    bool has_last;                               /* the last two being there */
    double effort, wasted; /* of a driven one, N or N m: what its drive gives; W: what is lost of that by efficiency */
    BriJointPose pose;     /* of its joint, where it is asked for */
} BriGripWork;

/* A motor that is a spring and a damper of its coordinate (servo.h). */
typedef struct BriServo {
    int row;                   /* among all; -1: it is none */
    double stiffness, damping; /* N m/rad, N m s/rad; of slides N/m, N s/m */
    double mobility;           /* 1/(kg m^2) or 1/kg: of its coordinate where the model begins, joints holding */
    int fast;                  /* in the solve at hand: it is driven at its largest speed, up or down; else 0 */
    double target;             /* rad/s or m/s: what its row is asked for, */
    double push;               /* N m or N: or, pushing, its effort */
} BriServo;

struct BrWorkspace {
    uint64_t fingerprint;
    BriSystem system;
    BrState *trial;                                          /* the state after the step, until it is accepted */
    BriBodyState *bodies;                                    /* a second set of poses and velocities */
    BriBodyState *free;                                      /* velocities before constraints act, to go back to */
    double *f, *f_old;                                       /* generalized forces, 6 per moving body */
    double *error, *target, *target_old, *rate, *p, *p_step; /* per row */
    bool *is_rate_row;                                       /* per row: has no position level */
    bool has_rate_rows;
    double *flow;                            /* of the event and compliant formulations, made when they first run, */
    size_t flow_size;                        /* with room for so many */
    BriContacts *contacts;                   /* without room where nothing touches */
    BriBodyState *part_start, *impact_start; /* where a part of a step began; before an impact */
    unsigned char *redundant;                /* per joint, bits: what a step in the making takes for redundant */
    BriLimitCall *limit_call;                /* per bound */
    BriGripWork *grip;                       /* per grip */
    BriServo *servo;                         /* per motor; without room where none is a servo */
    double *was_clamp, *told_clamp;    /* per motor, BriClamp: before the law was asked; when that was told last */
    double *share;                     /* per body: the largest of its grips' */
    double *kept;                      /* 6 per moving body: velocities before a slide is tried to hold */
    unsigned char *changes, *was_held; /* per lasting contact: in the part at hand; when it began */
    double *normal_force;              /* N, the same */

    BrStepReport report; /* of steps whose caller wants none, and of all else that asks for one */

    /* of the last br_evaluate() */
    bool evaluated;
    double *acceleration;               /* 6 per body: linear world, angular body axes */
    BrWrench *reaction, *reaction_mean; /* per joint, world axes, on body b */
    BrMat3 *joint_axes;                 /* per joint: frame on a, world */
    double *lambda;                     /* per row */
    double *cg;                         /* 4 sets of rows: least-norm search */
};

/* One step in the making: from `start` (not touched) to ws->trial. */
typedef struct BriStep {
    const BrModel *model;
    BrWorkspace *ws;
    const BrState *start;
    const BrStepDef *def;
    BrError *error; /* of a refusal */
    BriBudget *budget;
    double h;
    bool motor_rows;   /* motors with bounds are rows of the contact problem, */
    bool grip_rows;    /* and so are grips */
    bool keeps_bounds; /* event and compliant: limits and friction of joints are the same rows all through the step */
    double position_tolerance, velocity_tolerance;
    BrStepReport *report;              /* the caller's, or the workspace's where nobody asks */
    double worst;                      /* residual over tolerance of report.worst_joint */
    const char *worst_name;            /* of that joint, or of a coupling it is the first of; NULL: of neither yet */
    double least_bounce;               /* m/s: slower approaches are below what the scheme can tell from rest */
    double solving_work;               /* operations that contacts have taken: all between their begin and end, */
    double solving_from;               /* which is what was spent since it was so much (contact/units.h) */
    const int *group;                  /* per body: the group of bodies that may meet it, -1: none has it */
    int only;                          /* the group at hand, if there is `group` (contact/groups.c) */
    const unsigned char *asleep;       /* per body: it sleeps through the step; NULL: none does (contact/sleep.c) */
    bool woke_late;                    /* some woke on the way: what was made of the step is thrown away */
    bool has_other_way;                /* another scheme stands by: hard contact problems are given up early */
    double polygon_times;              /* tolerances: residual of the linear problems behind polygonal friction */
    double contact_loss, contact_work; /* J: for the books */
    double corrected;                  /* J: see BrStepReport */
    double start_contact_energy;       /* J: stored in contacts when the step began */
    const uint64_t *parting;           /* keys of contacts that part in this step, whatever else they could do, */
    int partings;                      /* so many: of several answers the one that hybrid chose (step/hybrid.c) */
    double rubbed;                     /* by what part friction has changed, as the step's first solve has seen it */
    bool slips_known;                  /* those of grips where the step began */
    double counted;                    /* s: through so much of it the joints' turns have been counted */
} BriStep;

static inline bool bri_sleeps(const BriStep *step, int body) { return step->asleep && step->asleep[body]; }

/* Does a body sleep, or is it of another group than the one at hand? Then it stays as it is. */
static inline bool bri_is_put_aside(const BriStep *step, int body) {
    if (bri_sleeps(step, body)) return true;
    return step->group && step->group[body] >= 0 && step->group[body] != step->only;
}

/* A report as it was before a try that is thrown away: all but the list of events, which only grows. */
typedef struct BriReportMark {
    unsigned char head[offsetof(BrStepReport, event)];
    double worst;
} BriReportMark;

/* Its list of events is as long as `events` says: what stands behind that is nothing. */
static inline void bri_report_clear(BrStepReport *report) { memset(report, 0, offsetof(BrStepReport, event)); }

BriReportMark bri_report_mark(const BriStep *step);
/* Only the iterations stay counted. */
void bri_report_rewind(BriStep *step, const BriReportMark *mark);

/* Numbers the contacts at hand, for br_contact() (contact/read.c). */
void bri_number_contacts(BrWorkspace *workspace);

/* ws->flow with room for `size` doubles; NULL: no memory. */
double *bri_make_flow(const BrModel *model, BrWorkspace *workspace, size_t size);

/* Tolerances that rounding allows at the start state's size and speed. */
void bri_step_set_tolerances(BriStep *step);

#endif
