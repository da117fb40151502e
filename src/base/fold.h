/* Text without regard to case. */
#ifndef TS_BASE_FOLD_H
#define TS_BASE_FOLD_H

#include <stdint.h>

#include "base/buf.h"

/* The lower-case form of a character of ASCII, Latin, Greek or Cyrillic; others come back as they are. */
uint32_t ts_fold_char(uint32_t code);
/* Append s in lower case; bytes that are no UTF-8 stay as they are. */
void ts_fold_text(struct ts_buf *out, struct ts_str s);
/* The same for ASCII letters alone, fast. */
void ts_fold_ascii(struct ts_buf *out, struct ts_str s);

#endif
