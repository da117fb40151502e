/* Profiler databases of a few operations that tests of answers share. */
#ifndef TS_TEST_PROFILER_REPORT_H
#define TS_TEST_PROFILER_REPORT_H

#include "support/perf_capture.h"

/* Of one host: every table with every odd value. */
extern const char profiler_report_usual[];
/* The same of two ranks. */
extern const char profiler_report_ranked[];
/* Operations and buffers alone. */
extern const char profiler_report_bare[];
/* Write BENCH/name/db.sqlite and open it; which capture it is. */
unsigned profiler_report_open(struct perf_bench *bench, const char *name, const char *sql);

#endif
