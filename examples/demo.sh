#!/bin/sh
# The main job on the example captures: what is there, what dominates, why, and did a change help.
set -eu
here=$(dirname "$0")
tilesight=${TILESIGHT:-$here/../build/tilesight}

ask() {
    printf '\n$ tilesight'
    printf ' %s' "$@"
    printf '\n'
    (cd "$here" && "$tilesight" "$@")
}

case $tilesight in
/*) ;;
*) tilesight=$(pwd)/$tilesight ;;
esac

ask load-report before
ask top-ops before --limit 5 --include utilisation,flags --start-signpost TOKEN --end-signpost TOKEN
ask op-breakdown before
ask program-cache before
ask diff-reports before after --limit 6
ask top-ops mesh --limit 4 --include devices
ask zone-timings before --limit 5
ask core-spread before --limit 3
ask load-report profiler
ask find-operations profiler --name-contains softmax --limit 3
ask memory-profile profiler --buffer-type L1 --limit 3
ask operation-provenance profiler --operation-id 4
ask tensor-flow profiler --tensor-id 6
ask operation-detail profiler before --operation-id 2

# A kernel on the model of a grid of cores, recorded and decoded as on a chip: build, run, decode.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
libraries=$(dirname "$tilesight")
printf '\n$ export TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1\n'
export TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1
printf '$ cc $(tilesight noc-flags) grid/multicast.c -ltilesight_grid -pthread -o multicast\n'
# shellcheck disable=SC2046
"${CC:-gcc}" -I"$here/../include" $("$tilesight" noc-flags) "$here/grid/multicast.c" -L"$libraries" -ltilesight_grid \
    -pthread -o "$work/multicast"
printf '$ ./multicast multicast.tsraw\n'
here=$work
(cd "$work" && ./multicast multicast.tsraw)
ask noc-decode multicast.tsraw -o traces
ask noc-decode traces/noc_trace_dev0_grid-model-multicast_ID1024.json
