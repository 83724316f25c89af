/* bristle/map.h: how many answers rigid contact has in a scene as its numbers change, and where that changes. */
#ifndef BRISTLE_MAP_H
#define BRISTLE_MAP_H

#include "bristle/diagnose.h"
#include "bristle/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What br_state_diagnose() says of a scene's assembled start, all islands together. */
typedef struct BrScenePoint {
    BrDiagnosisVerdict verdict;    /* the worst: none, endless, several, undecided, unique */
    int contacts;                  /* that are closed; 0: all else is as of one stable answer */
    int answers, stable, unstable; /* of the islands multiplied: answers, those stable in all islands, and the others
                                      that are unstable in some */
    int kept;                      /* answers in which some contact pushes, of the island that has most */
    int held;                      /* the same: answers in which no contact slides or parts: it rests, or is jammed */
    double mu, mu_painleve;        /* of the island that is nearest to its boundary, */
    double turn, move;             /* rad, m: and of the contact that is nearest in its pose; NaN: not told */
} BrScenePoint;

BR_API BrStatus br_scene_diagnose(const char *path, const BrSceneOptions *options, BrScenePoint *point, BrError *error);

/* Are verdict and numbers of answers the same? */
BR_API bool br_scene_points_alike(const BrScenePoint *a, const BrScenePoint *b);

/* Where in a scene one number is changed: "parameters.mu", in the unit "deg" or "". */
typedef struct BrMapLine {
    const char *path, *unit;
    double low, high; /* in that unit: between them the diagnosis changes */
    double tolerance; /* in that unit: how near to come; 0: as near as numbers lie */
} BrMapLine;

/* The place between low and high where it changes, by bisection (of several changes one), and the diagnosis on both
 * sides of it. BR_INVALID_ARGUMENT: it is the same at both ends. */
BR_API BrStatus br_scene_boundary(const char *path, const BrSceneOptions *options, const BrMapLine *line, double *place,
                                  BrScenePoint sides[2], BrError *error);

#ifdef __cplusplus
}
#endif

#endif
