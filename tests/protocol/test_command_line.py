"""tilesight mcp as a command: its options, what it says on standard error, and what it prints for other programs."""
import json
import os
import re
import subprocess

import support

try:
    import tomllib
except ImportError:  # before Python 3.11
    tomllib = None

CLIENTS = {"claude-code": ("mcpServers", True), "claude-desktop": ("mcpServers", False), "codex": ("mcp_servers", False),
           "cursor": ("mcpServers", False), "gemini": ("mcpServers", False), "vscode": ("servers", True),
           "windsurf": ("mcpServers", False), "zed": ("context_servers", False)}


class Command(support.Case):
    def run_it(self, *words, program=None, cwd=None):
        return subprocess.run([program or support.PROGRAM, "mcp", *words], input=b"", capture_output=True, check=False,
                              timeout=support.TIMEOUT, env=support.environment(self.scratch.home), cwd=cwd)


class Options(Command):
    def test_help(self):
        for word in ("--help", "-h"):
            done = self.run_it(word)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            for option in (b"--structured", b"--log-level", b"--cache-mib", b"--root", b"--time-limit", b"--memory-limit",
                           b"--print-config", b"--help"):
                self.assertIn(option, done.stderr)

    def test_wrong_usage(self):
        for words in (["x"], ["--nonsense"], ["--structured=1"], ["--log-level"], ["--log-level", "loud"], ["--root"],
                      ["--cache-mib", "0"], ["--cache-mib", "-1"], ["--cache-mib", "1.5"], ["--cache-mib", "x"],
                      ["--cache-mib", ""], ["--cache-mib", "99999999999999999999"], ["--time-limit", "0"],
                      ["--memory-limit="], ["--root", ""], ["--root="],
                      ["--print-config"], ["--print-config", "nobody"], ["-x"], [""], ["--"]):
            done = self.run_it(*words)
            self.assertEqual((done.returncode, done.stdout), (2, b""), words)
            self.assertTrue(done.stderr.startswith(b"tilesight mcp: "), done.stderr)

    def test_all_of_them(self):
        answers, status, _ = self.once('{"jsonrpc":"2.0","id":1,"method":"ping"}\n', "--structured", "--log-level", "debug",
                                       "--cache-mib=10", "--root", "/", "--root=/tmp", "--time-limit", "5",
                                       "--memory-limit", "100")
        self.assertEqual((len(answers), status), (1, 0))


