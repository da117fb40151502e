#include "models/arch.h"

#include <strings.h>

#include "base/number.h"

/* Peaks per core are written as the products they come from, so that they round as the reference figures do. */
#define WORMHOLE_PEAKS 74.0 / 72, 74.0 / 72 * 4 / 3, 148.0 / 72, 262.0 / 72
#define BLACKHOLE_PEAKS 4096 * 1.35 / 1000 / 4, 4096 * 1.35 / 1000 / 3, 4096 * 1.35 / 1000 / 2, 4096 * 1.35 / 1000
#define N1_PEAKS 4096 * 0.65 / 1000 / 4, 4096 * 0.65 / 1000 / 3, 4096 * 0.65 / 1000 / 2, 4096 * 0.65 / 1000

static const struct ts_arch wormhole = {"wormhole", 64, 12, 288, WORMHOLE_PEAKS};
static const struct ts_arch blackhole = {"blackhole", 110, 8, 512, BLACKHOLE_PEAKS};
static const struct ts_arch blackhole_p100 = {"blackhole_p100", 110, 7, 448, BLACKHOLE_PEAKS};
static const struct ts_arch bh20 = {"bh20", 20, 8, 512, BLACKHOLE_PEAKS};
static const struct ts_arch n1 = {"n1", 20, 8, 120, N1_PEAKS};

static const struct {
    const char *name;
    const struct ts_arch *arch;
} names[] = {
    {"wormhole", &wormhole},
    {"wormhole_b0", &wormhole},
    {"blackhole", &blackhole},
    {"p150", &blackhole},
    {"p150a", &blackhole},
    {"p150b", &blackhole},
    {"p150c", &blackhole},
    {"blackhole_p150", &blackhole},
    {"blackhole_p100", &blackhole_p100},
    {"p100", &blackhole_p100},
    {"p100a", &blackhole_p100},
    {"blackhole_p100a", &blackhole_p100},
    {"bh20", &bh20},
    {"n1", &n1},
};

const struct ts_arch *ts_arch_find(struct ts_str name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (name.len == strlen(names[i].name) && strncasecmp(name.ptr, names[i].name, name.len) == 0)
            return names[i].arch;
    }
    return NULL;
}

const char *ts_arch_names(void)
{
    return "wormhole, blackhole, blackhole_p100, bh20, n1";
}

double ts_arch_peak(const struct ts_arch *arch, struct ts_str fidelity)
{
    if (ts_str_is(fidelity, "HiFi4"))
        return arch->hifi4;
    if (ts_str_is(fidelity, "HiFi3"))
        return arch->hifi3;
    if (ts_str_is(fidelity, "HiFi2"))
        return arch->hifi2;
    if (ts_str_is(fidelity, "LoFi"))
        return arch->lofi;
    return TS_ABSENT;
}

unsigned ts_arch_default_cores(struct ts_str log_arch)
{
    static const struct {
        const char *prefix;
        unsigned cores;
    } defaults[] = {{"grayskull", 108}, {"wormhole", 64}, {"blackhole", 130}, {"quasar", 32}, {"grendel", 32}};

    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        size_t len = strlen(defaults[i].prefix);
        if (log_arch.len >= len && strncasecmp(log_arch.ptr, defaults[i].prefix, len) == 0)
            return defaults[i].cores;
    }
    return 64;
}
