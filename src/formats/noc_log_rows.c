/* The rows of a device log. Most of a log with NoC events are rows that differ from the one before in time and data alone: these
 * have a way of their own. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/number.h"
#include "formats/noc_log.h"

enum { BLOCK = 262144 };

enum ts_status ts_noc_rows_begin(struct ts_noc_rows *rows, const struct ts_noc_log *log, uint64_t begin, uint64_t end,
                                 struct ts_error *error)
{
    if (!rows->buffer) {
        rows->buffer = malloc(BLOCK);
        rows->capacity = BLOCK;
        if (!rows->buffer)
            return ts_error_no_memory(error);
    }
    rows->log = log;
    rows->at = rows->have = 0;
    rows->offset = begin;
    rows->end = end;
    rows->prefix_len = rows->tail_len = 0;
    return TS_OK;
}

void ts_noc_rows_free(struct ts_noc_rows *rows)
{
    free(rows->buffer);
    rows->buffer = NULL;
}

/* More bytes behind those at hand. */
static enum ts_status fill(struct ts_noc_rows *rows, bool *more, struct ts_error *error)
{
    struct ts_quote quote;
    size_t rest = rows->have - rows->at;
    memmove(rows->buffer, rows->buffer + rows->at, rest);
    rows->at = 0;
    rows->have = rest;
    if (rest == rows->capacity) {
        if (rows->capacity >= TS_LIMIT_LOG_LINE)
            return ts_error_set(error, TS_LIMIT,
                                "%s: a line at byte %llu is longer than %zu bytes; is it a device log?",
                                ts_error_quote(&quote, ts_str_from(rows->log->path), TS_QUOTE_FILE),
                                (unsigned long long)(rows->offset - rest), (size_t)TS_LIMIT_LOG_LINE);
        char *grown = realloc(rows->buffer, 2 * rows->capacity);
        if (!grown)
            return ts_error_no_memory(error);
        rows->buffer = grown;
        rows->capacity *= 2;
    }
    enum ts_status status = ts_context_check(rows->log->context, error);
    if (status != TS_OK)
        return status;
    size_t want = rows->capacity - rest;
    if (want > rows->end - rows->offset)
        want = (size_t)(rows->end - rows->offset);
    ssize_t got = 0;
    do
        got = pread(rows->log->fd, rows->buffer + rest, want, (off_t)rows->offset);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return ts_error_system(error, rows->log->path, "read", errno);
    rows->have += (size_t)got;
    rows->offset += (size_t)got;
    *more = got > 0;
    return TS_OK;
}

/* Digits up to a comma or the line's end; blanks around them pass. *p is left behind the comma. */
static inline bool take_number(const char **p, const char *end, uint64_t *out)
{
    const char *c = *p;
    uint64_t value = 0;
    while (c < end && *c == ' ')
        c++;
    const char *first = c;
    for (unsigned digit; c < end && (digit = (unsigned)(unsigned char)*c - '0') < 10; c++)
        value = 10 * value + digit;
    bool good = c > first;
    if (c - first > 19) {
        /* As many digits as may not fit. */
        good = ts_number_parse_u64((struct ts_str){first, (size_t)(c - first)}, &value);
    }
    while (c < end && *c == ' ')
        c++;
    if (c < end && *c != ',')
        return false;
    *p = c < end ? c + 1 : c + 1;
    *out = value;
    return good;
}

static inline struct ts_str take_text(const char **p, const char *end)
{
    const char *c = memchr(*p, ',', (size_t)(end - *p));
    struct ts_str text = {*p, (size_t)((c ? c : end) - *p)};
    *p = (c ? c : end) + 1;
    return text;
}

static bool type_of(struct ts_str text, unsigned *out)
{
    static const char *const names[] = {"ZONE_START", "ZONE_END", "ZONE_TOTAL", "TS_DATA", "TS_EVENT"};
    text = ts_str_trim(text);
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (ts_str_is(text, names[i])) {
            *out = i;
            return true;
        }
    return false;
}

static bool number_behind(struct ts_str text, const char *key, uint64_t *out)
{
    size_t at = ts_str_find(text, ts_str_from(key), 0);
    if (at == (size_t)-1)
        return false;
    at += strlen(key);
    size_t end = at;
    while (end < text.len && text.ptr[end] >= '0' && text.ptr[end] <= '9')
        end++;
    return ts_number_parse_u64(ts_str_sub(text, at, end - at), out);
}

/* {"dst_addr":355287;"noc_status_counter":0;"src_addr":947956} */
static bool read_meta(struct ts_str meta, struct ts_noc_trailer *out)
{
    uint64_t to, from, counter;
    if (meta.len == 0 || !number_behind(meta, "\"dst_addr\":", &to) || !number_behind(meta, "\"src_addr\":", &from) ||
        !number_behind(meta, "\"noc_status_counter\":", &counter))
        return false;
    *out = (struct ts_noc_trailer){(uint32_t)(to & 0xFFFFFF), (uint32_t)(from & 0xFFFFFF), (uint32_t)(counter & 0xFFF)};
    return true;
}

