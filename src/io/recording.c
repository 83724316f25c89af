/* recording.c: recordings read back: which format, which channels, expressions of them. */
#include "io/recording.h"

#include "io/formula.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ opening */

static const BriSource *choose_source(const char *path) {
    static const struct {
        const char *ending;
        const BriSource *source;
    } SOURCES[] = {{".h5", &bri_source_hdf5}, {".hdf5", &bri_source_hdf5}, {".csv", &bri_source_csv}};
    size_t length = strlen(path);
    for (int i = 0; i < BRI_COUNT(SOURCES); i++) {
        size_t n = strlen(SOURCES[i].ending);
        if (length > n && strcmp(path + length - n, SOURCES[i].ending) == 0) return SOURCES[i].source;
    }
    return NULL;
}

const char *bri_recording_keep(BrRecording *r, const char *text) {
    if (!bri_grow(&r->allocator, (void **)&r->keepsake, r->keepsakes, &r->keepsake_capacity, sizeof(char *)))
        return NULL;
    char *copy = bri_copy_text(&r->allocator, text);
    if (copy) r->keepsake[r->keepsakes++] = copy;
    return copy;
}

bool bri_recording_add(BrRecording *r, const char *path, const char *unit, const char *help, int width) {
    BriChannels *all = &r->series.channels;
    const char *dot = strrchr(path, '.');
    size_t group = dot ? (size_t)(dot - path) : 0;
    BriChannel channel = {.width = width, .offset = all->width};
    if (group >= sizeof channel.group || strlen(dot ? dot + 1 : path) >= sizeof channel.name) return false;
    memcpy(channel.group, path, group);
    for (char *c = channel.group; *c; c++)
        if (*c == '.') *c = '/';
    snprintf(channel.name, sizeof channel.name, "%s", dot ? dot + 1 : path);
    channel.unit = bri_recording_keep(r, unit);
    channel.help = bri_recording_keep(r, help);
    if (!channel.unit || !channel.help ||
        !bri_grow(&r->allocator, (void **)&all->channel, all->count, &all->capacity, sizeof channel))
        return false;
    all->channel[all->count++] = channel;
    all->width += width;
    return true;
}

BrStatus br_recording_open(const char *path, BrRecording **recording, BrError *error) {
    BRI_NEED(recording, "recording", error);
    *recording = NULL;
    BRI_NEED(path, "path", error);
    const BriSource *source = choose_source(path);
    if (!source)
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "'%.200s': the name of a recording must end in .h5, .hdf5 (HDF5) or .csv (text)", path);
    if (strlen(path) >= sizeof(((BrRecording *)0)->path))
        return bri_fail(error, BR_INVALID_ARGUMENT, "the path of the recording is too long");
    BrAllocator allocator = bri_default_allocator();
    BrRecording *r = bri_allocate(&allocator, 1, sizeof *r);
    if (!r) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for a recording");
    r->allocator = allocator;
    r->source = source;
    snprintf(r->path, sizeof r->path, "%s", path);
    r->series.name = r->path;
    BrStatus status = source->open(r, error);
    if (status == BR_OK && source->load) {
        r->column = bri_allocate(&allocator, (size_t)r->series.channels.count, sizeof *r->column);
        r->series.column = r->column;
        if (!r->column) status = bri_fail(error, BR_OUT_OF_MEMORY, "no memory for a recording");
    }
    if (status == BR_OK) *recording = r;
    if (status != BR_OK) br_recording_close(r);
    return status;
}

void br_recording_close(BrRecording *r) {
    if (!r) return;
    BrAllocator allocator = r->allocator;
    if (r->file) r->source->close(r);
    for (int i = 0; r->column && i < r->series.channels.count; i++) bri_release(&allocator, r->column[i]);
    bri_release(&allocator, r->column);
    for (int i = 0; i < r->keepsakes; i++) bri_release(&allocator, r->keepsake[i]);
    bri_release(&allocator, r->keepsake);
    bri_series_release(&r->series, &allocator);
    bri_release(&allocator, r);
}

/* ------------------------------------------------------------------ channels */

BrStatus br_recording_about(const BrRecording *r, BrRecordingAbout *about) {
    if (!r || !about) return BR_INVALID_ARGUMENT;
    *about = r->about;
    const char **texts[] = {&about->bristle, &about->numerics, &about->scene, &about->assignments, &about->scene_note};
    for (int i = 0; i < BRI_COUNT(texts); i++)
        if (!*texts[i]) *texts[i] = "";
    return BR_OK;
}

const char *br_recording_scene(const BrRecording *r) { return r && r->about.scene ? r->about.scene : ""; }
int br_recording_rows(const BrRecording *r) { return r ? r->series.rows : 0; }
int br_recording_channel_count(const BrRecording *r) {
    if (!r) return 0;
    return r->series.channels.count + (r->series.touched ? bri_touched_count(r->series.touched) : 0);
}

