/* check.c: `bristle check`: is the scene valid and well posed, and does its step fit? */
#include "command.h"

#include <string.h>

typedef struct Finding {
    const BrModel *model;
    bool json;
    int count;
} Finding;

static bool is_unstable(const Loaded *l) { return has_unstable_spring(l) || has_unstable_contact(l); }

static void print_redundant(void *user, BrJointId joint, const char *row) {
    Finding *f = user;
    const char *name = br_joint_def(f->model, joint)->name;
    if (f->json) {
        printf("%s{\"joint\": ", f->count ? ", " : "");
        json_text(stdout, name);
        printf(", \"row\": ");
        json_text(stdout, row);
        printf("}");
    } else {
        printf("  redundant: joint '%s', %s (follows from the others; reactions are shared with the least norm)\n",
               name, row);
    }
    f->count++;
}

static void json_doubt(void *user, const BrDoubt *doubt) {
    Finding *f = user;
    printf("%s{\"kind\": \"%s\", \"bodies\": [", f->count++ ? ", " : "", br_doubt_name(doubt->kind));
    for (int i = 0; i < 3 && br_body_def(f->model, doubt->body[i]); i++) {
        if (i) printf(", ");
        json_text(stdout, br_body_def(f->model, doubt->body[i])->name);
    }
    printf("], \"joint\": ");
    const BrJointDef *joint = br_joint_def(f->model, doubt->joint);
    if (joint)
        json_text(stdout, joint->name);
    else
        printf("null");
    printf(", \"contacts\": %d, \"value\": ", doubt->contacts);
    json_number(stdout, doubt->value);
    printf(", \"limit\": ");
    json_number(stdout, doubt->limit);
    if (doubt->kind == BR_DOUBT_OVERLAP) {
        printf(", \"way\": ");
        json_vector(stdout, doubt->way);
    }
    printf(", \"text\": ");
    json_text(stdout, doubt->text);
    printf("}");
}

static const char *plural(int count) { return count == 1 ? "" : "s"; }

/* What is known of the springs: nothing is claimed of poses that were not looked at but what holds in all of them. */
static void print_springs(const Loaded *l) {
    double here = l->energy.dt, sure = l->energy.sure_dt, inner = find_inner_step(l), until = l->run.until;
    if (!(sure > 0) || has_unstable_spring(l)) return;
    if (inner <= sure || (here > 0 && sure >= here * (1 - 1e-9)))
        printf("  springs: up to dt = %.3g s their energy is right to a tenth until %.6g s, in any pose, as stiff as "
               "they are now\n",
               sure, until);
    else if (here > 0)
        printf(
            "  springs: up to dt = %.3g s their energy is right to a tenth until %.6g s, each by itself in this pose "
            "(spring '%s'); together, or in other poses, surely only up to %.3g s\n",
            here, until, br_spring_def(l->model, l->energy.spring)->name, sure);
    else
        printf("  springs: none moves anything in this pose; in others their energy is surely right to a tenth until "
               "%.6g s up to dt = %.3g s\n",
               until, sure);
}

static BrVec3 find_centre(const BrBodyDef *body) {
    return (BrVec3){0 - body->frame_body.x, 0 - body->frame_body.y, 0 - body->frame_body.z};
}

/* Of bodies whose centre of mass is not where their pose is: what was worked out, or given. */
static void print_masses(const BrModel *model) {
    enum { MANY = 12 };
    int told = 0;
    for (int i = 0; i < br_model_body_count(model); i++) {
        const BrBodyDef *body = br_body_def(model, br_model_body(model, i));
        BrVec3 c = find_centre(body);
        if (c.x == 0 && c.y == 0 && c.z == 0) continue;
        if (told++ < MANY)
            printf("  mass of '%s': %.6g kg, its centre at [%.6g, %.6g, %.6g] m in the body's frame\n", body->name,
                   body->mass, c.x, c.y, c.z);
    }
    if (told > MANY) printf("  and of %d bodies more; 'bristle check --json' lists all\n", told - MANY);
}

