/* contact.h: the contacts of a step in the making: found, turned into rows, solved, remembered.
 *
 * A contact has three rows: normal n and tangents t1, t2 of its frame; where it resists rolling and spinning three more,
 * of the turn about t1, t2 and n; a joint's limit or dry friction has one. Each row is twelve numbers, six per body
 * (velocity in world axes, angular velocity in body axes). C: where conditions are asked, D: along which impulses push;
 * in moreau the same, in hem2 of two poses. */
#ifndef BRI_CONTACT_H
#define BRI_CONTACT_H

#include "collide/broad.h"
#include "collide/pair.h"
#include "dynamics/constrain.h"
#include "solvers/solvers.h"

enum { BRI_ROW = 12, BRI_DENSE_ROWS = 600, BRI_FEW_ROWS = 36, BRI_JOINTED_ROWS = 120, BRI_SOME_ROWS = 150 };
enum { BRI_TOUCHES = 1024 };   /* pairs that several threads look at, at a time: some 300 bytes each */
enum { BRI_HALF_WIDTH = 240 }; /* scalars of a path in the machines' factor: forty joints and bodies */

/* Slip below this counts as none (7.17), m/s. */
#define BRI_SLIP 1e-9
/* Joints carry a contact's normal: its mobility is less than this part of what its bodies would have alone. */
#define BRI_CARRIED 1e-12
/* A gap below this counts as closed, m. */
#define BRI_CLOSED 1e-9
/* A step that makes more overlap than this part of the smaller body's extent is too long: half of what can be seen. */
#define BRI_THROUGH 0.005

/* A contact, as records of one owner and one lifetime each. */

/* A place (BriTouch) without its normal, which is that of the contact's frame, and its feature, which stays. */
typedef struct BriTouched {
    BrVec3 point_a, point_b;
    double gap;
} BriTouched;

/* What was found: which shapes, and where they touch at the pose asked last. Written by find.c. */
typedef struct BriFound {
    int shape_a, shape_b, a, b; /* a, b: bodies; if one cannot be pushed it is a, else the earlier one */
    int hold;                   /* number of its BriHold */
    uint16_t feature;           /* of the touch; keys have no more room for it */
    bool fixed_a : 1;           /* a cannot be pushed */
    bool still_a : 1;           /* a does not move either */
    bool runs : 1;              /* a surface of the two runs over its body */
    const BriSurface *surface;
    double nothing;   /* m: gaps and overlaps of this size are none */
    double start_gap; /* m, where it was found */
    BrMat3 frame;     /* columns n, t1, t2 there */
    BriTouched touch;
    BrVec3 belt; /* m/s, world: how surface b runs over its body, less that of a */
} BriFound;

/* Where it was found, in body axes (of a still a: world; normal: as a): for features that vanish. Written by find.c. */
typedef struct BriHold {
    BrVec3 a, b, normal;
} BriHold;

/* What the state remembers of the step before. Written by find.c, constant within the step. */
typedef struct BriRemembered {
    bool known;     /* else it is new, and all else is zero but: */
    bool sliding;   /* when the step began */
    bool landing;   /* it was open: it comes down anew, or the last step left it an approach (7.16) */
    BrVec3 impulse; /* N s, world */
} BriRemembered;

/* Which of Coulomb's cases holds, as far as the step has come. Written by bri_contact_set_slip() and the scheme. */
typedef struct BriContactMode {
    bool closed;          /* takes part in hem2's solves, and in the event formulation's */
    bool parts;           /* hybrid chose the answer in which it parts: takes no part */
    bool idle;            /* event: closed by joints that carry it, and without load */
    bool slid;            /* when the part of the step at hand began, as the last answer had it */
    bool sliding;         /* with mu_k against `slip` */
    bool holds_direction; /* event: it began to slide just now, without any slip yet, along `direction` */
    bool slow;            /* event: it slides so slowly that friction turns it at once (7.45) */
    double mu;            /* that holds */
    BrVec3 slip;          /* m/s, world, tangential */
    BrVec3 direction;     /* unit, world */
} BriContactMode;

/* What the solve at hand is asked for. Written by the scheme before each solve. */
typedef struct BriAsked {
    bool active;             /* takes part */
    bool left_out;           /* the scheme asks nothing of it in its solves: it is open, and stays so */
    bool carried;            /* joints carry its normal: it shares their load. Written by bri_units_share() */
    bool one_row;            /* the normal row alone, its impulse pushing along n - drag direction */
    bool rolls, spins;       /* rows of moments that take part */
    bool limited;            /* friction of the box, or of a law with rows of its own, */
    bool bounded;            /* which is two rows with bounds, `limits`, in the solve at hand */
    double normal_offset;    /* m/s: the condition is u_N + offset >= 0 */
    double drag;             /* mu of a slide whose direction is known, or 0 */
    BrVec3 direction;        /* that: unit, world */
    BriFrictionRows *limits; /* of those that are limited */
    BrMat3 *push_frame;      /* the frame of D where it is of another pose than `at.frame`; else NULL */
} BriAsked;

