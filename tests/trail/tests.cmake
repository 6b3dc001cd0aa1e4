rtev_executable(trail_tool SOURCES trail/trail_tool.c LIBS rtev_app)
foreach(ring ocaml-5.0.0 ocaml-5.1.1 ocaml-5.3.0-pause ocaml-5.3.0-instrumented)
  rtev_script_test(trail_${ring} LABEL unit SCRIPT trail/test_trail_rings.sh
    ARGS ${CMAKE_CURRENT_BINARY_DIR}/trail_tool ${CMAKE_CURRENT_BINARY_DIR}/test_replay ${ring})
endforeach()
rtev_test(test_replay LABEL unit SOURCES app/test_replay.c support/player.c support/tape.c LIBS rtev_app TIMEOUT 180)
rtev_test(test_replay_damage LABEL unit SOURCES app/test_replay_damage.c support/player.c support/tape.c LIBS rtev_app
  TIMEOUT 180)
rtev_test(test_notes LABEL unit SOURCES trail/test_notes.c support/tape.c support/fxt_parser.c LIBS rtev_record TIMEOUT 60)
rtev_fuzzer(fuzz_trail LIBS rtev_watch rtev_sites rtev_trail)
rtev_script_test(torn LABEL unit SCRIPT app/torn.sh ARGS ${CMAKE_CURRENT_BINARY_DIR}/record_dump
  ${CMAKE_CURRENT_BINARY_DIR}/trail_tool TIMEOUT 300)
