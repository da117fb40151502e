#!/usr/bin/env python3
"""What `cmake --install` lays down: it is complete, shows only the public interface, and C and C++ programs build against it."""
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
if os.environ.get("TILESIGHT_SANITIZE") or os.environ.get("TILESIGHT_COVERAGE") == "ON":
    print("skipped: an instrumented library shows its instruments, and asks for them of whoever uses it")
    sys.exit(77)
if not os.path.exists(TILESIGHT) or not (BUILD / "libtilesight.so").exists():
    print("skipped: the program or the shared library was not built")
    sys.exit(77)

CC = next((name for name in ("cc", "gcc", "clang") if shutil.which(name)), None)
CXX = next((name for name in ("c++", "g++", "clang++") if shutil.which(name)), None)
PROGRAM = r"""
#include <tilesight/tilesight.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct ts_session *session = NULL;
    struct ts_capture *capture = NULL;
    struct ts_answer *answer = NULL;
    static struct ts_error error;
    enum ts_status status = argc == 2 ? TS_OK : TS_USAGE;
    if (status == TS_OK)
        status = ts_session_create(NULL, &session, &error);
    if (status == TS_OK)
        status = ts_capture_open(session, NULL, argv[1], NULL, &capture, &error);
    if (status == TS_OK)
        status = ts_session_ask(session, "top_ops", "{\"limit\": 3}", capture, NULL, &answer, &error);
    puts(status == TS_OK ? ts_answer_json(answer, NULL) : error.message);
    ts_answer_destroy(answer);
    ts_capture_close(capture);
    ts_session_destroy(session);
    return status == TS_OK ? 0 : 1;
}
"""
CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES {languages})
find_package(tilesight {version} REQUIRED)
foreach(kind tilesight static)
  foreach(language {suffixes})
    add_executable(${{language}}_${{kind}} user.${{language}})
    target_link_libraries(${{language}}_${{kind}} PRIVATE tilesight::${{kind}})
  endforeach()
