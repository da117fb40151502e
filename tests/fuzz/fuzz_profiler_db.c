/* The profiler's database, as a file of any bytes or as what an SQL script makes of it, and all that is asked of one. */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tilesight/tilesight.h>

#include "base/json.h"

enum { ROWS_MAX = 2000, STEPS_MAX = 20000 };

static char folder[] = "/tmp/tilesight-fuzz-XXXXXX";
static char path[sizeof folder + 16];

static const struct {
    const char *question, *arguments;
} asked[] = {
    {"load_report", NULL},
    {"find_operations", "{\"name_contains\":\"a\"}"},
    {"operation_detail", "{\"operation_id\":1}"},
    {"operation_detail", "{\"operation_id\":2,\"rank\":1}"},
    {"memory_profile", NULL},
    {"tensor_flow", "{\"tensor_id\":1}"},
    {"operation_provenance", "{\"operation_id\":1}"},
    {"errors", NULL},
    {"dram_fallbacks", NULL},
    {"l1_peak", NULL},
};

static void remove_folder(void)
{
    (void)unlink(path);
    if (rmdir(folder) != 0)
        fprintf(stderr, "%s could not be removed\n", folder);
}

static void make_folder(void)
{
    if (path[0])
        return;
    if (!mkdtemp(folder))
        abort();
    snprintf(path, sizeof path, "%s/db.sqlite", folder);
    atexit(remove_folder);
}

static int give_up(void *steps)
{
    return ++*(int *)steps > STEPS_MAX / 100;
}

/* Only what makes tables and fills them. */
static int allow(void *data, int action, const char *one, const char *two, const char *three, const char *four)
{
    (void)data, (void)one, (void)two, (void)three, (void)four;
    return action == SQLITE_ATTACH || action == SQLITE_DETACH || action == SQLITE_PRAGMA ? SQLITE_DENY : SQLITE_OK;
}

static void run_script(const char *script)
{
    sqlite3 *db = NULL;
    int steps = 0;
    if (sqlite3_open(path, &db) != SQLITE_OK)
        abort();
    sqlite3_exec(db, "PRAGMA synchronous=off; PRAGMA journal_mode=off; PRAGMA max_page_count=500", NULL, NULL, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 20);
    sqlite3_set_authorizer(db, allow, NULL);
    sqlite3_progress_handler(db, 100, give_up, &steps);
    /* One statement after the other: a bad one does not keep the later ones out. */
    while (*script) {
        sqlite3_stmt *statement = NULL;
        const char *rest;
        if (sqlite3_prepare_v2(db, script, -1, &statement, &rest) != SQLITE_OK) {
            const char *end = strchr(script, ';');
            rest = end ? end + 1 : script + strlen(script);
        }
        for (int rows = 0; statement && rows < ROWS_MAX && sqlite3_step(statement) == SQLITE_ROW; rows++)
            continue;
        sqlite3_finalize(statement);
        script = rest;
    }
    sqlite3_close(db);
}

static void write_bytes(const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        abort();
}

static void write_database(const uint8_t *data, size_t size)
{
    static const char magic[] = "SQLite format 3";
    (void)unlink(path);
    if (size >= sizeof magic && memcmp(data, magic, sizeof magic) == 0) {
        write_bytes(data, size);
        return;
    }
    char *script = malloc(size + 1);
    if (!script)
        abort();
    if (size > 0)
        memcpy(script, data, size);
    script[size] = '\0';
    run_script(script);
    free(script);
}

static void ask_all(struct ts_session *session, struct ts_capture *capture)
{
    struct ts_error error;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct ts_answer *answer = NULL;
        enum ts_status status =
            ts_session_ask(session, asked[i].question, asked[i].arguments, capture, NULL, &answer, &error);
        if (status == TS_INTERNAL || (status != TS_OK && !error.message[0]))
            abort();
        if (status != TS_OK)
            continue;
        yyjson_doc *doc = NULL;
        size_t len;
        const char *text = ts_answer_json(answer, &len);
        if (ts_json_parse((struct ts_str){text, len}, 512, true, &doc, NULL))
            abort();
        yyjson_doc_free(doc);
        ts_answer_destroy(answer);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ts_session_options options = {
        .cache_bytes = 1 << 22, .memory_limit = 256 << 20, .time_limit_ms = 10000, .threads = 1};
    struct ts_session *session = NULL;
    struct ts_capture *capture = NULL;
    struct ts_error error;
    make_folder();
    write_database(data, size);
    if (ts_session_create(&options, &session, &error) != TS_OK)
        abort();
    if (ts_capture_open(session, folder, NULL, NULL, &capture, &error) == TS_OK)
        ask_all(session, capture);
    ts_capture_close(capture);
    ts_session_destroy(session);
    return 0;
}
