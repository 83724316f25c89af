/* compare_tell.c: a comparison as a table, JSON, CSV and a work-precision diagram. */
#include "compare.h"
#include "figure.h"

#include <math.h>
#include <string.h>

static bool was_compared(const Variant *v) { return v->outcome.status && v->distance.rows > 0; }

static const char *tell_number(double value, char text[24]) {
    if (isnan(value))
        snprintf(text, 24, "-");
    else
        snprintf(text, 24, "%.3g", value);
    return text;
}

static void print_row(const Variant *v, bool reference, int longest) {
    char text[6][24] = {"-", "", "", "", "", ""};
    const Outcome *o = &v->outcome;
    const Distance *d = &v->distance;
    const double value[] = {d->worst, d->at, d->last, d->turned, d->force, d->parted < 0 ? NAN : d->parted};
    for (int i = 0; !reference && was_compared(v) && i < 6; i++) tell_number(value[i], text[i]);
    printf("  %-*s %8.4g %8llu %9.4g %8.4g  %9s %8s %9s %9s %8s %8s %10.3g  %s\n", longest, v->name, 1e3 * o->dt,
           (unsigned long long)o->steps, 1e3 * o->cpu, o->cpu > 0 ? o->simulated / o->cpu : 0,
           reference ? "reference" : text[0], text[1], text[2], text[3], text[4], text[5], o->energy.defect,
           o->status ? o->status : "not run");
}

static void print_problems(const Compare *c) {
    const Outcome *reference = &c->variant[c->reference].outcome;
    if (reference->steps &&
        (strcmp(reference->status, "refused") == 0 || strcmp(reference->status, "interrupted") == 0))
        printf("  the reference is %s at t = %.6g s: nothing behind it is compared\n", reference->status,
               reference->end);
    for (int i = 0; i < c->count; i++)
        if (c->variant[i].outcome.problem[0]) printf("  %s: %s\n", c->variant[i].name, c->variant[i].outcome.problem);
}

/* The order that errors of a family fall with: slope of log error over log dt, least squares; NaN: fewer than two. */
static double find_order(const Compare *c, int word) {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < c->count; i++) {
        const Variant *v = &c->variant[i];
        if (v->word != word || i == c->reference || !was_compared(v) || !(v->distance.worst > 0)) continue;
        double a = log(v->outcome.dt), b = log(v->distance.worst);
        n++, x += a, y += b, xx += a * a, xy += a * b;
    }
    return n < 2 || !(n * xx - x * x > 0) ? NAN : (n * xy - x * y) / (n * xx - x * x);
}

static int count_words(const Compare *c) {
    int most = 0;
    for (int i = 0; i < c->count; i++) most = c->variant[i].word >= most ? c->variant[i].word + 1 : most;
    return most;
}

/* "hem2" of "hem2/1ms" */
static void name_word(const Compare *c, int word, char name[200]) {
    name[0] = 0;
    for (int i = 0; i < c->count && !name[0]; i++) {
        if (c->variant[i].word != word) continue;
        snprintf(name, 200, "%s", c->variant[i].name);
        char *slash = c->variant[i].of_family ? strrchr(name, '/') : NULL;
        if (slash) *slash = 0;
    }
}

void print_comparison(const Compare *c) {
    int longest = 3;
    for (int i = 0; i < c->count; i++)
        if ((int)strlen(c->variant[i].name) > longest) longest = (int)strlen(c->variant[i].name);
    printf("%s: %d runs, against %s\n", c->scene, c->count, c->variant[c->reference].name);
    if (c->chosen[0]) printf("  (%s)\n", c->chosen);
    printf("  %-*s %8s %8s %9s %8s  %9s %8s %9s %9s %8s %8s %10s  %s\n", longest, "run", "dt [ms]", "steps", "CPU [ms]",
           "x real", "off [m]", "at [s]", "last [m]", "turn[rad]", "forces", "parted", "books [J]", "status");
    for (int i = 0; i < c->count; i++) print_row(&c->variant[i], i == c->reference, longest);
    for (int word = 0; word < count_words(c); word++) {
        char name[200];
        double order = find_order(c, word);
        name_word(c, word, name);
        if (!isnan(order)) printf("  %s: its error falls with dt^%.2f\n", name, order);
    }
    print_problems(c);
    printf("  off: farthest that a body is from where the reference has it, and when; last: in the last row; turn: the "
           "same of\n"
           "  rotations; forces: rms of what normal forces differ by over their rms, of the worst pair; parted: when "
           "(s) a body\n"
           "  first was off by a hundredth of the scene, %.3g m; rows every %.6g s\n",
           0.01 * c->size, c->interval);
}

/* ------------------------------------------------------------------ for machines */

