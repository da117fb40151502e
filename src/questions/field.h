/* The declaration of an answer's fields: output schema, reference page and table are made from it, and tests hold every
 * answer against it. */
#ifndef TS_QUESTIONS_FIELD_H
#define TS_QUESTIONS_FIELD_H

#include <stdbool.h>

enum ts_field_kind {
    TS_KIND_STRING,
    TS_KIND_INTEGER,
    TS_KIND_NUMBER,
    TS_KIND_BOOLEAN,
    TS_KIND_OBJECT, /* members: children */
    TS_KIND_LIST,   /* elements of kind `of`; of an OBJECT the members are children */
    TS_KIND_MAP,    /* an object whose keys are not known beforehand; values as for LIST */
};

/* Where a field stands when the answer is shown to a person. */
enum ts_field_show {
    TS_SHOW_NOT,   /* only in JSON */
    TS_SHOW_ABOVE, /* "heading: value" before the rows */
    TS_SHOW_ROWS,  /* this list is the table's rows; its children with TS_SHOW_COLUMN are the columns */
    TS_SHOW_COLUMN,
    TS_SHOW_COLUMNS, /* this object's children with TS_SHOW_COLUMN are columns of their own */
    TS_SHOW_BELOW,   /* a sentence, or figures, after the rows */
};

struct ts_field {
    /* The key; "{by}" in it stands for the value of the argument `by` ("{by}_total"). NULL ends a list of fields. */
    const char *key;
    enum ts_field_kind kind;
    enum ts_field_kind of; /* LIST and MAP: kind of the elements */
    bool nullable;
    bool sometimes;                  /* not in every answer (or not in every row) */
    const char *group;               /* member of the argument `include` that brings it; NULL: none needed */
    const char *unit;                /* "us", "percent", "bytes_per_bank", ...; NULL: none */
    const char *help;                /* one short sentence */
    const struct ts_field *children; /* ends with a NULL key */
    enum ts_field_show show;
    /* In a row: told in full below the table, row by row, as well. Elsewhere: as a paragraph, with what lies within. */
    bool detail;
    /* Of an object with TS_SHOW_COLUMNS: its columns are parts, drawn as a bar, of the answer's member of this key, which may be
     * null; NULL: no bar. */
    const char *bar_of;
    const char *heading; /* as shown to a person; NULL: the key */
};

#endif
