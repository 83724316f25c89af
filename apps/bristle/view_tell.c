/* view_tell.c: what pages are told while the run goes on, as server-sent events; web/README.md has their format. */
#include "view.h"

#include "letters.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 2000 }; /* of each table in a row: more than can be told apart */

void view_say(View *v, const char *sentence) {
    snprintf(v->news.sentence, sizeof v->news.sentence, "%s", sentence);
    v->news.count++;
}

/* ------------------------------------------------------------------ rows */

/* The number of a pair, which is known or new; lines come in much the same order from row to row, so `near` is looked at
 * first. -1: no memory. */
static int find_pair(News *n, const BrRecordedLine *line, int near) {
    for (int k = 0; k < n->pairs; k++) {
        int i = (near + k) % n->pairs;
        if (n->pair[i].first == line->first && n->pair[i].second == line->second) return i;
    }
    if (n->pairs == n->pair_capacity) {
        int capacity = 2 * n->pair_capacity + 16;
        Pair *larger = realloc(n->pair, (size_t)capacity * sizeof *larger);
        if (!larger) return -1;
        n->pair = larger;
        n->pair_capacity = capacity;
    }
    n->pair[n->pairs] = (Pair){line->first, line->second};
    return n->pairs++;
}

static int column_width(const View *v, BrRecordedTable table) {
    BrChannelInfo column;
    int width = 0;
    for (int i = 0; br_recorder_column(v->recorder, table, i, &column) == BR_OK; i++) width += column.width;
    return width;
}

static BrRecordedTable table_of(const BrRecordedLine *line) {
    return line->number < 0 ? BR_RECORDED_PAIRS : BR_RECORDED_PLACES;
}

static int count_lines(const BrRecordedRow *row, BrRecordedTable table) {
    int count = 0;
    for (int i = 0; i < row->lines && count < MOST_LINES; i++) count += table_of(&row->line[i]) == table;
    return count;
}

static void put_lines(View *v, Letters *l, const BrRecordedRow *row, BrRecordedTable table, int count) {
    int width = column_width(v, table), pair = 0;
    for (int i = 0; i < row->lines && count; i++) {
        const BrRecordedLine *line = &row->line[i];
        if (table_of(line) != table) continue;
        count--;
        pair = find_pair(&v->news, line, pair < 0 ? 0 : pair);
        put_bits(l, (uint32_t)pair, 4);
        if (table == BR_RECORDED_PLACES) put_bits(l, (uint32_t)line->number, 4);
        for (int k = 0; k < width; k++) put_float(l, (float)line->values[k]);
    }
}

static void put_channels(View *v, Letters *l, const BrRecordedRow *row) {
    const double *values = row->values + 1;
    for (int i = 1; i < v->channels; i++) {
        BrMat3 rotation;
        double turn[4];
        bool turns = v->width[i] == 4; /* channels have 1, 3 or 9 numbers */
        if (turns) {
            memcpy(&rotation, values, sizeof rotation);
            turn_of(&rotation, turn);
        }
        for (int k = 0; k < v->width[i]; k++) put_float(l, (float)(turns ? turn[k] : values[k]));
        values += turns ? 9 : v->width[i];
    }
}

void view_take_row(void *user, const BrRecordedRow *row) {
    View *v = user;
    News *n = &v->news;
    free(n->row);
    n->row = NULL;
    Letters l = {.out = open_memstream(&n->row, &n->row_size)};
    if (!l.out) return;
    int pairs = count_lines(row, BR_RECORDED_PAIRS), places = count_lines(row, BR_RECORDED_PLACES);
    fputs("data: ", l.out);
    put_double(&l, row->values[0]);
    put_bits(&l, (uint32_t)pairs, 4);
    put_bits(&l, (uint32_t)places, 4);
    put_channels(v, &l, row);
    put_lines(v, &l, row, BR_RECORDED_PAIRS, pairs);
    put_lines(v, &l, row, BR_RECORDED_PLACES, places);
    end_letters(&l);
    fputs("\n\n", l.out);
    fclose(l.out);
    n->rows++;
}

