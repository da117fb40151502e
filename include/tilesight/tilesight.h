/* tilesight: questions about captures of tile-based AI accelerators.
 *
 * The public interface of libtilesight. Ownership: what comes out through a pointer to a pointer is the
 * caller's and is given back with the matching destroy function, which accepts NULL; what is returned as a
 * pointer to const is borrowed, and its comment says until when. Functions that can fail return TS_OK or a
 * status, leave their outputs untouched on failure and describe the failure in *error. The library never
 * prints, exits, or changes signal handlers, and has no mutable global state. One session is used by one
 * thread at a time; only ts_session_cancel may be called from another thread or from a signal handler. */
#ifndef TILESIGHT_TILESIGHT_H
#define TILESIGHT_TILESIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TS_API __attribute__((visibility("default")))
#else
#define TS_API
#endif

/* What became of a call. */
enum ts_status {
    TS_OK = 0,
    TS_USAGE,     /* the arguments are wrong, whatever the capture */
    TS_REFUSED,   /* this capture cannot answer the question */
    TS_CHANGED,   /* the capture changed since it was opened; opening it again gives a fresh one */
    TS_LIMIT,     /* a limit on size, memory or time was reached */
    TS_INPUT,     /* a file is malformed, missing, or lacks a column */
    TS_BUSY,      /* may pass next time */
    TS_IO,        /* a file cannot be read or written */
    TS_NO_MEMORY, /* an allocation failed */
    TS_INTERNAL,  /* a defect of tilesight */
    TS_CANCELLED, /* somebody asked to stop */
};

enum { TS_ERROR_MESSAGE_MAX = 4096 };

/* A failure: its class, and one message that names the file, the place in it, what was expected and what to
 * do. UTF-8, terminated, control characters escaped, cut at a character when too long. */
struct ts_error {
    enum ts_status code;
    char message[TS_ERROR_MESSAGE_MAX];
};

/* The release of the library, as "0.1.0". */
TS_API const char *ts_version(void);

struct ts_session;
struct ts_capture;
struct ts_answer;

/* Called from inside a long call, at most some times a second, on the thread that made the call. done and
 * total are in bytes read; total is 0 when unknown. */
typedef void (*ts_progress_fn)(void *data, uint64_t done, uint64_t total, const char *message);

struct ts_session_options {
    size_t cache_bytes;      /* what is read of captures is kept up to this; 0: 1 GiB */
    size_t memory_limit;     /* per call, in bytes; 0: 4 GiB */
    unsigned time_limit_ms;  /* per call; 0: none */
    unsigned threads;        /* at most this many per call; 0: the cores this process may use */
    ts_progress_fn progress; /* or NULL */
    void *progress_data;
    const char *const *roots; /* NULL, or NULL-terminated directories: nothing outside them is opened */
};

/* Make a session: it holds what was read of captures, so that a second question is answered from memory.
 * options may be NULL. Errors: TS_NO_MEMORY, TS_IO (a root cannot be opened). */
TS_API enum ts_status ts_session_create(const struct ts_session_options *options, struct ts_session **out,
                                        struct ts_error *error);
TS_API void ts_session_destroy(struct ts_session *session);

/* Ask the call in progress, or if there is none the next one, to end with TS_CANCELLED at its next check
 * point. Safe from any thread and from signal handlers. */
TS_API void ts_session_cancel(struct ts_session *session);

/* Open a capture. Either path may be NULL, not both. A path is a directory or the file meant itself.
 * label names the capture in messages (NULL: its path). Captures must not outlive their session.
 * Errors: TS_REFUSED (no such directory), TS_USAGE (neither path), TS_IO, TS_NO_MEMORY. */
TS_API enum ts_status ts_capture_open(struct ts_session *session, const char *profiler_path,
                                      const char *performance_path, const char *label, struct ts_capture **out,
                                      struct ts_error *error);
TS_API void ts_capture_close(struct ts_capture *capture);

/* Ask a question ("top_ops"). arguments is a JSON object in UTF-8 without the handles, or NULL for none;
 * second is the other capture of a question that compares two, else NULL. Errors: as enum ts_status says. */
TS_API enum ts_status ts_session_ask(struct ts_session *session, const char *question, const char *arguments,
                                     struct ts_capture *capture, struct ts_capture *second, struct ts_answer **out,
                                     struct ts_error *error);

/* The answer as compact JSON, terminated; borrowed until the answer is destroyed. length may be NULL. */
TS_API const char *ts_answer_json(const struct ts_answer *answer, size_t *length);
TS_API void ts_answer_destroy(struct ts_answer *answer);

#ifdef __cplusplus
}
#endif

#endif
