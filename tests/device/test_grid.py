"""The examples on the model of a grid, built as docs/grid.md says, by gcc and by clang: their data is right, and what they record
decodes to the calls that the kernels make, worked out here call by call. The bytes are the same for both and each time."""
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from recorder import TOP, WARN, run_command, skip

TILESIGHT = os.environ["TILESIGHT"]
EXAMPLES = os.path.join(TOP, "examples", "grid")
SWITCH = "TT_METAL_DEVICE_PROFILER_NOC_EVENTS"
COLUMNS, ROWS = [1, 2, 3, 4, 6, 7, 8, 9], [1, 2, 3, 4, 5, 7, 8, 9, 10, 11]
BANKS = [(0, 0), (0, 1), (0, 5), (0, 6)]
# Of the captures, so that a change of the model or of what it writes is meant.
GOLDEN = {
    "ping_pong": "3738f3a55808499ed5dcad49db80142220d08e3bad901e2ac7916bd28876ee05",
    "multicast": "aaf2eb2f4109fb0fc82cdde1ad6c2ecebd4e1d287e7f8139195069e39901d1bf",
    "ring_all_gather": "9e6e288e5997f6ec5e1a414f9f8e7b1a0976b0d1ac05fb3a083075e478102b67",
    "reshard": "1eda6b3d4bb2ce45f2f0b52b5653ec4925f31e0c16251e3a300f4d76aef43d7b",
}
FULL = """#define TS_NOC_TRACE_IMPLEMENTATION
#include <stdio.h>
#include <tilesight/grid.h>
static void kernel(void)
{
    for (uint32_t i = 0; i < 4000; i++)
        noc_semaphore_set(TS_L1(get_semaphore(0)), i);
}
int main(void)
{
    struct ts_error error;
    struct ts_grid *grid;
    struct ts_grid_options options = {.columns = 1, .rows = 1, .trace_words = 3000, .tracer = TS_GRID_TRACER};
    ts_grid_create(&options, &grid, &error);
    ts_grid_launch(grid, (struct ts_grid_place){0, 0}, TS_GRID_NCRISC, "kernel", kernel, NULL, 0, &error);
    if (ts_grid_run(grid, "full", &error) || ts_grid_save(grid, "%s", &error))
        puts(error.message);
    printf("%%d\\n", (int)ts_grid_count(grid).lost);
    ts_grid_destroy(grid);
}
"""
failures = checks = 0


def check(what, good, more=""):
    global failures, checks
    checks += 1
    if not good:
        print("FAILED: %s %s" % (what, more))
        failures += 1


def at(column, row=0):
    return COLUMNS[column], ROWS[row]


