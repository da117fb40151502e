#!/usr/bin/env python3
"""Inputs and outputs of questions and transforms that are no ordinary files: none is waited for, none is written through, and what
is said names it."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

TILESIGHT = os.environ.get("TILESIGHT")
if not TILESIGHT or not os.path.exists(TILESIGHT):
    sys.exit(77)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import every_command  # noqa: E402

SECONDS = 30


def put_socket(path):
    end = socket.socket(socket.AF_UNIX)
    here = os.open(path.parent, os.O_PATH)
    end.bind(f"/proc/self/fd/{here}/{path.name}")
    os.close(here)
    end.close()


def put_link(target):
    return lambda path: path.symlink_to(target)


ODD = {"a pipe": os.mkfifo, "a socket": put_socket, "a folder": pathlib.Path.mkdir, "nothing": lambda path: None,
       "a link to itself": lambda path: path.symlink_to(path.name),
       **{f"a link to {target}": put_link(target) for target in (
           "/dev/zero", "/dev/stdin", "/dev/fd/0", "/dev/tty", "/proc/self/fd/0", "/proc/self/mem", "/proc/kmsg",
           "/proc/self/environ", "/sys/kernel/tracing/trace_pipe", "nothing")}}


class Odd(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tilesight-odd-")).resolve()
        self.addCleanup(shutil.rmtree, self.folder)
        self.output = self.folder / "output"
        self.output.mkdir()
        self.inputs = every_command.Inputs(self.folder / "captures")
        # Standard input that never ends and never has anything.
        self.stdin, self.kept = os.pipe()
        self.addCleanup(os.close, self.kept)
        self.addCleanup(os.close, self.stdin)

    def run_it(self, words, statuses=(1,)):
        done = subprocess.run([TILESIGHT, *map(str, words)], stdin=self.stdin, capture_output=True, text=True, check=False,
                              timeout=SECONDS, cwd=self.folder)
        self.assertIn(done.returncode, statuses, (words, done.stderr))
        if done.returncode:
            self.assertRegex(done.stderr, r"(?m)^(tilesight|error): .+", words)
        self.assertNotIn("LD_LIBRARY", done.stdout + done.stderr)
        return done

    def commands(self):
        return every_command.questions(self.inputs) + every_command.transforms(self.inputs, self.output)

    def test_paths_given(self):
        """The path of every capture that a command is given."""
        for kind, put in ODD.items():
            place = self.folder / "odd"
            put(place)
            for words in self.commands():
                several = sum(isinstance(word, pathlib.Path) for word in words) > 1
                for at, word in enumerate(words):
                    if isinstance(word, pathlib.Path) and self.inputs.folder in word.parents:
                        # Beside another path it may be taken for one of its kind, and load-report describes what it finds.
                        self.run_it([*words[:at], place, *words[at + 1:]], statuses=(0, 1, 2) if several or words[0] == "load-report" else (1, 2))
            if place.is_dir() and not place.is_symlink():
                place.rmdir()
            else:
                place.unlink(missing_ok=True)

    def test_paths_of_no_file_system(self):
        for path in ("/dev/zero", "/dev/stdin", "-", "/dev/fd/0", "/proc/self/mem", "/proc/kmsg", "/proc/self/fd/0", "/", "/dev", "",
                     "a\nb", "x" * 300, "x" * 5000, "x/" * 3000, "\x1b[2J", "/proc/self/root/proc/kmsg"):
            for words in (["top-ops", path], ["zone-timings", "--performance-path", path], ["errors", "--profiler-path", path],
                          ["load-report", path], ["perf-report", path], ["clean-sim-trace", path], ["noc-decode", path, "-o", "output"],
                          ["noc-decode", self.inputs.log, "--tables", path, "-o", "output"]):
                if words == ["clean-sim-trace", "/"]:
                    continue  # a folder above a run stands for it: this would be whatever run the machine has, another test's too
                done = self.run_it(words, statuses=(0, 1, 2) if words[0] == "load-report" else (1, 2))
                self.assertNotRegex(done.stderr, "[\x00-\x09\x0b-\x1f\x7f]")

    def test_files_within_a_report(self):
        """Beside what is asked for, something else lies under every name that is looked at."""
        reports = [(self.inputs.before, [every_command.CSV, "ops_perf_results.csv.gz", every_command.LOG, every_command.LOG + ".zst"]),
                   (self.inputs.profiler, ["db.sqlite", "db.sqlite-wal", "db.sqlite-shm", "db.sqlite-journal", "config.json",
                                           "cluster_descriptor.yaml"]),
                   (self.inputs.sim.parent, ["visualize_data.bin", "trace.json", "core0.veccore0"])]
        kept = self.folder / "kept"
        shutil.copytree(self.inputs.folder, kept)
        kinds = ("a pipe", "a socket", "a folder", "a link to itself", "a link to /dev/zero", "a link to /dev/stdin",
                 "a link to /proc/self/mem", "a link to /proc/kmsg")
        for put in map(ODD.get, kinds):
            for folder, names in reports:
                for name in names:
                    (folder / name).unlink(missing_ok=True)
                    put(folder / name)
                    for words in self.commands():
                        if any(isinstance(word, pathlib.Path) and (word == folder or word in folder.parents) for word in words):
                            self.run_it(words, statuses=(0, 1, 2))
                    shutil.rmtree(folder)
                    shutil.copytree(kept / folder.relative_to(self.inputs.folder), folder)

    def outputs(self):
        """(words, what they write)."""
        rows = ["perf-report", self.inputs.csv, "--ignore-signposts"]
        yield [*rows, "--csv", self.output / "rows.csv", "--no-summary"], "rows.csv"
        yield [*rows, "--summary-file", self.output / "sums"], "sums.csv"
        yield [*rows, "--summary-file", self.output / "sums"], "sums.svg"
        sim = ["clean-sim-trace", self.inputs.sim, "-o", self.output]
        yield [*sim, "--no-copy-raw"], "trace.clean.json"
        yield [*sim, "--no-copy-raw"], "instr_metrics.json"
        yield sim, "raw_simulator"
        name = next(path.name for path in self.written(["noc-decode", self.inputs.noc, "-o", self.output]))
        yield ["noc-decode", self.inputs.noc, "-o", self.output], name

    def written(self, words):
        self.run_it(words, statuses=(0,))
        found = sorted(self.output.iterdir())
        self.assertTrue(found)
        shutil.rmtree(self.output)
        self.output.mkdir()
        return found

    def test_outputs_in_whose_place_something_else_is(self):
        """It is refused or replaced, or where it is a device written to; what a link leads to out of the folder stays as it was."""
        victim = self.folder / "victim"
        for words, name in self.outputs():
            for kind, put in {**ODD, "a link to a victim": put_link("/dev/null")}.items():
                if kind in ("a pipe", "nothing", "a link to /dev/stdin", "a link to /dev/fd/0", "a link to /proc/self/fd/0", "a link to /dev/tty"):
                    continue
                victim.write_text("untouched", encoding="ascii")
                put(self.output / name)
                before = os.stat("/proc/self/mem") and sorted(os.listdir("/dev"))
                self.run_it(words, statuses=(0, 1))
                self.assertEqual(sorted(os.listdir("/dev")), before)
                self.assertEqual([path.name for path in self.output.iterdir() if path.name.startswith(".tilesight-")], [])
                shutil.rmtree(self.output)
                self.output.mkdir()

    def test_a_pipe_that_nobody_reads(self):
        for words, name in self.outputs():
            if name not in ("rows.csv", "instr_metrics.json"):
                continue
            os.mkfifo(self.output / name)
            began = time.monotonic()
            done = self.run_it(words)
            self.assertLess(time.monotonic() - began, 20)
            self.assertIn(f"{name}: is a pipe or a socket that no program reads from", done.stderr)
            shutil.rmtree(self.output)
            self.output.mkdir()

    def test_a_pipe_whose_reader_comes_later(self):
        pipe = self.output / "rows.csv"
        os.mkfifo(pipe)
        writer = subprocess.Popen([TILESIGHT, "perf-report", self.inputs.csv, "--ignore-signposts", "--no-summary", "--csv", pipe],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.3)
        text = pipe.read_text(encoding="utf-8")
        self.assertEqual(writer.wait(SECONDS), 0)
        plain = self.output / "plain.csv"
        self.run_it(["perf-report", self.inputs.csv, "--ignore-signposts", "--no-summary", "--csv", plain], statuses=(0,))
        self.assertEqual(text, plain.read_text(encoding="utf-8"))

    def test_waiting_for_a_reader_can_be_interrupted(self):
        pipe = self.output / "rows.csv"
        os.mkfifo(pipe)
        writer = subprocess.Popen([TILESIGHT, "perf-report", self.inputs.csv, "--ignore-signposts", "--no-summary", "--csv", pipe],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        began = time.monotonic()
        writer.send_signal(signal.SIGINT)
        self.assertNotEqual(writer.wait(SECONDS), 0)
        self.assertLess(time.monotonic() - began, 5)

    def test_copies_of_a_run_take_nothing_from_outside(self):
        secret = self.folder / "secret"
        secret.mkdir()
        (secret / "file").write_text("SecretOutside", encoding="ascii")
        run = self.inputs.sim.parent
        for name, target in (("absolute", secret / "file"), ("relative", "../../../secret/file"), ("folder", secret),
                             ("proc", f"/proc/self/root{secret}/file"), ("environment", "/proc/self/environ"), ("log", "/proc/kmsg"),
                             ("evil", f"{run}-evil/file"), ("up", "..")):
            (run / name).symlink_to(target)
        evil = run.with_name(run.name + "-evil")
        evil.mkdir()
        (evil / "file").write_text("SecretOutside", encoding="ascii")
        os.mkfifo(run / "core0.pipe")
        done = self.run_it(["clean-sim-trace", self.inputs.sim, "-o", self.output], statuses=(0,))
        self.assertEqual({path.name for path in (self.output / "raw_simulator").iterdir()}, {"visualize_data.bin"})
        self.assertEqual(done.stderr.count("could not copy"), 9, done.stderr)


if __name__ == "__main__":
    unittest.main()
