"""completions.py - completions for bash, zsh and fish.

Each shell gets the commands, the options of each and their values from the tables, processes from `rtevtop list`,
and files by what a command takes.
"""

# Endings of the files that a command's words may be, besides those of a TARGET.
ENDINGS = {"top": ["events", "fxt"], "log": ["events"], "stats": ["events", "fxt"], "record": ["events"],
           "metrics": [], "memtrace": ["ctf"], "diff": ["json", "events", "fxt"]}
# Options whose argument is a file or a directory: its ending, "" for any.
FILES = {"output": "", "memtrace": "ctf", "dir": "/"}

NOTE = "Made by src/share/manual/make.py of the tables of the program: see src/README.md."


class Facts:
    """The tables as the shells need them."""

    def __init__(self, tables):
        self.options = {option["name"]: option for option in tables["options"]}
        self.commands = {command["name"] or "top": command for command in tables["commands"]}
        self.names = [name for name in self.commands if name != "top"]

    def of(self, name):
        """The options of a command."""
        command = self.commands[name]
        return [{**option, "help": command["help"].get(o, option["help"])} for o, option in self.options.items()
                if o in command["options"] + command["demo_options"]]

    @staticmethod
    def words(option, name):
        """The values of an option of a command: those of sites for memtrace, of all other tables else."""
        groups = [group for _, group in option["values"]]
        sites = name == "memtrace" and "memtrace sites" in groups
        return list(dict.fromkeys(value for value, group in option["values"] if (group == "memtrace sites") == sites))

    @staticmethod
    def spellings(option):
        return ([f"-{option['letter']}"] if option["letter"] else []) + [f"--{option['name']}"]


def bash(facts):
    def rows(make):
        return "\n".join(make(name) for name in facts.commands)

    def options(name):
        words = " ".join(word for option in facts.of(name) for word in facts.spellings(option))
        return f"    {name}) echo '{words}' ;;"

    def values():
        out = []
        for option in facts.options.values():
            if option["argument"] != "required":
                continue
            keys = "|".join(facts.spellings(option))
            if option["name"] in FILES:
                out.append(f"    {keys}) _rtevtop_files '{FILES[option['name']]}' ;;")
            elif option["values"]:
                groups = {name: " ".join(facts.words(option, name)) for name in ("top", "memtrace")}
                both = groups["top"] != groups["memtrace"]
                if both:
                    out.append(f"    {keys})\n      if [[ $command == memtrace ]]; then\n"
                               f"        _rtevtop_words '{groups['memtrace']}'\n      else\n"
                               f"        _rtevtop_words '{groups['top']}'\n      fi\n      ;;")
                else:
                    out.append(f"    {keys}) _rtevtop_words '{groups['top']}' ;;")
            else:
                out.append(f"    {keys}) ;;")
        return "\n".join(out)

    def targets(name):
        command, what = facts.commands[name], []
        if name == "top":
            what.append(f"_rtevtop_words '{' '.join(facts.names)}'")
        if name == "help":
            what.append(f"_rtevtop_words 'top {' '.join(facts.names)}'")
        if command["target"]:
            what.append("_rtevtop_pids")
        what += [f"_rtevtop_files {' '.join(ENDINGS[name])}"] if ENDINGS.get(name) else []
        if what and name != "top":
            what.insert(0, f"((given < {command['words']})) || return")
        return f"    {name}) {'; '.join(what) or ':'} ;;"

    required = "|".join(word for option in facts.options.values() if option["argument"] == "required"
                        for word in facts.spellings(option))
    return f"""# bash completion for rtevtop.
# {NOTE}

# _rtevtop_words WORDS: those that begin as the word does.
_rtevtop_words() {{
  COMPREPLY+=($(compgen -W "$1" -- "$cur"))
}}

# _rtevtop_files ENDING...: files with one of these endings, and directories; '' any file, / directories alone.
_rtevtop_files() {{
  local ending found
  compopt -o filenames 2>/dev/null
  for ending; do
    case $ending in
      '') mapfile -t found < <(compgen -f -- "$cur") ;;
      /) found=() ;;
      *) mapfile -t found < <(compgen -f -X "!*.$ending" -- "$cur") ;;
    esac
    COMPREPLY+=("${{found[@]}}")
  done
  [[ $1 == '' ]] && return
  mapfile -t found < <(compgen -d -- "$cur")
  COMPREPLY+=("${{found[@]}}")
}}

# _rtevtop_pids: processes that have a ring.
_rtevtop_pids() {{
  local pid rest
  [[ $cur == *[!0-9]* ]] && return
  while read -r pid rest; do
    [[ $pid =~ ^[0-9]+$ && $rest != *' inaccessible '* && $pid == "$cur"* ]] && COMPREPLY+=("$pid")
  done < <("${{COMP_WORDS[0]}}" list 2>/dev/null)
}}

# _rtevtop_options COMMAND: its options.
_rtevtop_options() {{
  case $1 in
{rows(options)}
  esac
}}

# _rtevtop_argument OPTION: its values.
_rtevtop_argument() {{
  case $1 in
{values()}
    *) return 1 ;;
  esac
}}

# _rtevtop_command: the command of the line, and how many words it has been given; "--" behind that of a program.
_rtevtop_command() {{
  local i
  command=top at=0 given=0
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${{COMP_WORDS[i]}} in
      --)
        command=-- at=$i
        return
        ;;
      {required})
        [[ ${{COMP_WORDS[i + 1]}} == = ]] && ((i++))
        ((i++))
        ;;
      -*) ;;
      *)
        if [[ $at != 0 ]]; then
          ((given++))
          continue
        fi
        at=$i
        case ${{COMP_WORDS[i]}} in
          {"|".join(facts.names)}) command=${{COMP_WORDS[i]}} ;;
        esac
        ;;
    esac
  done
}}

_rtevtop() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} command at given
  COMPREPLY=()
  _rtevtop_command
  if [[ $command == -- ]]; then
    if declare -F _command_offset >/dev/null; then
      _command_offset $((at + 1))
    elif ((COMP_CWORD == at + 1)); then
      mapfile -t COMPREPLY < <(compgen -c -- "$cur")
    else
      _rtevtop_files ''
    fi
    return
  fi
  # --option=VALUE is three words.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  _rtevtop_argument "$prev" && return
  if [[ $cur == -* ]]; then
    _rtevtop_words "$(_rtevtop_options "$command")"
    return
  fi
  # The live view takes a command as its first word alone.
  if [[ $command == top && $at != 0 ]]; then
    _rtevtop_pids
    _rtevtop_files {' '.join(ENDINGS['top'])}
    return
  fi
  case $command in
{rows(targets)}
  esac
}}

complete -F _rtevtop rtevtop
"""


