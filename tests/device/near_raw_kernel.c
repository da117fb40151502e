/* A kernel whose every record is a call site of its own, for the near-raw mode: it follows a script of steps as replay.c does, and a
 * step names its site. test_near_raw.py writes near_raw_sites.h: one line a site, TYPE_NAME and what is constant of it. */
#include "port.h"

/* The clock's page as the assembly reads it; what C reads of it goes on by one, so that no two marks have one time. */
#define TS_NOC_CLOCK_PAGE 0x50000
static volatile uint32_t *const clock_low = (volatile uint32_t *)0x500001F0;
static volatile uint32_t *const clock_high = (volatile uint32_t *)0x500001F8;
static inline uint32_t clock_next(uint32_t *high)
{
    uint32_t low = *clock_low;
    *high = *clock_high;
    *clock_low = low + 1;
    *clock_high = *high + (low == UINT32_MAX);
    return low;
}
#define TS_NOC_CLOCK(low, high) ((low) = clock_next(&(high)))
#define PROFILE_NOC_EVENTS 1
#define TS_NOC_NEAR_RAW
#define TS_NOC_TRACE_IMPLEMENTATION
#include <tilesight/noc_trace.h>

enum { SCRIPT_WORDS = 100000, DRAM_WORDS = 40000 };
static uint32_t script[SCRIPT_WORDS], dram[DRAM_WORDS], buffer[TS_NOC_BUFFER_WORDS], control[64];
static uint32_t busy;

uint32_t ts_noc_port_busy(void)
{
    return busy;
}
void ts_noc_port_send(uint32_t word, const uint32_t *words, uint32_t count)
{
    if (word + count > DRAM_WORDS || count % 4 != 0)
        port_exit(5);
    for (uint32_t i = 0; i < count; i++)
        dram[word + i] = words[i];
}

enum step {
    END,
    BEGIN,  /* risc flat host trace capacity flush_zone */
    SLOT,   /* slot id */
    OPEN,   /* id */
    CLOSE,  /* id */
    FINISH, /* pad and send */
    BUSY,   /* whether */
    FLUSH,
    RECORD /* site, and six arguments */
};

