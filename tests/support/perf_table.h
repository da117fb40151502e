/* Operations tables and reports of tests, read from CSV text; whatever fails on the way fails the test. */
#ifndef TESTS_SUPPORT_PERF_TABLE_H
#define TESTS_SUPPORT_PERF_TABLE_H

#include "models/perf_report.h"

/* The table of a CSV text. */
struct ts_ops_csv *perf_table_read(const char *csv);
/* The source of a CSV text; options NULL: none. */
struct ts_perf_source *perf_table_source(const char *csv, const struct ts_perf_source_options *options);
/* A report; options NULL: the whole file. The source's own reference is given up, the report holds it. */
struct ts_perf_report *perf_table_report(struct ts_perf_source *source, const struct ts_perf_report_options *options);
/* The same in one step. */
struct ts_perf_report *perf_table_report_of(const char *csv, const struct ts_perf_report_options *options);
/* Row ids and op codes of a report, "3 A|4 B"; in static memory until the next call. */
const char *perf_table_rows(const struct ts_perf_report *report);

#endif
