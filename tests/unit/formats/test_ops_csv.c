#include "formats/ops_csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/limits.h"

/* ---- reading ---- */

static struct ts_ops_csv *read_text(struct ts_str text, struct ts_ops_problem *problem)
{
    struct ts_context context;
    struct ts_ops_csv *ops[2] = {0};
    struct ts_ops_problem problems[2];
    ts_context_init(&context);
    for (int portable = 0; portable < 2; portable++) {
        assert_int_equal(ts_ops_csv_read_memory(&context, text, portable, &ops[portable], &problems[portable], NULL),
                         TS_OK);
        assert_int_equal(ops[portable] == NULL, problems[portable].unusable || problems[portable].rows_unreadable);
    }
    assert_string_equal(problems[0].message, problems[1].message);
    assert_int_equal(problems[0].unusable, problems[1].unusable);
    ts_ops_csv_destroy(ops[1]);
    *problem = problems[0];
    return ops[0];
}

static struct ts_ops_csv *table_of(const char *text)
{
    struct ts_ops_problem problem;
    struct ts_ops_csv *ops = read_text(ts_str_from(text), &problem);
    if (!ops)
        fail_msg("no table: %s", problem.message);
    assert_int_equal(ops->bytes, strlen(text));
    return ops;
}

static void expect_problem(struct ts_str text, bool unusable, const char *message)
{
    struct ts_ops_problem problem;
    assert_null(read_text(text, &problem));
    if (strncmp(problem.message, message, strlen(message)) != 0)
        fail_msg("expected \"%s\", found \"%s\"", message, problem.message);
    assert_int_equal(problem.unusable, unusable);
    assert_int_equal(problem.rows_unreadable, !unusable);
}

static void expect_unusable(const char *text, const char *message)
{
    expect_problem(ts_str_from(text), true, message);
}

static void expect_unreadable_rows(const char *text, const char *message)
{
    expect_problem(ts_str_from(text), false, message);
}

static void expect_text(const struct ts_ops_csv *ops, enum ts_ops_column column, uint32_t row, const char *text)
{
    struct ts_str found = ts_ops_text(ops, column, row);
    if (!ts_str_is(found, text))
        fail_msg("row %u: expected \"%s\", found \"%.*s\"", row, text, TS_STR_ARG(found));
}

static void expect_number(const struct ts_ops_csv *ops, enum ts_ops_column column, uint32_t row, double value)
{
    double found = ts_ops_number(ops, column, row);
    if (isnan(value) ? !isnan(found) : found != value)
        fail_msg("row %u: expected %g, found %g", row, value, found);
}

#define HEADER "OP CODE,OP TYPE,DEVICE ID"

/* ---- columns ---- */

static void test_columns_are_found_by_name(void **state)
{
    (void)state;
    struct ts_ops_csv *ops = table_of("X,DEVICE ID,CORE COUNT, OP CODE,OP CODE,Op Type,OP TYPE,GLOBAL CALL COUNT\r\n"
                                      "x,0,64,no,Matmul,no,tt_dnn_device,1024\r\n"
                                      "x,1,,no,,no,signpost\r\n");
    assert_int_equal(ops->rows, 2);
    expect_text(ops, TS_OPS_OP_CODE, 0, "Matmul");
    expect_text(ops, TS_OPS_OP_CODE, 1, "");
    expect_text(ops, TS_OPS_OP_TYPE, 1, "signpost");
    expect_text(ops, TS_OPS_GLOBAL_CALL_COUNT, 0, "1024");
    expect_text(ops, TS_OPS_GLOBAL_CALL_COUNT, 1, "");
    expect_number(ops, TS_OPS_CORE_COUNT, 0, 64);
    expect_number(ops, TS_OPS_CORE_COUNT, 1, NAN);
    assert_true(ops->has[TS_OPS_CORE_COUNT]);
    assert_false(ops->has[TS_OPS_PROGRAM_HASH]);
    expect_text(ops, TS_OPS_PROGRAM_HASH, 0, "");
    expect_number(ops, TS_OPS_PM_IDEAL, 1, NAN);
    assert_false(ops->has_attributes);
    assert_null(ops->attributes);
    assert_true(ops->memory > 0);
    ts_ops_csv_destroy(ops);
    ts_ops_csv_destroy(NULL);
}

