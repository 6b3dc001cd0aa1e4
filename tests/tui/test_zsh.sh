#!/usr/bin/env bash
# What zsh completes on lines as a user types them.  Usage: test_zsh.sh SOURCE_DIR
. "$(dirname "$0")/lib.sh"
: "${RTEVTOP:?}"
need zsh
mkdir "$TUI_DIR/functions" "$TUI_DIR/bin" "$TUI_DIR/here"
cp "$1/src/share/completions/_rtevtop" "$TUI_DIR/functions" || fail 'no completion'
ln -s "$RTEVTOP" "$TUI_DIR/bin/rtevtop"
touch "$TUI_DIR/here/"{service.events,service.txt,run.fxt,run.txt,app.ctf,report.json,notes.txt}
tui_begin 24 100 "cd $TUI_DIR/here && exec env HOME=$TUI_DIR PATH=$TUI_DIR/bin:\$PATH PS1='> ' zsh -f -i"
tui_wait '^>'
tui_type "fpath=($TUI_DIR/functions \$fpath); autoload -U compinit; compinit -u -D && echo ready"
tui_press '^ready' Enter

# completes LINE WANTED: a line, and what the key makes of it.
completes() {
  tui_keys C-l
  tui_wait_not '[a-z]'
  tui_type "$1"
  tui_wait "^> $1"
  tui_press "^> $2 *\$" Tab
  tui_keys C-u
}
completes 'rtevtop stat' 'rtevtop stats'
completes 'rtevtop ru' 'rtevtop run.fxt'
completes 'rtevtop stats ru' 'rtevtop stats run.fxt'
completes 'rtevtop stats --json serv' 'rtevtop stats --json service.events'
completes 'rtevtop log serv' 'rtevtop log service.events'
completes 'rtevtop memtrace a' 'rtevtop memtrace app.ctf'
completes 'rtevtop diff rep' 'rtevtop diff report.json'
completes 'rtevtop diff report.json ru' 'rtevtop diff report.json run.fxt'
completes 'rtevtop record --format j' 'rtevtop record --format json'
completes 'rtevtop help memt' 'rtevtop help memtrace'
completes 'rtevtop stats -- cat not' 'rtevtop stats -- cat notes.txt'
exit 0
