/* scene_values.c: see scene_values.h. */
#include "io/scene_values.h"

#include "model/model.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ refusals and memory */

bool bri_refuse(BriReader *r, const BriNode *node, const char *format, ...) {
    char text[sizeof r->error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    r->status = bri_node_fail(node, r->error, BR_INVALID_SCENE, "%s", text);
    return false;
}

bool bri_refuse_as(BriReader *r, const BriNode *node, BrStatus status) {
    if (status == BR_OUT_OF_MEMORY) return bri_no_memory(r);
    char text[sizeof r->error->text];
    memcpy(text, r->error->text, sizeof text);
    return bri_refuse(r, node, "%s", text);
}

bool bri_no_memory(BriReader *r) {
    r->status = bri_fail(r->error, BR_OUT_OF_MEMORY, "no memory to read the scene");
    return false;
}

void *bri_keep(BriReader *r, size_t size) {
    if (!bri_grow(r->allocator, (void **)&r->keepsake, r->keepsakes, &r->keepsake_capacity, sizeof(void *)))
        return NULL;
    void *memory = bri_allocate(r->allocator, size, 1);
    if (memory) r->keepsake[r->keepsakes++] = memory;
    return memory;
}

/* ------------------------------------------------------------------ words */

bool bri_choose(BriReader *r, const BriNode *node, const char *word, const char *what, const char *const *candidates,
                int count, int *choice) {
    for (int i = 0; i < count; i++)
        if (strcmp(word, candidates[i]) == 0) {
            *choice = i;
            return true;
        }
    const char *nearest = br_nearest_word(word, candidates, count);
    if (nearest) return bri_refuse(r, node, "unknown %s '%.60s'; did you mean '%s'?", what, word, nearest);
    char list[400] = "";
    for (int i = 0; i < count; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", candidates[i]);
    }
    return bri_refuse(r, node, "unknown %s '%.60s'; known: %s", what, word, list);
}

bool bri_check_keys(BriReader *r, const BriNode *node, const char *what, const char *const *keys, int count) {
    if (node->kind != BRI_NODE_MAPPING)
        return bri_refuse(r, node, "%s must be a mapping like {%s: ...}", what, count ? keys[0] : "name");
    char label[160];
    snprintf(label, sizeof label, "key in %s:", what);
    for (int i = 0; i < node->count; i++) {
        int ignored;
        if (!bri_choose(r, node->keys[i], node->keys[i]->text, label, keys, count, &ignored)) return false;
    }
    return true;
}

bool bri_read_word(BriReader *r, const BriNode *node, const char *what, const char **value) {
    if (node->kind != BRI_NODE_SCALAR || !*node->text) return bri_refuse(r, node, "%s must be a name", what);
    *value = node->text;
    return true;
}

bool bri_read_direction(BriReader *r, const BriNode *node, const char *what, BrVec3 *value) {
    BrVec3 v = {0, 0, 0};
    if (!bri_read_vector(r, node, what, BRI_NO_UNIT, &v)) return false;
    double largest = bri_max(bri_abs(v.x), bri_max(bri_abs(v.y), bri_abs(v.z)));
    if (!(largest > 0)) return bri_refuse(r, node, "%s must be longer than zero", what);
    v = bri_vec(v.x / largest, v.y / largest, v.z / largest); /* so that no square overflows */
    *value = bri_scale(1 / bri_norm(v), v);
    return true;
}

bool bri_read_flag(BriReader *r, const BriNode *node, const char *what, bool *value) {
    const char *text = node->kind == BRI_NODE_SCALAR ? node->text : "";
    *value = strcmp(text, "true") == 0;
    if (*value || strcmp(text, "false") == 0) return true;
    return bri_refuse(r, node, "%s must be true or false, not '%.40s'", what, text);
}

/* ------------------------------------------------------------------ expressions of parameters */

static bool work_out_parameter(BriReader *r, int k);

static BriNameKind find_parameter(BriReader *r, const char *name, size_t length, BriName *meaning) {
    char word[64];
    if (length >= sizeof word) return BRI_NAME_UNKNOWN; /* longer names are refused where parameters are read */
    memcpy(word, name, length);
    word[length] = 0;
    int k = bri_names_find(&r->parameter_names, word);
    if (k < 0) return BRI_NAME_UNKNOWN;
    if (!work_out_parameter(r, k)) return BRI_NAME_ERROR;
    meaning->constant = r->value[k];
    meaning->dimension = r->dimension[k];
    return BRI_NAME_CONSTANT;
}

/* A signal, or what a body or a joint has. */
static BriNameKind find_quantity(BriReader *r, const char *name, size_t length, BriName *meaning, BrError *error) {
    char word[64];
    if (length < sizeof word) {
        memcpy(word, name, length);
        word[length] = 0;
        int k = bri_names_find(&r->signal_names, word);
        if (k >= 0 && !bri_add_signal(r, k)) return BRI_NAME_ERROR;
    }
    return bri_quantity_resolve(r->model, name, length, false, meaning, error);
}

/* What is a function of time alone may not name it. */
static BriNameKind refuse_signal(BriReader *r, const char *name, size_t length, BrError *error) {
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), name);
    if (!r->signals || !bri_node_find(r->signals, word)) return BRI_NAME_UNKNOWN;
    bri_fail(error, BR_INVALID_ARGUMENT,
             "found the signal \"%s\", but this is a function of time alone; a motor may follow it", word);
    return BRI_NAME_ERROR;
}

