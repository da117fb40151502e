#include "models/allocation_failure.h"

#include "base/utf8.h"
#include "formats/buffer_type.h"

const char *ts_failure_kind_name(enum ts_failure_kind kind)
{
    static const char *const names[] = {
        [TS_FAILURE_NONE] = NULL,
        [TS_FAILURE_BANK] = "bank_out_of_memory",
        [TS_FAILURE_BANK_DEPENDENCIES] = "bank_out_of_memory_with_dependencies",
        [TS_FAILURE_BEYOND_L1] = "circular_buffers_beyond_l1",
        [TS_FAILURE_CLASH] = "circular_buffers_clash",
    };
    return names[kind];
}

const char *ts_failure_reason_name(enum ts_failure_reason reason)
{
    static const char *const names[] = {
        [TS_REASON_NONE] = NULL,
        [TS_REASON_LARGER_THAN_BANK] = "larger_than_empty_bank",
        [TS_REASON_FREE_BLOCK_COULD_HOLD_IT] = "free_block_could_hold_it",
        [TS_REASON_FRAGMENTED] = "fragmented",
        [TS_REASON_NOT_ENOUGH] = "not_enough_free_space",
        [TS_REASON_BEYOND_L1] = "beyond_end_of_l1",
        [TS_REASON_OVERLAP] = "overlaps_l1_buffer",
    };
    return names[reason];
}

/* ---- taking a text apart ---- */

static bool take(struct ts_str *rest, const char *literal)
{
    struct ts_str prefix = ts_str_from(literal);
    if (!ts_str_starts_with(*rest, prefix))
        return false;
    *rest = ts_str_sub(*rest, prefix.len, rest->len);
    return true;
}

static bool take_number(struct ts_str *rest, int64_t *out)
{
    size_t len = 0;
    int64_t value = 0;
    for (; len < rest->len && rest->ptr[len] >= '0' && rest->ptr[len] <= '9'; len++)
        if (value == TS_FIGURE_TOO_LARGE || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, rest->ptr[len] - '0', &value))
            value = TS_FIGURE_TOO_LARGE;
    *rest = ts_str_sub(*rest, len, rest->len);
    *out = value;
    return len > 0;
}

/* A number with the words around it. */
static bool take_figure(struct ts_str *rest, const char *before, int64_t *out, const char *behind)
{
    return take(rest, before) && take_number(rest, out) && take(rest, behind);
}

