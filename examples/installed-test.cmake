# Installs dml to a folder, builds the examples against what was installed, and
# compiles an operator.
#
# SPDX-License-Identifier: Apache-2.0
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result
    OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\nfailed (${result}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# Fails where the last command's output does not match `pattern`.
function(expect pattern)
  if(NOT output MATCHES "${pattern}")
    message(FATAL_ERROR "no match for '${pattern}' in:\n${output}")
  endif()
endfunction()

set(prefix "${FOLDER}/prefix")
file(REMOVE_RECURSE "${FOLDER}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}")

set(flags)
if(SANITIZERS)
  set(flags "-fsanitize=${SANITIZERS}")
endif()
foreach(example embed embed-compiler embed-compiler-c session graph directml classify decoder
    generate pass-plugin)
  run("${CMAKE_COMMAND}" -G "${GENERATOR}"
    -S "${CMAKE_CURRENT_LIST_DIR}/${example}" -B "${FOLDER}/${example}"
    "-DCMAKE_PREFIX_PATH=${prefix}"
    "-DCMAKE_BUILD_TYPE=${BUILD_TYPE}"
    "-DCMAKE_C_COMPILER=${C_COMPILER}"
    "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}"
    "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}"
    "-DCMAKE_C_FLAGS=${flags}" "-DCMAKE_CXX_FLAGS=${flags}")
  run("${CMAKE_COMMAND}" --build "${FOLDER}/${example}")
endforeach()

# Headers have no warnings in programs that ask for more than these examples. GCC says
# more than Clang of a name that hides another.
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror)
find_program(GCC g++)
set(compilers "${CXX_COMPILER}")
if(GCC)
  list(APPEND compilers "${GCC}")
endif()
foreach(header runtime.h model.h session.h directml.h runtime.hpp session.hpp directml.hpp)
  set(program "${FOLDER}/header-${header}.cpp")
  file(WRITE "${program}" "#include <dml/${header}>\n")
  foreach(compiler IN LISTS compilers)
    run("${compiler}" -std=c++17 ${warnings} -Wold-style-cast "-I${prefix}/include"
      -fsyntax-only "${program}")
  endforeach()
  if(header MATCHES "[.]h$")
    file(WRITE "${FOLDER}/header-${header}.c" "#include <dml/${header}>\n")
    run("${C_COMPILER}" -std=c99 ${warnings} "-I${prefix}/include" -fsyntax-only
      "${FOLDER}/header-${header}.c")
  endif()
endforeach()

# Each part comes with the licence, and with the notice of what of other projects is in it.
foreach(part dml-runtime dml-dev dml-tools dml-compiler-dev python3-dml)
  foreach(file LICENSE NOTICE)
    if(NOT EXISTS "${prefix}/share/doc/${part}/${file}")
      message(FATAL_ERROR "${prefix}/share/doc/${part} has no ${file}")
    endif()
  endforeach()
endforeach()

# Without CMake: pkg-config says how a program links the library of sessions.
find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  file(GLOB_RECURSE description "${prefix}/*/dml.pc")
  get_filename_component(folder "${description}" DIRECTORY)
  set(ENV{PKG_CONFIG_PATH} "${folder}")
  run("${PKG_CONFIG}" --cflags --libs dml)
  separate_arguments(found UNIX_COMMAND "${output}")
  separate_arguments(all_flags UNIX_COMMAND "${flags}")
  get_filename_component(libraries "${folder}/.." ABSOLUTE)
  run("${C_COMPILER}" ${all_flags} "${CMAKE_CURRENT_LIST_DIR}/session/session.c" ${found}
    "-Wl,-rpath,${libraries}" -o "${FOLDER}/by-pkg-config")
  run("${FOLDER}/by-pkg-config" "${CMAKE_CURRENT_LIST_DIR}/padding.mlir")
  expect("output.[0-9]+. = ")
endif()

# A program of DirectML runs.
run("${FOLDER}/directml/dml-directml")
expect("^0 xor 0 = 0\n0 xor 1 = 1\n1 xor 0 = 1\n1 xor 1 = 0\n$")

set(executable "${FOLDER}/padding.dmlx")
run("${FOLDER}/embed-compiler/dml-embed-compiler"
  "${CMAKE_CURRENT_LIST_DIR}/padding.mlir" "${executable}")
expect("linalg.generic")
run("${FOLDER}/embed-compiler-c/dml-embed-compiler-c"
  "${CMAKE_CURRENT_LIST_DIR}/padding.mlir" "${FOLDER}/padding-c.dmlx")
run("${prefix}/bin/dml-run" --print-signature "${FOLDER}/padding-c.dmlx")
expect("1x1x8x10xf32")
# An error has its place.
file(WRITE "${FOLDER}/wrong.mlir" "\n  nonsense")
execute_process(
  COMMAND "${FOLDER}/embed-compiler-c/dml-embed-compiler-c"
    "${FOLDER}/wrong.mlir" "${FOLDER}/wrong.dmlx"
  RESULT_VARIABLE result ERROR_VARIABLE output)
expect("^[^\n]*wrong.mlir:2:3: error: [^\n]+\n$")
if(NOT result EQUAL 1 OR EXISTS "${FOLDER}/wrong.dmlx")
  message(FATAL_ERROR "exit code ${result}, wanted 1, and no executable")
endif()

# Programs look for shared libraries in a place relative to their own, wherever
# they are installed; so does the compiler's library.
if(READELF)
  file(GLOB programs "${prefix}/bin/*")
  file(GLOB libraries
    "${prefix}/lib*/libdml.so" "${prefix}/lib*/libdml_compiler.so"
    "${prefix}/lib/*/libdml.so" "${prefix}/lib/*/libdml_compiler.so")
  foreach(file IN LISTS programs libraries)
    run("${READELF}" --dynamic "${file}")
    expect("R(UN)?PATH[^\n]*\\$ORIGIN")
    if(output MATCHES "PATH[^\n]*${BUILD}")
      message(FATAL_ERROR "${file} looks for libraries in the build:\n${output}")
    endif()
  endforeach()
endif()

# The installed programs: dml-run alone, and with the dml-compile beside it.
foreach(file "${executable}" "${CMAKE_CURRENT_LIST_DIR}/padding.mlir")
  run("${prefix}/bin/dml-run" --print-signature "${file}")
  expect("1x1x8x10xf32")
endforeach()
