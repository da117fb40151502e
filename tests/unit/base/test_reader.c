#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/buf.h"
#include "support/scratch.h"

struct fixture {
    struct scratch scratch;
    struct ts_context context;
    struct ts_error error;
    struct ts_buf packed; /* what a test feeds */
    struct ts_buf read;   /* what came out */
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    scratch_create(&f->scratch);
    ts_context_init(&f->context);
    ts_buf_init(&f->packed, 0);
    ts_buf_init(&f->read, 0);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    ts_buf_free(&f->packed);
    ts_buf_free(&f->read);
    scratch_destroy(&f->scratch);
    free(f);
    return 0;
}

/* ---- packing ---- */

static void add_gzip(struct ts_buf *out, struct ts_str text)
{
    unsigned char room[8192];
    z_stream z = {.next_in = (Bytef *)text.ptr, .avail_in = (uInt)text.len};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    int result;
    do {
        z.next_out = room;
        z.avail_out = sizeof room;
        result = deflate(&z, Z_FINISH);
        ts_buf_add(out, room, sizeof room - z.avail_out);
    } while (result == Z_OK);
    assert_int_equal(result, Z_STREAM_END);
    deflateEnd(&z);
}

static void add_zstd(struct ts_buf *out, struct ts_str text)
{
    size_t bound = ZSTD_compressBound(text.len);
    char *room = malloc(bound);
    size_t size = ZSTD_compress(room, bound, text.ptr, text.len, 3);
    assert_false(ZSTD_isError(size));
    ts_buf_add(out, room, size);
    free(room);
}

static const struct packing {
    const char *name;
    void (*add)(struct ts_buf *out, struct ts_str text);
} PACKINGS[] = {{"x.csv.gz", add_gzip}, {"x.csv.zst", add_zstd}};
enum { PACKING_COUNT = 2 };

/* Text that does not compress well, so that streams are longer than the input buffer of the reader. */
static struct ts_str noise(struct fixture *f, size_t len)
{
    char *bytes = ts_arena_alloc(&f->scratch.arena, len);
    uint64_t x = 88172645463325252u;
    for (size_t i = 0; i < len; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        bytes[i] = (char)x;
    }
    return (struct ts_str){bytes, len};
}

/* ---- reading ---- */

/* Read all there is in pieces of at most `piece` bytes into f->read. */
static enum ts_status drain(struct fixture *f, struct ts_reader *reader, size_t piece)
{
    char *room = malloc(piece); /* exactly, so that a sanitizer sees a byte too many */
    ts_buf_clear(&f->read);
    for (;;) {
        size_t got = 12345;
        enum ts_status status = ts_reader_read(reader, room, piece, &got, &f->error);
        if (status != TS_OK || got == 0) {
            free(room);
            return status;
        }
        assert_true(got <= piece);
        ts_buf_add(&f->read, room, got);
    }
}

static enum ts_status read_memory(struct fixture *f, const char *name, struct ts_str bytes, size_t piece)
{
    struct ts_reader *reader;
    assert_int_equal(ts_reader_open_memory(&f->context, name, bytes, &reader, &f->error), TS_OK);
    enum ts_status status = drain(f, reader, piece);
    ts_reader_close(reader);
    return status;
}

static enum ts_status read_file(struct fixture *f, const char *path, size_t piece)
{
    struct ts_reader *reader;
    enum ts_status status = ts_reader_open(&f->context, path, &reader, &f->error);
    if (status != TS_OK)
        return status;
    assert_string_equal(ts_reader_path(reader), path);
    status = drain(f, reader, piece);
    ts_reader_close(reader);
    return status;
}

#define assert_read(f, expected) assert_true(ts_str_equal(ts_buf_view(&(f)->read), (expected)))

