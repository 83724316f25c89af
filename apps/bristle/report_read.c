/* report_read.c: a recording as the report finds it: its scene, its channels, its bodies, and how its run went. */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool fail(BrError *error, BrStatus status, const char *path, const char *text) {
    error->status = status;
    snprintf(error->file, sizeof error->file, "%.255s", path);
    snprintf(error->text, sizeof error->text, "%s", text);
    return false;
}

static bool no_memory(const Shown *s, BrError *error) {
    return fail(error, BR_OUT_OF_MEMORY, s->path, "no memory to show the recording");
}

/* ------------------------------------------------------------------ the scene */

/* The lines of the assignments, which end with 0 from here on; NULL: no memory. */
static const char **split_lines(char *text, int *count) {
    int most = 1;
    for (const char *c = text; *c; c++) most += *c == '\n';
    const char **line = calloc((size_t)most, sizeof *line);
    *count = 0;
    for (char *c = text; line && *c;) {
        char *end = c + strcspn(c, "\n");
        if (end > c) line[(*count)++] = c;
        c = *end ? end + 1 : end;
        *end = 0;
    }
    return line;
}

static void note_scene(Shown *s, const char *text) { snprintf(s->why, sizeof s->why, "%s", text); }

/* Shapes, joints and springs are in the scene only: where it cannot be read there are none. */
static void read_scene(Shown *s) {
    const char *text = s->about.scene;
    if (!*text) {
        note_scene(s, *s->about.scene_note ? s->about.scene_note : "the recording holds no scene");
        return;
    }
    BrError error = {0};
    BrSceneOptions options = br_default_scene_options();
    char *assignments = strdup(s->about.assignments);
    options.set = assignments ? split_lines(assignments, &options.sets) : NULL;
    if (!options.set)
        note_scene(s, "there was no memory for the scene");
    else if (br_scene_parse(text, strlen(text), "scene", &options, &s->scene, &error) == BR_OK)
        s->model = br_scene_model(s->scene);
    else
        note_scene(s, error.text);
    free((void *)options.set);
    free(assignments);
}

/* ------------------------------------------------------------------ channels */

static bool list_channels(Shown *s, BrError *error) {
    int count = br_recording_channel_count(s->recording), known = 0;
    s->channel = calloc((size_t)count + 1, sizeof *s->channel);
    if (!s->channel) return no_memory(s, error);
    for (int i = 0; i < count; i++) {
        Told *t = &s->channel[known];
        if (br_recording_channel(s->recording, i, &t->is) != BR_OK) return no_memory(s, error);
        if (strncmp(t->is.name, "contacts.", 9) == 0 && strchr(t->is.name, '/')) break; /* the rest are of that kind */
        if (strlen(t->is.name) >= sizeof t->name) continue;
        snprintf(t->name, sizeof t->name, "%s", t->is.name);
        known++;
    }
    s->channels = known;
    return true;
}

/* "wheel.rotation" in a CSV is "bodies.wheel.rotation": only bodies have one. */
static void name_bodies(Shown *s) {
    for (int i = 0; i < s->channels; i++) {
        char stem[200];
        snprintf(stem, sizeof stem, "%s", s->channel[i].is.name);
        char *dot = strrchr(stem, '.');
        if (s->channel[i].is.width != 9 || !dot || strchr(stem, '.') != dot || strcmp(dot, ".rotation") != 0) continue;
        dot[1] = 0;
        for (int k = 0; k < s->channels; k++)
            if (strncmp(s->channel[k].is.name, stem, strlen(stem)) == 0)
                snprintf(s->channel[k].name, sizeof s->channel[k].name, "bodies.%.190s", s->channel[k].is.name);
    }
}

int shown_find_channel(const Shown *s, const char *name) {
    for (int i = 0; i < s->channels; i++)
        if (strcmp(s->channel[i].name, name) == 0) return i;
    return -1;
}

double *shown_read(const Shown *s, int channel, BrError *error) {
    const BrChannelInfo *is = &s->channel[channel].is;
    double *values = calloc((size_t)s->rows * (size_t)is->width, sizeof *values);
    if (!values) no_memory(s, error);
    if (values && br_recording_read(s->recording, is->name, values, error) == BR_OK) return values;
    free(values);
    return NULL;
}