/* An impact: what is asked, and what its solves need to know (impact.c). */
typedef struct BriHit {
    bool counts;   /* approaches fast enough to count as an impact */
    bool slid;     /* before the solve */
    BrVec3 before; /* m/s: b against a before the solve */
} BriHit;

/* The phases of an impact by an impulse law. Written by phases.c. */
typedef struct BriPhase {
    BrVec3 given;    /* N s: what they gave so far, and of these: */
    double wanted;   /* N s: normal impulse of compression, or J: its work; what restitution gives back is of this */
    double back;     /* the same, that restitution has given */
    double rate;     /* m/s: normal velocity when the phase at hand began */
    double softness; /* m/s per N s: how it answered in the last phase, */
    double first_softness; /* in compression */
} BriPhase;

/* What the last solve answered. */
typedef struct BriAnswered {
    double p[3]; /* N s (or N) in push_frame */
    BrVec3 push; /* the same, world, on b */
    BrVec3 u;    /* m/s, world: b against a after the solve, with belt, without offsets */
    BrVec3 load; /* N s, world, on b: of the last solve that took time and was certified, or of the step before; what
                    the next solve begins with (contacts->load_over) */
    double part; /* of the way from `load` to this answer that the next guess goes (7.55) */
} BriAnswered;

/* A place that pushed within the step and is open now, or not found any more (pushed.c). */
typedef struct BriGone {
    uint64_t key;
    BrVec3 impulse, moment; /* N s, N m s: of the step so far, on b, world */
} BriGone;

/* What has come together since the step began. */
typedef struct BriSum {
    BrVec3 total;  /* N s, world: all impulses */
    double stored; /* J: held by bristles, which slip has bent */
} BriSum;

/* What the tries of a part go back to, and are compared with; hem2. */
typedef struct BriTry {
    double start_rate;               /* m/s: of the gap when the part began */
    double last_gap;                 /* m: at the end of the last try */
    BrVec3 start_slip;               /* m/s: the mode's, when the part began */
    bool start_slides, start_closed; /* the same */
} BriTry;

/* Of the formulation compliant (compliant_flow.c). */
typedef struct BriSoftContact {
    bool live;                     /* touches, and its memory counts */
    double stiffness;              /* N/m^p */
    BriContactMemory memory, rate; /* where the motion was read last, and its rates there */
    BrVec3 normal_rate;            /* 1/s: n' */
    double stored, lost;           /* J, W */
} BriSoftContact;

/* Of contacts that resist rolling and spinning (turning.c), length > 0; of others nothing else is looked at. World
 * axes. */
typedef struct BriTurning {
    double length;               /* m: its moments' rows are turns times this; 0: its surface has none */
    BrVec3 was;                  /* N m s: the moment of the step before, on b */
    BrVec3 turn;                 /* rad/s: of b against a, as the mode's slip */
    BrVec3 roll_drag, spin_drag; /* m: asked for, per normal impulse, against a turn whose direction is known; or 0 */
    BrVec3 before, free;         /* rad/s: the turn before the solve; with the forces, without impulses */
    BrVec3 given;                /* N m s: what an impulse law's phases gave so far */
    BrVec3 moment, after;        /* N m s (or N m), rad/s: what the last solve answered */
    BrVec3 load;                 /* N m s: as that of BriAnswered */
    BrVec3 total;                /* N m s: all moments since the step began */
} BriTurning;

/* What most loops look at stands close together, from the mode to the first half of what was found. */
typedef struct BriContact {
    BriSum sum; /* zero when it is found, as all before `at` */
    BriRemembered was;
    BriAnswered got;
    BriHit hit;
    BriContactMode mode;
    BriAsked ask;
    BriSoftContact *soft; /* NULL: no step was compliant */
    BriTurning *turning;  /* NULL: no contact of the model resists it */
    BriFound at;
} BriContact;

/* A bound of a joint's coordinate that is near, its dry friction, or its motor. */
typedef struct BriBoundRow {
    int bound, joint; /* numbers in the model */
    BriBoundKind kind;
    int motor_row;       /* of a motor: among the rows of all joints */
    double lower, upper; /* of its impulse */
    double distance;     /* m or rad to the limit, with the sign of the coordinate's way there; 0 for others */
    double offset;       /* m/s or rad/s: the condition is on rate + offset + yield p */
    double yield;        /* 1/kg or 1/(kg m^2): of servos */
    double p, total;     /* N s or N m s: of the solve, of the step */
    bool lands;          /* the solve left it an approach, to end at the limit */
    double given;        /* N s or N m s: what an impulse law's phases gave so far, */
    double least, most;  /* of these bounds as a whole */
    /* of event and compliant (step/bound_modes.h): */
    bool off,
        was_off; /* no row of the problem: a limit that does not hold, friction that slides; before the law was asked */
    bool told_off; /* when that was told last */
    double push;   /* N or N m: of friction that slides */
    double rate,
        speed; /* m/s or rad/s: of its coordinate, where that was read last; when it was struck, until that is told */
    double start_distance, start_rate; /* where modes were chosen last */
    double slack;                      /* m or rad: so far a limit may be passed while it is off */
} BriBoundRow;

