set(trail_app ${PROJECT_SOURCE_DIR}/src/app)
rtev_executable(trail_tool SOURCES unit/trail_tool.c ${trail_app}/stats.c ${trail_app}/log.c ${trail_app}/out.c
  LIBS rtev_model rtev_trail)
foreach(ring ocaml-5.0.0 ocaml-5.1.1 ocaml-5.3.0-pause ocaml-5.3.0-instrumented)
  rtev_script_test(trail_${ring} LABEL unit SCRIPT unit/test_trail_rings.sh
    ARGS ${CMAKE_CURRENT_BINARY_DIR}/trail_tool ${ring})
endforeach()
