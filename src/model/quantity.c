/* quantity.c: names in expressions that stand for what a machine in motion has: "arm.position.z", "hinge.velocity",
 * "wheel.ground.force.x", or a signal. */
#include "model/model.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_NAME = 200, MOST_PARTS = 6 };

/* A name, cut at its dots. */
typedef struct Words {
    char text[LONGEST_NAME];
    const char *word[MOST_PARTS];
    int count;
} Words;

static bool cut(const char *name, size_t length, Words *w) {
    if (length >= LONGEST_NAME) return false;
    memcpy(w->text, name, length);
    w->text[length] = 0;
    w->count = 0;
    for (char *at = w->text; at; w->count++) {
        if (w->count == MOST_PARTS) return false;
        w->word[w->count] = at;
        at = strchr(at, '.');
        if (at) *at++ = 0;
    }
    return true;
}

static bool is_word(const Words *w, int i, const char *word) { return i < w->count && strcmp(w->word[i], word) == 0; }

/* 0 to 2 for x to z in word i; -1: something else. */
static int find_axis(const Words *w, int i) {
    return i < w->count && w->word[i][0] >= 'x' && w->word[i][0] <= 'z' && !w->word[i][1] ? w->word[i][0] - 'x' : -1;
}

/* ------------------------------------------------------------------ kinds */

/* BODY.position.x and so on; words from `at` on. */
static bool find_body_part(const Words *w, int at, BriQuantity *q, BriDimension *dimension) {
    static const char *const WORDS[] = {"position", "velocity", "angular_velocity"};
    const BriDimension OF[] = {BRI_LENGTH, BRI_VELOCITY, BRI_ANGULAR_VELOCITY};
    if (at + 2 != w->count) return false;
    for (int k = 0; k < BRI_COUNT(WORDS); k++)
        if (is_word(w, at, WORDS[k]) && find_axis(w, at + 1) >= 0) {
            q->part = 3 * k + find_axis(w, at + 1);
            *dimension = OF[k];
            return true;
        }
    const char *pair = w->word[at + 1];
    bool rotation = is_word(w, at, "rotation") && strlen(pair) == 2 && pair[0] >= 'x' && pair[0] <= 'z' &&
                    pair[1] >= 'x' && pair[1] <= 'z';
    if (!rotation) return false;
    q->part = 9 + 3 * (pair[0] - 'x') + pair[1] - 'x';
    *dimension = BRI_NO_UNIT;
    return true;
}

/* JOINT.position, or JOINT.position_slide. */
static bool find_joint_part(const BrModel *m, const Words *w, int at, BriQuantity *q, BriDimension *dimension) {
    const BrJointInfo *info = &m->joint[q->a].type->info;
    for (int k = 0; k < info->coordinates && at + 1 == w->count; k++)
        for (int rate = 0; rate < 2; rate++) {
            char word[64];
            bool turns = strcmp(info->coordinate[k].unit, "rad") == 0;
            snprintf(word, sizeof word, "%s%s%s", rate ? "velocity" : "position", info->coordinates > 1 ? "_" : "",
                     info->coordinates > 1 ? info->coordinate[k].name : "");
            if (!is_word(w, at, word)) continue;
            q->part = 2 * k + rate;
            *dimension = rate ? (turns ? BRI_ANGULAR_VELOCITY : BRI_VELOCITY) : turns ? BRI_ANGLE : BRI_LENGTH;
            return true;
        }
    return false;
}

/* BODY.BODY.force, or a component of it. */
static bool find_contact_part(const BrModel *m, const Words *w, int at, BriQuantity *q, BriDimension *dimension) {
    q->b = bri_names_find(&m->body_names, w->word[at]);
    if (q->b < 0 || q->b == q->a || !is_word(w, at + 1, "force")) return false;
    q->kind = BRI_QUANTITY_CONTACT;
    q->part = at + 2 == w->count ? 3 : find_axis(w, at + 2);
    *dimension = BRI_FORCE;
    return q->part >= 0 && w->count <= at + 3;
}

/* What of a body or joint of this name? `at` is the word behind it. */
static bool find_part(const BrModel *m, const Words *w, int at, bool bodies, bool joints, BriQuantity *q,
                      BriDimension *dimension) {
    *q = (BriQuantity){.kind = BRI_QUANTITY_BODY, .a = bri_names_find(&m->body_names, w->word[at - 1])};
    if (bodies && q->a >= 0 &&
        (find_body_part(w, at, q, dimension) || (at < w->count && find_contact_part(m, w, at, q, dimension))))
        return true;
    *q = (BriQuantity){.kind = BRI_QUANTITY_JOINT, .a = bri_names_find(&m->joint_names, w->word[at - 1])};
    return joints && q->a >= 0 && find_joint_part(m, w, at, q, dimension);
}

/* ------------------------------------------------------------------ refusals */