static void test_every_column_can_be_kept(void **state)
{
    (void)state;
    struct ts_buf text;
    ts_buf_init(&text, 0);
    for (unsigned i = 0; i < TS_OPS_COLUMN_COUNT; i++)
        ts_buf_printf(&text, "%s%s", i > 0 ? "," : "", ts_ops_column_header(i));
    ts_buf_char(&text, '\n');
    for (unsigned i = 0; i < TS_OPS_COLUMN_COUNT; i++)
        ts_buf_printf(&text, "%s%u", i > 0 ? "," : "", 100 + i);
    struct ts_ops_csv *ops = table_of(text.ptr);
    for (unsigned i = 0; i < TS_OPS_COLUMN_COUNT; i++) {
        char wanted[16];
        snprintf(wanted, sizeof wanted, "%u", 100 + i);
        assert_true(ops->has[i]);
        assert_int_equal(ops->numbers[i] != NULL, ops->texts[i] == NULL);
        if (ops->texts[i])
            expect_text(ops, i, 0, wanted);
        else
            expect_number(ops, i, 0, 100 + i);
    }
    ts_ops_csv_destroy(ops);
    ts_buf_free(&text);
}

static void test_the_first_of_equal_names_counts(void **state)
{
    (void)state;
    struct ts_ops_csv *ops = table_of(HEADER ",OP CODE,CORE COUNT,CORE COUNT,ATTRIBUTES,ATTRIBUTES\n"
                                             "Matmul,t,0,no,1,2,'nnz': '3','nnz': '4'\n");
    expect_text(ops, TS_OPS_OP_CODE, 0, "Matmul");
    expect_number(ops, TS_OPS_CORE_COUNT, 0, 1);
    assert_int_equal(ts_ops_attributes(ops, 0)->nnz, 3);
    ts_ops_csv_destroy(ops);
}

static void test_columns_begin_late(void **state)
{
    (void)state;
    struct ts_buf text;
    ts_buf_init(&text, 0);
    ts_buf_text(&text, HEADER ",PROGRAM HASH,CORE COUNT,INPUT_0_W,ATTRIBUTES,PM IDEAL [ns]\n");
    for (unsigned i = 0; i < 5000; i++) {
        if (i < 3000)
            ts_buf_text(&text, "Matmul,t,0,,nan,[],,\n");
        else
            ts_buf_printf(&text, "Matmul,t,0,h%u,%u,%u[%u],'nnz': '%u',\n", i, i, i, i + 1, i);
    }
    struct ts_ops_csv *ops = table_of(text.ptr);
    assert_int_equal(ops->rows, 5000);
    assert_null(ops->numbers[TS_OPS_PM_IDEAL]);
    for (uint32_t i = 0; i < 5000; i++) {
        char hash[16] = "";
        if (i >= 3000)
            snprintf(hash, sizeof hash, "h%u", i);
        expect_text(ops, TS_OPS_PROGRAM_HASH, i, hash);
        expect_number(ops, TS_OPS_CORE_COUNT, i, i < 3000 ? (double)NAN : (double)i);
        expect_number(ops, TS_OPS_INPUT_0_W, i, i < 3000 ? (double)NAN : (double)i);
        assert_int_equal(ts_ops_attributes(ops, i)->nnz, i < 3000 ? -1 : (int)i);
    }
    ts_ops_csv_destroy(ops);
    ts_buf_free(&text);
}

