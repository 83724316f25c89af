/* experiment_metric.c: from the rows and events of runs to numbers, and from numbers to verdicts.
 *
 * A metric is walked twice by the same code: dry, before anything is simulated, to check every expression and to find
 * out which runs are needed; and then for its value. */
#include "io/experiment.h"

#include <stdio.h>
#include <string.h>

enum { DEEPEST = 100 };

typedef enum Kind { OF_CHANNEL, OF_EVENTS, OF_METRICS } Kind;

static const char *const ALWAYS[] = {"run",       "for",     "scale",  "absolute", "expect",
                                     "tolerance", "at_most", "source", "printed"};
static const char *const CHANNEL_KEYS[] = {"channel",   "reduce",     "at",      "from",  "to",
                                           "nth",       "where",      "against", "shift", "value",
                                           "direction", "skip_first", "over",    "of",    "read"};
static const char *const EVENT_KEYS[] = {"event", "contact", "nth", "reduce", "read", "from", "to"};
static const char *const VALUE_KEYS[] = {"value"};

static const BriNode *get(const BriNaming *n, const char *key) { return bri_node_find(n->metric->entry.node, key); }

/* ------------------------------------------------------------------ keys */

static int join(const char **all, const char *const *more, int count, int used) {
    memcpy(all + used, more, (size_t)count * sizeof *more);
    return used + count;
}

static bool check_kind(BriNaming *n, Kind *kind) {
    BriReader *r = &n->experiment->reader;
    const char *all[64];
    char what[120];
    int count = join(all, ALWAYS, BRI_COUNT(ALWAYS), 0);
    int allowed = join(all, CHANNEL_KEYS, BRI_COUNT(CHANNEL_KEYS), count);
    allowed = join(all, EVENT_KEYS, BRI_COUNT(EVENT_KEYS), allowed);
    snprintf(what, sizeof what, "metric '%.80s'", n->metric->entry.name);
    if (n->dry && !bri_check_keys(r, n->metric->entry.node, what, all, allowed)) return false;
    *kind = get(n, "event") ? OF_EVENTS : get(n, "channel") ? OF_CHANNEL : OF_METRICS;
    if (*kind == OF_METRICS && !get(n, "value"))
        return bri_naming_fail(n, n->metric->entry.key, "%s needs 'channel', 'event' or 'value'", what);
    allowed = *kind == OF_EVENTS    ? join(all, EVENT_KEYS, BRI_COUNT(EVENT_KEYS), count)
              : *kind == OF_CHANNEL ? join(all, CHANNEL_KEYS, BRI_COUNT(CHANNEL_KEYS), count)
                                    : join(all, VALUE_KEYS, BRI_COUNT(VALUE_KEYS), count);
    const BriNode *node = n->metric->entry.node;
    for (int i = 0; i < node->count; i++) {
        bool known = false;
        for (int k = 0; k < allowed && !known; k++) known = strcmp(node->keys[i]->text, all[k]) == 0;
        if (!known)
            return bri_naming_fail(n, node->keys[i], "'%s' does not go with a metric that has '%s'",
                                   node->keys[i]->text,
                                   *kind == OF_EVENTS    ? "event"
                                   : *kind == OF_CHANNEL ? "channel"
                                                         : "value");
    }
    return true;
}

static bool choose(BriNaming *n, const char *key, const char *const *words, int count, int preset, int *choice) {
    const BriNode *node = get(n, key);
    *choice = preset;
    if (!node) return true;
    const char *word = node->kind == BRI_NODE_SCALAR ? node->text : "";
    if (!n->dry) {
        for (int i = 0; i < count; i++)
            if (strcmp(word, words[i]) == 0) *choice = i;
        return true;
    }
    return bri_choose(&n->experiment->reader, node, word, key, words, count, choice);
}

static bool get_number(BriNaming *n, const char *key, double preset, BriDimension wanted, double *value) {
    *value = preset;
    const BriNode *node = get(n, key);
    return !node || bri_number_of(n, node, key, wanted, value);
}

static bool get_flag(BriNaming *n, const char *key, bool *value) {
    const BriNode *node = get(n, key);
    *value = false;
    return !node || bri_read_flag(&n->experiment->reader, node, key, value);
}

static bool get_nth(BriNaming *n, int *nth) {
    double number;
    *nth = 1;
    if (!get(n, "nth") || !get_number(n, "nth", 1, BRI_NO_UNIT, &number)) return !get(n, "nth");
    bool whole = number == bri_floor(number) && number != 0 && bri_abs(number) <= 1e9;
    if (whole) *nth = (int)number;
    return whole || bri_naming_fail(n, get(n, "nth"), "nth must be a whole number: 1 for the first, -1 for the last");
}

