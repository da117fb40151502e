#!/usr/bin/env python3
"""Measure clean-sim-trace: time, memory and that the outputs are the recorded ones. Standard library only.

usage: bench_sim.py [--runs N] [--inputs DIR] [--program PATH] [--only NAME,...]

--inputs DIR  where the large dumps are kept between runs (default: $TILESIGHT_BENCH_INPUTS, else build/bench-inputs)

sim100m, sim400m and sim1core come from the generator of the shared data (TILESIGHT_SHARED, or ../shared beside the tree);
flags1m (one core, a million pairs of flags) and ties40k (40,000 flags and slices of one time) are written here. Times are
wall seconds from starting the program to its end, median of the runs, with warm files; memory is the peak resident set.
The recorded cleaner took 10.2 s and 714 MB on sim100m, 67.6 s and 2.8 GB on sim400m, on a machine like the one the targets
are for.
"""
import argparse
import hashlib
import os
import pathlib
import re
import statistics
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHARED = pathlib.Path(os.environ.get("TILESIGHT_SHARED") or ROOT.parent / "shared")
GENERATED = {
    "sim100m": ["--seed", "1", "--groups", "8", "--target-size", "104M"],
    "sim400m": ["--seed", "1", "--groups", "24", "--target-size", "417M"],
    "sim1core": ["--seed", "5", "--kind", "cube", "--groups", "1", "--target-size", "200M"],
}
# (name, threads): seconds
TARGETS = {("sim100m", 1): 0.25, ("sim100m", 2): 0.16, ("sim400m", 1): 1.0, ("sim400m", 2): 0.6}
REFERENCE = {"sim100m": 10.2, "sim400m": 67.6}
NAMES = ["sim100m", "sim400m", "sim1core", "flags1m", "ties40k"]


def block(kind, parts):
    """A container block, written without holding it."""
    size = sum(len(p) for p in parts)
    padding = -size % 4
    yield struct.pack("<QBBBB", size + padding, kind, padding, 0x5A, 0x5A)
    yield from parts
    yield b"\0" * padding


def events(count, step):
    """Loads and vector instructions in turn on one core, each pair with a flag; step 0 puts them all at one time."""
    core = '"pid":"core0.veccore0"'
    for i in range(count):
        at = i * step
        detail = f'"args":{{"code":"","detail":"PIPE:MTE2,TRIGGERPIPE:VEC,FLAGID:{i % 8},","pc_addr":"0x10"}}'
        yield f'{{"dur":1.5,"name":"LOAD","ph":"X",{core},"tid":"MTE2","ts":{at + 1.25}}}'
        yield f'{{{detail},"name":"SET_FLAG","ph":"B",{core},"tid":"MTE2","ts":{at + 2.75}}}'
        yield f'{{"args":{{}},"name":"SET_FLAG","ph":"E",{core},"tid":"MTE2","ts":{at + 2.875}}}'
        yield f'{{{detail},"name":"WAIT_FLAG","ph":"B",{core},"tid":"VECTOR","ts":{at + 1.5}}}'
        yield f'{{"args":{{}},"name":"WAIT_FLAG","ph":"E",{core},"tid":"VECTOR","ts":{at + 3.0}}}'
        yield f'{{"dur":0.5,"name":"VADD","ph":"X",{core},"tid":"VECTOR","ts":{at + 3.25}}}'


def write_dump(path, count, step):
    parts, group = [b'{"displayTimeUnit":"ns","profilingType":"op","schemaVersion":2,"traceEvents":['], []
    for i, event in enumerate(events(count, step)):
        group.append((("," if i else "") + event).encode())
        if len(group) == 10000:
            parts.append(b"".join(group))
            group = []
    parts += [b"".join(group), b"]}"]
    with open(path, "wb") as file:
        for part in block(2, parts):
            file.write(part)


