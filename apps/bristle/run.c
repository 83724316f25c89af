/* run.c: `bristle run`: simulate a scene, record it, say how it went. */
#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Run {
    const char *scene, *output, *checkpoint, *resume;
    StepOptions step;
    List set;
    bool json, strict, quiet;

    Loaded l;
    BrRecorder *recorder;
    uint64_t first_step, steps;    /* where the state stood, and how many to take */
    uint64_t row_steps, row_phase; /* a row every row_steps, row_phase of which had passed already */
    double last_dt;                /* of a shorter last step, or 0 */
    uint64_t uncertified, lowered_impacts;
    BrStepReport worst, worst_since_row;
    BrJointId worst_joint;
    double started, seconds;
    bool interrupted;
} Run;

/* ------------------------------------------------------------------ options */

static int parse(Run *r, int count, char **words, int *done) {
    const Option options[] = {
        {"--output", "-o", "FILE", "record to FILE: .h5 (HDF5) or .csv", &r->output, false},
        {"--dt", NULL, "TIME", "step size, e.g. '1 ms'", &r->step.dt, false},
        {"--until", NULL, "TIME", "end of the run, e.g. '5 s'", &r->step.until, false},
        {"--scheme", NULL, "NAME", "moreau, hem2, rattle or euler-paper", &r->step.scheme, false},
        {"--formulation", NULL, "NAME", "timestepping or event", &r->step.formulation, false},
        {"--set", NULL, "PATH=VALUE", "change the scene, e.g. --set bodies.bob.mass=2; may be repeated", &r->set, true},
        {"--checkpoint", NULL, "FILE", "keep the exact state in FILE, every second and at the end", &r->checkpoint,
         false},
        {"--resume", NULL, "FILE", "start from a checkpoint of the same scene", &r->resume, false},
        {"--strict", NULL, NULL, "exit with 1 if a step was not certified", &r->strict, false},
        {"--quiet", "-q", NULL, "no progress bar, no summary", &r->quiet, false},
        {"--json", NULL, NULL, "the result as JSON on standard output", &r->json, false},
    };
    return parse_options(
        "Usage: bristle run SCENE [-o FILE] [options]\n\nSimulates a scene ('-' reads standard input).", options,
        (int)(sizeof options / sizeof options[0]), count, words, &r->scene, 1, done);
}

/* ------------------------------------------------------------------ running */

/* How many steps the run takes from where the state stands, and what is left for a shorter last one. Rows stay where
 * they would be without an interruption: at multiples of the recording interval. */
static void plan(Run *r) {
    double dt = r->l.run.step.dt, steps = (r->l.run.until - br_state_time(r->l.state)) / dt;
    double whole = floor(steps + 1e-9 * (1 + fabs(steps)));
    r->steps = whole > 0 ? (uint64_t)whole : 0;
    r->last_dt = steps - whole > 1e-9 * (1 + fabs(steps)) ? (steps - whole) * dt : 0;
    r->steps += r->last_dt > 0;
    r->row_steps = (uint64_t)llround(r->l.run.record_every / dt);
    r->first_step = br_state_step(r->l.state);
    double rows = br_state_time(r->l.state) / r->l.run.record_every;
    r->row_phase = (uint64_t)llround((rows - floor(rows)) * (double)r->row_steps);
}

/* Step k of this run. */
static bool is_row(const Run *r, uint64_t k) { return (k + r->row_phase) % r->row_steps == 0 || k == r->steps; }

static uint64_t count_rows(const Run *r) {
    uint64_t rows = 1; /* the state at the start */
    rows += (r->steps + r->row_phase) / r->row_steps - r->row_phase / r->row_steps;
    return rows + ((r->steps + r->row_phase) % r->row_steps != 0);
}

static void note_report(Run *r, BrStatus status, const BrStepReport *report) {
    r->uncertified += status > 0;
    r->lowered_impacts += (uint64_t)report->lowered_impacts;
    BrStepReport *sets[2] = {&r->worst, &r->worst_since_row};
    for (int i = 0; i < 2; i++) {
        if (report->position_residual > sets[i]->position_residual)
            sets[i]->position_residual = report->position_residual;
        if (report->contact_residual > sets[i]->contact_residual) {
            sets[i]->contact_residual = report->contact_residual;
            memcpy(sets[i]->worst_contact, report->worst_contact, sizeof report->worst_contact);
        }
        if (report->velocity_residual >= sets[i]->velocity_residual) {
            sets[i]->velocity_residual = report->velocity_residual;
            sets[i]->worst_joint = report->worst_joint;
        }
    }
}

