/* Filling a struct ts_error. Every function of the library that can fail takes one last; NULL is allowed. */
#ifndef TS_BASE_ERROR_H
#define TS_BASE_ERROR_H

#include <tilesight/tilesight.h>

#include "base/str.h"

/* Set code and message, and return code. Text from files goes in through ts_error_quote. */
__attribute__((format(printf, 3, 4))) enum ts_status ts_error_set(struct ts_error *error, enum ts_status code,
                                                                  const char *format, ...);
/* Put context in front of the message of an error already set: "context: message". Returns its code; without an error
 * there is none to return, so that a caller for whom NULL is allowed keeps the status (TS_INTERNAL comes back then). */
__attribute__((format(printf, 2, 3))) enum ts_status ts_error_prefix(struct ts_error *error, const char *format, ...);
/* TS_NO_MEMORY with a fixed message. */
enum ts_status ts_error_no_memory(struct ts_error *error);
/* TS_IO (TS_NO_MEMORY for ENOMEM) for a failed system call: "PATH: cannot VERB: reason" from errno value number. path is
 * quoted here. */
enum ts_status ts_error_system(struct ts_error *error, const char *path, const char *verb, int number);

/* Text of a caller or a file made fit for a message: control, bidirectional and zero-width characters and invalid
 * UTF-8 escaped, at most max code points, "..." when cut. Returned in a buffer of the caller's. */
enum { TS_QUOTE_ARGUMENT = 64, TS_QUOTE_FILE = 200 };
struct ts_quote {
    char text[1024];
};
const char *ts_error_quote(struct ts_quote *buffer, struct ts_str text, size_t max);

#endif
