#!/usr/bin/env python3
"""Write the example captures: operations CSVs as tt-metal's profiler writes them, all figures made up.

usage: make_captures.py [OUTDIR]     (default: the folder of this file; same bytes every time)

before/  two tokens through a three-layer decoder on one Wormhole device, signposts around each token. The feed-forward
         matmul keeps input 0 in DRAM with small output subblocks, the softmax uses one core, and the program of the
         rotary embedding is built anew on every call.
         Its device log covers two operations of the first layer: the softmax on its one core, and the feed-forward
         matmul, whose last column of cores waits longest for DRAM.
after/   the same with those three mended.
mesh/    one layer on four devices, of which device 2 is slow and lacks its last operation.
profiler/ the profiler report of the run of before/, which links to it.
"""
import csv
import os
import sys

import profiler_report

HEADER = (
    "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,DEVICE ARCH,ATTRIBUTES,MATH FIDELITY,CORE COUNT,"
    "AVAILABLE WORKER CORE COUNT,HOST START TS,HOST END TS,HOST DURATION [ns],DEVICE FW START CYCLE,"
    "DEVICE FW END CYCLE,OP TO OP LATENCY [ns],DEVICE FW DURATION [ns],DEVICE KERNEL DURATION [ns],"
    "DEVICE KERNEL DURATION PER CORE MIN [ns],DEVICE KERNEL DURATION PER CORE MAX [ns],"
    "DEVICE KERNEL DURATION PER CORE AVG [ns],DEVICE KERNEL FIRST TO LAST START [ns],"
    "DEVICE BRISC KERNEL DURATION [ns],DEVICE NCRISC KERNEL DURATION [ns],DEVICE TRISC0 KERNEL DURATION [ns],"
    "DEVICE TRISC1 KERNEL DURATION [ns],DEVICE TRISC2 KERNEL DURATION [ns],DEVICE ERISC KERNEL DURATION [ns],"
    "INPUT_0_W_PAD[LOGICAL],INPUT_0_Z_PAD[LOGICAL],INPUT_0_Y_PAD[LOGICAL],INPUT_0_X_PAD[LOGICAL],"
    "INPUT_0_LAYOUT,INPUT_0_DATATYPE,INPUT_0_MEMORY,"
    "INPUT_1_W_PAD[LOGICAL],INPUT_1_Z_PAD[LOGICAL],INPUT_1_Y_PAD[LOGICAL],INPUT_1_X_PAD[LOGICAL],"
    "INPUT_1_LAYOUT,INPUT_1_DATATYPE,INPUT_1_MEMORY,"
    "OUTPUT_0_W_PAD[LOGICAL],OUTPUT_0_Z_PAD[LOGICAL],OUTPUT_0_Y_PAD[LOGICAL],OUTPUT_0_X_PAD[LOGICAL],"
    "OUTPUT_0_LAYOUT,OUTPUT_0_DATATYPE,OUTPUT_0_MEMORY,"
    "COMPUTE KERNEL SOURCE,DATA MOVEMENT KERNEL SOURCE,PROGRAM HASH,PROGRAM CACHE HIT,"
    "PM IDEAL [ns],PM COMPUTE [ns],PM BANDWIDTH [ns],PM FPU UTIL (%)"
).split(",")

DRAM, L1 = "DRAM_INTERLEAVED", "L1_INTERLEAVED"


