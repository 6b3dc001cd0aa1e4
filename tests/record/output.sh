#!/usr/bin/env bash
# The file that record -o writes: readable by its user alone, made beside an old one that stays until there is something to open, never
# by way of a planted link, never over a file that is no recording unless forced.
. "$(dirname "$0")/../support/lib.sh"
need tar xz stat
umask 022
ring=$(unpack ocaml-5.3.0-pause)

# mode FILE: it is 0600.
mode() {
  [ "$(stat -c %a "$1")" = 600 ] || fail "$1 has mode $(stat -c %a "$1")"
}

# nothing_beside: no temporary file is left.
nothing_beside() {
  local left
  left=$(find "$work" -name '.rtevtop-*')
  [ -z "$left" ] || fail "left behind: $left"
}

# Whoever may not read the ring may not read what was recorded of it.
run 0 "$RTEVTOP" record -o "$work/a.fxt" "$ring"
run 0 "$RTEVTOP" record --format json -o "$work/a.json" "$ring"
mode "$work/a.fxt"
mode "$work/a.json"
mkdir "$work/pauses"
run 0 timeout 300 "$RTEVTOP" record --on-pause 1us --duration 2 -o "$work/pauses" -- "$RTEVTOP" demo --seconds 2
for file in "$work"/pauses/*; do mode "$file"; done

# An older recording, of either form, and an empty file are replaced; other links to the old one keep it.
cp "$work/a.fxt" "$work/old.fxt"
ln "$work/old.fxt" "$work/other"
: >"$work/empty"
chmod 644 "$work/old.fxt"
for file in old.fxt a.json empty; do
  run 0 "$RTEVTOP" record --format fxt -o "$work/$file" "$ring"
  cmp "$work/$file" "$work/a.fxt" || fail "$file is no recording"
  mode "$work/$file"
done
[ "$(stat -c %h "$work/old.fxt")" = 1 ] || fail "the old file was written to"
run 0 "$RTEVTOP" record -o "$work/old.fxt" --format json "$ring"
run 0 "$RTEVTOP" record -o "$work/old.fxt" "$ring"
nothing_beside

# Any other file stays as it is.
printf 'letters\n' >"$work/letters"
cp "$RTEV_TEST_DATA/fxt/args.fxt" "$work/foreign.fxt"
head -c 20 "$work/a.fxt" >"$work/torn.fxt"
for file in letters foreign.fxt torn.fxt "$(basename "$(dirname "$ring")")/$(basename "$ring")"; do
  cp "$work/$file" "$work/before"
  run 1 "$RTEVTOP" record -o "$work/$file" "$ring"
  says "it exists, and is not a recording"
  says "--force"
  cmp "$work/$file" "$work/before" || fail "$file was written to"
done
run 0 "$RTEVTOP" record --force -o "$work/letters" "$ring"
cmp "$work/letters" "$work/a.fxt" || fail "--force records nothing"
mode "$work/letters"
run 1 "$RTEVTOP" record --force -o "$ring" "$ring"
says "is the ring to be recorded"
nothing_beside

# A link in a folder where anybody may plant one is not followed, at the end of the path or on its way; one elsewhere is.
mkdir "$work/sticky" "$work/plain" "$work/aim"
chmod 1777 "$work/sticky"
printf 'precious\n' >"$work/victim"
ln -s "$work/victim" "$work/sticky/file"
ln -s "$work/absent" "$work/sticky/dangling"
ln -s "$work/aim" "$work/sticky/folder"
ln -s ../sticky/folder "$work/plain/way"
for path in sticky/file sticky/dangling sticky/folder/x plain/way/x; do
  for force in "" --force; do
    # shellcheck disable=SC2086
    run 1 "$RTEVTOP" record $force -o "$work/$path" "$ring"
    says "could not write $work/$path: it goes by a symbolic link that is not followed"
  done
done
run 1 timeout 300 "$RTEVTOP" record --on-pause 1 -o "$work/sticky/folder" -- true
says "it goes by a symbolic link that is not followed"
[ "$(cat "$work/victim")" = precious ] || fail "the link's target was written to"
[ ! -e "$work/absent" ] || fail "the link's target was made"
[ -z "$(ls "$work/aim")" ] || fail "a file was made behind a link"
ln -s ../aim "$work/plain/folder"
ln -s folder/target "$work/plain/file"
run 0 "$RTEVTOP" record -o "$work/plain/folder/x" "$ring"
run 0 "$RTEVTOP" record -o "$work/plain/file" "$ring"
run 0 "$RTEVTOP" record -o "$work/plain/file" "$ring"
[ -L "$work/plain/file" ] && cmp "$work/aim/target" "$work/a.fxt" || fail "a link of the user's own is not followed"
(cd "$work/aim" && run 0 "$RTEVTOP" record -o ../aim/./y "$ring") || exit 1
cmp "$work/aim/y" "$work/a.fxt" || fail "a relative path"
ln -s loop "$work/plain/loop"
run 1 "$RTEVTOP" record -o "$work/plain/loop" "$ring"
for path in aim "" aim/ aim/.. absent/x victim/x; do
  run 1 "$RTEVTOP" record -o "$work/$path" "$ring"
done
nothing_beside

# One that another user made is not followed by root, wherever it stands.
if [ "$(id -u)" = 0 ]; then
  ln -s ../aim "$work/plain/theirs"
  chown -h 65534 "$work/plain/theirs"
  run 1 "$RTEVTOP" record -o "$work/plain/theirs/z" "$ring"
  says "it goes by a symbolic link that is not followed"
fi

# What was there stays while nothing has been recorded, and for good when nothing can be.
cp "$work/a.fxt" "$work/kept.fxt"
run 0 "$RTEVTOP" record -o "$work/kept.fxt" -- cmp "$work/kept.fxt" "$work/a.fxt"
cp "$work/a.fxt" "$work/kept.fxt"
limited='(ulimit -f 0 && exec "$@") 2>&1 >/dev/null | cat >&2; exit "${PIPESTATUS[0]}"'
run 1 bash -c "$limited" sh "$RTEVTOP" record -o "$work/kept.fxt" "$ring"
says "could not write $work/kept.fxt: File too large"
cmp "$work/kept.fxt" "$work/a.fxt" || fail "a write that failed costs the old recording"
run 1 bash -c "$limited" sh "$RTEVTOP" record -o "$work/none.fxt" "$ring"
[ ! -e "$work/none.fxt" ] || fail "an empty file is left"
run 1 "$RTEVTOP" record -o "$work/kept.fxt" 999999999
cmp "$work/kept.fxt" "$work/a.fxt" || fail "no target costs the old recording"
# A name that another file has taken meanwhile is not ours.
run 0 "$RTEVTOP" record -o "$work/late" -- bash -c "echo mine >'$work/late'"
says "could not write $work/late: File exists"
[ "$(cat "$work/late")" = mine ] || fail "a file that came meanwhile is gone"
nothing_beside

# --force is an option of record alone, and of no use where no file is ever replaced.
run 2 "$RTEVTOP" log --force "$ring"
run 2 "$RTEVTOP" --force "$ring"
run 2 "$RTEVTOP" record --on-pause 1 --force -o "$work/pauses" 1
says "--force"
exit 0
