#!/usr/bin/env python3
"""Measure tilesight, beside the reference programs where they are installed. Standard library only.

usage: bench.py [--runs N] [--inputs DIR] [--reference DIR] [--only NAME,...]

--inputs DIR     where large inputs are kept between runs (default: $TILESIGHT_BENCH_INPUTS, else build/bench-inputs)
--reference DIR  bin folder that holds ttnn-visualizer-mcp and tt-perf-report (default: $TILESIGHT_REFERENCE, else PATH)

Inputs come from the generator of the shared data (TILESIGHT_SHARED, or ../shared beside the tree). Times are wall
milliseconds, minimum and median of the runs; memory is VmHWM that the process itself reports at the end of its work.
Ratios compare the reference's time with ours within this same run.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Server:
    """A stdio MCP server and the time since it was started."""

    def __init__(self, command):
        env = dict(os.environ, USAGE_RECORDING_DISABLED="true")
        self.started = time.perf_counter()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env=env)
        self.number = 0

    def request(self, method, params):
        self.number += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            if "id" in answer:
                return answer

    def call(self, tool, **arguments):
        """The answer's text as JSON, and the milliseconds it took."""
        before = time.perf_counter()
        result = self.request("tools/call", {"name": tool, "arguments": arguments})["result"]
        took = (time.perf_counter() - before) * 1000
        text = result["content"][0]["text"]
        if result.get("isError"):
            raise SystemExit(f"{tool}: {text}")
        return json.loads(text), took

    def initialize(self):
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                    "clientInfo": {"name": "bench", "version": "1"}})

    def elapsed(self):
        return (time.perf_counter() - self.started) * 1000

    def memory(self):
        """VmHWM in MB (1e6 bytes) of the server itself."""
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith("VmHWM"):
                return int(line.split()[1]) * 1024 / 1e6
        return float("nan")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def first_answer(command):
    server = Server(command)
    server.initialize()
    figures = {"ms": server.elapsed(), "mb": server.memory()}
    server.close()
    return figures


def load_and_top(command, folder):
    server = Server(command)
    server.initialize()
    handle = server.call("load_report", performance_path=folder)[0]["handle"]
    server.call("top_ops", handle=handle)
    figures = {"ms": server.elapsed(), "mb": server.memory()}
    server.close()
    return figures


def later_answers(command, folder):
    """The slowest of answers on a handle that has answered before, new windows and every question included."""
    server = Server(command)
    server.initialize()
    handle = server.call("load_report", performance_path=folder)[0]["handle"]
    server.call("top_ops", handle=handle)
    everything = ["config", "utilisation", "noc", "riscs", "cores", "dispatch", "cache", "kernels", "advice", "flags"]
    calls = [("top_ops", {"by": "op_to_op_gap"}), ("op_breakdown", {}), ("program_cache", {}),
             ("top_ops", {"include": everything, "limit": 25}),
             ("top_ops", {"start_signpost": "step 1"}), ("op_breakdown", {"start_signpost": "step 2"}),
             ("top_ops", {"start_signpost": "step 1", "end_signpost": "step 26", "include": everything}),
             ("top_ops", {"include": ["flags"]})]
    took = {}
    for tool, arguments in calls:
        took[f"{tool} {arguments}"] = server.call(tool, handle=handle, **arguments)[1]
    took["diff_reports"] = server.call("diff_reports", handle_a=handle, handle_b=handle)[1]
    server.close()
    slowest = max(took, key=took.get)
    return {"ms": took[slowest], "what": slowest}


def timed_command(command, cwd=None):
    """Wall time and peak memory of a command whose output goes nowhere."""
    before = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=cwd)
    _, status, usage = os.wait4(process.pid, 0)
    took = (time.perf_counter() - before) * 1000
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit status {process.returncode}")
    return {"ms": took, "mb": usage.ru_maxrss * 1024 / 1e6}