/* ------------------------------------------------------------------ what else is new */

static const char *body_name(const View *v, int number) {
    return br_body_def(v->l.model, br_model_body(v->l.model, number))->name;
}

static void tell_start(const View *v, FILE *out) {
    BrChannelInfo channel;
    fprintf(out, "event: start\ndata: {\"run\": %llu, \"form\": %llu, \"channels\": [", (unsigned long long)v->news.run,
            (unsigned long long)v->news.form);
    for (int i = 1; br_recorder_channel(v->recorder, i, &channel) == BR_OK; i++) {
        fprintf(out, "%s{\"name\": ", i > 1 ? ", " : "");
        json_text(out, channel.name);
        fprintf(out, ", \"width\": %d}", v->width[i]);
    }
    fputs("]}\n\n", out);
}

static void tell_pairs(const View *v, int from, FILE *out) {
    fputs("event: pairs\ndata: [", out);
    for (int i = from; i < v->news.pairs; i++) {
        const Pair *p = &v->news.pair[i];
        char name[512];
        snprintf(name, sizeof name, "%.200s/%.200s", body_name(v, p->first), body_name(v, p->second));
        fprintf(out, "%s{\"name\": ", i > from ? ", " : "");
        json_text(out, name);
        fprintf(out, ", \"first\": %d, \"second\": %d}", p->first, p->second);
    }
    fputs("]\n\n", out);
}

static void tell_parameters(const View *v, FILE *out) {
    const char *name;
    double value;
    fputs(", \"parameters\": [", out);
    for (int i = 0; (name = br_scene_parameter(v->l.scene, i, &value)); i++) {
        fprintf(out, "%s{\"name\": ", i ? ", " : "");
        json_text(out, name);
        fputs(", \"value\": ", out);
        json_number(out, value);
        fputc('}', out);
    }
    fputs("], \"changes\": [", out);
    for (int i = 0; i < v->changes; i++) {
        if (i) fputs(", ", out);
        json_text(out, v->change[i]);
    }
    fputc(']', out);
}

static void tell_motors(const View *v, FILE *out) {
    fputs(", \"motors\": [", out);
    for (int i = 0; i < br_model_motor_count(v->l.model); i++) {
        BrMotorId id = br_model_motor(v->l.model, i);
        double target = 0, most = 0;
        br_motor_target(v->l.model, v->l.state, id, &target, &most);
        fprintf(out, "%s{\"name\": ", i ? ", " : "");
        json_text(out, br_motor_def(v->l.model, id)->name);
        fputs(", \"target\": ", out);
        json_number(out, target);
        fputc('}', out);
    }
    fputc(']', out);
}

static void tell_state(const View *v, FILE *out) {
    fprintf(out, "event: state\ndata: {\"paused\": %s, \"speed\": %.17g, \"dt\": %.17g, \"sentence\": ",
            v->paused ? "true" : "false", v->speed, v->l.run.step.dt);
    json_text(out, v->news.sentence);
    tell_parameters(v, out);
    tell_motors(v, out);
    fputs("}\n\n", out);
}

void view_tell(void *user, Heard *heard, bool rows, FILE *out) {
    const View *v = user;
    const News *n = &v->news;
    if (heard->run != n->run || heard->form != n->form) {
        *heard = (Heard){.run = n->run, .form = n->form};
        tell_start(v, out);
    }
    if (heard->news != n->count) tell_state(v, out);
    heard->news = n->count;
    if (!rows || !n->row || heard->row == n->rows) return;
    if (heard->row == 0 && !v->has_row) return; /* who has just come is not told what was long ago */
    if (heard->pairs < n->pairs) tell_pairs(v, heard->pairs, out);
    heard->pairs = n->pairs;
    heard->row = n->rows;
    fwrite(n->row, 1, n->row_size, out);
}
