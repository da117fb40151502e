/* What the server gives up before it reads its first request: the network, other programs, and writing. */
#ifndef TS_SURFACES_MCP_SANDBOX_H
#define TS_SURFACES_MCP_SANDBOX_H

#include <stdbool.h>

#include "base/file.h"

/* What this kernel offers, or what of it is in force. */
struct ts_sandbox {
    int landlock; /* its ABI, which grows with what it can forbid; 0: none */
    bool seccomp; /* system calls can be filtered */
};

/* Of this kernel, without changing anything. */
void ts_sandbox_probe(struct ts_sandbox *offered);
/* "on", "no landlock", "no seccomp" or "off", as load_report shows it. Static text. */
const char *ts_sandbox_word(const struct ts_sandbox *in_force);

/* Landlock for this thread and those it starts: reading everywhere, or with roots (may be NULL) beneath these alone, SQLite's own
 * opens and links included; no file written, made, moved, removed or run, except that files of the folder `writable` (may be
 * NULL) may be made and added to. No TCP, and with ABI 6 no signal to other processes and no abstract socket. It cannot be taken
 * back. Returns 0 or an errno value, and then nothing is in force. */
int ts_sandbox_restrict_files(int abi, const struct ts_roots *roots, const char *writable);
/* A seccomp filter for the same threads: the system calls that answering takes, all others fail with ENOSYS. Files are opened for
 * reading only; with may_append also to be appended to, which is for when Landlock says where. Returns 0 or an errno value. */
int ts_sandbox_restrict_calls(bool may_append);

#endif
