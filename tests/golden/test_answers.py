#!/usr/bin/env python3
"""Recorded answers and refusals of the questions, asked again on the command line and compared byte for byte.

QUESTION/CASE/ holds
  args         the arguments, a JSON object
  captures     one capture a line: a folder in captures/
  answer.json  the answer, indented for the reader, with
  note         what is said on standard error beside it, where anything is; or
  refusal      the exit status, and on each further line something that the message must say

test_answers.py [--update] [QUESTION[/CASE]...]   with --update what is answered now is recorded: read the difference
"""
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CAPTURES = HERE / "captures"
EXAMPLES = HERE.parents[1] / "examples"
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def words_of(question, arguments, captures):
    words = [question.replace("_", "-")]
    for name, value in arguments.items():
        for item in value if isinstance(value, list) else [value]:
            words.append(f"--{name.replace('_', '-')}={item}")
    return words + ["--json"] + captures


def ask(program, question, folder):
    arguments = json.loads((folder / "args").read_text(encoding="utf-8"))
    captures = (folder / "captures").read_text(encoding="utf-8").split()
    environment = dict(os.environ, TTNN_VISUALIZER_URL="http://viewer.example:8000")
    run = subprocess.run([program, *words_of(question, arguments, captures)], cwd=CAPTURES, env=environment,
                         capture_output=True, check=False)
    if run.returncode == 0:
        lines = run.stdout.decode("utf-8").splitlines()
        note = (folder / "note").read_bytes() if (folder / "note").exists() else b""
        if len(lines) != 1 or run.stderr != note:
            return "answer.json", f"not one line and nothing else:\n{run.stdout!r}\n{run.stderr!r}\n"
        text = json.dumps(json.loads(lines[0]), indent=1, ensure_ascii=False) + "\n"
        if re.search(r"\s", STRING.sub('""', lines[0])):
            text += f"not compact: {lines[0]}\n"
        return "answer.json", text.replace(str(CAPTURES), "CAPTURES").replace(str(EXAMPLES), "EXAMPLES")
    if run.stdout:
        return "refusal", f"something on standard output: {run.stdout!r}\n"
    return "refusal", f"{run.returncode}\n{run.stderr.decode('utf-8')}".replace(str(CAPTURES), "CAPTURES").replace(str(EXAMPLES), "EXAMPLES")


def refused_as_recorded(folder, text):
    status, *parts = (folder / "refusal").read_text(encoding="utf-8").splitlines()
    got, _, message = text.partition("\n")
    missing = [part for part in parts if part not in message]
    if status == got and not missing:
        return True
    print(f"{folder.relative_to(HERE)}: exit status {got}, not {status}, or the message lacks {missing}:\n{message}")
    return False


def compare(folder, name, text):
    expected = [other for other in ("answer.json", "refusal") if (folder / other).exists()]
    if expected != [name]:
        print(f"{folder.relative_to(HERE)}: expected {expected}, got {name}:\n{text}")
        return False
    if name == "refusal":
        return refused_as_recorded(folder, text)
    recorded = (folder / name).read_text(encoding="utf-8")
    if recorded == text:
        return True
    print(f"{folder.relative_to(HERE)}:")
    sys.stdout.writelines(difflib.unified_diff(recorded.splitlines(True), text.splitlines(True), "recorded", "answered", n=2))
    return False


def captures_are_as_made():
    """The captures in the tree are those that make_captures.py writes."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, str(HERE / "make_captures.py"), folder], check=True)
        made = {path.relative_to(folder): path.read_bytes() for path in pathlib.Path(folder).rglob("*") if path.is_file()}
    there = {path.relative_to(CAPTURES): path.read_bytes() for path in CAPTURES.rglob("*") if path.is_file()}
    if made != there:
        print("captures/ differs from what make_captures.py writes")
    return made == there


def main(arguments):
    program = os.environ.get("TILESIGHT")
    if not program or not os.path.exists(program):
        print("TILESIGHT names no program")
        return 1
    update = "--update" in arguments
    wanted = [argument for argument in arguments if argument != "--update"]
    folders = [path.parent for path in sorted(HERE.glob("*/*/args"))]
    asked = good = 0
    for folder in folders:
        case = str(folder.relative_to(HERE))
        if wanted and case not in wanted and folder.parent.name not in wanted:
            continue
        name, text = ask(program, folder.parent.name, folder)
        asked += 1
        if update and not (name == "refusal" and (folder / name).exists() and refused_as_recorded(folder, text)):
            for other in ("answer.json", "refusal"):
                (folder / other).unlink(missing_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
            good += 1
        else:
            good += compare(folder, name, text)
    print(f"{asked} asked, {asked - good} differ")
    return 0 if captures_are_as_made() and asked and good == asked else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
