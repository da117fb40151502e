#include "surfaces/mcp/handles.h"

#include <stdio.h>

void ts_mcp_handles_free(struct ts_mcp_handles *handles)
{
    for (size_t i = 0; i < handles->captures.count; i++)
        ts_capture_destroy(handles->captures.items[i]);
    ts_vec_free(&handles->captures);
}

static void name_of(size_t index, char out[TS_MCP_HANDLE_TEXT])
{
    snprintf(out, TS_MCP_HANDLE_TEXT, "report-%zu", index + 1);
}

void ts_mcp_handles_next(const struct ts_mcp_handles *handles, char out[TS_MCP_HANDLE_TEXT])
{
    name_of(handles->captures.count, out);
}

bool ts_mcp_handles_add(struct ts_mcp_handles *handles, struct ts_capture *capture)
{
    return ts_vec_push(&handles->captures, capture);
}

/* All that fit into a message; of very many the newest are left out. */
static void list_names(const struct ts_mcp_handles *handles, struct ts_buf *out)
{
    enum { LISTED = 100 };
    size_t count = handles->captures.count;
    for (size_t i = 0; i < count && i < LISTED; i++) {
        char name[TS_MCP_HANDLE_TEXT];
        name_of(i, name);
        ts_buf_printf(out, "%s%s", i ? ", " : "", name);
    }
    if (count > LISTED)
        ts_buf_printf(out, " and so on to report-%zu", count);
    if (count == 0)
        ts_buf_text(out, "none");
}

/* The place of the capture with this name; count when there is none. */
static size_t find(const struct ts_mcp_handles *handles, struct ts_str name)
{
    static const struct ts_str prefix = {"report-", 7};
    size_t count = handles->captures.count, number = 0;
    if (!ts_str_starts_with(name, prefix) || name.len == prefix.len || name.ptr[prefix.len] == '0')
        return count;
    for (size_t i = prefix.len; i < name.len && number <= count; i++) {
        if (name.ptr[i] < '0' || name.ptr[i] > '9')
            return count;
        number = number * 10 + (size_t)(name.ptr[i] - '0');
    }
    return number <= count ? number - 1 : count;
}

enum ts_status ts_mcp_handles_find(const struct ts_mcp_handles *handles, struct ts_str name, struct ts_capture **out,
                                   struct ts_error *error)
{
    size_t place = find(handles, name);
    if (place < handles->captures.count) {
        *out = handles->captures.items[place];
        return TS_OK;
    }
    struct ts_buf names;
    ts_buf_init(&names, 0);
    list_names(handles, &names);
    struct ts_quote quote;
    enum ts_status status =
        names.failed
            ? ts_error_no_memory(error)
            : ts_error_set(error, TS_REFUSED,
                           "There is no handle \"%s\". Handles: %s. load_report opens a report and returns one.",
                           ts_error_quote(&quote, name, TS_QUOTE_ARGUMENT), names.ptr);
    ts_buf_free(&names);
    return status;
}
