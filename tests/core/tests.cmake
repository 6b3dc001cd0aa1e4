rtev_script_test(architecture LABEL unit SCRIPT architecture.sh ARGS ${PROJECT_SOURCE_DIR} TIMEOUT 30)
rtev_script_test(ci LABEL unit SCRIPT ci.sh ARGS ${PROJECT_SOURCE_DIR})
# A library with sanitizers would need their runtime in whoever links it, one for another processor or C library a compiler for that.
if(NOT RTEV_SANITIZE AND NOT CMAKE_CROSSCOMPILING AND NOT CMAKE_C_COMPILER MATCHES "musl")
  rtev_script_test(install LABEL unit SCRIPT app/install.sh ARGS ${CMAKE_BINARY_DIR} ${PROJECT_SOURCE_DIR} TIMEOUT 300)
endif()
rtev_test(test_status LABEL unit SOURCES core/test_status.c LIBS rtev)
rtev_test(test_varint LABEL unit SOURCES core/test_varint.c LIBS rtev)
rtev_test(test_out LABEL unit SOURCES core/test_out.c LIBS rtev)
rtev_test(test_sized LABEL unit SOURCES core/test_sized.c support/ring_image.c LIBS rtev)
if(NOT RTEV_SANITIZE)
  rtev_script_test(abi LABEL unit SCRIPT core/abi.sh ARGS $<TARGET_FILE:rtev_shared> ${PROJECT_SOURCE_DIR}
    ${PROJECT_BINARY_DIR}/debian/symbols)
endif()