/* ------------------------------------------------------------------ bodies */

static int find_of_body(const Shown *s, const char *body, const char *what, int width) {
    char name[240];
    snprintf(name, sizeof name, "bodies.%s.%s", body, what);
    int channel = shown_find_channel(s, name);
    return channel >= 0 && s->channel[channel].is.width == width ? channel : -1;
}

static void add_body(Shown *s, const char *name, BrBodyId id) {
    TellsBody *b = &s->body[s->bodies++];
    snprintf(b->name, sizeof b->name, "%s", name);
    b->id = id;
    b->position = find_of_body(s, b->name, "position", 3);
    b->rotation = find_of_body(s, b->name, "rotation", 9);
}

int shown_find_body(const Shown *s, const char *name) {
    for (int i = 0; i < s->bodies; i++)
        if (strcmp(s->body[i].name, name) == 0) return i;
    return -1;
}

/* Bodies that were recorded without a model that has them: of the channels, and of what they touched. */
static void add_recorded(Shown *s) {
    for (int i = 0; i < s->channels; i++) {
        const char *name = s->channel[i].name;
        size_t length = strlen(name), end = strlen(".rotation");
        if (s->channel[i].is.width != 9 || strncmp(name, "bodies.", 7) != 0 || length < 7 + end) continue;
        char body[100];
        snprintf(body, sizeof body, "%.*s", (int)(length - 7 - end), name + 7);
        if (strcmp(name + length - end, ".rotation") == 0) add_body(s, body, (BrBodyId){0});
    }
    for (int i = 0; i < br_recording_body_count(s->recording); i++)
        if (shown_find_body(s, br_recording_body(s->recording, i)) < 0)
            add_body(s, br_recording_body(s->recording, i), (BrBodyId){0});
}

/* Are the bodies of the scene those that were recorded? */
static bool has_recorded(const Shown *s) {
    for (int i = 0; i < br_recording_body_count(s->recording); i++)
        if (!br_model_find_body(s->model, br_recording_body(s->recording, i)).index1) return false;
    for (int i = 0; i < s->bodies; i++) {
        bool moves = br_body_def(s->model, s->body[i].id)->kind != BR_BODY_FIXED;
        if (moves != (s->body[i].position >= 0 && s->body[i].rotation >= 0)) return false;
    }
    return true;
}

static bool list_bodies(Shown *s, BrError *error) {
    int most = s->channels + br_recording_body_count(s->recording) + (s->model ? br_model_body_count(s->model) : 0);
    s->body = calloc((size_t)most + 1, sizeof *s->body);
    if (!s->body) return no_memory(s, error);
    for (int i = 0; s->model && i < br_model_body_count(s->model); i++) {
        BrBodyId id = br_model_body(s->model, i);
        add_body(s, br_body_def(s->model, id)->name, id);
    }
    if (s->model && has_recorded(s)) return true;
    if (s->model) note_scene(s, "its scene has other bodies than were recorded");
    s->model = NULL;
    s->bodies = 0;
    add_recorded(s);
    return true;
}

/* ------------------------------------------------------------------ all of it */

bool shown_open(Shown *s, const char *path, BrError *error) {
    *s = (Shown){.path = path};
    if (br_recording_open(path, &s->recording, error) != BR_OK || br_recording_about(s->recording, &s->about) != BR_OK)
        return false;
    s->rows = br_recording_rows(s->recording);
    if (s->rows == 0) return fail(error, BR_IO, path, "the recording has no row yet, so that there is nothing to show");
    if (!list_channels(s, error)) return false;
    int time = shown_find_channel(s, "time");
    if (time < 0 || s->channel[time].is.width != 1)
        return fail(error, BR_IO, path, "this is no recording: it has no column 'time' with one number in a row");
    s->time = shown_read(s, time, error);
    if (!s->time) return false;
    for (int i = 0; i < s->rows; i++)
        if (!(fabs(s->time[i]) < 1e300) || (i && s->time[i] < s->time[i - 1]))
            return fail(error, BR_IO, path, "this is no recording: its times do not ascend");
    s->channel[time].left_out = true; /* it stands beside the others */
    name_bodies(s);
    read_scene(s);
    return list_bodies(s, error);
}

