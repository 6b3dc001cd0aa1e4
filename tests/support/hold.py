#!/usr/bin/env python3
"""Map a copy of a ring as an OCaml program would, and stay: hold.py RING FOLDER.  Prints the pid."""
import mmap
import os
import shutil
import sys
import time

path = f"{sys.argv[2]}/{os.getpid()}.events"
shutil.copyfile(sys.argv[1], path)
file = open(path, "r+b")
kept = mmap.mmap(file.fileno(), 0)
print(os.getpid(), flush=True)
time.sleep(300)
