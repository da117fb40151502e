"""NoC trace files of every dialect are read, summarised and written again without loss; damaged ones are refused."""
import glob
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from noc_run import check, finish, put, run, work

ZONE = {"proc": "BRISC", "sx": 1, "sy": 2, "timestamp": 5, "zone": "BRISC-KERNEL"}
EVENT = {"proc": "BRISC", "sx": 1, "sy": 2, "timestamp": 7, "type": "READ", "num_bytes": 8160, "noc": "NOC_0", "vc": -1}
dialects = {
    "J0": [dict(ZONE, zone_phase="begin"), dict(EVENT, kernel_start_delta=2)],
    "J1": [dict(ZONE, zone_phase="begin", run_id=0, run_host_id=1), dict(EVENT, run_id=0)],
    "J2": [dict(ZONE, zone_phase="begin", run_id=0), dict(EVENT, src_device_id=0, dst_device_id=0, fabric_send={"eth_chan": 1, "hops": 2})],
    "J3": [dict(ZONE, zone_phase="ZONE_START"), dict(EVENT, src_device_id=0)],
    "J4": [dict(ZONE, zone_phase="ZONE_START", src_device_id=0), dict(EVENT, src_device_id=0, dst=[{"dx": 1, "more": [[], {}, [None, True]]}])],
}
for name, records in dialects.items():
    done = run(put("trace.json", json.dumps(records)))
    check(name + " is recognised", done.returncode == 0 and done.stdout.startswith("dialect " + name), (done.stdout, done.stderr))
    check(name + " is summarised", "2 records: 1 zone starts, 0 zone ends, 1 events" in done.stdout and "8160 bytes at least" in done.stdout
          and "1  READ" in done.stdout, done.stdout)
    done = run(put("trace.json", json.dumps(records)), "-o", "-")
    check(name + " is written again", done.stdout == json.dumps(records, indent=2, sort_keys=True), done.stdout)
odd = '[ {"a":1.50e3,"a":2e-7, "\\u0041":"x\\u00e9\\"\\\\\\n\U0001F600", "big":123456789012345678901234567890,"n":null} ]'
done = run(put("trace.json", odd), "-o", "-")
check("numbers as they were, the last of equal keys", done.stdout ==
      '[\n  {\n    "A": "x\u00e9\\"\\\\\\n\U0001F600",\n    "a": 2e-7,\n    "big": 123456789012345678901234567890,\n    "n": null\n  }\n]', done.stdout)
for text in ("[]", " [ ] \n"):
    check("an empty array", run(put("trace.json", text), "-o", "-").stdout == "[]")
for option in (["--format", "j1"], ["--wire", "W1"], ["--tables", "none.json"], ["--posted"], ["--repair"], ["--assume-unharvested"]):
    for more in ([], ["-o", "-"]):
        done = run(put("trace.json", "[]"), *(option + more))
        check("of no use for a trace file: %s" % option, done.returncode == 2 and done.stdout == "" and
              option[0] + " is for raw captures and logs" in done.stderr, done.stderr)
out = os.path.join(work.name, "out")
os.mkdir(out)
run(put("other.json", "[]"), "-o", out)
check("a file under its own name", os.listdir(out) == ["other.json"])

run(put("other.json", "[]"), "-o", os.path.join(work.name, "made"))
check("a folder that is not there is made", os.listdir(os.path.join(work.name, "made")) == ["other.json"])

good = json.dumps(dialects["J2"] * 3)
odd = []
for size in range(len(good)):
    done = run(put("trace.json", good[:size]), "-o", out)
    if done.returncode != 1 or "trace.json" not in done.stderr:
        odd.append((size, done.returncode, done.stderr))
check("a file cut anywhere is refused", not odd, odd[:3])
check("nothing is written of a damaged one", os.listdir(out) == ["other.json"])
for what, text, words in (("an object", "{}", "expected an array"), ("something behind", "[]x", "behind the array"),
                          ("a number", "[1]", "expected a record"), ("no comma", "[{}{}]", "comma"), ("a comma too much", "[{},]", "expected a record"),
                          ("NUL bytes", b"[{}\0]", "NUL"), ("nested deep", "[" + '{"a":' * 50 + "1" + "}" * 50 + "]", "nested"),
                          ("not UTF-8", b'[{"a":"\xff"}]', "record at byte 1"), ("not a number", '[{"a":NaN}]', "record at byte 1"),
                          ("an endless record", '[{"a":"' + "x" * 3000000, "longer than"),
                          ("too many keys", "[{" + ",".join('"k%d":1' % i for i in range(300)) + "}]", "300" if False else "keys")):
    done = run(put("trace.json", text), "-o", "-")
    check(what, done.returncode == 1 and words in done.stderr, (done.returncode, done.stderr))

shared = os.environ.get("TILESIGHT_SHARED", "")
real = sorted(glob.glob(os.path.join(shared, "data", "noc", "real", "*.json")) +
              glob.glob(os.path.join(shared, "data", "real", "noc-trace", "**", "*.json"), recursive=True) +
              glob.glob(os.path.join(shared, "data", "noc", "golden", "*", "expected", "noc_trace*.json")))
