rtev_executable(tty_probe SOURCES tui/tty_probe.c tui/sample.c LIBS rtev_tty rtev_ui)
rtev_script_test(tui_terminal LABEL tui SCRIPT tui/test_terminal.sh TIMEOUT 300 ARGS $<TARGET_FILE:tty_probe>)
rtev_test(test_tty LABEL tui SOURCES tui/test_tty.c tui/sample.c LIBS rtev_tty rtev_ui)
rtev_script_test(tui_live LABEL tui SCRIPT tui/test_live.sh TIMEOUT 300)
