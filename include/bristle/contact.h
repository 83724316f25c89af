/* bristle/contact.h: bodies touch: shapes, materials, and what can be read of a contact. */
#ifndef BRISTLE_CONTACT_H
#define BRISTLE_CONTACT_H

#include "bristle/law.h"
#include "bristle/shape.h"
#include "bristle/step.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How two surfaces meet. */
typedef struct BrSurface {
    BrLaw normal, friction; /* br_law(BR_LAW_NORMAL, name), br_law(BR_LAW_FRICTION, name) */
    /* under the formulation compliant; all zeros: not given */
    BrLaw compliant_normal, compliant_friction;
} BrSurface;

typedef struct BrMaterialDef {
    uint32_t cookie, struct_size; /* of BR_DEFAULT, not to be set */
    const char *name;
    BrSurface surface;     /* against itself */
    double youngs_modulus; /* Pa; 0: not known. For Hertz's stiffness of compliant laws without one */
    double poissons_ratio; /* 0 to 0.5 */
    double density;        /* kg/m^3; 0: not known. For br_shape_mass() */
} BrMaterialDef;

/* Two different materials. */
typedef struct BrPairDef {
    uint32_t cookie, struct_size; /* of BR_DEFAULT, not to be set */
    BrMaterialId material_a, material_b;
    BrSurface surface;
} BrPairDef;

/* A shape in its body's axes, from the centre of mass. The shape's z axis is its axis or normal. */
typedef struct BrShapeDef {
    uint32_t cookie, struct_size; /* of BR_DEFAULT, not to be set */
    BrBodyId body;
    BrShapeKind kind;
    BrVec3 position_body; /* m */
    BrMat3 rotation_body; /* shape to body */
    BrVec3 size;          /* m: box: edge lengths; ellipsoid, bowl: semi-axes */
    double radius;        /* m */
    double length;        /* m: capsule: between the centres of its caps; cylinder, tube, extrusion */
    double ring_radius;   /* m: torus, groove: of the circle that its tube is bent about; radius: of the tube */
    double quadric[10];   /* of x^2, y^2, z^2, x y, x z, y z, x, y, z, 1; negative in what is solid; lengths in m */
    const double *
        points; /* extrusion: x0 y0 x1 y1 ..., m, once round; revolution: r0 z0 r1 z1 ..., solid to the right; copied */
    int point_count;
    BrSurfaceFunction function; /* of BR_SHAPE_FUNCTION; not part of the model's fingerprint */
    void *function_user;
    double
        density; /* kg/m^3; 0: its material's, or not known. Only doubts look at it: what a body weighs is in its own definition */
    BrMaterialId material;
    BrVec3 surface_velocity_body; /* m/s: the surface runs over its body like a belt, body axes */
} BrShapeDef;

/* Bodies that are joined do not touch each other unless told to. */
typedef struct BrFilterDef {
    uint32_t cookie, struct_size; /* of BR_DEFAULT, not to be set */
    BrBodyId body_a, body_b;
    bool touch; /* false: never; true: although they are joined */
} BrFilterDef;

/* Contacts of two bodies that are there when the motion begins: what their compliant laws remember then. One thing; of
 * several say so several times. Laws that remember no such thing do not mind. */
typedef struct BrMemoryDef {
    uint32_t cookie, struct_size; /* of BR_DEFAULT, not to be set */
    BrBodyId body_a, body_b;
    const char *name; /* of what the law remembers, or its symbol (BrLawMemory); copied */
    double value;     /* in the law's unit, within its range; */
    BrVec3
        vector; /* of what is a vector (BrLawMemory.tangent): world axes, of body_a against body_b, its part along the
                         surface counts */
} BrMemoryDef;

