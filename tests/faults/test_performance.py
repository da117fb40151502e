#!/usr/bin/env python3
"""Failures under the questions about operations CSVs and device logs."""
import unittest

import faults
from faults import EXAMPLES


class Performance(faults.Case):
    def test_load_report(self):
        for capture in ("before", "profiler"):
            self.question("load-report", EXAMPLES / capture)

    def test_performance(self):
        self.question("top-ops", EXAMPLES / "before", "--include", "utilisation,flags,cores,devices")
        self.question("top-ops", EXAMPLES / "mesh")
        self.question("op-breakdown", EXAMPLES / "before")
        self.question("program-cache", EXAMPLES / "before")
        self.question("diff-reports", EXAMPLES / "before", EXAMPLES / "after")

    def test_device_log(self):
        self.question("zone-timings", EXAMPLES / "before")
        self.question("core-spread", EXAMPLES / "before")


if __name__ == "__main__":
    unittest.main()
