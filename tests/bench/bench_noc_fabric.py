"""What noc-decode takes of memory for runs that send over the fabric, through muxes and not, as the number of events grows; and how
fast it is there. Part of bench.py."""
import array
import json
import os
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "cli"))
sys.path.insert(0, HERE)
from bench_noc import peak_memory  # noqa: E402
from noc_case import describe, event, image, local  # noqa: E402

READ, WRITE, START, FABRIC, ROUTE = 1, 11, 6, 33, 40
EVENTS, WORDS, GAP = 121, 500, 7
COLUMNS, ROWS = (1, 2, 3, 4, 6, 7, 8, 9), (1, 2, 3, 4, 5, 7, 8)
MEMORY_TARGET = 8


def one_image(column, row, risc):
    """121 events: every fortieth begins a send, which seven of eight columns make through a mux in the first."""
    body = []
    for k in range(EVENTS):
        turn = k % 40
        if turn == 0 and k + 2 < EVENTS:
            words = int.from_bytes(bytes([FABRIC, 18 + column, 18 + row, 0, 0, 1 | 1 << 4, 0, 0]), "little")
        elif turn == 1:
            words = ROUTE | 6 << 8
        elif turn == 2:
            words = local(WRITE, 18, 18 + row, 0, 1, 4096) if column else local(WRITE, 18 + row, 16, 0, 1, 4096)
        elif k % 7 == 3:
            words = local(READ, 0, 1 + k % 3, 1, -1, 2048)
        elif k % 7 in (4, 5):
            words = local(WRITE, 18 + k % 8, 18 if column else 16, 0, 1, 1024)
        else:
            words = local(START + k % 2, noc=1)
        body += event(0, words)
    return array.array("I", (image(body, risc=risc, end=None) + [0x80000000, 0, 0x80000000, 0])[:WORDS])


def make(path, millions):
    """A capture of that many million events on 112 lanes."""
    spots = [[18 + c, 18 + r, COLUMNS[c], ROWS[r], "tensix"] for c in range(8) for r in range(7)]
    spots += [[18 + c, 16, COLUMNS[c], 0, "eth"] for c in range(8)]
    text = json.dumps(describe(devices=[{"device": 0, "grid": [10, 12], "translated": spots,
                                         "eth_channels": [[c, COLUMNS[c], 0] for c in range(8)]}])).encode()
    lanes = [(c, r, risc) for c in range(8) for r in range(7) for risc in range(2)]
    images = -(-millions * 1000000 // len(lanes) // EVENTS)
    head = 24 + len(text)
    head += -head % 8
    at = head + 40 * len(lanes)
    with open(path, "wb") as out:
        out.write((struct.pack("<8sIIII", b"TSPROF01", 1, len(text), len(lanes), head) + text).ljust(head, b"\0"))
        for c, r, risc in lanes:
            out.write(struct.pack("<HHHHhhIQQQ", 1, risc, 7, 0, COLUMNS[c], ROWS[r], 0, at, images * WORDS, 0))
            at += images * WORDS * 4
        for c, r, risc in lanes:
            words, when = one_image(c, r, risc), 2000
            for _ in range(images):
                for k in range(EVENTS):
                    when += GAP
                    words[13 + 4 * k] = when
                words.tofile(out)
    return images * EVENTS * len(lanes), images * EVENTS * 16


def report(program, inputs):
    print("\nnoc-decode over fabric runs: million events, peak memory, of which one lane's events, million events a second")
    base = peak_memory([program, "--version"]) or 0
    os.makedirs(inputs, exist_ok=True)
    for millions in (1, 4, 16):
        with tempfile.TemporaryDirectory(dir=inputs) as folder:
            path = os.path.join(folder, "fabric.tsraw")
            count, lane = make(path, millions)
            command = [program, "noc-decode", path, "--quiet", "-o", "-"]
            began = time.perf_counter()
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
            took = time.perf_counter() - began
            print("  %5.1f   %5.1f MB   %4.1f MB   %5.1f   target: %d MB beyond a lane and the %.1f MB of the program itself" %
                  (count / 1e6, (peak_memory(command) or 0) / 1024, lane / 1e6, count / 1e6 / took, MEMORY_TARGET, base / 1024))


if __name__ == "__main__":
    report(sys.argv[1], sys.argv[2])
