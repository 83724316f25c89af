/* test_crowds.c: islands of more contacts than all combinations are looked at of: proofs and searched answers against a judge that
 * tries every combination of modes in long double; closed forms of tables, stacks and cradles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"
#include "linalg/semidefinite.h"
#include "machine.h"
#include "modes/crowd.h"

static const BrVec3 NONE = {0, 0, 0}, Y = {0, 1, 0};

static uint64_t seed = 3;

static double random_number(double low, double high) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

/* ------------------------------------------------------------------ semidefinite matrices */

/* B'B of fewer rows than columns has their number as its rank, and solves what lies in its range; with one eigenvalue turned
 * it is told from those without negative ones. */
static void a_singular_matrix_is_factored_as_far_as_it_goes(void **unused) {
    (void)unused;
    enum { N = 9 };
    for (int n = 0; n < 200; n++) {
        int rank = 1 + n % N, order[N];
        double B[N][N], A[N * N], F[N * N], x[N], y[N];
        for (int i = 0; i < rank; i++)
            for (int j = 0; j < N; j++) B[i][j] = random_number(-1, 1);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                A[N * i + j] = 0;
                for (int k = 0; k < rank; k++) A[N * i + j] += B[k][i] * B[k][j];
            }
        memcpy(F, A, sizeof A);
        assert_int_equal(bri_semidefinite_factor(F, N, 1e-11, order), rank);
        for (int i = 0; i < rank; i++) x[i] = random_number(-1, 1);
        for (int i = 0; i < rank; i++) {
            y[i] = 0;
            for (int j = 0; j < rank; j++) y[i] += A[N * order[i] + order[j]] * x[j];
        }
        bri_semidefinite_forward(F, N, rank, y);
        bri_semidefinite_back(F, N, rank, y);
        for (int i = 0; i < rank; i++) assert_near(y[i], x[i], 1e-4); /* of nine rows a condition of 1e9 is rare */
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) A[N * i + j] -= (rank > 1 ? 2 : 1.5) * B[0][i] * B[0][j];
        assert_int_equal(bri_semidefinite_factor(A, N, 1e-11, order), -1);
    }
}

/* ------------------------------------------------------------------ chains of bodies in a plane */

enum { MOST = 10, ROWS = 2 * MOST };

typedef struct Chain {
    int contacts;
    BriCrowd crowd;
    double *memory;
    double W[ROWS][ROWS], b[ROWS]; /* n and t of each: in the units of the problem, as it was made */
} Chain;

/* Rows n, t of a disc-like body in a plane: force and moment. */
typedef struct Row {
    double at[3 * MOST]; /* per body: x, z, turn */
} Row;

static void add_side(Row row[2], int body, double angle, double arm, double off, double sign) {
    const double n[2] = {cos(angle), sin(angle)}, t[2] = {-n[1], n[0]};
    for (int i = 0; i < 2; i++) {
        row[0].at[3 * body + i] = sign * n[i];
        row[1].at[3 * body + i] = sign * t[i];
    }
    row[0].at[3 * body + 2] = off, row[1].at[3 * body + 2] = sign * arm;
}