/* A contact or a bound, as the problem sees it. */
typedef struct BriUnit {
    int a, b;        /* bodies */
    int contact;     /* or -1 - bound */
    int rows, first; /* first: row in `C` and `D` */
    int row;         /* first row in `r`, `u`, ...: units in order of islands */
    int island;
    int shared;       /* place in BriShares, or -1: joints do not carry its normal */
    bool fixed_a;     /* a cannot be pushed */
    bool still_a;     /* a does not move either */
    bool drags;       /* its normal pushes along more than its row of D: against a known slip or turn */
    bool lifted;      /* joints carry its normal, and hold it open: it pushes with nothing */
    bool failed;      /* of an island's first unit: the last answer is none, */
    bool exact;       /* or it is so good that nothing is to be gained */
    double part;      /* of what an island's guess leaves: that of this step alone (7.55) */
    double speed;     /* of its rows without impulses and offsets, then the largest of its island: m/s, forces: m/s^2 */
    double tolerance; /* of its island: the same */
    double share;     /* kg^-1: the normal row's condition is share (p_N + y.p) >= 0 (7.30) */
} BriUnit;

/* Contacts whose normals joints carry (shared.c). */
typedef struct BriShares {
    int count, room;
    double
        *y; /* per such contact and row of all joints: how joints answer a unit normal impulse; the shortest answer */
    double *probe; /* scratch as contacts->desk.x */
    bool missed;   /* there was no memory for them */
} BriShares;

/* What finding needs of a shape, of all that the model knows: in a heap two shapes that meet stand far apart in memory.
 */
typedef struct BriShapeFacts {
    BriShape shape;
    double extent; /* m */
    double ball;   /* m: it lies in a ball of this radius about its place; infinite: it has no end */
    double arm;    /* m: how far it comes, at most, for each rad that its body turns; 0: it has no end */
    double bulk;   /* m: what overlaps of it are measured by (step/overlap.c); infinite: they are not */
    int body, material;
    bool fixed, still; /* its body: cannot be pushed; does not move either */
    bool runs;         /* its surface runs over its body */
    bool centred;      /* it stands where its body does, and as that does */
} BriShapeFacts;

/* Where two shapes touch, until that is a contact. */
typedef struct BriPairTouch {
    int points, first; /* how many; the number of the first contact */
    BriTouch touch[BRI_PATCH];
} BriPairTouch;

/* A contact and its two bodies, as they are named: what is pushed first. */
typedef struct BriContactEnds {
    int first, second, contact;
} BriContactEnds;

/* What a try of the whole step found of a group of bodies. */
typedef enum BriGroupCall { BRI_GROUP_FINE, BRI_GROUP_TOUCHES, BRI_GROUP_FAILS } BriGroupCall;

/* Bodies that may meet each other within the step (groups.c). */
typedef struct BriGroups {
    bool joined;         /* all are one, and pairs are found anew with every part */
    int *of;             /* per body: the group, by its first body; -1: it is not pushed, or sleeps */
    BriGroupCall *call;  /* per body, of groups that begin with it */
    double *touch;       /* the same, s: when, if it touches */
    int *pile;           /* per body: the first of those that touch each other; scratch */
    double *gain, *size; /* the same, J: energy that impulses made, kinetic energy; scratch */
} BriGroups;

typedef struct BriSleepers {
    int bodies, shapes, contacts;
} BriSleepers;

/* Islands at rest (sleep.c). */
typedef struct BriSleep {
    unsigned char *asleep; /* per body: sleeps through the step at hand */
    unsigned char *driven; /* per body: joints, springs or forces that change by themselves act on it; constant */
    unsigned char *idle;   /* per shape: its body sleeps or is still */
    int *island;           /* per body: the first body of its island */
    unsigned char *called; /* per body, of islands that begin with it: to be woken; kept from rest */
    double *rested;        /* the same: steps that it rested */
    BriSleepers count;
} BriSleep;

/* What an island is solved on. */
typedef struct BriDesk {
    int dense_room; /* rows of an island with a matrix: for so many there is room */
    int matrix_of;  /* the island, by its first unit, whose W stands in `W`; -1: none */
    double *W, *scratch;
    BriBlock *block;
    double *guess;           /* r that `u` was measured with; scratch */
    double *polygon, *angle; /* the linear problem of polygonal friction, and its scratch */
    BriBlock *polygon_block;
    int polygon_rows; /* there is room for */
    int *cone_contact;
    int half_room;        /* rows that have room for half solves (jointed.c) */
    double *half;         /* half_width per row */
    int *half_path;       /* per unit its path: twice as many, and two */
    double *x;            /* per moving body 6, then joint rows */
    struct BriPile *pile; /* islands of more than a few rows (pile.h); NULL: there cannot be one */
} BriDesk;

