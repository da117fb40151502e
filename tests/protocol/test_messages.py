"""What kind of message a line is, and how each kind is answered; ids; batches."""
import json

import support

PARSE, INVALID, METHOD, PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
BATCH = "2025-03-26"


class Messages(support.Case):
    def setUp(self):
        super().setUp()
        self.talk = self.server()

    def silent(self, data, talk=None):
        """The line is not answered: what comes next is the answer to a ping sent behind it."""
        talk = talk or self.talk
        talk.send(data)
        self.assertEqual(talk.request("ping", identity="after"), {"jsonrpc": "2.0", "id": "after", "result": {}})

    def refused(self, data, code, identity=None):
        self.assert_error(self.talk.exchange(data), code, identity)

    def test_values_that_are_no_message(self):
        for value in ("[]", "[1]", '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', "1", '"text"', "null", "true", "1.5"):
            self.refused(value, INVALID)

    def test_answers_to_nothing(self):
        self.silent('{"jsonrpc":"2.0","id":1,"result":{}}')
        self.silent('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}')
        self.silent('{"result":1}')

    def test_method_missing_or_no_string(self):
        self.refused('{"jsonrpc":"2.0","id":1}', INVALID, 1)
        self.refused('{"jsonrpc":"2.0","id":"a","method":1}', INVALID, "a")
        self.refused('{"jsonrpc":"2.0","id":"a","method":null,"result":{}}', INVALID, "a")
        self.refused('{"jsonrpc":"2.0"}', INVALID)
        self.refused('{"jsonrpc":"2.0","id":null}', INVALID)
        self.refused('{"jsonrpc":"2.0","id":{"a":1},"method":7}', INVALID)
        self.refused('{"jsonrpc":"2.0","id":1.5}', INVALID)
        self.refused("{}", INVALID)

    def test_revision_of_the_envelope(self):
        for value in ("", '"jsonrpc":"1.0",', '"jsonrpc":2.0,', '"jsonrpc":null,', '"jsonrpc":"2.00",'):
            self.refused("{%s\"id\":5,\"method\":\"ping\"}" % value, INVALID, 5)
            self.refused("{%s\"method\":\"ping\"}" % value, INVALID)

    def test_notifications_are_never_answered(self):
        for method in ("initialize", "ping", "tools/list", "tools/call", "nothing", "notifications/initialized",
                       "notifications/cancelled", "notifications/progress", "notifications/roots/list_changed",
                       "notifications/unheard_of"):
            self.silent(json.dumps({"jsonrpc": "2.0", "method": method}))
            self.silent(json.dumps({"jsonrpc": "2.0", "method": method, "params": [1]}))
            self.silent(json.dumps({"jsonrpc": "2.0", "method": method, "params": "x"}))
        self.silent('{"method":"notifications/initialized"}')
        self.silent('{"jsonrpc":"2.0","id":null,"method":"notifications/initialized"}')

    def test_a_notification_called_initialize_agrees_on_nothing(self):
        self.silent('{"jsonrpc":"2.0","method":"initialize","params":{"protocolVersion":"2025-03-26"}}')
        self.refused('[{"jsonrpc":"2.0","id":1,"method":"ping"}]', INVALID)

    def test_ids_that_are_none(self):
        for identity in ("null", "true", "false", "[]", "[1]", "{}", '{"a":1}', "1.5", "-0.25", "1e-2", "1.0", "15e-1"):
            self.refused('{"jsonrpc":"2.0","id":%s,"method":"ping"}' % identity, INVALID)

    def test_ids_come_back_as_written(self):
        for identity in ("0", "-0", "7", "-7", "12345678901234567890123", "-98765432109876543210", "1e2", "1E+2", "100e-2",
                         "1e400", '""', '"a"', '"1"', '"\u00e9\U0001f600"', '"%s"' % ("x" * 5000)):
            self.talk.send('{"jsonrpc":"2.0","id":%s,"method":"ping"}' % identity)
            self.assertEqual(self.talk.raw().decode(), '{"jsonrpc":"2.0","id":%s,"result":{}}\n' % identity)
            self.talk.send('{"jsonrpc":"2.0","id":%s,"method":"nothing"}' % identity)
            self.assertIn('"id":%s,"error"' % identity, self.talk.raw().decode())

    def test_params_of_another_type(self):
        for method in ("ping", "initialize", "tools/list", "tools/call", "server/discover", "nothing"):
            for params in ("[]", "null", "1", '"x"', "true"):
                self.refused('{"jsonrpc":"2.0","id":1,"method":"%s","params":%s}' % (method, params), PARAMS, 1)

    def test_unknown_methods(self):
        for method in ("nothing", "", "Ping", "resources/list", "resources/read", "prompts/list", "prompts/get",
                       "logging/setLevel", "completion/complete", "tasks/list", "subscriptions/listen", "roots/list",
                       "sampling/createMessage", "elicitation/create", "notifications/initialized"):
            answer = self.talk.request(method)
            self.assert_error(answer, METHOD, answer["id"])
            self.assertIn(f'"{method}"', answer["error"]["message"])

    def test_an_unknown_method_is_quoted_with_care(self):
        message = self.talk.request("x" * 1000 + "\x1b[31m")["error"]["message"]
        self.assertIn("x" * 64, message)
        self.assertNotIn("x" * 65, message)
        self.assertNotIn("\x1b", self.talk.request("\x1b[31m")["error"]["message"])

    def test_id_in_flight(self):
        folder = str(self.scratch.slow_capture())
        self.talk.send_request("tools/call", {"name": "load_report", "arguments": {"performance_path": folder}}, 1)
        self.talk.send_request("tools/list", identity="1")
        for newer in ("1", "1e0", "10e-1"):
            self.talk.send('{"jsonrpc":"2.0","id":%s,"method":"tools/list"}' % newer)
            self.assert_error(self.talk.receive(), INVALID, 1)
        self.assert_error(self.talk.exchange('{"jsonrpc":"2.0","id":"1","method":"ping"}'), INVALID, "1")
        self.talk.notify("notifications/cancelled", {"requestId": 1})
        self.assertEqual(self.talk.receive()["id"], "1")
        # Free again.
        self.assertIn("tools", self.talk.request("tools/list", identity="1")["result"])
        self.assertIn("tools", self.talk.request("tools/list", identity=1)["result"])

    def test_quick_requests_may_repeat_an_id(self):
        answers, status, _ = self.once(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n' * 20)
        self.assertEqual((status, len(answers)), (0, 20))
        for answer in answers:
            self.assertIn("result", answer)

    def test_order_of_answers(self):
        lines = []
        for number in range(30):
            lines += ['{"jsonrpc":"2.0","id":"list%d","method":"tools/list"}' % number, "nonsense",
                      '{"jsonrpc":"2.0","id":"ping%d","method":"ping"}' % number]
        answers, _, _ = self.once("\n".join(lines) + "\n")
        expected = []
        for number in range(30):
            expected += [f"list{number}", None, f"ping{number}"]
        self.assertEqual([answer["id"] for answer in answers], expected)


class Batches(support.Case):
    def setUp(self):
        super().setUp()
        self.talk = self.server()
        self.talk.initialize(BATCH)

    def test_only_in_the_revision_that_has_them(self):
        ping = [{"jsonrpc": "2.0", "id": 1, "method": "ping"}]
        for version in support.LEGACY:
            talk = self.server()
            talk.initialize(version)
            answer = talk.exchange(ping)
            if version == BATCH:
                self.assertEqual(answer, [{"jsonrpc": "2.0", "id": 1, "result": {}}])
            else:
                self.assert_error(answer, INVALID)

    def test_each_element_follows_the_rules(self):
        answers = self.talk.exchange([
            {"jsonrpc": "2.0", "id": "a", "method": "ping"},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            7,
            [{"jsonrpc": "2.0", "id": 1, "method": "ping"}],
            {"jsonrpc": "2.0", "id": 5, "result": {}},
            {"jsonrpc": "2.0", "id": "b", "method": "nothing"},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "top_ops", "arguments": {}}},
            {"jsonrpc": "2.0", "id": None, "method": "ping"},
            {"id": 3, "method": "ping"},
            {"jsonrpc": "2.0", "id": 4, "method": "tools/list", "params": []},
            {"jsonrpc": "2.0", "id": "a", "method": "ping"},
        ])
        self.assertEqual([answer["id"] for answer in answers], ["a", None, None, "b", 2, None, 3, 4, "a"])
        self.assertEqual([answer.get("error", {}).get("code") for answer in answers],
                         [None, INVALID, INVALID, METHOD, None, INVALID, INVALID, PARAMS, INVALID])
        self.assertIs(answers[4]["result"]["isError"], True)

    def test_nothing_to_answer(self):
        self.talk.send([{"jsonrpc": "2.0", "method": "notifications/initialized"}, {"jsonrpc": "2.0", "id": 1, "result": {}}])
        self.assertEqual(self.talk.request("ping", identity="after")["id"], "after")

    def test_empty(self):
        self.assert_error(self.talk.exchange([]), INVALID)

    def test_one_line(self):
        self.talk.send([{"jsonrpc": "2.0", "id": number, "method": "ping"} for number in range(3)])
        self.assertEqual(self.talk.raw().decode(), "[%s]\n" % ",".join(
            '{"jsonrpc":"2.0","id":%d,"result":{}}' % number for number in range(3)))

    def test_agreeing_anew_inside_a_batch(self):
        answers = self.talk.exchange([
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2024-11-05"}},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}])
        self.assertEqual(answers[0]["result"]["protocolVersion"], "2024-11-05")
        self.assertNotIn("title", answers[1]["result"]["tools"][0])
        self.assert_error(self.talk.exchange([{"jsonrpc": "2.0", "id": 1, "method": "ping"}]), INVALID)

    def test_more_than_may_wait(self):
        answers = self.talk.exchange([{"jsonrpc": "2.0", "id": number, "method": "ping"} for number in range(300)])
        self.assertEqual([answer["id"] for answer in answers], list(range(300)))
        self.assertEqual([number for number in range(300) if "error" in answers[number]], list(range(256, 300)))
        self.assertEqual({answer["error"]["code"] for answer in answers[256:]}, {INTERNAL})

    def test_a_cancelled_element_is_left_out(self):
        folder = str(self.scratch.slow_capture())
        call = {"name": "load_report", "arguments": {"performance_path": folder}}
        self.talk.send([
            {"jsonrpc": "2.0", "id": 1, "method": "ping"},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
            {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": call},
            {"jsonrpc": "2.0", "id": 4, "method": "ping"},
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}}])
        self.assertEqual(self.talk.request("ping", identity="meanwhile")["id"], "meanwhile")
        self.talk.notify("notifications/cancelled", {"requestId": 2})
        self.assertEqual([answer["id"] for answer in self.talk.receive()], [1, 4])
        self.talk.send([{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
                        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}])
        self.assertEqual(self.talk.request("ping", identity="after")["id"], "after")


if __name__ == "__main__":
    support.main()
