#include "transforms/noc_decode.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/limits.h"
#include "base/output.h"
#include "formats/noc_log.h"
#include "transforms/noc_decode_run.h"

enum { FIRST_BYTES = 4096, OP_NAME_MAX = 150, NAME_MAX_LEN = 320 };

/* ---- files ---- */

/* An operation's name as part of a file's: it must not lead elsewhere, and a file name has an end. */
static void add_op(struct ts_buf *out, struct ts_str op)
{
    if (op.len == 0)
        return;
    ts_buf_char(out, '_');
    for (size_t i = 0; i < op.len && i < OP_NAME_MAX; i++) {
        unsigned char c = (unsigned char)op.ptr[i];
        ts_buf_char(out, c == '/' || c < 0x20 || c == 0x7F ? '_' : (char)c);
    }
}

static void make_path(const struct ts_noc_decoder *d, struct ts_buf *path)
{
    const struct ts_noc_run *run = d->run;
    ts_buf_printf(path, "%s/noc_trace_dev%" PRIu32, d->options->folder, run->device);
    add_op(path, run->op);
    ts_buf_printf(path, "_ID%" PRIu64, run->host_id);
    if (run->traced)
        ts_buf_printf(path, "_traceID%" PRIu64, run->trace << 32 | run->count);
    ts_buf_text(path, ".json");
}

enum ts_status ts_noc_decode_folder(struct ts_noc_decoder *d, struct ts_error *error)
{
    return d->report->files ? TS_OK : ts_output_folder(d->options->folder, error);
}

enum ts_status ts_noc_decode_open(struct ts_noc_decoder *d, struct ts_error *error)
{
    struct ts_buf path;
    if (d->writer)
        return TS_OK;
    ts_buf_init(&path, 0);
    if (d->options->folder)
        make_path(d, &path);
    else
        ts_buf_text(&path, d->options->stream);
    enum ts_status status = ts_buf_status(&path, error);
    if (status == TS_OK)
        status = ts_noc_decode_folder(d, error);
    if (status == TS_OK)
        status = ts_output_check(path.ptr, d->options->input, error);
    if (status == TS_OK)
        status = ts_output_check(path.ptr, d->options->tables, error);
    if (status == TS_OK)
        status = ts_writer_create(d->context, path.ptr, &d->writer, error);
    if (status == TS_OK)
        status = ts_noc_text_begin(&d->text, d->writer, d->options->format, d->wire, d->options->posted, error);
    if (status == TS_OK)
        d->report->files++;
    ts_buf_free(&path);
    return status;
}

static enum ts_status end_file(struct ts_noc_decoder *d, struct ts_error *error)
{
    if (!d->writer)
        return TS_OK;
    enum ts_status status = ts_noc_text_end(&d->text, error);
    struct ts_writer *writer = d->writer;
    d->writer = NULL;
    d->report->records += d->text.records;
    d->report->bytes += ts_writer_size(writer);
    if (status == TS_OK)
        return ts_writer_commit(writer, error);
    ts_writer_abandon(writer);
    return status;
}

/* ---- the whole ---- */

static enum ts_status note_lanes(struct ts_noc_decoder *d, struct ts_error *error)
{
    struct ts_buf *out = &d->report->lanes;
    for (size_t i = 0; i < d->runs->dropped.count; i++) {
        const struct ts_noc_lane *lane = &d->runs->lanes.items[d->runs->dropped.items[i]];
        const char *risc = ts_noc_risc_name(lane->risc);
        ts_buf_printf(out, "device %" PRIu32 " core %" PRId32 ",%" PRId32 " ", lane->device, lane->x, lane->y);
        if (risc)
            ts_buf_printf(out, "%s\n", risc);
        else
            ts_buf_printf(out, "RISC %" PRIu32 "\n", lane->risc);
    }
    d->report->lane_count = d->runs->dropped.count;
    return ts_buf_status(out, error);
}

static enum ts_status decode_runs(struct ts_context *context, const struct ts_noc_decode_options *options,
                                  struct ts_noc_runs *runs, struct ts_noc_decode_report *report, struct ts_error *error)
{
    struct ts_noc_decoder d = {
        .context = context, .options = options, .report = report, .runs = runs, .wire = runs->description->wire};
    enum ts_status status = note_lanes(&d, error);
    report->counts = runs->counts;
    report->wire = ts_noc_wire_name(d.wire);
    if (status == TS_OK && !options->folder) {
        /* One array, also of nothing. */
        d.run = NULL;
        status = ts_noc_decode_open(&d, error);
    }
    for (size_t i = 0; status == TS_OK && i < runs->runs.count; i++) {
        status = ts_noc_decode_run(&d, &runs->runs.items[i], error);
        if (status == TS_OK && options->folder)
            status = end_file(&d, error);
        if (status == TS_OK)
            status = ts_context_progress(context, i + 1, runs->runs.count, "program runs", error);
    }
    if (status == TS_OK)
        status = end_file(&d, error);
    if (d.writer)
        ts_writer_abandon(d.writer);
    report->duplicates = d.markers.duplicates;
    report->losses[TS_NOC_LOSS_SAME_TIME] = d.markers.clashes;
    ts_noc_text_free(&d.text);
    ts_noc_markers_free(&d.markers);
    ts_vec_free(&d.open);
    return status;
}

