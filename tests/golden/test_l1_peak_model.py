#!/usr/bin/env python3
"""l1_peak of random databases, and of every capture there is, against a slow model written from the rules alone: plain lists, exact
fractions, no shortcuts.

What a random capture may hold is drawn at random: numbers as such or as text, sizes by bank or by core, buffers of every memory in every
spelling, circular buffers of any device, snapshots, last uses, graphs that cannot be read, rows in any order.
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
from fractions import Fraction

SHARED = pathlib.Path(os.environ.get("TILESIGHT_SHARED", "/nonexistent")).resolve()
PROGRAM = os.environ.get("TILESIGHT", "build/tilesight")
DATABASES = int(os.environ.get("TS_RANDOM_DATABASES", "200"))
SCHEMA = """
CREATE TABLE operations(operation_id int, name text, duration float);
CREATE TABLE captured_graph(operation_id int, captured_graph text);
CREATE TABLE buffers(operation_id int, device_id int, address int, max_size_per_bank int, buffer_type int);
CREATE TABLE tensors(tensor_id int, shape text, dtype text, layout text, memory_config text, device_id int, address int,
    buffer_type int);
CREATE TABLE input_tensors(operation_id int, input_index int, tensor_id int);
CREATE TABLE output_tensors(operation_id int, output_index int, tensor_id int);
CREATE TABLE devices(device_id int, worker_l1_size int, l1_bank_size int, address_at_first_l1_cb_buffer int, l1_num_banks int);
"""
KINDS = ("circular_buffers", "intermediate_tensors", "persistent_tensors", "stale_tensors")
RESIDENTS = dict(zip(KINDS, ("circular-buffer", "intermediate-tensor", "persistent-tensor", "stale-tensor")))


# ---- the model ----

def number(value):
    """Of a param: a whole number, as such or as text."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, str) and value.lstrip("-").isdigit() else None


def is_l1(value):
    return value in ("L1", "L1_SMALL", "BufferType::L1", "BufferType::L1_SMALL") or number(value) in (1, 3)


def lies_in_l1(params):
    for key in ("type", "exact_buffer_type", "buffer_type"):
        if params.get(key) is not None:
            return is_l1(params[key])
    return False


def nodes_of(text):
    """None: it cannot be read."""
    try:
        nodes = json.loads(text) if text else []
    except ValueError:
        return None
    if not isinstance(nodes, list):
        return None
    return [(node.get("node_type"), node["params"]) for node in nodes
            if isinstance(node, dict) and isinstance(node.get("params"), dict)]


def last_uses(rows):
    """address -> the operation that last used what lies there, and how many addresses several tensors share."""
    names = {}
    for operation, name in rows["operations"]:
        names.setdefault(operation, name)
    tensors = {}
    for tensor, address, kind in rows["tensors"]:
        tensors.setdefault(tensor, (address, kind))
    by_address = {}
    for tensor, (address, kind) in tensors.items():
        users = [operation for operation, used in rows["inputs"] if used == tensor and
                 (names.get(operation) or "").lower() not in ("ttnn.deallocate", "ttnn::deallocate")]
        if address is not None and is_l1(kind) and users:
            by_address.setdefault(address, []).append(max(users))
    return ({address: uses[0] for address, uses in by_address.items() if len(uses) == 1},
            sum(len(uses) > 1 for uses in by_address.values()))


def intermediates(nodes):
    """Positions of allocations that the graph itself frees."""
    live, found = {}, set()
    for position, (kind, params) in enumerate(nodes):
        address = number(params.get("address"))
        if address is None or not lies_in_l1(params):
            continue
        if kind == "buffer_allocate":
            live[address] = position
        elif kind == "buffer_deallocate" and address in live:
            found.add(live.pop(address))
    return found


