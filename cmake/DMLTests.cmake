# What the tests in C++ share, also those of the library that travels (test/travel).
#
# SPDX-License-Identifier: Apache-2.0
find_package(GTest REQUIRED)
include(GoogleTest)

# dml_discover_tests(PROGRAM property value...): registers the tests of a program with
# googletest in CTest, with these properties.
function(dml_discover_tests program)
  # A program with sanitizers that lists its tests on a busy machine takes longer than
  # the five seconds that CMake waits otherwise.
  gtest_discover_tests(${program} DISCOVERY_TIMEOUT 300 PROPERTIES ${ARGN})
endfunction()

# What programs are compiled against: compares the headers, which are named as programs
# include them, and the shared library with the file interface.txt (docs/Promises.md).
function(dml_add_interface_test name library)
  cmake_parse_arguments(ARG "" "" "HEADERS;INCLUDE" ${ARGN})
  if(NOT DML_PYTHON OR NOT CMAKE_NM OR DML_SANITIZERS
      OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
    return()
  endif()
  list(TRANSFORM ARG_HEADERS PREPEND "--header=")
  list(TRANSFORM ARG_INCLUDE PREPEND "--include=")
  add_test(NAME ${name}/interface
    COMMAND "${DML_PYTHON}"
            "${PROJECT_SOURCE_DIR}/runtime/unittests/check-interface.py"
            "--compiler=${CMAKE_C_COMPILER}" "--nm=${CMAKE_NM}"
            --library=$<TARGET_FILE:${library}> ${ARG_HEADERS}
            "--include=${PROJECT_SOURCE_DIR}/include" ${ARG_INCLUDE}
            "--kept=${CMAKE_CURRENT_SOURCE_DIR}/interface.txt")
  set_tests_properties(${name}/interface PROPERTIES TIMEOUT 60)
endfunction()
