"""Make a ring file that claims far more than it holds, and perhaps be a process that maps it.

    huge_ring.py FILE DOMAINS LOG2_WORDS      make it
    huge_ring.py hold DIR DOMAINS LOG2_WORDS  make DIR/PID.events, map it, print PID, stay
"""

import mmap
import os
import struct
import sys
import time


def make(path, domains, log2):
    words = 1 << log2
    data = 64 + 80 * domains
    with open(path, "wb") as file:
        file.write(struct.pack("=8Q", 1, domains, 80, words * 8, words, 64, data, 0))
        for _ in range(domains):
            file.write(struct.pack("=10Q", 0, words - 1, *[0] * 8))
        file.truncate(data + domains * words * 8)


if sys.argv[1] == "hold":
    name = f"{sys.argv[2]}/{os.getpid()}.events"
    make(name, int(sys.argv[3]), int(sys.argv[4]))
    with open(name, "r+b") as ring:
        kept = mmap.mmap(ring.fileno(), 0)
    print(os.getpid(), flush=True)
    time.sleep(300)
else:
    make(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
