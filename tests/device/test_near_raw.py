"""The near-raw mode: every code and shape of every generation, with arguments as they are, decodes to what the compatible mode's
words decode to; refused and pre-emptive flushes, drops, zones and times that come round lose nothing in silence."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tempfile

import test_recorder_codes as codes
from near_raw import (BUILDS, FLUSH_ZONE, Sites, build, compare, decode, emulate, fail, failures,
                      write_capture)
from recorder import HERE, build_host, need_rv32, replay, run_command


ZONES = [{"id": codes.ZONE, "name": FLUSH_ZONE, "file": "f", "line": 1}, {"id": 1, "name": "one", "file": "f", "line": 2}]


def describe(wire, ids, **more):
    # Every coordinate is where it says.
    everywhere = [[x, y, x, y, "tensix" if x < 20 else "eth"] for x in range(64) for y in range(64)]
    what = {"wire": wire, "id_layout": "I%d" % ids, "arch": "blackhole", "zones": ZONES, "ops": {}, "traces": {},
            "devices": [{"device": 3, "grid": [64, 64], "translated": everywhere, "eth_channels": [[1, 20, 21], [2, 22, 23]]}]}
    what.update(more)
    return what


def lane_section(risc=0):
    return (1, risc, 9, 0, (1, 2), 3)


def timed(steps, clock):
    """The times of a compatible script's steps: each but these reads the clock once."""
    silent = ("BEGIN", "FINISH", "BUSY", "FLUSH", "PAD")
    times, at = [], 0
    for step in steps:
        times.append(clock[min(at, len(clock) - 1)])
        at += step[0] not in silent
    return times


def all_codes(folder):
    """Every code and shape of every generation, against the compatible recorder on the host."""
    for wire, ids in ((1, 1), (2, 2), (3, 2), (4, 2), (5, 2), (5, 3)):
        names = codes.TYPES[wire]
        steps, clock, _, _ = codes.all_codes(wire, ids)
        local = names.index("READ")
        # Sends that hang together, and 16-byte packets.
        more = [("WIDE", local, 1, 3, 1, codes.address(4, 5), 777, 0xABCDE, 0x54321, 99),
                ("WIDE_PLAIN", names.index("FULL_BARRIER"), 0, -1, 0, 5, 6, 7),
                ("WIDE_MULTICAST", names.index("WRITE_MULTICAST"), 0, 4, 0, codes.address(9, 8) | codes.address(2, 3) << 12, 64, 1, 2, 3)]
        write = ("ADDRESS", names.index("WRITE_"), 0, 1, 0, codes.address(20, 21), 64)
        if wire >= 3:
            more += [("FABRIC", names.index("FABRIC_UNICAST_WRITE"), 1, 2, -1, -1, 0, 1), ("ROUTE_1D", 6), write,
                     ("SCATTER", 1, 2, 32, 2, 0, 2), ("SCATTER", 3, 4, 0, 2, 1, 2), ("ROUTE_2D", 3, 1, 2, 1), write]
        steps = steps[:-1] + more + [("FINISH",)]
        clock = clock + [clock[-1] + 7 * (i + 1) for i in range(len(more))]
        host = build_host(folder, "host%d%d" % (wire, ids), [os.path.join(HERE, "replay.c")],
                          ["-DTS_NOC_WIRE=%d" % wire, "-DTS_NOC_IDENTITY=%d" % ids, "-O1"])
        # The compatible script's flushes read the clock twice; without any, images are not full. So it goes image by image.
        limit, pieces = 60, []
        for start in range(1, len(steps) - 1, limit):
            pieces.append((steps[start:min(start + limit, len(steps) - 1)], clock[start - 1:start - 1 + limit]))
        words, whole, times = [], [], []
        for part, readings in pieces:
            _, some = replay(host, readings, [steps[0]] + part + [("FINISH",)], False)
            words += some
            whole += [steps[0]] + part + [("FINISH",)]
            times += timed([steps[0]] + part + [("FINISH",)], readings)
        compatible = os.path.join(folder, "codes%d%d.tsraw" % (wire, ids))
        write_capture(compatible, describe("W%d" % wire, ids), [(lane_section(), words, 0)])
        sites = Sites()
        script = sites.script(names, whole, times)
        style = "j1" if wire == 1 else "j4"
        status, expected, said = decode(compatible, compatible + ".out", style, "--posted")
        if status or not expected:
            fail("W%d: the compatible capture does not decode: %s" % (wire, said))
            continue
        for number, (compiler, flags) in enumerate(BUILDS if (wire, ids) == (5, 2) else BUILDS[::4]):
            name = "codes-%d%d-%d" % (wire, ids, number)
            program = build(folder, name, wire, ids, sites, compiler, flags + ["-DTS_NOC_KERNEL=4711"])
            _, near = emulate(program, script)
            path = os.path.join(folder, name + ".tsraw")
            write_capture(path, describe("N1", ids), [(lane_section(), near, 0)])
            status, files, told = decode(path, path + ".out", style, "--posted", "--sites", program)
            what = "all codes, W%d, I%d, %s %s" % (wire, ids, compiler, flags[0])
            if status or told.replace(path + ".out", "") != said.replace(compatible + ".out", ""):
                fail("%s: it says %s instead of %s" % (what, told, said))
            compare(what, files, expected, style)
            if number == 0:
                other_tables(folder, path, program, near, ids, files, style, what)


