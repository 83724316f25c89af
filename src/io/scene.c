/* scene.c: a scene file as a whole: version, parameters, gravity, step, record, and the parts of the machine. */
#include "base/threads.h"
#include "io/scene_expand.h"
#include "io/scene_parts.h"
#include "io/yaml_write.h"

#include <stdio.h>
#include <string.h>

/* Of a run, and between rows: counted exactly, and more than anybody waits for. */
static const double MOST_STEPS = 1e15;

struct BrScene {
    BrAllocator allocator;
    BriDocument *document;
    BrModel *model;
    BrRunDef run;
    char *assignments;
    char *text;     /* of a scene in several files: all of it; else NULL, and the document has it */
    char *expanded; /* once somebody asked */
    int parameters;
    double *parameter; /* values; the names are keys of the document */
};

void br_start_scene_options(BrSceneOptions *options, uint32_t size) { bri_start_def(options, size, sizeof *options); }

/* ------------------------------------------------------------------ sections that are not parts */

static bool read_version(BriReader *r, const BriNode *root) {
    const BriNode *version = bri_node_find(root, "bristle");
    if (!version) return bri_refuse(r, root, "this is not a scene: it must begin with 'bristle: 1'");
    if (version->kind == BRI_NODE_SCALAR && strcmp(version->text, "1") == 0) return true;
    return bri_refuse(r, version, "scenes of version '%.20s' are not known; this bristle reads version 1",
                      version->kind == BRI_NODE_SCALAR ? version->text : "?");
}

/* cone, box, or {polygon: sides, aligned: world or slip} */
static bool read_friction_set(BriReader *r, const BriNode *node, BrStepDef *step) {
    static const char *const KEYS[] = {"polygon", "aligned"}, *const WORDS[] = {"cone", "box", "polygon"},
                             *const ALIGNED[] = {"world", "slip"};
    const char *word;
    int choice;
    if (node->kind != BRI_NODE_MAPPING) {
        if (!bri_read_word(r, node, "friction_set", &word) ||
            !bri_choose(r, node, word, "friction set", WORDS, 3, &choice))
            return false;
        if (choice == 2) return bri_refuse(r, node, "a polygon needs its number of sides: friction_set: {polygon: 4}");
        step->friction_set = choice ? BR_FRICTION_BOX : BR_FRICTION_CONE;
        return true;
    }
    if (!bri_check_keys(r, node, "friction_set", KEYS, 2)) return false;
    const BriNode *sides = bri_node_find(node, "polygon"), *aligned = bri_node_find(node, "aligned");
    double number;
    if (!sides) return bri_refuse(r, node, "friction_set is 'cone', 'box' or {polygon: sides}");
    if (!bri_read_number(r, sides, "polygon", BRI_NO_UNIT, &number)) return false;
    if (!(number >= 3 && number <= 16 && number == bri_floor(number)))
        return bri_refuse(r, sides, "polygon is %.9g; it must be a whole number from 3 to 16", number);
    step->friction_set = BR_FRICTION_POLYGON;
    step->polygon_sides = (int)number;
    if (aligned && (!bri_read_word(r, aligned, "aligned", &word) ||
                    !bri_choose(r, aligned, word, "alignment", ALIGNED, 2, &choice)))
        return false;
    step->polygon_by_slip = aligned && choice == 1;
    return true;
}

/* substeps: 20, tolerance: 1e-10: of the formulation compliant */
static bool read_inner_steps(BriReader *r, const BriNode *node, BrStepDef *step) {
    const BriNode *substeps = bri_node_find(node, "substeps"), *tolerance = bri_node_find(node, "tolerance");
    double number = step->substeps;
    if (substeps && !bri_read_number(r, substeps, "substeps", BRI_NO_UNIT, &number)) return false;
    if (!(number >= 1 && number <= 100000 && number == bri_floor(number)))
        return bri_refuse(r, substeps, "substeps is %.9g; it must be a whole number from 1 to 100000", number);
    step->substeps = (int)number;
    if (tolerance && !bri_read_number(r, tolerance, "tolerance", BRI_NO_UNIT, &step->tolerance)) return false;
    if (!(step->tolerance >= 1e-14 && step->tolerance <= 1e-3))
        return bri_refuse(r, tolerance, "tolerance is %.9g; allowed is 1e-14 to 1e-3", step->tolerance);
    return true;
}