class Capture:
    """Rows of one CSV, with the clocks and the program cache of the run that would have written it."""

    def __init__(self):
        self.rows, self.host, self.calls, self.programs = [], 1_000_000, 0, set()
        self.cycles = {}

    def signpost(self, name):
        self.rows.append({"OP CODE": name, "OP TYPE": "signpost", "HOST START TS": self.host})
        self.host += 1000

    def host_op(self, name):
        self.rows.append({"OP CODE": f"(torch) {name}", "OP TYPE": "python_fallback", "HOST START TS": self.host,
                          "HOST END TS": self.host + 40_000, "HOST DURATION [ns]": 40_000})
        self.host += 50_000

    def op(self, name, kernel, gap, cores, program, device=0, **more):
        self.calls += 1
        hit = program in self.programs
        self.programs.add(program)
        start = self.cycles.get(device, 5_000_000) + gap
        self.cycles[device] = start + kernel
        row = {
            "OP CODE": name, "OP TYPE": "tt_dnn_device", "GLOBAL CALL COUNT": self.calls * 1024 + device,
            "DEVICE ID": device, "DEVICE ARCH": "wormhole_b0", "CORE COUNT": cores,
            "AVAILABLE WORKER CORE COUNT": 64, "HOST START TS": self.host, "HOST END TS": self.host + 900,
            "HOST DURATION [ns]": 900, "DEVICE FW START CYCLE": start - 200, "DEVICE FW END CYCLE": start + kernel + 300,
            "OP TO OP LATENCY [ns]": gap, "DEVICE FW DURATION [ns]": kernel + 500,
            "DEVICE KERNEL DURATION [ns]": kernel, "DEVICE KERNEL DURATION PER CORE MIN [ns]": kernel * 9 // 10,
            "DEVICE KERNEL DURATION PER CORE MAX [ns]": kernel,
            "DEVICE KERNEL DURATION PER CORE AVG [ns]": kernel * 19 // 20,
            "DEVICE KERNEL FIRST TO LAST START [ns]": 40 + cores, "DEVICE BRISC KERNEL DURATION [ns]": kernel - 120,
            "DEVICE NCRISC KERNEL DURATION [ns]": kernel - 90, "DEVICE TRISC0 KERNEL DURATION [ns]": kernel - 300,
            "DEVICE TRISC1 KERNEL DURATION [ns]": kernel - 280, "DEVICE TRISC2 KERNEL DURATION [ns]": kernel - 250,
            "PROGRAM HASH": abs(sum(ord(c) * 31 ** i for i, c in enumerate(program))) % 2 ** 61,
            "PROGRAM CACHE HIT": hit, "PM IDEAL [ns]": 1, "PM COMPUTE [ns]": 1, "PM BANDWIDTH [ns]": 1,
            "COMPUTE KERNEL SOURCE": f"['kernels/compute/{name.lower()}.cpp']",
            "DATA MOVEMENT KERNEL SOURCE": f"['kernels/dataflow/reader.cpp'; 'kernels/dataflow/writer.cpp']",
        }
        row.update(more)
        self.rows.append(row)
        self.host += 1000

    def write(self, folder):
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, "ops_perf_results_example.csv")
        with open(path, "w", newline="") as out:
            writer = csv.DictWriter(out, HEADER, restval="")
            writer.writeheader()
            writer.writerows(self.rows)


def tensor(which, y, x, datatype, memory, device=0):
    """The cells of one tensor: padded sizes with the logical ones in brackets."""
    cells = {f"{which}_{axis}_PAD[LOGICAL]": f"{size}[{size}]" for axis, size in zip("WZYX", (1, 1, y, x))}
    cells.update({f"{which}_LAYOUT": "TILE", f"{which}_DATATYPE": datatype,
                  f"{which}_MEMORY": f"DEV_{device}_{memory}"})
    return cells


def matmul(capture, m, k, n, kernel, gap, cores, fidelity, memory, block, device=0, weights="BFLOAT8_B"):
    width, height_tiles, width_tiles = block
    config = ("{'program_config': 'MatmulMultiCoreReuseMultiCastProgramConfig(compute_with_storage_grid_size=(x=8;y=8);"
              f"in0_block_w={width};out_subblock_h={height_tiles};out_subblock_w={width_tiles};per_core_M=1;per_core_N=4)'}}")
    ideal = m * k * n * 2 // (64 * 2055)
    capture.op("Matmul", kernel, gap, cores, f"matmul {m} {k} {n} {memory}", device, ATTRIBUTES=config,
               **{"MATH FIDELITY": fidelity, "PM IDEAL [ns]": ideal, "PM COMPUTE [ns]": ideal,
                  "PM FPU UTIL (%)": round(100 * ideal / kernel, 3)},
               **tensor("INPUT_0", m, k, "BFLOAT16", memory, device),
               **tensor("INPUT_1", k, n, weights, DRAM, device), **tensor("OUTPUT_0", m, n, "BFLOAT16", memory, device))


def plain(capture, name, kernel, gap, cores, device=0, program=None, memory=L1):
    capture.op(name, kernel, gap, cores, program or name, device,
               **tensor("INPUT_0", 32, 2048, "BFLOAT16", memory, device),
               **tensor("OUTPUT_0", 32, 2048, "BFLOAT16", memory, device))


def layer(capture, token, number, mended):
    gap = 1400
    plain(capture, "LayerNormDeviceOperation", 5_200, gap, 32)
    matmul(capture, 32, 2048, 6144, 48_300, gap, 64, "HiFi2", L1, (4, 1, 4))
    rotary = "rotary" if mended else f"rotary {token} {number}"
    plain(capture, "RotaryEmbeddingDeviceOperation", 3_900, gap if mended else 85_000, 32, program=rotary)
    plain(capture, "SoftmaxDeviceOperation", 2_100 if mended else 14_700, gap, 32 if mended else 1)
    plain(capture, "ScaledDotProductAttentionDecode", 21_500, gap, 64)
    matmul(capture, 32, 2048, 2048, 17_900, gap, 64, "HiFi2", L1, (4, 1, 4))
    plain(capture, "BinaryNgDeviceOperation", 1_800, gap, 64)
    plain(capture, "LayerNormDeviceOperation", 5_150, gap, 32)
    if mended:
        matmul(capture, 32, 2048, 8192, 61_000, gap, 64, "HiFi2", L1, (4, 1, 4))
    else:
        matmul(capture, 32, 2048, 8192, 118_400, gap, 64, "HiFi4", DRAM, (1, 1, 1))
    matmul(capture, 32, 8192, 2048, 70_200, gap, 64, "HiFi2", L1, (4, 1, 2))
    plain(capture, "BinaryNgDeviceOperation", 1_790, gap, 64)


