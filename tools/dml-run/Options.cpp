//===- Options.cpp - The command line of dml-run --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "support/CommandLine.h"

#include <string_view>

using namespace dml::tools;

const char *const dml::tools::kHelp =
    R"(dml-run: run a function of a compiled program on a Vulkan device

usage: dml-run [options] FILE

FILE is an executable (.dmlx), or a module (.mlir, .mlirbc), ONNX model (.onnx),
JSON model of DxDispatch (.json) or serialized graph of DirectML (.bin), which
the dml-compile beside this program, or else in PATH, compiles first. The content
tells which, whatever the name. "-" is standard input.

examples
  dml-run padding.dmlx --input=1x1x4x4xf32=1
      every element is 1; the results are printed
  dml-run tile.mlir --input='2x2xf32=[[1 2] [3 4]]'
      compiles, runs, prints; commas and brackets are optional, but brackets
      must match the type
  dml-run net.dmlx --input=@image.npy --output=@scores.npy
      reads and writes NumPy's files
  dml-run net.onnx --input=@cat.jpg --resize=crop --scale=1/255 --top=5
      the classes of a picture
  dml-run net.dmlx --input=scale=f32=0.5 --input=image=@image.npy
      inputs by name; --print-signature shows the names
  dml-run net.dmlx --input=@image.npy --expected=@scores.npy --rtol=1e-5
      compares with what another program computed
  dml-run net.onnx --input=@image.npy --compare-reference
      compares with what dml's interpreter computes, within its error bounds
  dml-compile net.mlir | dml-run - --input=@image.npy
  dml-run model.json
      does what the model's commands say: dispatches, prints resources
  dml-run --list-devices

inputs and outputs
  --input=[NAME=]VALUE   one for each input, in order where no NAME is given.
                         VALUE is @FILE or TYPE=ELEMENTS. FILE is NumPy's .npy
                         or .npz, ONNX's .pb (input_0.pb of test data), raw
                         elements (.bin, .raw) or a picture (.png, .jpg, .ppm).
                         A .npz without NAME has a tensor for each input of its
                         names; @FILE.npz:MEMBER is one of them. A type is sizes
                         and f16, f32, f64, i4 to i64, ui4 to ui64: 4x4xf32, or
                         bool, which are bytes: 2xbool=[true false].
                         One element stands for all; floats may be nan, inf, or
                         bits such as 0x7FC00000. A number that the type cannot
                         hold is an error. Elements are packed, whatever strides
                         the function wants: dml-run puts them into place. Sizes
                         that an ONNX model leaves open are those of the files
                         that have a shape (.npy, .npz, .pb), and of the types.
                         The value of an input that decides a branch of an ONNX
                         model, such as a decoder's use_cache_branch, is what
                         the model is compiled for.
  --layout=NCHW|NHWC, --channels=RGB|BGR
                         where a picture's channels stand in the input (default:
                         where it has 1 or 3), and in which order
  --mean=M, --scale=S    an element is (value - M) * S of a value from 0 to 255;
                         one number, or one for each channel of the input:
                         --mean=123.7,116.3,103.5 --scale=1/58.4,1/57.1,1/57.4
  --resize=stretch|crop|pad
                         what is done with a picture of another size: its sides
                         are changed, its middle is taken, or a border of the
                         mean is added. Without it, another size is an error.
  --output=[NAME=]@FILE.npy
                         a file for each result, in order where no NAME is
                         given. Results without a file are printed. @FILE.npz
                         without NAME takes all that have no other file.
  --print-all            print all elements; else of more than 1000 only the
                         first and last three of each dimension
  --top=K                print the K classes with the largest elements of a
                         result instead: the last dimension counts classes
  --labels=FILE          the names of the classes, one in each line
  --expected=[NAME=]VALUE
                         compare a result with VALUE, written as for --input,
                         instead of printing it, in order where no NAME is
                         given. The exit code is 1 where they differ; the first
                         and the largest difference are named.
  --rtol=R, --atol=A     a difference may be A + R * |expected|; default: 0, 0
  --compare-reference[=MODEL]
                         run the model in dml's interpreter too (the
                         dml-interpret beside this program, or else in PATH),
                         and compare all results with the least and the greatest
                         that a correct device computes. MODEL is what a .dmlx
                         was compiled from; default: FILE. A line on stderr
                         says how many elements were judged.
                         Elements that may be any number are counted in a
                         warning; where all of a result may, the exit code is 3.
  --lower=[NAME=]VALUE, --upper=[NAME=]VALUE
                         compare a result with bounds, which dml-interpret
                         writes under the same options: for machines without it
  --weights=FILE         the weights that an executable lacks itself, which
                         dml-compile --external-weights=FILE has written
  --weight=NAME=VALUE    one of them, written as for --input; in place of that of
                         the file, where one is named
  --function=NAME        default: main, or else the only one
                         With it, a JSON model's function is run like any other,
                         and its commands are not.
  --output-dir=FOLDER    where a JSON model may write the files that it names
  --print-signature      print the functions and what they take; run nothing.
                         Of an ONNX model that leaves sizes open which no option
                         states, what it declares is printed.
                         The feature level there is the one that the operators
                         were checked against: what dml.target or --feature-level
                         said, else the newest. The oldest that would do,
                         dml-explain says.

