/* NoC trace files as JSON, in every dialect: one record after the other, whatever the size of the file. */
#ifndef TS_FORMATS_NOC_JSON_H
#define TS_FORMATS_NOC_JSON_H

#include "base/file.h"
#include "base/json.h"

struct ts_noc_json;
/* Errors: those of ts_reader_open. */
enum ts_status ts_noc_json_open(struct ts_context *context, const char *path, struct ts_noc_json **out,
                                struct ts_error *error);
void ts_noc_json_close(struct ts_noc_json *json);
/* The next record, parsed; numbers are as they stand (raw). *out is the caller's, NULL at the array's end. Errors: TS_INPUT with
 * the place (no array, a record that is no object, damaged or cut off, something behind the array), TS_LIMIT (a record too
 * long), TS_NO_MEMORY, TS_IO, TS_CANCELLED. */
enum ts_status ts_noc_json_next(struct ts_noc_json *json, yyjson_doc **out, struct ts_error *error);

#endif
