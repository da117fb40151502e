"""The near-raw mode gives the golden captures' trace files: RV32 code of gcc and clang records their calls with arguments as they are,
and noc-decode makes of the words and the kernel's table of call sites what it makes of the compatible mode's words."""
import glob
import json
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tempfile

import test_recorder_codes as codes
from near_raw import BUILDS, FLUSH_ZONE, Sites, build, compare, decode, emulate, fail, failures, site_and_arguments, write_capture
from recorder import need_rv32, skip
from test_recorder import load_generator, record_lanes


def golden(generator, cases, folder):
    """(wire, ids) -> what each case asks of its lanes."""
    by_key = {}
    for case in cases:
        with open(case) as f:
            options = json.load(f)
        key = (int(options["wire"][1]), int(options["ids"][1]))
        by_key.setdefault(key, []).append((os.path.dirname(case), options, record_lanes(generator, options)))
    exact = 0
    for (wire, ids), some in by_key.items():
        names, sites = codes.TYPES[wire], Sites()
        scripts = [[sites.script(names, lane.steps, lane.times) for _, lane in lanes] for _, _, lanes in some]
        for number, (compiler, flags) in enumerate(BUILDS):
            name = "golden-%d%d-%d" % (wire, ids, number)
            program = build(folder, name, wire, ids, sites, compiler, flags)
            for (case, options, lanes), script in zip(some, scripts):
                exact += golden_case(generator, case, options, lanes, script, program,
                                     "%s, %s %s" % (os.path.basename(case), compiler, flags[0]), os.path.join(folder, name))
    return exact


def golden_case(generator, case, options, lanes, scripts, program, what, place):
    meta, sections = generator.read_capture(os.path.join(case, "capture.tsraw"))
    meta["wire"] = "N1"
    made, offered, lost = [], 0, 0
    for (_, lane), section, script in zip(lanes, sections, scripts):
        control, words = emulate(program, script)
        mine = control[62 + (section[1] == 1)]
        flags = 1 if control[56] else 0
        made.append(((section[0], section[1], section[2], flags) + section[4:6], words, mine))
        lost += mine
        offered += sum(site_and_arguments(codes.TYPES[int(options["wire"][1])], s) is not None for s in lane.steps)
    path = place + "-" + os.path.basename(case) + ".tsraw"
    out = path + ".out"
    write_capture(path, meta, made)
    status, files, said = decode(path, out, options["json"].lower(), "--sites", program)
    if status:
        fail("%s: %s" % (what, said))
        return 0
    with open(os.path.join(case, "expected", "summary.json")) as f:
        summary = json.load(f)
    if "near-raw" in said or (lost > 0) != ("lost while recording" in said):
        fail("%s: %s" % (what, said))
    if summary["noc_events_lost"]:
        # Here the compatible mode lost events: shorter records lose others. What is kept and what is lost are all there were.
        kept = sum("zone" not in r for text in files.values() for r in json.loads(text))
        if kept + lost != offered or lost == 0:
            fail("%s: %d kept and %d lost of %d" % (what, kept, lost, offered))
        return 0
    expected = {}
    for name in summary["files"]:
        with open(os.path.join(case, "expected", name), encoding="utf-8") as f:
            expected[name] = f.read()
    compare(what, files, expected, options["json"].lower())
    told = sum(int(line.split()[1]) for line in said.splitlines() if " left out: " in line)
    if told != len(summary["warnings"]):
        fail("%s: %d warnings, expected %s" % (what, told, summary["warnings"]))
    return lost == 0 and not any(FLUSH_ZONE in text for text in list(files.values()) + list(expected.values()))


def main():
    shared = os.environ.get("TILESIGHT_SHARED", "")
    cases = sorted(glob.glob(os.path.join(shared, "data", "noc", "golden", "*", "case.json")))
    if not cases:
        skip("there are no golden captures under TILESIGHT_SHARED")
    need_rv32()
    with tempfile.TemporaryDirectory() as folder:
        exact = golden(load_generator(shared), cases, folder)
    if failures:
        sys.exit(1)
    print("%d golden captures, %d builds: %d runs without a flush, byte for byte, the others but for their flush zones"
          % (len(cases), len(BUILDS), exact))


main()