static void json_run_of(const Compare *c, int number) {
    const Variant *v = &c->variant[number];
    const Outcome *o = &v->outcome;
    const Distance *d = &v->distance;
    printf("{\"name\": ");
    json_text(stdout, v->name);
    printf(", \"status\": \"%s\", \"problem\": ", o->status ? o->status : "not run");
    json_text(stdout, o->problem);
    printf(", \"formulation\": \"%s\", \"scheme\": \"%s\", \"dt\": ", o->formulation, o->scheme);
    json_number(stdout, o->dt);
    printf(", \"steps\": %llu, \"uncertified_steps\": %llu, \"hash\": \"%016llx\", \"cpu\": ",
           (unsigned long long)o->steps, (unsigned long long)o->uncertified, (unsigned long long)o->hash);
    json_number(stdout, o->cpu);
    printf(", \"time\": ");
    json_number(stdout, o->end);
    printf(", \"defect\": ");
    json_number(stdout, o->energy.defect);
    printf(", \"rows\": %d, \"position\": ", d->rows);
    json_number(stdout, d->rows ? d->worst : NAN);
    printf(", \"position_time\": ");
    json_number(stdout, d->rows ? d->at : NAN);
    printf(", \"position_body\": ");
    json_text(stdout, d->body);
    printf(", \"position_last\": ");
    json_number(stdout, d->rows ? d->last : NAN);
    printf(", \"rotation\": ");
    json_number(stdout, d->rows ? d->turned : NAN);
    printf(", \"normal_forces\": ");
    json_number(stdout, d->force);
    printf(", \"parted\": ");
    json_number(stdout, d->parted < 0 ? NAN : d->parted);
    printf(", \"recording\": ");
    json_text(stdout, c->output ? v->recording : "");
    printf("}");
}

void json_comparison(const Compare *c) {
    printf("{\"scene\": ");
    json_text(stdout, c->scene);
    printf(", \"reference\": ");
    json_text(stdout, c->variant[c->reference].name);
    printf(", \"size\": ");
    json_number(stdout, c->size);
    printf(", \"runs\": [");
    for (int i = 0; i < c->count; i++) {
        if (i) printf(", ");
        json_run_of(c, i);
    }
    printf("], \"orders\": {");
    for (int word = 0; word < count_words(c); word++) {
        char name[200];
        name_word(c, word, name);
        if (word) printf(", ");
        json_text(stdout, name);
        printf(": ");
        json_number(stdout, find_order(c, word));
    }
    printf("}}\n");
}

/* A name in quotes, doubled where it has some. */
static void csv_text(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text; text++) fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', out);
}

void csv_comparison(FILE *out, const Compare *c) {
    fprintf(out, "run,reference,status,dt[s],steps,uncertified,cpu[s],position[m],position_time[s],position_last[m],"
                 "rotation[rad],"
                 "normal_forces,parted[s],defect[J]\n");
    for (int i = 0; i < c->count; i++) {
        const Variant *v = &c->variant[i];
        const Outcome *o = &v->outcome;
        const Distance *d = &v->distance;
        csv_text(out, v->name);
        fprintf(out, ",%d,%s,%.17g,%llu,%llu,%.6g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", i == c->reference,
                o->status ? o->status : "not run", o->dt, (unsigned long long)o->steps,
                (unsigned long long)o->uncertified, o->cpu, d->worst, d->at, d->last, d->turned, d->force,
                d->parted < 0 ? NAN : d->parted, o->energy.defect);
    }
}

/* ------------------------------------------------------------------ the diagram */

bool draw_comparison(FILE *out, const Compare *c) {
    double x[COMPARE_MOST], y[COMPARE_MOST];
    char name[COMPARE_MOST][200], title[300];
    BrCurve curve[COMPARE_MOST];
    int curves = 0, points = 0, most = 0;
    for (int word = 0; word < count_words(c); word++) {
        int first = points;
        for (int i = 0; i < c->count; i++) {
            const Variant *v = &c->variant[i];
            if (v->word != word || i == c->reference || !was_compared(v) || !(v->distance.worst > 0)) continue;
            x[points] = v->outcome.cpu / v->outcome.simulated;
            y[points++] = v->distance.worst;
        }
        if (points == first) continue;
        most = points - first > most ? points - first : most;
        name_word(c, word, name[curves]);
        curve[curves] = (BrCurve){.label = name[curves], .points = points - first, .x = x + first, .y = y + first};
        curves++;
    }
    if (most < 2) return false;
    snprintf(title, sizeof title, "work and precision: %.150s, against %.100s", c->scene,
             c->variant[c->reference].name);
    BrFigure figure = {.name = "work-precision",
                       .title = title,
                       .x_label = "processor time per simulated second",
                       .y_label = "largest error of a position [m]",
                       .log_x = true,
                       .log_y = true,
                       .curves = curves,
                       .curve = curve};
    figure_write_svg(out, &figure, 1, NULL, false);
    return true;
}
