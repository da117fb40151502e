/* Device logs in pieces: first lines, columns, long lines, large files, and files that change meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/limits.h"
#include "formats/device_log_rows.h"
#include "formats/device_log_source.h"
#include "support/scratch.h"

#define HEAD "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000\n"
#define COLUMNS                                                                                                        \
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, zone "     \
    "name, "                                                                                                           \
    "type\n"
#define ROW "0,1,2,BRISC,7,100,0,1024,BRISC-FW,ZONE_START\n"

static int set_up(void **state)
{
    struct scratch *scratch = calloc(1, sizeof *scratch);
    scratch_create(scratch);
    *state = scratch;
    return 0;
}

static int tear_down(void **state)
{
    scratch_destroy(*state);
    free(*state);
    return 0;
}

static struct ts_log_source *open_text(struct ts_context *context, struct ts_str text, size_t block)
{
    struct ts_log_source *source;
    struct ts_error error;
    ts_context_init(context);
    assert_int_equal(ts_log_source_open_memory(context, text, block, &source, &error), TS_OK);
    return source;
}

/* Rows of all pieces, with their pieces' lengths. */
struct read {
    size_t rows, pieces, longest;
    uint64_t last_time, bad_byte;
    size_t too_short;
    bool has_rows;
};

static enum ts_status read_all(struct ts_log_source *source, struct read *out, struct ts_error *error)
{
    struct ts_device_log_layout layout = {.has_timer = false};
    struct ts_log_scanner scanner;
    struct ts_log_piece piece = {.room = NULL};
    bool more = true;
    enum ts_status status = TS_OK;
    *out = (struct read){.rows = 0};
    ts_device_log_layout_parse(ts_log_source_first_lines(source)->header, &layout);
    ts_log_scanner_init(&scanner, &layout, 1, TS_LOG_VECTORS_BEST);
    while (status == TS_OK && more) {
        struct ts_log_row rows[8];
        size_t count;
        status = ts_log_source_progress(source, error);
        if (status == TS_OK)
            status = ts_log_source_next(source, &piece, &more, error);
        if (status != TS_OK || !more)
            break;
        assert_int_equal(piece.index, out->pieces);
        out->pieces++;
        out->longest = piece.len > out->longest ? piece.len : out->longest;
        ts_log_scanner_begin(&scanner, piece.bytes, piece.len);
        while ((count = ts_log_scanner_next(&scanner, rows, 8)) > 0)
            for (size_t i = 0; i < count; i++) {
                out->rows += rows[i].state == TS_LOG_GOOD;
                out->too_short += rows[i].state == TS_LOG_TOO_SHORT;
                out->last_time = rows[i].time;
            }
    }
    if (status == TS_OK)
        status = ts_log_source_unchanged(source, error);
    out->bad_byte = ts_log_source_bad_byte(source);
    out->has_rows = ts_log_source_has_rows(source);
    ts_log_piece_free(&piece);
    ts_log_scanner_free(&scanner);
    return status;
}

static struct read read_file(const char *path, size_t block, enum ts_status expected)
{
    struct ts_context context;
    struct ts_log_source *source;
    struct ts_error error;
    struct read read;
    ts_context_init(&context);
    assert_int_equal(ts_log_source_open(&context, path, block, &source, &error), TS_OK);
    assert_int_equal(read_all(source, &read, &error), expected);
    ts_log_source_close(source);
    return read;
}

static struct read read_text(const char *text, size_t block)
{
    struct ts_context context;
    struct ts_error error;
    struct read read;
    struct ts_log_source *source = open_text(&context, ts_str_from(text), block);
    assert_int_equal(read_all(source, &read, &error), TS_OK);
    ts_log_source_close(source);
    return read;
}

/* ---- first lines ---- */

static void expect_first(const char *text, const char *metadata, const char *header)
{
    struct ts_context context;
    struct ts_log_source *source = open_text(&context, ts_str_from(text), 0);
    const struct ts_log_first_lines *first = ts_log_source_first_lines(source);
    assert_true(metadata ? ts_str_is(first->metadata, metadata) : !first->metadata.ptr);
    assert_true(header ? ts_str_is(first->header, header) : !first->header.ptr);
    ts_log_source_close(source);
}

