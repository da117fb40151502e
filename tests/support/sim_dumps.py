"""Small simulator dumps, written block by block for the tests.

    sim_dumps.py       write again the samples that are checked in: tests/data/sim and the seeds of tests/fuzz/sim_*
"""
import json
import pathlib
import struct

SOURCE, TRACE, API_FILE, API_INSTR = 1, 2, 3, 4
CORE = "core0.veccore0"


def block(kind, payload, padding=None, reserve=0x5A, version=0x5A, size=None):
    if padding is None:
        padding = -len(payload) % 4
    body = payload + b"\0" * padding
    return struct.pack("<QBBBB", len(body) if size is None else size, kind, padding, version, reserve) + body


def trace(events, **top):
    head = {"displayTimeUnit": "ns", "profilingType": "op", "schemaVersion": 1, **top}
    return block(TRACE, json.dumps({**head, "traceEvents": events}).encode())


def raw_trace(text):
    return block(TRACE, text if isinstance(text, bytes) else text.encode())


def source(path, text, layout="writer"):
    path = path.encode().ljust(4096, b"\0")
    padding = -len(text) % 4
    size = len(text) + padding + (4096 if layout == "legacy" else 0)
    return struct.pack("<QBBBB", size, SOURCE, padding, 0x5A, 0x5A) + path + text + b"\0" * padding


def metrics(value):
    return block(API_INSTR, json.dumps(value).encode(), version=0)


def x(tid, ts, dur=0.5, name="I", pid=CORE, **more):
    event = {"name": name, "ph": "X", "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": {}}
    event.update(more)
    return {key: value for key, value in event.items() if value is not ...}


def flag(kind, lane, begin, end, producer, consumer, number=0, pid=CORE, detail=None):
    if detail is None:
        detail = f"PIPE:{producer},TRIGGERPIPE:{consumer},FLAGID:{number},"
    common = {"name": kind, "pid": pid, "tid": lane}
    return [{**common, "ph": "B", "ts": begin, "args": {"detail": detail}}, {**common, "ph": "E", "ts": end, "args": {}}]


def arrow(producer="MTE2", consumer="VECTOR", at=0.0, spelt=None, number=0, pid=CORE):
    """A load, a flag, a wait and an instruction that waited."""
    spelt = spelt or (producer, consumer)
    return [x(producer, at + 1, name="LOAD", pid=pid),
            *flag("SET_FLAG", producer, at + 1.5, at + 1.6, *spelt, number, pid=pid),
            *flag("WAIT_FLAG", consumer, at + 1.2, at + 2, *spelt, number, pid=pid),
            x(consumer, at + 2, name="USE", pid=pid)]


METRICS = {"Cores": [CORE, "core0.veccore1"],
           "Instructions": [{"Address": "0x10", "Pipe": "MTE2", "Cycles": [5, 7],
                             "Vector Utilization Percentage": [-1.0, 12.5]}],
           "Instructions Dtype": {"Instructions": {"Address": 3, "Cycles": 1}}}


def serial(count, mhz=1850):
    """Back-to-back instructions of a serial pipe as the simulator rounds them: half of them seem to overlap."""
    single = lambda value: struct.unpack("<f", struct.pack("<f", value))[0]
    events, cycle = [], 2468
    for i in range(count):
        cycles = 1 + i * 7 % 40
        events.append(x("VECTOR", single(cycle / mhz), single(cycles / mhz), name=f"V{i % 5}"))
        cycle += cycles
    return events


SAMPLES = {
    "arrows.bin": trace(arrow() + arrow("CUBE", "FIXP", 10, ("M", "FIX")) + arrow("FIXP", "MTE3", 20)) + metrics(METRICS),
    "serial.bin": trace(serial(400)),
    "cores.bin": trace([e for n in (10, 2, 0) for e in arrow(pid=f"core{n}.veccore0")]),
    "source.bin": trace(arrow()) + source("/k.cpp", b"void f();\n") + source("/empty.cpp", b"") + metrics(METRICS),
    "source-legacy.bin": source("/k.cpp", b"int x;\r\n" * 9, "legacy") + trace(arrow()) + block(0xEE, b"??"),
    "cut.bin": trace(arrow())[:-40],
}


def main():
    tests = pathlib.Path(__file__).resolve().parent.parent
    for folder in ("data/sim", "fuzz/sim_dump", "fuzz/sim_events"):
        (tests / folder).mkdir(parents=True, exist_ok=True)
    for name, data in SAMPLES.items():
        (tests / "data/sim" / name).write_bytes(data)
        (tests / "fuzz/sim_dump" / name.split(".")[0]).write_bytes(data[:6000])
    texts = {
        "arrows": json.dumps({"traceEvents": arrow() + arrow("CUBE", "FIXP", 10, ("M", "FIX"))}),
        "rows": json.dumps({"traceEvents": serial(20) + [x("VECTOR", 1.35, 9), x("VECTOR", 1.4, 0)]}),
        "odd": '{"a":[{"b":1}],"traceEvents":[{"name":"\\u0041\\ud800","name":"Z\xe9","ph":"X","pid":1,"tid":null,"ts":1E-3,'
               '"args":{"k":1,"k":[1.50,-0,1e400,NaN]}},{"ph":"X","tid":"MTE1#1","name":"","ts":12345678901234567890}]}',
        "twice": '{"traceEvents":[{"name":"A","ph":"X","tid":"L","ts":1}],"schemaVersion":{"x":1e2},"traceEvents":[]}',
        "events": json.dumps({"traceEvents": [x("MTE1", 0), *flag("set_event", "S", 1, 2, "", "", detail="pipe_type:MTE1,"
                              "tigger_pipe:V,event_id:3"), *flag("wait_event", "V", 1, 2, "", "", detail="pipe_type:MTE1,"
                              "tigger_pipe:V,event_id:3"), x("VECTOR", 3)]}),
    }
    for name, text in texts.items():
        for options in (0, 1, 62):
            (tests / "fuzz/sim_events" / f"{name}-{options}").write_bytes(bytes([options]) + text.encode())


if __name__ == "__main__":
    main()
