/* pages.c: what an experiment gave, as a page with figures. */
#include "figure.h"
#include "reproduce.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(BrError *error, const char *path) {
    snprintf(error->text, sizeof error->text, "cannot write '%.300s': %s", path, strerror(errno));
    error->status = BR_IO;
    return false;
}

/* Neither reads nor writes through a symbolic link that lies in a folder of somebody else. NULL after a failure. */
static FILE *open_plain(const char *path, bool write, BrError *error) {
    int handle =
        open(path, O_NOFOLLOW | O_CLOEXEC | (write ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY | O_NONBLOCK), 0666);
    FILE *file = handle >= 0 ? fdopen(handle, write ? "w" : "r") : NULL;
    if (file) return file;
    if (errno == ELOOP)
        snprintf(error->text, sizeof error->text,
                 "'%.300s' is a symbolic link, which is not followed; put a file there", path);
    else
        snprintf(error->text, sizeof error->text, "cannot %s '%.300s': %s", write ? "write" : "read", path,
                 strerror(errno));
    error->status = BR_IO;
    if (handle >= 0) close(handle);
    return NULL;
}

bool close_page(FILE *file, const char *path, BrError *error) {
    bool fine = !ferror(file);
    if (fclose(file) != 0) fine = false;
    return fine || fail(error, path);
}

char *read_page(const BrExperiment *e, BrError *error) {
    enum { MOST = 1 << 20 }; /* bytes: pages are short */
    char path[1100];
    snprintf(path, sizeof path, "%.1000s/README.md", br_experiment_folder(e));
    if (access(path, F_OK) != 0) return NULL;
    FILE *file = open_plain(path, false, error);
    char *text = file ? calloc(1, MOST + 1) : NULL;
    if (text) text[fread(text, 1, MOST, file)] = 0;
    if (file) fclose(file);
    return text;
}

static bool copy_readme(const BrExperiment *e, FILE *out, BrError *error) {
    char *text = read_page(e, error);
    if (error->status < 0) return false;
    if (text)
        fputs(text, out);
    else
        fprintf(out, "# %s\n", *br_experiment_title(e) ? br_experiment_title(e) : br_experiment_id(e));
    free(text);
    return true;
}

static void write_table(const BrExperiment *e, FILE *out) {
    BrMetric m;
    fprintf(out,
            "\n## Results\n\n| metric | printed in the paper | our reference | ours | tolerance | verdict | source |\n"
            "|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < br_experiment_metric_count(e); i++) {
        br_experiment_metric(e, i, &m);
        Row row = make_row(&m);
        fprintf(out, "| %s | %s | %s | %s | %s | %s | %s |\n", m.name, m.printed, row.reference, row.ours,
                row.tolerance, row.verdict, m.source);
    }
}

void name_figure(FILE *out, const BrExperiment *e, const BrFigure *figure) {
    write_svg_text(out, br_experiment_id(e));
    fputc('-', out);
    write_svg_text(out, figure->name);
    fputs(".svg", out);
}

static bool write_figure(const BrExperiment *e, int number, const char *folder, FILE *page, BrError *error) {
    BrFigure figure;
    char path[1100];
    br_experiment_figure(e, number, &figure);
    snprintf(path, sizeof path, "%.800s/%.150s-%.100s.svg", folder, br_experiment_id(e), figure.name);
    FILE *out = open_plain(path, true, error);
    if (!out) return false;
    figure_write_svg(out, &figure, 1, NULL, false);
    fprintf(page, "\n![%s](%s-%s.svg)\n", figure.title, br_experiment_id(e), figure.name);
    return close_page(out, path, error);
}

/* What the experiment consists of is not written over. */
static bool is_own_file(const BrExperiment *e, const char *path, BrError *error) {
    const char *names[] = {"README.md", "experiment.yaml"};
    char own[1100];
    for (int i = 0; i < (int)(sizeof names / sizeof names[0]); i++) {
        snprintf(own, sizeof own, "%.1000s/%s", br_experiment_folder(e), names[i]);
        if (!is_same_file(path, own)) continue;
        snprintf(error->text, sizeof error->text,
                 "--output: the page '%.300s' is the experiment's own '%.300s', which would be overwritten; name "
                 "another folder",
                 path, own);
        error->status = BR_INVALID_ARGUMENT;
        return true;
    }
    return false;
}

static void name_page(const BrExperiment *e, const char *folder, char path[1100]) {
    snprintf(path, 1100, "%.800s/%.200s.md", folder, br_experiment_id(e));
}

bool has_room_for_page(const BrExperiment *e, const char *folder, bool force, BrError *error) {
    char path[1100];
    name_page(e, folder, path);
    if (is_own_file(e, path, error)) return false;
    if (force || !would_be_lost(path)) return true;
    snprintf(error->text, sizeof error->text,
             "the page '%.300s' is there already and is kept; name another folder, or overwrite it with --force", path);
    error->status = BR_INVALID_ARGUMENT;
    return false;
}

bool write_page(const BrExperiment *e, const char *folder, BrError *error) {
    char path[1100];
    name_page(e, folder, path);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) return fail(error, folder);
    FILE *out = open_plain(path, true, error);
    if (!out) return false;
    bool fine = copy_readme(e, out, error);
    write_table(e, out);
    for (int i = 0; fine && i < br_experiment_figure_count(e); i++) fine = write_figure(e, i, folder, out, error);
    return close_page(out, path, error) && fine;
}

FILE *open_page(const char *folder, const char *name, bool force, char path[1100], BrError *error) {
    snprintf(path, 1100, "%.800s/%.200s", folder, name);
    if (!force && would_be_lost(path)) {
        snprintf(error->text, sizeof error->text,
                 "'%.300s' is there already and is kept; name another folder, or overwrite it with --force", path);
        error->status = BR_INVALID_ARGUMENT;
        return NULL;
    }
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) return fail(error, folder), NULL;
    return open_plain(path, true, error);
}
