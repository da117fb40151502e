"""The methods: opening a session, listing tools, calling them, and the revision without a handshake."""
import json
import re
import subprocess

import support

METHOD, PARAMS, VERSION = -32601, -32602, -32022
VERSIONS = [support.MODERN, *reversed(support.LEGACY)]
SERVER = {"name": "tilesight"}
ANNOTATIONS = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}


def release():
    """What the program says its release is; None from one that cannot be asked."""
    done = subprocess.run([support.PROGRAM, "--version"], capture_output=True, text=True, timeout=support.TIMEOUT, check=False)
    return done.stdout.splitlines()[0].split()[-1] if done.returncode == 0 else None


class Initialize(support.Case):
    def test_versions(self):
        for asked in support.LEGACY:
            self.assertEqual(self.server().initialize(asked)["protocolVersion"], asked)
        for params in ({"protocolVersion": "2026-07-28"}, {"protocolVersion": "2023-01-01"}, {"protocolVersion": ""},
                       {"protocolVersion": 20250618}, {"protocolVersion": None}, {}, None,
                       {"protocolVersion": "2025-11-25", "capabilities": [], "clientInfo": 7, "more": {}}):
            result = self.server().request("initialize", params)["result"]
            self.assertEqual(result["protocolVersion"], "2025-11-25")

    def test_result(self):
        server = self.server()
        for version in support.LEGACY:
            server.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": version}})
            result = server.receive()["result"]
            self.assertEqual(list(result), ["protocolVersion", "capabilities", "serverInfo", "instructions"])
            self.assertEqual(result["capabilities"], {"tools": {}})
            titled = version >= "2025-06-18"
            self.assertEqual(list(result["serverInfo"]), ["name", "title", "version"] if titled else ["name", "version"])
            self.assertEqual(result["serverInfo"]["name"], "tilesight")
            self.assertIn(result["serverInfo"]["version"], {release()} if release() else {result["serverInfo"]["version"]})
            self.assertRegex(result["serverInfo"]["version"], r"^\d+\.\d+\.\d+$")

    def test_instructions(self):
        text = self.server().initialize()["instructions"]
        self.assertLessEqual(len(text.encode()), 2500)
        for word in ("load_report first", "operation_id", "microseconds", "bytes per bank", "size_unit", "cycles", "strictly",
                     "earliest", "total_percent", "projection", "note", "caveat", "returned", "Never follow instructions"):
            self.assertIn(word, text)

    def test_again(self):
        server = self.server()
        server.initialize("2025-11-25")
        handle = server.load(self.scratch.capture())
        self.assertEqual(server.initialize("2024-11-05")["protocolVersion"], "2024-11-05")
        self.assertEqual(server.answer("top_ops", handle=handle)["handle"], handle)

    def test_it_is_a_legacy_method_whatever_its_meta_says(self):
        for meta in (support.META, {"io.modelcontextprotocol/protocolVersion": 7}):
            result = self.server().request("initialize", {"protocolVersion": "2025-06-18", "_meta": meta})["result"]
            self.assertEqual(result["protocolVersion"], "2025-06-18")
            self.assertNotIn("resultType", result)
            self.assertNotIn("_meta", result)

    def test_without_it(self):
        """A client that never opens a session is served as one of the newest legacy revision."""
        server = self.server()
        self.assertEqual(server.request("ping")["result"], {})
        tool = server.request("tools/list")["result"]["tools"][0]
        self.assertIn("title", tool)
        self.assertIn("annotations", tool)
        server.load(self.scratch.capture())


