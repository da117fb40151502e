"""Scripts of calls whose answers were recorded from another server: ours compare equal."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import support

SHARED = pathlib.Path(os.environ.get("TILESIGHT_SHARED", "/nonexistent"))
# Keys that our answers have and the recorded ones do not.
EXTRA = "change_count,coverage,always_new,gaps_dropped,unmatched,unusable_device_ids,capture_changed,zone_count,unpaired"
# Where a newer rule than the recorded server's applies: loading a report reads its CSV, so a later change is refused.
DIFFERENT = {"perf_wh_clip": [], "perf_bh_oft": [], "perf_hand": [], "perf_zones": [], "perf_stale": [6]}


def compare(name):
    """Numbers of the lines that differ, and what the comparison said."""
    work = tempfile.mkdtemp(prefix="tilesight-recorded-")
    try:
        environment = support.environment(work)
        tools, data = SHARED / "tools", SHARED / "data" / "mcp"
        ours = pathlib.Path(work, "ours.jsonl")
        with open(ours, "wb") as file:
            subprocess.run([sys.executable, tools / "mcp_call.py", "--server", f"'{support.PROGRAM}' mcp",
                            data / f"{name}.script.jsonl", "--set", f"WORK={work}", "--set", f"SHARED={SHARED}",
                            "--normalise", "--redact"],
                           stdout=file, check=True, timeout=support.TIMEOUT, env=environment)
        done = subprocess.run([sys.executable, tools / "compare_answers.py", data / f"{name}.oracle.jsonl", ours,
                               "--skip-tool", "load_report", "--allow-extra", EXTRA, "--max-report", "100"],
                              capture_output=True, text=True, check=False, timeout=support.TIMEOUT)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    lines = {int(line.split(":")[0].split()[1]) for line in done.stdout.splitlines() if line.startswith("line ")}
    last = done.stdout.splitlines()[-1] if done.stdout else done.stderr
    if not last.endswith(f" {len(lines)} differ"):
        raise AssertionError(f"{name}: the comparison did not end well: {last}")
    return sorted(lines), done.stdout


def make_case(name):
    def test(self):
        lines, report = compare(name)
        self.assertEqual(lines, DIFFERENT[name], report)

    return test


class Recorded(support.unittest.TestCase):
    pass


for script in DIFFERENT:
    setattr(Recorded, f"test_{script}", make_case(script))


if __name__ == "__main__":
    if not (SHARED / "data" / "mcp").is_dir():
        print("no recorded answers: TILESIGHT_SHARED names no folder with them")
        sys.exit(77)
    support.main()
