"""The usage log: what stands in it, what does not, how it is switched off, and how it is kept small."""
import calendar
import fcntl
import os
import re
import resource
import shutil
import stat
import time

import support

CAP = 10485760
LINE = re.compile(r"ts=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ event=mcp_tool_called schema_version=1 run_id=[0-9a-f]{8} "
                  r"tool=[a-z0-9_]+ outcome=(ok|refused|error)")


class Usage(support.Case):
    def setUp(self):
        super().setUp()
        self.folder = self.scratch.home / ".tilesight" / "usage"
        self.file = self.folder / "events.log"

    def start(self, *options, **changes):
        return self.server(*options, **{"USAGE_RECORDING_DISABLED": None, **changes})

    def lines(self):
        return self.file.read_text(encoding="ascii").splitlines()

    def calls(self):
        return [(re.search("tool=([a-z_0-9]+)", line)[1], re.search("outcome=([a-z]+)", line)[1]) for line in self.lines()]


class Content(Usage):
    def test_one_line_a_call(self):
        server = self.start()
        self.assertFalse(self.file.exists())
        handle = server.load(self.scratch.capture())
        server.answer("top_ops", handle=handle)
        server.refusal("top_ops", handle="report-secret")
        server.refusal("op_breakdown", nonsense=1)
        server.refusal("load_report", performance_path="/absent/secret")
        self.assertEqual(self.calls(), [("load_report", "ok"), ("top_ops", "ok"), ("top_ops", "refused"),
                                        ("op_breakdown", "refused"), ("load_report", "refused")])
        for line in self.lines():
            self.assertRegex(line, LINE.pattern + "$")
        self.assertEqual(len({re.search("run_id=(\\w+)", line)[1] for line in self.lines()}), 1)
        written = re.search("ts=([^ ]+)", self.lines()[0])[1]
        self.assertLess(abs(time.time() - calendar.timegm(time.strptime(written, "%Y-%m-%dT%H:%M:%SZ"))), 120)
        self.assertTrue(self.file.read_bytes().endswith(b"\n"))

    def test_what_is_not_recorded(self):
        server = self.start()
        server.initialize()
        server.request("ping")
        server.request("tools/list")
        server.request("nothing")
        server.exchange("nonsense")
        server.request("tools/call", {"name": "no_such_tool"})
        server.request("tools/call", {"name": "top_ops", "arguments": []})
        call = server.send_request("tools/call", {"name": "load_report", "arguments": {
            "performance_path": str(self.scratch.slow_capture())}})
        time.sleep(0.1)
        server.notify("notifications/cancelled", {"requestId": call})
        server.request("tools/list")
        self.assertEqual(server.close(), 0)
        self.assertFalse(self.file.exists())
        server = self.start("--no-sandbox")
        server.initialize()
        self.assertEqual(server.close(), 0)

    def test_a_home_that_does_not_exist_is_not_made(self):
        self.scratch.home.rmdir()
        server = self.start()
        server.refusal("top_ops")
        server.refusal("top_ops")
        self.assertEqual(server.close(), 0)
        self.assertFalse(self.scratch.home.exists())
        self.assertEqual(server.errors().count("usage is not recorded"), 1)
        self.assertIn(f"warning: usage is not recorded: cannot open {self.file}: No such file or directory", server.errors())

    def test_modes(self):
        server = self.start()
        server.refusal("top_ops")
        self.assertEqual(stat.S_IMODE(self.folder.stat().st_mode), 0o700)
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o600)
        umask = os.umask(0)
        os.umask(umask)
        self.assertEqual(stat.S_IMODE(self.folder.parent.stat().st_mode), 0o777 & ~umask)

    def test_several_servers(self):
        servers = [self.start() for _ in range(3)]
        for _ in range(5):
            for server in servers:
                server.refusal("top_ops")
        self.assertEqual(len(self.lines()), 15)
        runs = [re.search("run_id=(\\w+)", line)[1] for line in self.lines()]
        self.assertEqual({runs.count(run) for run in runs}, {5})

    def test_a_run_id_is_never_inherited(self):
        server = self.start(RUN_ID="cafecafe", TILESIGHT_RUN_ID="cafecafe")
        server.refusal("top_ops")
        self.assertNotIn("cafecafe", self.lines()[0])

    def test_a_folder_that_vanished_is_made_again(self):
        server = self.start("--no-sandbox")
        self.assertFalse((self.scratch.home / ".tilesight").exists())
        server.refusal("top_ops")
        shutil.rmtree(self.folder.parent)
        server.refusal("top_ops")
        self.assertEqual(len(self.lines()), 1)
        self.assertNotIn("warning", server.errors())

    @support.confined
    def test_a_folder_that_vanished_stays_away_from_the_sandbox(self):
        server = self.start()
        server.refusal("top_ops")
        shutil.rmtree(self.folder.parent)
        for _ in range(3):
            server.refusal("top_ops")
        self.assertEqual(server.close(), 0)
        self.assertFalse(self.folder.parent.exists())
        self.assertEqual(len([line for line in server.log if line.startswith("warning: usage is not recorded: cannot open ")]), 1)

    @support.confined
    def test_a_file_replaced_by_another_server_is_found(self):
        server = self.start()
        server.refusal("top_ops")
        self.file.rename(self.folder / "older")
        server.refusal("op_breakdown")
        self.assertEqual(self.calls(), [("op_breakdown", "refused")])

    def test_existing_lines_stay(self):
        self.folder.mkdir(parents=True)
        self.file.write_text("something\n", encoding="ascii")
        self.start().refusal("top_ops")
        self.assertEqual((len(self.lines()), self.lines()[0]), (2, "something"))

    def test_home_from_the_password_file(self):
        server = self.start("--log-level", "info", HOME="")
        server.request("ping")
        self.assertEqual(server.close(), 0)
        self.assertNotIn(str(self.scratch.home), server.errors())


    def test_a_failure_is_no_refusal(self):
        if os.environ.get("TILESIGHT_SANITIZE"):
            self.skipTest("the sanitizers need their own memory")
        many = self.scratch.capture("many", support.HEADER + "".join(
            support.row(f"Op{n}", n, n, 1, 5, n, "False") for n in range(60000)))
        server = self.start()
        server.load(self.scratch.capture())
        with open(f"/proc/{server.process.pid}/statm", encoding="ascii") as file:
            size = int(file.read().split()[0]) * resource.getpagesize()
        resource.prlimit(server.process.pid, resource.RLIMIT_AS, (size + (2 << 20),) * 2)
        text = server.refusal("load_report", performance_path=str(many))
        self.assertTrue(text.startswith("load_report: "), text)
        self.assertIn("memory", text)
        self.assertEqual(server.answer("top_ops", handle="report-1")["returned"], 3)
        self.assertEqual(self.calls(), [("load_report", "ok"), ("load_report", "error"), ("top_ops", "ok")])
        self.assertEqual(server.close(), 0)
        self.assertIn(f"error: {text}\n", server.log)


