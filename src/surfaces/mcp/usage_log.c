#include "surfaces/mcp/usage_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "surfaces/mcp/usage_compact.h"

#define VARIABLE "USAGE_RECORDING_DISABLED"
/* How long the finding that the file is full is believed. */
#define FULL_NS (60 * (uint64_t)1000000000)

static bool is_one_of(struct ts_str text, const char *const *words)
{
    for (; *words; words++)
        if (text.len == strlen(*words) && strncasecmp(text.ptr, *words, text.len) == 0)
            return true;
    return false;
}

bool ts_mcp_usage_disabled(const char *value, bool *recognised)
{
    static const char *const on[] = {"false", "0", NULL};
    static const char *const off[] = {"true", "1", "yes", "on", "", NULL};
    *recognised = true;
    if (!value)
        return false;
    struct ts_str text = ts_str_trim(ts_str_from(value));
    if (is_one_of(text, on))
        return false;
    *recognised = is_one_of(text, off);
    return true;
}

static const char *reason_of(int number)
{
    const char *reason = strerrordesc_np(number);
    return reason ? reason : "unknown error";
}

/* One warning for the first of a run of failures. */
static void complain(struct ts_mcp_usage *usage, const char *what, int number)
{
    ts_mcp_log(usage->log, usage->failing ? TS_MCP_DEBUG : TS_MCP_WARNING, "usage is not recorded: cannot %s %s: %s",
               what, usage->file, reason_of(number));
    usage->failing = true;
}

static char *path_of(const char *folder, const char *rest)
{
    char *path;
    return asprintf(&path, "%s/%s", folder, rest) < 0 ? NULL : path;
}

/* The marker that is there, or NULL. */
static const char *marker(const struct ts_mcp_usage *usage)
{
    struct stat about;
    for (size_t i = 0; i < sizeof usage->markers / sizeof *usage->markers; i++)
        if (stat(usage->markers[i], &about) == 0)
            return usage->markers[i];
    return NULL;
}

static bool set_paths(struct ts_mcp_usage *usage, const char *home)
{
    usage->folder = path_of(home, ".tilesight/usage");
    usage->file = path_of(home, ".tilesight/usage/events.log");
    usage->markers[0] = path_of(home, ".tilesight/usage/disabled");
    usage->markers[1] = path_of(home, ".ttnn-visualizer/usage/disabled");
    if (usage->folder && usage->file && usage->markers[0] && usage->markers[1])
        return true;
    ts_mcp_usage_free(usage);
    return false;
}

void ts_mcp_usage_start(struct ts_mcp_usage *usage, const struct ts_mcp_log *log, uint64_t (*now_ns)(void),
                        const char *home, const char *value)
{
    *usage = (struct ts_mcp_usage){.log = log, .now_ns = now_ns};
    bool recognised;
    usage->off = ts_mcp_usage_disabled(value, &recognised);
    if (!recognised)
        ts_mcp_log(log, TS_MCP_INFO, "%s has a value that is none of true, 1, yes, false and 0: it is taken as true",
                   VARIABLE);
    if (usage->off) {
        ts_mcp_log(log, TS_MCP_INFO, "usage is not recorded: %s is set", VARIABLE);
        return;
    }
    if (!home || !set_paths(usage, home)) {
        ts_mcp_log(log, TS_MCP_WARNING, "usage is not recorded: %s",
                   home ? "out of memory" : "HOME is not set and the password file has no folder of this user");
        return;
    }
    const char *present = marker(usage);
    if (present) {
        ts_mcp_log(log, TS_MCP_INFO, "usage is not recorded: %s is there", present);
        return;
    }
    ts_mcp_log(
        log, TS_MCP_INFO,
        "usage (the name of each tool called and its outcome, nothing else) is recorded in %s; to switch that off, set "
        "%s=true or create the file %s",
        usage->file, VARIABLE, usage->markers[0]);
}

void ts_mcp_usage_compact(const struct ts_mcp_usage *usage)
{
    struct stat about;
    if (usage->off || !usage->folder || marker(usage) || stat(usage->file, &about) != 0 ||
        about.st_size <= TS_LIMIT_USAGE_LOG)
        return;
    struct ts_error error;
    if (ts_usage_compact(usage->folder, &error))
        ts_mcp_log(usage->log, TS_MCP_WARNING, "the usage log was not compacted: %s", error.message);
}