/* The names are made when asked for and kept: they are few. */
BrStatus br_recording_channel(const BrRecording *r, int number, BrChannelInfo *info) {
    if (!r || !info) return BR_INVALID_ARGUMENT;
    if (number < 0 || number >= br_recording_channel_count(r)) return BR_INVALID_ARGUMENT;
    int contact = number - r->series.channels.count;
    BriChannel room;
    const BriChannel *c = contact < 0 ? &r->series.channels.channel[number] : &room;
    if (contact >= 0 && !bri_touched_describe(r->series.touched, contact, &room)) return BR_INVALID_ARGUMENT;
    char path[BRI_CHANNEL_PATH];
    bri_channel_path(c, path, sizeof path);
    const char *name = bri_recording_keep((BrRecording *)r, path);
    if (!name) return BR_OUT_OF_MEMORY;
    *info = (BrChannelInfo){name, c->unit, c->help, c->width};
    return BR_OK;
}

/* A channel by its name as it is listed, or as HDF5 (bodies/wheel/position) and CSV (wheel/ground.force) write it; else an
 * expression. */
static BrStatus compile(const BrRecording *r, const char *text, BriFormula *formula, BrError *error) {
    BrError inner = {0};
    BriScope scope = {.series = &r->series, .loose = true};
    char name[BRI_CHANNEL_PATH];
    snprintf(name, sizeof name, "%s", text);
    for (char *c = name; *c; c++)
        if (*c == '/') *c = '.';
    int part = -1, channel = bri_series_find(&r->series, text, false, &part);
    if (channel < 0 && strlen(text) < sizeof name) channel = bri_series_find(&r->series, name, true, &part);
    BrStatus status = channel >= 0 ? bri_formula_of_channel(&r->series, channel, part, &r->allocator, formula)
                                   : bri_formula_compile(text, false, &scope, &r->allocator, formula, &inner);
    if (channel >= 0 && status != BR_OK) return bri_fail(error, status, "no memory for '%.200s'", text);
    return status == BR_OK ? BR_OK : bri_fail(error, status, "'%.200s': %s", text, inner.text);
}

BrStatus br_recording_describe(const BrRecording *r, const char *channel, BrChannelInfo *info, BrError *error) {
    BRI_NEED(r && channel && info, "recording, channel and info", error);
    BriFormula formula;
    BrStatus status = compile(r, channel, &formula, error);
    if (status != BR_OK) return status;
    *info = (BrChannelInfo){channel, bri_formula_unit(&formula), "", bri_formula_width(&formula)};
    bri_formula_release(&formula, &r->allocator);
    return BR_OK;
}

static BrStatus load_channel(BrRecording *r, int channel, BrError *error) {
    int contact = channel - r->series.channels.count;
    if (contact >= 0) return bri_touched_load(r->series.touched, contact, error);
    if (!r->source->load || r->column[channel]) return BR_OK;
    size_t width = (size_t)r->series.channels.channel[channel].width;
    double *values = bri_allocate(&r->allocator, (size_t)r->series.rows * width, sizeof *values);
    if (!values) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for %d rows", r->series.rows);
    BrStatus status = r->source->load(r, channel, values, error);
    if (status == BR_OK) r->column[channel] = values;
    if (status != BR_OK) bri_release(&r->allocator, values);
    return status;
}

/* A whole channel of the file, which nobody has read yet, goes straight to the caller: what it takes is not kept. */
static bool is_straight(const BrRecording *r, const BriFormula *f) {
    const BriTerm *t = &f->term[0];
    return f->count == 1 && t->operation == BRI_TERM_CHANNEL && t->part < 0 && r->source->load &&
           t->channel < r->series.channels.count && !r->column[t->channel];
}

BrStatus br_recording_read(BrRecording *r, const char *channel, double *values, BrError *error) {
    BRI_NEED(r && channel && values, "recording, channel and values", error);
    BriFormula formula;
    BrStatus status = compile(r, channel, &formula, error);
    if (status != BR_OK) return status;
    if (is_straight(r, &formula)) {
        status = r->source->load(r, formula.term[0].channel, values, error);
        bri_formula_release(&formula, &r->allocator);
        return status;
    }
    status = load_channel(r, 0, error); /* the time, for at(channel, time) */
    for (int i = 0; i < formula.count && status == BR_OK; i++)
        if (formula.term[i].operation == BRI_TERM_CHANNEL) status = load_channel(r, formula.term[i].channel, error);
    int width = bri_formula_width(&formula);
    for (int i = 0; i < r->series.rows && status == BR_OK; i++) {
        double value[9];
        status = bri_formula_evaluate(&formula, &r->series, (BriPlace){i, 0}, 0, value, error);
        memcpy(values + (size_t)i * (size_t)width, value, (size_t)width * sizeof *values);
    }
    bri_formula_release(&formula, &r->allocator);
    return status;
}