typedef struct Scope {
    BriReader *reader;
    const BriArguments *arguments; /* or NULL */
    bool plain;                    /* a parameter without unit was used, or a signal */
} Scope;

static BriNameKind resolve(void *user, const char *name, size_t length, BriName *meaning, BrError *error) {
    Scope *scope = user;
    for (int i = 0; scope->arguments && i < 2; i++) {
        const char *argument = scope->arguments->name[i];
        if (argument && strlen(argument) == length && memcmp(argument, name, length) == 0) {
            if (meaning) meaning->variable = i;
            return BRI_NAME_VARIABLE;
        }
    }
    if (!meaning) return BRI_NAME_UNKNOWN;
    BriNameKind kind = find_parameter(scope->reader, name, length, meaning);
    if (kind == BRI_NAME_UNKNOWN && scope->arguments && scope->arguments->reads)
        kind = find_quantity(scope->reader, name, length, meaning, error);
    else if (kind == BRI_NAME_UNKNOWN && scope->arguments)
        kind = refuse_signal(scope->reader, name, length, error);
    if (kind == BRI_NAME_PROGRAM) scope->plain = true; /* a signal is a number in SI */
    if (kind == BRI_NAME_CONSTANT && !meaning->dimension.typed) scope->plain = true;
    if (kind == BRI_NAME_ERROR && error && scope->reader->status != BR_OK) *error = *scope->reader->error;
    return kind;
}

/* Compiles a scalar. A refusal inside another parameter keeps that parameter's place. */
static bool compile_scalar(BriReader *r, const BriNode *node, const char *what, const BriArguments *arguments,
                           BriExpression *expression, bool *plain) {
    if (node->kind != BRI_NODE_SCALAR) return bri_refuse(r, node, "%s must be a number, not a list or a mapping", what);
    if (!*node->text) return bri_refuse(r, node, "%s has no value", what);
    Scope scope = {r, arguments, false};
    BrError inner = {0};
    BrStatus before = r->status;
    BrStatus status = bri_expression_compile(node->text, resolve, &scope, r->allocator, expression, &inner);
    *plain = scope.plain;
    if (status == BR_OK) return true;
    if (status == BR_OUT_OF_MEMORY) return bri_no_memory(r);
    if (r->status != before) return false; /* refused deeper down */
    BriNode place = *node;
    if (place.line && inner.column) place.column += inner.column - 1 + place.quoted;
    return bri_refuse(r, &place, "%s: %s", what, inner.text);
}

/* Does the value fit the field? Users may write functions with units ("5 N/s*t") or as plain numbers in SI ("5*t"): the
 * arguments count with their units first, and without where that does not fit. With parameters that have no unit
 * (`plain`) nothing can be told. */
