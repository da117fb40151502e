#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/number.h"
#include "models/arch.h"

static const struct ts_arch *find(const char *name)
{
    return ts_arch_find(ts_str_from(name));
}

static void test_names_and_aliases(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"wormhole", "wormhole"},
        {"wormhole_b0", "wormhole"},
        {"Wormhole_B0", "wormhole"},
        {"blackhole", "blackhole"},
        {"p150", "blackhole"},
        {"p150a", "blackhole"},
        {"P150B", "blackhole"},
        {"p150c", "blackhole"},
        {"blackhole_p150", "blackhole"},
        {"p100", "blackhole_p100"},
        {"p100a", "blackhole_p100"},
        {"blackhole_p100", "blackhole_p100"},
        {"blackhole_p100a", "blackhole_p100"},
        {"bh20", "bh20"},
        {"n1", "n1"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_non_null(find(names[i][0]));
        assert_string_equal(find(names[i][0])->name, names[i][1]);
    }
    assert_null(find("grayskull"));
    assert_null(find(""));
    assert_null(find("wormhole "));
    assert_null(find("wormhole_b"));
    assert_null(ts_arch_find((struct ts_str){"n1\0", 3}));
}

static void check(const char *name, unsigned cores, unsigned dram_cores, double bandwidth, const double peaks[4])
{
    const struct ts_arch *arch = find(name);

    assert_int_equal(arch->worker_cores, cores);
    assert_int_equal(arch->dram_sharded_cores, dram_cores);
    assert_true(arch->dram_gb_per_s == bandwidth);
    assert_true(ts_arch_peak(arch, TS_STR("HiFi4")) == peaks[0]);
    assert_true(ts_arch_peak(arch, TS_STR("HiFi3")) == peaks[1]);
    assert_true(ts_arch_peak(arch, TS_STR("HiFi2")) == peaks[2]);
    assert_true(ts_arch_peak(arch, TS_STR("LoFi")) == peaks[3]);
}

static void test_constants(void **state)
{
    (void)state;
    static const double wormhole[4] = {1.0277777777777777, 1.3703703703703702, 2.0555555555555554, 3.638888888888889};
    static const double blackhole[4] = {1.3824, 1.8432000000000002, 2.7648, 5.5296};
    static const double n1[4] = {0.6656, 0.8874666666666666, 1.3312, 2.6624};

    check("wormhole", 64, 12, 288, wormhole);
    check("blackhole", 110, 8, 512, blackhole);
    check("blackhole_p100", 110, 7, 448, blackhole);
    check("bh20", 20, 8, 512, blackhole);
    check("n1", 20, 8, 120, n1);
}

static void test_peak_of_another_fidelity_is_absent(void **state)
{
    (void)state;
    static const char *const names[] = {"", "hifi4", "HiFi5", "HiFi4 ", "LoFi2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_false(ts_present(ts_arch_peak(find("n1"), ts_str_from(names[i]))));
}

static void test_cores_of_a_device_log(void **state)
{
    (void)state;
    static const struct {
        const char *arch;
        unsigned cores;
    } cases[] = {{"grayskull", 108}, {"wormhole_b0", 64}, {"WORMHOLE", 64}, {"Blackhole", 130},
                 {"quasar", 32},     {"grendel_x", 32},   {"", 64},         {"worm", 64},
                 {"unknown", 64},    {" blackhole", 64}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(ts_arch_default_cores(ts_str_from(cases[i].arch)), cases[i].cores);
}

static void test_listed_names_are_found(void **state)
{
    (void)state;
    struct ts_str rest = ts_str_from(ts_arch_names()), piece;
    bool done = false;
    int count = 0;

    while (ts_str_split(&rest, ',', &piece, &done)) {
        struct ts_str name = ts_str_trim(piece);
        assert_non_null(ts_arch_find(name));
        assert_true(ts_str_is(name, ts_arch_find(name)->name));
        count++;
    }
    assert_int_equal(count, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_aliases),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_peak_of_another_fidelity_is_absent),
        cmocka_unit_test(test_cores_of_a_device_log),
        cmocka_unit_test(test_listed_names_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