static void plain_files_come_as_they_are(void **state)
{
    struct fixture *f = *state;
    struct ts_str text = noise(f, 700001);
    const char *path = scratch_put(&f->scratch, "x.csv", text);
    static const size_t pieces[] = {777, 65536, 1 << 20};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(read_file(f, path, pieces[i]), TS_OK);
        assert_read(f, text);
        assert_int_equal(read_memory(f, "x.csv", text, pieces[i]), TS_OK);
        assert_read(f, text);
    }
    assert_int_equal(read_memory(f, "x", TS_STR(""), 10), TS_OK);
    assert_int_equal(f->read.len, 0);
}

static void packed_streams_come_unpacked_in_pieces_of_any_size(void **state)
{
    struct fixture *f = *state;
    struct ts_str text = noise(f, 700001);
    static const size_t pieces[] = {777, 65536, 1 << 20};
    for (size_t p = 0; p < PACKING_COUNT; p++) {
        ts_buf_clear(&f->packed);
        PACKINGS[p].add(&f->packed, text);
        const char *path = scratch_put(&f->scratch, PACKINGS[p].name, ts_buf_view(&f->packed));
        for (size_t i = 0; i < 3; i++) {
            assert_int_equal(read_file(f, path, pieces[i]), TS_OK);
            assert_read(f, text);
        }
        ts_buf_clear(&f->packed);
        PACKINGS[p].add(&f->packed, TS_STR("short"));
        assert_int_equal(read_memory(f, PACKINGS[p].name, ts_buf_view(&f->packed), 1), TS_OK);
        assert_read(f, TS_STR("short"));
    }
}

static void members_and_frames_in_a_row_are_one_stream(void **state)
{
    struct fixture *f = *state;
    struct ts_str text = noise(f, 300000);
    for (size_t p = 0; p < PACKING_COUNT; p++) {
        ts_buf_clear(&f->packed);
        PACKINGS[p].add(&f->packed, TS_STR("a"));
        PACKINGS[p].add(&f->packed, TS_STR(""));
        PACKINGS[p].add(&f->packed, text);
        PACKINGS[p].add(&f->packed, TS_STR(""));
        assert_int_equal(read_memory(f, PACKINGS[p].name, ts_buf_view(&f->packed), 4096), TS_OK);
        assert_int_equal(f->read.len, 1 + text.len);
        assert_int_equal(f->read.ptr[0], 'a');
        assert_memory_equal(f->read.ptr + 1, text.ptr, text.len);
    }
}

static void skippable_zstd_frames_are_skipped(void **state)
{
    struct fixture *f = *state;
    ts_buf_add(&f->packed, "\x50\x2a\x4d\x18\x03\0\0\0xyz", 11);
    add_zstd(&f->packed, TS_STR("data"));
    ts_buf_add(&f->packed, "\x5f\x2a\x4d\x18\0\0\0\0", 8);
    assert_int_equal(read_memory(f, "x.zst", ts_buf_view(&f->packed), 100), TS_OK);
    assert_read(f, TS_STR("data"));
}

static void zeros_behind_a_gzip_stream_are_padding(void **state)
{
    struct fixture *f = *state;
    static const char zeros[70000];
    add_gzip(&f->packed, TS_STR("data"));
    size_t end = f->packed.len;
    ts_buf_add(&f->packed, zeros, sizeof zeros);
    assert_int_equal(read_memory(f, "x.gz", (struct ts_str){f->packed.ptr, end + 1}, 100), TS_OK);
    assert_int_equal(read_memory(f, "x.gz", ts_buf_view(&f->packed), 100), TS_OK);
    assert_read(f, TS_STR("data"));

    add_gzip(&f->packed, TS_STR("more"));
    assert_int_equal(read_memory(f, "x.gz", ts_buf_view(&f->packed), 100), TS_INPUT);
    assert_non_null(strstr(f->error.message, "padding"));
}

static void something_else_behind_a_stream_is_damage(void **state)
{
    struct fixture *f = *state;
    for (size_t p = 0; p < PACKING_COUNT; p++) {
        ts_buf_clear(&f->packed);
        PACKINGS[p].add(&f->packed, TS_STR("data"));
        ts_buf_text(&f->packed, "garbage");
        assert_int_equal(read_memory(f, PACKINGS[p].name, ts_buf_view(&f->packed), 100), TS_INPUT);
        assert_non_null(strstr(f->error.message, PACKINGS[p].name));
        assert_non_null(strstr(f->error.message, "after 4 decompressed bytes"));
        assert_read(f, TS_STR("data"));
    }
}

