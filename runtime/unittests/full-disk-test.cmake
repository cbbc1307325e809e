# Runs a tool that writes a file to a disk that is full: it says so, and what
# stood there stays.
#   cmake -DFOLDER=... -DWRITER=... "-DCOMMAND=tool;argument;..." -DOPTION=...
#         -P full-disk-test.cmake
# OPTION is the end of the command, before the path, as in "--json=".
#
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}/disk")
execute_process(COMMAND "${WRITER}" "${FOLDER}" COMMAND_ERROR_IS_FATAL ANY)
# A driver writes files too, and is not what is tested.
set(ENV{MESA_SHADER_CACHE_DISABLE} true)
set(ENV{MESA_GLSL_CACHE_DISABLE} true)

# check(<error> <what makes the disk full, for the shell> <shell>...)
function(check message stage)
  execute_process(COMMAND ${ARGN} -c "${stage} && printf kept > disk/out && {
      \"$@\"; code=$?; cat disk/out > found; ls disk > list; exit $code; }"
    sh ${COMMAND} "${OPTION}disk/out" WORKING_DIRECTORY "${FOLDER}"
    RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
  file(READ "${FOLDER}/found" found)
  file(READ "${FOLDER}/list" list)
  if(NOT result EQUAL 4 OR NOT found STREQUAL "kept" OR NOT list STREQUAL "out\n"
      OR NOT err MATCHES "error: cannot write 'disk/out': ${message}\n$")
    message(SEND_ERROR "${stage}: exit code ${result}\n${out}${err}\n"
      "the file has '${found}', and its folder:\n${list}")
  endif()
endfunction()

# No file may have more than 512 bytes, which is what the shell counts in.
check("File too large" "trap '' XFSZ && ulimit -f 1" sh)

# A disk of one page, which the old file has.
set(mount "mount -t tmpfs -o size=4k none disk")
execute_process(COMMAND unshare -rm sh -c "${mount}" WORKING_DIRECTORY "${FOLDER}"
  RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
if(result EQUAL 0)
  check("No space left on device" "${mount}" unshare -rm sh)
else()
  message(STATUS "no disk can be mounted here, and none is full")
endif()

# Standard output that takes nothing.
execute_process(COMMAND sh -c "exec \"$@\" > /dev/full" sh ${COMMAND}
  WORKING_DIRECTORY "${FOLDER}" RESULT_VARIABLE result ERROR_VARIABLE err)
if(NOT result EQUAL 4 OR NOT err MATCHES
    "error: cannot write [^\n]+: No space left on device\n$")
  message(SEND_ERROR "/dev/full: exit code ${result}: ${err}")
endif()