/* The run a metric names under `key`, opened and needed. *members > 1: a family. */
static bool get_run(BriNaming *n, const char *key, BriRun **run, int *members) {
    BrExperiment *e = n->experiment;
    const BriNode *node = get(n, key);
    char why[300];
    *run = NULL;
    if (!node && strcmp(key, "run") == 0) {
        *run = e->run;
        *members = e->run->members;
        if (*members < e->runs)
            return bri_naming_fail(n, n->metric->entry.key, "metric '%.80s' must say which run it is about",
                                   n->metric->entry.name);
    } else if (!node)
        return true;
    else if (node->kind != BRI_NODE_SCALAR || !bri_find_run(e, node->text, run, members, why, sizeof why))
        return bri_naming_fail(n, node, "%s", node->kind == BRI_NODE_SCALAR ? why : "this must be the name of a run");
    for (int i = 0; i < *members; i++) {
        BriRun *member = *run + i;
        if (n->dry && !bri_open_run(e, member)) return false;
        member->needed = true;
        if (member->problem)
            return bri_naming_fail(n, node, "run '%.80s' ended early, %s", member->name, member->problem);
    }
    return true;
}

/* ------------------------------------------------------------------ channels */

typedef struct ChannelMetric {
    BriCurveDef curve;
    BriReduction reduction, each; /* each: of the members of a family */
    BriRun *run, *other;
    int members, others;
    int read; /* 0 value, 1 time */
} ChannelMetric;

static bool asks_time(BriReducer reducer) {
    return reducer == BRI_REDUCE_AT || reducer == BRI_REDUCE_BEFORE || reducer == BRI_REDUCE_AFTER;
}

static bool read_reduction(BriNaming *n, ChannelMetric *c) {
    static const char *const DIRECTIONS[] = {"falling", "any", "rising"}, *const READS[] = {"value", "time"};
    int reducer, each, direction, nth;
    int preset = get(n, "at") ? BRI_REDUCE_AT : BRI_REDUCE_LAST;
    if (!choose(n, "reduce", bri_reducer_names, BRI_REDUCERS, preset, &reducer) ||
        !choose(n, "of", bri_reducer_names, BRI_REDUCERS, preset, &each) ||
        !choose(n, "direction", DIRECTIONS, 3, 1, &direction) || !choose(n, "read", READS, 2, 0, &c->read) ||
        !get_nth(n, &nth))
        return false;
    bool order = reducer == BRI_REDUCE_ORDER;
    if ((get(n, "of") || get(n, "over")) && !order)
        return bri_naming_fail(n, get(n, get(n, "of") ? "of" : "over"), "this goes with reduce: order only");
    if (each == BRI_REDUCE_ORDER) return bri_naming_fail(n, get(n, "of"), "an order of orders has no meaning");
    int at_work = order ? each : reducer;
    if (asks_time((BriReducer)at_work) != (get(n, "at") != NULL))
        return bri_naming_fail(n, get(n, "at") ? get(n, "at") : n->metric->entry.key,
                               asks_time((BriReducer)at_work)
                                   ? "reduce: %s needs 'at', a time"
                                   : "'at' goes with reduce: at, before or after, or with reduce: order; this is %s",
                               bri_reducer_names[at_work]);
    c->each = (BriReduction){.reducer = (BriReducer)at_work, .nth = nth, .direction = direction - 1};
    c->reduction = (BriReduction){.reducer = (BriReducer)reducer};
    return true;
}

static bool read_curve(BriNaming *n, ChannelMetric *c) {
    const double far = 1e300;
    BriCurveDef *d = &c->curve;
    d->channel = get(n, "channel");
    d->where = get(n, "where");
    d->exact = c->reduction.reducer == BRI_REDUCE_ORDER;
    return get_number(n, "from", -far, BRI_TIME, &d->from) && get_number(n, "to", far, BRI_TIME, &d->to) &&
           get_number(n, "shift", 0, BRI_TIME, &d->shift) && get_flag(n, "skip_first", &d->skip_first) &&
           get_number(n, "value", 0, BRI_UNTYPED, &c->each.level);
}