void shown_close(Shown *s) {
    br_recording_close(s->recording);
    br_scene_destroy(s->scene);
    free(s->time);
    free(s->channel);
    free(s->body);
    free(s->share.row);
    free(s->share.contact_row);
    for (int k = 0; k < BR_RECORDED_TABLES; k++) free(s->share.lines[k]);
    *s = (Shown){0};
}

/* ------------------------------------------------------------------ how it went */

/* A scalar channel over all rows; NULL: there is none, or *fine is false. */
static double *read_scalar(const Shown *s, const char *name, bool *fine, BrError *error) {
    int channel = shown_find_channel(s, name);
    if (!*fine || channel < 0 || s->channel[channel].is.width != 1) return NULL;
    double *values = shown_read(s, channel, error);
    *fine = values != NULL;
    return values;
}

/* The largest, and when. */
static bool find_largest(const Shown *s, const char *name, double *largest, double *at, BrError *error) {
    bool fine = true;
    double *values = read_scalar(s, name, &fine, error);
    *largest = *at = NAN;
    for (int i = 0; values && i < s->rows; i++)
        if (!(values[i] <= *largest)) *largest = values[i], *at = s->time[i];
    free(values);
    return fine;
}

static bool count_rows(const Shown *s, const char *name, int *count, int *of, BrError *error) {
    bool fine = true;
    double *values = read_scalar(s, name, &fine, error);
    *of = values ? s->rows : 0;
    for (int i = 0; values && i < s->rows; i++) *count += values[i] != 0;
    free(values);
    return fine;
}

static bool find_last(const Shown *s, const char *name, double *last, BrError *error) {
    bool fine = true;
    double *values = read_scalar(s, name, &fine, error);
    *last = values ? values[s->rows - 1] : NAN;
    free(values);
    return fine;
}

static bool read_books(Shown *s, BrError *error) {
    static const char *const NAMES[] = {"energy.kinetic", "energy.potential",  "energy.stored",
                                        "energy.work",    "energy.dissipated", "energy.defect"};
    enum { COUNT = sizeof NAMES / sizeof NAMES[0] };
    Evidence *e = &s->evidence;
    double *values[COUNT];
    bool fine = true;
    e->has_books = true;
    for (int k = 0; k < COUNT; k++) {
        values[k] = read_scalar(s, NAMES[k], &fine, error);
        e->has_books = e->has_books && values[k];
    }
    double *corrected = read_scalar(s, "certificate.corrected", &fine, error);
    for (int i = 0; fine && e->has_books && i < s->rows; i++) {
        BrEnergy energy = {.kinetic = values[0][i],
                           .potential = values[1][i],
                           .stored = values[2][i],
                           .work = values[3][i],
                           .dissipated = values[4][i],
                           .defect = values[5][i]};
        e->books.corrected += corrected ? corrected[i] : 0;
        note_books(&e->books, &energy);
    }
    for (int k = 0; k < COUNT; k++) free(values[k]);
    free(corrected);
    return fine;
}

bool shown_gather(Shown *s, BrError *error) {
    Evidence *e = &s->evidence;
    int of;
    e->closed = s->about.closed;
    e->rows = s->rows;
    e->end = s->time[s->rows - 1];
    e->until = e->dt = NAN;
    e->weighed = s->model != NULL;
    if (s->model) {
        BrRunDef run = br_scene_run_def(s->scene);
        e->until = run.until;
        e->dt = run.step.dt;
        e->other_model = s->about.fingerprint && s->about.fingerprint != br_model_fingerprint(s->model);
        weigh_bodies(&e->books, s->model);
    }
    bool fine = find_last(s, "certificate.uncertified_steps", &e->uncertified, error) &&
                find_largest(s, "certificate.position_residual", &e->position, &e->position_at, error) &&
                find_largest(s, "certificate.velocity_residual", &e->rate, &e->rate_at, error) &&
                find_largest(s, "certificate.contact_residual", &e->contact, &e->contact_at, error) &&
                find_last(s, "certificate.sleeping", &e->rest, error) &&
                count_rows(s, "certificate.fell_back", &e->fell_back, &of, error) &&
                count_rows(s, "certificate.reading", &e->readings, &e->of_readings, error) && read_books(s, error);
    e->simulated = e->has_books || e->of_readings > 0;
    return fine;
}
