#!/usr/bin/env bash
# The terminal comes back on every way out: modes (stty), alternate screen, cursor, keypad.  Also: what standard error was
# sent while the screen was up, suspension, resizing in bursts, the types of terminals, and keys.
#
# usage: test_terminal.sh TTY_PROBE
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
probe=$1

# A wrapper that no shell with job control stands above: such a shell would mend the modes by itself.
cat >"$TUI_DIR/wrap" <<'EOF'
#!/bin/sh
# Ctrl-C and Ctrl-\ reach the whole group; caught here, they are back at their default in the program.
trap : INT QUIT
stty -g >"$TUI_DIR/before"
"$@"
echo "status $?" >"$TUI_DIR/status"
stty -g >"$TUI_DIR/after"
cat "$TUI_DIR/status"
echo wrapper done
exec sleep 1000
EOF
chmod +x "$TUI_DIR/wrap"
export TUI_DIR

# start TERM [OPTION...]: run the probe in the wrapper and wait for its picture.
start() {
  local term=$1
  shift
  rm -f "$TUI_DIR/before" "$TUI_DIR/after" "$TUI_DIR/status"
  tui_begin 24 80 "exec env TERM=$term $TUI_DIR/wrap $probe $*"
  tui_wait 'end 80x24'
  case $term in linux | vt100 | screen*) ;; *) tui_is '#{mouse_button_flag}#{mouse_sgr_flag}' 11 ;; esac
}

# check_back WHAT: the wrapper has come to its end and the terminal is as it was.
check_back() {
  tui_wait 'wrapper done'
  tui_is '#{alternate_on}' 0
  tui_is '#{cursor_flag}' 1
  tui_is '#{keypad_cursor_flag}' 0
  tui_is '#{mouse_any_flag}#{mouse_sgr_flag}' 00
  cmp -s "$TUI_DIR/before" "$TUI_DIR/after" ||
    fail "$1: modes were $(cat "$TUI_DIR/before"), are $(cat "$TUI_DIR/after")"
}

# check_status WHAT STATUS...: the probe ended with one of these.
check_status() {
  local what=$1 got
  shift
  got=$(cat "$TUI_DIR/status")
  for expected; do [ "$got" = "status $expected" ] && return; done
  fail "$what: $got, expected $*"
}

pid_of_probe() { tui_screen | sed -n 's/.*probe pid \([0-9]*\).*/\1/p'; }

# A sanitizer turns a crash into a report and a status of its own.
sanitized=1
grep -aq __asan_init "$probe" || sanitized=

test_ways_out() {
  local term=$1 key signal
  start "$term"
  tui_keys q
  check_back "$term q"
  check_status "$term q" 0
  start "$term"
  tui_keys x
  check_back "$term exit"
  check_status "$term exit" 3
  start "$term"
  tui_keys C-c
  check_back "$term Ctrl-C"
  check_status "$term Ctrl-C" 130
  start "$term"
  tui_keys 'C-\'
  check_back "$term Ctrl-backslash"
  check_status "$term Ctrl-backslash" 131 ${sanitized:+1}
  for signal in TERM:143 HUP:129 QUIT:131 SEGV:139 ABRT:134; do
    start "$term"
    kill -"${signal%:*}" "$(pid_of_probe)"
    check_back "$term ${signal%:*}"
    check_status "$term ${signal%:*}" "${signal#*:}" ${sanitized:+1}
  done
  for key in s:139 b:135 i:132 f:136 a:134; do
    start "$term"
    tui_keys "${key%:*}"
    check_back "$term crash ${key%:*}"
    check_status "$term crash ${key%:*}" "${key#*:}" ${sanitized:+1}
  done
}

# Every signal there is, by its number: one that ends a program ends ours in the same way, with the terminal given back.
test_signals() {
  local number name status ending=0
  ulimit -c 0
  for number in $(kill -l | grep -oE '[0-9]+\)' | tr -d ')'); do
    name=$(kill -l "$number")
    # A stop is no end, and SIGKILL cannot be met.
    case $name in KILL | STOP | TSTP | TTIN | TTOU) continue ;; esac
    # What it does to a program that does not care.
    { sh -c "kill -$number \$\$; exit 0"; status=$?; } 2>/dev/null
    [ "$status" = $((128 + number)) ] || continue
    ending=$((ending + 1))
    start xterm-256color
    kill -"$number" "$(pid_of_probe)"
    check_back "SIG$name"
    # A sanitizer reports some of them, and ends with its own status.
    check_status "SIG$name" "$status" ${sanitized:+1}
  done
  [ "$ending" -ge 20 ] || fail "only $ending signals end a program here"
}

