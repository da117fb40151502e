/* What perf-report is asked for on its command line. */
#ifndef TS_SURFACES_CLI_PERF_REPORT_OPTIONS_H
#define TS_SURFACES_CLI_PERF_REPORT_OPTIONS_H

#include "surfaces/cli/environment.h"
#include "surfaces/cli/options.h"
#include "transforms/perf_csv.h"

struct ts_perf_report_request {
    struct ts_perf_csv_options report; /* csv NULL: shown as a table */
    const char **files;                /* room for every word of the command line; report.files is this */
    double min_percentage;             /* rows with a smaller share of the time are greyed */
    enum ts_color_choice color;
    bool json;           /* on standard output instead of the table */
    bool devices;        /* the times behind merged rows */
    bool fold_layers;    /* what repeats shown once */
    bool classic_colors; /* a plain palette in the plot */
    unsigned top;        /* only the rows with the largest shares; 0: all */
    unsigned threads;    /* 0: not given */
    bool help;
};

/* request.files is there already; request gets the defaults and what the words say. Errors: TS_USAGE. */
enum ts_status ts_perf_report_options_read(struct ts_perf_report_request *request, int argc, char **argv,
                                           struct ts_error *error);
/* The options there are, for --help. */
extern const struct ts_option ts_perf_report_option_table[];

#endif
