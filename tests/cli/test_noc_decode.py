"""noc-decode on captures and logs that are damaged or unusual, its options, and what it says."""
import json
import os
import re
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from noc_case import HEADER, capture, describe, event, image, lane, local, marker, row
from noc_run import ENVIRONMENT, TILESIGHT, check, finish, path, put, run, tilesight, work

READ, WRITE, START, END, SEM = 1, 11, 6, 7, 27


def records(path, *words):
    done = run(path, "-o", "-", *words)
    if done.returncode:
        return None, done.stderr
    return json.loads(done.stdout), done.stderr


body = (event(1100, local(READ, 0, 1, 1, -1, 2048)) + event(1200, local(WRITE, 18, 18, 0, 1, 100)) +
        event(1300, local(START, noc=1)) + event(1400, local(END, noc=1)))
good = capture([lane(image(body))])

# A whole one, written as the format says.
out, said = records(put("good.tsraw", good))
check("records of a small capture", [(r.get("type", r.get("zone")), r["timestamp"]) for r in out] ==
      [("BRISC-KERNEL", 1000), ("READ", 1100), ("WRITE_", 1200), ("READ_BARRIER_START", 1300), ("READ_BARRIER_END", 1400),
       ("BRISC-KERNEL", 9000)], out)
check("nothing to say about it", said == "", said)
check("a mirrored DRAM destination", (out[1]["dx"], out[1]["dy"]) == (9, 10), out[1])
check("a translated destination", (out[2]["dx"], out[2]["dy"], out[2]["num_bytes"]) == (1, 1, 128), out[2])
done = run(put("good.tsraw", good), "-o", os.path.join(work.name, "out"))
name = os.path.join(work.name, "out", "noc_trace_dev0_Op_ID1024.json")
with open(name) as f:
    text = f.read()
check("the text is that of a JSON library", text == json.dumps(json.loads(text), indent=2, sort_keys=True, ensure_ascii=False))

# Every code of W5 that is a record of its own, by name.
codes = ("READ READ_SET_STATE READ_SET_TRID READ_WITH_STATE READ_WITH_STATE_AND_TRID READ_BARRIER_START READ_BARRIER_END "
         "READ_BARRIER_WITH_TRID READ_DRAM_SHARDED_SET_STATE READ_DRAM_SHARDED_WITH_STATE WRITE_ WRITE_SET_TRID "
         "WRITE_WITH_TRID WRITE_INLINE WRITE_MULTICAST WRITE_SET_STATE WRITE_WITH_STATE WRITE_WITH_TRID_SET_STATE "
         "WRITE_WITH_TRID_WITH_STATE WRITE_BARRIER_START WRITE_BARRIER_END WRITE_BARRIER_WITH_TRID WRITE_FLUSH "
         "WRITE_FLUSH_WITH_TRID FULL_BARRIER ATOMIC_BARRIER SEMAPHORE_INC SEMAPHORE_WAIT SEMAPHORE_SET SEMAPHORE_SET_REMOTE "
         "SEMAPHORE_SET_MULTICAST SEMAPHORE_INC_MULTICAST").split()
all_codes = [w for i in range(len(codes)) for w in event(2000 + i, local(i + 1, 0, 1, 0, 3, 64))]
out, said = records(put("codes.tsraw", capture([lane(image(all_codes))])))
check("names of all codes", [r["type"] for r in out if "type" in r] == codes, out)
for r in out:
    kind = r.get("type", "")
    where = "mcast_start_x" in r if kind == "WRITE_MULTICAST" else "dx" in r
    check("destination of " + kind, where == (kind not in ("READ_WITH_STATE", "WRITE_WITH_STATE", "")), r)

# The older formats.
for name, zone, indent in (("j1", "begin", 4), ("j3", "ZONE_START", 2)):
    done = run(put("good.tsraw", good), "-o", "-", "--format", name)
    out = json.loads(done.stdout)
    check(name + " counts from the kernel", out[0]["timestamp"] == 0 and out[0]["zone_phase"] == zone and out[1]["timestamp"] == 100)
    check(name + " indents by %d" % indent, done.stdout.startswith("[\n" + " " * indent + "{"))

