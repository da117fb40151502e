/* Asking: arguments already checked, the answer with what all answers share. */
#ifndef TS_QUESTIONS_ASK_H
#define TS_QUESTIONS_ASK_H

#include "questions/question.h"

struct ts_ask_options {
    bool with_handle;      /* put the capture's label first as "handle" */
    const char *link_base; /* of the web application, without trailing slash; NULL: no links */
    const char *sandbox;   /* what holds the process that answers, for load_report; NULL: it has none */
};

/* Ask, and release what the captures held for the call. Adds "handle" first (not to a comparison), "capture_changed" when a part used
 * was read from a file that has changed since, "app_link"/"app_link_template" last. Over the size guard the answer
 * is TS_LIMIT. Errors: those of the question. */
enum ts_status ts_ask(struct ts_context *context, const struct ts_question *question, const struct ts_args *args,
                      struct ts_capture *first, struct ts_capture *second, const struct ts_ask_options *options,
                      struct ts_answer **out, struct ts_error *error);

#endif
