set(trail_app ${PROJECT_SOURCE_DIR}/src/app)
set(trail_stats ${trail_app}/commands/stats_json.c ${trail_app}/commands/stats_findings.c ${trail_app}/commands/stats_system.c ${trail_app}/commands/json_members.c ${trail_app}/commands/stats_cells.c)
rtev_executable(trail_tool SOURCES trail/trail_tool.c ${trail_stats} ${trail_app}/user_keys.c ${trail_app}/commands/log_lines.c
  LIBS rtev_target rtev_ui rtev_advice rtev_record)
foreach(ring ocaml-5.0.0 ocaml-5.1.1 ocaml-5.3.0-pause ocaml-5.3.0-instrumented)
  rtev_script_test(trail_${ring} LABEL unit SCRIPT trail/test_trail_rings.sh
    ARGS ${CMAKE_CURRENT_BINARY_DIR}/trail_tool ${CMAKE_CURRENT_BINARY_DIR}/test_replay ${ring})
endforeach()
set(replay_sources support/player.c support/tape.c ${trail_app}/top/replay.c ${trail_app}/top/replay_show.c ${trail_app}/recorded.c
  ${trail_app}/fail.c)
rtev_test(test_replay LABEL unit SOURCES app/test_replay.c ${replay_sources} ${trail_stats} ${trail_app}/user_keys.c
  LIBS rtev_session rtev_ui rtev_advice rtev_record TIMEOUT 180)
rtev_test(test_replay_damage LABEL unit SOURCES app/test_replay_damage.c ${replay_sources}
  LIBS rtev_session rtev_ui rtev_record TIMEOUT 180)
rtev_test(test_notes LABEL unit SOURCES trail/test_notes.c support/tape.c support/fxt_parser.c LIBS rtev_record TIMEOUT 60)
rtev_fuzzer(fuzz_trail LIBS rtev_watch rtev_sites rtev_trail)
rtev_script_test(torn LABEL unit SCRIPT app/torn.sh ARGS ${CMAKE_CURRENT_BINARY_DIR}/record_dump
  ${CMAKE_CURRENT_BINARY_DIR}/trail_tool TIMEOUT 300)
