"""What the tests of the stdio server share: a server to talk to, and captures to ask it about.

TILESIGHT is the program's path. Exit status 77 (skipped) when there is none.
"""
import gzip
import json
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PROGRAM = os.environ.get("TILESIGHT", "")
# Sanitizers make everything slower; nothing here is about speed.
TIMEOUT = 60

LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}

HEADER = "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,CORE COUNT,ATTRIBUTES,HOST START TS,HOST END TS," \
         "OP TO OP LATENCY [ns],DEVICE KERNEL DURATION [ns],PROGRAM HASH,PROGRAM CACHE HIT\n"


def row(code, call, start, gap, duration, program=7, hit="True"):
    return f"{code},tt_dnn_device,{call},0,64,{{}},{start},{start + 10},{gap},{duration},{program},{hit}\n"


def signpost(name, start):
    return f"{name},signpost,,,,,{start},{start + 10},,,,\n"


SMALL = HEADER + signpost("begin", 100) + row("Add", 1024, 200, 10, 5000, 7, "False") + row("Mul", 2048, 300, 20, 3000, 8, "False") \
    + signpost("end", 400) + row("Add", 3072, 500, 30, 4000)


class Scratch:
    """A folder that is gone after the test, with a home of its own for the server."""

    def __init__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="tilesight-protocol-"))
        self.home = self.path / "home"
        self.home.mkdir()

    def capture(self, name="capture", text=SMALL, file="ops_perf_results_1.csv"):
        folder = self.path / name
        folder.mkdir(exist_ok=True)
        (folder / file).write_text(text, encoding="utf-8")
        return folder

    def slow_capture(self, blocks=300):
        """A capture whose reading takes seconds, and little room: the same long rows over and over, compressed."""
        folder = self.path / f"slow{blocks}"
        if not folder.exists():
            folder.mkdir()
            line = f"Add,tt_dnn_device,1024,0,64,{'x' * 1000000},5,10,,100,,\n"
            block = gzip.compress((line * 10).encode(), 1)
            with open(folder / "ops_perf_results_1.csv.gz", "wb") as file:
                file.write(gzip.compress(HEADER.encode()))
                for _ in range(blocks):
                    file.write(block)
        return folder

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)


def environment(home, **changes):
    """The environment of a server: its home, no usage records unless a test is about them, and changes (None removes)."""
    values = dict(os.environ, HOME=str(home), USAGE_RECORDING_DISABLED="true")
    values.pop("TTNN_VISUALIZER_URL", None)
    values.update(changes)
    return {name: str(value) for name, value in values.items() if value is not None}


