# Runs dml-inspect as people do, and looks at what it prints and writes.
#   cmake -DDML_INSPECT=... -DWRITER=... -DFOLDER=... [-DEMULATOR=...] -P dml-inspect-test.cmake
#
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")
execute_process(COMMAND ${EMULATOR} "${WRITER}" "${FOLDER}" COMMAND_ERROR_IS_FATAL ANY)

# run(<exit code> <regex of stdout or stderr> arguments...); `out` is what it
# printed.
function(run code pattern)
  execute_process(COMMAND ${EMULATOR} "${DML_INSPECT}" ${ARGN} WORKING_DIRECTORY "${FOLDER}"
    INPUT_FILE "${FOLDER}/arithmetic.dmlx"
    RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
  set(text "${out}")
  if(NOT code EQUAL 0)
    set(text "${err}")
    if(NOT err MATCHES "^dml-inspect: error: [^\n]+\n$" OR NOT out STREQUAL "")
      message(SEND_ERROR "not one clear error:\n${out}\n${err}")
    endif()
  endif()
  if(NOT result EQUAL code OR NOT text MATCHES "${pattern}")
    message(SEND_ERROR "dml-inspect ${ARGN}\nexit code ${result}, wanted ${code}\n"
      "stdout: ${out}\nstderr: ${err}\nwanted: ${pattern}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

# expect_json("<value> <path>"...): what programs read in the JSON text `out`. A
# path has commas between its steps.
function(expect_json)
  foreach(expected IN LISTS ARGN)
    string(REGEX MATCH "^([^ ]+) (.*)$" _ "${expected}")
    set(wanted "${CMAKE_MATCH_1}")
    string(REPLACE "," ";" path "${CMAKE_MATCH_2}")
    string(JSON value GET "${out}" ${path})
    if(NOT value STREQUAL wanted)
      message(SEND_ERROR "${path} is ${value}, not ${wanted}")
    endif()
  endforeach()
endfunction()

run(0 "usage: dml-inspect" --help)
run(0 "^dml-inspect [0-9.]+\n$" --version)
run(0 "^format [0-9.]+, written by dml's unit tests

a device needs
  Vulkan 1.2
  maxStorageBufferRange 512
.*
shader modules
  0 'add': [0-9]+ bytes
  1 'reverse': [0-9]+ bytes

kernels
  0 'main': module 0 'add', workgroups of 32 x 1 x 1, 3 bindings, 0 bytes shared
  1 'main': module 1 'reverse', workgroups of 64 x 1 x 1, 2 bindings, 256 bytes shared

constants: 768 bytes

function main\\(%a: 4x32xf32, %b: 4x32xf32\\) -> \\(%sum: 4x32xf32, %reversed: 2x64xf32\\)
  checked against feature level 5_0
  step 0: kernel 0 'main', 1 x 1 x 1 workgroups, of test.add
    binding 0: input %a, bytes 0 to 512
    binding 1: input %b, bytes 0 to 512
    binding 2: temporary, bytes 256 to 768
  step 1, after a barrier: copy, of test.copy
    from temporary, bytes 256 to 768
    to output %sum, bytes 0 to 512
  step 2: kernel 1 .*
  temporary memory: 1024 bytes
    bytes 256 to 768: steps 0 to 2

function add_constant.*
    binding 1: constant, bytes 256 to 768
" arithmetic.dmlx)
run(0 "  shaderInt64\n" twice.dmlx)
run(0 "^format 1.2.*
a device needs
  Vulkan 1.2
  maxStorageBufferRange 32
.*
  checked against feature level 4_1
  variant 0, for devices that have
    Vulkan 1.2
    shaderInt64
    maxStorageBufferRange 32
.*
  step 0: kernel 0 .*
  temporary memory: 0 bytes
  variant 1, for all others
  step 0: kernel 1 .*
  step 1, after a barrier: copy.*
  temporary memory: 256 bytes
" variants.dmlx)
run(0 "^format 1.7.*
  loop of 5 iterations, steps 1 to 2
  step 1, after a barrier: kernel 0 'main', 1 x 1 x 1 workgroups, of test.add
    binding 0: input %a, bytes 0 to 512, by 512 each iteration
    binding 1: temporary, bytes 0 to 512, by 512 each iteration, anew after 2
    binding 2: temporary, bytes 512 to 1024, by -512 each iteration, anew after 2
.*
    bytes 0 to 1024: steps 1 to 2
" loop.dmlx)
run(0 "^{" loop.dmlx --json)
expect_json("1 functions,0,loops,0,firstStep" "2 functions,0,loops,0,stepCount"
    "5 functions,0,loops,0,count" "-512 functions,0,steps,2,ranges,1,stride"
    "2 functions,0,steps,1,bindings,1,period")
run(0 "^{" variants.dmlx --json)
expect_json("shaderInt64 functions,0,variants,0,requirements,features,0"
    "1.2 functions,0,variants,0,requirements,apiVersion"
    "0 functions,0,variants,0,steps,0,kernel" "1 functions,0,steps,0,kernel"
    "0 functions,0,variants,0,temporarySize" "256 functions,0,temporarySize")
run(0 "written by dml's unit tests" -)

run(0 "^{" arithmetic.dmlx --json)
expect_json("add shaderModules,0,name" "0-add.spv shaderModules,0,file"
    "64 kernels,1,workgroupSize,0" "1.2 requirements,apiVersion"
    "512 requirements,limits,maxStorageBufferRange" "768 constantSize"
    "f32 functions,0,inputs,1,dataType" "32 functions,0,inputs,1,sizes,1"
    "copy functions,0,steps,1,kind" "ON functions,0,steps,1,barrier"
    "temporary functions,0,steps,1,ranges,0,buffer"
    "256 functions,0,temporaryRanges,0,offset"
    "2 functions,0,temporaryRanges,0,lastStep" "5_0 functions,0,featureLevel")
run(0 "^{" twice.dmlx --json)
expect_json("shaderInt64 requirements,features,0")

# The shaders and the constants are the very bytes, but for indices that the
# runtime has bounded and variables that it has filled, as in the second shader.
run(0 "" arithmetic.dmlx --spirv=deep/shaders --constants=constants.bin)
file(SHA256 "${FOLDER}/deep/shaders/0-add.spv" found)
file(SHA256 "${KERNELS}/add.spv" wanted)
if(NOT found STREQUAL wanted)
  message(SEND_ERROR "0-add.spv is another module")
endif()
file(SIZE "${FOLDER}/deep/shaders/1-reverse.spv" size)
file(SIZE "${KERNELS}/reverse.spv" given)
if(size LESS_EQUAL given)
  message(SEND_ERROR "1-reverse.spv has ${size} bytes, and no index is bounded")
endif()
file(SIZE "${FOLDER}/constants.bin" size)
if(NOT size EQUAL 768)
  message(SEND_ERROR "the constants have ${size} bytes")
endif()

# SPIRV-Tools knows rules that the runtime does without, and is asked for them.
run(0 "0 'add': " doubled-type.dmlx)
if(VALIDATES)
  run(0 "0 'add': " arithmetic.dmlx --validate)
  run(1 "shader module 0 'add' is refused by SPIRV-Tools: line [0-9]+: Duplicate"
    doubled-type.dmlx --validate)
else()
  run(2 "was built without SPIRV-Tools" arithmetic.dmlx --validate)
endif()

# What is wrong is said.
run(2 "no file is given")
run(2 "there are two files" a.dmlx b.dmlx)
run(2 "unknown option '--frobnicate'" --frobnicate)
run(2 "cannot open 'none.dmlx': No such file" none.dmlx)
run(2 "verifier refuses its structure" truncated.dmlx)
run(4 "cannot make the folder" arithmetic.dmlx --spirv=constants.bin/shaders)
run(4 "cannot write 'none/constants.bin'" arithmetic.dmlx --constants=none/constants.bin)
