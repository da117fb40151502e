#!/usr/bin/env python3
"""Paths that are no capture: pipes, devices, links that lead nowhere, compressed data without the ending."""
import gzip
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

TILESIGHT = os.environ.get("TILESIGHT")
if not TILESIGHT or not os.path.exists(TILESIGHT):
    sys.exit(77)
EXAMPLES = pathlib.Path(os.environ.get("TS_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2])) / "examples"
CSV = "ops_perf_results_example.csv"


def run(*words, **more):
    return subprocess.run([TILESIGHT, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


class Paths(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def test_what_is_no_file_is_said_to_be_that_with_the_cure(self):
        os.mkfifo(self.folder / "pipe")
        for path, kind in ((self.folder / "pipe", "a pipe"), ("/dev/zero", "a device")):
            done = run("top-ops", path, timeout=20)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"{path}: expected a regular file, found {kind}; write what comes out of it into a file", done.stderr)
        reading, writing = os.pipe()
        done = run("top-ops", f"/dev/fd/{reading}", pass_fds=[reading], timeout=20)
        os.close(reading)
        os.close(writing)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"/dev/fd/{reading}: expected a regular file, found a pipe; write", done.stderr)

    def test_what_was_passed_over_in_a_folder_is_named(self):
        def pipe(path):
            os.mkfifo(path)

        def link(path):
            path.symlink_to("nowhere")

        for name in (CSV, "ops_perf_results.csv", "ops_perf_results.csv.gz"):
            for make, kind in ((pipe, "found a pipe"), (link, "no such file"), (pathlib.Path.mkdir, "found a directory")):
                with tempfile.TemporaryDirectory() as folder:
                    make(pathlib.Path(folder, name))
                    done = run("top-ops", folder, timeout=20)
                    self.assertEqual(done.returncode, 1)
                    self.assertIn("holds no operations CSV", done.stderr)
                    self.assertRegex(done.stderr, f"passed over was {folder}/{name}: .*{kind}")
        (self.folder / "db.sqlite").mkdir()
        self.assertIn(f"passed over was {self.folder}/db.sqlite: expected a regular file, found a directory",
                      run("find-operations", "--profiler-path", self.folder).stderr)
        self.assertNotIn("passed over", run("top-ops", self.folder).stderr)

    def test_a_device_log_that_is_no_file_is_named(self):
        for name in ("profile_log_device.csv", "profile_log_device.csv.zst"):
            with tempfile.TemporaryDirectory() as folder:
                pathlib.Path(folder, name).mkdir()
                self.assertRegex(run("zone-timings", folder).stderr,
                                 f"holds no profile_log_device.csv; .*; passed over was {folder}/{name}: .*found a directory")
        self.assertNotIn("passed over", run("zone-timings", self.folder).stderr)

    def test_one_file_where_two_are_needed_says_to_name_the_directory(self):
        for name in (CSV, "profile_log_device.csv"):
            (self.folder / name).write_bytes((EXAMPLES / "before" / name).read_bytes())
            done = run("core-spread", self.folder / name)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"alone; name .*the directory that holds (it and its profile_log_device\.csv|both)")
            self.assertNotIn("holds no", done.stderr)
        self.assertEqual(run("core-spread", self.folder).returncode, 0)

    def test_a_device_log_in_another_form_is_recognised(self):
        text = (EXAMPLES / "before" / "profile_log_device.csv").read_bytes()
        (self.folder / CSV).write_bytes((EXAMPLES / "before" / CSV).read_bytes())
        log = self.folder / "profile_log_device.csv"
        for data, like in ((gzip.compress(text), "gzip data: decompress it, or end its name with .gz"),
                           (b"\x28\xb5\x2f\xfd" + bytes(1 << 20), "Zstandard data"),
                           (text.decode().encode("utf-16"), "UTF-16 text: save it as UTF-8")):
            log.write_bytes(data)
            for question in ("zone-timings", "core-spread", "load-report"):
                shown = run(question, self.folder)
                self.assertIn(f"{log}: is no device log as it is; it looks like {like}", shown.stdout + shown.stderr)

    def test_compressed_data_without_the_ending_is_recognised(self):
        text = (EXAMPLES / "before" / CSV).read_bytes()
        (self.folder / CSV).write_bytes(gzip.compress(text))
        for question in ("top-ops", "load-report"):
            shown = run(question, self.folder)
            self.assertIn("not utf-8 text (byte 1 cannot be decoded); it looks like gzip data: decompress it, or end its "
                          "name with .gz", shown.stdout + shown.stderr)
        (self.folder / CSV).write_bytes(b"\x28\xb5\x2f\xfd" + bytes(40))
        self.assertIn("(byte 1 cannot be decoded); it looks like Zstandard data", run("top-ops", self.folder).stderr)
        (self.folder / CSV).write_bytes(b"x\x8b" + text)
        self.assertIn("(byte 1 cannot be decoded)\n", run("top-ops", self.folder).stderr)

    @unittest.skipIf(os.environ.get("TILESIGHT_SANITIZE"), "a sanitizer takes memory of its own")
    def test_out_of_memory_names_the_file(self):
        def little():
            resource.setrlimit(resource.RLIMIT_AS, (96 << 20, 96 << 20))

        lines = (EXAMPLES / "before" / CSV).read_text(encoding="utf-8").splitlines(True)
        with open(self.folder / CSV, "w", encoding="utf-8") as out:
            out.write(lines[0])
            for _ in range(400000 // len(lines)):
                out.writelines(lines[1:])
        done = run("top-ops", self.folder, preexec_fn=little)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(f"{self.folder}/{CSV}: out of memory while it was read", done.stderr)

    def test_an_answer_that_is_too_large_says_which_option_to_lower(self):
        header = "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,CORE COUNT,HOST START TS,DEVICE KERNEL DURATION [ns]"
        rows = [f"{i}{'x' * 8000},tt_dnn_device,{i},0,64,{i},{i}" for i in range(100)]
        (self.folder / CSV).write_text("\n".join([header, *rows, ""]), encoding="utf-8")
        done = run("top-ops", self.folder, "--limit", "100", "--json")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"larger than \d+ bytes: lower --limit, or ask for fewer groups in --include\n")


if __name__ == "__main__":
    unittest.main()