static BrStatus write_row(Run *r, BrError *error) {
    if (!r->recorder) return BR_OK;
    BrStatus status =
        br_recorder_write(r->recorder, r->l.workspace, r->l.state, &r->worst_since_row, r->uncertified, error);
    r->worst_since_row = (BrStepReport){0};
    return status;
}

static BrStatus go(Run *r, BrError *error) {
    BrStepDef def = r->l.run.step;
    Progress progress = progress_start(r->quiet || r->json);
    double saved = wall_clock();
    BrStatus status = write_row(r, error);
    for (uint64_t step = 1; status >= 0 && step <= r->steps; step++) {
        BrStepReport report;
        if (step == r->steps && r->last_dt > 0) def.dt = r->last_dt;
        status = br_step(r->l.model, r->l.workspace, r->l.state, &def, &report, error);
        if (status < 0) break;
        note_report(r, status, &report);
        if (is_row(r, step)) status = write_row(r, error);
        if (status < 0) break;
        if (r->checkpoint && wall_clock() - saved >= 1) {
            status = br_checkpoint_write(r->checkpoint, r->l.state, error);
            saved = wall_clock();
        }
        progress_show(&progress, (double)step / (double)r->steps, br_state_time(r->l.state));
        if (was_interrupted() && step < r->steps) {
            r->interrupted = true;
            if (!is_row(r, step) && status >= 0) status = write_row(r, error);
            break;
        }
    }
    progress_end(&progress);
    return status < 0 ? status : BR_OK;
}

/* ------------------------------------------------------------------ telling */

static void print_summary(const Run *r) {
    BrEnergy e;
    br_state_energy(r->l.model, r->l.state, &e);
    double time = br_state_time(r->l.state);
    printf("%s: %s at t = %.6g s, %llu steps of %.4g s (%s), %.3g s of work, %.3g times real time\n", r->scene,
           r->interrupted ? "interrupted" : "done", time,
           (unsigned long long)(br_state_step(r->l.state) - r->first_step), r->l.run.step.dt,
           r->l.run.step.formulation == BR_FORMULATION_EVENT ? "event" : br_scheme_name(r->l.run.step.scheme),
           r->seconds, time / (r->seconds > 0 ? r->seconds : 1));
    int shown = 0, bodies = br_model_body_count(r->l.model), moving = 0;
    for (int i = 0; i < bodies; i++)
        moving += br_body_def(r->l.model, br_model_body(r->l.model, i))->kind != BR_BODY_FIXED;
    for (int i = 0; i < bodies && shown < 12; i++) {
        BrBodyId id = br_model_body(r->l.model, i);
        BrPose pose;
        BrTwist twist;
        if (br_body_def(r->l.model, id)->kind == BR_BODY_FIXED) continue;
        br_body_pose(r->l.model, r->l.state, id, &pose);
        br_body_twist(r->l.model, r->l.state, id, &twist);
        if (shown++ == 0) printf("  %-16s %32s   %32s\n", "body", "position x y z [m]", "velocity x y z [m/s]");
        printf("  %-16s %10.5g %10.5g %10.5g   %10.5g %10.5g %10.5g\n", br_body_def(r->l.model, id)->name,
               pose.position.x, pose.position.y, pose.position.z, twist.linear.x, twist.linear.y, twist.linear.z);
    }
    if (moving > shown) printf("  ... and more: %d bodies in all\n", bodies);
    printf("  energy: kinetic %.6g, potential %.6g, stored %.6g, work in %.6g, lost %.6g J; books off by %.3g J\n",
           e.kinetic, e.potential, e.stored, e.work, e.dissipated, e.defect);
    if (br_model_joint_count(r->l.model))
        printf("  joints closed to %.2g m, their rates to %.2g m/s\n", r->worst.position_residual,
               r->worst.velocity_residual);
    if (br_model_shape_count(r->l.model)) printf("  contacts solved to %.2g m/s\n", r->worst.contact_residual);
    if (r->lowered_impacts)
        printf("  %llu impacts bounced less than asked, so that they make no energy\n",
               (unsigned long long)r->lowered_impacts);
    if (r->output) printf("  recording: %s\n", r->output);
    if (r->checkpoint) printf("  checkpoint: %s\n", r->checkpoint);
}

