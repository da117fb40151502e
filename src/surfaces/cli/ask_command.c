/* A question as a subcommand: options from its parameters, captures from paths, the answer as a table or as JSON. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/number.h"
#include "questions/ask.h"
#include "questions/schema.h"
#include "questions/table.h"
#include "surfaces/cli/captures.h"
#include "surfaces/cli/commands.h"
#include "surfaces/cli/environment.h"
#include "surfaces/cli/spelling.h"
#include "surfaces/cli/table_view.h"
#include "surfaces/cli/terminal.h"
#include "surfaces/link_base.h"

enum {
    OPTION_PARAM,
    OPTION_PERFORMANCE,
    OPTION_PROFILER,
    OPTION_JSON,
    OPTION_THREADS,
    OPTION_COLOR,
    OPTION_NO_COLOR,
    OPTION_HELP
};

static const struct ts_option common_options[] = {
    {"performance-path", "PATH", "a performance report: its folder, its CSV or its device log", OPTION_PERFORMANCE},
    {"profiler-path", "PATH", "a profiler report: its folder or its db.sqlite", OPTION_PROFILER},
    {"json", NULL, "print the answer as one line of JSON", OPTION_JSON},
    {"threads", "N", "use at most N threads (default: the cores this process may use)", OPTION_THREADS},
    {"color", NULL, "colours even when the output is no terminal", OPTION_COLOR},
    {"no-color", NULL, "no colours", OPTION_NO_COLOR},
    {"help", NULL, "show this", OPTION_HELP},
};
enum { COMMON_COUNT = sizeof common_options / sizeof *common_options };
static_assert(COMMON_COUNT + TS_ARGS_MAX < TS_COMMAND_OPTIONS_MAX, "no room for the options of a question");

/* What the words of the command line say. */
struct request {
    const struct ts_question *question;
    struct ts_option options[TS_COMMAND_OPTIONS_MAX];
    yyjson_mut_doc *arguments; /* as an MCP client would send them, without the captures */
    yyjson_doc *frozen;
    struct ts_args args;
    struct ts_cli_captures captures;
    const char *dashed; /* a path that looks like an option, named behind "--"; NULL: none */
    bool json, help;
    unsigned threads;
    enum ts_color_choice color;
};

static const char *argument_name(const struct ts_param *param)
{
    switch (param->kind) {
    case TS_PARAM_LIMIT:
    case TS_PARAM_INTEGER:
    case TS_PARAM_ROW_ID:
        return "N";
    case TS_PARAM_ENUM:
        return "WHAT";
    case TS_PARAM_GROUPS:
        return "GROUP,...";
    default:
        return "NAME";
    }
}

/* Captures are given as paths, so parameters that stand for one are no options of their own. */
static bool names_a_capture(const struct ts_param *param)
{
    return param->kind == TS_PARAM_HANDLE || param->kind == TS_PARAM_PATH;
}

void ts_command_question_options(const struct ts_question *question, struct ts_option out[TS_COMMAND_OPTIONS_MAX])
{
    unsigned count = 0;
    for (const struct ts_param *param = question->params; param->name; param++)
        if (!names_a_capture(param))
            out[count++] = (struct ts_option){param->name, argument_name(param),
                                              param->help ? param->help : "how many to list", OPTION_PARAM};
    for (unsigned i = 0; i < COMMON_COUNT; i++)
        out[count++] = common_options[i];
    out[count] = (struct ts_option){NULL, NULL, NULL, 0};
}

static const struct ts_param *param_of(const struct ts_question *question, const char *name)
{
    const struct ts_param *param = question->params;
    while (strcmp(param->name, name) != 0)
        param++;
    return param;
}

/* Add "a,b" to a list argument; each use of the option adds to it. */
static bool add_members(yyjson_mut_doc *doc, yyjson_mut_val *root, const char *name, const char *value)
{
    yyjson_mut_val *list = yyjson_mut_obj_get(root, name);
    if (!list) {
        list = yyjson_mut_arr(doc);
        if (!list || !yyjson_mut_obj_add_val(doc, root, name, list))
            return false;
    }
    struct ts_str rest = ts_str_from(value), piece;
    bool done = false;
    while (ts_str_split(&rest, ',', &piece, &done)) {
        piece = ts_str_trim(piece);
        if (piece.len && !yyjson_mut_arr_add_strncpy(doc, list, piece.ptr, piece.len))
            return false;
    }
    return true;
}