class OptOut(Usage):
    def test_the_variable(self):
        for value in ("true", "True", "1", "yes", "YES", " true ", "", "  ", "maybe", "off", "no", "2"):
            server = self.start(USAGE_RECORDING_DISABLED=value)
            server.refusal("top_ops")
            self.assertEqual(server.close(), 0)
            self.assertFalse((self.scratch.home / ".tilesight").exists(), value)
            infos = [line for line in server.log if "USAGE_RECORDING_DISABLED" in line]
            self.assertTrue(infos[-1].startswith("info: usage is not recorded: "), infos)
            self.assertEqual(len(infos), 2 if value in ("maybe", "off", "no", "2") else 1, infos)

    def test_values_that_leave_it_on(self):
        for number, value in enumerate(("false", "0", "False", " FALSE ", " 0")):
            self.start(USAGE_RECORDING_DISABLED=value).refusal("top_ops")
            self.assertEqual(len(self.lines()), number + 1)

    def test_the_marker(self):
        for name in (".tilesight", ".ttnn-visualizer"):
            marker = self.scratch.home / name / "usage" / "disabled"
            marker.parent.mkdir(parents=True)
            marker.touch()
            # A folder that is not there at the start is not made inside the sandbox.
            server = self.start(*(["--no-sandbox"] if name == ".ttnn-visualizer" else []))
            server.refusal("top_ops")
            self.assertFalse(self.file.exists())
            # It is looked at before every write.
            marker.unlink()
            server.refusal("top_ops")
            self.assertEqual(len(self.lines()), 1)
            marker.touch()
            server.refusal("top_ops")
            self.assertEqual(len(self.lines()), 1)
            self.assertEqual(server.close(), 0)
            self.assertIn(f"info: usage is not recorded: {marker} is there\n", server.log)
            shutil.rmtree(self.scratch.home / name)
            shutil.rmtree(self.scratch.home / ".tilesight", ignore_errors=True)

    def test_it_is_said_how(self):
        server = self.start()
        server.request("ping")
        self.assertEqual(server.close(), 0)
        self.assertTrue(server.log[0].startswith("info: "))
        for word in (str(self.file), "USAGE_RECORDING_DISABLED=true", str(self.folder / "disabled")):
            self.assertIn(word, server.log[0])