for path in real:
    with open(path, encoding="utf-8") as f:
        text = f.read()
    value = json.loads(text)
    if not isinstance(value, list):
        continue
    done = run(path, "-o", "-")
    check("rewritten: " + path, done.stdout == json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False), done.stderr)
    done = run(path)
    counts = "%d records: %d zone starts, %d zone ends, %d events" % (
        len(value), sum(r.get("zone_phase") in ("begin", "ZONE_START") for r in value),
        sum(r.get("zone_phase") in ("end", "ZONE_END") for r in value), sum("type" in r for r in value))
    check("summarised: " + path, counts in done.stdout, (counts, done.stdout))
# What the real ones are: dialect, and zones that name no processor.
kinds = {"4x4_BLOCK_TO_8x8_BLOCK.json": ("J0", 0), "DRAM_TO_8x1_HEIGHT.json": ("J0", 8), "2x2_BLOCK_TO_4x8_BLOCK.json": ("J0", 0),
         "DRAM_TO_4x4_BLOCK.json": ("J0", 0), "noc_trace_dev0_AllGatherAsync_ID1.json": ("J2", 0),
         "noc_trace_dev1_AllGatherAsync_ID4.json": ("J2", 0), "noc_trace_dev2_AllGatherAsync_ID2.json": ("J2", 0),
         "noc_trace_dev3_AllGatherAsync_ID3.json": ("J2", 0)}
seen = set()
for path in real:
    kind = kinds.get(os.path.basename(path)) if "golden" not in path else None
    if kind:
        seen.add(os.path.basename(path))
        done = run(path)
        check("dialect of " + path, done.stdout.startswith("dialect %s " % kind[0]), done.stdout)
        check("zones without a processor in " + path, ("%d zones name no processor" % kind[1] in done.stdout) == (kind[1] > 0), done.stdout)
if real:
    check("all real traces were there", seen == set(kinds), set(kinds) - seen)


def decoded(data):
    """What a payload of the log says in the layout of summer 2025 (W2), read here on its own."""
    codes = ("UNDEF READ READ_SET_STATE READ_SET_TRID READ_WITH_STATE READ_WITH_STATE_AND_TRID READ_BARRIER_START READ_BARRIER_END "
             "READ_BARRIER_WITH_TRID READ_DRAM_SHARDED_SET_STATE READ_DRAM_SHARDED_WITH_STATE WRITE_ WRITE_WITH_TRID WRITE_INLINE "
             "WRITE_MULTICAST WRITE_SET_STATE WRITE_WITH_STATE WRITE_WITH_TRID_SET_STATE WRITE_WITH_TRID_WITH_STATE WRITE_BARRIER_START "
             "WRITE_BARRIER_END WRITE_BARRIER_WITH_TRID WRITE_FLUSH FULL_BARRIER ATOMIC_BARRIER SEMAPHORE_INC SEMAPHORE_WAIT "
             "SEMAPHORE_SET").split()
    lane, vc = data >> 32 & 15, data >> 36 & 15
    return {"type": codes[data >> 48 & 255], "noc": ("UNDEF", "NOC_0", "NOC_1")[lane], "vc": vc - 16 if vc > 7 else vc,
            "num_bytes": 32 * (data >> 40 & 255)}


for path in glob.glob(os.path.join(shared, "data", "real", "device-log", "*.csv")):
    out = os.path.join(work.name, "log")
    done = run(path, "-o", out)
    got, wanted = [], []
    for name in sorted(os.listdir(out)):
        with open(os.path.join(out, name)) as f:
            for r in json.load(f):
                check("a record lies in its program's file", name == "noc_trace_dev0_ID%d.json" % r["run_host_id"], name)
                got.append((r["run_host_id"], r["timestamp"], r["sx"], r["sy"], r["proc"], r.get("zone", ""), r.get("zone_phase", "")) +
                           tuple(r.get(k) for k in ("type", "noc", "vc", "num_bytes")))
    with open(path) as f:
        for line in f.read().splitlines()[2:]:
            c = [cell.strip() for cell in line.split(",")]
            if c[4] == "12345" or c[8].endswith("-KERNEL"):
                what = decoded(int(c[6])) if c[4] == "12345" else {}
                got_zone = (c[8], c[9]) if c[8] else ("", "")
                wanted.append((int(c[7]), int(c[5]), int(c[1]), int(c[2]), c[3]) + got_zone +
                              tuple(what.get(k) for k in ("type", "noc", "vc", "num_bytes")))
    check("every row of the real device log is there once, and nothing else", done.returncode == 0 and sorted(got, key=str) ==
          sorted(wanted, key=str) and len(got) == 191, (done.stderr, len(got), [x for x in zip(sorted(got, key=str), sorted(wanted, key=str)) if x[0] != x[1]][:2]))
finish(", %d real files" % len(real))
