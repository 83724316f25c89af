/* view_do.c: what pages may ask for. A command is a form, "do=speed&value=0.5"; its answer says whether it was done, and
 * what to know. */
#include "view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NOTE = 1024 };

static const double FASTEST = 1000; /* times the clock */
static const double LONGEST = 60;   /* s: of a push, unless it is said again */

/* ------------------------------------------------------------------ reading */

/* A finite number. */
static bool read_number(const char *form, const char *name, double *value) {
    char text[64], *end = text;
    if (!http_field(form, name, text, sizeof text)) return false;
    *value = strtod(text, &end);
    return *text && !*end && isfinite(*value);
}

static bool read_vector(const char *form, const char *const names[3], BrVec3 *v) {
    return read_number(form, names[0], &v->x) && read_number(form, names[1], &v->y) &&
           read_number(form, names[2], &v->z);
}

static bool refuse(char note[NOTE], const char *why) {
    snprintf(note, NOTE, "%s", why);
    return false;
}

/* ------------------------------------------------------------------ commands */

static bool pause_run(View *v, const char *form, char note[NOTE]) {
    (void)form, (void)note;
    v->paused = true;
    v->single_steps = 0;
    return true;
}

static bool play_run(View *v, const char *form, char note[NOTE]) {
    (void)form, (void)note;
    v->paused = false;
    v->news.sentence[0] = 0;
    view_anchor(v);
    return true;
}

static bool take_steps(View *v, const char *form, char note[NOTE]) {
    double count = 1;
    char text[8];
    bool said = http_field(form, "count", text, sizeof text);
    if (said && !(read_number(form, "count", &count) && count >= 1 && count <= 1000))
        return refuse(note, "count must be 1 to 1000 steps");
    if (!v->paused) return refuse(note, "single steps are for a run that is paused");
    v->single_steps = (int)fmin(v->single_steps + count, 1000);
    v->news.sentence[0] = 0;
    return true;
}

static bool set_speed(View *v, const char *form, char note[NOTE]) {
    double speed;
    if (!read_number(form, "value", &speed) || speed < 0 || speed > FASTEST)
        return refuse(note, "value must be the speed, 0 to 1000 times the clock; 0: as fast as it goes");
    v->speed = speed;
    view_anchor(v);
    return true;
}

static bool reset_run(View *v, const char *form, char note[NOTE]) {
    (void)form;
    BrError error = {0};
    if (view_begin(v, &error)) return true;
    return refuse(note, error.text);
}

static bool set_motor(View *v, const char *form, char note[NOTE]) {
    char name[256];
    double target, most;
    BrError error = {0};
    BrMotorId id = {0};
    if (http_field(form, "name", name, sizeof name)) id = br_model_find_motor(v->l.model, name);
    if (!id.index1) return refuse(note, "name must be one of the scene's motors");
    if (http_field(form, "release", name, sizeof name)) return br_motor_release(v->l.model, v->l.state, id) == BR_OK;
    if (!read_number(form, "value", &target)) return refuse(note, "value must be a number, the motor's target");
    br_motor_target(v->l.model, v->l.state, id, &(double){0}, &most);
    if (br_motor_set_target(v->l.model, v->l.state, id, target, most, &error) == BR_OK) return true;
    return refuse(note, error.text);
}

static bool set_value(View *v, const char *form, char note[NOTE]) {
    char path[512], value[512], told[512] = "";
    BrError error = {0};
    if (!http_field(form, "path", path, sizeof path) || !*path || strchr(path, '=') ||
        !http_field(form, "value", value, sizeof value))
        return refuse(note, "path and value must be those of an assignment, as --set takes them");
    bool done = view_change(v, path, value, told, &error);
    snprintf(note, NOTE, "%s", done ? told : error.text);
    return done;
}

static bool push_body(View *v, const char *form, char note[NOTE]) {
    static const char *const AT[] = {"x", "y", "z"}, *const FORCE[] = {"fx", "fy", "fz"},
                             *const TO[] = {"tx", "ty", "tz"};
    char name[256];
    Push p = {.held = true, .body = -1};
    double time;
    if (http_field(form, "body", name, sizeof name))
        for (int i = 0; i < br_model_body_count(v->l.model) && p.body < 0; i++)
            if (strcmp(br_body_def(v->l.model, br_model_body(v->l.model, i))->name, name) == 0) p.body = i;
    if (p.body < 0) return refuse(note, "body must be one of the scene's bodies");
    if (br_body_def(v->l.model, br_model_body(v->l.model, p.body))->kind != BR_BODY_DYNAMIC)
        return refuse(note, "this body is fixed, or moved by the scene: a push does nothing to it");
    bool band = read_number(form, "stiffness", &p.stiffness);
    if (!read_vector(form, AT, &p.at) || !(band ? read_vector(form, TO, &p.to) : read_vector(form, FORCE, &p.force)) ||
        (band && !(p.stiffness > 0)))
        return refuse(note, "x, y, z must be a place in the body's axes (m), and fx, fy, fz a force (N); or tx, ty, tz "
                            "a place (m) and stiffness that of a band to it (N/m)");
    if (!read_number(form, "time", &time) || time < 0 || time > LONGEST)
        return refuse(note, "time must be how long it pushes, 0 to 60 s of the run's time");
    p.steps = (uint64_t)ceil(time / v->l.run.step.dt - 1e-6);
    view_let_go(v);
    v->push = p;
    return true;
}

static bool let_go(View *v, const char *form, char note[NOTE]) {
    (void)form, (void)note;
    view_let_go(v);
    return true;
}

static const struct {
    const char *name;
    bool (*act)(View *v, const char *form, char note[NOTE]);
    bool quiet; /* changes nothing that pages show */
} COMMANDS[] = {{"pause", pause_run, false}, {"play", play_run, false},   {"step", take_steps, false},
                {"speed", set_speed, false}, {"reset", reset_run, false}, {"motor", set_motor, false},
                {"set", set_value, false},   {"push", push_body, true},   {"release", let_go, true}};

bool view_act(void *user, const char *form, FILE *out) {
    View *v = user;
    char word[16] = "", note[NOTE] = "do must be pause, play, step, speed, reset, motor, set, push or release";
    bool done = false;
    http_field(form, "do", word, sizeof word);
    for (size_t i = 0; i < sizeof COMMANDS / sizeof COMMANDS[0]; i++) {
        if (strcmp(COMMANDS[i].name, word) != 0) continue;
        note[0] = 0;
        done = COMMANDS[i].act(v, form, note);
        v->news.count += !COMMANDS[i].quiet;
    }
    fprintf(out, "{\"ok\": %s, \"text\": ", done ? "true" : "false");
    json_text(out, note);
    fprintf(out, "}\n");
    return done;
}