static bool is_word(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* The name of a buffer type; another word leaves it without one. */
static bool take_type(struct ts_str *rest, struct ts_str *out)
{
    size_t len = 0;
    while (len < rest->len && is_word(rest->ptr[len]))
        len++;
    struct ts_str word = ts_str_sub(*rest, 0, len);
    *out = (struct ts_str){NULL, 0};
    for (const char *const *name = ts_buffer_type_names; *name; name++)
        if (ts_str_is(word, *name))
            *out = ts_str_from(*name);
    *rest = ts_str_sub(*rest, len, rest->len);
    return len > 0;
}

/* "circular" or "dataflow": the same buffers under the older and the newer host interface. */
static bool take_flavour(struct ts_str *rest)
{
    return take(rest, "circular") || take(rest, "dataflow");
}

struct scan;

/* ---- banks ---- */

static bool take_free(struct ts_str *rest, struct ts_allocation_failure *out)
{
    struct ts_str at = *rest;
    out->has_free = take_figure(&at, " (allocated: ", &out->allocated, " B, free: ") &&
                    take_figure(&at, "", &out->free, " B, largest free block: ") &&
                    take_figure(&at, "", &out->largest_free, " B)");
    if (out->has_free)
        *rest = at;
    return out->has_free;
}

static bool match_bank(struct ts_str rest, struct ts_allocation_failure *out, struct scan *scan)
{
    (void)scan;
    if (!take_figure(&rest, "", &out->requested, " B ") || !take_type(&rest, &out->buffer_type) ||
        !take_figure(&rest, " buffer across ", &out->banks, " banks, where each bank needs to store ") ||
        !take_figure(&rest, "", &out->per_bank, " B, but bank size is "))
        return false;
    take(&rest, "only ");
    if (!take_figure(&rest, "", &out->bank_size, " B"))
        return false;
    take_free(&rest, out);
    return true;
}

static bool match_dependencies(struct ts_str rest, struct ts_allocation_failure *out, struct scan *scan)
{
    (void)scan;
    int64_t ignored;
    if (!take_figure(&rest, "", &out->requested, " B ") || !take_type(&rest, &out->buffer_type) ||
        !take_figure(&rest, " across ", &out->banks, " banks (") ||
        !take_figure(&rest, "", &out->per_bank, " B per bank), bank size is ") ||
        !take_figure(&rest, "", &out->bank_size, " B") || !take_free(&rest, out))
        return false;
    out->has_placeable = take_figure(&rest, ". After subtracting ", &ignored, " dependency range(s) and ") &&
                         take_figure(&rest, "", &ignored, " additional occupied range(s), ") &&
                         take_figure(&rest, "", &out->placeable, " B remained placeable across ") &&
                         take_figure(&rest, "", &ignored, " window(s), largest ") &&
                         take_figure(&rest, "", &out->largest_placeable, " B");
    return true;
}

/* ---- circular buffers ---- */

static bool rest_beyond(struct ts_str rest, struct ts_allocation_failure *out)
{
    return take_figure(&rest, " grow to ", &out->region_end, " B which is beyond max L1 size of ") &&
           take_figure(&rest, "", &out->limit, " B");
}

static bool rest_clash(struct ts_str rest, struct ts_allocation_failure *out)
{
    return take_figure(&rest, ". L1 buffer allocated at ", &out->limit, " and static ") && take_flavour(&rest) &&
           take_figure(&rest, " buffer region ends at ", &out->region_end, "");
}

/* What was found behind one beginning and holds for later ones too: a message made of beginnings takes no longer to read. */
struct scan {
    const char *from, *end; /* the first end of a range from there on; NULL: none, or not sought yet */
    const char *line_end;   /* of the line looked at last */
    bool sought;
};

static const char *find_line_end(struct ts_str rest, struct scan *scan)
{
    if (!scan->line_end || scan->line_end < rest.ptr) {
        scan->line_end = rest.ptr;
        while (scan->line_end < rest.ptr + rest.len && *scan->line_end != '\n' && *scan->line_end != '\r')
            scan->line_end++;
    }
    return scan->line_end;
}

/* The next place at which the words `first` and the rest stand: that a range ends there does not depend on its beginning. */
static const char *find_end(struct ts_str rest, const char *first,
                            bool (*match)(struct ts_str rest, struct ts_allocation_failure *out), struct scan *scan)
{
    struct ts_allocation_failure ignored;
    if (scan->sought && scan->from <= rest.ptr && (!scan->end || rest.ptr <= scan->end))
        return scan->end;
    *scan = (struct scan){.from = rest.ptr, .line_end = scan->line_end, .sought = true};
    for (size_t at = 0; (at = ts_str_find(rest, ts_str_from(first), at)) != (size_t)-1; at++)
        if (match(ts_str_sub(rest, at, rest.len), &ignored)) {
            scan->end = rest.ptr + at;
            break;
        }
    return scan->end;
}

/* The shortest range on one line, not empty, behind which the rest stands, which begins with `first`. */
static bool take_range(struct ts_str rest, const char *first,
                       bool (*match)(struct ts_str rest, struct ts_allocation_failure *out),
                       struct ts_allocation_failure *out, struct scan *scan)
{
    const char *end = rest.len > 0 ? find_end(ts_str_sub(rest, 1, rest.len), first, match, scan) : NULL;
    if (!end || end > find_line_end(rest, scan))
        return false;
    size_t len = (size_t)(end - rest.ptr);
    out->core_range = ts_str_sub(rest, 0, len);
    return match(ts_str_sub(rest, len, rest.len), out);
}

static bool match_beyond(struct ts_str rest, struct ts_allocation_failure *out, struct scan *scan)
{
    return take_flavour(&rest) && take(&rest, " buffers on core range ") &&
           take_range(rest, " grow to ", rest_beyond, out, scan);
}

static bool match_clash(struct ts_str rest, struct ts_allocation_failure *out, struct scan *scan)
{
    int64_t program;
    return take_flavour(&rest) &&
           take_figure(&rest, " buffers in program ", &program, " clash with L1 buffers on core range ") &&
           take_range(rest, ". L1 buffer allocated at ", rest_clash, out, scan);
}

/* ---- the four ---- */

static const struct wording {
    enum ts_failure_kind kind;
    const char *first; /* how it begins */
    bool (*match)(struct ts_str rest, struct ts_allocation_failure *out, struct scan *scan);
} wordings[] = {
    {TS_FAILURE_BANK, "Out of Memory: Not enough space to allocate ", match_bank},
    {TS_FAILURE_BANK_DEPENDENCIES, "Out of Memory: Not enough space after considering dependencies to allocate ",
     match_dependencies},
    {TS_FAILURE_BEYOND_L1, "Statically allocated ", match_beyond},
    {TS_FAILURE_CLASH, "Statically allocated ", match_clash},
};

void ts_allocation_failure_read(struct ts_str message, struct ts_allocation_failure *out)
{
    struct ts_str text = ts_utf8_cut(message, TS_FAILURE_MESSAGE_CHARACTERS);
    for (size_t i = 0; i < sizeof wordings / sizeof *wordings; i++) {
        struct ts_str first = ts_str_from(wordings[i].first);
        struct scan scan = {.sought = false};
        for (size_t at = 0; (at = ts_str_find(text, first, at)) != (size_t)-1; at += first.len) {
            struct ts_allocation_failure failure = {.kind = wordings[i].kind};
            if (!wordings[i].match(ts_str_sub(text, at + first.len, text.len), &failure, &scan))
                continue;
            *out = failure;
            return;
        }
    }
    *out = (struct ts_allocation_failure){.kind = TS_FAILURE_NONE};
}

static struct ts_failure_diagnosis no_reason(const char *unsaid)
{
    return (struct ts_failure_diagnosis){TS_REASON_NONE, 0, unsaid};
}

static struct ts_failure_diagnosis because(enum ts_failure_reason reason, int64_t bytes)
{
    return (struct ts_failure_diagnosis){reason, bytes, NULL};
}

static const char too_large[] = "a figure of the message is past 63 bits";

static struct ts_failure_diagnosis diagnose_bank(const struct ts_allocation_failure *failure)
{
    if (failure->per_bank < 0 || failure->bank_size < 0)
        return no_reason(too_large);
    if (failure->per_bank > failure->bank_size)
        return because(TS_REASON_LARGER_THAN_BANK, failure->per_bank - failure->bank_size);
    if (!failure->has_free)
        return no_reason("the message, of an older tt-metal, does not tell the free space");
    if (failure->free < 0 || failure->largest_free < 0)
        return no_reason(too_large);
    if (failure->largest_free > failure->free || failure->free > failure->bank_size)
        return no_reason("the message's figures of free space contradict each other");
    if (failure->largest_free >= failure->per_bank)
        return because(TS_REASON_FREE_BLOCK_COULD_HOLD_IT, 0);
    if (failure->free >= failure->per_bank)
        return because(TS_REASON_FRAGMENTED, 0);
    return because(TS_REASON_NOT_ENOUGH, failure->per_bank - failure->free);
}

static struct ts_failure_diagnosis diagnose_circular(const struct ts_allocation_failure *failure)
{
    bool clash = failure->kind == TS_FAILURE_CLASH;
    if (failure->region_end < 0 || failure->limit < 0)
        return no_reason(too_large);
    if (failure->region_end <= failure->limit)
        return no_reason(clash ? "by the message's figures the circular buffers end before the L1 buffer begins"
                               : "by the message's figures the circular buffers end within the L1");
    return because(clash ? TS_REASON_OVERLAP : TS_REASON_BEYOND_L1, failure->region_end - failure->limit);
}

struct ts_failure_diagnosis ts_allocation_failure_diagnose(const struct ts_allocation_failure *failure)
{
    switch (failure->kind) {
    case TS_FAILURE_BANK:
    case TS_FAILURE_BANK_DEPENDENCIES:
        return diagnose_bank(failure);
    case TS_FAILURE_BEYOND_L1:
    case TS_FAILURE_CLASH:
        return diagnose_circular(failure);
    case TS_FAILURE_NONE:
        break;
    }
    return no_reason("it is no allocation failure");
}
