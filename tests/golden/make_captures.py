#!/usr/bin/env python3
"""Writes the captures that the recorded answers in this folder were given to: make_captures.py [FOLDER]

They are small, made up, and of our own: each shows some rules that the answers have to keep. Standard library only.
"""
import csv
import io
import pathlib
import sys

OPERAND = ["W", "Z", "Y", "X"]
COLUMNS = (
    ["OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "DEVICE ID", "DEVICE ARCH", "ATTRIBUTES", "MATH FIDELITY", "CORE COUNT",
     "AVAILABLE WORKER CORE COUNT", "SUB DEVICE ID", "HOST START TS", "OP TO OP LATENCY [ns]",
     "DEVICE KERNEL DURATION [ns]", "DEVICE KERNEL DURATION PER CORE MIN [ns]", "DEVICE KERNEL DURATION PER CORE MAX [ns]",
     "DEVICE KERNEL DURATION PER CORE AVG [ns]", "DEVICE KERNEL FIRST TO LAST START [ns]",
     "DEVICE BRISC KERNEL DURATION [ns]", "DEVICE NCRISC KERNEL DURATION [ns]", "DEVICE TRISC0 KERNEL DURATION [ns]",
     "DEVICE COMPUTE CB WAIT FRONT [ns]", "DISPATCH TOTAL CQ CMD OP TIME [ns]"]
    + [f"INPUT_0_{d}_PAD[LOGICAL]" for d in OPERAND] + ["INPUT_0_DATATYPE", "INPUT_0_MEMORY"]
    + [f"INPUT_1_{d}_PAD[LOGICAL]" for d in OPERAND] + ["INPUT_1_DATATYPE", "INPUT_1_MEMORY"]
    + [f"OUTPUT_0_{d}_PAD[LOGICAL]" for d in OPERAND] + ["OUTPUT_0_DATATYPE", "OUTPUT_0_MEMORY"]
    + ["METAL TRACE ID", "COMPUTE KERNEL SOURCE", "DATA MOVEMENT KERNEL SOURCE", "PROGRAM HASH", "PROGRAM CACHE HIT",
       "PM IDEAL [ns]", "PM COMPUTE [ns]", "PM BANDWIDTH [ns]", "PM FPU UTIL (%)", "NOC UTIL (%)", "DRAM BW UTIL PER CTRL (%)"]
)


def tensor(name, shape, datatype, memory):
    out = {f"{name}_{d}_PAD[LOGICAL]": f"{n}[{n}]" for d, n in zip(OPERAND, shape)}
    return out | {f"{name}_DATATYPE": datatype, f"{name}_MEMORY": memory}


def op(code, duration, gap=700, **more):
    row = {"OP CODE": code, "OP TYPE": "tt_dnn_device", "DEVICE ID": 0, "DEVICE ARCH": "wormhole_b0", "ATTRIBUTES": "{}",
           "CORE COUNT": 64, "AVAILABLE WORKER CORE COUNT": 64, "OP TO OP LATENCY [ns]": gap,
           "DEVICE KERNEL DURATION [ns]": duration}
    row |= tensor("INPUT_0", (1, 1, 32, 64), "BFLOAT16", "DEV_0_L1_INTERLEAVED")
    row |= tensor("OUTPUT_0", (1, 1, 32, 64), "BFLOAT16", "DEV_0_L1_INTERLEAVED")
    return row | more


def matmul(duration, gap, m, k, n, **more):
    config = "MatmulMultiCoreReuseMultiCastProgramConfig(in0_block_w=2;out_subblock_h=1;out_subblock_w=1;per_core_M=2)"
    row = op("Matmul", duration, gap, **{"ATTRIBUTES": "{'program_config': '" + config + "'}", "MATH FIDELITY": "HiFi4"})
    row |= tensor("INPUT_0", (1, 1, m, k), "BFLOAT16", "DEV_0_DRAM_INTERLEAVED")
    row |= tensor("INPUT_1", (1, 1, k, n), "BFLOAT8_B", "DEV_0_DRAM_INTERLEAVED")
    row |= tensor("OUTPUT_0", (1, 1, m, n), "BFLOAT16", "DEV_0_L1_INTERLEAVED")
    return row | more


def signpost(name, start=None):
    return {"OP CODE": name, "OP TYPE": "signpost"} | ({} if start is None else {"HOST START TS": start})


def program(name, hit):
    return {"PROGRAM HASH": name, "PROGRAM CACHE HIT": hit}


def model(ideal, compute, bandwidth):
    return {"PM IDEAL [ns]": ideal, "PM COMPUTE [ns]": compute, "PM BANDWIDTH [ns]": bandwidth, "PM FPU UTIL (%)": "12.3456"}


def rows_of(rows, columns=None):
    """CSV text; rows without a call count or a host time get one in file order."""
    columns = columns or COLUMNS
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for number, row in enumerate(rows, 1):
        row = {"HOST START TS": 1000 * number} | row
        if row["OP TYPE"] == "tt_dnn_device":
            row = {"GLOBAL CALL COUNT": 1024 * number} | row
        writer.writerow(row)
    return out.getvalue()


