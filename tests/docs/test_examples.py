#!/usr/bin/env python3
"""The worked examples: every question has one in docs/examples, and each prints what it says there.

    test_examples.py --update    write what the program prints now (./dev pages does this and makes the pages again)
"""
import fcntl
import os
import pathlib
import pty
import re
import shlex
import struct
import subprocess
import sys
import termios
import unittest

SOURCE = pathlib.Path(os.environ.get("TS_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
TILESIGHT = os.environ.get("TILESIGHT") or str(SOURCE / "build/tilesight")
if not os.path.exists(TILESIGHT):
    print("skipped: the program was not built")
    sys.exit(77)
EXAMPLES = SOURCE / "docs" / "examples"
CAPTURES = SOURCE / "examples"
SHOWN_AS = "/captures"  # where the folder is, whoever has it
COLUMNS = 110


def output(command):
    """What a command prints on a terminal of the examples' width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    program = subprocess.Popen([TILESIGHT, *shlex.split(command)[1:]], cwd=CAPTURES, stdin=subprocess.DEVNULL, stdout=theirs,
                               stderr=subprocess.PIPE, env=dict(environment, NO_COLOR="1", TERM="xterm", LC_ALL="C.UTF-8"))
    os.close(theirs)
    printed = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other end was closed
            piece = b""
        if not piece:
            break
        printed += piece
    os.close(ours)
    said = program.stderr.read()
    program.stderr.close()
    status = program.wait(timeout=60)
    if status:
        raise AssertionError(f"{command!r} gave {status}: {said.decode()}")
    return printed.decode().replace("\r\n", "\n").replace(str(CAPTURES), SHOWN_AS).strip("\n") + "\n"


def commands(text):
    return re.findall(r"^\$ (.*)$", text, re.MULTILINE)


def transcript(text):
    return "\n".join(f"$ {command}\n{output(command)}" for command in commands(text))


def questions():
    done = subprocess.run([TILESIGHT, "--help"], capture_output=True, text=True, check=True, timeout=60)
    listed = done.stdout.split("Questions about a capture:\n")[1].split("\n\n")[0]
    return {line.split()[0].replace("-", "_") for line in listed.splitlines()}


class Examples(unittest.TestCase):
    maxDiff = None

    def test_every_question_has_one(self):
        there = {path.stem for path in EXAMPLES.glob("*.txt")}
        self.assertEqual(questions() - there, set(), "questions without docs/examples/NAME.txt: a line \"$ tilesight ...\", then "
                                                     "./dev pages")

    def test_each_prints_what_it_says(self):
        for path in sorted(EXAMPLES.glob("*.txt")):
            text = path.read_text(encoding="utf-8")
            with self.subTest(path.name):
                self.assertTrue(text.startswith("$ tilesight " + path.stem.replace("_", "-")))
                self.assertEqual(text, transcript(text), "if this is meant: ./dev pages")

    def test_each_question_page_shows_it(self):
        for path in sorted(EXAMPLES.glob("*.txt")):
            page = SOURCE / "docs" / "questions" / f"{path.stem}.md"
            if page.exists():
                self.assertIn(f"```\n{path.read_text(encoding='utf-8')}```\n", page.read_text(encoding="utf-8"), "run ./dev pages")


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        for path in EXAMPLES.glob("*.txt"):
            path.write_text(transcript(path.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        unittest.main()