static void list_joint(const BrModel *m, int joint, char *text, size_t size) {
    const BrJointInfo *info = &m->joint[joint].type->info;
    size_t used = 0;
    text[0] = 0;
    for (int k = 0; k < info->coordinates && used < size; k++) {
        const char *of = info->coordinates > 1 ? info->coordinate[k].name : "", *bar = *of ? "_" : "";
        used +=
            (size_t)snprintf(text + used, size - used, "%sposition%s%s, velocity%s%s", k ? ", " : "", bar, of, bar, of);
    }
    if (info->coordinates == 0) snprintf(text, size, "nothing to read");
}

static BriNameKind refuse_part(const BrModel *m, const char *name, size_t length, const Words *w, BrError *error) {
    const char *first = w->word[0];
    int body = bri_names_find(&m->body_names, first), joint = bri_names_find(&m->joint_names, first);
    if (body < 0 && joint < 0) return BRI_NAME_UNKNOWN;
    char has[160] =
        "position, velocity, angular_velocity (.x .y .z), rotation (.xx ...), and force of a contact with another";
    if (joint >= 0) list_joint(m, joint, has, sizeof has);
    bri_fail(error, BR_INVALID_ARGUMENT, "found \"%.*s\", but %s '%s' has %s", length < 80 ? (int)length : 80, name,
             joint >= 0 ? "joint" : "body", first, has);
    return BRI_NAME_ERROR;
}

/* ------------------------------------------------------------------ names */

static BriNameKind note(BrModel *m, const BriQuantity *q, bool noted, BriName *meaning, BrError *error) {
    meaning->quantity = m->quantities;
    if (!noted) return BRI_NAME_QUANTITY;
    if (!bri_grow(&m->allocator, (void **)&m->quantity, m->quantities, &m->quantity_capacity, sizeof *q)) {
        bri_fail(error, BR_OUT_OF_MEMORY, "no memory for what an expression reads");
        return BRI_NAME_ERROR;
    }
    m->quantity[m->quantities++] = *q;
    return BRI_NAME_QUANTITY;
}

BriNameKind bri_quantity_resolve(BrModel *m, const char *name, size_t length, bool noted, BriName *meaning,
                                 BrError *error) {
    Words w;
    BriQuantity q = {0};
    if (!cut(name, length, &w)) return BRI_NAME_UNKNOWN;
    if (is_word(&w, 0, "t") && w.count == 1) {
        meaning->dimension = BRI_TIME;
        return note(m, &(BriQuantity){.kind = BRI_QUANTITY_TIME}, noted, meaning, error);
    }
    if (w.count == 1) {
        int signal = bri_names_find(&m->signal_names, w.word[0]);
        if (signal < 0) return BRI_NAME_UNKNOWN;
        meaning->program = &m->signal[signal].name;
        return BRI_NAME_PROGRAM;
    }
    bool bodies = is_word(&w, 0, "bodies") && w.count > 2, joints = is_word(&w, 0, "joints") && w.count > 2;
    bool found = find_part(m, &w, 1, true, true, &q, &meaning->dimension) ||
                 ((bodies || joints) && find_part(m, &w, 2, bodies, joints, &q, &meaning->dimension));
    return found ? note(m, &q, noted, meaning, error) : refuse_part(m, name, length, &w, error);
}

/* ------------------------------------------------------------------ what is read */

static bool is_rate(const BrModel *m, const BriQuantity *q) {
    if (q->kind == BRI_QUANTITY_TABLE) {
        BriFunction over = {.kind = BRI_FORMULA, .formula = m->signal[q->a].over};
        return bri_reads_rates(m, &over);
    }
    return (q->kind == BRI_QUANTITY_BODY && q->part >= 3 && q->part < 9) ||
           (q->kind == BRI_QUANTITY_JOINT && q->part % 2 == 1);
}

bool bri_reads_rates(const BrModel *m, const BriFunction *function) {
    int place = 0, n;
    if (function->kind != BRI_FORMULA) return false;
    while ((n = bri_expression_quantity(&function->formula, &place)) >= 0)
        if (is_rate(m, &m->quantity[n])) return true;
    return false;
}

static bool has_bodies(const BriQuantity *q) { return q->kind == BRI_QUANTITY_BODY || q->kind == BRI_QUANTITY_CONTACT; }

bool bri_body_is_read(const BrModel *m, int n) {
    for (int i = 0; i < m->quantities; i++) {
        const BriQuantity *q = &m->quantity[i];
        if (has_bodies(q) && (q->a == n || (q->kind == BRI_QUANTITY_CONTACT && q->b == n))) return true;
    }
    return false;
}

void bri_quantities_shift(BrModel *m, int removed) {
    for (int i = 0; i < m->quantities; i++) {
        BriQuantity *q = &m->quantity[i];
        if (!has_bodies(q)) continue;
        q->a -= q->a > removed;
        q->b -= q->kind == BRI_QUANTITY_CONTACT && q->b > removed;
    }
}
