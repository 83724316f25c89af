/* report_write.c: a recording as an object of the page: what it is, its channels, how its bodies stand and move. */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool stop_report(BrError *error) {
    if (!was_interrupted()) return false;
    error->status = BR_CANCELLED;
    snprintf(error->text, sizeof error->text, "the report was given up");
    return true;
}

static void write_key(FILE *out, const char *key, const char *text) {
    fprintf(out, "\"%s\": ", key);
    json_text(out, text);
}

static void write_hash(FILE *out, const char *key, uint64_t hash) {
    char text[24] = "";
    if (hash) snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    write_key(out, key, text);
    fputs(", ", out);
}

/* ------------------------------------------------------------------ channels */

/* Of every row, not only those that are shown. */
static void write_stats(FILE *out, const Shown *s, const double *values, int width) {
    fputs("\"stats\": [", out);
    for (int k = 0; k < width; k++) {
        double least = INFINITY, most = -INFINITY, least_at = NAN, most_at = NAN, squares = 0;
        int count = 0;
        for (int i = 0; i < s->rows; i++) {
            double value = values[(size_t)i * (size_t)width + (size_t)k];
            if (!isfinite(value)) continue;
            if (value < least) least = value, least_at = s->time[i];
            if (value > most) most = value, most_at = s->time[i];
            squares += value * value;
            count++;
        }
        const char *keys[] = {"min", "min_at", "max", "max_at", "rms"};
        double stats[] = {least, least_at, most, most_at, count ? sqrt(squares / count) : NAN};
        for (int n = 0; n < 5; n++) {
            fprintf(out, "%s\"%s\": ", n ? ", " : k ? ", {" : "{", keys[n]);
            json_number(out, stats[n]);
        }
        fputc('}', out);
    }
    fputc(']', out);
}

/* A verdict needs to know of numbers that are none, and how far and fast bodies go. Margins of a diagnosis may be NaN, and of
 * what is not known. */
static void look_at(Shown *s, const Told *t, const double *values) {
    Evidence *e = &s->evidence;
    bool body = strncmp(t->name, "bodies.", 7) == 0;
    bool finite = body || strncmp(t->name, "joints.", 7) == 0 || strncmp(t->name, "energy.", 7) == 0;
    const char *end = strrchr(t->name, '.');
    bool place = body && strcmp(end, ".position") == 0, speed = body && strcmp(end, ".velocity") == 0;
    for (int i = 0; i < s->rows; i++)
        for (int k = 0; k < t->is.width; k++) {
            double value = values[(size_t)i * (size_t)t->is.width + (size_t)k];
            if (!finite) return;
            if (!isfinite(value) && (!*e->wrong || s->time[i] < e->wrong_at)) {
                snprintf(e->wrong, sizeof e->wrong, "%s", t->name);
                e->wrong_at = s->time[i];
            }
            if (place && fabs(value) > e->size) e->size = fabs(value);
            if (speed && fabs(value) > e->speed) e->speed = fabs(value);
        }
}

/* The rows that are shown, in place. */
static void keep_rows(const Shown *s, double *values, int width) {
    for (int i = 0; i < s->share.kept; i++)
        memmove(values + (size_t)i * (size_t)width, values + (size_t)s->share.row[i] * (size_t)width,
                (size_t)width * sizeof *values);
}

static bool write_channel(Page *page, Shown *s, int number, bool first, BrError *error) {
    const Told *t = &s->channel[number];
    double *values = shown_read(s, number, error);
    if (!values) return false;
    look_at(s, t, values);
    if (!t->left_out) {
        fprintf(page->told, "%s{", first ? "" : ",\n");
        write_key(page->told, "name", t->name);
        fputs(", ", page->told);
        write_key(page->told, "unit", t->is.unit);
        fputs(", ", page->told);
        write_key(page->told, "help", t->is.help);
        fprintf(page->told, ", \"width\": %d, ", t->is.width);
        write_stats(page->told, s, values, t->is.width);
        fputs(", \"data\": ", page->told);
        keep_rows(s, values, t->is.width);
        page_doubles(page, ARRAY_F32, values, (size_t)s->share.kept * (size_t)t->is.width);
        fputc('}', page->told);
    }
    free(values);
    return true;
}

