"""With tracing off nothing is left of the recorder: a kernel's object code is what it is without the header. With tracing on,
one call site can opt out. The headers are valid C11 and C++17 without a library."""
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from recorder import HERE, INCLUDE, RESERVED, RV, RV_GCC, WARN, build_rv32, need_rv32, run_command

need_rv32()
ON = ["-DPROFILE_NOC_EVENTS=1"]
NEAR = ["-DTS_NOC_NEAR_RAW"]
failures = 0


def disassembly(folder, flags, compiler, source="kernel.c"):
    obj = os.path.join(folder, "kernel.o")
    target = {"gcc": [RV_GCC] + RV, "clang": ["clang", "--target=riscv32-unknown-elf"] + RV,
              "g++": [RV_GCC] + RV + ["-std=c++17", "-fno-exceptions"],
              "clang++": ["clang", "--target=riscv32-unknown-elf", "-std=c++17", "-fno-exceptions"] + RV}[compiler]
    run_command(target + WARN + ["-Wno-unused-command-line-argument"] * ("clang" in compiler) +
                [INCLUDE] + flags + ["-c", os.path.join(HERE, source), "-o", obj])
    # Code, data and symbols, without the name of the file.
    text = run_command(["riscv64-unknown-elf-objdump", "-d", "-r", "-s", "-t", "-j", ".text", "-j", ".data", "-j", ".sdata",
                        "-j", ".rodata", "-j", ".bss", "-j", ".sbss", obj])
    return text, run_command(["riscv64-unknown-elf-size", obj]).splitlines()[1].split()[:3]


def check(what, good):
    global failures
    if not good:
        print("FAILED:", what)
        failures += 1


def places(table):
    """The file and line of each entry of a table of call sites."""
    entries = [table[m:n] for m, n in zip([m.start() for m in re.finditer(b"TSN1", table)],
                                          [m.start() for m in re.finditer(b"TSN1", table)][1:] + [len(table)])]
    return sorted((os.path.basename(e[48:e.index(b"\0", 48)].decode()), int.from_bytes(e[20:24], "little")) for e in entries)


def near_raw(folder, compiler, level):
    """The near-raw mode: nothing when off, sites with their lines when on, one call site less for one in parentheses, and a table
    that stays when the linker throws unused code away."""
    what = "near-raw, %s %s" % (compiler, level)
    without = disassembly(folder, [level], compiler)
    check(what + ": with tracing off the object code differs from that without the header",
          disassembly(folder, [level, "-DWITH_TRACE"] + NEAR, compiler) == without)
    source = os.path.join(folder, "calls.c")
    with open(source, "w") as f:
        f.write("""#include <tilesight/noc_calls.h>
__attribute__((noinline)) void kernel(uint64_t from, uint32_t size, uint32_t trid);
uint32_t ts_noc_port_busy(void) { return 0; }
void ts_noc_port_send(uint32_t word, const uint32_t *words, uint32_t count) { (void)word; (void)words; (void)count; }
void (noc_async_read)(uint64_t from, uint32_t to, uint32_t size) { (void)from; (void)to; (void)size; }
void (noc_async_read_set_trid)(uint32_t trid) { (void)trid; }
void (noc_async_read_barrier)(void) {}
void kernel(uint64_t from, uint32_t size, uint32_t trid)
{
    noc_async_read(from, 0x20000, size);
    (noc_async_read)(from, 0x30000, size);
    noc_async_read_set_trid(trid);
    noc_async_read_barrier();
}
void nobody(uint64_t from);
void nobody(uint64_t from) { noc_async_read(from, 0, 0); }
int main(void) { kernel(1, 2, 3); return 0; }
""")
    program = build_rv32(folder, "calls", [os.path.join(HERE, "start.S"), source], compiler,
                         ON + NEAR + [level, "-ffunction-sections", "-DTS_NOC_TRACE_IMPLEMENTATION"])
    table = program + ".sites"
    run_command([RV_GCC] + RV + ["-Wl,--gc-sections", "-Wl,--entry=_start"] +
                [os.path.join(folder, "calls-%s.o" % name) for name in ("start.S", "calls.c")] + ["-o", program, "-lgcc"])
    run_command(["riscv64-unknown-elf-objcopy", "--dump-section", ".ts_noc_sites=" + table, program, table + ".copy"])
    with open(table, "rb") as f:
        found = places(f.read())
    lines = [10, 12, 13, 13, 16]
    check("%s: the sites stand at %s" % (what, found), found == [("calls.c", line) for line in lines])
    symbols = run_command(["riscv64-unknown-elf-nm", program])
    check(what + ": what nobody calls is still there", " nobody" not in symbols and " kernel" in symbols)


