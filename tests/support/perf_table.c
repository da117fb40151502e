#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/perf_table.h"

struct ts_ops_csv *perf_table_read(const char *csv)
{
    struct ts_context context;
    struct ts_ops_csv *ops = NULL;
    struct ts_ops_problem problem = {0};
    struct ts_error error = {0};

    ts_context_init(&context);
    if (ts_ops_csv_read_memory(&context, ts_str_from(csv), false, &ops, &problem, &error) != TS_OK)
        fail_msg("%s", error.message);
    if (!ops)
        fail_msg("%s", problem.message);
    return ops;
}

struct ts_perf_source *perf_table_source(const char *csv, const struct ts_perf_source_options *options)
{
    static const struct ts_perf_source_options none;
    struct ts_context context;
    struct ts_perf_source *source = NULL;
    struct ts_error error = {0};

    ts_context_init(&context);
    if (ts_perf_source_create(&context, perf_table_read(csv), options ? options : &none, &source, &error) != TS_OK)
        fail_msg("%s", error.message);
    return source;
}

struct ts_perf_report *perf_table_report(struct ts_perf_source *source, const struct ts_perf_report_options *options)
{
    static const struct ts_perf_report_options none;
    struct ts_context context;
    struct ts_perf_report *report = NULL;
    struct ts_error error = {0};

    ts_context_init(&context);
    enum ts_status status = ts_perf_report_create(&context, source, options ? options : &none, &report, &error);
    ts_perf_source_release(source);
    if (status != TS_OK)
        fail_msg("%s", error.message);
    return report;
}

struct ts_perf_report *perf_table_report_of(const char *csv, const struct ts_perf_report_options *options)
{
    return perf_table_report(perf_table_source(csv, NULL), options);
}

const char *perf_table_rows(const struct ts_perf_report *report)
{
    static char text[4096];
    size_t len = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < report->count; i++) {
        uint32_t row = report->rows[i].source;
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%u %.*s", i > 0 ? "|" : "", row + 2,
                                TS_STR_ARG(ts_perf_source_name(report->source, row)));
        assert_true(len < sizeof text);
    }
    return text;
}
