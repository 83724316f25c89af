/* run_switches.c: where a run of the formulation hybrid went over between rigid and compliant contact, and why. */
#include "run.h"

static bool is_switch(const BrEvent *e) {
    return e->kind == BR_EVENT_COMPLIANT || e->kind == BR_EVENT_RIGID || e->kind == BR_EVENT_CHOICE;
}

void note_switches(Switches *s, const BrStepReport *report) {
    for (int i = 0; i < report->events && i < BR_STEP_EVENTS; i++) {
        if (!is_switch(&report->event[i])) continue;
        if (s->count < SWITCHES) s->event[s->count] = report->event[i];
        s->count++;
    }
}

/* "rod/table" */
static void name_contact(const BrModel *m, const BrEvent *e, char *name, size_t size) {
    snprintf(name, size, "%s/%s", br_body_def(m, e->body_b)->name, br_body_def(m, e->body_a)->name);
}

void print_switches(const Run *r) {
    enum { SHOWN = 8 };
    const Switches *s = &r->switches;
    if (s->count == 0) printf("  hybrid: rigid all the way\n");
    for (uint64_t i = 0; i < s->count && i < SHOWN; i++) {
        const BrEvent *e = &s->event[i];
        char name[160];
        name_contact(r->l.model, e, name, sizeof name);
        if (e->kind == BR_EVENT_CHOICE)
            printf("  hybrid: t = %.6g s: of several answers the stable one, in which %s parts", e->time, name);
        else
            printf("  hybrid: t = %.6g s: %s from here on (%s: %s)", e->time, br_event_name(e->kind), name,
                   br_switch_reason_name(e->reason));
        printf("; mu is %.4g, safe below %.4g\n", e->before, e->after);
    }
    if (s->count > SHOWN) printf("  hybrid: and more: %llu in all\n", (unsigned long long)s->count);
}

void json_switches(const Run *r) {
    printf("[");
    for (uint64_t i = 0; i < r->switches.count && i < SWITCHES; i++) {
        const BrEvent *e = &r->switches.event[i];
        char name[160];
        name_contact(r->l.model, e, name, sizeof name);
        printf("%s{\"time\": ", i ? ", " : "");
        json_number(stdout, e->time);
        printf(", \"kind\": \"%s\", \"reason\": \"%s\", \"contact\": ", br_event_name(e->kind),
               br_switch_reason_name(e->reason));
        json_text(stdout, name);
        printf(", \"mu\": ");
        json_number(stdout, e->before);
        printf(", \"safe\": ");
        json_number(stdout, e->after);
        printf("}");
    }
    printf("]");
}
