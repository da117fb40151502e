#!/usr/bin/env python3
"""Performance rows linked to operations, and what an operation's answer holds of its captured graph and its memory.

Scripts of calls whose answers another server gave compare equal, and what that server lacks (circular buffers, L1 pressure,
the L1 peak, errors, DRAM fallbacks) agrees with the figures of an independent script.
"""
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

SHARED = pathlib.Path(os.environ.get("TILESIGHT_SHARED", "/nonexistent")).resolve()
PROGRAM = os.environ.get("TILESIGHT", "build/tilesight")
TIMEOUT = 300
ASKED = {"operation_detail", "top_ops", "program_cache"}
# Keys that our answers have and the recorded ones do not.
EXTRA = ("l1_pressure,circular_buffers,error,dram_fallback,capture_changed,device,sub_device_id,op_type,coverage,always_new,"
         "gaps_dropped,unmatched,caveat")
# Lines where newer shard specs are read.
DIFFERENT = {"handmade": [28, 32], "ranked": [9], "real_wh_oom_mix": [15, 29]}
# What stands for a key that is absent in the figures.
ABSENT = {"unrecorded_launch_count": 0, "unrecorded_device_operations": [], "unlisted_circular_buffer_count": 0,
          "unrecorded_first_launch_count": 0}


def captures():
    """(name, profiler folder, performance folder or None, script's folder, script, recorded answers, figures)"""
    for folder in sorted((SHARED / "data" / "db").iterdir()):
        if (folder / "prof").is_dir():
            performance = folder / "perf"
            yield (folder.name, folder / "prof", performance if performance.is_dir() else None, folder,
                   folder / "script.jsonl", folder / "answers.jsonl", folder / "expected-new.json")
    real = SHARED / "data" / "real" / "memory-db"
    for script in sorted(real.glob("*.script.jsonl")):
        name = script.name.split(".script")[0]
        yield (f"real_{name}", real / name, None, real / name, script, real / f"{name}.oracle.jsonl",
               real / f"{name}.expected-new.json")


def environment(work):
    result = {key: value for key, value in os.environ.items() if not key.startswith("TTNN_VISUALIZER")}
    result.update(HOME=work, USAGE_RECORDING_DISABLED="true")
    return result


def compare(folder, script, recorded):
    """Numbers of the lines that differ, and what the comparison said."""
    tools = {json.loads(line).get("tool") for line in recorded.read_text(encoding="utf-8").splitlines()}
    work = tempfile.mkdtemp(prefix="tilesight-link-")
    try:
        ours = pathlib.Path(work, "ours.jsonl")
        with open(ours, "wb") as file:
            subprocess.run([sys.executable, SHARED / "tools" / "mcp_call.py", "--server", f"'{PROGRAM}' mcp", script, "--set",
                            f"DATA={folder}", "--normalise", "--redact"],
                           stdout=file, check=True, timeout=TIMEOUT, env=environment(work))
        done = subprocess.run([sys.executable, SHARED / "tools" / "compare_answers.py", recorded, ours, "--skip-tool",
                               ",".join(sorted(tool for tool in tools - ASKED if tool)), "--allow-extra", EXTRA,
                               "--null-may-be", "size", "--max-report", "100"],
                              capture_output=True, text=True, check=False, timeout=TIMEOUT)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    lines = {int(line.split(":")[0].split()[1]) for line in done.stdout.splitlines() if line.startswith("line ")}
    last = done.stdout.splitlines()[-1] if done.stdout else done.stderr
    if not last.endswith(f" {len(lines)} differ"):
        raise AssertionError(f"the comparison did not end well: {last}")
    return sorted(lines), done.stdout


def ask(profiler, performance, question, *more):
    words = [PROGRAM, question, "--json", "--profiler-path", profiler, *more]
    if performance:
        words += ["--performance-path", performance]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=TIMEOUT)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


def l1_peak(profiler):
    done = subprocess.run([PROGRAM, "l1-peak", "--json", "--profiler-path", profiler], capture_output=True, text=True,
                          check=False, timeout=TIMEOUT)
    return done.returncode, done.stderr or json.loads(done.stdout)


class Recorded(unittest.TestCase):
    pass


