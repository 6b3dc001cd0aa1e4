foreach(name number json table)
  rtev_test(test_${name} LABEL unit SOURCES print/test_${name}.c LIBS rtev_print)
endforeach()
