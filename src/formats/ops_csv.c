#include "formats/ops_csv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/number.h"
#include "base/utf8.h"
#include "formats/csv.h"
#include "formats/ops_csv_columns.h"
#include "formats/ops_csv_header.h"

/* One file on its way to a table or a problem. */
struct reading {
    struct ts_context *context;
    struct ts_reader *reader;
    struct ts_csv *csv;
    struct ts_ops_csv *ops;
    struct ts_ops_columns *columns;
    struct ts_ops_header header;
    struct ts_ops_problem *problem;
};

/* ---- problems ---- */

__attribute__((format(printf, 2, 3))) static void say(struct ts_ops_problem *problem, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem->message, sizeof problem->message, format, arguments);
    va_end(arguments);
    /* Whatever was cut, was cut in the middle of a character at worst. */
    problem->message[ts_utf8_valid_prefix(ts_str_from(problem->message))] = '\0';
}

static void say_unreadable(struct ts_ops_problem *problem, const char *path, const struct ts_error *error)
{
    struct ts_quote quote;
    const char *name = ts_error_quote(&quote, ts_str_from(path), TS_QUOTE_FILE), *reason = error->message;
    size_t len = strlen(name);
    if (strncmp(reason, name, len) == 0 && strncmp(reason + len, ": ", 2) == 0)
        reason += len + 2;
    *problem = (struct ts_ops_problem){.unusable = true};
    say(problem, "unreadable: %s", reason);
}

static bool is_device_only(const struct ts_ops_header *header)
{
    return header->at[TS_OPS_OP_CODE] == TS_OPS_NOWHERE && header->at[TS_OPS_DEVICE_ID] == TS_OPS_NOWHERE &&
           header->at[TS_OPS_GLOBAL_CALL_COUNT] != TS_OPS_NOWHERE &&
           header->at[TS_OPS_FW_START_CYCLE] != TS_OPS_NOWHERE;
}

/* Says so and returns true when the columns without which there is no report are not all there. */
static bool misses_columns(struct reading *r)
{
    static const enum ts_ops_column needed[] = {TS_OPS_DEVICE_ID, TS_OPS_OP_CODE, TS_OPS_OP_TYPE}; /* in byte order */
    char names[64] = "";
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (r->header.at[needed[i]] != TS_OPS_NOWHERE)
            continue;
        size_t len = strlen(names);
        snprintf(names + len, sizeof names - len, "%s%s", len > 0 ? ", " : "", ts_ops_column_header(needed[i]));
    }
    if (!names[0])
        return false;
    r->problem->unusable = true;
    say(r->problem, "missing columns: %s%s", names,
        is_device_only(&r->header)
            ? "; this is a device-only capture: the profiler wrote it without the host's log, so it does not say which "
              "operations ran. Profile the program with the host side traced too (a tt-metal built with Tracy, run "
              "through its profiler), and use the ops_perf_results CSV which that writes"
            : "");
    return true;
}

/* ---- rows ---- */

/* Says so and returns true when a row does not fit the header. */
static bool is_ragged(struct reading *r, const struct ts_csv_row *row)
{
    if (row->unclosed_quote) {
        say(r->problem,
            "the quote opened in line %llu is never closed; expected a closing \" before the end of the file",
            (unsigned long long)row->quote_line);
        return true;
    }
    bool filled = row->surplus_filled;
    for (size_t i = r->header.cells; i < row->count && !filled; i++)
        filled = row->cells[i].len > 0;
    if (filled)
        say(r->problem, "line %llu has %zu cells where the header has %u; a comma inside a value must stand in quotes",
            (unsigned long long)row->line, row->count + row->surplus, r->header.cells);
    return filled;
}

static enum ts_status row_too_long(struct reading *r, const char *what, uint64_t line, struct ts_error *error)
{
    say(r->problem,
        "%sline %llu begins a row of more than %zu bytes, the most that a row may have; a quote that is never "
        "closed does that",
        what, (unsigned long long)line, (size_t)TS_LIMIT_OPS_ROW);
    return ts_csv_skip_rest(r->csv, error);
}

/* Limits of the call say nothing of the file by themselves. */
static enum ts_status name_file(struct reading *r, enum ts_status status, struct ts_error *error)
{
    struct ts_quote quote;
    if (status == TS_LIMIT)
        ts_error_prefix(error, "%s", ts_error_quote(&quote, ts_str_from(ts_reader_path(r->reader)), TS_QUOTE_FILE));
    return status;
}

