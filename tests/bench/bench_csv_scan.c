/* How fast the CSV scanner turns bytes into cells: usage: bench_csv_scan FILE */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/limits.h"
#include "formats/csv.h"

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Scan bytes once; seconds taken, cells counted. */
static double scan(struct ts_str bytes, bool portable, size_t *cells)
{
    struct ts_context context;
    struct ts_error error;
    struct ts_reader *reader;
    struct ts_csv *csv;
    struct ts_csv_row row;
    struct ts_csv_options options = {.row_limit = TS_LIMIT_OPS_ROW, .check_utf8 = true, .portable = portable};
    ts_context_init(&context);
    double start = now();
    bool more = true;
    if (ts_reader_open_memory(&context, "bench.csv", bytes, &reader, &error) ||
        ts_csv_create(&context, reader, &options, &csv, &error)) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    for (*cells = 0;; *cells += row.count) {
        if (ts_csv_next(csv, &row, &more, &error)) {
            fprintf(stderr, "%s\n", error.message);
            exit(1);
        }
        if (!more)
            break;
    }
    double took = now() - start;
    ts_csv_destroy(csv);
    ts_reader_close(reader);
    return took;
}

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "usage: bench_csv_scan FILE\n");
        return 2;
    }
    size_t size = (size_t)ftell(file);
    char *bytes = malloc(size);
    rewind(file);
    if (!bytes || fread(bytes, 1, size, file) != size)
        return 1;
    fclose(file);
    for (int portable = 0; portable < 2; portable++) {
        double best = 1e9;
        size_t cells = 0;
        for (int run = 0; run < 7; run++) {
            double took = scan((struct ts_str){bytes, size}, portable, &cells);
            best = took < best ? took : best;
        }
        printf("%-44s %9.2f GB/s, %zu cells  target %s GB/s\n",
               portable ? "scanning to cells, plain C" : "scanning to cells", (double)size / best / 1e9, cells,
               portable ? "0.8" : "2");
    }
    free(bytes);
    return 0;
}
