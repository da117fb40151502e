#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

/* Take back what a cut left of the last character. */
static void end_at_character(char *message, size_t len)
{
    size_t start = len;
    while (start > 0 && len - start < 4 && ((unsigned char)message[start - 1] & 0xC0) == 0x80)
        start--;
    if (start > 0)
        start--;
    struct ts_str last = {message + start, len - start};
    if (!ts_utf8_valid(last))
        len = start + ts_utf8_valid_prefix(last);
    message[len] = '\0';
}

/* The message into room bytes; its length. */
static size_t write_message(char *message, size_t room, const char *format, va_list arguments)
{
    int len = vsnprintf(message, room, format, arguments);
    if (len < 0)
        len = snprintf(message, room, "%s", "the message of this failure could not be written");
    if ((size_t)len < room)
        return (size_t)len;
    end_at_character(message, room - 1);
    return strlen(message);
}

enum ts_status ts_error_set(struct ts_error *error, enum ts_status code, const char *format, ...)
{
    if (!error)
        return code;
    va_list arguments;
    va_start(arguments, format);
    error->code = code;
    write_message(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return code;
}

enum ts_status ts_error_prefix(struct ts_error *error, const char *format, ...)
{
    if (!error)
        return TS_INTERNAL;
    char context[TS_ERROR_MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    size_t len = write_message(context, sizeof context, format, arguments);
    va_end(arguments);

    size_t head = len + strlen(": ");
    if (head >= sizeof error->message) {
        memcpy(error->message, context, len + 1);
        return error->code;
    }
    size_t old = strnlen(error->message, sizeof error->message - 1);
    size_t kept = old < sizeof error->message - 1 - head ? old : sizeof error->message - 1 - head;
    memmove(error->message + head, error->message, kept);
    memcpy(error->message, context, len);
    memcpy(error->message + len, ": ", strlen(": "));
    error->message[head + kept] = '\0';
    if (kept < old)
        end_at_character(error->message, head + kept);
    return error->code;
}

enum ts_status ts_error_no_memory(struct ts_error *error)
{
    return ts_error_set(error, TS_NO_MEMORY, "out of memory");
}

enum ts_status ts_error_system(struct ts_error *error, const char *path, const char *verb, int number)
{
    enum ts_status code = number == ENOMEM ? TS_NO_MEMORY : TS_IO;
    struct ts_quote quoted;
    /* Not strerror: messages are in English whatever the locale. */
    const char *reason = strerrordesc_np(number);
    return ts_error_set(error, code, "%s: cannot %s: %s", ts_error_quote(&quoted, ts_str_from(path), TS_QUOTE_FILE),
                        verb, reason ? reason : "unknown error");
}

const char *ts_error_quote(struct ts_quote *buffer, struct ts_str text, size_t max)
{
    static const char dots[] = "...";
    size_t written = 0, at = 0;
    for (size_t count = 0, len; at < text.len; at += len, count++) {
        char one[TS_UTF8_ESCAPE_MAX];
        size_t size = ts_utf8_escape_one(ts_str_sub(text, at, text.len), &len, one);
        if (count == max || size > sizeof buffer->text - sizeof dots - written)
            break;
        memcpy(buffer->text + written, one, size);
        written += size;
    }
    memcpy(buffer->text + written, at < text.len ? dots : "", at < text.len ? sizeof dots : 1);
    return buffer->text;
}
