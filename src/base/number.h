/* Numbers to text and back, independent of the locale. The only file that may call strtod or format a double. */
#ifndef TS_BASE_NUMBER_H
#define TS_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* Absent figures are NaN throughout. */
#define TS_ABSENT (__builtin_nan(""))
static inline bool ts_present(double value)
{
    return __builtin_isfinite(value);
}

/* A decimal floating number with ASCII white space around it allowed, correctly rounded. Digits with an optional
 * point and exponent, a sign; underscores between digits pass. No hex, no separators, no inf or nan. True when s is one
 * and it is finite. Fast for short integers. */
bool ts_number_parse(struct ts_str s, double *out);
/* ts_number_parse or TS_ABSENT. */
double ts_number_or_absent(struct ts_str s);
/* An optional sign and digits only (trimmed), in range. */
bool ts_number_parse_i64(struct ts_str s, int64_t *out);
bool ts_number_parse_u64(struct ts_str s, uint64_t *out);
/* As a whole number: exact for plain integers of 64 bits, else a parsed double without a fraction ("40.0", "1e3"). */
bool ts_number_parse_whole(struct ts_str s, int64_t *out);

/* The decimal with `places` (0..9) places nearest to the exact binary value, ties to even, read back; -0 becomes 0. What
 * printf("%.3f") and strtod do, but fast. NaN and infinity come back as they are. */
double ts_round(double value, int places);
/* x of total in percent to three significant figures (%.3g and back); absent when x is absent or total is not > 0. */
double ts_share(double x, double total);
/* Nanoseconds to microseconds as answers give them: round to 3 places, / 1000, round to 3 places. */
double ts_ns_to_us(double ns);

enum { TS_NUMBER_TEXT_MAX = 448 };
/* Shortest decimal that reads back to the same double. python: always a ".0" or an exponent, exponent form when the
 * decimal exponent is < -4 or >= 16, at least two exponent digits; "nan", "inf", "-inf". Returns the length; the text is
 * terminated. */
size_t ts_number_python(double value, char out[TS_NUMBER_TEXT_MAX]);
/* Shortest as JSON has it: whole doubles below 2^53 as integers, -0 as 0, not finite as null. */
size_t ts_number_json(double value, char out[TS_NUMBER_TEXT_MAX]);
/* With exactly `places` (0..9) places, as "%.2f" in the C locale: exact, ties to even; "nan", "inf", "-inf". */
size_t ts_number_fixed(double value, int places, char out[TS_NUMBER_TEXT_MAX]);
/* The same with thousands commas: "12,345.6". */
size_t ts_number_grouped(double value, int places, char out[TS_NUMBER_TEXT_MAX]);

#endif
