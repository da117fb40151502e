"""Every event code of every generation, and what the golden captures leave out: refused and pre-emptive flushes, events that
are taken back and counted, a whole core begun and ended by its master, sizes at their limits."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from recorder import HERE, build_host, build_rv32, need_rv32, replay

TYPES = {
    1: "UNDEF READ READ_SET_STATE READ_SET_TRID READ_WITH_STATE READ_WITH_STATE_AND_TRID READ_BARRIER_START READ_BARRIER_END "
       "READ_BARRIER_WITH_TRID READ_DRAM_SHARDED_SET_STATE READ_DRAM_SHARDED_WITH_STATE WRITE_ WRITE_WITH_TRID WRITE_INLINE "
       "WRITE_MULTICAST WRITE_SET_STATE WRITE_WITH_STATE WRITE_WITH_TRID_SET_STATE WRITE_WITH_TRID_WITH_STATE "
       "WRITE_BARRIER_START WRITE_BARRIER_END WRITE_BARRIER_WITH_TRID WRITE_FLUSH FULL_BARRIER ATOMIC_BARRIER SEMAPHORE_INC "
       "SEMAPHORE_WAIT SEMAPHORE_SET".split()}
FABRIC = ("FABRIC_UNICAST_WRITE FABRIC_UNICAST_INLINE_WRITE FABRIC_UNICAST_ATOMIC_INC FABRIC_FUSED_UNICAST_ATOMIC_INC "
          "FABRIC_MULTICAST_WRITE FABRIC_MULTICAST_ATOMIC_INC FABRIC_UNICAST_SCATTER_WRITE").split()
TYPES[2] = TYPES[1] + FABRIC + ["FABRIC_ROUTING_FIELDS"]
LOCAL = TYPES[1][:12] + ["WRITE_SET_TRID"] + TYPES[1][12:23] + ["WRITE_FLUSH_WITH_TRID"] + TYPES[1][23:]
ROUTING = ["FABRIC_ROUTING_FIELDS_1D", "FABRIC_ROUTING_FIELDS_2D"]
TYPES[4] = LOCAL + FABRIC + ROUTING
TYPES[3] = TYPES[4]
TYPES[5] = LOCAL + ["SEMAPHORE_SET_REMOTE", "SEMAPHORE_SET_MULTICAST", "SEMAPHORE_INC_MULTICAST"] + FABRIC + ROUTING

EVENT, EVENT16, ZONE = 0xB3039000, 0xD3039000, 77


def payload(wire, code, dst, end, noc, vc, size, posted):
    """The eight bytes of section "payload layouts", written down independently of the recorder."""
    lane = (noc + 1) | (vc & 15) << 4
    chunks = min(255, -(-size // 32))
    d, e = [c & 255 for c in dst], [c & 255 for c in end]
    if wire == 1:
        b = d + e + [code, lane, size & 255, size >> 8 & 255]
    elif wire == 2:
        b = d + e + [lane, chunks, code, 0]
    else:
        b = [code] + d + e + [lane, chunks, 1 if posted and wire >= 4 else 0]
    return b


def halves(b):
    return [int.from_bytes(bytes(b[4:]), "little"), int.from_bytes(bytes(b[:4]), "little")]


def address(x, y):
    return x << 4 | y << 10


def begin(risc=0, capacity=12000):
    return ("BEGIN", risc, 9, 5 << 10 | 3, 2, capacity, ZONE)


def head(ids, risc=0):
    if ids == 1:
        return [0, 0, risc | 9 << 3, (5 << 10 | 3) << 16 & 0xFFFFFFFF]
    bits = 5 if ids == 3 else 3
    return [0, 0, risc | 9 << bits | 2 << (bits + 8), 5 << 10 | 3]


EMPTY = [0x80000000] * 8


def all_codes(wire, ids):
    """One record of each code and shape; the recorder's words and ours."""
    steps, clock, words = [begin()], [], []

    def add(step, b):
        clock.append(0xABC00000000 + 0x1000 * len(clock))
        steps.append(step)
        words.extend([EVENT | clock[-1] >> 32, clock[-1] & 0xFFFFFFFF] + halves(b))
    unicast_end = (-1, -1) if wire == 1 else (0, 0)
    for code, name in enumerate(TYPES[wire]):
        if name.startswith("FABRIC_ROUTING"):
            if name.endswith("2D"):
                add(("ROUTE_2D", 3, 200, 17, 1), [code, 3, 200, 17, 1, 0, 0, 0])
            elif wire == 2:
                add(("ROUTE_1D", 0x89ABCDEF), [0xEF, 0xCD, 0xAB, 0x89, 0, 0, code, 0])
            else:
                add(("ROUTE_1D", 0x89ABCDEF), [code, 0xEF, 0xCD, 0xAB, 0x89, 0, 0, 0])
        elif name == "FABRIC_UNICAST_SCATTER_WRITE":
            if wire == 2:
                add(("SCATTER", 4, 5, 2, 3, 0, 1), [4, 5, 2, 3, 1, 0, code, 0])
            else:
                add(("SCATTER", 4, 5, 0x1234, 3, 1, 2), [code, 4, 5, 0, 0x34, 0x12, 3, 2 | 2 << 4])
        elif name.startswith("FABRIC_"):
            if wire == 2:
                add(("FABRIC", code, 20, 21, -1, -1, 0, 1), [20, 21, 255, 255, 1, 0, code, 0])
            else:
                add(("FABRIC", code, 20, 21, -1, -1, 1, 1), [code, 20, 21, 255, 255, 2 | 1 << 4, 0, 0])
                add(("FABRIC", code, 20, 21, 22, 23, 0, 3), [code, 20, 21, 22, 23, 1 | 3 << 4, 0, 0])
        else:
            noc = code & 1
            add(("PLAIN", code, noc, -1, 0), payload(wire, code, (-1, -1), unicast_end, noc, -1, 0, 0))
            add(("ADDRESS", code, noc, 1, 1, address(18, 31), 100), payload(wire, code, (18, 31), unicast_end, noc, 1, 100, 1))
    write, multicast = TYPES[wire].index("WRITE_"), TYPES[wire].index("WRITE_MULTICAST")
    for size in (0, 1, 31, 32, 33, 8159, 8160, 8161, 8192, 16384, 65535):
        add(("ADDRESS", write, 0, -1, 0, address(63, 63), size), payload(wire, write, (63, 63), unicast_end, 0, -1, size, 0))
    # Bits of an address beside its coordinates mean nothing here.
    add(("ADDRESS", write, 0, 4, 0, address(1, 2) | 0xFFFF000F, 64), payload(wire, write, (1, 2), unicast_end, 0, 4, 64, 0))
    add(("MULTICAST", multicast, 0, 4, 0, address(21, 24) | address(19, 18) << 12, 1024),
        payload(wire, multicast, (19, 18), (21, 24), 0, 4, 1024, 0))
    expected = head(ids) + EMPTY + words
    return steps + [("FINISH",)], clock, expected, {0: len(expected)}