static void plain_text_under_a_packed_name_is_damage(void **state)
{
    struct fixture *f = *state;
    for (size_t p = 0; p < PACKING_COUNT; p++) {
        assert_int_equal(read_memory(f, PACKINGS[p].name, TS_STR("OP CODE,OP TYPE\n1,2\n"), 100), TS_INPUT);
        assert_non_null(strstr(f->error.message, "after 0 decompressed bytes"));
        assert_int_equal(f->read.len, 0);
    }
}

static void a_stream_cut_anywhere_is_bad_input(void **state)
{
    struct fixture *f = *state;
    struct ts_str text = noise(f, 300);
    for (size_t p = 0; p < PACKING_COUNT; p++) {
        ts_buf_clear(&f->packed);
        PACKINGS[p].add(&f->packed, text);
        size_t first = f->packed.len;
        PACKINGS[p].add(&f->packed, text);
        for (size_t len = 0; len < f->packed.len; len++) {
            char *exact = malloc(len ? len : 1);
            memcpy(exact, f->packed.ptr, len);
            enum ts_status status = read_memory(f, PACKINGS[p].name, (struct ts_str){exact, len}, 64);
            free(exact);
            assert_int_equal(status, len == first ? TS_OK : TS_INPUT);
            if (len != first)
                assert_non_null(strstr(f->error.message, "cut short"));
        }
    }
}

static void the_message_of_a_cut_stream_says_how_much_was_read(void **state)
{
    struct fixture *f = *state;
    struct ts_str text = noise(f, 1000000);
    for (size_t p = 0; p < PACKING_COUNT; p++) {
        ts_buf_clear(&f->packed);
        PACKINGS[p].add(&f->packed, text);
        const char *path = scratch_put(&f->scratch, PACKINGS[p].name, (struct ts_str){f->packed.ptr, 600000});
        assert_int_equal(read_file(f, path, 1000), TS_INPUT);
        char expected[64];
        snprintf(expected, sizeof expected, "after %zu decompressed bytes (compressed byte 600000)", f->read.len);
        assert_non_null(strstr(f->error.message, expected));
        assert_non_null(strstr(f->error.message, path));
        assert_true(f->read.len > 500000);
    }
}

/* Whatever one flipped bit does, reading ends, and what is not refused is not longer than it may get. */
static void flipped_bits_are_survived(void **state)
{
    struct fixture *f = *state;
    struct ts_str text = noise(f, 200);
    for (size_t p = 0; p < PACKING_COUNT; p++) {
        ts_buf_clear(&f->packed);
        PACKINGS[p].add(&f->packed, text);
        size_t refused = 0;
        for (size_t bit = 0; bit < 8 * f->packed.len; bit++) {
            f->packed.ptr[bit / 8] = (char)(f->packed.ptr[bit / 8] ^ (1 << bit % 8));
            enum ts_status status = read_memory(f, PACKINGS[p].name, ts_buf_view(&f->packed), 50);
            f->packed.ptr[bit / 8] = (char)(f->packed.ptr[bit / 8] ^ (1 << bit % 8));
            assert_true(status == TS_OK || status == TS_INPUT);
            refused += status == TS_INPUT;
        }
        /* gzip sums up everything but a few header bytes; zstd as called here sums up nothing, its structure tells. */
        assert_true(refused > (p == 0 ? 8 * 200 : 8));
    }
}

static void a_window_too_large_for_memory_is_refused_with_the_reason(void **state)
{
    struct fixture *f = *state;
    ZSTD_CCtx *context = ZSTD_createCCtx();
    char room[4096];
    assert_false(ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 28)));
    ZSTD_inBuffer in = {"some text", 9, 0};
    ZSTD_outBuffer out = {room, sizeof room, 0};
    /* Flushed first: with the whole input at hand the window would be cut down to it. */
    assert_false(ZSTD_isError(ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush)));
    assert_int_equal(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end), 0);
    ZSTD_freeCCtx(context);
    assert_int_equal(read_memory(f, "x.zst", (struct ts_str){room, out.pos}, 100), TS_INPUT);
    assert_non_null(strstr(f->error.message, "--long"));
}

