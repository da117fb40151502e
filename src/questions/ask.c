#include "questions/ask.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "questions/fit.h"

/* ---- links into the web application ---- */

static void add_encoded(struct ts_buf *out, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-~/";
    for (; *text; text++)
        if (strchr(plain, *text))
            ts_buf_char(out, *text);
        else
            ts_buf_printf(out, "%%%02X", (unsigned)(unsigned char)*text);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The web application opens a profiler directory with a database, and a performance directory with both its files. */
static const char *linked_profiler(const struct ts_capture *capture)
{
    return capture->database ? capture->profiler_path : NULL;
}

static const char *linked_performance(const struct ts_capture *capture)
{
    bool log = capture->device_log && strcmp(base_name(capture->device_log), "profile_log_device.csv") == 0;
    return log && capture->csv ? capture->performance_path : NULL;
}

static void add_link(struct ts_answer *answer, const char *key, const char *base, const char *route,
                     const struct ts_capture *capture)
{
    const char *profiler = linked_profiler(capture), *performance = linked_performance(capture);
    if (!profiler && !performance)
        return;
    struct ts_buf link;
    ts_buf_init(&link, 0);
    ts_buf_printf(&link, "%s%s?", base, route);
    if (profiler) {
        ts_buf_text(&link, "profiler_path=");
        add_encoded(&link, profiler);
    }
    if (performance) {
        ts_buf_text(&link, profiler ? "&performance_path=" : "performance_path=");
        add_encoded(&link, performance);
    }
    if (link.failed)
        answer->failed = true;
    ts_answer_string(answer, answer->root, key, ts_buf_view(&link));
    ts_buf_free(&link);
}

/* Whether the answer's rows are linked to operations of the rank that the web application links against. */
static bool rows_are_linked(const struct ts_answer *answer)
{
    yyjson_mut_val *link = yyjson_mut_obj_get(answer->root, "operation_link");
    yyjson_mut_val *rank = yyjson_mut_obj_get(link, "rank");
    return yyjson_mut_equals_str(yyjson_mut_obj_get(link, "status"), "linked") &&
           (!rank || yyjson_mut_is_null(rank) || (yyjson_mut_is_int(rank) && yyjson_mut_get_int(rank) == 0));
}

/* The web application shows operations of rank 0, or of a report without ranks. */
static bool is_rank_shown(const struct ts_answer *answer)
{
    yyjson_mut_val *rank = yyjson_mut_obj_get(answer->root, "rank");
    return !rank || yyjson_mut_is_null(rank) || (yyjson_mut_is_int(rank) && yyjson_mut_get_sint(rank) == 0);
}

static void add_operation_link(struct ts_answer *answer, const char *base, const struct ts_capture *capture)
{
    char route[48];
    int64_t id = yyjson_mut_get_sint(yyjson_mut_obj_get(answer->root, "operation_id"));
    snprintf(route, sizeof route, "/operations/%" PRId64, id);
    add_link(answer, "app_link", base, route, capture);
}

static void add_links(const struct ts_question *question, const struct ts_capture *capture, const char *base,
                      struct ts_answer *answer)
{
    if (!base || !capture || answer->failed)
        return;
    switch (question->link) {
    case TS_LINK_REPORT:
        add_link(answer, "app_link", base, linked_profiler(capture) ? "/operations" : "/performance", capture);
        break;
    case TS_LINK_LINKED_OPERATIONS:
        if (rows_are_linked(answer) && linked_profiler(capture))
            add_link(answer, "app_link_template", base, "/operations/{operation_id}", capture);
        break;
    case TS_LINK_OPERATIONS:
        if (is_rank_shown(answer) && linked_profiler(capture))
            add_link(answer, "app_link_template", base, "/operations/{operation_id}", capture);
        break;
    case TS_LINK_OPERATION:
        if (is_rank_shown(answer) && linked_profiler(capture))
            add_operation_link(answer, base, capture);
        break;
    case TS_LINK_NONE:
        break;
    }
}

/* ---- asking ---- */

static enum ts_status finish(const struct ts_question *question, const struct ts_args *args, struct ts_answer *answer,
                             struct ts_error *error)
{
    struct ts_buf advice;
    ts_buf_init(&advice, 0);
    if (question->too_large)
        ts_args_explain(args, question->too_large, &advice);
    enum ts_status status = ts_buf_status(&advice, error);
    if (!status)
        status = ts_answer_finish(answer, question->too_large ? advice.ptr : NULL, error);
    if (!status && answer->json_len > TS_LIMIT_ANSWER_FIT && ts_fit_answer(answer, TS_LIMIT_ANSWER_FIT))
        status = ts_answer_finish(answer, question->too_large ? advice.ptr : NULL, error);
    ts_buf_free(&advice);
    return status;
}

enum ts_status ts_ask(struct ts_context *context, const struct ts_question *question, const struct ts_args *args,
                      struct ts_capture *first, struct ts_capture *second, const struct ts_ask_options *options,
                      struct ts_answer **out, struct ts_error *error)
{
    struct ts_answer *answer = NULL;
    enum ts_status status = ts_context_check(context, error);
    if (!status)
        status = ts_answer_create(&answer, error);
    if (!status) {
        if (options->with_handle && !(question->needs & TS_NEED_TWO_CAPTURES))
            ts_answer_text(answer, answer->root, "handle", ts_str_from(first->label));
        status = question->answer(context, args, first, second, answer, error);
    }
    if (!status) {
        if (options->sandbox && question->link == TS_LINK_REPORT)
            ts_answer_name(answer, answer->root, "sandbox", options->sandbox);
        if (ts_capture_changed(first) || (second && ts_capture_changed(second)))
            ts_answer_boolean(answer, answer->root, "capture_changed", true);
        add_links(question, first, options->link_base, answer);
        status = finish(question, args, answer, error);
    }
    ts_capture_release(first);
    if (second && second != first)
        ts_capture_release(second);
    if (status)
        ts_answer_free(answer);
    else
        *out = answer;
    return status;
}
