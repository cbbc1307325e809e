# Runs dml-run as people do, and looks at what it prints and how it exits.
#   cmake -DDML_RUN=... -DWRITER=... -DFOLDER=... [-DEMULATOR=...] -P dml-run-test.cmake
# EMULATOR is what runs programs for Windows.
#
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")
execute_process(COMMAND ${EMULATOR} "${WRITER}" "${FOLDER}" COMMAND_ERROR_IS_FATAL ANY)

# Wine's loader has no layers.
set(validate --validate)
if(EMULATOR)
  set(validate)
endif()

# run(<exit code> <regex of stdout or stderr> arguments...)
function(run code pattern)
  execute_process(COMMAND ${EMULATOR} "${DML_RUN}" ${ARGN} WORKING_DIRECTORY "${FOLDER}"
    RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
  set(text "${out}")
  if(NOT code EQUAL 0)
    set(text "${err}")
    if(NOT err MATCHES "^dml-run: (error|validation)" OR NOT out STREQUAL "")
      message(SEND_ERROR "not one clear error:\n${out}\n${err}")
    endif()
  endif()
  if(NOT result EQUAL code OR NOT text MATCHES "${pattern}")
    message(SEND_ERROR "dml-run ${ARGN}\nexit code ${result}, wanted ${code}\n"
      "stdout: ${out}\nstderr: ${err}\nwanted: ${pattern}")
  endif()
endfunction()

run(0 "usage: dml-run" --help)
run(0 "^dml-run [0-9.]+\n$" --version)
run(0 "shaderInt64 +(yes|no)\n.*maxComputeWorkGroupCount +[0-9]+ x" --list-devices)
run(0 "^\\[\n  {\n    \"index\": 0,\n" --list-devices --json)
run(0 "main\\(%a: 4x32xf32, %b: 4x32xf32\\) -> \\(%sum: 4x32xf32, %reversed: 2x64xf32\\)"
  arithmetic.dmlx --print-signature)

run(0 "checked against feature level [0-9]_[0-9], 1 step, 0 bytes temporary"
  twice.dmlx --print-signature)

# Of several variants the device runs the first that it can; which, --time says. A device
# without shaderInt64 runs variants.dmlx, but not twice.dmlx.
run(0 "checked against feature level 4_1, 2 variants, the first that fits a device is run
    variant 0: 1 step, 0 bytes temporary; needs shaderInt64, 2 storage buffers
    variant 1: 2 steps, 256 bytes temporary; needs 2 storage buffers
" variants.dmlx --print-signature)
foreach(disabled IN ITEMS "" --disable-feature=shaderInt64)
  run(0 "^%b: 3xi64\n\\[2 -4 17179869184\\]\n$"
    variants.dmlx "--input=3xi64=1 -2 8589934592" ${validate} ${disabled})
endforeach()
execute_process(COMMAND ${EMULATOR} "${DML_RUN}" variants.dmlx --input=3xi64=1 --time
  --disable-feature=shaderInt64 WORKING_DIRECTORY "${FOLDER}"
  OUTPUT_QUIET ERROR_VARIABLE err)
if(NOT err MATCHES "\ntime: variant 1 of 2; needs 2 storage buffers\n.*\ntime: step 1: ")
  message(SEND_ERROR "the variant is not named:\n${err}")
endif()
run(1 "cannot run the executable: of the 2 variants of function 'twice' it comes nearest to variant 0: (feature shaderInt64 is needed, but it has none; )?maxComputeSharedMemorySize of 1073741824 is needed, but it has [0-9]+\n$"
  demanding.dmlx --input=3xi64=1)

# Values in, values out.
run(0 "^%to: 2x3xi8\n\\[\\[1  2  3\\]\n \\[-4 5  6\\]\\]\n$"
  copies.dmlx --function=i8 "--input=2x3xi8=[[1, 2, 3], [-4, 5, 6]]" ${validate})
run(0 "%to: f32\n0.1\n" copies.dmlx --function scalar --input f32=0.1)
run(0 "%sum: 4x32xf32\n\\[\\[3 3.*%reversed: 2x64xf32\n\\[\\[3 3"
  arithmetic.dmlx --input=b=4x32xf32=2 --input=4x32xf32=1 ${validate} --repeat=3)
run(0 "" arithmetic.dmlx --input=4x32xf32=1 --input=4x32xf32=2
  --output=@sum.npy --output=reversed=@reversed.npy)
run(0 "%sum: 4x32xf32\n\\[\\[3   4   5   6.*129 130\\]\\]\n$"
  arithmetic.dmlx --function=add_constant --input=a=@sum.npy)
run(0 "%sum" arithmetic.dmlx --input=@sum.npy --input=@sum.npy
  --output=reversed=@reversed.npy --device=0 --robust --time)

# Results are compared with what is expected, and then not printed.
run(0 "^%reversed: 2x64xf32\n\\[\\[3 3" arithmetic.dmlx
  --input=4x32xf32=1 --input=4x32xf32=2 --expected=@sum.npy)
run(0 "^$" arithmetic.dmlx --input=4x32xf32=1 --input=4x32xf32=2
  --expected=reversed=2x64xf32=3 --expected=4x32xf32=3)
run(0 "^$" variants.dmlx "--input=3xi64=1 2 3" "--expected=3xi64=2 4 5" --atol=1)
run(0 "^$" variants.dmlx "--input=3xi64=1 2 3" "--expected=3xi64=2 4 8" --rtol=0.25)
run(1 "output 'b' is not what is expected: 2 of 3 elements differ: the first at .1.: 4, not 5; the largest difference at .2.: 6, not 9 .3 apart.\n$"
  variants.dmlx "--input=3xi64=1 2 3" "--expected=b=3xi64=2 5 9")
run(2 "expected 'b': type is 3xi32, but function 'twice' has 3xi64"
  twice.dmlx --input=3xi64=1 --expected=3xi32=1)
run(2 "there are 2 --expecteds, but function 'twice' has 1 output"
  twice.dmlx --input=3xi64=1 --expected=3xi64=1 --expected=3xi64=1)
run(2 "option '--rtol' does not take '-1'; it wants a number from 0 on" twice.dmlx
  --rtol=-1)
run(2 "option '--atol' does not take 'nan'" twice.dmlx --atol=nan)

# Compiled pipelines stay in a file. One that is damaged is made anew, and what
# is none is not touched.
function(run_with_cache warning)
  execute_process(COMMAND ${EMULATOR} "${DML_RUN}" chain.dmlx --input=32xui32=1
      --pipeline-cache=cache WORKING_DIRECTORY "${FOLDER}"
    RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
  file(READ "${FOLDER}/cache" magic LIMIT 4)
  if(NOT result EQUAL 0 OR NOT out MATCHES "^%b: 32xui32" OR NOT magic STREQUAL
      "DMLP" OR NOT err MATCHES "^${warning}$")
    message(SEND_ERROR "with a cache: exit code ${result}\n${out}${err}\n"
      "wanted: ${warning}")
  endif()
endfunction()
run_with_cache("")
file(SIZE "${FOLDER}/cache" size)
run_with_cache("")
execute_process(COMMAND truncate -s -1 "${FOLDER}/cache" COMMAND_ERROR_IS_FATAL ANY)
run_with_cache("dml-run: warning: 'cache' is made anew: pipeline cache data hold [0-9]+ bytes, but should hold [0-9]+\n")
run_with_cache("")
file(WRITE "${FOLDER}/cache" "DM")
run_with_cache("dml-run: warning: 'cache' is made anew: pipeline cache data have 2 bytes[^\n]*\n")
file(WRITE "${FOLDER}/cache" "")
run_with_cache("")
file(SIZE "${FOLDER}/cache" after)
if(NOT after EQUAL size)
  message(SEND_ERROR "the cache has ${after} bytes, and had ${size}")
endif()
file(SHA256 "${FOLDER}/twice.dmlx" before)
run(2 "'twice.dmlx' is no pipeline cache, and is not replaced by one"
  chain.dmlx --input=32xui32=1 --pipeline-cache=twice.dmlx)
if(NOT EMULATOR)
  run(2 "pipeline cache '/dev/null' is no regular file"
    chain.dmlx --input=32xui32=1 --pipeline-cache=/dev/null)
endif()
run(4 "cannot write 'none/cache'"
  chain.dmlx --input=32xui32=1 --pipeline-cache=none/cache)
file(SHA256 "${FOLDER}/twice.dmlx" after)
if(NOT after STREQUAL before)
  message(SEND_ERROR "a cache has replaced an executable")
endif()

# The same with bounds, which --output writes here.
run(0 "" variants.dmlx "--input=3xi64=1 2 3" --output=@bound.npy)
run(0 "^$" variants.dmlx "--input=3xi64=1 2 3" --lower=@bound.npy --upper=3xi64=6)
run(1 "output 'b' is out of bounds: 1 of 3 elements is: the first at .2.: 4, wanted 6\n$"
  variants.dmlx "--input=3xi64=1 2 2" --lower=@bound.npy --upper=@bound.npy)
run(1 "out of bounds: 2 of 3 elements are: the first at .1.: 4, wanted 2 or less\n$"
  variants.dmlx "--input=3xi64=1 2 3" --upper=b=3xi64=2)
run(2 "lower 'b': type is 3xi32, but function 'twice' has 3xi64"
  twice.dmlx --input=3xi64=1 --lower=3xi32=1)
run(2 "'twice.dmlx' does not have its model, .*--compare-reference=MODEL"
  twice.dmlx --input=3xi64=1 --compare-reference)

# What is wrong is said.
run(2 "no file is given")
run(2 "unknown option '--frobnicate'" --frobnicate)
run(2 "option '--repeat' does not take '0'" --repeat=0 arithmetic.dmlx)
run(2 "option '--validate' takes no value" --validate=1 arithmetic.dmlx)
run(2 "option '--input' needs a value" arithmetic.dmlx --input)
run(2 "there are two files" a.dmlx b.dmlx)
run(2 "cannot open 'none.dmlx': No such file" none.dmlx)
run(2 "verifier refuses its structure" truncated.dmlx)
run(2 "there is no function 'other'" arithmetic.dmlx --function=other)
run(2 "there is no function 'main'" copies.dmlx)
run(2 "input 'b' \\(4x32xf32\\) is missing: function 'main' has 2 inputs, but there is 1 --input\n" arithmetic.dmlx --input=4x32xf32=1)
run(2 "there are 2 --inputs, but function 'twice' has 1 input\n"
  twice.dmlx --input=3xi64=1 --input=3xi64=1)
run(2 "function 'twice' has no input 'c'; it has 'a'" twice.dmlx --input=c=3xi64=1)
run(2 "'3xint64' is no type, and no input of function 'twice'; a type is sizes and f16"
  twice.dmlx --input=3xint64=1)
run(2 "input 'a' is given twice" twice.dmlx --input=a=3xi64=1 --input=a=3xi64=1)
run(2 "input 'a': type is 4xi64, but function 'twice' wants 3xi64" twice.dmlx --input=4xi64=1)
run(2 "input 'a': type is 3xi32, but function 'twice' wants 3xi64" twice.dmlx --input=3xi32=1)
run(2 "input 'a': cannot read 'none.npy': No such file" twice.dmlx --input=@none.npy)
file(COPY_FILE "${FOLDER}/twice.dmlx" "${FOLDER}/twice.npy")
run(2 "is no .npy file" twice.dmlx --input=@twice.npy)
run(2 "the suffix is '.dmlx', but wanted" twice.dmlx --input=@twice.dmlx)
run(2 "input 'a': element 1: 'x' is no value of i64" "twice.dmlx" "--input=3xi64=1 x 2")
run(2 "wanted is @FILE.npy" twice.dmlx --input=3xi64=1 --output=out.npy)
run(4 "cannot write 'none/out.npy'" copies.dmlx --function=f32 --input=2x3xf32=1
  --output=@none/out.npy)
run(2 "no device is called 'none such'" copies.dmlx --function=f32
  --input=2x3xf32=1 "--device=none such")
run(2 "option '--disable-feature' does not take 'shaderInt65'; it wants one of shaderInt8,"
  twice.dmlx --disable-feature=shaderInt65)
run(2 "option '--timeout' does not take '0'" twice.dmlx --timeout=0)
run(0 "2 4 6" variants.dmlx "--input=3xi64=1 2 3" --timeout=60)
run(1 "feature shaderInt64 is needed"
  twice.dmlx --input=3xi64=1 --disable-feature=shaderInt64)
run(1 "maxComputeSharedMemorySize of 2147483648 is needed" greedy.dmlx --input=3xi64=1)
run(2 "--compile-arg, --dim and --input-shape are for modules and models,[\n ]*but" twice.dmlx --compile-arg=-x)

# No driver, and so no device.
set(ENV{VK_ICD_FILENAMES} /nonexistent)
set(ENV{VK_DRIVER_FILES} /nonexistent)
run(1 "no Vulkan device.*Debian's package mesa-vulkan-drivers" copies.dmlx
  --function=f32 --input=2x3xf32=1)
unset(ENV{VK_ICD_FILENAMES})
unset(ENV{VK_DRIVER_FILES})

if(EMULATOR)
  foreach(module IN ITEMS a.mlir a.onnx)
    file(WRITE "${FOLDER}/${module}" "module {}")
    run(1 "dml's compiler does not run on Windows: compile the model with dml-compile on Linux"
      ${module})
  endforeach()
  return()
endif()

# A module goes through the dml-compile beside dml-run: here a script that
# copies an executable to where it is told, if its last argument says so.
file(MAKE_DIRECTORY "${FOLDER}/bin" "${FOLDER}/tmp")
file(COPY "${DML_RUN}" DESTINATION "${FOLDER}/bin")
file(WRITE "${FOLDER}/bin/dml-compile" "#!/bin/sh
test \"$2\" = -o || exit 3
test \"$4\" = --good || exit 7
cp '${FOLDER}/variants.dmlx' \"$3\"
")
file(CHMOD "${FOLDER}/bin/dml-compile"
  PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
foreach(name "a.mlir" "a b.mlir" "ab.mlirbc")
  file(WRITE "${FOLDER}/${name}" "module {}")
endforeach()
set(DML_RUN "${FOLDER}/bin/dml-run")
set(ENV{TMPDIR} "${FOLDER}/tmp")
run(0 "%b: 3xi64\n\\[2 4 6\\]" "a b.mlir" "--input=3xi64=1 2 3" --compile-arg=--good)
run(0 "twice\\(%a" ab.mlirbc --print-signature --compile-arg=--good)
run(1 "could not compile 'a.mlir': exit code 7" a.mlir --input=3xi64=1)

# And the reference through the dml-interpret there, which writes bounds.
file(WRITE "${FOLDER}/bin/dml-interpret" [=[#!/bin/sh
if test "$1 $2 $3" != 'a.mlir --function=twice --input=3xi64=1 2 3'; then
  echo "dml-run: error: of the tool" >&2
  exit 2
fi
for argument; do
  case $argument in
  --lower=@* | --upper=@*) cat bound.npy >"${argument#*@}" ;;
  esac
done
]=])
file(CHMOD "${FOLDER}/bin/dml-interpret"
  PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
run(0 "^$" a.mlir "--input=3xi64=1 2 3" --compile-arg=--good --compare-reference)
run(0 "^$" variants.dmlx "--input=3xi64=1 2 3" --compare-reference=a.mlir)
# That tool has said why it fails.
run(2 "^dml-run: error: of the tool\n$" variants.dmlx --input=3xi64=9 --compare-reference=a.mlir)

# The same from standard input.
function(run_from file)
  execute_process(COMMAND ${EMULATOR} "${DML_RUN}" - ${ARGN} WORKING_DIRECTORY "${FOLDER}"
    INPUT_FILE "${FOLDER}/${file}"
    RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT "${result}: ${out}${err}" MATCHES "${pattern}")
    message(SEND_ERROR "dml-run - ${ARGN} < ${file}\nexit code ${result}\n"
      "stdout: ${out}\nstderr: ${err}\nwanted: ${pattern}")
  endif()
endfunction()
file(WRITE "${FOLDER}/module" "module {}")
set(pattern "^0: %b: 3xi64\n\\[2 2 2\\]\n$")
run_from(variants.dmlx --input=3xi64=1)
run_from(module --input=3xi64=1 --compile-arg=--good)
set(pattern "^2: dml-run: error: .*verifier refuses its structure")
run_from(truncated.dmlx)
set(pattern "^1: dml-run: error: dml-compile could not compile standard[ \n]+input")
run_from(module)

# What is no executable is not read to its end, be it as large as it wants.
execute_process(COMMAND truncate -s 10G "${FOLDER}/sparse.dmlx"
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${EMULATOR} "${DML_RUN}" sparse.dmlx WORKING_DIRECTORY "${FOLDER}"
  TIMEOUT 5 RESULT_VARIABLE result ERROR_VARIABLE err)
file(REMOVE "${FOLDER}/sparse.dmlx")
if(NOT result EQUAL 2 OR NOT err MATCHES "the identifier 'DMLX' is missing")
  message(SEND_ERROR "a sparse file: exit code ${result}: ${err}")
endif()
# It needs no folder for that.
set(ENV{TMPDIR} /nonexistent)
run(0 "twice\\(%a" a.mlir --print-signature --compile-arg=--good)
file(GLOB left "${FOLDER}/tmp/*" "${FOLDER}/*.npy.*")
if(left)
  message(SEND_ERROR "files were left behind: ${left}")
endif()
