/* touch_table.c: what is told of a pair of bodies that touch, and of a place where they do. */
#include "io/touch.h"
#include "model/model.h"

#include <stddef.h>
#include <string.h>

typedef struct Pair {
    double places, mode, heat;
    BrContactPair is;
} Pair;

typedef struct Place {
    double shape_first, shape_second, feature, mode, ratio, ratio_mean;
    BrVec3 normal;
    BrContact is;
} Place;

#define FIELD(type, field) .from = offsetof(type, field), .width = (int)(sizeof(((type *)0)->field) / sizeof(double))

static const BriTouchLine KEYS[] = {
    {"row", "1", "of the recording, from 0", .width = 1, .key = true},
    {"first", "1", "body that forces act on: its number in contacts/bodies", .width = 1, .key = true},
    {"second", "1", "the other body", .width = 1, .key = true},
    {"number", "1", "of the place among those of its bodies; it keeps it", .width = 1, .key = true}};

static const BriTouchLine PAIR[] = {
    {"places", "1", "where they touch, or did in the step before", FIELD(Pair, places)},
    {"mode", "1", "0 open, 1 stick, 2 slip, 3 rolling, 4 mixed", FIELD(Pair, mode)},
    {"gap", "m", "the smallest; negative: overlap; 0 while open", FIELD(Pair, is.gap)},
    {"point", "m", "centre of pressure, world axes", FIELD(Pair, is.point)},
    {"normal", "1", "from the second-named body to the first", FIELD(Pair, is.normal), .turns = true},
    {"slip", "m/s", "of the first-named body against the second, where it is fastest", FIELD(Pair, is.slip),
     .turns = true},
    {"force", "N", "all of it, instantaneous, on the first-named body", FIELD(Pair, is.force), .turns = true},
    {"torque", "N m", "the same, about the centre of pressure", FIELD(Pair, is.torque), .turns = true},
    {"normal_force", "N", "sum of the normal forces", FIELD(Pair, is.normal_force)},
    {"friction_force", "N", "instantaneous, on the first-named body", FIELD(Pair, is.friction_force), .turns = true},
    {"rolling_moment", "N m", "instantaneous, on the first-named body, in the tangent plane",
     FIELD(Pair, is.rolling_moment), .turns = true},
    {"spinning_moment", "N m", "the same, along the normal", FIELD(Pair, is.spinning_moment), .turns = true},
    {"force_mean", "N", "mean over the step before", FIELD(Pair, is.force_mean), .turns = true},
    {"torque_mean", "N m", "the same, about the centre of pressure", FIELD(Pair, is.torque_mean), .turns = true},
    {"normal_force_mean", "N", "mean over the step before", FIELD(Pair, is.normal_force_mean)},
    {"friction_force_mean", "N", "mean over the step before", FIELD(Pair, is.friction_force_mean), .turns = true},
    {"rolling_moment_mean", "N m", "mean over the step before", FIELD(Pair, is.rolling_moment_mean), .turns = true},
    {"spinning_moment_mean", "N m", "mean over the step before", FIELD(Pair, is.spinning_moment_mean), .turns = true},
    {"ratio", "1", "|friction| / (mu normal), of the place where it is largest", FIELD(Pair, is.ratio)},
    {"ratio_mean", "1", "the same of the means", FIELD(Pair, is.ratio_mean)},
    {"margin", "N", "mu normal - |friction|, of the place where it is smallest", FIELD(Pair, is.margin)},
    {"heat", "J", "made by friction since the first row: its power, by trapezoids over rows", FIELD(Pair, heat),
     .holds = true}};

static const BriTouchLine PLACE[] = {
    {"shape_first", "1", "shape of the first-named body: its number in the model", FIELD(Place, shape_first),
     .key = true},
    {"shape_second", "1", "shape of the other", FIELD(Place, shape_second), .key = true},
    {"feature", "1", "of these shapes: a corner, an edge; the same from row to row", FIELD(Place, feature),
     .key = true},
    {"mode", "1", "0 open, 1 stick, 2 slip, 3 rolling", FIELD(Place, mode)},
    {"gap", "m", "distance of the surfaces; 0 while open", FIELD(Place, is.gap)},
    {"point", "m", "where it is, world axes", FIELD(Place, is.point)},
    {"normal", "1", "from the second-named body to the first", FIELD(Place, normal), .turns = true},
    {"slip", "m/s", "tangential velocity of the first-named body against the second", FIELD(Place, is.slip),
     .turns = true},
    {"normal_force", "N", "instantaneous, on the first-named body", FIELD(Place, is.normal_force)},
    {"friction_force", "N", "instantaneous, on the first-named body", FIELD(Place, is.friction_force), .turns = true},
    {"rolling_moment", "N m", "instantaneous, on the first-named body, in the tangent plane",
     FIELD(Place, is.rolling_moment), .turns = true},
    {"spinning_moment", "N m", "the same, along the normal", FIELD(Place, is.spinning_moment), .turns = true},
    {"normal_force_mean", "N", "mean over the step before", FIELD(Place, is.normal_force_mean)},
    {"friction_force_mean", "N", "mean over the step before", FIELD(Place, is.friction_force_mean), .turns = true},
    {"rolling_moment_mean", "N m", "mean over the step before", FIELD(Place, is.rolling_moment_mean), .turns = true},
    {"spinning_moment_mean", "N m", "mean over the step before", FIELD(Place, is.spinning_moment_mean), .turns = true},
    {"ratio", "1", "|friction| / (mu normal), instantaneous", FIELD(Place, ratio)},
    {"ratio_mean", "1", "the same of the means", FIELD(Place, ratio_mean)},
    {"margin", "N", "mu normal - |friction|", FIELD(Place, is.margin)}};