/* The number of one run. */
static bool reduce_run(BriNaming *n, ChannelMetric *c, int member, double *value) {
    double at = 0;
    n->run = c->run + member;
    c->curve.run = n->run;
    c->curve.other = c->other ? c->other + (c->others > 1 ? member : 0) : NULL;
    if (!read_curve(n, c)) return false;
    if (asks_time(c->each.reducer) && !get_number(n, "at", 0, BRI_TIME, &at)) return false;
    if (c->each.reducer == BRI_REDUCE_AT) return bri_curve_at(n, &c->curve, at, value);
    if (asks_time(c->each.reducer)) c->each.level = at;
    BriCurve curve;
    BriReduced found = {0, 0};
    if (!bri_curve_points(n, &c->curve, &curve)) return false;
    bool fine = true;
    if (!n->dry) {
        char why[200];
        BriPoints points = {curve.count, curve.t, curve.v};
        fine = bri_reduce_curve(&c->each, points, &found, why, sizeof why);
        if (!fine) bri_naming_fail(n, c->curve.channel, "%s", why);
    }
    bri_curve_release(&curve, &n->experiment->allocator);
    *value = c->read ? found.time : found.value;
    return fine;
}

/* The slope of log error over log dt (or what `over` says). */
static bool fit_order(BriNaming *n, ChannelMetric *c, double *value) {
    enum { MOST = 64 };
    double x[MOST], y[MOST], offset;
    const BriNode *over = get(n, "over");
    if (c->members < 2 || c->members > MOST)
        return bri_naming_fail(n, n->metric->entry.key,
                               "an order needs a family of 2 to %d runs, as in step.dt: [2 ms, "
                               "1 ms]",
                               MOST);
    for (int i = 0; i < c->members; i++) {
        double error = 0, size = c->run[i].dt;
        if (!reduce_run(n, c, i, &error) || (over && !bri_number_of(n, over, "over", BRI_UNTYPED, &size))) return false;
        error = bri_abs(error);
        if (!n->dry && !(error > 0 && size > 0))
            return bri_naming_fail(n, n->metric->entry.key, "run '%.60s' has the error %.3g at %.3g: no logarithm",
                                   c->run[i].name, error, size);
        x[i] = bri_log(size);
        y[i] = bri_log(error);
    }
    if (n->dry || bri_fit_line((BriPoints){c->members, x, y}, value, &offset)) return true;
    return bri_naming_fail(n, n->metric->entry.key, "all runs of the family have the same size of step");
}

static bool work_out_channel(BriNaming *n, double *value) {
    ChannelMetric c = {0};
    if (!get_run(n, "run", &c.run, &c.members)) return false;
    n->run = c.run;
    if (!read_reduction(n, &c) || !get_run(n, "against", &c.other, &c.others)) return false;
    bool order = c.reduction.reducer == BRI_REDUCE_ORDER;
    if (c.members > 1 && !order)
        return bri_naming_fail(n, get(n, "run") ? get(n, "run") : n->metric->entry.key,
                               "run '%.60s' is a family of %d; name one of them, as %.60s[0], or use reduce: order",
                               c.run->entry.name, c.members, c.run->entry.name);
    if (c.other && c.others > 1 && c.others != c.members)
        return bri_naming_fail(n, get(n, "against"), "the families have %d and %d members", c.members, c.others);
    return order ? fit_order(n, &c, value) : reduce_run(n, &c, 0, value);
}

/* ------------------------------------------------------------------ events */

static bool work_out_event(BriNaming *n, double *value) {
    static const char *const KINDS[] = {"touch",     "impact", "stick",  "slip",       "separation",
                                        "compliant", "rigid",  "choice", "saturation", "hold"};
    static const char *const READS[] = {"time", "before", "after", "ratio"}, *const REDUCERS[] = {"nth", "count"};
    int kind, read, reducer, nth, members, found = 0;
    double from, to;
    BriRun *run;
    const BriNode *contact = get(n, "contact");
    if (!get_run(n, "run", &run, &members)) return false;
    n->run = run;
    if (members > 1) return bri_naming_fail(n, n->metric->entry.key, "events are of one run, not of a family");
    if (!choose(n, "event", KINDS, BRI_COUNT(KINDS), 0, &kind) || !choose(n, "read", READS, 4, 0, &read) ||
        !choose(n, "reduce", REDUCERS, 2, 0, &reducer) || !get_nth(n, &nth) ||
        !get_number(n, "from", -1e300, BRI_TIME, &from) || !get_number(n, "to", 1e300, BRI_TIME, &to))
        return false;
    if (contact && contact->kind != BRI_NODE_SCALAR)
        return bri_naming_fail(n, contact, "contact must be two bodies, as wheel/ground");
    const BriEvent *event = NULL;
    for (int pass = 0; pass < 2; pass++) { /* count, then find */
        int wanted = nth > 0 ? nth : found + 1 + nth;
        if (pass) found = 0;
        for (int i = 0; i < run->series.events; i++) {
            const BriEvent *candidate = &run->series.event[i];
            bool fits = strcmp(candidate->kind, KINDS[kind]) == 0 && candidate->time >= from && candidate->time <= to &&
                        (!contact || strcmp(candidate->contact, contact->text) == 0);
            found += fits;
            if (pass && fits && found == wanted) event = candidate;
        }
    }
    *value = found;
    if (n->dry || reducer == 1) return true;
    if (!event)
        return bri_naming_fail(n, n->metric->entry.key, "%s number %d is wanted, but there are %d", KINDS[kind], nth,
                               found);
    const double reads[] = {event->time, event->before, event->after, event->after / event->before};
    *value = reads[read];
    return true;
}

