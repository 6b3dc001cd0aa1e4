#!/usr/bin/env bash
# test_faces.sh OCAML STATE...: a program of OCaml through every face, in each state: tests/app/faces.sh.
. "$(dirname "$0")/lib.sh"
with_ocaml "$1"
program=$(build "$prefix" faces native) || exit 1
for state in "${@:2}"; do
  bash "$here/../app/faces.sh" "$program" "$state" || fail "$state"
done
