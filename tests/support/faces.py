"""Hold what all faces said of one target (tests/app/faces.sh) against each other, by name.  Usage: faces.py STATE PID"""
import json, math, re, sys

state, pid = sys.argv[1:]
wrong = []
UNITS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}
TIMES = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1}


def number(text):
    """A figure as people read it; None: not known."""
    text = text.lstrip("~≥")
    found = re.fullmatch(r"([0-9.]+)(ns|us|µs|ms|s|%|[kMG]?(?:B|w)?(?:/s)?)", text)
    if not found:
        return None
    value, unit = float(found[1]), found[2]
    if unit == "%":
        return value / 100
    if unit in TIMES:
        return value * TIMES[unit]
    return value * UNITS[unit.removesuffix("/s").rstrip("Bw")]


def stats(path):
    report = json.load(open(path))
    domains, pauses = report["domains"], report["pauses"]

    def most(phase):
        return max(d["phases"].get(phase, {"count": 0})["count"] for d in domains)

    def amount(counter):
        return sum(d["counters"].get(counter, {"sum": 0})["sum"] for d in domains)

    told = {"minors": most("minor"), "majors": most("major_gc_cycle_domains"), "allocated": amount("minor_allocated"),
            "promoted": amount("minor_promoted"), "events": report["events"], "lost": report["lost_words"],
            "pauses": pauses["count"], "p50": pauses["p50_s"], "p99": pauses["p99_s"], "max": pauses["max_s"],
            "gc": sum(d["gc_s"] for d in domains), "wait": sum(d["wait_s"] for d in domains)}
    heap = report["levels"]["heap"]
    if heap:
        told["heap"] = heap["bytes"]
    if report["fibers"]:
        loops = report["fibers"]["domains"]
        told |= {"fibers": report["fibers"]["created"], "alive": report["fibers"]["alive"], "fiber errors": report["fibers"]["errors"],
                 "turns": sum(loop["turns"] for loop in loops)}
    observed = [d["gc_s"] / d["gc_share"] for d in domains if d["gc_share"]]
    # Of two programs the time between them is in the rates, but not observed.
    if observed and state != "exec":
        told |= {"recorded share": told["gc"] / sum(observed), "recorded minor rate": told["minors"] / max(observed),
                 "recorded alloc rate": told["allocated"] / max(observed)}
    return told


def text(path):
    report = open(path).read()

    def found(pattern):
        hit = re.search(pattern, report, re.M)
        return number(hit[1]) if hit else None

    return {"minors": found(r"^  minor collections +(\S+)"), "minor rate": found(r"^  minor collections +\S+ +(\S+)"),
            "majors": found(r"^  major cycles +(\S+)"), "allocated": found(r"^  allocated (\S+?),?\s"),
            "alloc rate": found(r"^  allocated \S+, (\S+)"), "promoted": found(r"   promoted (\S+)"),
            "heap": found(r"^  heap ([^\s,]+)"), "events": found(r"^events (\S+)"),
            "fibers": found(r"^fibers of eio: (\S+) created"), "alive": found(r"^fibers of eio: .* (\S+) alive"),
            "fiber errors": found(r"^fibers of eio: .* (\S+) errors?$"), "lost": found(r"^lost (\S+) words"), "pauses": found(r"^pauses (\S+)"), "p50": found(r"^pauses.* p50 (\S+)"),
            "p99": found(r"^pauses.* p99 (\S+)"), "max": found(r"^pauses.* max (\S+)")}


def metrics(path):
    samples = re.findall(r'^(\w+)(?:\{(.*)\})? (\S+)$', open(path).read(), re.M)

    def get(name, *labels):
        values = [float(v) for (n, l, v) in samples if n == name and all(label in l for label in labels)]
        return sum(values) if values else None

    return {"minors": get("ocaml_gc_minor_collections_total"), "majors": get("ocaml_gc_major_cycles_total"),
            "allocated": get("ocaml_minor_allocated_bytes_total"), "promoted": get("ocaml_promoted_bytes_total"),
            "events": get("ocaml_events_total"), "lost": get("ocaml_ring_lost_bytes_total") / 8,
            "pauses": get("ocaml_gc_pause_seconds_count"), "gc": get("ocaml_gc_seconds_total"),
            "fibers": get("ocaml_fibers_created_total"), "alive": get("ocaml_fibers"), "fiber errors": get("ocaml_fiber_errors_total"),
            "turns": get("ocaml_loop_turn_seconds_count"), "wait": get("ocaml_gc_seconds_total", 'family="wait"'), "heap": get("ocaml_heap_bytes"),
            "domains": get("ocaml_domains")}