/* Each body touches the one before, or something fixed: rows are independent. A few are at rest, the others slip. */
static Chain make_chain(int contacts, int resting, double mu) {
    Chain c = {.contacts = contacts};
    Row row[ROWS] = {{{0}}};
    double inverse[3 * MOST], pull[3 * MOST];
    c.memory = calloc(bri_crowd_size(contacts), sizeof *c.memory);
    c.crowd = bri_crowd_place(c.memory, contacts, NULL);
    for (int k = 0; k < contacts; k++) {
        double angle = random_number(0, 6.283), mass = random_number(0.2, 5);
        BriModeContact *m = &c.crowd.modes.contact[k];
        inverse[3 * k] = inverse[3 * k + 1] = 1 / mass;
        inverse[3 * k + 2] = random_number(1, 5) / mass;
        for (int i = 0; i < 3; i++) pull[3 * k + i] = random_number(-10, 10);
        add_side(row + 2 * k, k, angle, random_number(0.2, 1), random_number(-0.8, 0.8), 1);
        if (k > 0 && random_number(0, 1) < 0.8)
            add_side(row + 2 * k, k - 1, angle, -random_number(0.2, 1), random_number(-0.8, 0.8), -1);
        m->mu_s = m->mu_k = random_number(0, mu);
        if (k >= resting) m->slip[0] = random_number(0, 1) < 0.5 ? 1 : -1;
    }
    for (int i = 0; i < 3 * contacts; i++)
        for (int j = 0; j < 3 * contacts; j++) c.crowd.modes.W[i * 3 * contacts + j] = 0;
    for (int i = 0; i < 2 * contacts; i++) {
        double size = 0, sum = 0;
        for (int j = 0; j < 2 * contacts; j++) {
            double entry = 0;
            for (int d = 0; d < 3 * contacts; d++) entry += row[i].at[d] * inverse[d] * row[j].at[d];
            c.crowd.modes.W[(3 * (i / 2) + i % 2) * 3 * contacts + 3 * (j / 2) + j % 2] = entry;
        }
        for (int d = 0; d < 3 * contacts; d++) {
            sum += row[i].at[d] * inverse[d] * pull[d];
            size += fabs(row[i].at[d] * inverse[d] * pull[d]);
        }
        c.crowd.modes.b[3 * (i / 2) + i % 2] = sum;
        c.crowd.modes.size[3 * (i / 2) + i % 2] = size;
    }
    bri_modes_scale(&c.crowd.modes);
    for (int i = 0; i < 2 * contacts; i++) {
        c.b[i] = c.crowd.modes.b[3 * (i / 2) + i % 2];
        for (int j = 0; j < 2 * contacts; j++)
            c.W[i][j] = c.crowd.modes.W[(3 * (i / 2) + i % 2) * 3 * contacts + 3 * (j / 2) + j % 2];
    }
    return c;
}

/* Modes: 0 open, 1 slides along its slip or to t, 2 slides to -t, 3 rolls. The forces of those that are not open are unknown. */
static bool judge_modes(const Chain *c, const int *mode, long double *u) {
    long double A[ROWS][ROWS] = {{0}}, x[ROWS] = {0}, p[ROWS] = {0}, drag[MOST];
    int unknown[ROWS], n = 0;
    for (int k = 0; k < c->contacts; k++) {
        const BriModeContact *m = &c->crowd.modes.contact[k];
        drag[k] = m->slip[0] != 0 ? m->mu_k * m->slip[0] : mode[k] == 1 ? m->mu_k : -m->mu_k;
        if (mode[k] > 0) unknown[n++] = 2 * k;
        if (mode[k] == 3) unknown[n++] = 2 * k + 1;
    }
    for (int i = 0; i < n; i++) {
        x[i] = -c->b[unknown[i]];
        for (int j = 0; j < n; j++) {
            int column = unknown[j];
            A[i][j] = c->W[unknown[i]][column];
            if (mode[column / 2] < 3) A[i][j] -= drag[column / 2] * c->W[unknown[i]][column + 1];
        }
    }
    if (!judge_solve(n, ROWS, A[0], x)) return false;
    for (int i = 0; i < n; i++) p[unknown[i]] = x[i];
    for (int k = 0; k < c->contacts; k++)
        if (mode[k] == 1 || mode[k] == 2) p[2 * k + 1] = -drag[k] * p[2 * k];
    for (int i = 0; i < 2 * c->contacts; i++) {
        u[i] = c->b[i];
        for (int j = 0; j < 2 * c->contacts; j++) u[i] += c->W[i][j] * p[j];
    }
    for (int k = 0; k < c->contacts; k++) {
        const BriModeContact *m = &c->crowd.modes.contact[k];
        if (mode[k] == 0 && u[2 * k] < 0) return false;
        if (mode[k] > 0 && p[2 * k] < 0) return false;
        if (mode[k] == 3 && fabsl(p[2 * k + 1]) > m->mu_s * p[2 * k]) return false;
        if (m->slip[0] == 0 && mode[k] == 1 && u[2 * k + 1] < 0) return false;
        if (m->slip[0] == 0 && mode[k] == 2 && u[2 * k + 1] > 0) return false;
    }
    return true;
}

enum { FOUND = 32 };

/* All answers, as accelerations. */
static int judge(const Chain *c, long double found[FOUND][ROWS]) {
    int mode[MOST] = {0}, k = 0, count = 0;
    long double u[ROWS];
    while (k < c->contacts) {
        if (judge_modes(c, mode, u)) {
            bool known = false;
            for (int i = 0; i < count && !known; i++) {
                known = true;
                for (int j = 0; j < 2 * c->contacts; j++) known = known && fabsl(u[j] - found[i][j]) < 1e-6L;
            }
            if (!known && count < FOUND) memcpy(found[count++], u, sizeof u);
        }
        for (k = 0; k < c->contacts; k++) {
            int modes = c->crowd.modes.contact[k].slip[0] != 0 ? 2 : 4;
            if (++mode[k] < modes) break;
            mode[k] = 0;
        }
    }
    return count;
}

