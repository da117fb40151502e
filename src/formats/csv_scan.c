#include "formats/csv_scan.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { STEP = 64 }; /* bytes whose hits make one bitmap */

#define EACH_BYTE(value) (UINT64_C(0x0101010101010101) * (value))

/* Set bits of bits, without the instruction that the oldest x86-64 lacks. */
static unsigned count_bits(uint64_t bits)
{
#if defined(__POPCNT__) || defined(__aarch64__)
    return (unsigned)__builtin_popcountll(bits);
#else
    bits -= bits >> 1 & EACH_BYTE(0x55);
    bits = (bits & EACH_BYTE(0x33)) + (bits >> 2 & EACH_BYTE(0x33));
    bits = (bits + (bits >> 4)) & EACH_BYTE(0x0f);
    return (unsigned)(bits * EACH_BYTE(0x01) >> 56);
#endif
}

/* Write the offsets of a bitmap's set bits. Eight at a time whether there are as many or not: that costs less than a
 * branch that is guessed wrong. The top bit keeps the count of trailing zeros defined once the bitmap is used up. */
static inline uint32_t *write_positions(uint64_t bits, uint32_t base, uint32_t *positions)
{
    const uint64_t stop = UINT64_C(1) << 63;
    unsigned count = count_bits(bits);
    for (unsigned done = 0; done < count; done += 8) {
        for (unsigned i = 0; i < 8; i++) {
            positions[done + i] = base + (uint32_t)__builtin_ctzll(bits | stop);
            bits &= bits - 1;
        }
    }
    return positions + count;
}

static inline uint64_t load_word(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Bit i of the result: byte i of the word is one of the four. */
static inline uint64_t word_hits(uint64_t word)
{
    const uint64_t low = EACH_BYTE(0x7f);
    /* Of seven bits, exactly the zero does not reach the eighth when 0x7f is added, and nothing carries over. */
    uint64_t text = word & low;
    uint64_t differs = ((text ^ EACH_BYTE(',')) + low) & ((text ^ EACH_BYTE('"')) + low) &
                       ((text ^ EACH_BYTE('\n')) + low) & ((text ^ EACH_BYTE('\r')) + low);
    uint64_t hits = ~(differs | word) & EACH_BYTE(0x80);
    /* Gather the eight top bits in one byte, the first byte's lowest. */
    return (hits >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

static inline uint64_t step_portable(const char *bytes, bool *high)
{
    uint64_t hits = 0, any = 0;
    for (unsigned i = 0; i < STEP / 8; i++) {
        uint64_t word = load_word(bytes + i * 8);
        any |= word;
        hits |= word_hits(word) << (i * 8);
    }
    *high |= (any & EACH_BYTE(0x80)) != 0;
    return hits;
}

#if defined(__SSE2__)
static inline uint64_t step_sse2(const char *bytes, bool *high)
{
    const __m128i comma = _mm_set1_epi8(','), quote = _mm_set1_epi8('"');
    const __m128i line_feed = _mm_set1_epi8('\n'), carriage_return = _mm_set1_epi8('\r');
    __m128i any = _mm_setzero_si128();
    uint64_t hits = 0;
    for (unsigned i = 0; i < STEP / 16; i++) {
        __m128i text = _mm_loadu_si128((const __m128i *)(const void *)(bytes + i * 16));
        __m128i separators = _mm_or_si128(_mm_cmpeq_epi8(text, comma), _mm_cmpeq_epi8(text, quote));
        __m128i ends = _mm_or_si128(_mm_cmpeq_epi8(text, line_feed), _mm_cmpeq_epi8(text, carriage_return));
        any = _mm_or_si128(any, text);
        hits |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_or_si128(separators, ends)) << (i * 16);
    }
    *high |= _mm_movemask_epi8(any) != 0;
    return hits;
}
#endif

/* One loop for both steps; the compiler makes a copy of it for each. */
static inline __attribute__((always_inline)) size_t scan(uint64_t (*step)(const char *, bool *), const char *bytes,
                                                         size_t len, uint32_t base, uint32_t *positions, bool *high)
{
    uint32_t *next = positions;
    size_t at = 0;
    bool any = false;
    for (; len - at >= STEP; at += STEP)
        next = write_positions(step(bytes + at, &any), base + (uint32_t)at, next);
    if (at < len) {
        char rest[STEP] = {0};
        memcpy(rest, bytes + at, len - at);
        next = write_positions(step(rest, &any), base + (uint32_t)at, next);
    }
    *high |= any;
    return (size_t)(next - positions);
}

size_t ts_csv_scan_portable(const char *bytes, size_t len, uint32_t base, uint32_t *positions, bool *high)
{
    return scan(step_portable, bytes, len, base, positions, high);
}

#if defined(__SSE2__)
static size_t scan_sse2(const char *bytes, size_t len, uint32_t base, uint32_t *positions, bool *high)
{
    return scan(step_sse2, bytes, len, base, positions, high);
}
#endif

ts_csv_scan_fn *ts_csv_scan_best(void)
{
#if defined(__SSE2__)
    return scan_sse2;
#else
    return ts_csv_scan_portable;
#endif
}
