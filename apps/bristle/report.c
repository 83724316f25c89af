/* report.c: `bristle report`: recordings as one page that any browser shows, with nothing else beside it. */
#include "report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------ within a process of its own */

static bool add_recording(Page *page, const Report *r, int number, Shown *shown, Progress *progress, BrError *error) {
    double from = (double)number / r->recordings, to = (double)(number + 1) / r->recordings;
    if (!shown_open(shown, r->recording[number], error)) return false;
    if (!share_choose(shown, r->rows, r->letters / r->recordings, error)) return false;
    if (number) fputs(",\n", page->told);
    return write_recording(page, shown, progress, from, to, error);
}

static bool cannot_write(const Report *r, BrError *error) {
    error->status = BR_IO;
    snprintf(error->text, sizeof error->text, "cannot write '%.300s': %s", r->path,
             errno ? strerror(errno) : "no memory");
    return false;
}

static bool write_page(const Report *r, Shown *shown, BrError *error) {
    Page page;
    errno = 0;
    if (!page_begin(&page, fopen(r->temporary, "w"))) return cannot_write(r, error);
    Progress progress = progress_start(r->quiet);
    fputs("{\"format\": 1, \"title\": ", page.told);
    json_text(page.told, r->title);
    fputs(", \"live\": null, \"recordings\": [", page.told);
    bool fine = true;
    for (int i = 0; i < r->recordings && fine; i++) fine = add_recording(&page, r, i, &shown[i], &progress, error);
    progress_end(&progress);
    if (!fine) {
        page_give_up(&page);
        return false;
    }
    fputs("]}", page.told);
    if (!page_end(&page) || rename(r->temporary, r->path) != 0) return cannot_write(r, error);
    return true;
}

static void json_recording(const Shown *s) {
    printf("{\"file\": ");
    json_text(stdout, s->path);
    printf(", \"rows\": %d, \"kept\": %d, \"stride\": %d, \"contact_stride\": %d, \"note\": ", s->rows, s->share.kept,
           s->share.stride, s->share.contact_stride);
    json_text(stdout, s->share.note);
    printf(", \"shapes\": %s, \"why\": ", s->model ? "true" : "false");
    json_text(stdout, s->model ? "" : s->why);
    printf(", \"verdict\": \"%s\", \"title\": ", level_names[s->judgement.level]);
    json_text(stdout, s->judgement.title);
    printf(", \"lines\": [");
    for (int i = 0; i < s->judgement.lines; i++) {
        if (i) printf(", ");
        json_text(stdout, s->judgement.line[i].text);
    }
    printf("]}");
}

static void tell(const Report *r, const Shown *shown) {
    struct stat about = {0};
    stat(r->path, &about);
    if (r->json) {
        printf("{\"status\": \"ok\", \"page\": ");
        json_text(stdout, r->path);
        printf(", \"bytes\": %lld, \"recordings\": [", (long long)about.st_size);
        for (int i = 0; i < r->recordings; i++) {
            if (i) printf(", ");
            json_recording(&shown[i]);
        }
        printf("]}\n");
        return;
    }
    printf("%s: %.3g MB\n", r->path, (double)about.st_size / 1e6);
    for (int i = 0; i < r->recordings; i++) {
        const Shown *s = &shown[i];
        printf("  %s: %s\n", s->path, s->judgement.title);
        for (int k = 0; k < s->judgement.lines; k++)
            if (s->judgement.line[k].level != LEVEL_GOOD) printf("    %s\n", s->judgement.line[k].text);
        if (*s->share.note) printf("    %s\n", s->share.note);
        if (!s->model) printf("    Bodies have no shapes, since the scene is not known: %s\n", s->why);
    }
}

static int make_page(void *user) {
    const Report *r = user;
    Shown shown[MOST_REPORTED] = {{0}};
    BrError error = {0};
    bool fine = write_page(r, shown, &error);
    end_guarded_reading();
    if (fine && !r->mute) tell(r, shown);
    for (int i = 0; i < r->recordings; i++) shown_close(&shown[i]);
    if (fine) return EXIT_FINE;
    unlink(r->temporary);
    return was_interrupted() ? exit_interrupted() : report_error(&error, r->json);
}

/* ------------------------------------------------------------------ outside of it */

/* Reading may take as long as the largest of them allows. */
static const char *find_largest(const Report *r) {
    int largest = 0;
    off_t most = -1;
    for (int i = 0; i < r->recordings; i++) {
        struct stat about;
        if (stat(r->recording[i], &about) == 0 && about.st_size > most) most = about.st_size, largest = i;
    }
    return r->recording[largest];
}

int write_report(Report *r) {
    catch_interrupts();
    snprintf(r->temporary, sizeof r->temporary, "%s.tmp%ld", r->path, (long)getpid());
    unlink(r->temporary); /* whatever lies there, or leads elsewhere from there */
    int code = run_guarded(make_page, r, find_largest(r), r->json);
    if (code != EXIT_FINE) unlink(r->temporary);
    return was_interrupted() ? exit_interrupted() : code;
}

/* ------------------------------------------------------------------ the command */

typedef struct Words {
    const char *output, *rows, *size, *title, *frames, *fps, *pixels;
    bool open, force, quiet;
} Words;

