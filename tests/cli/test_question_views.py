#!/usr/bin/env python3
"""Questions about memory as a person sees them: the bars of l1-peak, the paragraphs of errors, and that nothing is wider than
the terminal, with and without colours, in Unicode and in ASCII."""
import fcntl
import json
import os
import pathlib
import pty
import re
import sqlite3
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

TILESIGHT = os.environ.get("TILESIGHT")
if not TILESIGHT or not os.path.exists(TILESIGHT):
    sys.exit(77)
UNICODE, ASCII = "\u2588\u2593\u2592\u2591\u00b7", "#+=!."
COLOR = re.compile("\x1b\\[[0-9;]*m")
CAPACITY = 10000
FAILURE = ("TT_FATAL @ bank_manager.cpp:1: false\ninfo:\nOut of Memory: Not enough space to allocate 4000 B L1 buffer across 8 "
           "banks, where each bank needs to store 500 B, but bank size is 1000 B (allocated: 400 B, free: 600 B, largest free "
           "block: 300 B)\nbacktrace:\n --- one\n --- \x1b[31mtwo\n")


def node(kind, **params):
    return {"node_type": kind, "params": params}


def tensor(address, size):
    return node("buffer_allocate", type="L1", address=address, max_size_per_bank=size)


def circular(address, size):
    return node("circular_buffer_allocate", address=address, size=size)


GRAPHS = {
    1: ("ttnn.first", [tensor(9000, 300), tensor(9500, 1000)]),
    2: ("ttnn." + "long_name_" * 8, [circular(100, 3000), tensor(8000, 2000),
                                     node("buffer_deallocate", type="L1", address=8000)]),
    3: ("ttnn.tiny", [node("circular_buffer_deallocate_all"), circular(100, 1)]),
    4: ("ttnn.\u5927", [circular(100, 8700)]),
}


def make(path, capacity=CAPACITY):
    database = sqlite3.connect(path)
    database.executescript(f"""
        CREATE TABLE operations(operation_id int, name text, duration float);
        CREATE TABLE captured_graph(operation_id int, captured_graph text);
        CREATE TABLE buffers(operation_id int, device_id int, address int, max_size_per_bank int, buffer_type int);
        CREATE TABLE tensors(tensor_id int, shape text, dtype text, layout text, memory_config text, device_id int, address int,
            buffer_type int);
        CREATE TABLE input_tensors(operation_id int, input_index int, tensor_id int);
        CREATE TABLE output_tensors(operation_id int, output_index int, tensor_id int);
        CREATE TABLE devices(device_id int, worker_l1_size int, l1_bank_size int, address_at_first_l1_cb_buffer int);
        CREATE TABLE errors(operation_id int, operation_name text, error_type text, error_message text, timestamp text);
        CREATE TABLE operation_arguments(operation_id int, name text, value text);
        INSERT INTO operation_arguments VALUES(2,'memory_config','MemoryConfig(buffer_type=BufferType::L1)');
        INSERT INTO output_tensors VALUES(2,0,2);
        INSERT INTO tensors VALUES(2,'','','','',0,77,0);
        INSERT INTO tensors VALUES(1,'','','','',0,9000,1);
        INSERT INTO input_tensors VALUES(1,0,1);
        INSERT INTO output_tensors VALUES(1,0,1);
        INSERT INTO devices VALUES(0,{capacity},1000,8900);
        INSERT INTO buffers VALUES(3,0,9000,300,1),(3,0,9500,1000,1);
    """)
    for operation, (name, nodes) in GRAPHS.items():
        database.execute("INSERT INTO operations VALUES(?,?,1)", (operation, name))
        database.execute("INSERT INTO captured_graph VALUES(?,?)", (operation, json.dumps(nodes)))
    database.execute("INSERT INTO errors VALUES(4,?,'RuntimeError',?,'')", (GRAPHS[4][0], FAILURE))
    database.commit()
    database.close()