def plain(wire, count):
    code = TYPES[wire].index("FULL_BARRIER")
    end = (-1, -1) if wire == 1 else (0, 0)
    return [("PLAIN", code, 0, -1, 0)] * count, [0, 0] + halves(payload(wire, code, (-1, -1), end, 0, -1, 0, 0))


def marked(record, count, kind=EVENT):
    return [w for i in range(count) for w in [kind, i + 1] + record[2:]]


def flush_words(at):
    return [0x80000000 | ZONE << 12, at, 0x90000000 | ZONE << 12, at + 1]


def refused(wire, ids):
    """121 records fill the buffer, and linked commands forbid the flush: further ones are taken
    back and counted. Then the link ends, and the next record's flush takes place."""
    steps, record = plain(wire, 121 + 5 + 1)
    steps = [begin(), ("BUSY", 1)] + steps[:126] + [("BUSY", 0)] + steps[:1] + [("FINISH",)]
    clock = list(range(1, 122)) + [9] * 5 + [122, 500, 501]
    image = head(ids) + EMPTY + marked(record, 122) + flush_words(500)
    rest = head(ids) + EMPTY
    return steps, clock, image + rest, {0: len(image + rest), 62: 5, 56: 0}


def pre_emptive(wire, ids):
    steps, record = plain(wire, 2)
    steps = [begin()] + steps + [("FLUSH",)] + [("FINISH",)]
    image = head(ids) + EMPTY + marked(record, 2) + flush_words(3)
    rest = head(ids) + EMPTY
    return steps, [1, 2, 3, 4], image + rest, {0: len(image + rest), 62: 0}


