#include "surfaces/mcp/budget.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/number.h"

/* What requests that are read meanwhile may take, and the rounding of whoever allocates. */
#define SLACK (8 * TS_MIB)

void ts_mcp_budget_open(struct ts_mcp_budget *budget)
{
    struct rlimit limit;
    *budget = (struct ts_mcp_budget){.sizes = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)};
    budget->ready = budget->sizes >= 0 && getrlimit(RLIMIT_DATA, &limit) == 0;
    if (budget->ready)
        budget->standing = limit.rlim_cur;
}

void ts_mcp_budget_close(struct ts_mcp_budget *budget)
{
    if (budget->sizes >= 0)
        close(budget->sizes);
    *budget = (struct ts_mcp_budget){.sizes = -1};
}

/* What counts against RLIMIT_DATA, in bytes: the sixth number, in pages. 0 when it cannot be told. */
static uint64_t data_now(const struct ts_mcp_budget *budget)
{
    char text[256];
    ssize_t got = pread(budget->sizes, text, sizeof text, 0);
    struct ts_str rest = {text, got > 0 ? (size_t)got : 0}, word = {NULL, 0};
    bool done = false;
    for (int i = 0; i < 6; i++)
        if (!ts_str_split(&rest, ' ', &word, &done))
            return 0;
    uint64_t pages;
    long page = sysconf(_SC_PAGESIZE);
    return ts_number_parse_u64(word, &pages) && page > 0 ? pages * (uint64_t)page : 0;
}

/* Of a thread that is given none in particular. */
static uint64_t stack_size(void)
{
    pthread_attr_t attributes;
    size_t size = 0;
    if (pthread_attr_init(&attributes) != 0)
        return 0;
    pthread_attr_getstacksize(&attributes, &size);
    pthread_attr_destroy(&attributes);
    return size;
}

static bool set_limit(uint64_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_DATA, &limit) != 0)
        return false;
    limit.rlim_cur = (rlim_t)bytes;
    return setrlimit(RLIMIT_DATA, &limit) == 0;
}

bool ts_mcp_budget_begin(const struct ts_mcp_budget *budget, size_t bytes, unsigned threads)
{
    uint64_t now = budget->ready ? data_now(budget) : 0, wanted;
    if (now == 0 || __builtin_add_overflow(now, (uint64_t)bytes + SLACK + threads * stack_size(), &wanted))
        return false;
    return wanted < budget->standing && set_limit(wanted);
}

void ts_mcp_budget_end(const struct ts_mcp_budget *budget)
{
    set_limit(budget->standing);
}