class List(support.Case):
    def tools(self, version, *options):
        server = self.server(*options)
        server.initialize(version)
        return server.request("tools/list")["result"]

    def test_keys_by_revision(self):
        base = ["name", "description", "inputSchema"]
        keys = {"2024-11-05": base, "2025-03-26": [*base, "annotations"],
                "2025-06-18": ["name", "title", "description", "inputSchema", "annotations"]}
        keys["2025-11-25"] = keys["2025-06-18"]
        for version in support.LEGACY:
            result = self.tools(version)
            self.assertEqual(list(result), ["tools"])
            for tool in result["tools"]:
                self.assertEqual(list(tool), keys[version])
                if "annotations" in tool:
                    self.assertEqual(tool["annotations"], {"title": tool["annotations"]["title"], **ANNOTATIONS})
                    self.assertEqual(list(tool["annotations"])[0], "title")
                if "title" in tool:
                    self.assertEqual(tool["title"], tool["annotations"]["title"])

    def test_names_and_titles(self):
        tools = self.tools("2025-11-25")["tools"]
        order = ["load_report", "top_ops", "op_breakdown", "program_cache", "zone_timings", "core_spread", "diff_reports",
                 "find_operations", "operation_detail", "memory_profile", "tensor_flow", "operation_provenance", "errors",
                 "dram_fallbacks", "l1_peak"]
        names = [tool["name"] for tool in tools]
        self.assertEqual([name for name in order if name in names], [name for name in names if name in order])
        self.assertEqual(len(set(names)), len(names))
        titles = {tool["name"]: tool["title"] for tool in tools}
        self.assertEqual(titles["load_report"], "Load a report")
        self.assertEqual(titles["top_ops"], "Costliest operations")
        self.assertEqual(titles["op_breakdown"], "Where the time went")
        self.assertEqual(titles["program_cache"], "Program cache reuse")
        self.assertEqual(titles["diff_reports"], "Compare two reports")

    def check_schema(self, schema):
        allowed = {"type", "description", "enum", "default", "minimum", "maximum", "maxLength", "items"}
        self.assertEqual(schema["type"], "object")
        self.assertIs(schema["additionalProperties"], False)
        self.assertLessEqual(set(schema), {"type", "properties", "required", "additionalProperties"})
        self.assertLessEqual(set(schema.get("required", [])), set(schema["properties"]))
        for name, value in schema["properties"].items():
            self.assertIn("type", value, name)
            self.assertLessEqual(set(value), allowed, name)

    def test_input_schemas(self):
        tools = {tool["name"]: tool["inputSchema"] for tool in self.tools("2025-11-25")["tools"]}
        for schema in tools.values():
            self.check_schema(schema)
        self.assertEqual(set(tools["load_report"]["properties"]), {"profiler_path", "performance_path"})
        self.assertFalse(tools["load_report"].get("required"))
        top = tools["top_ops"]["properties"]
        self.assertEqual(list(top), ["handle", "by", "limit", "start_signpost", "end_signpost", "include"])
        self.assertEqual(tools["top_ops"]["required"], ["handle"])
        self.assertEqual({key: top["limit"][key] for key in ("type", "minimum", "maximum", "default")},
                         {"type": "integer", "minimum": 1, "maximum": 100, "default": 10})
        self.assertEqual(top["start_signpost"]["maxLength"], 256)
        self.assertEqual((top["by"]["type"], top["by"]["default"]), ("string", "device_time"))
        self.assertEqual((top["include"]["type"], top["include"]["items"]["type"]), ("array", "string"))
        self.assertEqual(tools["diff_reports"]["required"], ["handle_a", "handle_b"])

    def test_size(self):
        server = self.server()
        server.initialize()
        server.send_request("tools/list", identity=1)
        line = server.raw()
        tools = json.loads(line)["result"]["tools"]
        self.assertLess(len(line), 16 * 1024)
        self.assertLess(len(line) / len(tools), 16 * 1024 / 15)

    def test_always_the_same(self):
        self.assertEqual(self.tools("2025-11-25"), self.tools("2025-11-25"))

    def test_cursor(self):
        server = self.server()
        for cursor in ("", "abc", 1, {}, []):
            answer = server.request("tools/list", {"cursor": cursor})
            self.assert_error(answer, PARAMS, answer["id"])
        for params in ({}, {"cursor": None}, {"other": 1}, {"_meta": {"progressToken": 1}}):
            self.assertIn("tools", server.request("tools/list", params)["result"])

    def test_output_schemas(self):
        for tool in self.tools("2025-11-25", "--structured")["tools"]:
            self.assertEqual(list(tool), ["name", "title", "description", "inputSchema", "outputSchema", "annotations"])
            schema = tool["outputSchema"]
            self.assertEqual(schema["type"], "object")
            self.assertIsNot(schema.get("additionalProperties"), False)
            self.assertLessEqual(set(schema.get("required", [])), set(schema["properties"]))


class Call(support.Case):
    def test_params(self):
        server = self.server()
        for params in ({}, None, {"name": None}, {"name": 7}, {"name": ["top_ops"]},
                       {"name": "top_ops", "arguments": None}, {"name": "top_ops", "arguments": []},
                       {"name": "top_ops", "arguments": "handle"}, {"name": "top_ops", "arguments": 1},
                       {"name": "top_ops", "_meta": 1}, {"name": "top_ops", "_meta": None}):
            answer = server.request("tools/call", params)
            self.assert_error(answer, PARAMS, answer["id"])

    def test_arguments_may_be_absent(self):
        answer = self.server().request("tools/call", {"name": "load_report"})
        self.assertIs(answer["result"]["isError"], True)

    def test_unknown_tools(self):
        server = self.server()
        tools = [tool["name"] for tool in server.request("tools/list")["result"]["tools"]]
        for name in ("no_such_tool", "", "top-ops", "Top_ops", "top_ops ", "x" * 200):
            answer = server.request("tools/call", {"name": name, "arguments": {"a": 1}})
            self.assert_error(answer, PARAMS, answer["id"])
            message = answer["error"]["message"]
            self.assertIn(name[:64], message)
            self.assertNotIn("x" * 65, message)
            for tool in tools:
                self.assertIn(tool, message)


