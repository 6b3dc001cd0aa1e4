rtev_script_test(architecture LABEL unit SCRIPT unit/architecture.sh ARGS ${PROJECT_SOURCE_DIR} TIMEOUT 30)
# A library with sanitizers would need their runtime in whoever links it, one for another processor a compiler for that.
if(NOT RTEV_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  rtev_script_test(install LABEL unit SCRIPT unit/install.sh ARGS ${CMAKE_BINARY_DIR} ${PROJECT_SOURCE_DIR} TIMEOUT 300)
endif()
rtev_test(test_status LABEL unit SOURCES unit/test_status.c LIBS rtev)
if(NOT RTEV_SANITIZE)
  rtev_script_test(abi LABEL unit SCRIPT unit/abi.sh ARGS $<TARGET_FILE:rtev_shared> ${PROJECT_SOURCE_DIR})
endif()
