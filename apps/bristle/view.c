/* view.c: `bristle view`: a run that goes on by the clock while browsers on this machine look at it.
 *
 * One loop takes the steps that are due, evaluates a row when some page wants one, and looks after the pages; within long steps
 * they are looked after too, by the step's own stop. A row may take a fifth of the time, and clients never more than it
 * takes to hand them what they take. */
#define _DEFAULT_SOURCE /* mkstemps() */
#include "view.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double BATCH = 5e-3;   /* s: of steps between two looks at clients */
static const double BEHIND = 0.25;  /* s: by the clock; what the run lags behind by more, it does not make up for */
static const double ROWS_SHARE = 4; /* a row is not made before so many times what the last one took have passed */
static const double IDLE = 0.05;    /* s: the longest wait */

/* ------------------------------------------------------------------ the loop */

static bool is_due(View *v, double now) {
    if (v->paused) return v->single_steps > 0;
    if (v->speed == 0) return true;
    double time = br_state_time(v->l.state), lag = (now - v->anchor) * v->speed - (time - v->anchor_time);
    if (lag > BEHIND * v->speed + v->l.run.step.dt) view_anchor(v);
    return lag >= v->l.run.step.dt;
}

static void step_on(View *v) {
    double began = wall_clock(), now = began;
    while (is_due(v, now) && now - began < BATCH && view_step(v)) {
        if (v->single_steps > 0) v->single_steps--;
        now = wall_clock();
    }
}

static void show(View *v) {
    double rate = fmin(server_rate(&v->server), v->fps), began = wall_clock();
    if (rate == 0 || v->has_row || began < v->next_row) return;
    view_row(v);
    v->next_row = began + fmax(1 / rate, ROWS_SHARE * (wall_clock() - began));
}

/* How long nothing is to be done, s. */
static double find_pause(View *v) {
    double now = wall_clock(), wait = IDLE;
    if (is_due(v, now)) return 0;
    if (!v->paused) {
        double lag = (now - v->anchor) * v->speed - (br_state_time(v->l.state) - v->anchor_time);
        wait = fmin(wait, (v->l.run.step.dt - lag) / v->speed);
    }
    if (server_rate(&v->server) > 0 && !v->has_row) wait = fmin(wait, v->next_row - now);
    return wait;
}

static void go(View *v) {
    while (!was_interrupted()) {
        step_on(v);
        show(v);
        serve(&v->server, find_pause(v), true);
        v->looked = wall_clock();
    }
}

/* ------------------------------------------------------------------ the command */

static int parse(View *v, int count, char **words, int *done) {
    const Option options[] = {
        {"--port", NULL, "NUMBER", "of the address; one that is free if not given", &v->port_text, false},
        {"--open", NULL, NULL, "in a browser, by xdg-open", &v->open, false},
        {"--paused", NULL, NULL, "begin with a run that stands still", &v->paused, false},
        {"--speed", NULL, "FACTOR", "of the run's time by the clock; 1 if not given, 0: as fast as it goes",
         &v->speed_text, false},
        {"--fps", NULL, "RATE", "rows a second for the page, at most; 60 if not given", &v->fps_text, false},
        {"--dt", NULL, "TIME", "step size, e.g. '1 ms'", &v->step.dt, false},
        {"--scheme", NULL, "NAME", "as of run", &v->step.scheme, false},
        {"--formulation", NULL, "NAME", "timestepping, event, compliant, smooth or hybrid", &v->step.formulation,
         false},
        {"--threads", NULL, "N", "threads a step may use, 1 to 64", &v->step.threads, false},
        {"--sleeping", NULL, "true|false", "islands at rest are not stepped until something may touch them",
         &v->step.sleeping, false},
        {"--set", NULL, "PATH=VALUE", "change the scene, e.g. --set bodies.bob.mass=2; may be repeated", &v->set, true},
        {"--include", NULL, "FOLDER", INCLUDE_HELP, &v->include, true},
        {"--separate", NULL, NULL, "first take bodies apart that begin inside each other, and say how far",
         &v->step.separate, false},
    };
    return parse_options(
        "Usage: bristle view SCENE [options]\n\nRuns a scene and shows it in a browser while it goes on: "
        "pause, step, push, change numbers.\nThe page is for this machine and this user alone. Ctrl-C ends it.",
        options, (int)(sizeof options / sizeof options[0]), count, words, &v->scene, 1, done);
}

