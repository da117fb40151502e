/*
 * Runs a fuzz target over files: the plain program that the ordinary tests use in place of libFuzzer.
 *
 *     replay_NAME PATH...     every PATH a file, or a folder whose files are taken in the order of their names
 *
 * Exit status 77 (skipped) when there was no file at all, 1 when one could not be read.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t inputs;

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return 1;
    }
    /* A buffer of exactly the input's size, so that the address sanitizer sees a read past its end. */
    uint8_t *data = NULL;
    size_t size = 0;
    struct stat about;
    int bad = fstat(fileno(file), &about) != 0;
    if (!bad && about.st_size > 0) {
        size = (size_t)about.st_size;
        data = malloc(size);
        bad = !data || fread(data, 1, size, file) != size;
    }
    fclose(file);
    if (bad) {
        fprintf(stderr, "%s: cannot be read\n", path);
    } else {
        /* Said before it runs: after a crash the last line names the input. */
        fprintf(stderr, "%s\n", path);
        LLVMFuzzerTestOneInput(data ? data : (const uint8_t *)"", size);
        inputs++;
    }
    free(data);
    return bad;
}

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int replay(const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return errno != ENOENT;
    }
    if (!S_ISDIR(about.st_mode))
        return replay_file(path);

    struct dirent **names;
    int count = scandir(path, &names, not_hidden, alphasort);
    if (count < 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return 1;
    }
    int bad = 0;
    for (int i = 0; i < count; i++) {
        char *inner;
        if (asprintf(&inner, "%s/%s", path, names[i]->d_name) < 0) {
            bad = 1;
        } else {
            bad |= replay(inner);
            free(inner);
        }
        free(names[i]);
    }
    free(names);
    return bad;
}

int main(int argc, char **argv)
{
    int bad = 0;
    for (int i = 1; i < argc; i++)
        bad |= replay(argv[i]);
    if (bad)
        return 1;
    if (inputs == 0) {
        fprintf(stderr, "no inputs\n");
        return 77;
    }
    fprintf(stderr, "%zu inputs\n", inputs);
    return 0;
}
