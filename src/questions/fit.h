/* Making an answer fit what a client takes for one: its longest lists lose their ends, and the answer says how much. */
#ifndef TS_QUESTIONS_FIT_H
#define TS_QUESTIONS_FIT_H

#include "questions/answer.h"

/* Take elements from the end of the longest lists until the text of the answer, written by ts_answer_finish, has at most `bytes`,
 * or no list is left that matters. "returned" beside a list is kept true, and "left_out" gets how many elements are gone, by the
 * key of the list ("L1.operations" when it lies deeper). The answer has to be finished again when true comes back; false: nothing
 * was taken. */
bool ts_fit_answer(struct ts_answer *answer, size_t bytes);

#endif
