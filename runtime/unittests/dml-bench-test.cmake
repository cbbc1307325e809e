# Runs dml-bench as people do, and looks at what it prints and writes. No time is
# asserted.
#   cmake -DDML_BENCH=... -DWRITER=... -DFOLDER=... [-DEMULATOR=...] -P dml-bench-test.cmake
#
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")
execute_process(COMMAND ${EMULATOR} "${WRITER}" "${FOLDER}" COMMAND_ERROR_IS_FATAL ANY)

# run(<exit code> <regex of stdout or stderr> arguments...)
function(run code pattern)
  execute_process(COMMAND ${EMULATOR} "${DML_BENCH}" ${ARGN} WORKING_DIRECTORY "${FOLDER}"
    RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
  set(text "${out}")
  if(NOT code EQUAL 0)
    set(text "${err}")
    if(NOT err MATCHES "^dml-bench: error")
      message(SEND_ERROR "not one clear error:\n${out}\n${err}")
    endif()
  endif()
  if(NOT result EQUAL code OR NOT text MATCHES "${pattern}")
    message(SEND_ERROR "dml-bench ${ARGN}\nexit code ${result}, wanted ${code}\n"
      "stdout: ${out}\nstderr: ${err}\nwanted: ${pattern}")
  endif()
endfunction()

run(0 "usage: dml-bench" --help)
run(0 "^dml-bench [0-9.]+\n$" --version)
run(0 "^arithmetic\nadd_constant\ntwice\n$" --list arithmetic.dmlx twice.dmlx)

# What the device cannot run is left out, and the rest is measured.
set(number " +[0-9]+\\.[0-9]+")
run(0 "device: .*copy: [0-9.]+ MB in [0-9.]+ ms: [0-9.]+ GB/s.*empty dispatch: .*
name +type +ms +MB +bound +GB/s +ratio +peak +disp +GFLOP/s +products +latency us +x empty
arithmetic +f32(${number})(${number})${number}(${number})${number}${number} +2\\+1c${number}${number}
add_constant +f32.*
twice +i64 +left out: .*maxComputeSharedMemorySize.*
copy at the end: "
  arithmetic.dmlx greedy.dmlx --repeats=3 --rotate=1 --check --json=out.json
  --pipeline-cache=cache)
file(READ "${FOLDER}/cache" magic LIMIT 4)
if(NOT magic STREQUAL "DMLP")
  message(SEND_ERROR "the pipeline cache begins with '${magic}'")
endif()
file(READ "${FOLDER}/out.json" json)
foreach(path IN ITEMS copy,gbps copy_after,gbps device,name
    empty_latency_microseconds,median cases,0,ratio cases,0,ratio_to_peak
    cases,0,copy,gbps cases,0,latency_ratio cases,2,skipped)
  string(REPLACE "," ";" path "${path}")
  string(JSON value GET "${json}" ${path})
endforeach()
# 2 inputs and 2 outputs of 4x32xf32; with 1024 bytes of temporary memory each
# set has 3072, and 342 sets have 1 MiB.
foreach(expected IN ITEMS "2048 bytes" "3 milliseconds,count" "2 dispatches" "3584 bound_bytes"
    "1 copies" "342 sets" "2048 copy,bytes" "arithmetic name" "4x32xf32 inputs,0")
  string(REGEX MATCH "^([^ ]+) (.*)$" _ "${expected}")
  set(wanted "${CMAKE_MATCH_1}")
  string(REPLACE "," ";" path "${CMAKE_MATCH_2}")
  string(JSON value GET "${json}" cases 0 ${path})
  if(NOT value STREQUAL wanted)
    message(SEND_ERROR "${path} is ${value}, not ${wanted}")
  endif()
endforeach()

# What is wrong is said.
run(2 "no file is given")
run(2 "unknown option '--frobnicate'" --frobnicate)
run(2 "option '--repeats' does not take '0'" --repeats=0 arithmetic.dmlx)
run(2 "option '--min-time' does not take '-1'" --min-time -1 arithmetic.dmlx)
run(2 "option '--min-time' does not take 'nan'" --min-time=nan arithmetic.dmlx)
run(2 "option '--rotate' does not take 'x'" --rotate=x arithmetic.dmlx)
run(2 "option '--json' needs a value" arithmetic.dmlx --json)
run(2 "cannot open 'none.dmlx': No such file" none.dmlx)
file(WRITE "${FOLDER}/a.mlir" "module {}")
run(2 "'a.mlir' is text, as a module of MLIR is, but wanted is an executable" a.mlir)
run(2 "verifier refuses its structure" truncated.dmlx)
run(2 "no case that --filter=zzz finds" --filter=zzz arithmetic.dmlx)
run(2 "this is no regular expression" "--filter=(" arithmetic.dmlx)
run(2 "no device is called 'none such'" arithmetic.dmlx "--device=none such")
run(4 "cannot write 'none/out.json'" arithmetic.dmlx --json=none/out.json)
run(1 "can run none of the cases" greedy.dmlx --repeats=1 --rotate=0)