def log_answers(command, folder, tool):
    """The first answer from a device log, loading apart, and the same again."""
    server = Server(command)
    server.initialize()
    handle = server.call("load_report", performance_path=folder)[0]["handle"]
    first = {"ms": server.call(tool, handle=handle)[1]}
    first["mb"] = server.memory()
    again = {"ms": server.call(tool, handle=handle)[1]}
    server.close()
    return first, again


def make_logs(shared, folder):
    """A device log of 210 MB alone, with its CSV, compressed, and ten times over; folders by name."""
    with_csv = os.path.join(folder, "log200m-csv")
    name = "profile_log_device.csv"
    if not os.path.exists(os.path.join(with_csv, "done")):
        generator = os.path.join(shared, "tools", "make_device_log.py")
        subprocess.run([sys.executable, generator, with_csv, "--size", "200M", "--cores", "8x8", "--ops-csv"], check=True,
                       stdout=subprocess.DEVNULL)
        open(os.path.join(with_csv, "done"), "a").close()
    log = os.path.join(with_csv, name)
    folders = {"csv": with_csv}
    for kind, command in (("alone", "ln -f '{}' '{}'"), ("zst", "zstd -q -f -3 '{}' -o '{}.zst'"),
                          ("gz", "gzip -6 -c '{}' > '{}.gz'"),
                          ("2g", "for i in 0 1 2 3 4 5 6 7 8 9; do cat '{}'; done > '{}'")):
        folders[kind] = os.path.join(folder, "log200m-" + kind)
        if not os.path.exists(os.path.join(folders[kind], "done")):
            os.makedirs(folders[kind], exist_ok=True)
            subprocess.run(command.format(log, os.path.join(folders[kind], name)), shell=True, check=True)
            open(os.path.join(folders[kind], "done"), "a").close()
    return folders


def report_logs(shared, inputs, ours, reference, runs):
    """What one pass over a device log costs, and the answers after it."""
    folders = make_logs(shared, inputs)
    for kind, tool, name, target in (("alone", "zone_timings", "zone_timings, 210 MB log", "50x, 12 MB"),
                                     ("2g", "zone_timings", "zone_timings, 2.1 GB log", "10 times that, 12 MB"),
                                     ("zst", "zone_timings", "zone_timings, 210 MB log as .zst", "210 ms"),
                                     ("gz", "zone_timings", "zone_timings, 210 MB log as .gz", "zlib's time"),
                                     ("csv", "core_spread", "core_spread, 1,559 operations on 64 cores", "64 B each")):
        first, again = zip(*(log_answers(ours, folders[kind], tool) for _ in runs))
        compared = log_answers(reference, folders[kind], tool) if reference and kind == "alone" else (None, None)
        report(name, first, compared[0], target)
        report("  again", again, compared[1], "1 ms")


def make_databases(shared, folder):
    """Profiler reports: a million buffers rows, and 20,000 operations with a CSV that links to them."""
    folders = {}
    for name, options in (("million", ["--ops", "5000", "--weights", "200", "--seed", "43"]),
                          ("linked", ["--ops", "20000", "--seed", "42", "--ops-csv", "{}/performance"])):
        folders[name] = os.path.join(folder, "profiler-" + name)
        if not os.path.exists(os.path.join(folders[name], "done")):
            os.makedirs(folders[name], exist_ok=True)
            subprocess.run([sys.executable, os.path.join(shared, "tools", "make_profiler_db.py"),
                            os.path.join(folders[name], "profiler"), *(o.format(folders[name]) for o in options)], check=True,
                           stdout=subprocess.DEVNULL)
            open(os.path.join(folders[name], "done"), "a").close()
    return folders


def database_answers(command, folder, linked, tool, arguments):
    """The first answer, loading apart, and the same again."""
    paths = {"profiler_path": os.path.join(folder, "profiler")}
    if linked:
        paths["performance_path"] = os.path.join(folder, "performance")
    server = Server(command)
    server.initialize()
    handle = server.call("load_report", **paths)[0]["handle"]
    first = {"ms": server.call(tool, handle=handle, **arguments)[1]}
    first["mb"] = server.memory()
    again = {"ms": server.call(tool, handle=handle, **arguments)[1]}
    server.close()
    return first, again


