#!/usr/bin/env python3
"""Man pages and completions name every option that --help shows, and no other; the completions are run in their shells."""
import gzip
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

TILESIGHT = os.environ.get("TILESIGHT", "")
BUILD = pathlib.Path(os.environ.get("TS_BUILD_DIR", "build"))
SOURCE = pathlib.Path(os.environ.get("TS_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
COMPLETIONS = BUILD / "completions"
MAN = BUILD / "man"
if not os.path.exists(TILESIGHT) or not COMPLETIONS.is_dir():
    print("skipped: the program or its completions were not built")
    sys.exit(77)
if os.environ.get("TILESIGHT_SANITIZE"):
    print("skipped: the pages are the same under every sanitizer")
    sys.exit(77)


def help_of(*words):
    done = subprocess.run([TILESIGHT, *words, "--help"], capture_output=True, text=True, check=False, timeout=60)
    return done.stdout or done.stderr


COMMANDS = re.findall(r"^  ([a-z][a-z0-9-]*) ", help_of(), re.MULTILINE)
HELP = {command: help_of(command) for command in COMMANDS}


def options(command):
    found = set(re.findall(r"^  (--[a-z0-9-]+)", HELP[command], re.MULTILINE))
    return found | ({"-o"} if "-o DIR" in HELP[command] else set())


def values():
    """(command, option, its words) for every option of which --help lists the words."""
    for command, text in HELP.items():
        for option, words in re.findall(r"^  (--[a-z0-9-]+) (\S+\|\S+)", text, re.MULTILINE):
            yield command, option, words.split("|"), False
        for option, how, words in re.findall(r"^(--[a-z0-9-]+) (is one of|takes any of) (.*)$", text, re.MULTILINE):
            yield command, option, [word.split()[0] for word in words.split(", ")], how == "takes any of"


class Complete:
    """What all shells have to give. A class of each derives from this and says candidates(words), the last unfinished."""

    def test_commands(self):
        self.assertGreater(len(COMMANDS), 15)
        self.assertEqual(set(self.candidates("")) - {"--help", "--version"}, set(COMMANDS))

    def test_options_are_those_of_help(self):
        for command in COMMANDS:
            given = set(self.candidates(command, "--"))
            self.assertEqual(given, {option for option in options(command) if option.startswith("--")}, command)

    def test_values(self):
        checked = 0
        for command, option, words, several in values():
            self.assertEqual(set(self.candidates(command, option, "")), set(words), (command, option))
            if several:
                begun = f"{words[0]},{words[1]}"
                self.assertIn(begun, self.candidates(command, option, begun[:-1]), (command, option))
            checked += 1
        self.assertGreater(checked, 10)

    def test_nothing_for_a_number(self):
        self.assertEqual(self.candidates("top-ops", "--limit", ""), [])


@unittest.skipUnless(shutil.which("bash"), "bash is not installed")
class Bash(Complete, unittest.TestCase):
    SCRIPT = """
. "$1"; shift
COMP_WORDS=(tilesight "$@"); COMP_CWORD=$#
compopt() { printf 'compopt %s\\n' "$2"; }
_tilesight
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\\n' "${COMPREPLY[@]}"
"""

    def candidates(self, *words):
        done = subprocess.run(["bash", "-c", self.SCRIPT, "bash", COMPLETIONS / "tilesight.bash", *words],
                              capture_output=True, text=True, check=True, timeout=60)
        self.assertEqual(done.stderr, "")
        return done.stdout.split("\n")[:-1]

    def test_paths(self):
        for words, how in ((["top-ops", ""], "default"), (["top-ops", "before", ""], "default"),
                           (["perf-report", "--csv", ""], "default"), (["noc-decode", "-o", ""], "dirnames"),
                           (["mcp", "--root", ""], "dirnames")):
            self.assertEqual(self.candidates(*words), [f"compopt {how}"], words)
        self.assertEqual(self.candidates("mcp", ""), [])

    def test_a_value_behind_the_sign(self):
        self.assertEqual(self.candidates("top-ops", "--by", "=", "op"), ["op_to_op_gap"])
        self.assertIn("flops", self.candidates("top-ops", "--by", "="))

    def test_in_a_shell(self):
        """Readline asks it: the word is finished on the line."""
        with Terminal(["bash", "--norc", "--noprofile", "-i"]) as bash:
            bash.send(f"PATH='{pathlib.Path(TILESIGHT).parent}:'$PATH; . '{COMPLETIONS}/tilesight.bash'; "
                      f"cd '{SOURCE}/examples'; PS1='READY> '\n", "READY> ")
            bash.send("echo tilesight operation-d\t", "operation-d")
            bash.send("\x15tilesight operation-d\t", "tilesight operation-detail ")
            bash.send("bef\t", "before/")


@unittest.skipUnless(shutil.which("fish"), "fish is not installed")
class Fish(Complete, unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.home = os.path.join(self.folder, "here")
        os.mkdir(self.home)

    def candidates(self, *words):
        line = " ".join(["tilesight", *words])
        done = subprocess.run(["fish", "--no-config", "-c", f"source '{COMPLETIONS}/tilesight.fish'; complete -C '{line}'"],
                              capture_output=True, text=True, check=True, timeout=60, cwd=self.home,
                              env=dict(os.environ, HOME=self.folder, XDG_CONFIG_HOME=self.folder, XDG_DATA_HOME=self.folder))
        self.assertEqual(done.stderr, "")
        return [row.split("\t")[0] for row in done.stdout.split("\n")[:-1]]

    def test_paths(self):
        home = pathlib.Path(self.home)
        (home / "folder").mkdir()
        (home / "file").touch()
        self.assertEqual(sorted(self.candidates("top-ops", "f")), ["file", "folder/"])
        self.assertEqual(sorted(self.candidates("perf-report", "--csv", "f")), ["file", "folder/"])
        self.assertEqual(self.candidates("noc-decode", "-o", "f"), ["folder/"])
        self.assertEqual(self.candidates("mcp", "f"), [])


class Terminal:
    """A program at a terminal of its own."""

    def __init__(self, command, **environment):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="dumb", COLUMNS="2000", LINES="500", **environment)
            os.execvp(command[0], command)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)

    def send(self, text, expected):
        """Type text and return what is shown up to the end of expected."""
        os.write(self.fd, text.encode())
        shown, end = "", time.monotonic() + 30
        while expected not in shown:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.fd], [], [], left)[0]:
                raise AssertionError(f"{text!r} did not bring {expected!r}: {shown!r}")
            shown += os.read(self.fd, 65536).decode(errors="replace")
        return shown


@unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
class Zsh(Complete, unittest.TestCase):
    # compadd also tells what it is asked to offer: with -O it fills an array with those that fit what was typed.
    SETUP = """
fpath=('{folder}' $fpath)
autoload -Uz compinit && compinit -u -D
compadd() {{
    if [[ ${{@[1,(i)(-|--)]}} != *-(O|A|D)\\ * ]]; then
        local -a fitting; builtin compadd -O fitting "$@"
        local word
        for word in $fitting; do print -r -- "<$IPREFIX$word>" >>'{out}'; done
    fi
    builtin compadd "$@"
}}
capture() {{ _main_complete; compstate[insert]= compstate[list]= }}
zle -C it complete-word capture
answer() {{ : >'{out}'; zle it; print -r -- '<end>' >>'{out}' }}
zle -N answer
bindkey '^X' answer
PS1='READY> '
"""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.out = cls.folder / "out"
        (cls.folder / "setup").write_text(cls.SETUP.format(folder=COMPLETIONS, out=cls.out), encoding="utf-8")
        cls.zsh = Terminal(["zsh", "-f", "-i"], HOME=str(cls.folder))
        cls.zsh.send(f"cd '{cls.folder}'; . ./setup\n", "READY> ")

    @classmethod
    def tearDownClass(cls):
        cls.zsh.__exit__()
        shutil.rmtree(cls.folder)

    def candidates(self, *words):
        self.out.write_text("", encoding="utf-8")
        os.write(self.zsh.fd, ("\x15" + " ".join(["tilesight", *words]) + "\x18").encode())
        end = time.monotonic() + 30
        while "<end>" not in (text := self.out.read_text(encoding="utf-8")):
            self.assertLess(time.monotonic(), end, words)
            time.sleep(0.005)
            while select.select([self.zsh.fd], [], [], 0)[0]:
                os.read(self.zsh.fd, 65536)
        return [word.rstrip("=") for word in re.findall(r"^<(.*)>$", text, re.MULTILINE) if word != "end"]

    def test_paths(self):
        (self.folder / "room").mkdir()
        (self.folder / "roof").touch()
        self.assertEqual(sorted(self.candidates("top-ops", "ro")), ["roof", "room"])
        self.assertEqual(sorted(self.candidates("perf-report", "--csv", "ro")), ["roof", "room"])
        self.assertEqual(set(self.candidates("noc-decode", "-o", "ro")), {"room"})
        self.assertEqual(self.candidates("mcp", "ro"), [])


