#include "transforms/perf_csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/interpose_malloc.c"
#include "support/scratch.h"

struct bench {
    struct scratch scratch;
    struct ts_context context;
    struct ts_error error;
    struct ts_perf_csv_result result;
    const char *files[2];
};

static int set_up(void **state)
{
    static struct bench bench;
    scratch_create(&bench.scratch);
    ts_context_init(&bench.context);
    bench.error = (struct ts_error){.code = TS_OK};
    bench.result = (struct ts_perf_csv_result){.rows = 0};
    *state = &bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    ts_perf_csv_result_free(&bench->result);
    scratch_destroy(&bench->scratch);
    return 0;
}

/* Options for one input of this text, written to out.csv. */
static struct ts_perf_csv_options options_for(struct bench *bench, const char *text)
{
    bench->files[0] = scratch_put(&bench->scratch, "in.csv", ts_str_from(text));
    return (struct ts_perf_csv_options){
        .files = bench->files,
        .file_count = 1,
        .csv = scratch_path(&bench->scratch, "out.csv"),
        .ignore_signposts = true,
        .no_summary = true,
    };
}

static enum ts_status write_csv(struct bench *bench, const struct ts_perf_csv_options *options)
{
    ts_perf_csv_result_free(&bench->result);
    return ts_perf_csv_write(&bench->context, options, &bench->result, &bench->error);
}

static void must_write(struct bench *bench, const struct ts_perf_csv_options *options)
{
    if (write_csv(bench, options) != TS_OK)
        fail_msg("%s", bench->error.message);
}

static void check_file(struct bench *bench, const char *name, const char *expected)
{
    struct ts_str text = scratch_get(&bench->scratch, name);
    assert_non_null(text.ptr);
    if (!ts_str_is(text, expected))
        fail_msg("%s is\n%.*s\nnot\n%s", name, TS_STR_ARG(text), expected);
}

/* Line `line` (from 0) of out.csv without its CRLF; in static memory. */
static const char *line_of(struct bench *bench, unsigned line)
{
    static char text[2048];
    struct ts_str rest = scratch_get(&bench->scratch, "out.csv");
    for (;;) {
        size_t end = ts_str_find(rest, TS_STR("\r\n"), 0);
        assert_true(end != (size_t)-1 && end < sizeof text);
        memcpy(text, rest.ptr, end);
        text[end] = '\0';
        if (line-- == 0)
            return text;
        rest = ts_str_sub(rest, end + 2, rest.len);
    }
}

#define COLUMNS                                                                                                        \
    "ID,Total %,Bound,OP Code,Device,Device Time,Op-to-Op Gap,Cores,DRAM,DRAM %,FLOPs,FLOPs %,Math Fidelity,"          \
    "Output Datatype,Input 0 Datatype,Input 1 Datatype,DRAM Sharded,Input 0 Memory,Inner Dim Block Size,"              \
    "Output Subblock H,Output Subblock W,Global Call Count,Sub Device ID,Available Cores,Op Category,Bound Analysis"

#define HEADER                                                                                                         \
    "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,ATTRIBUTES,MATH FIDELITY,CORE COUNT,SUB DEVICE ID,"                   \
    "OP TO OP LATENCY [ns],DEVICE KERNEL DURATION [ns],INPUT_0_MEMORY,INPUT_0_DATATYPE,INPUT_1_DATATYPE,"              \
    "OUTPUT_0_DATATYPE\n"

/* ---- rows ---- */

static void test_every_column_of_a_row(void **state)
{
    struct bench *bench = *state;
    struct ts_perf_csv_options options = options_for(
        bench,
        HEADER "Softmax,tt_dnn_device,1024,0,program_config in0_block_w=4 out_subblock_h=1 out_subblock_w=8,,64,0.0,"
               "5,1500,DEV_0_DRAM_X,BFLOAT16,,BFLOAT8_B\n"
               "mark,signpost,2048,,,,,,,,,,,\n"
               "(torch) copy,host,3072,,,,,,250,,,,,\n");
    options.raw_op_codes = true;
    must_write(bench, &options);
    check_file(bench, "out.csv",
               COLUMNS
               ",Advice,Raw OP Code\r\n"
               "2,85.71428571428571,,Softmax,0,1.5,,64,,,,,BF16 => BFP8,BFLOAT8_B,BFLOAT16,nan,False,DEV_0_DRAM_X,4,1,"
               "8,1024,0,64,Compute,none,,Softmax\r\n"
               "3,,,mark (signpost),,,,,,,,,,nan,nan,nan,False,,,,,2048,,64,,none,,mark\r\n"
               "4,14.285714285714285,HOST,(torch) copy,,,0.25,,,,,,,nan,nan,nan,False,,,,,3072,,64,Host,none,,"
               "(torch) copy\r\n");
    assert_int_equal(bench->result.rows, 3);
    assert_int_equal(bench->result.device_ops, 1);
    assert_int_equal(bench->result.host_ops, 1);
    assert_int_equal(bench->result.signpost_rows, 1);
    assert_null(bench->result.stacked_path);
    assert_null(scratch_get(&bench->scratch, "out_stacked.csv").ptr);
}

