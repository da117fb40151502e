#include "formats/captured_graph.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/number.h"

const char *ts_graph_state_words(enum ts_graph_state state)
{
    switch (state) {
    case TS_GRAPH_READ:
        return "can be read";
    case TS_GRAPH_NOT_JSON:
        return "is not valid JSON";
    case TS_GRAPH_TOO_DEEP:
        return "is nested too deeply";
    case TS_GRAPH_NO_LIST:
        return "is not a list of nodes";
    case TS_GRAPH_NAMELESS:
        return "has a scope without a name";
    case TS_GRAPH_TOO_LARGE:
        return "is past the size that is read";
    }
    return "cannot be read";
}

bool ts_graph_is_device_operation(struct ts_str name)
{
    return name.len > 0 && !ts_str_contains(name, TS_STR("::")) && !ts_str_contains(name, TS_STR("ttnn.")) &&
           !ts_str_contains(name, TS_STR("(torch)"));
}

/* ---- memory that parsing may take ---- */

struct budget {
    size_t left;
    bool exhausted;
};

static void *budget_alloc(void *data, size_t size)
{
    struct budget *budget = data;
    if (size > budget->left) {
        budget->exhausted = true;
        return NULL;
    }
    void *memory = malloc(size);
    if (memory)
        budget->left -= size;
    return memory;
}

static void *budget_realloc(void *data, void *memory, size_t old_size, size_t size)
{
    struct budget *budget = data;
    if (size > old_size && size - old_size > budget->left) {
        budget->exhausted = true;
        return NULL;
    }
    void *moved = realloc(memory, size);
    if (moved)
        budget->left = budget->left + old_size - size;
    return moved;
}

/* What is given back while the document lives is small; it need not be counted. */
static void budget_free(void *data, void *memory)
{
    (void)data;
    free(memory);
}

/* ---- values ---- */

/* The parser reads any depth without recursion; a graph that deep is none. Values lie in the order of the text, each
 * container followed by what is in it. */
static bool is_too_deep(yyjson_doc *doc)
{
    const yyjson_val *ends[TS_LIMIT_JSON_DEPTH];
    unsigned depth = 0;
    yyjson_val *value = yyjson_doc_get_root(doc);
    const yyjson_val *end = value + yyjson_doc_get_val_count(doc);
    for (; value < end; value++) {
        while (depth > 0 && value >= ends[depth - 1])
            depth--;
        if (!yyjson_is_ctn(value))
            continue;
        if (depth == TS_LIMIT_JSON_DEPTH)
            return true;
        ends[depth++] = unsafe_yyjson_get_next(value);
    }
    return false;
}

static bool is_key(yyjson_val *key, const char *name, size_t len)
{
    return yyjson_get_len(key) == len && memcmp(yyjson_get_str(key), name, len) == 0;
}
#define IS_KEY(key, name) is_key((key), name, sizeof(name) - 1)

/* A whole number, as such or as text; false for anything else and what does not fit. */
static bool whole(yyjson_val *value, int64_t *out)
{
    switch (yyjson_get_type(value)) {
    case YYJSON_TYPE_NUM:
        if (yyjson_is_uint(value) && yyjson_get_uint(value) > INT64_MAX)
            return false;
        if (yyjson_is_int(value)) {
            *out = yyjson_get_sint(value);
            return true;
        }
        /* The bounds are exact as doubles, the upper one just past the range. */
        if (!(yyjson_get_real(value) >= -9223372036854775808.0 && yyjson_get_real(value) < 9223372036854775808.0))
            return false;
        *out = (int64_t)yyjson_get_real(value);
        return (double)*out >= yyjson_get_real(value) && (double)*out <= yyjson_get_real(value);
    case YYJSON_TYPE_STR:
        return ts_number_parse_i64(ts_json_str(value), out);
    default:
        return false;
    }
}

/* "1", 1 and true. */
static bool is_set(yyjson_val *value)
{
    int64_t number;
    return yyjson_is_true(value) || (whole(value, &number) && number == 1);
}

static bool names_l1(yyjson_val *value)
{
    int64_t number;
    if (whole(value, &number))
        return number == 1 || number == 3;
    struct ts_str name = ts_json_str(value), prefix = TS_STR("BufferType::");
    if (ts_str_starts_with(name, prefix))
        name = ts_str_sub(name, prefix.len, name.len);
    return ts_str_is(name, "L1") || ts_str_is(name, "L1_SMALL");
}

static int8_t truth(yyjson_val *value)
{
    return yyjson_is_true(value) ? 1 : yyjson_is_false(value) ? 0 : -1;
}

/* ---- nodes ---- */

