#!/usr/bin/env python3
"""The command line as a user meets it: help, options, paths, exit statuses, what goes to which stream."""
import contextlib
import gzip
import json
import os
import pathlib
import pty
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

TILESIGHT = os.environ.get("TILESIGHT")
if not TILESIGHT or not os.path.exists(TILESIGHT):
    sys.exit(77)
EXAMPLES = pathlib.Path(os.environ.get("TS_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2])) / "examples"
BEFORE, AFTER, MESH = (str(EXAMPLES / name) for name in ("before", "after", "mesh"))
CSV = "ops_perf_results_example.csv"
QUESTIONS = ("load-report", "top-ops", "op-breakdown", "program-cache", "diff-reports")


def run(*words, env=None, **more):
    return subprocess.run([TILESIGHT, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          encoding="utf-8", errors="surrogateescape", env=dict(os.environ, **(env or {})), **more)


def answer(*words):
    done = run(*words, "--json")
    if done.returncode:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


class Scratch(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8", newline="")
        return path


class Help(unittest.TestCase):
    def test_no_words_is_wrong_usage_and_says_what_there_is(self):
        done = run()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        for question in QUESTIONS:
            self.assertIn(question, done.stderr)

    def test_help_lists_every_command_on_standard_output(self):
        for word in ("--help", "-h", "help"):
            done = run(word)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for command in (*QUESTIONS, "mcp", "perf-report"):
                self.assertIn(f"  {command} ", done.stdout)

    def test_every_question_describes_its_options(self):
        for question in QUESTIONS:
            done = run(question, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""), question)
            self.assertTrue(done.stdout.startswith(f"usage: tilesight {question} "))
            for option in ("--json", "--performance-path", "--threads", "--no-color"):
                self.assertIn(option, done.stdout)
            self.assertNotIn("--handle", done.stdout)
        self.assertIn("device_time (default)", run("top-ops", "--help").stdout)

    def test_version_is_one_line_and_what_the_sandbox_can_be_another(self):
        done = run("--version")
        self.assertRegex(done.stdout, r"\Atilesight \d+\.\d+\.\d+\nsandbox of mcp: (Landlock ABI \d+|no Landlock in this kernel), "
                                      r"(seccomp|no seccomp in this kernel)\n\Z")


class WrongUsage(unittest.TestCase):
    def refused(self, status, words, *pieces):
        done = run(*words)
        self.assertEqual((done.returncode, done.stdout), (status, ""), words)
        self.assertTrue(done.stderr.startswith("tilesight: "), done.stderr)
        for piece in pieces:
            self.assertIn(piece, done.stderr)

    def test_what_the_argument_table_can_tell_is_status_2(self):
        self.refused(2, ["nonsense"], "nonsense")
        self.refused(2, ["top-ops"], "name its folder")
        self.refused(2, ["top-ops", BEFORE, AFTER], "one capture")
        self.refused(2, ["diff-reports", BEFORE], "two captures")
        self.refused(2, ["diff-reports", BEFORE, AFTER, MESH], "more than 2")
        self.refused(2, ["top-ops", BEFORE, "--nope"], "--nope")
        self.refused(2, ["top-ops", BEFORE, "--limit"], "--limit")
        for number in ("many", "1e1", "2.5", "99999999999999999999"):
            self.refused(2, ["top-ops", BEFORE, "--limit", number], "--limit takes a whole number", f"not {number}\n")
        self.refused(2, ["top-ops", BEFORE, "--by", "speed"], "speed", "device_time")
        self.refused(2, ["top-ops", BEFORE, "--include", "config,nonsense"], "nonsense", "advice")
        self.refused(2, ["top-ops", BEFORE, "--json=yes"], "takes no value")
        # An option is named as it was typed.
        for option in ("--start-signpost", "--start_signpost"):
            self.refused(2, ["top-ops", BEFORE, option], f"tilesight: {option} needs a value: {option} NAME")
        self.refused(2, ["top-ops", BEFORE, "--threads", "0"], "threads")
        self.refused(2, ["top-ops", BEFORE, "--start-signpost", "x" * 257], "257", "256")
        self.refused(2, ["perf-report"], "CSV")
        self.refused(2, ["perf-report", BEFORE + "/" + CSV, "--id-range", "-"], "--id-range")
        self.refused(2, ["perf-report", BEFORE + "/" + CSV, "--arch", "z80"], "z80", "wormhole")

    def test_what_the_capture_cannot_answer_is_status_1(self):
        self.refused(1, ["top-ops", "/no/such/folder"], "/no/such/folder")
        self.refused(1, ["top-ops", BEFORE, "--start-signpost", "nope"], "nope", "TOKEN")
        self.refused(1, ["diff-reports", BEFORE, MESH, "--start-signpost", "TOKEN"], "mesh")

    def test_a_message_names_the_report_that_it_is_about(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "db.sqlite")
            with contextlib.closing(sqlite3.connect(path)) as database:
                database.executescript("CREATE TABLE operations(operation_id int); CREATE TABLE buffers(operation_id);"
                                       "CREATE TABLE tensors(tensor_id); CREATE TABLE input_tensors(operation_id, "
                                       "tensor_id); CREATE TABLE output_tensors(operation_id, tensor_id)")
            both = ["--profiler-path", folder, "--performance-path", BEFORE]
            self.refused(1, ["operation-detail", *both, "--operation-id", "9"], f"{folder}: no operation 9 in this")
            self.refused(1, ["tensor-flow", *both, "--tensor-id", "9"], f"{folder}: no tensor 9 in this report")
            self.refused(1, ["operation-provenance", *both, "--operation-id", "9"], f"{folder}: the profiler database")
            self.refused(1, ["op-breakdown", *both, "--start-signpost", "nope"], f"{BEFORE}: ")

    def test_an_empty_word_is_an_unset_variable(self):
        self.refused(2, ["top-ops", BEFORE, "--start-signpost", ""], "--start-signpost was given nothing")
        self.refused(2, ["diff-reports", BEFORE, AFTER, "--end-signpost="], "--end-signpost was given nothing")
        self.refused(2, ["find-operations", BEFORE, "--name-contains", ""], "--name-contains was given nothing")
        self.refused(2, ["top-ops", BEFORE, "--limit", ""], "--limit was given nothing")
        for list_of_none in ("", ",", " , ,"):
            self.refused(2, ["top-ops", BEFORE, "--include", list_of_none], "--include was given nothing")
        for words in ([""], ["--performance-path", ""], ["--profiler-path="]):
            self.refused(2, ["top-ops", *words], "a path is empty")

    def test_what_stands_alone_takes_no_word(self):
        for word in ("--version", "--help", "-h", "help"):
            self.refused(2, [word, "top-ops"], f"{word} stands alone", "top-ops is too much")

    def test_messages_name_commands_and_options_as_typed(self):
        self.refused(2, ["top_ops"], "top-ops asks one capture", "tilesight top-ops --help")
        self.refused(2, ["diff_reports", BEFORE], "diff-reports compares two", "tilesight diff-reports --help")
        self.refused(2, ["top-ops", BEFORE, "--by", "speed"], "--by must be one of")
        self.refused(2, ["op-breakdown", BEFORE, "--group_by", "x"], "--group-by must be one of")
        self.refused(2, ["top-ops", BEFORE, "--include", "nonsense"], "--include takes any of")
        self.refused(2, ["top-ops", BEFORE, "--start-signpost", "x" * 257], "--start-signpost is 257")
        self.refused(2, ["operation-detail", BEFORE], "operation-detail needs the option --operation-id")
        self.refused(1, ["top-ops", BEFORE, "--start-signpost", "nope"], "(--start-signpost)")
        self.refused(1, ["diff-reports", BEFORE, MESH, "--start-signpost", "TOKEN"],
                     "without --start-signpost and --end-signpost")
        self.refused(1, ["top-ops", "--profiler-path", BEFORE], "without --performance-path")

    def test_what_only_looks_like_a_name_is_left_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("top_ops", "a top_ops b", "group_by"):
                path = os.path.join(folder, name)
                os.mkdir(path)
                self.refused(1, ["top-ops", path], path)
                done = run("top-ops", name, cwd=folder)
                self.assertTrue(done.stderr.startswith(f"tilesight: {name}: "), done.stderr)
        self.refused(1, ["top-ops", BEFORE, "--start-signpost", "start_signpost"], 'called "start_signpost" (--start-')

    def test_words_behind_two_dashes_are_paths_and_the_message_says_so(self):
        self.refused(2, ["top-ops", "--", BEFORE, "--limit", "1"], "every word is a path, also --limit")
        self.assertNotIn("every word", run("top-ops", BEFORE, AFTER).stderr)

    def test_a_terminal_sequence_in_a_word_is_not_passed_on(self):
        done = run("\033[31mred")
        self.assertNotIn("\033", done.stderr)


class Paths(Scratch):
    def test_a_folder_and_the_file_in_it_answer_alike(self):
        self.assertEqual(answer("top-ops", BEFORE), answer("top-ops", f"{BEFORE}/{CSV}"))
        self.assertEqual(answer("top-ops", BEFORE), answer("top-ops", "--performance-path", BEFORE))

    def test_compressed_captures_answer_alike(self):
        with gzip.open(self.folder / (CSV + ".gz"), "wb") as out:
            out.write((EXAMPLES / "before" / CSV).read_bytes())
        self.assertEqual(answer("op-breakdown", BEFORE), answer("op-breakdown", self.folder))

    def test_of_two_captures_the_first_is_before(self):
        there, back = answer("diff-reports", BEFORE, AFTER), answer("diff-reports", AFTER, BEFORE)
        self.assertEqual((there["before"], there["after"]), (BEFORE, AFTER))
        self.assertEqual(there["delta_total"], -back["delta_total"])

    def test_an_empty_folder_loads_and_answers_nothing(self):
        loaded = answer("load-report", self.folder)
        self.assertEqual((loaded["answerable"], loaded["performance_csv"]), ([], None))
        done = run("top-ops", self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("ops_perf_results", done.stderr)

    def test_no_regular_file_is_opened(self):
        fifo = self.folder / CSV
        os.mkfifo(fifo)
        self.assertEqual(run("top-ops", fifo, timeout=20).returncode, 1)
        self.assertEqual(run("top-ops", self.folder, timeout=20).returncode, 1)
        self.assertEqual(run("top-ops", "/dev/zero", timeout=20).returncode, 1)


class Output(Scratch):
    def test_json_is_one_compact_line_without_a_handle(self):
        done = run("top-ops", BEFORE, "--json")
        self.assertEqual(done.stdout.count("\n"), 1)
        self.assertEqual(done.stderr, "")
        parsed = json.loads(done.stdout)
        self.assertNotIn("handle", parsed)
        self.assertEqual(json.dumps(parsed, separators=(",", ":"), ensure_ascii=False), done.stdout.rstrip("\n"))

    def test_options_spell_with_dash_or_underscore_and_with_equals(self):
        wanted = answer("top-ops", BEFORE, "--start-signpost", "TOKEN", "--limit", "2")
        self.assertEqual(answer("top_ops", BEFORE, "--start_signpost=TOKEN", "--limit=2"), wanted)

    def test_groups_are_repeated_or_separated_by_commas(self):
        self.assertEqual(answer("top-ops", BEFORE, "--include", "config", "--include", "flags"),
                         answer("top-ops", BEFORE, "--include", "flags, config"))

    def test_limits_are_clamped(self):
        self.assertEqual(answer("top-ops", BEFORE, "--limit", "0")["returned"], 1)
        self.assertEqual(answer("top-ops", BEFORE, "--limit", "5000")["returned"], 66)

    def test_a_clamped_limit_is_told_beside_the_answer(self):
        for limit, more, note in (("-5", [], "--limit -5 is below 1; showing 1"), ("0", [], "--limit 0 is below 1; showing 1"),
                                  ("101", [], "--limit 101 is above the cap; showing 100"),
                                  ("26", ["--include", "config"], "--limit 26 is above the cap; showing 25"),
                                  ("100", [], None), ("25", ["--include", "config"], None), ("1", [], None)):
            for form in ([], ["--json"]):
                done = run("top-ops", BEFORE, "--limit", limit, *more, *form)
                self.assertEqual((done.returncode, done.stderr), (0, f"tilesight: {note}\n" if note else ""))
                self.assertNotIn("cap", done.stdout)
        self.assertEqual(run("top-ops", BEFORE, "--include", "config").stderr, "")

    def test_a_pipe_gets_no_colours_unless_asked(self):
        self.assertNotIn("\033", run("top-ops", BEFORE).stdout)
        self.assertIn("\033", run("top-ops", BEFORE, "--color").stdout)
        self.assertNotIn("\033", run("top-ops", BEFORE, "--color", "--no-color").stdout)

    def test_a_terminal_gets_colours_but_for_no_color(self):
        for env, coloured in (({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False),
                              ({"TERM": "dumb"}, False), ({"TERM": "xterm", "NO_COLOR": ""}, True)):
            self.assertEqual("\033[" in self.on_terminal("top-ops", BEFORE, env=env), coloured, env)

    def test_members_of_a_row_can_be_columns(self):
        path = str(EXAMPLES / "profiler")
        rows = answer("l1-peak", path, "--limit", "3")["top_operations"]
        lines = run("l1-peak", path, "--limit", "3").stdout.splitlines()
        header = next(i for i, line in enumerate(lines) if line.startswith("id "))
        self.assertEqual(lines[header].split()[:7], ["id", "name", "peak", "circular", "intermediate", "persistent", "stale"])
        for row, line in zip(rows, lines[header + 1:]):
            cells = [cell.replace(",", "") for cell in line.split()]
            self.assertEqual(cells[:3], [str(row["operation_id"]), row["name"], str(row["peak"])])
            self.assertEqual(cells[3:7], [str(value) for value in row["composition"].values()])

    def test_tables_keep_to_the_width_of_the_terminal(self):
        for width in (80, 120):
            shown = self.on_terminal("top-ops", BEFORE, "--include", "config,utilisation",
                                     env={"COLUMNS": str(width), "NO_COLOR": "1"})
            rows = [line for line in shown.splitlines() if line[:2].isdigit() or line.startswith("id ")]
            self.assertGreater(len(rows), 20)
            self.assertLessEqual(max(map(len, rows)), width)

    def test_text_of_a_capture_cannot_drive_the_terminal(self):
        lines = (EXAMPLES / "before" / CSV).read_text().splitlines()
        header, row = lines[0], next(line for line in lines if line.startswith("LayerNorm"))
        evil = "\u001b]0;owned\u0007\u202egnp\u200b" + "x" * 300
        path = self.write(CSV, "\r\n".join([header, row.replace("LayerNormDeviceOperation", evil, 1), ""]))
        for words in (["top-ops"], ["op-breakdown"], ["program-cache"], ["load-report"]):
            shown = run(*words, path).stdout
            for bad in ("\u001b", "\u0007", "\u202e", "\u200b"):
                self.assertNotIn(bad, shown, words)

    def capture_of(self, *rows):
        """A report with these (op code, device kernel duration in ns)."""
        header = "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,CORE COUNT,HOST START TS,DEVICE KERNEL DURATION [ns]"
        return self.write(CSV, "\n".join([header, *(f"{code},tt_dnn_device,{i},0,64,{i},{ns}"
                                                  for i, (code, ns) in enumerate(rows))]) + "\n")

    def test_text_is_escaped_once_and_a_backslash_is_no_escape(self):
        path = self.capture_of(("plain\\x41", 3000), ("zero\u200bwidth", 2000), ("back\\u{200B}", 1000))
        self.assertEqual([op["op_code"] for op in answer("top-ops", path)["ops"]],
                         ["plain\\x41", "zero\u200bwidth", "back\\u{200B}"])
        shown = run("top-ops", path).stdout
        for text in ("plain\\\\x41 ", "zero\\u{200B}width ", "back\\\\u{200B} "):
            self.assertIn(text, shown)
        self.assertNotIn("x5c", shown.lower())
        on_terminal = self.on_terminal("top-ops", str(path), env={"TERM": "xterm", "COLUMNS": "100"})
        self.assertIn("zero\\u{200B}width ", on_terminal)

    def test_large_numbers_are_shown(self):
        path = self.capture_of(("Huge", "1.5e28"), ("Large", "2e17"), ("Small", "1500"))
        shown = run("top-ops", path).stdout
        self.assertRegex(shown, r"Huge +1\.5e25 ")
        self.assertRegex(shown, r"Large +200,000,000,000,000\.0 ")
        self.assertRegex(shown, r"Small +1\.5 ")
        self.assertIn("device time total: 1.50000000002e25\n", shown)
        self.assertIn("change of the total: 1.5", run("diff-reports", BEFORE, path).stdout)
        self.assertRegex(run("op-breakdown", path).stdout, r"Huge +Other +1 +1\.5e25 ")

    def test_a_full_disk_is_a_failure(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([TILESIGHT, "top-ops", BEFORE], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output", done.stderr)

    def test_the_locale_changes_nothing(self):
        plain = run("top-ops", BEFORE, env={"LC_ALL": "C"}).stdout
        self.assertEqual(run("top-ops", BEFORE, env={"LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo"}).stdout, plain)

    def on_terminal(self, *words, env):
        """What the program writes when its standard output is a terminal."""
        master, slave = pty.openpty()
        process = subprocess.Popen([TILESIGHT, *words], stdout=slave, stderr=subprocess.DEVNULL,
                                   env={**{k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}, **env})
        os.close(slave)
        out = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:
                break
            if not piece:
                break
            out += piece
        os.close(master)
        process.wait()
        return out.decode().replace("\r\n", "\n")


class PerfReport(Scratch):
    def test_rows_and_groups_are_written_beside_each_other(self):
        out = self.folder / "rows.csv"
        done = run("perf-report", f"{MESH}/{CSV}", "--csv", out)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["rows.csv", "rows_stacked.csv", "rows_stacked.svg"])
        self.assertTrue(out.read_text().startswith("ID,Total %,Bound,"))

    def test_a_window_without_device_operations_lists_the_signposts_and_fails(self):
        done = run("perf-report", f"{BEFORE}/{CSV}", "--csv", self.folder / "rows.csv")
        self.assertEqual(done.returncode, 1)
        self.assertIn("TOKEN (2)", done.stderr)
        self.assertTrue((self.folder / "rows.csv").exists())

    def test_a_folder_that_is_not_there_leaves_nothing_behind(self):
        done = run("perf-report", f"{MESH}/{CSV}", "--csv", self.folder / "no" / "rows.csv")
        self.assertEqual(done.returncode, 1)
        self.assertIn("rows.csv", done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_an_output_that_is_an_input_is_refused_and_the_input_kept(self):
        capture = (EXAMPLES / "mesh" / CSV).read_text()
        one, stacked = self.write("one.csv", capture), self.write("two_stacked.csv", capture)
        link = self.folder / "link.csv"
        link.symlink_to("one.csv")
        for words in ((one, "--csv", one), (one, "--csv", f"{self.folder}/./one.csv"), (one, "--csv", link),
                      (link, "--csv", one), (one, stacked, "--csv", stacked), (stacked, "--csv", self.folder / "two.csv"),
                      (one, "--csv", self.folder / "r.csv", "--summary-file", self.folder / "r")):
            done = run("perf-report", *words)
            self.assertEqual((done.returncode, done.stdout), (1, ""), words)
            self.assertIn("nothing was written", done.stderr)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["link.csv", "one.csv", "two_stacked.csv"])
        self.assertEqual((one.read_text(), stacked.read_text()), (capture, capture))

    def test_of_two_files_that_belong_together_none_is_replaced_when_one_does_not_fit(self):
        for name in ("rows.csv", "rows_stacked.csv"):
            self.write(name, "old")
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        done = run("perf-report", f"{AFTER}/{CSV}", "--ignore-signposts", "--csv", self.folder / "rows.csv",
                   preexec_fn=limit)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("File too large", done.stderr)
        self.assertEqual({path.name: path.read_text() for path in self.folder.iterdir()},
                         {"rows.csv": "old", "rows_stacked.csv": "old"})

    def test_groups_of_an_earlier_run_are_not_passed_off_as_this_ones(self):
        out = self.folder / "rows.csv"
        run("perf-report", f"{MESH}/{CSV}", "--csv", out)
        done = run("perf-report", f"{MESH}/{CSV}", "--csv", out, "--id-range", "1000-2000")
        self.assertIn("rows_stacked.csv is of an earlier run", done.stderr)

    def test_the_default_window_says_where_it_begins(self):
        rows = ["OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns],HOST START TS", "A,tt_dnn_device,0,1000,10",
                "E,signpost,,,20", "B,tt_dnn_device,0,2000,30", "E,signpost,,,40", "C,tt_dnn_device,0,4000,50", ""]
        path = self.write("twice.csv", "\n".join(rows))
        self.assertIn("the first signpost with the last one's name, E (row id 3)", run("perf-report", path).stderr)
        path = self.write("once.csv", "\n".join(rows[:4] + [""]))
        self.assertIn("the last signpost, E (row id 3)", run("perf-report", path).stderr)

    def test_a_name_that_reads_as_a_capture_is_warned_of(self):
        done = run("perf-report", f"{MESH}/{CSV}", "--csv", self.folder / "ops_perf_results_report.csv")
        self.assertEqual(done.returncode, 0)
        self.assertIn("will be taken for an operations CSV", done.stderr)

    def test_one_signal_ends_the_wait_for_a_reader_of_a_fifo(self):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        process = subprocess.Popen([TILESIGHT, "perf-report", f"{MESH}/{CSV}", "--no-summary", "--csv", fifo],
                                   stderr=subprocess.PIPE)
        time.sleep(0.5)
        process.terminate()
        self.assertNotEqual(process.communicate(timeout=20)[1], b"")
        self.assertEqual(process.returncode, 1)

    def test_empty_words_and_contradictions_are_wrong_usage(self):
        for words in (["--csv", ""], ["--summary-file", ""], ["--start-signpost", ""], ["--end-signpost="], [""],
                      ["--no-summary", "--summary-file", "x"], ["--ignore-signposts", "--start-signpost", "TOKEN"]):
            done = run("perf-report", f"{BEFORE}/{CSV}", *words, cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_private_file_stays_private(self):
        out = self.write("rows.csv", "old")
        out.chmod(0o600)
        self.assertEqual(run("perf-report", f"{MESH}/{CSV}", "--csv", out).returncode, 0)
        self.assertEqual(out.stat().st_mode & 0o777, 0o600)

    def test_an_unreadable_input_does_not_touch_an_old_output(self):
        old = self.write("rows.csv", "old")
        broken = self.write("broken.csv", 'OP CODE,OP TYPE,DEVICE ID\n"open')
        self.assertEqual(run("perf-report", broken, "--csv", old).returncode, 1)
        self.assertEqual(old.read_text(), "old")


if __name__ == "__main__":
    unittest.main()
