/* machine.h: what the physics tests share: a machine in a few lines, running it, reading it. Public headers only.
 * Every helper fails the running test when the library refuses something. SI units, world axes. */
#ifndef TESTS_MACHINE_H
#define TESTS_MACHINE_H

#include "bristle/bristle.h"

#define PI 3.14159265358979323846

/* ------------------------------------------------------------------ vectors */

static inline BrVec3 vec(double x, double y, double z) { return (BrVec3){x, y, z}; }
static inline BrVec3 add(BrVec3 a, BrVec3 b) { return vec(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline BrVec3 sub(BrVec3 a, BrVec3 b) { return vec(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline BrVec3 scale(double s, BrVec3 a) { return vec(s * a.x, s * a.y, s * a.z); }
static inline double dot(BrVec3 a, BrVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline BrVec3 cross(BrVec3 a, BrVec3 b) {
    return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
double norm(BrVec3 a);
BrVec3 rotate(const BrMat3 *A, BrVec3 a);      /* A a */
BrVec3 rotate_back(const BrMat3 *A, BrVec3 a); /* A^T a */
BrMat3 turn_about(BrVec3 axis, double angle);  /* rotation matrix */
BrMat3 diagonal(double x, double y, double z);

/* ------------------------------------------------------------------ machines */

typedef struct Machine {
    BrModel *model;
    BrState *state;
    BrWorkspace *workspace;
    BrBodyId ground;
} Machine;

Machine machine_begin(BrVec3 gravity); /* with a fixed body "ground" at the origin */
void machine_ready(Machine *m);        /* build, state, workspace, assembled */
void machine_end(Machine *m);

BrBodyId machine_body(Machine *m, const char *name, double mass, BrMat3 inertia, BrVec3 position);
BrBodyId machine_add_body(Machine *m, const BrBodyDef *def);
BrJointId machine_joint(Machine *m, const char *name, BrJointType type, BrBodyId a, BrBodyId b, BrVec3 at, BrVec3 axis);
BrJointId machine_add_joint(Machine *m, const BrJointDef *def);
BrJointId machine_rod(Machine *m, const char *name, BrBodyId a, BrBodyId b, BrVec3 point_a_body, BrVec3 point_b_body);
BrSpringId machine_line_spring(Machine *m, const char *name, BrBodyId a, BrBodyId b, double stiffness, double damping,
                               double free_length);
BrSpringId machine_joint_spring(Machine *m, const char *name, BrJointId joint, int coordinate, double stiffness,
                                double damping);
BrMotorId machine_motor(Machine *m, const char *name, BrJointId joint, int coordinate, BrFunctionDef speed,
                        double max_effort);
void machine_motion(Machine *m, const char *name, BrJointId joint, int coordinate, bool by_velocity,
                    BrFunctionDef drive);
void machine_force(Machine *m, const char *name, BrBodyId body, int axis, BrFunctionDef force);

/* Rigid with restitution e, Coulomb with mu. */
BrMaterialId machine_material(Machine *m, const char *name, double mu, double e);
BrMaterialId machine_add_material(Machine *m, const BrMaterialDef *def);
BrShapeId machine_add_shape(Machine *m, const BrShapeDef *def);
void machine_floor(Machine *m, BrMaterialId material);                /* z = 0, looking up, of the ground */
void machine_plane(Machine *m, BrVec3 normal, BrMaterialId material); /* through the origin, of the ground */
void machine_tube(Machine *m, double radius, double length, BrMaterialId material); /* along y, of the ground */
void machine_sphere(Machine *m, BrBodyId body, double radius, BrMaterialId material);
void machine_box(Machine *m, BrBodyId body, BrVec3 size, BrMaterialId material);
void machine_point(Machine *m, BrBodyId body, BrVec3 position_body, BrMaterialId material);
BrBodyId machine_ball(Machine *m, const char *name, double mass, double radius, BrVec3 position,
                      BrMaterialId material); /* solid */
BrBodyId machine_block(Machine *m, const char *name, double mass, BrVec3 size, BrVec3 position,
                       BrMaterialId material); /* solid */
/* Boxes of 0.2 m and 1 kg, `rows` of them in the lowest row, 0.01 m apart. */
void machine_pyramid(Machine *m, int rows, BrMaterialId material);
/* Of a solid of this shape, about its centre, in its axes; of a point: as if it were a ball of its radius. */
BrMat3 machine_solid_inertia(const BrShapeDef *shape, double mass);

/* ------------------------------------------------------------------ running and reading */

void machine_run(Machine *m, BrScheme scheme, double dt, int steps);
/* Several steps of any kind; the last report, with impacts, lowered_impacts and events added up over all. */
BrStepReport machine_steps(Machine *m, const BrStepDef *def, int steps);
BrStepDef machine_step_def(BrScheme scheme, double dt);
BrStepDef machine_event_def(double dt);
void machine_set_twist(Machine *m, BrBodyId body, BrVec3 linear, BrVec3 angular);
/* br_evaluate(), then one contact, which must be there */
BrContact machine_contact(Machine *m, int number);
/* What its laws remember, from the last machine_contact(). */
BrVec3 machine_memory(const Machine *m, int number, const char *name);
int machine_contact_count(Machine *m);
/* br_evaluate(), then the sum of instantaneous (or mean) contact forces on body b, which must be b of all of them */
BrVec3 machine_contact_force(Machine *m, bool mean);
BrPose machine_pose(const Machine *m, BrBodyId body);
BrTwist machine_twist(const Machine *m, BrBodyId body);
double machine_position(const Machine *m, BrJointId joint, int coordinate);
double machine_rate(const Machine *m, BrJointId joint, int coordinate);
BrEnergy machine_energy(const Machine *m);
double machine_mechanical_energy(const Machine *m); /* kinetic + potential + stored */
double machine_gap(const Machine *m);               /* largest over all joints */
BrVec3 machine_momentum(const Machine *m);
BrVec3 machine_angular_momentum(const Machine *m); /* about the origin */
/* br_evaluate(), then the joint's wrench on body b in world axes */
BrWrench machine_reaction(Machine *m, BrJointId joint);
BrTwist machine_acceleration(Machine *m, BrBodyId body);
/* Root of the sum of squares over positions, rotations and velocities of all bodies. */
double machine_distance(const Machine *a, const Machine *b);

/* ------------------------------------------------------------------ references */

double complete_elliptic(double k); /* K with modulus k, by the arithmetic-geometric mean */
typedef void Derivative(double t, const double *y, double *rate, const void *user);
/* Classical Runge-Kutta of order 4, at most 8 unknowns. */
void integrate(Derivative *f, const void *user, int unknowns, double t0, double t1, int steps, double *y);
double observed_order(double coarse_error, double fine_error); /* for a halved step */
/* The name of a file that is not there, with this ending; who makes it removes it. */
void name_new_file(const char *ending, char name[64]);
bool is_slow_run(void);  /* BRISTLE_SLOW: sanitizers */
bool is_check_run(void); /* BRISTLE_CHECK: once more, longer, in make check */
bool is_long_run(void);  /* BRISTLE_LONG */

/* Random numbers, the same everywhere: xorshift64* (Vigna 2016). */
double draw(uint64_t *seed, double low, double high);
BrVec3 draw_vec(uint64_t *seed, double size);
int draw_int(uint64_t *seed, int count); /* 0 .. count - 1 */

/* |a - b| <= tolerance, else the test fails and says both. NaN fails. */
#define assert_near(a, b, tolerance) assert_near_at(a, b, tolerance, #a, __FILE__, __LINE__)
#define assert_between(a, low, high) assert_between_at(a, low, high, #a, __FILE__, __LINE__)
#define assert_vec_near(a, b, tolerance)                                                                               \
    assert_near_at(norm(sub(a, b)), 0, tolerance, #a " against " #b, __FILE__, __LINE__)
void assert_near_at(double a, double b, double tolerance, const char *what, const char *file, int line);
void assert_between_at(double a, double low, double high, const char *what, const char *file, int line);

#endif
