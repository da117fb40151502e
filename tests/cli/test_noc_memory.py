"""A run that sends over the fabric through muxes: which write of the mux belongs to which send, and that memory does not grow with
the number of events."""
import array
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from noc_case import capture, describe, event, image, lane, local
from noc_run import ENVIRONMENT, TILESIGHT, check, finish, run, work

WRITE, FABRIC, ROUTE = 11, 33, 40
IMAGES, EVENTS = 620, 121  # of a mux core's lane
SENDS = 6000
LIMIT = 8 << 20

# Cores (1,1) and (2,1) are muxes; their writes go to the Ethernet cores of channels 0 to 2 in turn, from another one each.
spots = [[18, 18, 1, 1, "tensix"], [19, 18, 2, 1, "tensix"], [20, 18, 3, 1, "tensix"], [18, 16, 1, 0, "eth"], [19, 16, 2, 0, "eth"],
         [20, 16, 3, 0, "eth"]]
what = describe(devices=[{"device": 0, "grid": [10, 12], "translated": spots, "eth_channels": [[0, 1, 0], [1, 2, 0], [2, 3, 0]]}])


def mux_words(risc):
    words, time = array.array("I"), 2000
    for i in range(IMAGES):
        body = []
        for k in range(EVENTS):
            time += 10
            body += event(time, local(WRITE, 18 + (i * EVENTS + k + risc) % 3, 16, 0, 1, 64))
        words.extend(image(body, risc=risc, end=None) + [0x80000000, 0, 0x80000000, 0])
    return words


def send_words(mux, risc):
    body = []
    for i in range(SENDS):
        fabric = int.from_bytes(bytes([FABRIC, 20, 18, 0, 0, 1 | 1 << 4, 0, 0]), "little")
        body += event(2000 + 30 * i, fabric) + event(2010 + 30 * i, ROUTE | 6 << 8) + event(2020 + 30 * i, local(WRITE, 18 + mux, 18, 0, 1, 4096))
    return image(body, risc=risc, start=1000, end=2000 + 30 * SENDS)


lanes = [lane(mux_words(risc), x=1 + mux, y=1, risc=risc) for mux in range(2) for risc in range(2)]
lanes += [lane(send_words(i % 2, i % 2), x=3, y=1 + i, risc=i % 2) for i in range(4)]
source = os.path.join(work.name, "mux.tsraw")
with open(source, "wb") as f:
    f.write(capture(lanes, what))
small = os.path.join(work.name, "small.tsraw")
with open(small, "wb") as f:
    f.write(capture([lane(image(event(1100, local(1, 0, 1))))]))

out = os.path.join(work.name, "out")
done = run(source, "-o", out)
check("it is decoded without a word", done.returncode == 0 and done.stderr.count("\n") == 1, done.stderr)
check("there is one file and nothing else", os.listdir(out) == ["noc_trace_dev0_Op_ID1024.json"], os.listdir(out))
with open(os.path.join(out, "noc_trace_dev0_Op_ID1024.json")) as f:
    records = json.load(f)
sends = [r for r in records if "fabric_send" in r]
check("every send is a record, and a mux has none", len(sends) == 4 * SENDS and not any("type" in r and r["sx"] < 3 for r in records),
      (len(sends), len(records)))
taken = [0, 0]
for r in sends:
    mux = r["fabric_send"]["fabric_mux"]
    number = mux["x"] - 1
    if r["fabric_send"]["eth_chan"] != taken[number] % 3 or mux["y"] != 1:
        check("the writes of a mux are taken in their order", False, r)
        break
    taken[number] += 1
check("by all sends", taken == [2 * SENDS, 2 * SENDS], taken)

# More writes than are kept in memory: the rest lies in a file, which needs a place.
done = run(source, "-o", "-", TMPDIR="/nonexistent")
check("the folder for temporary files is named when it is not there", done.returncode == 1 and "/nonexistent" in done.stderr, done.stderr)
done = run(source, "-o", "-", TMPDIR=work.name)
check("the same records in one stream", done.returncode == 0 and json.loads(done.stdout) == records, done.stderr)
check("and nothing is left there", sorted(os.listdir(work.name)) == ["mux.tsraw", "out", "small.tsraw"], os.listdir(work.name))


def peak(path):
    """Bytes, measured through time(1), since a child of Python begins with Python's."""
    with tempfile.NamedTemporaryFile("r") as told:
        subprocess.run([shutil.which("time"), "-f", "%M", "-o", told.name, TILESIGHT, "noc-decode", path, "-o", "-"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT, check=True)
        return 1024 * int(told.read().split()[-1])


if shutil.which("time") and not os.environ.get("TILESIGHT_SANITIZE"):
    longest = max(4 * len(words) for *_, words, _ in lanes)
    grown = peak(source) - peak(small)
    check("memory is bounded by a lane", grown < LIMIT + longest, (grown, longest))
finish()
