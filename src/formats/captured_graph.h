/* One operation's captured graph: what tt-metal noted while the operation ran, as JSON, read into its nodes in order. */
#ifndef TS_FORMATS_CAPTURED_GRAPH_H
#define TS_FORMATS_CAPTURED_GRAPH_H

#include <stdint.h>
#include <yyjson.h>

#include "base/error.h"
#include "base/vec.h"

enum ts_graph_kind {
    TS_GRAPH_OTHER, /* of no interest, or of a kind not known; not even an object */
    TS_GRAPH_SCOPE_START,
    TS_GRAPH_SCOPE_END,
    TS_GRAPH_CIRCULAR_ALLOCATE,
    TS_GRAPH_CIRCULAR_FREE_ALL, /* of the program before */
    TS_GRAPH_BUFFER_ALLOCATE,
    TS_GRAPH_BUFFER_FREE,
    TS_GRAPH_PROGRAM_EXECUTION, /* on one chip */
};

/* What a node that does not say it reads as is in brackets. */
struct ts_graph_node {
    uint8_t kind;             /* enum ts_graph_kind */
    int8_t program_cache_hit; /* scope start: 1, 0, (-1) */
    bool aborted;             /* scope end: something threw (false) */
    bool globally_allocated;  /* circular buffer: a view of a tensor, no memory of its own (false) */
    bool in_l1;               /* buffer: L1 or L1_SMALL (false) */
    bool has_params;          /* they are an object (false) */
    bool has_address, has_size, has_per_bank, has_cores, has_device;
    int32_t level;           /* nesting of scopes as recorded (-1) */
    struct ts_str text;      /* scopes: name; circular buffer: core range set (ptr NULL) */
    int64_t address, size;   /* bytes; a circular buffer's on each core */
    int64_t per_bank, cores; /* buffer: max_size_per_bank; num_cores */
    int64_t device;          /* device_id; program execution: physical_device_id */
};

enum ts_graph_state {
    TS_GRAPH_READ,
    TS_GRAPH_NOT_JSON,
    TS_GRAPH_TOO_DEEP,  /* nested over TS_LIMIT_JSON_DEPTH */
    TS_GRAPH_NO_LIST,   /* JSON, but no list */
    TS_GRAPH_NAMELESS,  /* a scope starts or ends without a name: problem says which node; not with TS_GRAPH_MEMORY */
    TS_GRAPH_TOO_LARGE, /* it takes more memory than it may */
};
/* "is not valid JSON", for a sentence that begins with the graph. */
const char *ts_graph_state_words(enum ts_graph_state state);

struct ts_graph {
    TS_VEC(struct ts_graph_node) nodes; /* by position, or the scopes' alone */
    size_t problem;                     /* position of the node that is at fault */
    yyjson_doc *doc;
};

enum ts_graph_parts {
    TS_GRAPH_ALL,
    TS_GRAPH_SCOPES,
    TS_GRAPH_MEMORY, /* all, and scopes need no names: what lies in memory does not depend on them */
};

/* What ts_graph_read needs behind the text. */
enum { TS_GRAPH_SLACK = YYJSON_PADDING_SIZE };

/* Read a graph; an empty text is an empty one. text is written over, has TS_GRAPH_SLACK bytes of room behind it, and must
 * stay as long as the nodes, whose texts lie in it. max_memory: bytes that the document, and the nodes, may take; 0: no
 * limit. graph begins zeroed, is used again and again, and is freed with ts_graph_free. What is wrong with a graph is no
 * error but its *state; it has no nodes then. Errors: TS_NO_MEMORY. */
enum ts_status ts_graph_read(struct ts_graph *graph, char *text, size_t len, enum ts_graph_parts parts,
                             size_t max_memory, enum ts_graph_state *state, struct ts_error *error);
void ts_graph_free(struct ts_graph *graph);

/* Whether a scope of this name is a device operation, one that launches programs: not torch's, not a function of C++, not a
 * Python-level operation. */
bool ts_graph_is_device_operation(struct ts_str name);

#endif