static bool check_unit(BriReader *r, const BriNode *node, const char *what, const BriExpression *expression,
                       const BriArguments *arguments, bool plain_parameters, BriDimension wanted) {
    if (plain_parameters) return true;
    BriDimension with[BRI_EXPRESSION_VARIABLES] = {BRI_UNTYPED, BRI_UNTYPED, BRI_UNTYPED, BRI_UNTYPED};
    BriDimension given = BRI_UNTYPED, plain = BRI_UNTYPED;
    BrError inner = {0};
    for (int i = 0; arguments && i < 2; i++) with[i] = arguments->dimension[i];
    BrStatus status = bri_expression_dimension(expression, with, &given, &inner);
    if (status == BR_OK && bri_unit_fits(given, wanted)) return true;
    if (arguments && bri_expression_dimension(expression, NULL, &plain, NULL) == BR_OK && bri_unit_fits(plain, wanted))
        return true;
    if (status != BR_OK) return bri_refuse(r, node, "%s: %s", what, inner.text);
    char has[64], needs[64];
    bri_unit_name(given, has, sizeof has);
    bri_unit_name(wanted, needs, sizeof needs);
    if (strcmp(has, "1") == 0)
        return bri_refuse(r, node, "%s: '%.60s' has no unit, but a value in %s is needed", what, node->text, needs);
    if (strcmp(needs, "1") == 0)
        return bri_refuse(r, node, "%s: '%.60s' is in %s, but a number without unit is needed", what, node->text, has);
    bool per_second = strcmp(has, "Hz") == 0 && strcmp(needs, "rad/s") == 0;
    return bri_refuse(r, node, "%s: '%.60s' is in %s, but a value in %s is needed%s", what, node->text, has, needs,
                      per_second ? "; a speed over a radius becomes one by '*1 rad'" : "");
}

/* The value of an expression of parameters alone. */
static bool evaluate_constant(BriReader *r, const BriNode *node, const char *what, const BriExpression *expression,
                              double *value) {
    const BriJet none[BRI_EXPRESSION_VARIABLES] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    *value = bri_expression_evaluate(expression, none).f;
    if (bri_is_finite(*value)) return true;
    return bri_refuse(r, node, "%s: '%.60s' is not a finite number", what, node->text);
}

static bool work_out_parameter(BriReader *r, int k) {
    const BriNode *key = r->parameters->keys[k];
    if (r->known[k] == 2) return true;
    if (r->known[k] == 1) return bri_refuse(r, key, "parameter '%.60s' depends on itself; break the circle", key->text);
    if (r->depth >= 100)
        return bri_refuse(r, key, "parameter '%.60s' stands at the end of a chain of more than 100 others", key->text);
    r->known[k] = 1;
    char what[100];
    snprintf(what, sizeof what, "parameter '%.60s'", key->text);
    r->depth++;
    const BriNode *node = r->parameters->items[k];
    BriExpression expression;
    bool plain = false;
    if (!compile_scalar(r, node, what, NULL, &expression, &plain)) return false;
    const BriDimension none[BRI_EXPRESSION_VARIABLES] = {BRI_UNTYPED, BRI_UNTYPED, BRI_UNTYPED, BRI_UNTYPED};
    BrError inner = {0};
    bool fine = bri_expression_dimension(&expression, none, &r->dimension[k], &inner) == BR_OK || plain ||
                bri_refuse(r, node, "%s: %s", what, inner.text);
    if (plain) r->dimension[k] = BRI_UNTYPED;
    fine = fine && evaluate_constant(r, node, what, &expression, &r->value[k]);
    bri_expression_release(&expression, r->allocator);
    if (!fine) return false;
    r->depth--;
    r->known[k] = 2;
    r->constants[k] = (BrConstant){key->text, r->value[k]};
    return true;
}

bool bri_read_number(BriReader *r, const BriNode *node, const char *what, BriDimension wanted, double *value) {
    BriExpression expression;
    bool plain = false;
    if (!compile_scalar(r, node, what, NULL, &expression, &plain)) return false;
    bool fine = evaluate_constant(r, node, what, &expression, value) &&
                check_unit(r, node, what, &expression, NULL, plain, wanted);
    bri_expression_release(&expression, r->allocator);
    return fine;
}

bool bri_read_any_number(BriReader *r, const BriNode *node, const char *what, double *value) {
    BriExpression expression;
    bool plain = false;
    if (!compile_scalar(r, node, what, NULL, &expression, &plain)) return false;
    bool fine = evaluate_constant(r, node, what, &expression, value);
    bri_expression_release(&expression, r->allocator);
    return fine;
}

bool bri_has_own_meaning(const char *name) {
    static const char *const TAKEN[] = {"t",    "x",   "v",   "pi",  "sin", "cos", "tan",  "asin", "acos",
                                        "atan", "exp", "log", "abs", "min", "max", "sqrt", "tanh", "atan2"};
    for (int i = 0; i < BRI_COUNT(TAKEN); i++)
        if (strcmp(name, TAKEN[i]) == 0) return true;
    return false;
}

