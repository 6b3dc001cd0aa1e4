#!/usr/bin/env bash
# Programs whose structures, tables and files lie, or whose memory does not answer: each command that looks at them ends, with a report or
# the reason why there is none, works and keeps no more than its bounds, and hears `q` and SIGTERM.
# Usage: [ONLY="MODE..."] hostile.sh FALSE_RUNTIME
. "$(dirname "$0")/../support/lib.sh"
need python3 timeout chrt
lying=$(dirname "$0")/../support/lying_elf.py
for kind in names copies letters functions; do
  python3 "$lying" "$1" "$work/$kind" "$kind" && chmod +x "$work/$kind" || fail "could not make $kind"
done
mkdir "$work/mounted"
grep -aq __asan_init "$RTEVTOP" && export SANITIZED=1 # which has memory of its own, and is slower
export FALSE_RUNTIME=$1 work RTEVTOP
python3 - <<'PY' || fail "see above"
import ctypes, os, pty, re, select, signal, subprocess, sys, time

ours, work, lies = os.environ["RTEVTOP"], os.environ["work"], os.environ["FALSE_RUNTIME"]
sanitized = "SANITIZED" in os.environ
PR_SET_PDEATHSIG = 1
MODES = {  # mode: what `stacks`, `stacks --fibers` and `stats` say of it
    "plain": ("no OCaml code", r": 10 suspended fibers found; an upper", "0 minor collections"),
    "own_parent": ("OCaml, domain 0, waits", r": 0 suspended", "heap changes too fast"),
    "spin": ("False.work", r": 0 suspended", "heap changes too fast"),
    "real_time": ("", r": 0 suspended", "heap changes too fast"),
    "table": ("too (much|long)|more than 64 MiB", "too (much|long)|more than 64 MiB", "0 minor collections"),
    "list": ("could not read the stacks", "could not read the stacks", "0 minor collections"),
    "tables": ("no OCaml code", r": 0 suspended", "0 minor collections"),
    "parents": ("no OCaml code", r": 1 suspended", "0 minor collections"),
    "pool": ("no OCaml code", r": 1000 suspended fibers found, of a part of its heap", "0 minor collections"),
    "many": ("no OCaml code", r": [0-9]+ suspended fibers found, of a part of its heap", "0 minor collections"),
    "groups": ("no OCaml code", r": [0-9]+ suspended fibers found, of a part of its heap", "0 minor collections"),
    "large": ("no OCaml code", r": 0 suspended", "its heap has too many parts to be read in time"),
    "large_ring": ("no OCaml code", r": 0 suspended", "heap changes too fast"),
    "rights": ("no OCaml code", r": 0 suspended", "heap changes too fast"),
    "cut": ("memory can't be read", "memory can't be read", "memory can't be read"),
    "most": ("no OCaml code", "could not read the stacks.*its memory does not hold what was expected", "not known"),
    "moving": ("", "", "not known"),
    "unbrought": ("memory can't be read", "memory can't be read", "memory can't be read"),
    "silent": ("its memory does not answer", "its memory does not answer", "its memory does not answer"),
    "slow": ("no OCaml code", r": 10 suspended", "0 minor collections"),
    "silent_ring": ("no OCaml code", r": 0 suspended", "its files do not answer"),
    "other_ring": ("no OCaml code", r": 0 suspended", "another user's program serves it"),
    "silent_mount": ("no OCaml code", r": 0 suspended", "its files do not answer"),
    "silent_program": ("its files do not answer", "its files do not answer", "its files do not answer"),
    "names": ("too much", "too much", "too much"),
    "copies": ("too much", "too much", "too much"),
    "letters": ("no OCaml code", r": 10 suspended", "0 minor collections"),
    "functions": ("no OCaml code", r": 10 suspended", "0 minor collections"),
}

def fail(mode, what, *more):
    print(f"{mode}: {what}:", *more, file=sys.stderr)
    sys.exit(1)