static void test_columns_that_are_asked_for(void **state)
{
    struct bench *bench = *state;
    struct ts_perf_csv_options options = options_for(bench, HEADER "A,tt_dnn_device,1,0,,,,,,,,,,\n");
    must_write(bench, &options);
    assert_string_equal(line_of(bench, 0), COLUMNS ",Advice");
    options.no_advice = true;
    must_write(bench, &options);
    assert_string_equal(line_of(bench, 0), COLUMNS);
    assert_string_equal(line_of(bench, 1), "2,,,A,0,,,,,,,,,nan,nan,nan,False,,,,,1,,64,Other,none");
    options.raw_op_codes = true;
    must_write(bench, &options);
    assert_string_equal(line_of(bench, 0), COLUMNS ",Raw OP Code");
}

static void test_datatypes_without_a_column(void **state)
{
    struct bench *bench = *state;
    struct ts_perf_csv_options options = options_for(bench, "OP CODE,OP TYPE,DEVICE ID\nA,tt_dnn_device,0\n");
    options.no_advice = true;
    must_write(bench, &options);
    assert_string_equal(line_of(bench, 1), "2,,,A,0,,,,,,,,,,,,False,,,,,nan,,64,Other,none");
}

static void test_quotes_and_formulas(void **state)
{
    struct bench *bench = *state;
    struct ts_perf_csv_options options =
        options_for(bench, HEADER "\"a,\"\"b\"\"\",tt_dnn_device,1,0,,,,-3,,,\"=x,y\",+I,-J,@K\n"
                                  "=cmd,tt_dnn_device,1,0,,,,-odd,,,\"two\nlines\",,,X\n"
                                  "\tTab,tt_dnn_device,1,0,,,,,,,,,,\n");
    options.no_advice = options.raw_op_codes = true;
    must_write(bench, &options);
    assert_string_equal(
        line_of(bench, 1),
        "2,,,\"a,\"\"b\"\"\",0,,,,,,,,\"'+I, -J => @K\",'@K,'+I,'-J,False,\"'=x,y\",,,,1,-3,64,Other,none,"
        "\"a,\"\"b\"\"\"");
    assert_string_equal(line_of(bench, 2),
                        "3,,,'=cmd,0,,,,,,,,'=> X,X,nan,nan,False,\"two\nlines\",,,,1,'-odd,64,Other,none,'=cmd");
    assert_string_equal(line_of(bench, 3), "4,,,'\tTab,0,,,,,,,,,nan,nan,nan,False,,,,,1,,64,Other,none,'\tTab");
}

static void check_call_counts(struct bench *bench, const char *first, const char *second, const char *expected)
{
    char text[512], got[64] = "";
    snprintf(text, sizeof text,
             "OP CODE,OP TYPE,DEVICE ID,GLOBAL CALL COUNT\nA,tt_dnn_device,0,%s\nA,tt_dnn_device,0,%s\n", first,
             second);
    struct ts_perf_csv_options options = options_for(bench, text);
    must_write(bench, &options);
    for (unsigned line = 1; line <= 2; line++) {
        struct ts_str rest = ts_str_from(line_of(bench, line)), cell = {"", 0};
        bool done = false;
        for (int column = 0; column <= 21; column++)
            assert_true(ts_str_split(&rest, ',', &cell, &done));
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%.*s", line > 1 ? "|" : "", TS_STR_ARG(cell));
    }
    assert_string_equal(got, expected);
}

