/* The routines of the recorder: noc_trace.h includes this in the one file that defines TS_NOC_TRACE_IMPLEMENTATION. */
#ifndef TILESIGHT_NOC_TRACE_ROUTINES_H
#define TILESIGHT_NOC_TRACE_ROUTINES_H

#ifdef __cplusplus
extern "C" {
#endif

/* Kept out of line, so that nothing of the state is held in registers across a record, and kept where only assembly calls. */
#define TS_NOC_ROUTINE __attribute__((noinline, used))

#ifdef TS_NOC_OWN_STATE
#ifdef __riscv
/* Within reach of gp: a record takes each with one instruction. */
#define TS_NOC_NEAR __attribute__((section(".sdata"), used))
#else
#define TS_NOC_NEAR
#endif
#ifndef TS_NOC_RESERVED_REGISTERS
TS_NOC_NEAR uint32_t *ts_noc_next = 0;
TS_NOC_NEAR uint32_t *ts_noc_limit = 0;
#endif
TS_NOC_NEAR struct ts_noc_recorder ts_noc_recorder = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
#endif

TS_NOC_INLINE void ts_noc_mark_here(uint32_t *at, uint32_t marker)
{
    uint32_t low, high;
    TS_NOC_CLOCK(low, high);
    at[1] = low;
    at[0] = marker | (high & 0xFFF);
}
TS_NOC_ROUTINE uint32_t *ts_noc_mark(uint32_t *at, uint32_t marker)
{
    ts_noc_mark_here(at, marker);
    return at + 2;
}

/* Fill up to a multiple of four words; one padding marker is ever needed. Gives the words of the buffer. */
TS_NOC_INLINE uint32_t ts_noc_pad(uint32_t *buffer, uint32_t *at)
{
    uint32_t bytes = (uint32_t)((uintptr_t)at - (uintptr_t)buffer);
    if (bytes & 8) {
        at[0] = TS_NOC_MARKER_VALID;
        at[1] = 0;
        bytes += 8;
    }
    return bytes / 4;
}

/* NoC events in the first `count` words of a buffer. */
TS_NOC_ROUTINE uint32_t ts_noc_count(const uint32_t *buffer, uint32_t count)
{
    const uint32_t *at = buffer + TS_NOC_CUSTOM, *end = buffer + count;
    uint32_t events = 0;
    while (at < end) {
        uint32_t type = *at >> 28 & 7;
#ifdef TS_NOC_NEAR_RAW
        /* The first word of a near-raw record is no marker, or of a type that none has. */
        if (!(*at & TS_NOC_MARKER_VALID) || type == 7) {
            events++;
            at += TS_NOC_NEAR_WORDS(*at);
            continue;
        }
#endif
        /* Data packets are the odd types above 1; event and data of others count with NoC events: they are lost too. */
        if (type & 1) {
            events += type > 1;
            at += type;
            at++;
        } else {
            at += 2;
        }
    }
    return events;
}

#ifdef TS_NOC_NEAR_RAW
/* An image's first marker: which kernel's sites its records name, and the whole time. */
TS_NOC_INLINE void ts_noc_near_begin(uint32_t high, uint32_t low)
{
    uint32_t *at = (TS_NOC_RECORDER).buffer + TS_NOC_CUSTOM;
    at[0] = TS_NOC_MARKER(TS_NOC_EVENT, TS_NOC_KERNEL) | (high & 0xFFF);
    at[1] = low;
    TS_NOC_SET_NEXT(at + 2);
#ifdef TS_NOC_RESERVED_REGISTERS
    ts_noc_near_set_clock();
#endif
}
#endif

/* A record of `words` words has filled the buffer (0: none has, and the buffer is sent as it is). Not 0 when the buffer was
 * sent, or thrown away and counted for want of room in DRAM. When it cannot be sent now the record stays in the headroom; the
 * next one is taken back and counted. */
TS_NOC_ROUTINE uint32_t ts_noc_full(uint32_t words)
{
    struct ts_noc_recorder *r = &TS_NOC_RECORDER;
    volatile uint32_t *control = r->control;
    uint32_t *next = TS_NOC_NEXT, *buffer = r->buffer;
    if (control[TS_NOC_DROPPED] & r->bit || control[TS_NOC_DRAM] == 0 || ts_noc_port_busy()) {
        next -= words;
        if (words && next >= TS_NOC_LIMIT) {
            TS_NOC_SET_NEXT(next);
            ++*r->lost;
        }
        return 0;
    }
    next = ts_noc_mark(ts_noc_mark(next, r->flush_marker), r->flush_marker | UINT32_C(1) << 28);
    uint32_t count = ts_noc_pad(buffer, next), sent = *r->sent;
    TS_NOC_SET_NEXT(buffer + TS_NOC_CUSTOM);
    if (sent + count <= r->capacity) {
        *r->sent = sent + count;
        ts_noc_port_send(sent, buffer, count);
    } else {
        control[TS_NOC_DROPPED] |= r->bit;
        *r->lost += ts_noc_count(buffer, count);
    }
#ifdef TS_NOC_NEAR_RAW
    ts_noc_near_begin(next[-2], next[-1]);
#endif
    return 1;
}

TS_NOC_ROUTINE uint32_t ts_noc_flush(void)
{
    return ts_noc_full(0);
}

#ifndef TS_NOC_NEAR_RAW
TS_NOC_INLINE void ts_noc_write(uint32_t low, uint32_t high)
{
    uint32_t *at = TS_NOC_NEXT;
    ts_noc_mark_here(at, TS_NOC_MARKER(TS_NOC_DATA, TS_NOC_STATIC_ID));
    at[2] = high;
    at[3] = low;
    TS_NOC_NEXT = at += 4;
    if (__builtin_expect(at >= TS_NOC_LIMIT, 0))
        ts_noc_full(4);
}

TS_NOC_ROUTINE void ts_noc_put(uint32_t low, uint32_t high)
{
    ts_noc_write(low, high);
}

TS_NOC_ROUTINE void ts_noc_put_address(uint32_t low, uint32_t high, uint32_t high_address, uint32_t size)
{
    ts_noc_write(low | ts_noc_destination(high_address), high | ts_noc_size(size));
}

TS_NOC_ROUTINE void ts_noc_put_multicast(uint32_t low, uint32_t high, uint32_t high_address, uint32_t size)
{
    ts_noc_write(low | ts_noc_corners_low(high_address), high | ts_noc_size(size) | ts_noc_corners_high(high_address));
}

TS_NOC_ROUTINE void ts_noc_put_wide(uint32_t low, uint32_t high, uint32_t trailer_low, uint32_t trailer_high)
{
    uint32_t *at = TS_NOC_NEXT;
    ts_noc_mark_here(at, TS_NOC_MARKER(TS_NOC_DATA16, TS_NOC_STATIC_ID));
    at[2] = high;
    at[3] = low;
    at[4] = trailer_high;
    at[5] = trailer_low;
    TS_NOC_NEXT = at += 6;
    if (__builtin_expect(at + 6 >= TS_NOC_LIMIT, 0))
        ts_noc_full(6);
}

#endif

TS_NOC_ROUTINE void ts_noc_guaranteed(uint32_t slot, uint32_t id)
{
    ts_noc_mark((TS_NOC_RECORDER).buffer + TS_NOC_GUARANTEED + 2 * slot,
                TS_NOC_MARKER(slot & 1 ? TS_NOC_ZONE_END : TS_NOC_ZONE_START, id));
}

TS_NOC_ROUTINE uint32_t ts_noc_zone_open(uint32_t id)
{
    /* With hundreds of zones open even an empty buffer has no more room than their ends need. */
    if (TS_NOC_NEXT >= TS_NOC_LIMIT && (!ts_noc_flush() || TS_NOC_NEXT >= TS_NOC_LIMIT))
        return 0;
    TS_NOC_SET_NEXT(ts_noc_mark(TS_NOC_NEXT, TS_NOC_MARKER(TS_NOC_ZONE_START, id)));
    TS_NOC_SET_LIMIT(TS_NOC_LIMIT - 2);
    return 1;
}

TS_NOC_ROUTINE void ts_noc_zone_close(uint32_t id, uint32_t opened)
{
    if (!opened)
        return;
    TS_NOC_SET_NEXT(ts_noc_mark(TS_NOC_NEXT, TS_NOC_MARKER(TS_NOC_ZONE_END, id)));
    TS_NOC_SET_LIMIT(TS_NOC_LIMIT + 2);
}

TS_NOC_ROUTINE void ts_noc_attach(const struct ts_noc_setup *setup)
{
    struct ts_noc_recorder *r = &TS_NOC_RECORDER;
    TS_NOC_SET_NEXT(setup->buffer + TS_NOC_CUSTOM);
    TS_NOC_SET_LIMIT(setup->buffer + TS_NOC_BUFFER_WORDS - TS_NOC_HEADROOM);
    r->buffer = setup->buffer;
    r->control = setup->control;
    r->sent = setup->control + TS_NOC_HOST_END + setup->risc;
    r->lost = setup->control + TS_NOC_LOST_WORD(setup->risc);
    r->bit = UINT32_C(1) << setup->risc;
    r->capacity = setup->capacity > 4 ? setup->capacity - 4 : 0;
    r->flush_marker = TS_NOC_MARKER(TS_NOC_ZONE_START, setup->flush_zone);
    r->risc = setup->risc;
#ifdef TS_NOC_NEAR_RAW
    uint32_t low, high;
    TS_NOC_CLOCK(low, high);
    ts_noc_near_begin(high, low);
#endif
}

enum { TS_NOC_RISC_BITS = TS_NOC_IDENTITY == 3 ? 5 : 3 };

TS_NOC_ROUTINE void ts_noc_begin(const struct ts_noc_setup *setup)
{
    uint32_t *words = setup->buffer;
    ts_noc_attach(setup);
    words[TS_NOC_ID_HH] = words[TS_NOC_ID_HL] = 0;
    words[TS_NOC_ID_LH] = setup->risc | (setup->flat_id & 0xFF) << TS_NOC_RISC_BITS;
#if TS_NOC_IDENTITY == 1
    words[TS_NOC_ID_LL] = (setup->control[TS_NOC_RUNS] & 0xFFFF) | setup->host_id << 16;
#else
    words[TS_NOC_ID_LH] |= (setup->trace & 0xFFFF) << (TS_NOC_RISC_BITS + 8);
    words[TS_NOC_ID_LL] = setup->host_id;
#endif
    for (uint32_t i = TS_NOC_GUARANTEED; i < TS_NOC_CUSTOM; i++)
        words[i] = TS_NOC_MARKER_VALID;
}

TS_NOC_ROUTINE void ts_noc_finish(void)
{
    struct ts_noc_recorder *r = &TS_NOC_RECORDER;
    uint32_t count = ts_noc_pad(r->buffer, TS_NOC_NEXT);
    TS_NOC_SET_NEXT(r->buffer + count);
    r->control[TS_NOC_DEVICE_END + r->risc] = count;
}

/* How many of a buffer's words fit; what does not is counted. */
TS_NOC_ROUTINE uint32_t ts_noc_fitting(volatile uint32_t *control, uint32_t risc, const uint32_t *buffer,
                                       uint32_t capacity)
{
    uint32_t sent = control[TS_NOC_HOST_END + risc], count = control[TS_NOC_DEVICE_END + risc];
    if (sent + count <= capacity)
        return count;
    control[TS_NOC_DROPPED] |= UINT32_C(1) << risc;
    if (risc <= 1 || risc == 5)
        control[TS_NOC_LOST_WORD(risc)] += ts_noc_count(buffer, count);
    return sent + TS_NOC_CUSTOM <= capacity ? TS_NOC_CUSTOM : 0;
}

TS_NOC_ROUTINE void ts_noc_send(void)
{
    struct ts_noc_recorder *r = &TS_NOC_RECORDER;
    uint32_t count = ts_noc_fitting(r->control, r->risc, r->buffer, r->capacity + 4);
    if (count == 0)
        return;
    ts_noc_port_send(*r->sent, r->buffer, count);
    *r->sent += count;
}

TS_NOC_ROUTINE void ts_noc_launch_core(volatile uint32_t *control, uint32_t *buffers, uint32_t riscs, uint32_t x,
                                       uint32_t y)
{
    control[TS_NOC_DONE] = 0;
    for (uint32_t risc = 0; risc < riscs; risc++) {
        uint32_t *words = buffers + risc * TS_NOC_BUFFER_WORDS;
        for (uint32_t i = control[TS_NOC_RUNS] ? TS_NOC_GUARANTEED : 0; i < TS_NOC_CUSTOM; i++)
            words[i] = i < TS_NOC_GUARANTEED ? 0 : TS_NOC_MARKER_VALID;
    }
    if (control[TS_NOC_RUNS] == 0) {
        control[TS_NOC_X] = x;
        control[TS_NOC_Y] = y;
    }
}

TS_NOC_ROUTINE void ts_noc_close_core(volatile uint32_t *control, uint32_t *buffers, uint32_t riscs, uint32_t capacity,
                                      void (*send)(uint32_t risc, uint32_t word, const uint32_t *words, uint32_t count))
{
    if (control[TS_NOC_DONE] == 1)
        return;
    for (uint32_t risc = 0; risc < riscs; risc++) {
        uint32_t *words = buffers + risc * TS_NOC_BUFFER_WORDS;
        uint32_t keep = ~((UINT32_C(1) << (TS_NOC_RISC_BITS + 8)) - 1);
        words[TS_NOC_ID_LH] = (words[TS_NOC_ID_LH] & keep) | risc | (control[TS_NOC_FLAT] & 0xFF) << TS_NOC_RISC_BITS;
        uint32_t count = ts_noc_fitting(control, risc, words, capacity);
        if (count)
            send(risc, control[TS_NOC_HOST_END + risc], words, count);
        control[TS_NOC_HOST_END + risc] += count;
    }
    control[TS_NOC_RUNS]++;
    control[TS_NOC_DONE] = 1;
}

#ifdef TS_NOC_OWN_REGISTERS
/* Three entries, each going on into the next. t0 is the link; t1 low half, t2 high half, t3 the address' upper word and t4
 * the size are arguments. See ts_noc_put_address for what happens here. */
#define TS_NOC_TEXT_OF(x) #x
#define TS_NOC_TEXT(x) TS_NOC_TEXT_OF(x)
/* clang-format off */
__asm__(".pushsection .text.ts_noc_own,\"ax\",@progbits\n"
        ".balign 4\n"
        ".globl ts_noc_own_sized, ts_noc_own_address, ts_noc_own_plain\n"
        ".type ts_noc_own_sized, @function\n"
        "ts_noc_own_sized:\n"
        "    srli t2, t2, 4\n"
        "    addi t4, t4, 31\n"
        "    lui t5, 2\n"
        "    bltu t4, t5, 1f\n"
        "    addi t4, t5, -32\n"
        "1:  andi t4, t4, -32\n"
        "    slli t4, t4, 11\n"
        "    or t2, t2, t4\n"
        ".size ts_noc_own_sized, . - ts_noc_own_sized\n"
        ".type ts_noc_own_address, @function\n"
        "ts_noc_own_address:\n"
        "    slli t4, t3, 2\n"
        "    lui t5, 0x3F\n"
        "    and t4, t4, t5\n"
        "    andi t3, t3, 0x3F0\n"
        "    or t3, t3, t4\n"
        "    slli t3, t3, 4\n"
        "    or t1, t1, t3\n"
        ".size ts_noc_own_address, . - ts_noc_own_address\n"
        ".type ts_noc_own_plain, @function\n"
        "ts_noc_own_plain:\n"
        "    lw t5, ts_noc_next\n"
        "    lui t3, " TS_NOC_TEXT(TS_NOC_CLOCK_PAGE) "\n"
        "    lw t4, 0x1F0(t3)\n"
        "    lw t3, 0x1F8(t3)\n"
        "    sw t4, 4(t5)\n"
        "    slli t3, t3, 20\n"
        "    srli t3, t3, 20\n"
        "    lui t4, 0xB3039\n"
        "    or t3, t3, t4\n"
        "    sw t3, 0(t5)\n"
        "    sw t2, 8(t5)\n"
        "    sw t1, 12(t5)\n"
        "    lw t4, ts_noc_limit\n"
        "    addi t5, t5, 16\n"
        "    sw t5, ts_noc_next, t3\n"
        "    bltu t5, t4, 1f\n"
        "    addi sp, sp, -48\n"
        "    sw t0, 0(sp)\n"
        "    sw ra, 4(sp)\n"
        "    sw t6, 40(sp)\n"
        "    sw a0, 8(sp)\n"
        "    sw a1, 12(sp)\n"
        "    sw a2, 16(sp)\n"
        "    sw a3, 20(sp)\n"
        "    sw a4, 24(sp)\n"
        "    sw a5, 28(sp)\n"
        "    sw a6, 32(sp)\n"
        "    sw a7, 36(sp)\n"
        "    li a0, 4\n"
        "    call ts_noc_full\n"
        "    lw t0, 0(sp)\n"
        "    lw ra, 4(sp)\n"
        "    lw t6, 40(sp)\n"
        "    lw a0, 8(sp)\n"
        "    lw a1, 12(sp)\n"
        "    lw a2, 16(sp)\n"
        "    lw a3, 20(sp)\n"
        "    lw a4, 24(sp)\n"
        "    lw a5, 28(sp)\n"
        "    lw a6, 32(sp)\n"
        "    lw a7, 36(sp)\n"
        "    addi sp, sp, 48\n"
        "1:  jr t0\n"
        ".size ts_noc_own_plain, . - ts_noc_own_plain\n"
        ".popsection\n");
/* clang-format on */
#endif

#ifdef TS_NOC_NEAR_RAW
/* Where records go on that have filled the buffer: by their length, with t0 as the link. Every other register is kept. */
/* clang-format off */
__asm__(".pushsection .text.ts_noc_near_full,\"ax\",@progbits\n"
        ".balign 4\n"
        ".globl ts_noc_near_full_2, ts_noc_near_full_4, ts_noc_near_full_6, ts_noc_near_full_8\n"
        ".type ts_noc_near_full_2, @function\n"
        "ts_noc_near_full_2:\n"
        "    addi sp, sp, -64\n"
        "    sw a0, 8(sp)\n"
        "    li a0, 2\n"
        "    j 1f\n"
        "ts_noc_near_full_4:\n"
        "    addi sp, sp, -64\n"
        "    sw a0, 8(sp)\n"
        "    li a0, 4\n"
        "    j 1f\n"
        "ts_noc_near_full_6:\n"
        "    addi sp, sp, -64\n"
        "    sw a0, 8(sp)\n"
        "    li a0, 6\n"
        "    j 1f\n"
        "ts_noc_near_full_8:\n"
        "    addi sp, sp, -64\n"
        "    sw a0, 8(sp)\n"
        "    li a0, 8\n"
        "1:  sw t0, 0(sp)\n"
        "    sw ra, 4(sp)\n"
        "    sw a1, 12(sp)\n"
        "    sw a2, 16(sp)\n"
        "    sw a3, 20(sp)\n"
        "    sw a4, 24(sp)\n"
        "    sw a5, 28(sp)\n"
        "    sw a6, 32(sp)\n"
        "    sw a7, 36(sp)\n"
        "    sw t1, 40(sp)\n"
        "    sw t2, 44(sp)\n"
        "    sw t3, 48(sp)\n"
        "    sw t4, 52(sp)\n"
        "    sw t5, 56(sp)\n"
        "    sw t6, 60(sp)\n"
        "    call ts_noc_full\n"
        "    lw t0, 0(sp)\n"
        "    lw ra, 4(sp)\n"
        "    lw a0, 8(sp)\n"
        "    lw a1, 12(sp)\n"
        "    lw a2, 16(sp)\n"
        "    lw a3, 20(sp)\n"
        "    lw a4, 24(sp)\n"
        "    lw a5, 28(sp)\n"
        "    lw a6, 32(sp)\n"
        "    lw a7, 36(sp)\n"
        "    lw t1, 40(sp)\n"
        "    lw t2, 44(sp)\n"
        "    lw t3, 48(sp)\n"
        "    lw t4, 52(sp)\n"
        "    lw t5, 56(sp)\n"
        "    lw t6, 60(sp)\n"
        "    addi sp, sp, 64\n"
        "    jr t0\n"
        ".size ts_noc_near_full_2, . - ts_noc_near_full_2\n"
        ".popsection\n");
/* clang-format on */
#endif

#ifdef __cplusplus
}
#endif
#endif
