/* Feeds a script of clock readings and recorder calls to the recorder and writes what arrived in DRAM: first the 64 words of
 * the control vector, then the words sent. test_recorder.py makes the scripts. */
#include "port.h"

static uint32_t *clock_at;
static inline uint32_t clock_next(uint32_t *high)
{
    uint32_t low = clock_at[0];
    *high = clock_at[1];
    clock_at += 2;
    return low;
}
#define TS_NOC_CLOCK(low, high) ((low) = clock_next(&(high)))
#define TS_NOC_CLOCK_PAGE 0x50000 /* where the assembly looks */
#define PROFILE_NOC_EVENTS 1
#define TS_NOC_TRACE_IMPLEMENTATION
#include <tilesight/noc_trace.h>

enum { SCRIPT_WORDS = 60000, DRAM_WORDS = 20000 };
static uint32_t script[SCRIPT_WORDS], dram[DRAM_WORDS], buffers[5 * TS_NOC_BUFFER_WORDS], control[64];
static uint32_t busy;

uint32_t ts_noc_port_busy(void)
{
    return busy;
}

/* Regions of a core's RISCs stand one behind the other, as far apart as what has arrived needs. */
static void send(uint32_t risc, uint32_t word, const uint32_t *words, uint32_t count)
{
    for (uint32_t before = 0; before < risc; before++)
        word += control[TS_NOC_HOST_END + before];
    if (word + count > DRAM_WORDS || count % 4 != 0)
        port_exit(5);
    for (uint32_t i = 0; i < count; i++)
        dram[word + i] = words[i];
}

void ts_noc_port_send(uint32_t word, const uint32_t *words, uint32_t count)
{
    send(0, word, words, count);
}

/* The assembly reads the clock from memory. */
static void arm(void)
{
#ifdef TS_NOC_OWN_REGISTERS
    uint32_t high;
    *(volatile uint32_t *)0x500001F0 = clock_next(&high);
    *(volatile uint32_t *)0x500001F8 = high;
#endif
}

/* Numbers of the script's steps; each has its arguments behind it. */
enum step {
    END,
    BEGIN,          /* risc flat host trace capacity flush_zone */
    SLOT,           /* slot id */
    PLAIN,          /* type noc vc posted */
    ADDRESS,        /* type noc vc posted high_address size */
    MULTICAST,      /* the same */
    WIDE,           /* type noc vc posted high_address size to local counter */
    WIDE_PLAIN,     /* type noc vc posted local counter to */
    WIDE_MULTICAST, /* as WIDE */
    OPEN,           /* id */
    CLOSE,          /* id */
    FABRIC,         /* type x y end_x end_y noc packet */
    SCATTER,        /* x y chunk chunks noc packet */
    ROUTE_1D,       /* value */
    ROUTE_2D,       /* ns e w multicast */
    FINISH,
    BUSY, /* whether */
    FLUSH,
    LAUNCH,     /* x y */
    CLOSE_CORE, /* capacity */
    PAD
};

