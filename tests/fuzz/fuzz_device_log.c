/* A device log: what it says must not depend on how it is cut, nor on which vector instructions read it. The first byte of
 * the input chooses the size of pieces. */
#include <stdint.h>
#include <stdlib.h>

#include "base/limits.h"
#include "models/device_zones.h"

static void require(bool good)
{
    if (!good)
        abort();
}

static struct ts_device_zones *read_zones(struct ts_str text, size_t block, enum ts_log_vectors vectors)
{
    struct ts_context context;
    struct ts_device_zones *zones = NULL;
    const struct ts_device_zones_options options = {.block = block, .vectors = vectors};
    ts_context_init(&context);
    context.memory_limit = 256 * TS_MIB;
    return ts_device_zones_read_memory(&context, text, &options, NULL, &zones, NULL) == TS_OK ? zones : NULL;
}

static void compare(const struct ts_device_zones *a, const struct ts_device_zones *b)
{
    require(a->count == b->count && a->runs == b->runs && a->unreadable_rows == b->unreadable_rows);
    require(a->unpaired_starts == b->unpaired_starts && a->unpaired_ends == b->unpaired_ends);
    require(a->dropped_starts == b->dropped_starts && a->bad_byte == b->bad_byte && a->has_rows == b->has_rows);
    require(ts_str_equal(a->missing, b->missing) && a->has_header == b->has_header);
    for (uint32_t i = 0; i < a->count; i++) {
        const struct ts_device_zone *x = &a->zones[i], *y = &b->zones[i];
        require(ts_str_equal(x->zone, y->zone) && ts_str_equal(x->risc, y->risc) && x->zone.len > 0);
        require(x->occurrences == y->occurrences && x->cores == y->cores && x->cores > 0);
        require(x->cycles == y->cycles && x->whole_cycles == y->whole_cycles);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct ts_str text = {(const char *)data + 1, size - 1};
    struct ts_device_zones *whole = read_zones(text, 0, TS_LOG_VECTORS_NONE);
    for (unsigned i = 0; i < 2; i++) {
        struct ts_device_zones *pieces =
            read_zones(text, (size_t)data[0] + 1, i ? TS_LOG_VECTORS_BEST : TS_LOG_VECTORS_SHORT);
        require(!whole == !pieces);
        if (whole)
            compare(whole, pieces);
        ts_device_zones_destroy(pieces);
    }
    ts_device_zones_destroy(whole);
    return 0;
}
