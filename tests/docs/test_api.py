#!/usr/bin/env python3
"""docs/api.md is what the public headers say, comment by comment.

    test_api.py --update    write it anew (./dev pages does)
"""
import os
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(os.environ.get("TS_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
HEADERS = SOURCE / "include" / "tilesight"
PAGE = SOURCE / "docs" / "api.md"
# Headers of which every declaration is shown; of the others, which kernels include, what they are for.
WHOLE = ("tilesight.h", "grid.h")
ORDER = ("tilesight.h", "grid.h", "noc_trace.h", "noc_calls.h", "noc_trace.hpp")
DECLARATION = re.compile(r"(TS_API|enum|struct|typedef|extern const|const|volatile|void|bool|u?int\d*(_t)?|size_t)\b")
HEAD = """# Public headers

<!-- Made by ./dev pages from include/tilesight; do not edit. -->

`./dev install` puts them under `include/tilesight`. A program asks its questions through `tilesight.h` alone, from C or C++:

```sh
cc program.c $(pkg-config --cflags --libs tilesight)             # or --static, where only libtilesight.a is there
```

```cmake
find_package(tilesight REQUIRED)
target_link_libraries(program PRIVATE tilesight::tilesight)      # or tilesight::static
```

`tests/cli/test_install.py` holds a program of thirty lines that opens a capture and asks it, and builds it in each of these ways.
Functions and types keep their meaning within one number of the shared library (`libtilesight.so.0`); new ones may be added.
"""


def prose(comment):
    """A comment's text: its paragraphs filled, what is indented kept as code."""
    lines = [re.sub(r"^ \* ?", "", line).rstrip() for line in comment.split("\n")]
    text = []
    for block in re.split(r"\n{2,}", "\n".join(lines).strip()):
        rows = block.split("\n")
        if all(row.startswith("  ") for row in rows):
            text.append("\n".join("    " + row.strip() for row in rows))
        else:
            text.append(" ".join(row.strip() for row in rows))
    return "\n\n".join(text)


def statements(text):
    """(comment, declarations) of each run of declarations, and (heading, None) of each section."""
    comment, declarations, lines, depth, body = "", [], iter(text.split("\n")), 0, False
    for line in lines:
        if depth or body:  # inside braces
            depth += line.count("{") - line.count("}")
            if not body:
                declarations[-1] += "\n" + line
            body = body and depth > 0
            continue
        if line.startswith("/*") or not line.strip() or line.startswith("#"):
            if declarations:
                yield comment, "\n".join(declarations)
                comment, declarations = "", []
        if line.startswith("/*"):
            while "*/" not in line:
                line += "\n" + next(lines)
            comment = line[2:line.index("*/")]
            section = re.fullmatch(r" -{3,} ?(.*?) ?-{3,} ", comment)
            if section:
                yield section[1], None
                comment = ""
        elif line.startswith("static "):  # the body of a function is nobody's interface
            while "{" not in line and ";" not in line:
                line += next(lines)
            depth = line.count("{") - line.count("}")
            body, comment = depth > 0, ""
        elif line.startswith(' ') and declarations:
            declarations[-1] += "\n" + line
        elif DECLARATION.match(line) or line.startswith("#define TS_L1"):
            declarations.append(line)
            depth = line.count("{") - line.count("}")
        elif not line.strip():
            comment = ""
    if declarations:
        yield comment, "\n".join(declarations)


def header_page(name):
    text = (HEADERS / name).read_text(encoding="utf-8")
    lead = re.match(r"/\*(.*?)\*/", text, re.DOTALL)
    out = f"\n## {name}\n\n{prose(lead[1])}\n"
    if name in WHOLE:
        for comment, declarations in statements(text[lead.end():]):
            if declarations is None:
                out += f"\n### {comment[:1].upper()}{comment[1:]}\n"
            else:
                plain = re.sub(r"TS_API (.*?;)", lambda found: found[1].replace("\n       ", "\n"), declarations, flags=re.DOTALL)
                out += f"\n```c\n{plain}\n```\n"
                out += f"\n{prose(comment)}\n" if comment.strip() else ""
    return out


def page():
    names = [name for name in ORDER if (HEADERS / name).exists()]
    return HEAD + "".join(header_page(name) for name in names)


class Api(unittest.TestCase):
    maxDiff = None

    def test_the_page_is_what_the_headers_say(self):
        self.assertEqual(PAGE.read_text(encoding="utf-8"), page(), "run ./dev pages")

    def test_nothing_is_left_out(self):
        text = PAGE.read_text(encoding="utf-8")
        for name in WHOLE:
            if not (HEADERS / name).exists():
                continue
            header = (HEADERS / name).read_text(encoding="utf-8")
            functions = set(re.findall(r"^(?:TS_API )?[a-z][^(;{}=#/]*?\b(\w+)\([^{}]*?\);", header, re.MULTILINE))
            self.assertGreater(len(functions), 8)
            for function in functions:
                self.assertIn(f"{function}(", text, name)
            for kind in re.findall(r"^(?:struct|enum) ts_\w+", header, re.MULTILINE):
                self.assertIn(kind, text, name)

    def test_every_public_header_is_named(self):
        """Those that are only included by others say so themselves."""
        for path in HEADERS.iterdir():
            lead = path.read_text(encoding="utf-8").split("*/")[0]
            self.assertTrue(path.name in ORDER or "yourself" in lead or "noc_trace.h includes" in lead, path.name)


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        unittest.main()
