"""Kernels that record in the near-raw mode, run under emulation, and what noc-decode makes of their words."""
import json
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from recorder import HERE, RESERVED, build_rv32

TILESIGHT = os.environ["TILESIGHT"]
WORDS = {"END": 0, "BEGIN": 1, "SLOT": 2, "OPEN": 3, "CLOSE": 4, "FINISH": 5, "BUSY": 6, "FLUSH": 7, "RECORD": 8}
FLUSH_ZONE = "PROFILER-NOC-QUICK-PUSH"
BUILDS = (("gcc", ["-Os"]), ("gcc", ["-O2", "-flto"] + RESERVED), ("gcc", ["-O0"]), ("clang", ["-Os"]), ("clang", ["-O2"] + RESERVED))
LOCAL, COUNT = 0x1F2E4, 7  # arguments that the compatible mode does not keep


failures = []


def fail(what):
    print("FAILED:", what)
    failures.append(what)


# ---- from steps of the compatible replay to sites and their arguments ----

def site_and_arguments(names, step):
    """(macro, type, noc, vc, posted[, size]) and the six arguments; None: no record."""
    kind, a = step[0], list(step[1:])
    if kind == "PLAIN":
        # Some calls have arguments that say nothing of the event.
        return ("PLAIN_CALL" if "TRID" in names[a[0]] else "PLAIN",) + (names[a[0]],) + tuple(a[1:4]), [0, 3]
    if kind in ("ADDRESS", "MULTICAST"):
        head = (kind, names[a[0]]) + tuple(a[1:4])
        if kind == "ADDRESS" and a[5] == 2048:
            head = ("ADDRESS_SIZED",) + head[1:] + (2048,)
        return head, [a[4], 0x80001230, a[5], LOCAL, COUNT]
    if kind in ("WIDE", "WIDE_MULTICAST"):
        return (kind, names[a[0]]) + tuple(a[1:4]), [a[4], a[6], a[5], a[7], a[8]]
    if kind == "WIDE_PLAIN":
        return (kind, names[a[0]]) + tuple(a[1:4]), [a[6], a[4], a[5]]
    if kind == "FABRIC":
        corners = (a[3], a[4]) != (-1, -1)
        return ("CORNERS" if corners else "FABRIC", names[a[0]], 0, -1, 0), a[1:] if corners else a[1:3] + a[5:]
    if kind in ("SCATTER", "ROUTE_1D", "ROUTE_2D"):
        return (kind, "UNDEF", 0, -1, 0), a
    return None


class Sites:
    """The sites of a kernel, in the order in which they are first asked for."""
    def __init__(self):
        self.numbers = {}

    def script(self, names, steps, times):
        words = []
        for i, (step, time) in enumerate(zip(steps, times)):
            if step[0] == "BEGIN" and i + 1 < len(times):
                time = times[i + 1]
            found = site_and_arguments(names, step)
            if found:
                number = self.numbers.setdefault(found[0], len(self.numbers))
                step = ["RECORD", number] + (found[1] + [0] * 6)[:6]
            words += [WORDS[step[0]], time & 0xFFFFFFFF, time >> 32] + [w & 0xFFFFFFFF for w in step[1:]]
        return words + [WORDS["END"], 0, 0]

    def header(self):
        return "".join("%s(%d, %s)\n" % (key[0], number, ", ".join(str(x) for x in key[1:]))
                       for key, number in self.numbers.items())


def build(folder, name, wire, ids, sites, compiler, flags):
    place = os.path.join(folder, name + "-sites")
    os.makedirs(place, exist_ok=True)
    with open(os.path.join(place, "near_raw_sites.h"), "w") as f:
        f.write(sites.header())
    sources = [os.path.join(HERE, "start.S"), os.path.join(HERE, "near_raw_kernel.c")]
    return build_rv32(folder, name, sources, compiler,
                      flags + ["-I" + place, "-DTS_NOC_WIRE=%d" % wire, "-DTS_NOC_IDENTITY=%d" % ids, "-Wno-type-limits"])


def emulate(program, script):
    data = struct.pack("<I", len(script)) + struct.pack("<%dI" % len(script), *script)
    done = subprocess.run(["qemu-riscv32", program], input=data, stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit("FAILED: %s ended with %d" % (program, done.returncode))
    out = struct.unpack("<%dI" % (len(done.stdout) // 4), done.stdout)
    return out[:64], list(out[64:])


# ---- captures and what is decoded of them ----

def write_capture(path, description, sections):
    text = json.dumps(description).encode()
    head = (24 + len(text) + 7) // 8 * 8
    at = head + 40 * len(sections)
    table = body = b""
    for (kind, risc, flat, flags, (x, y), device), words, lost in sections:
        data = struct.pack("<%dI" % len(words), *words)
        data += b"\0" * (-len(data) % 8)
        table += struct.pack("<HHHHhhIQQQ", kind, risc, flat, flags, x, y, device, at + len(body), len(words), lost)
        body += data
    with open(path, "wb") as f:
        f.write((struct.pack("<8sIIII", b"TSPROF01", 1, len(text), len(sections), head) + text).ljust(head, b"\0") + table + body)


def decode(path, out, style, *more):
    done = subprocess.run([TILESIGHT, "noc-decode", path, "-o", out, "--format", style] + list(more), stderr=subprocess.PIPE,
                          universal_newlines=True)
    files = {}
    for name in os.listdir(out) if os.path.isdir(out) else []:
        with open(os.path.join(out, name), encoding="utf-8") as f:
            files[name] = f.read()
    return done.returncode, files, done.stderr


def without_flushes(text, style):
    """Images fill up at other records, so the flush zones stand elsewhere."""
    if FLUSH_ZONE not in text:
        return text
    records = [r for r in json.loads(text) if r.get("zone") != FLUSH_ZONE]
    return json.dumps(records, indent=4 if style == "j1" else 2, sort_keys=True, ensure_ascii=False) + "\n" * (style == "j1")


def compare(what, got, expected, style):
    if sorted(got) != sorted(expected):
        fail("%s: files %s, expected %s" % (what, sorted(got), sorted(expected)))
        return
    for name in expected:
        if FLUSH_ZONE in expected[name] or FLUSH_ZONE in got[name]:
            same = without_flushes(got[name], style) == without_flushes(expected[name], style)
        else:
            same = got[name] == expected[name]
        if not same:
            fail("%s: %s differs" % (what, name))