enum { FROM_MEMORY = BRI_TOUCH_KEYS + (int)(sizeof PLACE / sizeof *PLACE) }; /* lines of places that laws remember */

/* ------------------------------------------------------------------ tables */

static void add_lines(BriTouchTable *t, const BriTouchLine *lines, int count) {
    for (int i = 0; i < count; i++) {
        BriTouchLine *line = &t->line[t->lines++];
        *line = lines[i];
        line->at = t->width;
        t->width += line->width;
    }
}

/* The model's laws; of a recording, those of the house. */
static int count_laws(const BrModel *model) { return model ? br_model_law_count(model) : br_law_count(); }
static const BrLawInfo *law_info(const BrModel *model, int i) {
    return model ? br_model_law_info(model, i) : br_law_info(i);
}

/* Do laws before this one call something the same? */
static bool is_listed(const BrModel *model, int law, const char *name) {
    for (int i = 0; i < law; i++)
        for (int k = 0; k < law_info(model, i)->memories; k++)
            if (strcmp(law_info(model, i)->memory[k].name, name) == 0) return true;
    return false;
}

/* What laws remember, of all laws alike: runs of one scene with different laws have the same channels. */
static void add_memory(const BrModel *model, BriTouchTable *t) {
    for (int i = 0; i < count_laws(model); i++)
        for (int k = 0; k < law_info(model, i)->memories; k++) {
            const BrLawMemory *m = &law_info(model, i)->memory[k];
            BriTouchLine line = {m->name, *m->unit ? m->unit : "1", m->help, .width = m->tangent ? 3 : 1,
                                 .turns = m->tangent};
            if (!m->latch && !is_listed(model, i, m->name) && t->lines < BRI_TOUCH_LINES) add_lines(t, &line, 1);
        }
}

void bri_touch_tables(const BrModel *model, BriTouchTable table[BRI_TOUCH_KINDS]) {
    for (int kind = 0; kind < BRI_TOUCH_KINDS; kind++) {
        table[kind].lines = table[kind].width = 0;
        add_lines(&table[kind], KEYS, BRI_COUNT(KEYS));
    }
    add_lines(&table[BRI_TOUCH_PAIR], PAIR, BRI_COUNT(PAIR));
    add_lines(&table[BRI_TOUCH_PLACE], PLACE, BRI_COUNT(PLACE));
    add_memory(model, &table[BRI_TOUCH_PLACE]);
}

/* ------------------------------------------------------------------ records */

static void copy_lines(const BriTouchTable *t, int begin, int end, const void *from, double *record) {
    for (int i = begin; i < end; i++) {
        const BriTouchLine *line = &t->line[i];
        memcpy(record + line->at, (const char *)from + line->from, (size_t)line->width * sizeof *record);
    }
}

void bri_touch_fill_pair(const BriTouchTable *t, const BrContactPair *pair, double heat, double *record) {
    const Pair told = {pair->places, (double)pair->mode, heat, *pair};
    record[BRI_TOUCH_NUMBER] = -1;
    copy_lines(t, BRI_TOUCH_KEYS, t->lines, &told, record);
}

static double divide(double a, double b) { return b > 0 ? a / b : 0; }

void bri_touch_fill_place(const BriTouchTable *t, const BrModel *model, const BrWorkspace *workspace, int number,
                          bool remembers, double *record) {
    Place told = {.mode = 0};
    BrContact *c = &told.is;
    br_contact(model, workspace, number, c);
    told.shape_first = bri_shape_number(model, c->shape_b);
    told.shape_second = bri_shape_number(model, c->shape_a);
    told.feature = (double)((c->key - 1) & 0xffff);
    told.mode = (double)c->mode;
    told.normal = bri_column(&c->frame, 0);
    told.ratio = divide(bri_norm(c->friction_force), c->mu * c->normal_force);
    told.ratio_mean = divide(bri_norm(c->friction_force_mean), c->mu * c->normal_force_mean);
    copy_lines(t, BRI_TOUCH_KEYS, FROM_MEMORY, &told, record);
    for (int i = FROM_MEMORY; i < t->lines; i++) {
        double value[3] = {0};
        if (remembers) br_contact_memory(model, workspace, number, t->line[i].name, value);
        memcpy(record + t->line[i].at, value, (size_t)t->line[i].width * sizeof *value);
    }
}
