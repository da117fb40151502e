#!/usr/bin/env python3
"""perf-report as a user meets it: its options, its three forms, captures that make the reference program fail."""
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

TILESIGHT = os.environ.get("TILESIGHT")
if not TILESIGHT or not os.path.exists(TILESIGHT):
    sys.exit(77)
SOURCE = pathlib.Path(os.environ.get("TS_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
KEPT = SOURCE / "tests" / "golden" / "perf_report"
DECODER, MESH, ADVICE, MIXED = (KEPT / "captures" / f"{name}.csv" for name in ("decoder", "mesh", "advice", "mixed"))


def run(*words, **more):
    return subprocess.run([TILESIGHT, "perf-report", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, encoding="utf-8", **more)


def table_of(text):
    """The cells of the table of operations, by white space: what is between the first and the second rule."""
    lines = text.split("\n")
    rules = [i for i, line in enumerate(lines) if line.startswith("-----") and i > 0]
    return [line.split() for line in lines[rules[0] + 1:rules[1]]]


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def rows(self, *words, status=0):
        """The row CSV as a list of dictionaries."""
        out = self.folder / "rows.csv"
        out.unlink(missing_ok=True)
        done = run(*words, "--csv", out, "--no-summary")
        self.assertEqual(done.returncode, status, done.stderr)
        with open(out, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def json(self, *words):
        done = run(*words, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def changed(self, source, change, name="ops_perf_results.csv"):
        """A copy of a capture with its rows (the header is the first) as change leaves them."""
        with open(source, newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        rows = change(rows) or rows
        path = self.folder / name
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
        return path

    def with_cell(self, source, op, column, value):
        """A copy in which the first row of an op code has another cell."""
        def change(rows):
            row = next(row for row in rows if row[0] == op)
            row[rows[0].index(column)] = value
        return self.changed(source, change)


class Window(Case):
    def test_the_rows_behind_the_last_signpost_are_reported_and_that_is_said(self):
        done = run(MIXED)
        self.assertIn("behind the last signpost, inference (row id 5)", done.stderr)
        self.assertIn("--ignore-signposts", done.stderr)
        self.assertIn("behind signpost inference", done.stdout)
        self.assertEqual([row["id"] for row in self.json(MIXED)["rows"]], list(range(6, 22)))
        self.assertEqual(self.json(MIXED)["report"]["after_signpost"], "inference")

    def test_the_last_signpost_is_the_last_by_host_time(self):
        def later(rows):
            start = rows[0].index("HOST START TS")
            for row in rows[1:]:
                if row[0] == "warm-up":
                    row[start] = "999999999"
            rows[-1][start] = "1999999999"
        path = self.changed(MIXED, later)
        self.assertIn("warm-up (row id 3)", run(path, "--no-advice").stderr)
        self.assertEqual([row["ID"] for row in self.rows(path)], ["21"])
        self.assertEqual(self.rows(path, "--tracing-mode")[0]["ID"], "6")  # the order of the file again

    def test_of_a_repeated_name_everything_behind_its_first_occurrence_is_taken(self):
        path = self.changed(MIXED, lambda rows: [["inference" if cell == "warm-up" else cell for cell in row] for row in rows])
        self.assertEqual(self.rows(path)[0]["ID"], "4")

    def test_without_device_operations_the_signposts_are_listed(self):
        for form in ([], ["--json"], ["--csv", self.folder / "out.csv"]):
            done = run(DECODER, *form)
            self.assertEqual(done.returncode, 1)
            for piece in ("no device operation", "TOKEN (2)", "TOKEN_END (1)"):
                self.assertIn(piece, done.stderr)

    def test_a_file_without_signposts_is_reported_whole(self):
        self.assertEqual(run(MESH).stderr, "")
        self.assertEqual(len(self.rows(MESH)), 4)


class Forms(Case):
    def test_table_csv_and_json_say_the_same(self):
        rows, table = self.rows(MESH), table_of(run(MESH).stdout)
        report = self.json(MESH)
        self.assertEqual([row["ID"] for row in rows], [row[0] for row in table])
        self.assertEqual([int(row["ID"]) for row in rows], [row["id"] for row in report["rows"]])
        for row, other in zip(rows, report["rows"]):
            self.assertEqual(float(row["Device Time"]), other["device_time"])
            self.assertEqual(float(row["Total %"]), other["total_percent"])
            self.assertEqual(row["Math Fidelity"], other["math_fidelity"])
            self.assertEqual(row["OP Code"], other["op_code"])
            self.assertEqual(row["Bound"] or None, other["bound"])
        self.assertEqual(sum(group["count"] for group in report["groups"]), 4)

    def test_json_says_what_it_is_of(self):
        report = self.json(MIXED, "--ignore-signposts")["report"]
        self.assertEqual((report["row_count"], report["device_ops"], report["timed_ops"], report["host_ops"],
                          report["signposts"]), (20, 14, 11, 4, 2))
        self.assertEqual((report["arch"], report["worker_cores"], report["devices"]), ("wormhole", 64, [0]))
        self.assertTrue(any("sub-devices" in note for note in report["notes"]))

    def test_coverage(self):
        self.assertIn("Coverage: 11 of 14 device operations", run(MIXED, "--ignore-signposts").stdout)

    def test_top(self):
        rows = self.json(DECODER, "--ignore-signposts", "--top", "3")["rows"]
        self.assertEqual([row["op_code"] for row in rows], ["Matmul 32 x 2048 x 8192"] * 3)
        table = table_of(run(DECODER, "--ignore-signposts", "--top", "3").stdout)
        self.assertEqual([row[0] for row in table[:3]], [str(row["id"]) for row in rows])
        self.assertEqual(table[3][2:5], ["68", "more", "rows"])

    def test_devices(self):
        row = next(row for row in self.json(MESH, "--devices")["rows"] if row["op_code"].startswith("Matmul"))
        self.assertEqual([device["device"] for device in row["devices"]], [0, 1, 2, 3])
        self.assertEqual(max(device["device_time"] for device in row["devices"]), row["device_time"])
        self.assertIn("devices 0: 48.3, 1: 48.3, 2: 67.6, 3: 48.3 \u03bcs; slowest 1.40 x fastest",
                      run(MESH, "--devices").stdout)

    def test_layers_are_folded(self):
        text = run(DECODER, "--ignore-signposts", "--fold-layers").stdout
        self.assertIn("\u250c 2 x [34 operations]", text)
        self.assertIn("\u2502 \u250c 3 x [11 operations]", text)

    def test_colours(self):
        for words, expected in (([], False), (["--color"], True), (["--color", "--no-color"], False)):
            self.assertEqual("\x1b[" in run(MESH, *words).stdout, expected)
        grey = "\x1b[90m14\x1b[0m"  # the row of 2.5 percent
        self.assertNotIn(grey, run(MESH, "--color").stdout)
        self.assertIn(grey, run(MESH, "--color", "--min-percentage", "3").stdout)


class Files(Case):
    def test_the_stacked_report_and_its_plot_go_beside_the_csv(self):
        self.assertEqual(run(MESH, "--csv", self.folder / "out.csv").returncode, 0)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()),
                         ["out.csv", "out_stacked.csv", "out_stacked.svg"])

    def test_a_summary_file_goes_with_a_table_too(self):
        for option in ("--summary-file", "--stacked-csv"):
            done = run(MESH, option, self.folder / "sum", "--group-by", "category")
            self.assertEqual(done.returncode, 0)
            self.assertIn("Stacked report", done.stdout)
            self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["sum.csv", "sum.svg"])
            self.assertTrue((self.folder / "sum.csv").read_text().startswith("Total % [%],Op Code,Device Time Sum"))

    def test_the_plot_is_a_picture_whatever_the_names_hold(self):
        for words in ([], ["--classic-colors"], ["--no-merge-devices"], ["--group-by", "category"]):
            for capture in (KEPT / "captures" / "hostile.csv", MESH):
                self.assertEqual(run(capture, "--ignore-signposts", "--csv", self.folder / "o.csv", *words).returncode, 0)
                root = xml.parse(self.folder / "o_stacked.svg").getroot()
                self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
                self.assertGreater(len(root.findall(".//{http://www.w3.org/2000/svg}rect")), 3)

    def test_the_plot_replaces_neither_an_input_nor_the_rows(self):
        capture = self.folder / "sum.svg"
        shutil.copy(MESH, capture)
        before = capture.read_bytes()
        for words in ([capture], [MESH, "--csv", capture]):
            done = run(*words, "--summary-file", self.folder / "sum")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("sum.svg", done.stderr)
            self.assertEqual(capture.read_bytes(), before)
            self.assertEqual([path.name for path in self.folder.iterdir()], ["sum.svg"])

    def test_no_summary(self):
        for option in ("--no-summary", "--no-stacked-report"):
            self.assertNotIn("Stacked report", run(MESH, option).stdout)
            run(MESH, option, "--csv", self.folder / "out.csv")
            self.assertEqual([path.name for path in self.folder.iterdir()], ["out.csv"])

    def test_a_folder_stands_for_the_csv_in_it(self):
        shutil.copy(MESH, self.folder / "ops_perf_results_1.csv")
        done = run(self.folder, "--no-advice")
        self.assertEqual(done.returncode, 0)
        self.assertIn("ops_perf_results_1.csv", done.stdout)
        (self.folder / "ops_perf_results_1.csv").unlink()
        done = run(self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("holds no ops_perf_results*.csv", done.stderr)

    def test_several_files_are_one_report(self):
        rows = self.rows(MESH, MESH)
        self.assertEqual(len(rows), 4)  # eight devices merged
        report = self.json(MESH, MESH)["report"]
        self.assertEqual(report["devices"], list(range(8)))
        apart = self.rows(MESH, MESH, "--no-merge-devices")
        self.assertEqual(len(apart), 30)
        self.assertEqual(sorted({int(row["Device"]) for row in apart}), list(range(8)))
        self.assertEqual(max(int(row["ID"]) for row in apart), 31)
        done = run(MESH, DECODER)
        self.assertEqual(done.returncode, 1)
        self.assertIn("files of one report must have as many devices", done.stderr)


class Options(Case):
    def refused(self, words, *pieces):
        done = run(*words)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        for piece in pieces:
            self.assertIn(piece, done.stderr)

    def test_wrong_usage(self):
        for value in ("-", "", "a-b", "9-5", "7", "1-2-3"):
            self.refused([DECODER, f"--id-range={value}"], "--id-range")
        self.refused([DECODER, "--active-experts", "0"], "--active-experts")
        self.refused([DECODER, "--arch", "grayskull"], "grayskull", "wormhole")
        self.refused([DECODER, "--group-by", "layer"], "category, memory, op")
        self.refused([DECODER, "--min-percentage", "x"], "--min-percentage")
        self.refused([DECODER, "--top", "0"], "--top")
        self.refused([DECODER, "--csv", "x.csv", "--json"], "--csv and --json")
        self.refused([DECODER, "--csv", "x.csv", "--top", "3"], "--top")
        self.refused([DECODER, "--fold-layers", "--json"], "--fold-layers")
        self.refused([], "none was named")

    def test_id_ranges(self):
        for value, expected in (("5-7", "5 6 7"), ("1,070-", ""), ("70-", "70 71 72"), ("-3", "2 3"), ("0-0", "")):
            rows = self.rows(DECODER, "--ignore-signposts", f"--id-range={value}", status=0 if value == "5-7" or value == "70-" else 1)
            self.assertEqual(" ".join(row["ID"] for row in rows), expected)
        self.assertEqual(self.rows(DECODER, "--ignore-signposts", "--id-range", "5-7")[0]["Op-to-Op Gap"], "")

    def test_signposts_and_host_operations(self):
        whole = [row["OP Code"] for row in self.rows(DECODER, "--ignore-signposts")]
        self.assertEqual(whole.count("TOKEN (signpost)"), 2)
        window = ["--start-signpost", "TOKEN", "--end-signpost", "TOKEN_END"]
        self.assertNotIn("TOKEN (signpost)", [row["OP Code"] for row in self.rows(DECODER, *window)])
        self.assertIn("TOKEN (signpost)", [row["OP Code"] for row in self.rows(DECODER, *window, "--print-signposts")])
        self.assertFalse(any("torch" in row["OP Code"] for row in self.rows(DECODER, "--ignore-signposts", "--no-host-ops")))

    def test_architecture_and_experts(self):
        slow = self.rows(DECODER, "--ignore-signposts", "--arch", "p150")[3]
        self.assertLess(float(slow["DRAM %"]), float(self.rows(DECODER, "--ignore-signposts")[3]["DRAM %"]))
        sparse = self.rows(ADVICE, "--active-experts", "1")[23]
        self.assertIn("active=1/1", sparse["OP Code"])

    def test_advice(self):
        recorded = dict(line.partition(" ")[::2] for line in (KEPT / "advice_codes").read_text().splitlines())
        ours = {row["ID"]: row["Advice"].replace(" \u2022 ", " ") for row in self.rows(ADVICE, "--advice-codes")}
        self.assertEqual({key: ours[key] for key in recorded}, recorded)
        words = " ".join(recorded.values())
        for code in ("sparse_active_unknown", "use_dram_sharded_config", "grow_grid:", "input0_to_l1:", "no_program_config",
                     "no_in0_block_w", "in0_block_w_small:", "no_out_subblock", "out_subblock_small:", "blocks_ok:",
                     *(f"fidelity:{name}" for name in (
                         "bf16_hifi4", "bf16_below_hifi4", "bf16_lofi", "bf16_bfp4out_hifi4", "bf16_bfp4out_hifi3",
                         "bfp4out_hifi2", "bf16_bfp4out_lofi",
                         "bfp8_hifi4", "bfp8_hifi3", "bfp8_lofi", "bfp8_bfp4out_lofi", "bfp4_above_lofi", "integer",
                         "unsupported:"))):
            self.assertIn(code, words)
        self.assertNotIn("Advice", self.rows(ADVICE, "--no-advice")[0])
        self.assertNotIn("Advice", run(ADVICE, "--no-advice").stdout)
        text = run(ADVICE).stdout
        self.assertIn("- optimized", text)
        self.assertIn("- not judged", text)

    def test_raw_op_codes(self):
        row = self.rows(DECODER, "--ignore-signposts", "--raw-op-codes")[3]
        self.assertEqual((row["OP Code"], row["Raw OP Code"]), ("Matmul 32 x 2048 x 6144", "Matmul"))


class WhereTheReferenceFails(Case):
    """One bad row must not cost the whole report."""

    def reported(self, path, row_id, **expected):
        row = next(row for row in self.rows(path, "--ignore-signposts") if row["ID"] == str(row_id))
        for key, value in expected.items():
            self.assertEqual(row[key.replace("_", " ")], value)
        self.assertEqual(run(path, "--ignore-signposts").returncode, 0)
        return row

    def test_empty_op_codes(self):
        for code in ("", "NA", "None"):
            path = self.with_cell(DECODER, "SoftmaxDeviceOperation", "OP CODE", code)
            self.reported(path, 7, Op_Category="Other", Device_Time="14.7")
        path = self.with_cell(DECODER, "TOKEN", "OP CODE", "")
        row = self.reported(path, 3)
        self.assertIn("(signpost)", row["OP Code"])

    def test_an_empty_op_type(self):
        self.reported(self.with_cell(DECODER, "SoftmaxDeviceOperation", "OP TYPE", ""), 7, Bound="")

    def test_a_matmul_without_a_known_fidelity(self):
        for fidelity in ("", "HiFi9"):
            path = self.with_cell(DECODER, "Matmul", "MATH FIDELITY", fidelity)
            row = self.reported(path, 5, Bound="")
            self.assertEqual((row["FLOPs"] != "", row["FLOPs %"]), (True, ""))

    def test_signposts_and_host_operations_called_like_matmuls(self):
        for op, other in (("TOKEN", "Matmul block"), ("TOKEN", "Conv2d block"), ("(torch) argmax", "(torch) Matmul")):
            path = self.with_cell(DECODER, op, "OP CODE", other)
            rows = [row for row in self.rows(path, "--ignore-signposts") if other in row["OP Code"]]
            self.assertTrue(all(row["FLOPs"] == "" and row["Bound Analysis"] == "none" for row in rows))
            self.assertEqual(run(path, "--ignore-signposts").returncode, 0)

    def test_empty_memories_and_datatypes(self):
        for column in ("INPUT_0_MEMORY", "INPUT_1_MEMORY", "OUTPUT_0_MEMORY", "INPUT_1_DATATYPE"):
            path = self.with_cell(DECODER, "Matmul", column, "")
            self.assertTrue(self.reported(path, 5)["FLOPs"])
        self.assertEqual(self.reported(self.with_cell(DECODER, "Matmul", "INPUT_1_DATATYPE", ""), 5)["DRAM"], "")

    def test_an_unknown_architecture_is_refused_with_the_known_names(self):
        def change(rows):
            for row in rows[1:]:
                row[rows[0].index("DEVICE ARCH")] = "grayskull"
        done = run(self.changed(DECODER, change))
        self.assertEqual(done.returncode, 1)
        self.assertIn("grayskull", done.stderr)
        self.assertIn("wormhole", done.stderr)

    def test_absent_columns(self):
        for column in ("GLOBAL CALL COUNT", "ATTRIBUTES", "INPUT_0_MEMORY"):
            path = self.changed(DECODER, lambda rows: [row[:at] + row[at + 1:] for at in [rows[0].index(column)]
                                                      for row in rows])
            self.reported(path, 7, Device_Time="14.7")
        path = self.changed(DECODER, lambda rows: [row[:at] + row[at + 1:] for at in [rows[0].index("DEVICE ID")]
                                                  for row in rows])
        done = run(path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("DEVICE ID", done.stderr)

    def test_ragged_rows_are_refused_by_line(self):
        for line in (1, 3):
            path = self.changed(DECODER, lambda rows: rows[line].append("more"))
            done = run(path)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"line {line + 1}", done.stderr)


if __name__ == "__main__":
    unittest.main()
