foreach(part sites bars)
  rtev_test(test_memtrace_${part} LABEL unit SOURCES unit/test_memtrace_${part}.c unit/sites_oracle.c
    unit/test_memtrace_data.c LIBS rtev_model TIMEOUT 120)
endforeach()
rtev_test(test_memtrace_parts LABEL unit SOURCES unit/test_memtrace_parts.c unit/test_memtrace_data.c
  LIBS rtev_model)
rtev_test(test_memtrace_cmd LABEL unit SOURCES unit/test_memtrace_cmd.c unit/test_memtrace_data.c LIBS rtev_model
  TIMEOUT 120)
rtev_fuzzer(fuzz_memtrace LIBS rtev_model)
