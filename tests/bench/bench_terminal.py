#!/usr/bin/env python3
"""Bytes that a program writes to its terminal for each redraw, and its processor time: ours beside htop, top and btop, in one run.

usage: bench_terminal.py RTEVTOP [SECONDS [PID]]

PID is what rtevtop is to watch; without it, a demo of 4 domains.

Each program runs on a pseudo terminal of 120x40 for as long, redrawing twice a second where it can be told to.  A redraw is a burst of
output with a silence of 50 ms after it; the first one paints the whole screen and is left out.  Prints the median, and since some
programs draw in several bursts, what all of them come to in a second.
"""
import fcntl, os, pty, resource, select, shutil, signal, statistics, struct, subprocess, sys, termios, time


def burst_sizes(command, seconds):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    pid, master = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", LANG="C.UTF-8")
        os.environ.pop("LINES", None)
        os.environ.pop("COLUMNS", None)
        time.sleep(0.2)  # the parent sets the size
        os.execvp(command[0], command)
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    bursts, current = [], 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ready, _, _ = select.select([master], [], [], 0.05)
        if not ready:
            if current:
                bursts.append(current)
                current = 0
            continue
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        if not data:
            break
        current += len(data)
    os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + 5
    while os.waitpid(pid, os.WNOHANG)[0] == 0:
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            break
        if select.select([master], [], [], 0.05)[0]:
            try:
                os.read(master, 65536)
            except OSError:
                pass
    os.close(master)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return bursts, cpu / seconds


def main():
    program = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 12
    demo = None
    if len(sys.argv) > 3:
        target = sys.argv[3]
    else:
        demo = subprocess.Popen([program, "demo", "--domains", "4"], stdout=subprocess.PIPE, text=True)
        target = demo.stdout.readline().split()[0]
    runs = [("rtevtop", [program, "-d", "0.5", target])]
    for name, command in (("htop", ["htop", "-d", "5"]), ("top", ["top", "-d", "0.5"]), ("btop", ["btop", "-p", "1"])):
        if shutil.which(name):
            runs.append((name, command))
        else:
            print(f"{name:10} not installed")
    try:
        for name, command in runs:
            bursts, cpu = burst_sizes(command, seconds)
            first, rest = (bursts[0], bursts[1:]) if bursts else (0, [])
            median = statistics.median(rest) if rest else 0
            print(f"{name:10} first {first:7d} bytes   redraws {len(rest):4d}   median {median:7.0f} bytes   {sum(rest) / seconds:7.0f} bytes/s   cpu {cpu:6.2%}")
    finally:
        if demo:
            demo.terminate()
            demo.wait()


if __name__ == "__main__":
    main()
