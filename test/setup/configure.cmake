# configure(PRESET FOLDER argument...): configures a preset of SOURCE in a folder, with the
# compilers of the build that load_cache() has read into found_*. Ends with CMake's output
# if that fails.
#
# SPDX-License-Identifier: Apache-2.0
function(configure preset folder)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" --preset ${preset} -S "${SOURCE}" -B "${folder}"
      "-DCMAKE_C_COMPILER=${found_CMAKE_C_COMPILER}"
      "-DCMAKE_CXX_COMPILER=${found_CMAKE_CXX_COMPILER}" ${ARGN}
    WORKING_DIRECTORY "${SOURCE}"
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR
      "the preset ${preset} is not configured (${result}):\n${output}")
  endif()
endfunction()
