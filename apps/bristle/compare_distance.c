/* compare_distance.c: how far one recording is from another, at the times that both have: positions and turns of bodies, normal
 * forces of pairs. Rows between are left out, so that nothing is interpolated. */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PAIRS = 64 };
static const double PART = 0.01; /* of the scene's size: so far off two runs have parted */

/* A recording, its times and the rows that the other one has too. */
typedef struct Side {
    BrRecording *recording;
    double *time;
    int rows, *row;
} Side;

static void close_side(Side *side) {
    br_recording_close(side->recording);
    free(side->time);
    free(side->row);
    *side = (Side){0};
}

/* All rows of a channel; NULL: there is no such channel, or no memory. */
static double *read_channel(const Side *side, const char *name, int width) {
    BrChannelInfo info;
    BrError ignored = {0};
    if (br_recording_describe(side->recording, name, &info, &ignored) != BR_OK || info.width != width) return NULL;
    double *values = calloc((size_t)side->rows * (size_t)width + 1, sizeof *values);
    if (values && br_recording_read(side->recording, name, values, &ignored) == BR_OK) return values;
    free(values);
    return NULL;
}

static bool open_side(Side *side, const char *path, BrError *error) {
    if (br_recording_open(path, &side->recording, error) != BR_OK) return false;
    side->rows = br_recording_rows(side->recording);
    side->time = read_channel(side, "time", 1);
    side->row = calloc((size_t)side->rows + 1, sizeof *side->row);
    if (side->time && side->row) return true;
    snprintf(error->text, sizeof error->text, "no memory to compare '%.300s'", path);
    error->status = BR_OUT_OF_MEMORY;
    return false;
}

/* Rows at equal times, to a millionth of the rows' distance. */
static int match_rows(Side *a, Side *b) {
    int count = 0;
    double near = a->rows > 1 ? 1e-6 * (a->time[1] - a->time[0]) : 1e-9;
    for (int i = 0, k = 0; i < a->rows && k < b->rows;) {
        double apart = a->time[i] - b->time[k];
        if (fabs(apart) <= near) {
            a->row[count] = i++;
            b->row[count++] = k++;
        } else if (apart < 0)
            i++;
        else
            k++;
    }
    return count;
}

static double distance(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* Of two rotations by rows: |A - B| = 2 sqrt 2 sin(angle / 2) in Frobenius's norm, which is exact for small ones too. */
static double find_turn(const double a[9], const double b[9]) {
    double sum = 0;
    for (int i = 0; i < 9; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return 2 * asin(fmin(1, sqrt(sum / 8)));
}

static bool is_pose(const char *channel, char body[160]) {
    size_t length = strlen(channel);
    const size_t head = strlen("bodies."), tail = strlen(".position");
    if (length <= head + tail || strncmp(channel, "bodies.", head) != 0) return false;
    if (strcmp(channel + length - tail, ".position") != 0) return false;
    return snprintf(body, 160, "%.*s", (int)(length - head - tail), channel + head) < 160;
}

static void note_place(Distance *d, double way, double time, const char *body, double size) {
    if (way > PART * size && (d->parted < 0 || time < d->parted)) d->parted = time;
    if (!(way > d->worst)) return;
    d->worst = way, d->at = time;
    snprintf(d->body, sizeof d->body, "%s", body);
}

static void compare_places(const Side *a, const Side *b, const char *channel, const char *body, double size,
                           Distance *d) {
    double *x = read_channel(a, channel, 3), *y = read_channel(b, channel, 3);
    for (int k = 0; x && y && k < d->rows; k++) {
        double way = distance(x + 3 * a->row[k], y + 3 * b->row[k]);
        note_place(d, way, a->time[a->row[k]], body, size);
        if (k == d->rows - 1) d->last = fmax(d->last, way);
    }
    free(x);
    free(y);
}

static void compare_turns(const Side *a, const Side *b, const char *channel, Distance *d) {
    double *x = read_channel(a, channel, 9), *y = read_channel(b, channel, 9);
    for (int k = 0; x && y && k < d->rows; k++) {
        double turn = find_turn(x + 9 * a->row[k], y + 9 * b->row[k]);
        if (turn > d->turned) d->turned = turn, d->turned_at = a->time[a->row[k]];
    }
    free(x);
    free(y);
}

/* The rms of what the pair's forces differ by, over the rms of the reference's. */
static void compare_forces(const Side *a, const Side *b, const char *channel, Distance *d) {
    double *x = read_channel(a, channel, 1), *y = read_channel(b, channel, 1), off = 0, sum = 0;
    for (int k = 0; x && y && k < d->rows; k++) {
        double value = x[a->row[k]], other = y[b->row[k]];
        off += (value - other) * (value - other);
        sum += value * value;
    }
    if (x && y && sum > 0) d->force = fmax(isnan(d->force) ? 0 : d->force, sqrt(off / sum));
    free(x);
    free(y);
}

/* "contacts.wheel/ground.normal_force", of a pair and not of a place, "contacts.wheel/ground.0.normal_force" */
static bool is_normal_force(const char *channel) {
    const char *tail = strrchr(channel, '.'), *digit = tail;
    if (strncmp(channel, "contacts.", 9) != 0 || !tail || strcmp(tail, ".normal_force") != 0) return false;
    while (digit[-1] >= '0' && digit[-1] <= '9') digit--;
    return digit == tail || digit[-1] != '.';
}

bool compare_distance(const char *reference, const char *other, double size, Distance *d, BrError *error) {
    Side a = {0}, b = {0};
    BrChannelInfo info;
    bool fine = open_side(&a, reference, error) && open_side(&b, other, error);
    *d = (Distance){.parted = -1, .force = NAN};
    if (fine) d->rows = match_rows(&a, &b);
    int pairs = 0;
    for (int i = 0; fine && br_recording_channel(a.recording, i, &info) == BR_OK; i++) {
        char name[320], body[160];
        if (snprintf(name, sizeof name, "%s", info.name) >= (int)sizeof name) continue;
        if (is_pose(name, body)) {
            compare_places(&a, &b, name, body, size, d);
            snprintf(name, sizeof name, "bodies.%s.rotation", body);
            compare_turns(&a, &b, name, d);
        } else if (is_normal_force(name) && pairs++ < MOST_PAIRS)
            compare_forces(&a, &b, name, d);
    }
    close_side(&a);
    close_side(&b);
    return fine;
}

double compare_size(const char *reference, BrError *error) {
    Side a = {0};
    BrChannelInfo info;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, sum = 0;
    bool fine = open_side(&a, reference, error);
    for (int i = 0; fine && br_recording_channel(a.recording, i, &info) == BR_OK; i++) {
        char body[160];
        if (!is_pose(info.name, body)) continue;
        double *x = read_channel(&a, info.name, 3);
        for (int k = 0; x && k < 3 * a.rows; k++) {
            low[k % 3] = fmin(low[k % 3], x[k]);
            high[k % 3] = fmax(high[k % 3], x[k]);
        }
        free(x);
    }
    close_side(&a);
    for (int k = 0; k < 3; k++) sum += high[k] > low[k] ? (high[k] - low[k]) * (high[k] - low[k]) : 0;
    return fine ? sqrt(sum) : -1;
}