static void test_generations(void **state)
{
    (void)state;
    static const struct {
        const char *columns;
        enum ts_ops_generation generation;
        bool has_dimension;
    } cases[] = {
        {"INPUT_0_W", TS_OPS_GENERATION_1, true},
        {"X", TS_OPS_GENERATION_1, false},
        {"INPUT_0_W_PAD[LOGICAL]", TS_OPS_GENERATION_2, true},
        {"OTHER_PAD[LOGICAL]", TS_OPS_GENERATION_2, false},
        {"INPUT_0_W,OTHER_PAD[LOGICAL]", TS_OPS_GENERATION_2, false},
        {"INPUT_0_W_PAD[LOGICAL],DEVICE ARCH", TS_OPS_GENERATION_2_1, true},
        {"INPUT_0_W_PAD[LOGICAL],AVAILABLE WORKER CORE COUNT", TS_OPS_GENERATION_2_1, true},
        {"INPUT_0_W,DEVICE ARCH", TS_OPS_GENERATION_2_1, true},
        {"PM IDEAL [ns]_PAD[LOGICAL]", TS_OPS_GENERATION_2, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s," HEADER "\n32[7],a,b,c\n", cases[i].columns);
        struct ts_ops_csv *ops = table_of(text);
        assert_int_equal(ops->generation, cases[i].generation);
        assert_int_equal(ops->has[TS_OPS_INPUT_0_W], cases[i].has_dimension);
        assert_false(ops->has[TS_OPS_PM_IDEAL]);
        expect_number(ops, TS_OPS_INPUT_0_W, 0, cases[i].has_dimension ? 32 : NAN);
        ts_ops_csv_destroy(ops);
    }
}

/* ---- cells ---- */

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *cell;
        double value;
    } cases[] = {
        {"1024", 1024}, {" 300 ", 300}, {"1e3", 1000},      {"1500.5", 1500.5}, {"1_000", 1000},
        {"-7", -7},     {"0", 0},       {"\"1,000\"", NAN}, {"0x10", NAN},      {"inf", NAN},
        {"nan", NAN},   {"None", NAN},  {"", NAN},          {"5 ns", NAN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, HEADER ",CORE COUNT\na,b,c,%s\na,b,c,1\n", cases[i].cell);
        struct ts_ops_csv *ops = table_of(text);
        expect_number(ops, TS_OPS_CORE_COUNT, 0, cases[i].value);
        expect_number(ops, TS_OPS_CORE_COUNT, 1, 1);
        ts_ops_csv_destroy(ops);
    }
}

static void test_dimensions(void **state)
{
    (void)state;
    static const struct {
        const char *cell;
        double value;
    } cases[] = {
        {"1[1]", 1},
        {"32[7]", 32},
        {"64", 64},
        {"32.0[7]", 32},
        {"abc", NAN},
        {"0[0]", NAN},
        {"0", NAN},
        {"-1", NAN},
        {"1.5", NAN},
        {" 64 [x] ", 64},
        {"[7]", NAN},
        {"32[7", NAN},
        {"32]7[", NAN},
        {"32[7]x", 32},
        {"32[", NAN},
        {"]32[", NAN},
        {"1e3[1]", 1000},
        {"", NAN},
        {"4294967296", 4294967296.0},
        {"4294967297", NAN},
        {"4294967296[1]", 4294967296.0},
        {"99999999999[1]", NAN},
        {"00000000000032", 32},
        {"18446744073709551616", NAN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, HEADER ",OUTPUT_0_X_PAD[LOGICAL]\na,b,c,%s\n", cases[i].cell);
        struct ts_ops_csv *ops = table_of(text);
        double found = ts_ops_number(ops, TS_OPS_OUTPUT_0_X, 0);
        if (isnan(cases[i].value) ? !isnan(found) : found != cases[i].value)
            fail_msg("\"%s\": found %g", cases[i].cell, found);
        ts_ops_csv_destroy(ops);
    }
}

