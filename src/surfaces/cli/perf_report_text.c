#include "surfaces/cli/perf_report_text.h"

#include "base/utf8.h"
#include "surfaces/cli/perf_report_text_parts.h"

/* What is reported, and what it is measured against. */
static void put_heading(const struct ts_perf_text *text)
{
    const struct ts_perf_source *source = text->selection->source;
    struct ts_buf line;
    ts_buf_init(&line, 0);
    ts_buf_text(&line, "Performance report: ");
    ts_utf8_escape(&line, ts_str_from(text->options->title));
    if (text->options->color)
        ts_buf_text(text->out, "\033[1m");
    ts_perf_text_wrapped(text, ts_buf_view(&line), 0, 0);
    if (text->options->color)
        ts_buf_text(text->out, "\033[0m");
    ts_buf_printf(text->out, "%s, %u cores, DRAM at ", source->arch->name, source->fallback_cores);
    ts_perf_text_number(text->out, source->arch->dram_gb_per_s, 0, " GB/s");
    ts_buf_printf(text->out, ", %u device%s%s\n", source->device_count, source->device_count == 1 ? "" : "s",
                  source->device_count < 2    ? ""
                  : text->options->per_device ? ", each with rows of its own"
                                              : " merged into one row an operation");
    ts_perf_text_done(text, &line);
}

static void put_notes(const struct ts_perf_text *text)
{
    struct ts_buf notes;
    ts_buf_init(&notes, 0);
    ts_perf_selection_notices(text->selection, &notes);
    struct ts_str rest = ts_buf_view(&notes), line;
    bool done = false;
    while (ts_str_split(&rest, '\n', &line, &done)) {
        if (line.len == 0)
            continue;
        ts_perf_text_colored(text, TS_COLOR_YELLOW, TS_STR("Note:"));
        ts_buf_char(text->out, ' ');
        ts_perf_text_wrapped(text, line, 6, 6);
    }
    ts_perf_text_done(text, &notes);
    ts_buf_char(text->out, '\n');
}

enum ts_status ts_perf_text_write(struct ts_context *context, const struct ts_perf_selection *selection,
                                  const struct ts_op_folding *folding, struct ts_stacked *stacked,
                                  const struct ts_perf_text_options *options, struct ts_buf *out,
                                  struct ts_error *error)
{
    const struct ts_perf_text text = {context, selection, folding, stacked, options, out};
    put_heading(&text);
    put_notes(&text);
    enum ts_status status = ts_perf_text_rows(&text, error);
    if (status == TS_OK && !options->no_advice)
        status = ts_perf_text_advice(&text, error);
    if (status == TS_OK)
        status = ts_perf_text_groups(&text, error);
    return status == TS_OK ? ts_buf_status(out, error) : status;
}
