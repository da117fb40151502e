/* Captured graphs for tests, in short hand: nodes one after the other, divided by blanks.
 *   (Name     a scope starts; (!Name: its program was built, cache hit false     )Name a scope ends; )!Name it threw
 *   F@1       free-all with device 1; F without
 *   C1000+64/{[0-0 - 0-1]}@1     a circular buffer at 1000 of 64 bytes on these cores, of device 1 (written with '_' for blanks);
 *   G1000+64/...                 the same, globally allocated
 *   P@3       a program execution on chip 3
 *   x         any other node */
#ifndef TS_TESTS_GRAPH_TEXT_H
#define TS_TESTS_GRAPH_TEXT_H

#include "base/buf.h"
#include "formats/captured_graph.h"

/* Append the graph as JSON. */
void graph_text_json(struct ts_buf *out, const char *nodes);
/* Read it; text keeps what graph lies in. Fails the test when it cannot be read. */
void graph_text_read(struct ts_graph *graph, struct ts_buf *text, const char *nodes);

#endif
