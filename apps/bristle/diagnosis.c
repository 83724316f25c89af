/* diagnosis.c: how many answers rigid contact has, as `check` tells it. */
#include "command.h"

#include <math.h>

typedef struct Telling {
    const Loaded *loaded;
    int count;
} Telling;

/* "the 2nd answer" */
static void print_choice(const char *who, int number) {
    static const char *const ORDER[] = {"1st", "2nd", "3rd", "4th"};
    if (number < 0)
        printf("%s none of them", who);
    else if (number < 4)
        printf("%s the %s", who, ORDER[number]);
    else
        printf("%s number %d", who, number + 1);
}

static void print_choices(const Loaded *l, const BrDiagnosis *d) {
    Choices c = find_choices(l, d);
    printf("            ");
    print_choice("event takes", c.event);
    print_choice(", timestepping", c.timestepping);
    printf("%s\n", c.event != c.timestepping ? ": formulations choose differently here" : "");
}

static void json_choices(const Loaded *l, const BrDiagnosis *d) {
    Choices c = find_choices(l, d);
    printf(", \"event\": %d, \"timestepping\": %d", c.event, c.timestepping);
}

static void json_answer(const BrModel *model, const BrAnswer *answer, int contacts) {
    printf("{\"stability\": \"%s\", \"growth\": ", br_answer_stability_name(answer->stability));
    json_number(stdout, answer->growth);
    printf(", \"shared\": %s, \"contacts\": [", answer->shared ? "true" : "false");
    for (int k = 0; k < contacts; k++) {
        const BrAnswerContact *c = &answer->contact[k];
        printf("%s{\"part\": \"%s\", \"bodies\": [", k ? ", " : "", br_answer_part_name(c->part));
        json_text(stdout, br_body_def(model, c->body_b)->name);
        printf(", ");
        json_text(stdout, br_body_def(model, c->body_a)->name);
        printf("], \"joint\": ");
        if (br_joint_def(model, c->joint))
            json_text(stdout, br_joint_def(model, c->joint)->name);
        else
            printf("null");
        printf(", \"mode\": \"%s\", \"normal_force\": ", br_contact_mode_name(c->mode));
        json_number(stdout, c->normal_force);
        printf(", \"friction_force\": ");
        json_vector(stdout, c->friction_force);
        printf(", \"normal_acceleration\": ");
        json_number(stdout, c->normal_acceleration);
        printf(", \"tangential_acceleration\": ");
        json_vector(stdout, c->tangential_acceleration);
        printf("}");
    }
    printf("]}");
}

static void json_diagnosis(void *user, const BrDiagnosis *d) {
    Telling *t = user;
    printf("%s{\"verdict\": \"%s\", \"proof\": \"%s\", \"body\": ", t->count++ ? ", " : "",
           br_diagnosis_verdict_name(d->verdict), br_unique_proof_name(d->proof));
    json_text(stdout, br_body_def(t->loaded->model, d->body)->name);
    printf(", \"contacts\": %d, \"answers\": %d, \"stable\": %d, \"unstable\": %d, \"in_plane\": %s, "
           "\"law_given\": %s, \"mu\": ",
           d->contacts, d->answers, d->stable, d->unstable, d->in_plane ? "true" : "false",
           d->law_given ? "true" : "false");
    json_number(stdout, d->mu);
    printf(", \"mu_painleve\": ");
    json_number(stdout, d->mu_painleve);
    printf(", \"turn_to_painleve\": ");
    json_number(stdout, d->turn_to_painleve);
    printf(", \"turn_axis\": ");
    json_vector(stdout, d->turn_axis);
    printf(", \"move_to_painleve\": ");
    json_number(stdout, d->move_to_painleve);
    printf(", \"move_way\": ");
    json_vector(stdout, d->move_way);
    printf(", \"text\": ");
    json_text(stdout, d->text);
    printf(", \"told\": [");
    for (int n = 0; n < d->told; n++) {
        if (n) printf(", ");
        json_answer(t->loaded->model, &d->answer[n], d->contacts);
    }
    printf("]");
    if (d->answers > 1) json_choices(t->loaded, d);
    printf("}");
}

/* "nearest pose beyond the boundary: turned by about 4.1 deg, about (0 1 0)" */
static void print_nearest_pose(const BrDiagnosis *d) {
    double turn = d->turn_to_painleve, move = d->move_to_painleve, degrees = 180 / acos(-1);
    if (!isfinite(turn) && !isfinite(move)) return;
    printf("            nearest pose %s: ", fmin(turn, move) < 0 ? "before it" : "beyond it");
    if (isfinite(turn))
        printf("turned by about %.3g deg about (%.3g %.3g %.3g)", fabs(turn) * degrees, d->turn_axis.x + 0.0,
               d->turn_axis.y + 0.0, d->turn_axis.z + 0.0);
    if (isfinite(move))
        printf("%smoved by about %.3g m along (%.3g %.3g %.3g)", isfinite(turn) ? ", or " : "", fabs(move),
               d->move_way.x, d->move_way.y + 0.0, d->move_way.z + 0.0);
    printf("\n");
}

static void print_diagnosis(void *user, const BrDiagnosis *d) {
    enum { MANY = 8 };
    Telling *t = user;
    if (t->count++ == MANY) printf("  contacts: and more; --json lists all\n");
    if (t->count > MANY) return;
    printf("  contacts: %s\n", d->text);
    if (isfinite(d->mu_painleve))
        printf("            friction mu = %.6g, Painleve's boundary at mu = %.6g%s\n", d->mu, d->mu_painleve,
               d->mu >= d->mu_painleve ? ": it is passed" : "");
    print_nearest_pose(d);
    if (d->answers > 1) print_choices(t->loaded, d);
}

static void print_hybrid(const Loaded *l) {
    BrEvent e = find_hybrid_switch(l);
    if (e.kind == BR_EVENT_CHOICE)
        printf("  hybrid: the first step takes the stable answer\n");
    else
        printf("  hybrid: the first step is %s%s%s%s\n", br_event_name(e.kind), e.reason ? " (" : "",
               e.reason ? br_switch_reason_name(e.reason) : "", e.reason ? ")" : "");
}

void json_hybrid(const Loaded *l) {
    BrEvent e = find_hybrid_switch(l);
    printf("{\"kind\": \"%s\", \"reason\": \"%s\"}", br_event_name(e.kind), br_switch_reason_name(e.reason));
}

void print_diagnoses(const Loaded *l) {
    Telling telling = {l, 0};
    br_state_diagnose(l->model, l->workspace, l->state, NULL, print_diagnosis, &telling,
                      NULL); /* what it cannot it says */
    if (l->run.step.formulation == BR_FORMULATION_HYBRID) print_hybrid(l);
}

void json_diagnoses(const Loaded *l) {
    Telling telling = {l, 0};
    br_state_diagnose(l->model, l->workspace, l->state, NULL, json_diagnosis, &telling, NULL);
}
