#!/usr/bin/env bash
# Install in the ways that packagers do, and build against what stands there: an example in C and its counterpart in
# C++, by pkg-config and by CMake, static and shared, with nothing else than libc.  Usage: install.sh BUILD_DIR SOURCE_DIR
. "$(dirname "$0")/../support/lib.sh"
need cc c++ cmake pkg-config tar xz file
build=$1 source=$2
home=$(sed -n 's/.*HOMEPAGE_URL "\([^"]*\)".*/\1/p' "$source/CMakeLists.txt")
ring=$(unpack ocaml-5.3.0-pause)
# wanted NAME: what the example prints of a ring of tests/data.
wanted() {
  echo "$(grep -c '"type":"end","phase":"minor"}' "$work/$1/expected.jsonl") minor collections"
}
want=$(wanted ocaml-5.3.0-pause)

example=$work/example
mkdir "$example"
cp "$source/tests/app/install_count.c" "$example/count.c"
cp "$source/tests/app/install_count.cc" "$example/count.cc"
cat >"$example/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.21)
project(example C CXX)
set(CMAKE_CXX_STANDARD 17)
find_package(rtev REQUIRED)
foreach(form rtev rtev_static rtev_shared)
  foreach(suffix c cc)
    add_executable(${form}-${suffix} count.${suffix})
    target_link_libraries(${form}-${suffix} PRIVATE rtev::${form})
  endforeach()
endforeach()
CMAKE

# quietly COMMAND...: show what it prints only if it fails.
quietly() {
  "$@" >"$work/log" 2>&1 || {
    tail -n 20 "$work/log" >&2
    fail "$*"
  }
}

# counts PROGRAM: it counts right.
counts() {
  local got
  got=$("$1" "$ring") || fail "$1 fails"
  [ "$got" = "$want" ] || fail "$1: $got, expected $want"
}

# libc_alone PROGRAM: it needs no other library, but for those of C++ and our own.
libc_alone() {
  ldd "$1" | grep -vE 'librtev|libc\.so|ld-linux|linux-vdso|libstdc\+\+|libgcc_s|libm\.so' && fail "$1 needs more than libc"
}

# leads VARIABLE DIRECTORY: where rtev.pc leads, by whatever way.
leads() {
  local got
  got=$(pkg-config --variable="$1" rtev)
  [ "$(realpath -m "$got")" = "$2" ] || fail "rtev.pc: $1 is $got, expected $2"
}

