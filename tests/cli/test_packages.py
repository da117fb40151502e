#!/usr/bin/env python3
"""Debian packages: lintian has no error and no warning, and what is in them runs."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(os.environ.get("TS_BUILD_DIR", "build"))
SOURCE = pathlib.Path(os.environ.get("TS_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
TILESIGHT = os.environ.get("TILESIGHT", "")
CAPTURE = SOURCE / "examples" / "before"
for missing, why in ((not (BUILD / "CPackConfig.cmake").exists(), "this configuration makes no packages (see cmake/Package.cmake)"),
                     (not shutil.which("cpack"), "cpack is not installed"),
                     (not (BUILD / "man").is_dir(), "scdoc is not installed"),
                     (os.environ.get("TILESIGHT_SANITIZE"), "packages have no sanitizer")):
    if missing:
        print(f"skipped: {why}")
        sys.exit(77)


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=300, **more)
    if done.returncode:
        raise AssertionError(f"{words} gave {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        run("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", cls.folder)
        cls.packages = {path.name.split("_")[0]: path for path in cls.folder.glob("*.deb")}
        cls.root = cls.folder / "root"
        for path in cls.packages.values():
            run("dpkg-deb", "-x", path, cls.root)
        cls.version = run(TILESIGHT, "--version").split()[1]

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def test_names(self):
        self.assertEqual(set(self.packages), {"tilesight", "libtilesight0", "libtilesight-dev"})
        self.assertTrue((SOURCE / "cmake/debian/changelog").read_text(encoding="utf-8").startswith(f"tilesight ({self.version})"))

    @unittest.skipUnless(shutil.which("lintian"), "lintian is not installed")
    def test_lintian(self):
        done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", "--tag-display-limit", "0",
                               *self.packages.values()], capture_output=True, text=True, check=False, timeout=300)
        found = [line for line in done.stdout.splitlines() if re.match("[EW]: ", line)]
        self.assertEqual((found, done.returncode), ([], 0), done.stderr)

    def test_every_file_is_in_one_package(self):
        everything = [path for package in self.packages.values()
                      for path in run("sh", "-c", 'dpkg-deb --fsys-tarfile "$1" | tar t', "sh", package).splitlines()
                      if not path.endswith("/")]
        self.assertEqual(len(everything), len(set(everything)))
        for piece in ("/bin/tilesight", "libtilesight.so.0", "/tilesight.1.gz", "vendor-completions/_tilesight", "/tilesight.pc"):
            self.assertEqual(sum(path.endswith(piece) for path in everything), 1, piece)

    def test_dependencies(self):
        needs = {name: run("dpkg-deb", "-f", path, "Depends") for name, path in self.packages.items()}
        self.assertIn("libsqlite3-0", needs["libtilesight0"])
        self.assertIn("libseccomp2", needs["tilesight"])
        self.assertIn(f"libtilesight0 (= {self.version})", needs["libtilesight-dev"])
        self.assertNotIn("libtilesight", needs["tilesight"])

    def test_the_program_runs(self):
        answer = json.loads(run(self.root / "usr/bin/tilesight", "top-ops", CAPTURE, "--json"))
        self.assertEqual(answer, json.loads(run(TILESIGHT, "top-ops", CAPTURE, "--json")))


if __name__ == "__main__":
    unittest.main()