# Every truncation.
odd = []
for size in range(len(good)):
    done = run(put("cut.tsraw", good[:size]), "-o", "-")
    if done.returncode != 1 or "Traceback" in done.stderr or not done.stderr.startswith("tilesight: "):
        odd.append((size, done.returncode, done.stderr))
check("a capture cut anywhere is refused", not odd, odd[:3])

# Damaged heads.
for what, data, words in (
        ("wrong magic", good.replace(b"TSPROF01", b"TSPROF02"), "is no raw profiler capture"),
        ("a later version", capture([lane(image(body))], version=2), "version 2"),
        ("words outside of the file", good[:len(good) - 8], "claims"),
        ("a description that is a list", capture([lane(image(body))], description=[1]), "not a JSON object"),
        ("an unknown generation", capture([lane(image(body))], describe(wire="W9")), "W1, W2, W3, W4 and W5"),
        ("an unknown identity layout", capture([lane(image(body))], describe(id_layout="I7")), "I1, I2 and I3"),
        ("a table with coordinates of another world", capture([lane(image(body))], describe(
            devices=[{"device": 0, "translated": [[1, 2, 3, 400, "eth"]]}])), "translated"),
        ("a zone id out of range", capture([lane(image(body))], describe(zones=[{"id": 70000, "name": "x"}])), "zones"),
        ("an empty file", b"", "cut off"),
        ("some other file", b"\x7fELF" + b"x" * 5000, "does not begin with TSPROF01")):
    done = run(put("bad.tsraw", data), "-o", "-")
    check(what, done.returncode == 1 and words in done.stderr and "bad.tsraw" in done.stderr, (done.returncode, done.stderr))
at = good.index(struct.pack("<QQQ", len(good) - 4 * len(image(body)), len(image(body)), 0))
for what, offset, value in (("more words than 64 bits of bytes hold", 8, 2**62), ("an offset near 2**64", 0, 2**64 - 8),
                            ("an offset that is no multiple of 8", 0, len(good) - 4 * len(image(body)) + 4)):
    done = run(put("bad.tsraw", good[:at + offset] + struct.pack("<Q", value) + good[at + offset + 8:]), "-o", "-")
    check(what, done.returncode == 1 and "section 0" in done.stderr, (done.returncode, done.stderr))
for count in (2**32 - 1, 10**6):
    done = run(put("bad.tsraw", good[:16] + struct.pack("<I", count) + good[20:]), "-o", "-")
    check("%d sections" % count, done.returncode == 1 and "table" in done.stderr, (done.returncode, done.stderr))
done = run(put("bad.tsraw", good[:12] + struct.pack("<I", 2**31) + good[16:]), "-o", "-")
check("a description of 2 GiB", done.returncode == 1 and "description" in done.stderr, done.stderr)

# Damaged words: what can be read is, and the rest is told.
for what, words, count, said_ in (
        ("a packet type of another backend ends the lane", image(body[:4] + [0xE0000000, 5] + body[4:]), 1, "another profiler backend"),
        ("an event cut off", image(body)[:-1], 3, "ends within a packet"),
        ("a code nobody knows", image(body + event(1500, local(99))), 4, "1 left out: an event with an event code"),
        ("words without a marker", image(body + [5, 6] + event(1600, local(SEM, 18, 18))), 5, "2 words stand where markers should"),
        ("words before the first image", [1, 2, 3, 4] + image(body), 4, "4 words stand before the first image"),
        ("another RISC's image", image(body, risc=1), 4, "names another RISC"),
        ("a lock event is none", image(body + [0xB0000000 | 23456 << 12, 1500, 0, 0]), 4, ""),
        ("an overwritten second image", image(body) + image(body, start=50000, end=51000)[2:], 4, ""),
        ("nothing at all", [], 0, "nothing to write")):
    out, said = records(put("odd.tsraw", capture([lane(words)])))
    check(what, out is not None and sum("type" in r for r in out) == count and said_ in said, (out, said))
