# Installs the runtime, and links a project in C with it: by CMake's package, and
# by pkg-config's file.
#   cmake -DBUILD=... -DWRITER=... -DFOLDER=... -DGENERATOR=... -DC_COMPILER=...
#         -DPKG_CONFIG=... [-DTOOLCHAIN=... -DEMULATOR=...] -P c-project-test.cmake
#
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result
    OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\nfailed (${result}):\n${out}\n${err}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

set(prefix "${FOLDER}/prefix")
set(source "${CMAKE_CURRENT_LIST_DIR}/c-project")
file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}/executables")
run(${EMULATOR} "${WRITER}" "${FOLDER}/executables")
# The runtime's part of the build, whatever it is a part of.
run("${CMAKE_COMMAND}" "-DCMAKE_INSTALL_PREFIX=${prefix}"
  -P "${BUILD}/cmake_install.cmake")

# The static library and the shared one.
set(programs)
foreach(shared OFF ON)
  set(build "${FOLDER}/build-${shared}")
  run("${CMAKE_COMMAND}" -G "${GENERATOR}" -S "${source}" -B "${build}"
    "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_C_COMPILER=${C_COMPILER}"
    "-DCMAKE_TOOLCHAIN_FILE=${TOOLCHAIN}" "-DBUILD_SHARED_LIBS=${shared}")
  run("${CMAKE_COMMAND}" --build "${build}")
  if(EMULATOR)
    # Windows looks for a DLL in the folder of the program.
    file(COPY "${prefix}/bin/dml_runtime.dll" DESTINATION "${build}")
    list(APPEND programs "${build}/print-functions.exe")
  else()
    list(APPEND programs "${build}/print-functions")
  endif()
endforeach()

if(PKG_CONFIG)
  file(GLOB_RECURSE file "${prefix}/*/dml-runtime.pc")
  get_filename_component(folder "${file}" DIRECTORY)
  set(ENV{PKG_CONFIG_PATH} "${folder}")
  foreach(kind "" --static)
    run("${PKG_CONFIG}" ${kind} --cflags --libs dml-runtime)
    separate_arguments(flags UNIX_COMMAND "${out}")
    string(REPLACE --static -static kind "${kind}")
    set(program "${FOLDER}/by-pkg-config${kind}")
    run("${C_COMPILER}" ${kind} "${source}/print-functions.c" ${flags}
      -o "${program}")
    list(APPEND programs "${program}")
  endforeach()
  # A shared library stands where no linker looks for it.
  get_filename_component(library_folder "${folder}/.." ABSOLUTE)
  set(ENV{LD_LIBRARY_PATH} "${library_folder}")
endif()
foreach(program IN LISTS programs)
  run(${EMULATOR} "${program}" "${FOLDER}/executables/arithmetic.dmlx")
  if(NOT out STREQUAL "main\nadd_constant\n")
    message(SEND_ERROR "${program} prints ${out}")
  endif()
endforeach()
