#!/usr/bin/env python3
"""Each rule of clean-sim-trace on a dump made for it, without recordings."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import sim_dumps as dumps
from sim_dumps import CORE, arrow, flag, metrics, raw_trace, source, trace, x

PROGRAM = os.path.abspath(os.environ.get("TILESIGHT", "build/tilesight"))
failures = []
checks = 0


def check(condition, *what):
    global checks
    checks += 1
    if not condition:
        failures.append(f"{sys._getframe(1).f_code.co_name}: " + " ".join(str(w) for w in what))


class Cleaned:
    def __init__(self, data, *options, name="visualize_data.bin"):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            (folder / name).write_bytes(data)
            self.run = subprocess.run([PROGRAM, "clean-sim-trace", name, *options], cwd=folder, capture_output=True, text=True)
            self.code, self.stdout, self.stderr = self.run.returncode, self.run.stdout, self.run.stderr
            self.files = sorted(p.name for p in folder.iterdir() if p.name != name)
            self.text = (folder / "trace.clean.json").read_text() if "trace.clean.json" in self.files else ""
            self.metrics = (folder / "instr_metrics.json").read_text() if "instr_metrics.json" in self.files else ""
        self.top = json.loads(self.text) if self.text else {}
        self.events = self.top.get("traceEvents", [])

    def slices(self, key="tid"):
        return [e[key] for e in self.events if e["ph"] == "X"]

    def arrows(self):
        starts = [e for e in self.events if e["ph"] == "s"]
        ends = [e for e in self.events if e["ph"] == "f"]
        return [(s["name"], s["tid"], s["ts"], f["tid"], f["ts"]) for s, f in zip(starts, ends)]

    def labels(self):
        return [(e["tid"], e["args"]["name"]) for e in self.events if e["name"] == "thread_name"]


def test_lanes():
    lanes = ["MTE3", "CACHEMISS", "FLOWCTRL", "ALL", "SCALAR", "USERMARK", "mte1", "VECTOR", 3, None, "SCALARLDST"]
    data = trace([x(lane, i) for i, lane in enumerate(lanes)] + [x(..., 50)])
    check(Cleaned(data).slices() == ["MTE3", "USERMARK", "mte1", "VECTOR", 3, None, "SCALARLDST", ""], Cleaned(data).slices())
    check("SCALAR" in Cleaned(data, "--keep-scalar").slices())
    names = trace([x("VECTOR", i, name=n) for i, n in enumerate(["SET_FLAG", "BAR", "WAIT_FLAG", "bar", "B\u0041R"])])
    check(Cleaned(names).slices("name") == ["bar"], Cleaned(names).slices("name"))
    check("1 SCALAR, 1 CACHEMISS, 1 FLOWCTRL, 1 ALL" in Cleaned(data).stdout, Cleaned(data).stdout)


def test_rows():
    order = [("A", 4, 2), ("B", 4, 1), ("C", 4, 1), ("D", 5, 1), ("E", 3, 1.5), ("F", 3, 0.5)]
    data = trace([x("VECTOR", ts, dur, name=name) for name, ts, dur in order])
    rows = ["VECTOR#3", "VECTOR", "VECTOR#2", "VECTOR", "VECTOR#1", "VECTOR"]
    for options in ([], ["--compat"]):
        check(Cleaned(data, *options).slices() == rows, options, Cleaned(data, *options).slices())
    zero = trace([x("VECTOR", ts, dur) for ts, dur in [(4, 0), (4, 0), (4, 1), (4, 0), (5, 0)]])
    check(set(Cleaned(zero).slices()) == {"VECTOR"})
    many = Cleaned(trace([x("VECTOR", i * 0.25, 5000) for i in range(3000)]))
    check(many.slices()[-1] == "VECTOR#2999" and many.slices()[17] == "VECTOR#17")
    # touching in microseconds, but not in a viewer's nanoseconds
    near = trace([x("MTE2", 10.0006, 1.0006), x("MTE2", 11.0012, 1.0)])
    check(Cleaned(near, "--compat").slices() == ["MTE2", "MTE2"])
    check(Cleaned(near).slices() == ["MTE2", "MTE2#1"])
    check(Cleaned(near, "--tolerance").slices() == ["MTE2", "MTE2#1"], "tolerance never relaxes the nanoseconds")
    back_to_back = trace([x("MTE2", 1.0, 1.0001), x("MTE2", 2.0000, 1.0)])
    check(Cleaned(back_to_back).slices() == ["MTE2", "MTE2#1"])
    check(Cleaned(back_to_back, "--tolerance").slices() == ["MTE2", "MTE2"])


def test_serial_pipe():
    """No row holds slices that partly overlap once rounded, where the reference's rule leaves some."""
    def lost(cleaned):
        count = 0
        rows = {}
        for event in cleaned.events:
            if event["ph"] == "X":
                start, length = round(event["ts"] * 1000), round(event["dur"] * 1000)
                rows.setdefault(event["tid"], []).append((start, start + length))
        for spans in rows.values():
            spans.sort()
            count += sum(a[0] < b[0] < a[1] < b[1] for a, b in zip(spans, spans[1:]))
        return count
    data = trace(dumps.serial(2000))
    check(lost(Cleaned(data)) == 0)
    check(lost(Cleaned(data, "--compat")) > 10)
    times = lambda c: [(e["ts"], e["dur"]) for e in c.events if e["ph"] == "X"]
    check(times(Cleaned(data)) == times(Cleaned(data, "--compat")), "times stay")


