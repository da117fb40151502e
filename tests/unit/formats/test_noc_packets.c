/* Payloads of every generation, read from bytes written down by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/noc_packets.h"

static void test_samples(void **state)
{
    (void)state;
    struct ts_noc_payload p;
    ts_noc_payload_read(TS_WIRE_W5, UINT64_C(0x014012000014120b), &p);
    assert_int_equal(p.kind, TS_NOC_PAYLOAD_LOCAL);
    assert_string_equal(p.type->name, "WRITE_");
    assert_int_equal(p.x, 18);
    assert_int_equal(p.y, 20);
    assert_int_equal(p.noc, 2);
    assert_int_equal(p.vc, 1);
    assert_int_equal(p.bytes, 2048);
    assert_true(p.posted);
    ts_noc_payload_read(TS_WIRE_W3, UINT64_C(0x014012000014120b), &p);
    assert_false(p.posted);

    struct ts_noc_trailer trailer = ts_noc_trailer_read(UINT64_C(0x78920abcdc4048d1));
    assert_int_equal(trailer.destination, 0x12345);
    assert_int_equal(trailer.source, 0xABCDE);
    assert_int_equal(trailer.counter, 0x789);
    assert_true(ts_noc_trailer_make(trailer) == UINT64_C(0x78920abcdc4048d1));
    assert_int_equal(
        ts_noc_zone_hash(TS_STR("BRISC-FW,/opt/metal/tt_metal/hw/firmware/src/brisc.cc,301,KERNEL_PROFILER")), 501);
}

static uint64_t of_bytes(const unsigned char b[8])
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | b[i];
    return value;
}

static void check_local(enum ts_noc_wire wire, const unsigned char b[8], const char *name, uint32_t bytes)
{
    struct ts_noc_payload p;
    ts_noc_payload_read(wire, of_bytes(b), &p);
    assert_int_equal(p.kind, TS_NOC_PAYLOAD_LOCAL);
    assert_string_equal(p.type->name, name);
    assert_int_equal(p.x, -1);
    assert_int_equal(p.y, 3);
    assert_int_equal(p.end_x, 4);
    assert_int_equal(p.end_y, 5);
    assert_int_equal(p.noc, 1);
    assert_int_equal(p.vc, -1);
    assert_int_equal(p.bytes, bytes);
}

static void test_layouts(void **state)
{
    (void)state;
    check_local(TS_WIRE_W1, (const unsigned char[]){0xFF, 3, 4, 5, 14, 0xF1, 0x34, 0x12}, "WRITE_MULTICAST", 0x1234);
    check_local(TS_WIRE_W2, (const unsigned char[]){0xFF, 3, 4, 5, 0xF1, 255, 14, 0x77}, "WRITE_MULTICAST", 8160);
    check_local(TS_WIRE_W4, (const unsigned char[]){15, 0xFF, 3, 4, 5, 0xF1, 2, 0}, "WRITE_MULTICAST", 64);
    check_local(TS_WIRE_W5, (const unsigned char[]){32, 0xFF, 3, 4, 5, 0xF1, 0, 0}, "SEMAPHORE_INC_MULTICAST", 0);
}

static void test_fabric(void **state)
{
    (void)state;
    struct ts_noc_payload p;
    ts_noc_payload_read(TS_WIRE_W2, of_bytes((const unsigned char[]){7, 8, 255, 255, 1, 0, 28, 0}), &p);
    assert_int_equal(p.kind, TS_NOC_PAYLOAD_FABRIC);
    assert_int_equal(p.type->role, TS_NOC_ROLE_UNICAST_FABRIC);
    assert_int_equal(p.packet, 1);
    ts_noc_payload_read(TS_WIRE_W4, of_bytes((const unsigned char[]){34, 7, 8, 9, 10, 0x22, 0, 0}), &p);
    assert_string_equal(p.type->name, "FABRIC_MULTICAST_WRITE");
    assert_int_equal(p.type->role, TS_NOC_ROLE_OTHER_FABRIC);
    assert_int_equal(p.packet, 2);
    assert_int_equal(p.noc, 2);
    assert_int_equal(p.end_x, 9);
    ts_noc_payload_read(TS_WIRE_W5, of_bytes((const unsigned char[]){39, 7, 8, 0, 0xFE, 0xFF, 3, 0x12}), &p);
    assert_int_equal(p.kind, TS_NOC_PAYLOAD_SCATTER);
    assert_int_equal(p.chunk, -2);
    assert_int_equal(p.chunks, 3);
    ts_noc_payload_read(TS_WIRE_W5, of_bytes((const unsigned char[]){40, 0xEF, 0xCD, 0xAB, 0x89, 0, 0, 0}), &p);
    assert_int_equal(p.kind, TS_NOC_PAYLOAD_ROUTE_1D);
    assert_int_equal(p.route, 0x89ABCDEF);
    ts_noc_payload_read(TS_WIRE_W5, of_bytes((const unsigned char[]){41, 1, 2, 3, 1, 0, 0, 0}), &p);
    assert_int_equal(p.kind, TS_NOC_PAYLOAD_ROUTE_2D);
    assert_true(p.ns == 1 && p.east == 2 && p.west == 3 && p.multicast);
}

/* Any bits are read; what no generation knows is bad. */
static void test_bad_codes(void **state)
{
    (void)state;
    for (unsigned wire = 0; wire < TS_WIRE_COUNT; wire++) {
        unsigned count;
        const struct ts_noc_type *types = ts_noc_types((enum ts_noc_wire)wire, &count);
        for (unsigned code = 0; code < 256; code++) {
            struct ts_noc_payload p;
            unsigned shift = wire == TS_WIRE_W1 ? 32 : wire == TS_WIRE_W2 ? 48 : 0;
            ts_noc_payload_read((enum ts_noc_wire)wire, ~(UINT64_C(255) << shift) | (uint64_t)code << shift, &p);
            assert_int_equal(p.kind != TS_NOC_PAYLOAD_BAD, code > 0 && code < count);
            assert_ptr_equal(p.type, code > 0 && code < count ? &types[code] : NULL);
        }
    }
    enum ts_noc_wire wire;
    assert_true(ts_noc_wire_parse(TS_STR("W4"), &wire) && wire == TS_WIRE_W4);
    assert_false(ts_noc_wire_parse(TS_STR("W6"), &wire));
    assert_null(ts_noc_risc_name(6));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples), cmocka_unit_test(test_layouts),
                                       cmocka_unit_test(test_fabric), cmocka_unit_test(test_bad_codes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
