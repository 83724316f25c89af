/* experiment_figure.c: curves of runs, or through numbers of metrics, for whoever draws them. */
#include "io/experiment.h"

#include <stdio.h>
#include <string.h>

static const char *const KEYS[] = {"curves", "x", "title", "x_label", "y_label", "log", "for"};
static const char *const CURVE_KEYS[] = {"run", "channel", "x", "label", "from", "to", "where", "points", "marks"};

static bool check_texts(BriReader *r, const BriNode *node) {
    for (int i = 0; i < node->count; i++) {
        const char *key = node->keys[i]->text;
        bool text = strcmp(key, "curves") != 0 && strcmp(key, "for") != 0 && strcmp(key, "points") != 0;
        if (text && node->items[i]->kind != BRI_NODE_SCALAR)
            return bri_refuse(r, node->items[i], "'%s' must be a text", key);
    }
    return true;
}

static const char *text_of(const BriNode *node, const char *key, const char *preset) {
    const BriNode *value = bri_node_find(node, key);
    return value ? value->text : preset;
}

static bool find_run_of(BrExperiment *e, const BriNode *curve, BriRun **run) {
    const BriNode *name = bri_node_find(curve, "run");
    char why[300] = "a curve must say which run it shows";
    int members = 1;
    *run = e->run;
    bool found = name ? bri_find_run(e, name->text, run, &members, why, sizeof why) : e->runs == 1;
    if (found && members > 1) snprintf(why, sizeof why, "this is a family of %d runs; name one, as NAME[0]", members);
    if (!found || members > 1) return bri_refuse(&e->reader, name ? name : curve, "%s", why);
    return bri_open_run(e, *run);
}

/* One coordinate of all points. */
static bool read_coordinate(BriNaming *n, const BriNode *points, int which, BriCurve *curve) {
    BriReader *r = &n->experiment->reader;
    double *v = bri_allocate(&n->experiment->allocator, (size_t)points->count, sizeof(double));
    *curve = (BriCurve){.count = points->count, .v = v};
    if (!v) return bri_no_memory(r);
    for (int i = 0; i < points->count; i++) {
        const BriNode *point = points->items[i];
        if (point->kind != BRI_NODE_SEQUENCE || point->count != 2)
            return bri_refuse(r, point, "a point is a pair like [0.1, loss_1]");
        if (!bri_number_of(n, point->items[which], "points", BRI_NO_UNIT, &v[i])) return false;
    }
    return true;
}

/* points: [[x, y], ...], numbers made of parameters and metrics. */
static bool follow_points(BrExperiment *e, const BriNode *points, bool dry, BriCurve curve[2], char why[400]) {
    BriNaming n = {.experiment = e, .run = e->runs == 1 ? e->run : NULL, .dry = dry};
    if (points->kind != BRI_NODE_SEQUENCE || points->count == 0)
        return bri_refuse(&e->reader, points, "points must be a list like [[0, loss_0], [0.1, loss_1]]");
    bool fine = read_coordinate(&n, points, 0, &curve[0]) && read_coordinate(&n, points, 1, &curve[1]);
    for (int c = 0; (dry || !fine) && c < 2; c++) bri_curve_release(&curve[c], &e->allocator);
    snprintf(why, sizeof n.why, "%s", n.why);
    return fine;
}

/* Both coordinates of a curve; dry: only a check. */
static bool follow_curve(BrExperiment *e, const BriNode *figure, const BriNode *node, bool dry, BriCurve curve[2],
                         char why[400]) {
    const BriNode *points = bri_node_find(node, "points");
    if (points) return follow_points(e, points, dry, curve, why);
    BriNaming n = {.experiment = e, .dry = dry};
    BriCurveDef def = {.channel = bri_node_find(node, "channel"), .where = bri_node_find(node, "where")};
    const BriNode *from = bri_node_find(node, "from"), *to = bri_node_find(node, "to");
    const BriNode *x = bri_node_find(node, "x") ? bri_node_find(node, "x") : bri_node_find(figure, "x");
    def.gaps = true;
    def.from = -1e300;
    def.to = 1e300;
    if (!find_run_of(e, node, &def.run)) return false;
    n.run = def.run;
    def.run->needed = true;
    bool fine = (!from || bri_number_of(&n, from, "from", BRI_TIME, &def.from)) &&
                (!to || bri_number_of(&n, to, "to", BRI_TIME, &def.to)) && bri_curve_points(&n, &def, &curve[1]);
    if (fine && x) {
        def.channel = x;
        fine = bri_curve_points(&n, &def, &curve[0]);
        if (!fine) bri_curve_release(&curve[1], &e->allocator);
    }
    snprintf(why, sizeof n.why, "%s", n.why);
    return fine;
}