def test_metadata():
    data = trace([x(lane, i) for i, lane in enumerate(["XYZ", "SCALAR", "MTE3", "FIXP", "FIXPIPE", "VECTOR", "CUBE", "MTE1", "MTE2"])])
    ours, theirs = Cleaned(data, "--keep-scalar"), Cleaned(data, "--keep-scalar", "--compat")
    check([tid for tid, _ in ours.labels()] == ["MTE2", "MTE1", "CUBE", "VECTOR", "FIXP", "FIXPIPE", "MTE3", "SCALAR", "XYZ"], ours.labels())
    check(dict(ours.labels())["FIXP"] == "FIXP (quant/out)" and dict(theirs.labels())["FIXP"] == "FIXP")
    check([tid for tid, _ in theirs.labels()][-2:] == ["XYZ", "FIXP"], theirs.labels())
    color = lambda c: [e["cname"] for e in c.events if e["ph"] == "X" and e["tid"] == "FIXP"]
    check(color(ours) == ["yellow"] and color(theirs) == ["grey"])
    sort = [e["args"]["sort_index"] for e in ours.events if e["name"] == "thread_sort_index"]
    check(sort == [0, 100, 200, 300, 400, 400, 500, 600, 9900], sort)
    check(Cleaned(trace([])).text == '{"displayTimeUnit": "ns", "profilingType": "op", "schemaVersion": 1, "traceEvents": []}')
    data = trace([x(lane, ts) for lane, ts in [("MTE1", 1), ("MTE1", 1.1), ("MTE1#1", 1.2), ("MTE1#1", 1.3)]])
    hashed, theirs = Cleaned(data), Cleaned(data, "--compat")
    check(theirs.labels() == [("MTE1", "MTE1 (load L1->L0)"), ("MTE1#1", "MTE1#1"), ("MTE1#1#1", "MTE1#1 #1")], theirs.labels())
    check(hashed.labels() == [("MTE1", "MTE1 (load L1->L0)"), ("MTE1#2#1", "MTE1 (load L1->L0) #1"), ("MTE1#1", "MTE1#1"),
                              ("MTE1#1#2#1", "MTE1#1 #1")], hashed.labels())


