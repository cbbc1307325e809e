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
  /// Applies the value. Returns false if the value is invalid.
  std::function<bool(std::string_view)> apply;
  /// A description of the valid values, for an error.
  std::string wanted = "";
  /// Whether the value may be omitted: --name alone then has an empty value,
  /// and in --name value, the second word is another argument.
  bool isValueOptional = false;
};

/// An option that sets `to`, which must outlive it.
Option flagOption(std::string_view name, bool &to);
Option textOption(std::string_view name, std::string &to);
/// May be given several times.
Option listOption(std::string_view name, std::vector<std::string> &to);

/// Whether `text` is a number as a whole. If so, sets `number`.
template <typename T> bool parseNumber(std::string_view text, T &number) {
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  return code == std::errc() && end == text.data() + text.size();
}

/// Applies the options of a command line, and appends the other arguments to
/// `files`, as well as all arguments after "--". An option that sets one value
/// may be given only once. Returns false and sets `error` if an option is
/// invalid.
bool parseCommandLine(int argc, char **argv, const std::vector<Option> &known,
                      std::vector<std::string> &files, std::string &error);

/// Runs the body of a tool's main. Returns the exit code (ExitCode.h). If the
/// body throws, prints the exception as the error of `tool`. A failure to write
/// to standard output is an error, too.
int runMain(const char *tool, const std::function<void()> &body);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_COMMANDLINE_H
