/* An answer being built: a bounded JSON document that owns all it holds. Failures (memory, size) are sticky and come out at
 * ts_answer_finish, so that questions read as what they answer. */
#ifndef TS_QUESTIONS_ANSWER_H
#define TS_QUESTIONS_ANSWER_H

#include <yyjson.h>

#include "base/error.h"
#include "base/str.h"

struct ts_answer {
    yyjson_mut_doc *doc;
    yyjson_mut_val *root; /* an object */
    size_t text_bytes;    /* of strings so far, for the bound */
    bool failed;
    char *json; /* after ts_answer_finish: compact text */
    size_t json_len;
};

/* Errors: TS_NO_MEMORY. */
enum ts_status ts_answer_create(struct ts_answer **out, struct ts_error *error);
void ts_answer_free(struct ts_answer *answer); /* accepts NULL */
/* Write the text. Errors: TS_NO_MEMORY, TS_LIMIT (over TS_LIMIT_ANSWER; advice says which argument to lower). */
enum ts_status ts_answer_finish(struct ts_answer *answer, const char *advice, struct ts_error *error);

/* Members of an object. Keys are copied. */
void ts_answer_string(struct ts_answer *answer, yyjson_mut_val *object, const char *key,
                      struct ts_str ours); /* our own words */
void ts_answer_name(struct ts_answer *answer, yyjson_mut_val *object, const char *key, const char *ours_or_null);
/* Text out of a capture: invalid UTF-8 becomes U+FFFD; cut at TS_LIMIT_REPORT_TEXT, then KEY_full_length (bytes it has) is
 * added beside it. */
void ts_answer_text(struct ts_answer *answer, yyjson_mut_val *object, const char *key, struct ts_str from_capture);
/* The same under a key that comes out of the capture too. One that is there already gets a number behind it, " (2)". */
void ts_answer_text_at(struct ts_answer *answer, yyjson_mut_val *object, struct ts_str key, struct ts_str from_capture);
void ts_answer_integer(struct ts_answer *answer, yyjson_mut_val *object, const char *key, int64_t value);
/* As it is; whole doubles as integers, -0 as 0, absent (not finite) as null. */
void ts_answer_number(struct ts_answer *answer, yyjson_mut_val *object, const char *key, double value);
/* Rounded to 3 decimals. */
void ts_answer_rounded(struct ts_answer *answer, yyjson_mut_val *object, const char *key, double value);
void ts_answer_boolean(struct ts_answer *answer, yyjson_mut_val *object, const char *key, bool value);
void ts_answer_null(struct ts_answer *answer, yyjson_mut_val *object, const char *key);
/* Never NULL: after a failure a dummy that swallows what is added. */
yyjson_mut_val *ts_answer_object(struct ts_answer *answer, yyjson_mut_val *object, const char *key);
/* The same under a key that comes out of the capture. */
yyjson_mut_val *ts_answer_object_at(struct ts_answer *answer, yyjson_mut_val *object, struct ts_str key);
yyjson_mut_val *ts_answer_list(struct ts_answer *answer, yyjson_mut_val *object, const char *key);
/* Elements of a list. */
yyjson_mut_val *ts_answer_push_object(struct ts_answer *answer, yyjson_mut_val *list);
void ts_answer_push_integer(struct ts_answer *answer, yyjson_mut_val *list, int64_t value);
void ts_answer_push_string(struct ts_answer *answer, yyjson_mut_val *list, struct ts_str ours);
void ts_answer_push_text(struct ts_answer *answer, yyjson_mut_val *list,
                         struct ts_str from_capture); /* ends in an ellipsis when cut */

#endif