def model_run():
    """Signposts out of host order, a host operation, repeated programs, odd gaps, a row without a duration."""
    kernels = {"COMPUTE KERNEL SOURCE": "['compute/mm.cpp']", "DATA MOVEMENT KERNEL SOURCE": "['dm/in.cpp'; 'dm/out.cpp']"}
    return rows_of([
        signpost("warmup"),
        {"OP CODE": "(torch) from_torch", "OP TYPE": "python_fallback", "OP TO OP LATENCY [ns]": 250},
        matmul(400000, 5000, 512, 1024, 2048, **program("m", "False"), **model(30000, 20000, 30000), **kernels,
               **{"DEVICE BRISC KERNEL DURATION [ns]": 38999.5, "DEVICE NCRISC KERNEL DURATION [ns]": 3.75}),
        op("LayerNorm", 12000, **program("n", "False"), **model(1, 1, 1), **{"CORE COUNT": 8}),
        signpost("warmup"),
        op("Softmax", 500, **program("s", "False")),
        signpost("iter"),
        matmul(400000, 2500, 512, 1024, 2048, **program("m", "True"), **model(30000, 20000, 30000), **kernels),
        op("LayerNorm", 12000, -300, **program("n", "False"), **{"CORE COUNT": 8}),
        op("AllGatherAsync", 9000, 2000000, **program("g", "False"), **{"CORE COUNT": 4}),
        signpost("iter"),
        op("LayerNorm", "", 300, **program("n", "")),
        op("Softmax", 500, 1500000, **program("s", "True"), **{"CORE COUNT": 0}),
        op("Conv2dDeviceOperation", 7000, 100, **program("c", "False"), **{"MATH FIDELITY": "LoFi"}),
        signpost("late", 50),
        op("=cmd()", 3.75, 0),
    ])


def mesh(devices, slow, without=None):
    """The same four operations on several devices; one is slow, which a collective's mean hides; one may lack an operation."""
    rows = []
    for code, duration in (("Embedding", 2000), ("Matmul-like", 50000), ("ReduceScatterAsync", 40000), ("Add", 1000)):
        for device in range(devices):
            if (code, device) == without:
                continue
            waits = code.startswith("Reduce")
            factor = (0.5 if waits else 1.5) if device == slow else 1
            rows.append(op(code, duration * factor, 900, **{"DEVICE ID": device}))
    return rows_of(rows)


def partitioned():
    return rows_of([op("Add", 1000, **{"SUB DEVICE ID": "0"}), op("Mul", 2000, **{"SUB DEVICE ID": "1.0"}),
                    op("Sub", 100, **{"SUB DEVICE ID": ""}), op("Add", 900, **{"SUB DEVICE ID": "1"})])


def compiling():
    """Every call a new program for some, every repeat call a miss for the rest."""
    rows = [op("Rotary", 100, **program(f"r{i}", "False")) for i in range(5)]
    rows += [op("Permute", 100, **program(f"p{i}", "False")) for i in range(3)]
    rows += [op("Add", 100, **program("a", "False")) for i in range(4)]
    rows += [op("Once", 100, **program("o", "False"))]
    return rows_of(rows)


def holes():
    """41 of 50 durations lost."""
    return rows_of([op(("Add", "Mul")[i % 2], 1000 + i if i % 6 == 0 else "") for i in range(50)])


def marks():
    """Two signposts with nothing between them."""
    return rows_of([op("Add", 1000), signpost("begin"), signpost("end"), op("Mul", 500)])


def legacy():
    """Plain dimension columns, nothing newer, no signposts."""
    columns = ["OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "DEVICE ID", "ATTRIBUTES", "CORE COUNT", "HOST START TS",
               "OP TO OP LATENCY [ns]", "DEVICE KERNEL DURATION [ns]", "INPUT_0_W", "INPUT_0_MEMORY"]
    return rows_of([op("Add", 1500), op("Softmax", 250), op("Add", 1400)], columns)


def captures():
    text = model_run()
    log = "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 72\nPCIe slot, core_x, core_y\n"
    header = text.split("\n", 1)[0]
    yield "model/ops_perf_results_model.csv", text
    yield "model/profile_log_device.csv", log
    yield "mesh/ops_perf_results.csv", mesh(4, 2)
    yield "torn_mesh/ops_perf_results.csv", mesh(4, 2, ("ReduceScatterAsync", 1))
    yield "wide/ops_perf_results.csv", mesh(40, 7)
    yield "partitioned/ops_perf_results.csv", partitioned()
    yield "compiling/ops_perf_results.csv", compiling()
    yield "holes/ops_perf_results.csv", holes()
    yield "marks/ops_perf_results.csv", marks()
    yield "legacy/ops_perf_results.csv", legacy()
    yield "ragged/ops_perf_results.csv", text + "a,b" + "," * len(COLUMNS) + "surplus\n"
    yield "header/ops_perf_results.csv", header + "\n"
    yield "columns/ops_perf_results.csv", header.replace("OP TYPE", "KIND").replace("DEVICE ID", "CHIP") + "\nAdd\n"
    yield "nothing/notes.txt", "A folder without a capture.\n"


def main(arguments):
    folder = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parent / "captures")
    for name, text in captures():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")


if __name__ == "__main__":
    main(sys.argv[1:])