typedef struct BriContacts {
    int count, bounds, old_count;
    int room, row_room,
        old_room;              /* contacts that fit, as such and as rows; `old` and the rows of `other` have theirs */
    int other_room;            /* when they are first asked for (space.c), */
    int force_room;            /* as what forces are read from: */
    BriContact *contact, *old; /* old: before a step was split at a touch */
    int kept_count, kept_room; /* contacts of groups whose step is made, while others' is: */
    BriContact *kept;
    BriTurning *kept_turning;
    int gone_count, gone_room; /* places that pushed within the step, and are none of `contact`: */
    BriGone *gone;
    BriGroups groups;
    BriSleep sleep;
    BriTry *tries;                /* of contact; schemes with rows at two poses */
    double load_over;             /* s: the time of the loads that contacts have */
    bool overlaps;                /* some were found inside each other, by more than nothing */
    bool strikes;                 /* the hit of some counts; written with these, before bri_solve_with_restitution() */
    bool whole;                   /* all are asked with all their rows, and none with moments; false: not known */
    BriHold *hold;                /* of contact, */
    const BriBodyState *found_at; /* but where bodies can still be seen as they were found: these; else NULL */
    bool has_holds;
    bool has_soft, has_phases, has_bounces;
    bool has_breaks;                   /* a surface holds with more than it slides with */
    BriSoftContact *soft, *old_soft;   /* of contact, old; made when a step is first compliant */
    BriTurning *turning, *old_turning; /* the same, of models in which some contact resists turning */
    BriPhase *phase;                   /* of contact; where a surface has an impulse law */
    BrVec3 *free_rate;       /* the same, where one bounces, m/s: b against a with the forces, without impulses */
    BrMat3 *push_frame;      /* the same, of schemes with rows at two poses (`other`) */
    BriFrictionRows *limits; /* of contact; where friction may have bounds */
    bool has_limits;
    bool has_grips; /* some bounds are of friction in bearings */
    BriBoundRow *bound;

    BriBroad *broad;
    BriShapeFacts *fact; /* per shape */
    BriBounds *box;      /* per shape */
    BriFrame *frame;     /* per shape, world */
    int pairs;
    const BriPair *pair; /* that may meet within the step */
    BriPair *always;     /* they are all there ever are: few, and boxes could not tell them apart; else NULL */
    double *reach;       /* per shape, m */
    double *way;         /* the same: how far it came in the step; scratch (step/overlap.c) */
    BriPairTouch *found; /* BRI_TOUCHES of them; made when a step first has several threads */

    double *C, *D; /* rows x 12: rows_each per contact, then one per bound; C is D where both are of one pose, */
    double *other; /* else it is this */
    double *ME;    /* rows x 12, as the units have them: M^-1 of the directions of impulses, */
    int ME_room;   /* if they have no more rows than this; else found when they are asked for */
    bool keeps_ME;
    int rows_each; /* 3, or where some contact may have moments 12: its six rows, then those of them that take part */
    int units, *root;          /* root: per body, for islands */
    int *island_begin, *place; /* per body and one more, per unit: scratch, to bring units in their order */
    BriUnit *unit;
    int dense_rows; /* islands of more have no matrix */
    int half_width; /* half solves (jointed.c): scalars of a path in the factor, at most */
    bool has_bounded;
    bool complies;  /* rows may yield: of bounded friction, or of servos */
    bool directed;  /* some unit is one row, or resists turning */
    bool apart;     /* no two units share a body, and there are no joints: all are contacts */
    bool in_phases; /* of an impact (phases.c) */
    double slips;   /* what a slip of 1 m/s is in the units' rows: 1, or 1/s where they are slips over a time */
    double *q, *r, *u, *scale; /* as the units have their rows */
    BriContactEnds *ends;      /* per contact: scratch of br_evaluate() */
    int *number;               /* per contact: among those of the same two bodies; of the last br_evaluate() */
    int *pair_begin;           /* of `ends`: where another pair of bodies begins; of the last br_evaluate(), */
    int pairs_touch;           /* so many */
    BriBodyState *free;        /* before contacts push; velocities alone */
    double *bias;              /* per row of C, of forces */
    BriDesk desk;              /* of the calling thread */
    struct BriLanes *lanes;    /* of several threads (lanes.c); NULL: none were needed yet */
    BriShares shares;
} BriContacts;

BrStatus bri_contacts_create(const BrModel *model, BriContacts **contacts, BrError *error);
void bri_contacts_release(const BrModel *model, BriContacts *contacts);

/* Arrays start small and grow with what is found, before anything is made of it; warm steps find them large enough.
 * Room for so many contacts, keeping contacts and old ones; */
