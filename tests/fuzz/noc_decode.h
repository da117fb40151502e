/* What the fuzz targets of noc-decode share: an input is a file without a name, and the text goes nowhere. */
#ifndef TS_FUZZ_NOC_DECODE_H
#define TS_FUZZ_NOC_DECODE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "transforms/noc_decode.h"

static inline void fuzz_noc_decode(const uint8_t *data, size_t size, enum ts_noc_format format, bool odd)
{
    char path[64];
    struct ts_context context;
    struct ts_noc_decode_report report;
    struct ts_buf text;
    int fd = memfd_create("input", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const struct ts_noc_decode_options options = {.input = path,
                                                  .stream = "/dev/null",
                                                  .format = format,
                                                  .posted = odd,
                                                  .repair = odd,
                                                  .assume_unharvested = odd,
                                                  .has_wire = odd && size % 2,
                                                  .wire = (enum ts_noc_wire)(size % TS_WIRE_COUNT)};
    ts_context_init(&context);
    ts_buf_init(&text, 0);
    struct ts_error error = {0};
    if (ts_noc_decode(&context, &options, &report, &error) == TS_OK)
        ts_noc_decode_describe(&report, &text);
    else if (error.message[0] == '\0')
        abort(); /* a failure that says nothing */
    ts_noc_decode_report_free(&report);
    ts_buf_free(&text);
    close(fd);
}

#endif