def other_tables(folder, path, program, near, ids, files, style, what):
    """The table as a section of its own, and in the description."""
    section = path + ".sites"
    run_command(["riscv64-unknown-elf-objcopy", "--dump-section", ".ts_noc_sites=" + section, program, section + ".copy"])
    compare(what + ", section", decode(path, path + ".section", style, "--posted", "--sites", section)[1], files, style)
    with open(section, "rb") as f:
        table = f.read()
    inside = path + ".inside.tsraw"
    write_capture(inside, describe("N1", ids, sites=[table.hex()]), [(lane_section(), near, 0)])
    compare(what + ", description", decode(inside, path + ".inside", style, "--posted")[1], files, style)


# ---- flushes that are refused, drops, and times ----

def guarantees(folder):
    wire, ids, names = 5, 2, codes.TYPES[5]
    plain = ("PLAIN", names.index("FULL_BARRIER"), 0, -1, 0)
    read = ("ADDRESS", names.index("READ"), 0, -1, 0, codes.address(1, 2), 64)
    multicast = ("MULTICAST", names.index("WRITE_MULTICAST"), 0, 4, 0, codes.address(1, 2), 64)
    begin, end = codes.begin(), ("FINISH",)
    mixed = [plain, read, multicast] * 60
    far = [0x123456789AB + i * 0xC0000000 for i in range(40)]
    cases = {
        # name: steps, times, records kept, records lost
        "refused": ([begin, ("BUSY", 1)] + mixed + [("BUSY", 0)] + mixed[:30] + [end], None, None, None),
        "dropped": ([codes.begin(capacity=12)] + mixed + [end], None, 0, len(mixed)),
        "pre-emptive": ([begin] + mixed[:5] + [("FLUSH",)] + mixed[:4] + [("FLUSH",), ("FLUSH",)] + [end], None, 9, 0),
        "deep zones": ([begin] + [("OPEN", 1)] * 8 + mixed + [("CLOSE", 1)] * 8 + [end], None, len(mixed), 0),
        "times that come round": ([begin] + [plain] * 40 + [end], [far[0]] + far + [far[-1]], 40, 0),
        "times at their end": ([begin] + [plain] * 9 + [end], [(1 << 44) - 5] + [(1 << 44) - 4 + i for i in range(9)] + [4], 9, 0),
    }
    sites = Sites()
    scripts = {}
    for case, (steps, times, _, _) in cases.items():
        scripts[case] = sites.script(names, steps, times or [1000 * (i + 1) for i in range(len(steps))])
    for number, (compiler, flags) in enumerate(BUILDS):
        program = build(folder, "guarantees-%d" % number, wire, ids, sites, compiler, flags)
        for case, (steps, times, kept, lost) in cases.items():
            what = "%s, %s %s" % (case, compiler, flags[0])
            control, words = emulate(program, scripts[case])
            path = os.path.join(folder, "guarantees.tsraw")
            write_capture(path, describe("N1", ids), [(lane_section(), words, control[62])])
            out = path + "-%d-%s" % (number, case.replace(" ", "-"))
            status, files, said = decode(path, out, "j4", "--sites", program)
            records = [r for text in files.values() for r in json.loads(text)]
            events = [r for r in records if "zone" not in r]
            offered = sum(s[0] in ("PLAIN", "ADDRESS", "MULTICAST") for s in steps)
            if status or "near-raw" in said or len(events) + control[62] != offered:
                fail("%s: %d kept, %d lost of %d; %s" % (what, len(events), control[62], offered, said))
            if kept is not None and (len(events), control[62]) != (kept, lost):
                fail("%s: %d kept and %d lost, not %d and %d" % (what, len(events), control[62], kept, lost))
            if case == "refused" and not 60 < control[62] < len(mixed):
                fail("%s: %d lost" % (what, control[62]))
            if case == "dropped" and control[56] != 1:
                fail("%s: the bit of a dropped buffer is not set" % what)
            ends = sum(r.get("zone_phase") == "ZONE_END" and r["zone"] == "one" for r in records)
            if case == "deep zones" and ends != 8:
                fail("%s: %d ends of 8 zones" % (what, ends))
            if times and [r["timestamp"] for r in events] != sorted(t & (1 << 44) - 1 for t in times[1:-1]):
                fail("%s: times %s" % (what, [r["timestamp"] for r in events][:5]))


def main():
    need_rv32()
    with tempfile.TemporaryDirectory() as folder:
        all_codes(folder)
        guarantees(folder)
    if failures:
        sys.exit(1)
    print("every code of every generation, and every flush and drop, in %d builds: as in the compatible mode" % len(BUILDS))


main()
