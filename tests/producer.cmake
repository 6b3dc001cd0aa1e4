rtev_test(test_producer LABEL ring SOURCES ring/test_producer.c LIBS rtev)
rtev_test(test_producer_events LABEL ring SOURCES ring/test_producer_events.c LIBS rtev)
rtev_test(test_producer_threads LABEL ring SOURCES ring/test_producer_threads.c LIBS rtev)

# A hundred million events; a sanitizer makes each of them many times dearer.
set(stress_events 100000000)
if(RTEV_SANITIZE)
  set(stress_events 5000000)
endif()
rtev_test(test_producer_stress LABEL ring SOURCES ring/test_producer_stress.c LIBS rtev ARGS ${stress_events}
  TIMEOUT 300)
rtev_bench(bench_producer SOURCES bench/bench_producer.c LIBS rtev)

# What the tests with an OCaml compiler use.
rtev_executable(ring_tool SOURCES ocaml/ring_tool.c LIBS rtev)

# The demo's workload, and the demo itself.
set(demo_workload ${PROJECT_SOURCE_DIR}/src/app/demo_workload.c ${PROJECT_SOURCE_DIR}/src/app/demo_gc.c)
rtev_test(test_demo_workload LABEL unit SOURCES unit/test_demo_workload.c ${demo_workload}
  LIBS rtev PkgConfig::LIBBSD)
rtev_test(test_demo LABEL unit SOURCES unit/test_demo.c ${demo_workload} ${PROJECT_SOURCE_DIR}/src/app/demo.c
  ${PROJECT_SOURCE_DIR}/src/app/fail.c ${PROJECT_SOURCE_DIR}/src/app/out.c LIBS rtev PkgConfig::LIBBSD)
