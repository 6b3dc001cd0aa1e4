#!/usr/bin/env python3
"""at_exec.py PROGRAM ARGUMENT..: start a program that stops before its first instruction.  Prints its pid, and has it go on when a
line is read."""
import ctypes
import os
import sys

TRACEME, DETACH = 0, 17

libc = ctypes.CDLL(None, use_errno=True)
pid = os.fork()
if pid == 0:
    libc.ptrace(TRACEME, 0, None, None)
    os.execv(sys.argv[1], sys.argv[1:])
if not os.WIFSTOPPED(os.waitpid(pid, 0)[1]):
    sys.exit(1)
print(pid, flush=True)
sys.stdin.readline()
libc.ptrace(DETACH, pid, None, None)
os.waitpid(pid, 0)
