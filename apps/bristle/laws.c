/* laws.c: `bristle laws`: the contact laws and their parameters, from the table the scene reader reads. */
#include "command.h"

#include <math.h>

static void print_range(const BrLawParameter *p) {
    if (p->choice) {
        printf("one of");
        for (int i = 0; p->choice[i]; i++) printf(" %s", p->choice[i]);
    } else if (isinf(p->highest)) {
        printf("%g or more, or infinite", p->lowest);
    } else {
        printf("%g to %g", p->lowest, p->highest);
    }
    if (isnan(p->preset)) return;
    if (p->choice)
        printf("; preset %s", p->choice[(int)p->preset]);
    else if (isinf(p->preset))
        printf("; preset infinite");
    else
        printf("; preset %g", p->preset);
}

static void print_text(const BrLawInfo *info) {
    printf("%s (%s%s%s): %s\n    %s\n", info->name,
           info->rigid       ? "rigid or compliant, "
           : info->compliant ? "compliant, "
                             : "",
           info->kind == BR_LAW_NORMAL ? "normal" : "friction",
           info->only_joints ? ", of joints"
           : info->joints    ? ", also of joints"
                             : "",
           info->help, info->reference);
    for (int i = 0; i < info->parameters; i++) {
        const BrLawParameter *p = &info->parameter[i];
        printf("    %-12s %-6s %s; ", p->name, p->unit[0] ? p->unit : "-", p->help);
        print_range(p);
        printf("\n");
    }
    for (int i = 0; i < info->memories; i++) {
        const BrLawMemory *m = &info->memory[i];
        printf("    remembers %s (%s%s%s): %s%s%s\n", m->name, m->symbol, m->unit[0] ? ", " : "", m->unit, m->help,
               m->latch ? "; set at the touch" : "", m->lowest < m->highest ? "; a scene may set it" : "");
    }
    printf("\n");
}

/* JSON has no infinity and no NaN: null. */
static void print_number(const char *name, double value) {
    printf(", \"%s\": ", name);
    if (isfinite(value))
        json_number(stdout, value);
    else
        printf("null");
}

static void print_json(const BrLawInfo *info) {
    printf("{\"name\": \"%s\", \"kind\": \"%s\", \"compliant\": %s, \"rigid\": %s, \"joints\": %s, \"contacts\": %s, "
           "\"help\": ",
           info->name, info->kind == BR_LAW_NORMAL ? "normal" : "friction", info->compliant ? "true" : "false",
           info->rigid || !info->compliant ? "true" : "false", info->joints ? "true" : "false",
           info->only_joints ? "false" : "true");
    json_text(stdout, info->help);
    printf(", \"reference\": ");
    json_text(stdout, info->reference);
    printf(", \"parameters\": [");
    for (int i = 0; i < info->parameters; i++) {
        const BrLawParameter *p = &info->parameter[i];
        printf("%s{\"name\": \"%s\", \"unit\": \"%s\"", i ? ", " : "", p->name, p->unit);
        print_number("preset", p->preset);
        print_number("lowest", p->lowest);
        print_number("highest", p->highest);
        for (int k = 0; p->choice && p->choice[k]; k++) printf("%s\"%s\"", k ? ", " : ", \"choice\": [", p->choice[k]);
        printf("%s, \"help\": ", p->choice ? "]" : "");
        json_text(stdout, p->help);
        printf("}");
    }
    printf("], \"memory\": [");
    for (int i = 0; i < info->memories; i++) {
        const BrLawMemory *m = &info->memory[i];
        printf(
            "%s{\"name\": \"%s\", \"symbol\": \"%s\", \"unit\": \"%s\", \"width\": %d, \"latch\": %s, \"settable\": %s",
            i ? ", " : "", m->name, m->symbol, m->unit, m->tangent ? 3 : 1, m->latch ? "true" : "false",
            m->lowest < m->highest ? "true" : "false");
        print_number("initial", m->initial);
        printf(", \"help\": ");
        json_text(stdout, m->help);
        printf("}");
    }
    printf("]}");
}

int command_laws(int count, char **words) {
    bool json = false;
    const char *unused;
    const Option options[] = {{"--json", NULL, NULL, "as JSON on standard output", &json, false}};
    int done;
    if (parse_options("Usage: bristle laws [--json]\n\nThe contact laws, with their parameters, units and ranges, and "
                      "what\nthey remember of a contact.",
                      options, 1, count, words, &unused, 0, &done) < 0)
        return done;
    for (int i = 0; i < br_law_count(); i++) {
        if (json) printf(i ? ", " : "[");
        if (json)
            print_json(br_law_info(i));
        else
            print_text(br_law_info(i));
    }
    if (json) printf("]\n");
    return EXIT_FINE;
}
