rtev_test(test_growth LABEL unit SOURCES observation/test_growth.c LIBS rtev_observation)
