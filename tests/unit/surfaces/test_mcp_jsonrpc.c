#include "surfaces/mcp/jsonrpc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static yyjson_doc *parse(const char *text)
{
    yyjson_doc *doc = NULL;
    assert_int_equal(ts_json_parse(ts_str_from(text), 64, true, &doc, NULL), TS_OK);
    return doc;
}

static bool is_id(const char *text)
{
    yyjson_doc *doc = parse(text);
    bool result = ts_rpc_is_id(yyjson_doc_get_root(doc));
    yyjson_doc_free(doc);
    return result;
}

static void tells_ids(void **state)
{
    (void)state;
    static const char *const ids[] = {"0",     "-0",  "1",    "-12",    "12345678901234567890123", "1e2",
                                      "1E+2",  "0e5", "0e-5", "100e-2", "1e99999999999999999999",  "\"\"",
                                      "\"a\"", NULL};
    static const char *const others[] = {"1.0",  "1.5",  "-0.1", "1e-1", "10e-2", "1e-99999999999999999999",
                                         "null", "true", "[]",   "{}",   NULL};
    for (size_t i = 0; ids[i]; i++)
        assert_true(is_id(ids[i]));
    for (size_t i = 0; others[i]; i++)
        assert_false(is_id(others[i]));
    assert_false(ts_rpc_is_id(NULL));
}

static bool same(const char *a, const char *b)
{
    yyjson_doc *first = parse(a), *second = parse(b);
    struct ts_buf keys[2];
    ts_buf_init(&keys[0], 0);
    ts_buf_init(&keys[1], 0);
    ts_rpc_id_key(yyjson_doc_get_root(first), &keys[0]);
    ts_rpc_id_key(yyjson_doc_get_root(second), &keys[1]);
    bool result = ts_str_equal(ts_buf_view(&keys[0]), ts_buf_view(&keys[1]));
    ts_buf_free(&keys[0]);
    ts_buf_free(&keys[1]);
    yyjson_doc_free(first);
    yyjson_doc_free(second);
    return result;
}

static void compares_ids_by_value(void **state)
{
    (void)state;
    assert_true(same("100", "1e2"));
    assert_true(same("100", "10000e-2"));
    assert_true(same("0", "-0"));
    assert_true(same("0", "0e7"));
    assert_true(same("\"a\"", "\"\\u0061\""));
    assert_false(same("1", "\"1\""));
    assert_false(same("1", "-1"));
    assert_false(same("1", "10"));
    assert_false(same("12345678901234567890123", "12345678901234567890124"));
    assert_false(same("\"a\"", "\"a\\u0000\""));
    assert_false(same("0", "\"\""));
}

static struct ts_rpc_message read_message(yyjson_doc *doc)
{
    struct ts_rpc_message message;
    ts_rpc_read(yyjson_doc_get_root(doc), &message);
    return message;
}

static void expect(const char *text, enum ts_rpc_kind kind, int code, bool has_id)
{
    yyjson_doc *doc = parse(text);
    struct ts_rpc_message message = read_message(doc);
    assert_int_equal(message.kind, kind);
    assert_int_equal(message.code, code);
    if (kind == TS_RPC_BROKEN)
        assert_non_null(message.problem);
    if (kind == TS_RPC_REQUEST || kind == TS_RPC_BROKEN)
        assert_int_equal(message.id != NULL, has_id);
    yyjson_doc_free(doc);
}

static void tells_messages(void **state)
{
    (void)state;
    expect("[]", TS_RPC_BROKEN, TS_RPC_INVALID_REQUEST, false);
    expect("7", TS_RPC_BROKEN, TS_RPC_INVALID_REQUEST, false);
    expect("{}", TS_RPC_BROKEN, TS_RPC_INVALID_REQUEST, false);
    expect("{\"result\":1}", TS_RPC_RESPONSE, 0, false);
    expect("{\"error\":null,\"id\":1}", TS_RPC_RESPONSE, 0, false);
    expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}", TS_RPC_REQUEST, 0, true);
    expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"result\":1}", TS_RPC_REQUEST, 0, true);
    expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":2}", TS_RPC_BROKEN, TS_RPC_INVALID_REQUEST, true);
    expect("{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":2}", TS_RPC_BROKEN, TS_RPC_INVALID_REQUEST, false);
    expect("{\"jsonrpc\":\"2.1\",\"id\":1,\"method\":\"a\"}", TS_RPC_BROKEN, TS_RPC_INVALID_REQUEST, true);
    expect("{\"id\":1,\"method\":\"a\"}", TS_RPC_BROKEN, TS_RPC_INVALID_REQUEST, true);
    expect("{\"jsonrpc\":\"2.0\",\"method\":\"a\"}", TS_RPC_NOTIFICATION, 0, false);
    expect("{\"method\":\"a\"}", TS_RPC_BROKEN, TS_RPC_INVALID_REQUEST, false);
    expect("{\"method\":\"notifications/a\"}", TS_RPC_NOTIFICATION, 0, false);
    expect("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"notifications/a\"}", TS_RPC_NOTIFICATION, 0, false);
    expect("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"a\"}", TS_RPC_BROKEN, TS_RPC_INVALID_REQUEST, false);
    expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"notifications/a\"}", TS_RPC_REQUEST, 0, true);
    expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":[]}", TS_RPC_BROKEN, TS_RPC_INVALID_PARAMS, true);
    expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":null}", TS_RPC_BROKEN, TS_RPC_INVALID_PARAMS,
           true);
    expect("{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":[]}", TS_RPC_NOTIFICATION, 0, false);
    expect("{\"jsonrpc\":\"1\",\"id\":1,\"id\":2,\"method\":\"a\",\"jsonrpc\":\"2.0\"}", TS_RPC_REQUEST, 0, true);
}

static void expect_error(const char *id, const char *data, const char *text)
{
    yyjson_doc *doc = id ? parse(id) : NULL;
    struct ts_buf out;
    ts_buf_init(&out, 0);
    ts_rpc_error(&out, yyjson_doc_get_root(doc), TS_RPC_INTERNAL, "a \"word\"", ts_str_from(data));
    assert_string_equal(out.ptr, text);
    ts_buf_free(&out);
    yyjson_doc_free(doc);
}

static void writes_errors(void **state)
{
    (void)state;
    expect_error(NULL, "",
                 "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32603,\"message\":\"a \\\"word\\\"\"}}");
    expect_error("1e2", "",
                 "{\"jsonrpc\":\"2.0\",\"id\":1e2,\"error\":{\"code\":-32603,\"message\":\"a \\\"word\\\"\"}}");
    expect_error(
        "\"\\u00e9\"", "{\"b\":1}",
        "{\"jsonrpc\":\"2.0\",\"id\":\"\u00e9\",\"error\":{\"code\":-32603,\"message\":\"a \\\"word\\\"\",\"data\":"
        "{\"b\":1}}}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_ids),
        cmocka_unit_test(compares_ids_by_value),
        cmocka_unit_test(tells_messages),
        cmocka_unit_test(writes_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
