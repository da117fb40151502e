#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "questions/schema.h"
#include "questions/table.h"
#include "support/perf_capture.h"

void perf_bench_make(struct perf_bench *bench)
{
    struct ts_error error;
    *bench = (struct perf_bench){.count = 0};
    snprintf(bench->folder, sizeof bench->folder, "/tmp/tilesight-test-XXXXXX");
    assert_non_null(mkdtemp(bench->folder));
    if (ts_session_create(NULL, &bench->session, &error))
        fail_msg("%s", error.message);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

void perf_bench_free(struct perf_bench *bench)
{
    for (unsigned i = 0; i < bench->count; i++)
        ts_capture_close(bench->captures[i]);
    ts_session_destroy(bench->session);
    nftw(bench->folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static void path_of(const struct perf_bench *bench, const char *name, char out[512])
{
    assert_true((size_t)snprintf(out, 512, "%s/%s", bench->folder, name) < 512);
}

void perf_bench_write(const struct perf_bench *bench, const char *name, const char *text)
{
    char path[512];
    path_of(bench, name, path);
    for (char *slash = path + strlen(bench->folder) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static unsigned open_capture(struct perf_bench *bench, const char *path, const char *label)
{
    struct ts_error error;
    assert_true(bench->count < sizeof bench->captures / sizeof *bench->captures);
    if (ts_capture_open(bench->session, NULL, path, label, &bench->captures[bench->count], &error))
        fail_msg("%s: %s", path, error.message);
    return bench->count++;
}

unsigned perf_bench_open(struct perf_bench *bench, const char *name)
{
    char path[512];
    path_of(bench, name, path);
    return open_capture(bench, path, name);
}

unsigned perf_bench_open_pair(struct perf_bench *bench, const char *profiler, const char *performance)
{
    char profiler_path[512], performance_path[512];
    struct ts_error error;
    if (profiler)
        path_of(bench, profiler, profiler_path);
    if (performance)
        path_of(bench, performance, performance_path);
    assert_true(bench->count < sizeof bench->captures / sizeof *bench->captures);
    if (ts_capture_open(bench->session, profiler ? profiler_path : NULL, performance ? performance_path : NULL, "pair",
                        &bench->captures[bench->count], &error))
        fail_msg("%s", error.message);
    return bench->count++;
}

unsigned perf_bench_open_at(struct perf_bench *bench, const char *path)
{
    return open_capture(bench, path, path);
}

unsigned perf_bench_capture(struct perf_bench *bench, const char *name, const char *csv)
{
    char file[256];
    snprintf(file, sizeof file, "%s/ops_perf_results.csv", name);
    perf_bench_write(bench, file, csv);
    return perf_bench_open(bench, name);
}

/* The checked form of arguments that an answer was given to; doc keeps their texts. */
static void check_against_declaration(const char *name, const char *arguments, yyjson_doc *answer)
{
    const struct ts_question *question = ts_question_find(ts_str_from(name));
    struct ts_error error;
    struct ts_args args;
    yyjson_doc *doc = yyjson_read(arguments ? arguments : "{}", strlen(arguments ? arguments : "{}"), 0);
    assert_non_null(question);
    assert_int_equal(ts_args_check(question, yyjson_doc_get_root(doc), false, &args, &error), TS_OK);
    if (ts_schema_check(question, &args, yyjson_doc_get_root(answer), &error))
        fail_msg("%s %s: %s", name, arguments, error.message);
    yyjson_doc_free(doc);
}

static struct ts_capture *second_for(const struct perf_bench *bench, const char *question)
{
    const struct ts_question *found = ts_question_find(ts_str_from(question));
    bool two = found && found->needs & TS_NEED_TWO_CAPTURES;
    return two ? bench->captures[bench->count > 1 ? 1 : 0] : NULL;
}

yyjson_doc *perf_bench_ask_of(struct perf_bench *bench, unsigned capture, const char *question, const char *arguments)
{
    struct ts_error error;
    struct ts_answer *answer;
    size_t length;
    if (ts_session_ask(bench->session, question, arguments, bench->captures[capture], second_for(bench, question),
                       &answer, &error))
        fail_msg("%s %s: %s", question, arguments, error.message);
    const char *json = ts_answer_json(answer, &length);
    assert_int_equal(strlen(json), length);
    yyjson_doc *doc = yyjson_read(json, length, 0);
    assert_non_null(doc);
    ts_answer_destroy(answer);
    check_against_declaration(question, arguments, doc);
    return doc;
}

yyjson_doc *perf_bench_ask(struct perf_bench *bench, const char *question, const char *arguments)
{
    return perf_bench_ask_of(bench, 0, question, arguments);
}

void perf_bench_refused(struct perf_bench *bench, const char *question, const char *arguments, enum ts_status status,
                        const char *what)
{
    struct ts_error error;
    struct ts_answer *answer = NULL;
    if (!ts_session_ask(bench->session, question, arguments, bench->captures[0], second_for(bench, question), &answer,
                        &error))
        fail_msg("%s %s was answered: %s", question, arguments, ts_answer_json(answer, NULL));
    assert_null(answer);
    if (error.code != status)
        fail_msg("%s %s: status %d, not %d: %s", question, arguments, error.code, status, error.message);
    struct ts_str rest = ts_str_from(what), part;
    for (bool done = false; ts_str_split(&rest, '|', &part, &done);)
        if (!ts_str_contains(ts_str_from(error.message), part))
            fail_msg("%s %s: \"%s\" lacks \"%.*s\"", question, arguments, error.message, TS_STR_ARG(part));
}

yyjson_val *perf_at(yyjson_doc *answer, const char *path)
{
    yyjson_val *value = yyjson_doc_ptr_get(answer, path);
    if (!value)
        fail_msg("nothing at %s in %s", path, yyjson_write(answer, 0, NULL));
    return value;
}

bool perf_has(yyjson_doc *answer, const char *path)
{
    return yyjson_doc_ptr_get(answer, path) != NULL;
}

const char *perf_text(yyjson_doc *answer, const char *path)
{
    const char *text = yyjson_get_str(perf_at(answer, path));
    assert_non_null(text);
    return text;
}

void perf_expect(yyjson_doc *answer, const char *path, const char *json)
{
    char *text = yyjson_val_write(perf_at(answer, path), 0, NULL);
    assert_non_null(text);
    if (strcmp(text, json) != 0)
        fail_msg("%s is %s, not %s", path, text, json);
    free(text);
}

void perf_expect_part(yyjson_doc *answer, const char *path, const char *part)
{
    if (!strstr(perf_text(answer, path), part))
        fail_msg("%s: not in %s: %s", part, path, perf_text(answer, path));
}
