"""same_report.py OBSERVED REPLAYED: whether two reports of stats --json, of an observation and of its recording, say the same.

All figures are equal.  The time since when a finding holds may differ by what lies between two judgements.
With --apart they are of two observers of one process, which attached and ended at different moments and sampled it at others: what
was counted is equal, times agree within a tenth, the first finding is the same, and so are others but for one at its threshold.
"""

import json
import sys

apart = "--apart" in sys.argv
have, want = (json.load(open(path)) for path in sys.argv[-1:-3:-1])
# What two observers of one process can't have in common: when they attached, and when they saw its end.
TIMES = {"duration_s", "gc_share", "window_s", "share", "gain_share", "seconds", "bytes", "value", "text"}


def differ(path, a, b):
    sys.exit("%s: %r, expected %r" % (path, a, b))


def compare(path, a, b):
    name = path.rsplit(".", 1)[-1]
    if apart and (name.endswith("no_processor_most_s") or name == "heap_growth_bytes_per_min"):
        return  # by the samples of each
    if type(a) is not type(b) and not (isinstance(a, (int, float)) and isinstance(b, (int, float))):
        differ(path, a, b)
    if isinstance(a, dict):
        if list(a) != list(b):
            differ(path, list(a), list(b))
        for key in a:
            if apart and path == "" and key == "system":
                continue
            if apart and path == ".levels":
                # Of two moments; whether they are known is the same.
                if (a[key] is None) != (b[key] is None):
                    differ("%s.%s" % (path, key), a[key], b[key])
            else:
                compare("%s.%s" % (path, key), a[key], b[key])
    elif isinstance(a, list):
        if len(a) != len(b):
            differ(path, [x for x in a if x not in b], [y for y in b if y not in a])
        for i, (x, y) in enumerate(zip(a, b)):
            compare("%s[%d]" % (path, i), x, y)
    elif name == "since_s":
        if abs(a - b) > 2.5:
            differ(path, a, b)
    elif apart and name in TIMES:
        if isinstance(a, (int, float)) and abs(a - b) > 0.1 * abs(b) + 0.01:
            differ(path, a, b)
    elif a != b:
        differ(path, a, b)


LOCKS = ("deadlock", "dead_owner", "lost_wakeup", "lock_held", "master_lock")
for x in (have, want):
    x["runtime"] = x["locks"] = None  # a recording has no memory to read, and no looks at locks
    x["findings_left_out"] = [f for f in x["findings_left_out"] if f["name"] not in LOCKS]
if apart:
    for x in (have, want):
        if x["fibers"] is not None:
            x["fibers"] = {key: x["fibers"][key] for key in ("scheduler", "created", "finished", "errors")}
    names = [[f["name"] for f in x["findings"]] for x in (have, want)]
    # Whether the machine starves the program is by the samples of each; what is first of the others is not.
    first = [[name for name in listed if name != "starved"][:1] for listed in names]
    if (all(first) and first[0] != first[1]) or len(set(names[0]) ^ set(names[1])) > 1:
        differ("findings", *names)
    for x in (have, want):
        x["findings"] = [f for f in x["findings"] if f["name"] in set(names[0]) & set(names[1]) - {"starved"}]
        x["findings_left_out"] = x["findings_summary"] = None
        for key in ("verdict", "headline"):
            x.pop(key, None)  # a player has no sentence
compare("", have, want)