/* A whole number within bounds; false after a complaint. */
static bool read_number(const char *option, const char *text, double least, double most, const char *what,
                        double *value) {
    char *end = NULL;
    if (!text) return true;
    *value = strtod(text, &end);
    if (end != text && !*end && *value >= least && *value <= most) return true;
    fprintf(stderr, "bristle report: %s takes %s, %.9g to %.9g; not '%.100s'\n", option, what, least, most, text);
    return false;
}

static bool read_frames(Frames *f, const Words *w) {
    *f = (Frames){w->frames, 25, 1280, 720};
    char rest;
    if (!read_number("--fps", w->fps, 0.01, 1e6, "pictures a second", &f->rate)) return false;
    bool read = !w->pixels || sscanf(w->pixels, "%dx%d%c", &f->width, &f->height, &rest) == 2;
    if (read && f->width >= 64 && f->height >= 64 && f->width <= 8192 && f->height <= 8192) return true;
    fprintf(stderr,
            "bristle report: --size-px takes pixels across and upwards, 64 to 8192, as in 1280x720; not '%.100s'\n",
            w->pixels);
    return false;
}

/* "swing.html" of "swing.h5". */
static bool name_page(Report *r, const char *output) {
    const char *name = output ? output : r->recording[0], *slash = strrchr(name, '/'), *dot = strrchr(name, '.');
    int stem = !output && dot && (!slash || dot > slash + 1) ? (int)(dot - name) : (int)strlen(name);
    if (snprintf(r->path, sizeof r->path, "%.*s%s", stem, name, output ? "" : ".html") < (int)sizeof r->path)
        return true;
    fprintf(stderr, "bristle report: the name of the page is too long\n");
    return false;
}

static bool keep_files(const Report *r, bool force) {
    NamedFile files[MOST_REPORTED + 1];
    for (int i = 0; i < r->recordings; i++) files[i] = (NamedFile){"RECORDING", r->recording[i], false};
    files[r->recordings] = (NamedFile){"--output", r->path, true};
    return keep_apart("report", files, r->recordings + 1) && keep_written("report", files, r->recordings + 1, force);
}

static int parse(Report *r, Words *w, int count, char **words, int *done) {
    const Option options[] = {
        {"--output", "-o", "FILE", "write to FILE; without it, the first recording's name with .html", &w->output,
         false},
        {"--open", NULL, NULL, "show it in the browser", &w->open, false},
        {"--rows", NULL, "N", "at most so many rows of each recording; 2000 if not given", &w->rows, false},
        {"--size", NULL, "MB", "at most so many megabytes of numbers; 24 if not given", &w->size, false},
        {"--frames", NULL, "DIR", "also pictures of the replay for a video, there; needs Chromium", &w->frames, false},
        {"--fps", NULL, "N", "pictures for each second of the run; 25 if not given", &w->fps, false},
        {"--size-px", NULL, "WxH", "of a picture; 1280x720 if not given", &w->pixels, false},
        {"--title", NULL, "TEXT", "at the head of the page", &w->title, false},
        {"--force", NULL, NULL, "overwrite a page that is there", &w->force, false},
        {"--quiet", "-q", NULL, "no progress bar", &w->quiet, false},
        {"--json", NULL, NULL, "what was written, and the verdicts, as JSON on standard output", &r->json, false},
    };
    return parse_options(
        "Usage: bristle report RECORDING... [-o FILE.html] [options]\n\n"
        "Writes one page that shows recordings (.h5 or .csv) in any browser, offline: whether the run can be\n"
        "believed, the machine as it moved, plots, contacts, energy, joints. Several recordings are laid over\n"
        "each other. A run that still goes on, or was killed, shows the rows that are there.",
        options, (int)(sizeof options / sizeof options[0]), count, words, r->recording, MOST_REPORTED, done);
}

int command_report(int count, char **words) {
    static Report r;
    Words w = {0};
    Frames frames;
    double rows = REPORT_ROWS, size = REPORT_LETTERS / 1e6;
    int done;
    r = (Report){0};
    r.recordings = parse(&r, &w, count, words, &done);
    if (r.recordings < 0) return done;
    if (r.recordings == 0) {
        fprintf(stderr, "bristle report: which recording? Make one with 'bristle run SCENE -o out.h5'\n");
        return EXIT_MISUSE;
    }
    if (!read_number("--rows", w.rows, 2, 1e8, "a number of rows", &rows) ||
        !read_number("--size", w.size, 0.01, 1e5, "megabytes", &size) || !name_page(&r, w.output) ||
        !keep_files(&r, w.force) || !read_frames(&frames, &w) || !keep_frames(&frames, w.force))
        return EXIT_MISUSE;
    const char *slash = strrchr(r.recording[0], '/');
    r.title = w.title ? w.title : slash ? slash + 1 : r.recording[0];
    r.rows = (int)rows;
    r.letters = size * 1e6;
    r.quiet = w.quiet || r.json;
    int code = write_report(&r);
    if (code == EXIT_FINE && frames.folder) code = write_frames(&frames, &r);
    if (code == EXIT_FINE && w.open) show_page(r.path);
    return code;
}
