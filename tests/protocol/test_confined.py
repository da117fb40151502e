"""The server works where it can write nothing, open no socket and start no process: under Landlock and seccomp."""
import os
import subprocess
import sys

import support

CONFINE = os.path.join(os.environ.get("TS_BUILD_DIR", ""), "tests", "confine")


class Confined(support.Case):
    def confined(self, *options, **changes):
        # The sanitizers' search for leaks at the end starts a process of its own.
        return self.server(*options, prefix=[CONFINE], ASAN_OPTIONS="detect_leaks=0", **changes)

    def session(self, server):
        first, second = self.scratch.capture("first"), self.scratch.capture("second", support.SMALL.replace("Mul", "Sub"))
        log = "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000\nPCIe slot, core_x\n"
        (first / "profile_log_device.csv").write_text(log, encoding="utf-8")
        self.assertEqual(server.initialize()["protocolVersion"], "2025-11-25")
        answers = [server.request("tools/list"), server.request("ping")]
        for folder in (first, second):
            answers.append(server.call("load_report", performance_path=str(folder)))
        groups = ["config", "utilisation", "noc", "riscs", "cores", "dispatch", "cache", "kernels", "advice", "flags"]
        for tool, arguments in (
                ("top_ops", {"handle": "report-1", "include": groups}),
                ("top_ops", {"handle": "report-1", "start_signpost": "begin", "end_signpost": "end"}),
                ("op_breakdown", {"handle": "report-2"}), ("program_cache", {"handle": "report-1"}),
                ("diff_reports", {"handle_a": "report-1", "handle_b": "report-2"}),
                ("top_ops", {"handle": "report-3"}), ("load_report", {"performance_path": "/absent"})):
            answers.append(server.call(tool, **arguments))
        self.assertEqual(server.close(), 0, server.errors())
        return answers

    def test_the_same_answers(self):
        self.assertEqual(self.session(self.confined()), self.session(self.server()))

    def test_many_threads_and_a_compressed_capture(self):
        server = self.confined()
        self.assertEqual(server.load(self.scratch.slow_capture(20)), "report-1")
        self.assertEqual(server.close(), 0)

    def test_usage_cannot_be_recorded(self):
        server = self.confined(USAGE_RECORDING_DISABLED=None)
        for _ in range(3):
            server.refusal("top_ops", handle="x")
        self.assertEqual(server.close(), 0)
        self.assertEqual(len([line for line in server.log if line.startswith("warning: ")]), 1)
        self.assertFalse((self.scratch.home / ".tilesight").exists())

    def test_nothing_is_written_unconfined_either(self):
        before = sorted(str(path) for path in self.scratch.path.rglob("*"))
        self.session(self.server())
        made = set(map(str, self.scratch.path.rglob("*"))) - set(before)
        self.assertEqual({os.path.basename(path) for path in made},
                         {"first", "second", "ops_perf_results_1.csv", "profile_log_device.csv"})

    def test_the_confinement_is_one(self):
        """Otherwise this file would prove nothing."""
        target = self.scratch.path / "written"
        subprocess.run([CONFINE, "/bin/sh", "-c", f"echo x >'{target}'"], stderr=subprocess.DEVNULL, check=False)
        self.assertFalse(target.exists())
        done = subprocess.run([CONFINE, "/bin/sh", "-c", "/bin/ls; true"], capture_output=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, b"")


def main():
    if not os.access(CONFINE, os.X_OK):
        print("no helper to confine the server with")
        sys.exit(77)
    if subprocess.run([CONFINE, "/bin/true"], check=False).returncode == 77:
        sys.exit(77)
    support.main()


if __name__ == "__main__":
    main()
