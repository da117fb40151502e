#!/bin/sh
# man.sh SCDOC TS-MAKE-MAN DOCS OUTDIR: make every man page, compressed, in OUTDIR and nothing else there.
set -eu
rm -rf "$4"
mkdir -p "$4"
"$2" "$3" "$4"
for source in "$4"/*.scd; do
    page=${source%.scd}
    # The same sources give the same bytes whenever they are made.
    SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-0} "$1" <"$source" >"$page"
    gzip -9nf "$page"
    rm "$source"
done