devices
  --device=DEVICE        a part of a name, an index or a UUID; default: the
                         first GPU, else the first device
  --device-profile=PROFILE
                         compile a module for this profile, such as full, the
                         one of executables that travel; may be repeated.
                         Default: the profile of the device, with the speeds
                         that dml-bench --calibrate --save has measured
                         A .dmlx for full that takes long is told, where results
                         are printed on a terminal or --time is given.
  --list-devices         print the devices with their features and limits
  --json                 ... as JSON
  --validate             turn on Vulkan's validation layer: any message it has
                         is printed, and an error
  --robust               turn on robustBufferAccess
  --timeout=SECONDS      give up where the device takes longer for anything that
                         it is waited for
  --pipeline-cache=FILE  take compiled pipelines from FILE, and write there what
                         was compiled, for the next run; a damaged file, or one
                         of another device, is made anew
  --disable-feature=NAME run as if the device lacked the Vulkan feature, such as
                         shaderInt64; may be repeated. Of an executable with
                         variants, another may be run then.

other
  --compile-arg=ARG      hand ARG to dml-compile; may be repeated. On a CPU, whose
                         driver compiles each kernel when it is first run and
                         keeps it then, a single run of an ONNX model is compiled
                         with --contraction-tile=none where ARG states no tile.
  --dim=NAME=SIZE        the size of a symbolic dimension of an ONNX model, or
                         the value of an input of one integer or bool (0 or
                         1); may be repeated. An input that a size of 0 leaves
                         without elements is none of the program.
  --input-shape=NAME:1x3x640x640
                         all sizes of an input of an ONNX model that leaves
                         some of them open; may be repeated. A batch whose size
                         no option states is taken to be 1, and a note says so.
  --repeat=N             run N times
  --time                 print the times of the program's making and of the
                         steps, on stderr, which variant of the function the
                         device runs, where the executable has several, and the
                         device profile that it was compiled for; then the sums
                         of the steps of the same operators. On a CPU, a run in
                         which kernels are compiled comes before those that
                         count.
  --trace=FILE           write when each step began and ended, in the last run,
                         as JSON that chrome://tracing and Perfetto show
  --help, --version

The reason for an exit code other than 0 is on stderr.

)";

static std::string listFeatureNames() {
  std::string names;
  for (DmlFeatureFlags bit = 1; bit & DML_FEATURE_ALL; bit <<= 1)
    names +=
        (names.empty() ? "" : ", ") +
        std::string(dmlGetFeatureName(static_cast<DmlFeatureFlagBits>(bit)));
  return names;
}

/// An option that says how pictures become tensors: "--layout".
static Option pictureOption(std::string_view name, Options &options) {
  std::string key(name.substr(2));
  return {name, true, /*isRepeatable=*/false,
          [&options, key](std::string_view value) {
            std::string text(value);
            options.pictureArguments.push_back("--" + key + "=" + text);
            return setPictureOption(key, text, options.pictures);
          },
          describePictureValues(key)};
}

