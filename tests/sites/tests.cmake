foreach(part sites bars)
  rtev_test(test_memtrace_${part} LABEL unit SOURCES sites/test_memtrace_${part}.c support/sites_oracle.c
    support/test_memtrace_data.c LIBS rtev_watch rtev_sites TIMEOUT 120)
endforeach()
foreach(part parts hot)
  rtev_test(test_memtrace_${part} LABEL unit SOURCES sites/test_memtrace_${part}.c support/test_memtrace_data.c
    LIBS rtev_watch rtev_sites)
endforeach()
rtev_test(test_memtrace_cmd LABEL unit SOURCES app/test_memtrace_cmd.c support/test_memtrace_data.c LIBS rtev_watch rtev_sites
  TIMEOUT 120)
rtev_fuzzer(fuzz_memtrace LIBS rtev_watch rtev_sites)
rtev_bench(bench_sites SOURCES bench/bench_sites.c LIBS rtev_sites ARGS ${RTEV_TEST_DATA}/memtrace/small.ctf
  ${RTEV_TEST_DATA}/memtrace/json-small.ctf ${RTEV_TEST_DATA}/memtrace/multidomain.ctf)
