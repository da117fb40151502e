"""Each limit of a request: what passes it is refused clearly or cut and said so, and the server lives.

The table of docs/mcp.md names them; the limits of time, of what waits, and of memory in arenas are in test_cancel.py, those of a
line in test_framing.py.
"""
import gzip
import json
import pathlib
import re
import sqlite3
import sys
import time

import support

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import every_command  # noqa: E402

FIT, REPORT_TEXT = 64000, 4096


class Limits(support.Case):
    def setUp(self):
        super().setUp()
        self.inputs = every_command.Inputs(self.scratch.path / "captures")

    def lives(self, server):
        """It answers, and gives up nothing it had."""
        self.assertEqual(server.request("ping")["result"], {})
        handle = server.load(self.scratch.capture("fine"))
        self.assertEqual(server.answer("top_ops", handle=handle)["returned"], 3)
        self.assertEqual(server.close(), 0, server.errors())

    def graph(self, text):
        database = sqlite3.connect(self.inputs.profiler / "db.sqlite")
        database.execute("UPDATE captured_graph SET captured_graph = ? WHERE rowid = (SELECT min(rowid) FROM captured_graph)", (text,))
        database.commit()
        database.close()

    @support.confined
    def test_memory_of_libraries(self):
        """A graph that takes more than the request may, in a parser that knows nothing of limits."""
        elements = [{"counter": number, "node_type": "x", "params": {"a": "b" * 20}, "connections": []} for number in range(300000)]
        self.graph(json.dumps(elements))
        server = self.server("--memory-limit", "16")
        handle = server.answer("load_report", profiler_path=str(self.inputs.profiler))["handle"]
        text = server.refusal("l1_peak", handle=handle)
        self.assertIn("out of memory (a call may use 16 MiB, set by the server's option --memory-limit)", text)
        self.assertGreater(server.answer("find_operations", handle=handle)["returned"], 0)
        self.lives(server)
        server = self.server("--memory-limit", "4096")
        handle = server.answer("load_report", profiler_path=str(self.inputs.profiler))["handle"]
        self.assertIn("peak", server.answer("l1_peak", handle=handle))

    @support.confined
    def test_where_memory_of_libraries_cannot_be_bounded_this_is_said(self):
        """No descriptor is left for /proc/self/statm; with one more there is."""
        for count, said in ((4, True), (5, False)):
            server = self.server("--no-sandbox", prefix=["sh", "-c", f'ulimit -n {count}; exec "$@"', "sh"])
            self.assertEqual(server.request("ping")["result"], {})
            server.close()
            self.assertEqual("--memory-limit does not hold for libraries" in server.errors(), said, server.errors())

    def test_nesting_in_a_capture(self):
        for depth, good in ((500, True), (600, False), (200000, False)):
            self.graph("[" + "[" * depth + "]" * depth + "]")
            server = self.server()
            handle = server.answer("load_report", profiler_path=str(self.inputs.profiler))["handle"]
            answer = server.answer("l1_peak", handle=handle)
            self.assertTrue(good or answer.get("caveat"), answer)
            self.lives(server)

    def test_size_of_an_answer(self):
        """The ends of lists go, counted; what was not asked for in rows is whole."""
        folder = self.scratch.capture("long", support.HEADER + "".join(
            support.row(f"Op{n:03}{'x' * 2000}", n, n, 1, 100 + n, n, "False") for n in range(150)))
        server = self.server()
        handle = server.load(folder)
        answer = server.answer("top_ops", handle=handle, limit=100)
        shown = len(answer["ops"])
        self.assertEqual((answer["returned"], answer["left_out"]), (shown, {"ops": 100 - shown}))
        self.assertTrue(20 < shown < 100, shown)
        self.assertLessEqual(len(json.dumps(answer, separators=(",", ":"))), FIT)
        self.assertTrue(answer["ops"][0]["op_code"].startswith("Op149"))
        few = server.answer("top_ops", handle=handle, limit=shown)
        self.assertNotIn("left_out", few)
        self.assertEqual(few["ops"], answer["ops"])
        self.lives(server)

    def test_every_answer_fits(self):
        """Names as long as they are told, everywhere."""
        every = every_command.questions(self.inputs)
        long = "y" * 6000
        for path in (self.inputs.csv, self.inputs.after / every_command.CSV):
            lines = path.read_text(encoding="utf-8").splitlines()
            path.write_text("\n".join([lines[0], *(re.sub("^[^,]+", lambda code: code[0] + long, line) for line in lines[1:])]) + "\n",
                            encoding="utf-8")
        database = sqlite3.connect(self.inputs.profiler / "db.sqlite")
        for table, column in (("operations", "name"), ("operation_arguments", "value"), ("tensors", "shape"), ("stack_traces", "stack_trace"),
                              ("errors", "error_message")):
            database.execute(f"UPDATE {table} SET {column} = {column} || ?", (long,))
        database.commit()
        database.close()
        server = self.server()
        both = {"performance_path": str(self.inputs.before), "profiler_path": str(self.inputs.profiler)}
        server.answer("load_report", **both)
        server.answer("load_report", performance_path=str(self.inputs.after))
        answered = 0
        for words in every[1:]:
            name = words[0].replace("-", "_")
            arguments = {"handle_a": "report-1", "handle_b": "report-2"} if name == "diff_reports" else {"handle": "report-1"}
            for at, word in enumerate(words):
                if str(word).startswith("--"):
                    value = words[at + 1]
                    arguments[word[2:].replace("-", "_")] = value.split(",") if word == "--include" else int(value)
            for limit in ({}, {"limit": 100}) if name not in ("operation_detail", "tensor_flow") else ({},):
                result = server.call(name, **{**arguments, **limit})["result"]
                text = result["content"][0]["text"]
                if result.get("isError"):
                    self.assertRegex(text, "larger than [0-9]+ bytes: .*lower|lower .*limit|ask for")
                else:
                    self.assertLessEqual(len(text.encode()), 100000, name)
                    answered += 1
        self.assertGreater(answered, 15)
        self.lives(server)

    def test_one_text(self):
        folder = self.scratch.capture("long", support.HEADER + support.row("O" + "\u00e9" * 5000, 1024, 5, 1, 100))
        server = self.server()
        handle = server.load(folder)
        op = server.answer("top_ops", handle=handle)["ops"][0]
        self.assertEqual((len(op["op_code"].encode()), op["op_code_full_length"]), (REPORT_TEXT - 1, 10001))
        self.lives(server)

    def test_a_row(self):
        row = support.row("Add", 1024, 5, 10, 100)
        for size, refused in ((15 << 20, False), (17 << 20, True)):
            folder = self.scratch.path / f"row{size}"
            folder.mkdir()
            with gzip.open(folder / "ops_perf_results_1.csv.gz", "wt", 1) as file:
                file.write(support.HEADER + row.replace("{}", "x" * size))
            server = self.server()
            handle = server.load(folder)
            if refused:
                self.assertRegex(server.refusal("top_ops", handle=handle), "16 MiB|16777216|larger|longer")
            else:
                self.assertEqual(server.answer("top_ops", handle=handle)["returned"], 1)
            self.lives(server)

    def test_what_unpacks_to_very_much(self):
        """The time limit ends it, and memory does not grow with it."""
        folder = self.scratch.path / "bomb"
        folder.mkdir()
        block = gzip.compress(b"," * (8 << 20), 9)
        with open(folder / "profile_log_device.csv.gz", "wb") as file:
            file.write(gzip.compress(b"ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000\nPCIe slot, core_x\n"))
            for _ in range(2000):
                file.write(block)
        (folder / "ops_perf_results_1.csv").write_text(support.SMALL, encoding="utf-8")
        server = self.server("--time-limit", "2")
        began = time.monotonic()
        result = server.call("load_report", performance_path=str(folder))["result"]
        self.assertLess(time.monotonic() - began, 20)
        self.assertTrue(result["content"][0]["text"])
        self.lives(server)


if __name__ == "__main__":
    support.main()
