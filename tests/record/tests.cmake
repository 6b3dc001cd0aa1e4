rtev_executable(record_dump SOURCES record/record_dump.c support/fxt_parser.c LIBS rtev_core rtev_fxt)
foreach(ring ocaml-5.0.0 ocaml-5.1.1 ocaml-5.3.0-pause ocaml-5.3.0-instrumented)
  rtev_script_test(record_${ring} LABEL unit SCRIPT record/test_record_rings.sh
    ARGS ${CMAKE_CURRENT_BINARY_DIR}/record_dump ${ring})
endforeach()
rtev_script_test(record_output LABEL unit SCRIPT record/output.sh)
rtev_script_test(record_clock LABEL unit SCRIPT record/record_clock.sh ARGS ${CMAKE_CURRENT_BINARY_DIR}/record_dump)
rtev_script_test(record_streams LABEL unit SCRIPT record/record_streams.sh ARGS ${CMAKE_CURRENT_BINARY_DIR}/record_dump
  TIMEOUT 600)
rtev_script_test(record_live LABEL unit SCRIPT record/test_record.sh ARGS ${CMAKE_CURRENT_BINARY_DIR}/record_dump)

set(record_app ${PROJECT_SOURCE_DIR}/src/app)
set(record_sources ${record_app}/record.c ${record_app}/record_clock.c ${record_app}/record_spans.c ${record_app}/record_sink.c
  ${record_app}/record_fxt.c ${record_app}/record_json.c ${record_app}/record_text.c ${record_app}/record_trail.c ${record_app}/disk.c
  ${record_app}/out.c)
rtev_test(test_record LABEL unit SOURCES record/test_record.c support/fxt_parser.c ${record_sources} LIBS rtev_watch rtev_sites rtev_trail
  TIMEOUT 180)
rtev_test(test_disk LABEL unit SOURCES record/test_disk.c ${record_app}/disk.c LIBS rtev_watch rtev_sites)
rtev_test(test_tape LABEL unit SOURCES trail/test_tape.c LIBS rtev_watch rtev_sites TIMEOUT 120)
rtev_test(test_flight LABEL unit SOURCES record/test_flight.c support/fxt_parser.c ${record_sources} ${record_app}/recording.c
  ${record_app}/naming.c ${record_app}/folder.c ${record_app}/flight.c ${record_app}/flight_line.c LIBS rtev_watch rtev_sites rtev_target rtev_trail TIMEOUT 240)
rtev_test(test_flight_failures LABEL unit SOURCES app/test_flight_failures.c ${record_app}/flight_failures.c
  ${record_app}/fail.c ${record_app}/folder.c ${record_app}/out.c LIBS rtev_watch rtev_sites rtev_target)
rtev_test(test_progress LABEL unit SOURCES app/test_progress.c ${record_app}/progress.c LIBS util)
rtev_script_test(flight_live LABEL unit SCRIPT record/test_flight.sh ARGS ${CMAKE_CURRENT_BINARY_DIR}/record_dump
  TIMEOUT 300)
