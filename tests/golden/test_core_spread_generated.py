#!/usr/bin/env python3
"""Spans and zone totals of generated device logs, against a slow reader of our own and against what the generator itself wrote
into the CSV beside the log. The generator is tools/make_device_log.py below TILESIGHT_SHARED.
"""
import collections
import csv
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

SHARED = pathlib.Path(os.environ.get("TILESIGHT_SHARED", "/nonexistent"))
GENERATOR = SHARED / "tools" / "make_device_log.py"
RISCS = ["BRISC", "NCRISC", "TRISC_0", "TRISC_1", "TRISC_2", "ERISC"]

# Arguments of the generator, and what does not hold of them: "longer": the CSV counts ends that the log lacks.
CASES = {
    "plain": ["--ops", "12"],
    "one core": ["--ops", "5", "--cores", "1x1"],
    "slots": ["--ops", "8", "--slots", "3", "--cores", "4x3"],
    "replays": ["--ops", "4", "--trace-replays", "5", "--cores", "4x4"],
    "replays on slots": ["--ops", "3", "--trace-replays", "3", "--slots", "2", "--cores", "3x3"],
    "dropped cores": ["--ops", "10", "--cores", "4x4", "--drop-cores", "5"],
    "pre-rename": ["--ops", "8", "--cores", "4x4", "--format", "pre-rename"],
    "spaced": ["--ops", "8", "--cores", "4x4", "--format", "spaced"],
    "zones": ["--ops", "6", "--cores", "4x4", "--zones", "3", "--ts-data", "4"],
    "few riscs": ["--ops", "6", "--cores", "4x4", "--riscs", "ERISC,BRISC"],
    "slow clock": ["--ops", "6", "--cores", "4x4", "--mhz", "312.5"],
    "no capacity": ["--ops", "6", "--cores", "4x4", "--max-cores", "0"],
    "open": ["--ops", "30", "--cores", "4x4", "--open-fraction", "0.05"],
}


def answer(question, folder, *words):
    run = subprocess.run([os.environ["TILESIGHT"], question, str(folder), "--json", *words], capture_output=True,
                         text=True, check=False)
    return json.loads(run.stdout) if run.returncode == 0 else run.stderr


def read_log(folder):
    """Kernel zones by (run host ID, slot), and zone sums by (zone, RISC)."""
    with open(folder / "profile_log_device.csv", encoding="utf-8") as file:
        next(file)
        names = [name.strip() for name in next(file).split(",")]
        opened, zones, sums, cores = {}, collections.defaultdict(list), {}, collections.defaultdict(set)
        for line in file:
            row = dict(zip(names, (field.strip() for field in line.split(","))))
            if not row["zone name"]:
                continue
            group = row["zone name"], row["RISC processor type"]
            sums.setdefault(group, [0, 0])
            core = row["PCIe slot"], int(row["core_x"]), int(row["core_y"])
            cores[group].add(core)
            kind = row.get("type", row.get("zone phase"))
            key = group + core + (row["run host ID"],)
            time = int(row["time[cycles since reset]"])
            if kind in ("ZONE_START", "begin"):
                opened[key] = time
            elif kind in ("ZONE_END", "end") and key in opened:
                start = opened.pop(key)
                sums[group][0] += 1
                sums[group][1] += time - start
                if row["zone name"].endswith("-KERNEL"):
                    zones[row["run host ID"], row["PCIe slot"]].append((core[1:], group[1], start, time))
    return zones, sums, cores


def spread(spans):
    return {"min_us": min(spans), "median_us": statistics.median(spans), "max_us": max(spans)}


def widths(zones, of):
    ends = {}
    for core, risc, start, end in zones:
        first, last = ends.get(of(core, risc), (start, end))
        ends[of(core, risc)] = min(first, start), max(last, end)
    return {key: last - first for key, (first, last) in ends.items()}


def expected(row, zones, mhz):
    """What an entry must say of a row, in microseconds."""
    first, last = int(row["DEVICE FW START CYCLE"]), int(row["DEVICE FW END CYCLE"])
    mine = [zone for zone in zones.get((row["GLOBAL CALL COUNT"], row["DEVICE ID"]), [])
            if zone[2] >= first and zone[3] <= last]
    if not mine:
        return {"in_log": False}
    us = lambda figures: {key: round(value / mhz, 3) for key, value in figures.items()}  # noqa: E731
    cores = widths(mine, lambda core, risc: core)
    spans = spread(list(cores.values()))
    out = {"in_log": True, "cores_in_log": len(cores), **us(spans),
           "imbalance": round(spans["max_us"] / spans["median_us"], 3)}
    slowest = sorted(cores.items(), key=lambda item: (-item[1], item[0][1], item[0][0]))[:5]
    out["slowest_cores"] = [{"core_x": x, "core_y": y, "span_us": round(span / mhz, 3)} for (x, y), span in slowest]
    by_risc = collections.defaultdict(list)
    for (_, risc), span in widths(mine, lambda core, risc: (core, risc)).items():
        by_risc[risc].append(span)
    out["riscs"] = [{"risc": risc, "cores": len(by_risc[risc]), **us(spread(by_risc[risc]))}
                    for risc in RISCS if risc in by_risc]
    return out


