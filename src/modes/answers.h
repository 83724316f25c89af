/* answers.h: all accelerations that rigid contact allows: every combination of what its contacts may do, as far as they
 * can be told. */
#ifndef BRI_ANSWERS_H
#define BRI_ANSWERS_H

#include "base/budget.h"
#include "modes/contact_modes.h"

typedef enum BriMode {
    BRI_MODE_OPEN,  /* it parts, or lies without force */
    BRI_MODE_ROLLS, /* without relative acceleration, force in the cone, or within a row's bounds */
    BRI_MODE_SLIDES /* force on the cone: against its slip, or, without one, against its acceleration; a row at a bound */
} BriMode;

/* p and u in the units of the problem. */
typedef struct BriModeAnswer {
    BriMode mode[BRI_MODES];
    double drag[BRI_MODES][2]; /* of slides: friction per normal force, along t1 and t2 */
    double p[BRI_MODE_ROWS], u[BRI_MODE_ROWS];
    bool shared; /* other forces do the same: how contacts share the load is not told */
} BriModeAnswer;

/* One of any number of contacts, to be read. */
typedef struct BriAnswerView {
    const BriMode *mode;
    const double (*drag)[2];
    const double *p, *u;
} BriAnswerView;

enum { BRI_ANSWERS = 64 };

typedef struct BriModeAnswers {
    int count; /* of different accelerations; of more than fit the first ones are there */
    BriModeAnswer answer[BRI_ANSWERS];
    bool endless;  /* some combination allows a continuum of accelerations */
    bool complete; /* there are no others */
    bool stopped;  /* the work that it may take ended before all combinations were looked at */
} BriModeAnswers;

/* `modes` is prepared. */
/* budget: of all that is done; NULL: no end. */
void bri_find_answers(const BriModes *modes, BriBudget *budget, BriModeAnswers *answers);

/* The first that is met, of contacts whose slides are known. */
bool bri_find_first_answer(const BriModes *modes, BriModeAnswer *answer);

/* One way to combine modes. sign: of a slide without slip in line, to t1 (1) or -t1 (-1); of a bounded row that gives way, that
 * of its u. */
typedef struct BriCombination {
    BriMode mode[BRI_MODES];
    int sign[BRI_MODES];
} BriCombination;

/* What is found on the way: some combination has a continuum of answers; and the work that was spent. */
typedef struct BriCombining {
    bool endless;
    BriBudget *budget;
} BriCombining;

/* Forces and accelerations of a combination, if it has any. */
bool bri_answer_combination(const BriModes *modes, const BriCombination *combination, BriModeAnswer *answer,
                            BriCombining *by);

/* Several contacts without slip that may slide anywhere: answers are looked for, not all (answers_search.c). */
void bri_search_answers(const BriModes *modes, BriBudget *budget, BriModeAnswers *answers);
/* Of one contact without slip that may slide anywhere (answers_around.c). */
void bri_find_answers_around(const BriModes *modes, BriModeAnswers *answers);
/* u of its p. */
void bri_answer_accelerate(const BriModes *modes, BriModeAnswer *answer);
/* Adds one, unless its accelerations are there. */
void bri_answers_add(const BriModes *modes, BriModeAnswers *answers, const BriModeAnswer *answer);

#endif
