/* Column names of simulator dumps as keys: in lower case, a blank as an underscore. */
#ifndef TS_FORMATS_SIM_DUMP_CASE_H
#define TS_FORMATS_SIM_DUMP_CASE_H

#include "formats/sim_dump_json.h"

/* Append the inside of the quoted name, folded, as it is written in JSON: "Vector Utilization Percentage" becomes
 * vector_utilization_percentage. Lower case is Unicode's, character by character. */
void ts_sim_case_fold(struct ts_sim_out *out, struct ts_str quoted);

#endif