/* "arm": {"mass": .., "center_of_mass": [..] in its frame, "inertia": [[..], ..] about that, in the frame's axes} */
static void json_masses(const BrModel *model) {
    int told = 0;
    for (int i = 0; i < br_model_body_count(model); i++) {
        const BrBodyDef *body = br_body_def(model, br_model_body(model, i));
        if (body->kind != BR_BODY_DYNAMIC) continue;
        if (told++) printf(", ");
        json_text(stdout, body->name);
        printf(": {\"mass\": ");
        json_number(stdout, body->mass);
        printf(", \"center_of_mass\": ");
        json_vector(stdout, find_centre(body));
        printf(", \"inertia\": ");
        json_rotation(stdout, &body->inertia);
        printf("}");
    }
}

static void print_text(const char *scene, const Loaded *l, const BrAnalysis *a) {
    double dt = l->run.step.dt;
    int joints = br_model_joint_count(l->model), bodies = a->bodies;
    printf("%s: valid%s\n", scene, is_unstable(l) ? ", but UNSTABLE" : "");
    printf("  %d moving bod%s, %d joint%s with %d constraint row%s (%d redundant): %d freedom%s\n", bodies,
           bodies == 1 ? "y" : "ies", joints, plural(joints), a->rows, plural(a->rows), a->redundant_rows, a->freedoms,
           plural(a->freedoms));
    printf("  joints closed to %.2g m, their rates to %.2g m/s at t = 0\n", a->position_violation,
           a->velocity_violation);
    printf("  step: %s, dt = %.4g s, until %.6g s, a row every %.4g s\n",
           is_event(l) ? "event" : br_scheme_name(l->run.step.scheme), dt, l->run.until, l->run.record_every);
    print_masses(l->model);
    if (l->compliant) print_stability(stdout, l);
    print_springs(l);
    print_diagnoses(l);
    print_warnings(stdout, l);
}

static void json_limit(double limit) {
    if (limit > 0)
        json_number(stdout, limit);
    else
        printf("null");
}

static void print_json_head(const Loaded *l, const BrAnalysis *a) {
    printf(
        "{\"status\": \"%s\", \"bodies\": %d, \"joints\": %d, \"rows\": %d, \"redundant_rows\": %d, \"freedoms\": %d",
        is_unstable(l) ? "unstable" : "ok", a->bodies, br_model_joint_count(l->model), a->rows, a->redundant_rows,
        a->freedoms);
    printf(", \"assembly_move\": ");
    json_number(stdout, l->assembly.moved);
    printf(", \"velocity_changed\": ");
    json_number(stdout, l->assembly.changed);
    printf(", \"position_violation\": ");
    json_number(stdout, a->position_violation);
    printf(", \"velocity_violation\": ");
    json_number(stdout, a->velocity_violation);
    printf(", \"dt\": ");
    json_number(stdout, l->run.step.dt);
    printf(", \"largest_dt\": ");
    json_limit(find_spring_step(l));
    printf(", \"sure_dt\": ");
    json_limit(a->sure_dt[l->run.step.scheme]);
    printf(", \"energy_dt\": ");
    json_limit(l->energy.dt);
    printf(", \"sure_energy_dt\": ");
    json_limit(l->energy.sure_dt);
    if (l->compliant) json_stability(stdout, l);
    Finding finding = {l->model, true, 0};
    printf(", \"separated\": ");
    json_number(stdout, l->separation.moved);
    printf(", \"masses\": {");
    json_masses(l->model);
    printf("}, \"doubts\": [");
    tell_doubts(l, json_doubt, &finding, NULL); /* went well before */
    printf("], \"diagnosis\": [");
    json_diagnoses(l);
    printf("]");
    if (l->run.step.formulation == BR_FORMULATION_HYBRID) {
        printf(", \"hybrid\": ");
        json_hybrid(l);
    }
    printf(", \"redundant\": [");
}