static void print_joint(const Run *r, BrJointId id) {
    const BrJointDef *def = br_joint_def(r->l.model, id);
    const BrJointInfo *info = br_joint_info(def->type);
    double position[3], velocity[3];
    BrWrench world;
    br_joint_position(r->l.model, r->l.state, id, position, velocity);
    br_joint_reaction(r->l.model, r->l.workspace, id, &world, NULL);
    json_text(stdout, def->name);
    printf(": {\"position\": ");
    if (info->coordinates == 1) json_number(stdout, position[0]);
    for (int c = 0; info->coordinates != 1 && c < info->coordinates; c++) {
        printf(c ? ", " : "[");
        json_number(stdout, position[c]);
    }
    if (info->coordinates != 1) printf(info->coordinates ? "]" : "[]");
    printf(", \"force\": ");
    json_vector(stdout, world.force);
    printf(", \"torque\": ");
    json_vector(stdout, world.torque);
    printf("}");
}

static void print_body(const Run *r, BrBodyId id) {
    BrPose pose;
    BrTwist twist;
    br_body_pose(r->l.model, r->l.state, id, &pose);
    br_body_twist(r->l.model, r->l.state, id, &twist);
    json_text(stdout, br_body_def(r->l.model, id)->name);
    printf(": {\"position\": ");
    json_vector(stdout, pose.position);
    printf(", \"rotation\": ");
    json_rotation(stdout, &pose.rotation);
    printf(", \"velocity\": ");
    json_vector(stdout, twist.linear);
    printf(", \"angular_velocity\": ");
    json_vector(stdout, twist.angular);
    printf("}");
}

static void print_named_number(const char *before, const char *name, double value) {
    printf("%s\"%s\": ", before, name);
    json_number(stdout, value);
}

/* "wheel/ground", or null. */
static void print_contact_name(const Run *r, const BrBodyId bodies[2]) {
    const BrBodyDef *a = br_body_def(r->l.model, bodies[0]), *b = br_body_def(r->l.model, bodies[1]);
    char name[160];
    if (a && b) snprintf(name, sizeof name, "%s/%s", b->name, a->name);
    if (a && b)
        json_text(stdout, name);
    else
        printf("null");
}

static void print_contact(const Run *r, int number) {
    BrContact c;
    br_contact(r->l.model, r->l.workspace, number, &c);
    printf("{\"bodies\": [");
    json_text(stdout, br_body_def(r->l.model, c.body_a)->name);
    printf(", ");
    json_text(stdout, br_body_def(r->l.model, c.body_b)->name);
    printf("], \"point\": ");
    json_vector(stdout, c.point);
    printf(", \"normal\": ");
    json_vector(stdout, (BrVec3){c.frame.m[0][0], c.frame.m[1][0], c.frame.m[2][0]});
    print_named_number(", ", "gap", c.gap);
    print_named_number(", ", "normal_force", c.normal_force);
    printf(", \"friction_force\": ");
    json_vector(stdout, c.friction_force);
    print_named_number(", ", "normal_force_mean", c.normal_force_mean);
    printf(", \"friction_force_mean\": ");
    json_vector(stdout, c.friction_force_mean);
    printf(", \"slip\": ");
    json_vector(stdout, c.slip);
    printf(", \"mode\": \"%s\"", br_contact_mode_name(c.mode));
    print_named_number(", ", "margin", c.margin);
    printf("}");
}

