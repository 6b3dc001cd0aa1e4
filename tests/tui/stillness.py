"""stillness.py DIR: how still the pictures of DIR, one a second, stand: layouts of the band, changes of the verdict, and
seconds in which a box of a pane's bars moved by more than a cell.  Status 1 when that is more than a minute may have."""
import pathlib
import re
import sys

LABELS = re.compile(r"(?<!\S)(OCaml|up|domains|GC|pause|heap|CPU|alloc|lost|queued|work|p99|promoted|ring)(?= )")
pictures = [path.read_text().split("\n") for path in sorted(pathlib.Path(sys.argv[1]).iterdir())]
minutes = max(1, len(pictures) / 60)


def bars(picture):
    """The edges of boxes by pane and row: from the levels below a pane's title, in a frame or not, to its allocation."""
    found = {}
    for row, line in enumerate(picture):
        titles = list(re.finditer(r"(?:^|(?<=[╭ ]))D(\d+) (?=[a-z])", line)) if re.match("(╭ )?D", line) else []
        for title, end in zip(titles, [t.start() - 1 for t in titles[1:]] + [len(line)]):
            for below, text in enumerate(picture[row + 1:row + 12]):
                inside = text[max(title.start() - 1, 0):end]
                # A row of time has shades, the last rows have figures.
                if re.search("[░▒▓·]", inside) or re.match("[│ ]*(alloc|-?[0-9.]+s|╵)", inside):
                    break
                if "▏" in inside:
                    found[title[1], below] = [at for at, c in enumerate(inside) if c == "▏"]
    return found


def moved(before, after):
    return len(before) != len(after) or any(abs(a - b) > 1 for a, b in zip(before, after))


layouts = {tuple((row, m.start(), m[1]) for row in (0, 2, 3) for m in LABELS.finditer(picture[row])) for picture in pictures}
verdicts = [re.sub(r" {3,}.*", "", picture[1]) for picture in pictures]
changes = sum(a != b for a, b in zip(verdicts, verdicts[1:]))
seconds, seen = {}, {}
for before, after in zip(pictures, pictures[1:]):
    old, new = bars(before), bars(after)
    for pane, row in old.keys() & new.keys():
        seen[pane] = max(seen.get(pane, 0), row + 1)
    for pane in {pane for pane, row in old.keys() & new.keys() if moved(old[pane, row], new[pane, row])}:
        seconds[pane] = seconds.get(pane, 0) + 1
print(f"{len(pictures)} pictures: {len(layouts)} layouts of the band, {changes} changes of the verdict, "
      f"boxes moved in {seconds or 'no'} seconds by domain, of {seen} rows")
for verdict in dict.fromkeys(verdicts):
    print(f"  {verdict.strip()}")
# Three rows are levels: where there is no fourth one, no bar was looked at, unless the pane says that there is none.
bare = max(seen.values(), default=0) < 4 and not any("no time in phases" in line for line in pictures[-1])
sys.exit(bare or len(layouts) > 1 or changes > 3 * minutes or max(seconds.values(), default=0) > 6 * minutes)