out, said = records(put("odd.tsraw", capture([lane(image(body)), lane([1, 2], kind=9)])))
check("a section of an unknown kind is skipped", len(out) == 6 and "1 section is of an unknown kind" in said, said)
out, said = records(put("odd.tsraw", capture([lane([0] * 64, kind=3, risc=65535), lane(image(body))])))
check("a control vector is no lane", len(out) == 6 and said == "", said)

# A buffer that was written over: behind a short image stands the rest of a longer, older one.
old, new = image(body + event(1500, local(SEM, 18, 18)), start=1000), image(event(50100, local(READ, 0, 1)), start=50000, end=51000)
out, said = records(put("over.tsraw", capture([lane(new + old[len(new):])])))
check("what an overwritten buffer still holds is read", sorted(r["timestamp"] for r in out) == [1200, 1300, 1400, 1500, 50000, 50100, 51000], out)
check("and told", "4 markers are older than the start of their image" in said, said)
out, said = records(put("over.tsraw", capture([lane(image(body[:10] + [0] * 6))])))
check("a buffer that was cleared in part", [r["timestamp"] for r in out] == [1000, 1100, 1200, 9000], (out, said))
odd = []
for cut in range(1, len(image(body))):
    # An image over the end of another, at any word.
    out, said = records(put("over.tsraw", capture([lane(image(body)[:cut] + image(body, start=50000, end=51000))])))
    if out is None or any(a["timestamp"] > b["timestamp"] for a, b in zip(out, out[1:])):
        odd.append((cut, out, said))
check("an image over another, from any word on", not odd, odd[:3])

# Markers without their pair, and their repair.
open_zone = capture([lane(image(marker(0, 300, 1050) + body + marker(1, 100, 1500), end=None), flags=1, lost=3)])
out, said = records(put("open.tsraw", open_zone))
check("zones without an end stay so", sum(r.get("zone_phase") == "ZONE_START" for r in out) == 2 and
      not any(r.get("zone_phase") == "ZONE_END" for r in out), out)
check("what was lost is told", "3 events were lost" in said and "device 0 core 1,1 BRISC" in said, said)
out, said = records(put("open.tsraw", open_zone), "--repair")
check("repaired zones nest", [(r["zone"], r["zone_phase"], r["timestamp"]) for r in out if "zone" in r] ==
      [("BRISC-KERNEL", "ZONE_START", 1000), ("loop", "ZONE_START", 1050), ("loop", "ZONE_END", 1400),
       ("BRISC-KERNEL", "ZONE_END", 1400)] and "2 zone ends were made up" in said, (out, said))
orphan = capture([lane(image(marker(1, 300, 1050) + body))])
out, said = records(put("orphan.tsraw", orphan), "--repair")
check("an end without a start is left out", not any(r.get("zone") == "loop" for r in out) and "without a start" in said, said)

# Time: the low word wraps; an L1 image behind the DRAM's.
wrap = 2**32
out, said = records(put("wrap.tsraw", capture([lane(image(event(wrap - 5, local(SEM, 18, 18)) + event(wrap + 5, local(SEM, 18, 18)),
                                                         start=wrap - 100, end=wrap + 100))])))
check("a time that wraps its low word", [r["timestamp"] for r in out] == [wrap - 100, wrap - 5, wrap + 5, wrap + 100], out)
day = 2**44
out, said = records(put("wrap.tsraw", capture([lane(image(event(day - 5, local(SEM, 18, 18)) + event(5, local(SEM, 18, 18)),
                                                         start=day - 100, end=100))])))
check("the whole clock wraps: all events are there, and it is told", sorted(r["timestamp"] for r in out) == [5, 100, day - 100, day - 5] and
      "1 marker is older than the start" in said, (out, said))
