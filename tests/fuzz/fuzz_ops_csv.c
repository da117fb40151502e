/* An operations CSV: both scanners must give the same table or the same problem, and a small block the same rows. */
#include <stdint.h>
#include <stdlib.h>

#include "base/limits.h"
#include "formats/csv.h"
#include "formats/ops_csv.h"

static void require(bool good)
{
    if (!good)
        abort();
}

static struct ts_ops_csv *read_table(struct ts_str text, bool portable, struct ts_ops_problem *problem)
{
    struct ts_context context;
    struct ts_ops_csv *ops = NULL;
    ts_context_init(&context);
    context.memory_limit = 256 * TS_MIB;
    if (ts_ops_csv_read_memory(&context, text, portable, &ops, problem, NULL) != TS_OK)
        return NULL;
    require(!ops == (problem->unusable || problem->rows_unreadable));
    require(ops || problem->message[0]);
    return ops;
}

static void compare(const struct ts_ops_csv *a, const struct ts_ops_csv *b)
{
    require(a->rows == b->rows && a->generation == b->generation && a->text.count == b->text.count);
    for (unsigned column = 0; column < TS_OPS_COLUMN_COUNT; column++) {
        for (uint32_t row = 0; row < a->rows; row++) {
            require(ts_str_equal(ts_ops_text(a, column, row), ts_ops_text(b, column, row)));
            double x = ts_ops_number(a, column, row), y = ts_ops_number(b, column, row);
            require(x == y || (x != x && y != y));
        }
    }
    for (uint32_t row = 0; row < a->rows; row++) {
        require(ts_ops_attributes(a, row)->halo == ts_ops_attributes(b, row)->halo);
        require(ts_ops_device(a, row) < 0 || ts_ops_device_numeric(a, row));
    }
}

/* Rows, cells and bytes of cells, weighed so that order counts. */
static uint64_t sum_up(struct ts_str text, size_t block, uint64_t *bad_utf8)
{
    struct ts_context context;
    struct ts_reader *reader;
    struct ts_csv *csv;
    struct ts_csv_row row;
    bool more = true;
    uint64_t sum = 0;
    ts_context_init(&context);
    struct ts_csv_options options = {.row_limit = 1000, .check_utf8 = true, .block = block, .portable = block % 2};
    require(ts_reader_open_memory(&context, "text.csv", text, &reader, NULL) == TS_OK);
    require(ts_csv_create(&context, reader, &options, &csv, NULL) == TS_OK);
    while (more) {
        if (ts_csv_next(csv, &row, &more, NULL) != TS_OK) {
            require(ts_csv_row_too_long(csv));
            sum = sum * 31 + ts_csv_line(csv);
            require(ts_csv_skip_rest(csv, NULL) == TS_OK);
            break;
        }
        for (size_t i = 0; more && i < row.count; i++) {
            for (size_t j = 0; j < row.cells[i].len; j++)
                sum = sum * 31 + (unsigned char)row.cells[i].ptr[j];
            sum = sum * 31 + row.line + row.quote_line;
        }
    }
    require(ts_csv_bytes(csv) == text.len);
    *bad_utf8 = ts_csv_bad_utf8(csv);
    ts_csv_destroy(csv);
    ts_reader_close(reader);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ts_str text = {(const char *)data, size};
    struct ts_ops_problem problems[2];
    struct ts_ops_csv *a = read_table(text, false, &problems[0]), *b = read_table(text, true, &problems[1]);
    require(!a == !b);
    if (a)
        compare(a, b);
    else
        require(strcmp(problems[0].message, problems[1].message) == 0);
    if (a && ts_ops_csv_append(a, b, 3, NULL) == TS_OK)
        require(a->rows == 2 * b->rows);
    ts_ops_csv_destroy(a);
    ts_ops_csv_destroy(b);

    uint64_t bad[2];
    require(sum_up(text, 0, &bad[0]) == sum_up(text, 1 + size % 70, &bad[1]));
    require(bad[0] == bad[1]);
    return 0;
}