/* ------------------------------------------------------------------ all kinds */

static bool work_out(BriNaming *n, double *value) {
    Kind kind;
    int members;
    bool absolute;
    double scale;
    if (!check_kind(n, &kind)) return false;
    if (kind == OF_METRICS && get(n, "run") && !get_run(n, "run", &n->run, &members)) return false;
    bool fine = kind == OF_CHANNEL  ? work_out_channel(n, value)
                : kind == OF_EVENTS ? work_out_event(n, value)
                                    : bri_number_of(n, get(n, "value"), "value", BRI_UNTYPED, value);
    if (!fine || !get_number(n, "scale", 1, BRI_UNTYPED, &scale) || !get_flag(n, "absolute", &absolute)) return false;
    *value *= scale;
    if (absolute) *value = bri_abs(*value);
    return n->dry || bri_is_finite(*value) || bri_naming_fail(n, n->metric->entry.key, "it is not a finite number");
}

/* What the file says the value should be. */
static bool read_check(BriNaming *n) {
    BriMetric *m = n->metric;
    const double none = __builtin_nan("");
    const BriNode *at_most = get(n, "at_most"), *expect = get(n, "expect"), *tolerance = get(n, "tolerance"),
                  *source = get(n, "source"), *printed = get(n, "printed");
    if (source && source->kind != BRI_NODE_SCALAR) return bri_naming_fail(n, source, "source must be a text");
    if (printed && printed->kind != BRI_NODE_SCALAR)
        return bri_naming_fail(n, printed, "printed must be a text: the number as the paper has it");
    if (at_most && (expect || tolerance))
        return bri_naming_fail(n, at_most, "a metric has 'expect' with 'tolerance', or 'at_most', not both");
    if (tolerance && !expect) return bri_naming_fail(n, tolerance, "'tolerance' needs 'expect'");
    m->bound = at_most != NULL;
    m->has_check = at_most || tolerance;
    if (!get_number(n, "expect", at_most ? 0 : none, BRI_UNTYPED, &m->expected) ||
        !get_number(n, at_most ? "at_most" : "tolerance", none, BRI_UNTYPED, &m->tolerance))
        return false;
    if (m->has_check && !n->dry && m->tolerance < 0)
        return bri_naming_fail(n, at_most ? at_most : tolerance, "this must not be negative");
    return true;
}

bool bri_check_metric(BrExperiment *e, BriMetric *metric) {
    BriNaming n = {.experiment = e, .metric = metric, .dry = true};
    double value = 0;
    if (metric->checked == 2) return true;
    if (metric->checked == 1 || e->depth == DEEPEST)
        return bri_refuse(&e->reader, metric->entry.key, "metric '%.80s' %s", metric->entry.name,
                          metric->checked ? "depends on itself; break the circle"
                                          : "stands at the end of a chain of more than 100 others");
    metric->checked = 1;
    e->depth++;
    bool fine = work_out(&n, &value) && read_check(&n);
    e->depth--;
    metric->checked = 2;
    return fine;
}

void bri_work_out_metric(BrExperiment *e, BriMetric *m) {
    if (m->known) return;
    m->known = 1;
    BriNaming n = {.experiment = e, .metric = m};
    m->value = 0;
    bool fine = work_out(&n, &m->value); /* first: it settles whose parameters count */
    if (!fine) m->problem = bri_keep_text(&e->reader, "%s", n.why);
    bool checked = read_check(&n);
    if (fine && !checked) m->problem = bri_keep_text(&e->reader, "%s", n.why);
    m->known = 2;
    m->value = fine ? m->value : __builtin_nan("");
    m->pass = m->has_check && fine && checked && bri_abs(m->value - m->expected) <= m->tolerance;
    if (!(fine && checked) && !m->problem) bri_no_memory(&e->reader);
}