/* most_work: 1e9, fallback: timestepping: how hard a step may try, and who makes it then */
static bool read_work(BriReader *r, const BriNode *node, BrStepDef *step) {
    static const char *const WORDS[] = {"none", "timestepping"};
    const BriNode *most = bri_node_find(node, "most_work"), *fallback = bri_node_find(node, "fallback");
    const char *word;
    int choice = 0;
    if (most && !bri_read_number(r, most, "most_work", BRI_NO_UNIT, &step->most_work)) return false;
    if (!(step->most_work > 0))
        return bri_refuse(r, most, "most_work is %.9g operations; it must be positive", step->most_work);
    if (fallback && (!bri_read_word(r, fallback, "fallback", &word) ||
                     !bri_choose(r, fallback, word, "fallback", WORDS, 2, &choice)))
        return false;
    step->fall_back = choice == 1;
    if (step->fall_back && step->formulation == BR_FORMULATION_TIMESTEPPING)
        return bri_refuse(r, fallback,
                          "the formulation is timestepping already; 'fallback: timestepping' goes with event and "
                          "compliant");
    return true;
}

/* contact: {tolerance: 1e-9, budget: 300 us}: accuracy, and what it may cost, counted in operations */
static bool read_contact_effort(BriReader *r, const BriNode *node, BrStepDef *step) {
    static const char *const KEYS[] = {"tolerance", "budget"};
    if (!node) return true;
    if (!bri_check_keys(r, node, "contact", KEYS, BRI_COUNT(KEYS))) return false;
    const BriNode *tolerance = bri_node_find(node, "tolerance"), *budget = bri_node_find(node, "budget");
    double seconds = 0;
    if (tolerance && !bri_read_number(r, tolerance, "tolerance", BRI_NO_UNIT, &step->contact_tolerance)) return false;
    if (!(step->contact_tolerance >= 1e-15 && step->contact_tolerance <= 0.1))
        return bri_refuse(r, tolerance, "tolerance is %.9g; allowed is 1e-15 to 0.1 of a pile's speed",
                          step->contact_tolerance);
    if (!budget) return true;
    if (!bri_read_number(r, budget, "budget", BRI_TIME, &seconds)) return false;
    if (!(seconds > 0)) return bri_refuse(r, budget, "budget is %.9g s; it must be positive", seconds);
    step->contact_work = BR_CONTACT_OPERATIONS * seconds;
    return true;
}

static bool read_threads(BriReader *r, const BriNode *node, BrStepDef *step) {
    double number;
    if (!node) return true;
    if (!bri_read_number(r, node, "threads", BRI_NO_UNIT, &number)) return false;
    if (!(number >= 1 && number <= BRI_MOST_THREADS && number == bri_floor(number)))
        return bri_refuse(r, node, "threads is %.9g; it must be a whole number from 1 to %d", number, BRI_MOST_THREADS);
    if (number > 1 && !bri_has_threads())
        return bri_refuse(
            r, node, "threads is %.9g, and this bristle was built without OpenMP: a step runs on one thread", number);
    step->threads = (int)number;
    return true;
}

