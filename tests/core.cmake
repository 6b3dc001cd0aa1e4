rtev_script_test(architecture LABEL unit SCRIPT unit/architecture.sh ARGS ${PROJECT_SOURCE_DIR} TIMEOUT 30)
