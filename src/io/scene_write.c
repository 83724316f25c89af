/* scene_write.c: a model as a scene: the text, its numbers and names, the sections that are not parts; and the proof: what
 * was written is read, and must be the same model. */
#include "io/scene_write.h"

#include "io/file.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ text */

void bri_write_refuse(BriWriter *w, const char *format, ...) {
    char text[400];
    va_list arguments;
    if (w->status != BR_OK) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    w->status = bri_fail(w->error, BR_UNSUPPORTED, "%s", text);
}

static void write_bytes(BriWriter *w, const char *bytes, size_t count) {
    if (w->status != BR_OK) return;
    if (w->length + count + 1 > w->room) {
        size_t room = 2 * (w->length + count + 1);
        char *text = bri_allocate(&w->allocator, room, 1);
        if (!text) {
            w->status = bri_fail(w->error, BR_OUT_OF_MEMORY, "no memory to write the scene");
            return;
        }
        if (w->length) memcpy(text, w->text, w->length);
        bri_release(&w->allocator, w->text);
        w->text = text;
        w->room = room;
    }
    memcpy(w->text + w->length, bytes, count);
    w->length += count;
    w->text[w->length] = 0;
}

void bri_write_plain(BriWriter *w, const char *text) { write_bytes(w, text, strlen(text)); }

void bri_write_open(BriWriter *w, const char *bracket) {
    bri_write_plain(w, bracket);
    w->comma = false;
}

void bri_write_close(BriWriter *w, const char *bracket) {
    bri_write_plain(w, bracket);
    w->comma = true;
}

void bri_write_item(BriWriter *w) {
    if (w->comma) bri_write_plain(w, ", ");
    w->comma = true;
}

void bri_write_key(BriWriter *w, const char *key) {
    bri_write_item(w);
    bri_write_plain(w, key);
    bri_write_plain(w, ": ");
}

static bool are_same_bits(const void *a, const void *b, size_t size) { return memcmp(a, b, size) == 0; }

/* A program's language may have a comma for the point. */
void bri_write_number(BriWriter *w, double x) {
    char digits[40];
    if (!bri_is_finite(x)) {
        bri_write_plain(w, "infinite");
        return;
    }
    int length = snprintf(digits, sizeof digits, "%.15g", x);
    double again = 0;
    if (br_quantity(digits, "", &again, NULL) != BR_OK || !are_same_bits(&again, &x, sizeof x))
        length = snprintf(digits, sizeof digits, "%.17g", x);
    for (int i = 0; i < length; i++)
        if (!strchr("0123456789+-e", digits[i])) digits[i] = '.';
    write_bytes(w, digits, (size_t)length);
}

void bri_write_vector(BriWriter *w, BrVec3 v) {
    const double number[] = {v.x, v.y, v.z};
    bri_write_open(w, "[");
    for (int i = 0; i < 3; i++) bri_write_item(w), bri_write_number(w, number[i]);
    bri_write_close(w, "]");
}

void bri_write_matrix(BriWriter *w, const BrMat3 *A) {
    bri_write_open(w, "[");
    for (int i = 0; i < 3; i++) bri_write_item(w), bri_write_vector(w, bri_vec(A->m[i][0], A->m[i][1], A->m[i][2]));
    bri_write_close(w, "]");
}

static bool is_plain(const char *name) {
    static const char *const TAKEN[] = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"};
    const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    if (!strchr(letters, name[0])) return false;
    for (int i = 0; i < BRI_COUNT(TAKEN); i++)
        if (strcmp(name, TAKEN[i]) == 0) return false;
    for (const char *c = name; *c; c++)
        if (!strchr(letters, *c) && !(*c >= '0' && *c <= '9')) return false;
    return true;
}

/* Between double quotes. */
static void write_quoted(BriWriter *w, const char *text) {
    bri_write_plain(w, "\"");
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\') bri_write_plain(w, "\\");
        write_bytes(w, c, 1);
    }
    bri_write_plain(w, "\"");
}

void bri_write_name(BriWriter *w, const char *name) {
    if (is_plain(name))
        bri_write_plain(w, name);
    else
        write_quoted(w, name);
}

bool bri_is_zero_vector(BrVec3 v) {
    const BrVec3 zero = {0, 0, 0}; /* not -0 */
    return are_same_bits(&v, &zero, sizeof v);
}

bool bri_is_identity(const BrMat3 *A) {
    const BrMat3 straight = bri_identity();
    return are_same_bits(A, &straight, sizeof straight);
}

