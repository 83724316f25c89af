/* letters.c: see letters.h. */
#include "letters.h"

#include <string.h>

static void put_group(Letters *l, int bytes) {
    static const char ALPHABET[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned held = l->held << (8 * (3 - bytes));
    char group[4];
    for (int i = 0; i < 4; i++) group[i] = i <= bytes ? ALPHABET[held >> (18 - 6 * i) & 63] : '=';
    fwrite(group, 1, 4, l->out);
    l->written += 4;
    l->held = 0;
    l->bytes = 0;
}

void put_bits(Letters *l, uint64_t bits, int bytes) {
    for (int i = 0; i < bytes; i++) {
        l->held = l->held << 8 | (unsigned)(bits >> (8 * i) & 255);
        if (++l->bytes == 3) put_group(l, 3);
    }
}

void put_double(Letters *l, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_bits(l, bits, 8);
}

void put_float(Letters *l, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_bits(l, bits, 4);
}

void end_letters(Letters *l) {
    if (l->bytes) put_group(l, l->bytes);
}
