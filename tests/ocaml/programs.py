"""programs.py WHAT TRUTH FILE: whether what rtevtop counted of a program is what its runtime said when it ended.

WHAT: stats (a report), log, batch (lines of -b), view (the screen of view 3).  A program that prints no such lines, since it ends
without the runtime's doing, is held against nothing but that it was counted.
"""
import json, re, sys

what, truth, path = sys.argv[1:4]
own = {k: int(v) for k, v in re.findall(r"^(\w+): (\d+)$", open(truth, errors="replace").read(), re.M)}
if what == "view":
    screen = open(path).read()
    told = {"minor_collections": sum(int(n) for n in re.findall(r"^ +minor +(\d+) ", screen, re.M))}
elif what == "batch":
    lines = [json.loads(l) for l in open(path) if l.startswith("{")]
    assert lines[-1]["state"] == "ended", lines[-1]
    told = {"minor_collections": round(sum(l["minor_per_s"] * l["interval_s"] for l in lines if l["minor_per_s"] is not None))}
elif what == "log":
    lines = [json.loads(l) for l in open(path) if l.startswith("{")]
    assert not [l for l in lines if l["type"] == "lost"], "events were lost"
    began = lambda phase: max(sum(l["type"] == "begin" and l["phase"] == phase and l["domain"] == d for l in lines)
                              for d in {l["domain"] for l in lines})
    summed = lambda name: sum(l["value"] for l in lines if l["type"] == "counter" and l["name"] == name)
    told = {"minor_collections": began("minor"), "major_collections": began("major_gc_cycle_domains"),
            "promoted_words": summed("minor_promoted") // 8}
else:
    x = json.load(open(path))
    assert x["lost_words"] == 0, "words were lost"
    count = lambda phase: max(d["phases"].get(phase, {"count": 0})["count"] for d in x["domains"])
    total = lambda name: sum(d["counters"].get(name, {"sum": 0})["sum"] for d in x["domains"])
    told = {"minor_collections": count("minor"), "major_collections": count("major_gc_cycle_domains"),
            "promoted_words": total("minor_promoted") // 8}
    # What was allocated since its last minor collection the ring has not.
    allocated = total("minor_allocated") // 8
    heap = (x["settings"]["s"] or {}).get("value") or 262144
    assert not own or 0 <= own["minor_words"] - allocated <= heap * len(x["domains"]), (own, allocated)
assert told["minor_collections"] > 0, told
differs = {k: (v, own[k]) for k, v in told.items() if own and v != own[k]}
if differs or not own:
    print("%s: %s" % (what, differs or "it says nothing of itself; counted: %r" % told))
sys.exit(1 if differs else 0)
