"""Paths that lead somewhere else: out of the roots, to what never ends, to what is no file, to what changes while it is looked at.

Each with roots and without, under the whole sandbox and where the program alone keeps the roots: nothing from outside is ever
answered, no request hangs, and the server goes on.
"""
import contextlib
import os
import pathlib
import shutil
import socket
import sys
import threading
import time

import support

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import every_command  # noqa: E402

WITHOUT = os.path.join(os.environ.get("TS_BUILD_DIR", ""), "tests", "without")
LANDLOCK = "landlock_create_ruleset,landlock_add_rule,landlock_restrict_self"
SECRET = "SecretOutside"
PERFORMANCE = ["ops_perf_results_1.csv", "ops_perf_results.csv.gz", "profile_log_device.csv", "profile_log_device.csv.zst"]
PROFILER = ["db.sqlite", "db.sqlite-wal", "db.sqlite-shm", "db.sqlite-journal", "config.json", "cluster_descriptor.yaml"]
QUESTIONS = [("top_ops", {}), ("op_breakdown", {}), ("program_cache", {}), ("zone_timings", {}), ("core_spread", {}),
             ("find_operations", {}), ("operation_detail", {"operation_id": 2}), ("memory_profile", {}),
             ("tensor_flow", {"tensor_id": 6}), ("operation_provenance", {"operation_id": 4}), ("errors", {}),
             ("dram_fallbacks", {}), ("l1_peak", {})]
# No request of this file takes long: whatever is late has met something that it must not wait for.
SECONDS = 20


def odd_things(folder):
    """(what it is, a function that puts it at a path)."""
    def listening(path):
        end = socket.socket(socket.AF_UNIX)
        here = os.open(path.parent, os.O_PATH)
        end.bind(f"/proc/self/fd/{here}/{path.name}")
        os.close(here)
        end.close()

    def link(target):
        return lambda path: path.symlink_to(target)

    yield "a pipe", lambda path: os.mkfifo(path)
    yield "a socket", listening
    yield "a folder", lambda path: path.mkdir()
    yield "a link to nothing", link("nothing")
    yield "a link to itself", lambda path: path.symlink_to(path.name)
    for target in ("/dev/zero", "/dev/stdin", "/dev/fd/0", "/dev/tty", "/proc/self/fd/0", "/proc/self/mem", "/proc/self/environ",
                   "/proc/self/pagemap", "/proc/kmsg", "/proc/self/root", "/sys/kernel/tracing/trace_pipe", "/etc/passwd", "/"):
        yield f"a link to {target}", link(target)
    yield "an empty file", lambda path: path.write_bytes(b"")
    yield "an unreadable file", lambda path: (path.write_bytes(b"x"), path.chmod(0))
    huge = folder / "huge"
    if not huge.exists():
        with open(huge, "wb") as file:
            file.truncate(1 << 30)
    yield "a link to holes", link(huge)


class Attack(support.Case):
    def setUp(self):
        super().setUp()
        self.root, self.outside = self.scratch.path / "data", self.scratch.path / "data-evil"
        for folder in (self.root, self.outside):
            folder.mkdir()
        every_command.Inputs(self.root / "captures")
        every_command.Inputs(self.outside / "captures")
        for path in self.outside.rglob("*"):
            if path.suffix == ".csv":
                path.write_text(path.read_text(encoding="utf-8").replace("Matmul", SECRET).replace("BRISC", SECRET), encoding="utf-8")
            elif path.suffix == ".yaml":
                path.write_text(f"arch: {{0: {SECRET}}}\n", encoding="utf-8")
        support_database(self.outside / "captures" / "profiler" / "db.sqlite")

    def servers(self):
        """(server, whether it has roots): with the whole sandbox, kept by the program alone, and by no roots."""
        yield self.server("--root", str(self.root)), True
        yield self.server("--no-sandbox", "--root", str(self.root)), True
        if os.access(WITHOUT, os.X_OK) and not os.environ.get("TILESIGHT_SANITIZE"):
            yield self.server("--root", str(self.root), prefix=[WITHOUT, LANDLOCK]), True
            yield self.server("--root", str(self.root), prefix=[WITHOUT, "openat2," + LANDLOCK]), True
        yield self.server(), False

    def asked(self, server, tool, arguments):
        began = time.monotonic()
        result = server.call(tool, **arguments)["result"]
        self.assertLess(time.monotonic() - began, SECONDS, (tool, arguments))
        return result["content"][0]["text"], not result.get("isError")

    def everything(self, server, **paths):
        """All that the server says of a report."""
        text, loaded = self.asked(server, "load_report", {name: str(path) for name, path in paths.items()})
        said = [text]
        if loaded:
            handle = text.split('"')[3]
            said += [self.asked(server, tool, {"handle": handle, **more})[0] for tool, more in QUESTIONS]
            said.append(self.asked(server, "diff_reports", {"handle_a": handle, "handle_b": handle})[0])
        return "\n".join(said), loaded

    def test_the_secret_is_there_for_who_may_read_it(self):
        said, loaded = self.everything(self.server(), performance_path=self.outside / "captures/before",
                                       profiler_path=self.outside / "captures/profiler")
        self.assertTrue(loaded)
        self.assertGreater(said.count(SECRET), 5)


