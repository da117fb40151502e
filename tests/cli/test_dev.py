#!/usr/bin/env python3
"""./dev called wrongly: said so with status 2 before anything is done, and nothing is left behind."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("TS_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))


class Dev(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.tree = self.folder / "tree"
        self.tree.mkdir()
        shutil.copy(SOURCE / "dev", self.tree / "dev")

    def run_dev(self, *words, program=None, cwd=None, **changes):
        return subprocess.run([program or self.tree / "dev", *words], cwd=cwd or self.folder, capture_output=True, text=True,
                              check=False, timeout=60, env=dict(os.environ, **changes))

    def test_wrong_usage_does_nothing(self):
        for words, piece in ((["build", "bogus"], "no preset 'bogus'"), (["build", "../../etc"], "no preset '../../etc'"),
                             (["build", ""], "no preset ''"), (["build", "release debug"], "no preset 'release debug'"),
                             (["build", "base"], "no preset 'base'"),
                             (["test", "bogus"], "no preset 'bogus'"), (["test", ""], "no preset ''"),
                             (["build", "release", "x"], "'build' does not take 'x'"),
                             (["setup", "--nope"], "--build-only"), (["setup", "--build-only", "x"], "does not take 'x'"),
                             (["demo", "x"], "does not take 'x'"), (["check", "x"], "does not take 'x'"),
                             (["format", "--nope"], "--check"), (["format", "--check", "x"], "does not take 'x'"),
                             (["install", ""], "takes a folder"), (["install", "--prefix"], "takes a folder"),
                             (["install", "a", "b"], "does not take 'b'"),
                             (["tidy", "nope.c"], "no file 'nope.c'"), (["tidy", "dev", "nope.c"], "no file 'nope.c'"),
                             (["fuzz", "soon"], "number of minutes"), (["fuzz", "1", "nope"], "no fuzz target 'nope'"),
                             (["fuzz", "1", "../x"], "no fuzz target '../x'"),
                             (["fuzz-one"], "a target that is built"), (["fuzz-one", "dev"], "a target that is built"),
                             (["package", "x"], "does not take 'x'"), (["pages", "x"], "does not take 'x'"),
                             (["fresh", "--now"], "takes a folder"),
                             (["help", "x"], "does not take 'x'"), (["bogus"], "no command 'bogus'")):
            done = self.run_dev(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), (words, done.stderr))
            self.assertIn(piece, done.stderr, words)
        self.assertEqual([path.name for path in self.tree.iterdir()], ["dev"])
        self.assertEqual([path.name for path in self.folder.iterdir()], ["tree"])

    def test_every_command_has_help(self):
        for words in (["help"], ["--help"], [], ["install", "--help"], ["build", "-h"], ["fuzz", "--help"]):
            done = self.run_dev(*words)
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
            self.assertTrue(done.stdout.startswith("usage: ./dev COMMAND"))

    def test_the_presets_are_those_of_the_tree(self):
        presets = json.loads((SOURCE / "CMakePresets.json").read_text(encoding="utf-8"))["configurePresets"]
        named = [preset["name"] for preset in presets if not preset.get("hidden")]
        self.assertEqual(self.run_dev("help").stdout.split("Presets: ")[1].split(), named)

    def test_where_it_is_called_from(self):
        """Through a link it works in its own tree; paths are the caller's."""
        link = self.folder / "link"
        link.symlink_to(self.tree / "dev")
        tools = self.folder / "tools"
        tools.mkdir()
        for name in ("cmake", "ninja", "pkg-config", "gcc"):
            tool = tools / name
            tool.write_text(f'#!/bin/sh\n[ {name} != ninja ] || exit 1\necho "{name} $* in $PWD${{DESTDIR+ with $DESTDIR}}" >>"{self.folder}/log"\n')
            tool.chmod(0o755)
        (self.folder / "here").mkdir()
        done = self.run_dev("install", "prefix", program=link, cwd=self.folder / "here", PATH=f"{tools}:{os.environ['PATH']}")
        self.assertEqual(done.returncode, 0, done.stderr)
        log = (self.folder / "log").read_text(encoding="utf-8")
        self.assertIn(f"cmake --install build --prefix {self.folder}/here/prefix in {self.tree}\n", log)
        self.assertFalse((self.folder / "here" / "build").exists())
        for given, meant in (("stage", f"{self.folder}/here/stage"), ("/a b", "/a b")):
            self.run_dev("install", "/opt", cwd=self.folder / "here", PATH=f"{tools}:{os.environ['PATH']}", DESTDIR=given)
            log = (self.folder / "log").read_text(encoding="utf-8")
            self.assertIn(f"cmake --install build --prefix /opt in {self.tree} with {meant}\n", log)


if __name__ == "__main__":
    unittest.main()