static void test_texts_stay_as_written(void **state)
{
    (void)state;
    struct ts_ops_csv *ops = table_of(HEADER "\n\" a\nb \"\"c\",NA,nan\n\x1b[31m,\xc3\xa9,\"\"\n");
    expect_text(ops, TS_OPS_OP_CODE, 0, " a\nb \"c");
    expect_text(ops, TS_OPS_OP_TYPE, 0, "NA");
    expect_text(ops, TS_OPS_DEVICE_ID, 0, "nan");
    expect_text(ops, TS_OPS_OP_CODE, 1, "\x1b[31m");
    expect_text(ops, TS_OPS_OP_TYPE, 1, "\xc3\xa9");
    expect_text(ops, TS_OPS_DEVICE_ID, 1, "");
    ts_ops_csv_destroy(ops);
}

static void test_equal_texts_have_one_id(void **state)
{
    (void)state;
    /* More different texts than are remembered per column, equal in length and at both ends. */
    struct ts_buf text;
    ts_buf_init(&text, 0);
    ts_buf_text(&text, HEADER "\n");
    for (unsigned i = 0; i < 1000; i++)
        ts_buf_printf(&text, "AAAAAAAAAA%03uBBBBBBBBBBBBBB,%03u,%u\n", i % 300, i % 300, i % 2);
    struct ts_ops_csv *ops = table_of(text.ptr);
    assert_int_equal(ops->text.count, 1 + 300 + 300 + 2);
    for (uint32_t i = 300; i < 1000; i++) {
        assert_int_equal(ops->texts[TS_OPS_OP_CODE][i], ops->texts[TS_OPS_OP_CODE][i - 300]);
        char wanted[40];
        snprintf(wanted, sizeof wanted, "AAAAAAAAAA%03uBBBBBBBBBBBBBB", i % 300);
        expect_text(ops, TS_OPS_OP_CODE, i, wanted);
    }
    ts_ops_csv_destroy(ops);
    ts_buf_free(&text);
}

static void test_empty_spellings(void **state)
{
    (void)state;
    static const char *const empty[] = {"",     "#N/A",   "#N/A N/A", "#NA",  "-1.#IND", "-1.#QNAN", "-NaN",
                                        "-nan", "1.#IND", "1.#QNAN",  "<NA>", "N/A",     "NA",       "NULL",
                                        "NaN",  "None",   "n/a",      "nan",  "null"};
    static const char *const filled[] = {" ", "na", "none", "Nan", "NA ", "0", "#N/A N/A ", "NULLL", "-1.#IN"};
    assert_int_equal(sizeof empty / sizeof empty[0], 19);
    for (size_t i = 0; i < 19; i++)
        assert_true(ts_ops_cell_empty(ts_str_from(empty[i])));
    for (size_t i = 0; i < sizeof filled / sizeof filled[0]; i++)
        assert_false(ts_ops_cell_empty(ts_str_from(filled[i])));
    assert_false(ts_ops_cell_empty(TS_STR("NA\0")));
}

static void test_device_ids(void **state)
{
    (void)state;
    static const struct {
        const char *cell;
        int32_t device;
        bool numeric;
    } cases[] = {
        {"0", 0, true},           {"7", 7, true},     {" 3 ", 3, true},  {"2.0", 2, true},
        {"1e1", 10, true},        {"-1", -1, true},   {"1.5", -1, true}, {"2147483647", 2147483647, true},
        {"2147483648", -1, true}, {"", -1, false},    {"x", -1, false},  {"nan", -1, false},
        {"0x1", -1, false},       {"inf", -1, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, HEADER "\na,b,%s\n", cases[i].cell);
        struct ts_ops_csv *ops = table_of(text);
        assert_int_equal(ts_ops_device(ops, 0), cases[i].device);
        assert_int_equal(ts_ops_device_numeric(ops, 0), cases[i].numeric);
        ts_ops_csv_destroy(ops);
    }
}

/* ---- attributes ---- */

