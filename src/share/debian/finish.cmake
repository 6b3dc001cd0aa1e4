# Run by cpack on the files of each package before it is packed: what Debian's policy asks of them.
# `made` is the folder of the files that package.cmake made, `source` the project's.
find_program(GZIP gzip REQUIRED)
find_program(STRIP strip REQUIRED)

# compress(FILE...): without name and time, so that the same file gives the same bytes.
function(compress)
  if(ARGN)
    execute_process(COMMAND ${GZIP} -9nf ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
  endif()
endfunction()

foreach(pair runtime:rtevtop library:librtev0 development:librtev-dev)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 component)
  list(GET pair 1 package)
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  if(NOT IS_DIRECTORY ${root})
    continue()
  endif()
  set(documents ${root}/share/doc/${package})
  # README is for people who build; the licence is in `copyright`.
  file(REMOVE ${documents}/LICENSE)
  file(MAKE_DIRECTORY ${documents})
  file(COPY ${made}/copyright ${made}/changelog.Debian DESTINATION ${documents})
  file(COPY_FILE ${source}/CHANGELOG.md ${documents}/changelog)
  file(REMOVE ${documents}/CHANGELOG.md)
  compress(${documents}/changelog ${documents}/changelog.Debian)

  file(MAKE_DIRECTORY ${root}/share/lintian/overrides)
  file(COPY_FILE ${made}/override.${component} ${root}/share/lintian/overrides/${package})

  # A page that is a link to another one becomes a link of the file system.
  file(GLOB_RECURSE pages ${root}/share/man/*)
  foreach(page ${pages})
    file(STRINGS ${page} first LIMIT_COUNT 1)
    if(first MATCHES "^\\.so man3/(.*)")
      set(target ${CMAKE_MATCH_1})
      file(REMOVE ${page})
      file(CREATE_LINK ${target}.gz ${page}.gz SYMBOLIC)
    else()
      compress(${page})
    endif()
  endforeach()
  file(GLOB archives ${root}/lib/*/*.a ${root}/lib/*.a)
  foreach(archive ${archives})
    execute_process(COMMAND ${STRIP} --strip-debug --enable-deterministic-archives ${archive} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endforeach()