static void test_first_lines(void **state)
{
    (void)state;
    expect_first("ARCH: a\nPCIe slot,x\n0,1\n", "ARCH: a", "PCIe slot,x");
    expect_first("ARCH: a\r\n\r\n \nPCIe slot,x", "ARCH: a", "PCIe slot,x");
    expect_first("core_x, PCIe slot \n0,1\n", NULL, "core_x, PCIe slot ");
    expect_first("PCIe slot", NULL, "PCIe slot");
    expect_first("\xef\xbb\xbfPCIe slot\n", NULL, "\xef\xbb\xbfPCIe slot");
    expect_first("ARCH: a\nanything", "ARCH: a", "anything");
    expect_first("ARCH: a\n", "ARCH: a", NULL);
    expect_first("ARCH: a", "ARCH: a", NULL);
    expect_first("", "", NULL);
}

static void test_first_lines_that_never_end(void **state)
{
    (void)state;
    struct ts_context context;
    struct ts_log_source *source;
    struct ts_error error;
    size_t len = 4 * TS_LIMIT_LOG_HEADER;
    char *text = malloc(len);
    memset(text, 'x', len);
    ts_context_init(&context);
    assert_int_equal(ts_log_source_open_memory(&context, (struct ts_str){text, len}, 0, &source, &error), TS_LIMIT);
    assert_non_null(strstr(error.message, "65536 bytes"));
    free(text);
}

static void expect_missing(const char *header, const char *missing)
{
    struct ts_device_log_layout layout = {.has_timer = false};
    struct ts_buf out;
    ts_buf_init(&out, 0);
    ts_device_log_layout_parse(ts_str_from(header), &layout);
    assert_int_equal(ts_device_log_missing(&layout, &out), *missing != '\0');
    assert_true(ts_str_is(ts_buf_view(&out), missing));
    ts_buf_free(&out);
}

static void test_columns(void **state)
{
    (void)state;
    struct ts_device_log_layout layout = {.has_timer = false};
    expect_missing(COLUMNS, "");
    expect_missing("x", "timer_id, zone name, run host ID, PCIe slot, RISC processor type, core_x, core_y, "
                        "time[cycles since reset]");
    expect_missing("\xef\xbb\xbfPCIe slot,core_x,core_y ,RISC processor type,time[cycles since reset],run host ID,"
                   "  zone name",
                   "timer_id");
    expect_missing("timer_id,PCIe slot,core_x,Core_y,RISC processor type,time,run ID,zone name",
                   "run host ID, core_y, time[cycles since reset]");
    ts_device_log_layout_parse(TS_STR("zone phase,type,zone name,zone name"), &layout);
    assert_int_equal(layout.at[TS_LOG_TYPE], 1);
    assert_int_equal(layout.at[TS_LOG_ZONE], 2);
    assert_false(layout.phase);
    ts_device_log_layout_parse(TS_STR("a, zone phase "), &layout);
    assert_int_equal(layout.at[TS_LOG_TYPE], 1);
    assert_true(layout.phase);
    ts_device_log_layout_parse(TS_STR("a"), &layout);
    assert_int_equal(layout.at[TS_LOG_TYPE], TS_LOG_NOWHERE);
}

/* ---- bytes ---- */

static void test_where_bytes_are_no_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bad; /* from behind the first two lines; UINT64_MAX: none */
    } cases[] = {
        {ROW, UINT64_MAX},
        {"0,\xc3\xa9\n\xe2\x82\xac\xf0\x9f\x98\x80" ROW, UINT64_MAX},
        {"0,\xff\n" ROW, 2},
        {"ab\xe2\x82\n" ROW, 2},
        {"ab\xf0\x9f\x98", 2},
        {"abcdefg\x80\x80\x80\x80\x80\n", 7},
        {"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xa9\n", 10},
        {"\xed\xa0\x80\n", 0},
    };
    struct scratch *scratch = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s%s", HEAD, COLUMNS, cases[i].text);
        const char *path = scratch_put(scratch, "log.csv", ts_str_from(text));
        uint64_t bad = cases[i].bad == UINT64_MAX ? UINT64_MAX : cases[i].bad + strlen(HEAD COLUMNS);
        for (size_t block = 1; block < 24; block++) {
            assert_int_equal(read_file(path, block, TS_OK).bad_byte, bad);
            assert_int_equal(read_text(text, block).bad_byte, bad);
        }
    }
    assert_int_equal(read_text("ARCH: \xff\n" COLUMNS ROW, 0).bad_byte, 6);
    assert_int_equal(read_file(scratch_put(scratch, "log.csv", TS_STR("ARCH: \xff\n" COLUMNS ROW)), 0, TS_OK).bad_byte,
                     6);
}