class Reports(Attack):
    def test_paths_that_end_outside(self):
        inner = self.root / "captures"
        (inner / "link").symlink_to(self.outside / "captures/before")
        (inner / "up").symlink_to("../..")
        here = os.open(self.outside, os.O_RDONLY | os.O_DIRECTORY)
        self.addCleanup(os.close, here)
        paths = [self.outside / "captures/before", f"{self.root}-evil/captures/before", f"{self.root}/../data-evil/captures/before",
                 f"{inner}/../../data-evil/captures/before", f"{self.root}//./..//data-evil/captures/before", inner / "link",
                 inner / "up/data-evil/captures/before", f"{inner}/link/../before", f"/proc/self/root{self.outside}/captures/before",
                 f"/proc/{os.getpid()}/fd/{here}/captures/before", f"/proc/self/cwd/{self.outside.name}/captures/before",
                 "/proc/self/cwd", "/dev/fd/0", "/proc/self/fd", "/", "/dev", "/proc", "~root", "~", f"{self.root}/nothing/../../data-evil/captures/before",
                 "/" * 4000, f"{self.root}/" + "x" * 3000, f"{self.root}/" + "x/" * 1500, f"{self.root}/a\nb", f"{self.root}/\x1b[2J",
                 f"{self.root}/" + "../" * 1000 + f"{self.outside}/captures/before"[1:], f"{self.outside}/captures/before/" + "./" * 1500]
        for server, rooted in self.servers():
            for path in paths:
                for name in ("performance_path", "profiler_path"):
                    said, loaded = self.everything(server, **{name: path})
                    if rooted:
                        self.assertNotIn(SECRET, said, path)
                        self.assertFalse(loaded, (path, said))
                    self.assertNotRegex(said, "[\x00-\x09\x0b-\x1f\x7f]")
            self.assertTrue(self.everything(server, performance_path=inner / "before", profiler_path=inner / "profiler")[1])
            self.assertEqual(server.close(), 0, server.errors())

    def test_files_of_a_report_that_are_something_else(self):
        for server, rooted in self.servers():
            for kind, put in odd_things(self.root if rooted else self.scratch.path):
                for names, folder, argument in ((PERFORMANCE, "before", "performance_path"), (PROFILER, "profiler", "profiler_path")):
                    for name in names:
                        report = self.root / "report"
                        shutil.rmtree(report, ignore_errors=True)
                        shutil.copytree(self.root / "captures" / folder, report)
                        with contextlib.suppress(FileNotFoundError):
                            (report / name).unlink()
                        put(report / name)
                        said, _ = self.everything(server, **{argument: report})
                        if rooted:
                            self.assertNotIn("root:x:", said, (kind, name))
                        self.assertNotIn("LD_LIBRARY", said, (kind, name))
            self.assertTrue(self.everything(server, performance_path=self.root / "captures/before")[1])
            self.assertEqual(server.close(), 0, server.errors())

    def test_files_of_a_report_that_lie_outside(self):
        pairs = [("before", "performance_path", name) for name in (every_command.CSV, every_command.LOG)]
        pairs += [("profiler", "profiler_path", name) for name in ("db.sqlite", "cluster_descriptor.yaml", "config.json")]
        for server, rooted in self.servers():
            for folder, argument, name in pairs:
                for target in (self.outside / "captures" / folder / name, f"../../data-evil/captures/{folder}/{name}",
                               f"/proc/self/root{self.outside}/captures/{folder}/{name}"):
                    report = self.root / "report"
                    shutil.rmtree(report, ignore_errors=True)
                    shutil.copytree(self.root / "captures" / folder, report)
                    (report / name).unlink()
                    (report / name).symlink_to(target)
                    said, _ = self.everything(server, **{argument: report})
                    if rooted:
                        self.assertNotIn(SECRET, said, (name, target))
                    elif name != "config.json":
                        self.assertIn(SECRET, said, (name, target))
            self.assertEqual(server.close(), 0, server.errors())

    def test_a_root_that_is_a_link_or_inside_another(self):
        (self.scratch.path / "way").symlink_to(self.root)
        server = self.server("--root", str(self.scratch.path / "way"), "--root", str(self.root / "captures"))
        for path in (self.root, self.scratch.path / "way"):
            self.assertTrue(self.everything(server, performance_path=path / "captures/before")[1])
        self.assertFalse(self.everything(server, performance_path=self.outside / "captures/before")[1])
        self.assertEqual(server.close(), 0)