# by_pkg_config ROOT: the examples against what is installed under ROOT.
by_pkg_config() {
  local pc flags all
  pc=$(find "$1" -name rtev.pc)
  [ -f "$pc" ] || fail "no rtev.pc in $1"
  export PKG_CONFIG_PATH=${pc%/*} LD_LIBRARY_PATH=${pc%/*/*}
  leads libdir "${pc%/*/*}"
  leads includedir "$(dirname "$(dirname "$(find "$1" -name rtev.h)")")"
  flags=$(pkg-config --cflags --libs rtev) all=$(pkg-config --static --cflags --libs rtev)
  # shellcheck disable=SC2086
  {
    quietly cc -std=c17 -Wall -Wextra -Wpedantic -Werror "$example/count.c" $flags -o "$work/c"
    quietly c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror "$example/count.cc" $flags -o "$work/c++"
    quietly cc -static "$example/count.c" $all -o "$work/c-static"
    quietly c++ -std=c++17 -static "$example/count.cc" $all -o "$work/c++-static"
  }
  ldd "$work/c" | grep -q "librtev.*$1" || fail "$work/c uses another librtev"
  # What a static program needs besides, where threads are no part of libc.
  case $flags in *-pthread*) fail "the shared library needs no $flags" ;; esac
  case $all in *-pthread*) ;; *) fail "the static library needs more than $all" ;; esac
  libc_alone "$work/c"
  libc_alone "$work/c++"
  unset LD_LIBRARY_PATH
  counts "$work/c-static"
  counts "$work/c++-static"
  export LD_LIBRARY_PATH=${pc%/*/*}
  counts "$work/c"
  counts "$work/c++"
  unset LD_LIBRARY_PATH
}

# Into a prefix that is not the one configured.
quietly cmake --install "$build" --prefix "$work/usr"
# expected: the files that are installed with the program, or without it, from what stands in the sources.
expected() {
  local name
  (cd "$source/include" && printf 'include/%s\n' rtev/*.h)
  printf 'lib/%s\n' librtev.a librtev.so librtev.so.0 librtev.so.0.1.0 pkgconfig/rtev.pc \
    cmake/rtev/rtevConfig.cmake cmake/rtev/rtevConfig-buildtype.cmake cmake/rtev/rtevConfigVersion.cmake
  printf 'share/doc/rtevtop/%s\n' README.md CHANGELOG.md LICENSE
  (cd "$source/src/share/man" && printf 'share/man/man3/%s\n' *.3)
  sed 's|\([^ ]*\) .*|share/man/man3/\1.3|' "$source/src/share/man/links"
  [ "$1" = program ] || return
  printf '%s\n' bin/rtevtop lib/systemd/system/rtevtop-metrics.service share/bash-completion/completions/rtevtop \
    share/zsh/site-functions/_rtevtop share/fish/vendor_completions.d/rtevtop.fish \
    share/rtevtop/prometheus/rtevtop.rules.yml share/rtevtop/grafana/rtevtop.json share/man/man1/rtevtop.1
  "$work/usr/bin/rtevtop" --help | sed -n 's|^    \([a-z][a-z]*\)  *[a-z].*|share/man/man1/rtevtop-\1.1|p'
  (cd "$source/src/share/man" && for name in *.7; do [ ! -e "$name" ] || echo "share/man/man7/$name"; done)
}

# holds ROOT program|library: just the files that are expected stand there.
holds() {
  (cd "$1" && find . ! -type d | sed -E 's|^\./||; s|(rtevConfig-)[a-z]+\.cmake|\1buildtype.cmake|') | sort >"$work/found"
  expected "$2" | sort | diff - "$work/found" || fail "expected (<) and installed (>) in $1 differ"
}

if [ -x "$build/rtevtop" ]; then
  quietly "$work/usr/bin/rtevtop" --version
  libdir=$(sed -n 's/^CMAKE_INSTALL_LIBDIR:[A-Z]*=//p' "$build/CMakeCache.txt")
  [ "$libdir" != lib ] || holds "$work/usr" program
  unit=$work/usr/lib/systemd/system/rtevtop-metrics.service
  grep -q "^ExecStart=$work/usr/bin/rtevtop metrics -o " "$unit" || fail "the unit starts another program: $(grep ExecStart "$unit")"
  # The page names the files that go with it by their whole paths.
  sed -n 's/^\.It Pa //p' "$work/usr/share/man/man1/rtevtop-metrics.1" >"$work/files"
  [ "$(wc -l <"$work/files")" = 3 ] || fail "rtevtop-metrics(1) names $(cat "$work/files")"
  while read -r file; do
    [ "${file:0:1}" = / ] && [ -f "$file" ] || fail "rtevtop-metrics(1) names $file, which is not there"
  done <"$work/files"
  if command -v systemd-analyze >/dev/null; then
    MANPATH=$work/usr/share/man systemd-analyze verify "$unit" >"$work/out" 2>&1 || true
    [ ! -s "$work/out" ] || fail "systemd-analyze: $(cat "$work/out")"
  fi
  # The components for packages: together they are the whole, and none has what belongs to another.
  for component in runtime library development; do
    quietly cmake --install "$build" --prefix "$work/parts/$component" --component $component
    (cd "$work/parts/$component" && find . ! -type d)
  done | sort >"$work/parts.list"
  (cd "$work/usr" && find . ! -type d | sort) | diff - "$work/parts.list" || fail "the components are not the whole"
  (cd "$work/parts/library" && find . ! -type d | grep -v '/librtev\.so\.0') && fail "the component library has more than the library"
  (cd "$work/parts/runtime" && find . ! -type d | grep -E '/include/|librtev|/man3/') && fail "the component runtime has what is for development"
fi
# The Debian packages of this build: each says itself what it is, and the licence is in the form that Debian's tools read.
if [ -x "$build/rtevtop" ] && command -v dpkg-shlibdeps >/dev/null; then
  quietly cpack --config "$build/CPackConfig.cmake" -B "$work/packages"
  for package in rtevtop librtev0 librtev-dev; do
    file=$(echo "$work/packages/${package}"_*.deb)
    dpkg-deb -f "$file" Description | head -n 1 >>"$work/summaries"
    [ "$(dpkg-deb -f "$file" Homepage)" = "$home" ] || fail "$package names no home page"
    dpkg-deb --fsys-tarfile "$file" | tar -xO "./usr/share/doc/$package/copyright" >"$work/copyright"
    grep -qE '^ ?$' <(sed -n '/^License: ISC$/,$p' "$work/copyright" | sed '1,/^License: ISC$/d') && fail "copyright has blank lines: $(cat "$work/copyright")"
    [ "$(tail -n 1 "$work/copyright")" = " PERFORMANCE OF THIS SOFTWARE." ] || fail "the licence is cut: $(cat "$work/copyright")"
  done
  [ "$(sort -u "$work/summaries" | wc -l)" = 3 ] || fail "packages are told by one line: $(cat "$work/summaries")"
fi
# man finds a function's page by its link.
[ "$(cat "$work/usr/share/man/man3/rtev_cursor_poll.3")" = ".so man3/rtev_cursor.3" ] || fail "rtev_cursor_poll.3 leads nowhere"
by_pkg_config "$work/usr"
quietly cmake -S "$example" -B "$example/build" -DCMAKE_PREFIX_PATH="$work/usr"
quietly cmake --build "$example/build"
for program in rtev-c rtev-cc rtev_static-c rtev_static-cc rtev_shared-c rtev_shared-cc; do
  counts "$example/build/$program"
  libc_alone "$example/build/$program"
done
# rtev::rtev is the static library.
ldd "$example/build/rtev-c" | grep librtev && fail "rtev::rtev is the shared library"
ldd "$example/build/rtev_static-c" | grep librtev && fail "rtev::rtev_static is the shared library"
ldd "$example/build/rtev_shared-c" | grep -q librtev || fail "rtev::rtev_shared is the static library"

# The examples in the headers' own words.
cp "$RTEV_TEST_DATA/memtrace/small.ctf" "$work/app.ctf"
for header in fxt memtrace; do
  printf '#include <rtev/%s.h>\n#include <stdio.h>\nint main(void)\n{\n' $header >"$work/$header.c"
  awk '/^ \*\//{exit} sub(/^ \*     /, "")' "$work/usr/include/rtev/$header.h" >>"$work/$header.c"
  echo '}' >>"$work/$header.c"
  quietly cc -std=c17 -Wall -Wextra -Wpedantic -Werror -I"$work/usr/include" "$work/$header.c" "$work"/usr/lib*/librtev.a -o "$work/$header"
  (cd "$work" && "./$header" >"$work/out") || fail "the example of $header.h fails"
done
[ "$(head -c 8 "$work/app.fxt" | od -An -tx1 | tr -d ' \n')" = 1000044678541600 ] || fail "the example of fxt.h writes no trace"
grep -qE '^[1-9][0-9]* words$' "$work/out" || fail "the example of memtrace.h: $(cat "$work/out")"

# Whatever release wrote the ring.
for other in ocaml-5.0.0 ocaml-5.1.1 ocaml-5.3.0-instrumented; do
  got=$("$example/build/rtev-c" "$(unpack "$other")")
  [ "$got" = "$(wanted "$other")" ] || fail "$other: $got, expected $(wanted "$other")"
done

# Each header by itself, in both languages.
for header in "$work"/usr/include/rtev/*.h; do
  grep -q "^extern \"C\" {" "$header" || fail "$header: no extern \"C\""
  echo "#include <rtev/${header##*/}>" >"$work/one.c"
  quietly cc -std=c17 -Wall -Wextra -Wpedantic -Werror -I"$work/usr/include" -fsyntax-only "$work/one.c"
  quietly c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -I"$work/usr/include" -fsyntax-only -x c++ "$work/one.c"