static void test_call_counts(void **state)
{
    struct bench *bench = *state;
    check_call_counts(bench, "1024", "2048", "1024|2048");
    check_call_counts(bench, "007", " 8", "7|8");
    check_call_counts(bench, "1024", "", "1024.0|nan");
    check_call_counts(bench, "1024.0", "7", "1024.0|7.0");
    check_call_counts(bench, "1e3", "7", "1000.0|7.0");
    check_call_counts(bench, "18446744073709551615", "5", "18446744073709551615|5");
    check_call_counts(bench, "-4", "5", "-4|5");
    check_call_counts(bench, "abc", "7", "abc|7");
    check_call_counts(bench, "=abc", "NA", "'=abc|nan");
}

#define MATMUL_HEADER                                                                                                  \
    "OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns],MATH FIDELITY,CORE COUNT,ATTRIBUTES,INPUT_0_MEMORY,"        \
    "INPUT_1_MEMORY,OUTPUT_0_MEMORY,INPUT_0_DATATYPE,INPUT_1_DATATYPE,OUTPUT_0_DATATYPE,INPUT_0_W,INPUT_0_Z,INPUT_0_"  \
    "Y,"                                                                                                               \
    "INPUT_0_X,INPUT_1_W,INPUT_1_Z,INPUT_1_Y,INPUT_1_X,OUTPUT_0_W,OUTPUT_0_Z,OUTPUT_0_Y,OUTPUT_0_X\n"
#define MATMUL(device, duration)                                                                                       \
    "Matmul,tt_dnn_device," device "," duration                                                                        \
    ",HiFi4,64,program_config in0_block_w=1 out_subblock_h=1 out_subblock_w=1,D_DRAM_I,D_DRAM_I,D_DRAM_I,BFLOAT16,"    \
    "BFLOAT16,BFLOAT16,1,1,1024,1024,1,1,1024,1024,1,1,1024,1024\n"

static void test_matmul_and_its_advice(void **state)
{
    struct bench *bench = *state;
    struct ts_perf_csv_options options = options_for(bench, MATMUL_HEADER MATMUL("0", "100000"));
    options.advice_codes = true;
    must_write(bench, &options);
    assert_string_equal(
        line_of(bench, 1),
        "2,100.0,SLOW,Matmul 1024 x 1024 x 1024,0,100.0,,64,62.91456,21.845333333333333,21.47483648,"
        "32.64755545945946,HiFi4 BF16 x BF16 => BF16,BFLOAT16,BFLOAT16,BFLOAT16,False,D_DRAM_I,1,1,1,nan,,64,"
        "Compute,full,"
        "input0_to_l1:D_DRAM_I \xe2\x80\xa2 in0_block_w_small:1 \xe2\x80\xa2 out_subblock_small:1x1 \xe2\x80\xa2 "
        "fidelity:bf16_hifi4");
    assert_true(bench->result.has_dram);
    options.advice_codes = false;
    must_write(bench, &options);
    struct ts_str line = ts_str_from(line_of(bench, 1));
    size_t pieces = 0;
    for (size_t at = 0; (at = ts_str_find(line, TS_STR(" \xe2\x80\xa2 "), at)) != (size_t)-1; at++)
        pieces++;
    assert_int_equal(pieces, 3);
}

/* Rows beyond one block of writing. */
static void test_many_rows(void **state)
{
    struct bench *bench = *state;
    struct ts_buf text;
    ts_buf_init(&text, 0);
    ts_buf_text(&text, "OP CODE,OP TYPE,DEVICE ID\n");
    for (int i = 0; i < 5000; i++)
        ts_buf_text(&text, "A,tt_dnn_device,0\n");
    struct ts_perf_csv_options options = options_for(bench, text.ptr);
    ts_buf_free(&text);
    must_write(bench, &options);
    assert_int_equal(bench->result.rows, 5000);
    assert_string_equal(line_of(bench, 5000), "5001,,,A,0,,,,,,,,,,,,False,,,,,nan,,64,Other,none,");
}

/* ---- the stacked report ---- */

#define STACKED                                                                                                        \
    "Total % [%],Op Code,Device Time Sum [\xce\xbcs],Op Count,Op Category,Min FLOPs [%],Max FLOPs [%],Mean FLOPs [%]," \
    "Std FLOPs [%],Weighted Mean FLOPs [%]\n"

