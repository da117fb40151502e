#include "surfaces/mcp/jsonrpc.h"

/* An integer as written: its sign, its digits without the zeros behind them, and how many tens it is multiplied by. */
struct integer {
    bool negative;
    struct ts_str digits; /* empty: zero */
    int64_t tens;
};

enum { TENS_MAX = 1000000000 };

/* False when there is a fraction, by a point or by a negative exponent. */
static bool read_integer(struct ts_str text, struct integer *out)
{
    *out = (struct integer){false, TS_STR(""), 0};
    if (text.len > 0 && text.ptr[0] == '-') {
        out->negative = true;
        text = ts_str_sub(text, 1, text.len);
    }
    size_t len = 0;
    while (len < text.len && text.ptr[len] >= '0' && text.ptr[len] <= '9')
        len++;
    out->digits = ts_str_sub(text, 0, len);
    struct ts_str exponent = ts_str_sub(text, len, text.len);
    bool down = false;
    if (exponent.len > 0) {
        if (exponent.ptr[0] != 'e' && exponent.ptr[0] != 'E')
            return false;
        exponent = ts_str_sub(exponent, 1, exponent.len);
        down = exponent.len > 0 && exponent.ptr[0] == '-';
        if (exponent.len > 0 && (down || exponent.ptr[0] == '+'))
            exponent = ts_str_sub(exponent, 1, exponent.len);
        for (size_t i = 0; i < exponent.len; i++)
            if (out->tens < TENS_MAX)
                out->tens = out->tens * 10 + (exponent.ptr[i] - '0');
    }
    if (down)
        out->tens = -out->tens;
    while (out->digits.len > 0 && out->digits.ptr[out->digits.len - 1] == '0') {
        out->digits.len--;
        out->tens++;
    }
    if (out->digits.len == 0)
        *out = (struct integer){false, TS_STR(""), 0};
    return out->tens >= 0;
}

bool ts_rpc_is_id(yyjson_val *value)
{
    struct integer integer;
    return yyjson_is_str(value) || (yyjson_is_raw(value) && read_integer(ts_json_str(value), &integer));
}

void ts_rpc_id_key(yyjson_val *id, struct ts_buf *out)
{
    struct integer integer;
    if (yyjson_is_raw(id) && read_integer(ts_json_str(id), &integer)) {
        ts_buf_char(out, integer.negative ? '-' : '+');
        ts_buf_str(out, integer.digits);
        ts_buf_printf(out, "e%lld", (long long)integer.tens);
    } else {
        ts_buf_char(out, '"');
        ts_buf_str(out, ts_json_str(id));
    }
}

void ts_rpc_write_id(struct ts_json_out *out, yyjson_val *id)
{
    if (yyjson_is_raw(id))
        ts_json_raw(out, ts_json_str(id));
    else if (yyjson_is_str(id))
        ts_json_string(out, ts_json_str(id));
    else
        ts_json_null(out);
}

static void broken(struct ts_rpc_message *out, int code, const char *problem)
{
    out->kind = TS_RPC_BROKEN;
    out->code = code;
    out->problem = problem;
}

/* A message that has a method, by the rules for its id. */
static void read_call(yyjson_val *id, struct ts_rpc_message *out)
{
    bool notice = ts_str_starts_with(out->method, TS_STR("notifications/"));
    if (!id || (yyjson_is_null(id) && notice)) {
        out->kind = TS_RPC_NOTIFICATION;
        return;
    }
    if (!ts_rpc_is_id(id)) {
        broken(out, TS_RPC_INVALID_REQUEST, "The id of a request is a string or an integer.");
        return;
    }
    if (out->params && !yyjson_is_obj(out->params)) {
        broken(out, TS_RPC_INVALID_PARAMS, "params is an object.");
        return;
    }
    out->kind = TS_RPC_REQUEST;
}

void ts_rpc_read(yyjson_val *value, struct ts_rpc_message *out)
{
    *out = (struct ts_rpc_message){.kind = TS_RPC_BROKEN};
    if (!yyjson_is_obj(value)) {
        broken(out, TS_RPC_INVALID_REQUEST,
               yyjson_is_arr(value)
                   ? "An array is a batch only in a session of revision 2025-03-26, not empty and not inside another."
                   : "A message is a JSON object.");
        return;
    }
    yyjson_val *method = ts_json_get(value, "method"), *id = ts_json_get(value, "id");
    if (!method && (ts_json_get(value, "result") || ts_json_get(value, "error"))) {
        out->kind = TS_RPC_RESPONSE;
        return;
    }
    if (ts_rpc_is_id(id))
        out->id = id;
    if (!yyjson_is_str(method)) {
        broken(out, TS_RPC_INVALID_REQUEST, "A request has a method, which is a string.");
        return;
    }
    out->method = ts_json_str(method);
    out->params = ts_json_get(value, "params");
    read_call(id, out);
    yyjson_val *revision = ts_json_get(value, "jsonrpc");
    /* A notification is never answered, not even one that is malformed. */
    bool silent = out->kind == TS_RPC_NOTIFICATION && ts_str_starts_with(out->method, TS_STR("notifications/"));
    if (!silent && !(yyjson_is_str(revision) && ts_str_is(ts_json_str(revision), "2.0")))
        broken(out, TS_RPC_INVALID_REQUEST, "jsonrpc is the string 2.0 in every message.");
}

void ts_rpc_error(struct ts_buf *out, yyjson_val *id, int code, const char *message, struct ts_str data)
{
    struct ts_json_out json;
    ts_json_out_buf(&json, out);
    ts_json_open_object(&json);
    ts_json_key(&json, TS_STR("jsonrpc"));
    ts_json_string(&json, TS_STR("2.0"));
    ts_json_key(&json, TS_STR("id"));
    ts_rpc_write_id(&json, id);
    ts_json_key(&json, TS_STR("error"));
    ts_json_open_object(&json);
    ts_json_key(&json, TS_STR("code"));
    ts_json_integer(&json, code);
    ts_json_key(&json, TS_STR("message"));
    ts_json_string(&json, ts_str_from(message));
    if (data.len > 0) {
        ts_json_key(&json, TS_STR("data"));
        ts_json_raw(&json, data);
    }
    ts_json_close_object(&json);
    ts_json_close_object(&json);
}