BR_DEFAULT(BrMaterialDef, br_default_material_def, br_start_material_def) /* rigid, coulomb; mu must be set */
BR_DEFAULT(BrPairDef, br_default_pair_def, br_start_pair_def)
BR_DEFAULT(BrShapeDef, br_default_shape_def, br_start_shape_def)
BR_DEFAULT(BrFilterDef, br_default_filter_def, br_start_filter_def)
BR_DEFAULT(BrMemoryDef, br_default_memory_def, br_start_memory_def)

/* `id` may be NULL, as in all additions. */
BR_API BrStatus br_model_add_material(BrModel *model, const BrMaterialDef *def, BrMaterialId *id, BrError *error);
BR_API BrStatus br_model_add_pair(BrModel *model, const BrPairDef *def, BrError *error);
BR_API BrStatus br_model_add_shape(BrModel *model, const BrShapeDef *def, BrShapeId *id, BrError *error);
BR_API BrStatus br_model_add_filter(BrModel *model, const BrFilterDef *def, BrError *error);
BR_API BrStatus br_model_add_memory(BrModel *model, const BrMemoryDef *def, BrError *error);

BR_API int br_model_material_count(const BrModel *model);
BR_API int br_model_shape_count(const BrModel *model);
BR_API BrMaterialId br_model_material(const BrModel *model, int number);
BR_API BrShapeId br_model_shape(const BrModel *model, int number);
BR_API BrMaterialId br_model_find_material(const BrModel *model, const char *name);
BR_API const BrMaterialDef *br_material_def(const BrModel *model, BrMaterialId id);
BR_API const BrShapeDef *br_shape_def(const BrModel *model, BrShapeId id);
/* May these two shapes of a built model touch? */
BR_API bool br_shapes_meet(const BrModel *model, BrShapeId a, BrShapeId b);
/* Most contacts a state can hold. */
BR_API int br_model_contact_capacity(const BrModel *model);

/* ------------------------------------------------------------------ looking */

typedef enum BrContactMode {
    BR_CONTACT_OPEN,
    BR_CONTACT_STICK,
    BR_CONTACT_SLIP,
    BR_CONTACT_ROLLING,
    BR_CONTACT_MIXED /* of a pair: its places differ */
} BrContactMode;

BR_API const char *br_contact_mode_name(BrContactMode mode);

/* Forces act on body b; those on body a are the opposite. b can be pushed; where both can, b is the one that was added to
 * the model later. Recordings and the command call this contact "b/a", and so the body that forces act on first. */
typedef struct BrContact {
    BrBodyId body_a, body_b;
    BrShapeId shape_a, shape_b;
    int number;                 /* among the contacts of these two bodies, from 0 */
    uint64_t key;               /* the same from step to step: shapes and feature */
    BrVec3 point;               /* m, world */
    BrMat3 frame;               /* columns: normal (from a to b), two tangents */
    double gap;                 /* m; negative: overlap */
    BrVec3 slip;                /* m/s, world: tangential velocity of b against a */
    double normal_force;        /* N, instantaneous */
    BrVec3 friction_force;      /* N, world */
    double normal_force_mean;   /* N: impulse of the last step / dt, impacts included, also if it is open now */
    BrVec3 friction_force_mean; /* N */
    BrVec3 rolling_moment;      /* N m, world, instantaneous: in the tangent plane; 0 unless the law has it */
    BrVec3 spinning_moment;     /* N m: along the normal */
    BrVec3 rolling_moment_mean, spinning_moment_mean; /* N m: of the last step */
    double mu;                                        /* coefficient that holds now: mu_s while it sticks */
    double margin;                                    /* N: mu normal_force - |friction_force| */
    BrContactMode mode;
} BrContact;

/* Of the last br_evaluate(): contacts that are closed, or pushed in the last step, sorted by key. Those that are open
 * again have forces of 0, and the mean forces that they pushed with; so have places that are gone (another corner stands
 * in for them), where their shapes are nearest now. The mean forces of all contacts are all that contacts did in the step:
 * dt times their sum is what they changed the body's momentum by. */
