/* mass.c: bodies made of shapes: m mass, c centre, J inertia about it, S the mean of (p - c)(p - c)^T (solid.h)
 *
 *     J = m (tr S 1 - S)                                                                                      (2.10)
 *     two parts, d = c_2 - c_1, n = m_1 m_2/(m_1 + m_2):  J = J_1 + J_2 + n (d.d 1 - d d^T)                   (2.11)
 *
 * (2.11) is Steiner's theorem for both parts at once: nothing is subtracted. */
#include "model/mass.h"

#include "geom/profile.h"
#include "geom/solid.h"
#include "model/add.h"

/* x.x 1 - x x^T, summed up: of a tensor of second moments its inertia. */
static BrMat3 turn_spread(const BrMat3 *S) {
    double trace = S->m[0][0] + S->m[1][1] + S->m[2][2];
    BrMat3 J;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) J.m[i][k] = (i == k ? trace : 0) - S->m[i][k];
    for (int i = 0; i < 3; i++) J.m[i][i] = S->m[(i + 1) % 3][(i + 1) % 3] + S->m[(i + 2) % 3][(i + 2) % 3];
    return J;
}

/* R J R^T, symmetric to the last bit. */
static BrMat3 turn_tensor(const BrMat3 *R, const BrMat3 *J) {
    BrMat3 RJ = bri_mat_mul(R, J), Rt = bri_transpose(R), turned = bri_mat_mul(&RJ, &Rt);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < i; k++) turned.m[i][k] = turned.m[k][i];
    return turned;
}

BrMass br_mass_scale(BrMass mass, double factor) {
    mass.mass *= factor;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) mass.inertia.m[i][k] *= factor;
    return mass;
}

BrMass br_mass_add(BrMass a, BrMass b) {
    double both = a.mass + b.mass;
    if (!(b.mass > 0)) return a;
    if (!(a.mass > 0)) return b;
    BrVec3 d = bri_sub(b.centre, a.centre);
    double n = a.mass * (b.mass / both), x[3] = {d.x, d.y, d.z};
    BrMat3 square;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) square.m[i][k] = n * x[i] * x[k];
    BrMat3 apart = turn_spread(&square); /* (2.11) */
    BrMass sum = {both, bri_add_scaled(a.centre, b.mass / both, d), apart};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) sum.inertia.m[i][k] += a.inertia.m[i][k] + b.inertia.m[i][k];
    return sum;
}

BrMass br_mass_move(BrMass mass, BrVec3 position, const BrMat3 *rotation) {
    return (BrMass){mass.mass, bri_add(position, bri_mul(rotation, mass.centre)), turn_tensor(rotation, &mass.inertia)};
}

void br_body_def_set_mass(BrBodyDef *def, const BrMass *mass) {
    BrVec3 frame = def->position;
    if (bri_has_frame(def->frame_body)) frame = bri_add(frame, bri_mul(&def->rotation, def->frame_body));
    def->mass = mass->mass;
    def->inertia = mass->inertia;
    def->frame_body = bri_sub(bri_vec(0, 0, 0), mass->centre);
    def->position = frame;
    if (bri_has_frame(mass->centre)) def->position = bri_add(frame, bri_mul(&def->rotation, mass->centre));
}

/* ------------------------------------------------------------------ shapes */

/* What the shape of a definition fills. */
static BrStatus measure(const BrShapeDef *def, const BrAllocator *allocator, BriSolid *solid, const BrShapeInfo **info,
                        BrError *error) {
    BriShape shape;
    *solid = (BriSolid){0};
    BrStatus status = bri_check_def(def, sizeof *def, "br_default_shape_def", error);
    if (status != BR_OK) return status;
    *info = br_shape_info(def->kind);
    if (!*info) return bri_fail(error, BR_INVALID_ARGUMENT, "%d is no kind of shape", (int)def->kind);
    status = bri_check_shape(def, "to be", error);
    if (status != BR_OK) return status;
    if (!bri_make_shape(def, allocator, &shape)) return bri_no_memory_for("a", (*info)->name, error);
    bool fills = bri_shape_solid(&shape, solid);
    bri_profile_release((BriProfile *)(uintptr_t)shape.profile, allocator);
    if (fills) return BR_OK;
    return bri_fail(
        error, BR_INVALID_ARGUMENT,
        def->kind == BR_SHAPE_REVOLUTION || def->kind == BR_SHAPE_EXTRUSION
            ? "the points of %s %s do not go round a volume, so that no mass can be spread over it; let the "
              "solid lie to their right"
            : "%s %s has no volume that ends, so that no mass can be spread over it",
        bri_shape_article(*info), (*info)->name);
}

static BrMass fill(const BriSolid *solid, const BrShapeDef *def, double kilograms) {
    BrMat3 inertia = turn_spread(&solid->spread), turn = bri_rotation_normalise(&def->rotation_body); /* (2.10) */
    BrMass mass = br_mass_scale((BrMass){1, solid->centre, inertia}, kilograms);
    return br_mass_move(mass, def->position_body, &turn);
}

static BrStatus check_amount(double value, const char *what, const char *unit, BrError *error) {
    if (value > 0 && bri_is_finite(value)) return BR_OK;
    return bri_fail(error, BR_INVALID_ARGUMENT, "the %s of a shape is %.9g %s; it must be positive", what, value, unit);
}

BrStatus bri_shape_mass(const BrShapeDef *def, double density, double kilograms, const BrAllocator *allocator,
                        BrMass *mass, BrError *error) {
    BriSolid solid = {0};
    const BrShapeInfo *info = NULL;
    BrStatus status = measure(def, allocator, &solid, &info, error);
    if (status != BR_OK) return status;
    if (density != 0 && !(solid.volume > 0))
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "%s %s has no volume for a density of %.9g kg/m^3 to fill; give its mass",
                        bri_shape_article(info), info->name, density);
    *mass = fill(&solid, def, density != 0 ? density * solid.volume : kilograms);
    return BR_OK;
}

BrStatus br_shape_mass(const BrShapeDef *def, double density, BrMass *mass, BrError *error) {
    BRI_NEED(def && mass, "def and mass", error);
    BrAllocator allocator = bri_default_allocator();
    BrStatus status = check_amount(density, "density", "kg/m^3", error);
    return status == BR_OK ? bri_shape_mass(def, density, 0, &allocator, mass, error) : status;
}

BrStatus br_shape_mass_given(const BrShapeDef *def, double kilograms, BrMass *mass, BrError *error) {
    BRI_NEED(def && mass, "def and mass", error);
    BrAllocator allocator = bri_default_allocator();
    BrStatus status = check_amount(kilograms, "mass", "kg", error);
    return status == BR_OK ? bri_shape_mass(def, 0, kilograms, &allocator, mass, error) : status;
}
