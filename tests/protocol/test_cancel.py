"""What happens while a tool runs: pings, cancellations, progress, and the queue."""
import time

import support

INVALID, PARAMS, INTERNAL = -32600, -32602, -32603
WAITING = 256


class Running(support.Case):
    """A server with a call that takes seconds."""

    def start(self, *options, blocks=300, version="2025-11-25", meta=None):
        self.talk = self.server(*options, "--log-level", "debug")
        self.talk.initialize(version)
        params = {"name": "load_report", "arguments": {"performance_path": str(self.scratch.slow_capture(blocks))}}
        if meta is not None:
            params["_meta"] = meta
        return self.talk.send_request("tools/call", params)

    def cancel(self, identity, **params):
        self.talk.notify("notifications/cancelled", {"requestId": identity, **params})


class Cancellation(Running):
    def test_a_running_call(self):
        call = self.start()
        time.sleep(0.2)
        began = time.monotonic()
        self.cancel(call, reason="the user\n changed their mind")
        # Nothing comes of it: the next answer is that of the next request, which did not have to wait for the call.
        self.assertIn("tools", self.talk.request("tools/list")["result"])
        self.assertLess(time.monotonic() - began, 1)
        # No number was used up, nothing half read was kept.
        self.assertEqual(self.talk.load(self.scratch.capture()), "report-1")
        self.assertEqual(self.talk.close(), 0)
        self.assertEqual(self.talk.rest(), [])
        self.assertIn("the user\\n changed their mind", self.talk.errors())
        self.assertNotIn("load_report ok\n", self.talk.errors().split("changed their mind")[0])

    def test_a_waiting_request(self):
        call = self.start()
        dropped = self.talk.send_request("tools/list", identity="dropped")
        kept = self.talk.send_request("tools/list", identity="kept")
        self.cancel(dropped)
        # Its id is free at once.
        again = self.talk.send_request("tools/list", identity="dropped")
        self.cancel(call)
        self.assertEqual(self.talk.receive()["id"], kept)
        self.assertEqual(self.talk.receive()["id"], again)
        self.assertEqual(self.talk.close(), 0)
        self.assertEqual(self.talk.rest(), [])

    def test_initialize_cannot_be_cancelled(self):
        call = self.start()
        again = self.talk.send_request("initialize", {"protocolVersion": "2025-06-18"})
        self.cancel(again)
        self.cancel(call)
        answer = self.talk.receive()
        self.assertEqual((answer["id"], answer["result"]["protocolVersion"]), (again, "2025-06-18"))

    def test_what_is_ignored(self):
        call = self.start(blocks=40)
        for params in (None, {}, {"requestId": None}, {"requestId": 4711}, {"requestId": str(call)}, {"requestId": [call]},
                       {"requestId": call + 0.5}, {"requestId": True}, {"id": call}, [call]):
            self.talk.notify("notifications/cancelled", params)
        self.talk.send('{"jsonrpc":"2.0","id":null,"method":"notifications/cancelled","params":{"requestId":9}}')
        answer = self.talk.receive()
        self.assertEqual(answer["id"], call)
        self.assertNotIn("isError", answer["result"])
        self.cancel(call)
        self.assertEqual(self.talk.request("ping")["result"], {})

    def test_an_id_written_otherwise(self):
        self.talk = self.server()
        folder = str(self.scratch.slow_capture())
        self.talk.send_request("tools/call", {"name": "load_report", "arguments": {"performance_path": folder}}, 100)
        self.talk.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1e2}}')
        self.assertEqual(self.talk.request("tools/list", identity="after")["id"], "after")

    def test_other_handles_survive(self):
        self.talk = self.server()
        handle = self.talk.load(self.scratch.capture())
        before = self.talk.answer("top_ops", handle=handle)
        folder = str(self.scratch.slow_capture())
        call = self.talk.send_request("tools/call", {"name": "load_report", "arguments": {"performance_path": folder}})
        time.sleep(0.1)
        self.cancel(call)
        self.assertEqual(self.talk.answer("top_ops", handle=handle), before)


class Pings(Running):
    def test_answered_while_a_tool_runs(self):
        call = self.start()
        for number in range(5):
            began = time.monotonic()
            answer = self.talk.request("ping", identity=f"ping{number}")
            self.assertEqual(answer["id"], f"ping{number}")
            self.assertLess(time.monotonic() - began, 1)
        self.cancel(call)


