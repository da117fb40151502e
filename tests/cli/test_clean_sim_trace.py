#!/usr/bin/env python3
"""What clean-sim-trace says and leaves behind: never over its input, no pair of files of two runs, no copy that is none."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TILESIGHT = os.environ.get("TILESIGHT")
if not TILESIGHT or not os.path.exists(TILESIGHT):
    sys.exit(77)
TILESIGHT = os.path.abspath(TILESIGHT)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import sim_dumps as dumps
from sim_dumps import arrow, trace, x

DUMP = dumps.SAMPLES["arrows.bin"]
WITHOUT_METRICS = trace(arrow())
WRONG_METRICS = trace(arrow()) + dumps.block(dumps.API_INSTR, b"no JSON")


class CleanSimTrace(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def put(self, name, data=DUMP):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def clean(self, *words, status=0):
        done = subprocess.run([TILESIGHT, "clean-sim-trace", *map(str, words)], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        return done

    def files(self, name="."):
        return sorted(str(p.relative_to(self.folder / name)) for p in (self.folder / name).rglob("*"))

    # ---- the input ----

    def test_a_dump_named_like_an_output_is_not_written_over(self):
        for name in ("trace.clean.json", "instr_metrics.json"):
            path = self.put(f"{name}.d/{name}")
            for more in ([], ["--compat"], ["-o", path.parent]):
                done = self.clean(path, *more, status=1)
                self.assertIn(f"{name}: is the input", done.stderr)
                self.assertIn("nothing was written", done.stderr)
                self.assertEqual((path.read_bytes(), self.files(path.parent), done.stdout), (DUMP, [name], ""))
            self.clean(path, "-o", "elsewhere", "--no-copy-raw")
            self.assertEqual(path.read_bytes(), DUMP)

    def test_an_output_that_is_a_link_to_the_dump_is_not_written_through(self):
        for name in ("trace.clean.json", "instr_metrics.json"):
            path = self.put(f"{name}.d/visualize_data.bin")
            out = self.folder / f"{name}.out"
            out.mkdir()
            os.symlink(path, out / name)
            done = self.clean(path, "-o", out.name, status=1)
            self.assertIn(f"{out.name}/{name}: is the input", done.stderr)
            self.assertEqual((path.read_bytes(), self.files(out.name)), (DUMP, [name]))
            self.assertTrue((out / name).is_symlink())

    def test_the_two_outputs_are_not_one_file(self):
        self.put("visualize_data.bin")
        self.put("instr_metrics.json", b"old")
        os.symlink("instr_metrics.json", self.folder / "trace.clean.json")
        self.assertIn("same file", self.clean(".", status=1).stderr)
        self.assertEqual((self.folder / "instr_metrics.json").read_bytes(), b"old")

    # ---- the copy ----

    def test_no_copy_is_claimed_where_no_folder_can_be_made(self):
        self.put("run/visualize_data.bin")
        self.put("out/raw_simulator", b"mine")
        (self.folder / "other").mkdir()
        (self.folder / "linked").mkdir()
        os.symlink("../other", self.folder / "linked" / "raw_simulator")
        for out, kind in (("out", "file"), ("linked", "link")):
            done = self.clean("run", "-o", out, status=1)
            self.assertNotIn("copied raw", done.stdout)
            self.assertIn(f"{out}/raw_simulator: a folder for the copy of the run was expected there, but it is a {kind}", done.stderr)
        self.assertEqual((self.folder / "out/raw_simulator").read_bytes(), b"mine")
        self.assertEqual(self.files("other"), [])

    def test_no_copy_is_claimed_without_the_dump(self):
        real = self.put("elsewhere/dump.bin")
        self.put("run/trace.json", b"{}")
        os.symlink(real, self.folder / "run" / "visualize_data.bin")
        self.put("whole/visualize_data.bin")
        (self.folder / "out2/raw_simulator/visualize_data.bin").mkdir(parents=True)
        for run, out in (("run", "out1"), ("whole", "out2")):
            for more in ([], ["--compat"], ["--copy-run-only"]):
                done = self.clean(run, "-o", out, *more)
                self.assertNotIn("copied raw", done.stdout)
                self.assertIn("warning: could not copy", done.stderr)
                self.assertIn(f"warning: the dump itself was not copied into {out}/raw_simulator\n", done.stderr)
        self.assertEqual(self.files("out1/raw_simulator"), ["trace.json"])

    def test_a_dump_of_any_name_belongs_to_its_run(self):
        self.put("run/mine.bin")
        self.put("run/other.txt")
        done = self.clean("run/mine.bin", "-o", "out", "--copy-run-only")
        self.assertIn("copied raw binary trace into out/raw_simulator\n", done.stdout)
        self.assertEqual((self.files("out/raw_simulator"), done.stderr), (["mine.bin"], ""))

    def test_a_copy_that_is_the_run_itself_is_said_to_be_none(self):
        self.put("run/visualize_data.bin")
        self.put("out/raw_simulator/visualize_data.bin")
        for path, out, folder in (("run", "run", "run"), ("out/raw_simulator/visualize_data.bin", "out", "out/raw_simulator")):
            before = self.files(folder)
            done = self.clean(path, "-o", out)
            self.assertIn(f"no copy of the run was made: {folder} is it\n", done.stdout)
            self.assertNotIn("copied", done.stdout + done.stderr)
            self.assertLessEqual(set(before), set(self.files(folder)))
            self.assertNotIn("no copy", self.clean(path, "-o", out, "--compat").stdout)

    def test_a_copy_never_goes_over_the_dump(self):
        path = self.put("out/raw_simulator/sub/visualize_data.bin")
        self.put("out/raw_simulator/sub/sub/visualize_data.bin", b"another")
        done = self.clean(path, "-o", "out", status=1)
        self.assertIn("lies in it", done.stderr)
        self.assertNotIn("copied raw", done.stdout)
        self.assertEqual(path.read_bytes(), DUMP)

    # ---- the pair ----

    def test_metrics_of_an_earlier_run_are_named(self):
        path = self.put("visualize_data.bin")
        self.clean(".")
        old = (self.folder / "instr_metrics.json").read_bytes()
        path.write_bytes(WITHOUT_METRICS)
        said = "warning: instr_metrics.json was left as an earlier run wrote it; it does not belong to this trace\n"
        for more in ([], ["--compat"]):
            self.assertIn(said, self.clean(".", *more).stderr)
        self.assertEqual((self.folder / "instr_metrics.json").read_bytes(), old)
        (self.folder / "instr_metrics.json").unlink()
        self.assertNotIn("earlier", self.clean(".").stderr)

    def test_a_pair_stays_a_pair_when_the_metrics_are_wrong(self):
        path = self.put("visualize_data.bin", trace(arrow(at=7.0)) + dumps.metrics(dumps.METRICS))
        self.clean(".")
        names = ("trace.clean.json", "instr_metrics.json")
        before = [(self.folder / name).read_bytes() for name in names]
        path.write_bytes(WRONG_METRICS)
        done = self.clean(".", status=1)
        self.assertEqual([(self.folder / name).read_bytes() for name in names], before)
        self.assertIn("the trace was not written, since instr_metrics.json of an earlier run", done.stderr)
        self.assertIn("error: visualize_data.bin: API_INSTR block: ", done.stderr)
        self.assertEqual(done.stdout, "")
        (self.folder / "instr_metrics.json").unlink()
        self.assertEqual(self.clean(".", status=1).stdout, "wrote trace.clean.json\n")
        self.assertNotEqual((self.folder / "trace.clean.json").read_bytes(), before[0])

    def test_metrics_that_cannot_be_written_keep_the_trace_from_being_replaced(self):
        self.put("visualize_data.bin")
        self.put("trace.clean.json", b"old")
        (self.folder / "instr_metrics.json").mkdir()
        done = self.clean(".", status=1)
        self.assertIn("instr_metrics.json", done.stderr)
        self.assertEqual((done.stdout, (self.folder / "trace.clean.json").read_bytes()), ("", b"old"))
        (self.folder / "instr_metrics.json").rmdir()
        os.symlink("/dev/full", self.folder / "instr_metrics.json")
        done = self.clean(".", status=1)
        self.assertEqual((done.stdout, (self.folder / "trace.clean.json").read_bytes()), ("", b"old"))

    # ---- the summary and the words ----

    def test_durations_that_viewers_do_not_show_are_counted(self):
        self.put("d.bin", trace([x("MTE2", 1, ...), x("MTE2", 2, ...), x("MTE2", 3, -1), x("MTE2", 5, 0), x("MTE2", 6, 0.0), x("MTE2", 7, -0.0),
                                 x("MTE2", 8, 0.5)]))
        done = self.clean("d.bin")
        for note in ("2 slice(s) have no duration;", "1 slice(s) have a duration below 0;", "3 slice(s) have a duration of 0;"):
            self.assertIn(f"note: {note} viewers", done.stdout)
        self.assertIn('"dur": -1,', (self.folder / "trace.clean.json").read_text())
        self.put("d.bin", trace([x("MTE2", 8, 0.5)]))
        self.assertNotIn("duration", self.clean("d.bin").stdout)

    def test_one_is_singular_and_rows_are_explained_where_there_are_some(self):
        self.put("d.bin", trace([x("MTE2", 1)]))
        self.assertIn("\n1 core, 1 lane in 1 row\n", self.clean("d.bin").stdout)
        self.put("d.bin", trace([x("MTE2", 1), x("MTE2", 1.1), x("CUBE", 1), x("CUBE", 1, pid="b")]))
        said = "\n2 cores, 3 lanes in 4 rows (x3: three instructions of a lane were alive at once)\n"
        self.assertIn(said, self.clean("d.bin").stdout)
        self.put("d.bin", trace([x("MTE2", 1, pid=f"c{i}") for i in range(13)]))
        self.assertIn("... and 1 more core\n", self.clean("d.bin").stdout)

    def test_words_that_mean_nothing_are_refused(self):
        self.put("visualize_data.bin")
        for words in (["-o", ""], ["--output-dir="], ["--no-copy-raw", "--copy-run-only", "-o", "out"], ["--copy-run-only", "--no-copy"]):
            done = self.clean(".", *words, status=2)
            self.assertEqual((self.files(), done.stdout), (["visualize_data.bin"], ""), words)
            self.assertIn("output-dir" if "" in words or len(words) == 1 else "contradict", done.stderr)


if __name__ == "__main__":
    unittest.main()
