/* tilesight noc-flags: the compiler flags for a kernel, with NoC event tracing as the environment says. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "surfaces/cli/command.h"
#include "surfaces/cli/terminal.h"

#define SWITCH_VARIABLE "TT_METAL_DEVICE_PROFILER_NOC_EVENTS"

enum { INCLUDE = 1, WIRE, HELP };
static const struct ts_option known[] = {
    {"include", "DIR",
     "the folder that holds tilesight/noc_trace.h, printed as -I; else where this program was installed "
     "or built",
     INCLUDE},
    {"wire", "1|2|3|4|5", "the generation of the events; 5", WIRE},
    {"help", NULL, "show this", HELP},
    {NULL, NULL, NULL, 0},
};

extern const struct ts_command ts_command_noc_flags;

static bool has_header(const char *folder)
{
    char path[4200];
    return snprintf(path, sizeof path, "%s/tilesight/noc_trace.h", folder) < (int)sizeof path &&
           access(path, R_OK) == 0;
}

/* Beside the program: PREFIX/bin/tilesight and PREFIX/include, or build/tilesight and include. */
static bool find_include(char *out, size_t size)
{
    char path[4096];
    ssize_t len = readlink("/proc/self/exe", path, sizeof path - 1);
    if (len <= 0)
        return false;
    path[len] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(path, '/');
        if (!slash)
            return false;
        *slash = '\0';
    }
    return snprintf(out, size, "%s/include", path) < (int)size && has_header(out);
}

/* A folder as one word of a shell that splits at blanks only: others cannot be printed so. */
static bool is_one_word(const char *folder)
{
    return folder[strcspn(folder, " \t\n*?[")] == '\0';
}

static int print_flags(const char *include, unsigned wire)
{
    char found[4200];
    struct ts_buf text;
    struct ts_error error;
    struct ts_quote quote;
    const char *tracing = getenv(SWITCH_VARIABLE);
    if (!include && find_include(found, sizeof found))
        include = found;
    if (include && !has_header(include)) {
        ts_error_set(&error, TS_INPUT, "%s holds no tilesight/noc_trace.h; name its folder with --include",
                     ts_error_quote(&quote, ts_str_from(include), TS_QUOTE_FILE));
        return ts_terminal_fail(&error, "noc-flags");
    }
    if (include && !is_one_word(include)) {
        ts_error_set(&error, TS_INPUT, "%s: a shell would split this folder's name; install the headers elsewhere",
                     ts_error_quote(&quote, ts_str_from(include), TS_QUOTE_FILE));
        return ts_terminal_fail(&error, "noc-flags");
    }
    ts_buf_init(&text, 0);
    /* The headers of this machine's own C library must not come before those of the kernel's compiler. */
    if (include)
        ts_buf_printf(&text, "%s%s", strcmp(include, "/usr/include") == 0 ? "-idirafter" : "-I", include);
    if (tracing && tracing[0] == '1')
        ts_buf_printf(&text, "%s-DPROFILE_NOC_EVENTS=1 -DTS_NOC_WIRE=%u", include ? " " : "", wire);
    ts_buf_char(&text, '\n');
    bool good = !text.failed && ts_terminal_write(ts_buf_view(&text));
    ts_buf_free(&text);
    return good ? 0 : 1;
}

static int run(int argc, char **argv)
{
    struct ts_options words = {.argv = argv, .argc = argc};
    const char *include = NULL, *value;
    const struct ts_option *option;
    struct ts_error error;
    unsigned wire = 5;
    for (;;) {
        enum ts_option_found found = ts_options_next(&words, known, &option, &value, &error);
        enum ts_status status = found == TS_OPTION_WRONG ? TS_USAGE : TS_OK;
        if (found == TS_OPTION_END)
            return print_flags(include, wire);
        if (found == TS_OPTION_POSITIONAL)
            status = ts_error_set(&error, TS_USAGE, "noc-flags takes no paths");
        else if (found == TS_OPTION_FOUND && option->id == HELP)
            return ts_command_show_help(&ts_command_noc_flags);
        else if (found == TS_OPTION_FOUND && option->id == INCLUDE)
            include = value;
        else if (found == TS_OPTION_FOUND)
            status = ts_options_number("--wire", value, 1, 5, &wire, &error);
        if (status != TS_OK)
            return ts_terminal_fail(&error, "noc-flags");
    }
}

const struct ts_command ts_command_noc_flags = {
    .name = "noc-flags",
    .summary = "Print the compiler flags that switch NoC event tracing on",
    .usage = "cc $(tilesight noc-flags [OPTION...]) kernel.c",
    .about = "Prints the flags that compile a kernel that includes tilesight/noc_trace.h. Tracing is on "
             "when\n" SWITCH_VARIABLE " begins with 1 in the environment; else the flags hold nothing of it.",
    .options = known,
    .run = run,
};
