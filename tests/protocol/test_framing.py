"""How bytes become messages, and answers bytes."""
import json
import os
import subprocess
import time

import support

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
PONG = {"jsonrpc": "2.0", "id": 1, "result": {}}
LIMIT = 1000000


def padded(size):
    """A ping of exactly this many bytes."""
    head, tail = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"', b'"}}'
    return head + b"a" * (size - len(head) - len(tail)) + tail


class Framing(support.Case):
    def answers(self, data):
        answers, status, _ = self.once(data)
        self.assertEqual(status, 0)
        return answers

    def test_blanks_and_line_ends(self):
        self.assertEqual(self.answers(b"\n \t \r\n" + PING + b"\r\n\r\n  \t" + PING + b" \t\n"), [PONG, PONG])

    def test_last_line_without_end(self):
        self.assertEqual(self.answers(PING + b"\n" + PING), [PONG, PONG])

    def test_no_input(self):
        self.assertEqual(self.answers(b""), [])

    def test_byte_order_mark(self):
        self.assertEqual(self.answers(b"\xef\xbb\xbf" + PING + b"\n"), [PONG])
        answers = self.answers(PING + b"\n\xef\xbb\xbf" + PING + b"\n")
        self.assertEqual(answers[0], PONG)
        self.assert_error(answers[1], -32700)

    def test_answers_are_compact_lines(self):
        server = self.server()
        server.send('{"jsonrpc":"2.0","id":"\\u0001\\"\\\\\\/\\u00e9\\ud83d\\ude00\\u007f","method":"ping"}')
        line = server.raw()
        self.assertEqual(line, '{"jsonrpc":"2.0","id":"\\u0001\\"\\\\/\u00e9\U0001f600\\u007f","result":{}}\n'.encode())

    def test_pieces(self):
        server = self.server()
        for byte in PING + b"\n":
            server.send(bytes([byte]))
        self.assertEqual(server.receive(), PONG)
        server.send(PING + b"\n" + PING[:10])
        self.assertEqual(server.receive(), PONG)
        server.send(PING[10:] + b"\n")
        self.assertEqual(server.receive(), PONG)

    def test_largest_line(self):
        answers = self.answers(padded(LIMIT) + b"\n" + padded(LIMIT + 1) + b"\n" + padded(3 * LIMIT) + b"\n" + PING + b"\n")
        self.assertEqual(answers[0], PONG)
        self.assert_error(answers[1], -32600)
        self.assert_error(answers[2], -32600)
        self.assertEqual(answers[3:], [PONG])

    def test_largest_line_behind_a_mark_and_at_the_end(self):
        self.assertEqual(self.answers(b"\xef\xbb\xbf" + padded(LIMIT)), [PONG])
        self.assert_error(self.answers(padded(LIMIT + 1))[0], -32600)

    def assert_peak(self, server, kib):
        """The most memory the server has had so far; the sanitizers have their own."""
        with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
            peak = [int(line.split()[1]) for line in file if line.startswith("VmHWM:")]
        if not os.environ.get("TILESIGHT_SANITIZE"):
            self.assertLess(peak[0], kib)

    def test_little_memory_at_first(self):
        server = self.server()
        server.initialize()
        self.assert_peak(server, 6 * 1024)

    def test_a_long_line_is_not_stored(self):
        server = self.server()
        for _ in range(64):
            server.send(b"[" * 1000000)
        server.send(b"\n")
        self.assert_error(server.receive(), -32600)
        self.assert_peak(server, 16 * 1024)

    def test_deep_nesting(self):
        for depth, good in ((62, True), (63, False), (100000, False), (900000, False)):
            # One level for the message, one for params.
            line = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":%s%s}}' % ("[" * depth, "]" * depth)
            if len(line) > LIMIT:
                line = "[" * depth
            answers = self.answers(line + "\n" + PING.decode() + "\n")
            if good:
                self.assertEqual(answers, [PONG, PONG])
            else:
                self.assert_error(answers[0], -32700)
                self.assertEqual(answers[1:], [PONG])

    def test_not_json(self):
        for line in (b"nonsense", b"{", b"{} {}", b'{"a":1,}', b"'a'", b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}',
                     b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}',
                     b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":-Infinity}}',
                     b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\xff"}}',
                     b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\xed\xa0\x80"}}',
                     b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\\ud800"}}',
                     b'{"jsonrpc":"2.0","id":1,"method":"ping"}\x00', b"\x00", b'"\x01"', b"01", b"\x0c"):
            answers = self.answers(line + b"\n" + PING + b"\n")
            self.assertEqual(len(answers), 2, line)
            self.assert_error(answers[0], -32700)
            self.assertEqual(answers[1], PONG)

    def test_numbers_that_no_double_holds(self):
        line = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":1e999999}}\n'
        self.assertEqual(self.answers(line), [PONG])

    def test_last_of_equal_keys_counts(self):
        answers = self.answers(b'{"jsonrpc":"1.0","id":7,"id":1,"method":"x","method":"ping","jsonrpc":"2.0"}\n')
        self.assertEqual(answers, [PONG])

    def test_end_of_input_finishes_what_runs(self):
        server = self.server()
        first = server.send_request("tools/call", {"name": "load_report", "arguments": {
            "performance_path": str(self.scratch.slow_capture(60))}})
        second = server.send_request("tools/list")
        self.assertEqual(server.close(), 0)
        answers = server.rest()
        self.assertEqual([answer["id"] for answer in answers], [first, second])
        self.assertNotIn("isError", answers[0]["result"])
        self.assertIn("info: end of input\n", server.log)

    def test_peer_gone_after_end_of_input(self):
        """Nobody is left to hear of a call that takes long: it is given up."""
        read_end, write_end = os.pipe()
        folder = self.scratch.slow_capture(1500)
        process = subprocess.Popen([support.PROGRAM, "mcp"], stdin=subprocess.PIPE, stdout=write_end,
                                   stderr=subprocess.DEVNULL, env=support.environment(self.scratch.home))
        os.close(write_end)
        process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "load_report", "arguments": {"performance_path": str(folder)}}}).encode() + b"\n")
        process.stdin.close()
        time.sleep(0.3)
        self.assertIsNone(process.poll())
        os.close(read_end)
        self.assertEqual(process.wait(timeout=5), 0)

    def test_client_gone(self):
        """A write into a closed pipe ends the server well, from either thread."""
        for method in ("ping", "tools/list"):
            read_end, write_end = os.pipe()
            process = subprocess.Popen([support.PROGRAM, "mcp"], stdin=subprocess.PIPE, stdout=write_end,
                                       stderr=subprocess.PIPE, env=support.environment(self.scratch.home))
            os.close(write_end)
            os.close(read_end)
            process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method}).encode() + b"\n")
            process.stdin.flush()
            self.assertEqual(process.wait(timeout=support.TIMEOUT), 0)
            self.assertIn(b"info: the client has closed standard output\n", process.stderr.read())
            process.stdin.close()
            process.stderr.close()

    def test_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([support.PROGRAM, "mcp"], input=PING + b"\n", stdout=full, stderr=subprocess.PIPE,
                                  timeout=support.TIMEOUT, check=False, env=support.environment(self.scratch.home))
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"error: cannot write to standard output: No space left on device\n", done.stderr)

    def test_input_that_cannot_be_read(self):
        done = subprocess.run(["sh", "-c", 'exec "$0" mcp <&-', support.PROGRAM], capture_output=True,
                              timeout=support.TIMEOUT, check=False, env=support.environment(self.scratch.home))
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"error: cannot read standard input: ", done.stderr)

    def test_a_slow_reader_gets_everything(self):
        """Answers far beyond what a pipe holds, to a client that first writes all and then reads."""
        process = subprocess.Popen([support.PROGRAM, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, env=support.environment(self.scratch.home))
        for identity in range(200):
            process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": identity, "method": "tools/list"}).encode() + b"\n")
        process.stdin.close()
        answers = [json.loads(line) for line in process.stdout]
        process.stdout.close()
        self.assertEqual(process.wait(timeout=support.TIMEOUT), 0)
        self.assertEqual([answer["id"] for answer in answers], list(range(200)))

    def test_termination_signals_keep_their_action(self):
        for signal in (2, 15):
            server = self.server()
            server.request("ping")
            server.process.send_signal(signal)
            self.assertEqual(server.wait(), -signal)


if __name__ == "__main__":
    support.main()
