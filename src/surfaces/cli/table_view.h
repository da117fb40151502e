/* An answer shown to a person, laid out as its question declares its fields. */
#ifndef TS_SURFACES_CLI_TABLE_VIEW_H
#define TS_SURFACES_CLI_TABLE_VIEW_H

#include "surfaces/cli/value_view.h"

/* Figures above, the rows as a table, sentences below. Texts are escaped for a terminal. Errors: TS_NO_MEMORY, TS_INTERNAL. */
enum ts_status ts_table_view(const struct ts_question *question, const struct ts_args *args, yyjson_mut_val *answer,
                             const struct ts_table_look *look, struct ts_buf *out, struct ts_error *error);

#endif