static enum ts_graph_kind kind_of(yyjson_val *type)
{
    static const struct {
        struct ts_str name;
        enum ts_graph_kind kind;
    } kinds[] = {
        {TS_STR("function_start"), TS_GRAPH_SCOPE_START},
        {TS_STR("function_end"), TS_GRAPH_SCOPE_END},
        {TS_STR("circular_buffer_allocate"), TS_GRAPH_CIRCULAR_ALLOCATE},
        {TS_STR("circular_buffer_deallocate_all"), TS_GRAPH_CIRCULAR_FREE_ALL},
        {TS_STR("buffer_allocate"), TS_GRAPH_BUFFER_ALLOCATE},
        {TS_STR("buffer_deallocate"), TS_GRAPH_BUFFER_FREE},
        {TS_STR("program_execution"), TS_GRAPH_PROGRAM_EXECUTION},
    };
    struct ts_str name = yyjson_is_str(type) ? ts_json_str(type) : TS_STR("");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (ts_str_equal(name, kinds[i].name))
            return kinds[i].kind;
    return TS_GRAPH_OTHER;
}

/* Of equal keys the last counts: each is read in its turn and set over the one before. */
static void read_scope(struct ts_graph_node *node, yyjson_val *key, yyjson_val *value)
{
    if (IS_KEY(key, "name"))
        node->text = yyjson_is_str(value) ? ts_json_str(value) : (struct ts_str){NULL, 0};
    else if (IS_KEY(key, "aborted"))
        node->aborted = yyjson_is_true(value) || yyjson_equals_str(value, "true");
    else if (IS_KEY(key, "program_cache_hit"))
        node->program_cache_hit = truth(value);
}

static void read_circular(struct ts_graph_node *node, yyjson_val *key, yyjson_val *value)
{
    if (IS_KEY(key, "address"))
        node->has_address = whole(value, &node->address);
    else if (IS_KEY(key, "size"))
        node->has_size = whole(value, &node->size);
    else if (IS_KEY(key, "core_range_set"))
        node->text = yyjson_is_str(value) ? ts_json_str(value) : (struct ts_str){NULL, 0};
    else if (IS_KEY(key, "globally_allocated"))
        node->globally_allocated = is_set(value);
    else if (IS_KEY(key, "device_id"))
        node->has_device = whole(value, &node->device);
}

/* The keys that tell where a buffer lies; one that is there decides before those behind it. */
struct placement {
    yyjson_val *type, *exact, *number;
};

static void read_buffer(struct ts_graph_node *node, struct placement *placement, yyjson_val *key, yyjson_val *value)
{
    if (IS_KEY(key, "address"))
        node->has_address = whole(value, &node->address);
    else if (IS_KEY(key, "size"))
        node->has_size = whole(value, &node->size);
    else if (IS_KEY(key, "max_size_per_bank"))
        node->has_per_bank = whole(value, &node->per_bank);
    else if (IS_KEY(key, "num_cores"))
        node->has_cores = whole(value, &node->cores);
    else if (IS_KEY(key, "device_id"))
        node->has_device = whole(value, &node->device);
    else if (IS_KEY(key, "type"))
        placement->type = value;
    else if (IS_KEY(key, "exact_buffer_type"))
        placement->exact = value;
    else if (IS_KEY(key, "buffer_type"))
        placement->number = value;
}

static bool is_there(yyjson_val *value)
{
    return value && !yyjson_is_null(value);
}

static void read_params(struct ts_graph_node *node, yyjson_val *params)
{
    yyjson_obj_iter members;
    yyjson_val *key;
    struct placement placement = {NULL, NULL, NULL};
    if (!yyjson_obj_iter_init(params, &members))
        return;
    node->has_params = true;
    while ((key = yyjson_obj_iter_next(&members))) {
        yyjson_val *value = yyjson_obj_iter_get_val(key);
        switch ((enum ts_graph_kind)node->kind) {
        case TS_GRAPH_SCOPE_START:
        case TS_GRAPH_SCOPE_END:
            read_scope(node, key, value);
            break;
        case TS_GRAPH_CIRCULAR_ALLOCATE:
        case TS_GRAPH_CIRCULAR_FREE_ALL:
            read_circular(node, key, value);
            break;
        case TS_GRAPH_BUFFER_ALLOCATE:
        case TS_GRAPH_BUFFER_FREE:
            read_buffer(node, &placement, key, value);
            break;
        case TS_GRAPH_PROGRAM_EXECUTION:
            if (IS_KEY(key, "physical_device_id"))
                node->has_device = whole(value, &node->device);
            break;
        case TS_GRAPH_OTHER:
            break;
        }
    }
    yyjson_val *place = is_there(placement.type)    ? placement.type
                        : is_there(placement.exact) ? placement.exact
                                                    : placement.number;
    node->in_l1 = place && names_l1(place);
}

