#!/usr/bin/env python3
"""Failures under the transforms, which are also killed before each of their opens and writes."""
import sys
import unittest

import faults
from faults import EXAMPLES

sys.path.insert(0, str(faults.SOURCE / "tests" / "cli"))
import noc_case  # noqa: E402  (beside the tests of the command line)


class Transforms(faults.Case):
    def test_perf_report(self):
        csv = EXAMPLES / "before" / "ops_perf_results_example.csv"
        self.transform(["perf-report", csv, "--csv", self.output / "report.csv", "--ignore-signposts"], {"report.csv": b"older\n"})
        self.transform(["perf-report", csv, "--ignore-signposts"], {})
        self.transform(["perf-report", csv, "--json", "--ignore-signposts"], {})

    def test_clean_sim_trace(self):
        dump = faults.SOURCE / "tests" / "data" / "sim" / "arrows.bin"
        old = {"trace.clean.json": b"older", "instr_metrics.json": b"older"}
        self.transform(["clean-sim-trace", dump, "-o", self.output, "--no-copy-raw"], old)
        self.transform(["clean-sim-trace", dump, "-o", self.output, "--compat"], {})
        cores = dump.with_name("cores.bin")
        self.every(["clean-sim-trace", cores, "-o", self.output, "--no-copy-raw", "--threads", "4"],
                   [("thread", "once"), ("thread", "after"), ("alloc", "once")], old)

    def test_noc_decode(self):
        raw = self.folder / "run.tsraw"
        raw.write_bytes(noc_case.capture([noc_case.lane(noc_case.image(noc_case.event(2000, noc_case.local(0, 2, 3, size=64)) * 40))]))
        self.transform(["noc-decode", raw, "-o", self.output], {})
        self.transform(["noc-decode", raw, "-o", "-"], {})


if __name__ == "__main__":
    unittest.main()
