#include "questions/table.h"

extern const struct ts_question ts_question_load_report;
extern const struct ts_question ts_question_top_ops;
extern const struct ts_question ts_question_op_breakdown;
extern const struct ts_question ts_question_program_cache;
extern const struct ts_question ts_question_diff_reports;

const struct ts_question *const ts_questions[] = {
    &ts_question_load_report,   &ts_question_top_ops,      &ts_question_op_breakdown,
    &ts_question_program_cache, &ts_question_diff_reports, NULL,
};

static bool is_name(struct ts_str name, const char *question)
{
    if (name.len != strlen(question))
        return false;
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] != question[i] && !(name.ptr[i] == '-' && question[i] == '_'))
            return false;
    return true;
}

const struct ts_question *ts_question_find(struct ts_str name)
{
    for (const struct ts_question *const *question = ts_questions; *question; question++)
        if (is_name(name, (*question)->name))
            return *question;
    return NULL;
}

static bool has_report(const struct ts_capture *capture, struct ts_buf *why)
{
    if (capture->csv && !capture->csv_problem.unusable)
        return true;
    if (!why)
        return false;
    if (!capture->performance_path)
        ts_buf_text(why, "no performance_path was given");
    else if (!capture->csv)
        ts_buf_text(why, "performance_path holds no ops_perf_results CSV");
    else
        ts_buf_text(why, "the performance CSV cannot be reported on, see performance_csv_problem");
    return false;
}

static bool has_cache_columns(const struct ts_capture *capture, struct ts_buf *why)
{
    if (!capture->program_columns && why)
        ts_buf_text(why, "the performance CSV lacks the column PROGRAM HASH or PROGRAM CACHE HIT");
    return capture->program_columns;
}

bool ts_question_answerable(struct ts_context *context, const struct ts_question *question, struct ts_capture *capture,
                            struct ts_buf *why)
{
    (void)context;
    if ((question->needs & TS_NEED_REPORT) && !has_report(capture, why))
        return false;
    return !(question->needs & TS_NEED_CACHE_COLUMNS) || has_cache_columns(capture, why);
}