static bool write_channels(Page *page, Shown *s, Progress *progress, double from, double to, BrError *error) {
    bool first = true;
    fputs("\"channels\": [", page->told);
    for (int i = 0; i < s->channels; i++) {
        if (stop_report(error)) return false;
        if (s->channel[i].is.width == 9 || strcmp(s->channel[i].name, "time") == 0) continue;
        if (!write_channel(page, s, i, first, error)) return false;
        first = first && s->channel[i].left_out;
        progress_show(progress, from + (to - from) * (i + 1) / s->channels, NAN);
    }
    fputs("],\n", page->told);
    return true;
}

/* ------------------------------------------------------------------ bodies */

/* By its largest part, so that nothing small is divided by. */
void turn_of(const BrMat3 *A, double q[4]) {
    double xx = A->m[0][0], yy = A->m[1][1], zz = A->m[2][2];
    double x = A->m[2][1] - A->m[1][2], y = A->m[0][2] - A->m[2][0], z = A->m[1][0] - A->m[0][1];
    double xy = A->m[0][1] + A->m[1][0], xz = A->m[0][2] + A->m[2][0], yz = A->m[1][2] + A->m[2][1];
    double of[4][4] = {{1 + xx - yy - zz, xy, xz, x},
                       {xy, 1 - xx + yy - zz, yz, y},
                       {xz, yz, 1 - xx - yy + zz, z},
                       {x, y, z, 1 + xx + yy + zz}};
    double size = 0;
    int k = 0;
    for (int i = 1; i < 4; i++)
        if (of[i][i] > of[k][k]) k = i;
    for (int i = 0; i < 4; i++) size += of[k][i] * of[k][i];
    for (int i = 0; i < 4; i++) q[i] = of[k][i] / sqrt(size);
}

/* Orientations of the rows that are shown; and the first. */
static bool write_orientation(Page *page, const Shown *s, const TellsBody *b, double rest[4], BrError *error) {
    double *values = shown_read(s, b->rotation, error);
    if (!values) return false;
    keep_rows(s, values, 9);
    for (int i = 0; i < s->share.kept; i++) {
        BrMat3 rotation;
        memcpy(&rotation, values + (size_t)i * 9, sizeof rotation);
        turn_of(&rotation, values + (size_t)i * 4);
    }
    memcpy(rest, values, 4 * sizeof *rest);
    fputs(", \"orientation\": ", page->told);
    page_doubles(page, ARRAY_F32, values, (size_t)s->share.kept * 4);
    free(values);
    return true;
}

static bool read_first(const Shown *s, int channel, double value[3], BrError *error) {
    double *values = shown_read(s, channel, error);
    if (values) memcpy(value, values, 3 * sizeof *value);
    free(values);
    return values != NULL;
}

static const char *find_kind(const TellsBody *b, const BrBodyDef *def) {
    if (!def) return b->rotation < 0 ? "fixed" : "dynamic";
    return def->kind == BR_BODY_DYNAMIC ? "dynamic" : def->kind == BR_BODY_FIXED ? "fixed" : "moved";
}

static bool write_body(Page *page, const Shown *s, const TellsBody *b, BrError *error) {
    const BrBodyDef *def = s->model ? br_body_def(s->model, b->id) : NULL;
    double position[3] = {0}, rest[4] = {0, 0, 0, 1};
    fputc('{', page->told);
    write_key(page->told, "name", b->name);
    fprintf(page->told, ", \"kind\": \"%s\", \"mass\": ", find_kind(b, def));
    json_number(page->told, def ? def->mass : NAN);
    fputs(", \"position_channel\": ", page->told);
    if (b->position >= 0)
        json_text(page->told, s->channel[b->position].name);
    else
        fputs("null", page->told);
    if (def) {
        position[0] = def->position.x, position[1] = def->position.y, position[2] = def->position.z;
        turn_of(&def->rotation, rest);
    }
    if (b->position >= 0 && !read_first(s, b->position, position, error)) return false;
    if (b->rotation < 0)
        fputs(", \"orientation\": null", page->told);
    else if (!write_orientation(page, s, b, rest, error))
        return false;
    fputs(", \"position\": ", page->told);
    json_numbers(page->told, position, 3);
    fputs(", \"rest\": ", page->told);
    json_numbers(page->told, rest, 4);
    fputs(", \"shapes\": [", page->told);
    if (s->model) write_shapes(page->told, s->model, b->id);
    fputs("]}", page->told);
    return true;
}

