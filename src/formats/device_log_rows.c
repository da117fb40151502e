#include "formats/device_log_rows.h"

#include "base/limits.h"
#include "base/map.h"
#include "base/number.h"

#if defined(__SSE2__) && defined(__x86_64__)
#include <immintrin.h>
#define QUICK 1
/* What the quick way is made of is compiled twice: for every such processor, and for those with vectors of 32 bytes. */
#define QUICK_INLINE static inline __attribute__((always_inline))
#define WIDE __attribute__((target("avx2,bmi")))
#endif

#define EACH_BYTE(value) (UINT64_C(0x0101010101010101) * (value))

enum { QUICK_PREFIX = sizeof((struct ts_log_scanner *)0)->prefix, QUICK_FIELDS = 8 };

/* ---- setting up ---- */

static void find_targets(struct ts_log_scanner *scanner, const struct ts_device_log_layout *layout)
{
    for (unsigned what = 0; what < TS_LOG_COLUMN_COUNT; what++) {
        if (layout->at[what] == TS_LOG_NOWHERE)
            continue;
        unsigned place = scanner->target_count++;
        for (; place > 0 && scanner->targets[place - 1].column > layout->at[what]; place--)
            scanner->targets[place] = scanner->targets[place - 1];
        scanner->targets[place] = (struct ts_log_target){layout->at[what], (uint8_t)what};
    }
}

/* The quick way takes slot, x, y, RISC and a column further the time, then run, zone and type in this order, as every known
 * writer has them. */
static void find_quick_columns(struct ts_log_scanner *scanner, const struct ts_device_log_layout *layout)
{
    const uint32_t *at = layout->at;
    bool type = at[TS_LOG_TYPE] != TS_LOG_NOWHERE;
    uint32_t last = type ? at[TS_LOG_TYPE] : at[TS_LOG_ZONE];
    scanner->quick = at[TS_LOG_SLOT] == 0 && at[TS_LOG_X] == 1 && at[TS_LOG_Y] == 2 && at[TS_LOG_RISC] == 3 &&
                     at[TS_LOG_TIME] == 5 && at[TS_LOG_RUN] > 5 && at[TS_LOG_ZONE] > at[TS_LOG_RUN] &&
                     last >= at[TS_LOG_ZONE] && last < 4 + QUICK_FIELDS;
    scanner->quick_at[0] = at[TS_LOG_RUN] - 4;
    scanner->quick_at[1] = at[TS_LOG_ZONE] - 4;
    scanner->quick_at[2] = type ? at[TS_LOG_TYPE] - 4 : UINT32_MAX;
    scanner->quick_count = last - 3;
}

void ts_log_scanner_init(struct ts_log_scanner *scanner, const struct ts_device_log_layout *layout, uint64_t seed,
                         enum ts_log_vectors vectors)
{
    *scanner = (struct ts_log_scanner){.layout = layout, .seed = seed};
    ts_buf_init(&scanner->scratch, 0);
    scanner->time_digits.text = scanner->run_digits.text = EACH_BYTE('0');
    find_targets(scanner, layout);
#if defined(QUICK)
    if (vectors != TS_LOG_VECTORS_NONE)
        find_quick_columns(scanner, layout);
    scanner->wide = vectors == TS_LOG_VECTORS_BEST && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
#else
    (void)vectors;
    (void)find_quick_columns;
#endif
}

void ts_log_scanner_free(struct ts_log_scanner *scanner)
{
    ts_buf_free(&scanner->scratch);
}

void ts_log_scanner_begin(struct ts_log_scanner *scanner, char *bytes, size_t len)
{
    scanner->at = bytes;
    scanner->end = bytes + len;
    scanner->prefix_len = 0;
    /* The end of every search. */
    memset(bytes + len, '\n', TS_LOG_PAD);
}

/* ---- one field ---- */

static bool parse_digits(struct ts_str text, uint64_t *out)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
    return ts_number_parse_u64(text, out);
}

static bool parse_small(struct ts_str text, uint32_t *out)
{
    uint64_t value;
    if (!parse_digits(text, &value) || value > UINT32_MAX)
        return false;
    *out = (uint32_t)value;
    return true;
}