def test_rows_of_two_lanes_never_mix():
    for names in (["A", "A#1"], ["A", "A#1", "A##1", "A###1"], ["A", "A#", "A#1"], ["A#", "A", "A##1"], [3, "3", "3#", "3#1", "3##"],
                  [None, "None", "None#1"],
                  [3, "3", "3#1", "3#2#1", "3#3#2", "3#04#1", "3#5#1", "3#6#", "x#99999999999999999999#1"],
                  ["A", "A#2", "A#2#1", "A#1", "#4#1"], ["A", "A#1", "A#", "A##", "A##2"]):
        order = [(lane, 1 + 0.1 * i) for i, lane in enumerate(name for name in names for _ in range(4))]
        cleaned = Cleaned(trace([x(lane, ts, 5) for lane, ts in order]))
        tids = cleaned.slices()
        check(len(set(map(json.dumps, tids))) == len(order), names, tids)
        check(len(cleaned.labels()) == len(order), names, cleaned.labels())
    escaped = ('{"traceEvents":[' + ",".join(f'{{"name":"n","ph":"X","ts":{ts},"dur":9,"tid":"{tid}"}}'
                                              for ts, tid in enumerate(["A", "A", "A\\u00231"])) + "]}")
    check(Cleaned(raw_trace(escaped)).slices() == ["A", "A#2#1", "A#1"], Cleaned(raw_trace(escaped)).slices())
    # the arrow's ends are on the rows of its slices, and a core without such a lane keeps the plain names
    data = trace([x("MTE2#1", 0), x("MTE2", 0.5), *arrow(), x("MTE2", 1, 0.1, pid="b"), x("MTE2", 1, 0.1, pid="b")])
    cleaned = Cleaned(data)
    check(cleaned.arrows() == [("MTE2->VECTOR flag0", "MTE2", 1.0, "VECTOR", 2.0)], cleaned.arrows())
    check([e["tid"] for e in cleaned.events if e["ph"] == "X" and e["pid"] == "b"] == ["MTE2", "MTE2#1"], cleaned.slices())


def test_cores():
    data = trace([x("MTE2", 1, pid=f"core{n}.veccore0") for n in (10, 2, 1)])
    names = lambda c: [e["args"]["name"] for e in c.events if e["name"] == "process_name"]
    check(names(Cleaned(data)) == [f"core{n}.veccore0" for n in (1, 2, 10)], names(Cleaned(data)))
    check(names(Cleaned(data, "--compat")) == [f"core{n}.veccore0" for n in (1, 10, 2)])
    numbers = Cleaned(trace([x("MTE2", i, pid=p) for i, p in enumerate([10, 9, 2**70, 1.5])]))
    check(names(numbers) == [1.5, 9, 10, 2**70], names(numbers))
    mixed = Cleaned(trace([x("MTE2", 1, pid=1), x("MTE2", 1, pid="1")]))
    check(mixed.code == 1 and mixed.stderr.startswith("error: visualize_data.bin: TRACE block: ") and not mixed.files, mixed.stderr)


def test_arrows():
    check(Cleaned(trace(arrow())).arrows() == [("MTE2->VECTOR flag0", "MTE2", 1.0, "VECTOR", 2.0)])
    # n-th set with n-th wait, cores apart, ids in order of setting
    pairs = [e for i in range(3) for e in arrow(at=10 * (3 - i), number=i)]
    check([a[0][-1] for a in Cleaned(trace(pairs)).arrows()] == ["2", "1", "0"])
    across = flag("SET_FLAG", "MTE2", 1, 2, "MTE2", "VECTOR") + flag("WAIT_FLAG", "VECTOR", 1, 2, "MTE2", "VECTOR", pid="other")
    cleaned = Cleaned(trace([x("MTE2", 0), x("VECTOR", 9), *across]))
    check(cleaned.arrows() == [] and "note: 1 sync flag(s)" in cleaned.stdout)
    # anchors: the last that begins no later, the first that begins no earlier; of equal times by place in the file
    ties = [x("MTE2", 1, 0, name="P0"), x("MTE2", 1, 2), x("VECTOR", 5, 0), x("VECTOR", 5, 1), *flag("SET_FLAG", "MTE2", 1, 2, "MTE2", "VECTOR"),
            *flag("WAIT_FLAG", "VECTOR", 1, 5, "MTE2", "VECTOR")]
    check(Cleaned(trace(ties)).arrows() == [("MTE2->VECTOR flag0", "MTE2", 1, "VECTOR", 5)])
    # nested flags pair inside out; ends without a beginning and beginnings without an end do not count
    open_ones = arrow()
    open_ones += [flag("SET_FLAG", "MTE2", 9, 9, "MTE2", "VECTOR")[0], flag("WAIT_FLAG", "CUBE", 9, 9, "A", "B")[1]]
    check(len(Cleaned(trace(open_ones)).arrows()) == 1 and "note" not in Cleaned(trace(open_ones)).stdout)
    backward = Cleaned(trace([x("MTE2", 5), x("VECTOR", 1), *flag("SET_FLAG", "M", 6, 6, "MTE2", "VECTOR"),
                              *flag("WAIT_FLAG", "M", 0, 0.5, "MTE2", "VECTOR")]))
    check("1 arrow(s) point backwards" in backward.stdout and len(backward.arrows()) == 1, backward.stdout)
    check("1 slice(s) have no duration" in Cleaned(trace([x("MTE2", 1, ...)])).stdout)


