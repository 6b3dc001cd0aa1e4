foreach(name width canvas theme format layout actions)
  rtev_test(test_${name} LABEL unit SOURCES unit/test_${name}.c LIBS rtev_ui)
endforeach()
rtev_test(test_plot LABEL unit SOURCES unit/test_plot.c unit/golden.c tui/sample.c LIBS rtev_ui)