static inline bool take_field(const struct ts_noc_rows *rows, unsigned column, const char **p, const char *end,
                              struct ts_noc_row *row, uint64_t *core)
{
    struct ts_str text;
    switch (rows->log->columns[column]) {
    case TS_NOC_LOG_SLOT:
        return take_number(p, end, &core[0]);
    case TS_NOC_LOG_X:
        return take_number(p, end, &core[1]);
    case TS_NOC_LOG_Y:
        return take_number(p, end, &core[2]);
    case TS_NOC_LOG_RISC:
        return ts_noc_risc_parse(ts_str_trim(take_text(p, end)), &row->risc);
    case TS_NOC_LOG_ID:
        return take_number(p, end, &row->id) && row->id < 0x80000;
    case TS_NOC_LOG_TIME:
        return take_number(p, end, &row->time) && row->time >> TS_NOC_TIME_BITS == 0;
    case TS_NOC_LOG_DATA:
        return take_number(p, end, &row->data);
    case TS_NOC_LOG_RUN:
        return take_number(p, end, &row->run);
    case TS_NOC_LOG_HOST:
        return take_number(p, end, &row->host);
    case TS_NOC_LOG_TRACE:
        if (*p < end && **p == ',') {
            ++*p;
            return true;
        }
        row->traced = true;
        return take_number(p, end, &row->trace);
    case TS_NOC_LOG_TRACE_COUNT:
        if (*p < end && **p == ',') {
            ++*p;
            return true;
        }
        return take_number(p, end, &row->trace_count);
    case TS_NOC_LOG_ZONE:
        row->zone = ts_str_trim(take_text(p, end));
        return true;
    case TS_NOC_LOG_TYPE:
        return type_of(take_text(p, end), &row->type);
    case TS_NOC_LOG_META:
        /* The last column: whatever commas a later tool puts into it belong to it. */
        text = (struct ts_str){*p, (size_t)(end - *p)};
        *p = end + 1;
        if (row->type == TS_NOC_DATA && read_meta(text, &row->trailer))
            row->type = TS_NOC_DATA16;
        return true;
    default:
        take_text(p, end);
        return true;
    }
}

static bool read_row(struct ts_noc_rows *rows, const char *p, const char *end, struct ts_noc_row *row)
{
    const char *begin = p;
    uint64_t core[3] = {0, 0, 0};
    unsigned column = 0;
    row->run = row->trace = row->trace_count = 0;
    row->traced = false;
    row->same_core =
        rows->prefix_len && (size_t)(end - p) > rows->prefix_len && memcmp(p, rows->prefix, rows->prefix_len) == 0;
    if (row->same_core) {
        p += rows->prefix_len;
        column = 4;
        row->slot = rows->slot;
        row->x = rows->x;
        row->y = rows->y;
        row->risc = rows->risc;
    } else {
        /* One that is too long to keep must not leave the last one's. */
        rows->prefix_len = 0;
    }
    for (; column < rows->log->column_count; column++) {
        if (p > end || !take_field(rows, column, &p, end, row, core))
            return false;
        if (column == 3 && rows->log->quick && (size_t)(p - begin) <= sizeof rows->prefix) {
            rows->prefix_len = (size_t)(p - begin);
            memcpy(rows->prefix, begin, rows->prefix_len);
        }
    }
    if (!row->same_core) {
        if (core[0] > UINT32_MAX || core[1] > INT16_MAX || core[2] > INT16_MAX)
            return false;
        rows->slot = row->slot = core[0];
        rows->x = row->x = (int64_t)core[1];
        rows->y = row->y = (int64_t)core[2];
        rows->risc = row->risc;
    }
    return true;
}

/* ---- rows alike ---- */

static const char event_id[] = "12345,";
enum { EVENT_ID = sizeof event_id - 1, WORD = 8, DIGITS = 19, POWERS = 9 };
/* Bytes that a row alike and what is read beyond it take: its texts, two numbers, a word. */
enum { REACH = TS_NOC_ROWS_LEAD + TS_NOC_ROWS_TAIL + 2 * (3 * WORD + 1) + WORD };

/* Note what rows that follow a plain event begin and end with, when they differ from it in time and data alone. newline: where
 * its line ends. */
