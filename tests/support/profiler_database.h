/* Small profiler databases made for a test. Failures of these helpers end the test program. */
#ifndef TS_TEST_PROFILER_DATABASE_H
#define TS_TEST_PROFILER_DATABASE_H

#include <sqlite3.h>

/* Run statements on the database at path, made when it is not there, and close it. */
void profiler_database_run(const char *path, const char *sql);
/* The same, left open for the caller to close with sqlite3_close. */
sqlite3 *profiler_database_open(const char *path, const char *sql);

#endif
