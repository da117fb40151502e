#include "surfaces/cli/environment.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

uint64_t ts_clock_ns(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return 0;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

unsigned ts_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (unsigned)CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

bool ts_use_color(enum ts_color_choice choice)
{
    if (choice != TS_COLOR_AUTO)
        return choice == TS_COLOR_ALWAYS;
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    if ((no_color && *no_color) || (term && strcmp(term, "dumb") == 0))
        return false;
    return isatty(STDOUT_FILENO) == 1;
}

bool ts_output_is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *value = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !(value && *value); i++)
        value = getenv(names[i]);
    return value && (strcasestr(value, "utf-8") || strcasestr(value, "utf8"));
}

unsigned ts_output_width(void)
{
    if (isatty(STDOUT_FILENO) != 1)
        return 0;
    const char *columns = getenv("COLUMNS");
    if (columns && *columns) {
        char *end;
        unsigned long width = strtoul(columns, &end, 10);
        if (*end == '\0' && width >= 20 && width <= 10000)
            return (unsigned)width;
    }
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}
