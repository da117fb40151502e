#!/usr/bin/env python3
"""Every test that docs/promises.md names is there, and ctest runs it."""
import os
import pathlib
import re
import subprocess
import unittest

SOURCE = pathlib.Path(os.environ.get("TS_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("TS_BUILD_DIR", "build"))
PAGE = (SOURCE / "docs" / "promises.md").read_text(encoding="utf-8")
ROWS = [row.strip("|").split(" | ") for row in PAGE.splitlines() if row.startswith("| ") and "shown by" not in row]


def source(name):
    """The file of a test by ctest's name for it."""
    folder, _, last = name.rpartition("/")
    if folder == "fuzz":
        return SOURCE / "tests" / "fuzz" / f"fuzz_{last}.c"
    return next((path for suffix in ("py", "sh", "c") if (path := SOURCE / "tests" / folder / f"test_{last}.{suffix}").exists()), None)


class Promises(unittest.TestCase):
    def test_each_names_tests_that_are_there(self):
        self.assertGreater(len(ROWS), 25)
        for promise, *shown in ROWS:
            names = re.findall(r"`([a-z]+/[a-z0-9_/]+)(?::(\w+))?`", shown[-1])
            self.assertTrue(names, promise)
            for name, function in names:
                path = source(name)
                self.assertTrue(path and path.exists(), f"{promise}: there is no test {name}")
                if function:
                    self.assertRegex(path.read_text(encoding="utf-8"), rf"(def|static void) {function}\(", name)

    def test_ctest_runs_them(self):
        if not (BUILD / "CTestTestfile.cmake").exists():
            self.skipTest("there is no folder of a build")
        listed = subprocess.run(["ctest", "--test-dir", str(BUILD), "-N"], capture_output=True, text=True, check=True, timeout=60)
        known = set(re.findall(r"Test +#\d+: (?:[\w-]+:)?(\S+)", listed.stdout))
        named = {name for _, *shown in ROWS for name, _ in re.findall(r"`([a-z]+/[a-z0-9_/]+)(:\w+)?`", shown[-1])}
        self.assertEqual(named - known, set())


if __name__ == "__main__":
    unittest.main()
