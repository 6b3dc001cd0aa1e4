# lib.sh - what the tests on real OCaml programs share: compilers, building, and starting a target.
. "$(dirname "${BASH_SOURCE[0]}")/../support/lib.sh"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# build PREFIX NAME KIND [LIBRARY]: compile tests/ocaml/NAME.ml into $work; prints the program's path.  KIND: native, bytecode,
# custom (runtime and bytecode in one file), instrumented, stripped.
build() {
  local out=$work/$2-$3 libs="unix ${4:-} runtime_events" tool=ocamlopt suffix=cmxa flags=()
  case $3 in
    bytecode) tool=ocamlc suffix=cma ;;
    custom) tool=ocamlc suffix=cma flags=(-output-complete-exe) ;;
    instrumented) flags=(-runtime-variant i) ;;
  esac
  mkdir -p "$work/build-$2-$3"
  cp "$here/$2.ml" "$work/build-$2-$3/"
  (
    cd "$work/build-$2-$3" || exit 1
    archives=()
    for lib in $libs; do archives+=("$lib.$suffix"); done
    "$1/bin/$tool" "${flags[@]}" -I +unix -I +threads -I +runtime_events "${archives[@]}" "$2.ml" -o "$out" 2>"$work/compile.err"
  ) || {
    cat "$work/compile.err" >&2
    fail "could not compile $2 as $3"
  }
  [ "$3" = stripped ] && strip "$out"
  echo "$out"
}

# target PROGRAM ARGUMENT...: start it in $work; its pid is in $pid once its ring exists.
target() {
  (cd "$work" && exec "$@") &
  pid=$!
  within 10 test -s "$work/$pid.events" || fail "$1 made no ring"
}

stop() {
  kill "$1" 2>/dev/null
  wait "$1" 2>/dev/null
}

# json EXPRESSION FILE: whether a Python expression over the object `x` of a JSON file holds.
json() {
  python3 - "$1" "$2" <<'PY'
import json, sys
x = json.load(open(sys.argv[2]))
sys.exit(0 if eval(sys.argv[1]) else 1)
PY
}