bool bri_check_parameter_name(BriReader *r, const BriNode *key, const char *what) {
    const char *name = key->text, *article = strchr("aeiou", *what) ? "an" : "a";
    bool starts = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || *name == '_';
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (strlen(name) > 63) return bri_refuse(r, key, "%s %s's name must have at most 63 characters", article, what);
    if (bri_has_own_meaning(name))
        return bri_refuse(r, key, "'%s' has a meaning of its own in expressions; give the %s another name", name, what);
    if (starts && !name[length]) return true;
    return bri_refuse(r, key, "%s %s's name must be made of letters, digits and '_', not '%.60s'", article, what, name);
}

bool bri_start_parameters(BriReader *r, BriNode *section) {
    if (!section) return true;
    if (section->kind != BRI_NODE_MAPPING)
        return bri_refuse(r, section, "parameters must be a mapping like {mass: 2 kg, lean: 20 deg}");
    size_t count = (size_t)section->count;
    r->value = bri_keep(r, count * sizeof *r->value);
    r->dimension = bri_keep(r, count * sizeof *r->dimension);
    r->known = bri_keep(r, count);
    r->constants = bri_keep(r, count * sizeof *r->constants);
    if (!r->value || !r->dimension || !r->known || !r->constants) return bri_no_memory(r);
    for (int k = 0; k < section->count; k++)
        if (!bri_check_parameter_name(r, section->keys[k], "parameter")) return false;
    r->parameters = section;
    for (int k = 0; k < section->count; k++)
        if (!bri_names_insert(&r->parameter_names, section->keys[k]->text, k, r->allocator)) return bri_no_memory(r);
    for (int k = 0; k < section->count; k++) /* all of them, also the ones nobody uses: a slip is a slip */
        if (!work_out_parameter(r, k)) return false;
    return true;
}

void bri_release_reader(BriReader *r) {
    bri_names_release(&r->parameter_names, r->allocator);
    bri_names_release(&r->signal_names, r->allocator);
    bri_names_release(&r->moved_bodies, r->allocator);
    bri_names_release(&r->place_names, r->allocator);
    for (int i = 0; i < r->keepsakes; i++) bri_release(r->allocator, r->keepsake[i]);
    bri_release(r->allocator, (void *)r->keepsake);
}

bool bri_read_vector(BriReader *r, const BriNode *node, const char *what, BriDimension wanted, BrVec3 *value) {
    if (node->kind != BRI_NODE_SEQUENCE || node->count != 3)
        return bri_refuse(
            r, node, "%s must be a list of three numbers [x, y, z] (put expressions that contain a comma in quotes)",
            what);
    double v[3];
    for (int k = 0; k < 3; k++)
        if (!bri_read_number(r, node->items[k], what, wanted, &v[k])) return false;
    *value = bri_vec(v[0], v[1], v[2]);
    return true;
}

bool bri_read_inertia(BriReader *r, const BriNode *node, BrMat3 *value) {
    BrVec3 row[3];
    if (node->kind == BRI_NODE_SEQUENCE && node->count == 3 && node->items[0]->kind == BRI_NODE_SEQUENCE) {
        for (int i = 0; i < 3; i++)
            if (!bri_read_vector(r, node->items[i], "a row of the inertia", BRI_INERTIA, &row[i])) return false;
        *value =
            (BrMat3){{{row[0].x, row[0].y, row[0].z}, {row[1].x, row[1].y, row[1].z}, {row[2].x, row[2].y, row[2].z}}};
        return true;
    }
    if (node->kind != BRI_NODE_SEQUENCE || node->count != 3)
        return bri_refuse(r, node, "inertia must be a list of three moments [Ixx, Iyy, Izz] or three rows of three");
    if (!bri_read_vector(r, node, "inertia", BRI_INERTIA, &row[0])) return false;
    *value = bri_diagonal(row[0].x, row[0].y, row[0].z);
    return true;
}

/* ------------------------------------------------------------------ rotations */

