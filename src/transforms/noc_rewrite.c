#include "transforms/noc_rewrite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/output.h"
#include "base/write.h"
#include "formats/noc_json.h"

enum { KEYS_MAX = 256, TYPES_MAX = 256, SATURATED = 8160 };

/* ---- text ---- */

static int compare_keys(const void *a, const void *b)
{
    yyjson_val *x = *(yyjson_val *const *)a, *y = *(yyjson_val *const *)b;
    int order = ts_str_compare(ts_json_str(x), ts_json_str(y));
    /* Equal keys by their place in the text. */
    return order ? order : x < y ? -1 : x > y;
}

static void add_line(struct ts_buf *out, unsigned level)
{
    ts_buf_printf(out, "\n%*s", (int)(2 * level), "");
}

static enum ts_status add_value(struct ts_buf *out, yyjson_val *value, unsigned level, struct ts_error *error);

/* Of equal keys the last counts, as readers have it. */
static enum ts_status add_object(struct ts_buf *out, yyjson_val *object, unsigned level, struct ts_error *error)
{
    yyjson_val *keys[KEYS_MAX], *key, *value;
    size_t index, total, count = 0;
    if (yyjson_obj_size(object) > KEYS_MAX)
        return ts_error_set(error, TS_INPUT, "a record has an object of more than %d keys; is it a NoC trace?",
                            KEYS_MAX);
    yyjson_obj_foreach(object, index, total, key, value) keys[count++] = key;
    if (count)
        qsort(keys, count, sizeof *keys, compare_keys);
    ts_buf_char(out, '{');
    enum ts_status status = TS_OK;
    bool any = false;
    for (size_t i = 0; status == TS_OK && i < count; i++) {
        struct ts_json_out json;
        if (i + 1 < count && ts_str_equal(ts_json_str(keys[i]), ts_json_str(keys[i + 1])))
            continue;
        if (any)
            ts_buf_char(out, ',');
        any = true;
        add_line(out, level + 1);
        ts_json_out_buf(&json, out);
        ts_json_string(&json, ts_json_str(keys[i]));
        ts_buf_text(out, ": ");
        status = add_value(out, yyjson_obj_iter_get_val(keys[i]), level + 1, error);
    }
    if (any)
        add_line(out, level);
    ts_buf_char(out, '}');
    return status;
}

static enum ts_status add_array(struct ts_buf *out, yyjson_val *array, unsigned level, struct ts_error *error)
{
    size_t index, count;
    yyjson_val *value;
    enum ts_status status = TS_OK;
    ts_buf_char(out, '[');
    yyjson_arr_foreach(array, index, count, value)
    {
        if (status != TS_OK)
            break;
        if (index)
            ts_buf_char(out, ',');
        add_line(out, level + 1);
        status = add_value(out, value, level + 1, error);
    }
    if (count)
        add_line(out, level);
    ts_buf_char(out, ']');
    return status;
}

/* Nesting is bounded by the reader. */
static enum ts_status add_value(struct ts_buf *out, yyjson_val *value, unsigned level, struct ts_error *error)
{
    struct ts_json_out json;
    if (yyjson_is_obj(value))
        return add_object(out, value, level, error);
    if (yyjson_is_arr(value))
        return add_array(out, value, level, error);
    if (yyjson_is_raw(value))
        ts_buf_str(out, ts_json_str(value));
    else if (yyjson_is_bool(value))
        ts_buf_text(out, yyjson_get_bool(value) ? "true" : "false");
    else if (yyjson_is_str(value)) {
        ts_json_out_buf(&json, out);
        ts_json_string(&json, ts_json_str(value));
    } else
        ts_buf_text(out, "null");
    return TS_OK;
}

/* ---- summary ---- */

static bool whole(yyjson_val *record, const char *key, int64_t *out)
{
    yyjson_val *value = ts_json_get(record, key);
    return yyjson_is_raw(value) && ts_number_parse_i64(ts_json_str(value), out);
}

static enum ts_status count_type(struct ts_noc_summary *s, struct ts_str name, struct ts_error *error)
{
    struct ts_noc_type_count made = {.count = 1};
    size_t len = name.len < sizeof made.name - 1 ? name.len : sizeof made.name - 1;
    memcpy(made.name, name.ptr, len);
    for (size_t i = 0; i < s->types.count; i++)
        if (memcmp(s->types.items[i].name, made.name, sizeof made.name) == 0) {
            s->types.items[i].count++;
            return TS_OK;
        }
    if (s->types.count < TYPES_MAX && !ts_vec_push(&s->types, made))
        return ts_error_no_memory(error);
    return TS_OK;
}

static void count_zone(struct ts_noc_summary *s, yyjson_val *record)
{
    struct ts_str phase = ts_json_str(ts_json_get(record, "zone_phase"));
    bool start = ts_str_is(phase, "ZONE_START"), end = ts_str_is(phase, "ZONE_END");
    s->seen_long_phase |= start || end;
    s->zone_starts += start || ts_str_is(phase, "begin");
    s->zone_ends += end || ts_str_is(phase, "end");
    s->seen_zone_source |= ts_json_get(record, "src_device_id") != NULL;
    s->zones_without_proc += ts_json_str(ts_json_get(record, "proc")).len == 0;
}