static void test_attributes_by_kind_of_operation(void **state)
{
    (void)state;
    static const char attributes[] =
        "{'p': 'MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig(window_hw=(3;5); act_block_h_ntiles=2;)'}";
    struct ts_buf text;
    ts_buf_init(&text, 0);
    ts_buf_text(&text, "ATTRIBUTES," HEADER "\n");
    static const char *const codes[] = {"Matmul", "Conv2d", "HaloDeviceOperation", "Copy", "MatmulHaloDeviceOperation"};
    for (size_t i = 0; i < 5; i++)
        ts_buf_printf(&text, "%s,%s,t,0\n", attributes, codes[i]);
    for (size_t i = 0; i < 5; i++)
        ts_buf_printf(&text, "%s,%s,t,0\n", i % 2 ? "nan" : "", codes[i]);
    struct ts_ops_csv *ops = table_of(text.ptr);
    assert_true(ops->has_attributes);
    const struct ts_op_attributes *a = ts_ops_attributes(ops, 0);
    assert_true(a->dram_sharded);
    assert_true(isnan(a->window_h));
    assert_int_equal(a->halo, 0);
    a = ts_ops_attributes(ops, 1);
    assert_false(a->dram_sharded);
    assert_true(a->window_h == 3 && a->window_w == 5);
    assert_int_equal(a->act_block_h, 2);
    a = ts_ops_attributes(ops, 2);
    assert_string_equal(ts_intern_text(&ops->text, a->halo).ptr, "w=(3,5) s=x p=x d=x | x");
    assert_int_equal(ops->attributes[3], 0);
    a = ts_ops_attributes(ops, 4);
    assert_true(a->dram_sharded);
    assert_string_equal(ts_intern_text(&ops->text, a->halo).ptr, "w=(3,5) s=x p=x d=x | x");
    for (uint32_t row = 5; row < 10; row++) {
        a = ts_ops_attributes(ops, row);
        assert_false(a->dram_sharded);
        assert_true(a->act_double_buffer && a->split_reader);
        assert_string_equal(ts_intern_text(&ops->text, a->halo).ptr, row == 7 || row == 9 ? "w=x s=x p=x d=x | x" : "");
    }
    ts_ops_csv_destroy(ops);
    ts_buf_free(&text);
}

static void test_a_halo_without_attributes_has_a_text(void **state)
{
    (void)state;
    struct ts_ops_csv *ops = table_of(HEADER "\nCopy,t,0\nHaloDeviceOperation,t,0\n");
    assert_false(ops->has_attributes);
    assert_int_equal(ts_ops_attributes(ops, 0)->halo, 0);
    assert_string_equal(ts_intern_text(&ops->text, ts_ops_attributes(ops, 1)->halo).ptr, "w=x s=x p=x d=x | x");
    ts_ops_csv_destroy(ops);
}

static void test_equal_attributes_are_kept_once(void **state)
{
    (void)state;
    struct ts_buf text;
    ts_buf_init(&text, 0);
    ts_buf_text(&text, HEADER ",ATTRIBUTES\n");
    for (unsigned i = 0; i < 3000; i++)
        ts_buf_printf(&text, "Matmul,t,0,'nnz': '%u'; 'other': '%u'\n", i % 200, i);
    struct ts_ops_csv *ops = table_of(text.ptr);
    assert_int_equal(ops->attribute_set_count, 201);
    for (uint32_t i = 0; i < 3000; i++)
        assert_int_equal(ts_ops_attributes(ops, i)->nnz, i % 200);
    ts_ops_csv_destroy(ops);
    ts_buf_free(&text);
}

/* ---- what is wrong with a file ---- */

static void test_empty_files(void **state)
{
    (void)state;
    expect_unusable("", "empty");
    expect_unusable("\xef\xbb\xbf", "empty");
    expect_unusable("\n \r\n\t", "empty");
    expect_unusable(",, ,\t\na,b,c,d", "empty");
    expect_unusable("\"\"\nx", "empty");
    expect_unusable(HEADER, "no data rows");
    expect_unusable(HEADER "\r\n \r\n\t\n", "no data rows");
}

