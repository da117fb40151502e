/* What is made from a question's declaration: JSON schemas, the reference page, and the check of an answer. */
#ifndef TS_QUESTIONS_SCHEMA_H
#define TS_QUESTIONS_SCHEMA_H

#include "base/json.h"
#include "questions/question.h"

/* What ts_ask adds to the answers of all questions: declared once, not by each. Ends with a NULL key. */
extern const struct ts_field ts_schema_shared[];
/* Whether answers to the question can have the shared field. */
bool ts_schema_shares(const struct ts_question *question, const struct ts_field *shared);
/* JSON Schema 2020-12 of the plainest kind: type, properties, required, additionalProperties false. */
void ts_schema_input(const struct ts_question *question, struct ts_json_out *out);
/* Keys and types of the answer, nothing required but what is always there, additionalProperties true. */
void ts_schema_output(const struct ts_question *question, struct ts_json_out *out);
/* Hold an answer against the declaration. Errors: TS_INTERNAL naming the key that is undeclared, missing, of another
 * type, or null without leave. */
enum ts_status ts_schema_check(const struct ts_question *question, const struct ts_args *args, yyjson_val *answer,
                               struct ts_error *error);
/* The reference page in Markdown. example: what docs/examples has for the question, or empty. */
void ts_schema_page(const struct ts_question *question, struct ts_str example, struct ts_buf *out);
/* Key of a field under these arguments: "{by}_total" to "device_time_total". Into buffer; returns it. */
const char *ts_schema_key(const struct ts_field *field, const struct ts_args *args, char *buffer, size_t size);

#endif