static void test_whether_there_are_rows(void **state)
{
    (void)state;
    assert_false(read_text(HEAD COLUMNS, 0).has_rows);
    assert_false(read_text(HEAD COLUMNS "\n \r\n\t\n", 4).has_rows);
    assert_true(read_text(HEAD COLUMNS "\n \r\nx", 4).has_rows);
    assert_false(read_text(HEAD, 0).has_rows);
}

/* ---- long lines ---- */

static void put_at(int file, uint64_t offset, const char *text)
{
    assert_int_equal(pwrite(file, text, strlen(text), (off_t)offset), (ssize_t)strlen(text));
}

/* A file of NULs but for the texts put into it. */
static int sparse_file(struct scratch *scratch, const char **path)
{
    *path = scratch_path(scratch, "sparse.csv");
    int file = open(*path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    put_at(file, 0, HEAD COLUMNS ROW);
    return file;
}

static void test_a_line_of_300_megabytes(void **state)
{
    const char *path;
    uint64_t end = 300 * TS_MIB, begin = strlen(HEAD COLUMNS ROW);
    int file = sparse_file(*state, &path);
    /* Its fields end within reach: a row whatever follows. */
    put_at(file, begin, "0,1,2,BRISC,7,200,0,1024,BRISC-FW,ZONE_END,");
    put_at(file, end, "\n" ROW);
    struct read read = read_file(path, 0, TS_OK);
    assert_int_equal(read.rows, 3);
    assert_int_equal(read.too_short, 0);
    assert_true(read.longest < 2 * TS_MIB);
    /* Its name goes on and on: no row, and no more memory than for others. */
    put_at(file, begin, "0,1,2,BRISC,7,200,0,1024,BRISC-FW ZONE_END ");
    read = read_file(path, 0, TS_OK);
    assert_int_equal(read.rows, 2);
    assert_int_equal(read.too_short, 1);
    assert_true(read.longest < 4 * TS_MIB);
    assert_int_equal(read.bad_byte, UINT64_MAX);
    close(file);
}

static void test_a_long_line_in_a_stream(void **state)
{
    (void)state;
    struct ts_context context;
    struct ts_error error;
    size_t fill = 5 * TS_MIB, len = 0;
    char *text = malloc(fill + 1000);
    len += (size_t)sprintf(text, "%s%s%s0,1,2,BRISC,7,200,0,1024,", HEAD, COLUMNS, ROW);
    memset(text + len, 'z', fill);
    len += fill;
    len += (size_t)sprintf(text + len, ",ZONE_END\n%s%s", ROW, "0,1,2,BRISC,7,300,0,1024,BRISC-FW,ZONE_END\n");
    static const size_t blocks[] = {0, 100, 65536, 3000000, 8000000};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        struct read read;
        struct ts_log_source *source = open_text(&context, (struct ts_str){text, len}, blocks[i]);
        assert_int_equal(read_all(source, &read, &error), TS_OK);
        assert_int_equal(read.rows, 3);
        assert_int_equal(read.too_short, 1);
        assert_int_equal(read.last_time, 300);
        ts_log_source_close(source);
    }
    free(text);
}

/* The limit counts from the beginning of the line, so that the size of pieces does not matter. */
static void test_the_limit_of_a_line(void **state)
{
    struct scratch *scratch = *state;
    char *text = malloc(TS_LIMIT_LOG_LINE + 2000);
    for (int over = 0; over < 2; over++) {
        size_t start = (size_t)sprintf(text, "%s%s", HEAD, COLUMNS), len = start;
        len += (size_t)sprintf(text + len, "0,1,2,BRISC,7,200,0,1024,");
        size_t fill = TS_LIMIT_LOG_LINE - (len - start) - strlen(",ZONE_END,") + (size_t)over;
        memset(text + len, 'z', fill);
        len += fill;
        len += (size_t)sprintf(text + len, ",ZONE_END,rest\n%s", ROW);
        const char *path = scratch_put(scratch, "limit.csv", (struct ts_str){text, len});
        static const size_t blocks[] = {0, 50, 4096, 1000000};
        for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
            struct read read = read_file(path, i == 1 ? 5000 : blocks[i], TS_OK);
            assert_int_equal(read.rows, over ? 1 : 2);
            assert_int_equal(read.too_short, over);
        }
    }
    free(text);
}

