/* What of a table's rows takes more than a cell: a paragraph each, below the table. */
#ifndef TS_SURFACES_CLI_DETAIL_VIEW_H
#define TS_SURFACES_CLI_DETAIL_VIEW_H

#include "surfaces/cli/value_view.h"

/* The fields declared with detail, row by row; children are the row's fields. Nothing when no row has any. */
void ts_detail_view_add(const struct ts_value_view *view, const struct ts_field *children, yyjson_mut_val *rows);

/* A field declared with detail that is of no row: its heading, then its paragraph. */
void ts_detail_view_field(const struct ts_value_view *view, const struct ts_field *field, yyjson_mut_val *value);

#endif
