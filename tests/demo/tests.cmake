# The demo's workload, and the demo itself.
set(demo_workload ${PROJECT_SOURCE_DIR}/src/app/demo_workload.c ${PROJECT_SOURCE_DIR}/src/app/demo_gc.c)
rtev_test(test_demo_workload LABEL unit SOURCES demo/test_demo_workload.c ${demo_workload}
  LIBS rtev PkgConfig::LIBBSD)
target_link_options(test_demo_workload PRIVATE -Wl,--wrap=calloc,--wrap=reallocarray)
rtev_test(test_demo LABEL unit SOURCES demo/test_demo.c ${demo_workload} ${PROJECT_SOURCE_DIR}/src/app/demo.c
  ${PROJECT_SOURCE_DIR}/src/app/private_dir.c ${PROJECT_SOURCE_DIR}/src/app/commands/demo.c
  ${PROJECT_SOURCE_DIR}/src/app/fail.c LIBS rtev_record rtev_target)