def decoder(mended):
    capture = Capture()
    capture.host_op("embedding lookup")
    for token in range(2):
        capture.signpost("TOKEN")
        for number in range(3):
            layer(capture, token, number, mended)
    capture.signpost("TOKEN_END")
    capture.host_op("argmax")
    return capture


LOG_HEAD = ("ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64\n"
            "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, "
            "trace id, trace id counter, zone name, type, source line, source file, meta data\n")
SOURCES = {"BRISC": "brisc.cc", "NCRISC": "ncrisc.cc"}


def log_zone(out, row, core, risc, zone, start, end):
    """One zone of a device log; one cycle is a nanosecond."""
    name = ("TRISC" if risc.startswith("TRISC") else risc) + "-" + zone
    where = f"433,{SOURCES.get(risc, 'trisc.cc')},"
    for kind, time in (("ZONE_START", start), ("ZONE_END", end)):
        out.write(f"0,{core[0]},{core[1]},{risc},{31007 if zone == 'FW' else 20914},{time},0,{row['GLOBAL CALL COUNT']},,,"
                  f"{name},{kind},{where}\n")


def log_kernel(out, row, core, riscs, span):
    """The zones of one core, whose kernels take span cycles together."""
    start = row["DEVICE FW START CYCLE"] + 200 + core[0] + core[1]
    for number, risc in enumerate(riscs):
        begin, end = start + 30 * number, start + span - 40 * (len(riscs) - 1 - number)
        log_zone(out, row, core, risc, "FW", begin - 25, end + 20)
        log_zone(out, row, core, risc, "KERNEL", begin, end)


def set_per_core(row, spans):
    row["DEVICE KERNEL DURATION PER CORE MIN [ns]"] = min(spans)
    row["DEVICE KERNEL DURATION PER CORE MAX [ns]"] = max(spans)
    row["DEVICE KERNEL DURATION PER CORE AVG [ns]"] = sum(spans) / len(spans)


def write_log(capture, folder):
    """Two operations of the first layer. The CSV's figures per core are those of the log."""
    ops = [row for row in capture.rows if row["OP TYPE"] == "tt_dnn_device"]
    softmax = next(row for row in ops if row["OP CODE"] == "SoftmaxDeviceOperation")
    matmul = max(ops, key=lambda row: row["DEVICE KERNEL DURATION [ns]"])
    cores = [(x, y) for y in (1, 2, 3, 4, 5, 7, 8, 9) for x in (1, 2, 3, 4, 6, 7, 8, 9)]
    with open(os.path.join(folder, "profile_log_device.csv"), "w", newline="") as out:
        out.write(LOG_HEAD)
        span = softmax["DEVICE KERNEL DURATION [ns]"] - 20
        log_kernel(out, softmax, cores[0], ("BRISC", "NCRISC", "TRISC_0", "TRISC_1", "TRISC_2"), span)
        set_per_core(softmax, [span])
        spans = []
        for x, y in cores:
            spans.append(matmul["DEVICE KERNEL DURATION [ns]"] - 30 - (0 if x == 9 else 34_000 + 400 * (9 - x) + 90 * y))
            log_kernel(out, matmul, (x, y), ("BRISC", "TRISC_1"), spans[-1])
        set_per_core(matmul, spans)


def mesh():
    capture = Capture()
    for name, kernel, cores in (("LayerNormDeviceOperation", 5_200, 32), ("Matmul", 48_300, 64),
                                ("AllGatherAsync", 30_000, 8), ("BinaryNgDeviceOperation", 1_800, 64)):
        for device in range(4):
            slow = 14 if device == 2 else 10
            if name == "BinaryNgDeviceOperation" and device == 2:
                continue
            if name == "Matmul":
                matmul(capture, 32, 2048, 6144, kernel * slow // 10, 1400, cores, "HiFi2", L1, (4, 1, 4), device)
            elif name == "AllGatherAsync":  # the others wait for the slow one
                plain(capture, name, kernel if device == 2 else kernel + 21_000, 1400, cores, device)
            else:
                plain(capture, name, kernel * slow // 10, 1400, cores, device)
    return capture


def main():
    out = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    before = decoder(False)
    os.makedirs(os.path.join(out, "before"), exist_ok=True)
    write_log(before, os.path.join(out, "before"))
    before.write(os.path.join(out, "before"))
    profiler_report.write(os.path.join(out, "profiler"), before.rows)
    decoder(True).write(os.path.join(out, "after"))
    mesh().write(os.path.join(out, "mesh"))


if __name__ == "__main__":
    main()
