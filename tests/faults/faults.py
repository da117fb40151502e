"""Every allocation, read, write, open and thread of every question and transform fails once, for every n there is.

inject.c is preloaded and makes the n-th of a kind fail, n = 1, 2, ... until the run never gets that far. Whatever fails, the
program ends by itself, says in one message what happened, and leaves no half-written file; where it ends well its answer is
the one it gives when nothing fails. A read or write that handles one byte or is interrupted changes nothing. A transform
killed before any of its opens and writes leaves whole files, older or newer.

TS_FAULTS=all also makes everything after the n-th fail, for every case.
"""
import errno
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("TS_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("TS_BUILD_DIR", SOURCE / "build"))
PROGRAM = os.environ.get("TILESIGHT", str(BUILD / "tilesight"))
INJECT = BUILD / "tests" / "inject.so"
# The sanitizers' own allocator cannot be taken the place of: the unit tests named no_memory do this under them.
if os.environ.get("TILESIGHT_SANITIZE") or not INJECT.exists() or not os.path.exists(PROGRAM):
    sys.exit(77)

EXAMPLES = SOURCE / "examples"
MORE_THAN_ANY = 100000
# What is said of a file that cannot be read. A report that cannot be looked at again counts as changed, and without a device log
# the number of cores is that of the architecture.
ERRORS = "|".join(["disk I/O error", *map(os.strerror, (errno.EIO, errno.EMFILE, errno.ENOSPC)), "capture_changed..?:true",
                   "max_cores_source..?:..?architecture_default"]).encode()

LINKED = re.compile(r"(.*/)?\.tilesight-[0-9a-f]+\.tmp")


class Run:
    """One command line, run over and over with one failure each time."""

    def __init__(self, folder, words, stdin=b"", **more):
        self.out = open(folder / "stdout", "w+b")
        self.err = open(folder / "stderr", "w+b")
        self.input = open(folder / "stdin", "w+b")
        self.input.write(stdin)
        self.input.flush()
        ask, self.asked = os.pipe()
        self.answered, answer = os.pipe()
        environment = dict({"USAGE_RECORDING_DISABLED": "true", **os.environ, **more}, LD_PRELOAD=str(INJECT), LC_ALL="C.UTF-8",
                           TS_FAULT_IN=str(ask), TS_FAULT_OUT=str(answer), HOME=str(folder))
        self.process = subprocess.Popen([PROGRAM, *map(str, words)], stdin=self.input, stdout=self.out, stderr=self.err,
                                        env=environment, pass_fds=[ask, answer], cwd=folder)
        os.close(ask)
        os.close(answer)
        self.answers = os.fdopen(self.answered, "rb")

    def with_failure(self, kind, mode, n):
        for file in (self.out, self.err):
            file.seek(0)
            file.truncate()
        self.input.seek(0)
        os.write(self.asked, f"{kind} {mode} {n}\n".encode())
        status, reached, blocks = map(int, self.answers.readline().split())
        self.out.seek(0)
        self.err.seek(0)
        return Outcome(status, bool(reached), blocks, self.out.read(), self.err.read().decode("utf-8", "replace"))

    def close(self):
        os.close(self.asked)
        self.process.wait()
        self.answers.close()
        for file in (self.out, self.err, self.input):
            file.close()


class Outcome:
    def __init__(self, status, reached, blocks, out, err):
        self.crashed = os.WIFSIGNALED(status)
        self.code = -os.WTERMSIG(status) if self.crashed else os.WEXITSTATUS(status)
        self.reached, self.blocks, self.out, self.err = reached, blocks, out, err

    def __str__(self):
        ended = f"signal {signal.Signals(-self.code).name}" if self.crashed else f"exit status {self.code}"
        return f"{ended}, {len(self.out)} bytes on stdout, {self.blocks} blocks left, stderr: {self.err[:300]!r}"


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}


def difference(one, other):
    at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    return f"from byte {at} {other[at - 20:at + 60]!r} for {one[at - 20:at + 60]!r}"


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tilesight-faults-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.output = self.folder / "output"

    def clear_output(self, before):
        shutil.rmtree(self.output, ignore_errors=True)
        self.output.mkdir()
        for name, content in before.items():
            (self.output / name).write_bytes(content)

    def faults_of(self, outcome, clean, kind, mode, before, after):
        """What is wrong after one failure; `before` and `after` are the output folder without and with a finished run."""
        now = contents(self.output)
        # A file is put in the place of an older one by a link and a rename; between the two it has both names.
        linked = [name for name in now if mode == "kill" and LINKED.match(name) and now[name] in after.values()]
        faults = [f"{name} is left over" for name in now if name not in after and name not in linked]
        faults += [f"{name} is half written" for name in now if name in after and now[name] not in (before.get(name, b"?"), after[name])]
        faults += [f"{name} is lost" for name in before if name not in now]
        if outcome.crashed:
            return faults if mode == "kill" else ["crashed"]
        if outcome.code == 0 or mode == "short":
            if outcome.code:
                faults.append("failed though nothing is lost")
            # An answer may go without what could not be read, a transform without a copy, and says so.
            said = kind != "alloc" and mode != "short" and re.search(ERRORS, outcome.out + outcome.err.encode())
            if outcome.out != clean.out and not said:
                faults.append(f"another answer: {difference(clean.out, outcome.out)}")
            return faults + (["other files"] if now != after and not said else [])
        if outcome.code != 1 or not re.search(r"^(tilesight|error): .+", outcome.err, re.M):
            faults.append("no clear message")
        if kind == "alloc" and "memory" not in outcome.err:
            faults.append("does not say that memory ran out")
        if outcome.blocks > clean.blocks + 8:
            faults.append("memory left behind")
        return faults

    def in_turn(self, run, kinds, title, judge, begin=lambda: None):
        """Each failure of these kinds; `judge` names what is wrong after one."""
        failures, found = 0, []
        for kind, mode in kinds:
            for n in range(1, MORE_THAN_ANY):
                begin()
                outcome = run.with_failure(kind, mode, n)
                if not outcome.reached:
                    break
                failures += 1
                found += [f"{kind} {n} {mode}: {fault}: {outcome}" for fault in judge(outcome, kind, mode)]
        self.assertGreater(failures, 0)
        self.assertFalse(found, "\n".join([title, *found[:20], f"{len(found)} faults of {failures}"]))

    def every(self, words, kinds, before=None):
        """Runs `words` with each failure in turn."""
        before = before or {}
        run = Run(self.folder, words)
        self.addCleanup(run.close)
        self.clear_output(before)
        clean = run.with_failure("none", "once", 0)
        self.assertEqual(clean.code, 0, str(clean))
        after = contents(self.output)
        self.in_turn(run, kinds, " ".join(map(str, words)), begin=lambda: self.clear_output(before),
                     judge=lambda outcome, kind, mode: self.faults_of(outcome, clean, kind, mode, before, after))

    ONCE = [("alloc", "once"), ("read", "once"), ("read", "short"), ("open", "once")]
    WRITES = [("write", "once"), ("write", "after"), ("write", "short")]
    if os.environ.get("TS_FAULTS") == "all":
        ONCE = ONCE + [("alloc", "after"), ("read", "after"), ("open", "after")]

    def question(self, *words):
        for command, kinds in (([*words, "--json"], self.ONCE + self.WRITES[:1]), (words, [("alloc", "once")] + self.WRITES)):
            with self.subTest(command=command[0]):
                self.every(command, kinds)

    def transform(self, words, before):
        with self.subTest(command=words[0]):
            self.every(words, self.ONCE + self.WRITES + [("open", "kill"), ("write", "kill")], before)