early = image(event(wrap + 7, local(SEM, 18, 18)) + event(3, local(READ, 0, 1)), start=wrap + 5, end=wrap + 100)
out, said = records(put("wrap.tsraw", capture([lane(early)])))
check("a clock that was read as it wrapped is told", len(out) == 4 and "the clock read as it wrapped" in said, (out, said))
two = capture([lane(image(body, end=None)), lane(image(event(1500, local(SEM, 18, 18))), kind=2)])
out, said = records(put("two.tsraw", two))
check("DRAM and L1 of one RISC are one lane, its start once", [r["timestamp"] for r in out] ==
      [1000, 1100, 1200, 1300, 1400, 1500, 9000], out)
cut = capture([lane(image(body, end=None)[:-2]), lane(image(event(1500, local(SEM, 18, 18))), kind=2)])
out, said = records(put("cut.tsraw", cut))
check("a packet cut off at a section's end takes nothing of the next section", [r["timestamp"] for r in out] ==
      [1000, 1100, 1200, 1300, 1500, 9000] and "1 lane ends within a packet" in said, (out, said))
back = capture([lane(image(body, end=None) + image(event(1150, local(SEM, 18, 18)) + event(1050, local(READ, 0, 1))))])
out, said = records(put("back.tsraw", back))
check("times that go back are put in order", [r["timestamp"] for r in out] == [1000, 1050, 1100, 1150, 1200, 1300, 1400, 9000], out)

clash = capture([lane(image(body + event(1200, local(READ, 0, 2)) + event(1400, local(END, noc=1))))])
out, said = records(put("clash.tsraw", clash))
check("of two events at one time the first stays, and the other is told unless it says the same", len(out) == 6 and
      out[2]["type"] == "WRITE_" and "1 left out: an event at the very time of another" in said, (out, said))

# Names that must not lead elsewhere.
evil = capture([lane(image(body))], describe(ops={"1": "../../x/\u0001y\"\\"}))
done = run(put("evil.tsraw", evil), "-o", os.path.join(work.name, "evil"))
check("an operation's name stays in the folder", os.listdir(os.path.join(work.name, "evil")) ==
      ["noc_trace_dev0_.._.._x__y\"\\_ID1024.json"], os.listdir(os.path.join(work.name, "evil")))
with open(os.path.join(work.name, "evil", "noc_trace_dev0_.._.._x__y\"\\_ID1024.json")) as f:
    check("and is escaped in the text", json.load(f)[0]["op_name"] == "../../x/\u0001y\"\\")

# Only zones: whoever knows that events were lost need not ask whether tracing was on.
out, said = records(put("lost.tsraw", capture([lane(image([]), flags=1, lost=7)])))
check("all events lost", out and "7 events were lost" in said and "all that were recorded were lost" in said and "Tracy" not in said, said)
out, said = records(put("none.tsraw", capture([lane(image([]))])))
check("no events at all", out and "no NoC events, only zones" in said and "did the kernels make a NoC call?" in said, said)

# Device logs.
rows = [row(1000, zone=("BRISC-KERNEL", "ZONE_START")), row(1100, local(READ, 0, 1, 1, -1, 2048)), row(1200, local(WRITE, 18, 18, 0, 1, 100)),
        row(9000, zone=("BRISC-KERNEL", "ZONE_END"))]
log = HEADER + "".join(rows)
out, said = records(put("log.csv", log))
check("a log alone", [r["timestamp"] for r in out] == [1000, 1100, 1200, 9000] and out[1]["dx"] == 9 and "dx" not in out[2], out)
check("what could not be placed is told", "1 destination could not be placed" in said, said)
out, said = records(put("log.csv", log), "--assume-unharvested")
check("an assumed table", (out[2]["dx"], out[2]["dy"]) == (1, 1) and said == "", (out, said))
out, said = records(put("log.csv", log), "--tables", put("tables.json", json.dumps({"ops": {"1": "Named"}})))
check("tables without a generation", out[0]["op_name"] == "Named", out)
# Tables of another run.
for what, tables, words in (("of another chip", describe(arch="blackhole"), ["are of a blackhole", "is of a wormhole_b0"]),
                            ("of another generation", {"wire": "W1"}, ["are of generation W1", "(W4 fits)", "--wire"]),
                            ("of another generation, with the chip", describe(wire="W2"), ["are of generation W2", "--wire"])):
    out, said = records(put("log.csv", log), "--tables", put("tables.json", json.dumps(tables)))
    check("tables " + what, out is None and all(word in said for word in words), said)
    check("tables " + what + " as a capture", records(put("log.csv", log), "--tables", put("other.tsraw", capture([], describe(**tables))))[0] is None)