def measure(circular, tensors, uses, operation):
    residents = [("circular_buffers", address, size, None) for address, size in circular.items()]
    for address, (size, intermediate) in tensors.items():
        last = uses.get(address)
        if intermediate:
            residents.append(("intermediate_tensors", address, size, None))
        else:
            stale = last is not None and last < operation
            residents.append(("stale_tensors" if stale else "persistent_tensors", address, size, last))
    parts = {kind: sum((size for what, _, size, _ in residents if what == kind), Fraction(0)) for kind in KINDS}
    largest = min(residents, key=lambda resident: (-resident[2], resident[1]), default=None)
    return {"total": sum(parts.values()), "parts": parts, "several": len(residents) > 1, "largest": largest,
            "stale": sorted((-size, address, last) for what, address, size, last in residents if what == "stale_tensors")}


def bank_bytes(params, banks):
    per_bank = number(params.get("max_size_per_bank"))
    if per_bank is not None:
        return Fraction(per_bank)
    return Fraction(number(params.get("size")) or 0, number(params.get("num_cores")) or banks)


def replay(rows):
    uses, shared = last_uses(rows)
    devices = {}
    for device, capacity, banks in rows["devices"]:
        devices[device] = (capacity, banks)
    capacity, banks = next(iter(devices.values()), (0, 0))
    graphs, snapshots = {}, {}
    for operation, text in rows["graphs"]:
        graphs[operation] = text
    for operation, address, size, kind in rows["buffers"]:
        if address is not None and is_l1(kind):
            snapshots.setdefault(operation, {})[address] = Fraction(size or 0)
    tensors, best_of, moments, reconciled, unreadable = {}, {}, [], 0, 0
    for operation in sorted({operation for operation, _ in rows["operations"]}):
        circular = {}

        def look():
            now = measure(circular, tensors, uses, operation)
            moments.append((operation, now))
            if operation not in best_of or now["total"] > best_of[operation]["total"]:
                best_of[operation] = now
        look()
        nodes = nodes_of(graphs.get(operation))
        unreadable += nodes is None
        freed = intermediates(nodes or [])
        for position, (kind, params) in enumerate(nodes or []):
            address = number(params.get("address"))
            if kind == "circular_buffer_deallocate_all":
                circular.clear()
            elif kind == "circular_buffer_allocate" and address is not None:
                if params.get("globally_allocated") not in (1, "1", True):
                    circular[address] = Fraction(number(params.get("size")) or 0)
            elif kind == "buffer_allocate" and address is not None and lies_in_l1(params):
                tensors[address] = (bank_bytes(params, banks or 64), position in freed)
            elif kind == "buffer_deallocate" and address is not None and lies_in_l1(params):
                tensors.pop(address, None)
            look()
        if operation in snapshots:
            gone = [address for address in tensors if address not in snapshots[operation]]
            reconciled += len(gone)
            for address in gone:
                del tensors[address]
            for address, size in snapshots[operation].items():
                tensors[address] = (size, False)
        look()
    return {"best_of": best_of, "moments": moments, "reconciled": reconciled, "shared": shared, "capacity": capacity,
            "unreadable": unreadable}


def shown(value):
    return int(value) if value == int(value) else float(value)


def figures(moment):
    kind, address, size, last = moment["largest"]
    return {"composition": {kind: shown(size) for kind, size in moment["parts"].items()},
            "precision": "upper-bound" if moment["several"] else "exact",
            "largest_resident": {"kind": RESIDENTS[kind], "address": address, "size": shown(size),
                                 "last_used_by_operation_id": last}}