/* ---- large files ---- */

static void test_offsets_past_4_gigabytes(void **state)
{
    const char *sanitizers = getenv("TILESIGHT_SANITIZE"), *path;
    if (sanitizers && *sanitizers)
        skip(); /* four gigabytes are read: once is enough */
    uint64_t far = (UINT64_C(1) << 32) + 12345;
    int file = sparse_file(*state, &path);
    put_at(file, far, "\n0,1,2,BRISC,7,77,0,1024,BRISC-FW,ZONE_END\n");
    put_at(file, far + 5 * TS_MIB, "\xff\n0,1,2,BRISC,7,99,0,1024,BRISC-FW,ZONE_END");
    struct read read = read_file(path, 4 * TS_MIB, TS_OK);
    assert_int_equal(read.rows, 3);
    assert_int_equal(read.last_time, 99);
    assert_int_equal(read.bad_byte, far + 5 * TS_MIB);
    close(file);
}

/* ---- files that change ---- */

struct change {
    const char *path;
    bool shorten, done;
};

static uint64_t some_time(void)
{
    return 1;
}

static void change_file(void *data, uint64_t done, uint64_t total, const char *message)
{
    struct change *change = data;
    (void)message;
    assert_true(done <= total);
    if (change->done || done == 0)
        return;
    change->done = true;
    int file = open(change->path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (change->shorten)
        assert_int_equal(ftruncate(file, 500), 0);
    else
        assert_int_equal(write(file, ROW, strlen(ROW)), (ssize_t)strlen(ROW));
    close(file);
}

static void test_a_file_that_changes_meanwhile(void **state)
{
    struct scratch *scratch = *state;
    for (int shorten = 0; shorten < 2; shorten++) {
        struct ts_buf text;
        ts_buf_init(&text, 0);
        ts_buf_text(&text, HEAD COLUMNS);
        for (int i = 0; i < 2000; i++)
            ts_buf_text(&text, ROW);
        struct change change = {.path = scratch_put(scratch, "growing.csv", ts_buf_view(&text)), .shorten = shorten};
        struct ts_context context;
        struct ts_log_source *source;
        struct ts_error error;
        struct read read;
        ts_context_init(&context);
        context.now_ns = some_time;
        context.progress = change_file;
        context.progress_data = &change;
        assert_int_equal(ts_log_source_open(&context, change.path, 1000, &source, &error), TS_OK);
        assert_int_equal(read_all(source, &read, &error), TS_CHANGED);
        assert_true(change.done);
        assert_non_null(strstr(error.message, shorten ? "became shorter" : "changed while"));
        if (!shorten)
            assert_int_equal(read.rows, 2000);
        ts_log_source_close(source);
        ts_buf_free(&text);
    }
}

static void test_cancelling(void **state)
{
    (void)state;
    struct ts_context context;
    struct ts_error error;
    struct ts_log_piece piece = {.room = NULL};
    bool more;
    struct ts_log_source *source = open_text(&context, TS_STR(HEAD COLUMNS ROW), 0);
    atomic_store(&context.cancelled, true);
    assert_int_equal(ts_log_source_next(source, &piece, &more, &error), TS_CANCELLED);
    ts_log_piece_free(&piece);
    ts_log_source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_lines),
        cmocka_unit_test(test_first_lines_that_never_end),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_where_bytes_are_no_utf8),
        cmocka_unit_test(test_whether_there_are_rows),
        cmocka_unit_test(test_a_line_of_300_megabytes),
        cmocka_unit_test(test_a_long_line_in_a_stream),
        cmocka_unit_test(test_the_limit_of_a_line),
        cmocka_unit_test(test_offsets_past_4_gigabytes),
        cmocka_unit_test(test_a_file_that_changes_meanwhile),
        cmocka_unit_test(test_cancelling),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
