# The demo's workload, and the demo itself.
rtev_test(test_demo_workload LABEL unit SOURCES demo/test_demo_workload.c LIBS rtev_demo)
target_link_options(test_demo_workload PRIVATE -Wl,--wrap=calloc,--wrap=reallocarray)
rtev_test(test_demo LABEL unit SOURCES demo/test_demo.c LIBS rtev_app)
