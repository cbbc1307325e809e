# Configures dml as scripts/setup says for other systems: what it needs stands in
# prefixes of its own, which are named. Fails where something was found elsewhere.
#   cmake -DSOURCE=... -DBUILD=... -DFOLDER=... -P by-hand-test.cmake
# BUILD is a build that is configured: where it found things, they are taken from.
#
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/configure.cmake")
file(REMOVE_RECURSE "${FOLDER}")
set(prefix "${FOLDER}/prefix")

# Puts what stands at a path of the system to the same place below the prefix.
function(take system_prefix)
  foreach(path IN LISTS ARGN)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${system_prefix}"
      OUTPUT_VARIABLE relative)
    cmake_path(GET relative PARENT_PATH parent)
    file(MAKE_DIRECTORY "${prefix}/${parent}")
    file(CREATE_LINK "${path}" "${prefix}/${relative}" SYMBOLIC)
  endforeach()
endfunction()

load_cache("${BUILD}" READ_WITH_PREFIX found_ MLIR_DIR DML_FLATC
  DML_FLATBUFFERS_INCLUDE_DIR DML_VULKAN_INCLUDE_DIR PROTOZERO_INCLUDE_DIR
  SPIRV-Tools_DIR CMAKE_C_COMPILER CMAKE_CXX_COMPILER)
foreach(headers DML_FLATBUFFERS:flatbuffers DML_VULKAN:vulkan DML_VULKAN:vk_video
        PROTOZERO:protozero)
  string(REGEX MATCH "(.*):(.*)" headers "${headers}")
  set(folder "${found_${CMAKE_MATCH_1}_INCLUDE_DIR}")
  set(name "${CMAKE_MATCH_2}")
  cmake_path(GET folder PARENT_PATH system_prefix)
  take("${system_prefix}" "${folder}/${name}")
endforeach()
cmake_path(GET found_DML_FLATC PARENT_PATH folder)
cmake_path(GET folder PARENT_PATH system_prefix)
take("${system_prefix}" "${found_DML_FLATC}")
# PREFIX/lib/x86_64-linux-gnu/cmake/SPIRV-Tools, or with another folder for libraries.
cmake_path(GET found_SPIRV-Tools_DIR PARENT_PATH folder)
cmake_path(GET folder PARENT_PATH folder)
string(REGEX REPLACE "/lib[^/]*(/[^/]*)?$" "" system_prefix "${folder}")
file(GLOB libraries "${folder}/libSPIRV-Tools*")
take("${system_prefix}" "${found_SPIRV-Tools_DIR}" ${libraries}
  "${system_prefix}/include/spirv-tools")

# LLVM in a prefix of its own.
cmake_path(SET llvm NORMALIZE "${found_MLIR_DIR}/../../..")
file(CREATE_LINK "${llvm}" "${FOLDER}/llvm" SYMBOLIC)

configure(release "${FOLDER}/build"
  "-DMLIR_DIR=${FOLDER}/llvm/lib/cmake/mlir" "-DCMAKE_PREFIX_PATH=${prefix}"
  -DDML_BUILD_TESTS=OFF)
file(STRINGS "${FOLDER}/build/CMakeCache.txt" cache)
foreach(variable MLIR_DIR DML_FLATC DML_FLATBUFFERS_INCLUDE_DIR
        DML_VULKAN_INCLUDE_DIR PROTOZERO_INCLUDE_DIR SPIRV-Tools_DIR)
  set(line ${cache})
  list(FILTER line INCLUDE REGEX "^${variable}:")
  string(REGEX REPLACE "^[^=]*=" "" value "${line}")
  string(FIND "${value}" "${FOLDER}/" position)
  if(NOT position EQUAL 0)
    message(SEND_ERROR "${variable} is '${value}', not in ${FOLDER}")
  endif()
endforeach()
