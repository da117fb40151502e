/* Times reading a device log in one process: bench_device_log PATH [THREADS [BLOCK [RUNS]]]. Prints the shortest run. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "base/arena.h"
#include "models/device_zones.h"

static double now_ms(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    struct ts_context context;
    struct ts_error error;
    struct ts_device_zones_options options = {.block = argc > 3 ? (size_t)atol(argv[3]) : 0};
    double wall = 1e9, processor = 1e9;
    ts_context_init(&context);
    context.threads = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    options.check_only = getenv("CHECK_ONLY") != NULL;
    for (int run = argc > 4 ? atoi(argv[4]) : 5; run > 0; run--) {
        struct ts_device_zones *zones;
        double wall_before = now_ms(CLOCK_MONOTONIC), processor_before = now_ms(CLOCK_PROCESS_CPUTIME_ID);
        if (ts_device_zones_read(&context, argv[1], &options, NULL, &zones, &error) != TS_OK) {
            fprintf(stderr, "%s\n", error.message);
            return 1;
        }
        double took = now_ms(CLOCK_MONOTONIC) - wall_before;
        double used = now_ms(CLOCK_PROCESS_CPUTIME_ID) - processor_before;
        wall = took < wall ? took : wall;
        processor = used < processor ? used : processor;
        ts_device_zones_destroy(zones);
    }
    printf("%.1f ms, %.1f ms of processors\n", wall, processor);
    return 0;
}