/* ------------------------------------------------------------------ functions and what they know */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_taken(const BriWriter *w, const char *written) {
    for (int i = 0; i < w->constants; i++)
        if (strcmp(w->constant[i].written, written) == 0) return true;
    return false;
}

static const BriWrittenConstant *find_constant(const BriWriter *w, const BrConstant *constant) {
    for (int i = 0; i < w->constants; i++)
        if (strcmp(w->constant[i].name, constant->name) == 0 &&
            are_same_bits(&w->constant[i].value, &constant->value, sizeof(double)))
            return &w->constant[i];
    return NULL;
}

static void note_constants(BriWriter *w, const BrFunctionDef *def) {
    for (int i = 0; def->kind == BR_FUNCTION_EXPRESSION && i < def->constant_count && w->status == BR_OK; i++) {
        const BrConstant *constant = &def->constants[i];
        if (find_constant(w, constant)) continue;
        if (!bri_grow(&w->allocator, (void **)&w->constant, w->constants, &w->constant_room, sizeof *w->constant)) {
            w->status = bri_fail(w->error, BR_OUT_OF_MEMORY, "no memory to write the scene");
            return;
        }
        BriWrittenConstant *own = &w->constant[w->constants];
        *own = (BriWrittenConstant){.name = constant->name, .value = constant->value};
        snprintf(own->written, sizeof own->written, "%.63s", constant->name);
        for (int k = 2; is_taken(w, own->written); k++)
            snprintf(own->written, sizeof own->written, "%.60s_%d", constant->name, k);
        w->constants++;
    }
}

/* What a signal's table is looked up at, as a function. */
BrFunctionDef bri_signal_over(const BrSignalDef *def) {
    return (BrFunctionDef){.kind = BR_FUNCTION_EXPRESSION,
                           .expression = def->over,
                           .constants = def->constants,
                           .constant_count = def->constant_count};
}

static void note_all_constants(BriWriter *w) {
    const BrModel *m = w->model;
    for (int i = 0; i < m->signals; i++) {
        const BrSignalDef *def = &m->signal[i].def;
        BrFunctionDef over = bri_signal_over(def);
        note_constants(w, &def->value);
        if (def->over) note_constants(w, &over);
    }
    for (int i = 0; i < m->springs; i++) {
        const BrSpringDef *def = &m->spring[i].def;
        note_constants(w, &def->stiffness), note_constants(w, &def->damping), note_constants(w, &def->force);
    }
    for (int i = 0; i < m->motors; i++) {
        const BrMotorDef *def = &m->motor[i].def;
        note_constants(w, &def->speed), note_constants(w, &def->effort), note_constants(w, &def->position);
    }
    for (int i = 0; i < m->motions; i++) {
        const BrMotionDef *def = &m->motion[i].def;
        note_constants(w, &def->drive);
        for (int k = 0; k < 3; k++) note_constants(w, &def->linear[k]), note_constants(w, &def->angular_velocity[k]);
    }
    for (int i = 0; i < m->forces; i++)
        for (int k = 0; k < 3; k++)
            note_constants(w, &m->force[i].def.force[k]), note_constants(w, &m->force[i].def.torque[k]);
}

/* What the scene calls a name of this function. */
static const char *translate(const BriWriter *w, const BrFunctionDef *def, const char *name, size_t length) {
    for (int i = 0; i < def->constant_count; i++)
        if (strlen(def->constants[i].name) == length && memcmp(def->constants[i].name, name, length) == 0)
            return find_constant(w, &def->constants[i])->written;
    return NULL;
}

/* In quotes, because it may hold a comma. */
static void write_expression(BriWriter *w, const BrFunctionDef *def) {
    bri_write_plain(w, "\"");
    for (const char *c = def->expression; *c && w->status == BR_OK;) {
        const char *end = c;
        while (is_digit(*end)) end++;
        if ((*end == 'e' || *end == 'E') && end > c && (is_digit(end[1]) || end[1] == '-' || end[1] == '+'))
            end += 2; /* of an exponent, no name */
        const char *name = end;
        while (is_letter(*end) || (end > name && is_digit(*end))) end++;
        const char *other = end > name ? translate(w, def, name, (size_t)(end - name)) : NULL;
        if (end == c) end++;
        if (!other) name = end;
        write_bytes(w, c, (size_t)(name - c));
        if (other) bri_write_plain(w, other);
        c = end;
    }
    bri_write_plain(w, "\"");
}

