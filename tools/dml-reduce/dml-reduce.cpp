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
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
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
static cl::opt<std::string> compileFails(
    "compile-fails", cl::value_desc("text"),
    cl::desc("In place of --test: a module is interesting if dml-compile fails "
             "or crashes with this text among its messages; any will do for "
             "an empty one"),
    cl::cat(category));
static cl::opt<bool> checkDiffers(
    "check-differs",
    cl::desc("In place of --test: a module is interesting if dml-check finds "
             "that the device differs from the interpreter"),
    cl::cat(category));
static cl::opt<std::string> levelRefused(
    "level-refused", cl::value_desc("level"),
    cl::desc("In place of --test: a module is interesting if dml-explain says "
             "that it does not fit this feature level"),
    cl::cat(category));
static cl::list<std::string>
    testArguments("test-arg", cl::value_desc("argument"),
                  cl::desc("An argument for the program, behind the path of "
                           "the module; may be repeated"),
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
/// A program that is run on modules, and what makes one interesting.
struct Predicate {
  std::string program;
  std::vector<std::string> arguments;
  /// Judges the exit code, which is negative after a crash, and what the
  /// program has printed.
  llvm::unique_function<bool(int result, StringRef printed)> isInteresting;
  /// What is said where the whole module is not interesting.
  std::string otherwise;
};

/// Runs the program that tells which modules are interesting.
class Tester {
public:
  explicit Tester(Predicate predicate) : predicate(std::move(predicate)) {}
  ~Tester() {
    for (llvm::SmallString<128> *path : {&module, &printed})
      if (!path->empty())
        llvm::sys::fs::remove(*path);
  }

  /// Makes the files for modules and for what the program prints.
  std::error_code create() {
    if (std::error_code code =
            llvm::sys::fs::createTemporaryFile("dml-reduce", "mlir", module))
      return code;
    return llvm::sys::fs::createTemporaryFile("dml-reduce", "txt", printed);
  }

  /// Whether the program finds `op` interesting. Returns false, with `error`
  /// set, if the program cannot be run.
  bool isInteresting(ModuleOp op) {
    std::string text;
    llvm::raw_string_ostream(text) << op << "\n";
    if (!writeOutput(module.str().str(), text, error))
      return false;
    SmallVector<StringRef> arguments = {predicate.program, module};
    llvm::append_range(arguments, predicate.arguments);
    std::optional<StringRef> files[] = {StringRef(), printed.str(),
                                        printed.str()};
    bool hasFailed = false;
    int result = llvm::sys::ExecuteAndWait(
        predicate.program, arguments, /*Env=*/std::nullopt, files,
        /*SecondsToWait=*/0, /*MemoryLimit=*/0, &error, &hasFailed);
    if (hasFailed || result == -1) {
      error = "cannot run '" + predicate.program + "': " + error;
      return false;
    }
    error.clear();
    auto output = llvm::MemoryBuffer::getFile(printed);
    return predicate.isInteresting(result, output ? (*output)->getBuffer()
                                                  : StringRef());
  }

  std::string error;
  Predicate predicate;

private:
  llvm::SmallString<128> module, printed;
};
} // namespace

