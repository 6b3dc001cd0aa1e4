rtev_test(test_fleet_figures LABEL unit SOURCES fleet/test_fleet_figures.c LIBS rtev_fleet)