/* Of generation J1 to J3 the times are per kernel. */
static bool per_kernel(const struct ts_noc_decode_options *options)
{
    return options->format != TS_NOC_J4;
}

static enum ts_status no_sites(const char *input, struct ts_error *error)
{
    struct ts_quote quote;
    return ts_error_set(error, TS_USAGE, "%s holds no near-raw records (its wire is not N1), so leave out --sites",
                        ts_error_quote(&quote, ts_str_from(input), TS_QUOTE_FILE));
}

/* Tables of a near-raw capture's call sites; they say of which generation the events are. */
static enum ts_status read_sites(struct ts_context *context, const struct ts_noc_decode_options *options,
                                 struct ts_noc_description *description, struct ts_error *error)
{
    struct ts_quote quote;
    enum ts_status status = TS_OK;
    if (options->has_wire)
        return ts_error_set(
            error, TS_USAGE,
            "the tables of call sites say of which generation a near-raw capture is, so leave out --wire");
    for (size_t i = 0; status == TS_OK && i < options->site_count; i++)
        status = ts_noc_sites_add_file(context, description->sites, options->sites[i], error);
    if (status != TS_OK)
        return status;
    status = ts_noc_sites_finish(description->sites, &description->wire, error);
    if (status != TS_OK)
        ts_error_prefix(error, "%s", ts_error_quote(&quote, ts_str_from(options->input), TS_QUOTE_FILE));
    return status;
}

static enum ts_status decode_capture(struct ts_context *context, const struct ts_noc_decode_options *options,
                                     struct ts_noc_decode_report *report, struct ts_error *error)
{
    struct ts_noc_capture *capture = NULL;
    struct ts_noc_runs *runs = NULL;
    struct ts_quote quote;
    enum ts_status status = ts_noc_capture_open(context, options->input, &capture, error);
    if (status == TS_OK && capture->description->sites)
        status = read_sites(context, options, capture->description, error);
    else if (status == TS_OK && options->site_count)
        status = no_sites(options->input, error);
    else if (status == TS_OK && options->has_wire)
        capture->description->wire = options->wire;
    if (status == TS_OK && options->tables)
        status =
            ts_error_set(error, TS_USAGE, "%s is a raw capture, which has tables of its own, so leave out --tables",
                         ts_error_quote(&quote, ts_str_from(options->input), TS_QUOTE_FILE));
    if (status == TS_OK)
        status = ts_noc_runs_of_capture(context, capture, per_kernel(options), &runs, error);
    if (status == TS_OK && options->assume_unharvested)
        for (size_t i = 0; status == TS_OK && i < runs->runs.count; i++)
            status = ts_noc_description_assume(capture->description, runs->runs.items[i].device, error);
    if (status == TS_OK)
        status = decode_runs(context, options, runs, report, error);
    if (status == TS_OK)
        status = ts_noc_capture_unchanged(capture, error);
    ts_noc_runs_destroy(runs);
    ts_noc_capture_close(capture);
    return status;
}

static enum ts_status read_whole(struct ts_context *context, const char *path, struct ts_buf *out,
                                 struct ts_error *error)
{
    char block[FIRST_BYTES];
    size_t got = 0;
    struct ts_reader *reader = NULL;
    enum ts_status status = ts_reader_open(context, path, &reader, error);
    do {
        if (status == TS_OK)
            status = ts_reader_read(reader, block, sizeof block, &got, error);
        if (status == TS_OK)
            ts_buf_add(out, block, got);
    } while (status == TS_OK && got && !out->failed);
    ts_reader_close(reader);
    return status == TS_OK ? ts_buf_status(out, error) : status;
}

/* Whether a file begins like a raw capture, and whether like a device log. */
static enum ts_status look_at(struct ts_context *context, const char *path, bool *capture, bool *log,
                              struct ts_error *error)
{
    char first[FIRST_BYTES];
    size_t got = 0;
    struct ts_reader *reader = NULL;
    enum ts_status status = ts_reader_open(context, path, &reader, error);
    if (status == TS_OK)
        status = ts_reader_read(reader, first, sizeof first, &got, error);
    ts_reader_close(reader);
    if (status == TS_OK) {
        *capture = ts_noc_capture_is((struct ts_str){first, got});
        *log = !*capture && ts_str_contains((struct ts_str){first, got}, TS_STR("PCIe slot"));
    }
    return status;
}