def test_aliases():
    for spelt, lane in (("V", "VECTOR"), ("VEC", "VECTOR"), ("VEC0", "VECTOR"), ("M", "CUBE"), ("FIX", "FIXP"), ("FIX_PIPE", "FIXP"),
                        ("FIXPIPE", "FIXP"), ("FIXP", "FIXPIPE")):
        data = trace(arrow(lane, "MTE3", spelt=(spelt, "MTE3")))
        check(len(Cleaned(data).arrows()) == 1, spelt, lane)
        check(len(Cleaned(data, "--compat").arrows()) == (spelt == "VEC"), spelt, lane, "compat")
    check(len(Cleaned(trace(arrow("SCALAR", "MTE2", spelt=("S", "MTE2"))), "--keep-scalar").arrows()) == 1)
    # a set and its wait may be spelt differently
    mixed = [x("CUBE", 1), x("FIXP", 3), *flag("SET_FLAG", "CUBE", 1, 2, "M", "FIXP"), *flag("WAIT_FLAG", "FIXP", 1, 2, "CUBE", "FIXPIPE")]
    check(len(Cleaned(trace(mixed)).arrows()) == 1)
    # both names of the pipe on one core: the nearer slice counts
    both = [x("CUBE", 1), x("FIXP", 9), x("FIXPIPE", 5), *flag("SET_FLAG", "CUBE", 1, 2, "CUBE", "FIXP"),
            *flag("WAIT_FLAG", "FIXP", 1, 2, "CUBE", "FIXP")]
    check(Cleaned(trace(both)).arrows() == [("CUBE->FIXP flag0", "CUBE", 1, "FIXPIPE", 5)])
    detail = "pipe_type:MTE2,tigger_pipe:V,event_id:3"
    events = [x("MTE2", 1), x("VECTOR", 3), *flag("set_event", "MTE2", 1, 2, "", "", detail=detail),
              *flag("wait_event", "VECTOR", 1, 2, "", "", detail=detail)]
    check(Cleaned(trace(events)).arrows() == [("MTE2->V flag3", "MTE2", 1, "VECTOR", 3)])
    check(Cleaned(trace(events), "--compat").arrows() == [])


def test_intra_block():
    def sync(kind, pid, lane, begin, end, number):
        return flag(kind, lane, begin, end, "", "", pid=pid, detail=f"PIPE:{lane},MODE:2,sync_id:{number},")
    cube, vec0, vec1 = "core3.cubecore0", "core3.veccore0", "core3.veccore1"
    events = [x("FIXP", 1, pid=cube), x("MTE2", 5, pid=vec0), x("MTE2", 6, pid=vec1), x("MTE2", 5, pid="core4.veccore0"),
              *sync("SET_INTRA_BLOCK", cube, "FIXP", 2, 2, 4)]
    for pid in (vec0, vec1, "core4.veccore0"):
        events += sync("WAIT_INTRA_BLOCK", pid, "MTE2", 2, 4, 4)
    check(Cleaned(trace(events)).arrows() == [])
    cleaned = Cleaned(trace(events), "--intra-block")
    check(cleaned.arrows() == [("FIXP->MTE2 sync4", "FIXP", 1, "MTE2", 5), ("FIXP->MTE2 sync4", "FIXP", 1, "MTE2", 6)], cleaned.arrows())
    ends = [e["pid"] for e in cleaned.events if e["ph"] == "f"]
    check(ends == [vec0, vec1], ends)
    # from both vector cores to one wait of the cube core
    back = [x("MTE3", 1, pid=vec0), x("MTE3", 2, pid=vec1), x("MTE1", 9, pid=cube)]
    back += sync("SET_INTRA_BLOCKI", vec0, "MTE3", 3, 3, 1) + sync("SET_INTRA_BLOCKI", vec1, "MTE3", 3, 3, 1)
    back += sync("WAIT_INTRA_BLOCKI", cube, "MTE1", 3, 8, 1)
    check(len(Cleaned(trace(back), "--intra-block").arrows()) == 2)


