# proofkernel, the checker that is proved correct: made where Coq and an OCaml compiler are installed, by the target
# `kernel` or with the tests. Users who build the programs do not need it.
find_program(PD_COQC coqc)
find_program(PD_OCAMLFIND ocamlfind)
if(NOT PD_COQC OR NOT PD_OCAMLFIND)
  message(STATUS "without coq and ocaml-findlib: no proofkernel")
  return()
endif()
set(kernel_dir ${PROJECT_BINARY_DIR}/clients/kernel)
file(MAKE_DIRECTORY ${kernel_dir})
set(kernel_done)
foreach(name Tables Kernel Cells Lines Words Images Groups Pairs Weights Games Connections Hex Nim Graphs Domineering Breakthrough Extract)
  add_custom_command(OUTPUT ${kernel_dir}/${name}.vo
    COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/clients/kernel/${name}.v ${kernel_dir}
    COMMAND ${PD_COQC} -q -Q . proofkernel ${name}.v > ${name}.log
    WORKING_DIRECTORY ${kernel_dir} DEPENDS clients/kernel/${name}.v ${kernel_done} VERBATIM)
  set(kernel_done ${kernel_dir}/${name}.vo)
endforeach()
# A game is a file game_NAME.ml that registers it.
set(kernel_program policy.ml game.ml boards.ml game_lines.ml game_hex.ml game_nim.ml
  graph_file.ml game_graph.ml game_domineering.ml game_breakthrough.ml explore.ml proofkernel.ml)
list(TRANSFORM kernel_program PREPEND ${PROJECT_SOURCE_DIR}/clients/kernel/ OUTPUT_VARIABLE kernel_files)
set(kernel_trusted ${PROJECT_SOURCE_DIR}/clients/kernel/uint63.ml)
add_custom_command(OUTPUT ${kernel_dir}/proofkernel
  COMMAND ${CMAKE_COMMAND} -E copy ${kernel_trusted} ${kernel_files} ${kernel_dir}
  COMMAND ${PD_OCAMLFIND} ocamlopt -package str,unix -linkpkg -inline 200 uint63.ml kernel.mli kernel.ml
    ${kernel_program} -o proofkernel
  WORKING_DIRECTORY ${kernel_dir} DEPENDS ${kernel_trusted} ${kernel_files} ${kernel_done} VERBATIM)
# For the tests: policies with words against those by the rules.
add_custom_command(OUTPUT ${kernel_dir}/kernel_policy
  COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/tests/proofcheck/kernel_policy.ml ${kernel_dir}
  COMMAND ${PD_OCAMLFIND} ocamlopt -package str,unix -linkpkg uint63.cmx kernel.cmx policy.cmx game.cmx boards.cmx game_lines.cmx
    kernel_policy.ml -o kernel_policy
  WORKING_DIRECTORY ${kernel_dir} DEPENDS tests/proofcheck/kernel_policy.ml ${kernel_dir}/proofkernel VERBATIM)
add_custom_target(kernel DEPENDS ${kernel_dir}/proofkernel ${kernel_dir}/kernel_policy)
