#!/usr/bin/env python3
"""in_the_way of failures put into captures: what a plain reading of their tables names must be what errors names.

No recorded run failed for fragmentation or a clash, so copies of captures get such a failure at one operation after the other, and
lose some of their buffers, which leaves gaps.
"""
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import unittest

SHARED = pathlib.Path(os.environ.get("TILESIGHT_SHARED", "/nonexistent")).resolve()
PROGRAM = os.environ.get("TILESIGHT", "build/tilesight")
OPERATIONS = 6  # half of them with each failure
LISTED = 10
PER_BANK, LARGEST = 5000, 3000
FRAGMENTED = (f"Out of Memory: Not enough space to allocate 40000 B L1 buffer across 8 banks, where each bank needs to store {PER_BANK} "
              f"B, but bank size is 1370848 B (allocated: 1 B, free: 9000 B, largest free block: {LARGEST} B)")
CLASH = ("Statically allocated circular buffers in program 7 clash with L1 buffers on core range [(x=0,y=0) - (x=7,y=7)]. L1 buffer "
         "allocated at {at} and static circular buffer region ends at {end}")


def captures():
    for folder in sorted((SHARED / "data" / "db").glob("*/prof")) + sorted((SHARED / "data" / "real" / "memory-db").glob("*/")):
        if (folder / "db.sqlite").is_file():
            yield folder


class Report:
    """The tables of rank 0, as lists of dicts."""

    def __init__(self, database):
        self.database = database
        database.row_factory = sqlite3.Row
        self.tables = {row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        self.ranked = {table for table in self.tables
                       if any(column[1] == "rank" for column in database.execute(f"PRAGMA table_info({table})"))}

    def rows(self, table):
        if table not in self.tables:
            return []
        where = " WHERE rank = 0" if table in self.ranked else ""
        return [dict(row) for row in self.database.execute(f"SELECT * FROM {table}{where}")]

    def is_usable(self):
        """Whether this model reads it: one rank, or ranks in every table."""
        needed = {"operations", "buffers", "tensors", "output_tensors", "devices"}
        return needed <= self.tables and (not self.ranked or needed <= self.ranked)

    def fail(self, failures):
        """Each of the operations with its message."""
        self.database.execute("DROP TABLE IF EXISTS errors")
        self.database.execute("CREATE TABLE errors(operation_id int, operation_name text, error_type text, error_message text, "
                              "timestamp text, rank int DEFAULT 0)")
        self.database.executemany("INSERT INTO errors VALUES(?,?,'RuntimeError',?,'',0)",
                                  [(operation["operation_id"], operation["name"], message) for operation, message, *_ in failures])
        self.database.commit()

    def thin(self, draw):
        """Some of the addresses of each operation go: gaps."""
        for address in {row["address"] for row in self.rows("buffers") if row["buffer_type"] in (1, "L1")}:
            if draw.random() < 0.3:
                self.database.execute("DELETE FROM buffers WHERE address = ?", (address,))
        self.database.commit()


def is_l1(value):
    return value in (1, "1", "L1", "BufferType::L1")


def pieces(rows):
    """Buffers that touch or overlap, together: (start, end, rows)."""
    found = []
    for row in sorted(rows, key=lambda row: (row["address"], -row["max_size_per_bank"])):
        end = row["address"] + row["max_size_per_bank"]
        if found and row["address"] <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end), found[-1][2] + [row])
        else:
            found.append((row["address"], end, [row]))
    return found


def windows(report):
    found = {}
    for row in report.rows("devices"):
        start = row.get("address_at_first_l1_cb_buffer") or 0
        end = start + (row.get("l1_bank_size") or 0)
        if row.get("worker_l1_size"):
            end = min(end, row["worker_l1_size"])
        found[row["device_id"]] = (start, end)
    return found


def in_the_way(rows, window, region_end):
    """Of one device."""
    if region_end is not None:
        return [row for row in sorted(rows, key=lambda row: (row["address"], -row["max_size_per_bank"]))
                if row["address"] < region_end and row["address"] + row["max_size_per_bank"] > (window or (0, 0))[0]]
    found, free_from = [], window[0]
    for start, end, members in pieces(rows):
        if start >= window[1]:
            break
        if start > free_from and end < window[1]:
            found += members
        free_from = max(free_from, end)
    return found


