#include "formats/buffer_type.h"

#include "base/number.h"

const char *const ts_buffer_type_names[] = {"DRAM", "L1", "SYSTEM_MEMORY", "L1_SMALL", "TRACE", NULL};
enum { TYPES = 5 };

struct ts_str ts_buffer_type_of_cell(struct ts_str cell)
{
    int64_t number;
    if (ts_number_parse_whole(cell, &number) && number >= 0 && number < TYPES)
        return ts_str_from(ts_buffer_type_names[number]);
    for (unsigned i = 0; i < TYPES; i++)
        if (ts_str_is(cell, ts_buffer_type_names[i]))
            return ts_str_from(ts_buffer_type_names[i]);
    return cell;
}

struct ts_str ts_buffer_type_of_param(struct ts_str param)
{
    struct ts_str prefix = TS_STR("BufferType::");
    return ts_buffer_type_of_cell(ts_str_starts_with(param, prefix) ? ts_str_sub(param, prefix.len, param.len) : param);
}

static bool is_name_char(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool ts_buffer_type_of_config(struct ts_str memory_config, struct ts_str *out)
{
    struct ts_str key = TS_STR("buffer_type=BufferType::");
    for (size_t at = 0; (at = ts_str_find(memory_config, key, at)) != (size_t)-1;) {
        at += key.len;
        size_t end = at;
        while (end < memory_config.len && is_name_char(memory_config.ptr[end]))
            end++;
        if (end > at) {
            *out = ts_str_sub(memory_config, at, end - at);
            return true;
        }
    }
    return false;
}

bool ts_buffer_type_is_l1(struct ts_str name)
{
    return ts_str_is(name, "L1") || ts_str_is(name, "L1_SMALL");
}
