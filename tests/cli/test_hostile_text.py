#!/usr/bin/env python3
"""Whatever a capture says, its text reaches a terminal escaped: over every question and transform, on both streams.

The captures hold terminal commands, newlines, characters that reorder or hide text and bytes that are no UTF-8, in every place
where the formats have text, and in the names of their files and folders.
"""
import csv
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

TILESIGHT = os.environ.get("TILESIGHT")
if not TILESIGHT or not os.path.exists(TILESIGHT):
    sys.exit(77)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import every_command  # noqa: E402

# Terminal commands (colour, title), the same by C1, newline and return, backspace, delete; direction; nothing to see.
CONTROLS = "\x1b[31;99mred\x1b]0;title\x07\x9b31m\r\b\x7f\x85"
HIDING = "\u202egpj\u2066\u2069\u200b\u200d\u200f\u061c\ufeff\u2028\u00ad\u034f\ufe0f\U000e0041\U000e0101"
POISON = CONTROLS + HIDING
# Colours of the program itself; those of the poison are none of them.
OURS = re.compile(r"\x1b\[(?!31;99m)[0-9;]*m")
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
                    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]")


def poison_csv(path, text, columns):
    """Adds the text to these columns' cells, where they are not empty."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    at = [rows[0].index(name) for name in columns if name in rows[0]]
    for row in rows[1:]:
        for column in at:
            if row[column]:
                row[column] += text
    with open(path, "w", newline="", encoding="utf-8", errors="surrogateescape") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def poison_graph(value, text):
    """A captured graph with the text behind every name in it."""
    if isinstance(value, dict):
        return {key: poison_graph(item, text) if not (isinstance(item, str) and key in ("name", "tensor_id")) else item + text
                for key, item in value.items()}
    return [poison_graph(item, text) for item in value] if isinstance(value, list) else value


def poison_database(path, text):
    database = sqlite3.connect(path)
    database.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    encode = text.encode("utf-8", "surrogateescape")
    for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        for _, column, kind, *_ in database.execute(f"PRAGMA table_info({table})").fetchall():
            if column == "captured_graph":
                for row, graph in database.execute("SELECT rowid, captured_graph FROM captured_graph").fetchall():
                    graph = json.dumps(poison_graph(json.loads(graph), text.encode("utf-8", "replace").decode()))
                    database.execute("UPDATE captured_graph SET captured_graph = ? WHERE rowid = ?", (graph, row))
            elif kind.upper() in ("TEXT", "VARCHAR") or column in ("name", "value"):
                database.execute(f"UPDATE {table} SET {column} = CAST(CAST({column} AS BLOB) || ? AS TEXT) "
                                 f"WHERE {column} IS NOT NULL AND typeof({column}) = 'text'", (encode,))
    database.commit()
    database.close()


class HostileText(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tilesight-hostile-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.output = self.folder / "output"
        self.output.mkdir()

    def run_it(self, words):
        done = subprocess.run([TILESIGHT, *[word if isinstance(word, bytes) else os.fsencode(word) for word in words]],
                              stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60, cwd=self.folder)
        self.assertIn(done.returncode, (0, 1, 2), (words, done.stderr))
        for name, stream in (("standard output", done.stdout), ("standard error", done.stderr)):
            text = stream.decode("utf-8")  # which is a test of its own
            if "--color" in words:
                text = OURS.sub("", text)
            found = UNSAFE.search(text)
            self.assertIsNone(found, found and f"{words}: {name} has {found[0]!r} in {text[max(0, found.start() - 100):found.end() + 40]!r}")
        return done

    def every(self, inputs):
        """Runs everything; how many runs answered."""
        answered = 0
        commands = every_command.questions(inputs) + every_command.transforms(inputs, self.output)
        self.assertEqual(every_command.complete(TILESIGHT, commands), set())
        for words in commands:
            variants = ([], ["--json"], ["--color"]) if words in every_command.questions(inputs) else ([],)
            for more in variants:
                answered += self.run_it([*words, *more]).returncode == 0
        return answered, sum(3 if words in every_command.questions(inputs) else 1 for words in commands)

    def spoil(self, inputs, text, columns):
        for path in (inputs.csv, inputs.after / every_command.CSV):
            poison_csv(path, text, columns)
        poison_database(inputs.profiler / "db.sqlite", text)
        clean = text.encode("utf-8", "replace").decode()
        inputs.sim.write_bytes(inputs.dump(clean))
        inputs.noc.write_bytes(inputs.capture(clean))
        log = inputs.log.read_text(encoding="utf-8").splitlines(True)
        cell = text.replace("\n", "").replace("\r", "").replace(",", "").replace('"', "")
        log[2:] = [re.sub(r"([A-Z]+-(?:FW|KERNEL))", lambda found: found[1] + cell, line) for line in log[2:]]
        log[0] = log[0].replace("\n", f", key{cell}: value{cell}\n")
        inputs.log.write_text("".join(log), encoding="utf-8", errors="surrogateescape")
        (inputs.profiler / "cluster_descriptor.yaml").write_text(json.dumps({"arch": {"0": "chip" + clean}}), encoding="utf-8")

    def test_text_that_is_valid(self):
        inputs = every_command.Inputs(self.folder / "captures")
        self.spoil(inputs, POISON, ["OP CODE", "ATTRIBUTES", "COMPUTE KERNEL SOURCE", "DATA MOVEMENT KERNEL SOURCE"])
        answered, runs = self.every(inputs)
        self.assertEqual(answered, runs)

    def prose(self, value, key=""):
        """(key, text) of every sentence of ours in an answer."""
        if isinstance(value, dict):
            for name, item in value.items():
                yield from self.prose(item, key if key == "unanswerable_why" else name)
        elif isinstance(value, list):
            for item in value:
                yield from self.prose(item, key)
        elif isinstance(value, str) and re.search("caveat|note|reason|problem|why|unknown|advice|help|hint", key):
            yield key, value

    def test_text_of_a_capture_is_in_no_sentence(self):
        inputs = every_command.Inputs(self.folder / "captures")
        self.spoil(inputs, "InjectedText", ["OP CODE", "ATTRIBUTES", "COMPUTE KERNEL SOURCE", "INPUT_0_LAYOUT"])
        sentences, answers = set(), ""
        for words in every_command.questions(inputs):
            done = self.run_it([*words, "--json"])
            self.assertEqual(done.returncode, 0, done.stderr)
            answers += done.stdout.decode()
            for key, text in self.prose(json.loads(done.stdout)):
                self.assertNotIn("InjectedText", text, (words, key))
                sentences.add(text)
        self.assertGreater(len(sentences), 5)
        self.assertGreater(answers.count("InjectedText"), 50)

    def test_text_of_several_lines(self):
        inputs = every_command.Inputs(self.folder / "captures")
        self.spoil(inputs, "\n" + POISON + "\nline", ["OP CODE", "ATTRIBUTES"])
        self.assertGreater(self.every(inputs)[0], 20)

    def test_every_column_and_bytes_that_are_no_text(self):
        for text in (POISON, "\udcff\udcc0\udc80" + CONTROLS):
            inputs = every_command.Inputs(self.folder / f"captures{len(text)}")
            with open(inputs.csv, encoding="utf-8") as file:
                columns = next(csv.reader(file))
            self.spoil(inputs, text, columns)
            self.assertGreater(self.every(inputs)[0], 5)

    def test_headers(self):
        inputs = every_command.Inputs(self.folder / "captures")
        for path in (inputs.csv, inputs.log):
            lines = path.read_text(encoding="utf-8").split("\n")
            for number in (0, 1):
                path.write_text("\n".join([*lines[:number], lines[number].replace(",", POISON.replace("\r", "") + ",", 3), *lines[number + 1:]]),
                                encoding="utf-8")
                self.every(inputs)
            path.write_text("\n".join(lines), encoding="utf-8")
        for (table,) in sqlite3.connect(inputs.profiler / "db.sqlite").execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            database = sqlite3.connect(inputs.profiler / "db.sqlite")
            column = database.execute(f"PRAGMA table_info({table})").fetchall()[0][1]
            database.execute(f'ALTER TABLE {table} RENAME COLUMN {column} TO "{column}{POISON}"')
            database.commit()
            database.close()
            for words in every_command.questions(inputs):
                if inputs.profiler in words:
                    self.run_it(words)
                    self.run_it([*words, "--json"])

    def test_broken_files(self):
        """What is quoted of a file that cannot be read."""
        inputs = every_command.Inputs(self.folder / "captures")
        text = POISON.encode()
        originals = {path: path.read_bytes() for path in (inputs.csv, inputs.log, inputs.sim, inputs.noc, inputs.profiler / "db.sqlite",
                                                          inputs.profiler / "cluster_descriptor.yaml", inputs.profiler / "config.json")}
        for path, content in originals.items():
            for spoilt in (text, text + content, content[:40] + text + content[40:], content[:len(content) // 2] + text,
                           b'{"arch": "' + text, b"[" * 600 + text, b"\xff" + text):
                path.write_bytes(spoilt)
                for words in every_command.questions(inputs) + every_command.transforms(inputs, self.output):
                    if any(isinstance(word, pathlib.Path) and (word == path or word in path.parents) for word in words):
                        self.run_it(words)
            path.write_bytes(content)

    def test_names_of_files(self):
        for name in (POISON.encode(), b"\n\x1b[2Ja", b"\xff\xfe\x1b"):
            base = os.fsencode(self.folder) + b"/" + name
            inputs = every_command.Inputs(os.fsdecode(base))
            answered, runs = self.every(inputs)
            self.assertEqual(answered, runs, name)
            # Files beside those that are read, and outputs.
            hidden = os.fsdecode(base + b"/before/ops_perf_results_" + name + b".csv")
            os.rename(inputs.csv, hidden)
            self.run_it(["load-report", inputs.before])
            self.run_it(["load-report", inputs.before, "--json"])
            self.run_it(["top-ops", inputs.before])
            pathlib.Path(hidden).unlink()
            os.mkfifo(hidden)
            self.run_it(["top-ops", inputs.before])
            odd = os.fsdecode(os.fsencode(self.output) + b"/" + name)
            for words in every_command.transforms(inputs, pathlib.Path(odd)):
                self.run_it(words)
            # And names of nothing.
            shutil.rmtree(os.fsdecode(base))
            for words in every_command.questions(inputs) + every_command.transforms(inputs, pathlib.Path(odd)):
                self.run_it(words)

    def test_arguments(self):
        """Words that are no option, command or value."""
        inputs = every_command.Inputs(self.folder / "captures")
        for text in (os.fsencode(POISON), b"\xff\n"):
            for words in ([text], [b"--" + text], [b"help", text], [b"--version", text], [b"mcp", text], [b"mcp", b"--root", text],
                          [b"mcp", b"--log-level", text], [b"mcp", b"--print-config", text], [b"noc-flags", text],
                          [b"noc-flags", b"--include", text]):
                self.run_it(words)
            for words in every_command.questions(inputs) + every_command.transforms(inputs, self.output):
                words = [os.fsencode(word) for word in words]
                for more in ([b"--" + text], [b"--limit", text], [b"--by", text], [b"--start-signpost", text], [b"--threads", text],
                             [b"--operation-id", text], [b"--include", text], [b"--group-by", text], [b"--format", text], [text],
                             [b"--name-contains", text]):
                    self.run_it([*words, *more])

    def test_the_environment(self):
        inputs = every_command.Inputs(self.folder / "captures")
        for name in ("TTNN_VISUALIZER_URL", "HOME", "TERM", "COLUMNS", "TT_METAL_DEVICE_PROFILER_NOC_EVENTS_RPT_PATH", "USAGE_RECORDING_DISABLED"):
            os.environ[name], before = "x" + POISON, os.environ.get(name)
            try:
                self.run_it(["load-report", inputs.before])
                self.run_it(["load-report", "~/nothing"])
                self.run_it(["noc-decode", inputs.noc])
                self.run_it(["mcp"])
            finally:
                os.environ.pop(name)
                if before is not None:
                    os.environ[name] = before


if __name__ == "__main__":
    unittest.main()
