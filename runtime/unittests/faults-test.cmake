# Runs a program again and again, each time with another of Vulkan's calls
# failing. Each time it must end with its one error, and leave nothing behind.
#   cmake -DPROGRAM=... -DARGUMENTS=... -DMOST=... -DWRITER=... -DLOADER=...
#         -DFOLDER=... -P faults-test.cmake
# LOADER is the libvulkan.so.1 of FaultyLoader.cpp; at most MOST calls of each
# function fail.
#
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")
execute_process(COMMAND "${WRITER}" "${FOLDER}" COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(arguments UNIX_COMMAND "${ARGUMENTS}")
get_filename_component(loader_folder "${LOADER}" DIRECTORY)
get_filename_component(name "${PROGRAM}" NAME)
set(ENV{LD_LIBRARY_PATH} "${loader_folder}")
set(log "${FOLDER}/log")
set(ENV{DML_FAULT_LOG} "${log}")

function(run)
  file(REMOVE "${log}")
  execute_process(COMMAND "${PROGRAM}" ${arguments} WORKING_DIRECTORY "${FOLDER}"
    TIMEOUT 60 RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
  set(result "${result}" PARENT_SCOPE)
  set(err "${err}" PARENT_SCOPE)
  set(text "")
  if(EXISTS "${log}")
    file(READ "${log}" text)
  endif()
  set(text "${text}" PARENT_SCOPE)
endfunction()

run()
if(NOT result EQUAL 0 OR text MATCHES "left|misused" OR NOT text MATCHES "calls ")
  message(FATAL_ERROR "without a fault: exit code ${result}\n${err}\n${text}")
endif()
string(REGEX MATCHALL "calls [A-Za-z0-9]+ [0-9]+" counts "${text}")

set(points 0)
foreach(line IN LISTS counts)
  string(REGEX MATCH "calls ([A-Za-z0-9]+) ([0-9]+)" _ "${line}")
  set(function "${CMAKE_MATCH_1}")
  set(count "${CMAKE_MATCH_2}")
  # How often work is asked about, nobody can say beforehand.
  if(function STREQUAL "vkGetFenceStatus")
    set(count 1)
  elseif(count GREATER MOST)
    set(count "${MOST}")
  endif()
  math(EXPR last "${count} - 1")
  foreach(call RANGE "${last}")
    # VK_ERROR_OUT_OF_DEVICE_MEMORY
    set(ENV{DML_FAULT} "${function}:${call}:-2")
    run()
    # Work that ends while the runtime asks about it is not waited for.
    if(function STREQUAL "vkWaitForFences" AND result EQUAL 0
        AND NOT text MATCHES "\nfailed\n")
      continue()
    endif()
    set(wanted 1)
    # A name for debuggers is all that may be missing.
    if(function STREQUAL "vkSetDebugUtilsObjectNameEXT")
      set(wanted 0)
    endif()
    # What cannot be destroyed stays.
    set(bad "left|misused")
    if(err MATCHES "has no function vkDestroy(Instance|Device)\n")
      set(bad "misused")
      # SwiftShader's threads outlive a device that is not destroyed, and may
      # crash when the process ends.
      if("$ENV{VK_DRIVER_FILES}" MATCHES "swiftshader" AND result STREQUAL "Segmentation fault")
        set(result 1)
      endif()
    endif()
    if(NOT result EQUAL wanted OR NOT text MATCHES "\nfailed\n" OR text MATCHES "${bad}"
        OR (wanted EQUAL 1 AND NOT err MATCHES "^(time: [^\n]+\n)*${name}: error: [^\n]+\n$"))
      message(SEND_ERROR "${function}, call ${call}: exit code ${result}, "
        "wanted ${wanted}\n${err}\n${text}")
    endif()
    math(EXPR points "${points} + 1")
  endforeach()
endforeach()
message(STATUS "${points} calls of Vulkan have failed in ${name}")
