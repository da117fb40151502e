/* What is known of an accelerator: cores and peaks that rooflines divide by. */
#ifndef TS_MODELS_ARCH_H
#define TS_MODELS_ARCH_H

#include "base/error.h"
#include "base/str.h"

struct ts_arch {
    const char *name;
    unsigned worker_cores;
    unsigned dram_sharded_cores; /* a DRAM-sharded matmul runs on these */
    double dram_gb_per_s;
    double hifi4, hifi3, hifi2, lofi; /* TFLOPS per core */
};

/* By any of its names or aliases, in any case ("wormhole_b0", "p150a"); NULL when unknown. Static. */
const struct ts_arch *ts_arch_find(struct ts_str name);
/* The names that ts_arch_find knows without aliases, for messages: "wormhole, blackhole, ...". */
const char *ts_arch_names(void);
/* TFLOPS per core at a math fidelity (exactly LoFi, HiFi2, HiFi3, HiFi4); absent otherwise. */
double ts_arch_peak(const struct ts_arch *arch, struct ts_str fidelity);
/* Worker cores a device log's ARCH stands for, by case-insensitive prefix (grayskull 108, wormhole 64, blackhole 130,
 * quasar 32, grendel 32); 64 for anything else or nothing. */
unsigned ts_arch_default_cores(struct ts_str log_arch);

#endif
