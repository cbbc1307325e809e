//===- CompilerCommandLine.h - Command lines of the compiler's tools ------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The counterpart of CommandLine.h, which needs no LLVM, for the tools that
// have options of MLIR's beside their own.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_COMPILERCOMMANDLINE_H
#define DML_TOOLS_SUPPORT_COMPILERCOMMANDLINE_H

#include "dml/IR/Suggestions.h"
#include "support/ToolError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <string>
#include <thread>
#include <unistd.h>

namespace dml::tools {

/// Lets --version print the version of dml, and the version of LLVM with which
/// it was built.
inline void setVersionPrinter() {
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << DML_TOOL " " DML_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
  });
}

/// Hides the hundreds of options of LLVM's libraries from --help, although
/// --help-hidden still shows them. Must be called before other options are
/// created.
inline void hideLibraryOptions() {
  for (auto [name, option] : llvm::cl::getRegisteredOptions())
    if (llvm::none_of(option->Categories, [](llvm::cl::OptionCategory *known) {
          return known->getName() == "Generic Options";
        }))
      option->setHiddenFlag(llvm::cl::Hidden);
}

/// A function that checkStandardOutput() calls before it ends the program, to
/// print messages that have not been printed yet.
inline void (*finishMessages)() = nullptr;

/// Ends the program with kExitNotWritten if standard output could not be
/// written. Without this function, LLVM would crash. Must be called before LLVM
/// destroys the stream.
inline void checkStandardOutput() {
  llvm::raw_fd_ostream &output = llvm::outs();
  output.flush();
  if (!output.has_error())
    return;
  emitToolError("cannot write to standard output: " + output.error().message());
  if (finishMessages)
    finishMessages();
  std::_Exit(kExitNotWritten);
}

inline constexpr char kNoFile[] =
    "there is no file, but one is wanted, or - for standard input (see --help)";

/// The option --as of a tool that dml-run calls. Messages then name dml-run.
class CallerOption {
public:
  explicit CallerOption(llvm::cl::OptionCategory &category)
      : option("as", llvm::cl::desc("The tool that messages name, for dml-run"),
               llvm::cl::Hidden,
               llvm::cl::callback(
                   [](const std::string &name) { toolName() = name; }),
               llvm::cl::cat(category)) {}

private:
  llvm::cl::opt<std::string> option;
};

/// Returns what `print` writes to a stream without a buffer, or to
/// llvm::outs(), instead of writing it.
inline std::string captureOutput(llvm::function_ref<void()> print,
                                 int stream = STDOUT_FILENO) {
  llvm::outs().flush();
  int ends[2], original = dup(stream);
  if (original < 0)
    return "";
  if (pipe(ends)) {
    close(original);
    return "";
  }
  std::string text;
  std::thread reader([&text, end = ends[0]] {
    char bytes[4096];
    for (ssize_t count = 0; (count = read(end, bytes, sizeof(bytes))) > 0;)
      text.append(bytes, count);
  });
  dup2(ends[1], stream);
  close(ends[1]);
  print();
  llvm::outs().flush();
  dup2(original, stream);
  close(original);
  reader.join();
  close(ends[0]);
  return text;
}

/// Returns the values that `option` may have, if these are names. LLVM tells
/// them in the text of --help alone: "    =tree   -   display ...".
inline llvm::SmallVector<std::string> getChoices(llvm::cl::Option &option) {
  std::string help =
      captureOutput([&] { option.printOptionInfo(option.getOptionWidth()); });
  llvm::SmallVector<std::string> names;
  for (llvm::StringRef line : llvm::split(help, '\n'))
    if (line = line.ltrim(); line.consume_front("="))
      names.push_back(line.split(' ').first.str());
  return names;
}

/// Returns an error for the first argument "--name=value" with a value that the
/// option does not have, or "". LLVM's own error does not list the names.
inline std::string describeWrongChoice(llvm::ArrayRef<char *> arguments) {
  auto &options = llvm::cl::getRegisteredOptions();
  for (llvm::StringRef argument : arguments.drop_front()) {
    if (argument == "--")
      break;
    auto [name, value] = argument.split('=');
    llvm::cl::Option *option = options.lookup(name.ltrim('-'));
    if (!name.starts_with("-") || value.empty() || !option ||
        option->ArgStr != name.ltrim('-'))
      continue;
    llvm::SmallVector<std::string> choices = getChoices(*option);
    bool isList = option->getMiscFlags() & llvm::cl::CommaSeparated;
    if (choices.empty() || isList || llvm::is_contained(choices, value))
      continue;
    llvm::SmallVector<llvm::StringRef> names(choices.begin(), choices.end());
    return ("--" + option->ArgStr + "=" + value + ": wanted is one of " +
            llvm::join(choices, ", ") + suggestNearest(value, names))
        .str();
  }
  return "";
}

