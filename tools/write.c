#include "write.h"

#include <stdio.h>

#include "base/write.h"

bool tool_read(const char *folder, const char *name, const char *suffix, struct ts_buf *out)
{
    char path[4096], block[4096];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, suffix);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    for (size_t len; (len = fread(block, 1, sizeof block, file)) > 0;)
        ts_buf_add(out, block, len);
    fclose(file);
    return true;
}

bool tool_write(const char *folder, const char *name, const struct ts_buf *text)
{
    struct ts_context context;
    struct ts_error error;
    struct ts_writer *writer;
    struct ts_buf path;
    ts_context_init(&context);
    ts_buf_init(&path, 0);
    ts_buf_printf(&path, "%s/%s", folder, name);
    enum ts_status status = ts_buf_status(&path, &error);
    if (!status)
        status = ts_buf_status(text, &error);
    if (!status)
        status = ts_writer_create(&context, path.ptr, &writer, &error);
    if (!status) {
        ts_writer_str(writer, ts_buf_view(text));
        status = ts_writer_commit(writer, &error);
    }
    if (status)
        fprintf(stderr, "%s\n", error.message);
    ts_buf_free(&path);
    return !status;
}
