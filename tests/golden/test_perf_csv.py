#!/usr/bin/env python3
"""The row CSVs and stacked CSVs of recorded reports, made again and compared cell for cell.

Every run in data/perf/golden*/NAME/manifest.json below TILESIGHT_SHARED is repeated twice, from the compressed and from the
plain input. Advice is worded by us, so that column is compared by its codes, where the recording kept it. Lines of a stacked report that show the same device time may stand in any order.
"""
import csv
import gzip
import io
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIP = 77
SHOWN = 12  # differences printed per run


def read(path):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rb") as file:
        return file.read()


def cells(data):
    return list(csv.reader(io.StringIO(data.decode("utf-8"), newline="")))


def line_ends(data):
    return "CRLF" if b"\r\n" in data else "LF"


def without_advice(rows, recorded):
    """Rows with the Advice cells emptied where the recording has none at all: it was not kept then."""
    if not rows or "Advice" not in rows[0]:
        return rows
    recorded_at = recorded[0].index("Advice")
    if any(row[recorded_at] for row in recorded[1:]):
        return rows
    at = rows[0].index("Advice")
    return [rows[0]] + [row[:at] + [""] + row[at + 1:] for row in rows[1:]]


def has_device_ops(rows):
    """Without any the files are written all the same, but the exit status warns."""
    at = rows[0].index("Device")
    return any(row[at] for row in rows[1:])


def ties_sorted(rows):
    if not rows:
        return rows
    at = next(i for i, name in enumerate(rows[0]) if name.startswith("Device Time Sum"))
    out = [rows[0]]
    for _, group in itertools.groupby(rows[1:], key=lambda row: row[at]):
        out.extend(sorted(group))
    return out


def differences(recorded, ours):
    if len(recorded) != len(ours):
        yield f"{len(recorded)} lines recorded, {len(ours)} written"
    for number, (left, right) in enumerate(zip(recorded, ours), 1):
        if len(left) != len(right):
            yield f"line {number}: {len(left)} cells recorded, {len(right)} written"
            continue
        for at, (a, b) in enumerate(zip(left, right)):
            if a != b:
                yield f"line {number}, {recorded[0][at] if at < len(recorded[0]) else at}: {a!r} recorded, {b!r} written"


class Runs:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.passed = self.failed = self.cells = 0
        self.missing = []

    def fail(self, name, lines):
        self.failed += 1
        print(f"FAILED  {name}")
        for line in lines[:SHOWN]:
            print(f"        {line}")
        if len(lines) > SHOWN:
            print(f"        and {len(lines) - SHOWN} more")

    def run(self, name, source, entry, recorded_path):
        out = self.folder / "out.csv"
        stacked = self.folder / "out_stacked.csv"
        for path in (out, stacked):
            path.unlink(missing_ok=True)
        command = [self.program, "perf-report", str(source), *entry["options"], "--csv", str(out), "--advice-codes"]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        rows_asked = "--no-summary" in entry["options"]
        written = out if rows_asked else stacked
        if done.returncode not in (0, 1) or not written.exists():
            return self.fail(name, [f"exit status {done.returncode}", done.stderr.decode("utf-8", "replace").strip()])
        problems = []
        ours, recorded = read(written), read(recorded_path)
        if done.returncode == 1 and (not rows_asked or has_device_ops(cells(recorded))):
            problems.append("exit status 1: " + done.stderr.decode("utf-8", "replace").strip())
        # Some recordings of stacked reports went through a program that changed their line ends.
        if line_ends(ours) != ("CRLF" if rows_asked else "LF"):
            problems.append(f"line ends are {line_ends(ours)}")
        left, right = cells(recorded), cells(ours)
        if rows_asked:
            right = without_advice(right, left)
            if stacked.exists():
                problems.append("a stacked report was written although --no-summary was given")
        else:
            left, right = ties_sorted(left), ties_sorted(right)
        problems.extend(differences(left, right))
        if problems:
            return self.fail(name, problems)
        self.passed += 1
        self.cells += sum(map(len, left))

    def folder_of(self, manifest, sources):
        capture = manifest.parent.name
        source = next((path for path in sources if path.exists()), None)
        if source is None:
            self.missing.append(capture)
            return
        plain = self.folder / (capture + ".csv")
        plain.write_bytes(read(source))
        inputs = [plain] if source.suffix != ".gz" else [plain, source]
        for entry in json.loads(manifest.read_text()):
            if "file" not in entry:
                continue
            recorded = manifest.parent / entry["file"]
            for path in inputs:
                self.run(f"{manifest.parent.parent.name}/{capture}/{entry['file']} from {path.name}", path, entry, recorded)
        plain.unlink()


def main():
    program, shared = os.environ.get("TILESIGHT"), os.environ.get("TILESIGHT_SHARED")
    if not program or not shared or not (pathlib.Path(shared) / "data" / "perf").is_dir():
        print("skipped: TILESIGHT and TILESIGHT_SHARED (with data/perf) are needed")
        return SKIP
    data = pathlib.Path(shared) / "data"
    manifests = sorted(data.glob("perf/golden*/*/manifest.json"))
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(program, pathlib.Path(folder))
        for manifest in manifests:
            capture = manifest.parent.name
            folders = [manifest.parent.parent, data / "perf", data / "real" / "ops-csv"]
            runs.folder_of(manifest, [f / (capture + end) for f in folders for end in (".csv.gz", ".csv")])
    print(f"{runs.passed} runs alike ({runs.cells} cells), {runs.failed} different")
    for capture in runs.missing:
        print(f"not run: the input of {capture} is not there")
    if runs.passed + runs.failed == 0:
        print("skipped: nothing recorded was found")
        return SKIP
    return 1 if runs.failed else 0


if __name__ == "__main__":
    sys.exit(main())
