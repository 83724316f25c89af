/* scene_parts.h: the sections of a scene that add to its model. Each takes the section's node. */
#ifndef BRI_SCENE_PARTS_H
#define BRI_SCENE_PARTS_H

#include "io/scene_values.h"

/* `motions` (may be NULL) tells which bodies are kinematic. */
bool bri_read_bodies(BriReader *r, const BriNode *section, const BriNode *motions);
bool bri_read_joints(BriReader *r, const BriNode *section);
bool bri_read_springs(BriReader *r, const BriNode *section);
bool bri_read_motors(BriReader *r, const BriNode *section);
bool bri_read_motions(BriReader *r, const BriNode *section);
bool bri_read_forces(BriReader *r, const BriNode *section);

#endif
