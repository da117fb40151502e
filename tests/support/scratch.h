/* A folder of its own for a test that needs files. A failure of these helpers ends the test program. */
#ifndef TS_TEST_SCRATCH_H
#define TS_TEST_SCRATCH_H

#include "base/arena.h"
#include "base/str.h"

struct scratch {
    char folder[128];
    struct ts_arena arena;
};

void scratch_create(struct scratch *scratch);
/* Removes the folder with all that is in it. */
void scratch_destroy(struct scratch *scratch);
/* The path of something inside, whether it exists or not; good until scratch_destroy. "" is the folder. */
const char *scratch_path(struct scratch *scratch, const char *name);
/* Write a file whole and return its path. */
const char *scratch_put(struct scratch *scratch, const char *name, struct ts_str content);
/* The content of a file, by the name inside; good until scratch_destroy. ptr NULL when there is none. */
struct ts_str scratch_get(struct scratch *scratch, const char *name);
const char *scratch_folder(struct scratch *scratch, const char *name);
const char *scratch_link(struct scratch *scratch, const char *name, const char *target);
/* How many entries a folder inside has. */
size_t scratch_count(struct scratch *scratch, const char *name);

/* Run body(data) in a child of its own, in which every system call `number` fails with errno value `failure`, or only
 * those whose argument `argument` has all bits of `mask` when mask is not 0. Returns what body returned, 99 when it
 * ended otherwise, or 77 when this system cannot filter calls. */
int scratch_without_call(long number, int failure, unsigned argument, unsigned mask, int (*body)(void *data),
                         void *data);

#endif
