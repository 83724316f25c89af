/* units.h: physical dimensions and unit names ("20 deg", "3 kN/m", "rpm").
 *
 * A dimension is the exponents of metre, kilogram, second and radian. A bare number is untyped: it fits any field and
 * is then taken in SI. The radian counts as a base unit so that an angle is not taken for a number, nor rad/s for Hz;
 * but where lengths or masses are in play it does not count: a torsional stiffness may be in N m/rad or N m, and a
 * radius times an angle is a length. */
#ifndef BRI_UNITS_H
#define BRI_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct BriDimension {
    bool typed;                             /* false: a bare number */
    int8_t metre, kilogram, second, radian; /* exponents */
} BriDimension;

#define BRI_UNTYPED                  ((BriDimension){false, 0, 0, 0, 0})
#define BRI_DIMENSION(m, kg, s, rad) ((BriDimension){true, (m), (kg), (s), (rad)})
#define BRI_NO_UNIT                  BRI_DIMENSION(0, 0, 0, 0)
#define BRI_LENGTH                   BRI_DIMENSION(1, 0, 0, 0)
#define BRI_ANGLE                    BRI_DIMENSION(0, 0, 0, 1)
#define BRI_TIME                     BRI_DIMENSION(0, 0, 1, 0)
#define BRI_FREQUENCY                BRI_DIMENSION(0, 0, -1, 0)
#define BRI_MASS                     BRI_DIMENSION(0, 1, 0, 0)
#define BRI_VELOCITY                 BRI_DIMENSION(1, 0, -1, 0)
#define BRI_ANGULAR_VELOCITY         BRI_DIMENSION(0, 0, -1, 1)
#define BRI_ACCELERATION             BRI_DIMENSION(1, 0, -2, 0)
#define BRI_INERTIA                  BRI_DIMENSION(2, 1, 0, 0)
#define BRI_FORCE                    BRI_DIMENSION(1, 1, -2, 0)
#define BRI_TORQUE                   BRI_DIMENSION(2, 1, -2, 0)
#define BRI_STIFFNESS                BRI_DIMENSION(0, 1, -2, 0)
#define BRI_DAMPING                  BRI_DIMENSION(0, 1, -1, 0)
#define BRI_TORSION_STIFFNESS        BRI_DIMENSION(2, 1, -2, -1)
#define BRI_TORSION_DAMPING          BRI_DIMENSION(2, 1, -1, -1)

/* Reads the longest unit expression at the start of `text`: names joined by '*', '/', '^' and integer exponents, or
 * blanks meaning '*': "kN/m", "N m s/rad", "m/s^2", "kg*m^2". Known names: m mm cm um km in, s ms us min h, kg g t,
 * rad deg mrad rev, N mN kN MN, Nm kNm, J kJ, W kW, Pa kPa MPa GPa bar, Hz kHz, rpm, g0 is not a unit. rpm is an
 * angular velocity. A '/' divides by the one name after it only ("N m s/rad" has rad^-1; "m/s/s" works). Returns the
 * number of characters read (0: no unit stands here, or its first name is unknown) and the factor to SI. Where a later
 * name is unknown, reading stops before the operator (or blank) that led to it. */
size_t bri_unit_read(const char *text, double *factor, BriDimension *dimension);

/* Does a value of dimension `given` fit a field of dimension `wanted`? Untyped fits all. */
bool bri_unit_fits(BriDimension given, BriDimension wanted);

/* "kg m^2 s^-2" into `text`; special-cased to the usual name where there is one ("N", "N m", "rad/s", "m/s", "N/m",
 * "N m/rad", ...); "1" for no unit. */
void bri_unit_name(BriDimension dimension, char *text, size_t size);

#endif