bool bri_contacts_grow(const BrModel *model, BriContacts *contacts, int needed);
static inline bool bri_contacts_make_room(const BrModel *model, BriContacts *contacts, int needed) {
    return needed <= contacts->room || bri_contacts_grow(model, contacts, needed);
}
/* for what the step's scheme and solvers need of the contacts that are there; */
bool bri_contacts_make_solver_room(const BriStep *step);
/* for touches of pairs that threads look at; */
bool bri_contacts_make_touches(const BrModel *model, BriContacts *contacts);
/* for BriHold's, if there is none yet; */
bool bri_contacts_make_holds(const BrModel *model, BriContacts *contacts);
/* for records of the formulation compliant; no contact may be there; */
bool bri_contacts_make_soft(const BrModel *model, BriContacts *contacts);
/* and for what there is to become old: contacts to be found take its place. false: no memory, nothing lost. */
bool bri_contacts_put_aside(const BrModel *model, BriContacts *contacts);

/* Finds the contacts at `bodies` that may close within a time `ahead`, and takes over what the state remembers. */
BrStatus bri_contacts_find(BriStep *step, const BriBodyState *bodies, double ahead, BrError *error);

/* The same, the contacts at hand becoming the old ones. */
BrStatus bri_contacts_renew(BriStep *step, const BriBodyState *bodies, double ahead);

/* Room for forces of the contacts that are there. */
bool bri_contacts_make_force_room(const BrModel *model, BriContacts *contacts);

static inline bool bri_is_limit(const BriBoundRow *bound) { return bound->kind <= BRI_BOUND_UPPER; }

/* Later in the step, keeping what it has seen of them so far. */
BrStatus bri_contacts_find_again(BriStep *step, const BriBodyState *bodies, double ahead);

/* Which bodies may meet each other, by the pairs of the step; `joined`: all. From here on all groups are fine, and none
 * is at hand. */
void bri_groups_find(BriStep *step, bool joined);
/* What a try found of a body's group; the worst stands. */
static inline void bri_group_note(BriContacts *c, int body, BriGroupCall call) {
    int group = c->groups.of[body];
    if (group >= 0 && c->groups.call[group] < call) c->groups.call[group] = call;
}
static inline BriGroupCall bri_contact_call(const BriContacts *c, const BriContact *contact) {
    return c->groups.call[c->groups.of[contact->at.b]];
}
/* Contacts of groups that are not fine leave. */
void bri_groups_leave_fine(BriContacts *contacts);
/* All contacts are kept, and leave. false: no memory. */
bool bri_groups_keep(const BriStep *step);
/* All that were kept are the contacts again, in their order. false: no memory. */
bool bri_groups_gather(const BriStep *step);
bool bri_contacts_make_kept(const BrModel *model, BriContacts *contacts, int needed);

/* Who sleeps through the step, by what the state remembers. */
void bri_sleep_begin(BriStep *step);
/* Bodies that are awake, or moved, wake whom they may touch by the pairs at hand, and all of its island. true: some. */
bool bri_sleep_wake(BriStep *step);
/* Who has rested so long that it sleeps from here on: its velocities go to zero. The step is at its end, and
 * ws->trial's contact table made; `certified`: so is all of it. */
void bri_sleep_end(BriStep *step, bool certified);
/* How many sleep through the step at hand; the table needs room for their contacts beside those of the step. */
static inline BriSleepers bri_sleepers(const BriStep *step) {
    return step->asleep ? step->ws->contacts->sleep.count : (BriSleepers){0};
}
/* Do the bodies of a contact in the state's table sleep? */
bool bri_contact_sleeps(const BriStep *step, const BriContactState *contact);

/* Limits that may be reached within a time `ahead` by a guess (limits.c sees to what it misses; of few: all), all dry
 * friction, and the motors that are not part of the factor. */
void bri_find_bounds(BriStep *step, const BriBodyState *bodies, double ahead);
/* Offsets and bounds of the joints' bounds: impulses over `span`, limits to be met `ahead`, motors to reach ws->target.
 * A limit that is passed already is not passed further (limits.c takes the joint back). */
void bri_set_bounds(BriStep *step, double span, double ahead);
/* How fast its coordinate moves, m/s or rad/s. */
double bri_bound_rate(const BriStep *step, const BriBoundRow *bound, const BriBodyState *bodies);
/* Distances to the limits at another pose. */
void bri_move_bounds(BriStep *step, const BriBodyState *bodies);

static const BriFrame BRI_CENTRE = {.axes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};

/* The same contacts at another pose: touch and frame. */
void bri_contacts_move(BriStep *step, const BriBodyState *bodies);
/* The same in parts: the shapes; then contacts from `begin` on, as pairs, those that begin before `end`. Returns what that
 * cost, operations. */
void bri_shapes_move(BriStep *step, const BriBodyState *bodies);
double bri_contacts_move_some(BriStep *step, const BriBodyState *bodies, int begin, int end);

/* Any pair that is not among the contacts and overlaps where these stand? The deepest gap, 0 if none. */
double bri_contacts_deepest_new(BriStep *step);

