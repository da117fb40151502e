#include "questions/table.h"

#include "models/capture_log.h"
#include "questions/log_state.h"

extern const struct ts_question ts_question_load_report;
extern const struct ts_question ts_question_top_ops;
extern const struct ts_question ts_question_op_breakdown;
extern const struct ts_question ts_question_program_cache;
extern const struct ts_question ts_question_zone_timings;
extern const struct ts_question ts_question_core_spread;
extern const struct ts_question ts_question_diff_reports;
extern const struct ts_question ts_question_find_operations;
extern const struct ts_question ts_question_operation_detail;
extern const struct ts_question ts_question_memory_profile;
extern const struct ts_question ts_question_tensor_flow;
extern const struct ts_question ts_question_operation_provenance;
extern const struct ts_question ts_question_errors;
extern const struct ts_question ts_question_dram_fallbacks;
extern const struct ts_question ts_question_l1_peak;

const struct ts_question *const ts_questions[] = {
    &ts_question_load_report,      &ts_question_top_ops,
    &ts_question_op_breakdown,     &ts_question_program_cache,
    &ts_question_zone_timings,     &ts_question_core_spread,
    &ts_question_diff_reports,     &ts_question_find_operations,
    &ts_question_operation_detail, &ts_question_memory_profile,
    &ts_question_tensor_flow,      &ts_question_operation_provenance,
    &ts_question_errors,           &ts_question_dram_fallbacks,
    &ts_question_l1_peak,          NULL,
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

static bool has_device_log(struct ts_context *context, struct ts_capture *capture, bool kernels, struct ts_buf *why)
{
    const struct ts_device_zones *log = NULL;
    struct ts_error error;
    bool read = ts_capture_log_check(context, capture, &log, &error) == TS_OK;
    if (!log) {
        if (why)
            ts_buf_text(why, !read                       ? error.message
                             : capture->csv_named        ? "performance_path names the operations CSV alone"
                             : capture->performance_path ? "performance_path holds no profile_log_device.csv"
                                                         : "no performance_path was given");
        return false;
    }
    const struct ts_log_state state = {.has_header = log->has_header,
                                       .missing = log->missing,
                                       .has_rows = log->has_rows,
                                       .bad_byte = log->bad_byte,
                                       .typed = log->typed,
                                       .clock_mhz = log->head.clock_mhz};
    return ts_log_state_answers(&state, kernels, why);
}

/* Which of the tables are missing, into why. */
static bool has_tables(const struct ts_db *db, const struct ts_question *question, struct ts_buf *why)
{
    bool good = true, any = question->any_table_count == 0;
    struct ts_buf names;
    ts_buf_init(&names, 0);
    for (size_t i = 0; i < question->table_count; i++)
        good = ts_db_usable(db, question->tables[i], &names) && good;
    if (why && !good)
        ts_buf_printf(why, "the profiler database lacks the tables: %s", names.ptr ? names.ptr : "");
    if (why && names.failed)
        why->failed = true;
    ts_buf_free(&names);
    for (size_t i = 0; i < question->any_table_count; i++)
        any = any || ts_db_has_table(db, question->any_table[i]);
    for (size_t i = 0; !any && why && i < question->any_table_count; i++)
        ts_buf_printf(why, "%s%s",
                      i > 0  ? " or "
                      : good ? "the profiler database has none of the tables: "
                             : "; also ",
                      ts_db_table_name(question->any_table[i]));
    return good && any;
}

static bool has_database(struct ts_context *context, const struct ts_question *question, struct ts_capture *capture,
                         struct ts_buf *why)
{
    struct ts_db *db;
    struct ts_error error;
    if (capture->database && ts_capture_database(context, capture, &db, &error) == TS_OK)
        return has_tables(db, question, why);
    if (!why)
        return false;
    if (!capture->profiler_path)
        ts_buf_text(why, "no profiler_path was given");
    else if (!capture->database)
        ts_buf_text(why, "profiler_path holds no db.sqlite");
    else
        ts_buf_text(why, error.message);
    return false;
}

bool ts_question_answerable(struct ts_context *context, const struct ts_question *question, struct ts_capture *capture,
                            struct ts_buf *why)
{
    if ((question->needs & TS_NEED_REPORT) && !has_report(capture, why))
        return false;
    if ((question->needs & TS_NEED_CACHE_COLUMNS) && !has_cache_columns(capture, why))
        return false;
    if ((question->needs & TS_NEED_DATABASE) && !has_database(context, question, capture, why))
        return false;
    return !(question->needs & TS_NEED_DEVICE_LOG) ||
           has_device_log(context, capture, question->needs & TS_NEED_KERNEL_ZONES, why);
}
