"""headers.py - pages of section 3 from the public headers.

A header is a comment that describes it, then groups apart by empty lines: a comment, and what it is about.  Its
functions are listed in SYNOPSIS with their types; DESCRIPTION keeps the order of the header.
"""

import re

import mdoc

TABLE_ENDS = {"STATUSES": "", "RELEASES": "RELEASE_", "PHASES": "PHASE_", "COUNTERS": "COUNTER_", "LIFECYCLES": "LIFECYCLE_"}


def comment_text(comment):
    """The text of a comment without its marks."""
    rows = comment.strip()[2:-2].split("\n")
    rows = [re.sub(r"^\s\* ?", "", row) for row in rows]
    return "\n".join(row.rstrip() for row in rows).strip("\n").removeprefix(" ")


def split_groups(text):
    """Yield (comment or None, code) for each group; a comment within a group begins a new one."""
    pattern = re.compile(r"^/\*.*?\*/[ \t]*\n", re.S | re.M)
    for block in re.split(r"\n\s*\n(?![ \t*])", text):
        block = block.strip("\n") + "\n"
        while block.strip():
            found = pattern.match(block)
            comment = comment_text(found.group()) if found else None
            block = block[found.end():] if found else block
            later = pattern.search(block)
            yield comment, block[:later.start() if later else len(block)].rstrip("\n")
            block = block[later.start():] if later else ""


class Function:
    """A prototype."""

    def __init__(self, text):
        text = re.sub(r"^(RTEV_API|static inline)\s+", "", text)
        text = " ".join(text.split()).replace("( ", "(")
        self.type, self.name, arguments = re.match(r"^(.*?[ *])(rtev_[a-z0-9_]+)\((.*)\)$", text).groups()
        self.arguments, depth, word = [], 0, ""
        for char in arguments:
            depth += (char == "(") - (char == ")")
            if char == "," and depth == 0:
                self.arguments.append(word.strip())
                word = ""
            else:
                word += char
        self.arguments.append(word.strip())

    def prototype(self):
        return [".Ft " + mdoc.quoted(self.type.strip()), ".Fo " + self.name,
                *[".Fa " + mdoc.quoted(argument) for argument in self.arguments], ".Fc"]

    def call(self):
        """The item that describes it: names of arguments without their types."""
        names = []
        for argument in self.arguments:
            pointer = re.search(r"\(\*([a-z_]+)\)", argument)
            names.append(pointer.group(1) if pointer else re.sub(r"\[.*\]", "", argument).split()[-1].lstrip("*"))
        if names == ["void"]:
            names = []
        return ".It Fn " + " ".join([self.name, *names])


def split_functions(code):
    """The prototypes of a group, and the code that is none."""
    functions, rest = [], []
    pattern = re.compile(r"(?:RTEV_API|static inline)\s[^;{]*?\)(?=;|\s*\{)", re.S)
    at = 0
    while (found := pattern.search(code, at)) is not None:
        rest.append(code[at:found.start()])
        functions.append(Function(found.group()))
        at = found.end()
        if code[at] == ";":
            at += 1
        else:
            at = code.index("\n}", at) + 2
    rest.append(code[at:])
    return functions, "\n".join(row for row in "".join(rest).split("\n") if row.strip())


def table(code):
    """The rows of an X-macro as a list: a name and its text."""
    name = re.match(r"#define RTEV_([A-Z]+)\(X\)", code).group(1)
    code = re.sub(r"[\s\\]+", " ", code.replace('\\"', "'"))
    rows = re.findall(r"\bX\(([A-Z0-9_]+), (?:[-0-9]+, )?\"([^\"]*)\"((?:, [A-Z_]+)*)[^)]*\)(?: /\* (.*?) \*/)?", code)
    out = [".Bl -tag -width Ds -compact"]
    for constant, text, kinds, remark in rows:
        kinds = f" ({kinds[2:].lower()})" if kinds else ""
        remark = f"; {remark}" if remark and TABLE_ENDS[name] else ""
        out += [".It Dv RTEV_" + TABLE_ENDS[name] + constant, *mdoc.inline(text + kinds + remark)]
    return out + [".El"]