def expected(rows):
    names = {}
    for operation, name in rows["operations"]:
        names.setdefault(operation, name)
    model = replay(rows)
    groups = {}
    for operation, moment in model["best_of"].items():
        if moment["total"] > 0:
            groups.setdefault((moment["total"], *moment["parts"].values()), []).append(operation)
    order = sorted(groups.values(), key=lambda alike: (-model["best_of"][alike[0]]["total"], alike[0]))
    answer = {"composition_count": len(order), "operation_count": len(model["best_of"]), "l1_size": model["capacity"] or None,
              "reconciled_away_count": model["reconciled"], "unattributable_stale_addresses": model["shared"]}
    peak = max((moment["total"] for moment in model["best_of"].values()), default=Fraction(0))
    answer["withheld"] = bool(model["capacity"]) and peak > model["capacity"]
    if answer["withheld"] or not order:
        answer.update(peak=None if answer["withheld"] else 0, operation_id=None, composition=None, top_operations=[], freeing=None)
        return answer, model
    at = order[0][0]
    answer.update(peak=shown(peak), operation_id=at, name=names[at], **figures(model["best_of"][at]))
    answer["top_operations"] = [
        {"operation_id": alike[0], "name": names[alike[0]], "peak": shown(model["best_of"][alike[0]]["total"]),
         **figures(model["best_of"][alike[0]]), "also_at": alike[1:21], "also_at_count": len(alike) - 1} for alike in order]
    kept = [(operation, moment["total"] - moment["parts"]["stale_tensors"]) for operation, moment in model["moments"]]
    most = max(total for _, total in kept)
    answer["freeing"] = {"peak": shown(most), "operation_id": next(at for at, total in kept if total == most) if most else None,
                         "resident_count": len(model["best_of"][at]["stale"]),
                         "residents": [{"address": address, "size": shown(-size), "free_after_operation_id": last}
                                       for size, address, last in model["best_of"][at]["stale"]]}
    return answer, model


# ---- what captures may hold ----