/* 256 MiB of zeros stream through the buffers of one reader. */
static void a_bomb_streams(void **state)
{
    struct fixture *f = *state;
    enum { CHUNK = 1 << 20, CHUNKS = 256 };
    char *zeros = calloc(1, CHUNK), *room = malloc(CHUNK);
    struct ts_buf one;
    ts_buf_init(&one, 0);
    add_gzip(&one, (struct ts_str){zeros, CHUNK});
    for (int i = 0; i < CHUNKS; i++)
        ts_buf_str(&f->packed, ts_buf_view(&one));
    ts_buf_free(&one);
    struct ts_reader *reader;
    assert_int_equal(ts_reader_open_memory(&f->context, "x.gz", ts_buf_view(&f->packed), &reader, &f->error), TS_OK);
    size_t total = 0, got;
    do {
        assert_int_equal(ts_reader_read(reader, room, CHUNK, &got, &f->error), TS_OK);
        total += got;
    } while (got > 0);
    assert_int_equal(total, (size_t)CHUNK * CHUNKS);
    ts_reader_close(reader);
    free(zeros);
    free(room);
}

/* ---- context ---- */

struct heard {
    unsigned count;
    uint64_t done, total;
    char message[256];
};

static void hear(void *data, uint64_t done, uint64_t total, const char *message)
{
    struct heard *heard = data;
    assert_true(done >= heard->done);
    heard->count++;
    heard->done = done;
    heard->total = total;
    snprintf(heard->message, sizeof heard->message, "%s", message);
}

static uint64_t frozen_clock(void)
{
    return 1;
}

static void progress_counts_bytes_of_the_file_as_it_is_on_disk(void **state)
{
    struct fixture *f = *state;
    add_gzip(&f->packed, noise(f, 1000000));
    const char *path = scratch_put(&f->scratch, "x.gz", ts_buf_view(&f->packed));
    struct heard heard = {0};
    f->context.now_ns = frozen_clock;
    f->context.progress = hear;
    f->context.progress_data = &heard;
    assert_int_equal(read_file(f, path, 10000), TS_OK);
    assert_true(heard.count > 50);
    assert_int_equal(heard.done, f->packed.len);
    assert_int_equal(heard.total, f->packed.len);
    assert_string_equal(heard.message, "reading x.gz");
}

static void a_cancelled_read_stops_and_leaves_its_outputs(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = {"x", "x.gz", "x.zst"};
    for (size_t i = 0; i < 3; i++) {
        ts_buf_clear(&f->packed);
        if (i > 0)
            PACKINGS[i - 1].add(&f->packed, TS_STR("data"));
        struct ts_reader *reader;
        struct ts_str bytes = i > 0 ? ts_buf_view(&f->packed) : TS_STR("data");
        assert_int_equal(ts_reader_open_memory(&f->context, names[i], bytes, &reader, &f->error), TS_OK);
        size_t got = 77;
        char room[10];
        atomic_store(&f->context.cancelled, true);
        assert_int_equal(ts_reader_read(reader, room, sizeof room, &got, &f->error), TS_CANCELLED);
        assert_int_equal(got, 77);
        atomic_store(&f->context.cancelled, false);
        assert_int_equal(ts_reader_read(reader, room, sizeof room, &got, &f->error), TS_OK);
        assert_int_equal(got, 4);
        ts_reader_close(reader);
    }
}

/* ---- the file under the reader ---- */

static void opening_fails_as_for_files(void **state)
{
    struct fixture *f = *state;
    struct ts_reader *reader = NULL;
    assert_int_equal(ts_reader_open(&f->context, scratch_path(&f->scratch, "no.gz"), &reader, &f->error), TS_INPUT);
    assert_int_equal(ts_reader_open(&f->context, scratch_path(&f->scratch, ""), &reader, &f->error), TS_INPUT);
    assert_null(reader);
    ts_reader_close(NULL);
}