static void test_missing_columns(void **state)
{
    (void)state;
    expect_unusable("a,b\nc,d\n", "missing columns: DEVICE ID, OP CODE, OP TYPE");
    expect_unusable("OP CODE,OP TYPE\na,b\n", "missing columns: DEVICE ID");
    expect_unusable("DEVICE ID, OP CODE,OP TYPE\na,b,c\n", "missing columns: OP CODE");
    expect_unusable("DEVICE ID,OP CODE\n", "missing columns: OP TYPE");
    expect_unusable("device id,OP CODE,OP TYPE \n", "missing columns: DEVICE ID, OP TYPE");
    /* Rows that do not fit do not matter then. */
    expect_unusable("OP CODE\na,b,c,\"d", "missing columns: DEVICE ID, OP TYPE");

    struct ts_ops_problem problem;
    assert_null(read_text(TS_STR("OP CODE,PROGRAM HASH\n"), &problem));
    assert_string_equal(problem.message, "missing columns: DEVICE ID, OP TYPE");
    assert_true(problem.has[TS_OPS_PROGRAM_HASH]);
    assert_false(problem.has[TS_OPS_PROGRAM_CACHE_HIT]);
}

static void test_device_only_capture(void **state)
{
    (void)state;
    struct ts_ops_problem problem;
    assert_null(read_text(TS_STR("GLOBAL CALL COUNT,DEVICE FW START CYCLE,DEVICE FW END CYCLE\n1024,1,2\n"), &problem));
    assert_true(problem.unusable);
    const char *start = "missing columns: DEVICE ID, OP CODE, OP TYPE; ";
    assert_int_equal(strncmp(problem.message, start, strlen(start)), 0);
    assert_non_null(strstr(problem.message, "device-only capture"));
    assert_non_null(strstr(problem.message, "ops_perf_results CSV"));
}

static void test_malformed_headers(void **state)
{
    (void)state;
    expect_unusable("OP CODE,\"OP TYPE,DEVICE ID\na,b,c\n", "malformed header: the quote opened in line 1 ");
    expect_unusable("\n\"a\n\",\"OP TYPE,DEVICE ID\na,b,c\n", "malformed header: the quote opened in line 3 ");
    struct ts_buf text;
    ts_buf_init(&text, 0);
    ts_buf_text(&text, HEADER);
    for (unsigned i = 3; i < TS_LIMIT_CSV_COLUMNS; i++)
        ts_buf_char(&text, ',');
    ts_buf_text(&text, "\na,b,0\n");
    struct ts_ops_csv *ops = table_of(text.ptr);
    assert_int_equal(ops->rows, 1);
    ts_ops_csv_destroy(ops);
    text.ptr[strlen(HEADER)] = '\n';
    ts_buf_clear(&text);
    ts_buf_text(&text, HEADER);
    for (unsigned i = 3; i < TS_LIMIT_CSV_COLUMNS + 1; i++)
        ts_buf_char(&text, ',');
    expect_problem(ts_buf_view(&text), true, "malformed header: line 1 has 65537 cells, more than the 65536 ");
    ts_buf_free(&text);
}

static void test_ragged_rows(void **state)
{
    (void)state;
    expect_unreadable_rows(HEADER "\na,b,c,d\n", "line 2 has 4 cells where the header has 3; ");
    expect_unreadable_rows(HEADER "\n\na,b,c\n\na,b,c,,,d,\n", "line 5 has 7 cells where the header has 3; ");
    expect_unreadable_rows(HEADER "\na,\"b\nb\",c\na,b,c, \n", "line 4 has 4 cells where the header has 3; ");

    struct ts_ops_csv *ops = table_of(HEADER "\na,b,0,,\"\",\nc\n,,1\n");
    assert_int_equal(ops->rows, 3);
    expect_text(ops, TS_OPS_OP_CODE, 1, "c");
    expect_text(ops, TS_OPS_DEVICE_ID, 1, "");
    expect_text(ops, TS_OPS_DEVICE_ID, 2, "1");
    ts_ops_csv_destroy(ops);

    struct ts_ops_problem problem;
    assert_null(read_text(TS_STR(HEADER ",PROGRAM CACHE HIT\na,b,c,d,e\n"), &problem));
    assert_true(problem.rows_unreadable && problem.has[TS_OPS_PROGRAM_CACHE_HIT]);
}

