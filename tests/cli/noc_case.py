"""Small raw captures and device logs for tests, made in code."""
import json
import struct

EVENT, EVENT16 = 0xB3039, 0xD3039
SLOT = [0x80000000, 0x80000000]
ZONES = [{"id": 100, "name": "BRISC-FW", "file": "f.cc", "line": 1}, {"id": 200, "name": "BRISC-KERNEL", "file": "k.cc", "line": 2},
         {"id": 300, "name": "loop", "file": "l.cc", "line": 3}]


def describe(**more):
    what = {"format": "tilesight-profiler-capture", "version": 1, "arch": "wormhole_b0", "wire": "W5", "id_layout": "I2",
            "zones": ZONES, "ops": {"1": "Op"}, "traces": {"replayed": [], "programs": {}},
            "devices": [{"device": 0, "grid": [10, 12], "translated": [[18, 18, 1, 1, "tensix"], [18, 16, 9, 0, "eth"]],
                         "eth_channels": [[5, 9, 0]]}]}
    what.update(more)
    return what


def marker(kind, ident, time):
    return [0x80000000 | kind << 28 | ident << 12 | time >> 32 & 0xFFF, time & 0xFFFFFFFF]


def event(time, payload):
    return [EVENT << 12 | time >> 32 & 0xFFF, time & 0xFFFFFFFF, payload >> 32, payload & 0xFFFFFFFF]


def image(body, risc=0, flat=7, host=1024, start=1000, end=9000):
    head = [0, 0, risc | flat << 3, host]
    kernel = marker(0, 200, start) + (marker(1, 200, end) if end else SLOT)
    return head + marker(0, 100, start - 10) + SLOT + kernel + body


def capture(sections, description=None, magic=b"TSPROF01", version=1):
    """sections: (kind, risc, flat, flags, x, y, device, words, lost)"""
    text = json.dumps(description or describe()).encode()
    head = 24 + len(text)
    head += -head % 8
    at = head + 40 * len(sections)
    table, body = b"", b""
    for kind, risc, flat, flags, x, y, device, words, lost in sections:
        table += struct.pack("<HHHHhhIQQQ", kind, risc, flat, flags, x, y, device, at + len(body), len(words), lost)
        data = struct.pack("<%dI" % len(words), *words)
        body += data + b"\0" * (-len(data) % 8)
    start = struct.pack("<8sIIII", magic, version, len(text), len(sections), head) + text
    return start + b"\0" * (head - len(start)) + table + body


def lane(words, **more):
    at = dict(kind=1, risc=0, flat=7, flags=0, x=1, y=1, device=0, lost=0)
    at.update(more)
    return (at["kind"], at["risc"], at["flat"], at["flags"], at["x"], at["y"], at["device"], words, at["lost"])


def local(code, x=-1, y=-1, noc=0, vc=-1, size=0, posted=0):
    b = [code, x & 255, y & 255, 0, 0, (noc + 1) | (vc & 15) << 4, min(255, -(-size // 32)), posted]
    return int.from_bytes(bytes(b), "little")


HEADER = ("ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64\n"
          "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, trace id, "
          "trace id counter, zone name, type, source line, source file, meta data\n")


def row(time, payload=None, zone=None, host=1024, risc="BRISC", x=1, y=1):
    if payload is not None:
        return "0,%d,%d,%s,12345,%d,%d,%d,,,,TS_DATA,0,,\n" % (x, y, risc, time, payload, host)
    name, kind = zone
    return "0,%d,%d,%s,200,%d,0,%d,,,%s,%s,2,k.cc,\n" % (x, y, risc, time, host, name, kind)