def find_input(name, folder):
    """The dump, made when it is not there; None when it cannot be."""
    home = folder / name
    found = list(home.rglob("visualize_data.bin"))
    if found and (home / "done").exists():
        return found[0]
    home.mkdir(parents=True, exist_ok=True)
    if name in GENERATED:
        generator = SHARED / "tools" / "make_sim_dump.py"
        if not generator.exists():
            return None
        subprocess.run([sys.executable, str(generator), "--out", str(home), *GENERATED[name], "--no-trace-json"],
                       check=True, stdout=subprocess.DEVNULL)
    else:
        write_dump(home / "visualize_data.bin", *{"flags1m": (1000000, 4), "ties40k": (40000, 0)}[name])
    (home / "done").touch()
    return next(home.rglob("visualize_data.bin"))


# Runs a command and prints its seconds and peak resident set: in a process of its own, since a child's peak begins with
# that of the process it was forked from.
LAUNCHER = """
import os, sys, time
start = time.perf_counter()
child = os.fork()
if child == 0:
    os.close(2)
    os.open(os.devnull, os.O_WRONLY)
    os.execv(sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(child, 0)
print("measured", status, time.perf_counter() - start, usage.ru_maxrss * 1024)
"""


def run(program, dump, threads, compat):
    """Seconds, peak bytes, what it said, and the sums of its outputs."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "clean-sim-trace", str(dump), "-o", folder, "--no-copy-raw", "--threads", str(threads)]
        command += ["--compat"] if compat else []
        said = subprocess.run([sys.executable, "-I", "-S", "-c", LAUNCHER, *command], check=True, stdout=subprocess.PIPE,
                              text=True).stdout
        status, took, peak = said.rsplit("measured", 1)[1].split()
        if status != "0":
            sys.exit(f"{' '.join(command)} ended with {status}")
        sums = {}
        if compat:
            for path in pathlib.Path(folder).iterdir():
                sums[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return float(took), int(peak), said, sums


def recorded_sums():
    sums = {}
    path = SHARED / "data" / "sim" / "bench.sha256"
    if path.exists():
        for line in path.read_text().splitlines():
            if line and not line.startswith("#"):
                digest, name = line.split()
                sums[name] = digest
    return sums


def pairs_of(dump):
    """SET_FLAG beginnings, by the text of the dump."""
    with open(dump, "rb") as file:
        return sum(chunk.count(b'"name":"SET_FLAG","ph":"B"') for chunk in iter(lambda: file.read(1 << 24), b""))


def measure(program, name, dump, runs, sums):
    good = True
    size = dump.stat().st_size
    for threads in (1, 2):
        results = [run(program, dump, threads, False) for _ in range(runs)]
        median = statistics.median(r[0] for r in results)
        peak = max(r[1] for r in results)
        kept = int(re.search(r"slices: (\d+) kept", results[0][2]).group(1))
        bound = 32e6 + 64 * kept + 96 * pairs_of(dump)
        target = TARGETS.get((name, threads))
        verdict = "" if target is None else f"  target {target} s: {'met' if median <= target else 'MISSED'}"
        against = f"  {REFERENCE[name] / median:.0f} times the recorded cleaner" if name in REFERENCE else ""
        print(f"{name} {size / 1e6:.1f} MB, {threads} threads: {median:.3f} s (best {min(r[0] for r in results):.3f}), "
              f"{size / 1e6 / median:.0f} MB/s, {peak / 1e6:.1f} MB of {bound / 1e6:.1f} allowed{verdict}{against}", flush=True)
        good &= peak <= bound and (target is None or median <= target)
    for threads in (1, 2, 4):
        for file, digest in run(program, dump, threads, True)[3].items():
            wanted = sums.get(f"{name}/{file}")
            if wanted and wanted != digest:
                print(f"{name}/{file} with {threads} threads: not the recorded bytes")
                good = False
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--inputs", default=os.environ.get("TILESIGHT_BENCH_INPUTS") or ROOT / "build" / "bench-inputs")
    parser.add_argument("--program", default=os.environ.get("TILESIGHT") or ROOT / "build" / "tilesight")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    only = [name for name in options.only.split(",") if name] or NAMES
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; limits are for idle ones")
    good = True
    for name in only:
        dump = find_input(name, pathlib.Path(options.inputs))
        if dump is None:
            print(f"{name}: skipped, there is no generator")
            continue
        good &= measure(str(options.program), name, dump, options.runs, recorded_sums())
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
