#!/usr/bin/env python3
"""Writes the captures whose performance reports are kept in this folder: make_captures.py [FOLDER]

decoder  two tokens through three layers: one matmul is slow, one operation waits for the host every time
mesh     one layer on four devices, of which one is slow and lacks the last operation
hostile  names, signposts, memories and datatypes that hold escape codes, text direction marks, wide and combining
         characters, and 300 letters
advice   a matmul for every piece of advice there is
mixed    host operations, unusable durations, sub-devices, budgets that differ, convolutions, a sparse matmul
All figures are made up. Standard library only.
"""
import csv
import pathlib
import sys

AXES = "WZYX"
TENSORS = ("INPUT_0", "INPUT_1", "OUTPUT_0")
COLUMNS = (["OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "DEVICE ID", "DEVICE ARCH", "ATTRIBUTES", "MATH FIDELITY", "CORE COUNT",
            "AVAILABLE WORKER CORE COUNT", "SUB DEVICE ID", "HOST START TS", "OP TO OP LATENCY [ns]",
            "DEVICE KERNEL DURATION [ns]"]
           + [f"{tensor}_{part}" for tensor in TENSORS
              for part in [f"{axis}_PAD[LOGICAL]" for axis in AXES] + ["DATATYPE", "MEMORY"]])
DRAM, L1, L1_INTERLEAVED = "DEV_0_DRAM_INTERLEAVED", "DEV_0_L1_HEIGHT_SHARDED", "DEV_0_L1_INTERLEAVED"
SHARDED = "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig"


class Capture:
    def __init__(self):
        self.rows = []

    def add(self, **row):
        row.setdefault("HOST START TS", 1000 * (len(self.rows) + 1))
        self.rows.append(row)

    def signpost(self, name):
        self.add(**{"OP CODE": name, "OP TYPE": "signpost"})

    def host(self, name):
        self.add(**{"OP CODE": f"(torch) {name}", "OP TYPE": "python_fallback"})

    def op(self, name, duration=5000, gap=900, cores=64, **more):
        row = {"OP CODE": name, "OP TYPE": "tt_dnn_device", "GLOBAL CALL COUNT": 1024 * (len(self.rows) + 1), "DEVICE ID": 0,
               "DEVICE ARCH": "wormhole_b0", "ATTRIBUTES": "{}", "CORE COUNT": cores, "AVAILABLE WORKER CORE COUNT": 64,
               "OP TO OP LATENCY [ns]": gap, "DEVICE KERNEL DURATION [ns]": duration}
        row |= self.tensor("INPUT_0", 32, 64, "BFLOAT16", L1) | self.tensor("OUTPUT_0", 32, 64, "BFLOAT16", L1)
        self.add(**(row | more))

    @staticmethod
    def tensor(name, y, x, datatype, memory, w=1):
        cells = {f"{name}_{axis}_PAD[LOGICAL]": f"{n}[{n}]" for axis, n in zip(AXES, (w, 1, y, x))}
        return cells | {f"{name}_DATATYPE": datatype, f"{name}_MEMORY": memory}

    def matmul(self, duration, fidelity, types, config="", memory=DRAM, m=1024, name="Matmul", k=1024, n=1024,
               out_memory=DRAM, **more):
        first, second, out = types
        row = {"ATTRIBUTES": f"{{'program_config': '{config}'}}" if config else "{}", "MATH FIDELITY": fidelity}
        row |= self.tensor("INPUT_0", m, k, first, memory) | self.tensor("INPUT_1", k, n, second, DRAM)
        row |= self.tensor("OUTPUT_0", m, n, out, out_memory)
        self.op(name, duration, **(row | more))

    def write(self, path):
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS, restval="")
            writer.writeheader()
            writer.writerows(self.rows)


def config(width, height, columns):
    return f"MatmulMultiCoreReuseMultiCastProgramConfig(in0_block_w={width};out_subblock_h={height};out_subblock_w={columns})"


