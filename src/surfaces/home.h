/* Folders of users, from the environment and the local password file only: no name service, no socket. */
#ifndef TS_SURFACES_HOME_H
#define TS_SURFACES_HOME_H

#include "base/str.h"

/* HOME when set and not empty, else what the password file has for this user. malloc'ed; NULL when neither is there. */
char *ts_home_directory(void);
/* path with "~" or "~user" at its start replaced by the folder; as it is when there is none. malloc'ed; NULL when memory is
 * out. */
char *ts_home_expand(struct ts_str path);

#endif
