/* tilesight noc-flags: the compiler flags for a kernel, with NoC event tracing as the environment says. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "surfaces/cli/command.h"
#include "surfaces/cli/terminal.h"

#define SWITCH_VARIABLE "TT_METAL_DEVICE_PROFILER_NOC_EVENTS"

enum { INCLUDE = 1, WIRE, NEAR_RAW, KERNEL, RESERVED, HELP };
enum { LAST_KERNEL = 65535 };
static const struct ts_option known[] = {
    {"include", "DIR",
     "the folder that holds tilesight/noc_trace.h, printed as -I; else where this program was installed "
     "or built",
     INCLUDE},
    {"wire", "1|2|3|4|5", "the generation of the events; 5", WIRE},
    {"near-raw", NULL,
     "record the arguments as they are, for RV32: a third of the instructions; noc-decode needs the linked kernel then "
     "(--sites)",
     NEAR_RAW},
    {"kernel", "N", "with --near-raw: the kernel's number, 0 to 65535, which no other kernel of the run has; 0",
     KERNEL},
    {"reserved-registers", NULL,
     "with --near-raw: keep the recorder's state in s9 to s11, in everything that is linked", RESERVED},
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

struct flags {
    const char *include;
    unsigned wire, kernel;
    bool near_raw, has_kernel, reserved;
};

static void add_tracing(const struct flags *flags, struct ts_buf *text)
{
    ts_buf_printf(text, "-DPROFILE_NOC_EVENTS=1 -DTS_NOC_WIRE=%u", flags->wire);
    if (flags->near_raw)
        ts_buf_printf(text, " -DTS_NOC_NEAR_RAW -DTS_NOC_KERNEL=%u", flags->kernel);
    if (flags->reserved)
        ts_buf_text(text, " -DTS_NOC_RESERVED_REGISTERS -ffixed-x27 -ffixed-x26 -ffixed-x25");
}

static int print_flags(const struct flags *flags)
{
    const char *include = flags->include;
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
    if (!include)
        fprintf(stderr,
                "tilesight: noc-flags: there is no tilesight/noc_trace.h beside this program, so no -I is printed; "
                "name the folder that holds it with --include\n");
    ts_buf_init(&text, 0);
    /* The headers of this machine's own C library must not come before those of the kernel's compiler. */
    if (include)
        ts_buf_printf(&text, "%s%s", strcmp(include, "/usr/include") == 0 ? "-idirafter" : "-I", include);
    if (tracing && tracing[0] == '1')
        ts_buf_text(&text, include ? " " : "");
    if (tracing && tracing[0] == '1')
        add_tracing(flags, &text);
    ts_buf_char(&text, '\n');
    bool good = !text.failed && ts_terminal_write(ts_buf_view(&text));
    ts_buf_free(&text);
    return good ? 0 : 1;
}

static enum ts_status take_option(int id, const char *value, struct flags *flags, struct ts_error *error)
{
    switch (id) {
    case INCLUDE:
        flags->include = value;
        return TS_OK;
    case WIRE:
        return ts_options_number("wire", value, 1, 5, &flags->wire, error);
    case NEAR_RAW:
        flags->near_raw = true;
        return TS_OK;
    case KERNEL:
        flags->has_kernel = true;
        return ts_options_number("kernel", value, 0, LAST_KERNEL, &flags->kernel, error);
    default:
        flags->reserved = true;
        return TS_OK;
    }
}

static int run(int argc, char **argv)
{
    struct ts_options words = {.argv = argv, .argc = argc};
    struct flags flags = {.wire = 5};
    const char *value;
    const struct ts_option *option;
    struct ts_error error;
    for (;;) {
        enum ts_option_found found = ts_options_next(&words, known, &option, &value, &error);
        enum ts_status status = found == TS_OPTION_WRONG ? TS_USAGE : TS_OK;
        if (found == TS_OPTION_END && (flags.near_raw || !(flags.has_kernel || flags.reserved)))
            return print_flags(&flags);
        if (found == TS_OPTION_END)
            status = ts_error_set(&error, TS_USAGE, "--kernel and --reserved-registers belong to --near-raw");
        else if (found == TS_OPTION_POSITIONAL)
            status = ts_error_set(&error, TS_USAGE, "noc-flags takes no paths");
        else if (found == TS_OPTION_FOUND && option->id == HELP)
            return ts_command_show_help(&ts_command_noc_flags);
        else if (found == TS_OPTION_FOUND)
            status = take_option(option->id, value, &flags, &error);
        if (status != TS_OK)
            return ts_terminal_fail(&error, "noc-flags");
    }
}

const struct ts_command ts_command_noc_flags = {
    .name = "noc-flags",
    .summary = "Print the compiler flags that switch NoC event tracing on",
    .usage = "cc $(tilesight noc-flags [OPTION...]) kernel.c",
    .about = "Prints the flags that compile a kernel that includes tilesight/noc_trace.h. Tracing is on "
             "when\n" SWITCH_VARIABLE " begins with 1 in the environment; else the flags hold nothing of it.\n"
             "Export the variable: one set in front of cc alone does not reach $(tilesight noc-flags).\n\n"
             "export " SWITCH_VARIABLE "=1; cc $(tilesight noc-flags) -c kernel.c\n\n"
             "A kernel that includes tilesight/grid.h instead runs on this machine, on a model of a grid of cores\n"
             "that is no silicon: link it with -ltilesight_grid -pthread.",
    .options = known,
    .run = run,
};
