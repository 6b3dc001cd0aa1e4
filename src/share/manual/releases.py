"""releases.py - what is told of programs of which OCaml release, as a list for rtevtop(1) and as a table for README.md.

Where a part is told of stripped programs otherwise, or could be, the list has a line of its own for these.
"""

RELEASES = ["5.0", "5.1", "5.2", "5.3", "5.4.1", "5.5.2"]
# What, of programs as they are compiled, and of stripped ones: y as tests see with real programs of that release, p in part, n not.
# Then the tests of each, with %s for the release: the test test_manual holds that each y has one.
PARTS = [
    ("events: pauses, phases", "pypyyy", None, "live_%s_native", None),
    ("counters and heap", "pypyyy", "nypyyy", "runtime_%s", "runtime_%s"),
    ("memory by part", "pypyyy", "nypyyy", "memory_%s", "memory_%s"),
    ("stacks of threads", "pypyyy", "pypyyy", "stacks_%s_native", "stacks_%s_stripped"),
    ("suspended fibers", "pypyyy", "nynyyy", "fiber_stacks_%s", "fiber_stacks_%s"),
    ("settings", "pypyyy", None, "settings_%s", None),
]
WORDS = {"y": "yes", "p": "part", "n": "no"}
SIGNS = {"y": "✓", "p": "◐", "n": "✗"}


def mdoc_list():
    """The lines of a list of mdoc."""
    out = ['.Bl -column "events: pauses, phases"' + ' "5.4.1"' * len(RELEASES), ".It " + " Ta ".join(["release", *RELEASES])]
    for name, normal, stripped, *_ in PARTS:
        rows = [(f'"{name}"' if " " in name else name, normal)] + ([("stripped", stripped)] if stripped else [])
        out += [".It " + " Ta ".join([title, *(WORDS[sign] for sign in signs)]) for title, signs in rows]
    return out + [".El"]


def readme(text):
    """The text of README.md with this table in place of the one that it has."""
    table = ["| | " + " | ".join(RELEASES) + " |", "|---" * (len(RELEASES) + 1) + "|"]
    for name, normal, stripped, *_ in PARTS:
        cells = [SIGNS[a] + (f", stripped {SIGNS[b]}" if b != a else "") for a, b in zip(normal, stripped or normal)]
        table.append("| " + " | ".join([name, *cells]) + " |")
    begin = text.index(f"| | {RELEASES[0]} |")
    return text[:begin] + "\n".join(table) + text[text.index("\n\n", begin):]