static bool read_step(BriReader *r, const BriNode *node, BrRunDef *run, bool *has_scheme) {
    static const char *const KEYS[] = {"formulation",  "scheme",   "dt",        "until",       "friction_set",
                                       "impact_speed", "substeps", "tolerance", "most_work",   "fallback",
                                       "contact",      "threads",  "sleeping",  "keep_contact"};
    const char *schemes[BR_SCHEMES], *formulations[BR_FORMULATIONS], *word;
    int choice;
    if (!node) return true;
    if (!bri_check_keys(r, node, "step", KEYS, BRI_COUNT(KEYS))) return false;
    const BriNode *formulation = bri_node_find(node, "formulation"), *scheme = bri_node_find(node, "scheme"),
                  *dt = bri_node_find(node, "dt"), *until = bri_node_find(node, "until"),
                  *set = bri_node_find(node, "friction_set"), *impact = bri_node_find(node, "impact_speed"),
                  *sleeping = bri_node_find(node, "sleeping"), *keep = bri_node_find(node, "keep_contact");
    for (int s = 0; s < BR_FORMULATIONS; s++) formulations[s] = br_formulation_name((BrFormulation)s);
    for (int s = 0; s < BR_SCHEMES; s++) schemes[s] = br_scheme_name((BrScheme)s);
    if (formulation) {
        if (!bri_read_word(r, formulation, "formulation", &word) ||
            !bri_choose(r, formulation, word, "formulation", formulations, BR_FORMULATIONS, &choice))
            return false;
        run->step.formulation = (BrFormulation)choice;
    }
    if (set && !read_friction_set(r, set, &run->step)) return false;
    if (!read_inner_steps(r, node, &run->step) || !read_work(r, node, &run->step) ||
        !read_contact_effort(r, bri_node_find(node, "contact"), &run->step) ||
        !read_threads(r, bri_node_find(node, "threads"), &run->step))
        return false;
    if (sleeping && !bri_read_flag(r, sleeping, "sleeping", &run->step.sleeping)) return false;
    if (keep && !bri_read_flag(r, keep, "keep_contact", &run->step.keep_contact)) return false;
    if (impact && !bri_read_number(r, impact, "impact_speed", BRI_VELOCITY, &run->step.impact_speed)) return false;
    if (impact && run->step.impact_speed < 0)
        return bri_refuse(r, impact, "impact_speed is %.9g m/s; it must not be negative", run->step.impact_speed);
    if (scheme) {
        if (!bri_read_word(r, scheme, "scheme", &word) ||
            !bri_choose(r, scheme, word, "scheme", schemes, BR_SCHEMES, &choice))
            return false;
        run->step.scheme = (BrScheme)choice;
        *has_scheme = true;
    }
    if (dt && !bri_read_number(r, dt, "dt", BRI_TIME, &run->step.dt)) return false;
    if (dt && !(run->step.dt > 0)) return bri_refuse(r, dt, "dt is %.9g s; it must be positive", run->step.dt);
    if (until && !bri_read_number(r, until, "until", BRI_TIME, &run->until)) return false;
    if (until && !(run->until >= 0))
        return bri_refuse(r, until, "until is %.9g s; it must not be negative", run->until);
    if (run->until / run->step.dt > MOST_STEPS)
        return bri_refuse(r, until ? until : dt, "%.3g steps of %.3g s would never end; raise dt or lower until",
                          run->until / run->step.dt, run->step.dt);
    if (run->until > 0 && run->step.dt > run->until * (1 + 1e-9))
        return bri_refuse(r, dt ? dt : until,
                          "dt = %.9g s is longer than the whole run of %.9g s; lower dt or raise until", run->step.dt,
                          run->until);
    return true;
}

/* Rows at least a step apart; if nothing is said about a thousand of them. */
static bool read_record(BriReader *r, const BriNode *node, BrRunDef *run) {
    static const char *const KEYS[] = {"every"};
    double dt = run->step.dt, rows = bri_floor(run->until / dt / 1000);
    run->record_every = dt * (rows < 1 ? 1 : rows);
    if (!node) return true;
    if (!bri_check_keys(r, node, "record", KEYS, BRI_COUNT(KEYS))) return false;
    const BriNode *every = bri_node_find(node, "every");
    if (!every) return true;
    if (!bri_read_number(r, every, "every", BRI_TIME, &run->record_every)) return false;
    double steps = bri_floor(run->record_every / dt + 0.5);
    if (steps > MOST_STEPS)
        return bri_refuse(r, every, "every is %.9g s, which is %.3g steps of dt = %.9g s; at most %.3g are allowed",
                          run->record_every, steps, dt, MOST_STEPS);
    if (!(run->record_every > 0) || steps < 1 || bri_abs(run->record_every / dt - steps) > 1e-6 * steps)
        return bri_refuse(r, every, "every is %.9g s; it must be a multiple of the step dt = %.9g s", run->record_every,
                          dt);
    run->record_every = steps * dt;
    return true;
}

/* ------------------------------------------------------------------ the whole */

