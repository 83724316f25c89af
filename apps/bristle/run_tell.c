/* run_tell.c: how a run went, as text and as JSON. */
#include "run.h"

void print_run(const Run *r) {
    BrEnergy e;
    br_state_energy(r->l.model, r->l.state, &e);
    double time = br_state_time(r->l.state);
    printf("%s: %s at t = %.6g s, %llu steps of %.4g s (%s); %.3g s wall, %.3g s CPU, %.3g times real time\n", r->scene,
           was_refused(r)   ? "REFUSED"
           : r->interrupted ? "interrupted"
           : r->failed      ? "FAILED"
                            : "done",
           time, (unsigned long long)(br_state_step(r->l.state) - r->first_step), r->l.run.step.dt,
           r->l.run.step.formulation == BR_FORMULATION_EVENT ? "event" : br_scheme_name(r->l.run.step.scheme),
           r->spent.wall, r->spent.cpu, (time - r->first_time) / (r->spent.wall > 0 ? r->spent.wall : 1));
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
    if (r->fell_back)
        printf("  %llu steps were made by timestepping, which %s gave up\n", (unsigned long long)r->fell_back,
               br_formulation_name(r->l.run.step.formulation));
    if (r->l.run.step.formulation == BR_FORMULATION_HYBRID) print_switches(r);
    if (r->sleeping) printf("  %d bodies sleep\n", r->sleeping);
    if (r->realtime.rate_text) print_realtime(&r->realtime);
    if (r->diagnosing.every) print_diagnosing(r);
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

/* Of a body whose frame lies apart from its centre of mass, which is its "position". */
static void print_frame(const Run *r, BrBodyId id) {
    BrVec3 apart = br_body_def(r->l.model, id)->frame_body;
    BrPose frame;
    if (apart.x == 0 && apart.y == 0 && apart.z == 0) return;
    br_body_frame(r->l.model, r->l.state, id, &frame);
    printf(", \"frame_position\": ");
    json_vector(stdout, frame.position);
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
    print_frame(r, id);
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

static void print_named_vector(const char *name, BrVec3 value) {
    printf(", \"%s\": ", name);
    json_vector(stdout, value);
}

/* The one that forces act on first. */
static void print_two_bodies(const Run *r, BrBodyId first, BrBodyId second) {
    printf("{\"bodies\": [");
    json_text(stdout, br_body_def(r->l.model, first)->name);
    printf(", ");
    json_text(stdout, br_body_def(r->l.model, second)->name);
    printf("]");
}

static void print_pair(const Run *r, int number) {
    BrContactPair p;
    br_contact_pair_at(r->l.model, r->l.workspace, number, &p);
    print_two_bodies(r, p.first, p.second);
    printf(", \"places\": %d, \"mode\": \"%s\"", p.places, br_contact_mode_name(p.mode));
    print_named_number(", ", "gap", p.gap);
    print_named_vector("point", p.point);
    print_named_vector("normal", p.normal);
    print_named_vector("slip", p.slip);
    print_named_vector("force", p.force);
    print_named_vector("torque", p.torque);
    print_named_number(", ", "normal_force", p.normal_force);
    print_named_vector("friction_force", p.friction_force);
    print_named_vector("force_mean", p.force_mean);
    print_named_vector("torque_mean", p.torque_mean);
    print_named_number(", ", "normal_force_mean", p.normal_force_mean);
    print_named_vector("friction_force_mean", p.friction_force_mean);
    print_named_number(", ", "ratio", p.ratio);
    print_named_number(", ", "margin", p.margin);
    printf("}");
}

static void print_contact(const Run *r, int number) {
    BrContact c;
    br_contact(r->l.model, r->l.workspace, number, &c);
    print_two_bodies(r, c.body_b, c.body_a);
    print_named_vector("point", c.point);
    printf(", \"normal\": ");
    json_vector(stdout, (BrVec3){c.frame.m[0][0], c.frame.m[1][0], c.frame.m[2][0]});
    print_named_number(", ", "gap", c.gap);
    print_named_number(", ", "normal_force", c.normal_force);
    print_named_vector("friction_force", c.friction_force);
    print_named_number(", ", "normal_force_mean", c.normal_force_mean);
    print_named_vector("friction_force_mean", c.friction_force_mean);
    print_named_vector("rolling_moment", c.rolling_moment);
    print_named_vector("spinning_moment", c.spinning_moment);
    print_named_vector("rolling_moment_mean", c.rolling_moment_mean);
    print_named_vector("spinning_moment_mean", c.spinning_moment_mean);
    print_named_vector("slip", c.slip);
    printf(", \"mode\": \"%s\"", br_contact_mode_name(c.mode));
    print_named_number(", ", "margin", c.margin);
    printf("}");
}

void json_run(Run *r) {
    BrEnergy e;
    br_state_energy(r->l.model, r->l.state, &e);
    BrEvaluateDef reading = br_evaluate_def_like(&r->l.run.step);
    br_evaluate_with(r->l.model, r->l.workspace, r->l.state, &reading, NULL);
    printf("{\"status\": \"%s\"", was_refused(r)   ? "refused"
                                  : r->failed      ? "failed"
                                  : r->interrupted ? "interrupted"
                                  : r->uncertified ? "uncertified"
                                                   : "ok");
    if (was_refused(r)) {
        printf(", \"error\": ");
        json_error(stdout, &r->refusal);
    }
    print_named_number(", ", "time", br_state_time(r->l.state));
    printf(", \"steps\": %llu, \"hash\": \"%016llx\", \"sleeping\": %d, \"bodies\": {",
           (unsigned long long)br_state_step(r->l.state), (unsigned long long)br_state_hash(r->l.state), r->sleeping);
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
    print_named_number(", ", "separated", r->l.separation.moved);
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
    printf(", \"lowered_impacts\": %llu, \"uncertified_steps\": %llu, \"fell_back_steps\": %llu}, \"contacts\": [",
           (unsigned long long)r->lowered_impacts, (unsigned long long)r->uncertified,
           (unsigned long long)r->fell_back);
    for (int k = 0; k < br_contact_count(r->l.model, r->l.workspace); k++) {
        if (k) printf(", ");
        print_contact(r, k);
    }
    printf("], \"pairs\": [");
    for (int k = 0; k < br_contact_pair_count(r->l.model, r->l.workspace); k++) {
        if (k) printf(", ");
        print_pair(r, k);
    }
    printf("], \"joints\": {");
    for (int k = 0; k < br_model_joint_count(r->l.model); k++) {
        if (k) printf(", ");
        print_joint(r, br_model_joint(r->l.model, k));
    }
    printf("}");
    if (r->output) {
        printf(", \"recording\": ");
        json_text(stdout, r->output);
    }
    if (r->realtime.rate_text) {
        printf(", \"realtime\": ");
        json_realtime(&r->realtime);
    }
    if (r->l.run.step.formulation == BR_FORMULATION_HYBRID) {
        printf(", \"switches\": ");
        json_switches(r);
    }
    if (r->diagnosing.every) {
        printf(", \"diagnosis\": ");
        json_diagnosing(r);
    }
    printf("}\n");
}