/* A description for a log: from a JSON file, or from a raw capture of the same run. */
static enum ts_status read_tables(struct ts_context *context, const char *path, struct ts_noc_description **out,
                                  struct ts_error *error)
{
    struct ts_buf text;
    struct ts_quote quote;
    bool raw, log;
    enum ts_status status = look_at(context, path, &raw, &log, error);
    if (status != TS_OK)
        return status;
    if (raw) {
        struct ts_noc_capture *capture = NULL;
        status = ts_noc_capture_open(context, path, &capture, error);
        if (status == TS_OK) {
            *out = capture->description;
            capture->description = NULL;
        }
        ts_noc_capture_close(capture);
        return status;
    }
    ts_buf_init(&text, TS_LIMIT_NOC_DESCRIPTION);
    status = read_whole(context, path, &text, error);
    if (status == TS_OK)
        status = ts_noc_description_parse(ts_buf_view(&text), false, out, error);
    if (status != TS_OK)
        ts_error_prefix(error, "the tables in %s", ts_error_quote(&quote, ts_str_from(path), TS_QUOTE_FILE));
    ts_buf_free(&text);
    return status;
}

/* Of another chip they would place destinations where none stands. */
static enum ts_status check_arch(const struct ts_noc_decode_options *options,
                                 const struct ts_noc_description *description, const struct ts_noc_log *log,
                                 struct ts_error *error)
{
    struct ts_quote tables, theirs, ours;
    struct ts_str arch = ts_str_from(log->arch);
    if (description->arch.len == 0 || arch.len == 0 || ts_str_equal(description->arch, arch))
        return TS_OK;
    return ts_error_set(
        error, TS_INPUT, "the tables in %s are of a %s, and the log is of a %s: name those of the same run",
        ts_error_quote(&tables, ts_str_from(options->tables), TS_QUOTE_FILE),
        ts_error_quote(&theirs, description->arch, TS_QUOTE_ARGUMENT), ts_error_quote(&ours, arch, TS_QUOTE_ARGUMENT));
}

static enum ts_status decode_log(struct ts_context *context, const struct ts_noc_decode_options *options,
                                 struct ts_noc_decode_report *report, struct ts_error *error)
{
    struct ts_noc_log *log = NULL;
    struct ts_noc_runs *runs = NULL;
    struct ts_noc_description *description = NULL;
    enum ts_status status =
        options->site_count ? no_sites(options->input, error) : ts_noc_log_open(context, options->input, &log, error);
    if (status == TS_OK && options->tables)
        status = read_tables(context, options->tables, &description, error);
    else if (status == TS_OK)
        status = ts_noc_description_create(&description, error);
    if (status == TS_OK)
        status = check_arch(options, description, log, error);
    if (status == TS_OK) {
        ts_noc_description_set_arch(description, ts_str_from(log->arch));
        if (!options->tables && log->has_runs)
            description->layout = TS_NOC_I1;
        if (options->has_wire) {
            description->wire = options->wire;
            description->has_wire = description->wire_told = true;
        }
        status = ts_noc_runs_of_log(context, log, description, per_kernel(options), &runs, error);
    }
    if (status == TS_OK)
        status = ts_noc_runs_settle_wire(runs, error);
    for (size_t i = 0; options->assume_unharvested && status == TS_OK && i < runs->runs.count; i++)
        status = ts_noc_description_assume(description, runs->runs.items[i].device, error);
    if (status == TS_OK)
        status = decode_runs(context, options, runs, report, error);
    if (status == TS_OK)
        status = ts_noc_log_unchanged(log, error);
    ts_noc_runs_destroy(runs);
    ts_noc_description_destroy(description);
    ts_noc_log_close(log);
    return status;
}

enum ts_status ts_noc_decode(struct ts_context *context, const struct ts_noc_decode_options *options,
                             struct ts_noc_decode_report *report, struct ts_error *error)
{
    bool raw, log;
    *report = (struct ts_noc_decode_report){0};
    ts_buf_init(&report->lanes, 0);
    enum ts_status status = look_at(context, options->input, &raw, &log, error);
    if (status != TS_OK)
        return status;
    /* Anything that is no log is told what a capture would be. */
    return log ? decode_log(context, options, report, error) : decode_capture(context, options, report, error);
}

void ts_noc_decode_report_free(struct ts_noc_decode_report *report)
{
    ts_buf_free(&report->lanes);
}

/* ---- what to tell ---- */

static void tell(struct ts_buf *out, uint64_t count, const char *one, const char *many)
{
    if (count)
        ts_buf_printf(out, "%" PRIu64 " %s\n", count, count == 1 ? one : many);
}

