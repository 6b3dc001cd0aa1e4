#!/usr/bin/env python3
"""Compare what is told of the program shapes with the stack that `shapes HOW WHAT` holds.

expect.py report HOW WHAT FILE KIND      a report of `rtevtop stacks --json`
expect.py samples HOW WHAT FILE KIND     lines of code_tool; prints how many there are, are whole, and were cut as their thread went on
KIND: native, static, nopie, stripped, or bare: stripped, and of a release whose code does not tell where domains are
"""
import json, sys

mode, how, what, path, kind = sys.argv[1:]
FIBER, CALLBACK, MAIN = "[fiber]", "[C]", "caml_program"

# The frames of OCaml, innermost first: (name in Shapes, line), or a name of any line.  "c:NAME" is of C.
TOP = {
    "ocaml": ["leaf", ("work", 13)],
    "alloc": ["alloc", ("work", 14)],
    "c": ["c:burn", "c:shapes_hold", ("work", 15)],
    "noalloc": ["c:burn", "c:shapes_hold", "work"],
    "stackargs": ["c:burn", "c:shapes_hold9", ("work", 17)],
    "sleep": [("work", 18)],
}
IN_FIBER = [("in_fiber.(fun)", 24), FIBER]
IN_CALLBACK = [CALLBACK, ("in_callback", 27)]
BASE = {
    "plain": [("", 33), MAIN],
    "fiber": [("(fun)", 34), *IN_FIBER, ("", 34), MAIN],
    "fiber2": [("(fun)", 35), *IN_FIBER, ("(fun)", 35), *IN_FIBER, ("", 35), MAIN],
    "resumed": [("(fun)", 36), *IN_FIBER, ("", 36), MAIN],
    "callback": [("(fun)", 37), *IN_CALLBACK, ("", 37), MAIN],
    "cbfiber": [("(fun)", 38), *IN_FIBER, ("(fun)", 38), *IN_CALLBACK, ("", 38), MAIN],
    "fibercb": [("(fun)", 39), *IN_CALLBACK, ("(fun)", 39), *IN_FIBER, ("", 39), MAIN],
    "deep": [("deep", 28)] * 1000 + [("", 40), MAIN],
    "domain": [("(fun)", 41), "Domain.spawn.body"],
    "thread": [("(fun)", 42), "Thread.create.(fun)"],
}


def full(frame):
    if isinstance(frame, tuple):
        return ("Shapes." + frame[0] if frame[0] else "Shapes", frame[1])
    plain = frame in (FIBER, CALLBACK, MAIN) or ":" in frame or "." in frame
    return (frame if plain else "Shapes." + frame, None)


expected = [full(f) for f in TOP[what] + [("a3", 20), ("a2", 21), ("a1", 22)] + BASE[how]]
if kind in ("stripped", "bare"):  # burn is static, so it has no name there
    expected = [e for e in expected if e[0] != "c:burn"]


def reduce(frames):
    """What of frames (name, line, is C, boundary) is compared."""
    seen = []
    for name, line, is_c, boundary in frames:
        if is_c:
            # Others are of libraries, of the collector, and those through which a callback goes.
            if name in ("burn", "shapes_hold", "shapes_hold9"):
                seen.append(("c:" + name, None))
            continue
        if what == "sleep" and name.startswith("Unix."):
            continue
        seen.append((name, line))
        if boundary is not None:
            seen.append((boundary, None))
    return seen


def same(seen):
    return len(seen) == len(expected) and all(
        s[0] == e[0] and (e[1] is None or s[1] == e[1]) for s, e in zip(seen, expected)
    )


def wrong(why, seen):
    sys.exit(f"{how} {what}: {why}\n" + "\n".join(str(s) for s in seen))


def report():
    x = json.load(open(path))
    threads = [t for t in x["threads"] if any(f["name"] == "Shapes.a1" for f in t["frames"])]
    if len(threads) != 1:
        wrong("no thread, or several, with the shape", x["threads"])
    thread = threads[0]
    marks = {None: None, "fiber": FIBER, "callback": CALLBACK}
    seen = reduce([(f["name"], f["line"], f["kind"] == "c", marks[f["boundary"]]) for f in thread["frames"]])
    if not same(seen):
        wrong("another stack than\n" + "\n".join(str(e) for e in expected) + "\nseen:", seen)
    for f in thread["frames"]:
        if f["line"] is not None and f["file"] not in ("shapes.ml", "domain.ml", "thread.ml"):
            wrong("another file", [f])
    if not thread["complete"] or thread["kind"] != "ocaml" or thread["on_cpu"] != (what != "sleep"):
        wrong("not complete, or not as it is", [thread[k] for k in ("complete", "kind", "on_cpu")])
    if kind == "bare":
        return
    if thread["domain"] != (1 if how == "domain" else 0):
        wrong("another domain", [thread["domain"]])
    kinds = sorted(t["kind"] for t in x["threads"])
    others = {"domain": ["backup", "backup", "ocaml", "ocaml"], "thread": ["ocaml", "ocaml", "tick"]}
    if kinds != others.get(how, ["ocaml"]):
        wrong("other threads", kinds)


def samples():
    count = whole = moved = 0
    for line in open(path):
        end, searched, top, *words = line.replace("] +0x", "]+0x").split()  # a C function without a name is of two words
        frames, c_names = [], ("burn", "shapes_hold", "shapes_hold9")
        for w in words:
            if w in (FIBER, CALLBACK):
                frames[-1][3] = w
                continue
            name, number = w.rsplit(":", 1)
            is_ocaml = name[0].isupper() or name == MAIN
            frames.append([name, int(number) or None, not is_ocaml, None])
        if not any(f[0] == "Shapes.a1" for f in frames):
            continue  # another thread, or a stack that was not read
        if top == "missed":
            continue  # its thread went on before a reader had a processor
        count += 1
        moved += end == "2"  # and was told so: CODE_MOVED
        if end == "0":
            whole += 1
            if not same(reduce(frames)):
                wrong("another stack than\n" + "\n".join(str(e) for e in expected) + "\nseen:", frames)
    print(how, what, count, whole, moved)


report() if mode == "report" else samples()
