#!/usr/bin/env bash
# test_faces.sh OCAML STATE...: a program of OCaml through every face, in each state: tests/app/faces.sh.
. "$(dirname "$0")/lib.sh"
ocaml=$(compiler "$1")
[ -n "$ocaml" ] || lacks "no OCaml $1: set RTEV_OCAML_$1"
program=$(build "$ocaml" faces native) || exit 1
for state in "${@:2}"; do
  bash "$here/../app/faces.sh" "$program" "$state" || fail "$state"
done
