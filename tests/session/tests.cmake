set(session_app ${PROJECT_SOURCE_DIR}/src/app)
rtev_test(test_child_output LABEL unit SOURCES session/test_child_output.c ${session_app}/top/facts.c ${session_app}/fail.c
  LIBS rtev_session rtev_ui)
rtev_test(test_session LABEL unit SOURCES session/test_session.c ${session_app}/fail.c LIBS rtev_session)
