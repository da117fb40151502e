"""What the tests of noc-decode share: running the program, files for it, and counting what was checked."""
import os
import subprocess
import sys
import tempfile

TILESIGHT = os.environ["TILESIGHT"]
# As if nobody had ever profiled in this shell.
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith("TT_METAL")}
work = tempfile.TemporaryDirectory()
checks = failures = 0


def check(what, good, more=""):
    global failures, checks
    checks += 1
    if not good:
        print("FAILED: %s %s" % (what, more))
        failures += 1


def finish(more=""):
    if failures:
        sys.exit(1)
    print("%d checks%s" % (checks, more))


def path(*names):
    return os.path.join(work.name, *names)


def put(name, data):
    with open(path(name), "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())
    return path(name)


def tilesight(*words, **environment):
    return subprocess.run([TILESIGHT] + list(words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                          env=dict(ENVIRONMENT, **environment), timeout=120)


def run(*words, **environment):
    return tilesight("noc-decode", *words, **environment)
