/* Numbers for what rows of a device log name: cores, processors and zones. Shared by the threads that read one log. Which
 * number something gets depends on who asks first; nothing that is answered may. */
#ifndef TS_MODELS_ZONE_NAMES_H
#define TS_MODELS_ZONE_NAMES_H

#include <pthread.h>

#include "base/arena.h"
#include "base/context.h"
#include "base/map.h"
#include "base/vec.h"

struct ts_log_core {
    uint32_t slot, x, y;
};
/* A processor of a core. */
struct ts_log_lane {
    uint32_t core, risc;
};
struct ts_zone_group {
    struct ts_str zone; /* terminated */
    uint32_t risc;
    bool kernel; /* the name ends in -KERNEL */
};

/* Processors with numbers of their own; others follow. */
enum { TS_RISC_BRISC, TS_RISC_NCRISC, TS_RISC_TRISC_0, TS_RISC_TRISC_1, TS_RISC_TRISC_2, TS_RISC_ERISC, TS_RISC_KNOWN };

struct ts_zone_names {
    pthread_mutex_t lock; /* of all that follows, while several threads read */
    struct ts_arena arena;
    struct ts_map core_map, risc_map, lane_map, group_map;
    TS_VEC(struct ts_log_core) cores;
    TS_VEC(struct ts_str) riscs;
    TS_VEC(struct ts_log_lane) lanes;
    TS_VEC(struct ts_zone_group) groups;
    const char *path;     /* of the log, for messages; borrowed */
    uint32_t risc_count;  /* names of processors that the log has */
    uint32_t known_riscs; /* which of the known ones are among them, as bits */
};

/* path must outlive the names. Errors: TS_NO_MEMORY. */
enum ts_status ts_zone_names_create(struct ts_context *context, const char *path, struct ts_zone_names **out,
                                    struct ts_error *error);
void ts_zone_names_destroy(struct ts_zone_names *names); /* accepts NULL */

/* The number of a processor of a core; *info says what it is and *risc_text is kept in names. Errors: TS_LIMIT (more cores
 * or processors than any device has), TS_NO_MEMORY. */
enum ts_status ts_zone_names_lane(struct ts_zone_names *names, const struct ts_log_core *core, struct ts_str risc,
                                  uint32_t *lane, struct ts_log_lane *info, struct ts_str *risc_text,
                                  struct ts_error *error);
/* The number of a zone on a kind of processor; *info is kept in names. Errors: TS_LIMIT, TS_NO_MEMORY. */
enum ts_status ts_zone_names_group(struct ts_zone_names *names, struct ts_str zone, uint32_t risc, uint32_t *group,
                                   struct ts_zone_group *info, struct ts_error *error);
/* What a lane is, while others may still be added. */
struct ts_log_lane ts_zone_names_lane_info(struct ts_zone_names *names, uint32_t lane);

/* Zones that dispatch names after what it runs carry a number between two colons (NAME:1234:COMMAND). *out becomes the name
 * with an asterisk for the digits, in buffer; false when the name is none of these or longer than the buffer. */
enum { TS_ZONE_FOLDED_MAX = 256 };
bool ts_zone_name_fold(struct ts_str zone, char buffer[TS_ZONE_FOLDED_MAX], struct ts_str *out);

#endif
