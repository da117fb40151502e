/* JSON as simulator dumps hold it, read in place without a tree.
 *
 * The dialect is wider than RFC 8259 where the dumps' other reader is: NaN, Infinity and -Infinity are numbers, an escaped
 * surrogate may stand alone, and keys may repeat (the last value counts). Text is checked by a scan once; what has passed
 * is taken for granted by everything else here.
 *
 * The bytes scanned must be followed by TS_SIM_JSON_PAD readable NUL bytes. A scan that runs into them stops at or behind
 * `end`, so that a caller with more to read tells "not all here yet" from "wrong" by where it stopped. */
#ifndef TS_FORMATS_SIM_DUMP_JSON_H
#define TS_FORMATS_SIM_DUMP_JSON_H

#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

enum { TS_SIM_JSON_PAD = 64, TS_SIM_JSON_DIGITS_MAX = 4300 };

/* A failed scan: where, and what was expected there. */
struct ts_sim_json_fault {
    const char *at;
    const char *expected;
};

static inline const char *ts_sim_json_space(const char *p)
{
    while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')
        p++;
    return p;
}

/* Behind the string whose opening quote is at p, or NULL. */
const char *ts_sim_json_string(const char *p, struct ts_sim_json_fault *fault);
/* Behind the value that begins at p, or NULL. Nesting is bounded by TS_LIMIT_JSON_DEPTH. */
const char *ts_sim_json_value(const char *p, struct ts_sim_json_fault *fault);

/* ---- numbers ---- */

enum ts_sim_number_kind { TS_SIM_NUMBER_NONE, TS_SIM_NUMBER_INTEGER, TS_SIM_NUMBER_FLOAT };
struct ts_sim_number {
    enum ts_sim_number_kind kind;
    bool canonical; /* written as it stands */
    double value;   /* correctly rounded; infinite when too large */
    /* Of the number as it is written, taken for microseconds, and converted as trace viewers do: digits before and behind
     * the point as 64-bit integers, then rounded half away from zero. Saturates. */
    int64_t nanoseconds;
    uint64_t decimal; /* the whole text in one word, see ts_sim_json_write_decimal; 0: it does not fit */
};
/* The number that is all of text. kind is NONE for what is no number; NaN and the infinities are FLOAT. text must be
 * followed by 8 readable bytes. */
struct ts_sim_number ts_sim_json_number(struct ts_str text);

/* ---- writing ---- */

/* A growing run of bytes for writing many small pieces; failure is sticky. Free `ptr` with free(). */
struct ts_sim_out {
    char *ptr;
    size_t len, capacity;
    bool failed; /* memory was out */
};
bool ts_sim_out_grow(struct ts_sim_out *out, size_t extra);
/* Room for extra more bytes; false when memory is out. */
static inline bool ts_sim_out_reserve(struct ts_sim_out *out, size_t extra)
{
    return extra <= out->capacity - out->len || ts_sim_out_grow(out, extra);
}
static inline void ts_sim_out_add(struct ts_sim_out *out, struct ts_str s)
{
    if (ts_sim_out_reserve(out, s.len) && s.len) {
        memcpy(out->ptr + out->len, s.ptr, s.len);
        out->len += s.len;
    }
}
void ts_sim_out_unsigned(struct ts_sim_out *out, uint64_t value);

/* Append the value that begins at p (scanned before) in the one form that everything is written in: ASCII on one line, ", "
 * and ": ", shortest numbers, of repeated keys the last value in the first one's place. Returns what lies behind it. */
const char *ts_sim_json_write(struct ts_sim_out *out, const char *p);
/* The same for a number. */
void ts_sim_json_write_number(struct ts_sim_out *out, struct ts_str text);
/* The inside of a quoted string in that form. */
void ts_sim_json_write_text(struct ts_sim_out *out, struct ts_str quoted);
/* A number as it is written, from the `decimal` of ts_sim_number (not 0). */
void ts_sim_json_write_decimal(struct ts_sim_out *out, uint64_t decimal);
/* Text in UTF-8 that is no JSON (surrogates may be encoded in it) in that form. */
void ts_sim_json_escape(struct ts_sim_out *out, struct ts_str text);

/* ---- looking into what was scanned ---- */

/* The members of an object or the elements of an array, one after the other. */
struct ts_sim_json_walk {
    const char *at;
    bool object;
};
/* container: the whole text of an object or an array. */
struct ts_sim_json_walk ts_sim_json_open(struct ts_str container);
/* The next member or element; key (with its quotes) is empty in arrays. False behind the last. */
bool ts_sim_json_next(struct ts_sim_json_walk *walk, struct ts_str *key, struct ts_str *value);
/* The last member of that name (ASCII), or an empty text. */
struct ts_str ts_sim_json_member(struct ts_str object, const char *name);
/* Whether the quoted string says this (ASCII). */
bool ts_sim_json_is(struct ts_str quoted, struct ts_str text);
/* The inside of a quoted string as UTF-8 into out; lone surrogates are encoded like other characters. */
void ts_sim_json_decode(struct ts_sim_out *out, struct ts_str quoted);

#endif
