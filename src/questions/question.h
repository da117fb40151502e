/* A question, declared once: from this come the MCP tool, the subcommand, its help, schemas and reference page.
 * To add one: a file of its own with a `const struct ts_question`, and its line in table.c. */
#ifndef TS_QUESTIONS_QUESTION_H
#define TS_QUESTIONS_QUESTION_H

#include <stdint.h>

#include "formats/profiler_db.h"
#include "models/capture.h"
#include "questions/answer.h"
#include "questions/args.h"
#include "questions/field.h"

enum ts_param_kind {
    TS_PARAM_HANDLE, /* a capture */
    TS_PARAM_PATH,   /* directory or file of a capture */
    TS_PARAM_ENUM,   /* one of values */
    TS_PARAM_GROUPS, /* list of values, repeats and order irrelevant */
    TS_PARAM_LIMIT,  /* clamped to 1 .. maximum */
    TS_PARAM_INTEGER,
    TS_PARAM_ROW_ID,   /* an integer or a string of digits */
    TS_PARAM_SIGNPOST, /* text of at most TS_LIMIT_SIGNPOST code points; empty: no bound */
    TS_PARAM_TEXT,
};
struct ts_param {
    const char *name; /* NULL ends the list */
    enum ts_param_kind kind;
    bool required;
    const char *const *values;   /* ENUM, GROUPS: NULL-terminated */
    const char *standard;        /* ENUM: the default; NULL: none */
    int64_t default_integer;     /* LIMIT, INTEGER */
    int64_t maximum;             /* LIMIT: the cap */
    int64_t maximum_with_groups; /* LIMIT: the cap once a GROUPS argument has members; 0: the same */
    const char *help;            /* one short sentence: schema description and --help */
};

/* What of a capture a question reads; load_report lists a question as answerable when all of it is there. */
enum ts_need {
    TS_NEED_REPORT = 1,        /* an operations CSV that can be reported on */
    TS_NEED_CACHE_COLUMNS = 2, /* its PROGRAM HASH and PROGRAM CACHE HIT */
    TS_NEED_TWO_CAPTURES = 4,  /* compares two captures: never listed */
    TS_NEED_NOTHING = 8,       /* describes the capture itself: never listed */
    TS_NEED_DEVICE_LOG = 16,   /* a device log with rows, all columns and nothing but UTF-8 */
    TS_NEED_KERNEL_ZONES = 32, /* that tells starts from ends, and its clock */
    TS_NEED_DATABASE = 64,     /* a profiler database with the question's tables */
};

/* Links into the web application that runs beside. */
enum ts_link_kind {
    TS_LINK_NONE,
    TS_LINK_REPORT,
    TS_LINK_LINKED_OPERATIONS, /* of rows that are linked to operations */
    TS_LINK_OPERATIONS,        /* a template, for the operations that the answer names */
    TS_LINK_OPERATION,         /* the answer's one operation_id */
};

struct ts_question {
    const char *name;        /* "top_ops" */
    const char *title;       /* "Costliest operations" */
    const char *summary;     /* one line for the list of subcommands */
    const char *description; /* for agents: what is particular to this question, nothing that all share */
    const struct ts_param *params;
    unsigned needs;                 /* enum ts_need, or-ed */
    const enum ts_db_table *tables; /* TS_NEED_DATABASE: all it cannot do without, as refusals name them */
    size_t table_count;
    const enum ts_db_table *any_table; /* and at least one of these; NULL: no more */
    size_t any_table_count;
    const struct ts_field *fields;
    enum ts_link_kind link;
    const char *too_large; /* which argument to lower when the answer is over the limit; ts_args_explain spells it */
    /* first is the capture (before), second the other one (after) or NULL. Adds to answer->root. */
    enum ts_status (*answer)(struct ts_context *context, const struct ts_args *args, struct ts_capture *first,
                             struct ts_capture *second, struct ts_answer *answer, struct ts_error *error);
};

#endif
