/* Values of an answer as a person reads them, whatever surrounds them. */
#ifndef TS_SURFACES_CLI_VALUE_VIEW_H
#define TS_SURFACES_CLI_VALUE_VIEW_H

#include "base/buf.h"
#include "questions/question.h"

struct ts_table_look {
    bool color;
    bool utf8;      /* the terminal shows more than ASCII */
    unsigned width; /* columns of the terminal; 0: as wide as it gets */
};
/* Where values go; none of it is owned. */
struct ts_value_view {
    const struct ts_args *args; /* which name some of the keys */
    const struct ts_table_look *look;
    struct ts_buf *out;
};

enum { TS_VALUE_KEY_MAX = 128 };

bool ts_value_is_numeric(enum ts_field_kind kind);
/* NULL, null, and a list or an object without members. */
bool ts_value_is_empty(yyjson_mut_val *value);
/* Decimals a number needs, at most 3. */
int ts_value_places(yyjson_mut_val *value);
/* The declaration of a member; NULL when the object has none (a map's element). */
const struct ts_field *ts_value_child(const struct ts_value_view *view, const struct ts_field *field,
                                      struct ts_str key);

/* Add a value on one line, escaped for a terminal; field may be NULL; places < 0: as many decimals as it needs. */
void ts_value_add(const struct ts_value_view *view, const struct ts_field *field, yyjson_mut_val *value, int places);
/* Add a text of a capture, escaped; a backslash of its own is doubled, so that it is not taken for one of ours. */
void ts_value_text(const struct ts_value_view *view, struct ts_str text);
/* Add a member's key: as words when it is declared, else, being of the capture, as it is. */
void ts_value_key(const struct ts_value_view *view, const struct ts_field *field, struct ts_str key);
/* Add "heading:", in bold where there are colours. */
void ts_value_heading(const struct ts_value_view *view, const struct ts_field *field, const char *key);
/* Add " unit", if the field has one. */
void ts_value_unit(const struct ts_value_view *view, const struct ts_field *field);

/* Columns of a terminal that a text takes. */
size_t ts_value_width(struct ts_str text);
/* Add a text behind `used` columns of a line, broken at blanks, and within words longer than a line, so that no line is over width
 * (0: any); further lines are indented. */
void ts_value_wrap(struct ts_buf *out, struct ts_str text, size_t used, size_t indent, size_t width);

#endif
