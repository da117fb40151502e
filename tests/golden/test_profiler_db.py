"""Profiler databases of every generation: scripts of calls whose answers were recorded from another server compare equal, and
figures that it lacks agree with those of an independent script."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SHARED = pathlib.Path(os.environ.get("TILESIGHT_SHARED", "/nonexistent")).resolve()
PROGRAM = os.environ.get("TILESIGHT", "build/tilesight")
TIMEOUT = 300
# load_report lists more questions than the recorded server has; a golden case holds it.
SKIPPED = "load_report,operation_detail,top_ops,program_cache"
# Keys that our answers have and the recorded ones do not.
EXTRA = ("l1_pressure,error,circular_buffers,dram_fallback,capture_changed,device,sub_device_id,op_type,coverage,always_new,"
         "gaps_dropped,unmatched")
# Lines that differ, where a newer rule than the recorded server's applies.
DIFFERENT = {
    # A device id with several rows is one device, with the figures of the last.
    "duplicate-device": [13, 14],
    # The same (50, 56); memory types are named exactly (51 to 53); newer shard specs are read (59).
    "handmade": [50, 51, 52, 53, 56, 59],
    # l1_pressure is null, and the caveat says why.
    "no-extras": [13, 14],
    "zero-geometry": [13, 14],
    # Newer shard specs are read.
    "real_wh_oom_mix": [38, 39],
}


def captures():
    """(name, folder, script, recorded answers, figures)"""
    for folder in sorted((SHARED / "data" / "db").iterdir()):
        if (folder / "script.jsonl").is_file():
            yield (folder.name, folder, folder / "script.jsonl", folder / "answers.jsonl", folder / "expected-new.json")
    real = SHARED / "data" / "real" / "memory-db"
    for script in sorted(real.glob("*.script.jsonl")):
        name = script.name.split(".script")[0]
        yield (f"real_{name}", real / name, script, real / f"{name}.oracle.jsonl", real / f"{name}.expected-new.json")


def environment(work):
    result = {key: value for key, value in os.environ.items() if not key.startswith("TTNN_VISUALIZER")}
    result.update(HOME=work, USAGE_RECORDING_DISABLED="true")
    return result


def compare(folder, script, recorded):
    """Numbers of the lines that differ, and what the comparison said."""
    work = tempfile.mkdtemp(prefix="tilesight-profiler-")
    try:
        ours = pathlib.Path(work, "ours.jsonl")
        with open(ours, "wb") as file:
            subprocess.run([sys.executable, SHARED / "tools" / "mcp_call.py", "--server", f"'{PROGRAM}' mcp", script, "--set",
                            f"DATA={folder}", "--normalise", "--redact"],
                           stdout=file, check=True, timeout=TIMEOUT, env=environment(work))
        done = subprocess.run([sys.executable, SHARED / "tools" / "compare_answers.py", recorded, ours, "--skip-tool", SKIPPED,
                               "--allow-extra", EXTRA, "--null-may-be", "size", "--max-report", "100"],
                              capture_output=True, text=True, check=False, timeout=TIMEOUT)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    lines = {int(line.split(":")[0].split()[1]) for line in done.stdout.splitlines() if line.startswith("line ")}
    last = done.stdout.splitlines()[-1] if done.stdout else done.stderr
    if not last.endswith(f" {len(lines)} differ"):
        raise AssertionError(f"the comparison did not end well: {last}")
    return sorted(lines), done.stdout


def ask(folder, question, *options):
    profiler = folder / "prof" if (folder / "prof").is_dir() else folder
    done = subprocess.run([PROGRAM, question, "--json", "--profiler-path", profiler, *options], capture_output=True, text=True,
                          check=False, timeout=TIMEOUT)
    return json.loads(done.stdout) if done.returncode == 0 else None


class Recorded(unittest.TestCase):
    pass


class Pressure(unittest.TestCase):
    """memory_profile's l1_pressure."""


def make_recorded(name, folder, script, recorded):
    def test(self):
        lines, report = compare(folder, script, recorded)
        self.assertEqual(lines, DIFFERENT.get(name, []), report)

    return test


def make_pressure(folder, figures):
    def test(self):
        want = json.loads(figures.read_text())
        if "memory_profile.l1_pressure" not in want:
            return
        expected = want["memory_profile.l1_pressure"]
        answer = ask(folder, "memory-profile")["l1_pressure"]
        if expected is None:
            self.assertIsNone(answer)
            return
        self.assertGreater(len(expected), 0)
        for row, ours in zip(expected, answer["operations"], strict=False):
            for key, value in row.items():
                if isinstance(value, float):
                    self.assertAlmostEqual(value, ours[key], places=3, msg=key)
                else:
                    self.assertEqual(value, ours[key], key)
        self.assertGreaterEqual(len(answer["operations"]), len(expected))

    return test


if SHARED.is_dir():
    for case, where, calls, answers, new in captures():
        setattr(Recorded, f"test_{case}", make_recorded(case, where, calls, answers))
        if new.is_file():
            setattr(Pressure, f"test_{case}", make_pressure(where, new))


if __name__ == "__main__":
    if not (SHARED / "data" / "db").is_dir():
        print("no recorded answers: TILESIGHT_SHARED names no folder with them")
        sys.exit(77)
    unittest.main(verbosity=1)