test_stack_overflow() {
  start xterm-256color
  tui_keys o
  check_back 'stack overflow'
  check_status 'stack overflow' 139 ${sanitized:+1}
}

test_report_of_sanitizer() {
  [ -n "$sanitized" ] || return 0
  start xterm-256color
  tui_keys s
  check_back 'sanitizer'
  tui capture-pane -p -S -200 | grep -q 'AddressSanitizer' || fail 'the report of the sanitizer is lost'
}

test_stderr_is_captured() {
  start xterm-256color
  tui_press 'key c' c
  tui_shows_not 'captured words' || fail 'standard error spoils the screen'
  tui_keys q
  check_back 'captured stderr'
  tui_wait 'captured words'
  # Standard error is given back on the way out by a signal, too.
  start xterm-256color
  tui_press 'key c' c
  tui_keys a
  check_back 'captured stderr, abort'
  tui_wait 'captured words'
}

test_guard() {
  start xterm-256color --guard
  tui_press 'key g mended' g
  tui_is '#{alternate_on}' 1
  tui_keys b
  check_back 'guard hands on'
  check_status 'guard hands on' 135 ${sanitized:+1}
}

test_job() {
  local term=$1
  tui_begin 24 80 "exec env TERM=$term $TUI_DIR/wrap $probe --job $probe"
  tui_wait 'end 80x24'
  tui_press 'job stopped: modes restored' C-z
  tui_is '#{alternate_on}' 0
  tui_is '#{mouse_any_flag}' 0
  tui_is '#{cursor_flag}' 1
  tui_press 'key resize' Enter
  tui_wait 'end 80x24'
  # From outside, and changing the size while it is stopped.
  kill -TSTP "$(pid_of_probe)"
  tui_until tui_stopped_again || fail 'SIGTSTP did not stop it'
  tui_is '#{cursor_flag}' 1
  tui_resize 30 90
  tui_press 'end 90x30' Enter
  tui_keys q
  check_back "$term job"
  check_status "$term job" 0
}

tui_stopped_again() { [ "$(tui capture-pane -p -S -100 | grep -c 'job stopped: modes restored')" -ge 1 ] && tui_shows_not 'end 80x24'; }

# Ctrl-Z stops the program, not those that share its process group.
test_group() {
  local companion
  tui_begin 24 80 "exec env TERM=xterm-256color $TUI_DIR/wrap $probe --job sh -c 'sleep 1000 & echo \$! >$TUI_DIR/companion; exec $probe'"
  tui_wait 'end 80x24'
  tui_press 'job stopped' C-z
  companion=$(cat "$TUI_DIR/companion")
  grep -q '^State:.S' "/proc/$companion/status" || fail 'Ctrl-Z stopped another process of the group'
  kill "$companion"
  tui_press 'end 80x24' Enter
  tui_keys q
  check_back group
}

# A shell that people use: Ctrl-Z, a command in between, fg.
test_shell() {
  command -v bash >/dev/null || return 0
  tui_begin 24 80 "exec env TERM=screen-256color PS1='ready> ' bash --norc --noprofile -i"
  tui_wait 'ready>'
  tui_type "$probe"
  tui_press 'end 80x24' Enter
  tui_press 'Stopped' C-z
  tui_is '#{alternate_on}' 0
  tui_type 'echo in between'
  tui_press '^in between' Enter
  tui_type fg
  tui_press 'end 80x24' Enter
  tui_shows_not 'in between' || fail 'the screen was not redrawn after fg'
  tui_press '^ready> *$' q
}

# SIGSTOP cannot be caught: whatever the terminal shows then, it is right again after SIGCONT.
test_continue() {
  start xterm-256color
  local pid
  pid=$(pid_of_probe)
  kill -STOP "$pid"
  stty -F "$(tui_format '#{pane_tty}')" sane
  kill -CONT "$pid"
  tui_wait 'key resize'
  tui_press 'key j' j
  tui_keys q
  check_back 'SIGSTOP and SIGCONT'
}

test_resize_burst() {
  local i
  start xterm-256color
  for ((i = 0; i < 60; i++)); do
    tui_resize $((1 + i * 7 % 50)) $((1 + i * 13 % 150))
  done
  tui_resize 31 101
  tui_wait 'end 101x31'
  tui_wait '^000 probe pid'
  [ "$(tui_screen | grep -cE '^0[0-9][0-9]')" = 31 ] || fail 'lines are missing after resizing'
  tui_resize 2 10
  tui_resize 24 80
  tui_wait 'end 80x24'
  tui_keys q
  check_back 'resizing'
}

