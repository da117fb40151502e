#!/usr/bin/env python3
"""Measure answers from profiler databases: usage: bench_database.py [--inputs DIR] [--runs N] [--program P] [--reference BIN]

Two databases of the shared generator (TILESIGHT_SHARED, or ../shared beside the tree): 20,000 operations with 63 MB of graphs
and a performance CSV that links to them, and a million rows of buffers. Both are read once before, so that they lie in the page
cache. bench.py runs this with its own options.
"""
import argparse
import os
import subprocess
import sys

from bench import ROOT, Server, report

GENERATED = {"db20k": ["--ops", "20000", "--seed", "42"], "db1m": ["--ops", "5000", "--weights", "200", "--seed", "43"]}


def make_inputs(shared, folder):
    for name, arguments in GENERATED.items():
        target = os.path.join(folder, name)
        if os.path.exists(os.path.join(target, "done")):
            continue
        csv = ["--ops-csv", os.path.join(folder, "perf20k")] if name == "db20k" else []
        generator = os.path.join(shared, "tools", "make_profiler_db.py")
        subprocess.run([sys.executable, generator, *arguments, *csv, target], check=True, stdout=subprocess.DEVNULL)
        open(os.path.join(target, "done"), "a").close()
    for name in GENERATED:
        with open(os.path.join(folder, name, "db.sqlite"), "rb") as file:
            while file.read(1 << 20):
                pass


def first_and_later(command, load, tool, first, later):
    """The first answer, loading apart; then the slowest of later ones."""
    server = Server(command)
    server.initialize()
    handle = server.call("load_report", **load)[0]["handle"]
    cold = {"ms": server.call(tool, handle=handle, **first)[1]}
    cold["mb"] = server.memory()
    warm = {"ms": max(server.call(tool, handle=handle, **arguments)[1] for arguments in later)}
    server.close()
    return cold, warm


def measure(name, command, reference, runs, load, tool, first, later, targets):
    cold, warm = zip(*(first_and_later(command, load, tool, first, later) for _ in range(runs)))
    compared = first_and_later(reference, load, tool, first, later) if reference else (None, None)
    report(f"{name}, first", cold, compared[0], targets[0])
    report(f"{name}, later", warm, compared[1], targets[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--inputs", default=os.path.join(ROOT, "build", "bench-inputs"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--program", default=os.environ.get("TILESIGHT", os.path.join(ROOT, "build", "tilesight")))
    parser.add_argument("--reference")
    options = parser.parse_args()
    shared = os.environ.get("TILESIGHT_SHARED", os.path.join(os.path.dirname(ROOT), "shared"))
    make_inputs(shared, options.inputs)
    ours = [options.program, "mcp"]
    reference = [options.reference] if options.reference and os.path.exists(options.reference) else None
    pair = {"profiler_path": os.path.join(options.inputs, "db20k"),
            "performance_path": os.path.join(options.inputs, "perf20k")}
    others = [{"operation_id": number} for number in (5001, 12000, 19999)]
    others.append({"operation_id": 9001, "include": ["config", "cores", "kernels"]})
    measure("operation_detail, 20,000 operations linked", ours, reference, options.runs, pair, "operation_detail",
            {"operation_id": 5000}, others, ("50x, 40 MB", "5 ms"))
    measure("memory_profile, a million buffers", ours, reference, options.runs,
            {"profiler_path": os.path.join(options.inputs, "db1m")}, "memory_profile", {}, [{}, {"buffer_type": "L1"}],
            ("4x", "5 ms"))
    measure("l1_peak, 20,000 graphs", ours, None, options.runs, {"profiler_path": os.path.join(options.inputs, "db20k")}, "l1_peak",
            {}, [{}, {"limit": 100}], ("250 ms, 30 MB", "5 ms"))


if __name__ == "__main__":
    main()
