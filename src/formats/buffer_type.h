/* The memory a buffer lies in, in the forms that reports write it. */
#ifndef TS_FORMATS_BUFFER_TYPE_H
#define TS_FORMATS_BUFFER_TYPE_H

#include "base/str.h"

extern const char *const ts_buffer_type_names[]; /* by number: DRAM, L1, SYSTEM_MEMORY, L1_SMALL, TRACE; NULL behind */

/* A cell of a table (its text, see ts_db_text): 0 to 4 give the name, which is static; all else comes back as it is. */
struct ts_str ts_buffer_type_of_cell(struct ts_str cell);
/* A row of buffers or a parameter of a graph's node, where "BufferType::L1" means the same memory. */
struct ts_str ts_buffer_type_of_param(struct ts_str param);
/* "buffer_type=BufferType::X" in a memory configuration; false when there is none. Borrowed from text. */
bool ts_buffer_type_of_config(struct ts_str memory_config, struct ts_str *out);
/* L1 or L1_SMALL, by name. */
bool ts_buffer_type_is_l1(struct ts_str name);

#endif
