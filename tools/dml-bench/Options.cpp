//===- Options.cpp - The command line of dml-bench ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <charconv>
#include <cmath>
#include <functional>
#include <string_view>

using namespace dml::tools;

const char *const dml::tools::kHelp =
    R"(dml-bench: how close compiled programs come to the device's copy rate

usage: dml-bench [options] FILE.dmlx...

Runs every function of the executables on random data and compares it with a
plain copy on the same device: 16 bytes a thread, the best that memory does.
Cases that exceed a limit of the device are named and left out.

examples
  dml-bench padding.dmlx
  dml-bench suite/*.dmlx --filter='^pad.*f16' --json=h100.json
  dml-bench suite/*.dmlx --device=llvmpipe --repeats=3

the columns
  ms          median time on the device, from timestamps around the steps
  MB          10^6 bytes: every input read once, every output written once
  GB/s        MB / ms
  ratio       GB/s against a copy of as many bytes, which ran in turn with it
  peak        GB/s against the large copy of the first lines
  disp        dispatches; "+1c" are copies
  latency us  median from submission until the host knows of the end; for cases
              below 16 MB
  x empty     ... against one dispatch of one thread that does nothing

options
  --device=DEVICE   a part of a name, an index or a UUID; default: the first
                    GPU, else the first device (dml-run --list-devices)
  --filter=REGEX    only the cases in whose name REGEX is found
  --list            print the names of the cases; run nothing
  --min-time=S      measure each case for S seconds, and 9 times or more;
                    default: 0.3
  --repeats=N       measure each case N times instead
  --rotate=MIB      use buffers of so many MiB in turn, so that no run finds its
                    data in a cache; default: 384. 0: always the same buffers
  --check           also check that runs write all of their results
  --json=FILE       write all that was measured to FILE
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

template <typename T> bool parseNumber(std::string_view text, T &number) {
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  return code == std::errc() && end == text.data() + text.size();
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
  const Option known[] = {
      flag("--help", options.help),
      flag("-h", options.help),
      flag("--version", options.version),
      flag("--list", options.list),
      flag("--check", options.check),
      text("--device", options.device),
      text("--filter", options.filter),
      text("--json", options.json),
      {"--min-time", true,
       [&](std::string_view value) {
         return parseNumber(value, options.minTime) &&
                std::isfinite(options.minTime) && options.minTime >= 0;
       }},
      {"--repeats", true,
       [&](std::string_view value) {
         return parseNumber(value, options.repeats) && options.repeats > 0;
       }},
      {"--rotate", true,
       [&](std::string_view value) {
         return parseNumber(value, options.rotateMiB);
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
      options.files.emplace_back(argument);
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