static bool read_parts(BriReader *r, const BriNode *root) {
    const BriNode *bodies = bri_node_find(root, "bodies"), *motions = bri_node_find(root, "motions");
    struct {
        const char *key;
        bool (*read)(BriReader *, const BriNode *);
    } parts[] = {
        {"shapes", bri_read_scattered_shapes}, {"pairs", bri_read_pairs},         {"filters", bri_read_filters},
        {"memory", bri_read_memory},           {"joints", bri_read_joints},       {"signals", bri_read_signals},
        {"springs", bri_read_springs},         {"motors", bri_read_motors},       {"motions", bri_read_motions},
        {"forces", bri_read_forces},           {"couplings", bri_read_couplings}, {"sensors", bri_read_sensors}};
    if (!bodies) return bri_refuse(r, root, "the scene has no bodies; add 'bodies: {name: {mass: ..., inertia: ...}}'");
    const BriNode *materials = bri_node_find(root, "materials");
    if (materials && !bri_read_materials(r, materials)) return false;
    if (!bri_check_section(r, bodies, "bodies") || !bri_place_frames(r, bodies, bri_node_find(root, "frames")))
        return false;
    if (!bri_read_bodies(r, bodies, motions) || !bri_read_shapes(r, bodies)) return false;
    for (int i = 0; i < BRI_COUNT(parts); i++) {
        const BriNode *section = bri_node_find(root, parts[i].key);
        if (section && !parts[i].read(r, section)) return false;
    }
    BrStatus status = br_model_build(r->model, r->error);
    const BriNode *joints = bri_node_find(root, "joints");
    return status == BR_OK || bri_refuse_as(r, joints ? joints : root, status);
}

/* For those who ask after the reader is gone. */
static bool keep_parameters(BriReader *r, BrScene *scene) {
    scene->parameters = r->parameters ? r->parameters->count : 0;
    scene->parameter = bri_allocate(&scene->allocator, (size_t)scene->parameters, sizeof(double));
    if (!scene->parameter) return bri_no_memory(r);
    if (scene->parameters) memcpy(scene->parameter, r->value, (size_t)scene->parameters * sizeof(double));
    return true;
}

static bool read_root(BriReader *r, const BrSceneOptions *options, BrScene *scene) {
    static const char *const KEYS[] = {
        "bristle", "title",   "parameters",       "gravity", "step",    "bodies",    "joints",
        "springs", "motors",  "motions",          "forces",  "signals", "record",    "materials",
        "pairs",   "filters", "contact_capacity", "memory",  "frames",  "couplings", "include",
        "parts",   "use",     "defaults",         "sensors", "shapes"};
    BriNode *root = bri_document_root(scene->document);
    if (root->kind != BRI_NODE_MAPPING)
        return bri_refuse(r, root, "this is not a scene: it must be a mapping that begins with 'bristle: 1'");
    if (!read_version(r, root) || !bri_check_keys(r, root, "the scene", KEYS, BRI_COUNT(KEYS))) return false;
    BrModelDef def = br_default_model_def();
    def.allocator = scene->allocator;
    def.log = options->log;
    const BriNode *gravity = bri_node_find(root, "gravity");
    const BriNode *title = bri_node_find(root, "title");
    if (title && title->kind != BRI_NODE_SCALAR) return bri_refuse(r, title, "the title must be a text");
    if (!bri_start_parameters(r, bri_node_find(root, "parameters")) || !keep_parameters(r, scene)) return false;
    if (gravity && !bri_read_vector(r, gravity, "gravity", BRI_ACCELERATION, &def.gravity)) return false;
    const BriNode *capacity = bri_node_find(root, "contact_capacity");
    double contacts = 0;
    if (capacity && !bri_read_number(r, capacity, "contact_capacity", BRI_NO_UNIT, &contacts)) return false;
    if (!(contacts >= 0 && contacts <= 1e6 && contacts == bri_floor(contacts)))
        return bri_refuse(r, capacity, "contact_capacity is %.9g; it must be a whole number up to 1000000", contacts);
    def.contact_capacity = (int)contacts;
    BrStatus status = br_model_create(&def, &scene->model, r->error);
    if (status != BR_OK) return bri_refuse_as(r, gravity ? gravity : root, status);
    r->model = scene->model;
    for (int i = 0; i < options->law_count; i++) {
        status = br_model_add_law(r->model, options->laws[i], r->error);
        if (status != BR_OK) return bri_refuse_as(r, root, status);
    }
    scene->run = (BrRunDef){.step = br_default_step_def(), .until = 10};
    bool has_scheme = false;
    if (!read_step(r, bri_node_find(root, "step"), &scene->run, &has_scheme) ||
        !read_record(r, bri_node_find(root, "record"), &scene->run) || !read_parts(r, root))
        return false;
    if (!has_scheme) scene->run.step.scheme = br_model_default_scheme(scene->model, scene->run.step.formulation);
    return true;
}

