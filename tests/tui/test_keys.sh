#!/usr/bin/env bash
# Every key of the live view on a running producer: each does on the screen what the help says of it.  An action of the table
# without a line here fails the test.  Usage: test_keys.sh ACTIONS_H
. "$(dirname "$0")/lib.sh"
: "${RTEVTOP:?}"
mkdir "$TUI_DIR/here"
cd "$TUI_DIR/here" || exit 1
start_demo --domains 3 --rate 20000 --seed 3 --seconds 3000
tui_begin 40 120 "cd '$TUI_DIR/here' && XDG_CONFIG_HOME='$TUI_DIR' exec '$RTEVTOP' -d 100ms $demo"
tui_wait 'LIVE'
tui_wait 'http.request +span'

declare -A pressed
# press ACTION KEY REGEX: the key belongs to the action, and the screen shows what it leads to.
press() {
  tui_press "$3" "$2"
  pressed[$1]=1
}
# press_not ACTION KEY REGEX: the key belongs to the action, and the screen no longer shows what it took away.
press_not() {
  tui_keys "$2"
  tui_wait_not "$3"
  pressed[$1]=1
}
# moves ACTION KEY WHERE: the key changes what a pattern finds on the screen.
moves() {
  local before
  before=$(tui_screen | grep -E -- "$3")
  tui_keys "$2"
  moved() { [ "$(tui_screen | grep -E -- "$3")" != "$before" ]; }
  tui_until moved "$@" || fail "$2 moved nothing in $3"
  pressed[$1]=1
}

press HELP '?' 'show or hide this help'
press HELP '?' 'legend of colours, marks and words'
press_not HELP F1 'legend of colours'
press HELP F1 'show or hide this help'
press_not BACK Escape 'show or hide this help'

press VIEW_DOMAINS 2 '^domain.? +doing'
press VIEW_PHASES 3 '^phase +count'
press VIEW_USER 4 '^event.+kind +count'
press VIEW_PAUSES 5 '^pauses [0-9]'
press VIEW_STW 6 '▴before now'
press STOPS_ORDER o '▾whole stop'
press VIEW_MEMORY 7 '[Aa]llocat'
press GRAPH B '^ +minor heap +[0-9.]+.?B.s .*(▅|▆|▇|█)'
press VIEW_LOG 8 'before now +at'
press VIEW_PANES 1 '(^|[^A-Za-z])D0 .*lag'
press NEXT_VIEW Tab '^domain.? +doing'
press PREVIOUS_VIEW BTab '(^|[^A-Za-z])D0 .*lag'

# Lists: moving, searching, filtering, sorting.  They stand still while frozen.
press FREEZE Space FROZEN
tui_press '^phase +count' 3
tui_press LIVE Space
tui_wait ' minor_local_roots '
tui_resize 14 100
tui_wait '^phase +count'
# A list that grows would move what is selected, and what stands first, by itself.
kill -STOP $demo
tui_wait STOPPED
press SEARCH / '^/'
tui_type minor
tui_keys Enter
# The name in the line that is selected, which is the one in reverse.
selected() {
  tui capture-pane -pe | sed -nE $'/^\e\\[(0;)?7m/{s/\e\\[[0-9;]*m//g;s/^ *([a-z_]+) .*/\\1/p;}'
}
found() { [[ $(selected) == *minor* ]]; }
tui_until found || fail "the search selects $(selected)"
before=$(selected)
found_next() { found && [ "$(selected)" != "$before" ]; }
tui_keys n
tui_until found_next || fail "n selects $(selected) after $before"
pressed[SEARCH_NEXT]=1
after=$(selected)
found_back() { found && [ "$(selected)" != "$after" ]; }
tui_keys N
tui_until found_back || fail "N selects $(selected) after $after"
pressed[SEARCH_BACK]=1
press FILTER '\' '^\\'
tui_type sweep
tui_keys Enter
tui_wait_not 'minor_leave|local_roots'
tui_wait 'filter sweep'
press_not BACK Escape 'filter sweep'
first() { tui_screen | sed -n '6s/^\( *[a-z_]*\).*/\1/p'; }
tui_keys Home
at_top() { tui capture-pane -pe | sed -n 5p | grep -qE $'^\e\\[(0;)?7m'; }
tui_until at_top || fail 'Home does not select the first row'
changed() { [ "$(first)" != "$top" ]; }
for step in 'END End' 'HOME Home' 'PAGE_DOWN NPage' 'PAGE_UP PPage'; do
  top=$(first)
  tui_keys "${step#* }"
  tui_until changed || fail "$step went nowhere"
  pressed[${step% *}]=1