def test_issue_times():
    data = trace([x("MTE2", 1, name="cache_time"), x("MTE2", 1.1, name="ccu_time"), x("MTE2", 1.2)])
    check(len(Cleaned(data).slices()) == 3 and Cleaned(data, "--drop-issue-times").slices() == ["MTE2"])


def test_values():
    """Numbers and texts come out in one form, everything else of a slice as it was."""
    text = ('{"traceEvents":[{"ts":1E-3,"dur":12e-1,"cat":"c","name":"a\\"\\/\\u0041\\ud83d\\ude00\\ud800\\u00e9\x7f\u4e2d","ph":"X",'
            '"tid":"VECTOR","pid":"p","args":{"x":[1,1.50,-0,-0.0,1e2,1e22,1e16,123456789012345678901234567890,1e400,NaN,true,null,{}],'
            '"d":1,"e":2,"d":3},"tts":4}]}')
    wanted = ('{"name": "a\\"/A\\ud83d\\ude00\\ud800\\u00e9\\u007f\\u4e2d", "ph": "X", "pid": "p", "tid": "VECTOR", "ts": 0.001, "cname": '
              '"good", "dur": 1.2, "args": {"x": [1, 1.5, 0, -0.0, 100.0, 1e+22, 1e+16, 123456789012345678901234567890, Infinity, NaN, '
              'true, null, {}], "d": 3, "e": 2}}')
    check(wanted in Cleaned(raw_trace(text)).text, Cleaned(raw_trace(text)).text)
    for number in ("1.3486486673355103", "0.0005405405536293983", "2.9260001182556152", "0.30000000000000000001", "0.1000", "1e-07",
                   "9007199254740993.0", "4503599627370497.5", "123456789012345680.0", "0.00001", "5e-324", "1.7976931348623157e308",
                   "0.00012207031250000003", "8388608.500000001", "0.00054054055362939835"):
        out = Cleaned(raw_trace(f'{{"traceEvents":[{{"name":"n","ph":"X","ts":{number},"dur":{number}}}]}}')).text
        check(f'"ts": {float(number)!r}, "cname": "grey", "dur": {float(number)!r}' in out, number, out)
    check('"profilingType": {"a": [1]}, "schemaVersion": null' in Cleaned(trace([], profilingType={"a": [1]}, schemaVersion=None)).text)


def test_metrics():
    check(Cleaned(trace([]) + metrics(dumps.METRICS)).metrics ==
          '{"cores": ["core0.veccore0", "core0.veccore1"], "instructions": {"core0.veccore0": [{"address": "0x10", "pipe": "MTE2", '
          '"cycles": 5, "vector_utilization_percentage": -1.0}], "core0.veccore1": [{"address": "0x10", "pipe": "MTE2", "cycles": 7, '
          '"vector_utilization_percentage": 12.5}]}, "column_types": {"Instructions": {"Address": 3, "Cycles": 1}}}')
    odd = {"Cores": ["a", "a", 1], "Instructions": [{"A B": 1, "a_b": [1, 2], "\u0130\u00c9": [1, 2, 3], "X  y": {"Z": [1, 2, 3]}}]}
    wanted = {"cores": ["a", "a", 1], "column_types": {},
              "instructions": {"a": [{"a_b": [1, 2], "i\u0307\u00e9": n, "x__y": {"Z": [1, 2, 3]}} for n in (1, 2)],
                               "1": [{"a_b": [1, 2], "i\u0307\u00e9": 3, "x__y": {"Z": [1, 2, 3]}}]}}
    check(json.loads(Cleaned(trace([]) + metrics(odd)).metrics) == wanted, Cleaned(trace([]) + metrics(odd)).metrics)
    raw = dumps.block(dumps.API_INSTR, b"no JSON")
    check(Cleaned(trace([]) + raw, "--raw-metrics").metrics == "no JSON")
    for bad in (b"no JSON", b"[]", b'{"Instructions":null}', b'{"Cores":["a"],"Instructions":[null]}', b'{"Cores":[[]]}', b'{"a":1}x', b""):
        cleaned = Cleaned(trace([]) + dumps.block(dumps.API_INSTR, bad))
        check(cleaned.code == 1 and cleaned.files == ["trace.clean.json"], bad, cleaned.files)
        check(cleaned.stderr.startswith("error: visualize_data.bin: API_INSTR block: "), bad, cleaned.stderr)
    none = Cleaned(trace([]))
    check(none.code == 0 and none.stderr.startswith("warning: no API_INSTR block"), none.stderr)