static void check_stacked(struct bench *bench, const char *text, struct ts_perf_csv_options how, const char *expected)
{
    struct ts_perf_csv_options options = options_for(bench, text);
    options.no_summary = false;
    options.group_by = how.group_by;
    options.no_merge_devices = how.no_merge_devices;
    options.no_host_ops = how.no_host_ops;
    must_write(bench, &options);
    check_file(bench, "out_stacked.csv", expected);
    assert_string_equal(bench->result.stacked_path, scratch_path(&bench->scratch, "out_stacked.csv"));
}
#define BY(...) ((struct ts_perf_csv_options){__VA_ARGS__})

#define SHORT_HEADER "OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns],INPUT_0_MEMORY\n"

static void test_stacked_groups(void **state)
{
    struct bench *bench = *state;
    const char text[] = SHORT_HEADER "=A x,tt_dnn_device,0,1500,D_L1_I\n\"B,C\",tt_dnn_device,0,4500,\n"
                                     "(torch) h,host,,,\ns,signpost,,,\n";
    check_stacked(bench, text, BY(.group_by = TS_STACKED_OP),
                  STACKED
                  "75.00,\"B,C\",4.50,1,Other,,,,,\n25.00,'=A,1.50,1,Other,,,,,\n0.00,(torch),0.00,1,Host,,,,,\n");
    check_stacked(bench, text, BY(.group_by = TS_STACKED_MEMORY),
                  STACKED "75.00,\"B,C\",4.50,1,Other,,,,,\n25.00,'=A (in0:l1_i),1.50,1,Other,,,,,\n"
                          "0.00,(torch),0.00,1,Host,,,,,\n");
    check_stacked(bench, text, BY(.group_by = TS_STACKED_CATEGORY, .no_host_ops = true),
                  "Total % [%],Op Code,Device Time Sum [\xce\xbcs],Op Count\n100.00,Other,6.00,2\n");
    assert_int_equal(bench->result.groups, 1);
}

static void test_stacked_flops(void **state)
{
    struct bench *bench = *state;
    check_stacked(bench, MATMUL_HEADER MATMUL("0", "100000") MATMUL("0", "200000"), BY(.group_by = TS_STACKED_OP),
                  STACKED "100.00,Matmul,300.00,2,Compute,16.32,32.65,24.49,11.54,21.77\n");
    check_stacked(bench, MATMUL_HEADER MATMUL("0", "100000"), BY(.group_by = TS_STACKED_OP),
                  STACKED "100.00,Matmul,100.00,1,Compute,32.65,32.65,32.65,,32.65\n");
}

static void test_stacked_devices(void **state)
{
    struct bench *bench = *state;
    check_stacked(bench,
                  SHORT_HEADER
                  "A,tt_dnn_device,0,1000,\nB,tt_dnn_device,0,3000,\nA,tt_dnn_device,1,3000,\n(torch) h,host,,,\n",
                  BY(.group_by = TS_STACKED_CATEGORY, .no_merge_devices = true),
                  "Total % [%],Op Code,Device,Device Time Sum [\xce\xbcs],Op Count\n"
                  "100.00,Other,0,4.00,2\n100.00,Other,1,3.00,1\n");
    check_stacked(
        bench, SHORT_HEADER "A,tt_dnn_device,0,1000,\nB,tt_dnn_device,0,3000,\nA,tt_dnn_device,1,3000,\n",
        BY(.group_by = TS_STACKED_OP, .no_merge_devices = true),
        "Total % [%],Op Code,Device,Device Time Sum [\xce\xbcs],Op Count,Op Category,Min FLOPs [%],Max FLOPs [%],"
        "Mean FLOPs [%],Std FLOPs [%],Weighted Mean FLOPs [%]\n"
        "100.00,A,1,3.00,1,Other,,,,,\n75.00,B,0,3.00,1,Other,,,,,\n25.00,A,0,1.00,1,Other,,,,,\n");
}

static void test_ties_go_by_name(void **state)
{
    struct bench *bench = *state;
    check_stacked(bench, SHORT_HEADER "b,tt_dnn_device,0,1000,\nB,tt_dnn_device,0,1000,\na,tt_dnn_device,0,2000,\n",
                  BY(.group_by = TS_STACKED_OP),
                  STACKED "50.00,a,2.00,1,Other,,,,,\n25.00,B,1.00,1,Other,,,,,\n25.00,b,1.00,1,Other,,,,,\n");
}

