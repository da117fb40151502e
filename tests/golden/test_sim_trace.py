#!/usr/bin/env python3
"""clean-sim-trace against recorded outputs: byte for byte with --compat, and with the default switch the same but for what
the switch changes (rows of slices, order of cores, FIXP). Skipped without the recordings."""
import gzip
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("TILESIGHT", "build/tilesight")
SHARED = os.environ.get("TILESIGHT_SHARED", "")
ROOT = pathlib.Path(SHARED) / "data" / "sim"
failures = []
checks = 0


def check(condition, *what):
    global checks
    checks += 1
    if not condition:
        failures.append(" ".join(str(w) for w in what))


def run(args, folder):
    return subprocess.run([PROGRAM, "clean-sim-trace", *args], cwd=folder, capture_output=True, text=True, timeout=120)


def tree(folder):
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest()
            for p in sorted(folder.rglob("*")) if p.is_file()}


def without_rows(trace):
    """What the default switch may not change: slices but for their row, arrows but for their rows and number."""
    slices, arrows, cores = [], [], []
    for event in trace["traceEvents"]:
        event = dict(event)
        if event["ph"] == "M":
            if event["name"] == "process_name":
                cores.append(event["pid"])
            continue
        event["tid"] = str(event["tid"]).split("#")[0]
        if event["ph"] == "X":
            if event["tid"] == "FIXP":
                event.pop("cname")
            slices.append(json.dumps(event))
        else:
            event.pop("id")
            arrows.append(json.dumps(event))
    rest = {k: v for k, v in trace.items() if k != "traceEvents"}
    return rest, slices, arrows, sorted(map(str, cores))


def place_inputs(case, expected, folder):
    """The dump in a folder like the one recorded; neighbours are made up, since their contents do not matter."""
    simulator = folder / expected["opprof_dir"] / "simulator"
    simulator.mkdir(parents=True)
    (simulator / "visualize_data.bin").write_bytes(gzip.decompress((case / "visualize_data.bin.gz").read_bytes()))
    for name, size, _ in expected["input_tree"]:
        path = folder / expected["opprof_dir"] / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
        elif not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"x" * size)
    return simulator


def check_files(case, expected, recorded, produced, what):
    names = {p.name for p in produced.iterdir() if p.name in ("trace.clean.json", "instr_metrics.json")}
    check(names == set(recorded["files"]), what, "files", names, "instead of", set(recorded["files"]))
    for name, facts in recorded["files"].items():
        if (produced / name).exists():
            check(hashlib.sha256((produced / name).read_bytes()).hexdigest() == facts["sha256"], what, name, "differs")


def recorded_outputs(case, recorded):
    return json.loads(gzip.decompress((case / recorded["files"]["trace.clean.json"]["stored"]).read_bytes()))


def run_case(case, expected, recorded, compat):
    what = f"{case.name} {recorded['combo']} {'compat' if compat else 'default'}:"
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        simulator = place_inputs(case, expected, folder)
        before = tree(folder)
        args = [a.replace("<OPPROF>", expected["opprof_dir"]) for a in recorded["args"]]
        result = run(args + (["--compat"] if compat else []), folder)
        check(result.returncode == recorded["rc"], what, "exit status", result.returncode, result.stderr)
        stdout = recorded["stdout"].replace("<OPPROF>", expected["opprof_dir"])
        stderr = recorded["stderr"].replace("<OPPROF>", expected["opprof_dir"])
        if compat:
            check(result.stdout == stdout, what, "stdout", repr(result.stdout))
        elif recorded["combo"] != "x":
            wrote = [line for line in stdout.splitlines() if not line.startswith("note:")]
            check(all(line in result.stdout.splitlines() for line in wrote), what, "stdout", repr(result.stdout))
        if recorded["rc"] == 0:
            check(result.stderr == stderr, what, "stderr", repr(result.stderr))
        produced = folder / "OUT" if "-o" in args else simulator
        if compat:
            check_files(case, expected, recorded, produced, what)
        elif recorded["rc"] == 0 and "trace.clean.json" in recorded["files"]:
            ours, theirs = json.loads((produced / "trace.clean.json").read_text()), recorded_outputs(case, recorded)
            for name, a, b in zip(("top", "slices", "arrows", "cores"), without_rows(ours), without_rows(theirs)):
                check(a == b or (name == "arrows" and len(a) > len(b) and set(b) <= set(a)), what, name, "differ")
        if "out_tree" in recorded and recorded["rc"] == 0:
            names = {name for name, _, _ in recorded["out_tree"] if not name.endswith("/")}
            check(set(tree(folder / "OUT")) == names, what, "tree of OUT")
            for name, digest in tree(folder / "OUT").items():
                if name.startswith("raw_simulator/"):
                    source = f"{expected['opprof_dir']}/simulator/" + name.split("/", 1)[1]
                    check(digest == before[source], what, name, "is no copy")
            after = tree(folder / expected["opprof_dir"])
            check(after == {k.split("/", 1)[1]: v for k, v in before.items()}, what, "the source folder was changed")


