"""Building programs with the recorder for RV32 and for the host, and running them."""
import os
import shutil
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
INCLUDE = "-I" + os.path.join(TOP, "include")
RV_GCC = "riscv64-unknown-elf-gcc"
WARN = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
RV = ["-march=rv32im", "-mabi=ilp32", "-ffreestanding", "-fno-builtin", "-fno-pic", "-nostdlib"]

STEPS = {name: i for i, name in enumerate(
    "END BEGIN SLOT PLAIN ADDRESS MULTICAST WIDE WIDE_PLAIN WIDE_MULTICAST OPEN CLOSE FABRIC SCATTER ROUTE_1D ROUTE_2D FINISH BUSY FLUSH "
    "LAUNCH CLOSE_CORE PAD".split())}


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def need_rv32():
    for tool in (RV_GCC, "clang", "llc", "qemu-riscv32"):
        if not shutil.which(tool):
            skip("there is no %s (./dev setup installs it)" % tool)


def compile_command(compiler, flags):
    """How a source becomes an RV32 object: gcc's, or clang's. Both are linked by gcc's linker."""
    if compiler == "clang":
        return ["clang", "--target=riscv32-unknown-elf", "-isystem", os.path.join(HERE, "freestanding")] + RV[:-1] + \
            ["-mno-relax" if "-mno-relax" in flags else "-mrelax"] + WARN + [INCLUDE] + flags
    return [RV_GCC] + RV + WARN + [INCLUDE, "-std=c11"] + flags


RESERVED = ["-DTS_NOC_RESERVED_REGISTERS", "-ffixed-x27", "-ffixed-x26", "-ffixed-x25"]


def compile_clang(source, obj, flags, gnu_assembler):
    """An object of clang's. Its -ffixed has no effect in version 14, so registers are reserved behind it, by llc."""
    if RESERVED[0] in flags:
        flags = [f for f in flags if f not in RESERVED[1:]] + ["-DTS_NOC_REGISTERS_ARE_RESERVED"]
        run_command(compile_command("clang", flags) + ["-fno-addrsig", "-S", "-emit-llvm", source, "-o", obj + ".ll"])
        level = [f for f in flags if f.startswith("-O")]
        run_command(["llc", "-mattr=+relax,+reserve-x27,+reserve-x26,+reserve-x25", "-relocation-model=static"] +
                    [level[-1] if level and level[-1] != "-Os" else "-O2", "-filetype=" + ("asm" if gnu_assembler else "obj"), obj + ".ll",
                     "-o", obj + ".s" if gnu_assembler else obj])
    elif gnu_assembler:
        run_command(compile_command("clang", flags) + ["-fno-addrsig", "-S", source, "-o", obj + ".s"])
    else:
        run_command(compile_command("clang", flags) + ["-c", source, "-o", obj])
    if gnu_assembler:
        run_command([RV_GCC] + RV + ["-c", obj + ".s", "-o", obj])


def run_command(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    if done.returncode:
        sys.exit("FAILED: %s\n%s" % (" ".join(command), done.stdout))
    return done.stdout


def build_rv32(folder, name, sources, compiler="gcc", flags=(), gnu_assembler=False):
    """gnu_assembler: assemble clang's output with the GNU assembler, whose objects the linker can relax."""
    objects = []
    for source in sources:
        obj = os.path.join(folder, "%s-%s.o" % (name, os.path.basename(source)))
        how = "gcc" if source.endswith(".S") else compiler
        if how == "clang":
            compile_clang(source, obj, list(flags), gnu_assembler)
        else:
            run_command(compile_command(how, list(flags) if how == compiler else []) + ["-c", source, "-o", obj])
        objects.append(obj)
    program = os.path.join(folder, name)
    run_command([RV_GCC] + RV + objects + ["-o", program, "-lgcc"])
    return program


def build_host(folder, name, sources, flags=()):
    program = os.path.join(folder, name)
    run_command(["cc", "-std=c11"] + WARN + [INCLUDE, "-DPORT_LIBC"] + list(flags) + list(sources) + ["-o", program])
    return program


def replay(program, clock, steps, emulate):
    """Run the replay program. clock: times in the order in which they are read. steps: (NAME, argument...).
    Gives the control vector and the words in DRAM."""
    words = [w for time in clock for w in (time & 0xFFFFFFFF, time >> 32)]
    script = [w for step in list(steps) + [("END",)] for w in [STEPS[step[0]]] + list(step[1:])]
    data = struct.pack("<II", len(words), len(script)) + b"".join(struct.pack("<I", w & 0xFFFFFFFF) for w in words + script)
    done = subprocess.run((["qemu-riscv32"] if emulate else []) + [program], input=data, stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit("FAILED: %s ended with %d" % (program, done.returncode))
    out = struct.unpack("<%dI" % (len(done.stdout) // 4), done.stdout)
    return out[:64], list(out[64:])
