#include "formats/noc_json.h"

#include <stdlib.h>

#include "base/limits.h"

enum { BLOCK = 65536, DEPTH = 16 };

struct ts_noc_json {
    struct ts_reader *reader;
    char *buffer;
    size_t capacity, at, have;
    uint64_t before; /* bytes of the text before the buffer */
    bool ended, begun, closed;
    uint64_t records;
};

static enum ts_status wrong(const struct ts_noc_json *json, const char *what, struct ts_error *error)
{
    struct ts_quote quote;
    return ts_error_set(error, TS_INPUT, "%s: %s at byte %llu; is it a NoC trace?",
                        ts_error_quote(&quote, ts_str_from(ts_reader_path(json->reader)), TS_QUOTE_FILE), what,
                        (unsigned long long)(json->before + json->at));
}

enum ts_status ts_noc_json_open(struct ts_context *context, const char *path, struct ts_noc_json **out,
                                struct ts_error *error)
{
    struct ts_noc_json *json = calloc(1, sizeof *json);
    if (!json)
        return ts_error_no_memory(error);
    json->buffer = malloc(BLOCK);
    json->capacity = BLOCK;
    enum ts_status status =
        json->buffer ? ts_reader_open(context, path, &json->reader, error) : ts_error_no_memory(error);
    if (status != TS_OK) {
        ts_noc_json_close(json);
        return status;
    }
    *out = json;
    return TS_OK;
}

void ts_noc_json_close(struct ts_noc_json *json)
{
    if (!json)
        return;
    ts_reader_close(json->reader);
    free(json->buffer);
    free(json);
}

/* More bytes behind those at hand; what stands before `at` is given up. */
static enum ts_status fill(struct ts_noc_json *json, struct ts_error *error)
{
    size_t rest = json->have - json->at, got = 0;
    struct ts_quote quote;
    memmove(json->buffer, json->buffer + json->at, rest);
    json->before += json->at;
    json->at = 0;
    json->have = rest;
    if (rest == json->capacity) {
        if (json->capacity >= TS_LIMIT_NOC_RECORD)
            return ts_error_set(error, TS_LIMIT,
                                "%s: a record at byte %llu is longer than %zu bytes; is it a NoC trace?",
                                ts_error_quote(&quote, ts_str_from(ts_reader_path(json->reader)), TS_QUOTE_FILE),
                                (unsigned long long)json->before, (size_t)TS_LIMIT_NOC_RECORD);
        char *grown = realloc(json->buffer, 2 * json->capacity);
        if (!grown)
            return ts_error_no_memory(error);
        json->buffer = grown;
        json->capacity *= 2;
    }
    enum ts_status status = ts_reader_read(json->reader, json->buffer + rest, json->capacity - rest, &got, error);
    json->have += got;
    json->ended = got == 0;
    return status;
}

/* The next character that is no white space, which `at` is left on; 0 at the end. */
static enum ts_status look(struct ts_noc_json *json, char *out, struct ts_error *error)
{
    for (;;) {
        for (; json->at < json->have; json->at++) {
            char c = json->buffer[json->at];
            if (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
                *out = c;
                /* A NUL byte is no end, and no JSON either. */
                return c ? TS_OK : wrong(json, "there is a NUL byte", error);
            }
        }
        *out = 0;
        if (json->ended)
            return TS_OK;
        enum ts_status status = fill(json, error);
        if (status != TS_OK)
            return status;
    }
}

/* The length of the object at `at`: to the bracket that closes its first. */
static enum ts_status measure(struct ts_noc_json *json, size_t *out, struct ts_error *error)
{
    unsigned depth = 0;
    bool text = false;
    size_t i = 0;
    for (;;) {
        for (; json->at + i < json->have; i++) {
            char c = json->buffer[json->at + i];
            if (text) {
                if (c == '\\')
                    i++;
                else if (c == '"')
                    text = false;
            } else if (c == '"') {
                text = true;
            } else if (c == '{' || c == '[') {
                if (++depth > DEPTH)
                    return wrong(json, "a record is nested too deep", error);
            } else if ((c == '}' || c == ']') && --depth == 0) {
                *out = i + 1;
                return TS_OK;
            }
        }
        if (json->ended)
            return wrong(json, "the text ends within the record that begins", error);
        enum ts_status status = fill(json, error);
        if (status != TS_OK)
            return status;
    }
}

static enum ts_status end_array(struct ts_noc_json *json, yyjson_doc **out, struct ts_error *error)
{
    char c;
    json->closed = true;
    json->at++;
    enum ts_status status = look(json, &c, error);
    if (status == TS_OK && c)
        status = wrong(json, "something stands behind the array", error);
    if (status == TS_OK)
        *out = NULL;
    return status;
}

enum ts_status ts_noc_json_next(struct ts_noc_json *json, yyjson_doc **out, struct ts_error *error)
{
    char c;
    size_t len = 0;
    struct ts_quote quote;
    if (json->closed) {
        *out = NULL;
        return TS_OK;
    }
    enum ts_status status = look(json, &c, error);
    if (status == TS_OK && !json->begun) {
        if (c != '[')
            return wrong(json, c ? "expected an array of records" : "expected an array of records, found nothing,",
                         error);
        json->begun = true;
        json->at++;
        status = look(json, &c, error);
        if (status == TS_OK && c == ']')
            return end_array(json, out, error);
    } else if (status == TS_OK && json->records) {
        if (c == ']')
            return end_array(json, out, error);
        if (c != ',')
            return wrong(json, c ? "expected a comma or the array's end" : "the text ends within the array", error);
        json->at++;
        status = look(json, &c, error);
    }
    if (status != TS_OK)
        return status;
    if (c != '{')
        return wrong(json, c ? "expected a record" : "the text ends within the array", error);
    status = measure(json, &len, error);
    if (status != TS_OK)
        return status;
    status = ts_json_parse((struct ts_str){json->buffer + json->at, len}, DEPTH, true, out, error);
    if (status != TS_OK) {
        ts_error_prefix(error, "%s: the record at byte %llu",
                        ts_error_quote(&quote, ts_str_from(ts_reader_path(json->reader)), TS_QUOTE_FILE),
                        (unsigned long long)(json->before + json->at));
        return status;
    }
    json->at += len;
    json->records++;
    return TS_OK;
}