done

# Into a staging directory.
DESTDIR=$work/stage quietly cmake --install "$build"
by_pkg_config "$work/stage"

# README's way to be rid of it.
quietly cmake --install "$build" --prefix "$work/gone"
ln -s "$build" "$work/build"
uninstall=$(sed -n 's/.*`sudo \(xargs [^`]*\)`.*/\1/p' "$source/README.md")
[ -n "$uninstall" ] || fail "README does not say how to remove it"
(cd "$work" && bash -c "$uninstall") || fail "$uninstall"
left=$(find "$work/gone" ! -type d)
[ -z "$left" ] || fail "$uninstall leaves $left"

# What opam-repository gets: valid, and of this project.
opam=$source/src/share/opam/opam
grep -qxF "homepage: \"$home\"" "$opam" && grep -qxF "dev-repo: \"git+$home.git\"" "$opam" || fail "the opam file is of another project than $home"
grep -qF "git clone $home " "$source/README.md" || fail "README clones another project than $home"
if command -v opam >/dev/null; then
  quietly opam lint --strict "$opam"
else
  echo "not tried: opam lint, as there is no opam"
fi

# The library alone, which asks for neither pkg-config nor what the program needs, where libraries have a folder for each
# architecture.
alone() {
  quietly cmake -S "$source" -B "$work/$1" -DRTEV_PROGRAM=OFF -DBUILD_TESTING=OFF -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON \
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_INSTALL_PREFIX="$work/configured" -DCMAKE_INSTALL_LIBDIR="$2"
}
alone multiarch lib/some-linux-gnu
quietly cmake --build "$work/multiarch"
quietly cmake --install "$work/multiarch" --prefix "$work/multi"
(cd "$work/multi" && find . ! -type d | grep -E 'rtevtop[^/]*$|man1|man7|completion|systemd') && fail "the library alone brings what belongs to the program"
by_pkg_config "$work/multi"

