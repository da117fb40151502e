/* All questions, in the order they are listed. */
#ifndef TS_QUESTIONS_TABLE_H
#define TS_QUESTIONS_TABLE_H

#include "questions/question.h"

/* NULL-terminated. */
extern const struct ts_question *const ts_questions[];
/* By name ("top_ops"); also with '-' for '_'. NULL when there is none. */
const struct ts_question *ts_question_find(struct ts_str name);
/* Whether a capture can answer it; else why not, in prose, into why (may be NULL). */
bool ts_question_answerable(struct ts_context *context, const struct ts_question *question, struct ts_capture *capture,
                            struct ts_buf *why);

#endif
