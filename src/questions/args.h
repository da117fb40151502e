/* Arguments of a question, checked against its table. */
#ifndef TS_QUESTIONS_ARGS_H
#define TS_QUESTIONS_ARGS_H

#include <stdint.h>
#include <yyjson.h>

#include "base/error.h"
#include "base/str.h"

struct ts_question;
enum { TS_ARGS_MAX = 12 };

struct ts_arg {
    bool given;         /* present and not null */
    struct ts_str text; /* ENUM, TEXT, SIGNPOST, PATH, HANDLE: as given, or the default */
    int64_t integer;    /* LIMIT (clamped), INTEGER, ROW_ID, or the default */
    unsigned groups;    /* GROUPS: bit i for values[i] */
};
struct ts_args {
    const struct ts_question *question;
    struct ts_arg values[TS_ARGS_MAX]; /* in the order of the question's params */
};

/* Check a JSON object (NULL: none given) in the order: unknown names, missing required ones, types, values. Texts are
 * borrowed from object. handles: whether captures are arguments, that is parameters of kind HANDLE and PATH (MCP), or
 * given apart (command line, library). Errors: TS_USAGE, naming the argument, what was expected and what exists. */
enum ts_status ts_args_check(const struct ts_question *question, yyjson_val *object, bool handles, struct ts_args *out,
                             struct ts_error *error);
/* The argument called name, which the question must have. */
const struct ts_arg *ts_args_get(const struct ts_args *args, const char *name);
/* Whether a GROUPS argument holds the member. */
bool ts_args_has_group(const struct ts_args *args, const char *name, const char *member);

#endif