def batch(path):
    lines = [json.loads(line) for line in open(path)]

    def total(rate):
        return sum(line[rate] * line["interval_s"] for line in lines if line[rate] is not None)

    told = {"minors": total("minor_per_s"), "majors": total("major_per_s"), "allocated": total("alloc_bytes_per_s"),
            "promoted": total("promoted_bytes_per_s"), "events": total("events_per_s"),
            "lost": sum(line["lost_words"] for line in lines), "heap": lines[-1]["heap_bytes"],
            "alive": lines[-1]["fibers"],
            "domains": lines[-1]["domains"], "max": max(line["pause_max_s"] or 0 for line in lines)}
    if state == "paused":
        for rate in "minor_per_s", "major_per_s", "alloc_bytes_per_s", "promoted_bytes_per_s", "events_per_s", "gc_share":
            if lines[-1][rate] is not None:
                wrong.append(f"-b: {rate} of a paused target: {lines[-1]}")
        if lines[-1]["state"] != "paused":
            wrong.append(f"-b: the state of a paused target: {lines[-1]}")
        # In an interval that is half pause, the rate is that of the other half.
        told = {name: told[name] for name in ("lost", "heap", "domains", "max")}
    fibers = json.load(open("stats.json"))["fibers"]
    if state == "busy" and fibers:
        # The turns of an interval are some of those that stats has of all.
        [loop] = fibers["domains"]
        late = [line["loop_p99_s"] for line in lines if line["loop_p99_s"] is not None]
        if not late or min(late) < 0.001 or max(late) > loop["turn_max_s"] or max(late) < loop["turn_p50_s"]:
            wrong.append(f"-b: loop_p99_s {late}, all turns {loop}")
    if state == "lossy":
        # The domain that lost words is not known in that interval.
        told = {name: told[name] for name in ("lost", "heap", "domains", "max")}
    return told


def screen(path):
    head, band = open(path).read().split("\n", 1)

    def found(pattern, text):
        hit = re.search(pattern, text)
        return number(hit[1]) if hit else None

    told = {"domains": found(r"domains (\S+)", head), "max": found(r"worst pause (\S+)", head),
            "heap": found(r"│ heap +(\S+)", band), "lost": found(r"│ lost +(\S+)", band)}
    if state == "paused" and path.startswith("live"):
        for label in "^ GC +", "│ alloc +", "promoted ":
            if not re.search(rf"{label}-", band, re.M):
                wrong.append(f"live: {label} of a paused target: {band}")
    return told


def overview(path):
    lines = open(path).read().splitlines()
    [head] = [line for line in lines if re.search(r"\bheap\b", line.lower()) and "pid" in line.lower()]
    [row] = [line for line in lines if re.search(rf"^ *{pid}\s", line)]
    words = head.replace("▾", " ").replace("▴", " ").lower()
    told = {}
    for name, label in ("domains", "domains"), ("heap", "heap"), ("alive", "fibers"):
        hit = re.search(rf"\b{label}\b", words)
        cell = hit and re.search(r"\S+$", row[: hit.end()])
        if cell and number(cell[0]) is not None:
            told[name] = number(cell[0])
    return told


faces = {"stats": stats("stats.json"), "stats text": text("stats.txt"), "metrics": metrics("metrics.now"), "-b": batch("batch.jsonl"),
         "live": screen("live.screen"), "overview": overview("overview.screen"), "recording": stats("replay.json"),
         "recording text": text("replay.txt"), "replay": screen("replay.screen")}



def sentence(face):
    """The sentence that a face says and its verdict, None: it has none."""
    def line(path, pattern):
        hit = re.search(pattern, open(path).read(), re.M)
        return hit[1] if hit else None

    if face in ("stats", "recording"):
        report = json.load(open("stats.json" if face == "stats" else "replay.json"))
        return report["headline"], report["verdict"]
    if face in ("stats text", "recording text"):
        [(verdict, text)] = re.findall(r"^(healthy|note|attention|bad|no verdict): ((?:.*\n)(?:  .*\n)*)",
                                       open("stats.txt" if face == "stats text" else "replay.txt").read(), re.M)[:1]
        # That it is healthy is said once.
        report = json.load(open("stats.json" if face == "stats text" else "replay.json"))
        headline = report["headline"]
        if verdict == "healthy" and headline in [finding["text"] for finding in report["findings"]]:
            sys.exit(f"{face}: a finding is no health: {text}")
        text = " ".join(text.split())
        text = "healthy: " + text if verdict == "healthy" and headline.startswith("healthy: ") else text
        return text, {"no verdict": None, "note": "healthy"}.get(verdict, verdict)
    if face == "-b":
        last = [json.loads(line) for line in open("batch.jsonl")][-1]
        return last["headline"], last["verdict"]
    if face == "metrics":
        told = line("metrics.now", r"^ocaml_verdict\{.*\} (\d)$")
        return None, told and ("healthy", "attention", "bad")[int(told)]
    if face == "overview":
        return line("overview.screen", rf"^{pid}: (.*?)\s*$"), "any"
    # What a replay said of all of its file stays for a while.
    word, text = re.match(r" \S (?:([A-Z][A-Z ]*)  )?(.*?)(?: +\[.\].*)?$", open(f"{face}.screen").read().splitlines()[1]).groups()
    text = re.sub(r"^whole file: ", "", text)
    names = [f["name"] for f in json.load(open("stats.json" if face == "live" else "replay.json"))["findings"]]
    # The word in capitals is the begin of the sentence, or the name of its finding.
    if word and word.lower().replace(" ", "_") not in names:
        text = word + ": " + text
    return text.strip(), "any"