/// Returns the predicate that the command line asks for, or an error.
static llvm::Expected<Predicate> getPredicate() {
  unsigned count = !test.empty() + (compileFails.getNumOccurrences() != 0) +
                   checkDiffers + !levelRefused.empty();
  if (count != 1)
    return llvm::createStringError(
        "one of --test, --compile-fails, --check-differs and --level-refused "
        "is wanted, but there are " +
        llvm::Twine(count) + " (see --help)");
  Predicate predicate;
  std::string tool = test;
  if (!test.empty()) {
    predicate.isInteresting = [](int result, StringRef) { return result == 0; };
    predicate.otherwise = "its exit code is not 0";
  } else if (compileFails.getNumOccurrences() != 0) {
    tool = "dml-compile";
    predicate.arguments = {"-o", "/dev/null"};
    predicate.isInteresting = [](int result, StringRef printed) {
      return result != 0 && printed.contains(compileFails);
    };
    predicate.otherwise =
        compileFails.empty()
            ? "it compiles the module"
            : "it does not fail with a message that has '" + compileFails + "'";
  } else if (checkDiffers) {
    tool = "dml-check";
    // A device that cannot be opened has the same exit code, and so has a
    // module that cannot be run; neither comes to the table of what was
    // compared.
    predicate.isInteresting = [](int result, StringRef printed) {
      return result == kExitNo && printed.contains(" compared  wrong ");
    };
    predicate.otherwise = "it finds no difference";
  } else {
    tool = "dml-explain";
    predicate.arguments = {"--level=" + levelRefused};
    // The operator that is named first goes on being the one: a smaller module
    // may not fit for another reason, such as a rank that came to be too low.
    predicate.isInteresting =
        [first = std::string()](int result, StringRef printed) mutable {
          StringRef reason = printed.split('\n').second.ltrim();
          if (first.empty())
            first = reason.split(" at ").first.str();
          return result == kExitNo && reason.starts_with(first);
        };
    predicate.otherwise =
        "it does not say that the module needs more than " + levelRefused;
  }
  llvm::append_range(predicate.arguments, testArguments);
  // dml's own tools stand beside this one, or else in PATH.
  llvm::ErrorOr<std::string> program =
      std::make_error_code(std::errc::no_such_file_or_directory);
  if (test.empty()) {
    static int here;
    std::string self = llvm::sys::fs::getMainExecutable(nullptr, &here);
    program = llvm::sys::findProgramByName(
        tool, {llvm::sys::path::parent_path(self)});
  }
  if (!program)
    program = llvm::sys::findProgramByName(tool);
  if (!program)
    return llvm::createStringError("there is no program '" + tool + "'");
  predicate.program = *program;
  return predicate;
}

/// The number of operations that @main and other functions consist of.
static unsigned countOperations(ModuleOp module) {
  unsigned count = 0;
  module.walk([&](Operation *op) {
    count += !isa<SymbolOpInterface, ModuleOp>(op) &&
             !op->hasTrait<OpTrait::IsTerminator>();
  });
  return count;
}

static ExitCode run(ModuleOp module, Predicate predicate, Console &console) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal())
    return emitToolError("the module has no function 'main', which is the one "
                         "that becomes smaller");
  Tester tester(std::move(predicate));
  if (std::error_code code = tester.create())
    return emitToolError("cannot make a temporary file: " + code.message(),
                         kExitNotWritten);
  console.progress.begin("running " + tester.predicate.program);
  bool isInteresting = tester.isInteresting(module);
  console.progress.clear();
  if (!tester.error.empty())
    return emitToolError(tester.error);
  if (!isInteresting)
    return emitToolError("'" + tester.predicate.program +
                         "' does not find the module interesting: " +
                         tester.predicate.otherwise);

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
          "  dml-reduce model.mlir --test=./crashes.sh -o small.mlir\n\n"
          "Of an ONNX model, the module that it is read into becomes smaller. "
          "Faults of\ndml's own tools need no program:\n\n"
          "  dml-reduce model.onnx --compile-fails='more buffers' -o "
          "small.mlir\n"
          "  dml-reduce model.onnx --check-differs --test-arg=--device=1 -o "
          "small.mlir\n"
          "  dml-reduce model.onnx --level-refused=5_0 -o small.mlir\n",
          &category))
    return kExitInvalid;
  auto predicate = getPredicate();
  if (!predicate)
    return emitToolError(llvm::toString(predicate.takeError()));

  DialectRegistry registry;
  dml::registerCompilerDialects(registry);
  MLIRContext context(registry);
  Console console(DML_TOOL, &context);
  auto module =
      loadModule(console, inputFile, sizeOptions.get(), ParserConfig(&context));
  console.progress.clear();
  return module ? run(*module, std::move(*predicate), console) : kExitInvalid;
}