def report_databases(shared, inputs, ours, reference, runs):
    """What the database questions cost at first, and asked again."""
    folders = make_databases(shared, inputs)
    operation = {"operation_id": 9999}
    for name, kind, linked, tool, arguments, target in (
            ("operation_detail with linking, 20,000 operations", "linked", True, "operation_detail", operation, "50x, 40 MB"),
            ("operation_detail, profiler alone", "linked", False, "operation_detail", operation, ""),
            ("memory_profile, 1,024,319 buffers", "million", False, "memory_profile", {}, "4x"),
            ("find_operations by caller, 20,000 operations", "linked", False, "find_operations", {"called_from": "resnet"}, ""),
            ("tensor_flow, 20,000 operations", "linked", False, "tensor_flow", {"tensor_id": 9999}, ""),
            ("operation_provenance, 20,000 operations", "linked", False, "operation_provenance", operation, "")):
        first, again = zip(*(database_answers(ours, folders[kind], linked, tool, arguments) for _ in runs))
        compared = database_answers(reference, folders[kind], linked, tool, arguments) if reference else (None, None)
        report(name, first, compared[0], target)
        report("  again", again, compared[1], "5 ms")


def with_signposts(source, folder):
    """The 50k-row capture with a signpost before every 1,872 rows, so that windows can be asked."""
    target = os.path.join(folder, "ops_perf_results_signposts.csv")
    if os.path.exists(target):
        return folder
    os.makedirs(folder, exist_ok=True)
    with open(source, newline="") as read, open(target + ".part", "w", newline="") as write:
        header = read.readline()
        write.write(header)
        names = header.rstrip("\r\n").split(",")
        at = names.index("HOST START TS")
        for number, line in enumerate(read):
            if number % 1872 == 0:
                stamp = line.split('"')[-1].split(",") if '"' in line else line.split(",")
                cells = [""] * len(names)
                cells[0], cells[1] = f"step {number // 1872}", "signpost"
                cells[at] = str(int(float(stamp[at])) - 1)
                write.write(",".join(cells) + "\r\n")
            write.write(line)
    os.rename(target + ".part", target)
    return folder


def make_inputs(shared, folder):
    """Run the shared generator for the operations CSVs only: folders marked done are left alone by it."""
    for other in ("log200m", "db20k", "db1m", "sim100m", "sim400m", "sim1core", "noc1m"):
        os.makedirs(os.path.join(folder, other), exist_ok=True)
        open(os.path.join(folder, other, "done"), "a").close()
    subprocess.run(["sh", os.path.join(shared, "tools", "make_bench_inputs.sh"), folder], check=True,
                   stdout=subprocess.DEVNULL)


