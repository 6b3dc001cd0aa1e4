#!/usr/bin/env bash
# The live view of memtrace files: of one that is complete, of one that grows packet by packet and is torn now and then, of one
# that breaks; and beside rings, by --memtrace and by MEMTRACE of the target.
. "$(dirname "$0")/lib.sh"
: "${RTEVTOP:?}" "${RTEV_TEST_DATA:?}"
need python3
traces=$RTEV_TEST_DATA/memtrace
whole=$traces/multidomain.ctf
part=$TUI_DIR/part.ctf
hold=$(cd "$(dirname "$0")/../support" && pwd)/hold.py

# The table: all lines but those of the header and the footer, which tell times.
table() { tui_screen | sed -e 1,2d -e '$d'; }
summary() { tui_screen | sed -n 2p; }
table_is() { [ "$(table)" = "$1" ]; }
summary_is() { [ "$(summary)" = "$1" ]; }
summary_is_not() { ! summary_is "$1"; }
view_9() { tui_keys 9 && tui_shows '^Mtdom.work'; }
# append FROM TO: bytes of the whole trace.
append() { tail -c "+$(($1 + 1))" "$whole" | head -c "$(($2 - $1))" >>"$part"; }

# Where its packets end.
python3 - "$whole" >"$TUI_DIR/ends" <<'PY'
import struct, sys
data, at = open(sys.argv[1], "rb").read(), 0
while at < len(data):
    at += struct.unpack_from("<i", data, at + 4)[0] // 8
    print(at)
PY
mapfile -t ends <"$TUI_DIR/ends"
[ "${#ends[@]}" -gt 5 ] || fail 'the trace has too few packets for this test'
size=${ends[-1]}

# Complete: header, table, tree, and back.
tui_view 24 80 "memtrace '$whole'"
tui_wait '^rtevtop 27007 +mtdom'
tui_wait '^Mtdom.work .*[0-9][kMG]?B +±[0-9.]+%'
tui_wait '^live .* allocated .* promoted '
tui_wait 'LIVE|QUIET'
expected=$(table) expected_summary=$(summary)
tui_press '^Mtdom.work .*[0-9][kMG]?w +±' u
tui_keys u
tui_until table_is "$expected" || fail 'bytes are not back'
tui_press '^width live .* callers down to sites' t
tui_wait '^Stdlib__Domain.spawn.body [0-9]+%'
tui_press 'zoomed 1 deep' Down Enter
tui_press '^width allocated .* sites up to callers' F w i
tui_press '^function .*live' i F w w t
tui_press 'zoomed 1 deep' Down Enter
tui_press '^function .*live' Escape
tui_press 'FUNCTION, file:PART' '\'
tui_type 'no such'
tui_wait 'nothing matches the filter'
tui_press '^filter no *$' C-w
tui_press '^Mtdom.work' C-u
tui_type 'buffer.c'
tui_press '^filter buffer.c' Enter
tui_wait_not '^Mtdom.work'
tui_press '^Mtdom.work' Escape
tui_keys q
tui_ended 0

# Of a stretch of time: allocations outside are left out, and all are back without it.
tui_view 24 80 "memtrace '$whole'"
tui_wait '^Mtdom.work'
tui_keys '\'
tui_type 'time:-100ms'
tui_press '^filter time:-100ms' Enter
tui_until summary_is_not "$expected_summary" || fail 'the time window changes nothing'
tui_keys Escape
tui_until summary_is "$expected_summary" || fail 'what was outside of the time window is not back'
tui_keys q
tui_ended 0

