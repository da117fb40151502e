/* The near-raw mode of the recorder: noc_trace_record.h includes this where TS_NOC_NEAR_RAW is defined. Do not include it
 * yourself.
 *
 * A record stores the low word of the time, the number of its call site and the call's arguments as they are; what the event is
 * and how it is packed says a table beside the code, one entry for each site, from which the host makes the packets of
 * noc_trace.h. The table is the section .ts_noc_sites of the linked kernel. It is not loaded, and neither are the sections
 * .ts_noc_numbers.2 to .8, in which the linker counts the sites: a site's number is the place of its byte there.
 *
 * RV32, by gcc or clang. Macros of the surroundings:
 *
 *   TS_NOC_KERNEL              number of the kernel, 0 to 65535 (0): which table its records belong to. Kernels that end up in one
 *                              capture need different ones.
 *   TS_NOC_RESERVED_REGISTERS  the pointer, its limit and the clock's page stay in s11, s10 and s9. Everything that runs in the
 *                              kernel is to be compiled with -ffixed-x27 -ffixed-x26 -ffixed-x25.
 *                              gcc does what that says; clang 14 takes it and does not heed it, so with clang by way of LLVM IR:
 *                              clang -emit-llvm, then llc -mattr=+reserve-x27,+reserve-x26,+reserve-x25.
 *   TS_NOC_REGISTERS_ARE_RESERVED  says to clang that this was done
 *   TS_NOC_SITE_FILE, TS_NOC_SITE_LINE  the place that the table names: __FILE__ and __LINE__
 *
 * Type, NoC, virtual channel and the posted bit of a record are constants here. Other arguments that the compiler knows stand in the
 * table and cost nothing (not without optimisation, where nothing is known). */
#ifndef TILESIGHT_NOC_TRACE_NEAR_RAW_H
#define TILESIGHT_NOC_TRACE_NEAR_RAW_H

#if !defined __riscv || __riscv_xlen != 32 || !defined TS_NOC_OWN_STATE || defined TS_NOC_OWN_REGISTERS
#error "TS_NOC_NEAR_RAW is for RV32, with the recorder's own state and without TS_NOC_OWN_REGISTERS"
#endif

#if defined TS_NOC_RESERVED_REGISTERS && defined __clang__ && !defined TS_NOC_REGISTERS_ARE_RESERVED
#error "clang may not heed -ffixed-x27: see noc_trace_near_raw.h, and define TS_NOC_REGISTERS_ARE_RESERVED when it does"
#endif

#ifndef TS_NOC_KERNEL
#define TS_NOC_KERNEL 0
#endif
#ifndef TS_NOC_SITE_FILE
#define TS_NOC_SITE_FILE __FILE__
#endif
#ifndef TS_NOC_SITE_LINE
#define TS_NOC_SITE_LINE __LINE__
#endif
#define TS_NOC_NEAR_TEXT_OF(x) #x
#define TS_NOC_NEAR_TEXT(x) TS_NOC_NEAR_TEXT_OF(x)

/* --- one site ---------------------------------------------------------------------------------------------------------- */