static uint8_t kind_of(const struct ts_log_scanner *scanner, struct ts_str type)
{
    if (scanner->layout->phase)
        return ts_str_is(type, "begin") ? TS_LOG_START : ts_str_is(type, "end") ? TS_LOG_END : TS_LOG_OTHER;
    return ts_str_is(type, "ZONE_START") ? TS_LOG_START : ts_str_is(type, "ZONE_END") ? TS_LOG_END : TS_LOG_OTHER;
}

static void set_run(const struct ts_log_scanner *scanner, struct ts_log_row *row, struct ts_str text)
{
    row->run_numeric = parse_digits(text, &row->run);
    if (!row->run_numeric)
        row->run = ts_hash(text.ptr, text.len, scanner->seed);
}

/* A quoted field without its quotes, into the scratch buffer, which has room for it. at is behind the opening quote. */
static struct ts_str unquote(struct ts_log_scanner *scanner, struct ts_str line, size_t *at)
{
    size_t from = scanner->scratch.len;
    bool quoted = true;
    for (; *at < line.len && (quoted || line.ptr[*at] != ','); (*at)++) {
        char c = line.ptr[*at];
        if (quoted && c == '"') {
            quoted = *at + 1 < line.len && line.ptr[*at + 1] == '"';
            if (!quoted)
                continue;
            (*at)++;
        }
        ts_buf_char(&scanner->scratch, c);
    }
    return ts_str_sub(ts_buf_view(&scanner->scratch), from, scanner->scratch.len);
}

/* Take the field at *at; behind it *at stands on the comma, or past the end. wanted: as text, else its extent alone. */
static struct ts_str take_field(struct ts_log_scanner *scanner, struct ts_str line, size_t *at, bool wanted)
{
    if (*at < line.len && line.ptr[*at] == '"') {
        size_t kept = scanner->scratch.len;
        (*at)++;
        struct ts_str text = unquote(scanner, line, at);
        if (!wanted)
            scanner->scratch.len = kept;
        return text;
    }
    size_t start = *at;
    const char *comma = start < line.len ? memchr(line.ptr + start, ',', line.len - start) : NULL;
    *at = comma ? (size_t)(comma - line.ptr) : line.len;
    return ts_str_sub(line, start, *at - start);
}

/* ---- a line, the plain way ---- */

/* The fields that are read. False when the line has too few, or is over the limit before the last of them has ended. */
static bool split(struct ts_log_scanner *scanner, struct ts_str line, struct ts_str fields[TS_LOG_COLUMN_COUNT])
{
    bool cut = line.len > TS_LIMIT_LOG_LINE;
    uint32_t column = 0;
    size_t at = 0;
    line = ts_str_sub(line, 0, TS_LIMIT_LOG_LINE);
    for (unsigned i = 0; i < scanner->target_count; i++) {
        for (; column < scanner->targets[i].column; column++) {
            take_field(scanner, line, &at, false);
            if (at >= line.len)
                return false;
            at++;
        }
        struct ts_str *field = &fields[scanner->targets[i].what];
        *field = ts_str_trim(take_field(scanner, line, &at, true));
        bool ended = at < line.len;
        if ((!ended && i + 1 < scanner->target_count) || (!ended && cut))
            return false;
        at++;
        column++;
    }
    return true;
}

/* Lines 1 and 2 again, where logs were joined. */
static bool is_repeated(const struct ts_log_scanner *scanner, struct ts_str line)
{
    if (line.len > 0 && line.ptr[line.len - 1] == '\r')
        line.len--;
    line = ts_device_log_unmarked(line);
    for (size_t i = 0; i < 2; i++)
        if (scanner->layout->lines[i].ptr && ts_str_equal(line, ts_device_log_unmarked(scanner->layout->lines[i])))
            return true;
    return ts_str_starts_with(ts_str_trim(line), TS_STR("ARCH:"));
}

