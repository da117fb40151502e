#include "transforms/clean_sim_trace_metrics.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/vec.h"
#include "formats/sim_dump_case.h"
#include "formats/sim_dump_json.h"

#define COPY_SIZE (256 * TS_KIB)
#define FLUSH_SIZE (64 * TS_KIB)
enum { NONE = UINT32_MAX };

/* ---- the block ---- */

/* A column's name as it stands; where in the record at hand it was seen. */
struct column {
    uint32_t folded;
    uint64_t record, member;
};
struct folded {
    struct ts_str json; /* as written, without quotes */
    uint64_t record, member;
};
/* A metric of a record: one value, or one per core. */
struct member {
    uint32_t name; /* a column at first, then a folded name */
    const char *value;
    uint64_t elements; /* the first; UINT64_MAX: one value for all */
};

struct metrics {
    struct ts_context *context;
    const struct ts_sim_dump *dump;
    const struct ts_sim_block *block;
    char *bytes;
    struct ts_str cores, records, types; /* whole values; ptr NULL: absent */
    struct ts_arena arena;

    TS_VEC(struct ts_str) core_list;
    struct ts_map core_map; /* distinct names, as keys: which number */
    uint32_t *core_key;     /* per core: the number of its name */
    uint32_t *core_order;   /* cores by the number of their name */
    uint32_t *core_first;   /* per name, and one more: in core_order */

    /* Columns by number: equal names have one. */
    struct ts_map column_map, folded_map;
    TS_VEC(struct column) columns;
    TS_VEC(struct folded) folded_names;

    TS_VEC(struct member) members;
    TS_VEC(uint64_t) record_ends;  /* in members */
    TS_VEC(const char *) elements; /* of lists with one value per core */
};

static enum ts_status wrong(const struct metrics *metrics, const char *what, struct ts_error *error)
{
    return ts_error_set(error, TS_INPUT, "%s: API_INSTR block: %s", ts_sim_dump_name(metrics->dump), what);
}

static enum ts_status wrong_at(const struct metrics *metrics, const char *at, const char *expected,
                               struct ts_error *error)
{
    uint64_t position = (uint64_t)(at - metrics->bytes);
    if (position > metrics->block->size)
        position = metrics->block->size;
    return ts_error_set(error, TS_INPUT,
                        "%s: API_INSTR block: no valid JSON at byte %" PRIu64 " of %" PRIu64 " (offset %" PRIu64
                        " of the file): %s was expected",
                        ts_sim_dump_name(metrics->dump), position, metrics->block->size,
                        metrics->block->offset + position, expected);
}

static enum ts_status load(struct metrics *metrics, struct ts_error *error)
{
    uint64_t size = metrics->block->size;
    if (size > SIZE_MAX - TS_SIM_JSON_PAD || (metrics->context->memory_limit && size > metrics->context->memory_limit))
        return ts_error_set(error, TS_LIMIT,
                            "%s: API_INSTR block: its %" PRIu64
                            " bytes are more than one call may take; --raw-metrics copies it as it stands",
                            ts_sim_dump_name(metrics->dump), size);
    metrics->bytes = malloc((size_t)size + TS_SIM_JSON_PAD);
    if (!metrics->bytes)
        return ts_error_no_memory(error);
    memset(metrics->bytes + size, 0, TS_SIM_JSON_PAD);
    return ts_sim_dump_read(metrics->dump, metrics->block->offset, metrics->bytes, (size_t)size, error);
}

