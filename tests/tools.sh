# tools.sh - what a test does that can't run on this machine.  Source it.
#
#   need TOOL...   end the test where one of the programs is missing
#   lacks WHAT     end it because something is missing that can be installed
#   skip WHAT      end it because the kernel has no such facility
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