class Locked(unittest.TestCase):
    """A database that a writer holds, for as long as it does."""

    def test_a_link_is_tried_again(self):
        with tempfile.TemporaryDirectory(prefix="tilesight-link-") as work:
            capture = pathlib.Path(work, "capture")
            shutil.copytree(SHARED / "data" / "db" / "linked", capture)
            writer = sqlite3.connect(capture / "prof" / "db.sqlite", isolation_level=None)
            server = subprocess.Popen([PROGRAM, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, env=environment(work))

            def call(tool, **arguments):
                request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
                server.stdin.write(json.dumps(request).encode() + b"\n")
                server.stdin.flush()
                return json.loads(server.stdout.readline())["result"]

            def link(**arguments):
                return json.loads(call("top_ops", **arguments)["content"][0]["text"])["operation_link"]

            call("load_report", profiler_path=str(capture / "prof"), performance_path=str(capture / "perf"))
            writer.execute("BEGIN EXCLUSIVE")
            locked = link(handle="report-1")
            refused = call("operation_detail", handle="report-1", operation_id=2)
            writer.execute("ROLLBACK")
            free = link(handle="report-1")
            server.stdin.close()
            self.assertEqual(server.wait(TIMEOUT), 0)
            server.stdout.close()
            writer.close()
        self.assertEqual(locked["status"], "unavailable")
        self.assertIn("locked", locked["reason"])
        self.assertTrue(refused["isError"])
        self.assertEqual(free["status"], "linked")


class Figures(unittest.TestCase):
    """circular_buffers, l1_pressure, error and dram_fallback of operations; errors, dram_fallbacks and l1_peak."""

    def hold_lists(self, profiler, want):
        """Whole lists of errors and likely fallbacks, and the same of each operation alone."""
        if "errors" in want:
            got = ask(profiler, None, "errors", "--limit", "100")
            listed = want["errors"] or []
            self.assertEqual(got["error_count"], None if want["errors"] is None else len(listed))
            self.assertEqual(got["attached_count"], sum(error["attached"] for error in listed))
            self.hold(listed, got["errors"], "errors")
            for expected, error in zip(listed, got["errors"]):
                for key in ("allocation_failure", "failed_device_operations"):
                    self.assertEqual(key in expected, key in error, f"{expected['operation_id']}.{key}")
                self.hold_error(profiler, expected)
        if "dram_fallbacks" in want:
            got = ask(profiler, None, "dram-fallbacks", "--limit", "100")
            self.assertEqual(got["fallback_count"], len(want["dram_fallbacks"]))
            self.hold(want["dram_fallbacks"], got["fallbacks"], "dram_fallbacks")
            for expected in want["dram_fallbacks"]:
                detail = ask(profiler, None, "operation-detail", "--operation-id", str(expected["operation_id"]))
                figures = {key: value for key, value in expected.items() if key not in ("operation_id", "name")}
                self.assertEqual(detail["dram_fallback"], figures)

    def hold_error(self, profiler, expected):
        if not expected["attached"]:
            return
        detail = ask(profiler, None, "operation-detail", "--operation-id", str(expected["operation_id"]))
        figures = {key: value for key, value in expected.items() if key not in ("operation_id", "operation_name", "attached")}
        self.hold(figures, detail["error"], f"{expected['operation_id']}.error")

    def hold(self, want, got, where):
        """Ours holds at least what is wanted."""
        if isinstance(want, dict):
            self.assertIsInstance(got, dict, where)
            for key, value in want.items():
                if key not in got and key in ABSENT:
                    self.assertEqual(value, ABSENT[key], f"{where}.{key}")
                    continue
                self.assertIn(key, got, where)
                self.hold(value, got[key], f"{where}.{key}")
        elif isinstance(want, list):
            self.assertEqual(len(want), len(got), where)
            for index, (left, right) in enumerate(zip(want, got)):
                self.hold(left, right, f"{where}[{index}]")
        elif isinstance(want, float):
            self.assertAlmostEqual(want, got, places=3, msg=where)
        else:
            self.assertEqual(want, got, where)


class Console(unittest.TestCase):
    """What the terminal showed of runs that were out of memory, and what their reports answer."""
    CONSOLES = {"v0.81.1_oom_l1.log": "wh_oom_l1", "v0.81.1_oom_mix.log": "wh_oom_mix"}
    KINDS = (("Out of Memory: Not enough space to allocate", "bank_out_of_memory",
              ("requested_bytes", "num_banks", "bytes_per_bank", "bank_size_bytes", "allocated_bytes", "free_bytes",
               "largest_free_block_bytes")),
             (" which is beyond max L1 size of ", "circular_buffers_beyond_l1", ("circular_buffer_region_end", "max_l1_bytes")))

    @staticmethod
    def reason(figures):
        """By hand, from the rules alone."""
        if "max_l1_bytes" in figures:
            return "beyond_end_of_l1", figures["circular_buffer_region_end"] - figures["max_l1_bytes"]
        if figures["bytes_per_bank"] > figures["bank_size_bytes"]:
            return "larger_than_empty_bank", figures["bytes_per_bank"] - figures["bank_size_bytes"]
        assert figures["free_bytes"] < figures["bytes_per_bank"]
        return "not_enough_free_space", figures["bytes_per_bank"] - figures["free_bytes"]

    def test_what_the_terminal_showed(self):
        if not SHARED.is_dir():
            self.skipTest("no captures")
        explained = 0
        for log, report in self.CONSOLES.items():
            lines = (SHARED / "data" / "real" / "console-log" / log).read_text(encoding="utf-8").splitlines()
            shown = [lines[at + 1] for at, line in enumerate(lines) if line == "info:"]
            errors = ask(SHARED / "data" / "real" / "memory-db" / report, None, "errors", "--limit", "100")["errors"]
            self.assertEqual(len(shown), len(errors), log)
            for line, error in zip(shown, errors):
                self.assertIn(line, error["message"])
                kinds = [(kind, keys) for part, kind, keys in self.KINDS if part in line]
                self.assertEqual("allocation_failure" in error, bool(kinds), line)
                for kind, keys in kinds:
                    failure = error["allocation_failure"]
                    self.assertEqual(failure["kind"], kind)
                    figures = {key: failure[key] for key in keys}
                    numbers = [int(number) for number in re.findall(r"(?<!\w)(\d+)(?= B\b| banks)", line)]
                    self.assertEqual(list(figures.values()), numbers, line)
                    reason, amount = self.reason(figures)
                    self.assertEqual(error["diagnosis"]["reason"], reason)
                    self.assertIn(amount, error["diagnosis"].values())
                    explained += 1
        self.assertEqual(explained, 3)


def make_recorded(name, folder, script, recorded):
    def test(self):
        lines, report = compare(folder, script, recorded)
        self.assertEqual(lines, DIFFERENT.get(name, []), report)

    return test


def make_figures(profiler, performance, figures):
    def test(self):
        want = json.loads(figures.read_text(encoding="utf-8"))
        checked = 0
        for key in ("circular_buffers", "l1_pressure"):
            for operation, expected in want.get(f"operation_detail.{key}", {}).items():
                answer = ask(profiler, performance, "operation-detail", "--operation-id", operation)
                if expected is None and key not in answer:
                    continue
                self.assertIn(key, answer, operation)
                self.hold(expected, answer[key], f"{operation}.{key}")
                checked += 1
        self.assertGreater(checked + (not want.get("operation_detail.l1_pressure")), 0)
        self.hold_lists(profiler, want)

    return test


def make_peak(profiler, figures):
    def test(self):
        want = json.loads(figures.read_text(encoding="utf-8")).get("l1_peak")
        status, answer = l1_peak(profiler)
        if want is None:
            self.assertEqual(status, 1)
            self.assertIn("captured_graph", answer)
            return
        self.assertEqual(status, 0, answer)
        self.hold(want, answer, "l1_peak")
        if not answer["withheld"] and answer["peak"]:
            self.assertLessEqual(answer["freeing"]["peak"], answer["peak"])
            stale = answer["composition"]["stale_tensors"]
            self.assertGreaterEqual(answer["freeing"]["peak"], answer["peak"] - stale)
            self.assertEqual(sum(row["size"] for row in answer["freeing"]["residents"]), stale)

    return test


if SHARED.is_dir():
    for case, prof, perf, where, calls, answers, new in captures():
        if calls.is_file():
            setattr(Recorded, f"test_{case}", make_recorded(case, where, calls, answers))
        if new.is_file():
            setattr(Figures, f"test_{case}", make_figures(prof, perf, new))
            setattr(Figures, f"test_{case}_l1_peak", make_peak(prof, new))


if __name__ == "__main__":
    if not (SHARED / "data" / "db").is_dir():
        print("no recorded answers: TILESIGHT_SHARED names no folder with them")
        sys.exit(77)
    unittest.main(verbosity=1)