class Registration(Command):
    def test_every_client(self):
        for client, (key, typed) in CLIENTS.items():
            done = self.run_it("--print-config", client)
            self.assertEqual(done.returncode, 0, done.stderr)
            text = done.stdout.decode()
            if client == "codex" and not tomllib:
                continue
            value = tomllib.loads(text) if client == "codex" else json.loads(text)
            self.assertEqual(list(value), [key])
            self.assertEqual(list(value[key]), ["tilesight"])
            entry = value[key]["tilesight"]
            self.assertEqual(entry.pop("type", None), "stdio" if typed else None)
            self.assertEqual(entry, {"command": os.path.realpath(support.PROGRAM), "args": ["mcp"]})
            self.assertTrue(done.stderr)

    def test_a_path_with_control_characters(self):
        path = "/a\x7fb\x01c\u0085d\u00e9"
        done = self.run_it("--root", path, "--print-config", "codex")
        self.assertIn(b"\\u007f", done.stdout)
        self.assertNotIn(b"\x7f", done.stdout)
        if tomllib:
            self.assertEqual(tomllib.loads(done.stdout.decode())["mcp_servers"]["tilesight"]["args"], ["mcp", "--root", path])
        done = self.run_it("--root", path, "--print-config", "cursor")
        self.assertEqual(json.loads(done.stdout)["mcpServers"]["tilesight"]["args"], ["mcp", "--root", path])

    def test_other_options_go_along(self):
        done = self.run_it("--root", "/a b", "--print-config=cursor", "--structured")
        entry = json.loads(done.stdout)["mcpServers"]["tilesight"]
        self.assertEqual(entry["args"], ["mcp", "--root", "/a b", "--structured"])
        if not tomllib:
            return
        done = self.run_it("--cache-mib=7", "--print-config", "codex", "--root=\"\\")
        self.assertEqual(tomllib.loads(done.stdout.decode())["mcp_servers"]["tilesight"]["args"],
                         ["mcp", "--cache-mib=7", "--root", os.getcwd() + '/"\\'])

    def test_a_root_is_meant_from_here(self):
        """Clients start servers in a folder of their own."""
        self.scratch.capture("a b")
        for words, expected in ((["--root", "a b"], [str(self.scratch.path.resolve() / "a b")]), (["--root=."], [f"{self.scratch.path.resolve()}/."]),
                                (["--root", "/", "--root=x/../a b"], ["/", f"{self.scratch.path.resolve()}/x/../a b"]),
                                (["--root", "~/x"], ["~/x"])):
            done = self.run_it(*words, "--print-config", "cursor", cwd=self.scratch.path)
            args = json.loads(done.stdout)["mcpServers"]["tilesight"]["args"]
            self.assertEqual(args, ["mcp"] + [word for path in expected for word in ("--root", path)])

    def test_what_is_printed_works(self):
        entry = json.loads(self.run_it("--print-config", "cursor", "--structured").stdout)["mcpServers"]["tilesight"]
        done = subprocess.run([entry["command"], *entry["args"]], input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
                              capture_output=True, check=False, env=support.environment(self.scratch.home), cwd="/")
        self.assertEqual(json.loads(done.stdout)["result"], {})

    def test_through_a_link(self):
        link = self.scratch.path / "link"
        link.symlink_to(support.PROGRAM)
        entry = json.loads(self.run_it("--print-config", "cursor", program=link).stdout)["mcpServers"]["tilesight"]
        self.assertEqual(entry["command"], os.path.realpath(support.PROGRAM))

    def test_unknown_client(self):
        errors = self.run_it("--print-config", "nobody").stderr.decode()
        for client in CLIENTS:
            self.assertIn(client, errors)


class Log(Command):
    def test_lines(self):
        server = self.server("--log-level", "info")
        handle = server.load(self.scratch.capture())
        server.answer("top_ops", handle=handle)
        server.refusal("op_breakdown", handle="report-77")
        self.assertEqual(server.close(), 0)
        for line in server.log:
            self.assertRegex(line, r"^(error|warning|info|debug): [^\x00-\x1f]+\n$")
        self.assertEqual([line for line in server.log if line.startswith("info: ")][1:],
                         ["info: load_report ok\n", "info: top_ops ok\n", "info: op_breakdown refused\n", "info: end of input\n"])
        for secret in (str(self.scratch.path), "report-77"):
            self.assertNotIn(secret, server.errors())

    def test_levels(self):
        lines = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"top_ops"}}\n' \
                '{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
        seen = {}
        for level in ("error", "warning", "info", "debug"):
            _, _, errors = self.once(lines, "--log-level", level, TTNN_VISUALIZER_URL="nonsense")
            seen[level] = {line.split(":")[0] for line in errors.splitlines()}
        self.assertEqual(seen, {"error": set(), "warning": {"warning"}, "info": {"warning", "info"},
                                "debug": {"warning", "info", "debug"}})

    def test_control_characters(self):
        _, _, errors = self.once('{"jsonrpc":"2.0","method":"\\u001b[31m\\n\\u009b\\u202e"}\n', "--log-level", "debug")
        self.assertIn("\\x1B[31m\\n", errors)
        self.assertFalse(re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", errors))

    def test_a_closed_standard_error_does_no_harm(self):
        done = subprocess.run(["sh", "-c", 'exec "$0" mcp 2>&-', support.PROGRAM], stdout=subprocess.PIPE,
                              input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n', timeout=support.TIMEOUT, check=False,
                              env=support.environment(self.scratch.home))
        self.assertEqual((done.returncode, json.loads(done.stdout)["result"]), (0, {}))


if __name__ == "__main__":
    support.main()
