# Makes the .zip for Windows, unpacks it, and looks at what is in it: the files, what the
# DLL exports and needs, and that a tool runs from there.
#   cmake -DBUILD=... -DFOLDER=... -DHEADER=... -DOBJDUMP=... -DEMULATOR=...
#         -P windows-package-test.cmake
#
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")
execute_process(COMMAND "${CMAKE_COMMAND}" -E chdir "${BUILD}" cpack -G ZIP -B "${FOLDER}"
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB archive "${FOLDER}/dml-runtime-*-windows-x86_64.zip")
file(ARCHIVE_EXTRACT INPUT "${archive}" DESTINATION "${FOLDER}")
get_filename_component(name "${archive}" NAME_WLE)
set(root "${FOLDER}/${name}")

file(GLOB_RECURSE found RELATIVE "${root}" "${root}/*")
foreach(file IN ITEMS bin/dml_runtime.dll bin/dml-run.exe bin/dml-inspect.exe
    bin/dml-bench.exe include/dml/runtime.h include/dml/runtime.hpp
    share/doc/dml-dev/examples/embed/embed.c lib/libdml_runtime.a lib/libdml_runtime.dll.a
    lib/dml_runtime.def lib/cmake/dml-runtime/dml-runtime-config.cmake
    share/doc/dml-runtime/LICENSE share/doc/dml-runtime/NOTICE
    share/doc/dml-runtime/examples/padding.dmlx)
  if(NOT file IN_LIST found)
    message(SEND_ERROR "${file} is missing among ${found}")
  endif()
endforeach()

# The DLL exports what the header declares, and needs what every Windows has.
execute_process(COMMAND "${OBJDUMP}" -p "${root}/bin/dml_runtime.dll"
  OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "DLL Name: [^\n]+" needed "${text}")
list(TRANSFORM needed REPLACE "DLL Name: " "")
list(TRANSFORM needed TOLOWER)
list(REMOVE_ITEM needed kernel32.dll msvcrt.dll advapi32.dll)
if(needed)
  message(SEND_ERROR "the DLL needs ${needed}")
endif()
string(REGEX REPLACE ".*Name Pointer\\] Table[^\n]*\n(.*)" "\\1" exported "${text}")
string(REGEX REPLACE "\n\n.*" "\n" exported "${exported}")
string(REGEX REPLACE "\\[ *[0-9]+\\]" "" exported "${exported}")
string(REGEX MATCHALL "[A-Za-z0-9_]+" exported "${exported}")
file(READ "${HEADER}" header)
string(REGEX MATCHALL "[ *\n]dml[A-Za-z0-9]+\\(" declared "${header}")
list(TRANSFORM declared REPLACE "^.(dml[A-Za-z0-9]+)\\(" "\\1")
# Comments name functions with a parenthesis behind them only where they are declared too.
list(REMOVE_DUPLICATES declared)
list(SORT declared)
list(SORT exported)
if(NOT exported STREQUAL declared)
  message(SEND_ERROR "the DLL exports ${exported}\n, but the header declares ${declared}")
endif()

execute_process(COMMAND ${EMULATOR} "${root}/bin/dml-run.exe" padding.dmlx
    --input=1x1x4x4xf32=1.5 WORKING_DIRECTORY "${root}/share/doc/dml-runtime/examples"
  RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
if(NOT result EQUAL 0 OR NOT out MATCHES "^%output: 1x1x8x10xf32\n")
  message(SEND_ERROR "dml-run: exit code ${result}\n${out}${err}")
endif()
