"""Make a ring file of 34 MB whose user spans need more memory than a model takes: on each of 512 domains 30 names, with
durations of every order of magnitude."""

import struct
import sys

DOMAINS, NAMES, ORDERS, WORDS = 512, 30, 59, 1 << 13
header = [1, DOMAINS, 80, WORDS * 8, WORDS, 64, 64 + 80 * DOMAINS, 0]
header[7] = header[6] + DOMAINS * WORDS * 8
words, clock = [], 1
for name in range(NAMES):
    for order in range(ORDERS):
        words += [2 << 54 | 1 << 53 | 2 << 49 | name << 36, clock]
        clock += 1 << order
        words += [2 << 54 | 1 << 53 | 3 << 49 | name << 36, clock]
print(DOMAINS * NAMES * ORDERS * 2)
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("=8Q", *header))
    file.write(struct.pack("=10Q", 0, len(words), *[0] * 8) * DOMAINS)
    for domain in range(DOMAINS):
        file.seek(header[6] + domain * WORDS * 8)
        file.write(struct.pack(f"={len(words)}Q", *words))
    for name in range(NAMES):
        file.seek(header[7] + name * 128)
        file.write(b"name %d" % name)
    file.truncate(header[7] + 8192 * 128)