def test_container():
    good = trace(arrow())
    for layout in ("writer", "legacy"):
        for text in (b"", b"x", b"y" * 3000, b"z" * 9000):
            cleaned = Cleaned(source("/k", text, layout) + good + source("/l", text, layout) + metrics(dumps.METRICS))
            check(cleaned.code == 0 and cleaned.metrics, layout, len(text), cleaned.stderr)
    check(len(Cleaned(good + trace([])).slices()) == 2, "the first trace counts")
    check(Cleaned(dumps.block(200, b"") + good + b"1234567").code == 0, "unknown blocks and a few bytes behind the last")
    for data, says in ((good[:-9], f"byte {len(good) - 9}"), (b"", "no TRACE block"), (b"12345678901", "no TRACE block"),
                       (good + b"\0" * 12, f"offset {len(good)}"), (dumps.block(2, b"{}", reserve=1), "offset 0: size=4, reserve=0x1"),
                       (dumps.block(2, b"{}", padding=7), "padding=7"), (source("/k", b"x" * 50)[:500] , "corrupt SOURCE block at offset 0"),
                       (dumps.block(2, b"{}", size=2**63), "size=9223372036854775808")):
        cleaned = Cleaned(data)
        check(cleaned.code == 1 and says in cleaned.stderr and not cleaned.files, says, cleaned.stderr)
    cut = pathlib.Path(__file__).resolve().parent.parent / "data" / "sim" / "cut.bin"
    check(f"byte {cut.stat().st_size}" in Cleaned(cut.read_bytes()).stderr)


def test_large_blocks():
    """Sizes beyond 32 bits; the file has holes, so that it takes no room."""
    with tempfile.TemporaryDirectory() as temporary:
        path = pathlib.Path(temporary) / "visualize_data.bin"
        size = 5 << 30
        with open(path, "wb") as file:
            file.write(dumps.block(200, b"", size=size))
            file.seek(size, 1)
            file.write(trace(arrow()))
        if path.stat().st_blocks * 512 > 1 << 30:
            return
        run = subprocess.run([PROGRAM, "clean-sim-trace", str(path)], capture_output=True, text=True)
        check(run.returncode == 0 and "arrows: 1 drawn" in run.stdout, run.stderr)
        os.truncate(path, size)
        run = subprocess.run([PROGRAM, "clean-sim-trace", str(path)], capture_output=True, text=True)
        check(run.returncode == 1 and f"byte {size}" in run.stderr, run.stderr)


