"""Near-raw captures and tables of call sites for tests, made in code and independently of the recorder."""
import struct

from noc_case import SLOT, marker

PLAIN, ADDRESS, MULTICAST, WIDE, WIDE_MULTICAST, WIDE_PLAIN, FABRIC, CORNERS, SCATTER, ROUTE_1D, ROUTE_2D = range(11)


def number_of(index, stored):
    """The number of the index-th site (from 1) whose records store so many arguments."""
    return index + (((2 + stored + 1) // 2 - 1) << 10)


def site(number, shape, code, noc=0, vc=-1, posted=0, count=0, known=(), kernel=0, wire=5, line=1, file="kernel.c", words=None):
    """known: (argument, value) of those that stand in the table."""
    mask, constants = 0x3F & ~((1 << count) - 1), [0] * 6
    for argument, value in known:
        mask |= 1 << argument
        constants[argument] = value
    stored = bin(~mask & 0x3F).count("1")
    entry = b"TSN1" + struct.pack("<HBBBBbBBBBBII6I", kernel, wire, shape, code, noc, vc, posted,
                                  words or (2 + stored + 1) // 2 * 2, mask, count, 0, number, line, *constants)
    entry += file.encode() + b"\0"
    return entry + b"\0" * (-len(entry) % 4)


def record(number, time, arguments=()):
    head = number if number < 0x800 else number | 0xFFFFF000
    words = [head, time & 0xFFFFFFFF] + [a & 0xFFFFFFFF for a in arguments]
    return words + [0xDEADBEEF] * (len(words) % 2)


def near_image(records, risc=0, flat=7, host=1024, start=1000, end=9000, kernel=0, base=None):
    """kernel None: an image that does not say its kernel."""
    head = [0, 0, risc | flat << 3, host]
    zone = marker(0, 200, start) + (marker(1, 200, end) if end else SLOT)
    base = start if base is None else base
    return head + marker(0, 100, start - 10) + SLOT + zone + ([] if kernel is None else marker(4, kernel, base)) + records


def elf(table, kind=2, bits=1, name=b".ts_noc_sites", order=1):
    """A small ELF file with one section beside that of the names. kind: 2 linked, 1 an object file."""
    names = b"\0.shstrtab\0" + name + b"\0"
    at_names, at_table = 52, 52 + len(names) + (-len(names) % 4)
    sections = at_table + len(table)
    sections += -sections % 4
    head = b"\x7fELF" + bytes([bits, order, 1]) + b"\0" * 9
    head += struct.pack("<HHIIIIIHHHHHH", kind, 243, 1, 0, 0, sections, 0, 52, 32, 0, 40, 3, 1)
    body = head + names.ljust(at_table - at_names, b"\0") + table
    body = body.ljust(sections, b"\0") + b"\0" * 40
    body += struct.pack("<10I", 1, 3, 0, 0, at_names, len(names), 0, 0, 1, 0)
    return body + struct.pack("<10I", 11, 1, 0, 0, at_table, len(table), 0, 0, 4, 0)
