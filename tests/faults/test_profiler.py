#!/usr/bin/env python3
"""Failures under the questions about the profiler's database."""
import unittest

import faults
from faults import EXAMPLES


class Profiler(faults.Case):
    def test_profiler(self):
        profiler = EXAMPLES / "profiler"
        self.question("find-operations", profiler, "--name-contains", "softmax")
        self.question("operation-detail", profiler, EXAMPLES / "before", "--operation-id", "2")
        self.question("memory-profile", profiler)
        self.question("tensor-flow", profiler, "--tensor-id", "6")
        self.question("operation-provenance", profiler, "--operation-id", "4")

    def test_why_out_of_memory(self):
        for name in ("errors", "dram-fallbacks", "l1-peak"):
            self.question(name, EXAMPLES / "profiler")


if __name__ == "__main__":
    unittest.main()
