# Debian packages by cpack: rtevtop, librtev0, librtev-dev, from the components runtime, library and development.
# `cmake --preset package` builds below /usr, where the library has a folder for its architecture; finish.cmake then does to the files
# what Debian's policy asks.
set(here ${CMAKE_CURRENT_LIST_DIR})
set(made ${CMAKE_CURRENT_BINARY_DIR}/debian)
set(revision 1)
set(RTEV_MAINTAINER "rtevtop authors <rtevtop@users.noreply.github.com>" CACHE STRING "Maintainer named in the Debian packages")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME rtevtop)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT ${RTEV_MAINTAINER})
# It would stand before the summary of each package.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL library development)
if(RTEV_PROGRAM)
  list(APPEND CPACK_COMPONENTS_ALL runtime)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${revision})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

# set_package(COMPONENT NAME SECTION SUMMARY TEXT)
macro(set_package component name section summary text)
  set(CPACK_DEBIAN_${component}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${component}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${component}_DESCRIPTION "${summary}\n${text}")
endmacro()
set_package(RUNTIME rtevtop utils "live GC monitor for OCaml 5 programs"
  "rtevtop attaches to a running OCaml 5 process through the rings in which its
runtime records events, and shows in a terminal what the garbage collector of
each domain is doing: phases, pauses, stop-the-world stalls, allocation, the
program's own events, and findings that say what makes it slow.  It records
traces for Perfetto, reads memtrace files, reports for scripts, and exports
figures to Prometheus.  The process is never stopped or written to.")
set_package(LIBRARY librtev0 libs "reader and writer of OCaml 5 runtime events - shared library"
  "librtev reads and writes the rings in which the runtime of OCaml 5 records its
events, traces in the Fuchsia format, and memtrace files.")
set_package(DEVELOPMENT librtev-dev libdevel "reader and writer of OCaml 5 runtime events - development files"
  "librtev reads and writes the rings in which the runtime of OCaml 5 records its
events, traces in the Fuchsia format, and memtrace files.  Headers, the static
library, manual pages, and files for pkg-config and CMake.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "librtev0 (= ${PROJECT_VERSION}-${revision})")

# The symbols of the library with the version in which each came, for packages that are built against it.  In librtev.map a line
# `NODE {` precedes the symbols of a node.
file(READ ${PROJECT_SOURCE_DIR}/src/core/librtev.map map)
string(REGEX MATCHALL "RTEV_[A-Z_0-9.]+ {|\n\trtev_[a-z0-9_]+;" words "${map}")
set(lines "librtev.so.${PROJECT_VERSION_MAJOR} librtev${PROJECT_VERSION_MAJOR} #MINVER#\n")
foreach(word ${words})
  string(REGEX REPLACE "[\n\t {;]" "" symbol "${word}")
  if(word MATCHES "{")
    set(node ${symbol})
  endif()
  string(APPEND lines " ${symbol}@${node} 0.1.0\n")
endforeach()
file(WRITE ${made}/symbols "${lines}")
file(WRITE ${made}/shlibs
  "librtev ${PROJECT_VERSION_MAJOR} librtev${PROJECT_VERSION_MAJOR} (>= ${PROJECT_VERSION})\n")
file(WRITE ${made}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${made}/symbols ${made}/shlibs ${made}/triggers)

# The licence in the form that Debian's tools read, and the package's own changes.
file(STRINGS ${PROJECT_SOURCE_DIR}/LICENSE licence)
set(copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: rtevtop\nSource: ${PROJECT_HOMEPAGE_URL}\n\nFiles: *\n")
set(text "License: ISC\n")
foreach(line IN LISTS licence)
  if(line MATCHES "^Copyright \\(c\\) (.*)")
    string(APPEND copyright "Copyright: ${CMAKE_MATCH_1}\nLicense: ISC\n\n")
  elseif(line STREQUAL "" AND NOT text STREQUAL "License: ISC\n")
    string(APPEND text " .\n")
  elseif(NOT line STREQUAL "" AND NOT line STREQUAL "ISC License")
    string(APPEND text " ${line}\n")
  endif()
endforeach()
file(WRITE ${made}/copyright "${copyright}${text}")

# The packages have the time of the version in CHANGELOG.md, or SOURCE_DATE_EPOCH, in all that they hold: the same source gives the
# same bytes.  cpack takes it from the environment.
file(STRINGS ${PROJECT_SOURCE_DIR}/CHANGELOG.md section REGEX "^## ${PROJECT_VERSION}, ")
if(NOT section MATCHES ", ([0-9]+)-0?([0-9]+)-0?([0-9]+)$")
  message(FATAL_ERROR "CHANGELOG.md has no section `## ${PROJECT_VERSION}, YYYY-MM-DD`")
endif()
set(epoch "$ENV{SOURCE_DATE_EPOCH}")
if(epoch STREQUAL "")
  # The number of the day, as astronomers count, less that of 1970-01-01; years begin in March.
  math(EXPR late "(14 - ${CMAKE_MATCH_2}) / 12")
  math(EXPR year "${CMAKE_MATCH_1} + 4800 - ${late}")
  math(EXPR month "${CMAKE_MATCH_2} + 12 * ${late} - 3")
  math(EXPR epoch "86400 * (${CMAKE_MATCH_3} + (153 * ${month} + 2) / 5 + 365 * ${year} + ${year} / 4 - ${year} / 100
    + ${year} / 400 - 32045 - 2440588)")
endif()
file(WRITE ${made}/time.cmake "if(\"\$ENV{SOURCE_DATE_EPOCH}\" STREQUAL \"\")\n  set(ENV{SOURCE_DATE_EPOCH} ${epoch})\nendif()\n")
set(CPACK_PROJECT_CONFIG_FILE ${made}/time.cmake)
set(before "$ENV{SOURCE_DATE_EPOCH}")
set(ENV{SOURCE_DATE_EPOCH} ${epoch})
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(ENV{SOURCE_DATE_EPOCH} "${before}")
file(WRITE ${made}/changelog.Debian
  "rtevtop (${PROJECT_VERSION}-${revision}) unstable; urgency=medium\n\n  * Packages made by the project itself.\n\n -- ${RTEV_MAINTAINER}  ${now}\n")

# What lintian says of these packages and is no fault of theirs.
file(REMOVE ${made}/override.development ${made}/override.runtime)
file(WRITE ${made}/override.library "# cpack writes these scripts itself.\nlibrtev0: maintscript-calls-ldconfig *\n")
foreach(pair library:librtev0 development:librtev-dev runtime:rtevtop)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 component)
  list(GET pair 1 package)
  file(APPEND ${made}/override.${component}
    "# Not an upload to Debian: there is no request for a package to close.\n${package}: initial-upload-closes-no-bugs *\n")
endforeach()

file(CONFIGURE OUTPUT ${made}/finish.cmake CONTENT "set(made \"${made}\")\nset(source \"${PROJECT_SOURCE_DIR}\")\ninclude(\"${here}/finish.cmake\")\n" @ONLY)
set(CPACK_PRE_BUILD_SCRIPTS ${made}/finish.cmake)
include(CPack)