/* False when the line is no row. */
static bool read_plain(struct ts_log_scanner *scanner, struct ts_str line, struct ts_log_row *row)
{
    struct ts_str fields[TS_LOG_COLUMN_COUNT] = {{"", 0}};
    bool whole = split(scanner, line, fields);
    *row = (struct ts_log_row){.state = TS_LOG_TOO_SHORT};
    if (!whole)
        return ts_str_trim(line).len > 0 && !is_repeated(scanner, line);
    if (fields[TS_LOG_ZONE].len == 0)
        return false;
    row->zone = fields[TS_LOG_ZONE];
    row->risc = fields[TS_LOG_RISC];
    row->kind = kind_of(scanner, fields[TS_LOG_TYPE]);
    set_run(scanner, row, fields[TS_LOG_RUN]);
    if (!parse_small(fields[TS_LOG_SLOT], &row->slot) || !parse_small(fields[TS_LOG_X], &row->x) ||
        !parse_small(fields[TS_LOG_Y], &row->y) || !parse_digits(fields[TS_LOG_TIME], &row->time)) {
        row->state = TS_LOG_BAD_NUMBER;
        return !is_repeated(scanner, line);
    }
    row->state = TS_LOG_GOOD;
    return true;
}

/* ---- a line, the quick way ---- */

#if defined(QUICK)

QUICK_INLINE uint64_t load_word(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Eight characters as digits; the first is the lowest byte. False when one is none. */
QUICK_INLINE bool eight_digits(uint64_t text, uint64_t *out)
{
    uint64_t digits = text - EACH_BYTE('0');
    if (((text + EACH_BYTE(0x7f - '9')) | digits) & EACH_BYTE(0x80))
        return false;
    digits = digits * 10 + (digits >> 8);
    *out = ((digits & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
            (digits >> 16 & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
           32;
    return true;
}

/* The last count (1 to 8) of the 8 bytes before end, with zeros in front. */
QUICK_INLINE uint64_t last_bytes(const char *end, size_t count)
{
    uint64_t mask = ~UINT64_C(0) << 8 * (8 - count);
    return (load_word(end - 8) & mask) | (EACH_BYTE('0') & ~mask);
}

/* The same as digits; what was read last is not read again, since neighbours begin alike. */
QUICK_INLINE bool remembered_digits(struct ts_log_digits *memory, uint64_t text, uint64_t *out)
{
    if (memory->text != text) {
        if (!eight_digits(text, &memory->value))
            return false;
        memory->text = text;
    }
    *out = memory->value;
    return true;
}

/* 1 to 16 digits that end before end; 16 bytes before end can be read. */
QUICK_INLINE bool quick_digits(struct ts_log_digits *memory, const char *start, const char *end, uint64_t *out)
{
    size_t len = (size_t)(end - start);
    uint64_t low, high;
    if (len - 1 < 8)
        return remembered_digits(memory, last_bytes(end, len), out);
    if (len - 9 >= 8 || !eight_digits(load_word(end - 8), &low) ||
        !remembered_digits(memory, last_bytes(end - 8, len - 8), &high))
        return false;
    *out = high * 100000000 + low;
    return true;
}

QUICK_INLINE unsigned equal_mask(__m128i bytes, __m128i value)
{
    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, value));
}

struct quick_masks {
    uint64_t separators; /* commas, quotes and newlines of the next 64 bytes */
    uint64_t stops;      /* quotes and newlines alone */
};

struct quick_block {
    uint64_t separators, stops;
};

QUICK_INLINE struct quick_block find_in_block(const char *bytes)
{
    __m128i block = _mm_loadu_si128((const __m128i *)(const void *)bytes);
    __m128i stop = _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('"')), _mm_cmpeq_epi8(block, _mm_set1_epi8('\n')));
    __m128i any = _mm_or_si128(stop, _mm_cmpeq_epi8(block, _mm_set1_epi8(',')));
    return (struct quick_block){(unsigned)_mm_movemask_epi8(any), (unsigned)_mm_movemask_epi8(stop)};
}

