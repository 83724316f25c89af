/* hdf5_silence.h: HDF5 prints what goes wrong unless told not to; we say it ourselves. */
#ifndef BRI_HDF5_SILENCE_H
#define BRI_HDF5_SILENCE_H

#include <hdf5.h>

typedef struct BriSilence {
    H5E_auto2_t function;
    void *data;
} BriSilence;

static inline BriSilence bri_silence_begin(void) {
    BriSilence s;
    H5Eget_auto2(H5E_DEFAULT, &s.function, &s.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return s;
}

static inline void bri_silence_end(BriSilence s) { H5Eset_auto2(H5E_DEFAULT, s.function, s.data); }

#endif