def test_wrong_json():
    for text, says in (("", "ends at byte 0"), ("[]", "an object"), ("null", "an object"), ("{}x", "byte 2"), ('{"traceEvents":null}', "null"),
                       ('{"traceEvents":{}}', "object"), ('{"traceEvents":["a"]}', "event 0"), ('{"traceEvents":[{},]}', "byte 19"),
                       ('{"traceEvents":[{}', "ends at byte 18"), ('{"traceEvents":[{"name":"\n"}]}', "byte 25"),
                       ('{"traceEvents":[{"ph":"X","ts":1}]}', 'event 0 (offset 28 of the file) has no "name"'),
                       ('{"traceEvents":[{},{"ph":"X","name":1}]}', 'event 1 (offset 31 of the file) has no "ts"'),
                       ('{"traceEvents":[{"ph":"X","name":1,"ts":"1"}]}', "no finite number"),
                       ('{"traceEvents":[{"ph":"X","name":1,"ts":NaN}]}', "no finite number"),
                       ('{"traceEvents":[{"ph":"X","name":1,"ts":1,"dur":null}]}', "no finite number"),
                       ('{"traceEvents":[{"ph":"X","name":1,"ts":1,"tid":[]}]}', '"tid"'),
                       ('{"traceEvents":[{"ph":"B","name":"SET_FLAG","args":null}]}', '"args"'),
                       ('{"traceEvents":[{"ph":"B","name":"SET_FLAG","args":{"detail":5}}]}', '"detail"'),
                       ('{"traceEvents":[{"a":01}]}', "byte 22"), ('{"traceEvents":[{"a":1.}]}', "digit"), ('{"a":tru}', "a value"),
                       ('{"traceEvents":[{"a":' + "[" * 600 + "]" * 600 + "}]}", "512"), (b'{"traceEvents":[{"a":"\xe9"}]}', "valid UTF-8"),
                       ("{}".encode("utf-16"), "UTF-16")):
        cleaned = Cleaned(raw_trace(text))
        check(cleaned.code == 1 and says in cleaned.stderr and not cleaned.files, repr(text)[:80], cleaned.stderr)
        check(cleaned.stderr.startswith("error: visualize_data.bin: TRACE block: "), repr(text)[:80], cleaned.stderr)
    fine = ('{"traceEvents":[{"ph":"X","tid":"ALL"}]}', '\ufeff {"traceEvents" : [ ] } ', "{}", '{"traceEvents":null,"traceEvents":[]}',
            '{"traceEvents":[{"ph":"X","name":"old","ts":1}],"traceEvents":[]}')
    for text in fine:
        cleaned = Cleaned(raw_trace(text))
        check(cleaned.code == 0 and cleaned.events == [], text, cleaned.stderr)


def test_paths():
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        run = lambda *words: subprocess.run([PROGRAM, "clean-sim-trace", *words], cwd=folder, capture_output=True, text=True)
        for name in ("OPPROF_1", "OPPROF_2"):
            (folder / "runs" / name / "simulator").mkdir(parents=True)
            (folder / "runs" / name / "simulator" / "visualize_data.bin").write_bytes(dumps.SAMPLES["arrows.bin"])
        several = run("runs")
        check(several.returncode == 1 and "OPPROF_1" in several.stderr and "OPPROF_2" in several.stderr, several.stderr)
        check(run("nowhere").returncode == 1 and run().returncode == 2 and run("a", "b").returncode == 2 and run("--what").returncode == 2)
        one = run("--compat", "./runs//OPPROF_1/", "--keep")
        check(one.stdout == "wrote runs/OPPROF_1/simulator/trace.clean.json\n"
              "note: 1 sync flag(s) could not be re-anchored and were skipped\nwrote runs/OPPROF_1/simulator/instr_metrics.json\n", one.stdout)
        (folder / "runs" / "OPPROF_2" / "simulator" / "visualize_data.bin").unlink()
        check(run("runs").returncode == 0, "the only one below")
        check(run("runs/OPPROF_1", "-o", "deep/er", "--no-copy").returncode == 0 and (folder / "deep/er/trace.clean.json").exists())
        check(run("runs/OPPROF_1", "-odeep/2").stdout.count("deep/2/raw_simulator") == 1)
        check(run("runs/OPPROF_1", "-o", "").returncode == 2 and not (folder / "trace.clean.json").exists())
        check(run("runs/OPPROF_1", "-o", "", "--compat").returncode == 0 and (folder / "trace.clean.json").exists())
        (folder / "file").write_text("")
        check(run("runs/OPPROF_1", "-o", "file").returncode == 1)
        for packer, suffix in (("gzip", ".gz"), ("zstd", ".zst")):
            packed = folder / f"visualize_data.bin{suffix}"
            try:
                packed.write_bytes(subprocess.run([packer, "-c"], input=dumps.SAMPLES["arrows.bin"], capture_output=True, check=True).stdout)
            except FileNotFoundError:
                continue
            (folder / "trace.clean.json").unlink(missing_ok=True)
            check(run(packed.name).returncode == 0 and (folder / "trace.clean.json").exists(), suffix)