void bri_write_table(BriWriter *w, const double *table, int points) {
    bri_write_open(w, "[");
    for (int i = 0; i < points; i++) {
        bri_write_item(w);
        bri_write_open(w, "[");
        for (int k = 0; k < 2; k++) bri_write_item(w), bri_write_number(w, table[2 * i + k]);
        bri_write_close(w, "]");
    }
    bri_write_close(w, "]");
}

static void write_table(BriWriter *w, const BrFunctionDef *def) {
    bri_write_open(w, "{");
    bri_write_key(w, "table");
    bri_write_table(w, def->table, def->points);
    bri_write_close(w, "}");
}

static void write_sine(BriWriter *w, const BrFunctionDef *def) {
    const struct {
        const char *key;
        double value;
    } parts[] = {
        {"amplitude", def->amplitude}, {"frequency", def->frequency}, {"phase", def->phase}, {"offset", def->constant}};
    bri_write_open(w, "{sine: {");
    for (int i = 0; i < BRI_COUNT(parts); i++) bri_write_key(w, parts[i].key), bri_write_number(w, parts[i].value);
    bri_write_close(w, "}}");
}

void bri_write_function(BriWriter *w, const BrFunctionDef *def) {
    switch (def->kind) {
    case BR_FUNCTION_CONSTANT: bri_write_number(w, def->constant); break;
    case BR_FUNCTION_SINE: write_sine(w, def); break;
    case BR_FUNCTION_TABLE: write_table(w, def); break;
    case BR_FUNCTION_EXPRESSION: write_expression(w, def); break;
    }
}

void bri_write_functions(BriWriter *w, const BrFunctionDef def[3]) {
    bri_write_open(w, "[");
    for (int k = 0; k < 3; k++) bri_write_item(w), bri_write_function(w, &def[k]);
    bri_write_close(w, "]");
}

/* ------------------------------------------------------------------ the step */

static void write_number_of(BriWriter *w, const char *key, double value, double preset) {
    if (value == preset) return;
    bri_write_key(w, key);
    bri_write_number(w, value);
}

static void write_flag(BriWriter *w, const char *key, bool value) {
    if (!value) return;
    bri_write_key(w, key);
    bri_write_plain(w, "true");
}

static void write_word(BriWriter *w, const char *key, const char *word) {
    bri_write_key(w, key);
    bri_write_plain(w, word);
}

static void write_friction_set(BriWriter *w, const BrStepDef *step) {
    if (step->friction_set == BR_FRICTION_CONE) return;
    if (step->friction_set == BR_FRICTION_BOX) {
        write_word(w, "friction_set", "box");
        return;
    }
    bri_write_key(w, "friction_set");
    bri_write_open(w, "{");
    bri_write_key(w, "polygon"), bri_write_number(w, step->polygon_sides);
    write_word(w, "aligned", step->polygon_by_slip ? "slip" : "world");
    bri_write_close(w, "}");
}

static void write_step(BriWriter *w, const BrRunDef *run) {
    const BrStepDef *step = &run->step, preset = br_default_step_def();
    bri_write_plain(w, "step: ");
    bri_write_open(w, "{");
    write_word(w, "formulation", br_formulation_name(step->formulation));
    write_word(w, "scheme", br_scheme_name(step->scheme));
    bri_write_key(w, "dt"), bri_write_number(w, step->dt);
    bri_write_key(w, "until"), bri_write_number(w, run->until);
    write_friction_set(w, step);
    if (step->impact_speed >= 0) bri_write_key(w, "impact_speed"), bri_write_number(w, step->impact_speed);
    write_number_of(w, "substeps", step->substeps, preset.substeps);
    write_number_of(w, "tolerance", step->tolerance, preset.tolerance);
    write_number_of(w, "most_work", step->most_work, preset.most_work);
    if (step->fall_back) write_word(w, "fallback", "timestepping");
    bool exact = step->contact_tolerance != preset.contact_tolerance, bounded = bri_is_finite(step->contact_work);
    if (exact || bounded) {
        bri_write_key(w, "contact");
        bri_write_open(w, "{");
        write_number_of(w, "tolerance", step->contact_tolerance, preset.contact_tolerance);
        if (bounded) bri_write_key(w, "budget"), bri_write_number(w, step->contact_work / BR_CONTACT_OPERATIONS);
        bri_write_close(w, "}");
    }
    write_number_of(w, "threads", step->threads, preset.threads);
    write_flag(w, "sleeping", step->sleeping);
    write_flag(w, "keep_contact", step->keep_contact);
    bri_write_plain(w, "}\nrecord: {every: ");
    bri_write_number(w, run->record_every);
    bri_write_plain(w, "}\n");
}

