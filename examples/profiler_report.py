"""A profiler report (db.sqlite and what lies beside it) of the run that wrote an operations CSV, all figures made up."""
import json
import os
import sqlite3

SCHEMA = """
PRAGMA page_size = 1024;
CREATE TABLE devices (device_id int, num_y_cores int, num_x_cores int, num_y_compute_cores int, num_x_compute_cores int,
    worker_l1_size int, l1_num_banks int, l1_bank_size int, address_at_first_l1_bank int,
    address_at_first_l1_cb_buffer int, num_banks_per_storage_core int, num_compute_cores int, num_storage_cores int,
    total_l1_memory int, total_l1_for_tensors int, total_l1_for_interleaved_buffers int,
    total_l1_for_sharded_buffers int, cb_limit int);
CREATE TABLE operations (operation_id int UNIQUE, name text, duration float);
CREATE TABLE operation_arguments (operation_id int, name text, value text);
CREATE TABLE stack_traces (operation_id int, stack_trace text);
CREATE TABLE tensors (tensor_id int UNIQUE, shape text, dtype text, layout text, memory_config text, device_id int,
    address int, buffer_type int);
CREATE TABLE input_tensors (operation_id int, input_index int, tensor_id int);
CREATE TABLE output_tensors (operation_id int, output_index int, tensor_id int);
CREATE TABLE buffers (operation_id int, device_id int, address int, max_size_per_bank int, buffer_type int,
    buffer_layout int);
CREATE TABLE captured_graph (operation_id int, captured_graph text);
CREATE TABLE errors (operation_id int, operation_name text, error_type text, error_message text, stack_trace text,
    timestamp text);
CREATE TABLE report_metadata (key text UNIQUE, value text);
"""
L1_START, L1_BANK, L1_WORKER = 103712, 1370848, 1499136
DRAM, L1 = 0, 1
CALLS = {
    "LayerNormDeviceOperation": ("ttnn.layer_norm", 41, "x = ttnn.layer_norm(x, weight=self.norm)"),
    "Matmul": ("ttnn.linear", 57, "x = ttnn.linear(x, self.weight, memory_config=self.memory_config)"),
    "RotaryEmbeddingDeviceOperation": ("ttnn.experimental.rotary_embedding", 63, "q = ttnn.experimental.rotary_embedding(q, cos, sin)"),
    "SoftmaxDeviceOperation": ("ttnn.softmax", 70, "scores = ttnn.softmax(scores, dim=-1)"),
    "ScaledDotProductAttentionDecode": ("ttnn.transformer.scaled_dot_product_attention_decode", 75,
                                        "x = ttnn.transformer.scaled_dot_product_attention_decode(q, k, v)"),
    "BinaryNgDeviceOperation": ("ttnn.add", 88, "x = ttnn.add(x, residual)"),
}
FAILURE = ("TT_FATAL @ bank_manager.cpp:139: address.has_value()\ninfo:\nOut of Memory: Not enough space to allocate 67108864 B "
           "L1 buffer across 64 banks, where each bank needs to store 1048576 B, but bank size is 1370848 B (allocated: "
           "524288 B, free: 846560 B, largest free block: 846560 B)")


def memory_config(buffer_type):
    return ("MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,"
            f"buffer_type=BufferType::{'L1' if buffer_type == L1 else 'DRAM'},shard_spec=std::nullopt)")


def graph(name, device_operation, seen, failed):
    """The captured graph of one operation that launches one device operation; circular buffers only when it is new."""
    nodes = []

    def add(node_type, level, **params):
        nodes.append({"counter": len(nodes), "node_type": node_type, "params": params, "connections": [],
                      "stacking_level": level})

    add("capture_start", 0)
    add("function_start", 1, name=name.replace(".", "::"), inputs="1")
    add("function_start", 2, name=device_operation, inputs="1", program_cache_hit=seen)
    if failed:
        add("function_end", 2, name=device_operation, aborted="true", abort_reason="allocation failed")
    else:
        add("circular_buffer_deallocate_all", 2, device_id=0)
        for index, size in enumerate(() if seen else (16384, 32768, 8192)):
            add("circular_buffer_allocate", 2, size=size, address=L1_START + index * 32768, device_id=0,
                core_range_set="{[0-0 - 7-7]}", globally_allocated="0")
        add("function_end", 2, name=device_operation)
    add("function_end", 1, name=name.replace(".", "::"))
    add("capture_end", 0)
    return json.dumps(nodes, separators=(",", ":"))