for wire in ("W3", "W4", "W5"):
    out, said = records(put("log.csv", log), "--tables", put("tables.json", json.dumps(describe(wire=wire))))
    check("tables of a generation that fits, %s" % wire, out and out[2]["dx"] == 1, said)
out, said = records(put("log.csv", log), "--wire", "W5", "--tables", put("tables.json", json.dumps({"wire": "W1"})))
check("a generation that is told holds", out and out[1]["type"] == "READ", said)
routed = HEADER + row(5, local(33, 2, 1)) + row(6, local(40, 1, 1)) + row(7, local(WRITE, 18, 16, 0, 1, 32))
out, said = records(put("log.csv", routed), "--tables", put("tables.json", json.dumps(describe(wire="W4"))))
check("tables of W4 for fabric events of W5", out is None and "(W5 fits)" in said, said)
out, said = records(put("log.csv", routed), "--tables", put("tables.json", json.dumps(describe(wire="W5"))))
check("and of W5", out is not None, said)
out, said = records(put("good.tsraw", good), "--tables", put("tables.json", "{}"))
check("a raw capture takes no other tables", out is None and "leave out --tables" in said, said)
second = "".join(row(t + 10000, local(READ, 0, 1)) for t in (1100, 1200))
out, said = records(put("log.csv", log + HEADER + second))
check("two passes in one log", [r["timestamp"] for r in out] == [1000, 1100, 1200, 9000, 11100, 11200], (out, said))
check("and the second header is no bad row", "cannot be read" not in said, said)
out, said = records(put("log.csv", log + "0,1,1,BRISC,12345,99x,1,1024,,,,TS_DATA,0,,\n0,1\n\n"))
check("rows that cannot be read", len(out) == 4 and "2 rows cannot be read" in said, said)
out, said = records(put("log.csv", log[:-1].replace("\n", "\r\n")))
check("other line ends, and none at the end", len(out) == 4 and "cannot be read" not in said, said)
odd = []
for size in range(len(HEADER), len(log)):
    done = run(put("cut.csv", log[:size]), "-o", "-", "--wire", "W5")
    if done.returncode:
        odd.append((size, done.stderr))
check("a log cut anywhere behind its header is read", not odd, odd[:3])
out, said = records(put("log.csv", HEADER + row(5, 0xFFFFFFFFFFFFFFFF)))
check("events of no generation", out is None and "--wire" in said, said)
out, said = records(put("log.csv", HEADER + row(5, local(30, 0, 1))))
check("W4 or W5 cannot be told", out is None and "W4 or W5" in said, said)
out, said = records(put("log.csv", HEADER + row(5, local(30, 0, 1))), "--wire", "W5")
check("unless somebody says it", out and out[0]["type"] == "SEMAPHORE_SET_REMOTE", said)
for what, text, words in (("a log without data", HEADER.replace(" data,", " stat value,") + rows[0], "no column \"data\""),
                          ("a log without rows", HEADER, "nothing to write"),
                          ("only zones", HEADER + rows[0], "there are no NoC events")):
    done = run(put("log.csv", text), "-o", "-")
    check(what, words in done.stderr, done.stderr)

os.mkdir(os.path.join(work.name, ".logs"))
check("a folder without a log", run(os.path.join(work.name, ".logs"), "-o", "-").returncode == 1 and
      "without a profile_log_device.csv" in run(os.path.join(work.name, ".logs"), "-o", "-").stderr)
put(os.path.join(".logs", "profile_log_device.csv"), log)
out, said = records(os.path.join(work.name, ".logs"))
check("the folder of a log", out is not None and len(out) == 4, said)
check("the cure for places that are not told", "--assume-unharvested" in said, said)