static enum ts_status check_all(struct metrics *metrics, struct ts_str *out, struct ts_error *error)
{
    struct ts_sim_json_fault fault;
    const char *p = metrics->bytes, *end = p + metrics->block->size;
    if (metrics->block->size >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
        p += 3;
    p = ts_sim_json_space(p);
    const char *behind = ts_sim_json_value(p, &fault);
    if (!behind)
        return wrong_at(metrics, fault.at, fault.expected, error);
    *out = (struct ts_str){p, (size_t)(behind - p)};
    behind = ts_sim_json_space(behind);
    return behind < end ? wrong_at(metrics, behind, "the end of the block", error) : TS_OK;
}

static enum ts_status find_parts(struct metrics *metrics, struct ts_error *error)
{
    struct ts_str root = {NULL, 0};
    enum ts_status status = check_all(metrics, &root, error);
    if (status != TS_OK)
        return status;
    if (root.ptr[0] != '{')
        return wrong(metrics, "it is no object; an object with Cores and Instructions was expected", error);
    metrics->cores = ts_sim_json_member(root, "Cores");
    metrics->records = ts_sim_json_member(root, "Instructions");
    metrics->types = ts_sim_json_member(root, "Instructions Dtype");
    if (!metrics->cores.ptr)
        metrics->cores = TS_STR("[]\0\0\0\0\0\0\0\0");
    if (!metrics->records.ptr)
        metrics->records = TS_STR("[]\0\0\0\0\0\0\0\0");
    if (metrics->cores.ptr[0] != '[')
        return wrong(metrics, "Cores is no list", error);
    if (metrics->records.ptr[0] != '[')
        return wrong(metrics, "Instructions is no list", error);
    return TS_OK;
}

/* ---- cores ---- */

static struct ts_str keep(struct metrics *metrics, struct ts_sim_out *out)
{
    struct ts_str text = {NULL, 0};
    if (!out->failed)
        text = ts_arena_copy(&metrics->arena, (struct ts_str){out->ptr ? out->ptr : "", out->len});
    free(out->ptr);
    return text;
}

/* A core's name as the key of an object. What is no text becomes one; equal numbers (1, 1.0 and true are) are one core. */
static struct ts_str core_key(struct metrics *metrics, struct ts_str name)
{
    struct ts_sim_out out = {0};
    if (name.ptr[0] == '"')
        ts_sim_json_write_text(&out, name);
    else
        ts_sim_json_write(&out, name.ptr);
    return keep(metrics, &out);
}

static struct ts_str core_identity(struct metrics *metrics, struct ts_str name, struct ts_str key)
{
    if (name.ptr[0] != '"') {
        if (ts_str_is(key, "true"))
            key = TS_STR("1");
        else if (ts_str_is(key, "false"))
            key = TS_STR("0");
        else if (ts_str_ends_with(key, TS_STR(".0")))
            key.len -= 2;
    }
    return ts_arena_printf(&metrics->arena, "%c%.*s", name.ptr[0] == '"' ? 't' : 'n', TS_STR_ARG(key));
}

/* Cores by name, in their order within each. */
static bool group_cores(struct metrics *metrics)
{
    size_t count = metrics->core_list.count, names = metrics->core_map.count;
    metrics->core_order = malloc(count * sizeof *metrics->core_order + 1);
    metrics->core_first = calloc(names + 2, sizeof *metrics->core_first);
    if (!metrics->core_order || !metrics->core_first)
        return false;
    for (size_t i = 0; i < count; i++)
        metrics->core_first[metrics->core_key[i] + 2]++;
    for (size_t i = 2; i < names + 2; i++)
        metrics->core_first[i] += metrics->core_first[i - 1];
    for (uint32_t i = 0; i < count; i++)
        metrics->core_order[metrics->core_first[metrics->core_key[i] + 1]++] = i;
    return true;
}

static enum ts_status read_cores(struct metrics *metrics, struct ts_error *error)
{
    struct ts_str unused, name;
    struct ts_sim_json_walk walk = ts_sim_json_open(metrics->cores);
    while (ts_sim_json_next(&walk, &unused, &name)) {
        if (name.ptr[0] == '{' || name.ptr[0] == '[')
            return wrong(metrics, "a core is named by a list or an object; a text was expected", error);
        if (metrics->core_list.count >= NONE || !ts_vec_push(&metrics->core_list, name))
            return ts_error_no_memory(error);
    }
    size_t count = metrics->core_list.count;
    metrics->core_key = malloc(count * sizeof *metrics->core_key + 1);
    if (!metrics->core_key)
        return ts_error_no_memory(error);
    for (size_t i = 0; i < count; i++) {
        struct ts_str key = core_key(metrics, metrics->core_list.items[i]);
        struct ts_str identity = key.ptr ? core_identity(metrics, metrics->core_list.items[i], key) : key;
        bool added = false;
        uint64_t *number = identity.ptr ? ts_map_at(&metrics->core_map, identity, &added) : NULL;
        if (!number)
            return ts_error_no_memory(error);
        if (added)
            *number = metrics->core_map.count - 1;
        metrics->core_key[i] = (uint32_t)*number;
    }
    return group_cores(metrics) ? TS_OK : ts_error_no_memory(error);
}

/* ---- columns ---- */

static uint32_t fold_name(struct metrics *metrics, struct ts_str quoted)
{
    struct ts_sim_out out = {0};
    ts_sim_case_fold(&out, quoted);
    struct folded made = {keep(metrics, &out), UINT64_MAX, 0};
    bool added = false;
    uint64_t *number = made.json.ptr ? ts_map_at(&metrics->folded_map, made.json, &added) : NULL;
    if (!number)
        return NONE;
    if (added) {
        *number = metrics->folded_names.count;
        if (!ts_vec_push(&metrics->folded_names, made))
            return NONE;
    }
    return (uint32_t)*number;
}

/* The number of the column's name, as it is written; the texts as they stand lead there quickly. */
static uint32_t find_column(struct metrics *metrics, struct ts_str quoted)
{
    const uint64_t *known = ts_map_find(&metrics->column_map, quoted);
    if (known)
        return (uint32_t)*known;
    struct ts_sim_out out = {0};
    ts_sim_out_add(&out, TS_STR(" "));
    ts_sim_json_write_text(&out, quoted);
    struct ts_str canonical = keep(metrics, &out);
    bool added = false;
    uint64_t *number = canonical.ptr ? ts_map_at(&metrics->column_map, canonical, &added) : NULL;
    if (!number)
        return NONE;
    if (added) {
        struct column column = {fold_name(metrics, quoted), UINT64_MAX, 0};
        *number = metrics->columns.count;
        if (column.folded == NONE || metrics->columns.count >= NONE || !ts_vec_push(&metrics->columns, column))
            return NONE;
    }
    uint32_t found = (uint32_t)*number;
    uint64_t *alias = ts_map_at(&metrics->column_map, quoted, NULL);
    if (!alias)
        return NONE;
    *alias = found;
    return found;
}

/* ---- records ---- */

/* The members of a record as JSON has them: of equal keys the last value in the first one's place. */
static bool read_members(struct metrics *metrics, struct ts_str record, uint64_t number)
{
    struct ts_str key, value;
    struct ts_sim_json_walk walk = ts_sim_json_open(record);
    while (ts_sim_json_next(&walk, &key, &value)) {
        uint32_t found = find_column(metrics, key);
        if (found == NONE)
            return false;
        struct column *column = &metrics->columns.items[found];
        if (column->record == number) {
            metrics->members.items[column->member].value = value.ptr;
            continue;
        }
        *column = (struct column){column->folded, number, metrics->members.count};
        struct member member = {found, value.ptr, UINT64_MAX};
        if (!ts_vec_push(&metrics->members, member))
            return false;
    }
    return true;
}

/* The same once more, now that some of the names may have become equal. */
static void fold_members(struct metrics *metrics, uint64_t first, uint64_t number)
{
    uint64_t kept = first;
    for (uint64_t i = first; i < metrics->members.count; i++) {
        struct member member = metrics->members.items[i];
        member.name = metrics->columns.items[member.name].folded;
        struct folded *name = &metrics->folded_names.items[member.name];
        if (name->record == number) {
            metrics->members.items[name->member].value = member.value;
            continue;
        }
        name->record = number;
        name->member = kept;
        metrics->members.items[kept++] = member;
    }
    metrics->members.count = kept;
}

/* A list as long as there are cores holds one value for each. */
static bool spread(struct metrics *metrics, struct member *member)
{
    if (*member->value != '[')
        return true;
    struct ts_str unused, value;
    struct ts_sim_json_walk walk = ts_sim_json_open((struct ts_str){member->value, 1});
    uint64_t first = metrics->elements.count;
    while (ts_sim_json_next(&walk, &unused, &value))
        if (!ts_vec_push(&metrics->elements, value.ptr))
            return false;
    if (metrics->elements.count - first == metrics->core_list.count)
        member->elements = first;
    else
        metrics->elements.count = first;
    return true;
}

static enum ts_status read_record(struct metrics *metrics, struct ts_str record, struct ts_error *error)
{
    uint64_t number = metrics->record_ends.count, first = metrics->members.count;
    if (record.ptr[0] != '{')
        return ts_error_set(error, TS_INPUT, "%s: API_INSTR block: instruction %" PRIu64 " is no object",
                            ts_sim_dump_name(metrics->dump), number);
    if (!read_members(metrics, record, number))
        return ts_error_no_memory(error);
    fold_members(metrics, first, number);
    for (uint64_t i = first; i < metrics->members.count; i++)
        if (!spread(metrics, &metrics->members.items[i]))
            return ts_error_no_memory(error);
    if (!ts_vec_push(&metrics->record_ends, metrics->members.count))
        return ts_error_no_memory(error);
    return ts_context_check(metrics->context, error);
}

static enum ts_status read_records(struct metrics *metrics, struct ts_error *error)
{
    struct ts_str unused, record;
    struct ts_sim_json_walk walk = ts_sim_json_open(metrics->records);
    enum ts_status status = TS_OK;
    /* Without cores nothing is written of them, so that they may be anything. */
    while (status == TS_OK && metrics->core_list.count && ts_sim_json_next(&walk, &unused, &record))
        status = read_record(metrics, record, error);
    return status;
}

/* ---- writing ---- */

static void write_row(struct metrics *metrics, struct ts_sim_out *out, uint64_t first, uint64_t end, size_t core)
{
    ts_sim_out_add(out, TS_STR("{"));
    for (uint64_t i = first; i < end; i++) {
        const struct member *member = &metrics->members.items[i];
        ts_sim_out_add(out, i > first ? TS_STR(", \"") : TS_STR("\""));
        ts_sim_out_add(out, metrics->folded_names.items[member->name].json);
        ts_sim_out_add(out, TS_STR("\": "));
        bool spread_out = member->elements != UINT64_MAX;
        ts_sim_json_write(out, spread_out ? metrics->elements.items[member->elements + core] : member->value);
    }
    ts_sim_out_add(out, TS_STR("}"));
}

static void flush(struct ts_sim_out *out, struct ts_writer *writer)
{
    ts_writer_add(writer, out->ptr ? out->ptr : "", out->len);
    out->len = 0;
}

/* The rows of all cores of one name. */
static enum ts_status write_core(struct metrics *metrics, uint32_t key, struct ts_sim_out *out,
                                 struct ts_writer *writer, struct ts_error *error)
{
    const uint32_t *cores = metrics->core_order + metrics->core_first[key];
    size_t count = metrics->core_first[key + 1] - metrics->core_first[key];
    struct ts_str name = core_key(metrics, metrics->core_list.items[cores[0]]);
    enum ts_status status = name.ptr ? TS_OK : ts_error_no_memory(error);
    bool first = true;
    uint64_t start = 0;
    ts_sim_out_add(out, key ? TS_STR(", \"") : TS_STR("\""));
    ts_sim_out_add(out, name);
    ts_sim_out_add(out, TS_STR("\": ["));
    for (size_t record = 0; record < metrics->record_ends.count && status == TS_OK; record++) {
        uint64_t end = metrics->record_ends.items[record];
        for (size_t i = 0; i < count; i++) {
            if (!first)
                ts_sim_out_add(out, TS_STR(", "));
            first = false;
            write_row(metrics, out, start, end, cores[i]);
            if (out->len > FLUSH_SIZE)
                flush(out, writer);
        }
        start = end;
        status = ts_context_check(metrics->context, error);
    }
    ts_sim_out_add(out, TS_STR("]"));
    return status;
}

static enum ts_status write_all(struct metrics *metrics, struct ts_writer *writer, struct ts_error *error)
{
    struct ts_sim_out out = {0};
    enum ts_status status = TS_OK;
    ts_sim_out_add(&out, TS_STR("{\"cores\": "));
    ts_sim_json_write(&out, metrics->cores.ptr);
    ts_sim_out_add(&out, TS_STR(", \"instructions\": {"));
    for (uint32_t key = 0; key < metrics->core_map.count && status == TS_OK; key++)
        status = write_core(metrics, key, &out, writer, error);
    ts_sim_out_add(&out, TS_STR("}, \"column_types\": "));
    if (metrics->types.ptr)
        ts_sim_json_write(&out, metrics->types.ptr);
    else
        ts_sim_out_add(&out, TS_STR("{}"));
    ts_sim_out_add(&out, TS_STR("}"));
    flush(&out, writer);
    if (status == TS_OK && out.failed)
        status = ts_error_no_memory(error);
    free(out.ptr);
    return status;
}

static enum ts_status copy_block(struct ts_context *context, const struct ts_sim_dump *dump,
                                 const struct ts_sim_block *block, struct ts_writer *writer, struct ts_error *error)
{
    char *buffer = malloc(COPY_SIZE);
    enum ts_status status = buffer ? TS_OK : ts_error_no_memory(error);
    for (uint64_t done = 0; done < block->size && status == TS_OK;) {
        size_t count = block->size - done < COPY_SIZE ? (size_t)(block->size - done) : COPY_SIZE;
        status = ts_sim_dump_read(dump, block->offset + done, buffer, count, error);
        if (status == TS_OK)
            status = ts_context_check(context, error);
        if (status == TS_OK)
            ts_writer_add(writer, buffer, count);
        done += count;
    }
    free(buffer);
    return status;
}

enum ts_status ts_clean_sim_metrics(struct ts_context *context, const struct ts_sim_dump *dump,
                                    const struct ts_sim_block *block, bool raw, struct ts_writer *writer,
                                    struct ts_error *error)
{
    if (raw)
        return copy_block(context, dump, block, writer, error);
    struct metrics metrics = {.context = context, .dump = dump, .block = block};
    ts_arena_init(&metrics.arena, 0);
    ts_map_init(&metrics.core_map);
    ts_map_init(&metrics.column_map);
    ts_map_init(&metrics.folded_map);
    enum ts_status status = load(&metrics, error);
    if (status == TS_OK)
        status = find_parts(&metrics, error);
    if (status == TS_OK)
        status = read_cores(&metrics, error);
    if (status == TS_OK)
        status = read_records(&metrics, error);
    if (status == TS_OK)
        status = write_all(&metrics, writer, error);
    free(metrics.bytes);
    free(metrics.core_key);
    free(metrics.core_order);
    free(metrics.core_first);
    ts_vec_free(&metrics.core_list);
    ts_vec_free(&metrics.columns);
    ts_vec_free(&metrics.folded_names);
    ts_vec_free(&metrics.members);
    ts_vec_free(&metrics.record_ends);
    ts_vec_free(&metrics.elements);
    ts_map_free(&metrics.core_map);
    ts_map_free(&metrics.column_map);
    ts_map_free(&metrics.folded_map);
    ts_arena_free(&metrics.arena);
    return status;
}