class Races(Attack):
    """A link, or a folder on the way, that is exchanged all the while."""

    def race(self, server, flip, path, seconds=1.5):
        """How many loads succeeded, and in how many answers something from outside stood."""
        done = threading.Event()

        def exchange():
            while not done.is_set():
                flip()

        thread = threading.Thread(target=exchange)
        thread.start()
        answered = rounds = leaked = 0
        try:
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                said, loaded = self.everything(server, performance_path=path)
                leaked += SECRET in said
                answered += loaded
                rounds += 1
        finally:
            done.set()
            thread.join()
        self.assertGreater(rounds, 3)
        return answered, leaked

    def exchanging(self, place, one, other):
        """A function that makes place a link to one and the other in turn, never missing."""
        spare, turn = place.with_name("spare"), [one, other]

        def flip():
            with contextlib.suppress(FileNotFoundError):
                spare.unlink()
            spare.symlink_to(turn[0])
            os.replace(spare, place)
            turn.reverse()

        flip()
        return flip

    def test_links_exchanged_between_check_and_use(self):
        inner, outer = self.root / "captures", self.outside / "captures"
        for server, rooted in self.servers():
            place = self.root / "report"
            first = self.race(server, self.exchanging(place, inner / "before", outer / "before"), place)
            place.unlink()
            place.mkdir()
            file = place / "ops_perf_results_1.csv"
            second = self.race(server, self.exchanging(file, inner / "before" / every_command.CSV, outer / "before" / every_command.CSV), place)
            shutil.rmtree(place)
            self.assertGreater(first[0] + second[0], 0)
            # Without roots it may be read, which shows that the race is one.
            self.assertEqual(first[1] + second[1] > 0, not rooted)
            self.assertEqual(server.close(), 0, server.errors())

    def test_folders_exchanged_between_check_and_use(self):
        """The folder itself is moved out and another, which lies outside, takes its name."""
        libc_rename = rename_exchange()
        if not libc_rename:
            self.skipTest("no renameat2 here")
        for server, rooted in self.servers():
            place, other = self.root / "report", self.root / "way"
            shutil.copytree(self.root / "captures" / "before", place)
            other.symlink_to(self.outside / "captures" / "before")
            leaked = self.race(server, lambda: libc_rename(place, other), place)[1]
            self.assertEqual(leaked > 0, not rooted)
            for path in (place, other):
                path.unlink() if path.is_symlink() else shutil.rmtree(path)
            self.assertEqual(server.close(), 0, server.errors())


def rename_exchange():
    """Exchanges two names at once, or None."""
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "renameat2"):
        return None
    return lambda one, other: libc.renameat2(-100, os.fsencode(one), -100, os.fsencode(other), 2)


def support_database(path):
    """Puts the secret into every name of a database."""
    import sqlite3
    database = sqlite3.connect(path)
    database.execute("UPDATE operations SET name = ?", (SECRET,))
    database.commit()
    database.close()


if __name__ == "__main__":
    support.main()