/* No proof without one answer; what is found is among what there is. */
static void chains_are_judged_by_every_combination(void **unused) {
    (void)unused;
    int proved = 0, several = 0, none = 0, missed = 0, asked = 0;
    for (int n = 0; n < 800; n++) {
        /* about a thousand combinations: two for each that slips, four for each at rest */
        int resting = n % 4 < 3 ? n % 4 : 5, contacts = resting < 5 ? 10 - resting : 5;
        Chain c = make_chain(contacts, resting, n % 8 < 4 ? 0.6 : 3);
        long double found[FOUND][ROWS];
        int expected = judge(&c, found);
        several += expected > 1, none += expected == 0;
        BriDefinite definite = bri_crowd_is_definite(&c.crowd);
        if (definite != BRI_DEFINITE_NOT) {
            proved++;
            if (expected != 1) fail_msg("chain %d: proved, and %d answers", n, expected);
        }
        bri_crowd_search(&c.crowd, true);
        for (int i = 0; i < c.crowd.answers; i++) {
            bool known = false;
            for (int a = 0; a < expected && !known; a++) {
                known = true;
                for (int j = 0; j < 2 * contacts; j++)
                    known = known && fabsl(c.crowd.answer[i].u[3 * (j / 2) + j % 2] - found[a][j]) < 1e-6L;
            }
            if (!known) fail_msg("chain %d: answer %d is none of %d", n, i, expected);
        }
        missed += expected > 0 && c.crowd.answers == 0, asked += expected > 0;
        free(c.memory);
    }
    assert_true(proved > 50 && several > 10 && none > 10); /* or nothing was asked */
    assert_true(missed <= asked / 20);
}

/* ------------------------------------------------------------------ machines */

typedef struct Told {
    int islands;
    BrDiagnosis last; /* without its answers */
    BrAnswerContact first[64];
} Told;

static void note(void *user, const BrDiagnosis *d) {
    Told *told = user;
    for (int k = 0; k < d->contacts && k < 64 && d->told; k++) told->first[k] = d->answer[0].contact[k];
    told->last = *d;
    told->islands++;
}

static Told ask(Machine *m) {
    Told told = {0};
    BrError error = {0};
    BrStatus status = br_state_diagnose(m->model, m->workspace, m->state, NULL, note, &told, &error);
    if (status != BR_OK) fail_msg("%s", error.text);
    assert_int_equal(told.islands, 1);
    return told;
}

static BrVec3 sum_forces(const Told *told) {
    BrVec3 sum = NONE;
    for (int k = 0; k < told->last.contacts; k++)
        sum = add(sum, add(told->first[k].friction_force, vec(0, 0, told->first[k].normal_force)));
    return sum;
}

/* Ten boxes one on the other: what lies flat has one answer, whatever friction, though forty contacts depend on each other;
 * pushed sideways by less than friction bears they hold, by more the box that is pushed comes, and there is no other answer. */
static void stack_of_ten_has_one_answer(void **unused) {
    (void)unused;
    for (int pushed = 0; pushed < 4; pushed++) { /* friction of the top bears 4 N */
        const double PUSH[] = {0, 0.5, 3.9, 4.1};
        Machine m = machine_begin(vec(0, 0, -10));
        BrMaterialId wood = machine_material(&m, "wood", 0.4, 0);
        BrBodyId top = {0};
        machine_floor(&m, wood);
        for (int k = 0; k < 10; k++) {
            char name[16];
            snprintf(name, sizeof name, "box%d", k);
            top = machine_body(&m, name, 1, diagonal(0.1, 0.1, 0.1), vec(0, 0, 0.5 + k));
            machine_box(&m, top, vec(1, 1, 1), wood);
        }
        if (pushed) machine_force(&m, "push", top, 0, br_constant(PUSH[pushed]));
        machine_ready(&m);
        Told told = ask(&m);
        assert_int_equal(told.last.contacts, 40);
        assert_int_equal(told.last.answers, 1);
        assert_int_equal(told.last.verdict, BR_DIAGNOSIS_UNIQUE);
        assert_int_equal(told.last.proof, pushed ? BR_PROOF_ALONE : BR_PROOF_REST);
        for (int k = 0; k < 40; k++) {
            bool moves = pushed == 3 && told.first[k].body_b.index1 == top.index1;
            assert_near(norm(told.first[k].tangential_acceleration), moves ? 0.1 : 0, 1e-8);
            assert_near(told.first[k].normal_acceleration, 0, 1e-8);
        }
        machine_end(&m);
    }
}

