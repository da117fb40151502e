#!/usr/bin/env python3
"""Names the lines of the readers that no test reaches, from a trace file of lcov on standard input.

    llvm-cov export -format=lcov ... | unreached.py [FOLDER...]     FOLDER: src/formats
"""
import itertools
import os
import sys


def ranges(lines):
    """3, 4, 5, 9 as "3-5 9"."""
    groups = itertools.groupby(enumerate(sorted(lines)), key=lambda pair: pair[1] - pair[0])
    runs = [[line for _, line in group] for _, group in groups]
    return " ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def main(folders):
    path, reached, known, unreached = "", {}, 0, 0
    for line in sys.stdin:
        kind, _, rest = line.strip().partition(":")
        if kind == "SF":
            path = os.path.relpath(rest)
        elif kind == "DA" and path.startswith(tuple(folder.rstrip("/") + "/" for folder in folders)):
            number, count = map(int, rest.split(",")[:2])
            lines = reached.setdefault(path, {})
            lines[number] = max(lines.get(number, 0), count)
    for path, lines in sorted(reached.items()):
        missed = [number for number, count in lines.items() if count == 0]
        known, unreached = known + len(lines), unreached + len(missed)
        if missed:
            print(f"{path}: {ranges(missed)}")
    print(f"{unreached} of {known} lines of {', '.join(folders)} are not reached by any test")


if __name__ == "__main__":
    main(sys.argv[1:] or ["src/formats"])
