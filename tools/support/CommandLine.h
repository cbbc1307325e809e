//===- CommandLine.h - Command lines of the runtime's tools ---------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_COMMANDLINE_H
#define DML_TOOLS_SUPPORT_COMMANDLINE_H

#include <charconv>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dml::tools {

/// An option: --name, or --name=value or --name value.
struct Option {
  std::string_view name;
  bool takesValue;
  bool isRepeatable;
  /// Takes the value. Returns false where it makes no sense.
  std::function<bool(std::string_view)> apply;
  /// The values that the option takes, for an error.
  std::string wanted = "";
  /// Whether --name alone stands for an empty value; then --name value is two
  /// arguments.
  bool isValueOptional = false;
};

/// An option that sets `to`, which must outlive it.
Option flagOption(std::string_view name, bool &to);
Option textOption(std::string_view name, std::string &to);
/// May be given several times.
Option listOption(std::string_view name, std::vector<std::string> &to);

/// Whether all of `text` is a number, which it then sets.
template <typename T> bool parseNumber(std::string_view text, T &number) {
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  return code == std::errc() && end == text.data() + text.size();
}

/// Applies the options of a command line and appends what is none to `files`.
/// After "--" all is. An option that sets one value is given once. Returns
/// false and sets `error` where it cannot.
bool parseCommandLine(int argc, char **argv, const std::vector<Option> &known,
                      std::vector<std::string> &files, std::string &error);

/// Runs the body of a tool's main. Returns its exit code (ExitCode.h), after
/// printing what the body threw as the error of `tool`. What standard output
/// did not take is an error too.
int runMain(const char *tool, const std::function<void()> &body);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_COMMANDLINE_H