/* A table on nine legs that slides along a floor: its legs share the load somehow, and it has one deceleration, mu g. Pushed
 * down, too. */
static void sliding_table_slows_down_by_mu_g(void **unused) {
    (void)unused;
    for (int n = 0; n < 3; n++) {
        double mu = 0.1 + 0.2 * n, load = 20. * n;
        Machine m = machine_begin(vec(0, 0, -10));
        BrMaterialId wood = machine_material(&m, "wood", mu, 0);
        machine_floor(&m, wood);
        BrBodyId table = machine_body(&m, "table", 2, diagonal(1, 1, 1), vec(0, 0, 0.5));
        for (int k = 0; k < 9; k++) machine_point(&m, table, vec(k % 3 - 1, k / 3 - 1, -0.5), wood); /* NOLINT */
        machine_force(&m, "load", table, 2, br_constant(-load));
        machine_ready(&m);
        machine_set_twist(&m, table, vec(0.6, 0.8, 0), NONE);
        Told told = ask(&m);
        assert_int_equal(told.last.verdict, BR_DIAGNOSIS_UNIQUE);
        assert_int_equal(told.last.proof, BR_PROOF_ENERGY);
        double weight = 20 + load;
        BrVec3 sum = sum_forces(&told), expected = vec(-0.6 * mu * weight, -0.8 * mu * weight, weight);
        assert_true(norm(sub(sum, expected)) < 1e-7 * weight);
        /* spinning, its legs drag in different directions, and how they share the load decides */
        machine_set_twist(&m, table, vec(0.6, 0.8, 0), vec(0, 0, 1));
        told = ask(&m);
        assert_int_equal(told.last.verdict, BR_DIAGNOSIS_SEVERAL);
        machine_end(&m);
    }
}

/* Twelve balls on strings in a row, the first pushed: eleven independent contacts, each passing on what is left. */
static void cradle_of_twelve_balls_passes_a_push_on(void **unused) {
    (void)unused;
    const double mu = 0.1, push = 6;
    Machine m = machine_begin(vec(0, 0, -10));
    BrMaterialId steel = machine_material(&m, "steel", mu, 0);
    BrBodyId first = {0};
    for (int k = 0; k < 12; k++) {
        char name[16], hinge[16];
        snprintf(name, sizeof name, "ball%d", k);
        snprintf(hinge, sizeof hinge, "string%d", k);
        BrBodyId ball = machine_ball(&m, name, 1, 0.1, vec(0.2 * k, 0, 0), steel);
        machine_joint(&m, hinge, BR_JOINT_REVOLUTE, m.ground, ball, vec(0.2 * k, 0, 100), Y);
        if (k == 0) first = ball;
    }
    machine_force(&m, "push", first, 0, br_constant(push));
    machine_ready(&m);
    Told told = ask(&m);
    assert_int_equal(told.last.contacts, 11);
    assert_int_equal(told.last.answers, 1);
    /* strings of 100 m: friction turns balls by nothing; the k-th contact moves those behind it, 11 - k of twelve */
    for (int k = 0; k < 11; k++) assert_near(told.first[k].normal_force, push * (11 - k) / 12, 1e-3 * push);
    machine_end(&m);
}

/* At rest, and pushed sideways at its centre of mass, all legs begin to slide alike: one answer, however they share the load. Pushed
 * beside it the table turns as well, and how they share the load decides: that is not called one answer. */
static void pushed_table_has_one_answer_unless_it_turns(void **unused) {
    (void)unused;
    for (int turns = 0; turns < 2; turns++) {
        Machine m = machine_begin(vec(0, 0, -10));
        BrMaterialId ice = machine_material(&m, "ice", 0.001, 0);
        machine_floor(&m, ice);
        BrBodyId table = machine_body(&m, "table", 2, diagonal(1, 1, 1), vec(0, 0, 0.5));
        for (int k = 0; k < 9; k++) machine_point(&m, table, vec(k % 3 - 1, k / 3 - 1, -0.5), ice); /* NOLINT */
        BrForceDef force = br_default_force_def();
        force.name = "push", force.body = table;
        force.force[0] = br_constant(4), force.torque[2] = br_constant(turns);
        assert_int_equal(br_model_add_force(m.model, &force, NULL, NULL), BR_OK);
        machine_ready(&m);
        Told told = ask(&m);
        if (turns) {
            assert_true(told.last.verdict != BR_DIAGNOSIS_UNIQUE && told.last.verdict != BR_DIAGNOSIS_NONE);
        } else {
            assert_int_equal(told.last.verdict, BR_DIAGNOSIS_UNIQUE);
            assert_int_equal(told.last.proof, BR_PROOF_ALONE);
            for (int k = 0; k < 9; k++)
                assert_near(norm(told.first[k].tangential_acceleration), (4 - 0.001 * 20) / 2, 1e-9);
        }
        machine_end(&m);
    }
}