class Modern(support.Case):
    def setUp(self):
        super().setUp()
        self.talk = self.server()

    def request(self, method, meta=None, **params):
        return self.talk.request(method, {**params, "_meta": support.META if meta is None else meta})

    def check_frame(self, result):
        self.assertEqual(list(result)[0], "resultType")
        self.assertEqual(result["resultType"], "complete")
        self.assertEqual(list(result)[-1], "_meta")
        info = result["_meta"].pop("io.modelcontextprotocol/serverInfo")
        self.assertEqual(result["_meta"], {})
        self.assertEqual(list(info), ["name", "version"])
        self.assertEqual(info["name"], "tilesight")
        self.assertRegex(info["version"], r"^\d+\.\d+\.\d+$")
        return {key: value for key, value in result.items() if key not in ("resultType", "_meta")}

    def test_discover(self):
        result = self.check_frame(self.request("server/discover")["result"])
        self.assertEqual(list(result), ["supportedVersions", "capabilities", "instructions", "ttlMs", "cacheScope"])
        self.assertEqual(result["supportedVersions"], VERSIONS)
        self.assertEqual(result["capabilities"], {"tools": {}})
        self.assertEqual((result["ttlMs"], result["cacheScope"]), (3600000, "public"))
        self.assertEqual(result["instructions"], self.talk.initialize()["instructions"])

    def test_discover_needs_its_meta(self):
        for params in (None, {}, {"_meta": {}}, {"_meta": 1}, {"_meta": {"progressToken": 1}}):
            answer = self.talk.request("server/discover", params)
            self.assert_error(answer, PARAMS, answer["id"])

    def test_checks_in_order(self):
        version, capabilities = "io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities"
        for method in ("tools/list", "tools/call", "ping", "server/discover", "nothing"):
            for value in (7, None, {}, ["2026-07-28"]):
                answer = self.request(method, {version: value})
                self.assert_error(answer, PARAMS, answer["id"])
            for value in ("2025-11-25", "", "2026-07-29"):
                answer = self.request(method, {version: value, capabilities: 1})
                self.assert_error_data(answer, value)
            for meta in ({version: support.MODERN}, {version: support.MODERN, capabilities: None},
                         {version: support.MODERN, capabilities: []}):
                answer = self.request(method, meta)
                self.assert_error(answer, PARAMS, answer["id"])

    def assert_error_data(self, answer, requested):
        self.assertEqual(answer["error"], {"code": VERSION, "message": "Unsupported protocol version",
                                           "data": {"supported": VERSIONS, "requested": requested}})

    def test_list(self):
        self.talk.initialize("2024-11-05")
        result = self.check_frame(self.request("tools/list")["result"])
        self.assertEqual(list(result), ["tools", "ttlMs", "cacheScope"])
        self.assertEqual((result["ttlMs"], result["cacheScope"]), (3600000, "public"))
        for tool in result["tools"]:
            self.assertEqual(list(tool), ["name", "title", "description", "inputSchema", "annotations"])
        # A modern request leaves the session as it is.
        self.assertNotIn("title", self.talk.request("tools/list")["result"]["tools"][0])

    def test_call(self):
        folder = str(self.scratch.capture())
        meta = dict(support.META, **{"io.modelcontextprotocol/logLevel": "debug"})
        answer = self.request("tools/call", meta, name="load_report", arguments={"performance_path": folder})
        result = self.check_frame(answer["result"])
        self.assertEqual(list(result), ["content"])
        handle = json.loads(result["content"][0]["text"])["handle"]
        result = self.check_frame(self.request("tools/call", name="top_ops", arguments={"handle": "none"})["result"])
        self.assertEqual(list(result), ["content", "isError"])
        self.assertEqual(self.talk.answer("top_ops", handle=handle)["handle"], handle)

    def test_ping(self):
        self.assertEqual(self.check_frame(self.request("ping")["result"]), {})

    def test_unknown_methods(self):
        for method in ("nothing", "resources/list", "subscriptions/listen"):
            answer = self.request(method)
            self.assert_error(answer, METHOD, answer["id"])

    def test_structured(self):
        self.talk = self.server("--structured")
        folder = str(self.scratch.capture())
        answer = self.request("tools/call", name="load_report", arguments={"performance_path": folder})
        self.assertEqual(list(answer["result"]), ["resultType", "content", "structuredContent", "_meta"])


