/* report_frames.c: `bristle report --frames`: the replay as pictures, one after the other, for a video. */
#include "browser.h"
#include "report.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_FRAMES = 99999 };

static void name_frame(const Frames *f, int number, char path[PATH_MAX]) {
    snprintf(path, PATH_MAX, "%.4000s/frame-%05d.png", f->folder, number);
}

bool keep_frames(const Frames *f, bool force) {
    char path[PATH_MAX];
    name_frame(f, 1, path);
    const NamedFile files[] = {{"--frames", path, true}};
    return !f->folder || keep_written("report", files, 1, force);
}

static int fail(const Report *r, const char *why) {
    BrError error = {.status = BR_IO};
    if (was_interrupted()) return exit_interrupted();
    snprintf(error.text, sizeof error.text, "no frames: %.600s", why);
    return report_error(&error, r->json);
}

/* The page is there when it offers frames. */
static bool wait_for_page(Browser *b) {
    const struct timespec moment = {0, 50000000};
    for (int i = 0; i < 1200; i++) {
        const char *is = browser_evaluate(b, "String(Boolean(window.bristle && bristle.frame))");
        if (!is) return false;
        if (strcmp(is, "true") == 0) return true;
        nanosleep(&moment, NULL);
    }
    snprintf(b->why, sizeof b->why, "the page offers none");
    return false;
}

/* Frames of an earlier time behind the last one would be taken for this one's. */
static void remove_old(const Frames *f, int number) {
    char path[PATH_MAX];
    for (name_frame(f, number, path); number <= MOST_FRAMES && unlink(path) == 0; name_frame(f, number, path)) number++;
}

static bool draw(const Frames *f, Browser *b, double first, double last, bool quiet, int *count) {
    double frames = floor((last - first) * f->rate * (1 + 1e-12) + 1e-9) + 1;
    if (frames > MOST_FRAMES) {
        snprintf(b->why, sizeof b->why, "they would be %.0f, and %d are the most; a smaller --fps makes fewer", frames,
                 (int)MOST_FRAMES);
        return false;
    }
    Progress progress = progress_start(quiet);
    bool fine = true;
    for (*count = 0; fine && *count < (int)frames;) {
        char path[PATH_MAX], expression[80];
        double t = fmin(last, first + *count / f->rate);
        snprintf(expression, sizeof expression, "bristle.frame(%.17g), 'drawn'", t);
        name_frame(f, ++*count, path);
        fine = browser_evaluate(b, expression) && browser_capture(b, path);
        progress_show(&progress, *count / frames, t);
    }
    progress_end(&progress);
    return fine;
}

int write_frames(const Frames *f, const Report *r) {
    Browser b;
    int count = 0;
    double first, last;
    if (mkdir(f->folder, 0777) != 0 && errno != EEXIST) return fail(r, strerror(errno));
    if (!browser_open(&b, r->path, "#frames", f->width, f->height)) return fail(r, b.why);
    bool fine = wait_for_page(&b);
    const char *times =
        fine ? browser_evaluate(&b, "bristle.page.recordings[0].first + ' ' + bristle.page.recordings[0].last") : NULL;
    fine = times && sscanf(times, "%lf %lf", &first, &last) == 2 && draw(f, &b, first, last, r->quiet, &count);
    browser_close(&b);
    if (!fine) return fail(r, *b.why ? b.why : "the page does not tell its times");
    remove_old(f, count + 1);
    if (!r->json)
        printf("%d frames in %s. A video of them:\n"
               "  ffmpeg -framerate %g -i '%s/frame-%%05d.png' -c:v libx264 -pix_fmt yuv420p '%s.mp4'\n",
               count, f->folder, f->rate, f->folder, f->folder);
    return EXIT_FINE;
}