/* Rows of all contacts, at the pose of their frames, and of bounds: conditions, or directions of impulses. What is
 * still has rows of zeros. */
void bri_contacts_rows(const BriStep *step, const BriBodyState *bodies, double *rows);
void bri_contacts_push_rows(BriStep *step, const BriBodyState *bodies);
void bri_contacts_condition_rows(BriStep *step, const BriBodyState *bodies);
/* Directions where conditions were asked last, and contacts still stand: the rows are there. */
void bri_contacts_push_where_asked(BriStep *step);
/* Both at the pose of the frames. */
void bri_contacts_same_rows(BriStep *step, const BriBodyState *bodies);
/* The same of one contact, while it is at hand; and then of the bounds. */
void bri_contact_same_rows(BriContacts *contacts, int contact, const BriBodyState *bodies);
void bri_bounds_same_rows(BriStep *step, const BriBodyState *bodies);
/* The same for active contacts alone, and of those with one row only this. */
void bri_contacts_few_rows(BriStep *step, const BriBodyState *bodies);

/* What a contact is known by from step to step. Sorted as pairs are, whoever of the two is called a. */
static inline uint64_t bri_make_key(int a, int b, unsigned feature) {
    return ((uint64_t)(a < b ? a : b) << 40 | (uint64_t)(a < b ? b : a) << 16 | feature) + 1;
}
static inline uint64_t bri_contact_key(const BriContact *c) {
    return bri_make_key(c->at.shape_a, c->at.shape_b, c->at.feature);
}

/* Rows of a contact in C and D. */
static inline double *bri_contact_rows(const BriContacts *c, double *rows, int contact) {
    return rows + (size_t)(BRI_ROW * c->rows_each) * (size_t)contact;
}

/* Which of its six rows (n, t1, t2, turns about t1, t2, n) the r-th of those that take part is. */
static inline int bri_contact_row(const BriContact *c, int r) {
    if (r > 0 && c->ask.one_row) r += 2;
    return r > 2 && !c->ask.rolls ? r + 2 : r;
}

/* The frame of D. */
static inline const BrMat3 *bri_push_frame(const BriContact *c) {
    return c->ask.push_frame ? c->ask.push_frame : &c->at.frame;
}

/* What that row has of an impulse and a moment (NULL: none), N s. */
static inline double bri_contact_part(const BriContact *c, int r, const BrVec3 *impulse, const BrVec3 *moment) {
    int row = bri_contact_row(c, r);
    if (row < 3) return bri_dot(*impulse, bri_column(bri_push_frame(c), row));
    return moment ? bri_dot(*moment, bri_column(bri_push_frame(c), row == 5 ? 0 : row - 2)) / c->turning->length : 0;
}

/* Does it resist rolling or spinning? Then contact->turning counts, and (turning.c): */
static inline bool bri_resists_turning(const BriContact *c) { return c->turning && c->turning->length > 0; }

/* Angular velocity of b against a, world. */
BrVec3 bri_contact_turn(const BriContact *contact, const BriBodyState *bodies);
/* Which moments are rows of the solve at hand: all; or those whose turn, seen along n, has not got a direction that they
 * could go against at once. */
void bri_choose_moments(BriContact *contact, bool along_turn, BrVec3 n);
/* Moments that went against a known turn and would reverse it, or could within the step, become rows. most: the bounds
 * of all moments about one of its bodies, N m s; `soft`: how fast they turn it, rad/s per N m s. true: some did. */
bool bri_review_moments(BriContact *contact, const double most[2], const double soft[2]);
/* What the moments lost at the mean turn, J. */
double bri_find_turning_loss(const BriContact *contact);
/* What moved bodies put in by them, J. */
double bri_find_turning_work(const BrModel *model, const BriContact *contact, const BriBodyState *before,
                             const BriBodyState *after);

/* Velocity of b against a at the contact, with belt, world. */
BrVec3 bri_contact_velocity(const BriContact *contact, const BriBodyState *bodies);

/* Velocities alone. */
static inline void bri_copy_rates(const BriBodyState *from, BriBodyState *to) {
    to->v = from->v;
    to->w = from->w;
}

/* Half a row of C times the velocities of its body. */
static inline double bri_row_rate(const double *row, const BriBodyState *b) {
    return row[0] * b->v.x + row[1] * b->v.y + row[2] * b->v.z + row[3] * b->w.x + row[4] * b->w.y + row[5] * b->w.z;
}

/* Where forces act, on both bodies alike: across a gap friction would else make angular momentum. */
static inline BrVec3 bri_contact_point(const BriContact *c) {
    return c->at.fixed_a ? c->at.touch.point_b : bri_scale(0.5, bri_add(c->at.touch.point_a, c->at.touch.point_b));
}