bool bri_check_figure(BrExperiment *e, BriFigure *f) {
    BriReader *r = &e->reader;
    const BriNode *node = f->entry.node, *curves = bri_node_find(node, "curves"), *log = bri_node_find(node, "log");
    static const char *const LOGS[] = {"y", "x", "xy", "none"};
    char what[120];
    int scale = 3;
    snprintf(what, sizeof what, "figure '%.80s'", f->entry.name);
    if (!bri_check_keys(r, node, what, KEYS, BRI_COUNT(KEYS)) || !check_texts(r, node)) return false;
    if (!curves || curves->kind != BRI_NODE_SEQUENCE || curves->count == 0)
        return bri_refuse(r, f->entry.key, "%s needs 'curves', a list like [{run: a, channel: energy.defect}]", what);
    if (log && !bri_choose(r, log, log->text, "log", LOGS, 4, &scale)) return false;
    for (int i = 0; i < curves->count; i++) {
        BriCurve none[2] = {{0}};
        char why[400];
        const BriNode *curve = curves->items[i];
        if (!bri_check_keys(r, curve, "a curve", CURVE_KEYS, BRI_COUNT(CURVE_KEYS)) || !check_texts(r, curve))
            return false;
        bool flag;
        const BriNode *marks = bri_node_find(curve, "marks");
        if (marks && !bri_read_flag(r, marks, "marks", &flag)) return false;
        if (!bri_node_find(curve, "channel") == !bri_node_find(curve, "points"))
            return bri_refuse(r, curve, "a curve needs 'channel' or 'points', one of both");
        if (!follow_curve(e, node, curve, true, none, why)) return false;
    }
    f->shown =
        (BrFigure){.name = f->entry.name,
                   .title = text_of(node, "title", f->entry.name),
                   .x_label = text_of(node, "x_label", bri_node_find(node, "x") ? text_of(node, "x", "") : "time [s]"),
                   .y_label = text_of(node, "y_label", ""),
                   .log_x = scale == 1 || scale == 2,
                   .log_y = scale == 0 || scale == 2};
    return true;
}

/* The curves of runs that broke down are left out. */
bool bri_draw_figure(BrExperiment *e, BriFigure *f) {
    const BriNode *curves = bri_node_find(f->entry.node, "curves");
    f->curve = bri_allocate(&e->allocator, (size_t)curves->count, sizeof *f->curve);
    if (!f->curve) return bri_no_memory(&e->reader);
    f->shown.curve = f->curve;
    for (int i = 0; i < curves->count; i++) {
        BriCurve curve[2] = {{0}};
        char why[400];
        const BriNode *node = curves->items[i];
        bool fine = follow_curve(e, f->entry.node, node, false, curve, why);
        if (e->reader.status != BR_OK) return false;
        if (!fine) continue;
        bool own = curve[0].v != NULL; /* else time */
        const BriNode *marks = bri_node_find(node, "marks");
        BrCurve *shown = &f->curve[f->shown.curves++];
        shown->points = curve[1].count;
        if (marks && !bri_read_flag(&e->reader, marks, "marks", &shown->marks)) return false;
        shown->label = text_of(node, "label", text_of(node, "run", text_of(node, "channel", "")));
        shown->y = curve[1].v;
        shown->x = own ? curve[0].v : curve[1].t;
        bri_release(&e->allocator, own ? curve[1].t : NULL);
        bri_release(&e->allocator, curve[0].t);
    }
    return true;
}
