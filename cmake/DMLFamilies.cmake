# The families of operators. The family Pooling has a file PoolingOps.cpp in each of
# these rooms, and no other file of a room has a name that ends in Ops.cpp:
#   include/dml/IR/PoolingOps.td               the descriptions and support tables,
#   lib/IR/PoolingOps.cpp                      verifiers, inference, rewrites,
#   lib/Conversion/DMLToLinalg/PoolingOps.cpp  the lowering,
#   lib/Reference/Operators/PoolingOps.cpp     the evaluators,
#   lib/Testing/Programs/PoolingOps.cpp        the draws of programs for tests.
# Its lowering has the test test/Conversion/DMLToLinalg/pooling.mlir.
# The ONNX importer names its files by the same families, where ONNX has operators of
# them: lib/Import/ONNX/Nodes/PoolingOps.cpp.
#
# SPDX-License-Identifier: Apache-2.0
include_guard()

set(DML_FAMILIES Activation Attention Contraction ElementWise Gather Layout
    Normalization Padding Pooling Quantization Random Recurrent Reduction Region
    Resample Scan Scatter Slice Softmax Sort Tile Training View)

# dml_family_sources(VARIABLE DIRECTORY [PARTIAL]): sets VARIABLE to the files of the
# families in DIRECTORY, relative to the current source directory. Fails where a family
# lacks its file, unless the room is PARTIAL, or where a file ends in Ops.cpp without a
# family.
function(dml_family_sources variable directory)
  cmake_parse_arguments(ARG "PARTIAL" "" "" ${ARGN})
  set(room "${CMAKE_CURRENT_SOURCE_DIR}/${directory}")
  set(sources)
  foreach(family IN LISTS DML_FAMILIES)
    if(EXISTS "${room}/${family}Ops.cpp")
      list(APPEND sources "${directory}/${family}Ops.cpp")
    elseif(NOT ARG_PARTIAL)
      message(FATAL_ERROR
        "The family ${family} lacks the file ${room}/${family}Ops.cpp.")
    endif()
  endforeach()
  file(GLOB found RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "${room}/*Ops.cpp")
  foreach(file IN LISTS found)
    get_filename_component(family "${file}" NAME)
    string(REGEX REPLACE "Ops[.]cpp$" "" family "${family}")
    if(NOT family IN_LIST DML_FAMILIES)
      message(FATAL_ERROR "${file} is named as a family's file, but DML_FAMILIES "
        "(cmake/DMLFamilies.cmake) has no family ${family}.")
    endif()
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()