def run_broken(entry, compat):
    for combo in ("default", "keep-scalar"):
        expected = entry.get("product") if combo == "default" and "rc" in entry.get("product", {}) else entry.get(combo)
        if not expected or "TRACEBACK" in expected.get("stderr", "") and expected is not entry.get("product"):
            continue
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            shutil.copy(ROOT / "broken" / f"{entry['kind']}.bin", folder / "visualize_data.bin")
            args = ["visualize_data.bin"] + (["--keep-scalar"] if combo == "keep-scalar" else [])
            result = run(args + (["--compat"] if compat else []), folder)
            check_broken(entry, expected, result, folder, f"broken/{entry['kind']} {combo} compat={compat}:", compat)


def check_broken(entry, expected, result, folder, what, compat):
    free = "free" in entry.get("product", {}).get("note", "")
    if free and result.returncode == 1:
        check(result.stderr.startswith("error: visualize_data.bin: TRACE block: "), what, result.stderr)
        return
    check(result.returncode == expected["rc"], what, "exit status", result.returncode, result.stderr)
    if expected["rc"] and "no TRACE" not in expected.get("stderr", ""):
        check("offset" in result.stderr or "event" in result.stderr or "API_INSTR block" in result.stderr or
              "TRACE block" in result.stderr, what, "says not where:", result.stderr)
    check(result.stderr.startswith(expected.get("stderr_starts", "")), what, result.stderr)
    if "cut in the middle" in entry["what"] or "more than the file has" in entry["what"]:
        size = (folder / "visualize_data.bin").stat().st_size
        check(f"byte {size}" in result.stderr, what, "does not name byte", size, result.stderr)
    if compat and "stdout" in expected and expected["rc"] == 0:
        check(result.stdout == expected["stdout"], what, "stdout", repr(result.stdout))
    wanted = expected.get("files")
    if wanted is None:
        wanted = [n for n in ("trace.clean.json", "instr_metrics.json") if expected.get(n) is not None]
    names = sorted(p.name for p in folder.iterdir() if p.name != "visualize_data.bin")
    check(names == sorted(wanted), what, "files", names, "instead of", wanted)
    for name in ("trace.clean.json", "instr_metrics.json"):
        if expected.get(name) is None or not (folder / name).exists():
            continue
        text = (folder / name).read_text()
        if compat or name == "instr_metrics.json":
            check(text == expected[name], what, name, "differs:", text[:3000], "\ninstead of\n", expected[name][:3000])


def main():
    if not ROOT.is_dir():
        print("skipped: no recordings; TILESIGHT_SHARED names the folder that holds data/sim")
        return 77
    for case in sorted(ROOT.iterdir()):
        if not (case / "expected.json").exists() or case.name == "broken":
            continue
        expected = json.loads((case / "expected.json").read_text())
        for recorded in expected.get("product_runs") or expected["runs"]:
            run_case(case, expected, recorded, True)
            run_case(case, expected, recorded, False)
    for entry in json.loads((ROOT / "broken" / "expected.json").read_text()):
        run_broken(entry, True)
        run_broken(entry, False)
    for name in ("visualize_data.bin", "base_info.bin"):
        with tempfile.TemporaryDirectory() as temporary:
            result = run([str(ROOT / "real" / name)], temporary)
            check(result.returncode == 1 and "no TRACE block found" in result.stderr, "real", name, result.stderr)
    for failure in failures:
        print("FAILED", failure)
    print(f"{checks} checks, {len(failures)} failed")
    return 1 if failures else 0


sys.exit(main())
