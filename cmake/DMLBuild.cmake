# Settings shared by the compiler and the runtime.
#
# SPDX-License-Identifier: Apache-2.0
include_guard()

option(DML_ENABLE_WERROR "Treat warnings in dml's own code as errors" OFF)
set(DML_SANITIZERS "" CACHE STRING
    "Sanitizers to build with, as given to -fsanitize= (\"address,undefined\")")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Precompiled headers (DMLCompiler.cmake) are cached under these conditions only.
  set(CCACHE_COMMAND "${CMAKE_COMMAND}" -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      "${CCACHE_PROGRAM}")
  set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE_COMMAND}" CACHE STRING "")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_COMMAND}" CACHE STRING "")
endif()

if(DML_SANITIZERS)
  add_compile_options(-fsanitize=${DML_SANITIZERS} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${DML_SANITIZERS})
endif()

# Warnings for a target of dml's own.
function(dml_target_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-unused-parameter
    -Wno-missing-field-initializers
    $<$<BOOL:${DML_ENABLE_WERROR}>:-Werror>)
endfunction()