static enum ts_status read_rows(struct reading *r, struct ts_error *error)
{
    for (;;) {
        struct ts_csv_row row;
        bool more;
        enum ts_status status = ts_csv_next(r->csv, &row, &more, error);
        if (status == TS_LIMIT && ts_csv_row_too_long(r->csv)) {
            r->problem->rows_unreadable = true;
            return row_too_long(r, "", ts_csv_line(r->csv), error);
        }
        /* With bad UTF-8 there will be no table. */
        if (status != TS_OK || !more || ts_csv_bad_utf8(r->csv) != UINT64_MAX)
            return status;
        if (is_ragged(r, &row)) {
            r->problem->rows_unreadable = true;
            return ts_csv_skip_rest(r->csv, error);
        }
        status = ts_ops_columns_add(r->columns, &row, error);
        if (status != TS_OK)
            return name_file(r, status, error);
    }
}

/* ---- the header ---- */

static void take_header(struct reading *r, const struct ts_csv_row *row)
{
    ts_ops_header_read(row, &r->header);
    for (unsigned i = 0; i < TS_OPS_COLUMN_COUNT; i++)
        r->problem->has[i] = r->header.at[i] != TS_OPS_NOWHERE;
    if (row->unclosed_quote) {
        r->problem->unusable = true;
        say(r->problem, "malformed header: the quote opened in line %llu is never closed",
            (unsigned long long)row->quote_line);
    } else if (row->surplus > 0) {
        r->problem->unusable = true;
        say(r->problem, "malformed header: line %llu has %zu cells, more than the %d that a header may have",
            (unsigned long long)row->line, row->count + row->surplus, TS_LIMIT_CSV_COLUMNS);
    } else if (r->header.blank) {
        r->problem->unusable = true;
        say(r->problem, "empty");
    } else {
        misses_columns(r);
    }
}

static enum ts_status read_header(struct reading *r, struct ts_error *error)
{
    struct ts_csv_row row;
    bool more;
    enum ts_status status = ts_csv_next(r->csv, &row, &more, error);
    if (status == TS_LIMIT && ts_csv_row_too_long(r->csv)) {
        r->problem->unusable = true;
        return row_too_long(r, "malformed header: ", ts_csv_line(r->csv), error);
    }
    if (status != TS_OK)
        return status;
    if (more) {
        take_header(r, &row);
    } else {
        r->problem->unusable = true;
        say(r->problem, "empty");
    }
    return r->problem->unusable ? ts_csv_skip_rest(r->csv, error) : TS_OK;
}

/* ---- the file ---- */

static enum ts_status begin(struct reading *r, bool portable, struct ts_error *error)
{
    struct ts_csv_options options = {.row_limit = TS_LIMIT_OPS_ROW, .check_utf8 = true, .portable = portable};
    enum ts_status status = ts_csv_create(r->context, r->reader, &options, &r->csv, error);
    if (status != TS_OK)
        return status;
    r->ops = calloc(1, sizeof *r->ops);
    r->columns = calloc(1, sizeof *r->columns);
    if (!r->ops || !r->columns)
        return ts_error_no_memory(error);
    ts_arena_init(&r->ops->arena, r->context->memory_limit);
    return ts_intern_init(&r->ops->text, &r->ops->arena, error);
}

static enum ts_status read_table(struct reading *r, struct ts_error *error)
{
    enum ts_status status = read_header(r, error);
    if (status != TS_OK || r->problem->unusable)
        return status;
    status =
        ts_ops_columns_init(r->columns, r->context, r->ops, &r->header, ts_reader_identity(r->reader)->size, error);
    if (status == TS_OK)
        status = read_rows(r, error);
    if (status != TS_OK || r->problem->rows_unreadable || ts_csv_bad_utf8(r->csv) != UINT64_MAX)
        return status;
    if (r->ops->rows == 0) {
        r->problem->unusable = true;
        say(r->problem, "no data rows");
    }
    ts_ops_columns_finish(r->columns);
    return TS_OK;
}

/* What was wrong with the text goes before what was wrong with its lines. */
static void check_text(struct reading *r)
{
    uint64_t bad = ts_csv_bad_utf8(r->csv);
    if (bad == UINT64_MAX)
        return;
    r->problem->unusable = true;
    r->problem->rows_unreadable = false;
    const char *hint = ts_reader_looks_like(r->reader);
    say(r->problem, "not utf-8 text (byte %llu cannot be decoded)%s%s", (unsigned long long)bad,
        hint ? "; it looks like " : "", hint ? hint : "");
}