def report(name, ours, reference=None, target=""):
    times = [figures["ms"] for figures in ours]
    line = f"{name:<44} {min(times):9.1f} {statistics.median(times):9.1f}"
    memory = [figures["mb"] for figures in ours if "mb" in figures]
    line += f" {max(memory):8.1f}" if memory else " " * 9
    if reference:
        line += f" {reference['ms']:11.1f} {reference['ms'] / statistics.median(times):8.0f}x"
        line += f" {reference['mb']:8.1f}" if "mb" in reference else " " * 9
    else:
        line += " " * 30
    print(f"{line}  {target}{'  slowest: ' + ours[0]['what'] if 'what' in ours[0] else ''}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--inputs", default=os.environ.get("TILESIGHT_BENCH_INPUTS",
                                                           os.path.join(ROOT, "build", "bench-inputs")))
    parser.add_argument("--reference", default=os.environ.get("TILESIGHT_REFERENCE"))
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    only = {name for name in options.only.split(",") if name}

    program = os.environ.get("TILESIGHT", os.path.join(ROOT, "build", "tilesight"))
    shared = os.environ.get("TILESIGHT_SHARED", os.path.join(os.path.dirname(ROOT), "shared"))
    if not os.path.exists(os.path.join(shared, "tools", "make_bench_inputs.sh")):
        sys.exit("bench: the shared data with its generators is not here; set TILESIGHT_SHARED")
    make_inputs(shared, options.inputs)
    folder = {name: os.path.join(options.inputs, name) for name in ("ops50k", "ops50k-distinct", "ops8dev")}
    csv50k = os.path.join(folder["ops50k"], "ops_perf_results_50k.csv")
    windows = with_signposts(csv50k, os.path.join(options.inputs, "ops50k-signposts"))

    find = (lambda name: os.path.join(options.reference, name)) if options.reference else (lambda name: shutil.which(name))
    ref_mcp, ref_report = find("ttnn-visualizer-mcp"), find("tt-perf-report")
    ref_mcp = [ref_mcp] if ref_mcp and os.path.exists(ref_mcp) else None
    ours = [program, "mcp"]

    def wanted(name):
        return not only or name in only

    print(f"{'':<44} {'min ms':>9} {'median':>9} {'MB':>8} {'reference':>11} {'ratio':>9} {'MB':>8}  target")
    runs = range(options.runs)
    if wanted("start"):
        report("start to first MCP answer", [first_answer(ours) for _ in range(4 * options.runs)],
               first_answer(ref_mcp) if ref_mcp else None, "3 ms, 6 MB")
    if wanted("load"):
        report("start + load_report + top_ops, ops50k", [load_and_top(ours, folder["ops50k"]) for _ in runs],
               load_and_top(ref_mcp, folder["ops50k"]) if ref_mcp else None, "200x, 50 MB")
    if wanted("distinct"):
        report("the same, every text different", [load_and_top(ours, folder["ops50k-distinct"]) for _ in runs],
               None, "100 MB")
    if wanted("mesh"):
        report("the same, 8 devices", [load_and_top(ours, folder["ops8dev"]) for _ in runs])
    if wanted("later"):
        report("later answers, slowest, windows included", [later_answers(ours, windows) for _ in runs], None, "5 ms")
    if wanted("db"):
        report_databases(shared, options.inputs, ours, ref_mcp, runs)
    if wanted("csv"):
        out = os.path.join(options.inputs, "rows.csv")
        arguments = ["--ignore-signposts", "--no-summary", "--csv", out, csv50k]
        reference = timed_command([ref_report, *arguments]) if ref_report and os.path.exists(ref_report) else None
        report("perf-report --csv, ops50k", [timed_command([program, "perf-report", *arguments]) for _ in runs], reference,
               "60x")
    if wanted("table"):
        arguments = ["--ignore-signposts", "--no-color", csv50k]
        reference = timed_command([ref_report, *arguments]) if ref_report and os.path.exists(ref_report) else None
        report("perf-report as a table, ops50k", [timed_command([program, "perf-report", *arguments]) for _ in runs],
               reference, "60x")
    if wanted("log"):
        report_logs(shared, options.inputs, ours, ref_mcp, runs)
    if wanted("database"):
        subprocess.run([sys.executable, os.path.join(ROOT, "tests", "bench", "bench_database.py"), "--inputs", options.inputs,
                        "--runs", str(options.runs), "--program", program]
                       + (["--reference", ref_mcp[0]] if ref_mcp else []))
    if wanted("sim"):
        subprocess.run([sys.executable, os.path.join(ROOT, "tests", "bench", "bench_sim.py"), "--inputs", options.inputs,
                        "--runs", str(options.runs), "--program", program])
    if wanted("noc"):
        subprocess.run([sys.executable, os.path.join(ROOT, "tests", "bench", "bench_noc.py"), program, shared, options.inputs,
                        str(options.runs)])
        subprocess.run([sys.executable, os.path.join(ROOT, "tests", "bench", "bench_noc_fabric.py"), program, options.inputs])
    scan = os.path.join(ROOT, "build", "bench_csv_scan")
    if wanted("scan") and os.path.exists(scan):
        for line in subprocess.run([scan, csv50k], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines():
            print(line)


if __name__ == "__main__":
    main()
