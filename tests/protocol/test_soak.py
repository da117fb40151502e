#!/usr/bin/env python3
"""A long session: many thousand requests over 50 reports, half of them malformed, refused or cancelled. Each request gets
what it deserves, and the server's memory is level at the end.

TS_SOAK is the number of requests: 100,000, or a tenth of that under sanitizers.
"""
import json
import os
import random
import shutil
import unittest

import support

SOURCE = support.pathlib.Path(os.environ.get("TS_SOURCE_DIR", support.pathlib.Path(__file__).resolve().parents[2]))
SANITIZED = os.environ.get("TILESIGHT_SANITIZE", "")
REQUESTS = int(os.environ.get("TS_SOAK", 10000 if SANITIZED else 100000))
REPORTS = 50
# As many as the server lets wait, less what ends a batch.
BATCH = 200
# Caches, arenas and the allocator's own have their size after this share of the session.
WARM = 0.2
LEVEL_KIB = 2048

GOOD = [("top_ops", {"limit": 3}), ("top_ops", {"limit": 2, "include": ["utilisation", "flags"]}), ("op_breakdown", {}),
        ("op_breakdown", {"group_by": "category"}), ("program_cache", {}), ("zone_timings", {"limit": 3}),
        ("core_spread", {"limit": 2}), ("find_operations", {"name_contains": "softmax", "limit": 2}),
        ("operation_detail", {"operation_id": 2}), ("memory_profile", {"limit": 2}), ("tensor_flow", {"tensor_id": 6}),
        ("operation_provenance", {"operation_id": 4}), ("errors", {}), ("dram_fallbacks", {}), ("l1_peak", {})]
# Refused by the tool, each with a sentence.
REFUSED = [("top_ops", {"limit": "many"}), ("top_ops", {"nonsense": 1}), ("l1_peak", {"rank": 99}),
           ("operation_detail", {"operation_id": 10**9}), ("tensor_flow", {}), ("find_operations", {"limit": 1.5}),
           ("core_spread", {"handle": "report-0"}), ("diff_reports", {"handle": "report-1"}), ("load_report", {}),
           ("load_report", {"performance_path": "/nonexistent\u202e/\u0007"}), ("load_report", {"performance_path": 5})]
# Lines that are no request: each is answered with an error without an id, but for the last two, which get nothing.
BROKEN = [b"{", b"null", b"[]", b'"text"', b"\xff\xfe\xfd", b'{"jsonrpc":"2.0"}', b"[" * 5000, b'{"a":' * 3000,
          b'{"jsonrpc":"1.0","id":1,"method":"ping"}x', b"1e999999", b'{"id":{"a":1},"jsonrpc":"2.0","method":"ping"}']


class Session:
    """Makes messages, and keeps what each is to be answered with."""

    def __init__(self, handles):
        self.random = random.Random(20)
        self.handles = handles
        self.next_id = 0
        self.counts = dict.fromkeys(("good", "refused", "broken", "cancelled"), 0)

    def call(self, tool, arguments):
        self.next_id += 1
        params = {"name": tool, "arguments": arguments}
        return self.next_id, {"jsonrpc": "2.0", "id": self.next_id, "method": "tools/call", "params": params}

    def batch(self):
        """Lines, and the kind of each request by id; ends with a request that is answered after all of them."""
        lines, kinds, broken = [], {}, 0
        for _ in range(BATCH):
            kind = self.random.choices(("good", "refused", "broken", "cancelled"), (50, 20, 15, 15))[0]
            self.counts[kind] += 1
            if kind == "broken":
                lines.append(self.random.choice(BROKEN))
                broken += 1
                continue
            tool, arguments = self.random.choice(REFUSED if kind == "refused" else GOOD)
            if tool != "load_report":
                arguments = {"handle": self.random.choice(self.handles), **arguments}
            ident, message = self.call(tool, arguments)
            kinds[ident] = kind
            lines.append(json.dumps(message).encode())
            if kind == "cancelled":
                lines.append(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}' % ident)
        last, message = self.call("program_cache", {"handle": self.handles[0]})
        kinds[last] = "good"
        lines.append(json.dumps(message).encode())
        return b"\n".join(lines) + b"\n", kinds, broken, last


class Soak(support.Case):
    def reports(self, talk):
        handles = []
        for number in range(REPORTS):
            folder = self.scratch.path / f"run{number}"
            shutil.copytree(SOURCE / "examples" / "before", folder)
            arguments = {"performance_path": str(folder)}
            if number % 2 == 0:
                arguments["profiler_path"] = str(SOURCE / "examples" / "profiler")
            handles.append(talk.answer("load_report", **arguments)["handle"])
        return handles

    def resident(self, talk):
        with open(f"/proc/{talk.process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

    def run_batch(self, talk, session):
        data, kinds, broken, last = session.batch()
        talk.send(data)
        while True:
            answer = talk.receive()
            if answer.get("id") is None:
                self.assertIn("error", answer)
                broken -= 1
                continue
            kind = kinds.pop(answer["id"])
            failed = "error" in answer or answer["result"].get("isError") is True
            # Half of the reports have no profiler's side: asked of that, they refuse.
            self.assertTrue(failed or kind != "refused", answer)
            if answer["id"] == last:
                break
        self.assertEqual(broken, 0)
        self.assertEqual({kind for kind in kinds.values()} - {"cancelled"}, set())

    def test_a_long_session(self):
        talk = self.server("--log-level", "error")
        talk.initialize()
        session = Session(self.reports(talk))
        batches = max(5, REQUESTS // BATCH)
        warm = 0
        for number in range(batches):
            self.run_batch(talk, session)
            if number == int(batches * WARM):
                warm = self.resident(talk)
        end = self.resident(talk)
        print(f"{sum(session.counts.values())} requests {session.counts}: {warm} KiB after a fifth, {end} KiB at the end")
        if not SANITIZED:
            self.assertLessEqual(end - warm, LEVEL_KIB)
        self.assertEqual(talk.close(), 0)
        self.assertEqual(talk.rest(), [])


if __name__ == "__main__":
    support.main()
