rtev_executable(record_dump SOURCES record/record_dump.c support/fxt_parser.c LIBS rtev_core rtev_fxt)
foreach(ring ocaml-5.0.0 ocaml-5.1.1 ocaml-5.3.0-pause ocaml-5.3.0-instrumented)
  rtev_script_test(record_${ring} LABEL unit SCRIPT record/test_record_rings.sh
    ARGS ${CMAKE_CURRENT_BINARY_DIR}/record_dump ${ring})
endforeach()
foreach(ring block contend pool server-4)
  rtev_script_test(record_eio_${ring} LABEL unit SCRIPT record/record_fibers.sh
    ARGS ${CMAKE_CURRENT_BINARY_DIR}/record_dump ${ring})
endforeach()
rtev_script_test(record_output LABEL unit SCRIPT record/output.sh)
rtev_script_test(record_clock LABEL unit SCRIPT record/record_clock.sh ARGS ${CMAKE_CURRENT_BINARY_DIR}/record_dump)
rtev_script_test(record_streams LABEL unit SCRIPT record/record_streams.sh ARGS ${CMAKE_CURRENT_BINARY_DIR}/record_dump
  TIMEOUT 600)
rtev_script_test(record_live LABEL unit SCRIPT record/test_record.sh ARGS ${CMAKE_CURRENT_BINARY_DIR}/record_dump)

rtev_test(test_record LABEL unit SOURCES record/test_record.c support/fxt_parser.c LIBS rtev_record TIMEOUT 180)
rtev_test(test_record_clocks LABEL unit SOURCES record/test_record_clocks.c support/fxt_parser.c LIBS rtev_record)
rtev_test(test_fiber_tracks LABEL unit SOURCES record/test_fiber_tracks.c support/fxt_parser.c LIBS rtev_record)
rtev_test(test_record_parts LABEL unit SOURCES record/test_record_parts.c LIBS rtev_record)
rtev_test(test_record_trend LABEL unit SOURCES record/test_record_trend.c LIBS rtev_record TIMEOUT 300)
rtev_test(test_store LABEL unit SOURCES trail/test_store.c support/same_model.c LIBS rtev_record TIMEOUT 120)
rtev_test(test_flight LABEL unit SOURCES record/test_flight.c support/fxt_parser.c LIBS rtev_record TIMEOUT 240)
rtev_test(test_flight_failures LABEL unit SOURCES app/test_flight_failures.c LIBS rtev_app)
rtev_test(test_progress LABEL unit SOURCES app/test_progress.c LIBS rtev_app util)
rtev_script_test(flight_live LABEL unit SCRIPT record/test_flight.sh ARGS ${CMAKE_CURRENT_BINARY_DIR}/record_dump
  TIMEOUT 300)
rtev_test(test_system_note LABEL unit SOURCES record/test_system_note.c LIBS rtev_record)
rtev_fuzzer(fuzz_system_note LIBS rtev_record)
rtev_fuzzer(fuzz_fibers SOURCES support/fxt_parser.c LIBS rtev_record)
rtev_test(test_code_note LABEL unit SOURCES record/test_code_note.c support/code_story.c LIBS rtev_record)
rtev_test(test_code_tracks LABEL unit SOURCES record/test_code_tracks.c support/code_story.c support/fxt_parser.c
  LIBS rtev_record)
rtev_fuzzer(fuzz_code_note SOURCES support/fxt_parser.c LIBS rtev_record)
