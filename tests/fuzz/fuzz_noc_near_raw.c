/* Near-raw captures with their tables of call sites in the description; and tables by themselves, as sections and in ELF files. */
#include "formats/noc_capture.h"
#include "formats/noc_near_raw.h"
#include "fuzz/noc_decode.h"

static void read_table(const uint8_t *data, size_t size)
{
    char path[64];
    struct ts_context context;
    struct ts_error error = {0};
    struct ts_noc_sites *sites = NULL;
    enum ts_noc_wire wire;
    int fd = memfd_create("table", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ts_context_init(&context);
    if (ts_noc_sites_create(&sites, &error) != TS_OK)
        abort();
    enum ts_status status = ts_noc_sites_add_file(&context, sites, path, &error);
    if (status == TS_OK)
        status = ts_noc_sites_finish(sites, &wire, &error);
    if (status != TS_OK && error.message[0] == '\0')
        abort(); /* a failure that says nothing */
    for (unsigned kernel = 0; status == TS_OK && kernel < 3; kernel++) {
        size_t count;
        const struct ts_noc_site *some = ts_noc_sites_of(sites, (uint16_t)kernel, &count);
        for (size_t i = 0; i < count; i++) {
            static const uint32_t stored[TS_NOC_NEAR_ARGUMENTS] = {0x5A5, 1, 100, UINT32_MAX, 3, 2};
            struct ts_noc_near_event event;
            struct ts_noc_payload payload;
            ts_noc_near_raw_pack(&some[i], stored, &event);
            ts_noc_payload_read(wire, event.data, &payload);
            /* What a site packs is of its type; in W2 a packet type out of range reaches into it, as on the core. */
            bool sent = some[i].shape >= TS_NOC_SHAPE_FABRIC && some[i].shape <= TS_NOC_SHAPE_SCATTER;
            if (payload.code != some[i].type && !(sent && wire == TS_WIRE_W2))
                abort();
        }
    }
    ts_noc_sites_destroy(sites);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (ts_noc_capture_is((struct ts_str){(const char *)data, size})) {
        fuzz_noc_decode(data, size, TS_NOC_J4, false);
        fuzz_noc_decode(data, size, size % 2 ? TS_NOC_J1 : TS_NOC_J3, size % 3 == 1);
    } else {
        read_table(data, size);
    }
    return 0;
}
