#!/usr/bin/env bash
# The trend of a recording is that of the live view, for the time that it covers.
. "$(dirname "$0")/lib.sh"
: "${RTEVTOP:?}"

start_demo --domains 2 --rate 5000

# Of ten minutes the columns of a screen of this size are of four seconds.
# column: the time of the column that is looked at.
column() { tui_screen | sed -nE 's/.* at ([0-9:]{8} to [0-9:]{8}).*/\1/p'; }

# figures: those of the column that come of events alone and always have room, a line each.
figures() {
  tui_screen | sed -nE '/ at [0-9:]{8} to [0-9:]{8}/{n;p;}' | sed 's/  */ /g; s/ \(pause p99\|pause max\|allocated\|heap\|cpu\|resident\|promoted\|pauses\|pause p50\|events\|lost\) /\n\1 /g' |
    grep -E '^(GC|pause p99|pause max|allocated) ' | sed 's/ *$//'
}

# at_end FILE: play a recording to its end, and show its trend.
at_end() {
  tui_view 60 200 "'$1'"
  tui_wait 'REPLAY [0-9]+:[0-9.]+ of'
  tui_press 'REPLAY .* at end' '$'
  tui_press 'all .*a column' 0
  tui_press '4s a column' ']'
}

# columns NAME: read the columns from the latest back to the first into an associative array.
columns() {
  local -n into=$1
  local i before text
  for ((i = 0; i < 12; i++)); do
    text=$(figures)
    grep -q '^GC -' <<<"$text" && [ "$i" -gt 1 ] && return
    into[$(column)]=$text
    order+=("$(column)")
    before=$(column)
    tui_keys Left
    tui_until eval "[ \"\$(column)\" != '$before' ]" || fail "no column before $before"
  done
}

tui_view 60 200 "$demo"
tui_wait 'LIVE'
tui_press 'all .*a column' 0
tui_press '4s a column' ']'
"$RTEVTOP" record --duration 18 -o "$TUI_DIR/demo.fxt" "$demo" || fail 'could not record'
tui_press FROZEN Space
declare -A live
order=()
columns live
tui_press 'status 0' q

# The columns of the replay are those of the live view, but for the latest and the oldest.
declare -A replayed
same=0
order=()
at_end "$TUI_DIR/demo.fxt"
columns replayed
for ((i = 1; i < ${#order[@]} - 1; i++)); do
  at=${order[i]}
  [ "${replayed[$at]}" = "${live[$at]:-}" ] ||
    fail "the replay differs from the live view at $at: live ${live[$at]:-}, replayed ${replayed[$at]}"
  same=$((same + 1))
done
[ "$same" -ge 2 ] || fail "only $same columns are the same"
