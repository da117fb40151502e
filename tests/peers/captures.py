"""Captures for the peer tests, made from the operations CSVs in examples/.

write_full() makes a performance folder with a device log whose zones lie inside the operations of the CSV, and a
profiler folder whose graphs launch the same operations, so that the two link. The run it tells of has what the
database tools look for: a failed allocation with a retry in DRAM, a request for L1 that was not granted, stack traces,
circular buffers."""
import csv
import json
import os
import shutil
import sqlite3

CORES = [(1, 1), (2, 1), (1, 2), (2, 2)]
ZONES = [("BRISC", "BRISC-KERNEL"), ("NCRISC", "NCRISC-KERNEL"), ("TRISC_0", "TRISC-KERNEL")]
LOG_COLUMNS = ("PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, "
               "trace id, trace id counter, zone name, type, source line, source file, meta data")

SCHEMA = """
CREATE TABLE report_metadata (key text UNIQUE, value text);
CREATE TABLE devices (device_id int, num_y_cores int, num_x_cores int, num_y_compute_cores int,
    num_x_compute_cores int, worker_l1_size int, l1_num_banks int, l1_bank_size int, address_at_first_l1_bank int,
    address_at_first_l1_cb_buffer int, num_compute_cores int, total_l1_for_tensors int, rank int NOT NULL DEFAULT 0);
CREATE TABLE operations (operation_id int, name text, duration float, rank int NOT NULL DEFAULT 0);
CREATE TABLE operation_arguments (operation_id int, name text, value text, rank int NOT NULL DEFAULT 0);
CREATE TABLE stack_traces (operation_id int, stack_trace text, rank int NOT NULL DEFAULT 0);
CREATE TABLE tensors (tensor_id int, shape text, dtype text, layout text, memory_config text, device_id int,
    address int, buffer_type int, rank int NOT NULL DEFAULT 0);
CREATE TABLE input_tensors (operation_id int, input_index int, tensor_id int, rank int NOT NULL DEFAULT 0);
CREATE TABLE output_tensors (operation_id int, output_index int, tensor_id int, rank int NOT NULL DEFAULT 0);
CREATE TABLE buffers (operation_id int, device_id int, address int, max_size_per_bank int, buffer_type int,
    buffer_layout int, rank int NOT NULL DEFAULT 0);
CREATE TABLE captured_graph (operation_id int, captured_graph text, rank int NOT NULL DEFAULT 0);
CREATE TABLE errors (operation_id int, operation_name text, error_type text, error_message text, stack_trace text,
    timestamp text, rank int NOT NULL DEFAULT 0);
"""
DRAM, L1 = 0, 1
L1_START, L1_BANK = 103712, 1370848
FAILURE = ("TT_FATAL: Out of Memory: Not enough space to allocate 52428800 B L1 buffer across 64 banks, where each "
           "bank needs to store 819200 B, but bank size is 1370848 B (allocated: 1000000 B, free: 370848 B, largest free "
           "block: 300000 B)")


def operations_of(path):
    """The device operations of a CSV, signposts and host operations left out."""
    with open(path, newline="", encoding="utf-8") as text:
        return [row for row in csv.DictReader(text) if row["OP TYPE"] == "tt_dnn_device"]


def write_device_log(path, operations):
    with open(path, "w", encoding="utf-8") as out:
        out.write("ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64\n" + LOG_COLUMNS + "\n")
        for row in operations:
            first, last = int(row["DEVICE FW START CYCLE"]) + 100, int(row["DEVICE FW END CYCLE"]) - 100
            for number, (x, y) in enumerate(CORES):
                for risc, zone in ZONES:
                    for time, kind in ((first + 5 * number, "ZONE_START"), (last - 90 * number, "ZONE_END")):
                        out.write(f"{row['DEVICE ID']},{x},{y},{risc},4711,{time},0,{row['GLOBAL CALL COUNT']},,,"
                                  f"{zone},{kind},12,kernel.cpp,\n")


def memory_config(buffer_type):
    name = "L1" if buffer_type == L1 else "DRAM"
    return ("MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,"
            f"buffer_type=BufferType::{name},shard_spec=std::nullopt)")


