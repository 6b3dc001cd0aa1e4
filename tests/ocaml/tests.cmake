foreach(case "53 5.3.0 native exe" "53 5.3.0 stripped exe" "53 5.3.0 bytecode bytecode" "53 5.3.0 custom bytecode"
    "53 5.3.0 instrumented exe" "51 5.1.0 native exe" "51 5.1.0 bytecode bytecode")
  separate_arguments(words UNIX_COMMAND "${case}")
  list(GET words 0 release)
  list(GET words 2 kind)
  rtev_script_test(ocaml_live_${release}_${kind} LABEL ocaml SCRIPT ocaml/test_live.sh ARGS ${words} TIMEOUT 180)
endforeach()
rtev_script_test(ocaml_rescript LABEL ocaml SCRIPT ocaml/test_rescript.sh)
rtev_script_test(producer_oracle LABEL ocaml SCRIPT ocaml/test_producer_oracle.sh ARGS $<TARGET_FILE:ring_tool> TIMEOUT 180)
rtev_script_test(ocaml_view_53 LABEL ocaml SCRIPT ocaml/test_view.sh ARGS 53 5.3.0)
rtev_script_test(ocaml_view_51 LABEL ocaml SCRIPT ocaml/test_view.sh ARGS 51 5.1.0)
rtev_script_test(ocaml_flight LABEL ocaml SCRIPT ocaml/test_flight.sh ARGS 53 native ${CMAKE_CURRENT_BINARY_DIR}/record_dump
  TIMEOUT 180)
rtev_script_test(ocaml_diff LABEL ocaml SCRIPT ocaml/test_diff.sh ARGS 53 TIMEOUT 180)