static void print_json(Run *r) {
    BrEnergy e;
    br_state_energy(r->l.model, r->l.state, &e);
    br_evaluate(r->l.model, r->l.workspace, r->l.state, NULL);
    printf("{\"status\": \"%s\"", r->interrupted ? "interrupted" : r->uncertified ? "uncertified" : "ok");
    print_named_number(", ", "time", br_state_time(r->l.state));
    printf(", \"steps\": %llu, \"hash\": \"%016llx\", \"bodies\": {", (unsigned long long)br_state_step(r->l.state),
           (unsigned long long)br_state_hash(r->l.state));
    for (int i = 0; i < br_model_body_count(r->l.model); i++) {
        if (i) printf(", ");
        print_body(r, br_model_body(r->l.model, i));
    }
    print_named_number("}, \"energy\": {", "kinetic", e.kinetic);
    print_named_number(", ", "potential", e.potential);
    print_named_number(", ", "stored", e.stored);
    print_named_number(", ", "work", e.work);
    print_named_number(", ", "dissipated", e.dissipated);
    print_named_number(", ", "defect", e.defect);
    print_named_number("}, \"assembly\": {", "moved", r->l.assembly.moved);
    print_named_number(", ", "velocity_changed", r->l.assembly.changed);
    print_named_number("}, \"residual\": {", "worst", r->worst.velocity_residual);
    print_named_number(", ", "position", r->worst.position_residual);
    const BrJointDef *joint = br_joint_def(r->l.model, r->worst.worst_joint);
    printf(", \"joint\": ");
    if (joint)
        json_text(stdout, joint->name);
    else
        printf("null");
    print_named_number(", ", "contact_worst", r->worst.contact_residual);
    printf(", \"contact\": ");
    print_contact_name(r, r->worst.worst_contact);
    printf(", \"lowered_impacts\": %llu, \"uncertified_steps\": %llu}, \"contacts\": [",
           (unsigned long long)r->lowered_impacts, (unsigned long long)r->uncertified);
    for (int k = 0; k < br_contact_count(r->l.model, r->l.workspace); k++) {
        if (k) printf(", ");
        print_contact(r, k);
    }
    printf("], \"joints\": {");
    for (int k = 0; k < br_model_joint_count(r->l.model); k++) {
        if (k) printf(", ");
        print_joint(r, br_model_joint(r->l.model, k));
    }
    printf("}}\n");
}

/* ------------------------------------------------------------------ the command */

static int finish(Run *r, BrStatus status, BrError *error) {
    BrError closing = {0};
    BrStatus closed = br_recorder_close(r->recorder, &closing);
    r->recorder = NULL;
    if (status >= 0 && closed < 0) {
        status = closed;
        *error = closing;
    }
    if (status >= 0 && r->checkpoint) status = br_checkpoint_write(r->checkpoint, r->l.state, error);
    if (status < 0) return report_error(error, r->json);
    r->seconds = wall_clock() - r->started;
    if (r->json)
        print_json(r);
    else if (!r->quiet)
        print_summary(r);
    if (r->uncertified)
        fprintf(stderr,
                "bristle: warning: %llu steps were not certified: joints open by up to %.2g m, rates off by up to %.2g "
                "m/s, contacts by up to %.2g m/s; a smaller dt may help\n",
                (unsigned long long)r->uncertified, r->worst.position_residual, r->worst.velocity_residual,
                r->worst.contact_residual);
    return r->interrupted || (r->strict && r->uncertified) ? EXIT_FAILED : EXIT_FINE;
}

static int simulate(Run *r, BrError *error) {
    catch_interrupts();
    if (!load_scene(r->scene, &r->set, &r->l, error)) return report_error(error, r->json);
    print_warnings(stderr, &r->l);
    BrStatus status = BR_OK;
    if (r->resume) status = br_checkpoint_read(r->resume, r->l.state, error);
    plan(r);
    double time = br_state_time(r->l.state), until = r->l.run.until;
    if (status == BR_OK && r->resume && time > until * (1 + 1e-12)) {
        snprintf(error->text, sizeof error->text,
                 "'%s' is at t = %.9g s, past the end of the run at %.9g s; raise --until", r->resume, time, until);
        error->status = status = BR_INVALID_ARGUMENT;
    }
    if (status == BR_OK && r->checkpoint) status = br_checkpoint_write(r->checkpoint, r->l.state, error);
    if (status == BR_OK && r->output)
        status = br_recorder_open(r->l.scene, r->output, count_rows(r), &r->recorder, error);
    if (status != BR_OK) return report_error(error, r->json);
    r->started = wall_clock();
    status = go(r, error);
    return finish(r, status, error);
}

int command_run(int count, char **words) {
    Run r = {0};
    int done, arguments = parse(&r, count, words, &done);
    if (arguments < 0) return done;
    if (arguments == 0) {
        fprintf(stderr, "bristle run: which scene? Try 'bristle run scenes/double-pendulum.yaml'\n");
        return EXIT_MISUSE;
    }
    if (!add_step_options(&r.step, &r.set)) return EXIT_MISUSE;
    BrError error = {0};
    int code = simulate(&r, &error);
    unload_scene(&r.l);
    return code;
}
