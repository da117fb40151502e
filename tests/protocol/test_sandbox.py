"""The sandbox of the server: in force, said so, and with what is left of it on kernels that lack a part of it.

What it forbids is tried from inside by tests/unit/surfaces/test_mcp_sandbox.c.
"""
import gzip
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys

import support

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import every_command  # noqa: E402

WITHOUT = os.path.join(os.environ.get("TS_BUILD_DIR", ""), "tests", "without")
LANDLOCK = "landlock_create_ruleset,landlock_add_rule,landlock_restrict_self"


def offered():
    """Whether this kernel has Landlock, and seccomp."""
    text = subprocess.run([support.PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout
    return "Landlock ABI" in text, ", seccomp" in text


class Sandbox(support.Case):
    def state(self, server):
        return server.answer("load_report", performance_path=str(self.scratch.capture()))["sandbox"]

    def threads(self, server):
        """Of each thread of the server: NoNewPrivs and Seccomp."""
        states = []
        for task in pathlib.Path(f"/proc/{server.process.pid}/task").iterdir():
            status = (task / "status").read_text(encoding="ascii")
            states.append((re.search(r"NoNewPrivs:\t(\d)", status)[1], re.search(r"Seccomp:\t(\d)", status)[1]))
        return states

    def warnings(self, server):
        self.assertEqual(server.close(), 0)
        return [line for line in server.log if line.startswith("warning: ")]

    def lacking(self, calls, *options, **changes):
        return self.server(*options, prefix=[WITHOUT, calls], USAGE_RECORDING_DISABLED=None, **changes)

    @support.confined
    def test_it_is_on_for_every_thread(self):
        if offered() != (True, True):
            self.skipTest("this kernel does not offer all of it")
        server = self.server()
        self.assertEqual(self.state(server), "on")
        self.assertEqual(self.threads(server), [("1", "2")] * 2)
        self.assertEqual(self.warnings(server), [])

    def test_it_can_be_declined(self):
        server = self.server("--no-sandbox")
        self.assertEqual(self.state(server), "off")
        self.assertEqual(self.threads(server), [("0", "0")] * 2)
        self.assertEqual(self.warnings(server), [])

    def test_the_command_line_has_none_and_says_nothing_of_it(self):
        done = subprocess.run([support.PROGRAM, "load-report", str(self.scratch.capture()), "--json"], capture_output=True,
                              text=True, check=True)
        self.assertNotIn("sandbox", done.stdout)

    def test_what_a_kernel_has_is_told_by_the_version(self):
        for calls, landlock, seccomp in ((LANDLOCK, False, True), ("seccomp", True, False)):
            done = subprocess.run([WITHOUT, calls, support.PROGRAM, "--version"], capture_output=True, text=True, check=True)
            self.assertEqual("no Landlock in this kernel" in done.stdout, not (landlock and offered()[0]), done.stdout)
            self.assertEqual("no seccomp in this kernel" in done.stdout, not seccomp, done.stdout)

    @support.confined
    def test_without_landlock(self):
        server = self.lacking(LANDLOCK)
        self.assertEqual(self.state(server), "no landlock")
        self.assertEqual(self.threads(server), [("1", "2")] * 2)
        log = self.scratch.home / ".tilesight" / "usage" / "events.log"
        self.assertEqual(log.read_text(encoding="ascii").count("\n"), 1)
        # The file that was opened at the start is all there is.
        log.unlink()
        for _ in range(3):
            server.refusal("top_ops")
        self.assertFalse(log.exists())
        warnings = self.warnings(server)
        self.assertEqual(len(warnings), 2, warnings)
        self.assertEqual(warnings[0], "warning: the sandbox is incomplete on this kernel: without Landlock, files are guarded by "
                                      "seccomp alone; --no-sandbox says no to it\n")
        self.assertIn("usage is not recorded", warnings[1])

    @support.confined
    def test_without_landlock_roots_are_kept_by_the_program_and_it_says_so(self):
        inside, outside = self.scratch.capture("inside"), self.scratch.capture("outside")
        (inside / "link").symlink_to(outside)
        server = self.lacking(LANDLOCK, "--root", str(inside))
        server.answer("load_report", performance_path=str(inside))
        for path in (outside, inside / "link", f"{inside}/../outside"):
            self.assertIn("lies outside the directories", server.refusal("load_report", performance_path=str(path)))
        warnings = self.warnings(server)
        self.assertEqual(len(warnings), 1)
        self.assertIn("that nothing outside --root is opened rests on this program alone", warnings[0])

    @support.confined
    def test_without_seccomp(self):
        server = self.lacking("seccomp")
        self.assertEqual(self.state(server), "no seccomp" if offered()[0] else "off")
        self.assertEqual({seccomp for _, seccomp in self.threads(server)}, {"2"})  # that of the helper
        warnings = self.warnings(server)
        self.assertEqual(len(warnings), 1)
        self.assertIn("without seccomp, the kernel does not cut off the network and other programs;", warnings[0])

    @support.confined
    def test_without_either(self):
        server = self.lacking(LANDLOCK + ",seccomp")
        self.assertEqual(self.state(server), "off")
        self.assertEqual(self.warnings(server), ["warning: the sandbox is incomplete on this kernel: it has neither Landlock nor seccomp; "
                                                 "--no-sandbox says no to it\n"])
        self.assertEqual((self.scratch.home / ".tilesight/usage/events.log").read_text(encoding="ascii").count("\n"), 1)

    @support.confined
    def test_a_sandbox_that_fails_is_not_done_without(self):
        if offered() != (True, True):
            self.skipTest("this kernel does not offer all of it")
        # What says that there is Landlock is one call, what puts it in force another.
        for calls in ("landlock_restrict_self", "landlock_add_rule"):
            server = self.lacking(calls)
            server.end_input()
            self.assertEqual(server.wait(), 1)
            self.assertIn("error: cannot enter the sandbox: Function not implemented; --no-sandbox starts without it\n", server.log)
            self.assertIsNone(server.raw())
        server = self.lacking("landlock_restrict_self", "--no-sandbox")
        self.assertEqual(self.state(server), "off")

    @support.confined
    def test_a_database_that_is_being_written_and_compressed_captures(self):
        """A write-ahead log with its index beside it, gzip, Zstandard where there is a program for it, and threads."""
        inputs = every_command.Inputs(self.scratch.path / "captures")
        writer = sqlite3.connect(inputs.profiler / "db.sqlite")
        self.addCleanup(writer.close)
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("UPDATE operations SET name = 'InTheLog' WHERE operation_id = 2")
        writer.commit()
        self.assertTrue((inputs.profiler / "db.sqlite-shm").exists())
        (inputs.before / (every_command.LOG + ".gz")).write_bytes(gzip.compress(inputs.log.read_bytes()))
        inputs.log.unlink()
        if shutil.which("zstd"):
            subprocess.run(["zstd", "-q", "--rm", inputs.csv], check=True)
        for options in ([], ["--root", str(self.scratch.path)]):
            server = self.server(*options)
            server.answer("load_report", performance_path=str(inputs.before), profiler_path=str(inputs.profiler))
            found = server.answer("find_operations", handle="report-1", name_contains="InTheLog")
            self.assertEqual((found["match_count"], found["operations"][0]["operation_id"]), (1, 2))
            self.assertGreater(server.answer("zone_timings", handle="report-1")["returned"], 0)
            self.assertGreater(server.answer("top_ops", handle="report-1")["returned"], 0)
            server.load(self.scratch.slow_capture(20))
            self.assertEqual(self.warnings(server), [])

    @support.confined
    def test_a_user_named_in_a_path_is_found_under_roots(self):
        if not offered()[0]:
            self.skipTest("this kernel has no Landlock")
        name = next((line.split(":")[0] for line in pathlib.Path("/etc/passwd").read_text(encoding="utf-8").splitlines()
                     if line.split(":")[5:6] == ["/"] or line.startswith("root:")), None)
        server = self.server("--root", str(self.scratch.path))
        text = server.refusal("load_report", performance_path=f"~{name}/nothing")
        self.assertNotIn("~", text)


def main():
    if not os.access(WITHOUT, os.X_OK):
        print("no helper to take system calls away")
        sys.exit(77)
    if subprocess.run([WITHOUT, "seccomp", "/bin/true"], check=False).returncode == 77:
        print("system calls cannot be filtered here")
        sys.exit(77)
    support.main()


if __name__ == "__main__":
    main()
