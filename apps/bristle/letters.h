/* letters.h: base64 of little-endian numbers, as the report page reads them. */
#ifndef LETTERS_H
#define LETTERS_H

#include <stdint.h>
#include <stdio.h>

/* Three bytes at a time. Begins as {.out = file}. */
typedef struct Letters {
    FILE *out;
    unsigned held;
    int bytes;
    uint64_t written; /* letters */
} Letters;

void put_bits(Letters *letters, uint64_t bits, int bytes); /* the lowest byte first */
void put_double(Letters *letters, double value);
void put_float(Letters *letters, float value);
void end_letters(Letters *letters); /* to a whole group of four */

#endif
