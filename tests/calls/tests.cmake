rtev_test(test_profile LABEL unit SOURCES calls/test_profile.c LIBS rtev_calls)