static void note_event(struct ts_noc_rows *rows, const char *line, const char *newline, const struct ts_noc_row *row)
{
    rows->tail_len = 0;
    if (!newline || !rows->log->quick_data || row->type != TS_NOC_DATA || row->id != TS_NOC_STATIC_ID ||
        row->zone.len || !rows->prefix_len || memcmp(line + rows->prefix_len, event_id, EVENT_ID) != 0)
        return;
    rows->lead_len = rows->prefix_len + EVENT_ID;
    const char *p = line + rows->lead_len;
    p = (const char *)memchr(p, ',', (size_t)(newline - p)) + 1;
    while (p < newline && *p != ',')
        p++;
    size_t len = (size_t)(newline + 1 - p);
    if (len < WORD || len > sizeof rows->tail)
        return;
    memcpy(rows->lead, line, rows->lead_len);
    memcpy(rows->tail, p, len);
    rows->tail_len = len;
}

static inline uint64_t word_at(const char *p)
{
    uint64_t word;
    memcpy(&word, p, WORD);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Whether p goes on with text, of a word or more: the last word overlaps the one before. */
static inline bool goes_on(const char *p, const char *text, size_t len)
{
    for (size_t i = 0; i + WORD < len; i += WORD)
        if (word_at(p + i) != word_at(text + i))
            return false;
    return word_at(p + len - WORD) == word_at(text + len - WORD);
}

/* Digits up to the first other character, eight at a time: pairs, fours, eight. Their number; more than DIGITS where they may not
 * fit. */
static inline size_t take_digits(const char *p, uint64_t *out)
{
    static const uint32_t powers[POWERS] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    uint64_t value = 0;
    size_t taken = 0;
    for (size_t len = WORD; len == WORD && taken <= DIGITS; taken += len) {
        uint64_t word = word_at(p + taken) ^ 0x3030303030303030u;
        /* A carry out of a byte that is no digit reaches those behind it alone. */
        uint64_t others = (word | (word + 0x0606060606060606u)) & 0xF0F0F0F0F0F0F0F0u;
        if (others) {
            len = (size_t)__builtin_ctzll(others) / 8;
            word = len ? word << 8 * (WORD - len) : 0;
        }
        word = word * (1 + (10u << 8)) >> 8;
        word = (word & 0x00FF00FF00FF00FFu) * (1 + (100u << 16)) >> 16;
        word = (word & 0x0000FFFF0000FFFFu) * (1 + ((uint64_t)10000 << 32)) >> 32;
        value = value * powers[len] + word;
    }
    *out = value;
    return taken;
}

size_t ts_noc_rows_alike(struct ts_noc_rows *rows, struct ts_noc_event *events, size_t most, uint64_t *end)
{
    size_t count = 0;
    if (!rows->tail_len)
        return 0;
    const char *start = rows->buffer + rows->at, *last = rows->buffer + rows->have;
    for (const char *line = start; count < most && last - line >= REACH;) {
        uint64_t time, data;
        if (!goes_on(line, rows->lead, rows->lead_len))
            break;
        const char *p = line + rows->lead_len;
        size_t digits = take_digits(p, &time);
        p += digits;
        if (digits - 1 >= DIGITS || *p++ != ',' || time >> TS_NOC_TIME_BITS)
            break;
        digits = take_digits(p, &data);
        p += digits;
        if (digits - 1 >= DIGITS || !goes_on(p, rows->tail, rows->tail_len))
            break;
        events[count++] = (struct ts_noc_event){time, data};
        line = p + rows->tail_len;
        rows->at = (size_t)(line - rows->buffer);
    }
    *end = rows->offset - (rows->have - rows->at);
    return count;
}

/* ---- any row ---- */

enum ts_status ts_noc_rows_next(struct ts_noc_rows *rows, struct ts_noc_row *row, bool *found, struct ts_error *error)
{
    for (;;) {
        char *line = rows->buffer + rows->at;
        size_t rest = rows->have - rows->at;
        char *newline = rest ? memchr(line, '\n', rest) : NULL;
        if (!newline) {
            bool more = false;
            enum ts_status status = fill(rows, &more, error);
            if (status != TS_OK)
                return status;
            if (more)
                continue;
            rest = rows->have - rows->at;
            line = rows->buffer;
            if (rest == 0) {
                *found = false;
                return TS_OK;
            }
        }
        const char *end = newline ? newline : line + rest;
        row->begin = rows->offset - rest;
        row->end = row->begin + (uint64_t)(end - line) + (newline != NULL);
        rows->at += (size_t)(end - line) + (newline != NULL);
        if (end > line && end[-1] == '\r')
            end--;
        if (end == line)
            continue;
        if (read_row(rows, line, end, row)) {
            note_event(rows, line, newline, row);
            *found = true;
            return TS_OK;
        }
        rows->prefix_len = rows->tail_len = 0;
        /* A second pass may have written the first lines again. */
        if (!ts_str_starts_with((struct ts_str){line, (size_t)(end - line)}, TS_STR("ARCH:")) &&
            !ts_str_starts_with((struct ts_str){line, (size_t)(end - line)}, TS_STR("PCIe slot")))
            rows->bad++;
    }
}
