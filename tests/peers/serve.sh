#!/bin/sh
# Runs a server for a client, and notes how it ended: serve.sh LOG ENDINGS COMMAND...
log=$1
endings=$2
shift 2
status=0
"$@" 2>>"$log" || status=$?
printf '%s\n' "$status" >>"$endings"