/* The smaller of the extents of two shapes, m; points have none, and do not count. Infinite: neither has one. */
static inline double bri_smaller_extent(double a, double b) {
    return !(a > 0) && !(b > 0) ? __builtin_inf() : !(a > 0) ? b : !(b > 0) ? a : bri_min(a, b);
}
static inline double bri_contact_extent(const BrModel *m, const BriContact *c) {
    return bri_smaller_extent(m->shape[c->at.shape_a].extent, m->shape[c->at.shape_b].extent);
}

static inline BrVec3 bri_normal(const BriContact *c) { return bri_column(&c->at.frame, 0); }
static inline BriTouch bri_contact_touch(const BriContact *c) {
    const BriTouched *t = &c->at.touch;
    return (BriTouch){t->point_a, t->point_b, bri_normal(c), t->gap, c->at.feature};
}
static inline BrVec3 bri_tangential(const BriContact *c, BrVec3 v) {
    BrVec3 n = bri_normal(c);
    return bri_add_scaled(v, -bri_dot(n, v), n);
}

/* Does it slip, by the last answer? */
static inline bool bri_slips(const BriContact *c) { return bri_norm(bri_tangential(c, c->got.u)) > BRI_SLIP; }

/* Does its friction build up with the slip? Then it never sticks (7.50), */
static inline bool bri_creeps(const BriContact *c) { return c->at.surface->creep > 0; }
/* and at its slip has this coefficient. Others have all of mu. */
static inline double bri_drag(const BriContact *c) {
    if (!bri_creeps(c)) return c->mode.mu;
    return c->mode.mu * bri_tanh(bri_norm(c->mode.slip) / c->at.surface->creep);
}

/* Whether it slides, and with which coefficient; the one place that says so. */
static inline void bri_contact_set_sliding(BriContact *c, bool sliding) {
    const BriSurface *s = c->at.surface;
    c->mode.sliding = sliding || bri_creeps(c);
    c->mode.mu = !c->mode.sliding ? s->mu_s : s->by_slip ? bri_surface_mu(s, bri_norm(c->mode.slip)) : s->mu_k;
}

/* The same from its velocity u (world, with belt): that along the surface is its slip. */
static inline void bri_contact_set_slip(BriContact *c, BrVec3 u) {
    c->mode.slip = bri_tangential(c, u);
    bri_contact_set_sliding(c, bri_norm(c->mode.slip) > BRI_SLIP);
}

/* It slides, but there is no slip yet that could tell where to. */
static inline bool bri_contact_begins_to_slide(const BriContact *c) {
    return c->mode.sliding && c->mode.holds_direction && bri_norm(c->mode.slip) <= BRI_SLIP;
}

/* The joints' part of a solve: directions, conditions, targets, the span of time, velocities, impulses. */
typedef struct BriSpan {
    const BriJacobian *D, *C;
    const double *target;
    double span; /* s */
    BriBodyState *bodies;
    double *p;
    bool between; /* no state keeps these velocities: what is left of them does not add up from step to step */
    bool last;    /* the step does not solve for these contacts again: their loads need not be noted */
    double again; /* without contacts, p: as in BriRates */
} BriSpan;

/* Friction in bearings (gripped.c): slips where bounds are found; bounds to begin a solve over `span` with; and bounds by
 * its answer, in the round-th time: true: solve again. */
void bri_grips_begin(BriStep *step, const BriBodyState *bodies);
void bri_grips_ask(const BriStep *step, double span);
bool bri_grips_renew(BriStep *step, const BriSpan *span, int round);

/* Joints and contacts together: from free velocities in span->bodies to those after all impulses. Rows must stand in
 * contacts->C and D, offsets in the contacts. `along_slip`: contacts that slide try to do so along their slip. false:
 * stopped short; the report tells where. */
bool bri_solve_velocities(BriStep *step, const BriSpan *span, bool along_slip);

/* The same with restitution: contacts that strike bounce (bri_restitution()), with less where that would make energy. */
bool bri_solve_with_restitution(BriStep *step, const BriSpan *span, double time);

/* What comes back of its approach, or of its impulse; 0: it does not strike. */
static inline double bri_restitution(const BriContact *c) {
    return c->hit.counts ? bri_surface_restitution(c->at.surface, -bri_dot(bri_normal(c), c->hit.before)) : 0;
}

/* Does it strike, and e say how much of the impulse or of its work comes back? Else e is of the speed. */
static inline bool bri_gives_impulse(const BriContact *c) {
    return c->ask.active && c->hit.counts && c->at.surface->hypothesis != BRI_NEWTON;
}

/* Impacts of these (phases.c): compression, then `part` of the restitution asked for. ws->impact_start has the
 * velocities before. */
bool bri_solve_phases(BriStep *step, const BriSpan *span, double part);

/* An impact of all active contacts: positions and time stand still. */
bool bri_solve_impact(BriStep *step, double time, BriBodyState *bodies);

/* Below this speed approaches do not bounce, m/s. */
double bri_impact_speed(const BriStep *step);

