/* budget.h: work that has an end. Loops whose number of rounds nobody knows beforehand say what each round costs, and
 * stop where they stand once the budget is spent or the caller wants them to. Counted in operations, not in seconds:
 * the same everywhere, however busy the machine. */
#ifndef BRI_BUDGET_H
#define BRI_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

/* Operations between two looks at the caller: a few milliseconds. */
#define BRI_LOOK 2e6

typedef struct BriBudget {
    double spent, most;       /* operations: a multiplication and an addition each, roughly */
    double next_look;         /* `spent` at which the caller is asked again */
    bool (*stop)(void *user); /* true: stop; NULL: nobody asks */
    void *user;
    bool stopped; /* the caller said so */
} BriBudget;

static inline bool bri_has_budget(const BriBudget *b) { return !b || (!b->stopped && b->spent <= b->most); }

/* Is so much left? For rounds that are dear: they are not begun if they could not be paid. */
static inline bool bri_can_spend(const BriBudget *b, double work) {
    return !b || (!b->stopped && b->spent + work <= b->most);
}

/* Spends `work` operations (b may be NULL: nobody counts). false: stop. */
static inline bool bri_spend(BriBudget *b, double work) {
    if (!b) return true;
    b->spent += work;
    if (b->spent >= b->next_look) {
        b->next_look = b->spent + BRI_LOOK;
        if (b->stop && !b->stopped && b->stop(b->user)) b->stopped = true;
    }
    return bri_has_budget(b);
}

#endif
