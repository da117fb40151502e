"""What noc-decode leaves behind when it cannot go on: files are whole or not there, old ones stay until the new are whole, and nothing
else lies beside them."""
import json
import os
import resource
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from noc_case import capture, event, image, lane, local
from noc_run import ENVIRONMENT, TILESIGHT, check, finish, path, put, work

READ, WRITE = 1, 11
FIRST, SECOND = "noc_trace_dev0_Op_ID1024.json", "noc_trace_dev0_ID2048.json"


def read(name):
    with open(name, "rb") as f:
        return f.read()


def fresh(name):
    os.mkdir(path(name))
    return path(name)


def start(*words, **more):
    return subprocess.Popen([TILESIGHT, "noc-decode"] + list(words), stderr=subprocess.PIPE, universal_newlines=True,
                            env=ENVIRONMENT, **more)


def run(*words, **more):
    child = start(*words, **more)
    said = child.communicate(timeout=120)[1]
    return child.returncode, said


def whole(name):
    return len(json.loads(read(name))) > 0


def has_nameless_files():
    try:
        os.close(os.open(work.name, os.O_TMPFILE | os.O_WRONLY))
        return True
    except OSError:
        return False


NAMELESS = has_nameless_files()


def names(folder, number):
    """What is in a folder. Where every file has a name, nobody can remove it for a program that is killed."""
    return sorted(n for n in os.listdir(folder) if NAMELESS or number != signal.SIGKILL or not n.startswith(".tilesight-"))


# Two programs: the first short, the second of many events.
short = image([w for i in range(10) for w in event(1000 + i, local(READ, 0, 1, 0, -1, 64))], host=1024)
many = [w for i in range(20000) for w in event(60000 + i, local(WRITE, 0, 1 + i % 9, i % 2, 1, 2048))]
both = put("both.tsraw", capture([lane(short + image(many, host=2048, start=50000, end=99999))]))
rows = put("trace.json", json.dumps([{"proc": "BRISC", "sx": 1, "sy": 2, "timestamp": i, "type": "READ", "num_bytes": 64}
                                     for i in range(20000)]))
out = path("good")
code, said = run(both, "-o", out)
check("two files", code == 0 and sorted(os.listdir(out)) == [SECOND, FIRST], said)
expected = {name: read(os.path.join(out, name)) for name in (FIRST, SECOND)}

# Files that are there are replaced, and keep who may read them.
out = fresh("again")
for name in (FIRST, SECOND):
    with open(os.path.join(out, name), "w") as f:
        f.write("old " * 100000)
    os.chmod(os.path.join(out, name), 0o600)
code, said = run(both, "-o", out)
check("existing files are replaced whole", code == 0 and all(read(os.path.join(out, n)) == expected[n] for n in expected), said)
check("and stay as private as they were", os.stat(os.path.join(out, FIRST)).st_mode & 0o777 == 0o600)

# Folders that are not there yet, and what is in their place.
deep = os.path.join(work.name, "a", "b", "c")
code, said = run(both, "-o", deep)
check("folders above are made too", code == 0 and sorted(os.listdir(deep)) == sorted(expected), said)
code, said = run(rows, "-o", os.path.join(work.name, "a", "d", "e/"))
check("of a log too, and with a slash behind", code == 0 and len(os.listdir(os.path.join(work.name, "a", "d", "e"))) > 0, said)
for name in (both, os.path.join(both, "deeper")):
    code, said = run(both, "-o", name)
    check("a file in a folder's place", code == 1 and "something else has that name; name another" in said, said)
os.symlink("nowhere", os.path.join(work.name, "dangling"))
code, said = run(both, "-o", os.path.join(work.name, "dangling"))
check("and a link that leads nowhere", code == 1 and "something else has that name" in said, said)

# Over the input: by its own name, through links, as the tables.
out = fresh("over")
text = read(rows)
here = put(os.path.join("over", "trace.json"), text)
code, said = run(here, "-o", out)
check("a trace is not written over itself", code == 1 and "is the input" in said and read(here) == text, (code, said))
os.symlink(both, os.path.join(out, FIRST))
before = read(both)
code, said = run(both, "-o", out)
check("nor a capture through a link", code == 1 and "is the input" in said and read(both) == before, (code, said))
os.remove(os.path.join(out, FIRST))
os.link(both, os.path.join(out, SECOND))
code, said = run(both, "-o", out)
check("nor one by another name", code == 1 and "is the input" in said and read(both) == before, (code, said))
check("the file before it is whole", read(os.path.join(out, FIRST)) == expected[FIRST])
with open(path("appended"), "wb") as f:
    f.write(before)
with open(path("appended"), "ab") as f:
    code, said = run(path("appended"), "-o", "-", stdout=f)