/// An option of dml-compile, which may be repeated.
static Option compileOption(std::string_view name, Options &options) {
  return {name, true, /*isRepeatable=*/true,
          [&options, name](std::string_view value) {
            options.compileArguments.push_back(std::string(name) + "=" +
                                               std::string(value));
            return !value.empty();
          },
          "a value"};
}

/// A number that is not negative.
static Option toleranceOption(std::string_view name, double &to) {
  return {name, true, /*isRepeatable=*/false,
          [&to](std::string_view value) {
            return parseNumber(value, to) && to >= 0;
          },
          "a number from 0 on"};
}

bool dml::tools::parseOptions(int argc, char **argv, Options &options,
                              std::string &error) {
  const std::vector<Option> known = {
      flagOption("--help", options.help),
      flagOption("-h", options.help),
      flagOption("--version", options.version),
      flagOption("--list-devices", options.listDevices),
      flagOption("--json", options.json),
      flagOption("--validate", options.validate),
      flagOption("--robust", options.robust),
      flagOption("--print-signature", options.printSignature),
      flagOption("--time", options.time),
      textOption("--trace", options.trace),
      flagOption("--print-all", options.print.printsAll),
      {"--top", true, /*isRepeatable=*/false,
       [&](std::string_view value) {
         return parseNumber(value, options.print.top) && options.print.top > 0;
       },
       "a whole number from 1 on"},
      textOption("--labels", options.labels),
      pictureOption("--layout", options),
      pictureOption("--mean", options),
      pictureOption("--scale", options),
      pictureOption("--resize", options),
      pictureOption("--channels", options),
      listOption("--expected", options.expected),
      listOption("--lower", options.lower),
      listOption("--upper", options.upper),
      {"--compare-reference", true, /*isRepeatable=*/false,
       [&](std::string_view value) {
         options.compareReference = true;
         options.reference = value;
         return true;
       },
       /*wanted=*/"", /*isValueOptional=*/true},
      toleranceOption("--rtol", options.tolerance.relative),
      toleranceOption("--atol", options.tolerance.absolute),
      textOption("--function", options.function),
      textOption("--device", options.device),
      textOption("--pipeline-cache", options.pipelineCache),
      textOption("--output-dir", options.outputFolder),
      listOption("--input", options.inputs),
      listOption("--output", options.outputs),
      textOption("--weights", options.weights),
      listOption("--weight", options.weight),
      listOption("--compile-arg", options.compileArguments),
      compileOption("--device-profile", options),
      compileOption("--dim", options),
      compileOption("--input-shape", options),
      {"--disable-feature", true, /*isRepeatable=*/true,
       [&](std::string_view value) {
         for (DmlFeatureFlags bit = 1; bit & DML_FEATURE_ALL; bit <<= 1)
           if (value ==
               dmlGetFeatureName(static_cast<DmlFeatureFlagBits>(bit))) {
             options.disabledFeatures |= bit;
             return true;
           }
         return false;
       },
       "one of " + listFeatureNames()},
      {"--timeout", true, /*isRepeatable=*/false,
       [&](std::string_view value) {
         return parseNumber(value, options.timeout) && options.timeout > 0;
       },
       "whole seconds from 1 on"},
      {"--repeat", true, /*isRepeatable=*/false,
       [&](std::string_view value) {
         return parseNumber(value, options.repeat) && options.repeat > 0;
       },
       "a whole number from 1 on"},
  };
  std::vector<std::string> files;
  if (!parseCommandLine(argc, argv, known, files, error))
    return false;
  if (files.size() > 1) {
    error = "there are two files: '" + files[0] + "' and '" + files[1] + "'";
    return false;
  }
  if (options.expected.empty() &&
      (options.tolerance.relative != 0 || options.tolerance.absolute != 0)) {
    error = "--rtol and --atol are for --expected, which is missing";
    return false;
  }
  if (!options.labels.empty() && options.print.top == 0) {
    error = "--labels is for --top, which is missing";
    return false;
  }
  if (!files.empty())
    options.file = files.front();
  return true;
}