class Queue(Running):
    def test_how_many_may_wait(self):
        call = self.start()
        time.sleep(0.2)
        for number in range(WAITING):
            self.talk.send_request("tools/list", identity=f"w{number}")
        for number in range(3):
            answer = self.talk.request("tools/list", identity=f"o{number}")
            self.assert_error(answer, INTERNAL, f"o{number}")
        # What is wrong is told even so, and a ping is no request that waits.
        self.assert_error(self.talk.exchange("nonsense"), -32700)
        self.assertEqual(self.talk.request("ping")["result"], {})
        # A cancelled one makes room.
        self.cancel("w7")
        self.talk.send_request("tools/list", identity="last")
        self.cancel(call)
        answers = [self.talk.receive()["id"] for _ in range(WAITING)]
        self.assertEqual(answers, [f"w{number}" for number in range(WAITING) if number != 7] + ["last"])


class Progress(Running):
    def notifications(self, call):
        found, began = [], time.monotonic()
        while True:
            message = self.talk.receive()
            if message.get("id") == call:
                return found, time.monotonic() - began
            self.assertEqual(message["method"], "notifications/progress")
            self.assertEqual(list(message), ["jsonrpc", "method", "params"])
            found.append((time.monotonic() - began, message["params"]))

    def check(self, token, version, with_message):
        # As large as this machine needs to take its time.
        for blocks in (250, 1000, 4000):
            call = self.start(blocks=blocks, version=version, meta={"progressToken": token})
            found, seconds = self.notifications(call)
            if found:
                break
        self.assertGreater(len(found), 0)
        # From half a second on, at most four a second.
        self.assertGreater(found[0][0], 0.4)
        self.assertLessEqual(len(found), (seconds - 0.4) * 4 + 1)
        last = 0
        for _, params in found:
            self.assertEqual(params["progressToken"], token)
            self.assertGreater(params["progress"], last)
            last = params["progress"]
            self.assertGreaterEqual(params.get("total", last), last)
            self.assertEqual("message" in params, with_message)

    def test_text_token(self):
        self.check("t\u00e9", "2025-11-25", True)

    def test_integer_token_in_the_oldest_revision(self):
        self.check(0, "2024-11-05", False)

    def test_not_asked_for(self):
        call = self.start(blocks=100)
        self.assertEqual(self.talk.receive()["id"], call)

    def test_a_quick_call_has_none(self):
        server = self.server()
        answer = server.request("tools/call", {"name": "load_report", "_meta": {"progressToken": 1},
                                               "arguments": {"performance_path": str(self.scratch.capture())}})
        self.assertNotIn("isError", answer["result"])
        self.assertEqual(server.notifications, [])

    def test_none_after_a_cancellation(self):
        call = self.start(meta={"progressToken": "p"})
        self.assertEqual(self.talk.receive()["method"], "notifications/progress")
        self.cancel(call)
        self.talk.send_request("tools/list", identity="after")
        late = []
        while (message := self.talk.receive()).get("id") != "after":
            late.append(message)
        # At most one that was on its way.
        self.assertLessEqual(len(late), 1)

    def test_tokens_that_are_none(self):
        server = self.server()
        for token in ("null", "true", "1.5", "[]", "{}"):
            server.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"load_report","arguments":{},'
                        '"_meta":{"progressToken":%s}}}' % token)
            self.assert_error(server.receive(), PARAMS, 1)

    def test_a_huge_integer_comes_back_as_written(self):
        server = self.server()
        folder = str(self.scratch.slow_capture(400))
        server.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"load_report","arguments":'
                    '{"performance_path":"%s"},"_meta":{"progressToken":12345678901234567890123}}}' % folder)
        self.assertIn(b'"progressToken":12345678901234567890123,', server.raw())


class Limits(Running):
    def test_time_limit(self):
        call = self.start("--time-limit", "1", blocks=600)
        began = time.monotonic()
        answer = self.talk.receive()
        self.assertEqual(answer["id"], call)
        self.assertIs(answer["result"]["isError"], True)
        self.assertRegex(answer["result"]["content"][0]["text"], r"time limit.*\(1 s, set by the server's option --time-limit\)$")
        self.assertLess(time.monotonic() - began, 10)
        self.assertEqual(self.talk.load(self.scratch.capture()), "report-1")

    def test_memory_limit(self):
        text = support.HEADER + "".join(support.row(f"Op{n}", n, n, 1, 5, n, "False") for n in range(60000))
        folder = self.scratch.capture("many", text)
        server = self.server("--memory-limit", "1")
        refusal = server.refusal("load_report", performance_path=str(folder))
        self.assertRegex(refusal, r"more memory would be needed.*--memory-limit, in MiB\)$")
        self.assertNotIn("--time-limit", refusal)
        self.assertEqual(server.load(self.scratch.capture()), "report-1")


if __name__ == "__main__":
    support.main()
