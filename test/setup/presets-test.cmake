# Configures the presets that no other test of the release build does: what one preset has
# and another lacks is otherwise met by who builds the other one.
#   cmake -DSOURCE=... -DBUILD=... -DFOLDER=... -P presets-test.cmake
# BUILD is a build that is configured, whose compilers and MLIR are taken.
#
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${FOLDER}")
load_cache("${BUILD}" READ_WITH_PREFIX found_ MLIR_DIR CMAKE_PREFIX_PATH
  CMAKE_C_COMPILER CMAKE_CXX_COMPILER)
foreach(preset debug asserts travel)
  # Nothing is linked here, so that the linker of the preset travel may be missing.
  execute_process(
    COMMAND "${CMAKE_COMMAND}" --preset ${preset} -S "${SOURCE}" -B "${FOLDER}/${preset}"
      "-DMLIR_DIR=${found_MLIR_DIR}" "-DCMAKE_PREFIX_PATH=${found_CMAKE_PREFIX_PATH}"
      "-DCMAKE_C_COMPILER=${found_CMAKE_C_COMPILER}"
      "-DCMAKE_CXX_COMPILER=${found_CMAKE_CXX_COMPILER}" -DDML_HAS_LLD=ON
    WORKING_DIRECTORY "${SOURCE}"
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR
      "the preset ${preset} is not configured (${result}):\n${output}")
  endif()
  file(REMOVE_RECURSE "${FOLDER}/${preset}")
endforeach()
