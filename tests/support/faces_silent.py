"""Hold what the faces said of a target (tests/ocaml/test_faces_silent.sh) against what it says of itself, by name.  Usage: faces_silent.py STATE PID"""
import json, re, sys

state, pid = sys.argv[1:]
before, after = ([float(word) for word in open(name).read().split()] for name in ("before", "after"))
minors, majors, allocated, promoted = (b - a for a, b in zip(before[:4], after[:4]))
own = {"minors": minors, "majors": majors, "allocated": allocated, "promoted": promoted, "heap": after[4], "heap since its start": after[4], "domains": 1,
       "runtime minors": after[0], "runtime majors": after[1], "runtime allocated": after[2], "runtime promoted": after[3]}
UNITS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}


def number(text):
    """A figure as people read it."""
    value, unit = re.fullmatch(r"([0-9.]+)([kMG]?)(?:B|/s|B/s|%)?", text).groups()
    return float(value) * UNITS[unit]


def find(pattern, text):
    return number(re.search(pattern, text, re.M)[1])


report, text = json.load(open("stats.json")), open("stats.txt").read()
runtime = report["runtime"]
stats = {"runtime minors": runtime["minor_collections"], "runtime majors": runtime["major_cycles"], "heap": 8 * runtime["heap_words"],
         "runtime allocated": 8 * runtime["minor_words"], "runtime promoted": 8 * runtime["promoted_words"],
         "domains": len(runtime["domains"])}
words = {"minors": find(r"^  minor collections +(\S+)", text), "majors": find(r"^  major cycles +(\S+)", text),
         "allocated": find(r"^  allocated (\S+?),?\s", text), "promoted": find(r"   promoted (\S+)", text),
         "heap": find(r"^  heap ([^\s,]+)", text),
         "heap since its start": find(r"^since its start .* heap (\S+)", text), "runtime minors": find(r"^since its start +(\S+) minor", text)}

samples = re.findall(r"^(\w+)(?:\{.*\})? (\S+)$", open("metrics.now").read(), re.M)
get = lambda name: sum(float(value) for n, value in samples if n == name)
metrics = {"minors": get("ocaml_gc_minor_collections_total"), "majors": get("ocaml_gc_major_cycles_total"),
           "allocated": get("ocaml_minor_allocated_bytes_total"), "promoted": get("ocaml_promoted_bytes_total"),
           "heap": get("ocaml_heap_bytes"), "domains": get("ocaml_domains")}

lines = [json.loads(line) for line in open("batch.jsonl")]
total = lambda rate: sum(line[rate] * line["interval_s"] for line in lines if line[rate] is not None)
batch = {"minors": total("minor_per_s"), "majors": total("major_per_s"), "allocated": total("alloc_bytes_per_s"),
         "promoted": total("promoted_bytes_per_s"), "heap": lines[-1]["heap_bytes"], "domains": lines[-1]["domains"]}

screen = open("live.screen").read()
live = {"heap": find(r"^ GC .*│ heap +(\S+)", screen), "domains": find(r"domains (\S+)", screen.splitlines()[0])}

[row] = [line for line in open("overview.screen") if re.match(rf"\W*{pid}\s", line)]
overview = {"heap": [number(word) for word in row.split() if re.fullmatch(r"[0-9.]+[kMG]B", word)]}
[listed] = [line for line in map(json.loads, open("list.jsonl")) if line["pid"] == int(pid)]
list_ = {"domains": listed["domains"]}

wrong = [] if listed["state"] == lines[-1]["state"] == state else [f"states: {listed['state']}, {lines[-1]['state']}"]
if [line["events"] for line in lines[-1:]] != ["off" if state == "no events" else "on"] or (report["pauses"] is None) != (state == "no events"):
    wrong.append("what needs events")
# Of this one the place on the line differs by the columns there are.
if not any(abs(value - own["heap"]) <= 0.02 * own["heap"] for value in overview.pop("heap")):
    wrong.append(f"overview: no heap of {own['heap']}: {row}")
faces = {"stats": stats, "stats text": words, "metrics": metrics, "-b": batch, "live": live, "list": list_}
for name, value in own.items():
    told = {face: figures[name] for face, figures in faces.items() if name in figures}
    print(f"{name:18} {value:.6g}", ", ".join(f"{face} {figure:.6g}" for face, figure in told.items()))
    # By what is printed in three digits, and sums of rounded rates.
    wrong += [f"{face}: {name} {figure}, the program {value}" for face, figure in told.items() if abs(figure - value) > 0.02 * value + 1e-9]
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