static const char *const losses[TS_NOC_LOSS_COUNT] = {
    [TS_NOC_LOSS_BAD_CODE] = "with an event code that its generation does not know",
    [TS_NOC_LOSS_ORPHAN_ROUTE] = "of routing fields without a fabric send",
    [TS_NOC_LOSS_MISSING_CHUNKS] = "of a fabric scatter without all its chunks",
    [TS_NOC_LOSS_MISSING_PARTS] = "of a fabric send without its routing fields or local write",
    [TS_NOC_LOSS_INVALID_CORE] = "of a fabric send whose local write goes to neither an Ethernet core nor a mux",
    [TS_NOC_LOSS_MISSING_MUX] = "of a fabric send whose mux wrote nothing more",
    [TS_NOC_LOSS_TOO_FAR] = "of a fabric send more than 1000 cycles before its local write",
    [TS_NOC_LOSS_DYNAMIC_MESH] = "of a fabric send with a dynamic mesh header",
    [TS_NOC_LOSS_NO_CHANNEL] = "of a fabric send to a core without a known Ethernet channel",
    [TS_NOC_LOSS_MULTICAST] = "of a multicast inside a fabric packet",
    [TS_NOC_LOSS_SAME_TIME] = "at the very time of another on the same processor, of which tt-metal keeps the first",
};

static void describe_input(const struct ts_noc_counts *c, struct ts_buf *out)
{
    tell(out, c->stopped_lanes, "lane holds packets of another profiler backend; the rest of it is skipped",
         "lanes hold packets of another profiler backend; the rest of them is skipped");
    tell(out, c->cut_lanes, "lane ends within a packet", "lanes end within a packet");
    tell(out, c->headless_words, "word stands before the first image of its lane and is skipped",
         "words stand before the first image of their lane and are skipped");
    tell(out, c->unmarked_words, "word stands where a marker should and is skipped",
         "words stand where markers should and are skipped");
    tell(out, c->mismatches, "lane has an image that names another RISC or core",
         "lanes have images that name another RISC or core");
    tell(out, c->unknown_sections, "section is of an unknown kind and is skipped",
         "sections are of an unknown kind and are skipped");
    tell(out, c->stale,
         "marker is older than the start of its image: the buffer was written over, or the clock read as it wrapped",
         "markers are older than the start of their image: the buffer was written over, or the clock read as it "
         "wrapped");
    tell(out, c->bad_rows, "row cannot be read and is skipped", "rows cannot be read and are skipped");
    ts_noc_near_raw_describe(&c->near, out);
    tell(out, c->lost, "event was lost while recording: a buffer was full",
         "events were lost while recording: buffers were full");
}

void ts_noc_decode_describe(const struct ts_noc_decode_report *report, struct ts_buf *out)
{
    enum { SHOWN = 20 };
    const struct ts_noc_counts *c = &report->counts;
    struct ts_str lanes = ts_buf_view(&report->lanes), lane;
    bool done = false;
    describe_input(c, out);
    for (uint64_t i = 0; i < report->lane_count && i < SHOWN && ts_str_split(&lanes, '\n', &lane, &done); i++)
        ts_buf_printf(out, "buffers were full, markers are missing: %.*s\n", TS_STR_ARG(lane));
    if (report->lane_count > SHOWN)
        ts_buf_printf(out, "and %" PRIu64 " lanes more\n", report->lane_count - SHOWN);
    for (unsigned i = 0; i < TS_NOC_LOSS_COUNT; i++)
        if (report->losses[i])
            ts_buf_printf(out, "%" PRIu64 " left out: %s %s\n", report->losses[i],
                          report->losses[i] == 1 ? "an event" : "events", losses[i]);
    tell(out, report->unplaced,
         "destination could not be placed: no table says where it stands (--tables, or --assume-unharvested)",
         "destinations could not be placed: no table says where they stand (--tables, or --assume-unharvested)");
    tell(out, report->repaired_open, "zone end was made up", "zone ends were made up");
    tell(out, report->repaired_orphans, "zone end without a start was left out",
         "zone ends without a start were left out");
    if (c->events || c->near.records)
        return;
    if (report->records && (c->lost || c->lost_unknown))
        ts_buf_text(out, "there are no NoC events, only zones: all that were recorded were lost\n");
    else if (report->records)
        ts_buf_text(out,
                    "there are no NoC events, only zones: was TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1 set, the build "
                    "one with Tracy, and did the kernels make a NoC call?\n");
    else if (c->zones)
        ts_buf_text(out, "there is nothing to write: the input holds firmware zones only\n");
    else
        ts_buf_text(out, "there is nothing to write: the input holds neither zones nor NoC events\n");
}