bool bri_read_matrix(BriReader *r, const BriNode *node, const char *what, BrMat3 *value) {
    BrVec3 row = {0, 0, 0};
    if (node->kind != BRI_NODE_SEQUENCE || node->count != 3)
        return bri_refuse(r, node, "%s must be three rows of three numbers, [[1, 0, 0], [0, 1, 0], [0, 0, 1]]", what);
    for (int i = 0; i < 3; i++) {
        if (!bri_read_vector(r, node->items[i], what, BRI_NO_UNIT, &row)) return false;
        value->m[i][0] = row.x, value->m[i][1] = row.y, value->m[i][2] = row.z;
    }
    return true;
}

const char *const bri_orientation_keys[BRI_ORIENTATIONS] = {"rotate", "quaternion", "rpy", "axis_angle", "rotation"};

static bool read_turn(BriReader *r, const BriNode *node, BrVec3 *turn) {
    static const char *const KEYS[] = {"x", "y", "z", "axis", "angle"};
    if (!bri_check_keys(r, node, "a rotation", KEYS, BRI_COUNT(KEYS))) return false;
    const BriNode *axis_node = bri_node_find(node, "axis"), *angle_node = bri_node_find(node, "angle");
    double angle;
    if (axis_node && angle_node && node->count == 2) {
        BrVec3 axis;
        if (!bri_read_direction(r, axis_node, "axis", &axis) ||
            !bri_read_number(r, angle_node, "angle", BRI_ANGLE, &angle))
            return false;
        *turn = bri_scale(angle, axis);
        return true;
    }
    if (node->count != 1 || axis_node || angle_node)
        return bri_refuse(r, node,
                          "a rotation is {x: angle}, {y: angle}, {z: angle} or {axis: [x, y, z], angle: angle}");
    if (!bri_read_number(r, node->items[0], "angle", BRI_ANGLE, &angle)) return false;
    char name = node->keys[0]->text[0];
    *turn = bri_vec(name == 'x' ? angle : 0, name == 'y' ? angle : 0, name == 'z' ? angle : 0);
    return true;
}

bool bri_read_rotation(BriReader *r, const BriNode *node, BrMat3 *value) {
    if (node->kind != BRI_NODE_SEQUENCE)
        return bri_refuse(r, node, "rotate must be a list of rotations like [{x: 20 deg}, {z: 90 deg}]");
    *value = bri_identity();
    for (int i = 0; i < node->count; i++) {
        BrVec3 turn = {0, 0, 0};
        if (!read_turn(r, node->items[i], &turn)) return false;
        BrMat3 R = bri_rotation_exp(turn), next = bri_mat_mul(&R, value);
        *value = bri_rotation_normalise(&next);
    }
    return true;
}

/* Roll about x, then pitch about y, then yaw about z, of axes that stay. */
static bool read_rpy(BriReader *r, const BriNode *node, BrMat3 *value) {
    BrVec3 angles = {0, 0, 0};
    if (node->kind != BRI_NODE_SEQUENCE || node->count != 3)
        return bri_refuse(r, node, "rpy must be three angles [roll, pitch, yaw], about x, then y, then z");
    if (!bri_read_vector(r, node, "rpy", BRI_ANGLE, &angles)) return false;
    BrMat3 x = bri_rotation_exp(bri_vec(angles.x, 0, 0)), y = bri_rotation_exp(bri_vec(0, angles.y, 0)),
           z = bri_rotation_exp(bri_vec(0, 0, angles.z)), yx = bri_mat_mul(&y, &x), zyx = bri_mat_mul(&z, &yx);
    *value = bri_rotation_normalise(&zyx);
    return true;
}

