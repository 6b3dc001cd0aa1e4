rtev_test(test_producer LABEL ring SOURCES ring/test_producer.c support/recorder.c LIBS rtev)
rtev_test(test_producer_events LABEL ring SOURCES ring/test_producer_events.c support/recorder.c LIBS rtev)
rtev_test(test_producer_threads LABEL ring SOURCES ring/test_producer_threads.c support/recorder.c LIBS rtev)

# A hundred million events; a sanitizer or an emulator makes each of them many times dearer.
set(stress_events 100000000)
if(RTEV_SANITIZE OR CMAKE_CROSSCOMPILING)
  set(stress_events 5000000)
endif()
rtev_test(test_producer_stress LABEL ring SOURCES ring/test_producer_stress.c LIBS rtev ARGS ${stress_events}
  TIMEOUT 300)

# What the tests with an OCaml compiler use.
rtev_executable(ring_tool SOURCES ocaml/ring_tool.c LIBS rtev)
rtev_executable(bench_target SOURCES bench/bench_target.c LIBS rtev)
rtev_executable(fibers_target SOURCES bench/fibers_target.c LIBS rtev)
