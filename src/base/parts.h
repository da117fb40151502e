/* What is kept of captures between calls: parsed files and derived models, shared by all captures of a session,
 * bounded, least recently used out first, each under the identity of the file it was read from. */
#ifndef TS_BASE_PARTS_H
#define TS_BASE_PARTS_H

#include "base/file.h"

/* What happens when the file on disk is no longer the one a capture has read. */
enum ts_part_rule {
    TS_PART_REFUSE, /* pinned at opening; after a change only what it already answered from, else TS_CHANGED */
    TS_PART_KEEP,   /* pinned at first use: later calls answer from that read, and say that the file changed */
    TS_PART_REREAD, /* always the file as it is now */
};

struct ts_part;
struct ts_part_type {
    const char *name; /* unique */
    enum ts_part_rule rule;
    void (*destroy)(struct ts_part *part);
};

/* First member of every kept object. The maker sets size and identity; the rest belongs to the cache. */
struct ts_part {
    const struct ts_part_type *type;
    size_t size;                 /* bytes it holds, for the bound */
    struct ts_identity identity; /* of the file it was read from, as read */
    unsigned users;
    uint64_t last_use;
    char *options;
    struct ts_part *next;
};

struct ts_parts; /* of a session */
/* limit: bytes of all kept parts together, past which the least recently used that no call holds go.
 * Errors: TS_NO_MEMORY. */
enum ts_status ts_parts_create(size_t limit, struct ts_parts **out, struct ts_error *error);
void ts_parts_destroy(struct ts_parts *parts);
/* Of all parts, those that are only held included. */
size_t ts_parts_bytes(const struct ts_parts *parts);

/* What one capture has read so far: its pinned identities, and the parts it holds for the length of a call. */
struct ts_pins {
    struct ts_pin *items;
    size_t count, capacity;
    TS_VEC(struct ts_part *) held;
    bool changed; /* during this call a part was used though its file has changed since */
};
void ts_pins_free(struct ts_pins *pins, struct ts_parts *parts);
/* End of a call: the parts may go from now on; changed is cleared. */
void ts_pins_release(struct ts_pins *pins, struct ts_parts *parts);

struct ts_part_request {
    const struct ts_part_type *type;
    const char *options; /* distinguishes parts of one type and file, e.g. a range; "" for none */
    const struct ts_identity
        *pinned;            /* TS_PART_REFUSE: the identity fixed when the capture was opened; TS_PART_KEEP: the
                                         one that answers, of an asker that keeps track of it; NULL: that of the first use */
    struct ts_identity now; /* the file as it is on disk */
    const char *path;       /* for messages */
    const char *label;      /* the capture, for messages */
    /* Make the part from the file; sets *out and its size and identity. It may acquire other parts, which are held for
     * the same call; what it makes must not point into them, since they may go earlier. */
    enum ts_status (*make)(struct ts_context *context, void *data, struct ts_part **out, struct ts_error *error);
    void *data;
};
/* Find or make a part by its rule, and hold it for this call. A part is kept only when whole: not after an error or
 * a cancellation, nor when it was read from another state of the file than `now` (TS_CHANGED). Parts larger than the
 * limit are still returned and dropped when released; they push no other part out. For a file that is gone `now` is
 * all 0. Errors: TS_CHANGED, and those of make. */
enum ts_status ts_parts_acquire(struct ts_context *context, struct ts_parts *parts, struct ts_pins *pins,
                                const struct ts_part_request *request, struct ts_part **out, struct ts_error *error);

#endif