class Server:
    """A running server. Lines it writes are collected as they come, so that no pipe fills."""

    def __init__(self, home, *options, prefix=(), cwd=None, **changes):
        self.process = subprocess.Popen(
            [*prefix, PROGRAM, "mcp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            cwd=cwd, env=environment(home, **changes))
        self.lines = queue.Queue()
        self.log = []
        self.next_id = 0
        self.notifications = []
        self.threads = [threading.Thread(target=self._collect_lines, daemon=True),
                        threading.Thread(target=self._collect_log, daemon=True)]
        for thread in self.threads:
            thread.start()

    def _collect_lines(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def _collect_log(self):
        for line in self.process.stderr:
            self.log.append(line.decode("utf-8"))

    def send(self, data):
        """Bytes as they are, text or a JSON value as a line."""
        if not isinstance(data, (bytes, str)):
            data = json.dumps(data)
        if isinstance(data, str):
            data = data.encode("utf-8") + b"\n"
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def raw(self, timeout=TIMEOUT):
        """The next line as bytes, None at the end of output."""
        try:
            return self.lines.get(timeout=timeout)
        except queue.Empty:
            raise AssertionError(f"no answer; standard error: {''.join(self.log)}") from None

    def receive(self, timeout=TIMEOUT):
        line = self.raw(timeout)
        if line is None:
            raise AssertionError(f"the server closed its output; standard error: {''.join(self.log)}")
        return json.loads(line)

    def exchange(self, data):
        self.send(data)
        return self.receive()

    def send_request(self, method, params=None, identity=None):
        if identity is None:
            self.next_id += 1
            identity = self.next_id
        message = {"jsonrpc": "2.0", "id": identity, "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)
        return identity

    def notify(self, method, params=None):
        message = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)

    def request(self, method, params=None, identity=None):
        """The answer; notifications that come before it are kept."""
        identity = self.send_request(method, params, identity)
        while True:
            answer = self.receive()
            if "method" in answer:
                self.notifications.append(answer)
                continue
            assert answer["id"] == identity, answer
            return answer

    def initialize(self, version="2025-11-25"):
        answer = self.request("initialize", {"protocolVersion": version, "capabilities": {},
                                             "clientInfo": {"name": "test", "version": "1"}})
        self.notify("notifications/initialized")
        return answer["result"]

    def call(self, tool, **arguments):
        return self.request("tools/call", {"name": tool, "arguments": arguments})

    def answer(self, tool, **arguments):
        """The decoded answer of a call that must succeed."""
        result = self.call(tool, **arguments)["result"]
        assert "isError" not in result, result
        return json.loads(result["content"][0]["text"])

    def refusal(self, tool, **arguments):
        """The text of a call that must be refused."""
        answer = self.call(tool, **arguments)
        assert answer.get("result", {}).get("isError") is True, answer
        content = answer["result"]["content"]
        assert set(answer["result"]) == {"content", "isError"} and len(content) == 1, answer
        assert set(content[0]) == {"type", "text"} and content[0]["type"] == "text", answer
        return content[0]["text"]

    def load(self, folder):
        return self.answer("load_report", performance_path=str(folder))["handle"]

    def end_input(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass

    def wait(self):
        status = self.process.wait(timeout=TIMEOUT)
        for thread in self.threads:
            thread.join(timeout=TIMEOUT)
        return status

    def close(self):
        """End of input; the exit status."""
        self.end_input()
        return self.wait()

    def rest(self):
        """What else comes until the end of output."""
        lines = []
        while (line := self.raw()) is not None:
            lines.append(json.loads(line))
        return lines

    def errors(self):
        return "".join(self.log)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except OSError:
                pass


# What a sanitizer or a coverage run does at the end of a program the sandbox forbids, so programs built for one start without it.
confined = unittest.skipIf(os.environ.get("TILESIGHT_SANITIZE") or "LLVM_PROFILE_FILE" in os.environ,
                           "the program is built to be watched, and starts without its sandbox")


class Case(unittest.TestCase):
    """A test with a scratch folder and servers that are gone after it."""

    def setUp(self):
        self.scratch = Scratch()
        self.addCleanup(self.scratch.remove)

    def server(self, *options, **changes):
        server = Server(self.scratch.home, *options, **changes)
        self.addCleanup(server.kill)
        return server

    def once(self, data, *options, **changes):
        """Everything a server answers to this input, its exit status and its standard error."""
        if isinstance(data, str):
            data = data.encode("utf-8")
        done = subprocess.run([PROGRAM, "mcp", *options], input=data, capture_output=True, timeout=TIMEOUT, check=False,
                              env=environment(self.scratch.home, **changes))
        return [json.loads(line) for line in done.stdout.splitlines()], done.returncode, done.stderr.decode("utf-8")

    def assert_error(self, answer, code, identity=None):
        self.assertEqual(set(answer), {"jsonrpc", "id", "error"}, answer)
        self.assertEqual(answer["error"]["code"], code, answer)
        self.assertTrue(answer["error"]["message"])
        self.assertEqual(answer["id"], identity)

    def wait_for(self, condition, seconds=TIMEOUT):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, "it did not happen")
            time.sleep(0.01)


def main():
    if not os.access(PROGRAM, os.X_OK):
        print("no program to test: TILESIGHT names none")
        sys.exit(77)
    unittest.main()
