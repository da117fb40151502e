#!/usr/bin/env python3
"""Operations CSVs as they lie about in practice: cut, odd, rewritten, of other versions. Each is answered as far as it
goes or refused by name; nothing is left out in silence."""
import csv
import io
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

TILESIGHT = os.environ.get("TILESIGHT")
if not TILESIGHT or not os.path.exists(TILESIGHT):
    sys.exit(77)
SOURCE = pathlib.Path(os.environ.get("TS_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
SANITIZED = bool(os.environ.get("TILESIGHT_SANITIZE"))


def example(name):
    with open(SOURCE / "examples" / name / "ops_perf_results_example.csv", newline="") as file:
        return list(csv.reader(file))


def as_csv(rows):
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    return out.getvalue()


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def put(self, text, name="ops_perf_results.csv"):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def run_tilesight(self, *words, **more):
        return subprocess.run([TILESIGHT, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)

    def answer(self, *words):
        done = self.run_tilesight(*words, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def refused(self, *pieces, question="top-ops", words=()):
        """Asking is refused with status 1 and a message that holds the pieces."""
        done = self.run_tilesight(question, self.folder, *words)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        for piece in pieces:
            self.assertIn(piece, done.stderr)

    def loaded(self):
        return self.answer("load-report", self.folder)


class Files(Case):
    def test_no_directory(self):
        self.folder = self.folder / "absent"
        self.addCleanup(self.folder.mkdir)
        self.refused("absent", question="load-report")

    def test_empty_directory(self):
        self.assertEqual(self.loaded()["answerable"], [])
        self.refused("ops_perf_results")

    def test_of_two_csvs_the_one_changed_last_is_read(self):
        rows = example("mesh")
        self.put(as_csv(example("before")), "ops_perf_results_2099_01_01.csv")
        time.sleep(0.02)
        self.put(as_csv(rows), "ops_perf_results_2001_01_01.csv")
        self.assertEqual(self.loaded()["performance_csv"], "ops_perf_results_2001_01_01.csv")
        self.assertEqual(self.answer("top-ops", self.folder)["op_count"], 4)

    def test_a_directory_named_as_a_csv_is_passed_over(self):
        (self.folder / "ops_perf_results_9.csv").mkdir()
        self.put(as_csv(example("mesh")), "ops_perf_results_1.csv")
        self.assertEqual(self.loaded()["performance_csv"], "ops_perf_results_1.csv")


class Headers(Case):
    def test_empty_file(self):
        self.put("")
        self.assertEqual(self.loaded()["performance_csv_problem"], "empty")

    def test_header_only(self):
        self.put(as_csv(example("before")[:1]))
        self.assertEqual(self.loaded()["performance_csv_problem"], "no data rows")
        self.refused("no data rows")

    def test_missing_columns_are_named(self):
        self.put("OP TYPE,ATTRIBUTES\ntt_dnn_device,x\n")
        problem = self.loaded()["performance_csv_problem"]
        self.assertTrue(problem.startswith("missing columns: DEVICE ID, OP CODE"), problem)
        self.refused("DEVICE ID, OP CODE")

    def test_a_device_only_capture_is_named(self):
        self.put("GLOBAL CALL COUNT,DEVICE FW START CYCLE,DEVICE FW END CYCLE,DEVICE KERNEL DURATION [ns]\n1024,1,2,3\n")
        problem = self.loaded()["performance_csv_problem"]
        self.assertIn("missing columns: DEVICE ID, OP CODE, OP TYPE", problem)
        self.assertIn("device-only", problem)

    def test_unknown_and_reordered_columns_change_nothing(self):
        rows = example("before")
        self.put(as_csv(rows))
        wanted = self.answer("top-ops", self.folder, "--include", "config,utilisation,riscs,cores,dispatch,cache,kernels")
        order = sorted(range(len(rows[0])), key=lambda i: rows[0][i][::-1])
        self.put(as_csv([[f"NEW {n}" if n == 0 else "?"] + [row[i] for i in order] for n, row in enumerate(rows)]))
        self.assertEqual(self.answer("top-ops", self.folder, "--include",
                                     "config,utilisation,riscs,cores,dispatch,cache,kernels"), wanted)

    def test_a_byte_order_mark_is_no_part_of_the_first_name(self):
        self.put("\ufeff" + as_csv(example("mesh")))
        self.assertEqual(self.answer("top-ops", self.folder)["op_count"], 4)

    def test_bytes_that_are_not_utf8_are_placed(self):
        text = as_csv(example("mesh")).encode()
        self.put(text + b"x\xff")
        self.assertEqual(self.loaded()["performance_csv_problem"],
                         f"not utf-8 text (byte {len(text) + 1} cannot be decoded)")


class Rows(Case):
    def without(self, *starts):
        """The example with columns left out whose names begin so."""
        rows = example("before")
        keep = [i for i, name in enumerate(rows[0]) if not name.startswith(starts)]
        return [[row[i] for i in keep] for row in rows]

    def test_without_input_1_matmuls_lose_their_figures_and_nothing_else(self):
        self.put(as_csv(self.without("INPUT_1_")))
        ops = self.answer("top-ops", self.folder, "--include", "utilisation")["ops"]
        self.assertTrue(ops[0]["op_code"].startswith("Matmul"))
        self.assertEqual((ops[0]["bound"], ops[0]["device_time"]), (None, 118.4))

    def test_an_unknown_math_fidelity_costs_that_rows_percentages(self):
        rows = example("before")
        at = rows[0].index("MATH FIDELITY")
        first = next(row for row in rows if row[0] == "Matmul")
        first[at] = "HiFi9"
        self.put(as_csv(rows))
        whole = self.answer("top-ops", self.folder, "--limit", "25", "--include", "utilisation,config")
        odd = [op for op in whole["ops"] if op["op_code"].startswith("Matmul") and op["bound"] is None]
        self.assertEqual(len(odd), 1)
        self.assertIsNone(odd[0]["flops_percent"])
        self.assertIsNotNone(odd[0]["tflops"])

    def test_a_ragged_row_is_named_by_its_line(self):
        rows = example("before")
        rows[7] = rows[7] + ["surplus"]
        self.put(as_csv(rows))
        loaded = self.loaded()
        self.assertIn("line 8", loaded["signposts_problem"])
        self.assertNotIn("signposts", loaded)
        self.refused("line 8")

    def test_surplus_cells_that_are_empty_are_dropped_and_missing_ones_are_empty(self):
        rows = example("before")
        rows[7] = rows[7] + ["", ""]
        rows[8] = rows[8][:30]
        self.put(as_csv(rows))
        self.assertEqual(self.answer("top-ops", self.folder)["op_count"], len(rows) - 1)

    def test_an_open_quote_is_named_by_its_line(self):
        text = as_csv(example("before")[:4])
        self.put(text + '"never closed,\n\n\n')
        self.assertIn("line 5", self.loaded()["signposts_problem"])
        self.refused("line 5", "quote")

    def test_a_field_of_100_mb_is_refused_in_little_memory(self):
        header, row = example("mesh")[:2]
        path = self.folder / "ops_perf_results.csv"
        with open(path, "wb") as out:
            out.write(as_csv([header, row]).encode())
            for _ in range(100):
                out.write(b"x" * 1_000_000)
            out.write(b"\r\n")

        def little():
            if not SANITIZED:
                resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))

        done = self.run_tilesight("top-ops", self.folder, preexec_fn=little)
        self.assertEqual(done.returncode, 1)
        self.assertIn("line 3", done.stderr)
        self.assertIn("16", done.stderr)

    def test_nul_bytes_and_control_characters_are_text(self):
        rows = example("mesh")
        rows[1][0] = "Layer\0Norm\x1b[31m"
        self.put(as_csv(rows))
        names = json.dumps(self.answer("top-ops", self.folder))
        self.assertNotIn("\\u001b", names)


class Windows(Case):
    def test_an_empty_window_answers_zero_rows(self):
        rows = example("before")
        first, last = [i for i, row in enumerate(rows) if row[0] == "TOKEN"]
        self.put(as_csv(rows[:first + 1] + [rows[last]] + rows[first + 1:last] + rows[last + 1:]))
        answer = self.answer("top-ops", self.folder, "--start-signpost", "TOKEN", "--end-signpost", "TOKEN")
        self.assertEqual((answer["op_count"], answer["ops"], answer["device_time_total"]), (0, [], 0))

    def test_perf_report_of_a_window_without_device_operations_says_so_lists_the_signposts_and_fails(self):
        path = self.put(as_csv(example("before")))
        done = self.run_tilesight("perf-report", path, "--csv", self.folder / "out.csv")
        self.assertEqual(done.returncode, 1)
        for piece in ("no device operation", "TOKEN (2)", "TOKEN_END (1)"):
            self.assertIn(piece, done.stderr)


class Devices(Case):
    def test_rows_missing_on_one_device_are_reported(self):
        answer = self.answer("op-breakdown", SOURCE / "examples" / "mesh")
        self.assertEqual({key: answer["unmatched"][key] for key in ("count", "device", "first_op")},
                         {"count": 1, "device": "2", "first_op": "BinaryNgDeviceOperation"})
        self.assertTrue(answer["unmatched"]["caveat"])

    def test_rows_out_of_order_on_one_device_are_reported(self):
        rows = example("mesh")
        device, start = rows[0].index("DEVICE ID"), rows[0].index("HOST START TS")
        mine = [i for i, row in enumerate(rows) if row[device] == "1"]
        rows[mine[0]][start], rows[mine[1]][start] = rows[mine[1]][start], rows[mine[0]][start]
        self.put(as_csv(rows))
        answer = self.answer("top-ops", self.folder)
        self.assertEqual(answer["unmatched"]["first_op"], "LayerNormDeviceOperation")
        self.assertEqual(answer["unmatched"]["device"], "1")
        self.assertGreater(answer["unmatched"]["count"], 1)

    def test_device_ids_that_are_none_are_counted(self):
        rows = example("mesh")
        self.put(as_csv(rows))
        self.assertNotIn("unusable_device_ids", self.answer("top-ops", self.folder))
        device = rows[0].index("DEVICE ID")
        kinds = rows[0].index("OP TYPE")
        mine = [row for row in rows[1:] if row[kinds] == "tt_dnn_device" and row[device] == "2"]
        for row, odd in zip(mine, ("-1", "nan", "xyz", "1e20")):
            row[device] = odd
        self.put(as_csv(rows))
        count = min(len(mine), 4)
        self.assertGreaterEqual(count, 3)
        for words in (["top-ops"], ["op-breakdown"]):
            lacks = self.answer(*words, self.folder)["unusable_device_ids"]
            self.assertEqual(lacks["count"], count)
            self.assertIn("DEVICE ID", lacks["caveat"])
        both = self.answer("diff-reports", self.folder, SOURCE / "examples" / "mesh")["unusable_device_ids"]
        self.assertEqual(both["before"], {"count": count})
        self.assertNotIn("after", both)
        self.assertIn("unusable device ids", self.run_tilesight("top-ops", self.folder).stdout)

    def test_devices_that_line_up_are_not_mentioned(self):
        self.assertNotIn("unmatched", self.answer("top-ops", SOURCE / "examples" / "before"))


class Coverage(Case):
    def test_lost_durations_are_counted_and_warned_of(self):
        rows = example("before")
        at = rows[0].index("DEVICE KERNEL DURATION [ns]")
        device_rows = [row for row in rows[1:] if row[1] == "tt_dnn_device"]
        for number, row in enumerate(device_rows):
            if number % 100 < 82:
                row[at] = ""
        self.put(as_csv(rows))
        timed = sum(1 for row in device_rows if row[at])
        for words in (["top-ops"], ["op-breakdown"]):
            answer = self.answer(*words, self.folder)
            self.assertEqual({key: answer["coverage"][key] for key in ("device_ops", "timed")},
                             {"device_ops": len(device_rows), "timed": timed})
            self.assertTrue(answer["coverage"]["caveat"])
        shown = self.run_tilesight("top-ops", self.folder).stdout
        self.assertIn("coverage", shown)

    def test_complete_captures_do_not_pay_for_it(self):
        self.assertNotIn("coverage", self.answer("top-ops", SOURCE / "examples" / "before"))


class Rewritten(Case):
    """Over MCP, where a handle outlives the file."""

    def call(self, server, tool, **arguments):
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()
        result = json.loads(server.stdout.readline())["result"]
        text = result["content"][0]["text"]
        return (None, text) if result.get("isError") else (json.loads(text), None)

    def test_between_two_calls(self):
        self.put(as_csv(example("before")))
        server = subprocess.Popen([TILESIGHT, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  text=True, env=dict(os.environ, USAGE_RECORDING_DISABLED="1"))
        try:
            handle = self.call(server, "load_report", performance_path=str(self.folder))[0]["handle"]
            first = self.call(server, "top_ops", handle=handle)[0]
            time.sleep(0.02)
            self.put(as_csv(example("after")))
            again = self.call(server, "top_ops", handle=handle)[0]
            self.assertEqual(again.pop("capture_changed"), True)
            self.assertEqual(again, first)
            answer, refusal = self.call(server, "top_ops", handle=handle, start_signpost="TOKEN")
            self.assertIsNone(answer)
            self.assertIn(handle, refusal)
            self.assertRegex(refusal, r"open it again.*\(load_report gives a fresh handle\)$")
            fresh = self.call(server, "load_report", performance_path=str(self.folder))[0]["handle"]
            self.assertNotEqual(self.call(server, "top_ops", handle=fresh)[0]["device_time_total"],
                                first["device_time_total"])
        finally:
            server.communicate()


if __name__ == "__main__":
    unittest.main()
