/* JSON in, through yyjson, and the streaming JSON writer for files. */
#ifndef TS_BASE_JSON_H
#define TS_BASE_JSON_H

#include <yyjson.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/write.h"

/* Parse one JSON value. Refuses nesting deeper than max_depth, NaN and infinity, invalid UTF-8, lone surrogates and
 * anything behind the value. Numbers stay as written (raw) when raw_numbers. The doc is the caller's
 * (yyjson_doc_free). Errors: TS_INPUT with the byte offset, TS_NO_MEMORY. */
enum ts_status ts_json_parse(struct ts_str text, unsigned max_depth, bool raw_numbers, yyjson_doc **out,
                             struct ts_error *error);
/* The member of an object, the LAST of equal keys; NULL when absent or object is not an object. */
yyjson_val *ts_json_get(yyjson_val *object, const char *key);
struct ts_str ts_json_str(yyjson_val *string);

/* Streaming writer: compact, keeps commas, escapes only what it must; values go to sink as they come. */
struct ts_json_out {
    void (*sink)(void *data, const void *bytes, size_t len);
    void *data;
    unsigned depth;
    bool comma[64]; /* per level: a value was written */
    bool after_key;
};
void ts_json_out_init(struct ts_json_out *out, void (*sink)(void *, const void *, size_t), void *data);
void ts_json_out_buf(struct ts_json_out *out, struct ts_buf *buf);          /* into a buffer */
void ts_json_out_writer(struct ts_json_out *out, struct ts_writer *writer); /* into a file */
void ts_json_open_object(struct ts_json_out *out);
void ts_json_close_object(struct ts_json_out *out);
void ts_json_open_array(struct ts_json_out *out);
void ts_json_close_array(struct ts_json_out *out);
void ts_json_key(struct ts_json_out *out, struct ts_str key);
/* Invalid UTF-8 becomes U+FFFD; what must not reach a terminal (ts_utf8_unsafe) is escaped, in keys too. */
void ts_json_string(struct ts_json_out *out, struct ts_str s);
void ts_json_integer(struct ts_json_out *out, int64_t value);
void ts_json_number(struct ts_json_out *out, double value); /* whole as integer, not finite as null */
void ts_json_boolean(struct ts_json_out *out, bool value);
void ts_json_null(struct ts_json_out *out);
void ts_json_raw(struct ts_json_out *out, struct ts_str json); /* already JSON */

/* The same for JSON that another writer made: append it with those characters as \uXXXX, and return true; or append nothing and
 * return false when it has none. json is valid UTF-8. */
bool ts_json_escape_unsafe(struct ts_buf *out, struct ts_str json);

#endif
