/* A cluster descriptor. */
#include <stdint.h>
#include <stdlib.h>

#include "base/limits.h"
#include "formats/cluster_descriptor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ts_context context;
    struct ts_arena arena;
    struct ts_str arch = {NULL, 0};
    bool found = false;
    ts_context_init(&context);
    ts_arena_init(&arena, 64 * TS_MIB);
    enum ts_status status =
        ts_cluster_descriptor_parse(&context, &arena, (struct ts_str){(const char *)data, size}, &arch, &found, NULL);
    if (status == TS_OK && found && (!arch.ptr || arch.len == 0))
        abort();
    ts_arena_free(&arena);
    return 0;
}