def decoder():
    capture = Capture()
    types, good = ["BFLOAT16", "BFLOAT8_B", "BFLOAT16"], dict(gap=1400, memory=L1_INTERLEAVED, out_memory=L1_INTERLEAVED)
    flat = {"INPUT_0_MEMORY": L1_INTERLEAVED}
    capture.host("embedding lookup")
    for _ in range(2):
        capture.signpost("TOKEN")
        for _ in range(3):
            capture.op("LayerNormDeviceOperation", 5_200, 1400, 32, **flat)
            capture.matmul(48_300, "HiFi2", types, config(4, 1, 4), m=32, k=2048, n=6144, **good)
            capture.op("RotaryEmbeddingDeviceOperation", 3_900, 85_000, 32, **flat)
            capture.op("SoftmaxDeviceOperation", 14_700, 1400, 1, **flat)
            capture.op("ScaledDotProductAttentionDecode", 21_500, 1400, **flat)
            capture.matmul(17_900, "HiFi2", types, config(4, 1, 4), m=32, k=2048, n=2048, **good)
            capture.op("BinaryNgDeviceOperation", 1_800, 1400, **flat)
            capture.op("LayerNormDeviceOperation", 5_150, 1400, 32, **flat)
            capture.matmul(118_400, "HiFi4", types, config(1, 1, 1), m=32, k=2048, n=8192, gap=1400)
            capture.matmul(70_200, "HiFi2", types, config(4, 1, 2), m=32, k=8192, n=2048, **good)
            capture.op("BinaryNgDeviceOperation", 1_790, 1400, **flat)
    capture.signpost("TOKEN_END")
    capture.host("argmax")
    return capture


def mesh():
    capture = Capture()
    flat = {"INPUT_0_MEMORY": L1_INTERLEAVED}
    for name, duration, cores in (("LayerNormDeviceOperation", 5_200, 32), ("Matmul", 48_300, 64),
                                  ("AllGatherAsync", 30_000, 8), ("BinaryNgDeviceOperation", 1_800, 64)):
        for device in range(4):
            slow = duration * 14 // 10 if device == 2 else duration
            where = {"DEVICE ID": device, **flat}
            if name == "Matmul":
                capture.matmul(slow, "HiFi2", ["BFLOAT16", "BFLOAT8_B", "BFLOAT16"], config(4, 1, 4), L1_INTERLEAVED, 32,
                               k=2048, n=6144, out_memory=L1_INTERLEAVED, gap=1400, **where)
            elif name == "AllGatherAsync":  # the others wait for the slow one
                capture.op(name, duration if device == 2 else duration + 21_000, 1400, cores, **where)
            elif name != "BinaryNgDeviceOperation" or device != 2:
                capture.op(name, slow, 1400, cores, **where)
    return capture


def hostile():
    capture = Capture()
    capture.op("Evil\x1b[31mRed\x1b]0;owned\x07Operation", 50_000)
    capture.op("\u6f22\u5b57\u30ab\u30bf\u30ab\u30ca\u64cd\u4f5c\uff2f\uff50", 40_000, cores=4)
    capture.op("Long" + "ThreeHundredLetters" * 15 + "TheEndOfIt!", 30_000)
    capture.op("backwards \u202egnp.exe\u202c", 20_000)
    capture.op("zero\u200bwidth\u2060joined", 10_000, gap=9_000)
    capture.op("e\u0301e\u0301e\u0301 combining", 9_000)
    capture.op("\U0001f680 rocket", 8_000)
    capture.op("tab\tand\\backslash", 7_000)
    capture.signpost("step\x1b[5m \u2066one")
    capture.host("copy\x1b[7m \u5012")
    capture.matmul(900_000, "HiFi4", ["BFLOAT16", "BF\x1b[2J", "BFLOAT16"], config(1, 1, 1), memory="DEV_0_\x1b[2JDRAM")
    capture.op("Where", 4_000, **{"SUB DEVICE ID": "east\x1b[1m"})
    capture.op("Where", 4_000, **{"SUB DEVICE ID": "\u6f22"})
    return capture