# An odd row among many plain ones, which are read in another way than a few: all are what they would be alone.
plain = [row(1000 + i, local(READ, 0, 1 + i % 9, 1, -1, 2048)) for i in range(80)]
usual = [1000 + i for i in range(80)]
event_row = row(1040, local(WRITE, 0, 1, 0, 1, 32))
for what, odd, times, said_ in (
        ("a payload of 20 digits", row(5, 2**64 - 1), usual, "1 left out: an event with an event code"),
        ("a time of 45 bits", row(2**44, 11), usual, "1 row cannot be read"),
        ("the last time of 44 bits", row(2**44 - 1, local(READ, 0, 1)), usual + [2**44 - 1], ""),
        ("a time of 25 digits", row(10**24, 11), usual, "1 row cannot be read"),
        ("a payload past 64 bits", row(1040, 2**64), usual, "1 row cannot be read"),
        ("no payload", event_row.replace(str(local(WRITE, 0, 1, 0, 1, 32)), ""), usual, "1 row cannot be read"),
        ("no time", event_row.replace(",1040,", ",,"), usual, "1 row cannot be read"),
        ("a negative time", event_row.replace(",1040,", ",-1040,"), usual, "1 row cannot be read"),
        ("leading noughts", row(5, local(READ, 0, 1)).replace(",5,", ",000000000000000000000000005,"), [5] + usual, ""),
        ("blanks", row(5, local(READ, 0, 1)).replace(",5,", ", 5 ,"), [5] + usual, ""),
        ("letters in a number", event_row.replace(",1040,", ",10a40,"), usual, "1 row cannot be read"),
        ("another id", event_row.replace(",12345,", ",12346,"), usual, ""),
        ("another core", row(5, local(READ, 0, 1), x=2), usual + [5], ""),
        ("a core after many blanks", row(5, local(READ, 0, 1), x=2).replace(",BRISC", "," + 90 * " " + "BRISC"), usual + [5], ""),
        ("another program", row(5, local(READ, 0, 1), host=2048), usual + [5], ""),
        ("something in the last column", row(5, local(READ, 0, 1)).replace(",,\n", ",,x;y\n"), [5] + usual, ""),
        ("a zone", row(5, zone=("loop", "ZONE_START")), [5] + usual, ""),
        ("an empty line", "\n", usual, ""), ("half a row", "0,1,1,BRISC,12345,", usual[:40] + usual[41:], "1 row cannot be read"),
        ("NUL bytes", "\0\0\0\0\n", usual, "1 row cannot be read")):
    for ends in ("\n", "\r\n"):
        text = HEADER + "".join(plain[:40]) + odd + "".join(plain[40:])
        out, said = records(put("log.csv", text.replace("\n", ends)), "--wire", "W5")
        check(what + " among plain rows", out is not None and [r["timestamp"] for r in out] == times and said_ in said and
              (said_ or "cannot be read" not in said), (said, out and [r["timestamp"] for r in out]))

# Where it goes.
folder = os.path.join(work.name, "by-variable")
done = run(put("good.tsraw", good), TT_METAL_DEVICE_PROFILER_NOC_EVENTS_RPT_PATH=folder)
check("the folder of the environment", done.returncode == 0 and os.listdir(folder) == ["noc_trace_dev0_Op_ID1024.json"], done.stderr)
done = run(put("good.tsraw", good))
check("no folder at all", done.returncode == 2 and "-o DIR" in done.stderr, done.stderr)
for words in ([], ["a", "b", "-o", "-"], ["x", "-o"], ["x", "-o", "-", "--format", "j9"], ["x", "-o", "-", "--wire", "W0"], ["x", "--what"]):
    check("wrong usage %s" % words, run(*words).returncode == 2)
check("no such file", run("/nonexistent", "-o", "-").returncode == 1)
check("a folder that cannot be made", run(put("good.tsraw", good), "-o", put("file", "") + "/x").returncode == 1)
told = run("--help").stdout
for word in ("usage: tilesight noc-decode", "profile_log_device.csv -o traces", "TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1", "--tables",
             "--assume-unharvested"):
    check("help says " + word, word in told, told)

