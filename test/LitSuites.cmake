# The lit tests in CTest: one case for each folder, and one for each test that takes
# long. Each case runs its tests one after the other, so that `ctest -j N` alone says how
# many tests run at the same time. COST is the seconds that a case takes: CTest starts
# the longest cases first.
#
# SPDX-License-Identifier: Apache-2.0
include(ProcessorCount)
ProcessorCount(DML_PROCESSORS)

# Adds the case lit/NAME, which gives lit the ARGUMENTS. Only `check-dml` records times
# for lit's order: several processes would write that file at the same time.
function(dml_add_lit_case name)
  cmake_parse_arguments(ARG "" "COST;PROCESSORS" "ARGUMENTS;LABELS" ${ARGN})
  add_test(NAME lit/${name}
    COMMAND "${LLVM_EXTERNAL_LIT}" ${DML_LIT_ARGS_LIST} -j1 --show-unsupported
            --skip-test-time-recording ${ARG_ARGUMENTS})
  set_tests_properties(lit/${name} PROPERTIES
    LABELS "lit;${ARG_LABELS}" COST "${ARG_COST}" PROCESSORS "${ARG_PROCESSORS}"
    TIMEOUT 3600)
endfunction()

# Tests that take more than 15 seconds, with their seconds on two cores. The first two
# run several models at the same time themselves, and so have all processors.
set(long_tests
  ONNX/backend.test 30
  ONNX/profiles.test 33
  docs/commands-pages.test 50
  tools/dml-bench/suite.test 48
  DirectML/fields.test 34
  ONNX/optimizations.test 31
  Fuzz/fuzz.mlir 27
  ONNX/judge-device.test 20
  ONNX/sessions.test 18
  docs/commands-readme.test 18
  Fuzz/device.test 16)
set(tests_with_all_processors ONNX/backend.test ONNX/profiles.test)
# Folders whose other tests take longer than a second, likewise.
set(folder_costs EndToEnd 186 ONNX 112 tools 29 docs 20 IR 13 Codegen 12 DirectML 11
  Fuzz 9 TOSA 16)
# Folders in as many parts.
set(folder_parts EndToEnd 4 ONNX 2)
# Folders of `scripts/test --quick`.
set(quick_folders IR Transforms Conversion Codegen)

set(long_names)
while(long_tests)
  list(POP_FRONT long_tests test seconds)
  if(NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${test}")
    message(FATAL_ERROR "found no test/${test}, but LitSuites.cmake has its time")
  endif()
  cmake_path(REMOVE_EXTENSION test OUTPUT_VARIABLE name)
  set(processors 1)
  if(test IN_LIST tests_with_all_processors)
    set(processors ${DML_PROCESSORS})
  endif()
  dml_add_lit_case(${name} COST ${seconds} PROCESSORS ${processors}
    ARGUMENTS "${CMAKE_CURRENT_BINARY_DIR}/${test}")
  list(APPEND long_names ${test})
endwhile()
# lit's name of a test is "dml :: FOLDER/FILE".
list(JOIN long_names "|" long_names)
set(filter "--filter-out= :: (${long_names})$")

# Each family of operators has a test of its lowering.
foreach(family IN LISTS DML_FAMILIES)
  string(REGEX REPLACE "([a-z])([A-Z])" "\\1-\\2" file "${family}")
  string(TOLOWER "${file}" file)
  if(NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/Conversion/DMLToLinalg/${file}.mlir")
    message(FATAL_ERROR "found no test/Conversion/DMLToLinalg/${file}.mlir, but wanted "
      "a test of what the lowering of ${family} makes")
  endif()
endforeach()

# The value of `key` in a list of keys and values, or `default`.
function(dml_find_value result key default)
  set(value "${default}")
  list(FIND ARGN "${key}" index)
  if(NOT index EQUAL -1)
    math(EXPR index "${index} + 1")
    list(GET ARGN ${index} value)
  endif()
  set(${result} "${value}" PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE tests RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS
  *.mlir *.test *.td)
list(FILTER tests EXCLUDE REGEX "^lib/|/Inputs/")
list(TRANSFORM tests REPLACE "/.*" "" OUTPUT_VARIABLE folders)
list(REMOVE_DUPLICATES folders)
foreach(folder IN LISTS folders)
  dml_find_value(cost ${folder} 1 ${folder_costs})
  dml_find_value(parts ${folder} 1 ${folder_parts})
  math(EXPR cost "${cost} / ${parts} + 1")
  set(labels)
  if(folder IN_LIST quick_folders)
    set(labels quick)
  endif()
  foreach(part RANGE 1 ${parts})
    set(name ${folder})
    set(shard)
    if(parts GREATER 1)
      set(name ${folder}-${part}-of-${parts})
      # In lit's own order the parts would depend on times of runs before.
      set(shard --order=lexical --num-shards=${parts} --run-shard=${part})
    endif()
    dml_add_lit_case(${name} COST ${cost} PROCESSORS 1 LABELS ${labels}
      ARGUMENTS "${filter}" ${shard} "${CMAKE_CURRENT_BINARY_DIR}/${folder}")
  endforeach()
endforeach()
