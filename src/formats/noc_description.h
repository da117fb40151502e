/* What a host knows of a profiled run and the words do not say: names of zones and operations, replays, and where the cores
 * of each device stand. It comes with a raw capture, or from a file beside a device log. */
#ifndef TS_FORMATS_NOC_DESCRIPTION_H
#define TS_FORMATS_NOC_DESCRIPTION_H

#include "base/intern.h"
#include "base/json.h"
#include "formats/noc_packets.h"
#include "formats/noc_sites.h"

enum ts_noc_kind { TS_NOC_DRAM, TS_NOC_TENSIX, TS_NOC_ETH };

/* Where a coordinate on the NoC stands in the grid. */
struct ts_noc_spot {
    int16_t x, y;
    uint8_t kind; /* enum ts_noc_kind */
    bool known;
};
enum { TS_NOC_SIDE = 64 }; /* coordinates on the NoC have six bits */
struct ts_noc_eth {
    uint32_t channel;
    int16_t x, y;
};
struct ts_noc_device {
    uint32_t device;
    int16_t grid_x, grid_y;
    struct ts_noc_spot translated[TS_NOC_SIDE * TS_NOC_SIDE]; /* [y * TS_NOC_SIDE + x] */
    uint8_t kind_at[TS_NOC_SIDE * TS_NOC_SIDE];               /* kind + 1 by place in the grid, 0 unknown */
    struct ts_noc_eth *eth;
    size_t eth_count;
};

enum ts_noc_identity_layout { TS_NOC_I1 = 1, TS_NOC_I2, TS_NOC_I3 };

struct ts_noc_op {
    uint64_t id; /* base program id; under I1 the host id */
    struct ts_str name;
};
struct ts_noc_program {
    uint64_t trace, id;
};
struct ts_noc_description {
    struct ts_arena arena;  /* all texts and tables */
    struct ts_intern names; /* of zones; 0 is the empty name */
    uint32_t *zone_names;   /* by static id */
    struct ts_str arch;     /* as it was read; empty: it says none */
    bool wormhole;          /* destinations below (18, 16) are not translated */
    bool has_wire;
    bool wire_told; /* by whoever asks: it holds whatever the data look like */
    enum ts_noc_wire wire;
    struct ts_noc_sites *sites; /* near-raw records: the tables that came with them; NULL: there are no such records */
    enum ts_noc_identity_layout layout;
    struct ts_noc_op *ops; /* by id */
    size_t op_count;
    uint64_t *replayed; /* trace id of each replay */
    size_t replay_count;
    struct ts_noc_program *programs; /* by trace, id */
    size_t program_count;
    struct ts_noc_device **devices;
    size_t device_count;
};

/* Nothing known. Errors: TS_NO_MEMORY. */
enum ts_status ts_noc_description_create(struct ts_noc_description **out, struct ts_error *error);
void ts_noc_description_destroy(struct ts_noc_description *description);
/* Read a description. complete: wire and id_layout must be there. Errors: TS_INPUT (no JSON object, unknown wire or
 * id_layout, a table that is none), TS_NO_MEMORY, TS_LIMIT. */
enum ts_status ts_noc_description_parse(struct ts_str json, bool complete, struct ts_noc_description **out,
                                        struct ts_error *error);
/* wormhole_b0 or another. */
void ts_noc_description_set_arch(struct ts_noc_description *description, struct ts_str arch);
/* Make a device of a chip without harvested rows known. Nothing happens to one that is known. Errors: TS_NO_MEMORY. */
enum ts_status ts_noc_description_assume(struct ts_noc_description *description, uint32_t device,
                                         struct ts_error *error);

/* NULL when nothing is known of it. */
const struct ts_noc_device *ts_noc_device_find(const struct ts_noc_description *description, uint32_t device);
/* Where a destination stands. device may be NULL. noc as in a payload. False when there is no telling; out is what was given
 * then. */
bool ts_noc_place(const struct ts_noc_description *description, const struct ts_noc_device *device, int x, int y,
                  unsigned noc, struct ts_noc_spot *out);
/* The Ethernet channel at a place in the grid; false when there is none. */
bool ts_noc_channel(const struct ts_noc_device *device, int x, int y, uint32_t *out);
/* Empty when unknown. */
struct ts_str ts_noc_op_name(const struct ts_noc_description *description, uint64_t id);
/* The replay with this counter (1-based) of a program: its trace and how many times that had been replayed then. False outside
 * of replays. */
bool ts_noc_replay(const struct ts_noc_description *description, uint64_t counter, uint64_t program, uint64_t *trace,
                   uint64_t *count);

#endif
