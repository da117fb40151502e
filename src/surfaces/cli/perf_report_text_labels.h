/* Texts of the table of operations, made once for rows that share them. */
#ifndef TS_SURFACES_CLI_PERF_REPORT_TEXT_LABELS_H
#define TS_SURFACES_CLI_PERF_REPORT_TEXT_LABELS_H

#include "surfaces/cli/perf_report_text_parts.h"

enum { TS_PERF_LABEL_SLOTS = 64 };

struct ts_perf_label {
    struct ts_str text; /* safe for a terminal; ptr NULL: not made yet, or memory is out */
    unsigned width;     /* columns */
};
/* Texts of one combination of fidelity and datatypes, found again by it. */
struct ts_perf_label_slot {
    uint32_t key[5];
    struct ts_buf text;
    unsigned width;
    bool used;
};
struct ts_perf_labels {
    const struct ts_perf_report *report;
    struct ts_arena arena;
    struct ts_perf_label *names;  /* by id of the displayed name */
    struct ts_perf_label *fitted; /* the same cut to `room` */
    unsigned room;
    struct ts_perf_label_slot fidelities[2][TS_PERF_LABEL_SLOTS]; /* full, compact */
    struct ts_buf scratch;
    bool failed; /* memory is out: some texts are empty */
};

/* False when memory is out; to be freed in any case. */
bool ts_perf_labels_init(struct ts_perf_labels *labels, const struct ts_perf_report *report);
void ts_perf_labels_free(struct ts_perf_labels *labels);
/* What a row of the report is called. */
struct ts_perf_label ts_perf_label_name(struct ts_perf_labels *labels, uint32_t row);
/* The same in at most room columns; the same room for all calls. */
struct ts_perf_label ts_perf_label_fitted_name(struct ts_perf_labels *labels, uint32_t row, unsigned room);
/* Append to out what of text fits in room columns, without the ending that most names have where it does not fit. */
unsigned ts_perf_label_fit(struct ts_buf *out, struct ts_str text, unsigned room);
/* Fidelity and datatypes; compact: the fidelity of what has one. Valid until the next call. */
struct ts_perf_label ts_perf_label_fidelity(struct ts_perf_labels *labels, uint32_t row, bool compact);

#endif
