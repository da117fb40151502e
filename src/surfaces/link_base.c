#include "surfaces/link_base.h"

#include <stdlib.h>

#include "base/number.h"

static bool valid_port(struct ts_str port)
{
    uint64_t number;
    return port.len == 0 || (ts_number_parse_u64(port, &number) && number <= 65535);
}

/* "host", "host:port" or "[v6]:port". */
static bool valid_authority(struct ts_str authority)
{
    if (authority.len == 0 || ts_str_contains(authority, TS_STR("@")))
        return false;
    size_t colon;
    if (authority.ptr[0] == '[') {
        size_t close = ts_str_find(authority, TS_STR("]"), 0);
        if (close == (size_t)-1 || close == 1)
            return false;
        if (close + 1 == authority.len)
            return true;
        if (authority.ptr[close + 1] != ':')
            return false;
        colon = close + 1;
    } else {
        colon = ts_str_find(authority, TS_STR(":"), 0);
        if (colon == (size_t)-1)
            return true;
        if (colon == 0)
            return false;
    }
    return valid_port(ts_str_sub(authority, colon + 1, authority.len));
}

bool ts_link_base_parse(struct ts_str address, struct ts_link_base *out)
{
    for (size_t i = 0; i < address.len; i++) {
        unsigned char c = (unsigned char)address.ptr[i];
        if (c <= ' ' || c >= 0x7f || c == '\\' || c == '?' || c == '#')
            return false;
    }
    while (address.len && address.ptr[address.len - 1] == '/')
        address.len--;
    struct ts_str rest;
    if (ts_str_starts_with(address, TS_STR("http://")))
        rest = ts_str_sub(address, 7, address.len);
    else if (ts_str_starts_with(address, TS_STR("https://")))
        rest = ts_str_sub(address, 8, address.len);
    else
        return false;
    size_t slash = ts_str_find(rest, TS_STR("/"), 0);
    if (!valid_authority(slash == (size_t)-1 ? rest : ts_str_sub(rest, 0, slash)))
        return false;
    if (address.len >= sizeof out->text)
        return false;
    memcpy(out->text, address.ptr, address.len);
    out->text[address.len] = '\0';
    return true;
}

const char *ts_link_base_from_environment(struct ts_link_base *buffer)
{
    const char *value = getenv("TTNN_VISUALIZER_URL");
    if (!value || !*value)
        value = "http://localhost:8000";
    buffer->unusable = !ts_link_base_parse(ts_str_from(value), buffer);
    return buffer->unusable ? NULL : buffer->text;
}