# The size is the old one again when the program looks: the terminal may have lost what had no room meanwhile.
test_same_size() {
  local pid
  start xterm-256color
  pid=$(pid_of_probe)
  printf '\0337\033[12;1Hgarbage\0338' >"$(tui_format '#{pane_tty}')"
  tui_wait garbage
  kill -WINCH "$pid"
  tui_wait_not garbage
  tui_wait 'key resize'
  tui_keys q
  check_back 'the same size'
}

# Ctrl-S stops the picture, not the program; and the program can end.
test_flow_control() {
  start xterm-256color
  tui_keys C-s
  tui_keys j
  tui_press 'key j' C-q
  tui_keys C-s
  tui_keys q
  check_back 'Ctrl-S, q'
  start xterm-256color
  tui_keys C-s
  tui_keys a
  check_back 'Ctrl-S, abort'
}

test_keys() {
  local key
  start xterm-256color
  for key in Up Down Left Right PPage:PgUp NPage:PgDn Home End Tab BTab:S-Tab Enter Escape:Esc F1 F4 F10 Space C-l:Ctrl-L \
    BSpace:Bksp / '\' '[' ']' '<' '>' '+' - '?' 9 é; do
    tui_keys "${key%%:*}"
    tui_wait "$(printf 'key %s started' "$(sed 's/[][\\*+?<>^$.]/[&]/g; s/\[\\\]/\\\\/; s/\[\^\]/\\^/' <<<"${key##*:}")")"
  done
  # Sequences that mean nothing here don't act as the characters they are made of.
  tui_type j
  tui_wait 'key j'
  tui_type $'\e[200~'
  tui_wait 'key unknown'
  tui_keys q
  check_back keys
}

test_types() {
  local term
  for term in xterm-256color xterm screen-256color screen tmux-256color linux vt100; do
    infocmp "$term" >/dev/null 2>&1 || continue
    start "$term"
    tui_shows 'minor' || fail "$term: no text"
    case $term in
    linux | vt100) tui_shows '┌──' || fail "$term: no lines" ;;
    *) tui_shows '╭──' || fail "$term: no box" ;;
    esac
    tui_shows '日本' || fail "$term: no wide characters"
    tui_keys q
    check_back "$term"
    start "$term" --ascii --no-color
    tui_shows '^001 \+---' || fail "$term: no ASCII box"
    tui capture-pane -pe | grep -qE $'\e\\[([0-9;]*;)?[34][0-8][0-9;]*m' && fail "$term: colours in spite of --no-color"
    tui_keys q
    check_back "$term --ascii"
  done
  tui_begin 24 80 "exec env TERM=dumb $TUI_DIR/wrap $probe"
  tui_wait 'cannot place text'
  check_back dumb
  check_status dumb 1
  tui_begin 24 80 "exec env TERM=no-such-terminal $TUI_DIR/wrap $probe"
  tui_wait 'not known here'
  check_back 'unknown terminal'
  tui_begin 24 80 "exec env TERM= $TUI_DIR/wrap $probe"
  tui_wait 'TERM is not set'
  # In the C locale everything is ASCII, also where the names are not.
  tui_begin 24 80 "exec env TERM=xterm-256color LC_ALL=C LANG=C $TUI_DIR/wrap $probe"
  tui_wait 'end 80x24'
  tui_shows 'minor \? \?\? ~' || fail 'C locale: not ASCII'
  tui_keys q
  check_back 'C locale'
}

test_not_a_terminal() {
  "$probe" </dev/null >"$TUI_DIR/out" 2>"$TUI_DIR/err"
  [ $? = 1 ] || fail 'ran without a terminal'
  [ ! -s "$TUI_DIR/out" ] || fail 'wrote to what is no terminal'
  grep -q 'not a terminal' "$TUI_DIR/err" || fail 'did not say why'
}

test_sheet() {
  tui_begin 40 80 "exec env TERM=screen-256color $probe --sheet"
  tui_wait 'end 80x40'
  tui capture-pane -pe | grep -q '48;5;25' ||
    fail 'no colour of 256 for a minor collection'
  tui_golden terminal_80x40
}

tests=${2:-"ways_out:xterm-256color ways_out:screen-256color ways_out:linux ways_out:vt100 signals stack_overflow
  report_of_sanitizer stderr_is_captured guard job:xterm-256color job:linux group shell continue resize_burst same_size flow_control keys types
  not_a_terminal sheet"}
for test in $tests; do
  case $test in
  *:*) "test_${test%%:*}" "${test#*:}" ;;
  *) "test_$test" ;;
  esac
  echo "ok $test"
done
