#!/usr/bin/env python3
"""What a person sees of core_spread: the slowest cores and each row's caveat stand there too."""
import os
import subprocess
import sys
import tempfile

LOG = """ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000
PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], run host ID, zone name, type
0,3,7,BRISC,7,1100,1,BRISC-KERNEL,ZONE_START
0,3,7,BRISC,7,3350,1,BRISC-KERNEL,ZONE_END
0,4,7,BRISC,7,1100,1,BRISC-KERNEL,ZONE_START
0,4,7,BRISC,7,2350,1,BRISC-KERNEL,ZONE_END
0,4,7,BRISC,7,2360,1,BRISC-KERNEL,ZONE_START
"""
CSV = """OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,CORE COUNT,DEVICE FW START CYCLE,DEVICE FW END CYCLE,DEVICE KERNEL DURATION [ns]
Matmul,tt_dnn_device,1,0,3,1000,9000,90
Softmax,tt_dnn_device,2,0,3,10000,20000,80
"""
EXPECTED = (
    "slowest cores, x: y us",
    "3: 7 2.25, 4: 7 1.25",
    "2 of 3 cores recorded zones",
    "1 kernel zone of this call count and device did not pair",
    "The log has no kernel zones of this call count and device",
    "NOC coordinates",
)


def main():
    program = os.environ.get("TILESIGHT")
    if not program:
        sys.exit("TILESIGHT names no program")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("profile_log_device.csv", LOG), ("ops_perf_results.csv", CSV)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        run = subprocess.run([program, "core-spread", folder], capture_output=True, text=True, check=False)
    if run.returncode != 0 or run.stderr:
        sys.exit(f"core-spread: exit {run.returncode}: {run.stderr}")
    missing = [text for text in EXPECTED if text not in run.stdout]
    if missing:
        sys.exit(f"core-spread shows no {missing}:\n{run.stdout}")


if __name__ == "__main__":
    main()
