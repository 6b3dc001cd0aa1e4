rtev_test(test_window LABEL unit SOURCES figures/test_window.c LIBS rtev_figures)
rtev_test(test_totals LABEL unit SOURCES figures/test_totals.c LIBS rtev_figures)
rtev_test(test_counted LABEL unit SOURCES figures/test_counted.c LIBS rtev_figures)
rtev_test(test_levels LABEL unit SOURCES figures/test_levels.c LIBS rtev_figures)
