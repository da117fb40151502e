/* Finding the bytes that matter to a CSV reader in a block, many bytes at a time. */
#ifndef TS_FORMATS_CSV_SCAN_H
#define TS_FORMATS_CSV_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The scanners may write this many positions more than they report. */
enum { TS_CSV_SCAN_SLACK = 8 };

/* Write the offsets of , " \n and \r in bytes[0 .. len), each raised by base, to positions in ascending order; positions
 * has room for len + TS_CSV_SCAN_SLACK. Returns how many there are. *high becomes true when a byte is not ASCII, else
 * it stays. base + len must fit 32 bits. */
typedef size_t ts_csv_scan_fn(const char *bytes, size_t len, uint32_t base, uint32_t *positions, bool *high);

/* In plain C, eight bytes at a time. */
size_t ts_csv_scan_portable(const char *bytes, size_t len, uint32_t base, uint32_t *positions, bool *high);
/* The fastest there is for the processor compiled for. */
ts_csv_scan_fn *ts_csv_scan_best(void);

#endif
