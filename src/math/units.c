/* units.c: the table of unit names, and reading and writing products of them.
 *
 * A factor is kept as numerator and denominator until the end, so that km/h, 1/mm and mm^2 are rounded once. Operators
 * stand without blanks ("kN/m", not "kN / m"): in "5 mm * h" the blank before '*' ends the unit, and h is a name. */
#include "math/units.h"

#include "math/elementary.h"

#include <stdio.h>
#include <string.h>

typedef struct Unit {
    const char *name;
    double numerator, denominator; /* their ratio is the factor to SI */
    BriDimension dimension;
} Unit;

#define PI 3.14159265358979324

/* The compound literals of units.h are no constant initializers in C17; these are. */
#define EXPONENTS(m, kg, s, rad)                                                                                       \
    { true, (m), (kg), (s), (rad) }
#define LENGTH           EXPONENTS(1, 0, 0, 0)
#define ANGLE            EXPONENTS(0, 0, 0, 1)
#define TIME             EXPONENTS(0, 0, 1, 0)
#define FREQUENCY        EXPONENTS(0, 0, -1, 0)
#define MASS             EXPONENTS(0, 1, 0, 0)
#define ANGULAR_VELOCITY EXPONENTS(0, 0, -1, 1)
#define FORCE            EXPONENTS(1, 1, -2, 0)
#define ENERGY           EXPONENTS(2, 1, -2, 0)
#define POWER            EXPONENTS(2, 1, -3, 0)
#define PRESSURE         EXPONENTS(-1, 1, -2, 0)

static const Unit units[] = {
    {"m", 1, 1, LENGTH},
    {"mm", 1, 1000, LENGTH},
    {"cm", 1, 100, LENGTH},
    {"um", 1, 1000000, LENGTH},
    {"km", 1000, 1, LENGTH},
    {"in", 254, 10000, LENGTH},
    {"s", 1, 1, TIME},
    {"ms", 1, 1000, TIME},
    {"us", 1, 1000000, TIME},
    {"min", 60, 1, TIME},
    {"h", 3600, 1, TIME},
    {"kg", 1, 1, MASS},
    {"g", 1, 1000, MASS},
    {"t", 1000, 1, MASS},
    {"rad", 1, 1, ANGLE},
    {"deg", PI, 180, ANGLE},
    {"mrad", 1, 1000, ANGLE},
    {"rev", 2 * PI, 1, ANGLE},
    {"N", 1, 1, FORCE},
    {"Nm", 1, 1, ENERGY},
    {"kNm", 1000, 1, ENERGY},
    {"mN", 1, 1000, FORCE},
    {"kN", 1000, 1, FORCE},
    {"MN", 1000000, 1, FORCE},
    {"J", 1, 1, ENERGY},
    {"kJ", 1000, 1, ENERGY},
    {"W", 1, 1, POWER},
    {"kW", 1000, 1, POWER},
    {"Pa", 1, 1, PRESSURE},
    {"kPa", 1000, 1, PRESSURE},
    {"MPa", 1000000, 1, PRESSURE},
    {"GPa", 1000000000, 1, PRESSURE},
    {"bar", 100000, 1, PRESSURE},
    {"Hz", 1, 1, FREQUENCY},
    {"kHz", 1000, 1, FREQUENCY},
    {"rpm", 2 * PI, 60, ANGULAR_VELOCITY},
};

/* The usual names, tried before the exponents are spelled out. */
static const struct {
    const char *name;
    BriDimension dimension;
} usual[] = {
    {"1", EXPONENTS(0, 0, 0, 0)},
    {"Hz", FREQUENCY},
    {"m/s", EXPONENTS(1, 0, -1, 0)},
    {"m/s^2", EXPONENTS(1, 0, -2, 0)},
    {"rad/s", ANGULAR_VELOCITY},
    {"rad/s^2", EXPONENTS(0, 0, -2, 1)},
    {"N", FORCE},
    {"N s", EXPONENTS(1, 1, -1, 0)},
    {"N m", ENERGY},
    {"N m s", EXPONENTS(2, 1, -1, 0)},
    {"N/m", EXPONENTS(0, 1, -2, 0)},
    {"N s/m", EXPONENTS(0, 1, -1, 0)},
    {"N m/rad", EXPONENTS(2, 1, -2, -1)},
    {"N m s/rad", EXPONENTS(2, 1, -1, -1)},
    {"W", POWER},
    {"Pa", PRESSURE},
    {"kg/m^3", EXPONENTS(-3, 1, 0, 0)},
};

static bool is_blank(char c) { return c == ' ' || c == '\t'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c); }

static bool is_same(BriDimension a, BriDimension b) {
    return a.metre == b.metre && a.kilogram == b.kilogram && a.second == b.second && a.radian == b.radian;
}

