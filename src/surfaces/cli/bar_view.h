/* Rows whose columns are parts of a whole, drawn as bars below the table. */
#ifndef TS_SURFACES_CLI_BAR_VIEW_H
#define TS_SURFACES_CLI_BAR_VIEW_H

#include "surfaces/cli/value_view.h"

/* A bar for each row and what its parts mean, when a field of the row declares bar_of; fields are the answer's. Where the whole
 * is not known bars are to the scale of the fullest row. */
void ts_bar_view_add(const struct ts_value_view *view, const struct ts_field *fields, const struct ts_field *children,
                     yyjson_mut_val *answer, yyjson_mut_val *rows);

#endif
