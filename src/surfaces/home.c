#include "surfaces/home.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The folder of the user called name, or of this process's user when name is NULL. */
static char *from_password_file(const char *name)
{
    FILE *file = fopen("/etc/passwd", "re");
    if (!file)
        return NULL;
    char buffer[4096], *folder = NULL;
    struct passwd entry, *found;
    /* Not getpwnam: it may ask the network. */
    while (!folder && fgetpwent_r(file, &entry, buffer, sizeof buffer, &found) == 0 && found) {
        bool matches = name ? strcmp(found->pw_name, name) == 0 : found->pw_uid == getuid();
        if (matches && found->pw_dir && *found->pw_dir)
            folder = strdup(found->pw_dir);
    }
    fclose(file);
    return folder;
}

char *ts_home_directory(void)
{
    const char *home = getenv("HOME");
    return home && *home ? strdup(home) : from_password_file(NULL);
}

static char *join(const char *folder, struct ts_str rest)
{
    size_t len = strlen(folder);
    /* "/" and "~/a" give "/a". */
    while (len > 0 && folder[len - 1] == '/' && rest.len > 0)
        len--;
    char *path = malloc(len + rest.len + 1);
    if (!path)
        return NULL;
    memcpy(path, folder, len);
    if (rest.len > 0)
        memcpy(path + len, rest.ptr, rest.len);
    path[len + rest.len] = '\0';
    return path;
}

char *ts_home_expand(struct ts_str path)
{
    if (path.len == 0 || path.ptr[0] != '~')
        return join("", path);
    size_t slash = ts_str_find(path, TS_STR("/"), 0);
    size_t end = slash == (size_t)-1 ? path.len : slash;
    char *name = join("", ts_str_sub(path, 1, end - 1));
    if (!name)
        return NULL;
    char *folder = *name ? from_password_file(name) : ts_home_directory();
    free(name);
    char *expanded = folder ? join(folder, ts_str_sub(path, end, path.len)) : join("", path);
    free(folder);
    return expanded;
}
