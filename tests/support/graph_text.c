#include "support/graph_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void add_device(struct ts_buf *out, const char *key, struct ts_str word, const char *comma)
{
    const char *at = memchr(word.ptr, '@', word.len);
    if (at)
        ts_buf_printf(out, "%s\"%s\":%d", comma, key, atoi(at + 1));
}

static void add_scope(struct ts_buf *out, struct ts_str word)
{
    bool start = word.ptr[0] == '(', marked = word.len > 1 && word.ptr[1] == '!';
    struct ts_str name = ts_str_sub(word, marked ? 2 : 1, word.len);
    ts_buf_printf(out, "\"node_type\":\"function_%s\",\"params\":{\"name\":\"%.*s\"%s}", start ? "start" : "end",
                  TS_STR_ARG(name),
                  !marked ? ""
                  : start ? ",\"program_cache_hit\":false"
                          : ",\"aborted\":\"true\"");
}

static void add_circular(struct ts_buf *out, struct ts_str word)
{
    char *end;
    long address = strtol(word.ptr + 1, &end, 10);
    long size = *end == '+' ? strtol(end + 1, &end, 10) : 0;
    ts_buf_printf(out,
                  "\"node_type\":\"circular_buffer_allocate\",\"params\":{\"address\":\"%ld\",\"size\":\"%ld\","
                  "\"globally_allocated\":\"%d\",\"core_range_set\":\"",
                  address, size, word.ptr[0] == 'G');
    for (end += *end == '/'; end < word.ptr + word.len && *end != '@'; end++)
        ts_buf_char(out, *end == '_' ? ' ' : *end);
    ts_buf_char(out, '"');
    add_device(out, "device_id", word, ",");
    ts_buf_char(out, '}');
}

static void add_node(struct ts_buf *out, struct ts_str word, unsigned counter)
{
    ts_buf_printf(out, "%s{\"counter\":%u,\"connections\":[],", counter > 0 ? "," : "", counter);
    switch (word.ptr[0]) {
    case '(':
    case ')':
        add_scope(out, word);
        break;
    case 'C':
    case 'G':
        add_circular(out, word);
        break;
    case 'F':
        ts_buf_text(out, "\"node_type\":\"circular_buffer_deallocate_all\",\"params\":{");
        add_device(out, "device_id", word, "");
        ts_buf_char(out, '}');
        break;
    case 'P':
        ts_buf_text(out, "\"node_type\":\"program_execution\",\"params\":{\"device_id\":9");
        add_device(out, "physical_device_id", word, ",");
        ts_buf_char(out, '}');
        break;
    default:
        ts_buf_text(out, "\"node_type\":\"tensor\",\"params\":{}");
        break;
    }
    ts_buf_char(out, '}');
}

void graph_text_json(struct ts_buf *out, const char *nodes)
{
    struct ts_str rest = ts_str_from(nodes), word;
    bool done = false;
    unsigned counter = 0;
    ts_buf_char(out, '[');
    while (ts_str_split(&rest, ' ', &word, &done))
        if (word.len > 0)
            add_node(out, word, counter++);
    ts_buf_char(out, ']');
}

void graph_text_read(struct ts_graph *graph, struct ts_buf *text, const char *nodes)
{
    static const char slack[TS_GRAPH_SLACK] = {0};
    enum ts_graph_state state = TS_GRAPH_NOT_JSON;
    ts_buf_clear(text);
    graph_text_json(text, nodes);
    size_t len = text->len;
    ts_buf_add(text, slack, sizeof slack);
    assert_false(text->failed);
    assert_int_equal(ts_graph_read(graph, text->ptr, len, TS_GRAPH_ALL, 0, &state, NULL), TS_OK);
    assert_int_equal(state, TS_GRAPH_READ);
}