void ts_mcp_usage_free(struct ts_mcp_usage *usage)
{
    free(usage->folder);
    free(usage->file);
    free(usage->markers[0]);
    free(usage->markers[1]);
    usage->folder = usage->file = usage->markers[0] = usage->markers[1] = NULL;
    if (usage->keeps)
        close(usage->kept);
    usage->keeps = false;
}

/* Random, and never inherited: two servers that share the file must not share an id. */
static bool choose_run_id(struct ts_mcp_usage *usage)
{
    unsigned number;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number)
        return false;
    snprintf(usage->run_id, sizeof usage->run_id, "%08x", number);
    return true;
}

static bool is_plain(const char *value)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:+-";
    return *value && value[strspn(value, plain)] == '\0';
}

/* The line's length, or 0 when it is not fit to be written. */
static size_t compose(struct ts_mcp_usage *usage, const char *tool, const char *outcome, char *line, size_t size)
{
    struct timespec now;
    struct tm utc;
    char when[32];
    if (!is_plain(tool) || !is_plain(outcome) || (!*usage->run_id && !choose_run_id(usage)))
        return 0;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0 || !gmtime_r(&now.tv_sec, &utc) ||
        !strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc))
        return 0;
    int len = snprintf(line, size, "ts=%s event=mcp_tool_called schema_version=1 run_id=%s tool=%s outcome=%s\n", when,
                       usage->run_id, tool, outcome);
    return len > 0 && (size_t)len < size ? (size_t)len : 0;
}

/* The folder and the one it lies in, which gets the mode that the umask says. The home folder is not ours to make: where it
 * does not exist, HOME is wrong. */
static bool make_folder(const char *folder)
{
    char *parent = strndup(folder, (size_t)(strrchr(folder, '/') - folder));
    if (!parent)
        return false;
    bool good = mkdir(parent, 0777) == 0 || errno == EEXIST;
    int number = errno;
    free(parent);
    errno = number;
    return good && (mkdir(folder, 0700) == 0 || errno == EEXIST);
}

/* Opened for every line where it can be: the file may have been compacted, and its folder removed, by somebody else. */
static int open_file(const struct ts_mcp_usage *usage)
{
    const int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    if (usage->keeps)
        return usage->kept;
    int fd = open(usage->file, flags, 0600);
    if (fd < 0 && errno == ENOENT && !usage->settled && make_folder(usage->folder))
        fd = open(usage->file, flags, 0600);
    return fd;
}

void ts_mcp_usage_settle(struct ts_mcp_usage *usage, bool keep)
{
    usage->settled = true;
    if (usage->off || !usage->folder || marker(usage))
        return;
    bool made = make_folder(usage->folder);
    if (!keep || !made)
        return;
    usage->kept = open_file(usage);
    usage->keeps = usage->kept >= 0;
}

/* Whether a line may be added; a file found full is measured again only after a while. */
static bool has_room(struct ts_mcp_usage *usage, int fd)
{
    struct stat about;
    if (fstat(fd, &about) != 0) {
        complain(usage, "look at", errno);
        return false;
    }
    if (!S_ISREG(about.st_mode)) {
        complain(usage, "append to", EINVAL);
        return false;
    }
    /* Compacted or removed by somebody else, and no other can be opened. */
    if (about.st_nlink == 0) {
        complain(usage, "append to", ESTALE);
        return false;
    }
    usage->full = about.st_size > TS_LIMIT_USAGE_LOG;
    usage->full_since_ns = usage->now_ns();
    if (usage->full && !usage->full_said)
        ts_mcp_log(usage->log, TS_MCP_WARNING,
                   "usage is not recorded: %s is over %d bytes; it is compacted at the next start", usage->file,
                   TS_LIMIT_USAGE_LOG);
    usage->full_said = usage->full;
    return !usage->full;
}

void ts_mcp_usage_record(struct ts_mcp_usage *usage, const char *tool, const char *outcome)
{
    char line[256];
    if (usage->off || !usage->folder || marker(usage))
        return;
    if (usage->full && usage->now_ns() - usage->full_since_ns < FULL_NS)
        return;
    size_t len = compose(usage, tool, outcome, line, sizeof line);
    if (len == 0)
        return;
    int fd = open_file(usage);
    if (fd < 0) {
        complain(usage, "open", errno);
        return;
    }
    if (has_room(usage, fd)) {
        ssize_t wrote = write(fd, line, len);
        if (wrote == (ssize_t)len)
            usage->failing = false;
        else
            complain(usage, "append to", wrote < 0 ? errno : ENOSPC);
    }
    if (!usage->keeps)
        close(fd);
}
