/* scene_bushings.c: springs: {name: {bushing: [first, second], at: ..., axis: ..., stiffness: [..], torsional_stiffness: [..], ...}}. */
#include "bristle/bushing.h"
#include "io/scene_parts.h"

#include <stdio.h>

bool bri_read_bushing(BriReader *r, const BriNode *key, const BriNode *entry) {
    static const char *const KEYS[] = {"bushing",          "at", "axis", "stiffness", "damping", "torsional_stiffness",
                                       "torsional_damping"};
    char what[100];
    snprintf(what, sizeof what, "bushing '%.60s'", key->text);
    if (!bri_check_keys(r, entry, what, KEYS, BRI_COUNT(KEYS))) return false;
    BrBushingDef def = br_default_bushing_def();
    const BriDimension units[4] = {BRI_STIFFNESS, BRI_DAMPING, BRI_TORSION_STIFFNESS, BRI_TORSION_DAMPING};
    BrVec3 *numbers[4] = {&def.stiffness, &def.damping, &def.torsion_stiffness, &def.torsion_damping};
    const BriNode *at = bri_node_find(entry, "at"), *axis = bri_node_find(entry, "axis");
    bool any = false;
    def.name = key->text;
    if (!at) return bri_refuse(r, key, "%s needs 'at', where it stands", what);
    if (!bri_find_body_pair(r, bri_node_find(entry, "bushing"), "bushing", &def.body_a, &def.body_b) ||
        !bri_read_vector(r, at, "at", BRI_LENGTH, &def.at) || (axis && !bri_read_axis(r, axis, "axis", &def.axis)))
        return false;
    for (int i = 0; i < 4; i++) {
        const BriNode *node = bri_node_find(entry, KEYS[3 + i]);
        any = any || node;
        if (node && !bri_read_vector(r, node, KEYS[3 + i], units[i], numbers[i])) return false;
    }
    if (!any)
        return bri_refuse(
            r, key, "%s needs at least one of 'stiffness', 'torsional_stiffness', 'damping' and 'torsional_damping'",
            what);
    BrStatus status = br_model_add_bushing(r->model, &def, NULL, r->error);
    return status == BR_OK || bri_refuse_as(r, key, status);
}
