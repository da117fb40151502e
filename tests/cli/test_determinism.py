#!/usr/bin/env python3
"""Same input, same bytes: whatever the locale, the time zone, the number of cores and the order of questions."""
import itertools
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

TILESIGHT = os.environ.get("TILESIGHT")
if not TILESIGHT or not os.path.exists(TILESIGHT):
    sys.exit(77)
SOURCE = pathlib.Path(os.environ.get("TS_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
EXAMPLES = SOURCE / "examples"
BEFORE, AFTER, PROFILER = EXAMPLES / "before", EXAMPLES / "after", EXAMPLES / "profiler"
CSV = BEFORE / "ops_perf_results_example.csv"
sys.path.insert(0, str(SOURCE / "tests" / "cli"))
import noc_case  # noqa: E402  (beside this file)

QUESTIONS = [["load-report", BEFORE, PROFILER], ["top-ops", BEFORE, "--include", "utilisation,flags,cores"], ["op-breakdown", BEFORE],
             ["program-cache", BEFORE], ["zone-timings", BEFORE], ["core-spread", BEFORE], ["diff-reports", BEFORE, AFTER],
             ["find-operations", PROFILER], ["operation-detail", PROFILER, BEFORE, "--operation-id", "2"],
             ["memory-profile", PROFILER], ["tensor-flow", PROFILER, "--tensor-id", "6"],
             ["operation-provenance", PROFILER, "--operation-id", "4"], ["errors", PROFILER], ["dram-fallbacks", PROFILER],
             ["l1-peak", PROFILER]]


def cores():
    return sorted(os.sched_getaffinity(0))


def one_core():
    os.sched_setaffinity(0, cores()[:1])


class Determinism(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="tilesight-same-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        # A locale with a comma for the decimal point, where its sources are installed.
        cls.comma = None
        made = cls.folder / "de_DE.UTF-8"
        if shutil.which("localedef") and subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", made], capture_output=True,
                                                        check=False).returncode == 0:
            cls.comma = {"LOCPATH": str(cls.folder), "LC_ALL": "de_DE.UTF-8"}

    def surroundings(self):
        """Changes of the environment, each with what to do before the program starts."""
        yield {"LC_ALL": "C.UTF-8", "TZ": "UTC"}, None
        yield {"LC_ALL": "C.UTF-8", "TZ": "Asia/Kathmandu", "HOME": "/nonexistent", "LANG": "tr_TR.UTF-8", "LANGUAGE": "de"}, None
        yield {"LC_ALL": "C.UTF-8", "MALLOC_PERTURB_": "165", "TZ": ""}, one_core
        if self.comma:
            yield self.comma, None

    def outputs(self, words):
        for changes, before in self.surroundings():
            done = subprocess.run([TILESIGHT, *map(str, words)], capture_output=True, env=dict(os.environ, **changes),
                                  preexec_fn=before, check=False, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            yield changes, (done.stdout, done.stderr)

    def assert_same(self, words, files=()):
        first = None
        for changes, printed in self.outputs(words):
            written = {name: (self.folder / name).read_bytes() for name in files}
            first = first or (printed, written)
            self.assertEqual((printed, written), first, f"{words} with {changes}")

    def test_questions_in_any_surroundings(self):
        for words, json_too in itertools.product(QUESTIONS, ([], ["--json"])):
            self.assert_same([*words, *json_too])

    def test_transforms_in_any_surroundings(self):
        self.assert_same(["perf-report", CSV, "--ignore-signposts"])
        self.assert_same(["perf-report", CSV, "--ignore-signposts", "--json"])
        self.assert_same(["perf-report", CSV, "--ignore-signposts", "--csv", "out.csv", "--summary-file", "sums"],
                         ["out.csv", "sums.csv", "sums.svg"])
        self.assert_same(["clean-sim-trace", SOURCE / "tests" / "data" / "sim" / "cores.bin", "-o", "sim", "--no-copy-raw"],
                         ["sim/trace.clean.json"])
        events = noc_case.event(2000, noc_case.local(0, 2, 3, size=64)) * 9
        (self.folder / "run.tsraw").write_bytes(noc_case.capture([noc_case.lane(noc_case.image(events))]))
        self.assert_same(["noc-decode", "run.tsraw", "-o", "-"])

    @staticmethod
    def session(questions):
        """The answers of one server to questions in this order, after two reports were loaded."""
        calls = [("load_report", {"performance_path": str(BEFORE), "profiler_path": str(PROFILER)}),
                 ("load_report", {"performance_path": str(AFTER)}), *questions]
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        lines = [{"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello}]
        lines += [{"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
                  for number, (name, arguments) in enumerate(calls)]
        done = subprocess.run([TILESIGHT, "mcp"], input="".join(json.dumps(line) + "\n" for line in lines).encode(),
                              env=dict(os.environ, USAGE_RECORDING_DISABLED="true"), capture_output=True, check=True)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        answers = {answer["id"]: answer["result"]["content"][0]["text"] for answer in answers if answer["id"] != "hello"}
        return [(call, answers[number]) for number, call in enumerate(calls)]

    def test_questions_in_any_order(self):
        report = {"handle": "report-1"}
        questions = [("top_ops", {**report, "limit": 3, "include": ["flags", "utilisation"]}), ("op_breakdown", report),
                     ("program_cache", report), ("zone_timings", report), ("core_spread", report), ("core_spread", {**report, "limit": 1}),
                     ("diff_reports", {"handle_a": "report-1", "handle_b": "report-2"}), ("find_operations", report),
                     ("operation_detail", {**report, "operation_id": 2}), ("memory_profile", report),
                     ("tensor_flow", {**report, "tensor_id": 6}), ("operation_provenance", {**report, "operation_id": 4}),
                     ("errors", report), ("dram_fallbacks", report), ("l1_peak", report), ("top_ops", {"handle": "report-2"})]
        first = sorted(map(repr, self.session(questions)))
        shuffled = random.Random(1)
        for _ in range(12):
            shuffled.shuffle(questions)
            self.assertEqual(sorted(map(repr, self.session(questions))), first)
        # Asked twice, each answers as before.
        for call, answer in self.session(questions * 2):
            self.assertIn(repr((call, answer)), first)


if __name__ == "__main__":
    unittest.main()