endforeach()
"""


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=300, **more)
    if done.returncode:
        raise AssertionError(f"{words} gave {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def exported(path, *options):
    return {line.split()[-1] for line in run("nm", "-g", "--defined-only", *options, path).splitlines() if len(line.split()) == 3}


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        # It is moved after the installation: nothing in it knows where it was put first.
        run("cmake", "--install", BUILD, "--prefix", cls.folder / "first")
        cls.prefix = cls.folder / "second"
        (cls.folder / "first").rename(cls.prefix)
        cls.libraries = next(cls.prefix.rglob("libtilesight.so")).parent
        for suffix in ("c", "cpp"):
            (cls.folder / f"user.{suffix}").write_text(PROGRAM, encoding="utf-8")
        cls.expected = json.loads(run(TILESIGHT, "top-ops", CAPTURE, "--limit", "3", "--json"))
        header = (SOURCE / "include/tilesight/tilesight.h").read_text(encoding="utf-8")
        cls.public = set(re.findall(r"^TS_API [^(;]*?(ts_\w+)\(", header, re.MULTILINE))
        cls.version = run(TILESIGHT, "--version").split()[1]

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def check(self, program, shared=None):
        """It answers as the command line does; shared: whether it uses the installed shared library."""
        environment = dict(os.environ, LD_LIBRARY_PATH=str(self.libraries))
        answer = json.loads(run(program, CAPTURE, env=environment))
        self.assertEqual(answer["ops"], self.expected["ops"])
        if shared is not None:
            linked = run("ldd", program, env=environment)
            self.assertEqual(f"libtilesight.so.0 => {self.libraries}/libtilesight.so.0" in linked, shared, linked)

    def test_all_is_there(self):
        there = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if not path.is_dir()}
        libraries = str(self.libraries.relative_to(self.prefix))
        headers = {f"include/tilesight/{path.name}" for path in (SOURCE / "include/tilesight").iterdir()}
        for path in ({"bin/tilesight", "share/bash-completion/completions/tilesight", "share/fish/vendor_completions.d/tilesight.fish",
                      f"{libraries}/libtilesight.a", f"{libraries}/libtilesight.so", f"{libraries}/libtilesight.so.0",
                      f"{libraries}/libtilesight.so.{self.version}", f"{libraries}/pkgconfig/tilesight.pc",
                      f"{libraries}/cmake/tilesight/tilesightConfig.cmake"} | headers):
            self.assertIn(path, there)
        self.assertEqual(sum(path.endswith("/_tilesight") for path in there), 1)
        if (BUILD / "man").is_dir():
            self.assertIn("share/man/man1/tilesight.1.gz", there)
        self.assertEqual({path for path in there if path.startswith("include/")}, headers)
        for path in self.prefix.rglob("*"):
            if path.is_file() and path.suffix in (".pc", ".cmake"):
                text = path.read_text(encoding="utf-8")
                self.assertNotIn(str(BUILD), text)
                self.assertNotIn(str(self.folder), text)

    def test_only_the_public_interface_is_visible(self):
        self.assertGreater(len(self.public), 5)
        self.assertEqual(exported(self.libraries / "libtilesight.so", "-D"), self.public)

    def test_the_static_library_keeps_to_its_prefix(self):
        names = exported(self.libraries / "libtilesight.a")
        self.assertLessEqual(self.public, names)
        self.assertEqual([name for name in names if not name.startswith("ts_")], [])

    def test_soname(self):
        self.assertRegex(run("readelf", "-d", self.libraries / "libtilesight.so"), r"SONAME.*\[libtilesight\.so\.0\]")
        self.assertEqual(os.readlink(self.libraries / "libtilesight.so.0"), f"libtilesight.so.{self.version}")

    def test_the_program_runs_from_there(self):
        answer = json.loads(run(self.prefix / "bin/tilesight", "top-ops", CAPTURE, "--limit", "3", "--json"))
        self.assertEqual(answer, self.expected)

    def pkg_config(self, prefix, *options):
        folder = next(prefix.rglob("tilesight.pc")).parent
        path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PKG_CONFIG_PATH")]))
        return run("pkg-config", *options, "tilesight", env=dict(os.environ, PKG_CONFIG_PATH=path)).split()

    def compilers(self):
        return [(compiler, suffix) for compiler, suffix in ((CC, "c"), (CXX, "cpp")) if compiler]

    @unittest.skipUnless(CC and shutil.which("pkg-config"), "a compiler and pkg-config are needed")
    def test_pkg_config_shared(self):
        self.assertEqual(self.pkg_config(self.prefix, "--modversion"), [self.version])
        self.assertNotIn("-lsqlite3", self.pkg_config(self.prefix, "--libs"))
        for compiler, suffix in self.compilers():
            program = self.folder / f"{suffix}_shared"
            run(compiler, "-Wall", "-Wextra", "-Werror", self.folder / f"user.{suffix}", "-o", program,
                *self.pkg_config(self.prefix, "--cflags", "--libs"))
            self.check(program, shared=True)

    @unittest.skipUnless(CC and shutil.which("pkg-config"), "a compiler and pkg-config are needed")
    def test_pkg_config_static(self):
        """Where only the static library is there."""
        prefix = self.folder / "static"
        shutil.copytree(self.prefix, prefix, symlinks=True, ignore=shutil.ignore_patterns("libtilesight.so*"))
        for compiler, suffix in self.compilers():
            program = self.folder / f"{suffix}_static"
            run(compiler, self.folder / f"user.{suffix}", "-o", program,
                *self.pkg_config(prefix, "--static", "--cflags", "--libs"))
            self.check(program, shared=False)

    @unittest.skipUnless(CC and shutil.which("cmake") and shutil.which("ninja"), "a compiler, cmake and ninja are needed")
    def test_find_package(self):
        languages = ["C"] + (["CXX"] if CXX else [])
        suffixes = [suffix for _, suffix in self.compilers()]
        (self.folder / "CMakeLists.txt").write_text(
            CMAKE.format(languages=" ".join(languages), suffixes=" ".join(suffixes), version=self.version), encoding="utf-8")
        where = self.folder / "with_cmake"
        run("cmake", "-S", self.folder, "-B", where, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}",
            "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF")
        run("cmake", "--build", where)
        for suffix in suffixes:
            self.check(where / f"{suffix}_tilesight", shared=True)
            self.check(where / f"{suffix}_static", shared=False)


if __name__ == "__main__":
    unittest.main()