static bool write_bodies(Page *page, const Shown *s, BrError *error) {
    fputs("\"bodies\": [", page->told);
    for (int i = 0; i < s->bodies; i++) {
        if (stop_report(error)) return false;
        if (i) fputs(",\n", page->told);
        if (!write_body(page, s, &s->body[i], error)) return false;
    }
    fputs("],\n", page->told);
    return true;
}

/* ------------------------------------------------------------------ what it is */

static void write_about(FILE *out, const Shown *s) {
    const char *slash = strrchr(s->path, '/');
    write_key(out, "name", slash ? slash + 1 : s->path);
    fputs(", ", out);
    write_key(out, "bristle", s->about.bristle);
    char *end;
    long numerics = strtol(s->about.numerics, &end, 10);
    if (*s->about.numerics && !*end)
        fprintf(out, ", \"numerics\": %ld, ", numerics);
    else
        fputs(", \"numerics\": null, ", out);
    write_hash(out, "fingerprint", s->about.fingerprint);
    write_hash(out, "hash", s->about.state_hash);
    write_key(out, "scene", s->about.scene);
    fputs(", ", out);
    write_key(out, "scene_note", s->about.scene_note);
    fputs(", ", out);
    write_key(out, "assignments", s->about.assignments);
    fputs(",\n", out);
}

static void write_rows(FILE *out, const Shown *s) {
    char note[1500];
    snprintf(note, sizeof note, "%s%s%s%s", s->share.note, s->model || !*s->share.note ? "" : " ",
             s->model ? "" : "Bodies have no shapes, since the scene is not known: ", s->model ? "" : s->why);
    fprintf(out, "\"rows\": {\"recorded\": %d, \"kept\": %d, \"stride\": %d, ", s->rows, s->share.kept,
            s->share.stride);
    write_key(out, "note", note);
    fputs("},\n", out);
}

static void write_verdict(FILE *out, const Judgement *j) {
    fprintf(out, "\"verdict\": {\"level\": \"%s\", ", level_names[j->level]);
    write_key(out, "title", j->title);
    fputs(", \"lines\": [", out);
    for (int i = 0; i < j->lines; i++) {
        fprintf(out, "%s{\"level\": \"%s\", ", i ? ", " : "", level_names[j->line[i].level]);
        write_key(out, "text", j->line[i].text);
        fputs(", ", out);
        write_key(out, "remedy", j->line[i].remedy);
        fputc('}', out);
    }
    fputs("]},\n", out);
}

static void write_gravity(FILE *out, const Shown *s) {
    fputs("\"gravity\": ", out);
    if (s->model)
        json_vector(out, br_model_gravity(s->model));
    else
        fputs("null", out);
    fputs(",\n", out);
}

static void write_time(Page *page, const Shown *s) {
    fputs("\"time\": ", page->told);
    double *kept = calloc((size_t)s->share.kept, sizeof *kept);
    for (int i = 0; kept && i < s->share.kept; i++) kept[i] = s->time[s->share.row[i]];
    page_doubles(page, ARRAY_F64, kept, kept ? (size_t)s->share.kept : 0);
    free(kept);
    fputs(",\n", page->told);
}

bool write_recording(Page *page, Shown *s, Progress *progress, double from, double to, BrError *error) {
    fputc('{', page->told);
    write_about(page->told, s);
    write_rows(page->told, s);
    write_gravity(page->told, s);
    write_time(page, s);
    double middle = from + 0.6 * (to - from);
    if (!write_channels(page, s, progress, from, middle, error) || !write_bodies(page, s, error)) return false;
    progress_show(progress, middle, NAN);
    write_parts(page->told, s);
    if (!write_touches(page, s, error) || !shown_gather(s, error)) return false;
    judge(&s->evidence, &s->judgement);
    write_verdict(page->told, &s->judgement);
    fputs("\"format\": 1}", page->told);
    return !stop_report(error);
}
