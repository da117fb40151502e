/* Arguments of a question, checked against its table. */
#ifndef TS_QUESTIONS_ARGS_H
#define TS_QUESTIONS_ARGS_H

#include <stdint.h>
#include <yyjson.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

struct ts_question;
enum { TS_ARGS_MAX = 12 };

struct ts_arg {
    bool given;         /* present and not null */
    struct ts_str text; /* ENUM, TEXT, SIGNPOST, PATH, HANDLE: as given, or the default */
    int64_t integer;    /* LIMIT (clamped), INTEGER, ROW_ID, or the default */
    int64_t asked;      /* LIMIT: before it was clamped */
    unsigned groups;    /* GROUPS: bit i for values[i] */
};
struct ts_args {
    const struct ts_question *question;
    struct ts_arg values[TS_ARGS_MAX]; /* in the order of the question's params */
    bool as_options;                   /* messages call arguments as the command line does: "--group-by" */
};

/* Check a JSON object (NULL: none given) in the order: unknown names, missing required ones, types, values. Texts are
 * borrowed from object. handles: whether captures are arguments, that is parameters of kind HANDLE and PATH (MCP), or
 * given apart (command line, library). Errors: TS_USAGE, naming the argument, what was expected and what exists. */
enum ts_status ts_args_check(const struct ts_question *question, yyjson_val *object, bool handles, struct ts_args *out,
                             struct ts_error *error);
/* The same for arguments that were options of a command line, captures given apart: messages name the options. */
enum ts_status ts_args_check_options(const struct ts_question *question, yyjson_val *object, struct ts_args *out,
                                     struct ts_error *error);
/* How the caller writes an argument: "group_by" or "--group-by". Either name itself or in buffer. */
struct ts_arg_name {
    char text[64];
};
const char *ts_args_spell(const struct ts_args *args, const char *name, struct ts_arg_name *buffer);
/* Append a text of our own, nothing of a capture's, in which words that are arguments' names are to be spelled so. */
void ts_args_explain(const struct ts_args *args, const char *text, struct ts_buf *out);
/* The argument called name, which the question must have. */
const struct ts_arg *ts_args_get(const struct ts_args *args, const char *name);
/* Whether a GROUPS argument holds the member. */
bool ts_args_has_group(const struct ts_args *args, const char *name, const char *member);

#endif
