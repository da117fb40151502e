/* Which column of an operations CSV stands where in the file. */
#ifndef TS_FORMATS_OPS_CSV_HEADER_H
#define TS_FORMATS_OPS_CSV_HEADER_H

#include "formats/csv.h"
#include "formats/ops_csv.h"

enum ts_ops_column_kind { TS_OPS_TEXT, TS_OPS_NUMBER, TS_OPS_DIMENSION };
enum ts_ops_column_kind ts_ops_column_kind(enum ts_ops_column column);

#define TS_OPS_NOWHERE UINT32_MAX

struct ts_ops_header {
    uint32_t at[TS_OPS_COLUMN_COUNT]; /* cell of a row, or TS_OPS_NOWHERE */
    uint32_t attributes;              /* the same for ATTRIBUTES */
    uint32_t cells;                   /* of the header */
    enum ts_ops_generation generation;
    bool blank; /* no cell holds anything but white space */
};

/* Names are compared exactly. Of two cells with one name the first counts. */
void ts_ops_header_read(const struct ts_csv_row *row, struct ts_ops_header *out);

#endif