static inline WIDE struct quick_block find_in_wide_block(const char *bytes)
{
    __m256i block = _mm256_loadu_si256((const __m256i *)(const void *)bytes);
    __m256i stop = _mm256_or_si256(_mm256_cmpeq_epi8(block, _mm256_set1_epi8('"')),
                                   _mm256_cmpeq_epi8(block, _mm256_set1_epi8('\n')));
    __m256i any = _mm256_or_si256(stop, _mm256_cmpeq_epi8(block, _mm256_set1_epi8(',')));
    return (struct quick_block){(unsigned)_mm256_movemask_epi8(any), (unsigned)_mm256_movemask_epi8(stop)};
}

static inline WIDE struct quick_masks find_separators_wide(const char *bytes)
{
    struct quick_block a = find_in_wide_block(bytes), b = find_in_wide_block(bytes + 32);
    return (struct quick_masks){a.separators | b.separators << 32, a.stops | b.stops << 32};
}

/* Written out, because -O2 does not unroll loops. */
QUICK_INLINE struct quick_masks find_separators(const char *bytes, bool wide)
{
    if (wide)
        return find_separators_wide(bytes);
    struct quick_block a = find_in_block(bytes), b = find_in_block(bytes + 16);
    struct quick_block c = find_in_block(bytes + 32), d = find_in_block(bytes + 48);
    return (struct quick_masks){a.separators | b.separators << 16 | c.separators << 32 | d.separators << 48,
                                a.stops | b.stops << 16 | c.stops << 32 | d.stops << 48};
}

static inline WIDE unsigned equal_mask_wide(const char *a, const char *b)
{
    return (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(const void *)a),
                                                            _mm256_loadu_si256((const __m256i *)(const void *)b)));
}

QUICK_INLINE unsigned equal_prefix(const struct ts_log_scanner *scanner, const char *line, bool wide)
{
    if (wide)
        return equal_mask_wide(line, scanner->prefix);
    const __m128i *have = (const __m128i *)(const void *)scanner->prefix;
    const __m128i *here = (const __m128i *)(const void *)line;
    return equal_mask(_mm_loadu_si128(here), _mm_loadu_si128(have)) |
           equal_mask(_mm_loadu_si128(here + 1), _mm_loadu_si128(have + 1)) << 16;
}

QUICK_INLINE bool same_prefix(const struct ts_log_scanner *scanner, const char *line, bool wide)
{
    unsigned mask = (unsigned)((UINT64_C(1) << scanner->prefix_len) - 1);
    return (equal_prefix(scanner, line, wide) & mask) == mask;
}

/* In steps that hold what is left of nearly every line: a branch that goes now this way and now that costs more. */
static inline WIDE const char *find_newline_wide(const char *at)
{
    const __m256i newline = _mm256_set1_epi8('\n');
    for (;; at += 64) {
        __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)at);
        __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(at + 32));
        uint64_t low = (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, newline));
        uint64_t high = (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(b, newline));
        uint64_t hits = low | high << 32;
        if (hits)
            return at + __builtin_ctzll(hits);
    }
}

/* The first newline at or behind at; one always follows. */
QUICK_INLINE const char *find_newline(const char *at, bool wide)
{
    if (wide)
        return find_newline_wide(at);
    const __m128i newline = _mm_set1_epi8('\n');
    for (;; at += 16) {
        unsigned hits = equal_mask(_mm_loadu_si128((const __m128i *)(const void *)at), newline);
        if (hits)
            return at + __builtin_ctz(hits);
    }
}

QUICK_INLINE uint8_t quick_kind(const struct ts_log_scanner *scanner, struct ts_str type)
{
    if (!scanner->layout->phase && type.len >= 8) {
        uint64_t head = load_word(type.ptr);
        if (type.len == 8)
            return head == load_word("ZONE_END") ? TS_LOG_END : TS_LOG_OTHER;
        if (type.len == 10)
            return head == load_word("ZONE_START") && load_word(type.ptr + 2) == load_word("NE_START") ? TS_LOG_START
                                                                                                       : TS_LOG_OTHER;
    }
    return kind_of(scanner, type);
}

#define NEXT_END(i) (ends[i] = (uint32_t)__builtin_ctzll(separators | last), separators &= separators - 1)