done
kill -CONT $demo
tui_wait LIVE
tui_resize 40 120
tui_press '^domain.? +doing' 2
sorted() { tui_screen | grep -oE '[A-Za-z./%0-9-]+[▴▾]'; }
before=$(sorted)
resorted() { [ "$(sorted)" != "$before" ]; }
tui_keys '>'
tui_until resorted || fail '> sorts by the same column'
pressed[SORT_RIGHT]=1
before=$(sorted)
tui_keys '<'
tui_until resorted || fail '< sorts by the same column'
pressed[SORT_LEFT]=1
before=$(sorted)
tui_keys I
tui_until resorted || fail 'I does not reverse'
pressed[REVERSE]=1
press SORT_MENU F6 ' sort by '
tui_press '[▴▾]domain|domain[▴▾]' Home Enter
tui_press '^phase +count' 3
press SORT_TIME T '▾total'

# Panes: choosing one, its forms, its window.
tui_press '(^|[^A-Za-z])D0 .*lag' 1
press ZOOM z '^╭ D0 [^╭]*╮$'
press ZOOM z 'D0 .*D1 '
tui_keys Right
press OPEN Enter '^╭ D1 [^╭]*╮$'
press BACK Escape 'D0 .*D1 '
pressed[PANE_RIGHT]=1
tui_press '^╭ D0 [^╭]*╮$' Left Enter
pressed[PANE_LEFT]=1
tui_press '^╭ D2 [^╭]*╮$' Escape Down Enter
pressed[DOWN]=1
tui_press '^╭ D0 [^╭]*╮$' Escape Up Enter
pressed[UP]=1
# What is searched for is not run as commands: q would quit.
tui_press '^/' Escape /
tui_type queue
tui_wait '^/queue'
tui_keys C-u
tui_type 'domain 2'
tui_press '^╭ D2 [^╭]*╮$' Enter z
tui_press 'no memtrace file' Escape / D 0 Enter 9
tui_press '^╭ D0 [^╭]*╮$' z
tui_wait '^│ [a-z_ ]+ [0-9.]+%'
press_not TIMELINE t '^│ [a-z_ ]+ [0-9.]+%'
tui_wait '╵-5\.0s|╵-5s'
press_not SHORTER '[' '╵-5\.0s|╵-5s'
press LONGER ']' '╵-5\.0s|╵-5s'
tui_press '^│ [a-z_ ]+ [0-9.]+%' t
press SCALE x 'the program [0-9.]+%'
press_not SCALE x 'the program [0-9.]+%'
press LOG_SCALE L '[│ ]log    '
press_not LOG_SCALE L '[│ ]log    '
tui_keys Escape

# Frozen: the panes stay, and there is a way back in time.
tui_press FROZEN Space
tui_press 'counts begin anew now; the frozen picture is older' R
tui_wait 'D0 .*D1 '
tui_press 'middle .*range' t
# Of a short history all is shown at first, and then there is nowhere to go.
moves ZOOM_IN '[' 'range'
moves ZOOM_IN '[' 'range'
moves TIME_ON Right 'middle'
moves TIME_BACK Left 'middle'
moves ZOOM_OUT ']' 'range'
# The way back may have led to the begin.
moves TIME_ON_ALL w 'middle'
moves TIME_BACK_ALL b 'middle'
press GO_TO g '^go to '
tui_type '-2s'
tui_press '\(-2\.00s\)' Enter
moves TIME_ON_5S '>' 'middle'
moves TIME_BACK_5S '<' 'middle'
# To the end, from which only the way back leads to events.
tui_keys End
press EVENT_NEXT n 'nothing after this|next'
press EVENT_BACK N 'nothing before this|[Dd]|found'
press GO_ON Space LIVE

# The trend: spans of time, and back to ten minutes.
press VIEW_TREND 0 '10m .*1w'
moves TREND_LONGER ']' 'a column'
moves TREND_SHORTER '[' 'a column'
moves LEFT Left ' at '
moves RIGHT Right ' at '