def zsh(facts):
    def quote(text):
        return text.replace("'", "'\\''")

    def spec(option, name):
        text = option["help"].replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")
        words = facts.words(option, name)
        value = ""
        if option["argument"] != "none":
            label = (option["value"] or "").strip("[]=")
            if option["name"] in FILES:
                ending = FILES[option["name"]]
                action = "_files -/" if ending == "/" else f'_files -g "*.{ending}"' if ending else "_files"
            else:
                action = f"({' '.join(words)})" if words else " "
            value = f"{':' if option['argument'] == 'required' else '::'}{label}:{action}"
        equals = {"none": "", "required": "=", "optional": "=-"}[option["argument"]]
        # A label may be given again.
        again = "*" if option["name"] == "label" else ""
        names = facts.spellings(option)
        if len(names) == 1:
            return f"      '{again}{names[0]}{equals}{quote(f'[{text}]{value}')}'"
        short, long = names
        plus = "+" if option["argument"] == "required" else ""
        return f"      '({short} {long})'{{{short}{plus},{long}{equals}}}'{quote(f'[{text}]{value}')}'"

    def positional(name):
        command, endings = facts.commands[name], ENDINGS.get(name, [])
        globs = f'"*.({"|".join(endings)})"' if len(endings) > 1 else f'"*.{endings[0]}"' if endings else ""
        if name == "help":
            return f"      '2:command:(top {' '.join(facts.names)})'"
        if command["target"]:
            first = "1" if name == "top" else "2"
            # Behind a blank, it gets no other arguments.
            files = f" _rtevtop_targets {quote(globs)}".rstrip()
            if name == "top":
                return f"      '1:target:_rtevtop_first' '*:target:{files}'"
            return f"      '{'*' if name == 'metrics' else first}:target:{files}'"
        count = 2 if name == "diff" else 1
        return " ".join(f"      '{at + 2}:file:_files -g {globs}'" for at in range(count)) if globs else ""

    cases = []
    for name in facts.commands:
        rows = [spec(option, name) for option in facts.of(name)]
        if name != "top":
            rows.insert(0, "      '1:command: '")
        where = positional(name)
        rows += [where] if where else []
        cases.append(f"    {name})\n    _arguments -s -S \\\n" + " \\\n".join(rows) + "\n      ;;")
    commands = "\n".join(f"    '{name}:{quote(facts.commands[name]['purpose'].replace(':', chr(92) + ':'))}'" for name in facts.names)
    return f"""#compdef rtevtop
# zsh completion for rtevtop.
# {NOTE}

# Processes that have a ring.
_rtevtop_pids() {{
  local -a pids
  local pid rest
  rtevtop list 2>/dev/null | while read -r pid rest; do
    [[ $pid == <-> && $rest != *' inaccessible '* ]] || continue
    pids+=("$pid:${{${{rest//:/ }}##* }}")
  done
  _describe -t processes 'OCaml process' pids
}}

# _rtevtop_targets [GLOB]: what a TARGET may be.
_rtevtop_targets() {{
  local -a kinds=('processes:OCaml process:_rtevtop_pids')
  [[ -n $1 ]] && kinds+=("files:file:_files -g ${{(qq)1}}")
  _alternative $kinds
}}

_rtevtop_commands() {{
  local -a commands=(
{commands}
  )
  _describe -t commands command commands
}}

# The first word: a command, or a TARGET of the live view.
_rtevtop_first() {{
  _alternative 'commands:command:_rtevtop_commands' 'processes:OCaml process:_rtevtop_pids' 'files:file:_files -g "*.({"|".join(ENDINGS["top"])})"'
}}

_rtevtop() {{
  local command=top word
  local -i at=${{words[(i)--]}}
  # Behind "--" stands a program with its arguments.
  if (( at < CURRENT )); then
    shift $at words
    (( CURRENT -= at ))
    _normal
    return
  fi
  for word in ${{words[2,CURRENT-1]}}; do
    case $word in
      ({"|".join(facts.names)})
        command=$word
        break
        ;;
    esac
  done
  case $command in
{chr(10).join(cases)}
  esac
}}

_rtevtop "$@"
"""


