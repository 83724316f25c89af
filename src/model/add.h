/* add.h: what all additions to a model share. Every refusal leaves the model as it was. */
#ifndef BRI_ADD_H
#define BRI_ADD_H

#include "model/model.h"

/* Stage, start and size of a definition; "what" is "body", "joint", ... */
BrStatus bri_check_addition(const BrModel *model, const void *def, size_t size, const char *what, BrError *error);
/* A name that is allowed and not taken yet. */
BrStatus bri_check_name(const char *name, const BriNames *taken, const char *what, BrError *error);
BrStatus bri_no_memory_for(const char *what, const char *name, BrError *error);

/* The steps after which an addition cannot fail any more: the owned name and its entry in the table. */
char *bri_own_name(BrModel *model, const char *name, BriNames *names, int number);

/* Sizes, profile and place of a shape of the body that is called so (add_shape.c), and what geometry makes of it. The profile
 * is the caller's to release. */
BrStatus bri_check_shape(const BrShapeDef *def, const char *body, BrError *error);
bool bri_make_shape(const BrShapeDef *def, const BrAllocator *allocator, BriShape *shape);

void bri_release_spring(BriSpring *spring, const BrAllocator *allocator);
void bri_release_motor(BriMotor *motor, const BrAllocator *allocator);
void bri_release_motion(BriMotion *motion, const BrAllocator *allocator);
void bri_release_surface(BriSurface *surface, const BrAllocator *allocator);
void bri_release_shape(BriModelShape *shape, const BrAllocator *allocator);
void bri_release_force(BriForce *force, const BrAllocator *allocator);
void bri_release_signal(BriSignal *signal, const BrAllocator *allocator);

#endif
