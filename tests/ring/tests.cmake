rtev_bench(bench_cursor SOURCES bench/bench_cursor.c LIBS rtev)
# Its callbacks are so small that it matters where in a cache line they begin.
target_compile_options(bench_cursor PRIVATE -falign-functions=64)

# What the ring tests share: files made up in memory, and callbacks that write down what they are called with.
set(RING_HELPERS support/ring_image.c support/recorder.c)

foreach(name events joined names poll lost corrupt restart open scan search quiet release sparse live)
  rtev_test(test_cursor_${name} LABEL ring SOURCES ring/test_cursor_${name}.c ${RING_HELPERS} LIBS rtev TIMEOUT 180)
endforeach()

foreach(name names map evidence)
  rtev_test(test_${name} LABEL unit SOURCES ring/test_${name}.c LIBS rtev)
endforeach()

rtev_fuzzer(fuzz_cursor SOURCES support/ring_image.c LIBS rtev)

include(ring/producer.cmake)
