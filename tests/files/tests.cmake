rtev_test(test_disk LABEL unit SOURCES files/test_disk.c LIBS rtev_files)
rtev_test(test_new_file LABEL unit SOURCES files/test_new_file.c LIBS rtev_app)