static void test_zeros(void **state)
{
    struct bench *bench = *state;
    const char hosts[] = SHORT_HEADER "(torch) a,host,,,\n(torch) b,host,,,\n";
    const char mixed[] = SHORT_HEADER "(torch) a,host,,,\nA,tt_dnn_device,0,,\n";
    const char zero[] = SHORT_HEADER "A,tt_dnn_device,0,0,\n";
    const char none[] = SHORT_HEADER "A,tt_dnn_device,0,,\n";
    const char vanished[] = SHORT_HEADER "A,tt_dnn_device,0,5,HOST\nB,tt_dnn_device,0,,\n";
    check_stacked(bench, hosts, BY(.group_by = TS_STACKED_OP), STACKED "0,(torch),0,2,Host,,,,,\n");
    check_stacked(bench, mixed, BY(.group_by = TS_STACKED_OP),
                  STACKED "0,(torch),0.00,1,Host,,,,,\n0,A,0.00,1,Other,,,,,\n");
    check_stacked(bench, mixed, BY(.group_by = TS_STACKED_OP, .no_host_ops = true), STACKED "0,A,0,1,Other,,,,,\n");
    check_stacked(bench, zero, BY(.group_by = TS_STACKED_OP), STACKED "0,A,0.00,1,Other,,,,,\n");
    check_stacked(bench, none, BY(.group_by = TS_STACKED_OP), STACKED "0,A,0,1,Other,,,,,\n");
    check_stacked(bench, vanished, BY(.group_by = TS_STACKED_MEMORY), STACKED "0,B,0.00,1,Other,,,,,\n");
}

/* ---- where files go ---- */

static void check_stacked_name(struct bench *bench, const char *csv, const char *base, const char *stacked)
{
    struct ts_perf_csv_options options = options_for(bench, SHORT_HEADER "A,tt_dnn_device,0,1000,\n");
    options.no_summary = false;
    options.csv = scratch_path(&bench->scratch, csv);
    options.summary_base = base ? scratch_path(&bench->scratch, base) : NULL;
    must_write(bench, &options);
    assert_non_null(scratch_get(&bench->scratch, csv).ptr);
    assert_non_null(scratch_get(&bench->scratch, stacked).ptr);
    assert_string_equal(bench->result.stacked_path, scratch_path(&bench->scratch, stacked));
}

static void test_where_the_stacked_report_goes(void **state)
{
    struct bench *bench = *state;
    scratch_folder(&bench->scratch, "dir.d");
    check_stacked_name(bench, "a.csv", NULL, "a_stacked.csv");
    check_stacked_name(bench, "b", NULL, "b_stacked.csv");
    check_stacked_name(bench, "c.txt", NULL, "c_stacked.csv");
    check_stacked_name(bench, "dir.d/e", NULL, "dir.d/e_stacked.csv");
    check_stacked_name(bench, ".csv", NULL, ".csv_stacked.csv");
    check_stacked_name(bench, "f.g.csv", NULL, "f.g_stacked.csv");
    check_stacked_name(bench, "h.csv", "i.csv", "i.csv.csv");
}

static void test_nothing_goes_beside_a_device(void **state)
{
    struct bench *bench = *state;
    struct ts_perf_csv_options options = options_for(bench, SHORT_HEADER "A,tt_dnn_device,0,1000,\n");
    options.no_summary = false;
    options.csv = "/dev/null";
    must_write(bench, &options);
    assert_null(bench->result.stacked_path);
}

static void test_no_groups_no_stacked_report(void **state)
{
    struct bench *bench = *state;
    struct ts_perf_csv_options options = options_for(bench, SHORT_HEADER "s,signpost,,,\n");
    options.no_summary = false;
    must_write(bench, &options);
    assert_null(bench->result.stacked_path);
    assert_null(scratch_get(&bench->scratch, "out_stacked.csv").ptr);
}

static void test_a_failure_leaves_the_old_files(void **state)
{
    struct bench *bench = *state;
    struct ts_perf_csv_options options = options_for(bench, SHORT_HEADER "A,tt_dnn_device,0,1000,\n");
    options.no_summary = false;
    scratch_put(&bench->scratch, "out.csv", TS_STR("old"));
    options.summary_base = scratch_path(&bench->scratch, "no/such/folder");
    assert_int_equal(write_csv(bench, &options), TS_IO);
    assert_non_null(strstr(bench->error.message, "no/such/folder.csv"));
    check_file(bench, "out.csv", "old");
    options.summary_base = NULL;
    bench->context.cancelled = true;
    assert_int_equal(write_csv(bench, &options), TS_CANCELLED);
    bench->context.cancelled = false;
    check_file(bench, "out.csv", "old");
    assert_int_equal(scratch_count(&bench->scratch, ""), 2);
}