BR_API int br_contact_count(const BrModel *model, const BrWorkspace *workspace);
BR_API BrStatus br_contact(const BrModel *model, const BrWorkspace *workspace, int number, BrContact *contact);
/* What the compliant laws of a contact remember, by name or symbol (BrLawMemory): three numbers of a vector, world
 * axes, else one, the others 0. All are 0 where the contact's laws keep no such memory, or the last step was not
 * compliant. A word that no law knows is an invalid argument. */
BR_API BrStatus br_contact_memory(const BrModel *model, const BrWorkspace *workspace, int number, const char *name,
                                  double value[3]);

/* All that two bodies do to each other where they touch, at all places together. Forces and torques act on `first`. */
typedef struct BrContactPair {
    BrBodyId first, second;
    int places;             /* that br_contact() tells of them; 0: they do not touch, and all else is 0 */
    BrContactMode mode;     /* of the places that push; mixed: they differ; open: none does */
    double gap;             /* m, the smallest; negative: overlap */
    BrVec3 point;           /* m, world: centre of pressure, of the normal forces; where nothing pushes of their means,
                                     else the middle of the places */
    BrVec3 normal;          /* unit, from second to first: mean direction, weighted as the point is */
    BrVec3 slip;            /* m/s, world: of first against second, where it is fastest among places that push */
    BrVec3 force, torque;   /* N, N m, world, instantaneous: of normal forces, friction and moments; about `point` */
    double normal_force;    /* N: sum of the normal forces */
    BrVec3 friction_force;  /* N, world: sum */
    BrVec3 rolling_moment;  /* N m, world: sum */
    BrVec3 spinning_moment; /* N m: sum */
    BrVec3 force_mean, torque_mean; /* N, N m: of the last step, as in BrContact; about `point` */
    double normal_force_mean;
    BrVec3 friction_force_mean, rolling_moment_mean, spinning_moment_mean;
    double ratio, ratio_mean; /* |friction| / (mu normal) of the place where that is largest; 0 where nothing pushes */
    double margin;            /* N: mu normal - |friction|, the smallest of places that push */
    double power;             /* W: that friction and moments take out now */
} BrContactPair;

/* Of the last br_evaluate(), as br_contact(): what `second` does to `first`, whichever is named first; the other way round
 * all vectors but the point are the opposite. Two bodies that do not touch: BR_OK, and `places` is 0. */
BR_API BrStatus br_contact_pair(const BrModel *model, const BrWorkspace *workspace, BrBodyId first, BrBodyId second,
                                BrContactPair *pair);
/* How many pairs of bodies touch, and each of them, named as BrContact's b and a are. */
BR_API int br_contact_pair_count(const BrModel *model, const BrWorkspace *workspace);
BR_API BrStatus br_contact_pair_at(const BrModel *model, const BrWorkspace *workspace, int number, BrContactPair *pair);

/* ------------------------------------------------------------------ doubts */

/* What rigid contact may not answer as its user expects. */
typedef enum BrDoubtKind {
    BR_DOUBT_OVERLAP,  /* two bodies are inside each other by more than 1e-6 of the smaller one's extent */
    BR_DOUBT_PAINLEVE, /* friction turns two bodies into their contact: forces may be missing, or not the only ones */
    BR_DOUBT_WEDGE,    /* friction alone can hold a body between two others that oppose each other: it may hold or come
                          out */
    BR_DOUBT_CARRIED,  /* joints hold a contact's normal: it shares their load by least norm */
    /* of br_start_doubts(): */
    BR_DOUBT_APPROACH, /* two bodies touch and approach each other: the run begins with a blow */
    BR_DOUBT_LIMIT,    /* a joint begins past a limit */
    BR_DOUBT_STEP,     /* a body flies farther than it is long in a step, or turns by more than a radian */
    BR_DOUBT_INERTIA,  /* a body's inertia does not go with the size of its shapes */
    BR_DOUBT_DENSITY,  /* a density that no solid has */
    BR_DOUBTS
} BrDoubtKind;