with tempfile.TemporaryDirectory() as folder:
    for compiler in ("gcc", "clang"):
        for level in ("-O0", "-Os", "-O2"):
            near_raw(folder, compiler, level)
    for compiler in ("gcc", "clang"):
        for level in ("-O0", "-Os", "-O2"):
            without = disassembly(folder, [level], compiler)
            off = disassembly(folder, [level, "-DWITH_TRACE"], compiler)
            on = disassembly(folder, [level, "-DWITH_TRACE"] + ON, compiler)
            out = disassembly(folder, [level, "-DWITH_TRACE", "-DUNTRACED"] + ON, compiler)
            what = "%s %s" % (compiler, level)
            check(what + ": with tracing off the object code differs from that without the header", off == without)
            check(what + ": tracing on makes no code", "ts_noc_put" in on[0])
            check(what + ": a call site in parentheses is traced all the same",
                  out[0].count("ts_noc_put_address") == on[0].count("ts_noc_put_address") - 1 or level == "-O0")
    for compiler in ("g++", "clang++") if shutil.which("riscv64-unknown-elf-g++") else ("clang++",):
        on = disassembly(folder, ["-Os"] + ON, compiler, "kernel.cpp")[0]
        off = disassembly(folder, ["-Os"], compiler, "kernel.cpp")[0]
        calls = [line.split()[-1] for line in on.splitlines() if "R_RISCV_CALL" in line]
        check(compiler + ": of two writes one is recorded, and a barrier twice: %s" % calls,
              calls.count("ts_noc_put_address") == 2 and calls.count("ts_noc_put") == 2 and calls.count("noc_async_write") == 2)
        check(compiler + ": with tracing off something of the recorder is left", "ts_noc" not in off)
        near = disassembly(folder, ["-Os"] + ON + NEAR, compiler, "kernel.cpp")[0]
        calls = [line.split()[-1] for line in near.splitlines() if "R_RISCV_CALL" in line]
        check(compiler + ": near-raw: of two writes one is recorded: %s" % calls,
              near.count("ts_noc_near_full_6") == 2 and near.count("ts_noc_near_full_2") == 2 and calls.count("noc_async_write") == 2)
    # As a library's header, strictly.
    for flags in ([], ON, ON + ["-DTS_NOC_TRACE_IMPLEMENTATION"], ON + ["-DTS_NOC_TRACE_IMPLEMENTATION", "-DTS_NOC_OWN_REGISTERS"],
                  NEAR, ON + NEAR, ON + NEAR + ["-DTS_NOC_TRACE_IMPLEMENTATION"],
                  ON + NEAR + ["-DTS_NOC_TRACE_IMPLEMENTATION", "-DTS_NOC_REGISTERS_ARE_RESERVED", RESERVED[0]]):
        for wire in (1, 2, 3, 4, 5):
            if wire < 3 and "-DTS_NOC_OWN_REGISTERS" in flags:
                continue
            for language, standard in (("c", "c11"), ("c++", "c++17")):
                source = os.path.join(folder, "header." + ("c" if language == "c" else "cpp"))
                with open(source, "w") as f:
                    # A kernel's macros may be called as events are.
                    f.write("#define READ 1\n#define WRITE_ READ\n#define READ_BARRIER_START\n#define SEMAPHORE_WAIT() 2\n"
                            "#define WRITE_MULTICAST READ\n#define FABRIC_UNICAST_WRITE 3\n"
                            "#include <tilesight/noc_calls.h>\n"
                            "void kernel(uint64_t to, uint32_t size);\n"
                            "void kernel(uint64_t to, uint32_t size)\n{\n"
                            "    TS_NOC_RECORD(READ_BARRIER_START);\n    TS_NOC_RECORD_PLAIN_WIDE(SEMAPHORE_WAIT);\n"
                            "    TS_NOC_RECORD_ADDR(WRITE_, to, size, 1, 0);\n    TS_NOC_RECORD_WIDE(READ, to, size, 1, 0, 4, 5);\n"
                            "    TS_NOC_RECORD_MULTICAST(WRITE_MULTICAST, to, size, 4, 0);\n"
                            "    TS_NOC_RECORD_CALL(WRITE_, to, size, 1, 0, 7);\n    TS_NOC_RECORD_PLAIN_CALL(SEMAPHORE_WAIT, 8);\n"
                            "#if TS_NOC_WIRE >= 2\n    TS_NOC_RECORD_FABRIC(FABRIC_UNICAST_WRITE, 1, 2, 0, 1);\n#endif\n"
                            "    noc_async_write(64, to, size);\n    noc_async_read_barrier();\n}\n")
                run_command(["clang", "--target=riscv32-unknown-elf", "-x", language, "-std=" + standard, "-pedantic", "-fsyntax-only",
                             "-Wno-unused-command-line-argument", "-DTS_NOC_WIRE=%d" % wire] + RV + WARN + [INCLUDE] + flags + [source])
if failures:
    sys.exit(1)
print("object code equal; opt-outs work; valid C11 and C++17")
