"""How the arguments of a tool are checked, and that the handle is looked up after that."""
import json
import os
import pwd

import support


class Arguments(support.Case):
    def setUp(self):
        super().setUp()
        self.talk = self.server()
        self.handle = self.talk.load(self.scratch.capture())

    def top(self, **arguments):
        return self.talk.answer("top_ops", handle=self.handle, **arguments)

    def refused(self, *words, **arguments):
        text = self.talk.refusal("top_ops", **{"handle": self.handle, **arguments})
        for word in words:
            self.assertIn(word, text)
        return text

    def raw(self, text):
        """The result of top_ops with an argument written as it is."""
        answer = self.talk.exchange('{"jsonrpc":"2.0","id":"raw","method":"tools/call","params":{"name":"top_ops","arguments":'
                                    '{"handle":"%s",%s}}}' % (self.handle, text))
        return answer["result"]

    def test_order_of_the_checks(self):
        wrong = {"nonsense": 1, "limit": "x", "by": "x"}
        self.assertIn("nonsense", self.talk.refusal("top_ops", **wrong))
        del wrong["nonsense"]
        self.assertIn("handle", self.talk.refusal("top_ops", **wrong))
        text = self.talk.refusal("top_ops", handle="none", **wrong)
        self.assertIn("limit", text)
        self.assertNotIn("none", text)
        del wrong["limit"]
        self.assertIn("by", self.talk.refusal("top_ops", handle="none", **wrong))
        self.assertIn("256", self.talk.refusal("top_ops", handle="none", start_signpost="x" * 257))
        self.assertIn(self.handle, self.talk.refusal("top_ops", handle="none"))

    def test_unknown_names(self):
        self.refused("nonsense", "handle", "by", "limit", "start_signpost", "include", nonsense=1)

    def test_null_is_not_given(self):
        self.assertEqual(self.top(by=None, limit=None, start_signpost=None, end_signpost=None, include=None), self.top())
        self.assertIn("handle", self.talk.refusal("top_ops", handle=None))

    def test_strings(self):
        for value in (1, True, [], {}, 1.5):
            self.assertIn("handle", self.talk.refusal("top_ops", handle=value))
            self.refused("by", by=value)
            self.refused("start_signpost", start_signpost=value)

    def test_enums(self):
        members = ["cores", "device_time", "dram", "flops", "op_to_op_gap", "total_percent"]
        for value in ("nonsense", "", "Device_time", "device_time ", "DEVICE_TIME"):
            self.refused("by", ", ".join(members), by=value)
        self.assertEqual(self.top(by="flops")["metric"], "flops")

    def test_limits(self):
        for value, returned in ((1, 1), (0, 1), (-5, 1), (2, 2), (1000, 3), (2.0, 2), (-3.0, 1)):
            self.assertEqual(self.top(limit=value)["returned"], returned, value)
        for text, returned in (("2e0", 2), ("1E2", 3), ("20e-1", 2), ("-0", 1), ("9223372036854775807", 3)):
            content = self.raw(f'"limit":{text}')["content"][0]["text"]
            self.assertEqual(json.loads(content)["returned"], returned, text)
        for value in (True, False, "5", [], {}, 2.9, 0.5):
            self.refused("limit", limit=value)
        for text in ("1e400", "-1e400", "9223372036854775808", "12345678901234567890123", "25e-1"):
            self.assertIs(self.raw(f'"limit":{text}').get("isError"), True, text)

    def test_signposts(self):
        self.assertNotIn("start_signpost", self.top(start_signpost="", end_signpost="")["projection"])
        self.assertEqual(self.top(start_signpost="begin", end_signpost="end")["op_count"], 2)
        for name in ("x" * 257, "\u00e9" * 257, "\U0001f600" * 5000):
            text = self.refused("start_signpost", str(len(name)), "256", start_signpost=name)
            self.assertNotIn(name[:3], text)
        # As long as a name may be, so it is the report that lacks it.
        self.assertNotIn("at most", self.refused("start_signpost", start_signpost="\u00e9" * 256))

    def test_include(self):
        self.assertEqual(self.top(include=[]), self.top())
        self.assertEqual(self.top(include=["config", "noc", "config"]), self.top(include=["noc", "config"]))
        for value in ("config", 1, {}, True):
            self.refused("include", include=value)
        for value in (["nonsense"], ["config", "Config"], [""]):
            self.refused("include", "config", "utilisation", "dispatch", "flags", include=value)
        for value in ([1], [None], [["config"]]):
            self.refused("include", include=value)
        text = self.refused("z" * 40, include=["z" * 400])
        self.assertNotIn("z" * 41, text)

    def test_last_of_equal_names_counts(self):
        content = self.raw('"limit":1,"limit":2')["content"][0]["text"]
        self.assertEqual(json.loads(content)["returned"], 2)


class Paths(support.Case):
    def test_which_are_refused(self):
        server = self.server()
        for path in ("", "a\x00b", "x" * 4097):
            self.assertIn("performance_path", server.refusal("load_report", performance_path=path))
        self.assertIn("profiler_path", server.refusal("load_report", profiler_path=""))
        self.assertIn("performance_path", server.refusal("load_report"))
        self.assertIn("performance_path", server.refusal("load_report", performance_path=None, profiler_path=None))
        self.assertIn("performance_path", server.refusal("load_report", performance_path=7))

    def test_what_is_no_directory(self):
        folder = self.scratch.capture()
        server = self.server()
        for path in (folder / "absent", folder / "ops_perf_results_1.csv", "/dev/null"):
            for argument in ("performance_path", "profiler_path"):
                text = server.refusal("load_report", **{argument: str(path)})
                self.assertIn(argument, text)
                self.assertIn(str(path), text)

    def test_relative_and_links(self):
        folder = self.scratch.capture()
        (self.scratch.path / "link").symlink_to(folder)
        server = self.server(cwd=self.scratch.path)
        for path in ("capture", "./capture/", "link", "capture/../link"):
            self.assertEqual(server.answer("load_report", performance_path=path)["performance_path"], str(folder.resolve()))

    def test_home(self):
        folder = self.scratch.home / "capture"
        self.scratch.capture().rename(folder)
        server = self.server()
        self.assertEqual(server.answer("load_report", performance_path="~/capture")["performance_path"], str(folder.resolve()))
        self.assertEqual(server.answer("load_report", performance_path="~")["performance_path"],
                         str(self.scratch.home.resolve()))

    def test_home_of_a_user(self):
        user = pwd.getpwuid(os.getuid())
        with open("/etc/passwd", encoding="utf-8") as file:
            known = [line.split(":")[0] for line in file]
        if user.pw_name not in known:
            self.skipTest("this user is not in the password file")
        if not os.path.isdir(user.pw_dir):
            self.skipTest("this user has no folder")
        for home in (None, "", "/nowhere"):
            server = self.server(HOME=home)
            loaded = server.answer("load_report", performance_path=f"~{user.pw_name}")
            self.assertEqual(loaded["performance_path"], os.path.realpath(user.pw_dir))
            if not home:
                self.assertEqual(server.answer("load_report", performance_path="~/"), {
                    **loaded, "handle": "report-2"})

    def test_a_user_that_is_none(self):
        folder = self.scratch.capture("~no_such_user_here")
        server = self.server(cwd=self.scratch.path)
        loaded = server.answer("load_report", performance_path="~no_such_user_here")
        self.assertEqual(loaded["performance_path"], str(folder.resolve()))


if __name__ == "__main__":
    support.main()
