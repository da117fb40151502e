/* An ATTRIBUTES cell; its first byte says for which kind of operation. */
#include <stdint.h>
#include <stdlib.h>

#include "base/limits.h"
#include "formats/op_attributes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ts_arena arena;
    struct ts_intern intern;
    struct ts_op_attributes out;
    if (size == 0)
        return 0;
    struct ts_str cell = {(const char *)data + 1, size - 1};
    ts_arena_init(&arena, 64 * TS_MIB);
    if (ts_intern_init(&intern, &arena, NULL) != TS_OK)
        return 0;
    if (ts_op_attributes_parse(cell, (enum ts_op_attributes_kind)(data[0] & 3), &intern, &out)) {
        if (out.has_nnz ? false : out.nnz != -1)
            abort();
        if ((out.halo != 0) != ((data[0] & 3) == TS_ATTRIBUTES_HALO))
            abort();
        if (out.window_h == out.window_h && !(out.window_h >= 1 && out.window_h <= 4294967296.0))
            abort();
    }
    ts_op_attributes_kind(cell);
    ts_intern_free(&intern);
    ts_arena_free(&arena);
    return 0;
}
