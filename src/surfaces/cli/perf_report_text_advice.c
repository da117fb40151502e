/* What to change: host operations, gaps, and each matmul's settings, with the figures behind it. */
#include "base/number.h"
#include "base/utf8.h"
#include "models/advice_groups.h"
#include "surfaces/cli/perf_report_text_parts.h"

enum { FIGURES_INDENT = 9, NAME_SHOWN = 64, IDS_SHOWN = 12 };
#define MICROSECONDS " \xce\xbcs"

/* One paragraph on the way: put together, then wrapped. */
struct section {
    const struct ts_perf_text *text;
    struct ts_buf line;
};

static void add_number(struct section *section, double value, int places, const char *unit)
{
    ts_perf_text_number(&section->line, value, places, unit);
}

/* "48.3 %", or "11.4 to 12.7 %" where both ends differ as shown. */
static void add_range(struct section *section, struct ts_range range, int places, const char *unit)
{
    char low[TS_NUMBER_TEXT_MAX], high[TS_NUMBER_TEXT_MAX];
    size_t low_len = ts_number_grouped(range.low, places, low), high_len = ts_number_grouped(range.high, places, high);
    if (low_len != high_len || memcmp(low, high, low_len) != 0) {
        ts_buf_add(&section->line, low, low_len);
        ts_buf_text(&section->line, " to ");
    }
    ts_buf_add(&section->line, high, high_len);
    ts_buf_text(&section->line, unit);
}

static void put_paragraph(struct section *section, unsigned indent, unsigned hang)
{
    for (unsigned i = 0; i < indent; i++)
        ts_buf_char(section->text->out, ' ');
    ts_perf_text_wrapped(section->text, ts_buf_view(&section->line), indent, indent + hang);
    ts_perf_text_reuse(section->text, &section->line);
}

static void put_heading(const struct section *section, const char *heading)
{
    ts_buf_char(section->text->out, '\n');
    ts_perf_text_colored(section->text, TS_COLOR_BOLD, ts_str_from(heading));
    ts_buf_char(section->text->out, '\n');
    for (size_t i = strlen(heading); i > 0; i--)
        ts_buf_char(section->text->out, '-');
    ts_buf_char(section->text->out, '\n');
}

/* " 12.3 %  6 x Matmul 32 x 2048 x 8192", the rest of the line being the caller's. */
static void put_title(struct section *section, const struct ts_advice_group *group)
{
    const struct ts_perf_text *text = section->text;
    const struct ts_perf_report *report = text->selection->report;
    const struct ts_op_facts *facts = ts_perf_row_facts(report, group->rows[0]);
    char share[TS_NUMBER_TEXT_MAX];
    size_t len = ts_number_fixed(group->total_percent, 1, share);
    for (; len < 5; len++)
        ts_buf_char(text->out, ' ');
    ts_buf_printf(text->out, "%s %%  ", share);
    if (group->count > 1)
        ts_buf_printf(text->out, "%u x ", group->count);
    struct ts_buf name;
    ts_buf_init(&name, 0);
    ts_utf8_escape(&name, ts_intern_text(&report->source->names, facts->name));
    ts_perf_text_reuse(section->text, &section->line);
    ts_perf_text_shorten(&section->line, ts_buf_view(&name), text->options->width ? NAME_SHOWN : UINT32_MAX);
    ts_perf_text_colored(text, ts_perf_text_op_color(ts_buf_view(&name), facts->kind == TS_ROW_HOST),
                         ts_buf_view(&section->line));
    ts_perf_text_reuse(section->text, &section->line);
    ts_perf_text_done(section->text, &name);
}

static void put_rows_of(struct section *section, const struct ts_advice_group *group)
{
    const struct ts_perf_report *report = section->text->selection->report;
    uint32_t shown = section->text->options->width && group->count > IDS_SHOWN ? IDS_SHOWN : group->count;
    ts_buf_printf(&section->line, "%s ", group->count == 1 ? "id" : "ids");
    for (uint32_t i = 0; i < shown; i++)
        ts_buf_printf(&section->line, "%s%llu", i ? ", " : "",
                      (unsigned long long)report->rows[group->rows[i]].source + 2);
    if (shown < group->count)
        ts_buf_printf(&section->line, " and %u more", group->count - shown);
    put_paragraph(section, FIGURES_INDENT, 0);
}

/* ---- host operations and gaps ---- */

static void put_host(struct section *section, const struct ts_advice_list *host)
{
    if (host->count == 0)
        return;
    put_heading(section, "Operations on the host");
    for (uint32_t i = 0; i < host->count; i++) {
        put_title(section, &host->groups[i]);
        ts_buf_char(section->text->out, '\n');
        put_rows_of(section, &host->groups[i]);
    }
    ts_buf_printf(
        &section->line,
        "- Run %s on the device: %s falls back to the host, and the device idles while data travels there and "
        "back.",
        host->rows == 1 ? "it" : "these", host->rows == 1 ? "it" : "each");
    put_paragraph(section, 0, 2);
}

static void put_gaps(struct section *section, const struct ts_advice_groups *groups)
{
    const struct ts_advice_list *gaps = &groups->gaps;
    if (gaps->count == 0)
        return;
    put_heading(section, "High op-to-op gaps");
    for (uint32_t i = 0; i < gaps->count; i++) {
        const struct ts_advice_group *group = &gaps->groups[i];
        put_title(section, group);
        ts_buf_text(section->text->out, "\n");
        ts_buf_text(&section->line, "gap before it ");
        add_number(section, group->gap_largest, 0, MICROSECONDS);
        if (group->count > 1) {
            ts_buf_text(&section->line, " at most, ");
            add_number(section, group->gap, 0, MICROSECONDS " together");
        }
        put_paragraph(section, FIGURES_INDENT, 0);
        put_rows_of(section, group);
    }
    ts_buf_text(&section->line, "- Replay the operations as a metal trace: of these gaps above 6.5" MICROSECONDS
                                ", all but 6" MICROSECONDS " each could go, ");
    add_number(section, groups->gap_saving, 0, MICROSECONDS " (");
    add_number(section, groups->gap_saving_percent, 1, " % of device time and gaps).");
    put_paragraph(section, 0, 2);
    ts_buf_text(&section->line, "- Without a trace, look for what the host does before them: a program built anew, a "
                                "read-back, runtime arguments that could be compile-time ones.");
    put_paragraph(section, 0, 2);
}