/* Failures of the file, as against failures of the call. */
static bool is_files_fault(enum ts_status status)
{
    return status == TS_INPUT || status == TS_IO || status == TS_REFUSED;
}

static enum ts_status read_open(struct ts_context *context, struct ts_reader *reader, bool portable,
                                struct ts_ops_csv **out, struct ts_ops_problem *problem, struct ts_error *error)
{
    struct reading r = {.context = context, .reader = reader, .problem = problem};
    struct ts_error own = {0};
    struct ts_ops_csv *table = NULL;
    enum ts_status status = begin(&r, portable, &own);
    if (status == TS_OK)
        status = read_table(&r, &own);
    if (status == TS_OK || is_files_fault(status)) {
        enum ts_status unchanged = ts_reader_unchanged(reader, &own);
        if (unchanged != TS_OK)
            status = unchanged;
    }
    if (status == TS_OK) {
        check_text(&r);
    } else if (is_files_fault(status)) {
        say_unreadable(problem, ts_reader_path(reader), &own);
        status = TS_OK;
    } else if (error) {
        *error = own;
    }
    if (status == TS_OK && !problem->unusable && !problem->rows_unreadable) {
        r.ops->bytes = ts_csv_bytes(r.csv);
        r.ops->identity = *ts_reader_identity(reader);
        table = r.ops;
        r.ops = NULL;
    }
    if (r.columns)
        ts_ops_columns_free(r.columns);
    free(r.columns);
    ts_ops_csv_destroy(r.ops);
    ts_csv_destroy(r.csv);
    if (status == TS_OK)
        *out = table;
    return status;
}

enum ts_status ts_ops_csv_read(struct ts_context *context, const char *path, struct ts_ops_csv **out,
                               struct ts_ops_problem *problem, struct ts_identity *identity, struct ts_error *error)
{
    struct ts_reader *reader;
    struct ts_error own = {0};
    *problem = (struct ts_ops_problem){0};
    enum ts_status status = ts_reader_open(context, path, &reader, &own);
    if (is_files_fault(status)) {
        say_unreadable(problem, path, &own);
        *out = NULL;
        return TS_OK;
    }
    if (status != TS_OK) {
        if (error)
            *error = own;
        return status;
    }
    if (identity)
        *identity = *ts_reader_identity(reader);
    status = read_open(context, reader, false, out, problem, error);
    ts_reader_close(reader);
    return status;
}

enum ts_status ts_ops_csv_read_memory(struct ts_context *context, struct ts_str bytes, bool portable,
                                      struct ts_ops_csv **out, struct ts_ops_problem *problem, struct ts_error *error)
{
    struct ts_reader *reader;
    *problem = (struct ts_ops_problem){0};
    enum ts_status status = ts_reader_open_memory(context, "ops_perf_results.csv", bytes, &reader, error);
    if (status != TS_OK)
        return status;
    status = read_open(context, reader, portable, out, problem, error);
    ts_reader_close(reader);
    return status;
}

void ts_ops_csv_destroy(struct ts_ops_csv *ops)
{
    if (!ops)
        return;
    for (unsigned i = 0; i < TS_OPS_COLUMN_COUNT; i++) {
        free(ops->numbers[i]);
        free(ops->texts[i]);
    }
    free(ops->attributes);
    free(ops->attribute_sets);
    ts_intern_free(&ops->text);
    ts_arena_free(&ops->arena);
    free(ops);
}

/* ---- cells ---- */

bool ts_ops_cell_empty(struct ts_str cell)
{
    static const char *const spellings[] = {"#N/A", "#N/A N/A", "#NA",     "-1.#IND", "-1.#QNAN", "-NaN",
                                            "-nan", "1.#IND",   "1.#QNAN", "<NA>",    "N/A",      "NA",
                                            "NULL", "NaN",      "None",    "n/a",     "nan",      "null"};
    const size_t longest = 8;
    if (cell.len == 0)
        return true;
    if (cell.len > longest)
        return false;
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        if (ts_str_is(cell, spellings[i]))
            return true;
    }
    return false;
}

int32_t ts_ops_device(const struct ts_ops_csv *ops, uint32_t row)
{
    int64_t device;
    bool usable =
        ts_number_parse_whole(ts_ops_text(ops, TS_OPS_DEVICE_ID, row), &device) && device >= 0 && device <= INT32_MAX;
    return usable ? (int32_t)device : -1;
}

bool ts_ops_device_numeric(const struct ts_ops_csv *ops, uint32_t row)
{
    double device;
    return ts_number_parse(ts_ops_text(ops, TS_OPS_DEVICE_ID, row), &device);
}
