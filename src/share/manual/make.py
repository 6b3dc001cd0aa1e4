#!/usr/bin/env python3
"""make.py - make the manual pages and the completions.

    make.py TABLES SOURCE_DIR OUT_DIR

TABLES is what the program manual_tables prints: commands, options, keys, findings, metrics.  Pages of section 1
are templates, SOURCE_DIR/src/share/man/NAME.in: a line @WORD is replaced by what the tables say.  Pages of section 3
come from the public headers.  rtevtop.7 is written by hand; keys and findings that it names are looked up.  The date of a page
is that of the version in CHANGELOG.md.  OUT_DIR gets man/ and completions/, and README.md with its table of releases.
"""

import datetime
import json
import pathlib
import re
import sys

import completions
import headers
import mdoc
import releases

MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December"]
HEADERS = ["rtev.h", "events.h", "cursor.h", "producer.h", "fxt.h", "fxt_reader.h", "memtrace.h"]


def fail(text):
    sys.exit(f"make.py: {text}")


def date_of(changes, version):
    """The date of a version, in the form of mdoc."""
    found = re.search(rf"^## {re.escape(version)}, (\d{{4}}-\d\d-\d\d)$", changes, re.M)
    if found is None:
        fail(f"CHANGELOG.md has no section `## {version}, YYYY-MM-DD`")
    date = datetime.date.fromisoformat(found[1])
    return f"{MONTHS[date.month - 1]} {date.day}, {date.year}"