/* Linear solve in the units' directions, W x = c, c and then x in contacts->r; W may be singular. */
void bri_units_prepare(BriStep *step);
/* Which of the units share their load with joints, for solves in which contacts push. */
void bri_units_share(BriStep *step);
/* Does a shared unit's normal, whose rate (m/s, m/s^2) joints decide alone, open? Then it is lifted from here on. */
bool bri_unit_parts(const BriStep *step, BriUnit *unit, double rate);
/* share y.p of a shared unit: what its normal row has of the joints' impulses, or forces. */
double bri_unit_joint_share(const BriStep *step, const BriUnit *unit, const double *p);
void bri_units_solve_linear(BriStep *step);
/* Solves the contact problem of the units with contacts->q as it stands; r in contacts->r, in its sets in any case.
 * false: stopped short. */
bool bri_units_solve_cones(BriStep *step);
/* contacts->r as impulses (or forces) of contacts and bounds. */
void bri_units_read(BriContacts *contacts);
/* Sum of E^T x as displacement or velocity of the moving bodies, joints answering: six numbers each. */
const double *bri_units_spread(BriStep *step, const double *x);

/* Puts contacts that push, and overlaps, onto gap 0 without touching velocities; joints too. `there`: contacts stand at
 * `bodies` already. */
bool bri_project_contacts(BriStep *step, double time, BriBodyState *bodies, bool there);

/* Velocities of closed contacts, by the least change: normal rates go to zero, slips of those that stick too;
 * joints keep theirs, whose factor must stand. Not of contacts that approach or part faster than `most`, m/s: they are
 * struck, or leave. Coordinates that limits and friction hold (bounds that are kept) stand still. */
void bri_project_rates(BriStep *step, double most, BriBodyState *bodies);

/* How the velocities of all rows (three per contact, one per bound) would change if the moving bodies did not
 * accelerate: d/dt(C) v with belts and moved bodies, whose accelerations stand in `a` (6 per body), m/s^2. Contacts
 * must stand at `bodies`. */
void bri_contacts_bias(const BriStep *step, const BriBodyState *bodies, const double *a, double *bias);
/* n' of a contact that stands at `bodies`, world, 1/s. */
BrVec3 bri_contact_normal_rate(const BriStep *step, const BriContact *contact, const BriBodyState *bodies);

/* What forces go by. */
typedef enum BriForcesBy {
    BRI_BY_LAW,    /* cones, where there is no slip that tells the direction */
    BRI_BY_SLIDES, /* the same, but slides that have just begun go on as they began */
    BRI_BY_MODES   /* sticking contacts hold, sliding ones drag: linear */
} BriForcesBy;

/* Adds what contacts do to `a` (six per body: the accelerations without them; of moved bodies: theirs), and to the
 * joints' `lambda`. Forces are left in contact->got.p, N. ahead: s; if it is not 0, friction of slow slides goes against
 * the slip that they will have after so long (7.45), by the law. false: found by the law, but not to the tolerance. */
bool bri_contacts_accelerate(BriStep *step, const BriBodyState *bodies, BriForcesBy by, double ahead, double *a,
                             double *lambda);

/* Writes what the next step needs to know into ws->trial, and keeps the books: h over the step. Refused where the state
 * has no room for what pushed. */
BrStatus bri_contacts_remember(BriStep *step, double h);

/* What pushed in a step, to be read after it (pushed.c). A contact that pushed is none of the contacts any more. false:
 * no memory. */
bool bri_contact_note_gone(const BrModel *model, BriContacts *contacts, const BriContact *contact);
/* Sums of the old contacts to those found in their place; the others are gone. false: no memory. */
bool bri_contacts_carry_sums(const BrModel *model, BriContacts *contacts);
/* The table of ws->trial, whose first `live` entries are written, ends with them and those that are gone. */
BrStatus bri_contacts_end(BriStep *step, int live);
/* For readings: of the contacts those stay that are active or pushed in the last step; what pushed and is not among them
 * is added. */
BrStatus bri_contacts_recall_pushed(BriStep *step, const BriBodyState *bodies);
/* One more contact, the last, however far its shapes are apart. There is room. */
BriContact *bri_contact_add(BriStep *step, uint64_t key, const BriBodyState *bodies);

/* What contacts took out and moved surfaces put in (7.22), J; adds up impulses. span: s; 0: an impact. */
void bri_contacts_book(BriStep *step, const BriBodyState *before, const BriBodyState *after, double span);

/* What slip put into the bristles of a rigid law in a solve over `span`, s: at most what their force then holds (8.4). */
void bri_bend_bristles(BriContact *contact, double span);

/* Velocity (world) at the contact of what nothing pushes back: bodies that are moved, and belts; b against a. */
BrVec3 bri_contact_moved_velocity(const BrModel *model, const BriBodyState *bodies, const BriContact *contact);

void bri_note_event(BriStep *step, BrEventKind kind, double time, const BriContact *contact, double before,
                    double after);

#endif