def words(text):
    """The words of a sentence, whatever its figures and capitals are.  How far an early look has come is a figure, too."""
    text = text.lower()
    text = re.sub(r"^(looking: .*|nothing found in .*)$", "early", text)
    # Each has samples of its own, by which a late loop is excused.
    text = re.sub(r"^(?:late loop: )?(loop d\d late).*", r"\1", text)
    return " ".join("#" if re.search(r"\d", word) else word for word in text.split())


# All faces say the same sentence of the process as it was, and judge it alike; a recording knows of no process that sleeps.
for faces_of in ("stats", "stats text", "-b", "metrics", "live", "overview"), ("recording", "recording text", "replay"):
    told = {face: sentence(face) for face in faces_of}
    if state != "paused":
        # It began to look after that.
        told.pop("overview", None)
    print("says", told)
    said = {words(text) for text, verdict in told.values() if text is not None}
    verdicts = {verdict for text, verdict in told.values() if verdict != "any"}
    if len(said) != 1 or len(verdicts) != 1:
        wrong.append(f"the faces say {said}, and judge {verdicts}")

if state == "lossy":
    # How many events are left depends on where each began to read again.
    for told in faces.values():
        told.pop("events", None)

# What goes on with the clock is the same in all that shows the recording.  Elsewhere the proportion of two rates is.
for face, told in faces.items():
    rates = {name: told.pop(name, None) for name in ("share", "minor rate", "alloc rate")}
    if face in ("recording text", "replay") and state != "exec":
        told |= {"recorded " + name: value for name, value in rates.items()}
    elif face != "recording":
        told = {name: told.pop(name) for name in list(told) if name.startswith("recorded ")}
    if rates["minor rate"]:
        faces[face]["allocated a minor"] = rates["alloc rate"] / rates["minor rate"]
    elif faces[face].get("minors"):
        faces[face]["allocated a minor"] = faces[face]["allocated"] / faces[face]["minors"]

# How far two faces may be apart, by what is printed in three digits and sums of rounded rates; of shares, absolutely.
for name in sorted({name for told in faces.values() for name in told}):
    told = {face: values[name] for face, values in faces.items() if values.get(name) is not None}
    if not told:
        continue
    print(f"{name:10}", ", ".join(f"{face} {value:.6g}" for face, value in told.items()))
    low, high = min(told.values()), max(told.values())
    if high - low > ((0.0051 if high > 0.09 else 0.00051) if "share" in name else 0.02 * max(abs(low), abs(high)) + 1e-9):
        wrong.append(f"{name}: the faces do not agree")
# A recording has what stats of the same time has, but for what came before the one and after the other, and what only memory tells.
for name, value in faces["stats"].items():
    if name not in ("events", "lost", "heap") and value != faces["recording"][name]:
        wrong.append(f"{name}: stats {value}, of the recording {faces['recording'][name]}")
# What was seen of the heap before anybody attached is known to all, and to reports what memory tells.
known = ["metrics", "-b", "live", "overview", "replay"]
if faces["stats"].get("heap") is not None:
    known += ["stats text", "recording text"]
for face in known:
    if faces[face].get("heap") is None:
        wrong.append(f"{face}: the heap is not known")
# Of the same recording, the age of the heap is told to people if it is old, and to programs always.
heap, told = json.load(open("replay.json"))["levels"]["heap"], re.search(r"^  heap .* ago$", open("replay.txt").read(), re.M)
if heap and heap["from"] == "memory" and (heap["age_s"] > 5) != bool(told):
    wrong.append(f"recording: the heap is {heap}, in words {told}")
for figure in json.load(open("diff.json"))["figures"]:
    if figure["a"] != figure["b"]:
        wrong.append(f"diff against itself: {figure}")
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
