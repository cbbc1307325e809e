# How the compiler's libraries and tools are built.
#
# SPDX-License-Identifier: Apache-2.0
include_guard()

# A library of the compiler: static, linked against the shared libMLIR.
#   dml_add_library(NAME sources... DEPENDS generated... LINK libraries...)
function(dml_add_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  add_library(dml::${name} ALIAS ${name})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  target_include_directories(${name} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
    "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>"
    "$<INSTALL_INTERFACE:include>")
  dml_target_warnings(${name})
endfunction()

# A tool of the compiler.
function(dml_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  dml_target_warnings(${name})
  # The tests that lit runs need every tool (test/CMakeLists.txt).
  set_property(GLOBAL APPEND PROPERTY DML_TOOLS ${name})
  install(TARGETS ${name} RUNTIME DESTINATION bin)
endfunction()
