rtev_test(test_sampler LABEL unit SOURCES code/test_sampler.c LIBS rtev_code)
rtev_fuzzer(fuzz_perf_record LIBS rtev_code)
rtev_executable(code_tool SOURCES code/code_tool.c LIBS rtev_code)
rtev_executable(without_perf SOURCES support/without_perf.c)
