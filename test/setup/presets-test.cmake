# Configures the presets that no other test of the release build does: what one preset has
# and another lacks is otherwise met by who builds the other one.
#   cmake -DSOURCE=... -DBUILD=... -DFOLDER=... -P presets-test.cmake
# BUILD is a build that is configured, whose compilers and MLIR are taken.
#
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/configure.cmake")
file(REMOVE_RECURSE "${FOLDER}")
load_cache("${BUILD}" READ_WITH_PREFIX found_ MLIR_DIR CMAKE_PREFIX_PATH
  CMAKE_C_COMPILER CMAKE_CXX_COMPILER)
foreach(preset debug asserts travel)
  # Nothing is linked here, so that the linker of the preset travel may be missing.
  configure(${preset} "${FOLDER}/${preset}" "-DMLIR_DIR=${found_MLIR_DIR}"
    "-DCMAKE_PREFIX_PATH=${found_CMAKE_PREFIX_PATH}" -DDML_HAS_LLD=ON)
  file(REMOVE_RECURSE "${FOLDER}/${preset}")
endforeach()
