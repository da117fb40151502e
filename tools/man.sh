#!/bin/sh
# man.sh SCDOC TS-MAKE-MAN DOCS CHANGELOG OUTDIR: make every man page, compressed, in OUTDIR and nothing else there. They bear the
# date of the last release, so that the same sources give the same bytes whenever they are made.
set -eu
released=$(sed -n 's/^ -- .*>  //p' "$4" | head -n 1)
SOURCE_DATE_EPOCH=$(date -u -d "$released" +%s)
export SOURCE_DATE_EPOCH
rm -rf "$5"
mkdir -p "$5"
"$2" "$3" "$5"
for source in "$5"/*.scd; do
    page=${source%.scd}
    "$1" <"$source" >"$page"
    gzip -9nf "$page"
    rm "$source"
done
