#!/usr/bin/env python3
"""The performance report as people read it, kept as text and compared byte for byte.

perf_report/CASE/options holds the words behind "perf-report", one a line. Beside it stands what standard output got:
  plain.txt              not a terminal
  WIDTH.txt              a terminal of 80, 120 or 200 columns, without colour
  WIDTH-color.txt        the same with colour
Whatever a capture holds, no terminal may get a character that moves its cursor, and no line be wider than it is.

test_perf_report_text.py [--update] [CASE...]   with --update what is printed now is kept: read the difference
"""
import difflib
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import unicodedata

HERE = pathlib.Path(__file__).resolve().parent / "perf_report"
CAPTURES = HERE / "captures"
WIDTHS = (80, 120, 200)
COLOR = re.compile(r"\x1b\[(?:0|1|9[0-6]|38;5;208)m")
MESSY = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def on_terminal(command, width):
    """What the program writes to a terminal of that width."""
    environment = dict(os.environ, COLUMNS=str(width), TERM="xterm-256color")
    environment.pop("NO_COLOR", None)
    child, descriptor = pty.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.execve(command[0], command, environment)
    written = b""
    while True:
        try:
            block = os.read(descriptor, 65536)
        except OSError:  # the other end is gone
            break
        if not block:
            break
        written += block
    os.close(descriptor)
    os.waitpid(child, 0)
    return written.replace(b"\r\n", b"\n").decode("utf-8")


def columns(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def what_is_wrong(name, text, width):
    bare = COLOR.sub("", text)
    found = MESSY.search(bare)
    if found:
        yield f"{name}: holds {found.group()!r}"
    if "color" not in name and bare != text:
        yield f"{name}: has colours"
    if "color" in name and bare == text:
        yield f"{name}: has no colours"
    for number, line in enumerate(bare.split("\n"), 1):
        if width and columns(line) > width:
            yield f"{name}: line {number} takes {columns(line)} columns"
        if line.endswith(" "):
            yield f"{name}: line {number} ends with a blank"


def print_case(program, folder):
    """Name, text and width of all forms."""
    words = (folder / "options").read_text(encoding="utf-8").splitlines()
    command = [program, "perf-report", *words]
    os.chdir(CAPTURES)
    plain = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout.decode("utf-8")
    yield "plain.txt", plain, 0
    for width in WIDTHS:
        yield f"{width}.txt", on_terminal([*command, "--no-color"], width), width
        yield f"{width}-color.txt", on_terminal(command, width), width


def compare(folder, name, text, update):
    kept = folder / name
    if update:
        kept.write_text(text, encoding="utf-8")
        return True
    expected = kept.read_text(encoding="utf-8") if kept.exists() else ""
    if expected == text:
        return True
    sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), text.splitlines(True),
                                               f"{folder.name}/{name} kept", "printed", n=1))
    return False


def captures_are_as_made():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, str(HERE / "make_captures.py"), folder], check=True)
        made = {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()}
    return made == {path.name: path.read_bytes() for path in CAPTURES.iterdir()}


def main(words):
    program = os.environ.get("TILESIGHT")
    if not program:
        print("skipped: TILESIGHT is needed")
        return 77
    program = os.path.abspath(program)
    update = "--update" in words
    wanted = [word for word in words if word != "--update"]
    problems = [] if captures_are_as_made() else ["captures/ is not what make_captures.py writes"]
    cases = [path.parent for path in sorted(HERE.glob("*/options")) if not wanted or path.parent.name in wanted]
    printed = good = 0
    for folder in cases:
        for name, text, width in print_case(program, folder):
            problems += [f"{folder.name}/{problem}" for problem in what_is_wrong(name, text, width)]
            printed += 1
            good += compare(folder, name, text, update)
    print("\n".join(problems))
    print(f"{printed} printed, {printed - good} differ")
    return 0 if printed and good == printed and not problems else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
