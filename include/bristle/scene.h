/* bristle/scene.h: machines as YAML files (docs/scenes.md tells the keys). */
#ifndef BRISTLE_SCENE_H
#define BRISTLE_SCENE_H

#include "bristle/step.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A model with what the file says about running it. */
typedef struct BrScene BrScene;

typedef struct BrSceneOptions {
    uint32_t cookie, struct_size; /* of BR_DEFAULT, not to be set */
    const char *const *set;       /* "path.to.key=value", applied in order before the scene is read */
    int sets;
    BrAllocator allocator; /* all zeros: malloc and free */
    BrLog log;
    const char *const *include; /* folders in which files that the scene includes may be, beside the scene's own */
    int includes;
    const BrLawDef *const *laws; /* of one's own, which the scene may name; `law_count` pointers */
    int law_count;
} BrSceneOptions;

BR_DEFAULT(BrSceneOptions, br_default_scene_options, br_start_scene_options)

/* Reads a file ("-" is standard input), or text that is called `name` in messages; these two have no folder, so that
 * they include files of the folders given only. On refusal `error` has file, line
 * and column, what was found and what to do; *scene is NULL. `options` may be NULL. */
BR_API BrStatus br_scene_load(const char *path, const BrSceneOptions *options, BrScene **scene, BrError *error);
BR_API BrStatus br_scene_parse(const char *text, size_t size, const char *name, const BrSceneOptions *options,
                               BrScene **scene, BrError *error);
BR_API void br_scene_destroy(BrScene *scene); /* the model goes with it; NULL allowed */

typedef struct BrRunDef {
    BrStepDef step;
    double until;        /* s */
    double record_every; /* s, a multiple of dt */
} BrRunDef;

BR_API const BrModel *br_scene_model(const BrScene *scene);
BR_API BrRunDef br_scene_run_def(const BrScene *scene);
/* The file as it was read, and the assignments made to it, one per line. Of a scene that includes others, or places parts
 * from files, the text has all of them in it: it needs no other file. */
BR_API const char *br_scene_text(const BrScene *scene);
BR_API const char *br_scene_assignments(const BrScene *scene);
/* The scene as it was understood: assignments made, parts placed, blocks repeated, defaults filled in. Read back it is
 * the same model. The text is made when it is first asked for, and is the scene's; NULL: no memory. */
BR_API const char *br_scene_expanded(BrScene *scene);
/* Its parameters, in the order of the file, with the values the assignments gave them (SI). */
BR_API int br_scene_parameter_count(const BrScene *scene);
BR_API const char *br_scene_parameter(const BrScene *scene, int number, double *value);

/* ------------------------------------------------------------------ writing
 * A built model as a scene that reads back to the same one, with the same fingerprint: so a state, a checkpoint or a
 * recording of the one is one of the other. All that a model has is written, and what it has as numbers with the digits
 * that give the same bits. What a scene cannot hold (functions and laws of a program in C, ...) is refused with a sentence
 * that names it. Parameters, comments and a title of the scene that it came from are not part of a model. */

/* Under a file name; what stands there is replaced once it is all written. */
BR_API BrStatus br_model_write_scene(const BrModel *model, const BrRunDef *run, const char *path, BrError *error);
/* The same to a function, which is called once; `text` ends with a 0 that is not counted. */
BR_API BrStatus br_model_tell_scene(const BrModel *model, const BrRunDef *run,
                                    void (*write)(void *user, const char *text, size_t size), void *user,
                                    BrError *error);

/* ------------------------------------------------------------------ changing
 * A built copy of a model with other values, which stand in their places of the scene that it is written as, and are
 * checked as there: "materials.tyre.friction.mu=0.4", "bodies.arm.mass=3 kg", "springs.s.stiffness=2 kN/m", "gravity.2=-1.62",
 * "motors.m.max_torque=5", "pairs.0.friction.mu=0.1", "parameters.k=2" (a name that expressions know). What a scene worked out
 * before, masses from densities among it, are numbers there. Laws of one's own go with it. br_state_move() lets a state go on in it. Destroyed as any model. */
BR_API BrStatus br_model_change(const BrModel *model, const char *const *set, int sets, BrModel **changed,
                                BrError *error);

#ifdef __cplusplus
}
#endif

#endif