# noc-flags
def flags(*words, **environment):
    return tilesight("noc-flags", *words, **environment)


include = os.path.join(os.environ["TS_SOURCE_DIR"], "include")
check("flags when off", flags("--include", include).stdout == "-I%s\n" % include)
for value, on in (("1", True), ("1x", True), ("0", False), ("", False)):
    got = flags("--include", include, TT_METAL_DEVICE_PROFILER_NOC_EVENTS=value).stdout
    check("flags with %r" % value, ("PROFILE_NOC_EVENTS" in got) == on, got)
check("another generation", "-DTS_NOC_WIRE=4" in flags("--wire", "4", TT_METAL_DEVICE_PROFILER_NOC_EVENTS="1").stdout)
check("flags: help shows how to switch tracing on", "export TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1; cc $(tilesight noc-flags)" in
      flags("--help").stdout)
# As a shell has it: a variable in front of the compiler is not yet there when the flags are made.
for line, on in (("export TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1; echo $($TILESIGHT noc-flags)", True),
                 ("TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1 echo $($TILESIGHT noc-flags)", False)):
    shell = subprocess.run(["sh", "-c", line], stdout=subprocess.PIPE, universal_newlines=True,
                           env=ENVIRONMENT)
    check("flags in a shell: " + line, ("-DPROFILE_NOC_EVENTS=1" in shell.stdout) == on, shell.stdout)
# As the documents have it for make, whose $(...) are no commands.
with open(os.path.join(os.environ["TS_SOURCE_DIR"], "docs", "noc-tracing.md")) as f:
    lines = re.findall(r"CFLAGS \+= .*\)", f.read())
check("flags in a makefile: lines of the documents", lines)
for line in lines if shutil.which("make") else ():
    put("Makefile", line + "\nall:\n\t@echo $(CFLAGS)\n")
    made = subprocess.run(["make", "-s", "-C", work.name], stdout=subprocess.PIPE, universal_newlines=True,
                          env=dict(os.environ, TT_METAL_DEVICE_PROFILER_NOC_EVENTS="1",
                                   PATH=os.path.dirname(os.path.abspath(TILESIGHT)) + ":" + os.environ["PATH"]))
    check("flags in a makefile: " + line, "-DPROFILE_NOC_EVENTS=1" in made.stdout, made.stdout)
check("flags: wrong usage", flags("x").returncode == 2 and flags("--wire", "9").returncode == 2)
check("flags: no header there", flags("--include", work.name).returncode == 1)
alone = os.path.join(work.name, "alone", "bin", "tilesight")
os.makedirs(os.path.dirname(alone))
shutil.copy(TILESIGHT, alone)
done = subprocess.run([alone, "noc-flags"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
check("flags: a program without its headers says so", done.stdout == "\n" and "no tilesight/noc_trace.h" in done.stderr and
      "--include" in done.stderr, done)
os.symlink(include, os.path.join(work.name, "alone", "include"))
done = subprocess.run([alone, "noc-flags"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
check("flags: and with them does not", done.stdout.endswith("/alone/include\n") and done.stderr == "", done)

# What the flags are for: cc $(tilesight noc-flags) -c kernel.c
if shutil.which("cc") and shutil.which("nm"):
    kernel = os.path.join(os.environ["TS_SOURCE_DIR"], "tests", "device", "kernel.c")
    for value, traced in (("1", True), ("", False)):
        words = flags("--include", include, TT_METAL_DEVICE_PROFILER_NOC_EVENTS=value).stdout.split()
        obj = os.path.join(work.name, "kernel.o")
        subprocess.run(["cc"] + words + ["-DWITH_TRACE", "-O1", "-c", kernel, "-o", obj], check=True)
        names = subprocess.run(["nm", obj], stdout=subprocess.PIPE, universal_newlines=True).stdout
        check("a kernel compiled with the flags, %r" % value, ("ts_noc_put" in names) == traced and "noc_async_read" in names, names)

finish()
