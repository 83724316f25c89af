/* output.c: JSON, errors, the progress bar. */
#include "command.h"

#include <time.h>
#include <unistd.h>

void json_text(FILE *out, const char *text) {
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < 32)
            fprintf(out, "\\u%04x", *c);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}

void json_number(FILE *out, double value) {
    if (value - value == 0)
        fprintf(out, "%.17g", value);
    else
        fputs("null", out);
}

void json_numbers(FILE *out, const double *value, int count) {
    fputc('[', out);
    for (int i = 0; i < count; i++) {
        if (i) fputs(", ", out);
        json_number(out, value[i]);
    }
    fputc(']', out);
}

void json_vector(FILE *out, BrVec3 v) { json_numbers(out, (double[]){v.x, v.y, v.z}, 3); }

void json_rotation(FILE *out, const BrMat3 *A) {
    fputc('[', out);
    for (int i = 0; i < 3; i++) {
        if (i) fputs(", ", out);
        json_numbers(out, A->m[i], 3);
    }
    fputc(']', out);
}

void json_error(FILE *out, const BrError *error) {
    fprintf(out, "{\"name\": \"%s\", \"text\": ", br_status_name(error->status));
    json_text(out, error->text);
    fprintf(out, ", \"file\": ");
    json_text(out, error->file);
    fprintf(out, ", \"line\": %d, \"column\": %d}", error->line, error->column);
}

int report_error(const BrError *error, bool json) {
    if (error->file[0] && error->line)
        fprintf(stderr, "%s:%d:%d: %s\n", error->file, error->line, error->column, error->text);
    else if (error->file[0])
        fprintf(stderr, "%s: %s\n", error->file, error->text);
    else
        fprintf(stderr, "bristle: %s\n", error->text);
    if (!json) return EXIT_FAILED;
    printf("{\"status\": \"failed\", \"error\": ");
    json_error(stdout, error);
    printf("}\n");
    return EXIT_FAILED;
}

static double read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double wall_clock(void) { return read_clock(CLOCK_MONOTONIC); }

Clocks read_clocks(void) { return (Clocks){wall_clock(), read_clock(CLOCK_PROCESS_CPUTIME_ID)}; }

Clocks clocks_since(Clocks start) {
    Clocks now = read_clocks();
    return (Clocks){now.wall - start.wall, now.cpu - start.cpu};
}

Progress progress_start(bool quiet) {
    double now = wall_clock();
    return (Progress){!quiet && isatty(STDERR_FILENO), now, now};
}

void progress_show(Progress *p, double part, double time) {
    enum { WIDTH = 40 };
    double now = wall_clock();
    if (!p->shown || now - p->last < 0.1) return;
    p->last = now;
    int full = (int)(part * WIDTH);
    double left = part > 0 ? (now - p->started) * (1 - part) / part : 0;
    char when[40] = "";
    if (time - time == 0) snprintf(when, sizeof when, "t = %.4g s, ", time);
    fprintf(stderr, "\r[%.*s%*s] %3.0f %%  %s%.0f s left ", full, "########################################",
            WIDTH - full, "", 100 * part, when, left);
}

void progress_end(Progress *p) {
    if (p->shown && p->last > p->started) fprintf(stderr, "\r%79s\r", "");
}
