#!/usr/bin/env python3
"""What every question and transform asks of the kernel: nothing written but its output, no socket, no other program.

Seen by strace, from the start of the program to its end.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TILESIGHT = os.environ.get("TILESIGHT")
if not TILESIGHT or not os.path.exists(TILESIGHT):
    sys.exit(77)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import every_command  # noqa: E402

NETWORK = {"socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmsg", "sendmmsg", "recvfrom",
           "recvmsg", "recvmmsg", "shutdown"}
PROCESSES = {"fork", "vfork", "execveat", "ptrace", "kill", "tkill"}
# Of a path, or of two.
CHANGES = {"creat", "mkdir", "mkdirat", "mknod", "mknodat", "rename", "renameat", "renameat2", "link", "linkat", "symlink",
           "symlinkat", "unlink", "unlinkat", "rmdir", "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown",
           "fchownat", "utime", "utimes", "utimensat", "futimesat", "truncate", "ftruncate", "fallocate", "setxattr", "lsetxattr",
           "fsetxattr", "removexattr", "mount", "umount2", "chroot"}
WRITES = {"write", "pwrite64", "writev", "pwritev", "pwritev2", "sendfile", "copy_file_range", "splice"}
CALL = re.compile(r"^(?:\d+ +)?(\w+)\((.*?)\) += (-?\d+|\?)(.*)", re.S)


def tracing():
    """Why programs cannot be traced here, or None."""
    if os.environ.get("TILESIGHT_SANITIZE") or "LLVM_PROFILE_FILE" in os.environ:
        return "what is built in to watch the program writes files and starts processes"
    if not shutil.which("strace"):
        return "strace is not installed (./dev setup brings it)"
    done = subprocess.run(["strace", "-f", "-o", "/dev/null", "/bin/true"], capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else f"strace cannot trace here: {done.stderr.strip()}"


def read_calls(log):
    """(name, arguments, result) of each call. One that another thread ran into stands in two pieces."""
    calls, pending = [], {}
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        thread = line.split(" ", 1)[0]
        if line.endswith("<unfinished ...>"):
            pending[thread] = line[:-len("<unfinished ...>")]
            continue
        resumed = re.match(r"\d+ +<\.\.\. \w+ resumed>(.*)", line)
        if resumed:
            line = pending.pop(thread) + resumed[1]
        call = CALL.match(line)
        if call:
            calls.append((call[1], call[2], call[3] + call[4]))
    return calls


def paths(arguments):
    """The files that a call names: descriptors as strace resolves them, and texts, made whole by the descriptor before them."""
    found, base = [], None
    for at in re.finditer(r'(?:\d+|AT_FDCWD)<((?:[^<>]|<[^<>]*>)*)>|"((?:[^"\\]|\\.)*)"', arguments):
        if at[1] is not None:
            base = at[1].replace(" (deleted)", "")
            found.append(base)
        else:
            if base and not at[2].startswith("/"):
                found.remove(base)
            found.append(os.path.normpath(os.path.join(base or "/", at[2])))
    return found


class Calls(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tilesight-calls-")).resolve()
        self.addCleanup(shutil.rmtree, self.folder)
        self.home, self.output = self.folder / "home", self.folder / "output"
        self.home.mkdir()
        self.output.mkdir()
        self.inputs = every_command.Inputs(self.folder / "captures")

    def trace(self, words, **more):
        log = self.folder / "trace"
        environment = dict(os.environ, HOME=str(self.home))
        environment.pop("USAGE_RECORDING_DISABLED", None)
        with open(self.folder / "stdout", "wb") as out:
            done = subprocess.run(["strace", "-f", "-y", "-qq", "-s", "4096", "-o", log, TILESIGHT, *map(str, words)], stdout=out,
                                  stderr=subprocess.PIPE, env=environment, cwd=self.output, check=False, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = read_calls(log)
        self.assertGreater(len(calls), 20)
        return calls

    def allowed(self, path, where):
        return path == str(where) or path.startswith(f"{where}/")

    def check(self, calls, where):
        """Whatever is changed lies beneath one of these folders."""
        programs = 0
        for name, arguments, result in calls:
            what = f"{name}({arguments}) = {result}"
            self.assertNotIn(name, NETWORK | PROCESSES, what)
            if name == "execve":
                programs += 1
            if name in ("clone", "clone3"):
                self.assertIn("CLONE_THREAD", arguments, what)
            named = paths(arguments)
            # Folders above the output are there.
            if name in CHANGES and not (name == "mkdir" and "EEXIST" in result):
                changed = [path for path in named if not path.startswith("/proc/self/fd/")]
                self.assertTrue(changed and all(any(self.allowed(path, folder) for folder in where) for path in changed), what)
            if name in ("open", "openat", "openat2") and re.search("O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_TMPFILE", arguments):
                self.assertTrue(any(self.allowed(named[-1], folder) for folder in where), what)
            if name in WRITES and not re.match(r"[12]<", arguments):
                good = any(self.allowed(named[0], folder) for folder in [*where, self.folder / "stdout"])
                self.assertTrue(good or "eventfd" in named[0], what)
        self.assertEqual(programs, 1)

    def test_this_test_sees_what_is_done(self):
        """Otherwise nothing here could fail."""
        for script in ("echo x >../elsewhere", "mkdir ../elsewhere2", "/bin/true; true", "mv ../home ../home2"):
            log = self.folder / "trace"
            subprocess.run(["strace", "-f", "-y", "-qq", "-o", log, "/bin/sh", "-c", script], cwd=self.output, check=True)
            with self.assertRaises(AssertionError, msg=script):
                self.check(read_calls(log), [self.output])

    def test_no_command_is_left_out(self):
        commands = every_command.questions(self.inputs) + every_command.transforms(self.inputs, self.output)
        self.assertEqual(every_command.complete(TILESIGHT, commands), set())

    def test_questions(self):
        for words in every_command.questions(self.inputs):
            for more in ([], ["--json"]):
                self.check(self.trace([*words, *more]), [])

    def test_transforms(self):
        for words in every_command.transforms(self.inputs, self.output):
            self.check(self.trace(words), [self.output])

    def test_the_server(self):
        handle = {"handle": "report-1"}
        calls = [("load_report", {"performance_path": str(self.inputs.before), "profiler_path": str(self.inputs.profiler)}),
                 ("load_report", {"performance_path": str(self.inputs.after)})]
        for words in every_command.questions(self.inputs)[1:]:
            arguments = {words[at][2:].replace("-", "_"): words[at + 1] for at in range(len(words)) if str(words[at]).startswith("--")}
            arguments = {name: value.split(",") if name == "include" else int(value) for name, value in arguments.items()}
            name = words[0].replace("-", "_")
            calls.append((name, {"handle_a": "report-1", "handle_b": "report-2"} if name == "diff_reports" else {**handle, **arguments}))
        lines = [json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
                 for number, (name, arguments) in enumerate(calls)]
        for options in ([], ["--no-sandbox"], ["--root", str(self.inputs.folder)]):
            traced = self.trace(["mcp", *options], input="".join(line + "\n" for line in lines).encode())
            answers = [json.loads(line) for line in (self.folder / "stdout").read_text(encoding="utf-8").splitlines()]
            self.assertEqual([answer["result"].get("isError") for answer in answers], [None] * len(calls), answers)
            self.check(traced, [self.home / ".tilesight"])
            # Inside the sandbox the log is all that is opened for writing, and nothing is asked for that is not allowed.
            names = [name for name, _, _ in traced]
            if not options and "landlock_restrict_self" in names:
                after = traced[max(at for at, (name, arguments, _) in enumerate(traced)
                                   if name == "seccomp" and "SECCOMP_SET_MODE_FILTER" in arguments):]
                self.assertEqual({name for name, _, result in after if " ENOSYS " in result} - {"clone3"}, set())
                for name, arguments, _ in after:
                    if name == "openat" and "O_WRONLY" in arguments:
                        self.assertIn("events.log", arguments)


def main():
    problem = tracing()
    if problem:
        print(f"skipped: {problem}")
        sys.exit(77)
    unittest.main()


if __name__ == "__main__":
    main()