@unittest.skipUnless((MAN / "tilesight.1.gz").exists(), "scdoc is not installed")
class ManPages(unittest.TestCase):
    def page(self, name):
        return gzip.decompress((MAN / f"{name}.1.gz").read_bytes()).decode().replace("\\-", "-")

    def test_there_is_one_of_each_command_and_no_other(self):
        self.assertEqual(sorted(path.name for path in MAN.iterdir()),
                         sorted(["tilesight.1.gz", *(f"tilesight-{command}.1.gz" for command in COMMANDS)]))

    def test_options_are_those_of_help(self):
        for command in COMMANDS:
            section = self.page(f"tilesight-{command}").split(".SH OPTIONS", 1)[1].split(".SH", 1)[0]
            named = set(re.findall(r"\\fB(--?[a-z0-9-]+)\\fR", section)) - {"-h"}
            self.assertEqual(named, options(command), command)
            for option, words in ((option, words) for name, option, words, _ in values() if name == command):
                for word in words:
                    self.assertIn(f"\\fB{word}\\fR", section, (command, option))

    def test_the_page_of_the_program_lists_all(self):
        page = self.page("tilesight")
        for command in COMMANDS:
            self.assertIn(f"\\fB{command}\\fR", page)
            self.assertIn(f"\\fBtilesight-{command}\\fR(1)", page)

    @unittest.skipUnless(shutil.which("man"), "man is not installed")
    def test_man_formats_them_without_a_warning(self):
        for page in MAN.iterdir():
            done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page], capture_output=True,
                                  text=True, check=False, timeout=60, env=dict(os.environ, LC_ALL="C.UTF-8", MANWIDTH="100"))
            self.assertEqual((done.returncode, done.stderr), (0, ""), page)


class Help(unittest.TestCase):
    def test_lines_fit(self):
        for command, text in {"": help_of(), **HELP}.items():
            wide = [line for line in text.splitlines() if len(line) > 120 and not re.match(r"--\S+ (takes any|is one) of", line)]
            self.assertEqual(wide, [], command)


class Words(unittest.TestCase):
    def test_clients_of_print_config(self):
        """The one list of words that stands in two places."""
        done = subprocess.run([TILESIGHT, "mcp", "--print-config", "nobody"], capture_output=True, text=True, check=False,
                              timeout=60)
        known = re.sub(r"^.*it knows ", "", done.stderr.split("\n")[0]).split(", ")
        listed = [words for command, option, words, _ in values() if (command, option) == ("mcp", "--print-config")]
        self.assertEqual(listed, [known])

    def test_every_word_listed_is_taken(self):
        """Of commands (questions check theirs from the same declaration): the words of help are not refused as words."""
        for command, option, words, _ in values():
            if "PATH" in HELP[command].split("\n")[0] or option == "--print-config":
                continue
            for word in words:
                done = subprocess.run([TILESIGHT, command, option, word, "--nonsense"], capture_output=True, text=True,
                                      check=False, timeout=60)
                self.assertEqual(done.returncode, 2)
                self.assertIn("nonsense", done.stderr, (command, option, word))


if __name__ == "__main__":
    unittest.main()
