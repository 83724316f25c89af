/* record_csv.c: one line per row, numbers that read back to the same bits, units in the header:
 * time[s],wheel.position.x[m],... Where a body, joint, spring or motor share a name, the kind stands before it. */
#include "io/record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static BrStatus fail(const BrRecorder *r, BrError *error, const char *what) {
    return bri_fail(error, BR_IO, "cannot %s '%.300s': %s", what, r->path, strerror(errno));
}

static bool is_shared_name(const BriChannels *c, const char *owner) {
    const char *first = NULL;
    for (int i = 0; i < c->count; i++) {
        const char *slash = strchr(c->channel[i].group, '/');
        if (!slash || strcmp(slash + 1, owner) != 0) continue;
        if (first && strncmp(first, c->channel[i].group, (size_t)(slash - c->channel[i].group) + 1) != 0) return true;
        first = c->channel[i].group;
    }
    return false;
}

/* Quoted where it must be (RFC 4180). */
static void write_field(FILE *file, const char *text) {
    if (!strpbrk(text, ",\"")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"') fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

static void write_names(FILE *file, const BriChannels *c, const BriChannel *channel) {
    static const char *const XYZ[] = {"x", "y", "z"};
    static const char *const ROTATION[] = {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"};
    char owner[192] = "";
    const char *slash = strchr(channel->group, '/');
    if (*channel->owner)
        snprintf(owner, sizeof owner, "%s.", channel->owner);
    else if (slash && !is_shared_name(c, slash + 1))
        snprintf(owner, sizeof owner, "%s.", slash + 1);
    else if (slash)
        snprintf(owner, sizeof owner, "%.*s.%s.", (int)(slash - channel->group), channel->group, slash + 1);
    else if (*channel->group)
        snprintf(owner, sizeof owner, "%s.", channel->group);
    for (int k = 0; k < channel->width; k++) {
        const char *part = channel->width == 9 ? ROTATION[k] : channel->width == 3 ? XYZ[k] : "";
        char title[256];
        snprintf(title, sizeof title, "%s%s%s%s[%s]", owner, channel->name, *part ? "." : "", part, channel->unit);
        if (channel->offset + k) fputc(',', file);
        write_field(file, title);
    }
}

static BrStatus open_csv(BrRecorder *r, BrError *error) {
    FILE *file = fopen(r->temporary, "w");
    if (!file) return fail(r, error, "write");
    for (int i = 0; i < r->channels.count; i++) write_names(file, &r->channels, &r->channels.channel[i]);
    fputc('\n', file);
    if (fflush(file) != 0 || rename(r->temporary, r->path) != 0) {
        BrStatus status = fail(r, error, "write");
        fclose(file);
        remove(r->temporary);
        return status;
    }
    r->file = file;
    return BR_OK;
}

static BrStatus touch_csv(BrRecorder *r, double *row, BrError *error) {
    (void)error;
    bri_columns_fill(r, row);
    return BR_OK;
}

static BrStatus put_csv(BrRecorder *r, const double *rows, int count, BrError *error) {
    FILE *file = r->file;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < r->channels.width; k++)
            fprintf(file, "%.17g%c", *rows++, k + 1 < r->channels.width ? ',' : '\n');
    return ferror(file) ? fail(r, error, "write to") : BR_OK;
}

static BrStatus flush_csv(BrRecorder *r, BrError *error) {
    return fflush(r->file) == 0 ? BR_OK : fail(r, error, "write to");
}

static BrStatus close_csv(BrRecorder *r, BrError *error) {
    return fclose(r->file) == 0 ? BR_OK : fail(r, error, "write to");
}

const BriFormat bri_format_csv = {{".csv", NULL}, open_csv, touch_csv, put_csv, flush_csv, close_csv};