def dropped(wire, ids):
    """The region takes nothing but guaranteed markers: the first flush throws 121 records away, later ones are lost too."""
    steps, _ = plain(wire, 121 + 121 + 3)
    steps = [begin(capacity=12)] + steps + [("FINISH",)]
    clock = list(range(1, 122)) + [500, 501] + list(range(1, 122)) + [9] * 3
    return steps, clock, head(ids) + EMPTY, {0: 12, 62: 121 + 3 + 121, 56: 1}


def whole_core(wire, ids):
    """A master begins the core, two RISCs record, and the master sends all five buffers."""
    one, record = plain(wire, 1)
    steps = [("LAUNCH", 4, 7), begin(1)] + one + [("PAD",), ("CLOSE_CORE", 100)]
    bits = 5 if ids == 3 else 3
    expected = []
    for risc in range(5):
        # The master writes RISC and flat id anew (the core's flat id is 0 here) and keeps the trace counter.
        trace = head(ids)[2] >> (bits + 8) << (bits + 8) if risc == 1 else 0
        expected += [0, 0, risc | trace, head(ids)[3] if risc == 1 else 0] + EMPTY + (marked(record, 1) if risc == 1 else [])
    return steps, [1], expected, {1: 16, 51: 1, 52: 4, 53: 7, 57: 1, 0: 12, 2: 12}


def deep_zones(wire, ids):
    """Zones hold their ends' room: with 8 open ones a buffer takes 113 records, and every end is written."""
    steps, record = plain(wire, 113)
    steps = [begin()] + [("OPEN", 1)] * 8 + steps + [("CLOSE", 1)] * 8 + [("FINISH",)]
    clock = list(range(1, 9)) + list(range(1, 114)) + [500, 501] + list(range(1, 9))
    opens = [w for i in range(8) for w in (0x80001000, i + 1)]
    ends = [w for i in range(8) for w in (0x90001000, i + 1)]
    image = head(ids) + EMPTY + opens + marked(record, 113) + flush_words(500)
    rest = head(ids) + EMPTY + ends
    return steps, clock, image + rest, {0: len(image + rest), 62: 0}


def main():
    need_rv32()
    failures = runs = 0
    with tempfile.TemporaryDirectory() as folder:
        for wire, ids in ((1, 1), (2, 2), (3, 2), (4, 2), (5, 2), (5, 3)):
            flags = ["-DTS_NOC_WIRE=%d" % wire, "-DTS_NOC_IDENTITY=%d" % ids]
            source = os.path.join(HERE, "replay.c")
            sources = [os.path.join(HERE, "start.S"), source]
            programs = [("host", build_host(folder, "host%d%d" % (wire, ids), [source], flags + ["-O1", "-fsanitize=undefined,address"]), False)]
            for compiler in ("gcc", "clang"):
                for own in (False, True) if wire >= 3 else (False,):
                    name = "%s%s%d%d" % (compiler, "own" if own else "", wire, ids)
                    programs.append((name, build_rv32(folder, name, sources, compiler,
                                                      flags + ["-Os"] + (["-DTS_NOC_OWN_REGISTERS"] if own else [])), True))
            for case in (all_codes, refused, pre_emptive, dropped, whole_core, deep_zones):
                steps, clock, expected, values = case(wire, ids)
                for name, program, emulate in programs:
                    control, words = replay(program, clock, steps, emulate)
                    runs += 1
                    wrong = [(k, control[k], v) for k, v in values.items() if control[k] != v]
                    if words != expected or wrong:
                        at = next((i for i, (a, b) in enumerate(zip(words, expected)) if a != b), min(len(words), len(expected)))
                        print("FAILED: %s, W%d, I%d, %s: word %d of %d (%d expected); control words %s"
                              % (case.__name__, wire, ids, name, at, len(words), len(expected), wrong))
                        failures += 1
    if failures:
        sys.exit(1)
    print("%d runs: identical words" % runs)


if __name__ == "__main__":
    main()