class Draw:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.addresses = [1000 * (index + 1) for index in range(self.random.randint(2, 9))]
        self.strings = self.random.random() < 0.4

    def whole(self, value):
        return str(value) if self.strings or self.random.random() < 0.1 else value

    def chance(self, share):
        return self.random.random() < share

    def place(self):
        """Params that say which memory a buffer lies in."""
        wrong = self.random.choice(("DRAM", 0, "0", "TRACE", "BufferType::DRAM", 2))
        right = self.random.choice(("L1", "L1", "L1_SMALL", "BufferType::L1", 1, "3", 3, "1"))
        first = right if self.chance(0.85) else wrong
        keys = self.random.choice((("type",), ("type", "buffer_type"), ("exact_buffer_type",), ("buffer_type",),
                                   ("exact_buffer_type", "buffer_type"), ("type", "exact_buffer_type", "buffer_type"), ()))
        params = {key: self.random.choice((right, wrong)) for key in keys}
        if keys:
            params[keys[0]] = first
        if self.chance(0.1):
            params.setdefault("type", None)
        return params

    def device(self):
        return {} if self.chance(0.3) else {"device_id": self.random.choice((0, 1, 4, "0", "n300", None))}

    def node(self):
        kind = self.random.choices(("buffer_allocate", "buffer_deallocate", "circular_buffer_allocate",
                                    "circular_buffer_deallocate_all", "tensor", "program_execution", "function_start"), (18, 10, 12, 4, 2, 2, 1))[0]
        address = self.random.choice(self.addresses)
        params = {**self.device(), "address": self.whole(address), "name": None if self.chance(0.1) else "Add"}
        if self.chance(0.05):
            params["address"] = self.random.choice((None, "0x10", 1.5))
        if kind.startswith("buffer"):
            params.update(self.place())
            if self.chance(0.9):
                params["size"] = self.whole(self.random.choice((0, 7, 96, 640, 4096)))
            if self.chance(0.6):
                params["num_cores"] = self.whole(self.random.choice((0, 1, 3, 7, 64)))
            if self.chance(0.5):
                params["max_size_per_bank"] = self.random.choice((None, self.whole(self.random.randint(0, 40) * 8)))
        elif kind == "circular_buffer_allocate":
            params.update(address=self.whole(address // 10 + self.random.randint(0, 2)), core_range_set="{[0-0 - 1-1]}")
            if self.chance(0.95):
                params["size"] = self.whole(self.random.randint(0, 40) * 8)
            if self.chance(0.6):
                params["globally_allocated"] = self.random.choice(("0", "0", 0, False, "1", 1, True, "yes"))
        if self.chance(0.03):
            params = None
        return {"counter": 0, "params": params, "connections": [1], "node_type": kind}

    def graph(self):
        nodes = [self.node() for _ in range(self.random.randint(0, 14))]
        if self.chance(0.3):
            nodes = [copy for node in nodes for copy in [node] * (2 if node["node_type"].startswith("circular_buffer_al") else 1)]
        if self.chance(0.1):
            nodes.append(self.random.choice((7, None, "text", [], {})))
        text = json.dumps(nodes)
        return self.random.choice((text[:-1], '{"a": 1}', "")) if self.chance(0.05) else text

    def rows(self):
        pick = self.random.choice
        ids = sorted(self.random.sample(range(40), self.random.randint(1, 12)))
        names = ("ttnn.add", "ttnn.matmul", "ttnn.deallocate", "TTNN::Deallocate", "ttnn.deallocate_all", None)
        rows = {"operations": [(operation, pick(names)) for operation in ids], "graphs": [], "buffers": [], "tensors": [],
                "inputs": [], "devices": []}
        for operation in ids:
            for _ in range(self.random.choices((0, 1, 2), (2, 12, 1))[0]):
                rows["graphs"].append((operation, self.graph()))
            for _ in range(pick((0, 0, 1, 3, 6))):
                rows["buffers"].append((operation, pick(self.addresses + [None]), pick((0, 8, 64, 200, None)),
                                        pick((0, 1, 1, 1, 3, "L1", "DRAM", "L1_SMALL", 2))))
        for tensor in range(self.random.randint(0, 12)):
            rows["tensors"].append((pick((tensor, tensor, tensor, 3)), pick(self.addresses + [None]), pick((1, 1, 1, 3, 0, "L1"))))
            for _ in range(pick((0, 1, 1, 2))):
                rows["inputs"].append((pick(ids + [99, 0]), tensor))
        for device in self.random.sample((0, 1, 4), pick((0, 1, 1, 2))):
            rows["devices"] += [(device, pick((0, 300, 20000, 20000, 20000)), pick((0, 5, 64, None)))] * pick((1, 1, 2))
        if self.chance(0.3):
            for table in ("operations", "graphs", "buffers"):
                self.random.shuffle(rows[table])
        if self.chance(0.2):
            rows["operations"].append((ids[0], "ttnn.deallocate"))
        return rows


def write(path, rows):
    database = sqlite3.connect(path)
    database.executescript("PRAGMA synchronous = OFF;" + SCHEMA)
    database.executemany("INSERT INTO operations VALUES(?,?,1)", rows["operations"])
    database.executemany("INSERT INTO captured_graph VALUES(?,?)", rows["graphs"])
    database.executemany("INSERT INTO buffers VALUES(?,0,?,?,?)", rows["buffers"])
    database.executemany("INSERT INTO tensors VALUES(?,'','','',NULL,0,?,?)", rows["tensors"])
    database.executemany("INSERT INTO input_tensors VALUES(?,0,?)", rows["inputs"])
    database.executemany("INSERT INTO output_tensors VALUES(?,0,?)", [(operation, 1) for operation, _ in rows["operations"]])
    database.executemany("INSERT INTO devices VALUES(?,?,1000,1000,?)", rows["devices"])
    database.commit()
    database.close()


def read(path):
    """The rows of a capture at rank 0; None: it lacks what l1_peak cannot do without."""
    database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)

    def select(table, *columns):
        have = [column[1] for column in database.execute(f"PRAGMA table_info({table})")]
        shown = ", ".join(column if column in have else "NULL" for column in columns)
        where = " WHERE rank = 0" if "rank" in have else ""
        return database.execute(f"SELECT {shown} FROM {table}{where}").fetchall() if have else []
    try:
        if database.execute("SELECT count(*) FROM sqlite_master WHERE name IN ('operations', 'buffers', 'captured_graph') "
                            "AND type = 'table'").fetchone()[0] < 3:
            return None
        return {"operations": select("operations", "operation_id", "name"),
                "graphs": select("captured_graph", "operation_id", "captured_graph"),
                "buffers": select("buffers", "operation_id", "address", "max_size_per_bank", "buffer_type"),
                "tensors": select("tensors", "tensor_id", "address", "buffer_type"),
                "inputs": select("input_tensors", "operation_id", "tensor_id"),
                "devices": select("devices", "device_id", "worker_l1_size", "l1_num_banks")}
    finally:
        database.close()


class Model(unittest.TestCase):
    def hold(self, want, got, where):
        if isinstance(want, dict):
            for key, value in want.items():
                self.assertIn(key, got, where)
                self.hold(value, got[key], f"{where}.{key}")
        elif isinstance(want, list):
            self.assertEqual(len(want), len(got), where)
            for index, (left, right) in enumerate(zip(want, got)):
                self.hold(left, right, f"{where}[{index}]")
        elif isinstance(want, float):
            self.assertAlmostEqual(want, got, places=9, msg=where)
        else:
            self.assertEqual(want, got, where)

    def test_captures(self):
        """What is stale at their peaks, and what freeing it would give, among the rest."""
        if not SHARED.is_dir():
            self.skipTest("no captures")
        checked = 0
        for folder in sorted((SHARED / "data" / "db").glob("*/prof")) + sorted((SHARED / "data" / "real" / "memory-db").glob("*/")):
            if not (folder / "db.sqlite").is_file() or (rows := read(folder / "db.sqlite")) is None:
                continue
            done = subprocess.run([PROGRAM, "l1-peak", "--json", "--limit", "100", "--profiler-path", folder],
                                  capture_output=True, text=True, check=False, timeout=60)
            if "which are of rank 0 cannot be told" in done.stderr:
                continue
            self.assertEqual(done.returncode, 0, done.stderr)
            want, _ = expected(rows)
            want["top_operations"] = want["top_operations"][:100]
            if want["freeing"]:
                want["freeing"]["residents"] = want["freeing"]["residents"][:100]
            self.hold(want, json.loads(done.stdout), str(folder))
            checked += 1
        self.assertGreater(checked, 10)

    def test_random_captures(self):
        seen = {"withheld": 0, "stale": 0, "fractions": 0, "unreadable": 0, "reconciled": 0, "shared": 0, "alike": 0, "nothing": 0,
                "less": 0}
        with tempfile.TemporaryDirectory(prefix="tilesight-random-") as folder:
            for seed in range(DATABASES):
                rows = Draw(seed).rows()
                path = pathlib.Path(folder, f"{seed}.sqlite")
                write(path, rows)
                done = subprocess.run([PROGRAM, "l1-peak", "--json", "--limit", "100", "--profiler-path", path],
                                      capture_output=True, text=True, check=False, timeout=60)
                self.assertEqual(done.returncode, 0, f"seed {seed}: {done.stderr}")
                got = json.loads(done.stdout)
                want, model = expected(rows)
                self.hold(want, got, f"seed {seed}")
                self.assertEqual("captured graphs cannot be read" in got.get("caveat", ""), model["unreadable"] > 0, f"seed {seed}")
                path.unlink()
                seen["withheld"] += want["withheld"]
                seen["nothing"] += want["peak"] == 0
                seen["unreadable"] += model["unreadable"] > 0
                seen["reconciled"] += model["reconciled"] > 0
                seen["shared"] += model["shared"] > 0
                seen["fractions"] += isinstance(want["peak"], float)
                seen["stale"] += bool(want["composition"]) and want["composition"]["stale_tensors"] > 0
                seen["alike"] += any(row["also_at"] for row in want["top_operations"])
                seen["less"] += bool(want["freeing"]) and want["freeing"]["peak"] < want["peak"]
        # Enough of everything was drawn.
        self.assertGreaterEqual(min(seen.values()), 1 if DATABASES >= 100 else 0, seen)
        if DATABASES >= 100:
            self.assertGreater(sum(seen.values()), DATABASES, seen)


if __name__ == "__main__":
    if not os.path.exists(PROGRAM):
        sys.exit(77)
    unittest.main(verbosity=1)