# Growing: an empty file, a torn first packet, whole packets, packets torn in their header and in their middle.
: >"$part"
tui_view 24 80 "-d 100ms memtrace '$part'"
tui_wait 'nothing has been written yet'
append 0 20
tui_wait 'cut short, at byte 0'
append 20 "${ends[0]}"
tui_wait '^rtevtop 27007 +mtdom'
tui_wait '^waiting: the program writes a packet when its buffer is full'
tui_wait '^live -  allocated -  promoted -'
append "${ends[0]}" "${ends[3]}"
tui_wait '[0-9][kMG]?B +±'
tui_wait 'LIVE'
tui_press 'growth since' m
tui_press '^width live' t
tui_keys t
at=${ends[3]}
for ((i = 4; i < ${#ends[@]}; i++)); do
  append "$at" "$((at + 7))"
  append "$((at + 7))" "$(((at + ends[i]) / 2))"
  append "$(((at + ends[i]) / 2))" "${ends[i]}"
  at=${ends[i]}
done
cmp -s "$whole" "$part" || fail 'the file was not put together'
tui_wait "file $(((size + 500) / 1000))kB"
tui_wait 'growth -?[0-9]'
# As one that was complete from the start, but for the mark.
tui_keys q
tui_ended 0
tui_view 24 80 "memtrace '$part'"
tui_until table_is "$expected" ||
  fail 'the table differs from that of the whole trace'
tui_keys q
tui_ended 0

# Torn at its end: what came before stays; the rest turns up after all.
head -c "$((ends[-1] - 100))" "$whole" >"$part"
tui_view 24 80 "-d 100ms memtrace '$part'"
tui_wait '^Mtdom.work'
tui_wait "malformed trace: a packet is cut short, at byte ${ends[-2]}"
append "$((size - 100))" "$size"
tui_until table_is "$expected" ||
  fail 'the table differs after a packet was torn'
# Then nonsense: said where, and the table stays.
head -c 200 /dev/zero | tr '\0' 'x' >>"$part"
tui_wait "malformed trace: .*, at byte $size"
tui_wait '^Mtdom.work'
tui_wait 'MALFORMED'
# Begun anew by another program.
cp "$traces/small.ctf" "$part"
tui_wait '^rtevtop 14766 +mt_ocamlopt'
tui_wait_not 'malformed'
head -c 200 /dev/zero >>"$part"
tui_wait 'malformed trace: .*, at byte 130137'
tui_keys q
tui_ended 1
tui_wait "rtevtop: .*malformed trace: .*"

# Removed while it is followed: said so, and what was read stays.
cp "$whole" "$part"
tui_view 24 80 "-d 100ms memtrace '$part'"
tui_wait '^Mtdom.work'
rm "$part"
tui_wait '^rtevtop 27007 .*DELETED'
tui_wait 'the file was removed: what was read stays'
tui_wait '^Mtdom.work'
cp "$whole" "$part"
tui_wait_not 'removed'
tui_wait '^Mtdom.work'
tui_keys q
tui_ended 0

# Beside rings: by option, also a file that comes later; without one there is no view 9.
tui_view 24 80 "--demo --memtrace '$TUI_DIR/later.ctf'"
tui_wait '\bD0 '
tui_press 'waiting for the file' 9
cp "$whole" "$TUI_DIR/later.ctf"
tui_wait '^Mtdom.work'
tui_wait '^ GC '
tui_press '^all  10m  1h ' Tab
tui_press '\bD0 ' 1
tui_keys q
tui_ended 0
tui_view 24 80 --demo
tui_wait '\bD0 '
tui_press 'keys panes' 9 '?'
tui_screen | grep -q memtrace && fail 'view 9 is offered without a trace'
tui_keys q q
tui_ended 0

# By the environment of the target, relative to its directory.
tar -xJf "$RTEV_TEST_DATA/rings/ocaml-5.3.0-pause.tar.xz" -C "$TUI_DIR"
ring=$(echo "$TUI_DIR"/ocaml-5.3.0-pause/*.events)
mkdir "$TUI_DIR/work"
cp "$whole" "$TUI_DIR/work/own.ctf"
(cd "$TUI_DIR/work" && MEMTRACE=own.ctf exec python3 "$hold" "$ring" "$TUI_DIR") >"$TUI_DIR/holder" &
tui_until test -s "$TUI_DIR/holder" || fail 'the holder did not start'
holder=$(cat "$TUI_DIR/holder")
tui_view 24 80 "$holder"
tui_wait "^ ?python3 $holder "
tui_press '^Mtdom.work' 9
kill -KILL "$holder"
tui_wait '^ ?python3 .*EXITED'
tui_wait '^live .*EXITED'
tui_wait '^Mtdom.work'
tui_keys q
tui_ended 0

# By the environment of a command, also of one that has ended before one could look.
for seconds in 60 0.1; do
  tui_view 24 80 "-- '$RTEVTOP' demo --seconds $seconds" "MEMTRACE='$whole'"
  tui_wait '\bD0 '
  tui_until view_9 || fail 'the command has no view 9'
  tui_keys q q
  tui_ended '[0-9]+'
done
exit 0
