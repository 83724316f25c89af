/* scene_write.h: a model as the text of a scene. What is written reads back to the same model, bit by bit. */
#ifndef BRI_SCENE_WRITE_H
#define BRI_SCENE_WRITE_H

#include "bristle/scene.h"
#include "model/model.h"

/* A number that expressions know by a name. Two of one name and different values get names of their own. */
typedef struct BriWrittenConstant {
    const char *name; /* in its functions */
    double value;
    char written[80]; /* in the scene */
} BriWrittenConstant;

typedef struct BriWriter {
    const BrModel *model;
    BrAllocator allocator;
    bool copies;     /* for a program that has the laws of users: they may be named */
    BrStatus status; /* once it is no longer BR_OK nothing is written */
    BrError *error;
    char *text;
    size_t length, room;
    bool comma;     /* one is needed before the next key or item */
    bool scattered; /* shapes stand beside the bodies: not in their order, or with densities that weigh nothing */
    int shape;      /* else: the next one */
    int constants, constant_room;
    BriWrittenConstant *constant;
} BriWriter;

/* The scene in `w->text`, read back and compared (with a user's laws, if it copies); the caller releases the writer. */
BrStatus bri_write_model(BriWriter *w, const BrRunDef *run, const BrSceneOptions *options);
void bri_write_release(BriWriter *w);

__attribute__((format(printf, 2, 3))) void bri_write_refuse(BriWriter *w, const char *format, ...);
void bri_write_plain(BriWriter *w, const char *text);
/* A key or an item of a mapping or list in braces or brackets, and their ends. */
void bri_write_open(BriWriter *w, const char *bracket);
void bri_write_close(BriWriter *w, const char *bracket);
void bri_write_key(BriWriter *w, const char *key);
void bri_write_item(BriWriter *w);
/* With the digits that give the same bits again; infinite ones as "infinite". */
void bri_write_number(BriWriter *w, double x);
void bri_write_vector(BriWriter *w, BrVec3 v);
void bri_write_matrix(BriWriter *w, const BrMat3 *A);
/* Names of users, in quotes where YAML would not take them for words. */
void bri_write_name(BriWriter *w, const char *name);
void bri_write_function(BriWriter *w, const BrFunctionDef *def);
void bri_write_table(BriWriter *w, const double *table, int points); /* [[x, y], ...] */
void bri_write_functions(BriWriter *w, const BrFunctionDef def[3]);
bool bri_is_zero_vector(BrVec3 v);
bool bri_is_identity(const BrMat3 *A);
BrFunctionDef bri_signal_over(const BrSignalDef *def);

/* scene_write_parts.c: sections with what the model has of each; nothing where it has none */
void bri_write_bodies(BriWriter *w);
void bri_write_joints(BriWriter *w);
void bri_write_signals(BriWriter *w);
void bri_write_springs(BriWriter *w);
void bri_write_motors(BriWriter *w);
void bri_write_motions(BriWriter *w);
void bri_write_forces(BriWriter *w);
void bri_write_couplings(BriWriter *w);
void bri_write_sensors(BriWriter *w);
/* scene_write_contact.c */
void bri_write_law(BriWriter *w, const BrLaw *law, const char *owner); /* its keys, without braces */
void bri_write_materials(BriWriter *w);
void bri_write_pairs(BriWriter *w);
/* Of one body, where the model's shapes stand in the order of its bodies; */
void bri_write_shapes_of(BriWriter *w, int body);
/* else all of them. */
void bri_write_shapes(BriWriter *w);
void bri_write_filters(BriWriter *w);
void bri_write_memories(BriWriter *w);

#endif
