/* force.h: everything that pushes, and the energy in it. */
#ifndef BRI_FORCE_H
#define BRI_FORCE_H

#include "dynamics/quantity.h"

/* Its weight, N, as six numbers of a load. */
static inline void bri_weigh(const BrModel *m, const BriBody *body, double *f) {
    BrVec3 weight = bri_scale(body->mass, m->gravity);
    f[0] = weight.x, f[1] = weight.y, f[2] = weight.z;
    f[3] = f[4] = f[5] = 0;
}

/* Is there more than weights? */
static inline bool bri_is_pushed(const BrModel *m, const BrState *inputs) {
    return m->forces || m->springs || m->efforts || m->bushings || m->viscous || inputs->loaded != 0;
}

/* Generalized forces at time `time`, poses and velocities `bodies`, angles near those in `joints`: 6 numbers per moving
 * body, force (world, N) and torque about the centre of mass (body axes, N m). Without the gyroscopic torque. */
void bri_forces(const BrModel *model, const BrState *inputs, const BriBodyState *bodies, double time, double *f);

/* - w x J w, body axes */
BrVec3 bri_gyroscopic_torque(const BriBody *body, BrVec3 w);

typedef struct BriSpringReading {
    double length, rate; /* or coordinate and its rate */
    double tension;      /* positive: pulls towards shorter */
    double elastic;      /* the part that is there at rest */
} BriSpringReading;

/* What a spring pulls with at deflection x and rate v (4.1). */
double bri_spring_tension(const BriSpring *spring, const BriInstant *instant, double x, double v);

/* Its deflection at a length, or coordinate: m or rad, what is beyond its play. */
double bri_spring_deflection(const BriSpring *spring, double length);

BriSpringReading bri_spring_read(const BriInstant *instant, int spring);

double bri_body_energy(const BrModel *model, int body, const BriBodyState *state); /* kinetic, J */
double bri_kinetic_energy(const BrModel *model, const BriBodyState *bodies);
double bri_gravity_energy(const BrModel *model, const BriBodyState *bodies);
double bri_spring_energy(const BrModel *model, const BrState *state);

/* Power put in by forces and inputs, and taken out by dampers, W. */
void bri_powers(const BrModel *model, const BrState *state, double *work, double *dissipation);

/* What viscous friction in the bearings of a grip takes, W; *work: what moved bodies put into that is added. */
double bri_viscous_power(const BrModel *model, const BriBodyState *bodies, int grip, double *work);

#endif
