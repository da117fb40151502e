/* Captures made for a test, and asking them: every answer is held against its question's declaration on the way. */
#ifndef TS_TESTS_PERF_CAPTURE_H
#define TS_TESTS_PERF_CAPTURE_H

#include <yyjson.h>
#include <tilesight/tilesight.h>

/* A folder below the system's for temporary files, with what was written into it; gone with perf_bench_free. */
struct perf_bench {
    char folder[64];
    struct ts_session *session;
    struct ts_capture *captures[4];
    unsigned count;
};

void perf_bench_make(struct perf_bench *bench);
void perf_bench_free(struct perf_bench *bench);
/* Write text as FOLDER/name; folders in name are made. */
void perf_bench_write(const struct perf_bench *bench, const char *name, const char *text);
/* Open FOLDER/name as a performance report labelled name; which capture it is. */
unsigned perf_bench_open(struct perf_bench *bench, const char *name);
/* The same of a path anywhere, which is its label too. */
unsigned perf_bench_open_at(struct perf_bench *bench, const char *path);
/* Open FOLDER/profiler and FOLDER/performance together, either of which may be NULL; labelled "pair". */
unsigned perf_bench_open_pair(struct perf_bench *bench, const char *profiler, const char *performance);
/* Write an operations CSV into FOLDER/name/ and open it. */
unsigned perf_bench_capture(struct perf_bench *bench, const char *name, const char *csv);

/* Ask captures[0], or for a comparison also captures[1]. The answer is the caller's. */
yyjson_doc *perf_bench_ask(struct perf_bench *bench, const char *question, const char *arguments);
/* The same of one certain capture. */
yyjson_doc *perf_bench_ask_of(struct perf_bench *bench, unsigned capture, const char *question, const char *arguments);
/* Ask what must be refused: with this status and a message that holds every part of what (parts end with '|'). */
void perf_bench_refused(struct perf_bench *bench, const char *question, const char *arguments, enum ts_status status,
                        const char *what);

/* A value inside an answer by path, "/ops/0/id"; a missing one fails the test. */
yyjson_val *perf_at(yyjson_doc *answer, const char *path);
bool perf_has(yyjson_doc *answer, const char *path);
const char *perf_text(yyjson_doc *answer, const char *path);
/* Compare the value at path, written as compact JSON. */
void perf_expect(yyjson_doc *answer, const char *path, const char *json);
/* The text at path holds part. */
void perf_expect_part(yyjson_doc *answer, const char *path, const char *part);

#endif