static bool read_quaternion(BriReader *r, const BriNode *node, BrMat3 *value) {
    const double WRITTEN = 1e-6; /* what numbers with seven digits leave */
    double q[4], square = 0;
    if (node->kind != BRI_NODE_SEQUENCE || node->count != 4)
        return bri_refuse(r, node,
                          "quaternion must be four numbers [w, x, y, z], w being the cosine of half the angle");
    for (int k = 0; k < 4; k++) {
        if (!bri_read_number(r, node->items[k], "quaternion", BRI_NO_UNIT, &q[k])) return false;
        square += q[k] * q[k];
    }
    double norm = bri_sqrt(square);
    if (!(bri_abs(norm - 1) <= WRITTEN))
        return bri_refuse(
            r, node,
            "the quaternion has the length %.9g; it must be 1, to a millionth: divide its four numbers by "
            "%.9g, and see that w comes first",
            norm, norm);
    double w = q[0] / norm, x = q[1] / norm, y = q[2] / norm, z = q[3] / norm;
    BrMat3 R = {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                 {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                 {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
    *value = bri_rotation_normalise(&R);
    return true;
}

static bool read_axis_angle(BriReader *r, const BriNode *node, BrMat3 *value) {
    static const char *const KEYS[] = {"axis", "angle"};
    BrVec3 turn = {0, 0, 0};
    if (!bri_check_keys(r, node, "axis_angle", KEYS, 2)) return false;
    if (node->count != 2) return bri_refuse(r, node, "axis_angle is {axis: [x, y, z], angle: angle}");
    if (!read_turn(r, node, &turn)) return false;
    *value = bri_rotation_exp(turn);
    return true;
}

/* As it stands: the model makes it a rotation, or refuses it. */
static bool read_rotation_matrix(BriReader *r, const BriNode *node, BrMat3 *value) {
    return bri_read_matrix(r, node, "rotation", value);
}

bool bri_read_orientation(BriReader *r, const BriNode *node, BrMat3 *value) {
    static bool (*const READ[BRI_ORIENTATIONS])(BriReader *, const BriNode *, BrMat3 *) = {
        bri_read_rotation, read_quaternion, read_rpy, read_axis_angle, read_rotation_matrix};
    const BriNode *said = NULL;
    *value = bri_identity();
    for (int i = 0; i < BRI_ORIENTATIONS; i++) {
        const BriNode *way = bri_node_find(node, bri_orientation_keys[i]);
        if (way && said)
            return bri_refuse(
                r, way, "a pose is turned in one way; of rotate, quaternion, rpy, axis_angle and rotation keep one");
        if (way && !READ[i](r, way, value)) return false;
        if (way) said = way;
    }
    return true;
}

const BriNode *bri_find_orientation(const BriNode *node) {
    for (int i = 0; i < BRI_ORIENTATIONS; i++)
        if (bri_node_find(node, bri_orientation_keys[i])) return bri_node_find(node, bri_orientation_keys[i]);
    return NULL;
}

/* ------------------------------------------------------------------ functions */

static bool read_formula(BriReader *r, const BriNode *node, const char *what, const BriArguments *arguments,
                         BriDimension wanted, BrFunctionDef *def) {
    BriExpression expression;
    bool plain = false;
    if (!compile_scalar(r, node, what, arguments, &expression, &plain)) return false;
    int place = 0;
    bool varies = bri_expression_uses(&expression, 0) || bri_expression_uses(&expression, 1) ||
                  bri_expression_quantity(&expression, &place) >= 0;
    double constant = 0;
    bool fine = check_unit(r, node, what, &expression, arguments, plain, wanted) &&
                (varies || evaluate_constant(r, node, what, &expression, &constant));
    bri_expression_release(&expression, r->allocator);
    if (!fine) return false;
    *def = varies ? br_expression(node->text) : br_constant(constant);
    if (!varies) return true;
    def->constants = r->constants;
    def->constant_count = r->parameters ? r->parameters->count : 0;
    return true;
}

bool bri_read_table(BriReader *r, const BriNode *node, const char *what, const BriArguments *arguments,
                    BriDimension wanted, int columns, BrFunctionDef *def) {
    if (node->kind != BRI_NODE_SEQUENCE || node->count < 1)
        return bri_refuse(r, node, "%s: a table is a list of points like [[0, 0], [1, 5]]", what);
    double *table[3] = {NULL, NULL, NULL};
    for (int c = 0; c < columns; c++) {
        table[c] = bri_keep(r, 2 * (size_t)node->count * sizeof(double));
        if (!table[c]) return bri_no_memory(r);
    }
    double last = 0;
    for (int i = 0; i < node->count; i++) {
        const BriNode *row = node->items[i];
        if (row->kind != BRI_NODE_SEQUENCE || row->count != 1 + columns)
            return bri_refuse(r, row, "%s: each point of this table must have %d numbers", what, 1 + columns);
        double x;
        if (!bri_read_number(r, row->items[0], what, arguments->dimension[0], &x)) return false;
        if (i > 0 && !(x > last))
            return bri_refuse(r, row, "%s: the table's first numbers must rise, but %.9g follows %.9g", what, x, last);
        last = x;
        for (int c = 0; c < columns; c++) {
            table[c][2 * i] = x;
            if (!bri_read_number(r, row->items[1 + c], what, wanted, &table[c][2 * i + 1])) return false;
        }
    }
    for (int c = 0; c < columns; c++) def[c] = br_table(table[c], node->count);
    return true;
}

static bool read_sine(BriReader *r, const BriNode *node, const char *what, BriDimension wanted, BrFunctionDef *def) {
    static const char *const KEYS[] = {"amplitude", "frequency", "phase", "offset"};
    if (!bri_check_keys(r, node, "a sine", KEYS, BRI_COUNT(KEYS))) return false;
    *def = br_sine(0, 0, 0);
    struct {
        double *value;
        BriDimension dimension;
        bool required;
    } fields[] = {{&def->amplitude, wanted, true},
                  {&def->frequency, BRI_FREQUENCY, true},
                  {&def->phase, BRI_ANGLE, false},
                  {&def->constant, wanted, false}};
    for (int i = 0; i < BRI_COUNT(KEYS); i++) {
        const BriNode *field = bri_node_find(node, KEYS[i]);
        if (!field && fields[i].required) return bri_refuse(r, node, "%s: the sine needs '%s'", what, KEYS[i]);
        if (field && !bri_read_number(r, field, KEYS[i], fields[i].dimension, fields[i].value)) return false;
    }
    return true;
}

bool bri_read_function(BriReader *r, const BriNode *node, const char *what, const BriArguments *arguments,
                       BriDimension wanted, BrFunctionDef *def) {
    static const char *const KEYS[] = {"table", "sine"};
    if (node->kind == BRI_NODE_SCALAR) return read_formula(r, node, what, arguments, wanted, def);
    if (node->kind == BRI_NODE_SEQUENCE)
        return bri_refuse(r, node, "%s must be a number, an expression, {table: ...} or {sine: ...}", what);
    if (!bri_check_keys(r, node, what, KEYS, BRI_COUNT(KEYS))) return false;
    if (node->count != 1) return bri_refuse(r, node, "%s must have one of 'table' and 'sine'", what);
    if (strcmp(node->keys[0]->text, "sine") == 0) return read_sine(r, node->items[0], what, wanted, def);
    return bri_read_table(r, node->items[0], what, arguments, wanted, 1, def);
}

/* A function times a number, for a component of a direction. */
static bool scale_function(BriReader *r, const BrFunctionDef *given, double factor, BrFunctionDef *def) {
    *def = *given;
    def->constant *= factor;
    def->amplitude *= factor;
    if (given->kind == BR_FUNCTION_TABLE) {
        double *table = bri_keep(r, 2 * (size_t)given->points * sizeof(double));
        if (!table) return bri_no_memory(r);
        for (int i = 0; i < given->points; i++) {
            table[2 * i] = given->table[2 * i];
            table[2 * i + 1] = factor * given->table[2 * i + 1];
        }
        def->table = table;
    }
    if (given->kind == BR_FUNCTION_EXPRESSION) {
        size_t size = strlen(given->expression) + 48;
        char *text = bri_keep(r, size);
        if (!text) return bri_no_memory(r);
        snprintf(text, size, "(%.17g)*(%s)", factor, given->expression);
        def->expression = text;
    }
    return true;
}

bool bri_read_functions(BriReader *r, const BriNode *node, const char *what, const BriArguments *arguments,
                        BriDimension wanted, BrVec3 direction, BrFunctionDef def[3]) {
    if (node->kind == BRI_NODE_SEQUENCE) {
        if (node->count != 3) return bri_refuse(r, node, "%s must have three components [x, y, z]", what);
        for (int k = 0; k < 3; k++)
            if (!bri_read_function(r, node->items[k], what, arguments, wanted, &def[k])) return false;
        return true;
    }
    const BriNode *table = node->kind == BRI_NODE_MAPPING ? bri_node_find(node, "table") : NULL;
    if (table && node->count == 1 && table->kind == BRI_NODE_SEQUENCE && table->count > 0 &&
        table->items[0]->kind == BRI_NODE_SEQUENCE && table->items[0]->count == 4)
        return bri_read_table(r, table, what, arguments, wanted, 3, def);
    BrFunctionDef along = br_constant(0);
    if (!bri_read_function(r, node, what, arguments, wanted, &along)) return false;
    double part[3] = {direction.x, direction.y, direction.z};
    for (int k = 0; k < 3; k++) {
        def[k] = br_constant(0);
        if (part[k] != 0 && !scale_function(r, &along, part[k], &def[k])) return false;
    }
    return true;
}