static const Unit *find_unit(const char *text, size_t *length) {
    *length = 0;
    while (is_name(text[*length])) ++*length;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strlen(units[i].name) == *length && memcmp(units[i].name, text, *length) == 0) return &units[i];
    }
    return NULL;
}

/* "^2" or "^-1": the characters read; 0 (and exponent 1) where '^' is missing or no integer of one or two digits
 * follows, as in "m^2.5" or "m^x". */
static size_t read_exponent(const char *text, int *exponent) {
    *exponent = 1;
    if (text[0] != '^') return 0;
    size_t first = text[1] == '-' ? 2 : 1, end = first;
    int value = 0;
    while (end < first + 2 && is_digit(text[end])) value = 10 * value + (text[end++] - '0');
    if (end == first || is_name(text[end]) || text[end] == '.') return 0;
    *exponent = first == 2 ? -value : value;
    return end;
}

/* dimension + exponent * unit, where it can be stored. */
static bool add_exponents(BriDimension *dimension, BriDimension unit, int exponent) {
    int sum[4] = {dimension->metre + exponent * unit.metre, dimension->kilogram + exponent * unit.kilogram,
                  dimension->second + exponent * unit.second, dimension->radian + exponent * unit.radian};
    for (int i = 0; i < 4; i++) {
        if (sum[i] < INT8_MIN || sum[i] > INT8_MAX) return false;
    }
    *dimension = BRI_DIMENSION((int8_t)sum[0], (int8_t)sum[1], (int8_t)sum[2], (int8_t)sum[3]);
    return true;
}

/* One name with its exponent, multiplied onto numerator and denominator (ratio[0], ratio[1]); the characters read. */
static size_t read_term(const char *text, int sign, double ratio[2], BriDimension *dimension) {
    size_t length;
    const Unit *unit = find_unit(text, &length);
    if (!unit) return 0;
    int exponent;
    length += read_exponent(text + length, &exponent);
    exponent *= sign;
    double up = ratio[0], down = ratio[1];
    for (int i = 0; i < exponent; i++) up *= unit->numerator, down *= unit->denominator;
    for (int i = 0; i > exponent; i--) up *= unit->denominator, down *= unit->numerator;
    double factor = up / down;
    if (!bri_is_finite(factor) || factor <= 0 || !add_exponents(dimension, unit->dimension, exponent)) return 0;
    ratio[0] = up;
    ratio[1] = down;
    return length;
}

/* The characters that lead from one name to the next: "*", "/" or blanks; 0 where nothing does. */
static size_t read_joint(const char *text) {
    if (text[0] == '*' || text[0] == '/') return 1;
    size_t length = 0;
    while (is_blank(text[length])) length++;
    return length;
}

/* "N*min(x, 1)": what stands before '(' is a function, not a minute. */
static bool is_call(const char *text) {
    while (is_name(*text)) text++;
    while (is_blank(*text)) text++;
    return *text == '(';
}

size_t bri_unit_read(const char *text, double *factor, BriDimension *dimension) {
    double ratio[2] = {1, 1};
    BriDimension read = BRI_NO_UNIT;
    size_t length = read_term(text, 1, ratio, &read);
    while (length > 0) {
        const char *joint = text + length;
        size_t blank = read_joint(joint);
        if (blank == 0 || is_call(joint + blank)) break;
        size_t term = read_term(joint + blank, joint[0] == '/' ? -1 : 1, ratio, &read);
        if (term == 0) break;
        length += blank + term;
    }
    *factor = length > 0 ? ratio[0] / ratio[1] : 1;
    *dimension = length > 0 ? read : BRI_UNTYPED;
    return length;
}

bool bri_unit_fits(BriDimension given, BriDimension wanted) {
    if (!given.typed || !wanted.typed || is_same(given, wanted)) return true;
    bool only_angle_and_time = wanted.metre == 0 && wanted.kilogram == 0;
    if (only_angle_and_time) return false;
    given.radian = wanted.radian;
    return is_same(given, wanted);
}

void bri_unit_name(BriDimension dimension, char *text, size_t size) {
    if (size == 0) return;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        if (is_same(dimension, usual[i].dimension)) {
            snprintf(text, size, "%s", usual[i].name);
            return;
        }
    }
    const struct {
        const char *name;
        int exponent;
    } base[] = {{"kg", dimension.kilogram}, {"m", dimension.metre}, {"s", dimension.second}, {"rad", dimension.radian}};
    for (int i = 0; i < 4; i++) {
        size_t used = strlen(text);
        const char *blank = used > 0 ? " " : "";
        if (base[i].exponent == 1) snprintf(text + used, size - used, "%s%s", blank, base[i].name);
        if (base[i].exponent == 0 || base[i].exponent == 1) continue;
        snprintf(text + used, size - used, "%s%s^%d", blank, base[i].name, base[i].exponent);
    }
}