def plain(code):
    """Code that a reader has use for: no machinery of the preprocessor."""
    rows = []
    code = re.sub(r"enum \w* ?\{(\n#.*|\s+RTEV_[A-Z]+\(RTEV_.*)*\s*(RTEV_\w+_COUNT\s*)?\};", "", code)
    for row in code.split("\n"):
        if not row.strip() or row.startswith("#define RTEV_API"):
            continue
        if re.match(r"#(if|el|en|undef)", row) or re.match(r"#define RTEV_[A-Z]+_ENUM\b", row) or re.match(r"\s+RTEV_[A-Z]+\(RTEV_", row):
            continue
        rows.append(row)
    return rows


def page_name(header):
    """The page of a header: rtev_cursor of cursor.h."""
    return "rtev" if header == "rtev.h" else "rtev_" + header[:-2]


def make(header, text, pages, date, version):
    """The page of a header, and the names of its functions."""
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", text, flags=re.S)
    intro, rest = re.match(r"(/\*.*?\*/)\n(.*)", text, re.S).groups()
    title, _, about = comment_text(intro).partition("\n\n")
    purpose = title.split(" - ", 1)[1]
    if ".  " in purpose or purpose.endswith(")"):
        purpose, _, more = purpose.partition(".")
        about = more.strip() + "\n\n" + about
    rest = re.sub(r"#ifndef RTEV_[A-Z_]+_H\n#define RTEV_[A-Z_]+_H\n|\n#endif\s*$", "", rest)
    rest = re.sub(r"#include .*\n", "", rest)
    functions, body = [], []
    for comment, code in split_groups(rest):
        heading = re.match(r"^-+ (.*) -+$", comment or "")
        if heading:
            body.append(".Ss " + heading.group(1)[0].upper() + heading.group(1)[1:])
            continue
        found, code = split_functions(code)
        functions += found
        code = [] if not code else plain(code)
        comment = re.sub(r"^X\([^)]*\)[.:]\s*", "", comment or "")
        words = mdoc.paragraphs(comment[:1].upper() + comment[1:]) if comment else []
        if code and code[0].startswith("#define") and "(X)" in code[0]:
            body += [".Pp", *[line for line in words], *table("\n".join(code))]
            continue
        if not found and not code and not words:
            continue
        if code and all(re.match(r"^struct [a-z_]+;", row) for row in code) and not words:
            continue
        if found:
            body.append(".Bl -tag -width Ds")
            body += [function.call() for function in found]
            body += words
            body.append(".El")
            words = []
        if words:
            body += [".Pp", *words]
        if code:
            body += mdoc.literal(code)
    name = page_name(header)
    names = [name, *[f.name for f in functions if f.name != name]]
    out = [f".Dd {date}", f".Dt {name.upper()} 3", f".Os rtevtop {version}", ".Sh NAME"]
    out += [f".Nm {n}{' ,' if i + 1 < len(names) else ''}" for i, n in enumerate(names)]
    out += [".Nd " + " ".join(purpose.rstrip(".").split()), ".Sh LIBRARY", "librtev", ".Pq Fl lrtev",
            ".Sh SYNOPSIS", f".In rtev/{header}"]
    for function in functions:
        out += function.prototype()
    out += [".Sh DESCRIPTION", *mdoc.paragraphs(about), *body]
    if name != "rtev":
        out += [".Sh RETURN VALUES", "A function of type", ".Vt int", "returns", ".Dv RTEV_OK",
                "(0), or a negative status of", ".Xr rtev 3 ,", "unless its text says otherwise."]
    out += [".Sh SEE ALSO"]
    others = ["rtevtop 1", *sorted(f"{other} 3" for other in pages if other != name)]
    out += [f".Xr {other}{' ,' if i + 1 < len(others) else ''}" for i, other in enumerate(others)]
    return squeeze(out), [f.name for f in functions if f.name != name]


def functions_of(text):
    """The names of all functions of a header."""
    return [function.name for function in split_functions(text)[0]]


def squeeze(lines):
    """Drop paragraph marks that have nothing to part."""
    out = []
    for line in lines:
        after = out[-1] if out else ""
        if line == ".Pp" and re.match(r"\.(Sh|Ss|El|Ed|Pp)\b", after) and not re.match(r"\.(El|Ed)", after):
            continue
        if line.startswith((".Bl", ".Bd", ".Ss", ".Sh")) and after == ".Pp":
            out.pop()
        out.append(line)
    return out
