"""mdoc.py - turn plain sentences of the sources into mdoc(7).

A text comes from a comment of a header or from a table of the program.  In it `code` is literal, two words with
a blank line between them belong to two paragraphs, options begin with a dash, names of the library with rtev_ or
RTEV_.  A new sentence gets a new line, as mdoc asks for.
"""

import re

WORDS = re.compile(r"`[^`]*`[^\s`]*|\S+")
OPENING = re.compile(r"^[(\[]+")
CLOSING = re.compile(r"[.,;:)\]?!]+$")
SENTENCE_END = re.compile(r"[.?!][)\"]?$")
ARGUMENTS = re.compile(r"^(TARGET|COMMAND[12]?|FILE|FILE\.(events|fxt|ctf|prom)|DIR|PID|DIR:PID|ARG|SEC|MS)$")


# The functions of the library; other names that begin with rtev_ are types.
FUNCTIONS = set()


def escape(text):
    """Text that troff prints as it stands."""
    text = text.replace("\\", "\\e")
    if text[:1] in (".", "'"):
        text = "\\&" + text
    return text


def quoted(text):
    """One argument of a macro."""
    return '"' + text.replace("\\", "\\e").replace('"', "\\(dq") + '"'


def macro(word):
    """The macro for a word without its punctuation; None for plain text."""
    if word.startswith("`"):
        return "Ql " + quoted(word.strip("`"))
    if re.match(r"^-(-?[a-zA-Z][-a-z]*)?$", word):
        return "Fl " + word[1:] if len(word) > 1 else "Fl"
    if word.removesuffix("()") in FUNCTIONS:
        return "Fn " + word.removesuffix("()")
    if re.match(r"^RTEV_[A-Z0-9_]+$", word) or re.match(r"^OCAML[A-Z_]+$", word):
        return ("Dv " if word.startswith("RTEV") else "Ev ") + word
    if re.match(r"^[a-z]+\([1-8]\)$", word):
        return f"Xr {word[:-3]} {word[-2]}"
    if ARGUMENTS.match(word):
        return "Ar " + word
    return None


def inline(text):
    """Lines of mdoc for one paragraph."""
    lines, line = [], ""

    def flush():
        nonlocal line
        if line:
            lines.append(escape(line))
        line = ""

    for word in WORDS.findall(text):
        before = OPENING.match(word)
        before = before.group() if before else ""
        rest = word[len(before):]
        if rest.startswith("`"):
            end = rest.index("`", 1) + 1
            core, after = rest[:end], rest[end:]
        else:
            after = CLOSING.search(rest)
            after = after.group() if after else ""
            if "(" in rest and re.match(r".*\([0-9]?\)", rest):
                core = re.match(r".*\([0-9]?\)", rest).group()
                after = rest[len(core):]
            else:
                core = rest[:len(rest) - len(after)]
        name = macro(core)
        if name is not None and re.match(r"^[.,;:)\]?!]*$", after):
            flush()
            lines.append("." + " ".join([name.split(" ", 1)[0], *before, *name.split(" ", 1)[1:], *after]))
        else:
            if len(line) + len(word) > 100:
                flush()
            line += (" " if line else "") + word
        if SENTENCE_END.search(word):
            flush()
    flush()
    return lines


def paragraphs(text):
    """Lines of mdoc for a comment: paragraphs, indented code, and lists whose items begin with a dash."""
    out = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        rows = block.split("\n")
        if out:
            out.append(".Pp")
        if all(row.startswith("    ") for row in rows):
            out[-1:] = [".Bd -literal -offset indent"]
            indent = min(len(row) - len(row.lstrip()) for row in rows)
            out += [escape(row[indent:]) for row in rows] + [".Ed"]
        elif rows[0].startswith("- "):
            out[-1:] = [".Bl -bullet"]
            for item in re.split(r"\n- ", "\n" + block)[1:]:
                out += [".It", *inline(item)]
            out.append(".El")
        else:
            out += inline(block)
    return out


def literal(code):
    """Lines of mdoc for code."""
    return [".Bd -literal", *[escape(row.expandtabs(8)) for row in code], ".Ed"]


def synopsis(text):
    """A usage line: "[--json] [--label K=V]... FILE|- | A B" as macros."""
    tokens = re.findall(r"\[|\]|\.\.\.|\||[^\s\[\]|]+?(?=\.\.\.|[\s\[\]|]|$)|\s+", text)
    out, line, glue = [], [], False
    depth = 0
    for i, token in enumerate(tokens):
        if token.isspace():
            glue = False
            continue
        if token == "[":
            word = "Oo"
            depth += 1
        elif token == "]":
            word = "Oc"
            depth -= 1
        elif token == "...":
            word = "Ns Ar ..."
            glue = False
        elif token == "|":
            word = "|" if not glue else "Ns | Ns"
        elif token == "-":
            word = "Fl"
        elif token.startswith("-"):
            flag, _, value = token[1:].partition("=")
            word = "Fl " + (flag if flag != "-" else "-")
        elif re.match(r"^[a-z]", token):
            word = "Cm " + token
        else:
            word = "Ar " + token
        if glue and token not in ("[", "]", "|") and line and not line[-1].endswith("Ns"):
            word = "Ns " + word
        line.append(word)
        glue = token not in ("[",)
        # Fl would take what follows as its flags.
        if depth == 0 and token in ("]", "...", "-") and not (i + 1 < len(tokens) and tokens[i + 1] == "..."):
            out.append("." + " ".join(line))
            line = []
    if line:
        out.append("." + " ".join(line))
    return out
