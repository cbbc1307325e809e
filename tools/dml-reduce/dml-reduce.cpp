//===- dml-reduce.cpp - The test case reducer -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Makes a module smaller as long as a program of the user's finds it
// interesting. The steps are those by which dml-fuzz shrinks a failing program:
// every module that they make is valid.
//
//===----------------------------------------------------------------------===//

#include "Testing/Differential/Differential.h"
#include "dml/Pipelines/Pipelines.h"
#include "mlir/IR/MLIRContext.h"
#include "support/CompilerCommandLine.h"
#include "support/File.h"
#include "support/Module.h"
#include "support/Plural.h"
#include "support/SizeOptions.h"
#include "support/ToolError.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace dml::tools;
namespace cl = llvm::cl;

static cl::OptionCategory category("dml-reduce");
static cl::opt<std::string>
    inputFile(cl::Positional, cl::Required,
              cl::desc("FILE.mlir, FILE.onnx, or - for standard input"),
              cl::cat(category));
static cl::opt<std::string>
    test("test", cl::value_desc("program"),
         cl::desc("The program that is called with the path of a module, and "
                  "ends with the exit code 0 if the module is interesting"),
         cl::cat(category));
static dml::tools::SizeOptions sizeOptions(category);
static cl::opt<unsigned> maxTries("max-tries", cl::init(2000),
                                  cl::value_desc("N"),
                                  cl::desc("Modules to try, at most (2000)"),
                                  cl::cat(category));
static cl::opt<std::string> outputFile("o", cl::init("-"),
                                       cl::value_desc("file"),
                                       cl::desc("Output file"),
                                       cl::cat(category));

namespace {
/// The program that tells which modules are interesting.
class Tester {
public:
  /// Makes the file that modules are written to.
  std::error_code create() {
    return llvm::sys::fs::createTemporaryFile("dml-reduce", "mlir", path);
  }
  ~Tester() {
    if (!path.empty())
      llvm::sys::fs::remove(path);
  }

  /// Whether the user's program finds `module` interesting. Returns false, with
  /// `error` set, if the program cannot be run.
  bool isInteresting(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream(text) << module << "\n";
    if (!writeOutput(path.str().str(), text, error))
      return false;
    // What the program prints is its own affair.
    std::optional<StringRef> quiet[] = {std::nullopt, StringRef(), StringRef()};
    bool hasFailed = false;
    int result = llvm::sys::ExecuteAndWait(
        program, {program, path}, /*Env=*/std::nullopt, quiet,
        /*SecondsToWait=*/0, /*MemoryLimit=*/0, &error, &hasFailed);
    if (hasFailed || result == -1) {
      error = "cannot run '" + program + "': " + error;
      return false;
    }
    error.clear();
    return result == 0;
  }

  std::string program;
  std::string error;

private:
  llvm::SmallString<128> path;
};
} // namespace

/// The number of operations that @main and other functions consist of.
static unsigned countOperations(ModuleOp module) {
  unsigned count = 0;
  module.walk([&](Operation *op) {
    count += !isa<SymbolOpInterface, ModuleOp>(op) &&
             !op->hasTrait<OpTrait::IsTerminator>();
  });
  return count;
}

static ExitCode run(ModuleOp module, Console &console) {
  auto program = llvm::sys::findProgramByName(test);
  if (!program)
    return emitToolError("there is no program '" + test + "'");
  Tester tester;
  tester.program = *program;
  if (std::error_code code = tester.create())
    return emitToolError("cannot make a temporary file: " + code.message(),
                         kExitNotWritten);
  bool isInteresting = tester.isInteresting(module);
  if (!tester.error.empty())
    return emitToolError(tester.error);
  if (!isInteresting)
    return emitToolError("'" + test +
                         "' does not find the module interesting: its exit "
                         "code is not 0");

  unsigned tries = 0, all = countOperations(module), left = all;
  auto describe = [&] {
    return std::to_string(left) + " of " + printCount(all, "operation") +
           " left";
  };
  OwningOpRef<ModuleOp> smallest = dml::fuzz::shrink(
      module,
      [&](ModuleOp candidate) {
        console.progress.begin("trying module " + std::to_string(++tries) +
                               " of at most " + std::to_string(maxTries) +
                               ", " + describe());
        if (!tester.error.empty() || !tester.isInteresting(candidate))
          return false;
        left = countOperations(candidate);
        return true;
      },
      maxTries);
  console.progress.clear();
  if (!tester.error.empty())
    return emitToolError(tester.error);
  llvm::errs() << DML_TOOL ": " << printCount(tries, "module") << " tried, "
               << describe() << "\n";
  std::string text;
  llvm::raw_string_ostream(text) << *smallest << "\n";
  std::string error;
  if (!writeOutput(outputFile, text, error))
    return emitToolError(error, kExitNotWritten);
  return kExitDone;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  if (!parseCompilerCommandLine(
          argc, argv,
          "Makes a module smaller as long as a program finds it "
          "interesting.\n\n"
          "Function @main loses operators and dimensions, its sizes shrink, "
          "and "
          "attributes\nbecome plainer. A program that finds a crash of the "
          "compiler interesting:\n\n"
          "  #!/bin/sh\n"
          "  dml-compile \"$1\" -o /dev/null; test $? -gt 128\n\n"
          "  dml-reduce model.mlir --test=./crashes.sh -o small.mlir\n",
          &category))
    return kExitInvalid;
  if (test.empty())
    return emitToolError("option --test is missing (see --help)");

  DialectRegistry registry;
  dml::registerCompilerDialects(registry);
  MLIRContext context(registry);
  Console console(DML_TOOL, &context);
  auto module =
      loadModule(console, inputFile, sizeOptions.get(), ParserConfig(&context));
  console.progress.clear();
  return module ? run(*module, console) : kExitInvalid;
}
