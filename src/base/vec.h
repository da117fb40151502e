/* Growing arrays on the heap. Declare with TS_VEC(type) name = {0}; free with ts_vec_free(&name). */
#ifndef TS_BASE_VEC_H
#define TS_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define TS_VEC(type)                                                                                                   \
    struct {                                                                                                           \
        type *items;                                                                                                   \
        size_t count, capacity;                                                                                        \
    }

/* Make room for extra more items; false when memory is out (the vector stays as it was). */
#define ts_vec_reserve(v, extra) ts_vec_grow(&(v)->items, &(v)->capacity, (v)->count, (extra), sizeof *(v)->items)
/* Append a value; false when memory is out. */
#define ts_vec_push(v, value)                                                                                          \
    ((v)->count < (v)->capacity || ts_vec_reserve((v), 1) ? ((v)->items[(v)->count++] = (value), true) : false)
#define ts_vec_free(v) (free((v)->items), (v)->items = NULL, (v)->count = (v)->capacity = 0)

/* What ts_vec_reserve does. items: where the pointer to the items of size bytes each lies. */
bool ts_vec_grow(void *items, size_t *capacity, size_t count, size_t extra, size_t size);

#endif