def advice():
    capture = Capture()
    bf16, bfp8, bfp4 = "BFLOAT16", "BFLOAT8_B", "BFLOAT4_B"
    slow = dict(duration=1_000_000, config=config(1, 1, 1))
    # What a slow matmul's blocks say.
    capture.matmul(fidelity="HiFi4", types=[bf16, bf16, bf16], **slow)
    capture.matmul(1_000_000, "HiFi4", [bf16, bf16, bf16])
    capture.matmul(1_000_000, "HiFi2", [bfp8, bfp8, bfp8], "Config(in0_block_w=4)", memory=L1)
    capture.matmul(1_000_000, "HiFi2", [bfp8, bfp8, bfp8], "Config(out_subblock_h=2;out_subblock_w=2)", memory=L1)
    capture.matmul(1_000_000, "HiFi2", [bfp8, bfp8, bfp8], config(4, 2, 2), memory=L1)
    capture.matmul(1_000_000, "HiFi2", [bfp8, bfp8, bfp8], SHARDED + "(in0_block_w=4)", memory=L1)
    # What its fidelity says.
    for fidelity, types in (("HiFi3", [bf16, bf16, bf16]), ("LoFi", [bf16, bf16, bf16]), ("HiFi4", [bf16, bf16, bfp4]),
                            ("HiFi3", [bf16, bf16, bfp4]), ("HiFi2", [bf16, bf16, bfp4]), ("LoFi", [bf16, bf16, bfp4]),
                            ("HiFi4", [bfp8, bfp8, bfp8]), ("HiFi3", [bfp8, bfp8, bfp8]), ("LoFi", [bfp8, bfp8, bfp8]),
                            ("LoFi", [bfp8, bfp8, bfp4]), ("HiFi2", [bfp8, bfp4, bfp8]), ("HiFi4", ["UINT16", bf16, bf16]),
                            ("HiFi4", [bf16, "FLOAT16", bf16])):
        capture.matmul(1_000_000, fidelity, types, config(4, 2, 2), memory=L1)
    # Bound by DRAM, by FLOPs, by both; nothing to say; not judged.
    capture.matmul(33_000, "LoFi", [bf16, bf16, bf16])
    capture.matmul(16_000, "HiFi4", [bfp8, bfp8, bfp8])
    capture.matmul(100_000, "HiFi4", [bf16, bf16, bf16], cores=20)
    capture.matmul(50_000, "HiFi4", [bf16, bf16, bf16])
    capture.matmul(1_000_000, "HiFi4", [bf16, bf16, bf16], name="SparseMatmul")
    capture.matmul(1_000_000, "", [bf16, bf16, bf16])
    return capture


def mixed():
    capture = Capture()
    conv = "{'window_hw=(7;7); stride_hw=(2;2); act_block_h_ntiles=48; per_core_out_matrix_height_ntile=4; '}"
    capture.host("aten::embedding")
    capture.signpost("warm-up")
    capture.op("Conv2dDeviceOperation", 410_000, gap=0, ATTRIBUTES=conv, **{"MATH FIDELITY": "HiFi2"},
               **Capture.tensor("INPUT_1", 392, 64, "BFLOAT8_B", DRAM))
    capture.signpost("inference")
    for layer in range(3):
        capture.op("LayerNormDeviceOperation", 5_200 + layer, cores=8, **{"SUB DEVICE ID": layer % 2})
        capture.matmul(118_400, "HiFi4", ["BFLOAT16", "BFLOAT8_B", "BFLOAT16"], config(1, 1, 1), m=32,
                       **{"SUB DEVICE ID": layer % 2})
        capture.op("SoftmaxDeviceOperation", "", gap=400)
        capture.op("AllGatherAsync", 21_000, gap=14_000, **{"AVAILABLE WORKER CORE COUNT": 56})
        capture.host("aten::argmax")
    capture.matmul(70_000, "HiFi2", ["BFLOAT8_B", "BFLOAT8_B", "BFLOAT8_B"], name="SparseMatmul",
                   ATTRIBUTES="{'nnz': '2'; 'is_input_b_sparse': 'true'}", m=32)
    return capture


def main():
    out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "captures")
    out.mkdir(parents=True, exist_ok=True)
    for make in (decoder, mesh, hostile, advice, mixed):
        make().write(out / f"{make.__name__}.csv")


if __name__ == "__main__":
    main()
