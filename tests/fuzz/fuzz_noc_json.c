/* NoC trace files: read, summarised and written again. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "transforms/noc_rewrite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct ts_context context;
    struct ts_noc_summary summary;
    struct ts_buf text;
    struct ts_error error = {0};
    int fd = memfd_create("input", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ts_context_init(&context);
    ts_buf_init(&text, 0);
    if (ts_noc_rewrite(&context, path, NULL, "/dev/null", &summary, &error) == TS_OK)
        ts_noc_summary_describe(&summary, &text);
    else if (error.message[0] == '\0')
        abort(); /* a failure that says nothing */
    ts_noc_summary_free(&summary);
    ts_buf_free(&text);
    close(fd);
    return 0;
}
