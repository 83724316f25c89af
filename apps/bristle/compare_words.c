/* compare_words.c: what --with, --reference and --steps ask for, as assignments of a scene. A run is words with slashes between them: a
 * formulation, a scheme, a friction law, a step, PATH=VALUE. Brackets keep commas and slashes together. */
#include "compare.h"

#include <math.h>
#include <string.h>

/* What the words of one run say. */
typedef struct Words {
    const char *formulation, *scheme, *law, *dt;
} Words;

/* The next piece up to `mark` outside of brackets; NULL after the last. */
static const char *next_piece(const char **rest, char mark, char *piece, size_t size) {
    const char *from = *rest;
    int depth = 0;
    if (!from) return NULL;
    const char *at = from;
    for (; *at && (*at != mark || depth > 0); at++) depth += (*at == '[' || *at == '{') - (*at == ']' || *at == '}');
    *rest = *at ? at + 1 : NULL;
    while (from < at && *from == ' ') from++;
    while (at > from && at[-1] == ' ') at--;
    return snprintf(piece, size, "%.*s", (int)(at - from), from) < (int)size ? piece : "";
}

static bool assign(Variant *v, const char *path, const char *value) {
    int number = v->set.count;
    if (number == COMPARE_WORDS ||
        snprintf(v->text[number], sizeof v->text[0], "%s=%s", path, value) >= (int)sizeof v->text[0]) {
        fprintf(stderr, "bristle compare: '%s': too many assignments, or a value that is too long\n", v->name);
        return false;
    }
    v->set.item[v->set.count++] = v->text[number];
    return true;
}

static const char *find_formulation(const char *word) {
    for (int i = 0; i < BR_FORMULATIONS; i++)
        if (strcmp(word, br_formulation_name((BrFormulation)i)) == 0) return br_formulation_name((BrFormulation)i);
    return NULL;
}

static const char *find_scheme(const char *word, BrScheme *scheme) {
    for (int i = 0; i < BR_SCHEMES; i++) {
        if (strcmp(word, br_scheme_name((BrScheme)i)) != 0) continue;
        *scheme = (BrScheme)i;
        return br_scheme_name((BrScheme)i);
    }
    return NULL;
}

static bool refuse_word(const char *word, const char *option) {
    enum { MOST = BR_FORMULATIONS + BR_SCHEMES + 64 };
    const char *known[MOST];
    int count = 0;
    char hint[HINT] = "";
    for (int i = 0; i < BR_FORMULATIONS; i++) known[count++] = br_formulation_name((BrFormulation)i);
    for (int i = 0; i < BR_SCHEMES; i++) known[count++] = br_scheme_name((BrScheme)i);
    for (int i = 0; i < br_law_count() && count < MOST; i++) known[count++] = br_law_info(i)->name;
    fprintf(stderr,
            "bristle compare: '%.100s' in %s is no formulation, scheme or friction law, no step as 0.5ms, and no "
            "PATH=VALUE%s\n",
            word, option, print_hint(word, known, count, hint));
    return false;
}

/* A friction law goes to every material that has a name. */
static bool assign_law(Variant *v, const Loaded *base, const Words *words) {
    bool compliant =
        words->formulation && strcmp(words->formulation, br_formulation_name(BR_FORMULATION_COMPLIANT)) == 0;
    for (int i = 0; i < br_model_material_count(base->model); i++) {
        char path[200];
        const BrMaterialDef *def = br_material_def(base->model, br_model_material(base->model, i));
        if (!def->name || !*def->name) continue;
        snprintf(path, sizeof path, "materials.%.140s%s.friction.law", def->name, compliant ? ".compliant" : "");
        if (!assign(v, path, words->law)) return false;
    }
    return true;
}

/* A scheme brings its formulation, and a formulation a scheme of its own where the scene's does not fit. */
static bool assign_words(Variant *v, const Loaded *base, Words *words, BrScheme scheme) {
    if (words->scheme && !words->formulation) words->formulation = br_formulation_name(br_scheme_formulation(scheme));
    BrFormulation formulation = base->run.step.formulation;
    for (int i = 0; words->formulation && i < BR_FORMULATIONS; i++)
        if (words->formulation == br_formulation_name((BrFormulation)i)) formulation = (BrFormulation)i;
    bool own = formulation == BR_FORMULATION_EVENT || formulation == BR_FORMULATION_HYBRID ||
               br_scheme_formulation(base->run.step.scheme) == formulation;
    if (!words->scheme && !own) words->scheme = br_scheme_name(br_model_default_scheme(base->model, formulation));
    v->keeps_step = words->dt != NULL;
    return (!words->formulation || assign(v, "step.formulation", words->formulation)) &&
           (!words->scheme || assign(v, "step.scheme", words->scheme)) && (!words->law || assign_law(v, base, words)) &&
           (!words->dt || assign(v, "step.dt", words->dt));
}

static bool read_variant(Variant *v, const Loaded *base, const char *text, const char *option) {
    char piece[256], dt[256];
    const char *rest = text, *word;
    BrScheme scheme = base->run.step.scheme;
    Words words = {0};
    snprintf(v->name, sizeof v->name, "%.190s", text);
    while ((word = next_piece(&rest, '/', piece, sizeof piece))) {
        const BrLawInfo *law = br_law_find(BR_LAW_FRICTION, word);
        char *equals = strchr(piece, '=');
        BrScheme named;
        if (equals) {
            *equals = 0;
            if (!assign(v, piece, equals + 1)) return false;
        } else if (find_formulation(word))
            words.formulation = find_formulation(word);
        else if (find_scheme(word, &named))
            words.scheme = find_scheme(word, &scheme);
        else if (law)
            words.law = law->name;
        else if (*word && strchr("0123456789.", *word)) {
            snprintf(dt, sizeof dt, "%s", word);
            words.dt = dt;
        } else
            return refuse_word(word, option);
    }
    return assign_words(v, base, &words, scheme);
}