static bool read_option(const char *name, const char *text, double least, double most, double *value) {
    char *end = NULL;
    if (!text) return true;
    *value = strtod(text, &end);
    if (*text && !*end && *value >= least && *value <= most) return true;
    fprintf(stderr, "bristle view: %s is '%.60s', but must be a number from %g to %g\n", name, text, least, most);
    return false;
}

static bool check(View *v) {
    double port = 0;
    v->speed = 1;
    v->fps = 60;
    if (is_recording_name(v->scene)) {
        fprintf(stderr,
                "bristle view: '%.300s' is a recording, and view is for a scene that runs; 'bristle report %.300s' "
                "shows it\n",
                v->scene, v->scene);
        return false;
    }
    if (strcmp(v->scene, "-") == 0) {
        fprintf(stderr, "bristle view: the scene must be in a file: a reset reads it again\n");
        return false;
    }
    if (!read_option("--port", v->port_text, 1, 65535, &port) ||
        !read_option("--speed", v->speed_text, 0, 1000, &v->speed) ||
        !read_option("--fps", v->fps_text, 1, 240, &v->fps))
        return false;
    v->port = (int)port;
    if (port == floor(port)) return true;
    fprintf(stderr, "bristle view: --port must be a whole number\n");
    return false;
}

/* By a file that leads there, which only this user can read: words of commands are seen by all. */
static void open_address(View *v, const char *address) {
    snprintf(v->way, sizeof v->way, "/tmp/bristle-view-XXXXXX.html");
    int file = mkstemps(v->way, 5);
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
    if (!out) {
        fprintf(stderr, "bristle: there is no room in /tmp for a page that leads there; open the address yourself\n");
        *v->way = 0;
        return;
    }
    fprintf(out, "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=%s\"><a href=\"%s\">bristle view</a>\n",
            address, address);
    fclose(out);
    signal(SIGCHLD, SIG_IGN); /* nobody waits for what opens it */
    show_page(v->way);
}

static int run_view(View *v) {
    BrError error = {0};
    const Service service = {v, view_page, view_act, view_tell};
    v->server.listener = -1;
    if (!view_begin(v, &error)) return report_error(&error, false);
    print_warnings(stderr, &v->l);
    warn_unstable(&v->l);
    if (!server_open(&v->server, v->port, service, &error)) return report_error(&error, false);
    char address[128];
    snprintf(address, sizeof address, "http://127.0.0.1:%d/%s/", v->server.port, v->server.token);
    printf("%s\n", address);
    fflush(stdout);
    fprintf(stderr, "bristle: '%s' runs; open the address above in a browser of this machine, end with Ctrl-C\n",
            v->scene);
    if (v->open) open_address(v, address);
    go(v);
    server_close(&v->server, "event: end\ndata: {}\n\n");
    if (*v->way) unlink(v->way);
    return exit_interrupted();
}

int command_view(int count, char **words) {
    static View v; /* a server is large */
    int done, arguments = parse(&v, count, words, &done);
    if (arguments < 0) return done;
    if (arguments == 0) {
        fprintf(stderr, "bristle view: which scene? Try 'bristle view scenes/robot.yaml'\n");
        return EXIT_MISUSE;
    }
    if (!add_step_options(&v.step, &v.set) || !check(&v)) return EXIT_MISUSE;
    catch_interrupts();
    int code = run_view(&v);
    view_end(&v);
    return code;
}
