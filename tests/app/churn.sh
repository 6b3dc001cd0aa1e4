#!/usr/bin/env bash
# Processes that end and begin all the time: -b and metrics tell of each while it runs, of its end once, and keep nothing of it.
. "$(dirname "$0")/../support/lib.sh"
need python3 unshare
# Other processes of the machine would take part.
alone=(unshare --fork --kill-child --pid --mount-proc)
"${alone[@]}" true 2>/dev/null || alone+=(--user --map-root-user)
"${alone[@]}" true 2>/dev/null || skip "no pid namespaces"
"${alone[@]}" python3 - "$RTEVTOP" "$work" <<'PY' || fail "see above"
import json, os, re, signal, subprocess, sys, time

rtevtop, work = sys.argv[1:]
AT_ONCE, ROUNDS = 6, 6
os.environ["OCAML_RUNTIME_EVENTS_DIR"] = work
kept = []


def until(what, holds):
    while not holds():
        time.sleep(0.05)


def start():
    new = [subprocess.Popen([rtevtop, "demo", "--domains", "2", "--rate", "2000", "--seconds", "1000"], stdout=subprocess.PIPE)
           for _ in range(AT_ONCE)]
    for process in new:
        process.stdout.readline()
    return new


def reports():
    with open(f"{work}/batch") as f:
        return [json.loads(line) for line in f.read().split("\n")[:-1]]


def rows(pid):
    return [r for r in reports() if r["pid"] == pid]


def metered():
    try:
        with open(f"{work}/all.prom") as f:
            return f.read()
    except FileNotFoundError:
        return ""


def held(pid):
    """Descriptors, ring files mapped, MiB of heap."""
    with open(f"/proc/{pid}/maps") as f:
        maps = len(re.findall(r"\.events", f.read()))
    with open(f"/proc/{pid}/status") as f:
        memory = re.search(r"RssAnon:\s+(\d+)", f.read())
    return len(os.listdir(f"/proc/{pid}/fd")), maps, int(memory[1]) / 1024


with open(f"{work}/batch", "w") as out:
    batch = subprocess.Popen([rtevtop, "-b", "--json", "-d", "0.2"], stdout=out)
metrics = subprocess.Popen([rtevtop, "metrics", "-o", f"{work}/all.prom", "-d", "0.2"])
pids = []
# What each has open while there is no target.
until("metrics is there", metered)
descriptors = {face.pid: held(face.pid)[0] for face in (batch, metrics)}
for turn in range(ROUNDS):
    new = start()
    now = [p.pid for p in new]
    pids += now
    until("they are there", lambda: all(any(r["state"] == "live" and r["events_per_s"] for r in rows(pid)) for pid in now))
    until("metrics", lambda: all(re.search(rf'ocaml_events_total{{pid="{pid}"[^}}]*}} [1-9]', metered()) for pid in now))
    for face in batch, metrics:
        until("its maps are its targets'", lambda: held(face.pid)[1] == AT_ONCE)
    if turn == 1:
        memory = {face.pid: held(face.pid)[2] for face in (batch, metrics)}
    for process in new:
        process.kill()
        process.wait()
    until("their end", lambda: all(rows(pid)[-1]["state"] == "ended" for pid in now))
    for face in batch, metrics:
        until("nothing is left of them", lambda: held(face.pid)[1] == 0 and held(face.pid)[0] <= descriptors[face.pid])
# An ended target keeps a little, for half a minute, in metrics alone.  What AddressSanitizer keeps back is none of ours.
with open(rtevtop, "rb") as f:
    bounds = [] if b"__asan_init" in f.read() else [(batch, 1.5), (metrics, 20)]
for face, most in bounds:
    grown = held(face.pid)[2] - memory[face.pid]
    assert grown < most, f"{face.args[1]} grew by {grown:.1f} MiB"
for process in batch, metrics:
    process.terminate()
    assert process.wait() == 0, process.args
for pid in pids:
    states = [r["state"] for r in rows(pid)]
    assert states.count("ended") == 1 and states[-1] == "ended", (pid, states)
    assert sum(r["lost_words"] or 0 for r in rows(pid)) == 0, pid
assert {r["pid"] for r in reports()} == set(pids)
PY
exit 0
