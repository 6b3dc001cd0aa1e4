#!/usr/bin/env bash
# Install into an empty directory, and build the example of README against what stands there: by pkg-config, by CMake, and as
# the only thing it needs besides libc.  Usage: install.sh BUILD_DIR SOURCE_DIR
. "$(dirname "$0")/lib.sh"
need cmake pkg-config tar xz
build=$1 source=$2
cmake --install "$build" --prefix "$work/usr" >"$work/install.log" 2>&1 || fail "$(tail -n 5 "$work/install.log")"
[ -x "$work/usr/bin/rtevtop" ] || fail "no program"
"$work/usr/bin/rtevtop" --version >/dev/null || fail "the installed program does not run"

# The one C program that README shows.
mkdir "$work/example"
awk '/^```c$/ {on = 1; next} /^```$/ {on = 0} on' "$source/README.md" >"$work/example/count.c"
grep -q rtev_cursor_poll "$work/example/count.c" || fail "README shows no example"
ring=$(unpack ocaml-5.3.0-pause)
want=$(grep -c '"type":"end","phase":"minor"}' "$work/ocaml-5.3.0-pause/expected.jsonl")

pc=$(dirname "$(find "$work/usr" -name rtev.pc)")
lib=$(dirname "$pc")
# The file names the prefix that was configured; this one is another.
flags=$(PKG_CONFIG_PATH=$pc pkg-config --define-variable=libdir="$lib" --define-variable=includedir="$work/usr/include" \
  --cflags --libs rtev) || fail "pkg-config does not find rtev"
# shellcheck disable=SC2086
cc -std=c17 -Wall -Wextra -Werror "$work/example/count.c" $flags -o "$work/count" || fail "the example does not compile"
got=$(LD_LIBRARY_PATH=$lib "$work/count" "$ring") || fail "the example fails"
[ "$got" = "$want minor collections" ] || fail "by pkg-config: $got, expected $want"
LD_LIBRARY_PATH=$lib ldd "$work/count" | grep -vE 'librtev|libc\.so|ld-linux|linux-vdso' && fail "the library needs more than libc"

cat >"$work/example/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.21)
project(example C)
find_package(rtev REQUIRED)
add_executable(count count.c)
target_link_libraries(count PRIVATE rtev::rtev)
CMAKE
cmake -S "$work/example" -B "$work/example/build" -DCMAKE_PREFIX_PATH="$work/usr" >"$work/cmake.log" 2>&1 &&
  cmake --build "$work/example/build" >>"$work/cmake.log" 2>&1 || fail "$(tail -n 5 "$work/cmake.log")"
[ "$("$work/example/build/count" "$ring")" = "$want minor collections" ] || fail "by CMake: another result"
exit 0
