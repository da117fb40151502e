#!/usr/bin/env python3
"""Checks that includes only point left.

    check_includes.py [TREE]       check the tree (default: the one this file stands in)
    check_includes.py --self-test  show that each rule is enforced, on small trees made for it

The rules:
  - base <- formats <- models <- questions <- transforms <- api <- surfaces: a file includes only its own layer and
    those left of it. Public headers lie left of all layers.
  - A question includes no other question, and a transform no other transform. table.c of either layer lists them all.
    A transform of several files has one name that begins all of theirs (NAME.c, NAME_copy.c): these are one.
  - A public header includes public headers and the standard library's, nothing else.
  - src/grid includes nothing but itself and public headers, and nothing else in src includes src/grid.
"""
import pathlib
import re
import sys
import tempfile

LAYERS = ["base", "formats", "models", "questions", "transforms", "api", "surfaces"]
SUFFIXES = {".c", ".h", ".hpp"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)
QUESTION = re.compile(r"^(?:static\s+)?(?:const\s+)?struct\s+ts_question\s+\w+\s*=", re.MULTILINE)
STANDARD = set(
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic "
    "stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype".split()
)


class Tree:
    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        self.src = self.root / "src"
        self.public = self.root / "include"
        self.texts = {}
        for top in (self.src, self.public):
            for path in sorted(top.rglob("*")):
                if path.suffix in SUFFIXES and path.is_file():
                    self.texts[path] = path.read_text(encoding="utf-8", errors="replace")
        self.problems = []

    def layer(self, path):
        """The first folder below src of a file there, "include" for a public header, None for anything else."""
        if self.public in path.parents:
            return "include"
        if self.src in path.parents:
            return path.relative_to(self.src).parts[0]
        return None

    def resolve(self, path, name):
        """The file that an include means. Where it is not there (yet), where it would be by its first folder."""
        for folder in (path.parent, self.src, self.public):
            candidate = (folder / name).resolve()
            if candidate in self.texts:
                return candidate
        first = name.split("/")[0]
        if first == "tilesight":
            return self.public / name
        if "/" in name and first in LAYERS + ["grid"]:
            return self.src / name
        return None

    def is_question(self, path):
        source = path.with_suffix(".c")
        return source in self.texts and bool(QUESTION.search(self.texts[source]))

    def is_transform(self, path):
        return path.stem not in ("table", "transform") and path.with_suffix(".c") in self.texts

    def same_transform(self, path, target):
        """Whether both are parts of one transform: NAME.c is there, and both are called NAME or NAME_something."""
        words = path.stem.split("_")
        names = {"_".join(words[:count]) for count in range(1, len(words) + 1)}
        return any(
            (self.src / "transforms" / f"{name}.c") in self.texts and (target.stem + "_").startswith(name + "_")
            for name in names
        )

    def complain(self, path, line, message):
        self.problems.append(f"{path.relative_to(self.root)}:{line}: {message}")

    def check_one(self, path, line, name, quoted):
        layer = self.layer(path)
        target = self.resolve(path, name)
        if target is None:
            if layer == "include" and (quoted or not self.is_standard(path, name)):
                self.complain(path, line, f"a public header includes {name}, which is not of the standard library")
            return
        to = self.layer(target)
        if to == "include":
            return
        if layer == "include":
            self.complain(path, line, f"a public header includes src/{target.relative_to(self.src)}")
        elif layer == "grid" or to == "grid":
            if layer != to:
                self.complain(path, line, f"{name}: src/grid and the layers do not include each other")
        elif layer not in LAYERS or to not in LAYERS:
            self.complain(path, line, f"{name}: src/{layer if layer not in LAYERS else to} is no layer")
        elif LAYERS.index(to) > LAYERS.index(layer):
            self.complain(path, line, f"{layer} includes {name}: {to} lies right of it")
        elif layer == to and path.stem != target.stem and path.name != "table.c":
            if layer == "questions" and self.is_question(path) and self.is_question(target):
                self.complain(path, line, f"a question includes another: {name}")
            both = layer == "transforms" and self.is_transform(path) and self.is_transform(target)
            if both and not self.same_transform(path, target):
                self.complain(path, line, f"a transform includes another: {name}")

    @staticmethod
    def is_standard(path, name):
        if path.suffix == ".hpp" and re.fullmatch(r"[a-z_]+", name):
            return True
        return name.endswith(".h") and name[:-2] in STANDARD

    def check(self):
        for path, text in self.texts.items():
            for match in INCLUDE.finditer(text):
                line = text.count("\n", 0, match.start()) + 1
                self.check_one(path, line, match[1] or match[2], match[1] is not None)
        return self.problems


