#include "base/output.h"

#include <errno.h>
#include <stddef.h>
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

enum ts_status ts_output_folder(const char *folder, struct ts_error *error)
{
    struct stat is;
    if (!folder || mkdir(folder, 0777) == 0 || (errno == EEXIST && stat(folder, &is) == 0 && S_ISDIR(is.st_mode)))
        return TS_OK;
    return ts_error_system(error, folder, "make the folder", errno == EEXIST ? ENOTDIR : errno);
}
