rtev_test(test_advice LABEL unit SOURCES advice/test_advice.c LIBS rtev_advice)