def ended(mode, name, process, output):
    """What a command has said, after it has ended in time, within its bounds."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    with open(output, errors="replace") as file:
        text = file.read()
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        fail(mode, name, "status", os.waitstatus_to_exitcode(status), text[-2000:])
    if not sanitized and (usage.ru_maxrss > 128 << 10 or usage.ru_utime + usage.ru_stime > 3):
        fail(mode, name, f"{usage.ru_maxrss >> 10} MiB, {usage.ru_utime + usage.ru_stime:.1f} s")
    return text

def start(name, arguments):
    output = f"{work}/said {name}"
    with open(output, "w") as file:
        return name, subprocess.Popen([ours, *arguments], stdin=subprocess.DEVNULL, stdout=file, stderr=file), output

def view(mode, target):
    """The live view has drawn something, and hears q; or it says why there is none."""
    pid, screen = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm"
        os.execv(ours, [ours, "--code", target])
    drawn, asked = b"", False
    while True:
        try:
            piece = os.read(screen, 65536)
        except OSError:  # it has closed its terminal
            break
        if not piece:
            break
        drawn = (drawn + piece)[-65536:]
        if not asked and b"panes" in drawn:
            os.write(screen, b"q")
            asked = True
    os.close(screen)
    _, status = os.waitpid(pid, 0)
    refused = MODES[mode][2] if "answer" in MODES[mode][2] or "serves" in MODES[mode][2] else None
    if refused is not None and refused in drawn.decode(errors="replace"):
        return
    if not asked or os.waitstatus_to_exitcode(status) != 0:
        fail(mode, "view", status, drawn[-2000:])

def look(mode, target):
    stacks, fibers, stats = MODES[mode]
    quiet = "PROGRAM" if mode == "silent_program" else "no such line"
    began = [start("list", ["list"]), start("-b", ["-b", "-n", "2", "-d", "0.2", target]), start("stacks", ["stacks", target]),
             start("stacks --fibers", ["stacks", "--fibers", target]), start("stats", ["stats", "--duration", "0.2", target]),
             start("stats --code", ["stats", "--code", "--duration", "0.2", target])]
    said = {name: ended(mode, name, process, output) for name, process, output in began}
    for name, wanted in (("stacks", stacks), ("stacks --fibers", fibers), ("stats", stats), ("list", rf"(?m)^ *{target} |{quiet}")):
        # Three seconds of a busy machine may be too few for what is read first.
        if name.startswith("stacks"):
            wanted += "|takes too long"
        if not re.search(wanted, " ".join(said[name].split()) if name != "list" else said[name]):
            fail(mode, name, said[name][:2000])
    # A stack that can't be walked is not walked for as long as others are waited for.
    quick = mode != "spin"
    for _ in range(0 if quick else 20):
        began = time.monotonic()
        ended(mode, *start("stacks", ["stacks", target]))
        quick = quick or time.monotonic() - began < 0.9
    if not quick:
        fail(mode, "stacks", "never ends within 0.9 s")
    # That most callers are not known has a cause, which is told with the first sample.
    while mode == "real_time" and "of real-time priority" not in said["stats --code"]:
        said["stats --code"] = ended(mode, *start("stats --code", ["stats", "--code", "--duration", "0.5", target]))
    # A ring by its name.
    if mode in ("silent_ring", "silent_mount"):
        said = ended(mode, *start("FILE", ["stats", f"/proc/{target}/root{work}/mounted/{target}.events"]))
        if "could not open" not in said:
            fail(mode, "FILE", said)
    # Without an end of its own.  The signal is heard as soon as it is taken at all.
    _, process, output = start("endless", ["-b", "-n", "9999999", "-d", "0.1", target])
    while os.path.getsize(output) == 0:
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    if process.wait() not in (0, 1, -signal.SIGTERM, 128 + signal.SIGTERM):
        fail(mode, "SIGTERM", process.returncode)
    view(mode, target)

modes = os.environ["ONLY"].split() if "ONLY" in os.environ else list(MODES)
tries = {"slow": 8}  # all of its pages are to come within three seconds, which a busy machine may use up: each time of another server
while modes:
    mode = modes.pop(0)
    program = f"{work}/{mode}"
    command = [program, "plain"] if os.path.exists(program) else [lies, mode, f"{work}/mounted"]
    if mode == "real_time":  # spins at a priority that leaves nobody else its processor
        if subprocess.run(["chrt", "-r", "5", "true"], stderr=subprocess.DEVNULL).returncode != 0:
            print(f"{mode}: not possible here")
            continue
        command = ["chrt", "-r", "5", lies, "spin"]
    # Whatever becomes of this test, none is left: one of real time would have a processor for itself.
    target = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True,
                              preexec_fn=lambda: ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL))
    pid = target.stdout.readline().decode().strip()
    if not pid:
        if target.wait() != 99:
            fail(mode, "did not start", target.returncode)
        print(f"{mode}: not possible here")
        continue
    try:
        look(mode, pid)
    except SystemExit:
        tries[mode] = tries.get(mode, 1) - 1
        if tries[mode] == 0:
            raise
        modes.insert(0, mode)
    finally:
        os.killpg(target.pid, signal.SIGKILL)
        target.wait()
PY
