/* What sort of work an operation does, by its name. */
#ifndef TS_MODELS_OP_CATEGORY_H
#define TS_MODELS_OP_CATEGORY_H

#include "base/str.h"

enum ts_op_category { /* in chart order; NONE is a signpost's */
                      TS_CATEGORY_COMPUTE,
                      TS_CATEGORY_CCL,
                      TS_CATEGORY_TM,
                      TS_CATEGORY_DM,
                      TS_CATEGORY_HOST,
                      TS_CATEGORY_OTHER,
                      TS_CATEGORY_NONE,
};
/* By the displayed op code: "(torch)" anywhere is HOST, else the first word looked up, with and without its suffix
 * DeviceOperation. *known is false when the name is in no list (then OTHER). */
enum ts_op_category ts_op_category(struct ts_str op_code, bool *known);
/* "Compute", "CCL", "TM", "DM", "Host", "Other"; NULL for NONE. */
const char *ts_op_category_name(enum ts_op_category category);

#endif