def test_copy():
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        simulator = folder / "run" / "simulator"
        (simulator / "core0").mkdir(parents=True)
        (simulator / "visualize_data.bin").write_bytes(dumps.SAMPLES["arrows.bin"])
        (simulator / "core0" / "a.csv").write_text("a")
        (simulator / "note.txt").write_text("note")
        (folder / "secret").write_text("secret")
        os.chmod(simulator / "note.txt", 0o640)
        os.utime(simulator / "note.txt", (1000000000, 1234567890.5))
        os.symlink("note.txt", simulator / "inside")
        os.symlink("../../secret", simulator / "outside")
        os.symlink("../..", simulator / "core0" / "up")
        os.symlink(".", simulator / "core0" / "loop")
        os.symlink("nowhere", simulator / "dangling")
        os.mkfifo(simulator / "pipe")
        (folder / "out" / "raw_simulator").mkdir(parents=True)
        os.symlink("../../secret", folder / "out" / "raw_simulator" / "note.txt")
        run = lambda *words: subprocess.run([PROGRAM, "clean-sim-trace", *words], cwd=folder, capture_output=True, text=True, timeout=60)
        result = run("run", "-o", "out")
        copy = folder / "out" / "raw_simulator"
        check(result.returncode == 0 and "copied raw binary trace into out/raw_simulator" in result.stdout, result.stderr)
        check((copy / "core0" / "a.csv").read_text() == "a" and (copy / "inside").read_text() == "note")
        check(not (copy / "inside").is_symlink() and not (copy / "outside").exists() and not (copy / "core0" / "up").exists())
        check((folder / "secret").read_text() == "secret" and (copy / "note.txt").read_text() == "note", "links in the way are replaced")
        stat = (copy / "note.txt").stat()
        check(stat.st_mode & 0o777 == 0o640 and stat.st_mtime == 1234567890.5, oct(stat.st_mode), stat.st_mtime)
        for name in ("outside", "up", "loop", "dangling", "pipe"):
            check(sum(name in line and line.startswith("warning: could not copy") for line in result.stderr.splitlines()) == 1, name, result.stderr)
        result = run("run", "-o", "run/simulator/out", "--copy-run-only")
        copied = sorted(p.name for p in (simulator / "out" / "raw_simulator").iterdir())
        check(copied == ["core0", "visualize_data.bin"], copied)
        check(run("run", "-o", "run/simulator").stdout.count("copied") == 0 and not (simulator / "raw_simulator").exists())


def test_threads():
    """The same bytes however many threads, also where pieces of the file begin inside of texts that look like events."""
    trap = '{"a":[{"ph":"X"},{"ph":"X","name":"no","ts":1},' * 3
    events = [x("MTE2" if i % 3 else "VECTOR", i * 0.3, 0.7, name=f"I{i}", args={"t": trap if i % 1000 == 7 else "", "l": [{"ph": "X"}, {"ph": "X"}]})
              for i in range(60000)]
    data = trace(events)
    check(len(data) > 6 << 20)
    texts = {Cleaned(data, "--threads", str(n)).text for n in (1, 2, 5)}
    check(len(texts) == 1 and len(Cleaned(data).slices()) == 60000)


def test_interrupt():
    """What is there afterwards is the old file or nothing."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "visualize_data.bin").write_bytes(trace([x("MTE2", i * 0.5, 0.7, args={"t": "x" * 400}) for i in range(150000)]))
        for delay in (0.02, 0.06, 0.12):
            process = subprocess.Popen([PROGRAM, "clean-sim-trace", "visualize_data.bin"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            said = process.communicate()[1]
            left = sorted(p.name for p in folder.iterdir() if p.name != "visualize_data.bin")
            if process.returncode == 0:
                check(left == ["trace.clean.json"], left)
                (folder / "trace.clean.json").unlink()
            else:
                check(left == [], delay, left, said)


def main():
    for name, test in sorted(globals().items()):
        if name.startswith("test_"):
            test()
    for failure in failures:
        print("FAILED", failure[:1500])
    print(f"{checks} checks, {len(failures)} failed")
    return 1 if failures else 0


sys.exit(main())