check("nor is one appended to itself", code == 1 and "is the input" in said and read(path("appended")) == before, (code, said))


# A disk that is full, of which a limit on the size of files is the like.
def small_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (400000, 400000))


for what, source, name in (("a capture", both, SECOND), ("a trace", rows, "trace.json")):
    for old in (None, b"old"):
        out = fresh("full-%s-%s" % (name, old))
        if old:
            with open(os.path.join(out, name), "wb") as f:
                f.write(old)
        code, said = run(source, "-o", out, preexec_fn=small_files)
        left = sorted(os.listdir(out))
        check("a full disk fails: " + what, code == 1 and name in said and "File too large" in said, (code, said))
        check("and leaves no part of a file: " + what, left == sorted(([FIRST] if source == both else []) + ([name] if old else [])), left)
        check("nor touches the old: " + what, not old or read(os.path.join(out, name)) == old)
if os.path.exists("/dev/full"):
    with open("/dev/full", "wb") as f:
        code, said = run(both, "-o", "-", stdout=f)
    check("standard output that is full", code == 1 and "No space left" in said, (code, said))

# Folders that take nothing.
code, said = run(both, "-o", "/proc/self/nowhere")
check("a folder that cannot be made", code == 1 and "/proc/self/nowhere" in said, (code, said))
code, said = run(both, "-o", rows)
check("a file where the folder should be", code == 1 and "trace.json" in said and read(rows) == text, (code, said))
out = fresh("closed")
os.chmod(out, 0o555)
if os.geteuid() != 0:
    for source in (both, rows):
        code, said = run(source, "-o", out)
        check("a folder without leave to write", code == 1 and "Permission denied" in said and not os.listdir(out), (code, said))
os.mkdir(path("folder-there"))
os.mkdir(path("folder-there", FIRST))
code, said = run(both, "-o", path("folder-there"))
check("a folder where the file should be", code == 1 and FIRST in said and os.listdir(path("folder-there")) == [FIRST], (code, said))

# A reader that goes away is no failure worth a message of its own; nothing hangs.
child = start(both, "-o", "-", stdout=subprocess.PIPE)
child.stdout.read(100)
child.stdout.close()
said = child.stderr.read()
check("a closed pipe ends it", child.wait(timeout=60) != 0 and "Traceback" not in said, said)


# Interrupted, or killed: while the second file waits for a reader, and then at any moment.
def wait_for(done):
    until = time.monotonic() + 60
    while not done() and time.monotonic() < until:
        time.sleep(0.01)
    return done()


for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
    out = fresh("stopped-%d" % number)
    os.mkfifo(os.path.join(out, SECOND))
    child = start(both, "-o", out)
    check("the first file is there", wait_for(lambda: os.path.exists(os.path.join(out, FIRST))))
    time.sleep(0.1)
    child.send_signal(number)
    said = child.communicate(timeout=60)[1]
    check("signal %d ends it" % number, child.returncode == -number if number == signal.SIGKILL else
          child.returncode == 1 and "cancelled" in said, (child.returncode, said))
    check("with what was done whole, and nothing else", names(out, number) == [SECOND, FIRST] and
          read(os.path.join(out, FIRST)) == expected[FIRST], os.listdir(out))
large = put("large.tsraw", capture([lane(image(many, host=1024, start=50000, end=99999), x=1 + i % 8, y=1 + i // 8) for i in range(8)]))
copied = json.dumps([{"proc": "BRISC", "sx": 1, "sy": 2, "timestamp": i, "type": "READ", "num_bytes": 64} for i in range(60000)])
for source, name in ((large, FIRST), (put("long.json", copied), "long.json")):
    stopped = 0
    for attempt in range(12):
        out = fresh("any-%s-%d" % (name, attempt))
        with open(os.path.join(out, name), "w") as f:
            f.write("[1]")
        child = start(source, "-o", out)
        time.sleep(0.003 * (attempt + 1))
        number = (signal.SIGINT, signal.SIGKILL)[attempt % 2]
        child.send_signal(number)
        child.communicate(timeout=60)
        stopped += child.returncode != 0
        left = names(out, number)
        if left != [name] or not whole(os.path.join(out, name)):
            check("stopped at some moment", False, (attempt, left))
        if child.returncode == 0 and read(os.path.join(out, name)) == b"[1]":
            check("a success that wrote nothing", False, attempt)
    check("it was stopped at least once", stopped > 0)

# Standard output and the messages stay apart: what goes to one array is JSON alone.
code, said = run(put("odd.tsraw", capture([lane([1, 2] + short)])), "-o", "-", stdout=open(path("array.json"), "wb"))
check("messages are not among the records", code == 0 and whole(path("array.json")) and "2 words stand before" in said, said)
finish()
