/* series.c: see series.h. */
#include "io/series.h"

#include "math/elementary.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ filling */

double *bri_series_next(BriSeries *s, const BrAllocator *allocator) {
    size_t width = (size_t)s->channels.width;
    if (s->rows == INT32_MAX) return NULL;
    if ((size_t)s->rows == s->capacity) {
        size_t wanted = s->capacity ? 2 * s->capacity : 64;
        double *larger = bri_allocate(allocator, wanted * width, sizeof(double));
        if (!larger) return NULL;
        if (s->rows) memcpy(larger, s->data, (size_t)s->rows * width * sizeof(double));
        bri_release(allocator, s->data);
        s->data = larger;
        s->capacity = wanted;
    }
    return s->data + (size_t)s->rows * width;
}

bool bri_series_add_event(BriSeries *s, const BriEvent *event, const BrAllocator *allocator) {
    if (!bri_grow(allocator, (void **)&s->event, s->events, &s->event_capacity, sizeof *event)) return false;
    s->event[s->events++] = *event;
    return true;
}

void bri_series_release(BriSeries *s, const BrAllocator *allocator) {
    bri_channels_release(&s->channels, allocator);
    bri_release(allocator, s->data);
    bri_release(allocator, s->event);
    bri_touched_release(s->touched);
    *s = (BriSeries){.name = s->name};
}

/* ------------------------------------------------------------------ places */

static const double *point_at(const BriSeries *s, int channel, int row) {
    const BriChannel *c = &s->channels.channel[channel];
    if (s->column) return s->column[channel] + (size_t)row * (size_t)c->width;
    return s->data + (size_t)row * (size_t)s->channels.width + c->offset;
}

/* `time` is the first channel of every row. */
static double read_time(const BriSeries *s, int row) { return *point_at(s, 0, row); }

bool bri_series_locate(const BriSeries *s, double time, BriPlace *place) {
    if (s->rows == 0 || !bri_is_finite(time)) return false;
    int low = 0, high = s->rows - 1;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (read_time(s, middle) <= time)
            low = middle;
        else
            high = middle;
    }
    double before = read_time(s, low), after = read_time(s, high), near = 1e-6 * (after - before);
    if (s->rows == 1) near = 1e-12;
    if (time < before - near || time > after + near) return false;
    *place = (BriPlace){low, 0};
    if (time <= before + near) return true;
    if (time >= after - near)
        place->row = high;
    else
        place->part = (time - before) / (after - before);
    return true;
}

double bri_series_time(const BriSeries *s, BriPlace place) {
    double time;
    bri_series_read(s, 0, place, &time);
    return time;
}

const BriChannel *bri_series_channel(const BriSeries *s, int channel) {
    int contact = channel - s->channels.count;
    return contact < 0 ? &s->channels.channel[channel] : &s->touched->channel[contact].about;
}

static void read_row(const BriSeries *s, int channel, int row, double *value) {
    int contact = channel - s->channels.count;
    if (contact >= 0)
        bri_touched_read(s->touched, contact, row, value);
    else
        memcpy(value, point_at(s, channel, row), (size_t)s->channels.channel[channel].width * sizeof *value);
}

void bri_series_read(const BriSeries *s, int channel, BriPlace place, double *value) {
    int width = bri_series_channel(s, channel)->width;
    double next[9];
    read_row(s, channel, place.row, value);
    if (place.part == 0) return;
    read_row(s, channel, place.row + 1, next);
    for (int k = 0; k < width; k++) value[k] = (1 - place.part) * value[k] + place.part * next[k];
}

/* ------------------------------------------------------------------ names */

void bri_channel_path(const BriChannel *channel, char *path, size_t size) {
    snprintf(path, size, "%s%s%s", channel->group, *channel->group ? "." : "", channel->name);
    int slashes = 0;
    bool pair = strncmp(path, "contacts/", 9) == 0 && strchr(path + 9, '/');
    for (char *c = path; *c; c++)
        if (*c == '/' && !(slashes++ == 1 && pair)) *c = '.';
}

/* ".x" of a vector, ".xy" of a rotation; "" is all of it (-1). -2: no such part. */
static int find_part(const char *suffix, int width) {
    static const char AXES[] = "xyz";
    if (!*suffix) return -1;
    if (*suffix++ != '.' || width == 1) return -2;
    int index = 0, letters = width == 9 ? 2 : 1;
    for (int i = 0; i < letters; i++, suffix++) {
        const char *axis = *suffix ? strchr(AXES, *suffix) : NULL;
        if (!axis) return -2;
        index = 3 * index + (int)(axis - AXES);
    }
    return *suffix ? -2 : index;
}

/* Does `path` name the channel `key`, with a part behind it? */
static bool fits(const char *path, const char *key, int width, int *part) {
    size_t length = strlen(key);
    if (strncmp(path, key, length) != 0) return false;
    *part = find_part(path + length, width);
    return *part != -2;
}

/* "bodies." before a name: the text behind it, or NULL. */
static const char *skip_kind(const char *path) {
    static const char *const KINDS[] = {"bodies.",    "joints.",   "springs.", "motors.", "motions.",
                                        "couplings.", "bushings.", "signals.", "sensors."};
    for (int i = 0; i < BRI_COUNT(KINDS); i++)
        if (strncmp(path, KINDS[i], strlen(KINDS[i])) == 0) return path + strlen(KINDS[i]);
    return NULL;
}

static int find_plain(const BriSeries *s, const char *path, bool loose, int *part) {
    int found = -1, candidate;
    char key[BRI_CHANNEL_PATH];
    for (int i = 0; i < s->channels.count; i++) {
        bri_channel_path(&s->channels.channel[i], key, sizeof key);
        if (fits(path, key, s->channels.channel[i].width, part)) return i;
    }
    for (int i = 0; loose && i < s->channels.count; i++) {
        int width = s->channels.channel[i].width;
        bri_channel_path(&s->channels.channel[i], key, sizeof key);
        const char *name = skip_kind(key), *wanted = skip_kind(path);
        if (!(name && fits(path, name, width, &candidate)) && !(wanted && fits(wanted, key, width, &candidate)))
            continue;
        if (found >= 0) return -2;
        found = i;
        *part = candidate;
    }
    return found;
}

int bri_series_find(const BriSeries *s, const char *path, bool loose, int *part) {
    static const char KIND[] = "contacts.";
    int found = find_plain(s, path, loose, part);
    bool told = strncmp(path, KIND, sizeof KIND - 1) == 0;
    if (found != -1 || !s->touched || !(told || loose)) return found;
    const char *rest;
    int contact = bri_touched_find(s->touched, path + (told ? sizeof KIND - 1 : 0), &rest);
    if (contact < 0) return -1;
    *part = find_part(rest, s->touched->channel[contact].about.width);
    return *part == -2 ? -1 : s->channels.count + contact;
}
