#!/usr/bin/env python3
"""docs/formats names every reader and its fuzz target, and nothing that is not there."""
import os
import pathlib
import re
import unittest

SOURCE = pathlib.Path(os.environ.get("TS_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
FORMATS = SOURCE / "docs" / "formats"
README = (FORMATS / "README.md").read_text(encoding="utf-8")


def names(text):
    return set(re.findall(r"`([a-z][a-z0-9_]*)`", text))


def column(table, number):
    """Names in a column of the table that begins with this head."""
    rows = README.split(table)[1].split("\n\n")[0].splitlines()[2:]
    return set().union(*(names(row.split(" | ")[number]) for row in rows))


class Formats(unittest.TestCase):
    def test_every_reader_is_named(self):
        named = column("| source in `src/formats` |", 0)
        there = {path.stem for path in (SOURCE / "src" / "formats").glob("*.c")}
        self.assertEqual(named, there)

    def test_fuzz_targets(self):
        """Those of readers; the server's own input is no file of a capture."""
        named = column("| file | written by |", 3)
        there = {path.stem[len("fuzz_"):] for path in (SOURCE / "tests" / "fuzz").glob("fuzz_*.c")}
        self.assertEqual(named - there, set())
        self.assertEqual({name for name in there - named if not name.startswith("mcp")}, set())

    def test_every_page_is_listed(self):
        self.assertEqual(set(re.findall(r"\]\(([a-z-]+\.md)\)", README)),
                         {path.name for path in FORMATS.glob("*.md")} - {"README.md"})


class Links(unittest.TestCase):
    def test_links_lead_somewhere(self):
        for page in [*SOURCE.glob("*.md"), *(SOURCE / "docs").rglob("*.md")]:
            text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
                if "://" not in target:
                    self.assertTrue((page.parent / target).exists(), f"{page}: {target}")

    def test_sources_that_pages_name_are_there(self):
        for page in [*SOURCE.glob("*.md"), *(SOURCE / "docs").rglob("*.md")]:
            if page.name in ("CHANGELOG.md", "decisions.md"):
                continue  # what was there then
            for path in re.findall(r"`((?:src|tests|tools|docs|cmake|examples|include)/[\w./-]+\.(?:c|h|hpp|py|sh|md|txt|cmake))`",
                                   page.read_text(encoding="utf-8")):
                if not re.search(r"NAME|QUESTION|CASE", path):
                    self.assertTrue((SOURCE / path).exists(), f"{page}: {path}")


if __name__ == "__main__":
    unittest.main()
