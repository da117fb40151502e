"""Every question and every transform once, over captures of one's own choosing, for what must hold whatever is run.

complete() fails when a command of the program is missing here.
"""
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = SOURCE / "examples"
sys.path[:0] = [str(SOURCE / "tests" / "cli"), str(SOURCE / "tests" / "support")]
import noc_case  # noqa: E402
import sim_dumps  # noqa: E402

CSV, LOG = "ops_perf_results_example.csv", "profile_log_device.csv"


class Inputs:
    """Copies of the examples in a folder, which a test may spoil."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        for name in ("before", "after", "profiler"):
            shutil.copytree(EXAMPLES / name, self.folder / name)
        self.before, self.after, self.profiler = (self.folder / name for name in ("before", "after", "profiler"))
        self.csv, self.log = self.before / CSV, self.before / LOG
        self.sim = self.folder / "OPPROF_1" / "simulator" / "visualize_data.bin"
        self.sim.parent.mkdir(parents=True)
        self.sim.write_bytes(self.dump())
        self.noc = self.folder / "run.tsraw"
        self.noc.write_bytes(self.capture())

    def dump(self, text=""):
        """A simulator dump, with text in its names."""
        events = sim_dumps.arrow() + [sim_dumps.x("CUBE", 9, name="MMAD" + text, args={"detail": text, "k" + text: text})]
        events += [sim_dumps.x("LANE" + text, 4), sim_dumps.x("VECTOR", 5, pid="core" + text)]
        return sim_dumps.trace(events) + sim_dumps.metrics({"Cores": ["core" + text], "Instructions": [
            {"Pipe": text, "Address": "0x1" + text, "Cycles": [1]}], "Instructions Dtype": {"Pipe": 3, "Address" + text: 3}})

    def capture(self, text=""):
        """Raw buffers of NoC events, with text in their names."""
        zones = [dict(zone, name=zone["name"] + text, file=zone["file"] + text) for zone in noc_case.ZONES]
        body = noc_case.event(2000, noc_case.local(0, 2, 3, size=64)) * 9
        return noc_case.capture([noc_case.lane(noc_case.image(body))], noc_case.describe(zones=zones, ops={"1": "Op" + text}))


def questions(inputs):
    before, after, profiler = inputs.before, inputs.after, inputs.profiler
    include = ["--include", "config,utilisation,noc,riscs,cores,dispatch,cache,kernels,advice,flags"]
    return [["load-report", before, profiler], ["top-ops", before, *include], ["top-ops", before, profiler, "--limit", "100"],
            ["op-breakdown", before], ["program-cache", before], ["zone-timings", before], ["core-spread", before],
            ["diff-reports", before, after], ["find-operations", profiler, "--limit", "100"],
            *(["operation-detail", profiler, before, "--operation-id", str(number)] for number in (2, 15)),
            ["memory-profile", profiler], ["tensor-flow", profiler, "--tensor-id", "6"],
            ["operation-provenance", profiler, "--operation-id", "4"], ["errors", profiler], ["dram-fallbacks", profiler],
            ["l1-peak", profiler]]


def transforms(inputs, output):
    """Each writes into the folder output alone, or nothing but standard output."""
    rows = ["perf-report", inputs.csv, "--ignore-signposts"]
    return [rows, [*rows, "--json"], [*rows, "--csv", output / "rows.csv", "--summary-file", output / "sums"],
            ["perf-report", inputs.csv, "--ignore-signposts", "--fold-layers", "--devices"],
            ["clean-sim-trace", inputs.folder / "OPPROF_1", "-o", output / "sim"],
            ["clean-sim-trace", inputs.sim, "-o", output / "compat", "--compat", "--no-copy-raw"],
            ["clean-sim-trace", inputs.sim, "-o", output / "raw", "--raw-metrics", "--keep-scalar", "--no-copy-raw"],
            ["noc-decode", inputs.noc, "-o", output / "noc"], ["noc-decode", inputs.noc, "-o", "-"],
            ["noc-decode", inputs.log, "-o", output / "log"], ["noc-flags"]]


def complete(program, commands):
    """The commands of the program that are not among these."""
    text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^  ([a-z0-9-]+) ", text, re.M)) - {"mcp"} - {str(words[0]) for words in commands}