class Graph:
    """The captured graph of one operation."""

    def __init__(self):
        self.nodes = []
        self.add("capture_start", {}, 0)

    def add(self, node_type, params, level):
        counter = len(self.nodes)
        self.nodes.append({"counter": counter, "id": counter, "node_type": node_type, "params": params,
                           "connections": [], "stacking_level": level})

    def launch(self, name, address, failed):
        self.add("function_start", {"name": name, "inputs": "1", "program_cache_hit": False}, 2)
        if failed:
            self.add("function_end", {"name": name, "aborted": "true", "abort_reason": FAILURE}, 2)
            return
        self.add("circular_buffer_deallocate_all", {"device_id": 0}, 2)
        for size in (4096, 8192):
            self.add("circular_buffer_allocate", {"size": size, "address": L1_START + size, "device_id": 0,
                                                  "core_range_set": "{[0-0 - 7-7]}", "globally_allocated": "0"}, 2)
        self.add("buffer_allocate", {"size": 64 * 2048, "address": address, "type": "L1", "layout": "INTERLEAVED",
                                     "page_size": 2048, "num_cores": "0", "device_id": 0, "buffer_type": L1,
                                     "max_size_per_bank": 2048}, 2)
        self.add("function_end", {"name": name}, 2)

    def text(self, host_name, launches):
        self.add("function_start", {"name": host_name, "inputs": "1"}, 1)
        for launch in launches:
            self.launch(*launch)
        self.add("function_end", {"name": host_name}, 1)
        self.add("capture_end", {}, 0)
        return json.dumps(self.nodes)


class Profiler:
    """A profiler database, filled one operation at a time; each reads the tensor that was written last."""

    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.executescript(SCHEMA)
        self.insert("report_metadata", "schema_version", "3.5")
        self.insert("devices", 0, 10, 12, 8, 8, 1499136, 64, L1_BANK, 0, L1_START, 64, 0, 0)
        self.count, self.latest = 0, None

    def insert(self, table, *values):
        self.db.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(values))})", values)

    def operation(self, device_name, output_type, requested=None, failed=False):
        self.count += 1
        number, name = self.count, "ttnn." + device_name.replace("DeviceOperation", "").lower()
        address = L1_START + 65536 + 2048 * (number % 16)
        self.insert("operations", number, name, 0.0 if failed else 0.0005 * number, 0)
        self.insert("operation_arguments", number, "arg_0", "ttnn.Tensor(" + "x" * 600 + ")", 0)
        self.insert("operation_arguments", number, "memory_config", requested and memory_config(requested), 0)
        self.insert("stack_traces", number, f'  File "/model/layer.py", line {number}, in forward\n'
                    f'    x = {name}(x)\n  File "/model/demo.py", line 7, in main\n    model(x)', 0)
        self.insert("captured_graph", number, Graph().text(name, [(device_name, address, failed)]), 0)
        if self.latest:
            self.insert("input_tensors", number, 0, self.latest, 0)
        if failed:
            self.insert("errors", number, name, "RuntimeError", FAILURE, "", "", 0)
        self.insert("tensors", number, "Shape([1, 1, 32, 2048])", "DataType.BFLOAT16", "Layout.TILE",
                    memory_config(output_type), None if failed else 0, None if failed else address, output_type, 0)
        if not failed:
            self.latest = number
            self.insert("output_tensors", number, 0, number, 0)
            self.insert("buffers", number, 0, address, 2048, output_type, 0, 0)
            self.insert("buffers", number, 0, 1024, 4096, DRAM, 0, 0)

    def close(self):
        self.db.commit()
        self.db.close()


def write_profiler(folder, operations):
    profiler = Profiler(os.path.join(folder, "db.sqlite"))
    for index, row in enumerate(operations):
        if index == 1:
            profiler.operation(row["OP CODE"], DRAM, requested=L1, failed=True)
            profiler.operation(row["OP CODE"], DRAM)
        elif index == 2:
            profiler.operation(row["OP CODE"], DRAM, requested=L1)
        else:
            profiler.operation(row["OP CODE"], L1, requested=L1)
    profiler.close()
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as out:
        json.dump({"report_name": "example", "enable_graph_report": False}, out)
    with open(os.path.join(folder, "cluster_descriptor.yaml"), "w", encoding="utf-8") as out:
        out.write("arch:\n  0: wormhole_b0\n")


def csv_of(example):
    name, = [name for name in os.listdir(example) if name.startswith("ops_perf_results")]
    return os.path.join(example, name)


def write_large(example, folder):
    """Makes a folder with the example's operations CSV many times over: what takes a moment to load."""
    os.makedirs(folder)
    with open(csv_of(example), encoding="utf-8") as text:
        header, *rows = text.readlines()
    with open(os.path.join(folder, "ops_perf_results_large.csv"), "w", encoding="utf-8") as out:
        out.writelines([header, *rows * 1000])


def write_full(example, folder):
    """Makes folder/performance and folder/profiler from the example folder, which must be of one device."""
    performance, profiler = os.path.join(folder, "performance"), os.path.join(folder, "profiler")
    os.makedirs(performance)
    os.makedirs(profiler)
    shutil.copy(csv_of(example), performance)
    operations = operations_of(csv_of(example))
    write_device_log(os.path.join(performance, "profile_log_device.csv"), operations)
    write_profiler(profiler, operations)
