"""Handles: their names, what they keep, and what may be opened at all."""
import os
import shutil
import time

import support


class Handles(support.Case):
    def test_names(self):
        server = self.server()
        self.assertIn("Handles: none.", server.refusal("top_ops", handle="report-1"))
        first = self.scratch.capture("first")
        self.assertEqual([server.load(first) for _ in range(12)], [f"report-{n}" for n in range(1, 13)])
        self.assertIn(str(self.scratch.path / "absent"),
                      server.refusal("load_report", performance_path=str(self.scratch.path / "absent")))
        self.assertEqual(server.load(first), "report-13")
        text = server.refusal("top_ops", handle="report-14")
        self.assertIn(", ".join(f"report-{n}" for n in range(1, 14)), text)
        for name in ("report-0", "report-01", "report-+1", "Report-1", "report-1 ", "1", "", "report-99999999999999999999"):
            self.assertIn("report-13", server.refusal("top_ops", handle=name))

    def test_two_handles(self):
        server = self.server()
        handle = server.load(self.scratch.capture())
        for arguments in ({"handle_a": "none-a", "handle_b": handle}, {"handle_a": handle, "handle_b": "none-b"},
                          {"handle_a": "none-a", "handle_b": "none-b"}):
            text = server.refusal("diff_reports", **arguments)
            self.assertIn("none-a" if arguments["handle_a"] != handle else "none-b", text)
        self.assertIn("changes", server.answer("diff_reports", handle_a=handle, handle_b=handle))

    def test_one_process_does_not_know_another_s(self):
        self.server().load(self.scratch.capture())
        self.server().refusal("top_ops", handle="report-1")

    def test_very_many(self):
        server = self.server()
        folder = self.scratch.capture()
        for _ in range(1000):
            handle = server.load(folder)
        self.assertEqual(handle, "report-1000")
        self.assertIn("report-1000", server.refusal("top_ops", handle="x"))
        self.assertEqual(server.answer("top_ops", handle=handle)["handle"], handle)

    def test_a_small_cache_changes_no_answer(self):
        folders = [self.scratch.capture(f"c{n}", support.HEADER + "".join(
            support.row(f"Op{n}", call, call, 1, 5 + call) for call in range(2000))) for n in range(8)]
        small, large = self.server("--cache-mib", "1"), self.server()
        for server in (small, large):
            for folder in folders:
                server.load(folder)
        for _ in range(2):
            for number in range(1, 9):
                self.assertEqual(small.answer("top_ops", handle=f"report-{number}"),
                                 large.answer("top_ops", handle=f"report-{number}"))

    def test_a_capture_that_changed(self):
        server = self.server()
        folder = self.scratch.capture()
        kept, unread = server.load(folder), server.load(folder)
        before = server.answer("top_ops", handle=kept)
        time.sleep(0.02)
        self.scratch.capture(text=support.SMALL.replace("Mul", "Sub"))
        self.assertEqual(server.answer("top_ops", handle=kept), {**before, "capture_changed": True})
        text = server.refusal("top_ops", handle=kept, start_signpost="begin")
        self.assertIn(kept, text)
        self.assertIn("load_report", text)
        self.assertIn("load_report", server.refusal("program_cache", handle=unread))
        fresh = server.answer("top_ops", handle=server.load(folder))
        self.assertIn("Sub", [op["op_code"] for op in fresh["ops"]])
        self.assertNotIn("capture_changed", fresh)


class Roots(support.Case):
    def test_nothing_outside(self):
        inside, outside = self.scratch.capture("in"), self.scratch.capture("out")
        (inside / "link").symlink_to(outside)
        (self.scratch.path / "other").mkdir()
        other = str(self.scratch.path / "other")
        for options in (("--root", str(inside)), (f"--root={inside}",), ("--root", other, "--root", str(inside))):
            server = self.server(*options)
            server.load(inside)
            for path in (outside, inside / "link", inside / ".." / "out", "/", self.scratch.path):
                self.assertIn("outside", server.refusal("load_report", performance_path=str(path)))

    def test_a_file_that_is_a_link_to_the_outside(self):
        inside, outside = self.scratch.path / "in", self.scratch.capture("out")
        inside.mkdir()
        os.symlink(outside / "ops_perf_results_1.csv", inside / "ops_perf_results_1.csv")
        server = self.server("--root", str(inside))
        answer = server.call("load_report", performance_path=str(inside))
        if "isError" not in answer["result"]:
            server.refusal("top_ops", handle="report-1")

    def test_a_root_below_the_home_folder(self):
        """As a configuration file has it, which no shell reads."""
        shutil.copytree(self.scratch.capture("out"), self.scratch.home / "reports" / "in")
        server = self.server("--root", "~/reports")
        server.load("~/reports/in")
        self.assertIn("--root", server.refusal("load_report", performance_path=str(self.scratch.path / "out")))

    def test_a_root_that_is_replaced(self):
        """What lies at its path now is another one, and what it held is not there any more: neither is taken for the other."""
        for again in (False, True):
            root = self.scratch.path / f"root{again}"
            root.mkdir()
            shutil.copytree(self.scratch.capture("out"), root / "in")
            server = self.server("--root", str(root))
            handle = server.load(root / "in")
            server.answer("top_ops", handle=handle)
            root.rename(self.scratch.path / f"old{again}")
            if again:
                root.mkdir()
                shutil.copytree(self.scratch.capture("out"), root / "in")
            text = server.refusal("load_report", performance_path=str(root / "in"))
            self.assertIn("was moved or replaced since the start; start again", text)
            self.assertIn("capture_changed", server.answer("top_ops", handle=handle))

    def test_a_root_that_is_none(self):
        answers, status, errors = self.once("", "--root", str(self.scratch.path / "absent"))
        self.assertEqual((answers, status), ([], 1))
        self.assertIn("absent", errors)


if __name__ == "__main__":
    support.main()