/* ---- matmuls ---- */

static const char *verdict_name(enum ts_fidelity_verdict verdict)
{
    switch (verdict) {
    case TS_FIDELITY_SUFFICIENT:
        return "sufficient";
    case TS_FIDELITY_TOO_HIGH:
        return "higher than needed";
    case TS_FIDELITY_TOO_LOW:
        return "low";
    case TS_FIDELITY_NOT_APPLICABLE:
        return "not applicable";
    default:
        return "not judged";
    }
}

static enum ts_text_color bound_color(uint8_t bound)
{
    return bound == TS_BOUND_SLOW ? TS_COLOR_YELLOW : TS_COLOR_GREEN;
}

/* The figures that the advice follows from. */
static void put_figures(struct section *section, const struct ts_advice_group *group)
{
    const struct ts_perf_report *report = section->text->selection->report;
    const struct ts_op_facts *facts = ts_perf_row_facts(report, group->rows[0]);
    struct ts_buf fidelity;
    ts_buf_init(&fidelity, 0);
    ts_perf_row_math_fidelity(report, group->rows[0], &fidelity);
    add_number(section, group->device_time, 1, MICROSECONDS);
    if (ts_present(group->dram_percent.high)) {
        ts_buf_text(&section->line, ", DRAM ");
        add_range(section, group->dram_percent, 1, " % (");
        add_range(section, group->dram_gb_per_s, 0, " GB/s)");
    }
    if (ts_present(group->flops_percent.high)) {
        ts_buf_text(&section->line, ", FLOPs ");
        add_range(section, group->flops_percent, 1, " % (");
        add_range(section, group->tflops, 1, " TFLOPs)");
    }
    if (facts->cores >= 0)
        ts_buf_printf(&section->line, ", %d of %d cores%s", facts->cores, facts->available_cores,
                      facts->dram_sharded ? ", DRAM-sharded" : "");
    ts_buf_text(&section->line, ", fidelity ");
    ts_utf8_escape(&section->line, ts_buf_view(&fidelity));
    ts_buf_printf(&section->line, ": %s", verdict_name(group->verdict));
    ts_perf_text_done(section->text, &fidelity);
    put_paragraph(section, FIGURES_INDENT, 0);
}

static void put_matmul(struct section *section, const struct ts_advice_group *group)
{
    const struct ts_perf_text *text = section->text;
    put_title(section, group);
    const char *bound = ts_bound_name((enum ts_bound)group->bound);
    if (bound) {
        ts_buf_text(text->out, "  ");
        ts_perf_text_colored(text, bound_color(group->bound), ts_str_from(bound));
    }
    ts_buf_char(text->out, '\n');
    put_figures(section, group);
    put_rows_of(section, group);
    for (unsigned i = 0; i < group->advice_count; i++) {
        struct ts_buf piece;
        ts_buf_init(&piece, 0);
        if (text->options->advice_codes)
            ts_advice_short_code(&group->advice[i], &piece);
        else
            ts_advice_sentence(&group->advice[i], &piece);
        ts_buf_text(&section->line, "- ");
        ts_utf8_escape(&section->line, ts_buf_view(&piece));
        ts_perf_text_done(section->text, &piece);
        put_paragraph(section, FIGURES_INDENT, 2);
    }
    if (group->advice_count == 0 && !bound) {
        ts_buf_text(&section->line, "- not judged: its DRAM or its FLOPs figure is missing");
        put_paragraph(section, FIGURES_INDENT, 2);
    } else if (group->advice_count == 0) {
        ts_buf_text(&section->line, "- optimized");
        put_paragraph(section, FIGURES_INDENT, 2);
    } else if (group->bound == TS_BOUND_SLOW && ts_present(group->roofline_saving)) {
        ts_buf_text(&section->line, "= at the nearer of its rooflines it would take ");
        add_number(section, group->device_time - group->roofline_saving, 1, MICROSECONDS ": ");
        add_number(section, group->roofline_saving, 1, MICROSECONDS " to win at most");
        put_paragraph(section, FIGURES_INDENT, 2);
    }
}

enum ts_status ts_perf_text_advice(const struct ts_perf_text *text, struct ts_error *error)
{
    struct ts_advice_groups *groups;
    enum ts_status status = ts_advice_groups_create(text->context, text->selection->report, &groups, error);
    if (status != TS_OK)
        return status;
    struct section section = {.text = text};
    ts_buf_init(&section.line, 0);
    if (groups->host.count || groups->gaps.count || groups->matmuls.count)
        ts_perf_text_section(text, "Advice");
    put_host(&section, &groups->host);
    put_gaps(&section, groups);
    if (groups->matmuls.count)
        put_heading(&section, "Matmuls");
    for (uint32_t i = 0; i < groups->matmuls.count; i++) {
        if (i)
            ts_buf_char(text->out, '\n');
        put_matmul(&section, &groups->matmuls.groups[i]);
    }
    ts_perf_text_done(text, &section.line);
    ts_advice_groups_destroy(groups);
    return TS_OK;
}