/* "step.dt=1ms" works on a scene that says nothing about its steps, too. */
static BrStatus make_section(BriDocument *document, const char *assignment, BrError *error) {
    static const char *const SECTIONS[] = {"step", "record"};
    BriNode *root = bri_document_root(document);
    for (int i = 0; i < BRI_COUNT(SECTIONS) && root->kind == BRI_NODE_MAPPING; i++) {
        size_t length = strlen(SECTIONS[i]);
        char empty[32];
        if (strncmp(assignment, SECTIONS[i], length) != 0 || assignment[length] != '.') continue;
        if (bri_node_find(root, SECTIONS[i])) return BR_OK;
        snprintf(empty, sizeof empty, "%s={}", SECTIONS[i]);
        return bri_document_set(document, empty, error);
    }
    return BR_OK;
}

/* "parameters.M=7" changes a parameter that is there; a new one would be used by nothing. */
static BrStatus check_parameter(BriDocument *document, const char *assignment, BrError *error) {
    static const char SECTION[] = "parameters.";
    const char *names[256];
    char name[64];
    size_t start = sizeof SECTION - 1,
           length = strncmp(assignment, SECTION, start) == 0 ? strcspn(assignment + start, "=.") : 0;
    if (length == 0 || length >= sizeof name) return BR_OK;
    memcpy(name, assignment + start, length);
    name[length] = 0;
    BriNode *root = bri_document_root(document);
    const BriNode *section = root->kind == BRI_NODE_MAPPING ? bri_node_find(root, "parameters") : NULL;
    if (section && section->kind == BRI_NODE_MAPPING && bri_node_find(section, name)) return BR_OK;
    int count = 0;
    for (int i = 0; section && section->kind == BRI_NODE_MAPPING && i < section->count && count < BRI_COUNT(names); i++)
        names[count++] = section->keys[i]->text;
    const char *nearest = br_nearest_word(name, names, count);
    if (!nearest && count == 1) nearest = names[0];
    return bri_fail(error, BR_INVALID_ARGUMENT, "--set %s: the scene has no parameter '%s'%s%s%s", assignment, name,
                    nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* Are there as many as is said? */
static BrStatus check_lists(const BrSceneOptions *options, BrError *error) {
    if (options->sets < 0 || (options->sets > 0 && !options->set))
        return bri_fail(error, BR_INVALID_ARGUMENT, "the options have %d assignments%s", options->sets,
                        options->sets < 0 ? "; allowed is 0 or more" : ", but 'set' is NULL");
    for (int i = 0; i < options->sets; i++)
        if (!options->set[i])
            return bri_fail(error, BR_INVALID_ARGUMENT, "assignment %d of %d is NULL", i + 1, options->sets);
    if (options->law_count < 0 || (options->law_count > 0 && !options->laws))
        return bri_fail(error, BR_INVALID_ARGUMENT, "the options have %d laws%s", options->law_count,
                        options->law_count < 0 ? "; allowed is 0 or more" : ", but 'laws' is NULL");
    if (options->includes < 0 || (options->includes > 0 && !options->include))
        return bri_fail(error, BR_INVALID_ARGUMENT, "the options have %d folders to include from%s", options->includes,
                        options->includes < 0 ? "; allowed is 0 or more" : ", but 'include' is NULL");
    for (int i = 0; i < options->includes; i++)
        if (!options->include[i])
            return bri_fail(error, BR_INVALID_ARGUMENT, "folder %d of %d to include from is NULL", i + 1,
                            options->includes);
    return BR_OK;
}

/* "use.leg.with.L=0.4" works on a part that is placed without `with`, too. */
static BrStatus make_with(BriDocument *document, const char *assignment, BrError *error) {
    static const char USE[] = "use.", WITH[] = ".with.";
    char name[128], text[160];
    if (strncmp(assignment, USE, sizeof USE - 1) != 0) return BR_OK;
    size_t start = sizeof USE - 1, length = strcspn(assignment + start, ".=");
    if (strncmp(assignment + start + length, WITH, sizeof WITH - 1) != 0 || length >= sizeof name) return BR_OK;
    memcpy(name, assignment + start, length);
    name[length] = 0;
    const BriNode *root = bri_document_root(document), *use = bri_node_find(root, "use"),
                  *entry = use ? bri_node_find(use, name) : NULL;
    if (!entry || entry->kind != BRI_NODE_MAPPING || bri_node_find(entry, "with")) return BR_OK;
    snprintf(text, sizeof text, "use.%s.with={}", name);
    return bri_document_set(document, text, error);
}

/* Is it about what parts and repeated blocks make, which is not there yet? */
static bool comes_later(const BriDocument *document, const char *assignment) {
    static const char *const WRITTEN[] = {"use.", "parts.", "defaults."};
    for (int i = 0; i < BRI_COUNT(WRITTEN); i++)
        if (strncmp(assignment, WRITTEN[i], strlen(WRITTEN[i])) == 0) return false;
    return !bri_document_leads(document, assignment);
}

static BrStatus apply_assignment(BriDocument *document, const char *assignment, BrError *error) {
    if (strncmp(assignment, "include", 7) == 0 && (assignment[7] == '=' || assignment[7] == '.'))
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "--set %.200s: files are included before anything is set; change the file", assignment);
    BrStatus status = make_section(document, assignment, error);
    if (status == BR_OK) status = make_with(document, assignment, error);
    if (status == BR_OK) status = check_parameter(document, assignment, error);
    return status == BR_OK ? bri_document_set(document, assignment, error) : status;
}

/* Those about what is written are made before it is expanded, the others (later[i]) behind. */
static BrStatus apply_assignments(BrScene *scene, const BrSceneOptions *options, BrError *error) {
    bool *later = bri_allocate(&scene->allocator, (size_t)options->sets, sizeof *later);
    BrStatus status = later ? BR_OK : bri_fail(error, BR_OUT_OF_MEMORY, "no memory to read the scene");
    for (int i = 0; status == BR_OK && i < options->sets; i++) {
        status = make_section(scene->document, options->set[i], error);
        if (status == BR_OK) status = make_with(scene->document, options->set[i], error);
        BRI_ASSERT(later);
        later[i] = status == BR_OK && comes_later(scene->document, options->set[i]);
        if (status == BR_OK && !later[i]) status = apply_assignment(scene->document, options->set[i], error);
    }
    if (status == BR_OK) status = bri_expand_scene(scene->document, &scene->allocator, error);
    for (int i = 0; status == BR_OK && i < options->sets; i++)
        if (later[i]) status = apply_assignment(scene->document, options->set[i], error);
    bri_release(&scene->allocator, later);
    return status;
}

/* One per line, for recordings. */
static BrStatus keep_assignments(BrScene *scene, const BrSceneOptions *options, BrError *error) {
    size_t size = 1, used = 0;
    for (int i = 0; i < options->sets; i++) size += strlen(options->set[i]) + 1;
    scene->assignments = bri_allocate(&scene->allocator, size, 1);
    if (!scene->assignments) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory to read the scene");
    for (int i = 0; i < options->sets; i++) {
        size_t length = strlen(options->set[i]);
        memcpy(scene->assignments + used, options->set[i], length);
        scene->assignments[used + length] = '\n';
        used += length + 1;
    }
    return BR_OK;
}

static BrStatus make_scene(BrScene *scene, const BrSceneOptions *options, BrError *error) {
    BrStatus status = apply_assignments(scene, options, error);
    if (status == BR_OK) status = keep_assignments(scene, options, error);
    if (status != BR_OK) return status;
    BriReader reader = {.allocator = &scene->allocator, .error = error};
    bool fine = read_root(&reader, options, scene);
    bri_release_reader(&reader);
    return fine ? BR_OK : reader.status;
}

/* Its text and the tree of all its files. */
static BrStatus read_files(BrScene *s, const char *text, size_t size, const char *name, const BrSceneOptions *options,
                           BrError *error) {
    bool has_folder = !text && strcmp(name, "-") != 0, several = false;
    BrStatus status = text ? bri_document_parse(text, size, name, &s->allocator, &s->document, error)
                           : bri_document_read(name, &s->allocator, &s->document, error);
    if (status == BR_OK)
        status = bri_join_files(s->document, has_folder ? name : NULL, options->include, options->includes,
                                &s->allocator, &several, error);
    if (status != BR_OK || !several) return status;
    s->text = bri_write_scene(bri_document_root(s->document), &s->allocator);
    return s->text ? BR_OK : bri_fail(error, BR_OUT_OF_MEMORY, "no memory to read the scene");
}

/* `text` NULL: read the file `name`. */
static BrStatus open_scene(const char *text, size_t size, const char *name, const BrSceneOptions *given,
                           BrScene **scene, BrError *error) {
    BrError unused;
    if (!error) error = &unused;
    BrSceneOptions options = br_default_scene_options();
    BRI_NEED(scene, "scene", error);
    *scene = NULL;
    BRI_NEED(name, "path or name", error);
    BrStatus status = given ? bri_check_def(given, sizeof *given, "br_default_scene_options", error) : BR_OK;
    if (status != BR_OK) return status;
    if (given) options = *given;
    BrAllocator allocator;
    status = check_lists(&options, error);
    if (status == BR_OK) status = bri_choose_allocator(&options.allocator, &allocator, error);
    if (status != BR_OK) return status;
    BrScene *s = bri_allocate(&allocator, 1, sizeof *s);
    if (!s) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory to read the scene");
    s->allocator = allocator;
    status = read_files(s, text, size, name, &options, error);
    if (status == BR_OK) status = make_scene(s, &options, error);
    if (status != BR_OK) {
        br_scene_destroy(s);
        return status;
    }
    *scene = s;
    return BR_OK;
}

BrStatus br_scene_load(const char *path, const BrSceneOptions *options, BrScene **scene, BrError *error) {
    return open_scene(NULL, 0, path, options, scene, error);
}

BrStatus br_scene_parse(const char *text, size_t size, const char *name, const BrSceneOptions *options, BrScene **scene,
                        BrError *error) {
    if (scene) *scene = NULL;
    BRI_NEED(text && scene, "text and scene", error);
    return open_scene(text, size, name, options, scene, error);
}

void br_scene_destroy(BrScene *scene) {
    if (!scene) return;
    BrAllocator allocator = scene->allocator;
    br_model_destroy(scene->model);
    bri_document_destroy(scene->document);
    bri_release(&allocator, scene->assignments);
    bri_release(&allocator, scene->text);
    bri_release(&allocator, scene->expanded);
    bri_release(&allocator, scene->parameter);
    bri_release(&allocator, scene);
}

BrModel *bri_scene_take_model(BrScene *scene) {
    BrModel *model = scene->model;
    scene->model = NULL;
    return model;
}

const BrModel *br_scene_model(const BrScene *scene) { return scene ? scene->model : NULL; }
BrRunDef br_scene_run_def(const BrScene *scene) { return scene ? scene->run : (BrRunDef){0}; }
const char *br_scene_text(const BrScene *scene) {
    return !scene ? NULL : scene->text ? scene->text : bri_document_text(scene->document);
}

const char *br_scene_expanded(BrScene *scene) {
    if (!scene) return NULL;
    if (!scene->expanded) scene->expanded = bri_write_scene(bri_document_root(scene->document), &scene->allocator);
    return scene->expanded;
}

const char *br_scene_assignments(const BrScene *scene) { return scene ? scene->assignments : NULL; }
int br_scene_parameter_count(const BrScene *scene) { return scene ? scene->parameters : 0; }

const char *br_scene_parameter(const BrScene *scene, int number, double *value) {
    if (!scene || number < 0 || number >= scene->parameters) return NULL;
    if (value) *value = scene->parameter[number];
    return bri_node_find(bri_document_root(scene->document), "parameters")->keys[number]->text;
}