/* Out of line: the test looks at the code of each site. */
static void record(uint32_t site, const uint32_t *a)
{
    switch (site) {
#define PLAIN(number, type, noc, vc, posted)                                                                           \
    case number:                                                                                                       \
        TS_NOC_NEAR_0(TS_NOC_SHAPE_PLAIN, TS_NOC_TYPE(type), noc, vc, posted);                                         \
        break;
#define PLAIN_CALL(number, type, noc, vc, posted)                                                                      \
    case number:                                                                                                       \
        TS_NOC_NEAR_1(TS_NOC_SHAPE_PLAIN, TS_NOC_TYPE(type), noc, vc, posted, a[1]);                                   \
        break;
#define ADDRESS(number, type, noc, vc, posted)                                                                         \
    case number:                                                                                                       \
        TS_NOC_NEAR_4(TS_NOC_SHAPE_ADDRESS, TS_NOC_TYPE(type), noc, vc, posted, a[0], a[1], a[2], a[3]);               \
        break;
/* One argument known to the compiler: it stands in the table. */
#define ADDRESS_SIZED(number, type, noc, vc, posted, size)                                                             \
    case number:                                                                                                       \
        TS_NOC_NEAR_4(TS_NOC_SHAPE_ADDRESS, TS_NOC_TYPE(type), noc, vc, posted, a[0], a[1], size, a[3]);               \
        break;
#define MULTICAST(number, type, noc, vc, posted)                                                                       \
    case number:                                                                                                       \
        TS_NOC_NEAR_5(TS_NOC_SHAPE_MULTICAST, TS_NOC_TYPE(type), noc, vc, posted, a[0], a[1], a[2], a[3], a[4]);       \
        break;
#define WIDE(number, type, noc, vc, posted)                                                                            \
    case number:                                                                                                       \
        TS_NOC_NEAR_5(TS_NOC_SHAPE_WIDE, TS_NOC_TYPE(type), noc, vc, posted, a[0], a[1], a[2], a[3], a[4]);            \
        break;
#define WIDE_MULTICAST(number, type, noc, vc, posted)                                                                  \
    case number:                                                                                                       \
        TS_NOC_NEAR_5(TS_NOC_SHAPE_WIDE_MULTICAST, TS_NOC_TYPE(type), noc, vc, posted, a[0], a[1], a[2], a[3], a[4]);  \
        break;
#define WIDE_PLAIN(number, type, noc, vc, posted)                                                                      \
    case number:                                                                                                       \
        TS_NOC_NEAR_3(TS_NOC_SHAPE_WIDE_PLAIN, TS_NOC_TYPE(type), noc, vc, posted, a[0], a[1], a[2]);                  \
        break;
#define FABRIC(number, type, noc, vc, posted)                                                                          \
    case number:                                                                                                       \
        TS_NOC_RECORD_FABRIC(type, a[0], a[1], a[2], a[3]);                                                            \
        break;
#define CORNERS(number, type, noc, vc, posted)                                                                         \
    case number:                                                                                                       \
        TS_NOC_RECORD_FABRIC_MULTICAST(type, a[0], a[1], a[2], a[3], a[4], a[5]);                                      \
        break;
#define SCATTER(number, type, noc, vc, posted)                                                                         \
    case number:                                                                                                       \
        TS_NOC_RECORD_SCATTER(a[0], a[1], a[2], a[3], a[4], a[5]);                                                     \
        break;
#define ROUTE_1D(number, type, noc, vc, posted)                                                                        \
    case number:                                                                                                       \
        TS_NOC_RECORD_ROUTING_1D(a[0]);                                                                                \
        break;
#define ROUTE_2D(number, type, noc, vc, posted)                                                                        \
    case number:                                                                                                       \
        TS_NOC_RECORD_ROUTING_2D(a[0], a[1], a[2], a[3]);                                                              \
        break;
#include "near_raw_sites.h"
    default:
        port_exit(6);
    }
}

/* Each step has the time behind its number: low word, high word. */
static void run(const uint32_t *at)
{
    uint32_t opened[16], depth = 0;
    for (;;) {
        const uint32_t *a = at + 3;
        *clock_low = at[1];
        *clock_high = at[2];
        switch (at[0]) {
        case END:
            return;
        case BEGIN: {
            struct ts_noc_setup setup = {buffer, control, a[0], a[1], a[2], a[3], a[4], a[5]};
            ts_noc_begin(&setup);
            at = a + 6;
            break;
        }
        case SLOT:
            ts_noc_guaranteed(a[0], a[1]);
            at = a + 2;
            break;
        case OPEN:
            opened[depth++ & 15] = ts_noc_zone_open(a[0]);
            at = a + 1;
            break;
        case CLOSE:
            ts_noc_zone_close(a[0], opened[--depth & 15]);
            at = a + 1;
            break;
        case FINISH:
            ts_noc_finish();
            ts_noc_send();
            at = a;
            break;
        case BUSY:
            busy = a[0];
            at = a + 1;
            break;
        case FLUSH:
            ts_noc_flush();
            at = a;
            break;
        case RECORD:
            record(a[0], a + 1);
            at = a + 7;
            break;
        default:
            port_exit(6);
        }
    }
}

int main(void)
{
    uint32_t words;
    port_page(0x50000000);
    port_read_all(&words, sizeof words);
    if (words > SCRIPT_WORDS)
        port_exit(2);
    port_read_all(script, (long)(4 * words));
    control[TS_NOC_DRAM] = 1;
    run(script);
    port_write_all(control, sizeof control);
    long sent = 0;
    for (uint32_t risc = 0; risc < 5; risc++)
        sent += (long)control[TS_NOC_HOST_END + risc];
    port_write_all(dram, 4 * sent);
    return 0;
}
