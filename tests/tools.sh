# tools.sh - what a test does that can't run on this machine.  Source it.
#
#   need TOOL...   end the test where one of the programs is missing
#   lacks WHAT     end it because something is missing that can be installed
#   skip WHAT      end it because the kernel has no such facility
#   with_ocaml 53  an installation of OCaml 5.3: its directory is in $prefix, its version in $version
#
# And a target that most can have:
#
#   start_demo OPTION...   start `rtevtop demo`: its pid is in $demo, the path of its ring in $demo_ring
#
# A missing tool is passed over where somebody tries things out.  CI has all of them: with CI=true the test fails.

skip() {
  echo "skipped: $*"
  exit 77
}

lacks() {
  [ "${CI:-}" = true ] || skip "$*"
  echo "FAIL: $*" >&2
  exit 1
}

need() {
  local tool
  for tool; do
    command -v "$tool" >/dev/null || lacks "there is no $tool"
  done
}

untried() {
  echo "not tried: $*"
  exit 77
}

start_demo() {
  local line=${work:-$TUI_DIR}/.demo
  rm -f "$line"
  "$RTEVTOP" demo "$@" >"$line" &
  demo=$!
  until [ -s "$line" ]; do
    kill -0 $demo 2>/dev/null || fail "the demo does not start"
    sleep 0.05
  done
  read -r _ demo_ring <"$line"
}

# RTEV_OCAML_53 and its like name directories; "-REASON" there says why a machine has no such compiler, which is no failure in CI
# either: it comes from Debian, whose suites move.  Without the variable it is the compiler on PATH, if it is of that release.
with_ocaml() {
  local variable=RTEV_OCAML_$1 series=5.${1:1:1}
  prefix=${!variable:-}
  [[ $prefix != -* ]] || untried "OCaml $series: ${prefix#-}"
  if [ -z "$prefix" ] && command -v ocamlopt >/dev/null && [[ $(ocamlopt -version) == "$series".* ]]; then
    prefix=$(dirname "$(dirname "$(command -v ocamlopt)")")
  fi
  [ -n "$prefix" ] || lacks "no OCaml $series: set $variable to its directory"
  version=$("$prefix/bin/ocamlopt" -version) || lacks "$prefix/bin/ocamlopt does not run"
  [[ $version == "$series".* ]] || untried "OCaml $series: $version is new in $prefix"
}
