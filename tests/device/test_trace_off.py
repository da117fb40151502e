"""With tracing off nothing is left of the recorder: a kernel's object code is what it is without the header. With tracing on,
one call site can opt out. The headers are valid C11 and C++17 without a library."""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from recorder import HERE, INCLUDE, RV, RV_GCC, WARN, need_rv32, run_command

need_rv32()
ON = ["-DPROFILE_NOC_EVENTS=1"]
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


with tempfile.TemporaryDirectory() as folder:
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
    # As a library's header, strictly.
    for flags in ([], ON, ON + ["-DTS_NOC_TRACE_IMPLEMENTATION"], ON + ["-DTS_NOC_TRACE_IMPLEMENTATION", "-DTS_NOC_OWN_REGISTERS"]):
        for wire in (1, 2, 3, 4, 5):
            if wire < 3 and "-DTS_NOC_OWN_REGISTERS" in flags:
                continue
            for language, standard in (("c", "c11"), ("c++", "c++17")):
                source = os.path.join(folder, "header." + ("c" if language == "c" else "cpp"))
                with open(source, "w") as f:
                    f.write("#include <tilesight/noc_calls.h>\n")
                run_command(["clang", "--target=riscv32-unknown-elf", "-x", language, "-std=" + standard, "-pedantic", "-fsyntax-only",
                             "-Wno-unused-command-line-argument", "-DTS_NOC_WIRE=%d" % wire] + RV + WARN + [INCLUDE] + flags + [source])
if failures:
    sys.exit(1)
print("object code equal; opt-outs work; valid C11 and C++17")