GOOD = {
    "include/tilesight/tilesight.h": "#include <stddef.h>\n",
    "include/tilesight/noc_trace.hpp": "#include <cstdint>\n#include <tilesight/tilesight.h>\n",
    "src/base/arena.h": "#include <tilesight/tilesight.h>\n#include <stddef.h>\n",
    "src/base/arena.c": '#include "base/arena.h"\n#include <sys/mman.h>\n',
    "src/formats/csv.h": '#include "base/arena.h"\n',
    "src/models/rows.h": '#include "formats/csv.h"\n',
    "src/questions/question.h": '#include "models/rows.h"\n',
    "src/questions/top_ops.h": '#include "questions/question.h"\n',
    "src/questions/top_ops.c": '#include "top_ops.h"\nconst struct ts_question ts_top_ops = {0};\n',
    "src/questions/cache.c": '#include "questions/question.h"\nconst struct ts_question ts_cache = {0};\n',
    "src/questions/cache.h": "",
    "src/questions/table.c": '#include "questions/top_ops.h"\n#include "questions/cache.h"\n',
    "src/transforms/transform.h": "",
    "src/transforms/perf_csv.c": '#include "transforms/transform.h"\n#include "transforms/perf_csv.h"\n',
    "src/transforms/perf_csv.h": '#include "models/rows.h"\n',
    "src/transforms/noc_decode.c": '#include "transforms/noc_decode.h"\n',
    "src/transforms/noc_decode.h": "",
    "src/transforms/clean.c": '#include "transforms/clean_copy.h"\n',
    "src/transforms/clean_copy.c": '#include "transforms/clean_copy.h"\n#include "transforms/clean_find.h"\n',
    "src/transforms/clean_copy.h": "",
    "src/transforms/clean_find.c": "",
    "src/transforms/clean_find.h": "",
    "src/api/session.c": '#include "questions/question.h"\n#include "transforms/transform.h"\n',
    "src/surfaces/cli/args.h": "",
    "src/surfaces/main.c": '#include "surfaces/cli/args.h"\n#include "api/session.h"\n#include <tilesight/tilesight.h>\n',
    "src/grid/core.h": "#include <pthread.h>\n",
    "src/grid/core.c": '#include "core.h"\n#include <tilesight/tilesight.h>\n',
}

# What is added to the good tree, and what must be said about it.
BAD = [
    ("src/base/arena.h", '#include "formats/csv.h"\n', "formats lies right"),
    ("src/base/arena.c", '  #  include "../models/rows.h"\n', "models lies right"),
    ("src/formats/csv.h", '#include "surfaces/not_there_yet.h"\n', "surfaces lies right"),
    ("src/models/rows.h", '#include "questions/question.h"\n', "questions lies right"),
    ("src/questions/question.h", '#include "transforms/transform.h"\n', "transforms lies right"),
    ("src/transforms/perf_csv.c", '#include "api/session.h"\n', "api lies right"),
    ("src/api/session.c", '#include <surfaces/cli/args.h>\n', "surfaces lies right"),
    ("src/questions/top_ops.c", '#include "questions/cache.h"\n', "a question includes another"),
    ("src/questions/top_ops.h", '#include "cache.h"\n', "a question includes another"),
    ("src/transforms/perf_csv.c", '#include "noc_decode.h"\n', "a transform includes another"),
    ("src/transforms/noc_decode.c", '#include "transforms/clean_copy.h"\n', "a transform includes another"),
    ("include/tilesight/tilesight.h", '#include "base/arena.h"\n', "a public header includes src/base/arena.h"),
    ("include/tilesight/tilesight.h", "#include <yyjson.h>\n", "not of the standard library"),
    ("include/tilesight/noc_trace.hpp", "#include <sys/mman.h>\n", "not of the standard library"),
    ("src/grid/core.c", '#include "base/arena.h"\n', "do not include each other"),
    ("src/base/arena.h", '#include "grid/core.h"\n', "do not include each other"),
    ("src/base/arena.h", '#include "misc/helper.h"\n', "is no layer"),
]


def problems_of(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return Tree(folder).check()


def self_test():
    failures = [f"the good tree: {problem}" for problem in problems_of(GOOD)]
    for name, line, expected in BAD:
        files = dict(GOOD)
        files[name] += line
        files["src/misc/helper.h"] = ""
        problems = problems_of(files)
        if len(problems) != 1 or expected not in problems[0] or not problems[0].startswith(name + ":"):
            failures.append(f"{name} with {line.strip()}: expected one problem with {expected!r}, got {problems}")
    for failure in failures:
        print(failure)
    print(f"{len(BAD) + 1} trees, {len(failures)} failures")
    return bool(failures)


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    root = arguments[0] if arguments else pathlib.Path(__file__).resolve().parent.parent
    tree = Tree(root)
    problems = tree.check()
    for problem in problems:
        print(problem)
    print(f"{len(tree.texts)} files, {len(problems)} problems")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
