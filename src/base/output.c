#include "base/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"

enum ts_status ts_output_check(const char *path, const char *input, struct ts_error *error)
{
    struct stat out, in;
    struct ts_quote quote;
    if (!input || stat(path, &out) != 0 || stat(input, &in) != 0 || !S_ISREG(in.st_mode) || out.st_dev != in.st_dev ||
        out.st_ino != in.st_ino)
        return TS_OK;
    return ts_error_set(
        error, TS_REFUSED,
        "%s: is the input, and would be written over; it was left as it is (name another folder with -o)",
        ts_error_quote(&quote, ts_str_from(path), TS_QUOTE_FILE));
}

static bool is_folder(const char *path)
{
    struct stat is;
    return stat(path, &is) == 0 && S_ISDIR(is.st_mode);
}

static enum ts_status make(const char *folder, struct ts_error *error)
{
    struct ts_quote quote;
    if (is_folder(folder) || mkdir(folder, 0777) == 0)
        return TS_OK;
    int failure = errno;
    if (failure == EEXIST && is_folder(folder))
        return TS_OK;
    if (failure != EEXIST)
        return ts_error_system(error, folder, "make the folder", failure);
    return ts_error_set(error, TS_IO, "%s: cannot make the folder, since something else has that name; name another",
                        ts_error_quote(&quote, ts_str_from(folder), TS_QUOTE_FILE));
}

enum ts_status ts_output_folder(const char *folder, struct ts_error *error)
{
    if (!folder || !folder[0] || is_folder(folder))
        return TS_OK;
    char *part = strdup(folder);
    if (!part)
        return ts_error_no_memory(error);
    enum ts_status status = TS_OK;
    for (char *slash = strchr(part + 1, '/'); status == TS_OK && slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        status = make(part, error);
        *slash = '/';
    }
    if (status == TS_OK)
        status = make(part, error);
    free(part);
    return status;
}
