/* vectors.h: two or four numbers at a time, wherever they stand, for kernels that are written once and compiled with and
 * without vectors of four (bri_has_wide_vectors). Numbers that stand beside each other never meet: the same bits. */
#ifndef BRI_VECTORS_H
#define BRI_VECTORS_H

#define KERNEL static inline __attribute__((always_inline))

typedef double Two __attribute__((vector_size(16), aligned(8), may_alias));
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));

#endif
