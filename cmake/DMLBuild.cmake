# Settings shared by the compiler and the runtime.
#
# SPDX-License-Identifier: Apache-2.0
include_guard()

option(DML_ENABLE_WERROR "Treat warnings in dml's own code as errors" OFF)
option(DML_ASSERTS "Check assertions, whatever the build type says of NDEBUG" OFF)
set(DML_SANITIZERS "" CACHE STRING
    "Sanitizers to build with, as given to -fsanitize= (\"address,undefined\")")

option(DML_UNITY_BUILD
  "Compile eight files of a library at a time instead of four, for builds that are made\
 once: the whole takes less time, but a change of one file compiles eight"
  OFF)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Precompiled headers (DMLCompiler.cmake) are cached under these conditions only.
  # With CCACHE_DEPEND the compiler's list of included files tells what a file depends
  # on, and nothing is preprocessed for it: that would take a fifth of each compilation.
  set(CCACHE_COMMAND "${CMAKE_COMMAND}" -E env CCACHE_DEPEND=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      "${CCACHE_PROGRAM}")
  set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE_COMMAND}" CACHE STRING "")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_COMMAND}" CACHE STRING "")
endif()

# Windows' own header without the macros min and max, and without what few programs use.
if(WIN32)
  add_compile_definitions(WIN32_LEAN_AND_MEAN=1 NOMINMAX=1)
endif()

# After the build type's own options, of which -DNDEBUG may be one.
if(DML_ASSERTS)
  add_compile_options(-UNDEBUG)
endif()

if(DML_SANITIZERS)
  add_compile_options(-fsanitize=${DML_SANITIZERS} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${DML_SANITIZERS})
endif()

# Every object may be a part of a shared library: of the compiler's own, or of one
# that links dml's static libraries. One flag for libraries and programs alike,
# since a precompiled header serves objects with the same flag only.
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  add_compile_options(-fPIC -fno-semantic-interposition)
else()
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()

include(GNUInstallDirs)

# Where programs, and libraries that load other libraries, find those that are
# installed with them: from where they stand themselves, so that the prefix may be
# any. LLVM's libraries may lie where the loader does not look, too.
file(RELATIVE_PATH DML_RPATH_TO_LIBRARIES
  "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")

find_program(DML_PYTHON python3)

# Puts the program `target` beside all others, and installs it with its man page as
# a part of `component` (DMLPackages.cmake). The page is made of what the program's
# --help prints.
function(dml_install_tool target component)
  set_target_properties(${target} PROPERTIES
    INSTALL_RPATH "$ORIGIN/${DML_RPATH_TO_LIBRARIES}"
    INSTALL_RPATH_USE_LINK_PATH ON
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  if(WIN32)
    target_sources(${target} PRIVATE
      "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/windows/utf-8.rc")
  endif()
  install(TARGETS ${target}
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT ${component})
  if(NOT DML_PYTHON OR CMAKE_CROSSCOMPILING)
    return()
  endif()
  set(script "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../scripts/write-man-page")
  set(page "${PROJECT_BINARY_DIR}/man/man1/${target}.1")
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/man/man1")
  add_custom_command(OUTPUT "${page}"
    COMMAND "${DML_PYTHON}" "${script}" $<TARGET_FILE:${target}>
            -o "${page}" --see-also dml-compile dml-explain dml-opt dml-run
    DEPENDS ${target} "${script}"
    COMMENT "Writing the man page of ${target}"
    VERBATIM)
  add_custom_target(${target}-man ALL DEPENDS "${page}")
  set_property(GLOBAL APPEND PROPERTY DML_MAN_PAGES ${target}-man)
  install(FILES "${page}"
    DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT ${component})
endfunction()

# Installs the licence, and the notice of what of other projects is in dml, as a part of
# `component`, beside the documents of `name`.
function(dml_install_licences name component)
  install(FILES
    "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../LICENSE"
    "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../NOTICE"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${name}" COMPONENT ${component})
endfunction()

# Compiles four files of a library at a time: headers that they share are read once, and
# templates compiled once; a change of one file compiles no more than four. The names of
# a file's own functions and constants differ from those of all others in the library.
function(dml_compile_in_batches target)
  set(size 4)
  if(DML_UNITY_BUILD)
    set(size 8)
  endif()
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
endfunction()

# Warnings for a target of dml's own. Clang says of every stable sort that libstdc++ 12
# uses a deprecated function of its own; GCC's builds keep the warning.
function(dml_target_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-unused-parameter
    -Wno-missing-field-initializers
    $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
    $<$<BOOL:${DML_ENABLE_WERROR}>:-Werror>)
endfunction()
