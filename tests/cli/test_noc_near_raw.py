"""noc-decode on near-raw captures: what a record becomes, and tables and captures that are damaged, cut off, or not each other's."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import near_raw_case as near
from near_raw_case import elf, near_image, number_of, record, site
from noc_case import capture, describe, event, image, lane, local
from noc_run import check, finish, put, run, tilesight

READ, WRITE, MULTICAST, START, END = 1, 11, 15, 6, 7


def near_capture(words, table=None, **more):
    """table: in the description; None: it comes from elsewhere."""
    if table is not None:
        more["sites"] = [table.hex()]
    return capture([lane(words)], describe(wire="N1", **more))


def decode(data, *words):
    done = run(put("case.tsraw", data), "-o", "-", *words)
    return json.loads(done.stdout) if done.returncode == 0 else None, done.stderr, done


def refused(what, done, status, text):
    check(what, done.returncode == status and text in done.stderr, (done.returncode, done.stderr))


READ_AT, WRITE_AT = number_of(1, 4), number_of(2, 3)
CAST_AT, START_AT, END_AT = number_of(1, 5), number_of(1, 0), number_of(2, 0)
TABLE = (site(READ_AT, near.ADDRESS, READ, count=4) + site(WRITE_AT, near.ADDRESS, WRITE, vc=1, posted=1, count=4, known=[(2, 100)]) +
         site(CAST_AT, near.MULTICAST, MULTICAST, vc=4, count=5) + site(START_AT, near.PLAIN, START, noc=1) +
         site(END_AT, near.PLAIN, END, noc=1))


def address(x, y):
    return x << 4 | y << 10


BODY = (record(READ_AT, 1100, [address(0, 1), 0x1234, 2048, 0x20000]) +
        record(WRITE_AT, 1200, [address(18, 18), 0x1234, 0x20000]) +
        record(CAST_AT, 1250, [address(18, 18) | address(18, 18) << 12, 0x1234, 1024, 0x20000, 3]) +
        record(START_AT, 1300) + record(END_AT, 1400))
GOOD = near_image(BODY)

# A whole one is what the compatible mode's words are.
cast = local(MULTICAST, 18, 18, 0, 4, 1024) | 18 << 24 | 18 << 32
compatible = capture([lane(image(event(1100, local(READ, 0, 1, 0, -1, 2048)) + event(1200, local(WRITE, 18, 18, 0, 1, 100, 1)) +
                                 event(1250, cast) + event(1300, local(START, noc=1)) + event(1400, local(END, noc=1))))])
expected = run(put("compatible.tsraw", compatible), "-o", "-")
got = run(put("near.tsraw", near_capture(GOOD, TABLE)), "-o", "-")
check("a near-raw capture decodes as the compatible one", got.stdout == expected.stdout and '"WRITE_"' in got.stdout, got.stderr)
check("and there is nothing to say about it", got.stderr == expected.stderr == "", got.stderr)
for name, data in (("kernel.elf", elf(TABLE)), ("sites.bin", TABLE), ("padded.bin", TABLE + b"\0" * 8)):
    got = run(put("near.tsraw", near_capture(GOOD)), "-o", "-", "--sites", put(name, data))
    check("a table out of %s" % name, got.stdout == expected.stdout, got.stderr)

# Every truncation of the words, and of the file.
full, _, _ = decode(near_capture(GOOD, TABLE))
full = [r for r in full if "type" in r]
for size in range(len(GOOD)):
    out, said, done = decode(near_capture(GOOD[:size], TABLE))
    events = [r for r in out or [] if "type" in r]
    if out is None or events != full[:len(events)] or "damaged" in said:
        check("words cut to %d" % size, False, said)
check("cut within a record it says so", "ends within a packet" in decode(near_capture(GOOD[:-8], TABLE))[1])
whole = near_capture(GOOD, TABLE)
for size in range(0, len(whole), 7):
    done = run(put("cut.tsraw", whole[:size]), "-o", "-")
    if done.returncode != 1 or not done.stderr.startswith("tilesight: "):
        check("a file cut to %d bytes" % size, False, done.stderr)
for size in range(0, len(TABLE), 3):
    done = run(put("near.tsraw", near_capture(GOOD)), "-o", "-", "--sites", put("cut.bin", TABLE[:size]))
    if done.returncode not in (0, 1) or (done.returncode == 1 and not done.stderr.startswith("tilesight: ")):
        check("a table cut to %d bytes" % size, False, done.stderr)
    if done.returncode == 0 and "left out" not in done.stderr and size < len(TABLE) - 3:
        check("a table cut to %d bytes knows all sites" % size, False)
linked = elf(TABLE)
for size in range(0, len(linked), 5):
    done = run(put("near.tsraw", near_capture(GOOD)), "-o", "-", "--sites", put("cut.elf", linked[:size]))
    if done.returncode != 1 or not done.stderr.startswith("tilesight: "):
        check("an ELF file cut to %d bytes" % size, False, done.stderr)

# Tables that are missing or of something else.
refused("no table", run(put("near.tsraw", near_capture(GOOD)), "-o", "-"), 1, "--sites")
refused("--sites of a compatible capture", run(put("c.tsraw", compatible), "-o", "-", "--sites", put("s", TABLE)), 2,
        "leave out --sites")
refused("--wire of a near-raw capture", run(put("n.tsraw", near_capture(GOOD, TABLE)), "-o", "-", "--wire", "W5"), 2,
        "leave out --wire")
refused("--sites of a trace file", run("x.json", "--sites", "y"), 2, "--sites is for raw captures")
refused("an object file", run(put("n.tsraw", near_capture(GOOD)), "-o", "-", "--sites", put("k.o", elf(TABLE, kind=1))), 1,
        "k.o: an object file")
refused("a 64-bit file", run(put("n.tsraw", near_capture(GOOD)), "-o", "-", "--sites", put("k64", elf(TABLE, bits=2))), 1,
        "ELF file of 32 bits")
refused("a kernel without a table",
        run(put("n.tsraw", near_capture(GOOD)), "-o", "-", "--sites", put("k", elf(TABLE, name=b".something"))), 1,
        "no section .ts_noc_sites")
refused("no such file", run(put("n.tsraw", near_capture(GOOD)), "-o", "-", "--sites", "/nowhere/k"), 1, "/nowhere/k")
for what, table, text in (
        ("an unknown shape", site(START_AT, 11, START), "its shape is not known"),
        ("a type of another shape", site(READ_AT, near.ROUTE_2D, READ, count=4), "does not go with its shape"),
        ("an unknown type", site(START_AT, near.PLAIN, 77), "does not go with its shape"),
        ("a NoC that is none", site(START_AT, near.PLAIN, START, noc=2), "neither 0 nor 1"),
        ("a generation that is none", site(START_AT, near.PLAIN, START, wire=9), "none of W1 to W5"),
        ("too many arguments", site(number_of(1, 6), near.PLAIN, START, count=6), "number of arguments"),
        ("a length of other arguments", site(START_AT, near.PLAIN, START, words=4), "length of its records"),
        ("a number without end", site(1024, near.PLAIN, START), "at most 1023 sites"),
        ("a number of another length", site(READ_AT, near.PLAIN, START), "at most 1023 sites"),
        ("another table", b"TSN2" + TABLE[4:], "damaged at byte 0"),
        ("two kernels with one number", TABLE + site(START_AT, near.PLAIN, END), "of different kernels"),
        ("two generations", TABLE + site(START_AT, near.PLAIN, START, kernel=2, wire=4), "decode them one at a time")):
    done = run(put("n.tsraw", near_capture(GOOD, table)), "-o", "-")
    refused(what, done, 1, text)
for what, sites, text in (("no list", "ab", "not a list"), ("no texts", [1], "not a list"), ("half a byte", ["54534e3"], "within a pair"),
                          ("no digits", ["xx"], "something else than pairs")):
    done = run(put("n.tsraw", near_capture(GOOD, None, sites=sites)), "-o", "-")
    refused("sites with " + what, done, 1, text)
out, said, _ = decode(near_capture(GOOD, TABLE + TABLE))
check("the same table twice is one", out is not None and said == "", said)

# Of another build: records are skipped one by one, counted, and named.
out, said, _ = decode(near_capture(GOOD, site(WRITE_AT, near.ADDRESS, WRITE, vc=1, count=4, known=[(2, 100)])))
check("known sites are told in spite of unknown ones", [r["type"] for r in out if "type" in r] == ["WRITE_"], out)
check("unknown ones are counted", "4 near-raw records left out: their sites are not in the table" in said, said)
check("and named", "site %d of kernel 0: 1 of them" % CAST_AT in said, said)
out, said, _ = decode(near_capture(near_image(BODY, kernel=7), TABLE))
check("a kernel without a table is named", "5 near-raw records left out: nobody gave the tables" in said and
      "kernel 7: 5 of them" in said and not any("type" in r for r in out), said)
out, said, _ = decode(near_capture(near_image(BODY, kernel=7) + near_image(BODY, start=20000), TABLE))
check("and the next image is read", sum("type" in r for r in out) == 5, said)
out, said, _ = decode(near_capture(near_image(BODY, kernel=None), TABLE))
check("an image without its kernel", "5 near-raw records left out: their images do not say" in said, said)

# What is no record: the rest of its image is skipped, two zeros in it or not.
later = near_image(BODY, start=20000, end=29000)
for what, words in (("a number of 13 bits", record(READ_AT, 1100, [1, 2, 3, 4]) + [0x1001, 5]),
                    ("site 0", [0x400, 5, 0, 0]), ("half a sign", [0x801, 0, 0, 0])):
    out, said, _ = decode(near_capture(near_image(words + [0, 0] + [1, 2, 0, 0, 0, 3]) + later, TABLE))
    check(what, "1 near-raw image is left" in said and
          [r["timestamp"] for r in out if "type" in r][-5:] == [2**32 + t for t in (1100, 1200, 1250, 1300, 1400)], (said, out))
body = record(START_AT, 1100) * 248 + record(CAST_AT, 1200, [1, 2, 3, 4, 5])
out, said, _ = decode(near_capture(near_image(body) + later, TABLE))
check("a record past its image's end", "1 near-raw image is left" in said and sum("type" in r for r in out) == 6, said)

# Times: the low word comes round once between two records at most, and a whole time shows when it was more often.
base = 5 * 2**32 - 100
rounds = near_image(record(START_AT, base + 10) + record(END_AT, base + 200) + record(START_AT, base + 100), start=base)
out, said, _ = decode(near_capture(rounds, TABLE))
check("a low word that comes round", [r["timestamp"] - base for r in out if "type" in r] == [10, 200, 2**32 + 100], out)
check("and nothing to say", said == "", said)
late = near_image(record(START_AT, 1100) + record(END_AT, 1200) + [0xC0000000 | 3 << 12 | 2, 1300] + record(START_AT, 1400))
out, said, _ = decode(near_capture(late, TABLE))
check("a low word that came round unseen", "2 near-raw records may be earlier" in said and
      [r["timestamp"] for r in out if "type" in r][-1] == 2 * 2**32 + 1400, (said, out))

# Packets of the compatible mode between near-raw records.
out, said, _ = decode(near_capture(near_image(record(START_AT, 1100) + event(1150, local(READ, 0, 1, 0, -1, 64)) +
                                              record(END_AT, 1200)), TABLE))
check("packets between records", [r["type"] for r in out if "type" in r] == ["READ_BARRIER_START", "READ", "READ_BARRIER_END"], said)

# Flags for the compiler.
ON = {"TT_METAL_DEVICE_PROFILER_NOC_EVENTS": "1"}
flags = tilesight("noc-flags", "--near-raw", "--kernel", "9", **ON).stdout.split()
check("flags of the near-raw mode", "-DTS_NOC_NEAR_RAW" in flags and "-DTS_NOC_KERNEL=9" in flags, flags)
check("none of them when tracing is off", "TS_NOC" not in tilesight("noc-flags", "--near-raw").stdout)
flags = tilesight("noc-flags", "--near-raw", "--reserved-registers", **ON).stdout.split()
check("flags that reserve registers", {"-DTS_NOC_RESERVED_REGISTERS", "-ffixed-x25", "-ffixed-x26", "-ffixed-x27"} <= set(flags), flags)
refused("--kernel without --near-raw", tilesight("noc-flags", "--kernel", "9"), 2, "belong to --near-raw")
refused("a kernel's number without end", tilesight("noc-flags", "--near-raw", "--kernel", "65536"), 2, "from 0 to 65535")

finish()
