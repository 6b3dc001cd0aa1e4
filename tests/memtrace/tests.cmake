set(MEMTRACE_LIBS rtev_core rtev_memtrace)
set(memtrace_reading support/memtrace_dump.c support/test_memtrace_data.c)
rtev_test(test_memtrace_reader LABEL unit SOURCES memtrace/test_memtrace_reader.c ${memtrace_reading} LIBS ${MEMTRACE_LIBS})
rtev_test(test_memtrace_sources LABEL unit SOURCES memtrace/test_memtrace_sources.c ${memtrace_reading} LIBS ${MEMTRACE_LIBS})
target_link_options(test_memtrace_sources PRIVATE -Wl,--wrap=pread,--wrap=pread64)
rtev_test(test_memtrace_faults LABEL unit SOURCES memtrace/test_memtrace_faults.c support/test_memtrace_data.c
  LIBS ${MEMTRACE_LIBS} TIMEOUT 300)
rtev_test(test_memtrace_writer LABEL unit SOURCES memtrace/test_memtrace_writer.c support/test_memtrace_data.c
  LIBS ${MEMTRACE_LIBS} TIMEOUT 300)
rtev_test(test_memtrace_domains LABEL unit SOURCES memtrace/test_memtrace_domains.c support/test_memtrace_data.c
  LIBS ${MEMTRACE_LIBS} TIMEOUT 300)
rtev_fuzzer(fuzz_memtrace_write LIBS ${MEMTRACE_LIBS})
rtev_bench(bench_memtrace SOURCES bench/bench_memtrace.c LIBS ${MEMTRACE_LIBS})