/* ------------------------------------------------------------------ runs */

static bool refuse_many(void) {
    fprintf(stderr, "bristle compare: more than %d runs; leave some out\n", (int)COMPARE_MOST - 1);
    return false;
}

static Variant *add_variant(Compare *c, const Loaded *base, const char *text, int word, const char *option) {
    if (c->count == COMPARE_MOST) return refuse_many(), NULL;
    Variant *v = &c->variant[c->count];
    *v = (Variant){.word = word, .distance = {.parted = -1, .force = NAN}};
    if (!read_variant(v, base, text, option)) return NULL;
    c->count++;
    return v;
}

/* One word of --with: one run, or one for each of --steps. */
static bool add_word(Compare *c, const Loaded *base, const char *text, int word) {
    const char *rest = c->steps, *step;
    char piece[64], name[320];
    bool event = strstr(text, br_formulation_name(BR_FORMULATION_EVENT)) != NULL;
    Variant *v = add_variant(c, base, text, word, "--with");
    if (!v) return false;
    if (!c->steps || v->keeps_step || event) return true;
    c->count--;
    while ((step = next_piece(&rest, ',', piece, sizeof piece))) {
        snprintf(name, sizeof name, "%.200s/%s", text, step);
        if (!(v = add_variant(c, base, name, word, "--steps"))) return false;
        v->of_family = true;
    }
    return true;
}

/* ------------------------------------------------------------------ the reference */

/* Can event make this scene? */
static bool fits_event(const Loaded *base) {
    BrStepDef def = base->run.step;
    BrError ignored = {0};
    def.formulation = BR_FORMULATION_EVENT;
    return br_step_fits(base->model, &def, &ignored) == BR_OK;
}

/* An eighth of the first run's step. */
static bool add_finer(Compare *c, const Loaded *base) {
    char text[256];
    const char *rest = c->with;
    char first[200];
    if (!next_piece(&rest, ',', first, sizeof first)) return false;
    double dt = base->run.step.dt / 8;
    snprintf(text, sizeof text, "%.180s/%.6gs", first, dt);
    snprintf(c->chosen, sizeof c->chosen,
             "event does not make this scene, so that the first run with an eighth of its step is the reference");
    return add_variant(c, base, text, -1, "--reference") != NULL;
}

static bool choose_reference(Compare *c, const Loaded *base) {
    c->reference = c->count;
    if (c->reference_word) return add_variant(c, base, c->reference_word, -1, "--reference") != NULL;
    if (!fits_event(base)) return add_finer(c, base);
    return add_variant(c, base, br_formulation_name(BR_FORMULATION_EVENT), -1, "--reference") != NULL;
}

/* A word of --with that is the reference's is not run twice. */
static void merge_reference(Compare *c) {
    for (int i = 0; i < c->reference; i++) {
        if (strcmp(c->variant[i].name, c->variant[c->reference].name) != 0) continue;
        c->reference = i;
        c->count--;
        return;
    }
}

/* Does a step fit so often into the rows' distance? */
static bool fits_rows(double interval, double dt) {
    double steps = floor(interval / dt + 0.5);
    return steps >= 1 && fabs(interval / dt - steps) <= 1e-6 * steps;
}

/* The scene's distance of rows, or the least multiple of it that all steps fit into. */
static bool fit_interval(Compare *c, double until) {
    const char head[] = "step.dt=";
    double dt[COMPARE_MOST], shortest = c->interval;
    int steps = 0, times = 1, most = (int)fmin(1000, fmax(1, until / shortest));
    BrError error = {0};
    for (int i = 0; i < c->count; i++)
        for (int k = 0; k < c->variant[i].set.count; k++) {
            const char *text = c->variant[i].set.item[k];
            if (strncmp(text, head, sizeof head - 1) != 0) continue;
            if (br_quantity(text + sizeof head - 1, "s", &dt[steps], &error) == BR_OK && dt[steps] > 0)
                steps++;
            else {
                fprintf(stderr, "bristle compare: %s: %s\n", text,
                        *error.text ? error.text : "a step is longer than 0 s");
                return false;
            }
        }
    for (int i = 0; i < steps && times <= most; i = fits_rows(c->interval, dt[i]) ? i + 1 : (times++, 0))
        c->interval = shortest * times;
    if (times <= most) return true;
    fprintf(stderr,
            "bristle compare: the runs have no rows in common: their steps do not fit into multiples of %.9g s; "
            "choose other steps, or --every\n",
            shortest);
    return false;
}

bool compare_plan(Compare *c, const Loaded *base) {
    const char *rest = c->with, *text;
    char piece[200];
    for (int word = 0; (text = next_piece(&rest, ',', piece, sizeof piece)); word++) {
        if (!*text) {
            fprintf(
                stderr,
                "bristle compare: --with has an empty place, or one too long; give words with commas between them, as "
                "moreau,hem2,compliant\n");
            return false;
        }
        if (!add_word(c, base, text, word)) return false;
    }
    if (!choose_reference(c, base)) return false;
    merge_reference(c);
    return fit_interval(c, base->run.until);
}
