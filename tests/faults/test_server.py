#!/usr/bin/env python3
"""Failures under the stdio server."""
import json
import re
import unittest

import faults
from faults import EXAMPLES


class Server(faults.Case):
    def serve(self, stdin, kinds, *options, **environment):
        """A server that reads `stdin`: whatever fails, what it writes are whole messages, and each answer is either the one
        given when nothing fails or an error."""
        run = faults.Run(self.folder, ["mcp", *options], stdin, **environment)
        self.addCleanup(run.close)
        clean = run.with_failure("none", "once", 0)
        self.assertEqual(clean.code, 0, str(clean))
        wanted = {message["id"]: message for message in map(json.loads, clean.out.splitlines())}
        self.in_turn(run, kinds, "mcp", lambda outcome, kind, _mode: self.faults_of_server(outcome, wanted, kind))

    @staticmethod
    def faults_of_server(outcome, wanted, kind):
        if outcome.crashed or outcome.code not in (0, 1):
            return ["crashed"]
        # Its messages go the same way as its answers, and may fail with them.
        if outcome.code == 1 and not outcome.err and kind != "write":
            return ["ended without a message"]
        lines = outcome.out.split(b"\n")
        # What the client's end no longer takes is cut; nothing else is.
        found = [] if lines.pop() == b"" or kind == "write" else ["a message without its end"]
        for line in lines:
            try:
                message = json.loads(line)
            except ValueError:
                found.append(f"no JSON: {line[:200]!r}")
                continue
            failed = "error" in message or message.get("result", {}).get("isError")
            partly = kind in ("read", "open") and re.search(faults.ERRORS, line)
            if not failed and not partly and message != wanted.get(message.get("id")):
                found.append(f"another answer: {line[:300]!r}")
        return found

    def test_server(self):
        def call(ident, tool, **arguments):
            return {"jsonrpc": "2.0", "id": ident, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}

        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        messages = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
                    {"jsonrpc": "2.0", "method": "notifications/initialized"},
                    call(2, "load_report", performance_path=str(EXAMPLES / "before"), profiler_path=str(EXAMPLES / "profiler")),
                    call(3, "top_ops", handle="report-1", limit=2), call(4, "top_ops", handle="none"),
                    call(5, "find_operations", handle="report-1", limit=2),
                    {"jsonrpc": "2.0", "id": 6, "method": "nothing"}]
        stdin = "".join(json.dumps(message) + "\n" for message in messages).encode()
        # Short of memory, libseccomp (2.5.4) can go round in circles while it puts a filter together.
        memory = [kind for kind in self.ONCE if kind[0] == "alloc"]
        self.serve(stdin, memory, "--no-sandbox")
        self.serve(stdin, memory, "--no-sandbox", USAGE_RECORDING_DISABLED="false")
        others = [kind for kind in self.ONCE if kind[0] != "alloc"] + self.WRITES + [("thread", "once")]
        self.serve(stdin, others)
        self.serve(stdin, others, USAGE_RECORDING_DISABLED="false")


if __name__ == "__main__":
    unittest.main()
