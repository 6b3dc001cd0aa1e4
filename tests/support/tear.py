#!/usr/bin/env python3
"""Make of a ring file what a copy of it would be that was made while its rings were written to: tear.py FROM TO HOW

A copy has the head and tail of one moment and words of later ones, so that from some place on its records are older than those
before.  HOW: "records": the later half of the records of each ring stands before the earlier, "words": as records, and torn in
the middle of a record, "twice": what is in the middle of a ring is later than what is around it.
"""
import struct
import sys


def main(source, target, how):
    data = bytearray(open(source, "rb").read())
    word = lambda at: struct.unpack_from("=Q", data, at)[0]
    size, headers, start, ring_header = word(32), word(40), word(48), word(16)
    for ring in range(word(8)):
        head, tail = struct.unpack_from("=QQ", data, headers + ring * ring_header)
        base = start + 8 * size * ring
        words = [word(base + 8 * (i % size)) for i in range(head, tail)]
        starts, at = [], 0
        while at < len(words):
            # Padding would stand in the middle of the new ring.
            if words[at] >> 49 & 0x1F == 0:
                del words[at : at + (words[at] >> 54)]
                continue
            starts.append(at)
            at += words[at] >> 54
        if len(starts) < 30:
            continue
        if how == "twice":
            a, b = (starts[len(starts) * part // 3] for part in (1, 2))
            words = words[:a] + words[b:] + words[a:b]
        else:
            middle = starts[len(starts) // 2]
            # After the header of one record comes the header of another: for a stamp it is far off.
            cut = [words[middle]] if how == "words" else []
            words = words[middle + len(cut) :] + cut + words[:middle]
        # From index 0 on, so that nothing lies across the end of the ring.
        assert len(words) < size
        struct.pack_into("=QQ", data, headers + ring * ring_header, 0, len(words))
        struct.pack_into("=%dQ" % len(words), data, base, *words)
    open(target, "wb").write(data)


main(*sys.argv[1:])
