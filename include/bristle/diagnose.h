/* bristle/diagnose.h: does rigid contact have an answer at this state, one or several, and would a machine stay there? */
#ifndef BRISTLE_DIAGNOSE_H
#define BRISTLE_DIAGNOSE_H

#include "bristle/contact.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many accelerations of the bodies rigid contact with Coulomb friction allows at an instant. */
typedef enum BrDiagnosisVerdict {
    BR_DIAGNOSIS_UNIQUE,
    BR_DIAGNOSIS_SEVERAL,
    BR_DIAGNOSIS_NONE,
    BR_DIAGNOSIS_ENDLESS,   /* a continuum */
    BR_DIAGNOSIS_UNDECIDED, /* not all were looked for; BrDiagnosis.text says why */
    BR_DIAGNOSES
} BrDiagnosisVerdict;

/* What shows that there is one answer, or what was looked at. */
typedef enum BrUniqueProof {
    BR_PROOF_NONE,
    BR_PROOF_ONE_CONTACT, /* one contact that no friction makes press itself, whatever pulls */
    BR_PROOF_MINORS,      /* contacts that slip: principal minors are positive, whatever pulls */
    BR_PROOF_ENERGY,      /* two answers would differ by less than nothing, whatever pulls */
    BR_PROOF_REST,        /* without friction nothing would slide, under this load */
    BR_PROOF_ALONE, /* any other answer would differ from the one that was found by less than nothing, under this load */
    BR_PROOF_ALL_MODES, /* all combinations of what contacts may do were tried, under this load */
    BR_PROOFS
} BrUniqueProof;

/* Would contact that yields a little stay at an answer, or leave it at once? */
typedef enum BrAnswerStability {
    BR_ANSWER_STABLE,
    BR_ANSWER_UNSTABLE,
    BR_ANSWER_DEGENERATE, /* deflections neither grow nor decay */
    BR_ANSWER_DEPENDENT,  /* contacts depend on each other: the analysis does not apply */
    BR_ANSWER_UNTOLD,     /* "not told": more than a hundred rows of contacts press at once */
    BR_ANSWER_STABILITIES
} BrAnswerStability;

BR_API const char *br_diagnosis_verdict_name(BrDiagnosisVerdict verdict); /* "unique" */
BR_API const char *br_unique_proof_name(BrUniqueProof proof);             /* "one contact" */
BR_API const char *br_answer_stability_name(BrAnswerStability stability); /* "stable" */

/* What takes part in an answer. */
typedef enum BrAnswerPart {
    BR_ANSWER_CONTACT,
    BR_ANSWER_LIMIT,        /* of a joint, that is reached */
    BR_ANSWER_DRY_FRICTION, /* of a joint at rest */
    BR_ANSWER_MOTOR,        /* with a largest effort, at its speed */
    BR_ANSWER_ROLLING,      /* resistance of a contact to rolling, */
    BR_ANSWER_SPINNING,     /* to spinning */
    BR_ANSWER_PARTS
} BrAnswerPart;

BR_API const char *br_answer_part_name(BrAnswerPart part); /* "dry friction" */

/* A contact in an answer. Forces act on body b; accelerations are those of b against a. Or a limit of a joint: what it pushes
 * with (N or N m) and how fast the joint comes away from it (m/s^2 or rad/s^2). Or a joint's dry friction or motor, which
 * holds (stick) or gives way (slip): what it pushes with and how the coordinate's rate changes, against the motor's speed. Or a
 * contact's moment against rolling or spinning, which holds, or begins to turn: friction_force is that moment, N m, and
 * tangential_acceleration how the turn changes, rad/s^2. */
typedef struct BrAnswerContact {
    BrAnswerPart part;
    BrBodyId body_a, body_b;
    BrJointId joint;                /* null: a contact */
    BrVec3 point;                   /* m, world */
    BrContactMode mode;             /* open, stick or slip */
    double normal_force;            /* N */
    BrVec3 friction_force;          /* N, world */
    double normal_acceleration;     /* m/s^2 */
    BrVec3 tangential_acceleration; /* m/s^2, world */
} BrAnswerContact;

typedef struct BrAnswer {
    const BrAnswerContact *contact; /* BrDiagnosis.contacts of them */
    BrAnswerStability stability;
    double growth; /* largest real part of the eigenvalues, by the time in which the stiffest contact swings */
    bool shared;   /* other forces do the same: how contacts share the load is not told */
} BrAnswer;

/* What contacts and joints connect. */
typedef struct BrDiagnosis {
    BrDiagnosisVerdict verdict;
    BrUniqueProof proof;
    int contacts; /* that are closed, and what else takes part (BrAnswerPart) */
    int answers;  /* different accelerations that were found; those that are told: */
    int told;
    const BrAnswer *answer;
    int stable, unstable; /* of them */
    bool in_plane;        /* answers that leave the plane of the motion were not looked for */
    bool law_given;       /* stability is that of the materials' compliant laws; else of contacts that yield alike */
    double mu;            /* the largest coefficient */
    double mu_painleve; /* from this coefficient on (all growing alike) a slide may press itself: uniqueness is lost for
                             some load; infinite: no friction does it; NaN: not told */
    /* of one contact whose bodies no joint holds: the smallest turn of its second body about the place of touch, rad, and
       the axis (world), and the smallest way along the surface, m, that lead to Painleve's boundary with the friction there
       is, to first order; negative: that lead out of its region. Infinite: none does; NaN: not told */
    double turn_to_painleve, move_to_painleve;
    BrVec3 turn_axis, move_way;
    BrBodyId body;  /* one of them */
    char text[640]; /* one line: how many answers, which are stable, what decides */
} BrDiagnosis;

typedef struct BrDiagnoseDef {
    uint32_t cookie, struct_size; /* of BR_DEFAULT, not to be set */
    bool
        proof_is_enough; /* an answer that is the only one whatever pulls, or that lies flat, is not worked out: answers
                             is 1, and none is told, nor how far its pose is from Painleve's boundary (NaN) */
    double most_work;    /* operations that islands of more than eight contacts may take together; 2e9 */
    bool (*stop)(void *user); /* asked every few milliseconds; true: stop. NULL: nobody asks */
    void *stop_user;
} BrDiagnoseDef;

BR_DEFAULT(BrDiagnoseDef, br_default_diagnose_def, br_start_diagnose_def)

/* Tells of each island with closed contacts how many answers rigid contact has there, at the level of accelerations, and
 * which of them stiff compliant contact would stay at. What `tell` gets is valid until it returns. Costs a solve per row of
 * a contact and, of n <= 8 contacts, up to 4^n small ones. Of more, up to 256, one answer is proved, or answers are looked for
 * from several beginnings: undecided then says that others may be there; what that takes is bounded by most_work. Joints' dry
 * friction drags as they move; where it rests, and motors with a largest effort, hold or give way like contacts. Contacts that resist
 * turning are looked at as many are. Where bearings rub an island is undecided. `def` may be NULL. The state and the bits of later steps stay what they are. */
BR_API BrStatus br_state_diagnose(const BrModel *model, BrWorkspace *workspace, const BrState *state,
                                  const BrDiagnoseDef *def, void (*tell)(void *user, const BrDiagnosis *diagnosis),
                                  void *user, BrError *error);

#ifdef __cplusplus
}
#endif

#endif
