rtev_test(test_advice LABEL unit SOURCES advice/test_advice.c LIBS rtev_advice)
rtev_test(test_findings LABEL unit SOURCES advice/test_findings.c LIBS rtev_advice)
rtev_test(test_findings_heap LABEL unit SOURCES advice/test_findings_heap.c LIBS rtev_advice)
rtev_fuzzer(fuzz_advice LIBS rtev_advice)
