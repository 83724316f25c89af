/* contact_modes.h: the contacts of one island at one instant as a problem of accelerations, in plain arrays: no bodies.
 *     u = W p + b,        per contact rows n, t1, t2                                                            (12.1)
 * u: relative accelerations of its two sides, m/s^2; p: forces, N; W: kg^-1, joints projected out; b: u where no contact
 * pushes, with all that hangs on velocities and curvatures. */
#ifndef BRI_CONTACT_MODES_H
#define BRI_CONTACT_MODES_H

#include "base/base.h"

enum { BRI_MODES = 8, BRI_MODE_ROWS = 3 * BRI_MODES }; /* contacts whose combinations are all looked at; rows */
enum { BRI_CROWD = 256 }; /* contacts that are looked at together in another way (crowd.h) */

/* What a contact may do within the instant (bri_modes_prepare()). */
typedef enum BriModeCase {
    BRI_CASE_SLIPS,   /* its slip has a direction, or it has no friction: open, or it slides; or it is a bounded row */
    BRI_CASE_IN_LINE, /* without slip, and all that happens along t2 is nothing: open, rolls, slides along t1 or -t1 */
    BRI_CASE_RESTS    /* without slip: open, rolls, slides in any direction */
} BriModeCase;

typedef struct BriModeContact {
    /* No contact but a row whose force stays between two bounds, N: dry friction of a joint at rest, a motor at its speed. It
     * has the first of the three rows, holds (u = 0) within them, and gives way at one: at the lower, u >= 0. No friction. */
    bool bounded;
    double lower, upper; /* lower < 0 < upper */
    /* Or moments against rolling or spinning (7.32): a disc like friction's in rows t1 and t2 (of spin t1 alone), which the normal
     * force of a contact bears, 1 + its number; 0: it is a contact, or a bounded row. They stand behind all others, those of one
     * contact together: `bears` is the number of the first, 0: there is none. Only crowds have them. */
    int borne, bears;
    bool spins; /* of those: about the normal */
    double mu_s, mu_k;
    double slip[2];     /* m/s, along t1 and t2 */
    BriModeCase kind;   /* written by bri_modes_prepare(), */
    double drag[2];     /* and, of one that slips: what friction is per normal force */
    double frame[3][3]; /* n, t1, t2, world: a plane to look in is found by them, and answers are told in them */
    double place[3];    /* m, from anywhere: for contacts of one face, which have two bodies and a normal in common: */
    int face;           /* the same number; -1: of none */
} BriModeContact;

typedef struct BriModes {
    int contacts;
    bool unloaded; /* b is not known: only what holds for every b can be asked */
    double b[BRI_MODE_ROWS];
    double size[BRI_MODE_ROWS]; /* m/s^2: of the numbers that b is a sum of: what is much less is rounding */
    BriModeContact contact[BRI_MODES];
    /* units in which all numbers are near 1: u = accelerations * scale u~, p = accelerations / scale p~ */
    double scale[BRI_MODES]; /* kg^-1/2, per contact */
    double acceleration;     /* of u~: m/s^2 kg^1/2 */
    bool in_plane;           /* no contact is of the kind BRI_CASE_RESTS */
    bool others_out;         /* in plane, but the bodies could leave that plane: answers out of it are not looked for */
    double W[BRI_MODE_ROWS]
            [BRI_MODE_ROWS]; /* last, and only as much of it as there are contacts: to be cleared is dear */
} BriModes;

/* The same of any number of contacts, in somebody's arrays: 3 rows for each. */
typedef struct BriModeArrays {
    int contacts, stride;
    double *W; /* row i at i * stride */
    double *b, *size, *scale;
    BriModeContact *contact;
    double *acceleration;
} BriModeArrays;

/* To be read. */
typedef struct BriModeView {
    int contacts, stride;
    const double *W, *b, *scale;
    const BriModeContact *contact;
} BriModeView;

/* Whose normal force bears friction or a moment. */
static inline int bri_bearer(const BriModeContact *contact, int number) {
    return contact->borne ? contact->borne - 1 : number;
}

/* The moment behind number `last` (0: the first one) that contact k bears; 0: none. */
static inline int bri_next_borne(const BriModeContact *contact, int contacts, int k, int last) {
    int next = last ? last + 1 : contact[k].bears;
    return next > 0 && next < contacts && contact[next].borne == k + 1 ? next : 0;
}

BriModeArrays bri_modes_arrays(BriModes *modes);
BriModeView bri_modes_view(const BriModes *modes);

/* Units and kinds alone. */
void bri_modes_scale(const BriModeArrays *modes);
/* Units, kinds, and tangents: W, b and slips come back in units (slips as they were), turned so that t1 lies in the
 * plane of what happens, if there is one. Without b none is looked for. */
void bri_modes_prepare(BriModes *modes);

#endif
