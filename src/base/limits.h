/* Every limit on what is accepted or kept, in one place. Bytes unless the name says otherwise. */
#ifndef TS_BASE_LIMITS_H
#define TS_BASE_LIMITS_H

#include <stddef.h>

#define TS_KIB ((size_t)1024)
#define TS_MIB (1024 * TS_KIB)
#define TS_GIB (1024 * TS_MIB)

#define TS_LIMIT_OPS_ROW (16 * TS_MIB)         /* one row of an operations CSV */
#define TS_LIMIT_CSV_COLUMNS 65536             /* cells of a header */
#define TS_LIMIT_OPS_ROWS 100000000u           /* rows of an operations CSV */
#define TS_LIMIT_SIM_EVENT (16 * TS_MIB)       /* one event or other value of a simulator trace */
#define TS_LIMIT_LOG_HEADER (64 * TS_KIB)      /* first line of a device log */
#define TS_LIMIT_LOG_LINE (1 * TS_MIB)         /* of a line of a device log, up to its last column that is read */
#define TS_LIMIT_LOG_OPEN 200000u              /* zones of a device log open at one time */
#define TS_LIMIT_LOG_CORES 65536u              /* cores of all devices in a device log */
#define TS_LIMIT_LOG_RISCS 255u                /* names of processors in a device log */
#define TS_LIMIT_LOG_ZONES 65536u              /* zones by name and processor in a device log */
#define TS_LIMIT_NOC_DESCRIPTION (16 * TS_MIB) /* of a raw profiler capture */
#define TS_LIMIT_NOC_TABLES (256 * TS_MIB)     /* what a description takes in memory */
#define TS_LIMIT_NOC_KERNEL (64 * TS_MIB)      /* a linked kernel with its table of call sites */
#define TS_LIMIT_NOC_RECORD (1 * TS_MIB)       /* one record of a NoC trace file */
#define TS_LIMIT_NOC_MUX_WRITES (1 * TS_MIB)   /* of a run's mux cores, kept in memory; more go to a file */
#define TS_LIMIT_NOC_RUNS 4000000u             /* program runs times lanes of a capture of NoC events */
#define TS_LIMIT_PATH 4096                     /* a path argument */
#define TS_LIMIT_SIGNPOST 256                  /* code points of a signpost's name in an argument */
#define TS_LIMIT_MCP_LINE 1000000              /* one message on the wire, newline excluded */
#define TS_LIMIT_MCP_DEPTH 64                  /* nesting of a message */
#define TS_LIMIT_MCP_WAITING 256               /* requests waiting to be served */
#define TS_LIMIT_JSON_DEPTH 512                /* nesting of JSON in captures */
#define TS_LIMIT_GRAPH (256 * TS_MIB)          /* one captured graph of a profiler database */
#define TS_LIMIT_GRAPH_PARSED (1 * TS_GIB)     /* what one captured graph takes in memory */
#define TS_LIMIT_GRAPHS (1 * TS_GIB)           /* all captured graphs of a rank */
#define TS_LIMIT_GRAPH_NAMES (256 * TS_MIB)    /* distinct names of scopes in all of them */
#define TS_LIMIT_DB_VALUE (256 * TS_MIB)       /* one value of a profiler database */
#define TS_LIMIT_STACK_TRACE (16 * TS_MIB)     /* of a stack trace, what is looked for frames */
#define TS_LIMIT_DB_COLUMNS 2000               /* of one table of a profiler database */
#define TS_LIMIT_CLUSTER_FILE (4 * TS_MIB)     /* a cluster descriptor */
#define TS_LIMIT_ANSWER 400000                 /* one answer's text */
#define TS_LIMIT_ANSWER_FIT 64000              /* past it, lists of an answer lose their ends */
#define TS_LIMIT_REPORT_TEXT 4096              /* one text from a capture inside an answer, then cut */
#define TS_LIMIT_USAGE_LOG 10485760            /* usage events file */
#define TS_DEFAULT_CACHE (1 * TS_GIB)          /* what sessions keep of captures */
#define TS_DEFAULT_CALL_MEMORY (4 * TS_GIB)    /* one call */

#endif