#ifdef __OPTIMIZE__
#define TS_NOC_NEAR_KNOWN(a) __builtin_constant_p(a)
#else
#define TS_NOC_NEAR_KNOWN(a) 0
#endif
/* Operands of argument i: its register, and its value where that is known. */
#define TS_NOC_NEAR_REGISTER(name, value) [name] "rJ"(value)
#define TS_NOC_NEAR_CONSTANT(name, value) [name] "i"(value)
#define TS_NOC_NEAR_OPERAND(i, a)                                                                                      \
    TS_NOC_NEAR_REGISTER(r##i, TS_NOC_NEAR_KNOWN(a) ? UINT32_C(0) : (a)),                                              \
        TS_NOC_NEAR_CONSTANT(c##i, TS_NOC_NEAR_KNOWN(a) ? (a) : UINT32_C(0))
#define TS_NOC_NEAR_BIT(i, a) (TS_NOC_NEAR_KNOWN(a) ? 1u << (i) : 0u)
#define TS_NOC_NEAR_NO_OPERAND(i) TS_NOC_NEAR_REGISTER(r##i, 0), TS_NOC_NEAR_CONSTANT(c##i, 0)

#define TS_NOC_NEAR_STORE(i)                                                                                           \
    ".if (%[known] >> " #i " & 1) == 0\n"                                                                              \
    "    sw %z[r" #i "], ts_noc_at(" TS_NOC_NEAR_N ")\n"                                                               \
    ".set ts_noc_at, ts_noc_at + 4\n"                                                                                  \
    ".endif\n"
#define TS_NOC_NEAR_COUNT(words)                                                                                       \
    ".if ts_noc_at == 4 * " #words "\n"                                                                                \
    ".pushsection .ts_noc_numbers." #words ",\"\",@progbits\n"                                                         \
    "9:  .byte 0\n"                                                                                                    \
    ".reloc 9b, R_RISCV_NONE, 8f\n" /* what keeps a number keeps its entry */                                          \
    ".popsection\n"                                                                                                    \
    ".endif\n"
#define TS_NOC_NEAR_FULL(words)                                                                                        \
    ".if ts_noc_at == 4 * " #words "\n"                                                                                \
    "    jal t0, ts_noc_near_full_" #words "\n"                                                                        \
    ".endif\n"
#define TS_NOC_NEAR_NUMBER "9b + 1 + ((ts_noc_at / 8 - 1) << 10)"

#ifdef TS_NOC_RESERVED_REGISTERS
#define TS_NOC_NEAR_N "s11"
#define TS_NOC_NEAR_RESULTS(next, word) [t] "=&r"(word)
#define TS_NOC_NEAR_TAKE "    lw %[t], 0x1F0(s9)\n"
#define TS_NOC_NEAR_GIVE                                                                                               \
    "    addi s11, s11, ts_noc_at\n"                                                                                   \
    "    bltu s11, s10, 7f\n"
#else
#define TS_NOC_NEAR_N "%[n]"
#define TS_NOC_NEAR_RESULTS(next, word) [n] "=&r"(next), [t] "=&r"(word)
#define TS_NOC_NEAR_TAKE                                                                                               \
    "    lw " TS_NOC_NEAR_N ", ts_noc_next\n"                                                                          \
    "    lui %[t], " TS_NOC_NEAR_TEXT(TS_NOC_CLOCK_PAGE) "\n"                                                          \
                                                         "    lw %[t], 0x1F0(%[t])\n"
#define TS_NOC_NEAR_GIVE                                                                                               \
    "    addi " TS_NOC_NEAR_N ", " TS_NOC_NEAR_N ", ts_noc_at\n"                                                       \
    "    sw " TS_NOC_NEAR_N ", ts_noc_next, %[t]\n"                                                                    \
    "    lw %[t], ts_noc_limit\n"                                                                                      \
    "    bltu " TS_NOC_NEAR_N ", %[t], 7f\n"
#endif

/* The record, its number, and its entry in the table. The assembler works out which arguments are stored where. The memory a
 * record writes is not the kernel's, so none is clobbered: a record orders nothing. */
/* clang-format off */
#define TS_NOC_NEAR_CODE \
    TS_NOC_NEAR_TAKE \
    "    sw %[t], 4(" TS_NOC_NEAR_N ")\n" \
    ".set ts_noc_at, 8\n" \
    TS_NOC_NEAR_STORE(0) TS_NOC_NEAR_STORE(1) TS_NOC_NEAR_STORE(2) \
    TS_NOC_NEAR_STORE(3) TS_NOC_NEAR_STORE(4) TS_NOC_NEAR_STORE(5) \
    ".set ts_noc_at, (ts_noc_at + 7) & -8\n" \
    TS_NOC_NEAR_COUNT(2) TS_NOC_NEAR_COUNT(4) TS_NOC_NEAR_COUNT(6) TS_NOC_NEAR_COUNT(8) \
    "    addi %[t], zero, %%lo(" TS_NOC_NEAR_NUMBER ")\n" \
    "    sw %[t], 0(" TS_NOC_NEAR_N ")\n" \
    TS_NOC_NEAR_GIVE \
    TS_NOC_NEAR_FULL(2) TS_NOC_NEAR_FULL(4) TS_NOC_NEAR_FULL(6) TS_NOC_NEAR_FULL(8) \
    "7:\n" \
    ".pushsection .ts_noc_sites,\"\",@progbits\n" \
    ".balign 4\n" \
    "8:  .ascii \"TSN1\"\n" \
    "    .2byte " TS_NOC_NEAR_TEXT(TS_NOC_KERNEL) "\n" \
    "    .byte " TS_NOC_NEAR_TEXT(TS_NOC_WIRE) ", %[shape], %[type], %[noc], %[vc], %[posted]\n" \
    "    .byte ts_noc_at / 4, %[known], %[count], 0\n" \
    "    .4byte " TS_NOC_NEAR_NUMBER ", %[line]\n" \
    "    .4byte %[c0], %[c1], %[c2], %[c3], %[c4], %[c5]\n" \
    "    .asciz \"" TS_NOC_SITE_FILE "\"\n" \
    ".balign 4\n" \
    ".popsection\n"
/* clang-format on */

/* gcc takes the lines of the table for instructions, and would not inline what holds them. */
#if !defined __clang__ && __GNUC__ >= 9
#define TS_NOC_NEAR_STATEMENT __asm__ __inline__ volatile
#else
#define TS_NOC_NEAR_STATEMENT __asm__ volatile
#endif
#define TS_NOC_NEAR_ASM(shape_, type_, noc_, vc_, posted_, count_, known_, ...)                                        \
    do {                                                                                                               \
        uint32_t *ts_noc_n = 0, ts_noc_t;                                                                              \
        TS_NOC_NEAR_STATEMENT(                                                                                         \
            TS_NOC_NEAR_CODE                                                                                           \
            : TS_NOC_NEAR_RESULTS(ts_noc_n, ts_noc_t)                                                                  \
            : [shape] "i"(shape_), [type] "i"(type_), [noc] "i"(noc_), [vc] "i"((vc_)&255),                            \
              [posted] "i"((posted_) ? 1 : 0), [count] "i"(count_), [line] "i"(TS_NOC_SITE_LINE), [known] "i"(known_), \
              __VA_ARGS__                                                                                              \
            : "t0");                                                                                                   \
        (void)ts_noc_n;                                                                                                \
        (void)ts_noc_t;                                                                                                \
    } while (0)
/* With none to six arguments, each evaluated once. Where an argument is a pointer its address is stored. */
#define TS_NOC_NEAR_0(shape, type, noc, vc, posted)                                                                    \
    __extension__({                                                                                                    \
        TS_NOC_NEAR_ASM(shape, type, noc, vc, posted, 0, 0x3Fu, TS_NOC_NEAR_NO_OPERAND(0), TS_NOC_NEAR_NO_OPERAND(1),  \
                        TS_NOC_NEAR_NO_OPERAND(2), TS_NOC_NEAR_NO_OPERAND(3), TS_NOC_NEAR_NO_OPERAND(4),               \
                        TS_NOC_NEAR_NO_OPERAND(5));                                                                    \
    })
#define TS_NOC_NEAR_1(shape, type, noc, vc, posted, x0)                                                                \
    __extension__({                                                                                                    \
        const uint32_t ts_noc_x0 = (uint32_t)(uintptr_t)(x0);                                                          \
        TS_NOC_NEAR_ASM(shape, type, noc, vc, posted, 1, TS_NOC_NEAR_BIT(0, ts_noc_x0) | 0x3Eu,                        \
                        TS_NOC_NEAR_OPERAND(0, ts_noc_x0), TS_NOC_NEAR_NO_OPERAND(1), TS_NOC_NEAR_NO_OPERAND(2),       \
                        TS_NOC_NEAR_NO_OPERAND(3), TS_NOC_NEAR_NO_OPERAND(4), TS_NOC_NEAR_NO_OPERAND(5));              \
    })
#define TS_NOC_NEAR_2(shape, type, noc, vc, posted, x0, x1)                                                            \
    __extension__({                                                                                                    \
        const uint32_t ts_noc_x0 = (uint32_t)(uintptr_t)(x0);                                                          \
        const uint32_t ts_noc_x1 = (uint32_t)(uintptr_t)(x1);                                                          \
        TS_NOC_NEAR_ASM(                                                                                               \
            shape, type, noc, vc, posted, 2, TS_NOC_NEAR_BIT(0, ts_noc_x0) | TS_NOC_NEAR_BIT(1, ts_noc_x1) | 0x3Cu,    \
            TS_NOC_NEAR_OPERAND(0, ts_noc_x0), TS_NOC_NEAR_OPERAND(1, ts_noc_x1), TS_NOC_NEAR_NO_OPERAND(2),           \
            TS_NOC_NEAR_NO_OPERAND(3), TS_NOC_NEAR_NO_OPERAND(4), TS_NOC_NEAR_NO_OPERAND(5));                          \
    })
#define TS_NOC_NEAR_3(shape, type, noc, vc, posted, x0, x1, x2)                                                        \
    __extension__({                                                                                                    \
        const uint32_t ts_noc_x0 = (uint32_t)(uintptr_t)(x0);                                                          \
        const uint32_t ts_noc_x1 = (uint32_t)(uintptr_t)(x1);                                                          \
        const uint32_t ts_noc_x2 = (uint32_t)(uintptr_t)(x2);                                                          \
        TS_NOC_NEAR_ASM(                                                                                               \
            shape, type, noc, vc, posted, 3,                                                                           \
            TS_NOC_NEAR_BIT(0, ts_noc_x0) | TS_NOC_NEAR_BIT(1, ts_noc_x1) | TS_NOC_NEAR_BIT(2, ts_noc_x2) | 0x38u,     \
            TS_NOC_NEAR_OPERAND(0, ts_noc_x0), TS_NOC_NEAR_OPERAND(1, ts_noc_x1), TS_NOC_NEAR_OPERAND(2, ts_noc_x2),   \
            TS_NOC_NEAR_NO_OPERAND(3), TS_NOC_NEAR_NO_OPERAND(4), TS_NOC_NEAR_NO_OPERAND(5));                          \
    })
#define TS_NOC_NEAR_4(shape, type, noc, vc, posted, x0, x1, x2, x3)                                                    \
    __extension__({                                                                                                    \
        const uint32_t ts_noc_x0 = (uint32_t)(uintptr_t)(x0);                                                          \
        const uint32_t ts_noc_x1 = (uint32_t)(uintptr_t)(x1);                                                          \
        const uint32_t ts_noc_x2 = (uint32_t)(uintptr_t)(x2);                                                          \
        const uint32_t ts_noc_x3 = (uint32_t)(uintptr_t)(x3);                                                          \
        TS_NOC_NEAR_ASM(shape, type, noc, vc, posted, 4,                                                               \
                        TS_NOC_NEAR_BIT(0, ts_noc_x0) | TS_NOC_NEAR_BIT(1, ts_noc_x1) |                                \
                            TS_NOC_NEAR_BIT(2, ts_noc_x2) | TS_NOC_NEAR_BIT(3, ts_noc_x3) | 0x30u,                     \
                        TS_NOC_NEAR_OPERAND(0, ts_noc_x0), TS_NOC_NEAR_OPERAND(1, ts_noc_x1),                          \
                        TS_NOC_NEAR_OPERAND(2, ts_noc_x2), TS_NOC_NEAR_OPERAND(3, ts_noc_x3),                          \
                        TS_NOC_NEAR_NO_OPERAND(4), TS_NOC_NEAR_NO_OPERAND(5));                                         \
    })
#define TS_NOC_NEAR_5(shape, type, noc, vc, posted, x0, x1, x2, x3, x4)                                                \
    __extension__({                                                                                                    \
        const uint32_t ts_noc_x0 = (uint32_t)(uintptr_t)(x0);                                                          \
        const uint32_t ts_noc_x1 = (uint32_t)(uintptr_t)(x1);                                                          \
        const uint32_t ts_noc_x2 = (uint32_t)(uintptr_t)(x2);                                                          \
        const uint32_t ts_noc_x3 = (uint32_t)(uintptr_t)(x3);                                                          \
        const uint32_t ts_noc_x4 = (uint32_t)(uintptr_t)(x4);                                                          \
        TS_NOC_NEAR_ASM(                                                                                               \
            shape, type, noc, vc, posted, 5,                                                                           \
            TS_NOC_NEAR_BIT(0, ts_noc_x0) | TS_NOC_NEAR_BIT(1, ts_noc_x1) | TS_NOC_NEAR_BIT(2, ts_noc_x2) |            \
                TS_NOC_NEAR_BIT(3, ts_noc_x3) | TS_NOC_NEAR_BIT(4, ts_noc_x4) | 0x20u,                                 \
            TS_NOC_NEAR_OPERAND(0, ts_noc_x0), TS_NOC_NEAR_OPERAND(1, ts_noc_x1), TS_NOC_NEAR_OPERAND(2, ts_noc_x2),   \
            TS_NOC_NEAR_OPERAND(3, ts_noc_x3), TS_NOC_NEAR_OPERAND(4, ts_noc_x4), TS_NOC_NEAR_NO_OPERAND(5));          \
    })
#define TS_NOC_NEAR_6(shape, type, noc, vc, posted, x0, x1, x2, x3, x4, x5)                                            \
    __extension__({                                                                                                    \
        const uint32_t ts_noc_x0 = (uint32_t)(uintptr_t)(x0);                                                          \
        const uint32_t ts_noc_x1 = (uint32_t)(uintptr_t)(x1);                                                          \
        const uint32_t ts_noc_x2 = (uint32_t)(uintptr_t)(x2);                                                          \
        const uint32_t ts_noc_x3 = (uint32_t)(uintptr_t)(x3);                                                          \
        const uint32_t ts_noc_x4 = (uint32_t)(uintptr_t)(x4);                                                          \
        const uint32_t ts_noc_x5 = (uint32_t)(uintptr_t)(x5);                                                          \
        TS_NOC_NEAR_ASM(                                                                                               \
            shape, type, noc, vc, posted, 6,                                                                           \
            TS_NOC_NEAR_BIT(0, ts_noc_x0) | TS_NOC_NEAR_BIT(1, ts_noc_x1) | TS_NOC_NEAR_BIT(2, ts_noc_x2) |            \
                TS_NOC_NEAR_BIT(3, ts_noc_x3) | TS_NOC_NEAR_BIT(4, ts_noc_x4) | TS_NOC_NEAR_BIT(5, ts_noc_x5),         \
            TS_NOC_NEAR_OPERAND(0, ts_noc_x0), TS_NOC_NEAR_OPERAND(1, ts_noc_x1), TS_NOC_NEAR_OPERAND(2, ts_noc_x2),   \
            TS_NOC_NEAR_OPERAND(3, ts_noc_x3), TS_NOC_NEAR_OPERAND(4, ts_noc_x4), TS_NOC_NEAR_OPERAND(5, ts_noc_x5));  \
    })

/* --- the state --------------------------------------------------------------------------------------------------------- */

#ifdef TS_NOC_RESERVED_REGISTERS
TS_NOC_INLINE uint32_t *ts_noc_near_next(void)
{
    uint32_t *at;
    __asm__ volatile("mv %0, s11" : "=r"(at));
    return at;
}
TS_NOC_INLINE uint32_t *ts_noc_near_limit(void)
{
    uint32_t *at;
    __asm__ volatile("mv %0, s10" : "=r"(at));
    return at;
}
TS_NOC_INLINE void ts_noc_near_set_clock(void)
{
    __asm__ volatile("lui s9, " TS_NOC_NEAR_TEXT(TS_NOC_CLOCK_PAGE));
}
#define TS_NOC_NEXT ts_noc_near_next()
#define TS_NOC_LIMIT ts_noc_near_limit()
#define TS_NOC_SET_NEXT(value) __asm__ volatile("mv s11, %0" : : "r"(value))
#define TS_NOC_SET_LIMIT(value) __asm__ volatile("mv s10, %0" : : "r"(value))
#endif

/* --- the macros: those of noc_trace_record.h ------------------------------------------------------------------------- */

#define TS_NOC_NEAR_HIGH(address) ((uint64_t)(address) >> 32)
#define TS_NOC_NEAR_LOW(address) ((uint64_t)(address)&UINT32_C(0xFFFFFFFF))

#define TS_NOC_PLAIN(noc, code) TS_NOC_NEAR_0(TS_NOC_SHAPE_PLAIN, code, noc, -1, 0)
#define TS_NOC_NEAR_TO(shape, noc, code, address, size, vc, posted)                                                    \
    __extension__({                                                                                                    \
        const uint64_t ts_noc_to = (address);                                                                          \
        TS_NOC_NEAR_3(shape, code, noc, vc, posted, TS_NOC_NEAR_HIGH(ts_noc_to), TS_NOC_NEAR_LOW(ts_noc_to), size);    \
    })
#define TS_NOC_RECORD_ON(noc, type) TS_NOC_PLAIN(noc, TS_NOC_TYPE_##type)
#define TS_NOC_RECORD_ADDR_ON(noc, type, address, size, vc, posted)                                                    \
    TS_NOC_NEAR_TO(TS_NOC_SHAPE_ADDRESS, noc, TS_NOC_TYPE_##type, address, size, vc, posted)
#define TS_NOC_RECORD_MULTICAST_ON(noc, type, address, size, vc, posted)                                               \
    TS_NOC_NEAR_TO(TS_NOC_SHAPE_MULTICAST, noc, TS_NOC_TYPE_##type, address, size, vc, posted)
#define TS_NOC_RECORD(type) TS_NOC_PLAIN(TS_NOC_INDEX, TS_NOC_TYPE_##type)
#define TS_NOC_RECORD_ADDR(type, address, size, vc, posted)                                                            \
    TS_NOC_NEAR_TO(TS_NOC_SHAPE_ADDRESS, TS_NOC_INDEX, TS_NOC_TYPE_##type, address, size, vc, posted)
#define TS_NOC_RECORD_MULTICAST(type, address, size, vc, posted)                                                       \
    TS_NOC_NEAR_TO(TS_NOC_SHAPE_MULTICAST, TS_NOC_INDEX, TS_NOC_TYPE_##type, address, size, vc, posted)

/* Calls with all their arguments: one to three behind posted, one to four behind a type. */
#define TS_NOC_NEAR_COUNT_OF(...) TS_NOC_NEAR_COUNTED(__VA_ARGS__, 4, 3, 2, 1, 0)
#define TS_NOC_NEAR_COUNTED(a, b, c, d, count, ...) count
#define TS_NOC_NEAR_JOINED(a, b) a##b
#define TS_NOC_NEAR_JOIN(a, b) TS_NOC_NEAR_JOINED(a, b)
#define TS_NOC_NEAR_AND_1 TS_NOC_NEAR_4
#define TS_NOC_NEAR_AND_2 TS_NOC_NEAR_5
#define TS_NOC_NEAR_AND_3 TS_NOC_NEAR_6
#define TS_NOC_NEAR_CALL(shape, code, address, size, vc, posted, ...)                                                  \
    __extension__({                                                                                                    \
        const uint64_t ts_noc_to = (address);                                                                          \
        TS_NOC_NEAR_JOIN(TS_NOC_NEAR_AND_, TS_NOC_NEAR_COUNT_OF(__VA_ARGS__))                                          \
        (shape, code, TS_NOC_INDEX, vc, posted, TS_NOC_NEAR_HIGH(ts_noc_to), TS_NOC_NEAR_LOW(ts_noc_to), size,         \
         __VA_ARGS__);                                                                                                 \
    })
#define TS_NOC_RECORD_CALL(type, address, size, vc, posted, ...)                                                       \
    TS_NOC_NEAR_CALL(TS_NOC_SHAPE_ADDRESS, TS_NOC_TYPE_##type, address, size, vc, posted, __VA_ARGS__)
#define TS_NOC_RECORD_MULTICAST_CALL(type, address, size, vc, posted, ...)                                             \
    TS_NOC_NEAR_CALL(TS_NOC_SHAPE_MULTICAST, TS_NOC_TYPE_##type, address, size, vc, posted, __VA_ARGS__)
#define TS_NOC_RECORD_PLAIN_CALL(type, ...)                                                                            \
    TS_NOC_NEAR_JOIN(TS_NOC_NEAR_, TS_NOC_NEAR_COUNT_OF(__VA_ARGS__))                                                  \
    (TS_NOC_SHAPE_PLAIN, TS_NOC_TYPE_##type, TS_NOC_INDEX, -1, 0, __VA_ARGS__)

#define TS_NOC_NEAR_WIDE(shape, code, address, size, vc, posted, local, counter)                                       \
    __extension__({                                                                                                    \
        const uint64_t ts_noc_to = (address);                                                                          \
        TS_NOC_NEAR_5(shape, code, TS_NOC_INDEX, vc, posted, TS_NOC_NEAR_HIGH(ts_noc_to), TS_NOC_NEAR_LOW(ts_noc_to),  \
                      size, local, counter);                                                                           \
    })
#define TS_NOC_RECORD_WIDE(type, address, size, vc, posted, local, counter)                                            \
    TS_NOC_NEAR_WIDE(TS_NOC_SHAPE_WIDE, TS_NOC_TYPE_##type, address, size, vc, posted, local, counter)
#define TS_NOC_RECORD_MULTICAST_WIDE(type, address, size, vc, posted, local, counter)                                  \
    TS_NOC_NEAR_WIDE(TS_NOC_SHAPE_WIDE_MULTICAST, TS_NOC_TYPE_##type, address, size, vc, posted, local, counter)
#define TS_NOC_RECORD_PLAIN_WIDE(type)                                                                                 \
    TS_NOC_NEAR_3(TS_NOC_SHAPE_WIDE_PLAIN, TS_NOC_TYPE_##type, TS_NOC_INDEX, -1, 0, 0, 0, 0)

#if TS_NOC_WIRE >= 2
#define TS_NOC_RECORD_FABRIC(type, x, y, noc, packet)                                                                  \
    TS_NOC_NEAR_4(TS_NOC_SHAPE_FABRIC, TS_NOC_TYPE_##type, 0, -1, 0, x, y, noc, packet)
#define TS_NOC_RECORD_SCATTER(x, y, chunk, chunks, noc, packet)                                                        \
    TS_NOC_NEAR_6(TS_NOC_SHAPE_SCATTER, TS_NOC_TYPE(FABRIC_UNICAST_SCATTER_WRITE), 0, -1, 0, x, y, chunk, chunks, noc, \
                  packet)
#endif
#if TS_NOC_WIRE >= 3
#define TS_NOC_RECORD_FABRIC_MULTICAST(type, x, y, end_x, end_y, noc, packet)                                          \
    TS_NOC_NEAR_6(TS_NOC_SHAPE_FABRIC_CORNERS, TS_NOC_TYPE_##type, 0, -1, 0, x, y, end_x, end_y, noc, packet)
#define TS_NOC_RECORD_ROUTING_1D(value)                                                                                \
    TS_NOC_NEAR_1(TS_NOC_SHAPE_ROUTING_1D, TS_NOC_TYPE(FABRIC_ROUTING_FIELDS_1D), 0, -1, 0, value)
#define TS_NOC_RECORD_ROUTING_2D(ns, e, w, multicast)                                                                  \
    TS_NOC_NEAR_4(TS_NOC_SHAPE_ROUTING_2D, TS_NOC_TYPE(FABRIC_ROUTING_FIELDS_2D), 0, -1, 0, ns, e, w,                  \
                  (multicast) ? 1u : 0u)
#elif TS_NOC_WIRE == 2
#define TS_NOC_RECORD_ROUTING_1D(value)                                                                                \
    TS_NOC_NEAR_1(TS_NOC_SHAPE_ROUTING_1D, TS_NOC_TYPE(FABRIC_ROUTING_FIELDS), 0, -1, 0, value)
#endif

#endif