# The findings.
press VIEW_FIBERS f '^fibers of eio'
# The demo's loop is late once in ten seconds, by its own account: what the kernel says of it explains nothing.
tui_verdict 'loop D[0-9] late [0-9.]+ms: span report |span report of server blocks its loop for '
press FIBERS_MODE t '^context or fiber'
press FIBERS_MODE t 'before now +on'
press_not LOOPS_SHORTER '[' '╵-5\.0s|╵-5s'
press LOOPS_LONGER ']' '╵-5\.0s|╵-5s'
tui_press '^event.+kind +count' 4
press SCHEDULER e 'eio.fiber +int'
press_not SCHEDULER e 'eio.fiber +int'
press VIEW_FINDINGS a '^finding +|nothing found|looking: [0-9]+s of 10s'

# What the app is asked to do.
press SLOWER - 'redraw every 0\.2 s'
press FASTER + 'redraw every 0\.1 s'
tui_press '^pauses [0-9]+' 5
count() { tui_screen | sed -nE 's/^pauses ([0-9.]+)(k?) .*/\1 \2/p' | awk '{print int($2 == "k" ? $1 * 1000 : $1)}'; }
many() { [ "$(count)" -ge 100 ]; }
tui_until many || fail 'hardly any pauses'
before=$(count)
# Many come in a second: it may be a while until one looks.
fewer() { [ "$(count)" -lt "$before" ]; }
tui_keys R
tui_until fewer || fail "R leaves $(count) pauses"
press RESET R 'counts begin anew now'
press SAVE S 'saved to rtevtop-[0-9-]+\.txt'
grep -q '^pauses ' "$TUI_DIR"/here/rtevtop-*.txt || fail 'the saved screen is another'
press WRITE W 'wrote '
press COPY y 'copied [0-9]+ bytes to'
press MOUSE X 'mouse off'
press MOUSE X 'mouse on'
grep -q . "$TUI_DIR/rtevtop/settings" || fail 'no settings were written'
# On the line of the views, which does not change.
printf '\0337\033[5;1Hgarbage\0338' >"$(tui_format '#{pane_tty}')"
tui_wait 'garbage'
press_not REDRAW C-l 'garbage'

press QUIT q ''
tui_is '#{pane_dead}' 1

# Suspended, it gives the terminal back to the shell, and takes it again.
tui_begin 24 80 "PS1='prompt> ' exec bash --norc --noprofile -i"
tui_wait '^prompt>'
tui_type "'$RTEVTOP' -d 100ms $demo"
tui_press LIVE Enter
press SUSPEND C-z 'Stopped'
tui_is '#{alternate_on}' 0
tui_is '#{cursor_flag}' 1
tui_type 'stty -a | grep -o "[-]*icanon"'
tui_press '^icanon' Enter
tui_type fg
tui_press LIVE Enter
tui_is '#{alternate_on}' 1
tui_keys q
tui_is '#{alternate_on}' 0
tui_wait '^prompt>$'

missing=
for action in $(sed -n 's/^	X(\([A-Z_]*\), *[a-z_]*, *\(UI_\|'"'"'\).*/\1/p' "$1"); do
  [ -n "${pressed[$action]:-}" ] || missing+=" $action"
done
echo "pressed: ${!pressed[*]}; not here:$missing"
# Pressed in tests of their own: test_record.sh, test_replay.sh, test_memtrace.sh, test_overview.sh, ocaml/test_code_view.sh, ui/test_views_code.c,
# and choose_tree of ui/test_views.c.
for action in $missing; do
  case $action in
    RECORD | FAMILIES | SORT_CPU | SORT_MEMORY) ;;
    PLAY | HOLD | STEP | STEP_BACK | SPEED_DOWN | SPEED_UP | SKIP_BACK | SKIP | JUMP | JUMP_START | JUMP_END) ;;
    VIEW_CODE | CODE | CODE_PAGE | CODE_WEIGHT | CODE_DOMAIN) ;;
    VIEW_SITES | FILTER_SITES | TREE | INVERT | FLAME | WEIGHT | MARK | UNIT) ;;
    *) fail "no test presses the key of$missing" ;;
  esac
done