class Failures(Usage):
    def warnings(self, server):
        return [line for line in server.log if line.startswith("warning: ")]

    def test_one_warning_for_a_run_of_failures(self):
        (self.scratch.home / ".tilesight").write_text("a file in the way", encoding="ascii")
        server = self.start("--no-sandbox", "--log-level", "debug")
        for _ in range(4):
            server.refusal("top_ops")
        (self.scratch.home / ".tilesight").unlink()
        server.refusal("top_ops")
        self.assertEqual(len(self.lines()), 1)
        # That re-armed it.
        shutil.rmtree(self.scratch.home / ".tilesight")
        (self.scratch.home / ".tilesight").write_text("a file in the way", encoding="ascii")
        for _ in range(2):
            server.refusal("top_ops")
        self.assertEqual(server.close(), 0)
        self.assertEqual(len(self.warnings(server)), 2)
        self.assertEqual(len([line for line in server.log if line.startswith("debug: usage is not recorded")]), 4)

    def test_something_else_in_the_file_s_place(self):
        self.folder.mkdir(parents=True)
        os.mkfifo(self.file)
        server = self.start()
        server.refusal("top_ops")
        self.assertEqual(server.request("ping")["result"], {})
        self.assertEqual(server.close(), 0)
        self.assertEqual(len(self.warnings(server)), 1)


class Size(Usage):
    def fill(self, size):
        self.folder.mkdir(parents=True, exist_ok=True)
        line = "ts=2026-01-01T00:00:00Z event=mcp_tool_called schema_version=1 run_id=00000000 tool=top_ops outcome=ok\n"
        with open(self.file, "w", encoding="ascii") as file:
            file.write(line * (size // len(line)) + "x" * (size % len(line) - 1) + "\n")

    def test_cap(self):
        server = self.start()
        self.fill(CAP)
        server.refusal("top_ops")
        self.assertGreater(self.file.stat().st_size, CAP)
        size = self.file.stat().st_size
        for _ in range(3):
            server.refusal("top_ops")
        # Believed for a while, also when there is room again.
        self.fill(1000)
        server.refusal("top_ops")
        self.assertEqual(self.file.stat().st_size, 1000)
        self.assertGreater(size, CAP)
        self.assertEqual(server.close(), 0)
        self.assertEqual(len([line for line in server.log if line.startswith("warning: ")]), 1)

    def test_compaction_at_start(self):
        self.fill(CAP + 100)
        self.file.chmod(0o640)
        total = len(self.lines())
        server = self.start()
        server.refusal("top_ops")
        self.assertEqual(server.close(), 0)
        lines = self.lines()
        self.assertEqual(lines[0], f"ts=2026-01-01T00:00:00Z event=mcp_tool_called outcome=ok schema_version=1 tool=top_ops "
                                   f"count={total // 2}")
        self.assertEqual(len(lines), 1 + total - total // 2 + 1)
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o600)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), [".compaction.lock", "events.log"])
        self.assertLess(self.file.stat().st_size, CAP // 2 + 1000)

    def test_no_compaction_below_the_cap(self):
        self.fill(CAP)
        self.start().request("ping")
        self.assertEqual(self.file.stat().st_size, CAP)
        self.assertFalse((self.folder / ".compaction.lock").exists())

    def test_no_compaction_when_switched_off(self):
        self.fill(CAP + 1)
        for changes in ({"USAGE_RECORDING_DISABLED": "true"}, {}):
            (self.folder / "disabled").touch()
            self.start(**changes).request("ping")
            self.assertEqual(self.file.stat().st_size, CAP + 1)
            self.assertFalse((self.folder / ".compaction.lock").exists())

    def test_no_compaction_while_another_does_it(self):
        self.fill(CAP + 1)
        with open(self.folder / ".compaction.lock", "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            server = self.start()
            server.request("tools/list")
            self.assertEqual(server.close(), 0)
        self.assertEqual(self.file.stat().st_size, CAP + 1)


if __name__ == "__main__":
    support.main()
