rtev_test(test_child_output LABEL unit SOURCES session/test_child_output.c ${PROJECT_SOURCE_DIR}/src/app/top/facts.c
  LIBS rtev_fleet rtev_ui)
rtev_test(test_session LABEL unit SOURCES session/test_session.c LIBS rtev_session)
rtev_test(test_target_file LABEL unit SOURCES session/test_target_file.c LIBS rtev_session)
add_dependencies(test_target_file rtevtop)
rtev_test(test_guard LABEL unit SOURCES session/test_guard.c LIBS rtev_session)
rtev_test(test_pace LABEL unit SOURCES session/test_pace.c LIBS rtev_session)
rtev_test(test_spool LABEL ring SOURCES session/test_spool.c LIBS rtev_session)
rtev_test(test_reader LABEL ring SOURCES session/test_reader.c LIBS rtev_session)
