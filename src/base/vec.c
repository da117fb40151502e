#include "base/vec.h"

#include <stdint.h>
#include <string.h>

bool ts_vec_grow(void *items, size_t *capacity, size_t count, size_t extra, size_t size)
{
    if (extra <= *capacity - count)
        return true;
    /* Half of the address space bounds what an array may take, so that differences of pointers stay valid. */
    size_t most = PTRDIFF_MAX / size;
    if (extra > most - count)
        return false;
    size_t need = count + extra;
    size_t wanted = *capacity < 8 ? 8 : *capacity > most / 2 ? most : *capacity * 2;
    if (wanted < need || wanted > most)
        wanted = need;
    /* Copied, not read through void **: the pointer has another type with every vector. */
    void *old;
    memcpy(&old, items, sizeof old);
    void *grown = realloc(old, wanted * size);
    if (!grown && wanted > need) {
        wanted = need;
        grown = realloc(old, wanted * size);
    }
    if (!grown)
        return false;
    memcpy(items, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}