static void run(const uint32_t *at)
{
    uint32_t opened[16], depth = 0;
    for (;;) {
        const uint32_t *a = at + 1;
        switch (at[0]) {
        case END:
            return;
        case BEGIN: {
            struct ts_noc_setup setup = {
                buffers + a[0] * TS_NOC_BUFFER_WORDS, control, a[0], a[1], a[2], a[3], a[4], a[5]};
            ts_noc_begin(&setup);
            at += 7;
            break;
        }
        case SLOT:
            ts_noc_guaranteed(a[0], a[1]);
            at += 3;
            break;
        case PLAIN:
            arm();
            ts_noc_record_plain(TS_NOC_LOW_NOWHERE(a[0]), TS_NOC_HIGH(a[0], a[1], a[2], a[3]));
            at += 5;
            break;
        case ADDRESS:
            arm();
            ts_noc_record_address(TS_NOC_LOW(a[0]), TS_NOC_HIGH(a[0], a[1], a[2], a[3]), (uint64_t)a[4] << 32, a[5]);
            at += 7;
            break;
        case MULTICAST:
            ts_noc_put_multicast(TS_NOC_LOW(a[0]) & 0xFFu, TS_NOC_HIGH(a[0], a[1], a[2], a[3]), a[4], a[5]);
            at += 7;
            break;
        case WIDE:
            ts_noc_record_wide(TS_NOC_LOW(a[0]) | ts_noc_destination(a[4]),
                               TS_NOC_HIGH(a[0], a[1], a[2], a[3]) | ts_noc_size(a[5]), a[6], a[7], a[8]);
            at += 10;
            break;
        case WIDE_PLAIN:
            ts_noc_record_wide(TS_NOC_LOW_NOWHERE(a[0]), TS_NOC_HIGH(a[0], a[1], a[2], a[3]), a[6], a[4], a[5]);
            at += 8;
            break;
        case WIDE_MULTICAST:
            ts_noc_record_wide((TS_NOC_LOW(a[0]) & 0xFFu) | ts_noc_corners_low(a[4]),
                               TS_NOC_HIGH(a[0], a[1], a[2], a[3]) | ts_noc_size(a[5]) | ts_noc_corners_high(a[4]),
                               a[6], a[7], a[8]);
            at += 10;
            break;
        case OPEN:
            opened[depth++ & 15] = ts_noc_zone_open(a[0]);
            at += 2;
            break;
        case CLOSE:
            ts_noc_zone_close(a[0], opened[--depth & 15]);
            at += 2;
            break;
#if TS_NOC_WIRE >= 2
        case FABRIC:
            ts_noc_put(TS_NOC_FABRIC_LOW(a[0], a[1], a[2], a[3]), TS_NOC_FABRIC_HIGH(a[0], a[4], a[5], a[6]));
            at += 8;
            break;
        case SCATTER:
            TS_NOC_RECORD_SCATTER(a[0], a[1], a[2], a[3], a[4], a[5]);
            at += 7;
            break;
        case ROUTE_1D:
            TS_NOC_RECORD_ROUTING_1D(a[0]);
            at += 2;
            break;
#endif
#if TS_NOC_WIRE >= 3
        case ROUTE_2D:
            TS_NOC_RECORD_ROUTING_2D(a[0], a[1], a[2], a[3]);
            at += 5;
            break;
#endif
        case FINISH:
            ts_noc_finish();
            ts_noc_send();
            at += 1;
            break;
        case PAD:
            ts_noc_finish();
            at += 1;
            break;
        case BUSY:
            busy = a[0];
            at += 2;
            break;
        case FLUSH:
            ts_noc_flush();
            at += 1;
            break;
        case LAUNCH:
            ts_noc_launch_core(control, buffers, 5, a[0], a[1]);
            at += 3;
            break;
        case CLOSE_CORE:
            for (uint32_t risc = 0; risc < 5; risc++)
                if (control[TS_NOC_DEVICE_END + risc] == 0)
                    control[TS_NOC_DEVICE_END + risc] = TS_NOC_CUSTOM;
            ts_noc_close_core(control, buffers, 5, a[0], send);
            at += 2;
            break;
        default:
            port_exit(6);
        }
    }
}

int main(void)
{
    uint32_t sizes[2]; /* words of clock readings, words of the script */
    port_read_all(sizes, sizeof sizes);
    if (sizes[0] > SCRIPT_WORDS || sizes[1] > SCRIPT_WORDS - sizes[0])
        port_exit(2);
    port_read_all(script, (long)(4 * (sizes[0] + sizes[1])));
#if defined __riscv && defined TS_NOC_OWN_REGISTERS
    port_page(0x50000000);
#endif
    clock_at = script;
    control[TS_NOC_DRAM] = 1;
    run(script + sizes[0]);
    /* Every reading of the clock is used: nothing else than the records asked for the time. */
    if (clock_at != script + sizes[0])
        port_exit(7);
    port_write_all(control, sizeof control);
    long words = 0;
    for (int risc = 0; risc < 5; risc++)
        words += (long)control[TS_NOC_HOST_END + risc];
    port_write_all(dram, 4 * words);
    return 0;
}