def near(want, got, slack=0.0011):
    if isinstance(want, dict):
        return isinstance(got, dict) and all(key in got and near(want[key], got[key]) for key in want)
    if isinstance(want, list):
        return isinstance(got, list) and len(want) == len(got) and all(map(near, want, got))
    if isinstance(want, float):
        return abs(want - got) <= slack
    return want == got


def check_entry(entry, row, zones, mhz, case):
    want = expected(row, zones, mhz)
    assert near(want, entry), f"{case}: row {entry['id']}\nwant {want}\ngot  {entry}"
    if not want["in_log"]:
        return
    for key, column in (("min_us", "MIN"), ("max_us", "MAX")):
        generated = float(row[f"DEVICE KERNEL DURATION PER CORE {column} [ns]"]) / 1000
        assert abs(entry["csv_per_core"][key] - generated) <= 0.0011, f"{case}: {entry}"
        if case != "open":
            assert abs(entry[key] - generated) <= 0.0011, f"{case}: {key} is {entry[key]}, not {generated}"
    generated = float(row["DEVICE KERNEL DURATION PER CORE MAX [ns]"]) / 1000
    assert entry["max_us"] <= generated + 0.0011, f"{case}: longer than the generator wrote"


def check(case, folder):
    with open(folder / "ops_perf_results_synthetic.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    mhz = float(CASES[case][CASES[case].index("--mhz") + 1]) if "--mhz" in CASES[case] else 1000.0
    zones, sums, cores = read_log(folder)
    spread_of_all = answer("core-spread", folder, "--limit=25")
    assert isinstance(spread_of_all, dict), f"{case}: {spread_of_all}"
    assert spread_of_all["in_log_count"] == spread_of_all["op_count"] > 0, f"{case}: {spread_of_all['in_log_count']}"
    for entry in spread_of_all["ops"]:
        check_entry(entry, rows[int(entry["id"]) - 2], zones, mhz, case)
        one = answer("core-spread", folder, f"--perf-id={entry['id']}")
        assert one["ops"] == [entry], f"{case}: asked alone: {one}"
        assert ("cores recorded zones" in entry.get("caveat", "")) == (case == "dropped cores"), f"{case}: {entry}"
    timings = answer("zone-timings", folder, "--limit=100")
    got = {(zone["zone"], zone["risc"]): zone for zone in timings["zones"]}
    assert set(got) == set(sums), f"{case}: {set(got) ^ set(sums)}"
    for group, (occurrences, cycles) in sums.items():
        zone = got[group]
        assert (zone["occurrences"], zone["total_cycles"], zone["cores"]) == (occurrences, cycles, len(cores[group])), \
            f"{case}: {zone}"
    assert ("unpaired" in timings) == (case == "open"), f"{case}: {timings.get('unpaired')}"
    assert "runs" not in timings and "unreadable_rows" not in timings, case


def check_unlisted(folder, words, reason):
    subprocess.run([sys.executable, GENERATOR, folder, "--ops", "3", "--cores", "2x2", "--ops-csv", *words], check=True,
                   stdout=subprocess.DEVNULL)
    report = answer("load-report", folder)
    assert "core_spread" in report["unanswerable"] and "zone_timings" in report["answerable"], report
    assert reason in report["unanswerable_why"]["core_spread"], report["unanswerable_why"]
    refusal = answer("core-spread", folder)
    assert isinstance(refusal, str) and reason in refusal, refusal


def check_real():
    """A slice of a log that a device wrote, cut off before its last zones end."""
    log = SHARED / "data" / "real" / "device-log" / "n300_llama_slice_profile_log_device.csv"
    with tempfile.TemporaryDirectory() as work:
        os.symlink(log, pathlib.Path(work, "profile_log_device.csv"))
        _, sums, cores = read_log(pathlib.Path(work))
        timings = answer("zone-timings", work, "--limit=100")
    with open(log, encoding="utf-8") as file:
        starts = sum(line.count(",ZONE_START,") - line.count(",ZONE_END,") for line in file)
    got = {(zone["zone"], zone["risc"]): (zone["occurrences"], zone["total_cycles"], zone["cores"])
           for zone in timings["zones"]}
    assert got == {group: (*sums[group], len(cores[group])) for group in sums} and got, f"real: {got}"
    assert timings["unpaired"] == {"starts": starts, "ends": 0, "dropped_starts": 0} and starts > 0, timings


def main():
    if not GENERATOR.is_file():
        print("no generator: TILESIGHT_SHARED names no folder with tools/make_device_log.py")
        return 77
    with tempfile.TemporaryDirectory() as work:
        for case, words in CASES.items():
            folder = pathlib.Path(work, case.replace(" ", "_"))
            subprocess.run([sys.executable, GENERATOR, folder, "--ops-csv", *words], check=True, stdout=subprocess.DEVNULL)
            check(case, folder)
        check_unlisted(pathlib.Path(work, "untyped"), ["--format", "untyped"], "zone starts from ends")
        check_unlisted(pathlib.Path(work, "no_clock"), ["--mhz", "0"], "CHIP_FREQ")
    check_real()
    return 0


if __name__ == "__main__":
    sys.exit(main())
