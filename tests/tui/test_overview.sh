#!/usr/bin/env bash
# The overview: processes come and go, one is opened and left again with its history kept, several that are named.
. "$(dirname "$0")/lib.sh"
: "${RTEVTOP:?}"
need python3

# demo DOMAINS: start one; its pid in $demo.
demo() { start_demo --domains "$1" --rate 2000 --seed "$1" --seconds 1000; }

demo 1
one=$demo
demo 2
two=$demo
tui_begin 40 160 "'$RTEVTOP' -d 100ms; echo \"status \$?\"; sleep 3600"
tui_wait 'all OCaml processes'
# The processor time is known once the process was looked at twice.
tui_wait "$one .* live +1 +[0-9]+\.[0-9]+ +[0-9.]+%"
tui_wait "$two .* live +2 +[0-9]+\.[0-9]+ +[0-9.]+%"
# By memory, and by processor time, as in top.
tui_press 'residen▾' M
tui_press '▾CPU' P
# One more comes; its figures, and its end.
demo 3
three=$demo
tui_wait "$three .* live .* [0-9.]+%"
kill "$three"
# Nothing of it goes on: its state says when it ended.
tui_wait "$three .* [0-9]{2}:[0-9]{2}:[0-9]{2} +(- +){4,}"
# Only it is shown, then no more.
tui_type '\'
tui_type "$two"
tui_keys Enter
tui_wait_not "^ *$one "
tui_wait "^ *$two "
# Opened, and left again: the history goes on.
tui_press "D1 " Enter
tui_wait 'since [0-9]'
tui_press '10m  1h  6h' 0
tui_press 'all OCaml processes' Escape
tui_press "rtevtop $two" Enter
# One that ends while it is open is there for a while, with what it did last.
kill "$two"
tui_wait EXITED
tui_press "^ *$two .* [0-9]{2}:[0-9]{2}:[0-9]{2} +(- +){4,}" Escape
tui_press 'status 0' q

# Several that are named: these alone.
demo 4
tui_begin 24 80 "'$RTEVTOP' -d 100ms $one $demo; echo \"status \$?\"; sleep 3600"
tui_wait "^ *$one .* live .* [0-9.]+%"
tui_wait "^ *$demo .* live .* [0-9.]+%"
tui_wait 'processes 2 '
tui_wait 'targets of the command line'
tui_resize 24 200
for pid in "$one" "$demo"; do
  tui_wait "^ *$pid .* $(id -un) *$"
done
tui_resize 24 80
# The rows go by what they use of the processors.
tui_type '\'
tui_type "$demo"
tui_keys Enter
tui_wait_not "^ *$one "
tui_press "rtevtop $demo" Enter
tui_press 'status 0' q

# A name is whole although the kernel cuts it: in the overview, the live view and reports.  A process that executes another
# program stands there once.
name=a-service-named-at-length
ln -s "$RTEVTOP" "$TUI_DIR/$name"
export OCAML_RUNTIME_EVENTS_DIR=$TUI_DIR
RTEVTOP=$TUI_DIR/$name start_demo --domains 1 --seconds 1000
named=$demo
cat >"$TUI_DIR/again.py" <<'PY'
import mmap, os, shutil, sys
path = f"{sys.argv[1]}.events"
own = path.replace(os.path.basename(path), f"{os.getpid()}.events")
shutil.copyfile(path, own)
file = open(own, "r+b")
kept = mmap.mmap(file.fileno(), 0)
print(os.getpid(), flush=True)
sys.stdin.readline()
os.unlink(own)
os.execv(sys.argv[2], [sys.argv[2], "demo", "--domains", "1", "--seconds", "1000"])
PY
mkfifo "$TUI_DIR/go"
python3 "$TUI_DIR/again.py" "$TUI_DIR/$named" "$TUI_DIR/$name" <"$TUI_DIR/go" >"$TUI_DIR/again" &
again=$!
exec 9>"$TUI_DIR/go"
tui_begin 24 250 "'$RTEVTOP' -d 100ms; echo \"status \$?\"; sleep 3600"
tui_wait "^ *$named +$name "
tui_wait "^ *$again +python3 "
echo >&9
# Both are called so now: each line has the command line.
tui_wait "^ *$again +a-service-n.* live "
tui_shows "^ *$again +python3 " && fail 'it stands there twice'
tui_keys q
tui_begin 24 200 "'$RTEVTOP' $named"
tui_wait "^ $name $named "
tui_end
# The name of both leads to the overview of these two.
tui_begin 24 200 "'$RTEVTOP' -d 100ms $name; echo \"status \$?\"; sleep 3600"
tui_wait "^ *$named +a-service-n.*1000 +.* live "
tui_wait "^ *$again +a-service-n.*1000 +.* live "
tui_wait 'processes 2 '
# Frozen, the time stands still.
tui_press FROZEN Space
kill "$again"
tui_resize 30 200
tui_wait "^ *$again .* live "
tui_press "^ *$again .* [0-9]{2}:[0-9]{2}:[0-9]{2} +(- +){4,}" Space
tui_press 'status 0' q
"$RTEVTOP" -b -n 1 "$named" | grep -q " $name " || fail 'a report cuts the name'
"$RTEVTOP" list | grep -q " $name " || fail 'the list cuts the name'
exit 0