/* Offsets of the first four separators; behind the last that there is, 63. Written out as above. */
QUICK_INLINE uint64_t find_first_ends(uint64_t separators, uint32_t *ends)
{
    const uint64_t last = UINT64_C(1) << 63;
    NEXT_END(0), NEXT_END(1), NEXT_END(2), NEXT_END(3);
    return separators;
}

/* The same of the first QUICK_FIELDS. */
QUICK_INLINE void find_ends(uint64_t separators, uint32_t ends[QUICK_FIELDS])
{
    const uint64_t last = UINT64_C(1) << 63;
    separators = find_first_ends(separators, ends);
    NEXT_END(4), NEXT_END(5), NEXT_END(6), NEXT_END(7);
}

#undef NEXT_END

/* A number of at most 9 digits, blanks before it skipped. */
QUICK_INLINE bool short_digits(const char *start, const char *end, uint32_t *out)
{
    while (start < end && *start == ' ')
        start++;
    if (start == end || end - start > 9)
        return false;
    uint32_t value = 0;
    for (; start < end; start++) {
        unsigned digit = (unsigned)(unsigned char)*start - '0';
        if (digit > 9)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

/* Take in the first four fields of a line. False when they are not as writers write them. */
QUICK_INLINE bool learn_prefix(struct ts_log_scanner *scanner, const char *line)
{
    struct quick_block a = find_in_block(line), b = find_in_block(line + 16);
    struct quick_masks masks = {a.separators | b.separators << 16, a.stops | b.stops << 16};
    uint32_t ends[4];
    find_first_ends(masks.separators, ends);
    if (ends[3] >= QUICK_PREFIX || (masks.stops & ((UINT64_C(2) << ends[3]) - 1)) != 0 ||
        !short_digits(line, line + ends[0], &scanner->slot) ||
        !short_digits(line + ends[0] + 1, line + ends[1], &scanner->x) ||
        !short_digits(line + ends[1] + 1, line + ends[2], &scanner->y))
        return false;
    struct ts_str risc = ts_str_trim((struct ts_str){line + ends[2] + 1, ends[3] - ends[2] - 1});
    scanner->risc_at = (uint32_t)(risc.ptr - line);
    scanner->risc_len = (uint32_t)risc.len;
    memcpy(scanner->prefix, line, QUICK_PREFIX);
    scanner->prefix_len = ends[3] + 1;
    scanner->fresh = true;
    return true;
}

enum quick { QUICK_ROW, QUICK_NOTHING, QUICK_NOT };

/* The text of a field between two separators without blanks before it. False when something else is to be trimmed. */
QUICK_INLINE bool field_text(const char *rest, const uint32_t *ends, uint32_t field, struct ts_str *out)
{
    const char *start = rest + ends[field - 1] + 1, *end = rest + ends[field];
    while (*start == ' ')
        start++;
    *out = (struct ts_str){start, (size_t)(end - start)};
    return start >= end || ((unsigned char)*start > ' ' && (unsigned char)end[-1] > ' ');
}

QUICK_INLINE bool field_number(struct ts_log_digits *memory, const char *rest, const uint32_t *ends, uint32_t field,
                               uint64_t *out)
{
    const char *start = rest + ends[field - 1] + 1;
    while (*start == ' ')
        start++;
    return quick_digits(memory, start, rest + ends[field], out);
}

/* A line whose fields are as writers write them. *next becomes the line behind it. QUICK_NOT: to be read the plain way. */
QUICK_INLINE enum quick read_quick(struct ts_log_scanner *scanner, const char *line, struct ts_log_row *row,
                                   const char **next, bool wide)
{
    uint32_t ends[QUICK_FIELDS], last = scanner->quick_count - 1;
    struct ts_str type = {"", 0};
    if ((scanner->prefix_len == 0 || !same_prefix(scanner, line, wide)) && !learn_prefix(scanner, line)) {
        scanner->prefix_len = 0;
        return QUICK_NOT;
    }
    const char *rest = line + scanner->prefix_len;
    struct quick_masks masks = find_separators(rest, wide);
    find_ends(masks.separators, ends);
    /* The fields must all end in commas, the last among the 64 bytes too. */
    if (rest[ends[last]] != ',' || ends[last] == ends[last - 1] || (masks.stops & ((UINT64_C(2) << ends[last]) - 1)))
        return QUICK_NOT;
    if (!field_text(rest, ends, scanner->quick_at[1], &row->zone))
        return QUICK_NOT;
    masks.stops &= ~((UINT64_C(2) << ends[last]) - 1);
    *next = find_newline(masks.stops ? rest + __builtin_ctzll(masks.stops) : rest + 64, wide) + 1;
    if (row->zone.len == 0)
        return QUICK_NOTHING;
    if (!field_number(&scanner->time_digits, rest, ends, 1, &row->time) ||
        !field_number(&scanner->run_digits, rest, ends, scanner->quick_at[0], &row->run) ||
        (scanner->quick_at[2] != UINT32_MAX && !field_text(rest, ends, scanner->quick_at[2], &type)))
        return QUICK_NOT;
    row->kind = quick_kind(scanner, type);
    row->risc = (struct ts_str){line + scanner->risc_at, scanner->risc_len};
    row->slot = scanner->slot;
    row->x = scanner->x;
    row->y = scanner->y;
    row->state = TS_LOG_GOOD;
    row->run_numeric = true;
    row->same_core = !scanner->fresh;
    scanner->fresh = false;
    return QUICK_ROW;
}

#endif

/* ---- all lines ---- */

/* Whether the texts that this line may have to unquote fit behind those of the rows before it. */
static bool has_room(struct ts_log_scanner *scanner, struct ts_str line, size_t rows_before)
{
    size_t len = line.len < TS_LIMIT_LOG_LINE ? line.len : TS_LIMIT_LOG_LINE;
    struct ts_buf *scratch = &scanner->scratch;
    if (!line.len || !memchr(line.ptr, '"', len) || len < scratch->capacity - scratch->len)
        return true;
    if (rows_before > 0)
        return false;
    /* Nothing points into it yet, so it may move. */
    for (size_t i = 0; i <= len && !scratch->failed; i += 64)
        ts_buf_add(scratch, line.ptr, 64 < len ? 64 : len);
    scratch->len = 0;
    return !scratch->failed;
}

#if defined(QUICK)
#define LINES_INLINE QUICK_INLINE
#else
#define LINES_INLINE static
#endif

LINES_INLINE size_t read_lines(struct ts_log_scanner *scanner, struct ts_log_row *rows, size_t capacity, bool wide)
{
    size_t count = 0;
    const char *at = scanner->at;
    scanner->scratch.len = 0;
    scanner->fresh = true;
    while (at < scanner->end && count < capacity) {
        struct ts_log_row *row = &rows[count];
#if defined(QUICK)
        const char *next;
        enum quick quick = scanner->quick ? read_quick(scanner, at, row, &next, wide) : QUICK_NOT;
        if (quick != QUICK_NOT) {
            count += quick == QUICK_ROW;
            at = next;
            continue;
        }
        const char *newline = find_newline(at, wide);
#else
        const char *newline = memchr(at, '\n', (size_t)(scanner->end - at) + 1);
        (void)wide;
#endif
        struct ts_str line = {at, (size_t)(newline - at)};
        if (!has_room(scanner, line, count))
            break;
        if (read_plain(scanner, line, row)) {
            row->same_core = false;
            count++;
            scanner->fresh = true;
        }
        at = newline + 1;
    }
    scanner->at = at;
    return count;
}

#if defined(QUICK)
static WIDE size_t read_lines_wide(struct ts_log_scanner *scanner, struct ts_log_row *rows, size_t capacity)
{
    return read_lines(scanner, rows, capacity, true);
}
#endif

size_t ts_log_scanner_next(struct ts_log_scanner *scanner, struct ts_log_row *rows, size_t capacity)
{
#if defined(QUICK)
    if (scanner->wide)
        return read_lines_wide(scanner, rows, capacity);
#endif
    return read_lines(scanner, rows, capacity, false);
}
