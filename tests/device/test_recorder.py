"""The recorder gives the golden captures' words again: on the host, and as RV32 code of gcc and of clang under emulation."""
import glob
import importlib.util
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from recorder import HERE, build_host, build_rv32, need_rv32, replay, skip


def load_generator(shared):
    spec = importlib.util.spec_from_file_location("generator", os.path.join(shared, "tools", "make_noc_capture.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Lane:
    def __init__(self):
        self.clock, self.steps, self.expected, self.lost = [], [], None, 0
        self.times, self.last = [], 0  # when each step was asked for, as far as that is known

    def step(self, *what):
        self.steps.append(what)
        self.times.append(self.last)


def record_lanes(generator, options):
    """Run the generator's workload and note, lane by lane, what a recorder is asked for and at which times."""
    lanes = {}
    current = [None]
    zone_of = {}

    class Recorder(generator.Recorder):
        def begin(self, host_id, trace):
            lane = lanes.setdefault(id(self), Lane())
            lane.recorder = self
            current[0] = lane
            lane.step("BEGIN", self.risc, self.flat, host_id, trace, self.c.dram_words, self.zones["PROFILER-NOC-QUICK-PUSH"])
            zone_of.update(self.zones)
            super().begin(host_id, trace)

        def put(self, at, ident, ts):
            current[0].clock.append(ts)
            current[0].last = ts
            super().put(at, ident, ts)

        def guard(self, zone, which, ts):
            super().guard(zone, which, ts)
            current[0].step("SLOT", 2 * which[0] + which[1], zone)

        def finish(self):
            current[0].step("FINISH")
            return super().finish()

    def watch(opt, c, chip, rng, phys, r, n, event, z_open, z_close, clock):
        lane = current[0]

        def event_(data, trailer=None):
            before = lane.recorder.lost
            readings = len(lane.clock)
            event(data, trailer)
            # A lost record asks for the time too: its words are taken back.
            if lane.recorder.lost == before + 1 and len(lane.clock) == readings:
                lane.clock.append(0)
            lane.step(*step_of(generator, c.wire, data, trailer))

        def open_(name):
            opened = z_open(name)
            lane.step("OPEN", zone_of[name])
            return opened

        def close_(name):
            z_close(name)
            lane.step("CLOSE", zone_of[name])
        return original(opt, c, chip, rng, phys, r, n, event_, open_, close_, clock)

    original, plain = generator.lane_events, generator.Recorder
    generator.lane_events, generator.Recorder = watch, Recorder
    try:
        _, _, _, recs, _, _, _, _ = generator.build(options)
        zones_seen(lanes, recs)
    finally:
        generator.lane_events, generator.Recorder = original, plain
    return [(key, lanes[id(rec)]) for key, rec in sorted(recs.items())]


def zones_seen(lanes, recs):
    """TRISC lanes' custom zones do not pass through lane_events: they stand between the guaranteed markers."""
    for rec in recs.values():
        lane = lanes[id(rec)]
        if rec.risc < 2:
            continue
        steps, times = [], []
        marks = [t for t in lane.clock]
        for step, time in zip(lane.steps, lane.times):
            if step[0] == "SLOT" and step[1] == 3:
                steps += [("OPEN", rec.zones["MATH"]), ("CLOSE", rec.zones["MATH"])]
                at = marks.index(time)
                times += marks[at - 2:at]
            steps.append(step)
            times.append(time)
        lane.steps, lane.times = steps, times


def address(x, y):
    return (x & 63) << 4 | (y & 63) << 10


def step_of(generator, wire, data, trailer):
    """The call that gives this payload, from its fields."""
    p = generator.unpack_payload(wire, data)
    code = generator.CODE[wire]
    kind = p["kind"]
    if kind == "fabric":
        return ("FABRIC", code[p["type"]], p["xy"][0], p["xy"][1], -1, -1, p["noc"] - 1, p["rt"])
    if kind == "scatter":
        return ("SCATTER", p["xy"][0], p["xy"][1], p["chunk"], p["n"], p["noc"] - 1, p["rt"])
    if kind == "route":
        return ("ROUTE_1D", p["value"]) if p["dim"] == 1 else ("ROUTE_2D", p["ns"], p["e"], p["w"], int(p["mcast"]))
    head = (code[p["type"]], p["noc"] - 1, p["vc"], p["posted"] or 0)
    x, y = p["xy"]
    nowhere = (x, y) == (-1, -1)
    if trailer is not None:
        to = (trailer & 0x3FFFFF) << 2 | (trailer >> 22) & 3
        local = (trailer >> 26 & 0x3FFFFF) << 2 | (trailer >> 48) & 3
        if nowhere:
            return ("WIDE_PLAIN",) + head + (local, trailer >> 52, to)
        if p["type"] == "WRITE_MULTICAST":
            return ("WIDE_MULTICAST",) + head + (address(*p["end"]) | address(x, y) << 12, p["bytes"], to, local, trailer >> 52)
        return ("WIDE",) + head + (address(x, y), p["bytes"], to, local, trailer >> 52)
    if nowhere:
        return ("PLAIN",) + head
    if p["type"] == "WRITE_MULTICAST":
        return ("MULTICAST",) + head + (address(*p["end"]) | address(x, y) << 12, p["bytes"])
    return ("ADDRESS",) + head + (address(x, y), p["bytes"])


def check_case(generator, folder, programs):
    with open(os.path.join(folder, "case.json")) as f:
        options = json.load(f)
    meta, sections = generator.read_capture(os.path.join(folder, "capture.tsraw"))
    failures = 0
    lanes = record_lanes(generator, options)
    if len(lanes) != len(sections):
        print("FAILED: %s has %d lanes, not %d" % (folder, len(sections), len(lanes)))
        return 1
    key = (int(options["wire"][1]), int(options["ids"][1]))
    for name, program, emulate in programs(key):
        for ((device, phys, risc), lane), section in zip(lanes, sections):
            control, words = replay(program, lane.clock, lane.steps, emulate)
            expected = list(section[6])
            if words != expected:
                at = next((i for i, (a, b) in enumerate(zip(words, expected)) if a != b), min(len(words), len(expected)))
                print("FAILED: %s, %s, device %d core %s RISC %d: word %d differs (%d words, expected %d)"
                      % (os.path.basename(folder), name, device, phys, risc, at, len(words), len(expected)))
                failures += 1
                break
            lost = control[62 + (risc == 1)]
            if lost != lane.recorder.lost or bool(control[56]) != bool(section[3] & 1):
                print("FAILED: %s, %s, RISC %d: %d events lost, expected %d"
                      % (os.path.basename(folder), name, risc, lost, lane.recorder.lost))
                failures += 1
                break
    return failures


def main():
    shared = os.environ.get("TILESIGHT_SHARED", "")
    cases = sorted(glob.glob(os.path.join(shared, "data", "noc", "golden", "*", "case.json")))
    if not cases:
        skip("there are no golden captures under TILESIGHT_SHARED")
    need_rv32()
    generator = load_generator(shared)
    with tempfile.TemporaryDirectory() as folder:
        built = {}

        def programs(key):
            if key not in built:
                wire, ids = key
                flags = ["-DTS_NOC_WIRE=%d" % wire, "-DTS_NOC_IDENTITY=%d" % ids]
                source = os.path.join(HERE, "replay.c")
                sources = [os.path.join(HERE, "start.S"), source]
                tag = "w%di%d" % key
                some = [("host", build_host(folder, "host-" + tag, [source], flags + ["-O1", "-fsanitize=undefined"]), False)]
                for compiler, level in (("gcc", "-Os"), ("gcc", "-O2"), ("clang", "-Os"), ("clang", "-O2")):
                    for own in ([], ["-DTS_NOC_OWN_REGISTERS"])[:2 if wire >= 3 else 1]:
                        name = "%s%s%s-%s" % (compiler, level, "-own" if own else "", tag)
                        some.append((name, build_rv32(folder, name, sources, compiler, flags + own + [level]), True))
                built[key] = some
            return built[key]

        failures = sum(check_case(generator, os.path.dirname(case), programs) for case in cases)
        count = sum(len(some) for some in built.values())
    if failures:
        sys.exit(1)
    print("%d golden captures, %d programs: identical words" % (len(cases), count))


if __name__ == "__main__":
    main()