static void test_very_ragged_row(void **state)
{
    (void)state;
    struct ts_buf text;
    ts_buf_init(&text, 0);
    ts_buf_text(&text, HEADER "\na,b,c");
    for (unsigned i = 0; i < 100000; i++)
        ts_buf_char(&text, ',');
    struct ts_ops_csv *ops = table_of(text.ptr);
    assert_int_equal(ops->rows, 1);
    ts_ops_csv_destroy(ops);
    ts_buf_char(&text, 'x');
    expect_problem(ts_buf_view(&text), false, "line 2 has 100003 cells where the header has 3; ");
    ts_buf_free(&text);
}

static void test_unclosed_quotes(void **state)
{
    (void)state;
    expect_unreadable_rows(HEADER "\na,b,\"c\n\n", "the quote opened in line 2 is never closed");
    expect_unreadable_rows(HEADER "\n\"a\nb\",\"c,d,e,f,g\n\n", "the quote opened in line 3 is never closed");
    /* A quote inside a cell opens nothing. */
    struct ts_ops_csv *ops = table_of(HEADER "\na\",b\",c\"\nd,e,f\n");
    assert_int_equal(ops->rows, 2);
    expect_text(ops, TS_OPS_OP_CODE, 0, "a\"");
    ts_ops_csv_destroy(ops);
}

static void test_row_over_the_limit(void **state)
{
    (void)state;
    size_t len = TS_LIMIT_OPS_ROW;
    struct ts_buf text;
    ts_buf_init(&text, 0);
    ts_buf_text(&text, HEADER "\na,b,0\n");
    size_t start = text.len;
    char *fill = malloc(len);
    memset(fill, 'x', len);
    ts_buf_add(&text, fill, len - 4);
    ts_buf_text(&text, ",b,1\nc,d,2\n");
    struct ts_ops_csv *ops = table_of(text.ptr);
    assert_int_equal(ops->rows, 3);
    assert_int_equal(ts_ops_text(ops, TS_OPS_OP_CODE, 1).len, len - 4);
    ts_ops_csv_destroy(ops);

    ts_buf_clear(&text);
    ts_buf_text(&text, HEADER "\na,b,0\n\"");
    ts_buf_add(&text, fill, len);
    ts_buf_text(&text, "\"\nc,d,2\n");
    expect_problem(ts_buf_view(&text), false, "line 3 begins a row of more than 16777216 bytes");
    ts_buf_text(&text, "\xff");
    expect_problem(ts_buf_view(&text), true, "not utf-8 text (byte ");
    memset(text.ptr, 'x', start);
    text.ptr[text.len - 1] = 'x';
    text.ptr[start] = 'x';
    expect_problem(ts_buf_view(&text), true, "malformed header: line 1 begins a row of more than 16777216 bytes");
    free(fill);
    ts_buf_free(&text);
}