static enum ts_status count_record(struct ts_noc_summary *s, yyjson_val *record, struct ts_error *error)
{
    int64_t time, bytes;
    yyjson_val *type = ts_json_get(record, "type"), *send = ts_json_get(record, "fabric_send");
    s->records++;
    s->seen_delta |= ts_json_get(record, "kernel_start_delta") != NULL;
    s->seen_run_id |= ts_json_get(record, "run_id") != NULL;
    s->seen_target |= ts_json_get(record, "dst_device_id") != NULL;
    if (whole(record, "timestamp", &time)) {
        s->first_time = !s->any_time || time < s->first_time ? time : s->first_time;
        s->last_time = !s->any_time || time > s->last_time ? time : s->last_time;
        s->any_time = true;
    }
    if (ts_json_get(record, "zone")) {
        count_zone(s, record);
        return TS_OK;
    }
    if (!yyjson_is_str(type)) {
        s->others++;
        return TS_OK;
    }
    s->events++;
    s->seen_source |= ts_json_get(record, "src_device_id") != NULL;
    if (send) {
        s->fabric++;
        s->seen_hops |= ts_json_get(send, "hops") != NULL;
    }
    if (whole(record, "num_bytes", &bytes) && bytes > 0) {
        s->bytes += (uint64_t)bytes;
        s->saturated += bytes == SATURATED;
    }
    return count_type(s, ts_json_str(type), error);
}

static enum ts_noc_dialect dialect_of(const struct ts_noc_summary *s)
{
    if (s->seen_delta || (!s->seen_long_phase && !s->seen_run_id && !s->seen_source))
        return TS_NOC_DIALECT_J0;
    if (s->seen_long_phase)
        return s->seen_zone_source ? TS_NOC_DIALECT_J4 : TS_NOC_DIALECT_J3;
    return s->seen_target || s->seen_hops || s->seen_source ? TS_NOC_DIALECT_J2 : TS_NOC_DIALECT_J1;
}

/* ---- the whole ---- */

static enum ts_status take_records(struct ts_noc_json *json, struct ts_writer *writer, struct ts_noc_summary *s,
                                   struct ts_error *error)
{
    struct ts_buf text;
    yyjson_doc *doc = NULL;
    enum ts_status status;
    ts_buf_init(&text, 0);
    while ((status = ts_noc_json_next(json, &doc, error)) == TS_OK && doc) {
        yyjson_val *record = yyjson_doc_get_root(doc);
        status = count_record(s, record, error);
        if (status == TS_OK && writer) {
            ts_buf_clear(&text);
            ts_buf_text(&text, s->records > 1 ? ",\n  " : "[\n  ");
            status = add_value(&text, record, 1, error);
            if (status == TS_OK)
                status = ts_buf_status(&text, error);
            ts_writer_str(writer, ts_buf_view(&text));
        }
        yyjson_doc_free(doc);
        doc = NULL;
        if (status != TS_OK)
            break;
    }
    if (status == TS_OK && writer)
        ts_writer_str(writer, s->records ? TS_STR("\n]") : TS_STR("[]"));
    ts_buf_free(&text);
    return status;
}

enum ts_status ts_noc_rewrite(struct ts_context *context, const char *input, const char *folder, const char *path,
                              struct ts_noc_summary *summary, struct ts_error *error)
{
    struct ts_noc_json *json = NULL;
    struct ts_writer *writer = NULL;
    *summary = (struct ts_noc_summary){0};
    enum ts_status status = ts_noc_json_open(context, input, &json, error);
    if (status == TS_OK && path)
        status = ts_output_folder(folder, error);
    if (status == TS_OK && path)
        status = ts_output_check(path, input, error);
    if (status == TS_OK && path)
        status = ts_writer_create(context, path, &writer, error);
    if (status == TS_OK)
        status = take_records(json, writer, summary, error);
    summary->dialect = dialect_of(summary);
    ts_noc_json_close(json);
    if (!writer)
        return status;
    if (status == TS_OK)
        return ts_writer_commit(writer, error);
    ts_writer_abandon(writer);
    return status;
}

void ts_noc_summary_free(struct ts_noc_summary *summary)
{
    ts_vec_free(&summary->types);
}

void ts_noc_summary_describe(const struct ts_noc_summary *s, struct ts_buf *out)
{
    static const char *const dialects[] = {"J0 (January 2025)", "J1 (March 2025)", "J2 (June 2025)",
                                           "J3 (September 2025)", "J4 (November 2025 on)"};
    ts_buf_printf(out, "dialect %s, times %s\n", dialects[s->dialect],
                  s->dialect == TS_NOC_DIALECT_J0 || s->dialect == TS_NOC_DIALECT_J4 ? "absolute"
                                                                                     : "from each kernel's start");
    ts_buf_printf(out, "%" PRIu64 " records: %" PRIu64 " zone starts, %" PRIu64 " zone ends, %" PRIu64 " events\n",
                  s->records, s->zone_starts, s->zone_ends, s->events);
    if (s->any_time)
        ts_buf_printf(out, "time %" PRId64 " to %" PRId64 "\n", s->first_time, s->last_time);
    ts_buf_printf(out, "%" PRIu64 " bytes%s\n", s->bytes, s->saturated ? " at least" : "");
    if (s->saturated)
        ts_buf_printf(out, "%" PRIu64 " events of 8160 bytes may have been larger\n", s->saturated);
    for (size_t i = 0; i < s->types.count; i++) {
        struct ts_quote quote;
        ts_buf_printf(out, "  %10" PRIu64 "  %s\n", s->types.items[i].count,
                      ts_error_quote(&quote, ts_str_from(s->types.items[i].name), TS_QUOTE_ARGUMENT));
    }
    if (s->zones_without_proc)
        ts_buf_printf(out, "%" PRIu64 " zones name no processor\n", s->zones_without_proc);
    if (s->others)
        ts_buf_printf(out, "%" PRIu64 " records are neither zone nor event\n", s->others);
    if (s->records && !s->zone_starts)
        ts_buf_text(out, "there are no zones: tt-npe needs one in each lane\n");
}