static bool is_number(const struct ts_param *param)
{
    return param->kind == TS_PARAM_LIMIT || param->kind == TS_PARAM_INTEGER || param->kind == TS_PARAM_ROW_ID;
}

/* A shell variable that is not set arrives as an empty word: that must not mean "no bound". */
static enum ts_status refuse_empty(const struct ts_param *param, struct ts_error *error)
{
    struct ts_cli_name name;
    return ts_error_set(error, TS_USAGE,
                        "--%s was given nothing (an unset variable?); give a %s, or leave the option out",
                        ts_cli_name(&name, param->name),
                        param->kind == TS_PARAM_SIGNPOST ? "signpost's name"
                        : param->kind == TS_PARAM_GROUPS ? "group of fields"
                                                         : "value");
}

static enum ts_status add_number(struct request *request, const struct ts_param *param, const char *value,
                                 struct ts_error *error)
{
    int64_t number;
    struct ts_cli_name name;
    struct ts_quote quote;
    yyjson_mut_val *root = yyjson_mut_doc_get_root(request->arguments);
    if (!ts_number_parse_i64(ts_str_from(value), &number))
        return ts_error_set(error, TS_USAGE, "--%s takes a whole number of at most 64 bits, not %s",
                            ts_cli_name(&name, param->name),
                            ts_error_quote(&quote, ts_str_from(value), TS_QUOTE_ARGUMENT));
    return yyjson_mut_obj_add_int(request->arguments, root, param->name, number) ? TS_OK : ts_error_no_memory(error);
}

static enum ts_status add_argument(struct request *request, const char *name, const char *value, struct ts_error *error)
{
    const struct ts_param *param = param_of(request->question, name);
    yyjson_mut_doc *doc = request->arguments;
    yyjson_mut_val *root = yyjson_mut_doc_get_root(doc);
    bool groups = param->kind == TS_PARAM_GROUPS;
    if (value[groups ? strspn(value, ", \t") : 0] == '\0')
        return refuse_empty(param, error);
    if (groups)
        return add_members(doc, root, param->name, value) ? TS_OK : ts_error_no_memory(error);
    yyjson_mut_obj_remove_key(root, param->name); /* of an option given twice the last one counts */
    if (is_number(param))
        return add_number(request, param, value, error);
    return yyjson_mut_obj_add_strcpy(doc, root, param->name, value) ? TS_OK : ts_error_no_memory(error);
}

static enum ts_status take_option(struct request *request, const struct ts_option *option, const char *value,
                                  struct ts_error *error)
{
    switch (option->id) {
    case OPTION_PARAM:
        return add_argument(request, option->name, value, error);
    case OPTION_PERFORMANCE:
        return ts_cli_captures_performance(&request->captures, value, error);
    case OPTION_PROFILER:
        return ts_cli_captures_profiler(&request->captures, value, error);
    case OPTION_THREADS:
        return ts_options_number("threads", value, 1, 1024, &request->threads, error);
    case OPTION_JSON:
        request->json = true;
        break;
    case OPTION_COLOR:
        request->color = request->color == TS_COLOR_NEVER ? TS_COLOR_NEVER : TS_COLOR_ALWAYS;
        break;
    case OPTION_NO_COLOR:
        request->color = TS_COLOR_NEVER;
        break;
    case OPTION_HELP:
        request->help = true;
        break;
    default:
        return ts_error_set(error, TS_INTERNAL, "option --%s is not handled", option->name);
    }
    return TS_OK;
}

static enum ts_status read_words(struct ts_context *context, struct request *request, int argc, char **argv,
                                 struct ts_error *error)
{
    struct ts_options words = {argv, argc, 0, false};
    for (;;) {
        const struct ts_option *option;
        const char *value;
        enum ts_status status = TS_OK;
        switch (ts_options_next(&words, request->options, &option, &value, error)) {
        case TS_OPTION_END:
            return TS_OK;
        case TS_OPTION_WRONG:
            return error->code;
        case TS_OPTION_POSITIONAL:
            if (value[0] == '-' && !request->dashed)
                request->dashed = value;
            status = ts_cli_captures_bare(context, &request->captures, value, error);
            break;
        case TS_OPTION_FOUND:
            status = take_option(request, option, value, error);
            break;
        }
        if (status || request->help)
            return status;
    }
}

