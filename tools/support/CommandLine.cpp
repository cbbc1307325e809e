//===- CommandLine.cpp - Command lines of the runtime's tools -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

#include "Escape.h"
#include "Runtime.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <set>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

using namespace dml::tools;

Option dml::tools::flagOption(std::string_view name, bool &to) {
  return {name, false, true, [&to](std::string_view) { return to = true; }};
}

Option dml::tools::textOption(std::string_view name, std::string &to) {
  return {name, true, false,
          [&to](std::string_view value) {
            to = value;
            return !value.empty();
          },
          "a value that is not empty"};
}

Option dml::tools::listOption(std::string_view name,
                              std::vector<std::string> &to) {
  return {name, true, true,
          [&to](std::string_view value) {
            to.emplace_back(value);
            return !value.empty();
          },
          "a value that is not empty"};
}

/// How many letters are to be replaced, added or left out between two words.
static size_t getDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min(replaced, std::min(row[j], row[j - 1]) + 1);
    }
  }
  return row[b.size()];
}

/// Returns the error for an unknown option. It suggests a known option with a
/// similar name: --rtol for --rotl, and none for --nosuch.
static std::string describeUnknown(std::string_view name,
                                   const std::vector<Option> &known) {
  size_t least = std::max<size_t>(1, name.size() / 3) + 1;
  std::string_view nearest;
  for (const Option &option : known)
    if (size_t distance = getDistance(name, option.name); distance < least) {
      least = distance;
      nearest = option.name;
    }
  std::string error = "unknown option '" + std::string(name) + "'";
  return nearest.empty()
             ? error + " (see --help)"
             : error + "; did you mean '" + std::string(nearest) + "'?";
}

bool dml::tools::parseCommandLine(int argc, char **argv,
                                  const std::vector<Option> &known,
                                  std::vector<std::string> &files,
                                  std::string &error) {
  bool onlyFiles = false;
  std::set<std::string_view> given;
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (!onlyFiles && argument == "--") {
      onlyFiles = true;
      continue;
    }
    if (onlyFiles || argument.size() < 2 || argument[0] != '-') {
      files.emplace_back(argument);
      continue;
    }
    size_t equals = argument.find('=');
    std::string_view name = argument.substr(0, equals);
    const Option *option = nullptr;
    for (const Option &candidate : known)
      if (candidate.name == name)
        option = &candidate;
    if (!option) {
      error = describeUnknown(name, known);
      return false;
    }
    if (!given.insert(name).second && !option->isRepeatable) {
      error = "option '" + std::string(name) + "' is given twice";
      return false;
    }
    std::string_view value;
    if (equals != std::string_view::npos) {
      value = argument.substr(equals + 1);
      if (!option->takesValue) {
        error = "option '" + std::string(name) + "' takes no value";
        return false;
      }
    } else if (option->takesValue && !option->isValueOptional) {
      if (i + 1 == argc) {
        error = "option '" + std::string(name) + "' needs a value";
        return false;
      }
      value = argv[++i];
    }
    if (!option->apply(value)) {
      error = "option '" + std::string(name) + "' does not take '" +
              std::string(value) + "'" +
              (option->wanted.empty() ? "" : "; it wants " + option->wanted);
      return false;
    }
  }
  return true;
}

int dml::tools::runMain(const char *tool, const std::function<void()> &body) {
#ifdef _WIN32
  // Executables come through pipes, and text is the same on every system.
  for (std::FILE *file : {stdin, stdout, stderr})
    _setmode(_fileno(file), _O_BINARY);
#endif
  try {
    body();
    // A write that failed earlier is still known to the stream.
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
      fail(std::string("cannot write to standard output: ") +
               std::strerror(errno),
           kExitNotWritten);
    return kExitDone;
  } catch (const Failure &failure) {
    // If the failure has no message, another tool, which this tool has run,
    // has failed and printed a message.
    if (!failure.message.empty())
      std::fprintf(stderr, "%s: error: %s\n", tool,
                   indentLines(escapeControls(failure.message)).c_str());
    return failure.exitCode;
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr, "%s: error: out of memory\n", tool);
  } catch (const std::exception &exception) {
    std::fprintf(stderr, "%s: error: %s\n", tool, exception.what());
  }
  return kExitNo;
}