def fish(facts):
    def quote(text):
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    rows = []
    required = " ".join(word for option in facts.options.values() if option["argument"] == "required"
                        for word in facts.spellings(option))
    for name in facts.names:
        rows.append(f"complete -c rtevtop -n '__rtevtop_first' -a {name} -d {quote(facts.commands[name]['purpose'])}")
    for name in facts.commands:
        command, endings = facts.commands[name], ENDINGS.get(name, [])
        here = f"complete -c rtevtop -n '__rtevtop_is {name}'"
        words = f"complete -c rtevtop -n '__rtevtop_takes {name} {command['words']}'"
        if name == "help":
            rows.append(f"{words} -a 'top {' '.join(facts.names)}'")
        if command["target"]:
            rows.append(f"{words} -a '(__rtevtop_pids)'")
        for ending in endings:
            rows.append(f"{words} -a '(__rtevtop_files {ending})'")
        for option in facts.of(name):
            row = f"{here}" + (f" -s {option['letter']}" if option["letter"] else "") + f" -l {option['name']}"
            if option["argument"] == "required":
                words = facts.words(option, name)
                kind = FILES.get(option["name"])
                if kind == "":
                    row += " -r -F"
                elif kind == "/":
                    row += " -x -a '(__fish_complete_directories (commandline -ct))'"
                elif kind:
                    row += f" -x -a '(__rtevtop_files {kind})'"
                else:
                    row += " -x" + (f" -a '{' '.join(words)}'" if words else "")
            rows.append(f"{row} -d {quote(option['help'])}")
    return f"""# fish completion for rtevtop.
# {NOTE}

# The command of the line: top is the live view, run a program behind --.
function __rtevtop_command
    set -l words (commandline -opc)
    contains -- -- $words
    and echo run
    and return
    for word in $words[2..-1]
        if contains -- $word {' '.join(facts.names)}
            echo $word
            return
        end
    end
    echo top
end

function __rtevtop_is
    test (__rtevtop_command) = $argv[1]
end

# Whether the command is that, and has been given less than so many words.
function __rtevtop_takes
    __rtevtop_is $argv[1]
    or return
    set -l given 0
    set -l argument no
    test $argv[1] = top
    or set given -1
    for word in (commandline -opc)[2..-1]
        if test $argument = yes
            set argument no
        else if contains -- $word {required}
            set argument yes
        else if not string match -q -- '-*' $word
            set given (math $given + 1)
        end
    end
    test $given -lt $argv[2]
end

# Whether no word but options has come so far.
function __rtevtop_first
    test (count (commandline -opc)) = 1
end

# Processes that have a ring.
function __rtevtop_pids
    command rtevtop list 2>/dev/null | string match -rv ' inaccessible ' | string replace -rf '^ *([0-9]+) .* ([^ ]+)$' '$1\\t$2'
end

# Files with this ending, and directories.
function __rtevtop_files
    __fish_complete_path (commandline -ct) | string match -r '^[^\\t]*(?:\\.'$argv[1]'|/)(?:\\t.*)?$'
end

# What the program behind -- takes.
function __rtevtop_run
    set -l words (commandline -opc) (commandline -ct)
    set -l at (contains -i -- -- $words)
    complete -C (string join ' ' -- (string escape -- $words[(math $at + 1)..-2]) $words[-1])
end

complete -c rtevtop -f
complete -c rtevtop -n '__rtevtop_is run' -a '(__rtevtop_run)'
{chr(10).join(rows)}
"""


def make(tables, out):
    """Write the completions, each by the name under which it is installed."""
    out.mkdir(parents=True, exist_ok=True)
    facts = Facts(tables)
    for name, text in {"rtevtop": bash(facts), "_rtevtop": zsh(facts), "rtevtop.fish": fish(facts)}.items():
        (out / name).write_text(text, encoding="utf-8")
