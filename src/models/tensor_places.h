/* Where the tensors of a report lie, and which of them may be views of one another. */
#ifndef TS_MODELS_TENSOR_PLACES_H
#define TS_MODELS_TENSOR_PLACES_H

#include "base/vec.h"
#include "models/profiler.h"

enum ts_place_memory { TS_PLACE_ELSEWHERE, TS_PLACE_DRAM, TS_PLACE_L1 };
struct ts_place {
    int64_t tensor;
    enum ts_place_memory memory;
    bool has_address; /* and a device: where it says itself that it lies */
    int64_t device, address;
    bool has_volume;
    int64_t volume; /* elements */
    uint64_t row;
};
/* On one device of a mesh. */
struct ts_device_place {
    int64_t tensor, device, address;
    uint64_t row;
};
struct ts_places {
    TS_VEC(struct ts_place) tensors;        /* by tensor, each once: its first row */
    TS_VEC(struct ts_device_place) devices; /* by tensor, then device, each once: its last row */
};

/* Read them at the profiler's rank. Free places, which begins zeroed, whatever comes back. Errors: those of ts_db_next. */
enum ts_status ts_places_read(struct ts_profiler *profiler, struct ts_places *places, struct ts_error *error);
void ts_places_free(struct ts_places *places);
/* NULL when the tensor has no row. */
const struct ts_place *ts_places_find(const struct ts_places *places, int64_t tensor);
/* Whether output, in DRAM, may be a view of input, in DRAM too: nothing known speaks against it. */
bool ts_places_may_be_view(const struct ts_places *places, const struct ts_place *output, const struct ts_place *input);
/* The elements of a shape, "Shape([1, 32])" or "torch.Size([1, 32])"; false when it is of another form or past 63 bits. */
bool ts_places_volume(struct ts_str shape, int64_t *out);

#endif