# A library folder that is given as an absolute path stays where it is.
alone absolute "$work/elsewhere/lib"
got=$(PKG_CONFIG_PATH=$work/absolute/src pkg-config --variable=libdir rtev)
[ "$got" = "$work/elsewhere/lib" ] || fail "an absolute libdir: $got"

# A part of another project: the same targets, and neither tests nor packages.
mkdir "$work/whole"
cat >"$work/whole/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.21)
project(whole C)
enable_testing()
set(RTEV_PROGRAM OFF)
add_subdirectory($source rtev)
add_executable(count $example/count.c)
target_link_libraries(count PRIVATE rtev::rtev)
CMAKE
quietly cmake -S "$work/whole" -B "$work/whole/build"
quietly cmake --build "$work/whole/build" --target count
counts "$work/whole/build/count"
ctest --test-dir "$work/whole/build" -N | grep -qx 'Total Tests: 0' || fail "a part of another project brings tests"
ldd "$work/whole/build/count" | grep librtev && fail "rtev::rtev is the shared library without BUILD_SHARED_LIBS"
quietly cmake -S "$work/whole" -B "$work/whole/build" -DBUILD_SHARED_LIBS=ON
quietly cmake --build "$work/whole/build" --target count
counts "$work/whole/build/count"
ldd "$work/whole/build/count" | grep -q librtev || fail "rtev::rtev is the static library with BUILD_SHARED_LIBS=ON"
[ ! -e "$work/whole/build/CPackConfig.cmake" ] || fail "a part of another project brings packages"
exit 0
