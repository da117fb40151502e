CREATE TABLE devices (device_id int, num_y_cores int, num_x_cores int, num_y_compute_cores int, num_x_compute_cores int,     worker_l1_size int, l1_num_banks int, l1_bank_size int, address_at_first_l1_bank int,     address_at_first_l1_cb_buffer int, num_banks_per_storage_core int, num_compute_cores int, num_storage_cores int,     total_l1_memory int, total_l1_for_tensors int, total_l1_for_interleaved_buffers int,     total_l1_for_sharded_buffers int, cb_limit int);
INSERT INTO "devices" VALUES(0,12,10,8,8,1499136,64,1370848,0,103712,1,64,0,0,0,0,0,0);
CREATE TABLE operations (operation_id int UNIQUE, name text, duration float);
INSERT INTO "operations" VALUES(1,'ttnn.layer_norm',0.009);
INSERT INTO "operations" VALUES(2,'ttnn.linear',0.009);
INSERT INTO "operations" VALUES(3,'ttnn.experimental.rotary_embedding',0.009);
INSERT INTO "operations" VALUES(4,'ttnn.softmax',0.009);
CREATE TABLE operation_arguments (operation_id int, name text, value text);
INSERT INTO "operation_arguments" VALUES(1,'0','ttnn.Tensor(shape=[1, 1, 32, 2048], dtype=bfloat16)');
INSERT INTO "operation_arguments" VALUES(1,'memory_config','MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,buffer_type=BufferType::L1,shard_spec=std::nullopt)');
INSERT INTO "operation_arguments" VALUES(2,'0','ttnn.Tensor(shape=[1, 1, 32, 6144], dtype=bfloat16)');
INSERT INTO "operation_arguments" VALUES(2,'memory_config','MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,buffer_type=BufferType::L1,shard_spec=std::nullopt)');
CREATE TABLE stack_traces (operation_id int, stack_trace text);
INSERT INTO "stack_traces" VALUES(1,'  File "model/decoder.py", line 41, in forward
    x = ttnn.layer_norm(x, weight=self.norm)
  File "model/generate.py", line 19, in decode
    x = layer(x)');
INSERT INTO "stack_traces" VALUES(2,'  File "model/decoder.py", line 57, in forward
    x = ttnn.linear(x, self.weight, memory_config=self.memory_config)
  File "model/generate.py", line 19, in decode
    x = layer(x)');
INSERT INTO "stack_traces" VALUES(3,'  File "model/decoder.py", line 63, in forward
    q = ttnn.experimental.rotary_embedding(q, cos, sin)
  File "model/generate.py", line 19, in decode
    x = layer(x)');
INSERT INTO "stack_traces" VALUES(4,'  File "model/decoder.py", line 70, in forward
    scores = ttnn.softmax(scores, dim=-1)
  File "model/generate.py", line 19, in decode
    x = layer(x)');
CREATE TABLE tensors (tensor_id int UNIQUE, shape text, dtype text, layout text, memory_config text, device_id int,     address int, buffer_type int);
INSERT INTO "tensors" VALUES(2,'Shape([1, 1, 32, 2048])','DataType.BFLOAT16','Layout.TILE','MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,buffer_type=BufferType::L1,shard_spec=std::nullopt)',0,431392,1);
INSERT INTO "tensors" VALUES(4,'Shape([1, 1, 32, 6144])','DataType.BFLOAT16','Layout.TILE','MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,buffer_type=BufferType::L1,shard_spec=std::nullopt)',0,496928,1);
INSERT INTO "tensors" VALUES(5,'Shape([1, 1, 32, 6144])','DataType.BFLOAT16','Layout.TILE','MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,buffer_type=BufferType::DRAM,shard_spec=std::nullopt)',0,1048576,0);
INSERT INTO "tensors" VALUES(6,'Shape([1, 1, 32, 2048])','DataType.BFLOAT16','Layout.TILE','MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,buffer_type=BufferType::L1,shard_spec=std::nullopt)',0,562464,1);
CREATE TABLE input_tensors (operation_id int, input_index int, tensor_id int);
INSERT INTO "input_tensors" VALUES(2,0,2);
INSERT INTO "input_tensors" VALUES(2,1,5);
INSERT INTO "input_tensors" VALUES(3,0,4);
INSERT INTO "input_tensors" VALUES(4,0,6);
CREATE TABLE output_tensors (operation_id int, output_index int, tensor_id int);
INSERT INTO "output_tensors" VALUES(1,0,2);
INSERT INTO "output_tensors" VALUES(2,0,4);
INSERT INTO "output_tensors" VALUES(3,0,6);
INSERT INTO "output_tensors" VALUES(4,0,8);
CREATE TABLE buffers (operation_id int, device_id int, address int, max_size_per_bank int, buffer_type int,     buffer_layout int);
INSERT INTO "buffers" VALUES(1,0,431392,2048,1,0);
INSERT INTO "buffers" VALUES(1,0,1048576,1048576,0,0);
INSERT INTO "buffers" VALUES(2,0,431392,2048,1,0);
INSERT INTO "buffers" VALUES(2,0,496928,6144,1,0);
CREATE TABLE captured_graph (operation_id int, captured_graph text);
INSERT INTO "captured_graph" VALUES(1,'[{"counter":0,"node_type":"capture_start","params":{},"connections":[],"stacking_level":0},{"counter":1,"node_type":"function_start","params":{"name":"ttnn::layer_norm","inputs":"1"},"connections":[],"stacking_level":1},{"counter":2,"node_type":"function_start","params":{"name":"LayerNormDeviceOperation","inputs":"1","program_cache_hit":false},"connections":[],"stacking_level":2},{"counter":3,"node_type":"circular_buffer_deallocate_all","params":{"device_id":0},"connections":[],"stacking_level":2},{"counter":4,"node_type":"circular_buffer_allocate","params":{"size":16384,"address":103712,"device_id":0,"core_range_set":"{[0-0 - 7-7]}","globally_allocated":"0"},"connections":[],"stacking_level":2},{"counter":5,"node_type":"circular_buffer_allocate","params":{"size":32768,"address":136480,"device_id":0,"core_range_set":"{[0-0 - 7-7]}","globally_allocated":"0"},"connections":[],"stacking_level":2},{"counter":6,"node_type":"circular_buffer_allocate","params":{"size":8192,"address":169248,"device_id":0,"core_range_set":"{[0-0 - 7-7]}","globally_allocated":"0"},"connections":[],"stacking_level":2},{"counter":7,"node_type":"function_end","params":{"name":"LayerNormDeviceOperation"},"connections":[],"stacking_level":2},{"counter":8,"node_type":"function_end","params":{"name":"ttnn::layer_norm"},"connections":[],"stacking_level":1},{"counter":9,"node_type":"capture_end","params":{},"connections":[],"stacking_level":0}]');
INSERT INTO "captured_graph" VALUES(2,'[{"counter":0,"node_type":"capture_start","params":{},"connections":[],"stacking_level":0},{"counter":1,"node_type":"function_start","params":{"name":"ttnn::linear","inputs":"1"},"connections":[],"stacking_level":1},{"counter":2,"node_type":"function_start","params":{"name":"Matmul","inputs":"1","program_cache_hit":false},"connections":[],"stacking_level":2},{"counter":3,"node_type":"circular_buffer_deallocate_all","params":{"device_id":0},"connections":[],"stacking_level":2},{"counter":4,"node_type":"circular_buffer_allocate","params":{"size":16384,"address":103712,"device_id":0,"core_range_set":"{[0-0 - 7-7]}","globally_allocated":"0"},"connections":[],"stacking_level":2},{"counter":5,"node_type":"circular_buffer_allocate","params":{"size":32768,"address":136480,"device_id":0,"core_range_set":"{[0-0 - 7-7]}","globally_allocated":"0"},"connections":[],"stacking_level":2},{"counter":6,"node_type":"circular_buffer_allocate","params":{"size":8192,"address":169248,"device_id":0,"core_range_set":"{[0-0 - 7-7]}","globally_allocated":"0"},"connections":[],"stacking_level":2},{"counter":7,"node_type":"function_end","params":{"name":"Matmul"},"connections":[],"stacking_level":2},{"counter":8,"node_type":"function_end","params":{"name":"ttnn::linear"},"connections":[],"stacking_level":1},{"counter":9,"node_type":"capture_end","params":{},"connections":[],"stacking_level":0}]');
INSERT INTO "captured_graph" VALUES(3,'[{"counter":0,"node_type":"capture_start","params":{},"connections":[],"stacking_level":0},{"counter":1,"node_type":"function_start","params":{"name":"ttnn::experimental::rotary_embedding","inputs":"1"},"connections":[],"stacking_level":1},{"counter":2,"node_type":"function_start","params":{"name":"RotaryEmbeddingDeviceOperation","inputs":"1","program_cache_hit":false},"connections":[],"stacking_level":2},{"counter":3,"node_type":"circular_buffer_deallocate_all","params":{"device_id":0},"connections":[],"stacking_level":2},{"counter":4,"node_type":"circular_buffer_allocate","params":{"size":16384,"address":103712,"device_id":0,"core_range_set":"{[0-0 - 7-7]}","globally_allocated":"0"},"connections":[],"stacking_level":2},{"counter":5,"node_type":"circular_buffer_allocate","params":{"size":32768,"address":136480,"device_id":0,"core_range_set":"{[0-0 - 7-7]}","globally_allocated":"0"},"connections":[],"stacking_level":2},{"counter":6,"node_type":"circular_buffer_allocate","params":{"size":8192,"address":169248,"device_id":0,"core_range_set":"{[0-0 - 7-7]}","globally_allocated":"0"},"connections":[],"stacking_level":2},{"counter":7,"node_type":"function_end","params":{"name":"RotaryEmbeddingDeviceOperation"},"connections":[],"stacking_level":2},{"counter":8,"node_type":"function_end","params":{"name":"ttnn::experimental::rotary_embedding"},"connections":[],"stacking_level":1},{"counter":9,"node_type":"capture_end","params":{},"connections":[],"stacking_level":0}]');
INSERT INTO "captured_graph" VALUES(4,'[{"counter":0,"node_type":"capture_start","params":{},"connections":[],"stacking_level":0},{"counter":1,"node_type":"function_start","params":{"name":"ttnn::softmax","inputs":"1"},"connections":[],"stacking_level":1},{"counter":2,"node_type":"function_start","params":{"name":"SoftmaxDeviceOperation","inputs":"1","program_cache_hit":false},"connections":[],"stacking_level":2},{"counter":3,"node_type":"circular_buffer_deallocate_all","params":{"device_id":0},"connections":[],"stacking_level":2},{"counter":4,"node_type":"circular_buffer_allocate","params":{"size":16384,"address":103712,"device_id":0,"core_range_set":"{[0-0 - 7-7]}","globally_allocated":"0"},"connections":[],"stacking_level":2},{"counter":5,"node_type":"circular_buffer_allocate","params":{"size":32768,"address":136480,"device_id":0,"core_range_set":"{[0-0 - 7-7]}","globally_allocated":"0"},"connections":[],"stacking_level":2},{"counter":6,"node_type":"circular_buffer_allocate","params":{"size":8192,"address":169248,"device_id":0,"core_range_set":"{[0-0 - 7-7]}","globally_allocated":"0"},"connections":[],"stacking_level":2},{"counter":7,"node_type":"function_end","params":{"name":"SoftmaxDeviceOperation"},"connections":[],"stacking_level":2},{"counter":8,"node_type":"function_end","params":{"name":"ttnn::softmax"},"connections":[],"stacking_level":1},{"counter":9,"node_type":"capture_end","params":{},"connections":[],"stacking_level":0}]');
CREATE TABLE errors (operation_id int, operation_name text, error_type text, error_message text, stack_trace text,     timestamp text);
INSERT INTO "errors" VALUES(9,'ttnn.linear','RuntimeError','TT_FATAL @ bank_manager.cpp:139: address.has_value()
info:
Out of Memory: Not enough space to allocate 67108864 B L1 buffer across 64 banks, where each bank needs to store 1048576 B, but bank size is 1370848 B (allocated: 524288 B, free: 846560 B, largest free block: 846560 B)','','');
CREATE TABLE report_metadata (key text UNIQUE, value text);
INSERT INTO "report_metadata" VALUES('schema_version','2.1');
