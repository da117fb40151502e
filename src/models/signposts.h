/* Named marks in a report, and the window between two of them. */
#ifndef TS_MODELS_SIGNPOSTS_H
#define TS_MODELS_SIGNPOSTS_H

#include "base/context.h"
#include "base/map.h"
#include "formats/ops_csv.h"

struct ts_signpost {
    struct ts_str name;     /* borrowed from the table */
    uint32_t first, second; /* rows of its first and second occurrence by host start time; UINT32_MAX: none */
    uint32_t occurrences;
};
struct ts_signposts {
    struct ts_signpost *items; /* one per name, by file position of `first` */
    uint32_t count;
    struct ts_map by_name; /* name to index */
};
/* order: rows by HOST START TS, NULL for file order. Errors: TS_NO_MEMORY. */
enum ts_status ts_signposts_find(const struct ts_ops_csv *ops, const uint32_t *order, struct ts_arena *arena,
                                 struct ts_signposts *out, struct ts_error *error);
void ts_signposts_free(struct ts_signposts *signposts);

/* A window asked for. Empty names are no bound. */
struct ts_signpost_range {
    struct ts_str start, end;
};
static inline bool ts_signpost_range_given(const struct ts_signpost_range *range)
{
    return range->start.len > 0 || range->end.len > 0;
}
/* Rows first <= row < end of the window; ignored: the report has no signposts and is read whole. */
struct ts_row_window {
    uint32_t first, end;
    bool ignored;
};
/* Errors: TS_REFUSED (unknown name: lists up to 20 names that exist and how many more; one name for both that occurs once;
 * end before start: both row ids and the order used). label names the capture in the message. */
enum ts_status ts_signposts_window(const struct ts_signposts *signposts, const struct ts_signpost_range *range,
                                   uint32_t rows, const char *label, struct ts_row_window *out, struct ts_error *error);

#endif