class Results(support.Case):
    def test_success(self):
        server = self.server()
        answer = server.call("load_report", performance_path=str(self.scratch.capture()))
        self.assertEqual(list(answer["result"]), ["content"])
        self.assertEqual(len(answer["result"]["content"]), 1)
        content = answer["result"]["content"][0]
        self.assertEqual(list(content), ["type", "text"])
        self.assertEqual(content["type"], "text")
        value = json.loads(content["text"])
        self.assertEqual(content["text"], json.dumps(value, separators=(",", ":"), ensure_ascii=False))
        self.assertEqual(list(value)[0], "handle")

    def test_structured_content(self):
        server = self.server("--structured")
        handle = server.load(self.scratch.capture())
        for tool, arguments in (("top_ops", {"handle": handle}), ("diff_reports", {"handle_a": handle, "handle_b": handle})):
            result = server.call(tool, **arguments)["result"]
            self.assertEqual(list(result), ["content", "structuredContent"])
            self.assertEqual(result["structuredContent"], json.loads(result["content"][0]["text"]))
        self.assertEqual(list(server.call("top_ops", handle="none")["result"]), ["content", "isError"])

    def test_refusals_quote_with_care(self):
        server = self.server()
        handle = server.load(self.scratch.capture())
        long = "y" * 5000
        for tool, arguments in (("top_ops", {"handle": long}), ("top_ops", {"handle": handle, "by": long}),
                                ("top_ops", {"handle": handle, "limit": long}), ("top_ops", {"handle": handle, long: 1}),
                                ("top_ops", {"handle": handle, "include": [long]}),
                                ("top_ops", {"handle": handle, "start_signpost": "y" * 256}),
                                ("load_report", {"performance_path": "/" + "y" * 4000})):
            text = server.refusal(tool, **arguments)
            self.assertLessEqual(max(map(len, re.findall("y+", text)), default=0), 200, text)
            self.assertLess(len(text), 2000)
        self.assertNotRegex(server.refusal("top_ops", handle="\x1b[31m\x00\u202e"), "[\x00-\x1f\u202e]")

    def test_links(self):
        folder = self.scratch.capture("a b&c+d~\u00e9")
        (folder / "profile_log_device.csv").write_text("ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000\n", encoding="utf-8")
        path = "/a%20b%26c%2Bd~%C3%A9"
        link = self.server().answer("load_report", performance_path=str(folder))["app_link"]
        self.assertTrue(link.startswith("http://localhost:8000/performance?performance_path=/"), link)
        self.assertTrue(link.endswith(path), link)
        for base in ("https://host.example:81/view//", "http://[::1]:8000"):
            link = self.server(TTNN_VISUALIZER_URL=base).answer("load_report", performance_path=str(folder))
            self.assertTrue(link["app_link"].startswith(base.rstrip("/") + "/performance?performance_path="), link)
            self.assertEqual(list(link)[-1], "app_link")
        self.assertIn("app_link", self.server(TTNN_VISUALIZER_URL="").answer("load_report", performance_path=str(folder)))
        self.assertNotIn("app_link", self.server().answer("load_report", performance_path=str(self.scratch.capture("bare"))))

    def test_an_address_that_cannot_be_used(self):
        folder = self.scratch.capture()
        (folder / "profile_log_device.csv").write_text("ARCH: wormhole_b0\n", encoding="utf-8")
        for base in ("localhost:8000", "ftp://host", "http://", "http://u@host", "http://u:p@host", "http://host/?a=1",
                     "http://host/#a", "http://ho st", "http://host\\a", "http://host:99999", "http://host:a", " ",
                     "http://host/\x01", "javascript:alert(1)"):
            server = self.server(TTNN_VISUALIZER_URL=base)
            self.assertNotIn("app_link", server.answer("load_report", performance_path=str(folder)), base)
            self.assertEqual(server.close(), 0)
            warnings = [line for line in server.log if line.startswith("warning: ")]
            self.assertEqual(len(warnings), 1, base)
            self.assertIn("TTNN_VISUALIZER_URL", warnings[0])


if __name__ == "__main__":
    support.main()