static unsigned captures_needed(const struct ts_question *question)
{
    return question->needs & TS_NEED_TWO_CAPTURES ? 2 : 1;
}

static enum ts_status check_words(struct request *request, struct ts_error *error)
{
    request->frozen = yyjson_mut_doc_imut_copy(request->arguments, NULL);
    if (!request->frozen)
        return ts_error_no_memory(error);
    enum ts_status status =
        ts_args_check_options(request->question, yyjson_doc_get_root(request->frozen), &request->args, error);
    if (status)
        return status;
    unsigned needed = captures_needed(request->question);
    struct ts_cli_name name;
    if (request->captures.count == needed)
        return TS_OK;
    if (needed == 2)
        return ts_error_set(error, TS_USAGE, "%s compares two captures, before and after; %u named",
                            ts_cli_name(&name, request->question->name), request->captures.count);
    return ts_error_set(error, TS_USAGE, "%s asks one capture; %s", ts_cli_name(&name, request->question->name),
                        request->captures.count ? "several were named" : "name its folder or its file");
}

/* A limit outside its range is moved into it, as agents are told; a person sees fewer rows than asked for and is told here. */
static void note_limits(const struct request *request)
{
    const struct ts_param *params = request->question->params;
    for (size_t i = 0; params[i].name; i++) {
        const struct ts_arg *arg = &request->args.values[i];
        struct ts_cli_name name;
        char note[160];
        if (params[i].kind != TS_PARAM_LIMIT || arg->asked == arg->integer)
            continue;
        snprintf(note, sizeof note, "--%s %" PRId64 " is %s; showing %" PRId64, ts_cli_name(&name, params[i].name),
                 arg->asked, arg->asked < arg->integer ? "below 1" : "above the cap", arg->integer);
        ts_terminal_error(note);
    }
}

/* What the answer had to leave out to fit. */
static void note_left_out(const struct ts_answer *answer)
{
    size_t index, count;
    yyjson_mut_val *key, *value, *lists = yyjson_mut_obj_get(answer->root, "left_out");
    yyjson_mut_obj_foreach(lists, index, count, key, value)
    {
        char note[384];
        snprintf(note, sizeof note, "the answer was cut to fit: the last %" PRIu64 " of %s are left out",
                 yyjson_mut_get_uint(value), yyjson_mut_get_str(key));
        ts_terminal_error(note);
    }
}

void ts_command_question_choices(const struct ts_question *question, struct ts_buf *out)
{
    for (const struct ts_param *param = question->params; param->name; param++) {
        if (!param->values)
            continue;
        ts_buf_text(out, "\n--");
        ts_cli_spell(out, param->name);
        ts_buf_text(out, param->kind == TS_PARAM_GROUPS ? " takes any of" : " is one of");
        for (const char *const *value = param->values; *value; value++)
            ts_buf_printf(out, "%s %s%s", value == param->values ? "" : ",", *value,
                          param->standard && strcmp(param->standard, *value) == 0 ? " (default)" : "");
        ts_buf_char(out, '\n');
    }
}

void ts_command_question_usage(const struct ts_question *question, struct ts_buf *out)
{
    ts_buf_text(out, "tilesight ");
    ts_cli_spell(out, question->name);
    ts_buf_printf(out, " %s [OPTION...]", captures_needed(question) == 2 ? "BEFORE AFTER" : "PATH...");
}

static int show_help(const struct request *request)
{
    const struct ts_question *question = request->question;
    struct ts_buf text;
    ts_buf_init(&text, 0);
    ts_buf_text(&text, "usage: ");
    ts_command_question_usage(question, &text);
    ts_buf_printf(&text, "\n\n%s.\n\n", question->summary);
    ts_options_describe(request->options, &text);
    ts_command_question_choices(question, &text);
    bool good = !text.failed && ts_terminal_write(ts_buf_view(&text));
    ts_buf_free(&text);
    return good ? 0 : 1;
}