/* ---- what the caller is told ---- */

static void test_no_data_rows(void **state)
{
    struct bench *bench = *state;
    struct ts_perf_csv_options options = options_for(bench, SHORT_HEADER);
    options.no_summary = false;
    must_write(bench, &options);
    check_file(bench, "out.csv", COLUMNS ",Advice\r\n");
    assert_null(bench->result.stacked_path);
    assert_int_equal(bench->result.rows, 0);
    assert_int_equal(bench->result.signpost_count, 0);
}

static void test_a_window_without_operations_names_the_signposts(void **state)
{
    struct bench *bench = *state;
    struct ts_perf_csv_options options =
        options_for(bench, SHORT_HEADER "s,signpost,,,\nA,tt_dnn_device,0,1000,\ns,signpost,,,\nt,signpost,,,\n");
    options.ignore_signposts = false;
    must_write(bench, &options);
    check_file(bench, "out.csv", COLUMNS ",Advice\r\n");
    assert_int_equal(bench->result.device_ops, 0);
    assert_true(ts_str_is(bench->result.after_signpost, "t"));
    assert_int_equal(bench->result.signpost_count, 2);
    assert_true(ts_str_is(bench->result.signposts[0].name, "s"));
    assert_int_equal(bench->result.signposts[0].occurrences, 2);
    assert_true(ts_str_is(bench->result.signposts[1].name, "t"));
    /* With operations nobody needs them. */
    options.ignore_signposts = true;
    must_write(bench, &options);
    assert_int_equal(bench->result.device_ops, 1);
    assert_int_equal(bench->result.signpost_count, 0);
    assert_int_equal(bench->result.after_signpost.len, 0);
}

static void test_refusals_pass_through(void **state)
{
    struct bench *bench = *state;
    struct ts_perf_csv_options options = options_for(bench, SHORT_HEADER "s,signpost,,,\nA,tt_dnn_device,0,1000,\n");
    options.ignore_signposts = false;
    options.range.start = TS_STR("nobody");
    assert_int_equal(write_csv(bench, &options), TS_REFUSED);
    assert_null(scratch_get(&bench->scratch, "out.csv").ptr);
    options = options_for(bench, "OP CODE,OP TYPE\nA,B\n");
    assert_int_equal(write_csv(bench, &options), TS_INPUT);
    assert_non_null(strstr(bench->error.message, "DEVICE ID"));
}

static void test_every_allocation_may_fail(void **state)
{
    struct bench *bench = *state;
    struct ts_perf_csv_options options = options_for(
        bench, MATMUL_HEADER MATMUL("0", "100000") MATMUL("1", "200000") "s,signpost,,,,,,,,,,,,,,,,,,,,,,,,\n");
    options.no_summary = false;
    long good = 0;
    for (bool failed = true; failed; good++) {
        struct ts_perf_csv_result result = {.rows = 0};
        scratch_put(&bench->scratch, "out.csv", TS_STR("old"));
        interpose_fail_from(good);
        enum ts_status status = ts_perf_csv_write(&bench->context, &options, &result, &bench->error);
        failed = interpose_stop();
        ts_perf_csv_result_free(&result);
        assert_int_equal(status, failed ? TS_NO_MEMORY : TS_OK);
        if (failed)
            check_file(bench, "out.csv", "old");
    }
    assert_true(good > 20);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_every_column_of_a_row),
        TEST(test_columns_that_are_asked_for),
        TEST(test_datatypes_without_a_column),
        TEST(test_quotes_and_formulas),
        TEST(test_call_counts),
        TEST(test_matmul_and_its_advice),
        TEST(test_many_rows),
        TEST(test_stacked_groups),
        TEST(test_stacked_flops),
        TEST(test_stacked_devices),
        TEST(test_ties_go_by_name),
        TEST(test_zeros),
        TEST(test_where_the_stacked_report_goes),
        TEST(test_nothing_goes_beside_a_device),
        TEST(test_no_groups_no_stacked_report),
        TEST(test_a_failure_leaves_the_old_files),
        TEST(test_no_data_rows),
        TEST(test_a_window_without_operations_names_the_signposts),
        TEST(test_refusals_pass_through),
        TEST(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
