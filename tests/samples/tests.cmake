rtev_test(test_system_past LABEL unit SOURCES samples/test_system_past.c LIBS rtev_watch)
rtev_test(test_lock_past LABEL unit SOURCES samples/test_lock_past.c LIBS rtev_samples)
