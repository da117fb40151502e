/* Where the files of a transform go, and where not. */
#ifndef TS_BASE_OUTPUT_H
#define TS_BASE_OUTPUT_H

#include <tilesight/tilesight.h>

/* TS_REFUSED when path, links followed, is the regular file that is read as input; else TS_OK. input may be NULL. */
enum ts_status ts_output_check(const char *path, const char *input, struct ts_error *error);
/* Make a folder and those above it, unless they are there; NULL or empty: none is wanted. Errors: TS_IO, TS_NO_MEMORY. */
enum ts_status ts_output_folder(const char *folder, struct ts_error *error);

#endif
