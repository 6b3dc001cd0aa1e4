rtev_test(test_child_output LABEL unit SOURCES launch/test_child_output.c LIBS rtev_app)
rtev_test(test_child LABEL unit SOURCES launch/test_child.c LIBS rtev_launch)