static enum ts_status print_answer(const struct request *request, const struct ts_answer *answer,
                                   struct ts_error *error)
{
    struct ts_buf text;
    ts_buf_init(&text, 0);
    enum ts_status status = TS_OK;
    if (request->json) {
        ts_buf_str(&text, (struct ts_str){answer->json, answer->json_len});
        ts_buf_char(&text, '\n');
    } else {
        struct ts_table_look look = {ts_use_color(request->color), ts_output_is_utf8(), ts_output_width()};
        status = ts_table_view(request->question, &request->args, answer->root, &look, &text, error);
    }
    if (!status)
        status = ts_buf_status(&text, error);
    if (!status && !ts_terminal_write(ts_buf_view(&text)))
        status = ts_error_set(error, TS_IO, "the answer could not be printed");
    ts_buf_free(&text);
    return status;
}

static enum ts_status ask(struct ts_context *context, struct request *request, struct ts_error *error)
{
    struct ts_parts *parts = NULL;
    struct ts_capture *captures[TS_CLI_CAPTURES_MAX] = {NULL, NULL};
    struct ts_answer *answer = NULL;
    struct ts_link_base link;
    struct ts_ask_options options = {.link_base = ts_link_base_from_environment(&link)};
    enum ts_status status = ts_parts_create(TS_DEFAULT_CACHE, &parts, error);
    for (unsigned i = 0; !status && i < request->captures.count; i++)
        status = ts_capture_create(context, parts, &request->captures.paths[i], NULL, &captures[i], error);
    if (!status)
        status = ts_ask(context, request->question, &request->args, captures[0], captures[1], &options, &answer, error);
    ts_terminal_progress_done(context);
    if (!status)
        status = print_answer(request, answer, error);
    if (!status)
        note_left_out(answer);
    ts_answer_free(answer);
    for (unsigned i = 0; i < TS_CLI_CAPTURES_MAX; i++)
        if (captures[i])
            ts_capture_destroy(captures[i]);
    ts_parts_destroy(parts);
    return status;
}

/* The message in the words of the command line; the exit status. */
static int fail(const struct request *request, struct ts_error *error)
{
    const struct ts_capture_paths *first = &request->captures.paths[0];
    struct ts_cli_name name;
    struct ts_quote quote;
    ts_cli_spell_error(request->question, first->performance ? first->performance : first->profiler, error);
    size_t len = strlen(error->message);
    if (request->dashed)
        snprintf(error->message + len, sizeof error->message - len, " (behind \"--\" every word is a path, also %s)",
                 ts_error_quote(&quote, ts_str_from(request->dashed), TS_QUOTE_ARGUMENT));
    return ts_terminal_fail(error, ts_cli_name(&name, request->question->name));
}

static int run(struct request *request, int argc, char **argv)
{
    struct ts_error error;
    struct ts_context context;
    ts_context_init(&context);
    context.memory_limit = TS_DEFAULT_CALL_MEMORY;
    enum ts_status status = read_words(&context, request, argc, argv, &error);
    if (!status && request->help)
        return show_help(request);
    if (!status)
        status = check_words(request, &error);
    if (!status) {
        context.threads = request->threads ? request->threads : ts_cores();
        ts_terminal_progress(&context);
        note_limits(request);
        status = ask(&context, request, &error);
    }
    return status ? fail(request, &error) : 0;
}

int ts_command_ask(const struct ts_question *question, int argc, char **argv)
{
    struct request request = {.question = question};
    ts_command_question_options(question, request.options);
    request.arguments = yyjson_mut_doc_new(NULL);
    yyjson_mut_val *root = request.arguments ? yyjson_mut_obj(request.arguments) : NULL;
    if (!root) {
        yyjson_mut_doc_free(request.arguments);
        ts_terminal_error("out of memory");
        return 1;
    }
    yyjson_mut_doc_set_root(request.arguments, root);
    int status = run(&request, argc, argv);
    yyjson_doc_free(request.frozen);
    yyjson_mut_doc_free(request.arguments);
    return status;
}