/* ------------------------------------------------------------------ the whole */

static void write_head(BriWriter *w) {
    const BrModel *m = w->model;
    const double MOST_CAPACITY = 1e6;
    bri_write_plain(w, "bristle: 1\n");
    for (int i = 0; i < w->constants; i++) {
        bri_write_plain(w, i ? "  " : "parameters:\n  ");
        bri_write_name(w, w->constant[i].written);
        bri_write_plain(w, ": ");
        bri_write_number(w, w->constant[i].value);
        bri_write_plain(w, "\n");
    }
    bri_write_plain(w, "gravity: ");
    bri_write_vector(w, m->gravity);
    bri_write_plain(w, "\n");
    if (m->contact_capacity <= 0 || m->contact_capacity > MOST_CAPACITY) return;
    bri_write_plain(w, "contact_capacity: ");
    bri_write_number(w, m->contact_capacity);
    bri_write_plain(w, "\n");
}

static void write_all(BriWriter *w, const BrRunDef *run) {
    note_all_constants(w);
    write_head(w);
    write_step(w, run);
    bri_write_materials(w);
    bri_write_pairs(w);
    bri_write_filters(w);
    bri_write_memories(w);
    bri_write_bodies(w);
    bri_write_shapes(w);
    bri_write_joints(w);
    bri_write_signals(w);
    bri_write_springs(w);
    bri_write_motors(w);
    bri_write_motions(w);
    bri_write_forces(w);
    bri_write_couplings(w);
    bri_write_sensors(w);
}

/* What C allows and scenes do not is found by reading what was written. */
static BrStatus prove(const BriWriter *w, const BrSceneOptions *options, BrError *error) {
    BrScene *scene;
    BrError inner = {0};
    BrStatus status = br_scene_parse(w->text, w->length, "the scene", options, &scene, &inner);
    if (status != BR_OK)
        return bri_fail(error, BR_UNSUPPORTED, "this model cannot be written as a scene, which would refuse it: %.600s",
                        inner.text);
    bool same = br_model_fingerprint(br_scene_model(scene)) == w->model->fingerprint;
    br_scene_destroy(scene);
    if (same) return BR_OK;
    return bri_fail(error, BR_UNSUPPORTED,
                    "this model cannot be written as a scene: it would read back to another one");
}

BrStatus bri_write_model(BriWriter *w, const BrRunDef *run, const BrSceneOptions *options) {
    const BrModel *m = w->model;
    if (!m->built)
        return bri_fail(w->error, BR_WRONG_STAGE, "a scene is written of a built model: call br_model_build() first");
    for (int i = 0; i < m->shapes; i++)
        w->scattered = w->scattered || m->shape[i].def.density > 0 || (i && m->shape[i].body < m->shape[i - 1].body);
    write_all(w, run);
    return w->status == BR_OK ? prove(w, options, w->error) : w->status;
}

void bri_write_release(BriWriter *w) {
    bri_release(&w->allocator, w->text);
    bri_release(&w->allocator, w->constant);
}

BrStatus br_model_tell_scene(const BrModel *model, const BrRunDef *run,
                             void (*write)(void *user, const char *text, size_t size), void *user, BrError *error) {
    BRI_NEED(model && run && write, "model, run and write", error);
    BrStatus status = bri_check_def(&run->step, sizeof run->step, "br_default_step_def", error);
    if (status != BR_OK) return status;
    BriWriter w = {.model = model, .allocator = model->allocator, .error = error};
    status = bri_write_model(&w, run, NULL);
    if (status == BR_OK) write(user, w.text, w.length);
    bri_write_release(&w);
    return status;
}

typedef struct Target {
    const char *path;
    BrStatus status;
    BrError *error;
} Target;

static void write_file(void *user, const char *text, size_t size) {
    Target *target = user;
    target->status = bri_file_replace(target->path, "the scene", &(BriBytes){text, size}, 1, target->error);
}

BrStatus br_model_write_scene(const BrModel *model, const BrRunDef *run, const char *path, BrError *error) {
    BRI_NEED(path, "path", error);
    Target target = {path, BR_OK, error};
    BrStatus status = br_model_tell_scene(model, run, write_file, &target, error);
    return status == BR_OK ? target.status : status;
}
