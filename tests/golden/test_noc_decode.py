"""noc-decode gives the golden captures' trace files byte for byte, from the raw buffers and from the device log, with warnings
of the same number and kind; and a large run's too."""
import glob
import json
import os
import subprocess
import sys
import tempfile

TILESIGHT = os.environ["TILESIGHT"]
cases = sorted(glob.glob(os.path.join(os.environ.get("TILESIGHT_SHARED", ""), "data", "noc", "golden", "*", "case.json")))
if not cases:
    print("skipped: there are no golden captures under TILESIGHT_SHARED")
    sys.exit(77)
# What each of the generator's warnings is in our words.
KINDS = {
    "routing fields or local write missing": "without its routing fields or local write",
    "local write to an invalid core": "neither an Ethernet core nor a mux",
    "fabric timestamps too far apart": "more than 1000 cycles",
    "noc multicast inside a fabric packet": "multicast inside a fabric packet",
}
failures = runs = 0


def fail(what):
    global failures
    print("FAILED:", what)
    failures += 1


for case in cases:
    folder = os.path.dirname(case)
    with open(case) as f:
        options = json.load(f)
    with open(os.path.join(folder, "expected", "summary.json")) as f:
        summary = json.load(f)
    for source, more in (("capture.tsraw", []), ("profile_log_device.csv", ["--tables", os.path.join(folder, "capture.tsraw")])):
        with tempfile.TemporaryDirectory() as out:
            done = subprocess.run([TILESIGHT, "noc-decode", os.path.join(folder, source), "-o", out, "--format",
                                   options["json"].lower()] + more, stderr=subprocess.PIPE, universal_newlines=True)
            what = "%s, %s" % (os.path.basename(folder), source)
            runs += 1
            if done.returncode:
                fail("%s: %s" % (what, done.stderr))
                continue
            if sorted(os.listdir(out)) != sorted(summary["files"]):
                fail("%s: files %s" % (what, sorted(os.listdir(out))))
                continue
            for name in summary["files"]:
                with open(os.path.join(out, name), "rb") as a, open(os.path.join(folder, "expected", name), "rb") as b:
                    if a.read() != b.read():
                        fail("%s: %s differs" % (what, name))
            left_out = [line for line in done.stderr.splitlines() if " left out: " in line]
            told = sum(int(line.split()[1]) for line in left_out)
            if told != len(summary["warnings"]):
                fail("%s: %d warnings, expected %s" % (what, told, summary["warnings"]))
            for warning in summary["warnings"]:
                kind = next(v for k, v in KINDS.items() if warning.startswith(k))
                if not any(kind in line for line in left_out):
                    fail("%s: nothing about %s" % (what, warning))
            if source.endswith(".tsraw"):
                for lane in summary["dropped_lanes"]:
                    if "missing: " + lane not in done.stderr:
                        fail("%s: nothing about %s" % (what, lane))
                lost = "tilesight: %d event" % summary["noc_events_lost"]
                if summary["noc_events_lost"] and lost not in done.stderr:
                    fail("%s: %d lost events are not told" % (what, summary["noc_events_lost"]))
if failures:
    sys.exit(1)
print("%d runs, all files identical" % runs)