def to(kind, core, size):
    return {"type": kind, "dx": core[0], "dy": core[1], "num_bytes": min(255, -(-size // 32)) * 32}


def plain(*kinds):
    return [{"type": kind, "num_bytes": 0} for kind in kinds]


READ_BARRIER = plain("READ_BARRIER_START", "READ_BARRIER_END")
WRITE_BARRIER = plain("WRITE_BARRIER_START", "WRITE_BARRIER_END")
WAIT, ATOMIC = plain("SEMAPHORE_WAIT"), plain("ATOMIC_BARRIER")


def ping_pong():
    def player(other, begins):
        throw = [to("WRITE_", other, 4)] + WRITE_BARRIER + [to("SEMAPHORE_INC", other, 0)]
        return ((throw + WAIT if begins else WAIT + throw) * 20) + ATOMIC
    return {(at(0), "BRISC"): player(at(1), True), (at(1), "BRISC"): player(at(0), False)}


def multicast():
    def spread(size):
        return {"type": "WRITE_MULTICAST", "num_bytes": size, "mcast_start_x": 1, "mcast_start_y": 1, "mcast_end_x": 4,
                "mcast_end_y": 2}
    lanes = {(at(column, row), "BRISC"): [to("SEMAPHORE_INC", at(0), 0)] + WAIT + ATOMIC
             for column in range(4) for row in range(2)}
    lanes[at(0), "BRISC"] = ([to("READ", BANKS[3], 2048)] + READ_BARRIER + WAIT + [spread(2048)] + plain("SEMAPHORE_SET") +
                             [spread(32)] + WRITE_BARRIER)
    return lanes


def ring_all_gather():
    def step(right):
        return ([{"zone": "STEP", "zone_phase": "ZONE_START"}, to("WRITE_", right, 1024)] + WRITE_BARRIER +
                [to("SEMAPHORE_INC", right, 0)] + WAIT + [{"zone": "STEP", "zone_phase": "ZONE_END"}])
    return {(at(me), "BRISC"): step(at((me + 1) % 8)) * 7 + ATOMIC for me in range(8)}


def reshard():
    def fetch(first):
        return sum(([to("READ_SET_STATE", at(core), 128)] + plain(*["READ_WITH_STATE"] * 8) for core in (first, first + 2)),
                   []) + READ_BARRIER
    return {(at(me), proc): fetch(first) for me in range(4) for first, proc in enumerate(("BRISC", "NCRISC"))}


def noc_flags(traced, *words):
    env = {k: v for k, v in os.environ.items() if k != SWITCH}
    if traced:
        env[SWITCH] = "1"
    return subprocess.run([TILESIGHT, "noc-flags", "--include", os.path.join(TOP, "include"), *words], env=env, check=True,
                          stdout=subprocess.PIPE, universal_newlines=True).stdout.split()


def build_library(folder, compiler):
    library = os.path.join(folder, "libtilesight_grid-%s.a" % compiler)
    objects = []
    for name in sorted(os.listdir(os.path.join(TOP, "src", "grid"))):
        if name.endswith(".c"):
            objects.append(os.path.join(folder, name + ".o"))
            run_command([compiler, "-std=c11", "-D_GNU_SOURCE", "-O2", "-pthread"] + WARN +
                        ["-I" + os.path.join(TOP, "include"), "-I" + os.path.join(TOP, "src"), "-c",
                         os.path.join(TOP, "src", "grid", name), "-o", objects[-1]])
    run_command(["ar", "rc", library] + objects)
    return library


def build_example(folder, compiler, library, name, flags, level="-O1"):
    program = os.path.join(folder, name)
    run_command([compiler, "-std=c11", level] + WARN + flags + [os.path.join(EXAMPLES, name + ".c"), library, "-pthread", "-o",
                                                               program])
    return program


def run_example(program, *words):
    return subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=60)


def capture_of(what, folder, program):
    path = os.path.join(folder, "capture.tsraw")
    done = run_example(program, path)
    check(what + ": runs, and its data is right", done.returncode == 0 and ": the data is right; " in done.stdout,
          done.stdout + done.stderr)
    with open(path, "rb") as f:
        return path, f.read(), int(done.stdout.split("; ")[1].split()[0])


def records_of(what, path):
    done = subprocess.run([TILESIGHT, "noc-decode", path, "-o", "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, timeout=60)
    check(what + ": decodes, and nothing is missing", done.returncode == 0 and done.stderr == "", done.stderr)
    return json.loads(done.stdout)


def check_records(what, name, records, calls):
    expected = globals()[name]()
    lanes = {}
    for record in records:
        lanes.setdefault(((record["sx"], record["sy"]), record["proc"]), []).append(record)
        check(what + ": the operation is the model's", record["op_name"] == "grid-model-" + name, record["op_name"])
    check(what + ": the cores that ran", sorted(lanes) == sorted(expected), sorted(lanes))
    events = 0
    for lane, want in expected.items():
        got = lanes.get(lane, [])
        times = [record["timestamp"] for record in got]
        check("%s, %s: times rise" % (what, lane), all(a < b for a, b in zip(times, times[1:])))
        kernel = [record.get("zone") for record in got[:1] + got[-1:]]
        check("%s, %s: within its kernel" % (what, lane), kernel == [lane[1] + "-KERNEL"] * 2, kernel)
        inner = [{k: v for k, v in record.items() if k in ("type", "dx", "dy", "num_bytes", "zone", "zone_phase") or
                  k.startswith("mcast_")} for record in got[1:-1]]
        check("%s, %s: its calls" % (what, lane), inner == want,
              next(((i, a, b) for i, (a, b) in enumerate(zip(inner, want)) if a != b), (len(inner), len(want))))
        nocs = {record["noc"] for record in got if "noc" in record}
        check("%s, %s: its NoC" % (what, lane), nocs == {"NOC_0" if lane[1] == "BRISC" else "NOC_1"}, nocs)
        # A barrier is one call and two events.
        events += sum("type" in record and not record["type"].endswith("_END") for record in want)
    check(what + ": the grid counted as many calls", events == calls, (events, calls))


def check_untraced(folder, compiler, library):
    flags = noc_flags(False)
    check("without the switch the flags hold nothing of the trace", not any("PROFILE" in flag for flag in flags), flags)
    program = build_example(folder, compiler, library, "ping_pong", flags)
    done = run_example(program)
    check("without tracing it runs the same", done.returncode == 0 and "the data is right" in done.stdout, done.stderr)
    done = run_example(program, os.path.join(folder, "none.tsraw"))
    check("without tracing there is nothing to save, and it is said", done.returncode == 1 and
          "compiled without tracing" in done.stderr and not os.path.exists(os.path.join(folder, "none.tsraw")), done.stderr)


def check_header(folder, compiler):
    """tilesight/grid.h stands alone, as C11 and C++17, traced or not."""
    for language, standard in (("c", "c11"), ("c++", "c++17")):
        source = os.path.join(folder, "header." + language)
        with open(source, "w") as f:
            f.write("#define TS_NOC_TRACE_IMPLEMENTATION\n#include <tilesight/grid.h>\n")
        if language == "c++" and compiler == "gcc" and not shutil.which("g++"):
            continue
        for traced in (False, True):
            run_command([compiler, "-x", language, "-std=" + standard, "-pedantic", "-fsyntax-only"] + WARN + noc_flags(traced) +
                        [source])


def check_page(folder, compiler, library, printed):
    """What docs/grid.md shows is what is printed, and its kernel runs."""
    with open(os.path.join(TOP, "docs", "grid.md"), encoding="utf-8") as f:
        page = f.read()
    check("docs/grid.md shows what an example prints", printed.strip() in page, printed)
    code = page.split("```c\n")[1].split("```")[0]
    kernel, program = code.split("struct ts_error error;")
    source = os.path.join(folder, "page.c")
    with open(source, "w") as f:
        f.write(kernel + "int main(void)\n{\nstruct ts_error error;" + program +
                "\nreturn ts_grid_count(grid).calls == 4 && ts_grid_save(grid, \"%s\", &error) == TS_OK ? 0 : 1;\n}\n"
                % os.path.join(folder, "page.tsraw"))
    run_command([compiler, "-std=c11"] + WARN + noc_flags(True) + [source, library, "-pthread", "-o", source + ".out"])
    done = run_example(source + ".out")
    check("the kernel of docs/grid.md runs", done.returncode == 0, done.stderr)
    records_of("the kernel of docs/grid.md", os.path.join(folder, "page.tsraw"))


def check_overflow(folder, compiler, library):
    """A trace that is too small: what is missing is counted on the way, and told with what is there."""
    source, path = os.path.join(folder, "full.c"), os.path.join(folder, "full.tsraw")
    with open(source, "w") as f:
        f.write(FULL % path)
    run_command([compiler, "-std=c11"] + WARN + noc_flags(True) + [source, library, "-pthread", "-o", source + ".out"])
    lost = int(run_example(source + ".out").stdout)
    done = subprocess.run([TILESIGHT, "noc-decode", path, "-o", "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, timeout=60)
    kept = sum("type" in record for record in json.loads(done.stdout))
    check("a full trace: kept and lost are what was called", kept > 0 and lost > 0 and kept + lost == 4000, (kept, lost))
    check("a full trace: the lost are told", "%d events were lost" % lost in done.stderr, done.stderr)
    check("a full trace: and whose", "device 0 core 1,1 NCRISC" in done.stderr, done.stderr)


def check_wires(folder, compiler, library):
    """Older generations record the same calls."""
    for wire in (1, 2, 3, 4):
        program = build_example(folder, compiler, library, "multicast", noc_flags(True, "--wire", str(wire)))
        path, _, calls = capture_of("W%d" % wire, folder, program)
        records = records_of("W%d" % wire, path)
        counted = sum("type" in record and not record["type"].endswith("_END") for record in records)
        check("W%d: as many events as calls" % wire, counted == calls, (counted, calls))


def main():
    compilers = [name for name in ("gcc", "clang") if shutil.which(name)]
    if not compilers or not shutil.which("ar"):
        skip("there is neither gcc nor clang, or no ar")
    with tempfile.TemporaryDirectory() as folder:
        for compiler in compilers:
            library = build_library(folder, compiler)
            for name in GOLDEN:
                what = "%s by %s" % (name, compiler)
                program = build_example(folder, compiler, library, name, noc_flags(True))
                path, first, calls = capture_of(what, folder, program)
                check_records(what, name, records_of(what, path), calls)
                check(what + ": the same bytes again", capture_of(what, folder, program)[1] == first)
                digest = hashlib.sha256(first).hexdigest()
                check(what + ": the bytes that were recorded here", digest == GOLDEN[name], digest)
            check_header(folder, compiler)
            if compiler == compilers[0]:
                check_untraced(folder, compiler, library)
                check_wires(folder, compiler, library)
                check_overflow(folder, compiler, library)
                ring = build_example(folder, compiler, library, "ring_all_gather", noc_flags(True))
                check_page(folder, compiler, library, run_example(ring).stdout)
            slow = build_example(folder, compiler, library, "reshard", noc_flags(True), "-O0")
            digest = hashlib.sha256(capture_of("reshard by %s -O0" % compiler, folder, slow)[1]).hexdigest()
            check("without optimisation: the same bytes", digest == GOLDEN["reshard"], digest)
    print("%d checks, %d failures" % (checks, failures))
    sys.exit(failures != 0)


main()
