/* scene_parts.h: the sections of a scene that add to its model. Each takes the section's node. */
#ifndef BRI_SCENE_PARTS_H
#define BRI_SCENE_PARTS_H

#include "bristle/mass.h"
#include "io/scene_values.h"

/* The model, which from here on is not the scene's any more. */
BrModel *bri_scene_take_model(BrScene *scene);

/* Where a frame stands in the world, in the pose of the file. */
typedef struct BriPlace {
    const BriNode *key, *pose; /* of a frame its entry; NULL: not said */
    unsigned char known;       /* 0 not yet, 1 being worked out, 2 known */
    BrVec3 position;           /* m */
    BrMat3 rotation;           /* its axes to the world's */
    bool centred;              /* a body: points count from its centre of mass, whatever frame is told of */
} BriPlace;

bool bri_check_section(BriReader *r, const BriNode *section, const char *what);
/* scene_frames.c: where bodies' frames and named frames stand in the world, each once all it hangs on is known. `frames`
 * may be NULL. */
bool bri_place_frames(BriReader *r, const BriNode *bodies, const BriNode *frames);
/* The frame of that name, of a body or of `frames`; NULL after a refusal of `node`. */
const struct BriPlace *bri_find_place(BriReader *r, const BriNode *node);
/* [x, y, z] in the world, or {frame: name, position: [..]}: a point; or {frame: name, direction: [..]}, of any length but 0 */
bool bri_read_point(BriReader *r, const BriNode *node, const char *what, BrVec3 *point);
bool bri_read_axis(BriReader *r, const BriNode *node, const char *what, BrVec3 *axis);
/* scene_bodies.c; `motions` (may be NULL) tells which bodies are kinematic. */
bool bri_read_bodies(BriReader *r, const BriNode *section, const BriNode *motions);
/* scene_contact.c; shapes stand in the bodies' entries. A shape's points are the caller's to release. */
bool bri_read_shape_def(BriReader *r, const BriNode *entry, bool names_body, BrShapeDef *def);
bool bri_read_materials(BriReader *r, const BriNode *section);
bool bri_read_pairs(BriReader *r, const BriNode *section);
bool bri_read_density(BriReader *r, const BriNode *node, double *density); /* kg/m^3, positive; scene_bodies.c */
bool bri_read_shapes(BriReader *r, const BriNode *bodies);
bool bri_read_filters(BriReader *r, const BriNode *section);
bool bri_read_memory(BriReader *r, const BriNode *section);
/* friction: {law: coulomb, ..., pin_radius: ...} of a joint; the node has a law */
bool bri_read_bearing_friction(BriReader *r, const BriNode *node, BrJointDef *def);
bool bri_read_scattered_shapes(BriReader *r, const BriNode *section);
/* body: name */
bool bri_find_body_of(BriReader *r, const BriNode *entry, BrBodyId *id);
/* By name; refuses, and suggests the nearest. */
bool bri_find_body(BriReader *r, const BriNode *node, const char *what, BrBodyId *id);
bool bri_find_joint(BriReader *r, const BriNode *node, const char *what, BrJointId *id);
/* From where points of a body count in the file to its centre of mass, from which they count in the model. */
void bri_shift_origin(BriReader *r, BrBodyId body, BrVec3 *point);
/* A point in the axes of a body's frame, from its origin; the model counts from the centre of mass. */
bool bri_read_optional_body_point(BriReader *r, const BriNode *entry, const char *key, BrBodyId body, BrVec3 *value);
/* [first, second] */
bool bri_find_body_pair(BriReader *r, const BriNode *node, const char *what, BrBodyId *a, BrBodyId *b);
bool bri_read_joints(BriReader *r, const BriNode *section);
bool bri_read_springs(BriReader *r, const BriNode *section);
bool bri_read_bushing(BriReader *r, const BriNode *key,
                      const BriNode *entry);                   /* an entry of springs; scene_bushings.c */
bool bri_read_couplings(BriReader *r, const BriNode *section); /* scene_couplings.c */
bool bri_read_motors(BriReader *r, const BriNode *section);
bool bri_read_motions(BriReader *r, const BriNode *section);
bool bri_read_forces(BriReader *r, const BriNode *section);
bool bri_read_sensors(BriReader *r, const BriNode *section); /* scene_sensors.c */
bool bri_read_signals(BriReader *r, const BriNode *section); /* scene_signals.c */

#endif
