/* Where the web application runs, for the links in answers. */
#ifndef TS_SURFACES_LINK_BASE_H
#define TS_SURFACES_LINK_BASE_H

#include <stdbool.h>

#include "base/str.h"

struct ts_link_base {
    char text[1024];
    bool unusable; /* the variable is set, but to nothing one could link to */
};
/* Check an address: http or https with a host, no user info, backslash, blank, non-printing character, query or fragment,
 * port in range; trailing slashes are cut. False when it is none. */
bool ts_link_base_parse(struct ts_str address, struct ts_link_base *out);
/* TTNN_VISUALIZER_URL; http://localhost:8000 when unset or empty; NULL when it is unusable. Borrowed from buffer. */
const char *ts_link_base_from_environment(struct ts_link_base *buffer);

#endif