static void test_bad_utf8_comes_first(void **state)
{
    (void)state;
    expect_problem(TS_STR(HEADER "\na,b,\xff\n"), true, "not utf-8 text (byte 30 cannot be decoded)");
    expect_unusable(HEADER "\na,b,c,d\n\xe2\x82", "not utf-8 text (byte 34 cannot be decoded)");
    expect_unusable(HEADER "\na,b,\"\n\xc3(", "not utf-8 text (byte 32 cannot be decoded)");
    expect_unusable(HEADER ",OTHER\na,b,0,\x80\n", "not utf-8 text (byte 38 cannot be decoded)");
    expect_unusable("a\n\xed\xa0\x80", "not utf-8 text (byte 2 cannot be decoded)");
    expect_unusable("\"a\n\xc0\x80", "not utf-8 text (byte 3 cannot be decoded)");
    expect_unusable("\n\xf5", "not utf-8 text (byte 1 cannot be decoded)");
    expect_unusable("\xef\xbb\xbf" HEADER "\n\xff", "not utf-8 text (byte 29 cannot be decoded)");
}

/* ---- limits of the call ---- */

static void test_memory_limit(void **state)
{
    (void)state;
    struct ts_context context;
    struct ts_ops_csv *ops = (struct ts_ops_csv *)&context; /* must stay */
    struct ts_ops_problem problem;
    struct ts_error error = {0};
    struct ts_buf text;
    ts_context_init(&context);
    context.memory_limit = 1000000;
    ts_buf_init(&text, 0);
    ts_buf_text(&text, HEADER ",CORE COUNT,PM IDEAL [ns]\n");
    for (unsigned i = 0; i < 60000; i++)
        ts_buf_text(&text, "a,b,0,1,2\n");
    assert_int_equal(ts_ops_csv_read_memory(&context, ts_buf_view(&text), false, &ops, &problem, &error), TS_LIMIT);
    assert_int_equal(error.code, TS_LIMIT);
    assert_non_null(strstr(error.message, "1000000 bytes"));
    assert_int_equal(strncmp(error.message, "ops_perf_results.csv: ", 22), 0);
    assert_ptr_equal(ops, &context);
    ts_buf_clear(&text);
    ts_buf_text(&text, HEADER "\n");
    for (unsigned i = 0; i < 60000; i++)
        ts_buf_printf(&text, "text number %u,b,0\n", i);
    assert_int_equal(ts_ops_csv_read_memory(&context, ts_buf_view(&text), false, &ops, &problem, &error), TS_LIMIT);
    assert_ptr_equal(ops, &context);
    ts_buf_free(&text);
}

static void test_cancellation(void **state)
{
    (void)state;
    struct ts_context context;
    struct ts_ops_csv *ops = NULL;
    struct ts_ops_problem problem;
    struct ts_error error = {0};
    ts_context_init(&context);
    context.cancelled = true;
    assert_int_equal(ts_ops_csv_read_memory(&context, TS_STR(HEADER "\na,b,0"), false, &ops, &problem, &error),
                     TS_CANCELLED);
    assert_int_equal(error.code, TS_CANCELLED);
    assert_null(ops);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_are_found_by_name),
        cmocka_unit_test(test_every_column_can_be_kept),
        cmocka_unit_test(test_the_first_of_equal_names_counts),
        cmocka_unit_test(test_columns_begin_late),
        cmocka_unit_test(test_generations),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_dimensions),
        cmocka_unit_test(test_texts_stay_as_written),
        cmocka_unit_test(test_equal_texts_have_one_id),
        cmocka_unit_test(test_empty_spellings),
        cmocka_unit_test(test_device_ids),
        cmocka_unit_test(test_attributes_by_kind_of_operation),
        cmocka_unit_test(test_a_halo_without_attributes_has_a_text),
        cmocka_unit_test(test_equal_attributes_are_kept_once),
        cmocka_unit_test(test_empty_files),
        cmocka_unit_test(test_missing_columns),
        cmocka_unit_test(test_device_only_capture),
        cmocka_unit_test(test_malformed_headers),
        cmocka_unit_test(test_ragged_rows),
        cmocka_unit_test(test_very_ragged_row),
        cmocka_unit_test(test_unclosed_quotes),
        cmocka_unit_test(test_row_over_the_limit),
        cmocka_unit_test(test_bad_utf8_comes_first),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_cancellation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
