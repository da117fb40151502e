#!/usr/bin/env python3
"""Memory does not grow with files that run to many gigabytes: the same program over a small and an eight times larger one."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("TS_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
TILESIGHT = os.environ.get("TILESIGHT", "")
if not os.path.exists(TILESIGHT) or os.environ.get("TILESIGHT_SANITIZE"):
    print("skipped: the program was not built, or has a sanitizer's memory around it")
    sys.exit(77)
sys.path.insert(0, str(SOURCE / "tests" / "support"))
import sim_dumps  # noqa: E402

MIB = 1 << 20


# A process inherits the peak of whoever starts it, so somebody small does.
MEASURE = """
import os, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
"""


def peak(*words):
    """Peak resident set of the program, in bytes; two threads, as their blocks are part of it."""
    done = subprocess.run([sys.executable, "-S", "-c", MEASURE, TILESIGHT, *map(str, words), "--threads", "2"],
                          capture_output=True, text=True, check=False, timeout=100)
    if done.returncode:
        raise AssertionError(f"{words}: {done.stderr}")
    return int(done.stdout)


class FlatMemory(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def test_device_log(self):
        log = (SOURCE / "examples" / "before" / "profile_log_device.csv").read_bytes().splitlines(keepends=True)
        head, rows = b"".join(log[:2]), b"".join(log[2:])
        peaks = {}
        for size in (8, 64):
            path = self.folder / f"{size}" / "profile_log_device.csv"
            path.parent.mkdir()
            path.write_bytes(head + rows * (size * MIB // len(rows)))
            peaks[size] = peak("zone-timings", path)
        self.assertLess(peaks[64], peaks[8] + 4 * MIB, peaks)

    def test_simulator_dump(self):
        """Of an instruction that stays 56 bytes, and of one that overlaps others a place: far less than its text."""
        peaks, sizes = {}, {}
        for count in (20000, 160000):
            events = ",".join(json.dumps(sim_dumps.x("VECTOR", number, args={"detail": "x" * 160, "pc_addr": f"0x{number:x}"}))
                              for number in range(count))
            path = self.folder / f"{count}" / "visualize_data.bin"
            path.parent.mkdir()
            path.write_bytes(sim_dumps.raw_trace('{"traceEvents":[' + events + "]}"))
            sizes[count] = path.stat().st_size
            peaks[count] = peak("clean-sim-trace", path, "--no-copy-raw")
        grown = peaks[160000] - peaks[20000]
        self.assertLess(grown, 100 * 140000 + 4 * MIB, peaks)
        self.assertLess(grown, (sizes[160000] - sizes[20000]) / 2, (peaks, sizes))


if __name__ == "__main__":
    unittest.main()
