/* stability.c: what `check` and `run` say about the inner step of compliant contact. */
#include "command.h"

#include <math.h>

/* More than this many times the largest stable step is refused. */
static const double FAR_BEYOND = 2;
/* Fewer steps per impact do not follow it. */
static const double FEW = 16;

bool has_unstable_contact(const Loaded *l) {
    return l->compliant && l->stability.inner_step > l->stability.largest_step;
}

const char *print_time(double seconds, char text[24]) {
    double scale = seconds < 1e-3 ? 1e6 : seconds < 1 ? 1e3 : 1;
    snprintf(text, 24, "%.3g %s", seconds * scale, seconds < 1e-3 ? "us" : seconds < 1 ? "ms" : "s");
    return text;
}

/* What the chosen step does, and which one is better. */
static void describe_stability(const Loaded *l, char *text, size_t size) {
    const BrStability *s = &l->stability;
    char largest[24], inner[24];
    print_time(s->largest_step, largest);
    print_time(s->inner_step, inner);
    if (has_unstable_contact(l))
        snprintf(text, size, "unstable: %s, dt/substeps must be below %s and is %s; add substeps: %d, better %d",
                 s->why, largest, inner, s->least_substeps, s->substeps);
    else if (l->run.step.scheme >= BR_SCHEME_ADAPTIVE)
        snprintf(text, size, "%s: inner steps follow the tolerance; stiffest: %s", br_scheme_name(l->run.step.scheme),
                 s->why);
    else if (isinf(s->impact_time))
        snprintf(text, size, "stable");
    else if (s->steps_per_impact < FEW)
        snprintf(text, size, "stable, but %.2g steps per impact do not follow it: add substeps: %d",
                 s->steps_per_impact, s->substeps);
    else
        snprintf(text, size, "stable, %.0f steps per impact", s->steps_per_impact);
}

void print_stability(FILE *out, const Loaded *l) {
    const BrStability *s = &l->stability;
    char sentence[512], time[24];
    describe_stability(l, sentence, sizeof sentence);
    if (isfinite(s->largest_step) && !has_unstable_contact(l))
        fprintf(out, "  contacts: stable up to dt/substeps = %s (%s); recommended: substeps: %d\n",
                print_time(s->largest_step, time), s->why, s->substeps);
    fprintf(out, "  inner steps of %s: %s\n", print_time(s->inner_step, time), sentence);
    if (s->slow_step < s->inner_step)
        fprintf(out,
                "  touches as slow as the law's floor come to rest below %s; at larger steps they tremble, slower than "
                "the floor\n",
                print_time(s->slow_step, time));
}

static void json_named(FILE *out, const char *name, double value) {
    fprintf(out, "\"%s\": ", name);
    json_number(out, value);
    fprintf(out, ", ");
}

void json_stability(FILE *out, const Loaded *l) {
    const BrStability *s = &l->stability;
    fprintf(out, ", \"stability\": {\"stable\": %s, ", has_unstable_contact(l) ? "false" : "true");
    json_named(out, "inner_step", s->inner_step);
    json_named(out, "largest_step", s->largest_step);
    json_named(out, "slow_step", s->slow_step);
    json_named(out, "impact_time", s->impact_time);
    json_named(out, "steps_per_impact", s->steps_per_impact);
    fprintf(out, "\"least_substeps\": %d, \"substeps\": %d, \"why\": ", s->least_substeps, s->substeps);
    json_text(out, s->why);
    fprintf(out, "}");
}

void warn_unstable(const Loaded *l) {
    char sentence[512];
    describe_stability(l, sentence, sizeof sentence);
    if (has_unstable_contact(l)) fprintf(stderr, "bristle: warning: %s\n", sentence);
}

BrStatus refuse_unstable(const Loaded *l, BrError *error) {
    if (!l->compliant || l->stability.inner_step <= FAR_BEYOND * l->stability.largest_step) return BR_OK;
    *error = (BrError){.status = BR_UNSUPPORTED};
    describe_stability(l, error->text, sizeof error->text);
    return BR_UNSUPPORTED;
}
