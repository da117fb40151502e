"""What NoC event tracing costs: instructions executed by RV32 code for one record, counted one by one under emulation, and bytes
of code; and how fast noc-decode is. Part of bench.py."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DEVICE = os.path.join(ROOT, "tests", "device")
sys.path.insert(0, DEVICE)
import recorder  # noqa: E402

ON = ["-DPROFILE_NOC_EVENTS=1"]
LEVELS = (("gcc", "-Os"), ("gcc", "-O2"), ("clang", "-Os"), ("clang", "-O2"))


def one_at_a_time():
    """How this emulator is told to run and log single instructions."""
    usage = subprocess.run(["qemu-riscv32", "--help"], stdout=subprocess.PIPE, universal_newlines=True).stdout
    return "-one-insn-per-tb" if "one-insn-per-tb" in usage else "-singlestep"


def executed(program, option):
    with tempfile.NamedTemporaryFile() as log:
        subprocess.run(["qemu-riscv32", option, "-d", "nochain,exec", "-D", log.name, program], check=True)
        with open(log.name) as f:
            return sum(line.startswith("Trace ") for line in f)


def sizes(program):
    out = subprocess.run(["riscv64-unknown-elf-nm", "-S", program], stdout=subprocess.PIPE, universal_newlines=True).stdout
    return {m.group(2): int(m.group(1), 16) for m in re.finditer(r"^\S+ (\S+) \S (\S+)$", out, re.MULTILINE)}


def build(folder, name, compiler, level, flags):
    sources = [os.path.join(DEVICE, "start.S"), os.path.join(DEVICE, "cost_kernel.c")]
    return recorder.build_rv32(folder, name, sources, compiler,
                               flags + [level, "-ffunction-sections", "-Wno-unused-function"], gnu_assembler=True)


def cost(folder, compiler, level, kernel, records, flags, option):
    """Instructions and bytes of code that each record adds to a kernel, and the sizes of all functions."""
    count, code = {}, {}
    for on in (True, False):
        for rounds in (1, 3):
            name = "k%d%d" % (on, rounds)
            program = build(folder, name, compiler, level, ["-DKERNEL=" + kernel, "-DROUNDS=%d" % rounds] + (flags + ON if on else flags))
            count[on, rounds] = executed(program, option)
            code[on] = sizes(program)
    added = (count[True, 3] - count[True, 1]) - (count[False, 3] - count[False, 1])
    return added / 2 / records, (code[True][kernel] - code[False][kernel]) / records, code[True]


def once(code, names):
    return sum(size for name, size in code.items() if name in names)


FLUSH = {"ts_noc_full", "ts_noc_flush", "ts_noc_count", "ts_noc_mark"}
NEAR = FLUSH | {"ts_noc_near_full_2"}
NEAR_RAW = ["-DTS_NOC_NEAR_RAW"]
FORMS = (
    ("compatible, ordinary call", [], {"ts_noc_put", "ts_noc_put_address"} | FLUSH, "40 and 26"),
    ("compatible, own registers", ["-DTS_NOC_OWN_REGISTERS"],
     {"ts_noc_own_sized", "ts_noc_own_address", "ts_noc_own_plain"} | FLUSH, "36 and 24, 20 bytes, 720 once"),
    ("near-raw, all arguments", NEAR_RAW, NEAR, "14 and 10"),
    ("near-raw, compatible ones", NEAR_RAW + ["-DFEW"], NEAR, ""),
    ("the same, reserved: all", NEAR_RAW + recorder.RESERVED, NEAR, "9 and 7"),
    ("reserved: compatible ones", NEAR_RAW + recorder.RESERVED + ["-DFEW"], NEAR, "9 and 7"),
)


def recorder_costs():
    for tool in (recorder.RV_GCC, "clang", "llc", "qemu-riscv32"):
        if not shutil.which(tool):
            print("NoC recorder: skipped, there is no %s (./dev setup)" % tool)
            return
    option = one_at_a_time()
    print("\nNoC recorder, RV32 instructions a record (bytes a site): size at run time, constant size, plain, six and two, loop;"
          " nothing when off (tests/device/test_trace_off.py)")
    for form, flags, names, target in FORMS:
        for compiler, level in LEVELS:
            with tempfile.TemporaryDirectory() as folder:
                cells, code = [], {}
                for kernel, records in (("kernel_sized", 6), ("kernel_constant", 6), ("kernel_plain", 6), ("kernel_mixed", 8),
                                        ("kernel_loop", 6)):
                    instructions, size, functions = cost(folder, compiler, level, kernel, records, flags, option)
                    cells.append("%5.1f (%4.1f)" % (instructions, size))
                    code.update(functions)
            print("  %-26s %-5s %s  %s  once %4d  target %s" %
                  (form, compiler, level, "  ".join(cells), once(code, names), target))


def other_costs(option):
    print("\nThe same of a multicast, a 16-byte packet, an event of a fabric send (a third each: header, routing fields, write), and"
          "\nof one taken back since the buffer is full; instructions of begin, a guaranteed marker, finish, send and flush")
    for form, flags, _, _ in FORMS:
        for compiler, level in LEVELS:
            with tempfile.TemporaryDirectory() as folder:
                cells, ends = [], []
                for kernel, records in (("kernel_multicast", 6), ("kernel_wide", 6), ("kernel_fabric", 6), ("kernel_dropped", 6)):
                    instructions, size, _ = cost(folder, compiler, level, kernel, records, flags, option)
                    cells.append("%5.1f (%4.1f)" % (instructions, size))
                for kernel in ("kernel_begin", "kernel_slot", "kernel_finish", "kernel_send", "kernel_flush"):
                    ends.append("%4.0f" % cost(folder, compiler, level, kernel, 1, flags, option)[0])
            print("  %-26s %-5s %s  %s   %s" % (form, compiler, level, "  ".join(cells), " ".join(ends)))


def peak_memory(command):
    """Kilobytes, measured through time(1), since a child of Python begins with Python's."""
    timer = shutil.which("time")
    if not timer:
        return None
    with tempfile.NamedTemporaryFile("r") as out:
        subprocess.run([timer, "-f", "%M", "-o", out.name] + command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return int(out.read().split()[-1])


def decode_rates(program, shared, inputs, runs):
    generator = os.path.join(shared, "tools", "make_noc_capture.py")
    folder = os.path.join(inputs, "noc1m")
    if not os.path.exists(os.path.join(folder, "case.json")):
        os.makedirs(inputs, exist_ok=True)
        subprocess.run([sys.executable, generator, "bench", folder, "-n", "1000000"], check=True, stdout=subprocess.DEVNULL)
    expected = [name for name in os.listdir(os.path.join(folder, "expected")) if name.startswith("noc_trace")]
    print("\nnoc-decode, million events a second of a million (best of %d), and the processor's time alone" % runs)
    for source, tables in (("capture.tsraw", []), ("profile_log_device.csv", ["--tables", os.path.join(folder, "capture.tsraw")])):
        for target in ("a fresh file", "/dev/null"):
            best, best_user, memory = None, None, 0
            for _ in range(runs):
                with tempfile.TemporaryDirectory(dir=inputs) as out:
                    command = [program, "noc-decode", os.path.join(folder, source), "--quiet", "-o",
                               out if target == "a fresh file" else "-"] + tables
                    began = time.perf_counter()
                    with open(os.devnull, "w") as null:
                        child = subprocess.Popen(command, stdout=null, stderr=null)
                        _, status, used = os.wait4(child.pid, 0)
                    took = time.perf_counter() - began
                    memory = max(memory, peak_memory(command) or 0) if not memory else memory
                    if status:
                        sys.exit("bench: noc-decode failed")
                    if target == "a fresh file":
                        for name in expected:
                            with open(os.path.join(out, name), "rb") as a, open(os.path.join(folder, "expected", name), "rb") as b:
                                if a.read() != b.read():
                                    sys.exit("bench: %s is not what it should be" % name)
                best = min(best or took, took)
                user = used.ru_utime + used.ru_stime
                best_user = min(best_user or user, user)
            print("  %-24s to %-14s %5.1f  (%5.1f)   %5.1f MB   target %s" %
                  (source, target, 1 / best, 1 / best_user, memory / 1024, "4" if target == "a fresh file" else "6"))


def near_raw_capture(path, events):
    """A near-raw capture: four addressed records, then a plain one, on 16 cores."""
    sys.path.insert(0, os.path.join(ROOT, "tests", "cli"))
    import near_raw_case as near
    from noc_case import capture, describe
    addressed, plain = near.number_of(1, 4), near.number_of(1, 0)
    table = near.site(addressed, near.ADDRESS, 1, count=4) + near.site(plain, near.PLAIN, 6)
    sections = []
    for core in range(16):
        words, time_now, made = [], 1000, 0
        while made < events // 16:
            body, base = [], time_now
            while len(body) < 480 and made < events // 16:
                time_now += 97
                made += 1
                body += near.record(plain, time_now) if made % 5 == 0 else \
                    near.record(addressed, time_now, [18 << 4 | 18 << 10, 0x1234, 2048, 0x20000])
            image = near.near_image(body, start=1000, end=None, base=base)
            words += image + [0x80000000, 0] * (len(image) % 4 // 2)
        sections.append((1, 0, 7, 0, 1 + core % 8, 1 + core // 8, 0, words, 0))
    with open(path, "wb") as f:
        f.write(capture(sections, describe(wire="N1", sites=[table.hex()])))


def near_raw_rate(program, inputs, runs):
    path, best, best_user = os.path.join(inputs, "near1m.tsraw"), None, None
    if not os.path.exists(path):
        near_raw_capture(path, 1000000)
    command = [program, "noc-decode", path, "-o", "-"]
    records = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.count(b'"type": ')
    if records != 1000000:
        sys.exit("bench: %d records of a million near-raw ones" % records)
    for _ in range(runs):
        with open(os.devnull, "w") as null:
            began = time.perf_counter()
            child = subprocess.Popen(command, stdout=null, stderr=null)
            _, _, used = os.wait4(child.pid, 0)
        best = min(best or 1e9, time.perf_counter() - began)
        best_user = min(best_user or 1e9, used.ru_utime + used.ru_stime)
    print("  %-24s to %-14s %5.1f  (%5.1f)   %5.1f MB   target 6" %
          ("near-raw capture", "/dev/null", 1 / best, 1 / best_user, (peak_memory(command) or 0) / 1024))


def report(program, shared, inputs, runs):
    recorder_costs()
    if shutil.which("qemu-riscv32"):
        other_costs(one_at_a_time())
    decode_rates(program, shared, inputs, runs)
    near_raw_rate(program, inputs, runs)


if __name__ == "__main__":
    report(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