static void a_file_left_alone_is_unchanged(void **state)
{
    struct fixture *f = *state;
    const char *path = scratch_put(&f->scratch, "x", TS_STR("data"));
    struct ts_identity identity;
    bool found;
    struct ts_reader *reader;
    assert_int_equal(ts_file_identity(&f->context, path, &identity, &found, &f->error), TS_OK);
    assert_int_equal(ts_reader_open(&f->context, path, &reader, &f->error), TS_OK);
    assert_int_equal(drain(f, reader, 100), TS_OK);
    assert_true(ts_identity_equal(ts_reader_identity(reader), &identity));
    assert_int_equal(ts_reader_unchanged(reader, &f->error), TS_OK);
    ts_reader_close(reader);
}

static void append_to(struct scratch *scratch, const char *path)
{
    (void)scratch;
    FILE *file = fopen(path, "a");
    fputs("more", file);
    fclose(file);
}

static void replace(struct scratch *scratch, const char *path)
{
    rename(scratch_put(scratch, "new", TS_STR("data")), path);
}

static void take_away(struct scratch *scratch, const char *path)
{
    (void)scratch;
    unlink(path);
}

static void a_file_that_grew_was_replaced_or_removed_is_changed(void **state)
{
    struct fixture *f = *state;
    static void (*const changes[])(struct scratch *, const char *) = {append_to, replace, take_away};
    for (size_t i = 0; i < 3; i++) {
        const char *path = scratch_put(&f->scratch, "x", TS_STR("data"));
        struct ts_reader *reader;
        assert_int_equal(ts_reader_open(&f->context, path, &reader, &f->error), TS_OK);
        changes[i](&f->scratch, path);
        assert_int_equal(ts_reader_unchanged(reader, &f->error), TS_CHANGED);
        assert_non_null(strstr(f->error.message, path));
        ts_reader_close(reader);
    }
}

static void a_file_cut_by_somebody_else_ends_early_without_harm(void **state)
{
    struct fixture *f = *state;
    const char *path = scratch_put(&f->scratch, "x", noise(f, 100000));
    struct ts_reader *reader;
    char room[1000];
    size_t got;
    assert_int_equal(ts_reader_open(&f->context, path, &reader, &f->error), TS_OK);
    assert_int_equal(ts_reader_read(reader, room, sizeof room, &got, &f->error), TS_OK);
    assert_int_equal(truncate(path, 1500), 0);
    assert_int_equal(drain(f, reader, 1000), TS_OK);
    assert_int_equal(f->read.len, 500);
    assert_int_equal(ts_reader_unchanged(reader, &f->error), TS_CHANGED);
    ts_reader_close(reader);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(plain_files_come_as_they_are),
        TEST(packed_streams_come_unpacked_in_pieces_of_any_size),
        TEST(members_and_frames_in_a_row_are_one_stream),
        TEST(skippable_zstd_frames_are_skipped),
        TEST(zeros_behind_a_gzip_stream_are_padding),
        TEST(something_else_behind_a_stream_is_damage),
        TEST(plain_text_under_a_packed_name_is_damage),
        TEST(a_stream_cut_anywhere_is_bad_input),
        TEST(the_message_of_a_cut_stream_says_how_much_was_read),
        TEST(flipped_bits_are_survived),
        TEST(a_window_too_large_for_memory_is_refused_with_the_reason),
        TEST(a_bomb_streams),
        TEST(progress_counts_bytes_of_the_file_as_it_is_on_disk),
        TEST(a_cancelled_read_stops_and_leaves_its_outputs),
        TEST(opening_fails_as_for_files),
        TEST(a_file_left_alone_is_unchanged),
        TEST(a_file_that_grew_was_replaced_or_removed_is_changed),
        TEST(a_file_cut_by_somebody_else_ends_early_without_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