static void work_is_bounded_and_can_be_stopped(void **unused) {
    (void)unused;
    Machine m = machine_begin(vec(0, 0, -10));
    BrMaterialId wood = machine_material(&m, "wood", 0.6, 0);
    machine_floor(&m, wood);
    BrBodyId table = machine_body(&m, "table", 2, diagonal(1, 1, 1), vec(0, 0, 0.5));
    for (int k = 0; k < 9; k++) machine_point(&m, table, vec(k % 3 - 1, k / 3 - 1, -0.5), wood); /* NOLINT */
    machine_force(&m, "push", table, 0, br_constant(1));
    machine_ready(&m);
    Told told = {0};
    BrDiagnoseDef def = br_default_diagnose_def();
    def.most_work = 1;
    assert_int_equal(br_state_diagnose(m.model, m.workspace, m.state, &def, note, &told, NULL), BR_OK);
    assert_int_equal(told.last.verdict, BR_DIAGNOSIS_UNDECIDED);
    if (!strstr(told.last.text, "the work that")) fail_msg("%s", told.last.text);
    def.most_work = 0;
    assert_int_equal(br_state_diagnose(m.model, m.workspace, m.state, &def, note, &told, NULL), BR_INVALID_ARGUMENT);
    machine_end(&m);
}

static bool count_looks(void *user) {
    ++*(int *)user;
    return false;
}

/* A slender rod at rest on eight places at once, which may hold, begin to slide or part (Song's case 2): all 4^8 combinations would take
 * 1e9 operations. A look in a run takes no more than 2e7 of them, and finds that there are several. */
static void a_look_in_a_run_is_short(void **unused) {
    (void)unused;
    const double angle = 70 * PI / 180;
    Machine m = machine_begin(vec(0, 0, -9.81));
    BrMaterialId steel = machine_material(&m, "steel", 1, 0);
    machine_floor(&m, steel);
    BrBodyDef def = br_default_body_def();
    def.name = "rod", def.mass = 1, def.inertia = diagonal(1e-4, 1. / 144, 1. / 144);
    def.rotation = turn_about(Y, -angle), def.position = vec(0.5 * cos(angle), 0, 0.5 * sin(angle));
    BrBodyId rod = machine_add_body(&m, &def);
    for (int k = 0; k < 8; k++) machine_point(&m, rod, vec(-0.5, 0, 0), steel);
    BrForceDef force = br_default_force_def();
    force.name = "turn", force.body = rod, force.torque[1] = br_constant(1);
    assert_int_equal(br_model_add_force(m.model, &force, NULL, NULL), BR_OK);
    machine_ready(&m);
    Told told = {0};
    int looks = 0;
    BrDiagnoseDef live = br_default_diagnose_def();
    live.proof_is_enough = true, live.stop = count_looks, live.stop_user = &looks; /* asked after 2e6 operations each */
    assert_int_equal(br_state_diagnose(m.model, m.workspace, m.state, &live, note, &told, NULL), BR_OK);
    assert_int_equal(told.last.contacts, 8);
    assert_int_equal(told.last.verdict, BR_DIAGNOSIS_SEVERAL);
    assert_true(looks > 5 && looks < 20);
    machine_end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_singular_matrix_is_factored_as_far_as_it_goes),
        cmocka_unit_test(chains_are_judged_by_every_combination),
        cmocka_unit_test(stack_of_ten_has_one_answer),
        cmocka_unit_test(sliding_table_slows_down_by_mu_g),
        cmocka_unit_test(cradle_of_twelve_balls_passes_a_push_on),
        cmocka_unit_test(pushed_table_has_one_answer_unless_it_turns),
        cmocka_unit_test(a_look_in_a_run_is_short),
        cmocka_unit_test(work_is_bounded_and_can_be_stopped),
    };
    return cmocka_run_group_tests_name("crowds", tests, NULL, NULL);
}