static void read_node(struct ts_graph_node *node, yyjson_val *object, enum ts_graph_parts parts)
{
    *node = (struct ts_graph_node){.program_cache_hit = -1, .level = -1};
    yyjson_val *params = NULL, *type = NULL, *level = NULL, *key;
    yyjson_obj_iter members;
    if (!yyjson_obj_iter_init(object, &members))
        return;
    while ((key = yyjson_obj_iter_next(&members))) {
        if (IS_KEY(key, "params"))
            params = yyjson_obj_iter_get_val(key);
        else if (IS_KEY(key, "node_type"))
            type = yyjson_obj_iter_get_val(key);
        else if (IS_KEY(key, "stacking_level"))
            level = yyjson_obj_iter_get_val(key);
    }
    int64_t number;
    node->kind = (uint8_t)kind_of(type);
    if (whole(level, &number) && number >= 0 && number <= INT32_MAX)
        node->level = (int32_t)number;
    if (parts != TS_GRAPH_SCOPES || node->kind == TS_GRAPH_SCOPE_START || node->kind == TS_GRAPH_SCOPE_END)
        read_params(node, params);
}

static bool is_scope(const struct ts_graph_node *node)
{
    return node->kind == TS_GRAPH_SCOPE_START || node->kind == TS_GRAPH_SCOPE_END;
}

static enum ts_status read_nodes(struct ts_graph *graph, yyjson_val *list, enum ts_graph_parts parts,
                                 enum ts_graph_state *state, struct ts_error *error)
{
    if (parts != TS_GRAPH_SCOPES && !ts_vec_reserve(&graph->nodes, yyjson_arr_size(list)))
        return ts_error_no_memory(error);
    yyjson_arr_iter elements;
    yyjson_val *element;
    yyjson_arr_iter_init(list, &elements);
    for (size_t position = 0; (element = yyjson_arr_iter_next(&elements)); position++) {
        struct ts_graph_node node;
        read_node(&node, element, parts);
        if (parts != TS_GRAPH_MEMORY && is_scope(&node) && !node.text.ptr) {
            graph->problem = position;
            *state = TS_GRAPH_NAMELESS;
            return TS_OK;
        }
        if ((parts != TS_GRAPH_SCOPES || is_scope(&node)) && !ts_vec_push(&graph->nodes, node))
            return ts_error_no_memory(error);
    }
    *state = TS_GRAPH_READ;
    return TS_OK;
}

/* ---- the graph ---- */

static void drop_doc(struct ts_graph *graph)
{
    yyjson_doc_free(graph->doc);
    graph->doc = NULL;
    graph->nodes.count = graph->problem = 0;
}

/* Giving a document back asks only for the function that frees. */
static void plain_free(void *data, void *memory)
{
    (void)data;
    free(memory);
}

static enum ts_status parse(struct ts_graph *graph, char *text, size_t len, size_t max_memory,
                            enum ts_graph_state *state, struct ts_error *error)
{
    struct budget budget = {max_memory ? max_memory : SIZE_MAX, false};
    const yyjson_alc memory = {budget_alloc, budget_realloc, budget_free, &budget};
    yyjson_read_err failure;
    memset(text + len, 0, TS_GRAPH_SLACK);
    graph->doc = yyjson_read_opts(text, len, YYJSON_READ_INSITU | YYJSON_READ_BIGNUM_AS_RAW, &memory, &failure);
    if (graph->doc) {
        graph->doc->alc = (yyjson_alc){NULL, NULL, plain_free, NULL};
        *state = TS_GRAPH_READ;
        return TS_OK;
    }
    if (failure.code == YYJSON_READ_ERROR_MEMORY_ALLOCATION && !budget.exhausted)
        return ts_error_no_memory(error);
    *state = budget.exhausted ? TS_GRAPH_TOO_LARGE : TS_GRAPH_NOT_JSON;
    return TS_OK;
}

enum ts_status ts_graph_read(struct ts_graph *graph, char *text, size_t len, enum ts_graph_parts parts,
                             size_t max_memory, enum ts_graph_state *state, struct ts_error *error)
{
    drop_doc(graph);
    *state = TS_GRAPH_READ;
    if (len == 0)
        return TS_OK;
    enum ts_status status = parse(graph, text, len, max_memory, state, error);
    if (status || *state != TS_GRAPH_READ)
        return status;
    yyjson_val *root = yyjson_doc_get_root(graph->doc);
    if (is_too_deep(graph->doc))
        *state = TS_GRAPH_TOO_DEEP;
    else if (!yyjson_is_arr(root))
        *state = TS_GRAPH_NO_LIST;
    else if (max_memory && yyjson_arr_size(root) > max_memory / sizeof(struct ts_graph_node))
        *state = TS_GRAPH_TOO_LARGE;
    else
        status = read_nodes(graph, root, parts, state, error);
    if (*state != TS_GRAPH_READ)
        graph->nodes.count = 0;
    return status;
}

void ts_graph_free(struct ts_graph *graph)
{
    drop_doc(graph);
    ts_vec_free(&graph->nodes);
}
