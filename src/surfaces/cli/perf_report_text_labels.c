#include "surfaces/cli/perf_report_text_labels.h"

#include <stdlib.h>

#include "base/utf8.h"

enum { FIDELITY_MAX = 40 };

bool ts_perf_labels_init(struct ts_perf_labels *labels, const struct ts_perf_report *report)
{
    size_t count = (size_t)report->source->names.count + 1;
    *labels = (struct ts_perf_labels){.report = report};
    ts_arena_init(&labels->arena, 0);
    ts_buf_init(&labels->scratch, 0);
    for (int compact = 0; compact < 2; compact++)
        for (int i = 0; i < TS_PERF_LABEL_SLOTS; i++)
            ts_buf_init(&labels->fidelities[compact][i].text, 0);
    labels->names = calloc(count, sizeof *labels->names);
    labels->fitted = calloc(count, sizeof *labels->fitted);
    return labels->names && labels->fitted;
}

void ts_perf_labels_free(struct ts_perf_labels *labels)
{
    for (int compact = 0; compact < 2; compact++)
        for (int i = 0; i < TS_PERF_LABEL_SLOTS; i++)
            ts_buf_free(&labels->fidelities[compact][i].text);
    ts_arena_free(&labels->arena);
    ts_buf_free(&labels->scratch);
    free(labels->names);
    free(labels->fitted);
}

/* Empty scratch for the next text; what failed stays known. */
static void fresh(struct ts_perf_labels *labels)
{
    labels->failed = labels->failed || labels->scratch.failed;
    ts_buf_clear(&labels->scratch);
}

/* Keep what is in scratch. */
static struct ts_perf_label keep(struct ts_perf_labels *labels, unsigned width)
{
    struct ts_perf_label label = {ts_arena_copy(&labels->arena, ts_buf_view(&labels->scratch)), width};
    labels->failed = labels->failed || labels->scratch.failed || !label.text.ptr;
    return label;
}

struct ts_perf_label ts_perf_label_name(struct ts_perf_labels *labels, uint32_t row)
{
    uint32_t id = ts_perf_row_facts(labels->report, row)->name;
    struct ts_perf_label *label = &labels->names[id];
    if (!label->text.ptr) {
        fresh(labels);
        ts_utf8_escape(&labels->scratch, ts_intern_text(&labels->report->source->names, id));
        *label = keep(labels, ts_perf_text_width(ts_buf_view(&labels->scratch)));
    }
    return *label;
}

/* Where the ending that most names have begins in text, and where it ends; false when it has none. */
static bool find_suffix(struct ts_str text, size_t *at, size_t *end)
{
    static const char suffix[] = "DeviceOperation";
    *at = ts_str_find(text, TS_STR(suffix), 0);
    *end = *at + sizeof suffix - 1;
    return *at != (size_t)-1 && *at > 0 && (*end == text.len || text.ptr[*end] == ' ');
}

unsigned ts_perf_label_fit(struct ts_buf *out, struct ts_str text, unsigned room)
{
    size_t at, end;
    if (ts_perf_text_width(text) <= room || !find_suffix(text, &at, &end))
        return ts_perf_text_shorten(out, text, room);
    struct ts_buf shorter;
    ts_buf_init(&shorter, 0);
    ts_buf_str(&shorter, ts_str_sub(text, 0, at));
    ts_buf_str(&shorter, ts_str_sub(text, end, text.len));
    unsigned width = ts_perf_text_shorten(out, ts_buf_view(&shorter), room);
    out->failed = out->failed || shorter.failed;
    ts_buf_free(&shorter);
    return width;
}

struct ts_perf_label ts_perf_label_fitted_name(struct ts_perf_labels *labels, uint32_t row, unsigned room)
{
    struct ts_perf_label name = ts_perf_label_name(labels, row);
    if (name.width <= room)
        return name;
    struct ts_perf_label *label = &labels->fitted[ts_perf_row_facts(labels->report, row)->name];
    if (!label->text.ptr) {
        fresh(labels);
        unsigned width = ts_perf_label_fit(&labels->scratch, name.text, room);
        *label = keep(labels, width);
    }
    return *label;
}

static void make_fidelity(struct ts_perf_labels *labels, uint32_t row, bool compact, struct ts_perf_label_slot *slot)
{
    const struct ts_perf_report *report = labels->report;
    struct ts_buf safe;
    ts_buf_init(&safe, 0);
    fresh(labels);
    if (!compact) {
        ts_perf_row_math_fidelity(report, row, &labels->scratch);
    } else if (ts_perf_row_facts(report, row)->analysis != TS_ANALYSIS_NONE) {
        struct ts_str cell = ts_ops_text(report->source->ops, TS_OPS_MATH_FIDELITY, report->rows[row].source);
        ts_buf_str(&labels->scratch, ts_ops_cell_empty(cell) ? (struct ts_str){"", 0} : cell);
    }
    ts_utf8_escape(&safe, ts_buf_view(&labels->scratch));
    ts_buf_clear(&slot->text);
    slot->width = ts_perf_text_shorten(&slot->text, ts_buf_view(&safe), FIDELITY_MAX);
    labels->failed = labels->failed || safe.failed || labels->scratch.failed || slot->text.failed;
    ts_buf_free(&safe);
}

struct ts_perf_label ts_perf_label_fidelity(struct ts_perf_labels *labels, uint32_t row, bool compact)
{
    static const enum ts_ops_column columns[] = {TS_OPS_MATH_FIDELITY, TS_OPS_INPUT_0_DATATYPE, TS_OPS_INPUT_1_DATATYPE,
                                                 TS_OPS_OUTPUT_0_DATATYPE};
    const struct ts_ops_csv *ops = labels->report->source->ops;
    uint32_t source = labels->report->rows[row].source;
    uint32_t key[5] = {ts_perf_row_facts(labels->report, row)->analysis != TS_ANALYSIS_NONE}, hash = key[0];
    for (unsigned i = 0; i < 4; i++) {
        key[i + 1] = ops->texts[columns[i]] ? ops->texts[columns[i]][source] : 0;
        hash = hash * 31 + key[i + 1];
    }
    struct ts_perf_label_slot *slot = &labels->fidelities[compact][hash % TS_PERF_LABEL_SLOTS];
    if (!slot->used || memcmp(slot->key, key, sizeof key) != 0) {
        make_fidelity(labels, row, compact, slot);
        memcpy(slot->key, key, sizeof key);
        slot->used = true;
    }
    return (struct ts_perf_label){ts_buf_view(&slot->text), slot->width};
}