BR_API const char *br_doubt_name(BrDoubtKind kind); /* "overlap" */

typedef struct BrDoubt {
    BrDoubtKind kind;
    BrBodyId body[3]; /* the two that touch (as body_a, body_b of BrContact) and null; of a wedge the body that is held,
                         and what it touches */
    BrJointId joint;  /* carried: the one that carries most */
    int contacts;     /* of these bodies that it is about */
    double
        value; /* overlap: m; Painleve, wedge: mu; approach: m/s; limit: where the joint is, m or rad; step: m or rad in a
                     step; inertia: radius of gyration, m; density: kg/m^3 */
    double limit; /* overlap: value as a part of the extent; Painleve: a mu below this is safe; wedge: from this mu on
                     it may hold; approach: slower is rest, m/s; limit: the limit; step: the dt that would do, s; inertia: how
                     far the shapes reach, m; density: what solids have, kg/m^3 */
    BrVec3
        way; /* overlap, m: this far the second body would have to go, or the first, where that one cannot, the other way */
    char text[640]; /* all this as a sentence, with what to do */
} BrDoubt;

/* Tells of each two bodies that touch in this state what may be doubted about it; costs a few solves per contact. The
 * tests are cheap and look at one contact, or at two, at a time: Painleve's says that no slide presses itself, of contacts
 * that are alone; how many answers there are br_state_diagnose() tells. Nothing is told of a state of the formulation compliant, which has an answer. */
BR_API BrStatus br_state_doubts(const BrModel *model, BrWorkspace *workspace, const BrState *state,
                                void (*tell)(void *user, const BrDoubt *doubt), void *user, BrError *error);

/* The same of where a run with these steps begins, contacts or not: joints past limits, bodies that touch and approach, steps
 * too large for the speeds that there are, inertias and densities that slips in units make. */
BR_API BrStatus br_start_doubts(const BrModel *model, BrWorkspace *workspace, const BrState *state,
                                const BrStepDef *step, void (*tell)(void *user, const BrDoubt *doubt), void *user,
                                BrError *error);

typedef struct BrSeparation {
    int rounds;   /* of looking and moving; 0: nothing was to be done, and the state is as it was */
    double moved; /* m: of the body that went farthest */
    BrBodyId moved_body;
} BrSeparation;

/* Takes bodies apart that are inside each other (BR_DOUBT_OVERLAP): along their contacts' normals, nearest in the
 * kinetic-energy metric, joints holding; velocities are fitted to the joints again. For before the first step. Refused, with the
 * state as it was, where they cannot come apart. `separation` may be NULL. */
BR_API BrStatus br_state_separate(const BrModel *model, BrWorkspace *workspace, BrState *state,
                                  BrSeparation *separation, BrError *error);

/* A lasting contact: a joint of the type contact. Forces act on body b; those on body a are the opposite. */
typedef struct BrLastingContact {
    BrContactMode mode;    /* open: it was let go, or the formulation is another one than smooth */
    BrVec3 point;          /* m, world */
    BrVec3 normal;         /* unit, from a to b */
    double gap;            /* m; of a compliant one less its depth: negative */
    double normal_force;   /* N, instantaneous */
    BrVec3 friction_force; /* N, world: what its law gives for this state, for the next step to begin with */
    BrVec3 moment;         /* N m, world: the same, of rolling and spinning */
    BrVec3 slip;           /* m/s, world: of b's surface against a's */
    double violation;      /* root of the sum of squares of all seven conditions (points, normals, surfaces), m or 1 */
    double heat;           /* J since step 0: made by its friction */
} BrLastingContact;

/* Of the last br_evaluate(), which was of this state. BR_INVALID_ID: no joint of this model, or not of this type. */
BR_API BrStatus br_lasting_contact(const BrModel *model, const BrWorkspace *workspace, const BrState *state,
                                   BrJointId id, BrLastingContact *contact);

#ifdef __cplusplus
}
#endif

#endif
