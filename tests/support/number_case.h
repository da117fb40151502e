/* Doubles to try functions on numbers with. The C library in the C locale is their measure: it rounds exactly both ways. */
#ifndef TS_TESTS_NUMBER_CASE_H
#define TS_TESTS_NUMBER_CASE_H

#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/number.h"

static uint64_t random_state = 0x9E3779B97F4A7C15u;

static inline uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x2545F4914F6CDD1Du;
}

/* Finite doubles of every kind: any bits, whole ones, short decimals, and those next to ties. */
static inline double random_double(void)
{
    for (;;) {
        uint64_t bits = random_bits();
        double value;
        switch (random_bits() % 5) {
        case 0:
            memcpy(&value, &bits, sizeof value);
            break;
        case 1:
            value = (double)(int64_t)(bits >> (random_bits() % 64));
            break;
        case 2:
            value = (double)(bits % 10000000000u) / pow(10, (double)(random_bits() % 12));
            break;
        case 3: /* a tie at some number of places, or one step beside it */
            value = ((double)(bits % 1000000u) + 0.5) / pow(10, (double)(random_bits() % 9));
            value = nextafter(value, (double)((int)(random_bits() % 3) - 1) * INFINITY + value);
            break;
        default:
            value = ldexp((double)(bits >> 11), (int)(random_bits() % 140) - 110);
        }
        if (isfinite(value))
            return random_bits() % 4 == 0 ? -value : value;
    }
}

static const double edges[] = {
    0.0,
    0.5,
    1.5,
    2.5,
    0.125,
    0.375,
    0.0005,
    0.0015,
    0.0025,
    2.675,
    1.005,
    38999.5,
    39000.5,
    38.9995,
    1e22,
    1e21,
    1e23,
    1e15,
    1e16,
    1e17,
    123456789.5,
    0x1p-1022,
    0x1p-1074,
    0x1p52,
    0x1p52 + 1,
    0x1p53,
    0x1p53 + 2,
    0x1p53 - 1,
    0x1p63,
    0x1p64,
    0x1p127,
    0x1p128,
    0x1p1023,
    0x1.fffffffffffffp1023,
    4503599627370495.5,
    4503599627370497.5 / 8,
    9007199254740991.0 / 1000,
    999.9995,
    0.9995,
    9.995,
    99.95,
    999.5,
    1e-4,
    1e-5,
    9.999e-5,
    0.1,
    0.2,
    0.3,
    1e-3,
    1e12,
    999999999999.999,
    1e-7,
    1e-6,
    1e-9,
    5e-10,
    1.5e-9,
    4.9999e-10,
    123456.789,
    1.543618325417786e-05,
};
enum { EDGES = sizeof edges / sizeof *edges, ROUNDS = 100000 };

static inline double sample(size_t i)
{
    return i < EDGES ? edges[i] : i < 2 * EDGES ? -edges[i - EDGES] : random_double();
}

static inline bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* A locale with a decimal comma: one that is installed, else one made in folder; false when there is neither. */
static inline bool set_comma_locale(const char *folder)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "es_ES.UTF-8", "ru_RU.UTF-8", "de_DE.utf8"};
    char command[512];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (setlocale(LC_ALL, names[i]) && strcmp(localeconv()->decimal_point, ",") == 0)
            return true;
    mkdir(folder, 0777);
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 '%s/de_DE.UTF-8' 2>/dev/null >&2", folder);
    if (system(command) != 0)
        return false;
    setenv("LOCPATH", folder, 1);
    return setlocale(LC_ALL, "de_DE.UTF-8") && strcmp(localeconv()->decimal_point, ",") == 0;
}

#endif
