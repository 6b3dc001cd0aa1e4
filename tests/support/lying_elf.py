#!/usr/bin/env python3
"""Write a copy of a program, with sections that lie behind its end in place of its own; it runs as before.
  names     two million symbols whose names begin in one text of six megabytes without an end
  copies    a quarter of a million symbols that have one name of four kilobytes
  letters   functions in .eh_frame that refer in turn to two entries of two million letters
  functions two million functions in .eh_frame
Usage: lying_elf.py PROGRAM COPY KIND"""
import struct, sys

program, copy, kind = sys.argv[1:]
data = bytearray(open(program, "rb").read())
at, = struct.unpack_from("<Q", data, 40)
count, names_at = struct.unpack_from("<HH", data, 60)
FORM = "<IIQQQQIIQQ"
sections = [list(struct.unpack_from(FORM, data, at + 64 * i)) for i in range(count)]

def title(section):
    begin = sections[names_at][4] + section[0]
    return data[begin:data.index(0, begin)].decode()

by_title = {title(s): s for s in sections}
text = by_title[".text"]

def replace(name, content):
    data.extend(bytes(-len(data) % 16))
    by_title[name][4:6] = [len(data), len(content)]
    data.extend(content)

def symbols(number, spread):
    rows = (struct.pack("<IBBHQQ", 1 + k % spread, 0x12, 0, 1, text[3] + k % text[5], 1) for k in range(number))
    replace(".symtab", b"".join(rows))

if kind == "names":
    replace(".strtab", b"\0" + b"A" * 6000000)
    symbols(2000000, 64)
elif kind == "copies":
    replace(".strtab", b"\0" + b"A" * 4090 + b"\0")
    symbols(250000, 1)
elif kind == "letters":
    shared = struct.pack("<IIB", 2000005, 0, 1) + b"x" * 2000000
    out = bytearray(shared + shared)
    for k in range(200000):
        out += struct.pack("<II", 4, len(out) + 4 - k % 2 * len(shared))
    replace(".eh_frame", out)
elif kind == "functions":
    out = bytearray(struct.pack("<II", 20, 0) + b"\1zR\0\1\x78\x10\1\x1b\x0c\7\x08\x90\1\0\0")
    for k in range(2000000):
        out += struct.pack("<IIiiI", 16, len(out) + 4, 16 * k, 16, 0)
    replace(".eh_frame", out)
data.extend(bytes(-len(data) % 16))
struct.pack_into("<Q", data, 40, len(data))
for section in sections:
    data += struct.pack(FORM, *section)
open(copy, "wb").write(data)