/* Is the first step made? Asked of smooth, whose contacts must begin closed. */
static bool begins(const Loaded *l, BrError *error) {
    BrState *trial = NULL;
    if (l->run.step.formulation != BR_FORMULATION_SMOOTH) return true;
    BrStatus status = br_state_create(l->model, &trial, error);
    if (status == BR_OK) status = br_state_copy(trial, l->state);
    if (status == BR_OK) status = br_step(l->model, l->workspace, trial, &l->run.step, NULL, error);
    br_state_destroy(l->model, trial);
    return status >= 0;
}

/* The scene as it was understood, as YAML. */
static int print_expanded(const char *path, const List *set, const List *include) {
    BrSceneOptions options = br_default_scene_options();
    BrScene *scene;
    BrError error = {0};
    options.set = set->item, options.sets = set->count;
    options.include = include->item, options.includes = include->count;
    if (br_scene_load(path, &options, &scene, &error) != BR_OK) return report_error(&error, false);
    const char *text = br_scene_expanded(scene);
    bool fine = text && fputs(text, stdout) >= 0 && fflush(stdout) == 0;
    if (!fine) fprintf(stderr, "bristle check: the scene cannot be written\n");
    br_scene_destroy(scene);
    return fine ? EXIT_FINE : EXIT_FAILED;
}

int command_check(int count, char **words) {
    const char *scene = NULL;
    bool json = false, strict = false, expand = false;
    List set = {.count = 0}, include = {.count = 0};
    StepOptions step = {0};
    const Option options[] = {
        {"--dt", NULL, "TIME", "step size, e.g. '1 ms'", &step.dt, false},
        {"--until", NULL, "TIME", "end of the run, e.g. '5 s'", &step.until, false},
        {"--scheme", NULL, "NAME",
         "e.g. moreau, hem2, rattle, half-implicit, bdf2, rk4, adaptive; a wrong name tells all", &step.scheme, false},
        {"--formulation", NULL, "NAME", "timestepping, event, compliant, smooth or hybrid", &step.formulation, false},
        {"--set", NULL, "PATH=VALUE", "change the scene, e.g. --set bodies.bob.mass=2; may be repeated", &set, true},
        {"--separate", NULL, NULL, "take bodies apart that begin inside each other, and say how far", &step.separate,
         false},
        {"--include", NULL, "FOLDER", INCLUDE_HELP, &include, true},
        {"--expand", NULL, NULL, "print the scene with its files joined, parts placed and blocks repeated, and no more",
         &expand, false},
        {"--strict", NULL, NULL, "exit with 1 if there is a warning", &strict, false},
        {"--json", NULL, NULL, "the result as JSON on standard output", &json, false},
    };
    int done,
        arguments =
            parse_options("Usage: bristle check SCENE [options]\n\nReads a scene and tells whether it is valid and "
                          "well posed: freedoms, redundant\nconstraints, how well it assembles, and whether its "
                          "step suits its springs\nand compliant contacts (exit code 1 if not); warns of bodies that "
                          "begin inside each "
                          "other and\nof contacts whose answer may be missing, not unique, or not what was meant.",
                          options, (int)(sizeof options / sizeof options[0]), count, words, &scene, 1, &done);
    if (arguments < 0) return done;
    if (arguments == 0) {
        fprintf(stderr, "bristle check: which scene?\n");
        return EXIT_MISUSE;
    }
    if (!add_step_options(&step, &set)) return EXIT_MISUSE;
    Loaded l;
    BrError error = {0};
    BrAnalysis again;
    if (expand) return print_expanded(scene, &set, &include);
    if (!load_scene(scene, &set, &include, step.separate, &l, &error)) return report_error(&error, json);
    if (!begins(&l, &error)) {
        unload_scene(&l);
        return report_error(&error, json);
    }
    Finding finding = {l.model, json, 0};
    if (json)
        print_json_head(&l, &l.analysis);
    else
        print_text(scene, &l, &l.analysis);
    br_analyse(l.model, l.workspace, l.state, &again, print_redundant, &finding, &error); /* went well before */
    if (json) printf("]}\n");
    int code = is_unstable(&l) || (strict && is_doubtful(&l)) ? EXIT_FAILED : EXIT_FINE;
    unload_scene(&l);
    return code;
}
