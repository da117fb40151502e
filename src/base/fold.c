#include "base/fold.h"

#include <string.h>

#include "base/utf8.h"

/* Capitals from first to last; every second of them when pairs, else all, `by` before their small letters. */
struct capitals {
    uint32_t first, last, by;
    bool pairs;
};

static const struct capitals capitals[] = {
    {'A', 'Z', 32, false},     {0xC0, 0xD6, 32, false},   {0xD8, 0xDE, 32, false},   {0x100, 0x12E, 1, true},
    {0x132, 0x136, 1, true},   {0x139, 0x147, 1, true},   {0x14A, 0x176, 1, true},   {0x179, 0x17D, 1, true},
    {0x386, 0x386, 38, false}, {0x388, 0x38A, 37, false}, {0x38C, 0x38C, 64, false}, {0x38E, 0x38F, 63, false},
    {0x391, 0x3A1, 32, false}, {0x3A3, 0x3AB, 32, false}, {0x3D8, 0x3EE, 1, true},   {0x400, 0x40F, 80, false},
    {0x410, 0x42F, 32, false}, {0x460, 0x480, 1, true},   {0x48A, 0x4BE, 1, true},   {0x4D0, 0x52E, 1, true},
    {0x1E00, 0x1E94, 1, true}, {0x1EA0, 0x1EFE, 1, true},
};

uint32_t ts_fold_char(uint32_t code)
{
    for (size_t i = 0; i < sizeof capitals / sizeof *capitals; i++) {
        const struct capitals *range = &capitals[i];
        if (code >= range->first && code <= range->last)
            return range->pairs && (code - range->first) % 2 != 0 ? code : code + range->by;
    }
    return code;
}

static void add_char(struct ts_buf *out, uint32_t code)
{
    /* No capital of the table above lies beyond two bytes but those of Latin Extended Additional. */
    if (code < 0x80) {
        ts_buf_char(out, (char)code);
    } else if (code < 0x800) {
        ts_buf_char(out, (char)(0xC0 | code >> 6));
        ts_buf_char(out, (char)(0x80 | (code & 0x3F)));
    } else {
        ts_buf_char(out, (char)(0xE0 | code >> 12));
        ts_buf_char(out, (char)(0x80 | (code >> 6 & 0x3F)));
        ts_buf_char(out, (char)(0x80 | (code & 0x3F)));
    }
}

void ts_fold_text(struct ts_buf *out, struct ts_str s)
{
    while (s.len > 0) {
        size_t plain = ts_utf8_ascii_prefix(s);
        if (plain > 0) {
            ts_fold_ascii(out, ts_str_sub(s, 0, plain));
            s = ts_str_sub(s, plain, s.len);
            continue;
        }
        size_t len;
        uint32_t code = ts_utf8_decode(s, &len), folded = ts_fold_char(code);
        if (folded == code)
            ts_buf_add(out, s.ptr, len);
        else
            add_char(out, folded);
        s = ts_str_sub(s, len, s.len);
    }
}

void ts_fold_ascii(struct ts_buf *out, struct ts_str s)
{
    char *room = ts_buf_extend(out, s.len);
    for (size_t i = 0; room && i < s.len; i++)
        room[i] = (char)(s.ptr[i] >= 'A' && s.ptr[i] <= 'Z' ? s.ptr[i] + 32 : s.ptr[i]);
}

/* A piece that ends where a character does, if the text is UTF-8; the rest is taken next. */
static struct ts_str take_piece(struct ts_str *rest)
{
    enum { PIECE = 256 * 1024 };
    size_t len = rest->len < PIECE ? rest->len : PIECE;
    for (unsigned back = 0; len < rest->len && back < 3 && ((unsigned char)rest->ptr[len] & 0xC0) == 0x80; back++)
        len--;
    struct ts_str piece = ts_str_sub(*rest, 0, len);
    *rest = ts_str_sub(*rest, len, rest->len);
    return piece;
}

enum ts_status ts_fold_contains(struct ts_context *context, struct ts_str text, struct ts_str wanted,
                                void (*fold)(struct ts_buf *out, struct ts_str s), struct ts_buf *work, bool *found,
                                struct ts_error *error)
{
    enum ts_status status = TS_OK;
    *found = wanted.len == 0;
    ts_buf_clear(work);
    while (status == TS_OK && text.len > 0 && !*found) {
        /* What is wanted may begin in the piece before. */
        if (work->len >= wanted.len) {
            size_t kept = wanted.len - 1;
            memmove(work->ptr, work->ptr + (work->len - kept), kept);
            work->len = kept;
        }
        fold(work, take_piece(&text));
        *found = ts_str_contains(ts_buf_view(work), wanted);
        status = ts_buf_status(work, error);
        if (status == TS_OK && text.len > 0)
            status = ts_context_check(context, error);
    }
    return status;
}
