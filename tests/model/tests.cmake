foreach(part hist pool path_tree model_spans model_resumes model_resume_floods model_users model_life model_memory)
  rtev_test(test_${part} LABEL unit SOURCES model/test_${part}.c LIBS rtev_watch rtev_sites)
endforeach()
target_link_options(test_model_memory PRIVATE -Wl,--wrap=malloc,--wrap=calloc,--wrap=reallocarray,--wrap=mmap,--wrap=munmap)

rtev_test(test_watch LABEL unit SOURCES watch/test_watch.c LIBS rtev_watch rtev_sites)

# The model against a program that works the same figures out from a log in the simplest way.
rtev_executable(model_replay SOURCES support/model_replay.c LIBS rtev_app)
rtev_script_test(test_model_oracle LABEL unit SCRIPT model/model_oracle.sh TIMEOUT 300
  ARGS $<TARGET_FILE:model_replay> 1 80)

