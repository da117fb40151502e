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
