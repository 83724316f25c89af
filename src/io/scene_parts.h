/* scene_parts.h: the sections of a scene that add to its model. Each takes the section's node. */
#ifndef BRI_SCENE_PARTS_H
#define BRI_SCENE_PARTS_H

#include "io/scene_values.h"

/* The model, which from here on is not the scene's any more. */
BrModel *bri_scene_take_model(BrScene *scene);

/* `motions` (may be NULL) tells which bodies are kinematic. */
bool bri_read_bodies(BriReader *r, const BriNode *section, const BriNode *motions);
/* scene_contact.c; shapes stand in the bodies' entries */
bool bri_read_materials(BriReader *r, const BriNode *section);
bool bri_read_pairs(BriReader *r, const BriNode *section);
bool bri_read_shapes(BriReader *r, const BriNode *bodies);
bool bri_read_filters(BriReader *r, const BriNode *section);
bool bri_read_memory(BriReader *r, const BriNode *section);
/* friction: {law: coulomb, ..., pin_radius: ...} of a joint; the node has a law */
bool bri_read_bearing_friction(BriReader *r, const BriNode *node, BrJointDef *def);
bool bri_read_scattered_shapes(BriReader *r, const BriNode *section);
/* body: name */
bool bri_find_body_of(BriReader *r, const BriNode *entry, BrBodyId *id);
/* [first, second] */
bool bri_find_body_pair(BriReader *r, const BriNode *node, const char *what, BrBodyId *a, BrBodyId *b);
bool bri_read_joints(BriReader *r, const BriNode *section);
bool bri_read_springs(BriReader *r, const BriNode *section);
bool bri_read_motors(BriReader *r, const BriNode *section);
bool bri_read_motions(BriReader *r, const BriNode *section);
bool bri_read_forces(BriReader *r, const BriNode *section);
bool bri_read_signals(BriReader *r, const BriNode *section); /* scene_signals.c */

#endif
