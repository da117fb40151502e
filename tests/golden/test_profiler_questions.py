"""Questions about profiler databases that the tests make themselves: one rule after the other, on the command line and over
MCP, and that nothing beside a database is ever made or changed."""
import contextlib
import hashlib
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.environ.get("TILESIGHT", "build/tilesight")
TIMEOUT = 120
TABLES = {
    "operations": "operation_id int, name text, duration float",
    "operation_arguments": "operation_id int, name text, value text",
    "tensors": "tensor_id int, shape text, dtype text, layout text, memory_config text, device_id int, address int, "
               "buffer_type int",
    "input_tensors": "operation_id int, input_index int, tensor_id int",
    "output_tensors": "operation_id int, output_index int, tensor_id int",
    "buffers": "operation_id int, device_id int, address int, max_size_per_bank int, buffer_type int",
    "devices": "device_id int, worker_l1_size int, l1_num_banks int, l1_bank_size int, address_at_first_l1_cb_buffer int, "
               "num_compute_cores int, total_l1_for_tensors int",
    "captured_graph": "operation_id int, captured_graph text",
    "stack_traces": "operation_id int, stack_trace text",
}
INTERLEAVED = "MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,buffer_type=BufferType::L1,shard_spec=std::nullopt)"
ROWS = {
    "operations": [(3, "ttnn.third", 0.5), (1, "ttnn.First", None), (2, None, 0.25), (10, "\u00c9t\u00e9", 1)],
    "operation_arguments": [(1, "0", "x" * 500), (1, "1", "\u00fc" * 501), (1, "n", None), (1, None, 7)],
    "tensors": [(1, "Shape([1])", "BF16", "TILE", INTERLEAVED, 0, 1000, 1), (2, None, None, None, None, None, None, 0),
                (3, "a", "b", "c", "MemoryConfig(buffer_type=BufferType::L1_SMALL)", 0, None, 0)],
    "input_tensors": [(10, 0, 1), (1, 0, 1), (1, 1, 2), (3, 0, 2), (3, 1, 99)],
    "output_tensors": [(3, 0, 1), (3, 0, 1), (55, 0, 1), (1, 0, 3)],
    "buffers": [(1, 0, 1000, 4096, 1), (1, 0, 1000, 2048, 1), (1, 1, 1000, 2048, 1), (2, 0, 5, 100, "DRAM"),
                (3, 0, 1000, 64, 1), (99, 0, 9, 8192, 1), (2, 0, 5, 7, 9), (2, 0, 5, None, None)],
    "devices": [(0, 1, 1, 1, 1, 1, 1), (4, 9, 9, 9, 9, 9, 9), (0, 1499136, 64, 1370848, 103712, 64, 0)],
    "stack_traces": [(1, '  File "m/a.py", line 10, in call\n    x = ttnn.op(x)\n  File "m/B.py", line 20, in outer'),
                     (1, "second row: passed over"), (2, None), (3, " --- native frame"), (10, " \n")],
}


def write(folder, rows=None, tables=None, add="", name="db.sqlite"):
    """A database of these rows; add: column definitions behind those of each table."""
    path = pathlib.Path(folder, name)
    database = sqlite3.connect(path)
    for table, columns in TABLES.items():
        if tables is not None and table not in tables:
            continue
        extra = add.get(table, "") if isinstance(add, dict) else add
        database.execute(f"CREATE TABLE {table} ({columns}{extra})")
        for row in (ROWS if rows is None else rows).get(table, []):
            database.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row)
    database.commit()
    database.close()
    return path


def run(question, path, *options):
    environment = dict(os.environ, TTNN_VISUALIZER_URL="http://viewer.example")
    return subprocess.run([PROGRAM, question, "--json", "--profiler-path", path, *options], capture_output=True, text=True,
                          check=False, timeout=TIMEOUT, env=environment)


def state_of(folder):
    """What lies in a folder: names, sizes, contents, times."""
    result = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        info = path.lstat()
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        result[str(path)] = (info.st_mode, info.st_size, info.st_mtime_ns, info.st_ctime_ns, content)
    return result


