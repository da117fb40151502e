#include "formats/ops_csv_header.h"

#define DIMENSION_SUFFIX "_PAD[LOGICAL]"

struct column {
    const char *header;
    enum ts_ops_column_kind kind;
};

static const struct column columns[TS_OPS_COLUMN_COUNT] = {
#define COLUMN(name, header, kind) [TS_OPS_##name] = {header, TS_OPS_##kind},
    TS_OPS_COLUMNS(COLUMN)
#undef COLUMN
};

const char *ts_ops_column_header(enum ts_ops_column column)
{
    return columns[column].header;
}

enum ts_ops_column_kind ts_ops_column_kind(enum ts_ops_column column)
{
    return columns[column].kind;
}

/* The column that a header cell names, or TS_OPS_COLUMN_COUNT. */
static unsigned find_column(struct ts_str cell, bool suffixed)
{
    struct ts_str suffix = TS_STR(DIMENSION_SUFFIX);
    bool dimension = suffixed && ts_str_ends_with(cell, suffix);
    if (dimension)
        cell.len -= suffix.len;
    for (unsigned i = 0; i < TS_OPS_COLUMN_COUNT; i++) {
        bool fits = columns[i].kind == TS_OPS_DIMENSION ? dimension == suffixed : !dimension;
        if (fits && ts_str_is(cell, columns[i].header))
            return i;
    }
    return TS_OPS_COLUMN_COUNT;
}

void ts_ops_header_read(const struct ts_csv_row *row, struct ts_ops_header *out)
{
    bool suffixed = false;
    *out = (struct ts_ops_header){.attributes = TS_OPS_NOWHERE, .cells = (uint32_t)row->count, .blank = true};
    for (unsigned i = 0; i < TS_OPS_COLUMN_COUNT; i++)
        out->at[i] = TS_OPS_NOWHERE;
    for (size_t i = 0; i < row->count; i++) {
        suffixed |= ts_str_contains(row->cells[i], TS_STR(DIMENSION_SUFFIX));
        out->blank &= ts_str_trim(row->cells[i]).len == 0;
    }
    for (uint32_t i = 0; i < out->cells; i++) {
        unsigned column = find_column(row->cells[i], suffixed);
        if (column < TS_OPS_COLUMN_COUNT) {
            if (out->at[column] == TS_OPS_NOWHERE)
                out->at[column] = i;
        } else if (out->attributes == TS_OPS_NOWHERE && ts_str_is(row->cells[i], "ATTRIBUTES")) {
            out->attributes = i;
        }
    }
    if (out->at[TS_OPS_DEVICE_ARCH] != TS_OPS_NOWHERE || out->at[TS_OPS_AVAILABLE_WORKER_CORE_COUNT] != TS_OPS_NOWHERE)
        out->generation = TS_OPS_GENERATION_2_1;
    else
        out->generation = suffixed ? TS_OPS_GENERATION_2 : TS_OPS_GENERATION_1;
}