def maker(report, row, behind):
    names = {}
    for operation in report.rows("operations"):
        names.setdefault(operation["operation_id"], operation["name"])
    there = {tensor["tensor_id"] for tensor in report.rows("tensors") if tensor["address"] == row["address"] and
             tensor["device_id"] == row["device_id"] and is_l1(tensor.get("buffer_type"))}
    made = [(output["operation_id"], output["tensor_id"]) for output in report.rows("output_tensors")
            if output["tensor_id"] in there and output["operation_id"] <= behind]
    operation, tensor = max(made, default=(None, None))
    return {"tensor_id": tensor, "made_by": operation, "made_by_name": names.get(operation)}


def expected(report, failed, region_end, misses):
    buffers = report.rows("buffers")
    earlier = [row["operation_id"] for row in buffers if row["operation_id"] < failed]
    unknown = {"misses_by_bytes": misses, "device_id": None, "resident_count": None, "returned": 0, "residents": []}
    if not earlier:
        return {**unknown, "seen_behind_operation": None}
    behind = max(earlier)
    geometry = windows(report)
    by_device = {}
    for row in buffers:
        if row["operation_id"] == behind and is_l1(row["buffer_type"]) and row["address"] is not None and row["max_size_per_bank"]:
            place = by_device.setdefault(row["device_id"], {})
            if row["address"] not in place or row["max_size_per_bank"] > place[row["address"]]["max_size_per_bank"]:
                place[row["address"]] = row
    skipped = False
    for device, rows in ((device, list(place.values())) for device, place in sorted(by_device.items())):
        window = geometry.get(device)
        if region_end is None and (not window or window[1] <= window[0]):
            skipped = True
            continue
        found = in_the_way(rows, window, region_end)
        if found:
            residents = [{"address": row["address"], "size": row["max_size_per_bank"], **maker(report, row, behind)}
                         for row in found[:LISTED]]
            return {"misses_by_bytes": misses, "seen_behind_operation": behind, "device_id": device,
                    "resident_count": len(found), "returned": len(residents), "residents": residents}
    return {**unknown, "seen_behind_operation": behind, "resident_count": None if skipped else 0}


class InTheWay(unittest.TestCase):
    def hold(self, report, path, failures):
        """How many residents were found, by kind of failure."""
        report.fail(failures)
        done = subprocess.run([PROGRAM, "errors", "--json", "--profiler-path", path], capture_output=True, text=True, check=False,
                              timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = {False: 0, True: 0}
        errors = json.loads(done.stdout)["errors"]
        self.assertEqual(len(errors), len(failures))
        for error, (operation, _, region_end, misses) in zip(errors, failures):
            self.assertTrue(error["attached"], operation)
            got = error["in_the_way"]
            want = expected(report, operation["operation_id"], region_end, misses)
            self.assertEqual("unknown_because" in got, want["resident_count"] is None, got)
            got.pop("unknown_because", None)
            self.assertEqual(got, want, (path, operation["operation_id"]))
            found[region_end is None] += got["resident_count"] or 0
        return found

    def test_captures(self):
        split = reached = asked = 0
        draw = random.Random(8)
        for folder in captures():
            with tempfile.TemporaryDirectory(prefix="tilesight-way-") as work:
                path = pathlib.Path(work, "db.sqlite")
                path.write_bytes((folder / "db.sqlite").read_bytes())
                report = Report(sqlite3.connect(path))
                if not report.is_usable():
                    report.database.close()
                    continue
                operations = [row for row in report.rows("operations") if row["name"]]
                for gaps in (False, True):
                    if gaps:
                        report.thin(draw)
                    starts = sorted(row["address"] for row in report.rows("buffers") if is_l1(row["buffer_type"]) and row["address"])
                    failures = []
                    for operation in draw.sample(operations, min(OPERATIONS, len(operations))):
                        at = draw.choice(starts) if starts else 1000
                        end = at + draw.randint(1, 300000)
                        failures.append((operation, FRAGMENTED, None, PER_BANK - LARGEST) if len(failures) % 2 == 0 else
                                        (operation, CLASH.format(at=at, end=end), end, end - at))
                    found = self.hold(report, path, failures)
                    split += found[True]
                    reached += found[False]
                    asked += len(failures)
                report.database.close()
        self.assertGreater(asked, 100)
        self.assertGreater(split, 50)
        self.assertGreater(reached, 50)


if __name__ == "__main__":
    if not (SHARED / "data" / "db").is_dir():
        print("no captures: TILESIGHT_SHARED names no folder with them")
        sys.exit(77)
    unittest.main(verbosity=1)