class Report:
    """Operations one after the other, each reading the tensor that the last one wrote."""

    def __init__(self, path):
        if os.path.exists(path):
            os.remove(path)
        self.db = sqlite3.connect(path)
        self.db.executescript(SCHEMA)
        self.number = self.latest = 0
        self.place = None
        self.seen = set()
        self.insert("devices", 0, 12, 10, 8, 8, L1_WORKER, 64, L1_BANK, 0, L1_START, 1, 64, 0, 0, 0, 0, 0, 0)
        self.insert("report_metadata", "schema_version", "2.1")

    def insert(self, table, *values):
        self.db.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(values))})", values)

    def tensor(self, tensor, width, buffer_type, address):
        self.insert("tensors", tensor, f"Shape([1, 1, 32, {width}])", "DataType.BFLOAT16", "Layout.TILE",
                    memory_config(buffer_type), None if address is None else 0, address, buffer_type)

    def operation(self, row, failed=False):
        name, line, code = CALLS[row["OP CODE"]]
        width = int(str(row.get("OUTPUT_0_X_PAD[LOGICAL]", "2048")).split("[")[0])
        kind = DRAM if "DRAM" in row.get("OUTPUT_0_MEMORY", "L1") and not failed else L1
        self.number += 1
        number, output = self.number, self.number * 2
        self.insert("operations", number, name, row["HOST DURATION [ns]"] / 1e5)
        self.insert("operation_arguments", number, "0", f"ttnn.Tensor(shape=[1, 1, 32, {width}], dtype=bfloat16)")
        self.insert("operation_arguments", number, "memory_config", memory_config(kind))
        self.insert("stack_traces", number, f'  File "model/decoder.py", line {line}, in forward\n    {code}\n'
                    '  File "model/generate.py", line 19, in decode\n    x = layer(x)')
        program = row["PROGRAM HASH"]
        self.insert("captured_graph", number, graph(name, row["OP CODE"], program in self.seen, failed))
        if self.latest:
            self.insert("input_tensors", number, 0, self.latest)
        if failed:
            self.insert("errors", number, name, "RuntimeError", FAILURE, "", "")
            return
        self.seen.add(program)
        address = (L1_START if kind == L1 else 0) + 262144 + number % 4 * 65536
        self.tensor(output, width, kind, address)
        self.insert("output_tensors", number, 0, output)
        if row["OP CODE"] == "Matmul":
            self.insert("input_tensors", number, 1, output + 1)
            self.tensor(output + 1, width, DRAM, 1 << 20)
        place = (address, max(width, 2048), kind)
        held = {place, self.place or place, (1 << 20, 1 << 20, DRAM)}
        if number > 5:
            held.add((L1_START + 786432, 4096 * (1 + number % 3), L1))
        for where, size, memory in sorted(held):
            self.insert("buffers", number, 0, where, size, memory, 0)
        self.latest, self.place = output, place

    def close(self):
        self.db.commit()
        self.db.close()


def write(folder, rows):
    """rows: those of the operations CSV. The feed-forward matmul asked for L1 first, and did not fit."""
    os.makedirs(folder, exist_ok=True)
    report = Report(os.path.join(folder, "db.sqlite"))
    tried = False
    for row in rows:
        if row["OP TYPE"] != "tt_dnn_device":
            continue
        if not tried and "DRAM" in row.get("OUTPUT_0_MEMORY", ""):
            report.operation(row, failed=True)
            tried = True
        report.operation(row)
    report.close()
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as out:
        json.dump({"report_name": "decoder", "enable_graph_report": True}, out)
        out.write("\n")
    with open(os.path.join(folder, "cluster_descriptor.yaml"), "w", encoding="utf-8") as out:
        out.write("arch:\n  0: wormhole_b0\nchips:\n  0: [0, 0, 0, 0]\n")