class Case(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="tilesight-profiler-")
        self.addCleanup(self.scratch.cleanup)
        self.folder = pathlib.Path(self.scratch.name)

    def ask(self, question, *options, folder=None):
        done = run(question, folder or self.folder, *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def refuse(self, question, *options, folder=None, says=(), status=1):
        done = run(question, folder or self.folder, *options)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        for part in says:
            self.assertIn(part, done.stderr)
        return done.stderr


class FindOperations(Case):
    def ids(self, *options):
        return [row["operation_id"] for row in self.ask("find-operations", *options)["operations"]]

    def test_all_in_table_order(self):
        write(self.folder)
        answer = self.ask("find-operations")
        self.assertEqual(answer["operations"], [
            {"operation_id": 3, "name": "ttnn.third", "duration": 0.5}, {"operation_id": 1, "name": "ttnn.First", "duration": None},
            {"operation_id": 2, "name": None, "duration": 0.25}, {"operation_id": 10, "name": "\u00c9t\u00e9", "duration": 1}])
        self.assertEqual((answer["match_count"], answer["returned"], answer["multi_host"], answer["rank"]), (4, 4, False, None))
        self.assertEqual((answer["name_contains"], answer["called_from"], answer["duration_unit"]), (None, None, "host_seconds"))
        self.assertNotIn("caveat", answer)
        self.assertTrue(answer["app_link_template"].startswith("http://viewer.example/operations/{operation_id}?profiler_path="))

    def test_names(self):
        write(self.folder)
        self.assertEqual(self.ids("--name-contains", " FIRST "), [1])
        self.assertEqual(self.ids("--name-contains", "\u00e9T\u00c9"), [10])
        self.assertEqual(self.ids("--name-contains", "t"), [3, 1, 10])
        self.assertEqual(self.ids("--name-contains", "%"), [])
        self.assertEqual(self.ids("--name-contains", " "), [3, 1, 2, 10])
        answer = self.ask("find-operations", "--name-contains", "T", "--limit", "1")
        self.assertEqual((answer["match_count"], answer["returned"], answer["name_contains"]), (3, 1, "T"))

    def test_callers(self):
        write(self.folder)
        self.assertEqual(self.ids("--called-from", "b.PY"), [1])
        self.assertEqual(self.ids("--called-from", "ttnn.op("), [1])
        self.assertEqual(self.ids("--called-from", "native"), [3])
        self.assertEqual(self.ids("--called-from", "second row"), [1])
        self.assertEqual(self.ids("--called-from", "m_a"), [])
        self.assertEqual(self.ids("--called-from", "e", "--name-contains", "third"), [3])
        self.refuse("find-operations", "--called-from", "  ", says=["--called-from"], status=2)

    def test_no_traces_are_no_evidence(self):
        write(self.folder, dict(ROWS, stack_traces=[(1, None)]))
        self.assertIn("no evidence", self.ask("find-operations", "--called-from", "x")["caveat"])
        self.assertNotIn("caveat", self.ask("find-operations", "--name-contains", "x"))

    def test_ids_that_are_none(self):
        write(self.folder, {"operations": [("x", "a", 1), (None, "b", 1), ("2", "c", 1), (3.0, "d", 1), (1.5, "e", 1)]})
        answer = self.ask("find-operations")
        self.assertEqual([row["operation_id"] for row in answer["operations"]], [2, 3])
        self.assertIn("3 rows of operations", answer["caveat"])

    def test_missing_columns(self):
        database = sqlite3.connect(self.folder / "db.sqlite")
        database.executescript("CREATE TABLE operations (operation_id int); INSERT INTO operations VALUES (1)")
        database.close()
        self.assertEqual(self.ask("find-operations")["operations"], [{"operation_id": 1, "name": None, "duration": None}])

    def test_of_rows_with_one_id_the_first_counts(self):
        write(self.folder, {"operations": [(1, "first", 1), (2, "b", 1), (1, "second", 1), (2.0, "third", 1)],
                            "operation_arguments": [(1, "a", "b")]})
        answer = self.ask("find-operations")
        self.assertEqual([(row["operation_id"], row["name"]) for row in answer["operations"]], [(1, "first"), (2, "b")])
        self.assertIn("2 rows that repeat", answer["caveat"])
        self.assertEqual(self.ids("--name-contains", "second"), [])
        self.assertEqual(self.ask("operation-provenance", "--operation-id", "1")["name"], "first")


class MemoryProfile(Case):
    def test_sums_and_ranking(self):
        write(self.folder)
        answer = self.ask("memory-profile", "--limit", "2")
        self.assertEqual(answer["buffer_types_present"], ["9", "DRAM", "L1", "UNKNOWN"])
        self.assertEqual(answer["memory_by_buffer_type"]["L1"], {
            "peak": 8192, "operations_at_peak": 2, "operation_count": 3, "returned": 2,
            "operations": [{"operation_id": 1, "name": "ttnn.First", "size": 8192}, {"operation_id": 99, "name": None, "size": 8192}]})
        self.assertEqual(answer["memory_by_buffer_type"]["DRAM"]["operations"], [{"operation_id": 2, "name": None, "size": 100}])
        self.assertEqual(answer["memory_by_buffer_type"]["UNKNOWN"],
                         {"peak": None, "operations_at_peak": None, "operation_count": 1, "returned": 1,
                          "operations": [{"operation_id": 2, "name": None, "size": None}]})
        self.assertIn("Not in the sizes: 1 buffers whose size is not recorded", answer["caveat"])
        self.assertEqual(answer["device"], {
            "devices": 2, "geometry_from_device": 0, "l1_bank_size": 1370848, "l1_num_banks": 64, "worker_l1_size": 1499136,
            "num_compute_cores": 64, "total_l1_for_tensors": 0, "dram_capacity": None})
        self.assertIn("devices 0, 1.", answer["caveat"])

    def test_one_type(self):
        write(self.folder)
        answer = self.ask("memory-profile", "--buffer-type", "DRAM")
        self.assertEqual(list(answer["memory_by_buffer_type"]), ["DRAM"])
        self.assertEqual(answer["buffer_types_present"], ["9", "DRAM", "L1", "UNKNOWN"])
        self.assertNotIn("l1_pressure", answer)
        self.assertNotIn("caveat", answer)
        self.assertIn("l1_pressure", self.ask("memory-profile", "--buffer-type", "L1"))
        self.refuse("memory-profile", "--buffer-type", "TRACE", says=["TRACE", "9, DRAM, L1"])
        self.refuse("memory-profile", "--buffer-type", "l1", says=["--buffer-type", "L1_SMALL"], status=2)
        write(self.folder, {}, name="empty.sqlite")
        answer = self.ask("memory-profile", "--buffer-type", "TRACE", folder=self.folder / "empty.sqlite")
        self.assertEqual((answer["memory_by_buffer_type"], answer["device"]), ({}, {"devices": 0, "dram_capacity": None}))

    def pressure(self, buffers, devices=((0, 0, 64, 1370848, 103712, 64, 0),)):
        path = write(self.folder, {"operations": [(1, "a", 1), (2, "b", 1)], "buffers": buffers, "devices": devices},
                     name=f"{time.monotonic_ns()}.sqlite")
        return self.ask("memory-profile", folder=path)["l1_pressure"]

    def figures(self, *arguments):
        keys = ("operation_id", "device_id", "fullness_pct", "free_segments", "largest_free_block", "largest_free_pct")
        return [tuple(row[key] for key in keys) for row in self.pressure(*arguments)["operations"]]

    def test_pressure(self):
        self.assertEqual(self.figures([(1, 0, 1409024, 65536, 1), (1, 0, 1376256, 32768, "L1")]),
                         [(1, 0, 7.171, 1, 1272544, 92.829)])
        self.assertEqual(self.figures([(1, 0, 200050, 200, 1), (1, 0, 200000, 100, 1), (1, 0, 200000, 50, 1)]),
                         [(1, 0, 0.018, 2, 1274310, 92.958)])
        # DRAM alone, L1_SMALL, an address beyond the bank, none, and a size of 0: the whole window is free.
        self.assertEqual(self.figures([(1, 0, 200000, 64, 0), (1, 0, 200000, 64, 3), (1, 0, 1480000, 64, 1), (1, 0, None, 64, 1),
                                       (1, 0, 200000, 0, 1)]), [(1, 0, 0, 1, 1370848, 100)])
        self.assertEqual(self.figures([(1, 0, 0, 1 << 62, 1)]), [(1, 0, 100, 0, 0, 0)])

    def test_pressure_of_the_tightest_device(self):
        devices = [(0, 0, 1, 1000, 0, 1, 0), (1, 0, 1, 1000, 0, 1, 0), (2, 0, 0, 0, 0, 0, 0), (3, 500, 1, 1000, 0, 1, 0)]
        self.assertEqual(self.figures([(1, 1, 0, 500, 1), (1, 0, 0, 500, 1), (1, 2, 0, 999, 1)], devices),
                         [(1, 0, 50, 1, 500, 50)])
        self.assertEqual(self.figures([(1, 1, 0, 600, 1), (1, 0, 0, 500, 1), (2, 3, 0, 100, 1), (2, 1, 100, 10, 0)], devices),
                         [(1, 1, 60, 1, 400, 40), (2, 3, 20, 1, 400, 80)])

    def test_rows_of_an_operation_that_lie_apart(self):
        devices = [(0, 0, 1, 1000, 0, 1, 0)]
        together = [(1, 0, 0, 100, 1), (1, 0, 500, 100, 1), (2, 0, 0, 300, 1), (2, 0, 300, 300, 0)]
        apart = [together[0], together[2], together[1], together[3]]
        self.assertEqual(self.figures(together, devices), [(1, 0, 20, 2, 400, 40), (2, 0, 30, 1, 700, 70)])
        self.assertEqual(self.figures(apart, devices), self.figures(together, devices))
        write(self.folder, {"operations": ROWS["operations"], "buffers": apart, "devices": devices})
        answer = self.ask("memory-profile")
        self.assertEqual([(row["operation_id"], row["size"]) for row in answer["memory_by_buffer_type"]["L1"]["operations"]],
                         [(2, 300), (1, 200)])

    def test_pressure_is_not_made_up(self):
        devices = [(0, 0, 1, 1000, 0, 1, 0)]
        lost = {"device": (1, None, 5, 7, 1), "address": (1, 0, None, 7, 1), "size": (1, 0, 5, None, 1), "type": (1, 0, 5, 7, None),
                "negative": (1, 0, 5, -7, 1), "text": (1, 0, "x", 7, 1)}
        for why, row in lost.items():
            with self.subTest(why):
                path = write(self.folder, {"operations": [(1, "a", 1)], "buffers": [row, (1, 0, 0, 10, 0)], "devices": devices},
                             name=f"{why}.sqlite")
                answer = self.ask("memory-profile", folder=path)
                self.assertIsNone(answer["l1_pressure"])
                self.assertIn("l1_pressure is null: where", answer["caveat"])
                self.assertIn("leaves out 1 buffers", answer["caveat"])
                self.assertIn("so 1 operations", answer["caveat"])
                detail = self.ask("operation-detail", "--operation-id", "1", folder=path)
                self.assertIsNone(detail["l1_pressure"])
                self.assertIn("l1_pressure is null: where", detail["caveat"])
                self.assertIn("leaves out 1 buffers", detail["caveat"])
                # Beside a buffer whose place is known there is a figure, and an operation without such rows has one.
                path = write(self.folder, {"operations": [(1, "a", 1), (2, "b", 1)], "devices": devices,
                                           "buffers": [row, (1, 0, 0, 100, 1), (2, 0, 0, 5, 0)]}, name=f"{why}-beside.sqlite")
                answer = self.ask("memory-profile", folder=path)
                self.assertEqual([(row["operation_id"], row["fullness_pct"]) for row in answer["l1_pressure"]["operations"]],
                                 [(1, 10), (2, 0)])
                self.assertIn("leaves out 1 buffers", answer["caveat"])
                detail = self.ask("operation-detail", "--operation-id", "1", folder=path)
                self.assertEqual(detail["l1_pressure"]["fullness_pct"], 10)
                self.assertIn("leaves out 1 buffers", detail["caveat"])

    def test_lost_rows_that_lie_apart_are_counted_once(self):
        path = write(self.folder, {"operations": [(1, "a", 1), (2, "b", 1)], "devices": [(0, 0, 1, 1000, 0, 1, 0)],
                                   "buffers": [(1, 0, None, 5, 1), (2, 0, 0, 5, 1), (1, None, 0, 5, 1), (2, 0, None, 5, 1)]})
        answer = self.ask("memory-profile", folder=path)
        self.assertEqual([row["operation_id"] for row in answer["l1_pressure"]["operations"]], [2])
        self.assertIn("leaves out 3 buffers", answer["caveat"])
        self.assertIn("so 1 operations", answer["caveat"])

    def test_missing_columns(self):
        keep = {"device_id": None, "address": None, "max_size_per_bank": None, "buffer_type": None}
        for column in keep:
            with self.subTest(column):
                path = write(self.folder, {"operations": [(1, "a", 1)], "buffers": [(1, 0, 0, 100, 1)],
                                           "devices": [(0, 0, 1, 1000, 0, 1, 0)]}, name=f"{column}.sqlite")
                database = sqlite3.connect(path)
                database.execute(f"ALTER TABLE buffers DROP COLUMN {column}")
                database.close()
                for question in (("memory-profile",), ("operation-detail", "--operation-id", "1")):
                    answer = self.ask(*question, folder=path)
                    self.assertIsNone(answer["l1_pressure"])
                    self.assertIn("leaves out 1 buffers", answer["caveat"])
                allocations = answer["allocations"]
                sums = self.ask("memory-profile", folder=path)["memory_by_buffer_type"]
                kind = "UNKNOWN" if column == "buffer_type" else "L1"
                size = None if column == "max_size_per_bank" else 100
                self.assertEqual(allocations, {kind: {"buffers": 1, "size": size}})
                self.assertEqual((list(sums), sums[kind]["peak"]), ([kind], size))

    def test_a_missing_id_is_not_zero(self):
        for table, column, questions in (
                ("operations", "operation_id", (("find-operations",), ("memory-profile",))),
                ("buffers", "operation_id", (("memory-profile",), ("operation-detail", "--operation-id", "1"))),
                ("input_tensors", "tensor_id", (("tensor-flow", "--tensor-id", "1"),)),
                ("output_tensors", "operation_id", (("tensor-flow", "--tensor-id", "1"),)),
                ("tensors", "tensor_id", (("tensor-flow", "--tensor-id", "1"),)),
                ("operation_arguments", "operation_id", (("operation-provenance", "--operation-id", "1"),))):
            with self.subTest(table):
                path = write(self.folder, name=f"{table}.sqlite")
                database = sqlite3.connect(path)
                database.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
                database.close()
                for question in questions:
                    self.refuse(*question, folder=path, says=[f'{table} (its column "{column}")'])
                self.assertIn(f'{table} (its column "{column}")',
                              self.ask("load-report", folder=path)["unanswerable_why"][questions[0][0].replace("-", "_")])
        path = write(self.folder, name="traces.sqlite")
        database = sqlite3.connect(path)
        database.execute("ALTER TABLE stack_traces DROP COLUMN operation_id")
        database.execute("ALTER TABLE devices DROP COLUMN device_id")
        database.close()
        for question in (("find-operations", "--called-from", "x"), ("operation-provenance", "--operation-id", "1")):
            self.assertIn("the table stack_traces, which lacks its column operation_id", self.ask(*question, folder=path)["caveat"])
        answer = self.ask("memory-profile", folder=path)
        self.assertIn("3 rows of devices", answer["caveat"])
        self.assertEqual(answer["device"]["devices"], 0)

    def test_types_that_look_alike_stay_apart(self):
        database = sqlite3.connect(write(self.folder, {"operations": [(1, "a", 1)]}))
        long = "y" * 5000
        for size, kind in ((1, "x'4cff'"), (2, "x'4cfe'"), (4, "'L\ufffd'"), (8, f"'{long}a'"), (16, f"'{long}b'"),
                           (32, "'BufferType::L1'"), (64, "1")):
            database.execute(f"INSERT INTO buffers VALUES (1, 0, 0, {size}, CAST({kind} AS text))")
        database.commit()
        database.close()
        for question in (("memory-profile",), ("operation-detail", "--operation-id", "1")):
            done = run(question[0], self.folder, *question[1:])
            pairs = []
            json.loads(done.stdout, object_pairs_hook=lambda items: pairs.append([key for key, _ in items]) or dict(items))
            for keys in pairs:
                self.assertEqual(len(keys), len(set(keys)))
        allocations = json.loads(done.stdout)["allocations"]
        self.assertEqual(allocations["L1"], {"buffers": 2, "size": 96})
        self.assertEqual({key[:5]: entry["size"] for key, entry in allocations.items() if key[1] == "\ufffd"},
                         {"L\ufffd": 4, "L\ufffd (2": 2, "L\ufffd (3": 1})

    def test_no_pressure(self):
        rows = {"operations": [(1, "a", 1)], "buffers": [(1, 0, 0, 64, 1)]}
        write(self.folder, rows)
        answer = self.ask("memory-profile")
        self.assertIsNone(answer["l1_pressure"])
        self.assertIn("no L1 geometry", answer["caveat"])
        write(self.folder, rows, tables=("operations", "buffers"), name="other.sqlite")
        answer = self.ask("memory-profile", folder=self.folder / "other.sqlite")
        self.assertIn("no devices table", answer["caveat"])
        self.assertEqual(answer["device"], {"devices": 0, "dram_capacity": None})

    def test_text_where_numbers_belong(self):
        write(self.folder, {"operations": [(1, "a", "fast")],
                            "buffers": [("one", 0, 0, 64, 1), (1, "zero", "there", "big", 1), (1.0, "0", 0, "64", "1"),
                                        (b"1", 0, 0.5, 1.5, 1)],
                            "devices": [("x", "y", "z", "a", "b", "c", "d")]})
        answer = self.ask("memory-profile")
        self.assertEqual(answer["memory_by_buffer_type"]["L1"]["operations"], [{"operation_id": 1, "name": "a", "size": 64}])
        self.assertIn("1 rows of buffers", answer["caveat"])
        self.assertEqual(self.ask("find-operations")["operations"], [{"operation_id": 1, "name": "a", "duration": None}])


class TensorFlow(Case):
    def test_producers_and_consumers(self):
        write(self.folder)
        answer = self.ask("tensor-flow", "--tensor-id", "1")
        self.assertEqual(answer["producers"], [{"operation_id": 3, "name": "ttnn.third"}, {"operation_id": 55, "name": None}])
        self.assertEqual(answer["consumers"], [{"operation_id": 1, "name": "ttnn.First"}, {"operation_id": 10, "name": "\u00c9t\u00e9"}])
        self.assertEqual((answer["producer_count"], answer["consumer_count"]), (2, 2))
        # The first operation that reads it and has a buffer at its place; of its buffers the smallest.
        self.assertEqual(answer["tensor"], {
            "shape": "Shape([1])", "dtype": "BF16", "layout": "TILE",
            "memory_config": {"memory_layout": "TensorMemoryLayout::INTERLEAVED", "shard_spec": "std::nullopt"}, "size": 2048,
            "size_unit": "bytes_per_bank", "buffer_type": "L1"})

    def test_tensors_without_an_address(self):
        write(self.folder)
        self.assertEqual(self.ask("tensor-flow", "--tensor-id", "2")["tensor"], {
            "shape": None, "dtype": None, "layout": None, "memory_config": None, "size": None, "size_unit": "bytes_per_bank",
            "buffer_type": None})
        tensor = self.ask("tensor-flow", "--tensor-id", "3")["tensor"]
        self.assertEqual((tensor["buffer_type"], tensor["memory_config"]),
                         ("L1_SMALL", {"memory_layout": None, "shard_spec": "std::nullopt"}))

    def test_size_by_what_wrote_it_when_nothing_reads_it(self):
        rows = {"operations": [(1, "a", 1), (2, "b", 1)], "tensors": [ROWS["tensors"][0]], "output_tensors": [(2, 0, 1), (1, 0, 1)],
                "buffers": [(2, 0, 1000, 5, 1), (1, 1, 1000, 6, 1), (1, 0, 1001, 7, 1)]}
        write(self.folder, rows)
        self.assertEqual(self.ask("tensor-flow", "--tensor-id", "1")["tensor"]["size"], 5)
        write(self.folder, dict(rows, input_tensors=[(1, 0, 1)]), name="read.sqlite")
        self.assertIsNone(self.ask("tensor-flow", "--tensor-id", "1", folder=self.folder / "read.sqlite")["tensor"]["size"])

    def test_whole_sizes(self):
        write(self.folder, {"tensors": [ROWS["tensors"][0] + (123,)]}, add={"tensors": ", size int"})
        tensor = self.ask("tensor-flow", "--tensor-id", "1")["tensor"]
        self.assertEqual((tensor["size"], tensor["size_unit"]), (123, "bytes"))

    def test_unknown_tensors(self):
        write(self.folder)
        self.refuse("tensor-flow", "--tensor-id", "99", says=["no tensor 99", "no row in the table tensors; input of operation 3"])
        self.refuse("tensor-flow", "--tensor-id", "98", says=["no tensor 98 in this report; operation-detail"])
        self.refuse("tensor-flow", says=["--tensor-id"], status=2)

    def test_many_users_are_counted(self):
        rows = {"tensors": [ROWS["tensors"][0]], "input_tensors": [(n, 0, 1) for n in range(150, 0, -1)]}
        write(self.folder, rows)
        answer = self.ask("tensor-flow", "--tensor-id", "1")
        self.assertEqual((answer["consumer_count"], [row["operation_id"] for row in answer["consumers"]]),
                         (150, list(range(1, 101))))


class Provenance(Case):
    def test_arguments_and_frames(self):
        write(self.folder)
        answer = self.ask("operation-provenance", "--operation-id", "1")
        self.assertEqual(answer["arguments"], [
            {"name": "0", "value": "x" * 500}, {"name": "1", "value": "\u00fc" * 500, "truncated": True, "full_length": 501},
            {"name": "n", "value": None, "recorded": False}, {"name": None, "value": "7"}])
        self.assertEqual((answer["argument_count"], answer["truncated_count"], answer["value_cap_chars"]), (4, 1, 500))
        self.assertEqual(answer["call_site"], {"file": "m/a.py", "line": 10, "function": "call", "code": "x = ttnn.op(x)"})
        self.assertEqual(answer["frames"], [{"file": "m/B.py", "line": 20, "function": "outer", "code": None}])
        self.assertEqual((answer["returned_frames"], answer["chain_length"]), (1, 1))
        self.assertNotIn("caveat", answer)
        self.assertTrue(answer["app_link"].startswith("http://viewer.example/operations/1?profiler_path="))

    def test_absent_and_unreadable_traces_are_told_apart(self):
        write(self.folder)
        self.assertIn("cannot be read", self.ask("operation-provenance", "--operation-id", "3")["caveat"])
        for number in ("2", "10"):
            answer = self.ask("operation-provenance", "--operation-id", number)
            self.assertIn("No stack trace", answer["caveat"])
            self.assertEqual((answer["call_site"], answer["frames"], answer["chain_length"]), (None, [], 0))
        write(self.folder, tables=("operations", "operation_arguments"), name="few.sqlite")
        self.assertIn("No stack trace", self.ask("operation-provenance", "--operation-id", "1",
                                                 folder=self.folder / "few.sqlite")["caveat"])

    def test_a_later_trace_is_tried(self):
        frame = 'File "f", line 7, in g'
        write(self.folder, {"operations": [(n, "a", 1) for n in range(1, 5)],
                            "stack_traces": [(1, None), (1, "native"), (1, frame), (1, 'File "z", line 9, in z'), (2, "\n"), (2, "native"),
                                             (3, None), (3, " ")]})
        self.assertEqual(self.ask("operation-provenance", "--operation-id", "1")["call_site"]["file"], "f")
        self.assertIn("cannot be read", self.ask("operation-provenance", "--operation-id", "2")["caveat"])
        self.assertIn("No stack trace", self.ask("operation-provenance", "--operation-id", "3")["caveat"])

    def test_traces_without_end(self):
        frame = 'File "f", line 7, in g'
        write(self.folder, {"operations": [(n, "a", 1) for n in range(1, 5)], "operation_arguments": [(1, "a", "\u00fc" * 3_000_001)],
                            "stack_traces": [(1, "\n" * (17 << 20) + frame), (2, frame + "\n" * (17 << 20)), (3, "x" * (16 << 20))]})
        answer = self.ask("operation-provenance", "--operation-id", "1")
        self.assertIsNone(answer["call_site"])
        self.assertIn("first 16 MiB were read", answer["caveat"])
        self.assertEqual(answer["arguments"][0]["full_length"], 3_000_001)
        answer = self.ask("operation-provenance", "--operation-id", "2")
        self.assertEqual((answer["call_site"]["line"], "16 MiB" in answer["caveat"]), (7, True))
        self.assertNotIn("16 MiB", self.ask("operation-provenance", "--operation-id", "3")["caveat"])

    def test_a_line_that_is_none(self):
        write(self.folder, {"operations": [(1, "a", 1)],
                            "stack_traces": [(1, f'File "f", line {"9" * 400}, in g\nFile "h", line 9223372036854775808, in i')]})
        answer = self.ask("operation-provenance", "--operation-id", "1")
        self.assertIsNone(answer["call_site"]["line"])
        self.assertIsNone(answer["frames"][0]["line"])

    def test_limits(self):
        frames = "\n".join(f'File "f{n}", line {n}, in g{n}' for n in range(30))
        write(self.folder, {"operations": [(1, "a", 1)], "operation_arguments": [(1, str(n), "v") for n in range(130)],
                            "stack_traces": [(1, frames)]})
        answer = self.ask("operation-provenance", "--operation-id", "1", "--limit", "3")
        self.assertEqual((len(answer["arguments"]), answer["argument_count"]), (100, 130))
        self.assertEqual(([frame["line"] for frame in answer["frames"]], answer["returned_frames"], answer["chain_length"]),
                         ([1, 2, 3], 3, 29))

    def test_ten_megabytes_and_bytes_that_are_no_text(self):
        write(self.folder, {"operations": [(1, "n" * 10_000_000, 1)], "operation_arguments": [(1, "a", "v" * 10_000_000)],
                            "stack_traces": [(1, "x\n" * 5_000_000 + 'File "f", line 7, in g')]})
        database = sqlite3.connect(self.folder / "db.sqlite")
        database.execute("INSERT INTO operation_arguments VALUES (1, CAST(x'ff41' AS text), CAST(x'00c3' AS text))")
        database.commit()
        database.close()
        answer = self.ask("operation-provenance", "--operation-id", "1")
        self.assertEqual((len(answer["name"]), answer["name_full_length"]), (4096, 10_000_000))
        self.assertEqual(answer["arguments"][0]["full_length"], 10_000_000)
        self.assertEqual(answer["arguments"][1], {"name": "\ufffdA", "value": "\x00\ufffd"})
        self.assertEqual(answer["call_site"]["line"], 7)
        self.assertEqual(len(self.ask("find-operations", "--name-contains", "nn")["operations"]), 1)

    def test_unknown_operations(self):
        write(self.folder)
        self.refuse("operation-provenance", "--operation-id", "4", says=["no operation 4 in this report"])


class Ranks(Case):
    RANKED = {
        "operations": [(1, "a", 1, 0), (1, "b", 1, 1), (2, "c", 1, 1), (9, "d", 1, None)],
        "operation_arguments": [(1, "x", "zero", 0), (1, "x", "one", 1)],
        "stack_traces": [(1, 'File "zero", line 1, in f', 0), (1, 'File "one", line 1, in f', 1)],
        "tensors": [ROWS["tensors"][0] + (0,), ROWS["tensors"][0] + (1,)],
        "input_tensors": [(1, 0, 1, 0), (2, 0, 1, 1)],
        "output_tensors": [(1, 0, 1, 1)],
        "buffers": [(1, 0, 1000, 10, 1, 0), (1, 0, 1000, 20, 1, 1), (2, 0, 1000, 30, 1, 1)],
        "devices": [(0, 0, 1, 1000, 500, 1, 0, 0), (0, 0, 1, 2000, 500, 1, 0, 1), (1, 0, 1, 2000, 500, 1, 0, 1)],
    }
    RANK = ", rank int NOT NULL DEFAULT 0"

    def ranked(self, without=()):
        rows = {table: [row[:-1] if table in without else row for row in rows] for table, rows in self.RANKED.items()}
        add = {table: "" if table in without else ", rank int" for table in TABLES}
        return write(self.folder, rows, add=add)

    def test_each_rank(self):
        self.ranked()
        answer = self.ask("find-operations")
        self.assertEqual(([row["name"] for row in answer["operations"]], answer["multi_host"], answer["rank"]), (["a"], True, 0))
        self.assertIn("rank 0", answer["caveat"])
        self.assertIn("app_link_template", answer)
        answer = self.ask("find-operations", "--rank", "1")
        self.assertEqual(([row["name"] for row in answer["operations"]], answer["rank"]), (["b", "c"], 1))
        self.assertNotIn("app_link_template", answer)
        self.assertEqual(self.ask("memory-profile", "--rank", "1")["memory_by_buffer_type"]["L1"]["peak"], 30)
        self.assertEqual(self.ask("memory-profile", "--rank", "1")["device"]["devices"], 2)
        self.assertEqual(self.ask("memory-profile")["device"]["l1_bank_size"], 1000)
        self.assertEqual(self.ask("tensor-flow", "--tensor-id", "1")["tensor"]["size"], 10)
        answer = self.ask("tensor-flow", "--tensor-id", "1", "--rank", "1")
        self.assertEqual((answer["tensor"]["size"], answer["producer_count"], answer["consumers"]),
                         (30, 1, [{"operation_id": 2, "name": "c"}]))
        answer = self.ask("operation-provenance", "--operation-id", "1", "--rank", "1")
        self.assertEqual((answer["arguments"][0]["value"], answer["call_site"]["file"]), ("one", "one"))
        self.assertEqual(self.ask("load-report")["device_count"], {"profiler": 3})

    def test_ranks_that_are_not_there(self):
        self.ranked()
        self.refuse("find-operations", "--rank", "2", says=["rank 2", "0, 1"])
        self.refuse("operation-provenance", "--operation-id", "2", says=["no operation 2", "at rank 0"])
        write(self.folder, {"operations": [(1, "a", 1, 3)]}, add={"operations": ", rank int"}, name="three.sqlite")
        three = self.folder / "three.sqlite"
        self.assertEqual(self.ask("find-operations", folder=three)["match_count"], 0)
        self.refuse("find-operations", "--rank", "0", folder=three, says=["rank 0", "3"])
        self.assertEqual(self.ask("find-operations", "--rank", "3", folder=three)["match_count"], 1)
        write(self.folder, {}, add=self.RANK, name="none.sqlite")
        self.assertEqual(self.ask("memory-profile", folder=self.folder / "none.sqlite")["rank"], 0)
        self.refuse("memory-profile", "--rank", "0", folder=self.folder / "none.sqlite", says=["none"])

    def test_a_report_without_ranks(self):
        write(self.folder)
        self.assertIsNone(self.ask("find-operations", "--rank", "0")["rank"])
        self.refuse("find-operations", "--rank", "1", says=["carries no ranks"])

    def test_tables_that_cannot_be_attributed(self):
        self.ranked(without=("buffers", "tensors", "input_tensors", "operation_arguments", "stack_traces", "devices"))
        self.refuse("memory-profile", says=["`buffers`", "0, 1"])
        self.refuse("tensor-flow", "--tensor-id", "1", says=["`tensors`, `input_tensors`:"])
        self.refuse("operation-provenance", "--operation-id", "1", says=["`operation_arguments`, `stack_traces`"])
        self.refuse("find-operations", "--called-from", "zero", says=["`stack_traces`"])
        self.assertEqual(self.ask("find-operations")["match_count"], 1)

    def test_devices_withheld(self):
        self.ranked(without=("devices",))
        answer = self.ask("memory-profile")
        self.assertEqual((answer["device"], answer["l1_pressure"]), (None, None))
        self.assertIn("withheld", answer["caveat"])

    def test_one_rank_never_refuses(self):
        rows = {"operations": [(1, "a", 1, 0)], "buffers": [(1, 0, 0, 5, 1)]}
        write(self.folder, rows, add={"operations": ", rank int"})
        self.assertEqual(self.ask("memory-profile")["memory_by_buffer_type"]["L1"]["peak"], 5)


class LoadReport(Case):
    NEEDED = {"find_operations": {"operations"}, "memory_profile": {"buffers", "operations"},
              "tensor_flow": {"operations", "tensors", "input_tensors", "output_tensors"},
              "operation_provenance": {"operations", "operation_arguments"}}

    def test_missing_tables_one_by_one(self):
        for missing in TABLES:
            folder = self.folder / missing
            folder.mkdir()
            write(folder, tables=set(TABLES) - {missing})
            answer = self.ask("load-report", folder=folder)
            for question, needed in self.NEEDED.items():
                if missing in needed:
                    self.assertIn(missing, answer["unanswerable_why"][question])
                    number = {"tensor_flow": ["--tensor-id", "1"], "operation_provenance": ["--operation-id", "1"]}.get(question, [])
                    self.refuse(question.replace("_", "-"), *number, folder=folder, says=[missing])
                else:
                    self.assertIn(question, answer["answerable"])

    def test_what_is_no_database(self):
        folder = self.folder / "bad"
        folder.mkdir()
        for content, says in ((b"no database at all\n" * 40, "not an SQLite database"), (b"", "lacks the table")):
            (folder / "db.sqlite").write_bytes(content)
            before = state_of(folder)
            answer = self.ask("load-report", folder=folder)
            self.assertIn(says, answer["unanswerable_why"]["find_operations"])
            self.refuse("find-operations", folder=folder, says=["db.sqlite" if content else "operations"])
            self.assertEqual(state_of(folder), before)
        os.unlink(folder / "db.sqlite")
        self.assertIn("no db.sqlite", self.ask("load-report", folder=folder)["unanswerable_why"]["find_operations"])
        self.refuse("find-operations", folder=folder, says=["no db.sqlite in"])

    def test_cut_and_encrypted(self):
        content = write(self.folder).read_bytes()
        for name, changed in (("cut", content[:len(content) * 6 // 10]), ("secret", bytes(b ^ 0x5A for b in content[:100]) + content[100:])):
            folder = self.folder / name
            folder.mkdir()
            (folder / "db.sqlite").write_bytes(changed)
            before = state_of(folder)
            self.assertEqual(self.ask("load-report", folder=folder)["answerable"], [])
            for question in ("find-operations", "memory-profile"):
                self.refuse(question, folder=folder, says=["db.sqlite"])
            self.assertEqual(state_of(folder), before)

    def test_two_runs_in_one_database(self):
        self.assertNotIn("profiler_caveat", self.ask("load-report", folder=write(self.folder)))
        graphs = [(number, "[]") for number in (1, 2, 3, 10)]
        write(self.folder, dict(ROWS, captured_graph=graphs, stack_traces=[]), name="one.sqlite")
        self.assertNotIn("profiler_caveat", self.ask("load-report", folder=self.folder / "one.sqlite"))
        write(self.folder, dict(ROWS, captured_graph=graphs + graphs, stack_traces=[]), name="two.sqlite")
        self.assertIn("4 operation ids", self.ask("load-report", folder=self.folder / "two.sqlite")["profiler_caveat"])
        write(self.folder, dict(ROWS, captured_graph=[(number, "[]") for number in range(100, 110)], stack_traces=[]),
              name="other.sqlite")
        self.assertIn("10 with graphs", self.ask("load-report", folder=self.folder / "other.sqlite")["profiler_caveat"])
        ranked = [(number, "[]", rank) for number in (1, 2, 3, 10) for rank in (0, 1)]
        write(self.folder, {"operations": [row + (rank,) for row in ROWS["operations"] for rank in (0, 1)], "captured_graph": ranked},
              add={"operations": ", rank int", "captured_graph": ", rank int"}, name="ranks.sqlite")
        self.assertNotIn("profiler_caveat", self.ask("load-report", folder=self.folder / "ranks.sqlite"))

    def arch(self):
        return self.ask("load-report")["arch"].get("cluster_descriptor")

    def test_cluster_descriptors(self):
        write(self.folder)
        self.assertIsNone(self.arch())

        def put(name, arch, when):
            path = self.folder / name
            path.write_text(f"arch: {{0: {arch}}}\n", encoding="utf-8")
            os.utime(path, (when, when))

        put("cluster_descriptor_2_of_2.yaml", "second", 100)
        self.assertIsNone(self.arch())
        put("cluster_descriptor_1_of_2.yaml", "first", 100)
        self.assertEqual(self.arch(), "first")
        put("cluster_descriptor.yaml", "plain", 100)
        self.assertEqual(self.arch(), "first")
        put("cluster_descriptor.yaml", "plain", 101)
        self.assertEqual(self.arch(), "plain")
        put("cluster_descriptor_2_of_2.yaml", "second", 102)
        self.assertEqual(self.arch(), "first")
        for odd in ("cluster_descriptor_0_of_2.yaml", "cluster_descriptor_3_of_2.yaml", "cluster_descriptor_x_of_2.yaml",
                    "cluster_descriptor_1_of_5000.yaml", "cluster_descriptor__of_.yaml", "cluster_descriptor_1_of_3.yaml"):
            put(odd, "odd", 200)
        self.assertEqual(self.arch(), "first")
        os.unlink(self.folder / "cluster_descriptor_2_of_2.yaml")
        self.assertEqual(self.arch(), "plain")
        (self.folder / "cluster_descriptor.yaml").write_text("arch: {0: [}\n", encoding="utf-8")
        self.assertIsNone(self.arch())


class Server:
    """One server for several calls."""

    def __init__(self, work):
        environment = dict(os.environ, HOME=str(work), USAGE_RECORDING_DISABLED="true")
        self.process = subprocess.Popen([PROGRAM, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, env=environment)
        self.number = 0
        self.send("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})

    def send(self, method, params):
        self.number += 1
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["result"]

    def call(self, name, **arguments):
        """The answer, or the text of a refusal."""
        result = self.send("tools/call", {"name": name, "arguments": arguments})
        text = result["content"][0]["text"]
        return text if result.get("isError") else json.loads(text)

    def close(self):
        self.process.stdin.close()
        self.process.wait(TIMEOUT)
        self.process.stdout.close()


class NothingIsTouched(Case):
    """Databases in every state that others leave them in."""

    def setUp(self):
        super().setUp()
        self.report = self.folder / "report"
        self.report.mkdir()
        self.server = Server(self.folder)
        self.addCleanup(self.server.close)

    def ask_all(self, handle):
        return [self.server.call("find_operations", handle=handle), self.server.call("memory_profile", handle=handle),
                self.server.call("tensor_flow", handle=handle, tensor_id=1),
                self.server.call("operation_provenance", handle=handle, operation_id=1)]

    def load(self, folder=None):
        return self.server.call("load_report", profiler_path=str(folder or self.report))["handle"]

    def test_a_report_is_left_as_it_was(self):
        write(self.report)
        before = state_of(self.report)
        for answer in self.ask_all(self.load()):
            self.assertIsInstance(answer, dict)
        self.assertEqual(state_of(self.report), before)

    def test_a_folder_that_cannot_be_written(self):
        write(self.report)
        self.report.chmod(0o500)
        try:
            before = state_of(self.report)
            for answer in self.ask_all(self.load()):
                self.assertIsInstance(answer, dict)
            self.assertEqual(state_of(self.report), before)
        finally:
            self.report.chmod(0o700)

    def test_odd_paths(self):
        for name in ("a#b", "a?b", "100%", "a b", "file:x?mode=rwc", "%23", "\u00fc"):
            folder = self.folder / name
            folder.mkdir()
            write(folder)
            before = state_of(self.folder)
            for answer in self.ask_all(self.load(folder)):
                self.assertIsInstance(answer, dict)
            self.assertEqual(state_of(self.folder), before)

    def test_write_ahead_logs(self):
        source = self.folder / "source"
        source.mkdir()
        path = write(source)
        with contextlib.closing(sqlite3.connect(path)) as writer:
            writer.execute("PRAGMA journal_mode=wal")
            writer.execute("INSERT INTO operations VALUES (77, 'in the log', 1)")
            writer.commit()
            files = {suffix: pathlib.Path(f"{path}{suffix}").read_bytes() for suffix in ("", "-wal", "-shm")}
            self.assertTrue(all(files.values()))
            self.assertEqual(self.server.call("find_operations", handle=self.load(source))["match_count"], 5)
        for name, suffixes, count in (("both", ("", "-wal", "-shm"), 5), ("alone", ("", "-wal"), 5), ("neither", ("",), 4)):
            folder = self.folder / name
            folder.mkdir()
            for suffix in suffixes:
                (folder / f"db.sqlite{suffix}").write_bytes(files[suffix])
            before = state_of(folder)
            handle = self.load(folder)
            for answer in self.ask_all(handle):
                self.assertIsInstance(answer, dict)
            self.assertEqual(self.server.call("find_operations", handle=handle)["match_count"], count, name)
            self.assertEqual(state_of(folder), before)

    def test_locked_by_a_writer(self):
        path = write(self.report)
        handle = self.load()
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as writer:
            writer.execute("BEGIN EXCLUSIVE")
            self.assertIn("locked", self.server.call("find_operations", handle=handle))
            self.assertIn("locked", self.server.call("memory_profile", handle=handle))
            writer.execute("COMMIT")
        # Not kept: it passes once the writer is done.
        for answer in self.ask_all(handle):
            self.assertIsInstance(answer, dict)

    def test_replaced_between_calls(self):
        write(self.report)
        handle = self.load()
        self.assertEqual(self.server.call("memory_profile", handle=handle)["memory_by_buffer_type"]["L1"]["peak"], 8192)
        self.assertEqual(self.server.call("tensor_flow", handle=handle, tensor_id=1)["producer_count"], 2)
        other = write(self.report, {"operations": [(5, "new", 1)], "buffers": [(5, 0, 0, 3, 1)], "tensors": [ROWS["tensors"][0]]},
                      name="new.sqlite")
        os.replace(other, self.report / "db.sqlite")
        answer = self.server.call("memory_profile", handle=handle)
        self.assertEqual(answer["memory_by_buffer_type"]["L1"]["operations"], [{"operation_id": 5, "name": "new", "size": 3}])
        self.assertEqual(self.server.call("tensor_flow", handle=handle, tensor_id=1)["producer_count"], 0)
        self.assertNotIn("capture_changed", answer)
        # Changed in place, by another program.
        with contextlib.closing(sqlite3.connect(self.report / "db.sqlite")) as writer:
            writer.execute("INSERT INTO buffers VALUES (5, 0, 100, 4, 1)")
            writer.commit()
        self.assertEqual(self.server.call("memory_profile", handle=handle)["memory_by_buffer_type"]["L1"]["peak"], 7)
        os.unlink(self.report / "db.sqlite")
        self.assertIn("db.sqlite", self.server.call("memory_profile", handle=handle))

    def test_a_named_file(self):
        path = write(self.folder, name="some report.db")
        answer = self.ask("find-operations", folder=path)
        self.assertEqual(answer["match_count"], 4)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
