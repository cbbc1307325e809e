//===- Options.cpp - The command line of dml-run --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <charconv>
#include <functional>
#include <string_view>

using namespace dml::tools;

const char *const dml::tools::kHelp =
    R"(dml-run: run a function of a compiled program on a Vulkan device

usage: dml-run [options] FILE

FILE is an executable (.dmlx), or a module (.mlir, .mlirbc), which the
dml-compile beside this program, or else in PATH, compiles first.

examples
  dml-run padding.dmlx --input=1x1x4x4xf32=1
      every element is 1; the results are printed
  dml-run tile.mlir --input='2x2xf32=[[1 2] [3 4]]'
      compiles, runs, prints; commas and brackets are optional, but brackets
      must match the type
  dml-run net.dmlx --input=@image.npy --output=@scores.npy
      reads and writes NumPy's files
  dml-run net.dmlx --input=scale=f32=0.5 --input=image=@image.npy
      inputs by name; --print-signature shows the names
  dml-run --list-devices

inputs and outputs
  --input=[NAME=]VALUE   one for each input, in order where no NAME is given.
                         VALUE is @FILE.npy, or TYPE=ELEMENTS. A type is sizes
                         and f16, f32, f64, i8 to i64 or ui8 to ui64: 4x4xf32.
                         One element stands for all; floats may be nan, inf, or
                         bits such as 0x7FC00000. What is too large for its type
                         is an error.
  --output=[NAME=]@FILE.npy
                         a file for each result, in order where no NAME is
                         given. Results without a file are printed.
  --function=NAME        default: main, or else the only one
  --print-signature      print the functions and what they take; run nothing

devices
  --device=DEVICE        a part of a name, an index or a UUID; default: the
                         first GPU, else the first device
  --list-devices         print the devices with their features and limits
  --json                 ... as JSON
  --validate             turn on Vulkan's validation layer: any message it has
                         is printed, and an error
  --robust               turn on robustBufferAccess

other
  --compile-arg=ARG      hand ARG to dml-compile; may be repeated
  --repeat=N             run N times
  --time                 print the times of the steps, on stderr
  --help, --version

The exit code is 0, or 1 where anything failed; the reason is on stderr.
)";

namespace {

struct Option {
  std::string_view name;
  bool takesValue;
  /// False where the value makes no sense.
  std::function<bool(std::string_view)> apply;
};

bool parseCount(std::string_view text, uint32_t &count) {
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), count);
  return code == std::errc() && end == text.data() + text.size() && count > 0;
}

} // namespace

bool dml::tools::parseOptions(int argc, char **argv, Options &options,
                              std::string &error) {
  auto flag = [](std::string_view name, bool &to) {
    return Option{name, false, [&to](std::string_view) { return to = true; }};
  };
  auto text = [](std::string_view name, std::string &to) {
    return Option{name, true, [&to](std::string_view value) {
                    to = value;
                    return !value.empty();
                  }};
  };
  auto list = [](std::string_view name, std::vector<std::string> &to) {
    return Option{name, true, [&to](std::string_view value) {
                    to.emplace_back(value);
                    return !value.empty();
                  }};
  };
  const Option known[] = {
      flag("--help", options.help),
      flag("-h", options.help),
      flag("--version", options.version),
      flag("--list-devices", options.listDevices),
      flag("--json", options.json),
      flag("--validate", options.validate),
      flag("--robust", options.robust),
      flag("--print-signature", options.printSignature),
      flag("--time", options.time),
      text("--function", options.function),
      text("--device", options.device),
      list("--input", options.inputs),
      list("--output", options.outputs),
      list("--compile-arg", options.compileArguments),
      {"--repeat", true,
       [&](std::string_view value) {
         return parseCount(value, options.repeat);
       }},
  };

  bool onlyFiles = false;
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (!onlyFiles && argument == "--") {
      onlyFiles = true;
      continue;
    }
    if (onlyFiles || argument.size() < 2 || argument[0] != '-') {
      if (!options.file.empty()) {
        error = "there are two files: '" + options.file + "' and '" +
                std::string(argument) + "'";
        return false;
      }
      options.file = argument;
      continue;
    }
    size_t equals = argument.find('=');
    std::string_view name = argument.substr(0, equals);
    const Option *option = nullptr;
    for (const Option &candidate : known)
      if (candidate.name == name)
        option = &candidate;
    if (!option) {
      error = "unknown option '" + std::string(name) + "' (see --help)";
      return false;
    }
    std::string_view value;
    if (equals != std::string_view::npos) {
      value = argument.substr(equals + 1);
      if (!option->takesValue) {
        error = "option '" + std::string(name) + "' takes no value";
        return false;
      }
    } else if (option->takesValue) {
      if (i + 1 == argc) {
        error = "option '" + std::string(name) + "' needs a value";
        return false;
      }
      value = argv[++i];
    }
    if (!option->apply(value)) {
      error = "option '" + std::string(name) + "' does not take '" +
              std::string(value) + "'";
      return false;
    }
  }
  return true;
}
