#!/usr/bin/env bash
# README's commands run for a user with sudo and for root without; what README, CI and tests/run say of each other holds; and a
# test that lacks a tool is skipped, but fails in CI.  Usage: ci.sh SOURCE_DIR
. "$(dirname "$0")/support/lib.sh"
need python3
source=$1

# ---- README's commands, with nothing on PATH but what writes down how it is called
mapfile -t commands < <(awk '/^```sh$/ {on = 1; next} /^```$/ {on = 0} on' "$source/README.md")
[ ${#commands[@]} -eq 2 ] || fail "README has ${#commands[@]} commands, expected 2"
mkdir "$work/bin" "$work/checkout" "$work/checkout/tests" "$work/checkout/build"
# shellcheck disable=SC2016
for tool in apt-get cmake; do
  printf '#!%s\necho "%s $*" >>"$CALLS"\n' "$(command -v bash)" $tool >"$work/bin/$tool"
done
cp "$work/bin/cmake" "$work/checkout/build/rtevtop"
cp "$work/bin/cmake" "$work/checkout/tests/run"
chmod +x "$work"/bin/* "$work"/checkout/*/*
ln -s "$(command -v sh)" "$(command -v nproc)" "$work/bin/"

# called SHELL COMMAND: what it calls, one a line.
called() {
  rm -f "$work/calls"
  (cd "$work/checkout" && CALLS=$work/calls PATH=$work/bin "$(command -v "$1")" -c "$2") >"$work/out" 2>&1 ||
    fail "by $1: $2: $(cat "$work/out")"
  cat "$work/calls"
}

for shell in sh bash; do
  for command in "${commands[@]}"; do
    rm -f "$work/bin/sudo"
    alone=$(called $shell "$command") || exit 1
    [ "$(head -n 1 <<<"$alone")" = "apt-get update" ] || fail "a fresh machine has no lists of packages: $command"
    grep -q '^apt-get install -y build-essential ' <<<"$alone" || fail "installs nothing: $command"
    # shellcheck disable=SC2016
    printf '#!%s\necho "sudo" >>"$CALLS"\nexec "$@"\n' "$(command -v bash)" >"$work/bin/sudo"
    chmod +x "$work/bin/sudo"
    with=$(called $shell "$command") || exit 1
    [ "$with" = "sudo
$alone" ] || fail "with sudo: $with"
  done
done

# As many compilers at once as there are processors, and for a first look neither tests nor the library's other forms.
grep -nE -- '-j( |$)' "$source/README.md" "$source/tests/clean_root" && fail "as many compilers as there are files"
grep -qF "cmake --build build --target rtevtop -j$(nproc)" <<<"$(called sh "${commands[0]}")" || fail "the first command builds more than the program"

# ---- packages: CI has what README asks for
listed=$(bash -c "$(sed -n '/^packages=(/,/)$/p' "$source/.ci/run")"'; printf "%s\n" "${packages[@]}"')
for command in "${commands[@]}"; do
  for package in $(sed -E "s/.*apt-get install -y ([^'&]*).*/\1/" <<<"$command"); do
    grep -qxF "$package" <<<"$listed" || fail ".ci/run does not install $package"
  done
done

# ---- what CI runs
grep -qx 'tests/run all' "$source/.ci/run" || fail ".ci/run does not run tests/run all"
tr '\n' ' ' <"$source/README.md" | grep -qF '`tests/run all` runs everything CI runs' || fail "README says otherwise"
all=$(bash -c "$(grep '^all=' "$source/tests/run")"'; echo "${all[*]}"')
python3 - "$source/CMakePresets.json" "$all" <<'PY' || fail "presets and tests/run disagree"
import json, sys
presets = json.load(open(sys.argv[1]))
names = {kind: {p["name"] for p in presets[kind] if not p.get("hidden")}
         for kind in ("configurePresets", "buildPresets", "testPresets")}
all = set(sys.argv[2].split())
assert names["configurePresets"] == names["buildPresets"], names
assert names["configurePresets"] - names["testPresets"] == {"package"}, names
# Who builds for himself may have another compiler, with other warnings.
assert not [p for p in presets["configurePresets"] if "RTEV_WERROR" in p.get("cacheVariables", {})]
assert names["configurePresets"] - all == {"release", "static", "package", "coverage"} and all - names["configurePresets"] == {"format"}, all
PY

# Warnings are errors in CI alone: tests/run with a cmake that writes down how it is called, and a ctest that knows no preset.
mkdir -p "$work/variants/tests" "$work/variants/bin"
cp "$source/tests/run" "$work/variants/tests"
cat >"$work/variants/bin/cmake" <<'SH'
#!/usr/bin/env bash
[ "$1" != --list-presets ] || printf '  "%s"\n' $VARIANTS
echo "cmake $*" >>"$CALLS"
SH
for tool in git clang-format; do printf '#!/bin/sh\n' >"$work/variants/bin/$tool"; done
sed 's/^echo "cmake/echo "ctest/' "$work/variants/bin/cmake" >"$work/variants/bin/ctest"
chmod +x "$work"/variants/bin/*
export VARIANTS="${all#format }"
for set in "-u CI:OFF" "CI=true:ON"; do
  rm -f "$work/calls"
  # shellcheck disable=SC2086
  run 0 env ${set%:*} CALLS="$work/calls" PATH="$work/variants/bin:$PATH" "$work/variants/tests/run" asan
  grep -q -- "--preset asan -DRTEV_WERROR=${set#*:} " "$work/calls" || fail "with ${set%:*}: $(cat "$work/calls")"
done
# Fuzzers run for a quarter of the time in CI.
for set in fuzz:60 all:15; do
  rm -f "$work/calls"
  run 0 env -u RTEV_FUZZ_SECONDS CALLS="$work/calls" PATH="$work/variants/bin:$PATH" "$work/variants/tests/run" "${set%:*}"
  grep -q -- "--preset fuzz .*-DRTEV_FUZZ_SECONDS=${set#*:}\$" "$work/calls" || fail "${set%:*}: $(cat "$work/calls")"
done
# What is built beforehand is not tested yet.
rm -f "$work/calls"
run 0 env CALLS="$work/calls" PATH="$work/variants/bin:$PATH" "$work/variants/tests/run" --build dev
[ "$(grep -cE '^cmake --(preset|build)' "$work/calls")" = 2 ] || fail "--build: $(cat "$work/calls")"
grep '^ctest' "$work/calls" && fail "--build tests"
for suite in bookworm trixie sid; do
  grep -qE "^  root $suite( readme)?$" "$source/.ci/run" || fail ".ci/run all does not follow README on $suite"
done
grep -qx ' *root sid warnings' "$source/.ci/run" || fail "no build with the compiler that is to come"

# ---- compilers: .ci/run with what it calls standing in, on machines that can have roots and on such as can't
machine=$work/machine
mkdir -p "$machine/tests" "$machine/.ci" "$machine/bin" "$machine/cache"
cp "$source/.ci/run" "$machine/.ci/run"
printf '#!/bin/sh\n' >"$machine/bin/dpkg"
printf '#!/bin/sh\necho /rescript\n' >"$machine/.ci/rescript"
printf '#!/bin/sh\n[ "${BUILDS:-}" = yes ] && echo "/npm/$1"\n' >"$machine/.ci/ocaml"
printf '#!/bin/sh\n[ "${ROOTS:-}" = yes ] && echo "/roots/$1" && exit\necho unpacking >&2\necho "no root of $1: no mirror" >&2\nexit 1\n' >"$machine/.ci/roots"
printf '#!/bin/sh\nenv | grep ^RTEV_ | sort\n' >"$machine/tests/run"
printf '#!/bin/sh\necho 2\n' >"$machine/bin/nproc"
printf '#!/bin/sh\necho "ctest $* $RTEV_OCAML_51"\n' >"$machine/bin/ctest"
chmod +x "$machine"/*/* "$machine"/.ci/*
# here WORD=VALUE...: what .ci/run says on such a machine.
here() { run 0 env RTEV_CACHE="$machine/cache" PATH="$machine/bin:$PATH" "$@" "$machine/.ci/run"; }
told() { grep -qE -- "$1" "$work/out" || fail ".ci/run does not say: $1: $(cat "$work/out")"; }
here ROOTS=yes BUILDS=yes
for is in 53=/roots/trixie 54=/roots/sid 55=/roots/experimental '51=-it takes minutes .*'; do told "^RTEV_OCAML_$is\$"; done
told '^ctest --preset dev -R .*_51 .* /npm/5\.1\.4$'
here ROOTS=no BUILDS=yes
for is in 53=/npm/5.3.0 '54=-no root of sid: no mirror' '55=-no root of experimental: no mirror'; do told "^RTEV_OCAML_$is\$"; done
here ROOTS=no BUILDS=no
for is in '53=-no root of trixie: no mirror' '51=-it takes minutes .*'; do told "^RTEV_OCAML_$is\$"; done
mkdir "$machine/cache/ocaml-5.1.4" && touch "$machine/cache/ocaml-5.1.4/.finished"
here ROOTS=yes BUILDS=yes
told '^RTEV_OCAML_51=/npm/5\.1\.4$'
grep -q '^ctest' "$work/out" && fail "5.1 is tried twice"
# A root is not waited for without an end, and what hinders it is said.
grep -nE 'debootstrap --|apt-get (update|install) ' "$source/.ci/roots" | grep -vE '^[0-9]+:  within [0-9]+ ' && fail "no limit of time"
if [ "$(id -u)" != 0 ] || ! unshare --mount true 2>/dev/null; then
  run 1 env RTEV_CACHE="$work/none" "$source/.ci/roots" trixie ocaml
  says "no root of trixie"
else
  mkdir "$work/roots"
  sed 's/within 300 debootstrap/within 1 debootstrap/' "$source/.ci/roots" >"$work/roots/roots"
  chmod +x "$work/roots/roots"
  for set in "exit 1:I: no mirror" "exec sleep 1000:it takes more than 1 s"; do
    printf '#!/bin/sh\necho "I: no mirror"\n%s\n' "${set%%:*}" >"$work/roots/debootstrap"
    chmod +x "$work/roots/debootstrap"
    run 1 env RTEV_CACHE="$work/none" PATH="$work/roots:$PATH" "$work/roots/roots" trixie ocaml
    says "no root of trixie, debootstrap: ${set#*:}"
  done
fi

# ---- tools that are missing
tools=$source/tests/tools.sh
for set in "env -u CI:77" "env CI=false:77" "env CI=true:1"; do
  # shellcheck disable=SC2086
  run "${set#*:}" ${set%:*} bash -c ". '$tools'; need bash no-such-tool; exit 0"
done
run 0 env CI=true bash -c ". '$tools'; need bash; exit 0"
run 77 env CI=true bash -c ". '$tools'; skip 'no such facility'"
# A compiler that a machine can't have, and one that is newer than all that is known here, are told, in CI too.
mkdir -p "$work/old/bin"
printf '#!/bin/sh\necho 5.6.0\n' >"$work/old/bin/ocamlopt"
chmod +x "$work/old/bin/ocamlopt"
for set in "77:RTEV_OCAML_54=-no mirror:not tried: OCaml 5.4: no mirror" "77:RTEV_OCAML_54=$work/old:not tried: OCaml 5.4: 5.6.0 is new" \
  "1:RTEV_OCAML_54=:FAIL: no OCaml 5.4"; do
  IFS=: read -r status value why <<<"$set"
  run "$status" env PATH="$work/checkout" CI=true "$value" "$(command -v bash)" -c ". '$tools'; with_ocaml 54"
  grep -qF "$why" "$work/out" "$work/err" || fail "$value: $(cat "$work/out" "$work/err")"
done
run 0 env CI=true RTEV_OCAML_56="$work/old" bash -c ". '$tools'; with_ocaml 56; [ \$version = 5.6.0 ]"
# No other way leads to a skipped test.
grep -rnE '\b(exit|return|_exit) ?\(?77\b' "$source/tests" --include='*.sh' --include='*.c' --include='*.h' --include='*.py' |
  grep -vE 'tests/(tools\.sh|support/test\.h|ci\.sh):' && fail "skipped past tests/tools.sh"
# Whoever uses these words has them.
while read -r script; do
  grep -qE '^\. .*(tools|lib)\.sh"$' "$script" || fail "$script does not source tests/tools.sh"
done < <(grep -rlE '(^|\|\| |&& )(need|lacks|skip) ' "$source/tests" --include='*.sh' | grep -v '/tools\.sh$')
exit 0