def environment(**more):
    drop = ("NO_COLOR", "COLUMNS", "LC_ALL", "LC_CTYPE", "LANG", "TERM")
    return {**{key: value for key, value in os.environ.items() if key not in drop}, **more}


def piped(*words, **more):
    done = subprocess.run([TILESIGHT, *words], stdout=subprocess.PIPE, env=environment(**more), check=True)
    return done.stdout.decode()


def on_terminal(columns, *words, **more):
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    with subprocess.Popen([TILESIGHT, *words], stdout=side, stdin=subprocess.DEVNULL,
                          env=environment(**{"TERM": "xterm", **more})) as child:
        os.close(side)
        pieces = []
        while True:
            try:
                piece = os.read(main, 1 << 16)
            except OSError:
                break
            if not piece:
                break
            pieces.append(piece)
    os.close(main)
    if child.returncode:
        raise AssertionError(child.returncode)
    return b"".join(pieces).decode().replace("\r\n", "\n")


def width(text):
    return sum(2 if "\u2e80" <= character <= "\uffdc" else 1 for character in COLOR.sub("", text))


class Views(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="tilesight-views-")
        cls.path = str(pathlib.Path(cls.folder.name, "db.sqlite"))
        make(cls.path)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def bars(self, text, glyphs):
        """By operation: how many cells of each glyph, and the percent beside."""
        found = {}
        for line in COLOR.sub("", text).splitlines():
            match = re.match(f" *([0-9]+) .*?([{re.escape(glyphs)}]+)(?: +([0-9.]+) %)?$", line)
            if match and len(match.group(2)) >= 4:
                found[int(match.group(1))] = ([match.group(2).count(glyph) for glyph in glyphs], match.group(3))
        return found

    def hold_bars(self, found):
        self.assertEqual(sorted(found), [1, 2, 3, 4])
        for operation, parts in {1: (0, 0, 1300, 0), 2: (3000, 2000, 1000, 300), 3: (1, 0, 1000, 300),
                                 4: (8700, 0, 1000, 300)}.items():
            cells, percent = found[operation]
            whole = sum(cells)
            self.assertAlmostEqual(float(percent), sum(parts) / CAPACITY * 100, delta=0.051)
            for cell, part in zip(cells, parts):
                self.assertEqual(cell > 0, part > 0, (operation, cells))
                self.assertLessEqual(abs(cell - whole * part / CAPACITY), 1.5, (operation, cells))
        self.assertEqual(len({sum(cells) for cells, _ in found.values()}), 1)
        self.assertEqual(found[4][0][4], 0)

    def test_bars(self):
        self.hold_bars(self.bars(piped("l1-peak", self.path, LANG="en_US.UTF-8"), UNICODE))
        text = on_terminal(80, "l1-peak", self.path, LC_ALL="C.utf8", LANG="C")
        self.hold_bars(self.bars(text, UNICODE))
        self.assertIn("of L1 of a core 10,000 bytes", text)
        for name, glyph in zip(("circular", "intermediate", "persistent", "stale", "free"), UNICODE):
            self.assertIn(f"{glyph} {name}", COLOR.sub("", text))

    def test_ascii(self):
        for variables in ({}, {"LC_ALL": "C", "LANG": "en_US.UTF-8"}, {"LC_CTYPE": "de_DE.ISO-8859-1"}):
            text = piped("l1-peak", self.path, **variables)
            self.hold_bars(self.bars(text, ASCII))
            self.assertFalse(set(text) & set(UNICODE))

    def test_colours(self):
        for question in ("l1-peak", "errors"):
            self.assertIn("\x1b[1m", on_terminal(80, question, self.path))
            self.assertIn("\x1b[", piped(question, self.path, "--color"))
            for text in (on_terminal(80, question, self.path, NO_COLOR="1"), on_terminal(80, question, self.path, TERM="dumb"),
                         on_terminal(80, question, self.path, "--no-color"), piped(question, self.path)):
                self.assertNotIn("\x1b", text)
        for color in (34, 33, 32, 31, 2):
            self.assertIn(f"\x1b[{color}m#"[:-1], on_terminal(80, "l1-peak", self.path))

    def test_nothing_is_wider_than_the_terminal(self):
        for columns in (40, 49, 57, 60, 80, 120, 200):
            for question in ("l1-peak", "errors", "dram-fallbacks"):
                text = on_terminal(columns, question, self.path)
                self.assertIn(question == "dram-fallbacks" and "argument_mismatch" or "ttnn.", text)
                for line in text.splitlines():
                    self.assertLessEqual(width(line), columns, line)

    def test_a_small_terminal_still_shows_bars(self):
        text = on_terminal(30, "l1-peak", self.path)
        self.assertEqual(sorted(self.bars(text, ASCII)), [1, 2, 3, 4])

    def test_a_long_name_heads_a_paragraph(self):
        with tempfile.TemporaryDirectory(prefix="tilesight-views-") as folder:
            path = str(pathlib.Path(folder, "db.sqlite"))
            make(path)
            database = sqlite3.connect(path)
            database.execute("UPDATE errors SET operation_name = ?", ("n" * 150,))
            database.commit()
            database.close()
            for line in on_terminal(60, "errors", path).splitlines():
                self.assertLessEqual(width(line), 60, line)

    def test_the_legend_of_a_narrow_terminal(self):
        for columns, more in ((40, {}), (56, {}), (57, {}), (40, {"LC_ALL": "C.utf8"})):
            plain = COLOR.sub("", on_terminal(columns, "l1-peak", self.path, **more))
            lines = plain[plain.index("composition, of"):].split("\n\n")[0].splitlines()
            self.assertIn("composition, of L1 of a core 10,000 bytes:", re.sub(r"\s+", " ", plain))
            for name, glyph in zip(("circular", "intermediate", "persistent", "stale", "free"), UNICODE if more else ASCII):
                self.assertEqual(sum(f"{glyph} {name}" in line for line in lines), 1, (columns, name))
            self.assertLessEqual(max(width(line) for line in lines), columns)

    def test_an_unknown_capacity(self):
        with tempfile.TemporaryDirectory(prefix="tilesight-views-") as folder:
            path = str(pathlib.Path(folder, "db.sqlite"))
            make(path, 0)
            text = piped("l1-peak", path)
            self.assertIn("to the scale of the fullest", text)
            self.assertNotIn(". free", text)
            found = self.bars(text, ASCII)
            self.assertEqual(max(sum(cells) for cells, _ in found.values()), sum(found[4][0]))
            self.assertIsNone(found[4][1])
            make_withheld = sqlite3.connect(path)
            make_withheld.execute("UPDATE devices SET worker_l1_size = 5")
            make_withheld.commit()
            make_withheld.close()
            text = piped("l1-peak", path)
            self.assertEqual(self.bars(text, ASCII), {})
            self.assertIn("withheld", text)

    def test_errors_in_paragraphs(self):
        text = on_terminal(80, "errors", self.path, NO_COLOR="1")
        joined = re.sub(r"\s+", " ", text)
        self.assertIn("4 ttnn.\u5927", text)
        self.assertIn("kind bank_out_of_memory, buffer type L1, requested bytes 4,000, num banks 8, bytes per bank 500", joined)
        self.assertIn("diagnosis: reason fragmented, interleaved region limit yes detail: There is enough free space", joined)
        self.assertIn("misses by bytes 200, seen behind operation 3, device id 0, resident count 1", joined)
        self.assertIn("- address 9,000, size 300 bytes_per_bank, tensor id 1, made by 1, made by name ttnn.first", joined)
        self.assertIn("message: TT_FATAL @ bank_manager.cpp:1: false info: Out of Memory: Not enough space", joined)
        self.assertIn("backtrace: (2 more lines)", joined)
        self.assertNotIn("two", text)


if __name__ == "__main__":
    unittest.main(verbosity=1)