class Pages:
    """What the templates ask for."""

    def __init__(self, tables, date):
        self.tables, self.date = tables, date
        self.options = {option["name"]: option for option in tables["options"]}
        self.commands = {command["name"] or "top": command for command in tables["commands"]}
        self.fields = re.findall(r"# HELP (\S+) (.*)\n# TYPE \S+ (\S+)", tables["metrics"])

    def page_of(self, name):
        return "rtevtop" if name == "top" else f"rtevtop-{name}"

    def head(self, command, page):
        purpose = command["purpose"] if command["name"] else "top for the OCaml 5 runtime"
        out = [f".Dd {self.date}", f".Dt {page.upper()} 1", f".Os rtevtop {self.tables['version']}", ".Sh NAME",
               f".Nm {page}", f".Nd {purpose}", ".Sh SYNOPSIS"]
        for usage in re.split(r"\s+\|\s+(?=\[--json\] \[-n)", command["synopsis"]):
            out += [".Nm rtevtop" + (" " + command["name"] if command["name"] else ""), *mdoc.synopsis(usage)]
        return out

    def about(self, command, _page):
        return mdoc.paragraphs(command["about"]) if command["about"] else []

    def option_list(self, command, _page):
        out = [".Bl -tag -width Ds"]
        for name in [o for o in self.options if o in command["options"] + command["demo_options"]]:
            option = self.options[name]
            value = option["value"] or ""
            if value.startswith("["):
                long = f"Fl -{name} Ns Oo Ns = Ns Ar {value[2:-1]} Oc"
            else:
                long = f"Fl -{name}" + (f" Ar {value}" if value else "")
            short = f"Fl {option['letter']} , " if option["letter"] else ""
            text = {"help": "print a short help", "version": "print the version"}.get(
                name, command["help"].get(name, option["help"]))
            out += [f".It {short}{long}", *mdoc.inline(self.sentence(text))]
            if name in command["demo_options"]:
                out += ["Only with", ".Fl -demo ."]
            out += self.values(option, command)
        return out + [".El"]

    @staticmethod
    def sentence(text):
        text = text[0].upper() + text[1:]
        return text if text.endswith(".") else text + "."

    def values(self, option, command):
        groups = {}
        for value, group in option["values"]:
            # A memtrace file has sites, a target all else.
            if not group or (group == "memtrace sites") == (command["name"] == "memtrace"):
                groups.setdefault(group, []).append(value)
        out = []
        for group, names in groups.items():
            out.append(f"Of {group}:" if group else "One of")
            out += self.names([mdoc.quoted(name) for name in names])
        return out

    def example(self, command, _page):
        return [".Dl " + mdoc.escape(command["example"]), ".Pp", *mdoc.inline(self.sentence(command["effect"]))]

    def status(self, command, _page):
        out = [".Bl -tag -width Ds", ".It 0", "It did what was asked.", ".It 1",
               "It could not; the message says what failed and what to do.", ".It 2", "Wrong usage."]
        if command["runs"]:
            out += [".It Ar n", "With", ".Cm -- Ar COMMAND :", "the status of", ".Ar COMMAND ;",
                    "128 and the signal's number when a signal ended it.", ".It 125", ".Ar COMMAND",
                    "could not be started.", ".It 126", ".Ar COMMAND", "can't be run.", ".It 127", ".Ar COMMAND",
                    "was not found."]
        out.append(".El")
        if command["statuses"]:
            out += mdoc.inline(self.sentence(command["statuses"]))
        return out

    def command_list(self, *_):
        out = [".Bl -tag -width Ds"]
        for name, command in self.commands.items():
            if name != "top":
                out += [f".It Xr rtevtop-{name} 1", *mdoc.inline(self.sentence(command["purpose"]))]
        return out + [".El"]

    def key_list(self, chosen):
        out = [".Bl -tag -width Ds -compact"]
        for action in chosen:
            keys = " , ".join("Ic " + ("\\&" + key if key in list(".,()[];:?!|") else mdoc.escape(key))
                              for key in action["keys"])
            out += [f".It {keys}", *mdoc.inline(self.sentence(action["help"]))]
        return out + [".El"]

    def keys(self, *_):
        views, out = self.tables["views"], []
        everywhere = (1 << len(views)) - 1
        groups = {}
        for action in self.tables["actions"]:
            where = action["views"] if action["mode"] == "live" else action["mode"]
            groups.setdefault(where, []).append(action)
        live = everywhere & ~(1 << len(views) - 1)
        for where, actions in groups.items():
            if where == "replay":
                title = "In a replay"
            elif where == "frozen":
                title = "While frozen"
            elif where == everywhere:
                title = "Everywhere"
            elif where == live:
                title = "In all views of a target"
            else:
                inside = [view for i, view in enumerate(views) if where >> i & 1]
                outside = [view for i, view in enumerate(views) if not where >> i & 1]
                title = "In " + ", ".join(inside) if len(inside) <= len(outside) else "In all views but " + ", ".join(outside)
            out += [".Ss \\&" + title, *self.key_list(actions)]
        return out

    def findings(self, *_):
        out = [".Bl -tag -width Ds -compact"]
        for finding in self.tables["findings"]:
            out += [f".It Cm {finding['name']}", *mdoc.inline(finding["question"])]
        return out + [".El"]

    def metrics(self, *_):
        out = [".Bl -tag -width Ds -compact"]
        for name, text, kind in self.fields:
            out += [f".It Va {name} Pq {kind}", *mdoc.inline(text)]
        return out + [".El"]

    def flight(self, *_):
        seconds = self.tables["flight"]
        return mdoc.inline(f"The file of a pause begins {seconds['before']} s before it and ends {seconds['after']} s "
                           f"after it.  Within {seconds['rate']} s only a longer pause gets another one.")

    @staticmethod
    def names(words):
        """Words as a list with commas, and a full stop."""
        return [f".Cm {word}{' ,' if i + 1 < len(words) else ' .'}" for i, word in enumerate(words)]

    def settings(self, *_):
        return self.names(self.tables["settings"])

    def states(self, *_):
        return self.names(self.tables["states"])

    def check_columns(self, text, name):
        """A page that describes the columns of -b names each, as the report and as JSON do."""
        words = set(re.findall(r"[A-Za-z0-9_/]+", text[text.index(".Sh PLAIN REPORTS"):text.index(".Sh ENVIRONMENT")]))
        for column, key in self.tables["columns"]:
            if column not in words or not (key in words or key == column.lower()):
                fail(f"{name}.in describes no column {column} ({key})")

    def releases(self, *_):
        return releases.mdoc_list()

    def see(self, command, page):
        others = [f"{self.page_of(name)} 1" for name in self.commands if self.page_of(name) != page]
        others = sorted(others) + ["rtevtop 7"]
        return [f".Xr {other}{' ,' if i + 1 < len(others) else ''}" for i, other in enumerate(others)]

    def check_guide(self, text, name):
        """The guide is of this version and its date, and names no key and no finding that there is none of."""
        if f".Os rtevtop {self.tables['version']}\n" not in text:
            fail(f"{name} is of another version than {self.tables['version']}")
        if f".Dd {self.date}\n" not in text:
            fail(f"{name} is not of {self.date}")
        keys = {key for action in self.tables["actions"] for key in action["keys"]}
        findings = {finding["name"] for finding in self.tables["findings"]}
        for key in re.findall(r"^\.Ic (\S+)", text, re.M):
            if key.removeprefix("\\&") not in keys:
                fail(f"{name} names a key {key}, which there is none of")
        for finding in re.findall(r"^\.Cm (\w+)", text, re.M):
            if finding not in findings:
                fail(f"{name} names a finding {finding}, which there is none of")

    def fill(self, template, name):
        """The page of a template."""
        page = name.rsplit(".", 1)[0]
        command = self.commands[page.partition("-")[2] or "top"]
        out = []
        for row in template.split("\n"):
            if not row.startswith("@"):
                out.append(row)
                continue
            maker = getattr(self, row[1:].strip().replace("-", "_"), None)
            if maker is None:
                fail(f"{name}.in: no such part: {row}")
            out += maker(command, page)
        return "\n".join(out).rstrip("\n") + "\n"


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    tables = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    source, out = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    man = out / "man"
    man.mkdir(parents=True, exist_ok=True)
    date = date_of((source / "CHANGELOG.md").read_text(encoding="utf-8"), tables["version"])
    pages = Pages(tables, date)
    templates = source / "src/share/man"
    for name in [pages.page_of(command) + ".1" for command in pages.commands]:
        template = templates / f"{name}.in"
        if not template.exists():
            fail(f"{name} has no template: write src/share/man/{name}.in")
        text = pages.fill(template.read_text(encoding="utf-8"), name)
        if name == "rtevtop.1":
            pages.check_columns(text, name)
        (man / name).write_text(text, encoding="utf-8")
    guide = templates / "rtevtop.7"
    pages.check_guide(guide.read_text(encoding="utf-8"), guide.name)
    write_library_pages(source, man, date, tables["version"])
    completions.make(tables, out / "completions")
    (out / "README.md").write_text(releases.readme((source / "README.md").read_text(encoding="utf-8")), encoding="utf-8")


def write_library_pages(source, man, date, version):
    links, names = [], [headers.page_name(header) for header in HEADERS]
    texts = {header: (source / "include/rtev" / header).read_text(encoding="utf-8") for header in HEADERS}
    for text in texts.values():
        mdoc.FUNCTIONS.update(headers.functions_of(text))
    for header, text in texts.items():
        lines, functions = headers.make(header, text, names, date, version)
        page = headers.page_name(header)
        (man / f"{page}.3").write_text("\n".join(lines) + "\n", encoding="utf-8")
        links += [f"{function} {page}" for function in functions]
    (man / "links").write_text("\n".join(sorted(links)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
