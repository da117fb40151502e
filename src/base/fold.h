/* Text without regard to case. */
#ifndef TS_BASE_FOLD_H
#define TS_BASE_FOLD_H

#include <stdint.h>

#include "base/buf.h"
#include "base/context.h"

/* The lower-case form of a character of ASCII, Latin, Greek or Cyrillic; others come back as they are. */
uint32_t ts_fold_char(uint32_t code);
/* Append s in lower case; bytes that are no UTF-8 stay as they are. */
void ts_fold_text(struct ts_buf *out, struct ts_str s);
/* The same for ASCII letters alone, fast. */
void ts_fold_ascii(struct ts_buf *out, struct ts_str s);
/* Whether text, folded by fold (one of the above), holds wanted, which is folded already; an empty one is in every text. A
 * piece at a time, so that of a text of any length little is in memory at once (in work, whose content is lost) and a call
 * can be stopped. Errors: TS_CANCELLED, TS_LIMIT, TS_NO_MEMORY. */
enum ts_status ts_fold_contains(struct ts_context *context, struct ts_str text, struct ts_str wanted,
                                void (*fold)(struct ts_buf *out, struct ts_str s), struct ts_buf *work, bool *found,
                                struct ts_error *error);

#endif