/// Returns one sentence for LLVM's report of an invalid command line, which
/// otherwise continues with consequences of the first mistake.
inline std::string describeCommandLineError(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  auto message = [&](size_t i) {
    llvm::StringRef line = i < lines.size() ? lines[i] : "";
    line.consume_front(DML_TOOL ": ");
    return line.rtrim("!.");
  };
  llvm::StringRef first = message(0);
  const std::string help = " (see --help)";
  if (first.consume_front("Unknown command line argument '")) {
    llvm::StringRef name = first.split("'.").first.split('=').first;
    std::string result = ("unknown option '" + name + "'").str();
    // LLVM knows a nearest name of any; of --nosuch it is --fuse.
    llvm::StringRef nearest = message(1);
    if (nearest.consume_front("Did you mean '") && nearest.consume_back("'?")) {
      nearest = nearest.split('=').first;
      if (name.edit_distance(nearest) <= std::max<size_t>(1, name.size() / 3))
        return result + "; did you mean '" + nearest.str() + "'?";
    }
    return result + help;
  }
  if (first.consume_front("for the --")) {
    auto [name, what] = first.split(" option: ");
    auto [value, rest] = what.ltrim('\'').split('\'');
    std::string option = ("--" + name + "=" + value).str();
    if (rest.contains("boolean argument"))
      return option + ": wanted is true or false";
    if (rest.contains("value invalid for"))
      return option + ": wanted is a number";
    if (what.starts_with("Cannot find option named '"))
      return ("--" + name + "=" + rest.split('\'').first +
              ": there is no pass of this name" + help)
          .str();
    return ("--" + name + ": " + what).str();
  }
  if (first.starts_with("Too many positional arguments"))
    return "there are more files than the one that is wanted" + help;
  if (first.starts_with("Not enough positional"))
    return kNoFile;
  return first.str();
}

/// Whether no file is named on the command line and standard input is a
/// terminal, so that the tool would seem to hang. If so, prints an error; the
/// exit code is then kExitInvalid.
inline bool lacksInput(const llvm::cl::opt<std::string> &inputFile) {
  if (inputFile.getNumOccurrences() != 0 ||
      !llvm::sys::Process::StandardInIsUserInput())
    return false;
  emitToolError(kNoFile);
  return true;
}

/// Applies a command line to the llvm::cl options of this program. --help ends
/// with the table of exit codes, and shows only the options of `category` if it
/// is not null. If the command line is invalid, prints the error and returns
/// false; the exit code is then kExitInvalid.
inline bool parseCompilerCommandLine(int argc, char **argv,
                                     llvm::StringRef overview,
                                     llvm::cl::OptionCategory *category) {
  setVersionPrinter();
  // It runs before the end of the streams, which are made first.
  llvm::outs();
  errorStream();
  std::atexit(checkStandardOutput);
  static const std::string table = std::string("\n") + kExitCodesHelp;
  static llvm::cl::extrahelp exitCodes(table);
  if (category)
    llvm::cl::HideUnrelatedOptions(*category);
  // LLVM's own reaction to an error is the exit code 1.
  std::string text;
  llvm::raw_string_ostream os(text);
  if (std::string choice = describeWrongChoice({argv, size_t(argc)});
      !choice.empty()) {
    emitToolError(choice);
    return false;
  }
  bool isValid = false;
  auto parse = [&] {
    isValid = llvm::cl::ParseCommandLineOptions(argc, argv, overview, &os);
  };
  // Of some mistakes LLVM tells by itself. Of --help and --version it does not
  // return.
  std::string told;
  if (llvm::any_of(llvm::ArrayRef(argv, argc), [](llvm::StringRef argument) {
        argument = argument.ltrim('-');
        return argument.starts_with("help") || argument == "h" ||
               argument == "version";
      }))
    parse();
  else
    told = captureOutput(parse, STDERR_FILENO);
  if (isValid) {
    llvm::errs() << told;
    return true;
  }
  if (!told.empty() || !text.empty())
    emitToolError(describeCommandLineError(told.empty() ? text : told));
  return false;
}

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_COMPILERCOMMANDLINE_H
