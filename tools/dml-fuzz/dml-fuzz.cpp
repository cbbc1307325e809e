//===- dml-fuzz.cpp - Compare devices with the interpreter ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Numerics.h"
#include "OperatorMatrix.h"
#include "SpoiledCases.h"
#include "Survival.h"
#include "Testing/Differential/Differential.h"
#include "Testing/Programs/Operators.h"
#include "dml/IR/InPlace.h"
#include "dml/IR/Ownership.h"
#include "dml/Pipelines/Pipelines.h"
#include "dml/Reference/Interpreter.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "support/CompilerCommandLine.h"
#include "support/Device.h"
#include "support/File.h"
#include "support/Plural.h"
#include "support/ToolError.h"
#include "support/TuningOptions.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace mlir;
using namespace dml;
using namespace dml::fuzz;
namespace cl = llvm::cl;

static cl::OptionCategory category("dml-fuzz");

static cl::opt<bool> systematic(
    "systematic", cl::cat(category),
    cl::desc("Go through every operator, mode, data type and rank, and print "
             "how many cases each had"));
static cl::opt<bool>
    matrix("matrix", cl::cat(category),
           cl::desc("Print what is there of each operator: the data types that "
                    "are verified, interpreted and compiled, and the oldest "
                    "feature level that legalization reaches"));
static cl::opt<bool> numerics(
    "numerics", cl::cat(category),
    cl::desc("Print how exact each operator is: the page docs/Numerics.md"));
static cl::opt<unsigned>
    casesPerCell("cases-per-cell", cl::init(8), cl::cat(category),
                 cl::desc("With --systematic: cases of each combination (8)"));
static cl::list<std::string> onlyOperators(
    "operators", cl::CommaSeparated, cl::value_desc("name,..."),
    cl::cat(category),
    cl::desc("Draw these operators, such as dml.padding; random programs begin "
             "with one of them"));
static cl::opt<std::string>
    replay("replay", cl::value_desc("file.mlir"), cl::cat(category),
           cl::desc("Run this program (- is standard input), its inputs drawn "
                    "from --values"));
static cl::opt<uint64_t>
    values("values", cl::init(0), cl::cat(category),
           cl::desc("With --replay: the seed of the inputs"));
static cl::opt<uint64_t>
    seed("seed", cl::init(1), cl::cat(category),
         cl::desc("The first random case; the next ones count up (1)"));
static cl::opt<uint64_t>
    maxCases("count", cl::init(1000), cl::cat(category),
             cl::desc("Random cases to run; 0 is without end (1000)"));
static cl::opt<unsigned> maxSeconds("time", cl::init(0),
                                    cl::value_desc("seconds"),
                                    cl::cat(category),
                                    cl::desc("Stop after this time"));
static cl::opt<unsigned>
    maxDefects("max-failures", cl::init(10), cl::cat(category),
               cl::desc("Stop after so many failures (10)"));
static cl::opt<std::string>
    outputDirectory("output-dir", cl::init("."), cl::cat(category),
                    cl::desc("Where failing programs are written (.)"));
static cl::opt<std::string>
    selector("device", cl::cat(category),
             cl::desc("Name, index or UUID of the Vulkan device; 'none' draws "
                      "and interprets only"));
static cl::opt<std::string> deviceProfile(
    "device-profile", cl::cat(category),
    cl::desc("Pretend that the device has no more than these features, in the "
             "compiler and in Vulkan (default: the device's own profile)"));
// With an option such as --contraction-tile=64x32, small products, reductions
// and attentions are computed by the kernels of large ones.
static tools::TuningOptions tuningOptions(category);
static cl::opt<bool>
    printPrograms("print", cl::cat(category),
                  cl::desc("Print each program before it runs"));
static cl::opt<bool>
    noShrink("no-shrink", cl::cat(category),
             cl::desc("Report failing programs as they were drawn"));
static cl::opt<bool>
    validate("validate", cl::cat(category),
             cl::desc("A message of Vulkan's validation layer is a failure"));
static cl::opt<bool> invalid(
    "invalid", cl::cat(category),
    cl::desc("Spoil the programs' attributes, shapes, types and operands: the "
             "compiler must compile each program, or fail with an error that "
             "names a place in it"));
static cl::opt<bool>
    mutate("mutate", cl::cat(category),
           cl::desc("The same for the bytes of programs as text, as bytecode "
                    "and as executables"));
static cl::opt<std::string> modelFolder(
    "mutate-models", cl::value_desc("folder"), cl::cat(category),
    cl::desc(
        "The same for the fields of the ONNX models of a folder: each must "
        "be imported, or refused with an error"));
static cl::opt<bool> inPlace(
    "in-place", cl::cat(category),
    cl::desc("Ask for each result in the buffer of an argument of the same "
             "type, where there is one; programs whose results may not be "
             "there count as refused"));

static cl::opt<bool> compileModels(
    "compile-models", cl::cat(category),
    cl::desc("With --mutate-models: compile what is imported, too"));
static cl::opt<bool> writeCase(
    "write-case", cl::cat(category),
    cl::desc(
        "With --invalid, --mutate or --mutate-models: write the case --seed to "
        "the output directory, and do not run it"));
static cl::opt<bool> inProcess(
    "in-process", cl::cat(category), cl::Hidden,
    cl::desc("With --invalid, --mutate or --mutate-models: run the cases in "
             "this process"));

static bool isSpoiled() { return invalid || mutate || !modelFolder.empty(); }

static Damage getDamage() {
  if (!modelFolder.empty())
    return Damage::Model;
  return invalid ? Damage::Program : Damage::File;
}

/// The option that asks for the damage.
static std::string getDamageOption() {
  switch (getDamage()) {
  case Damage::Program:
    return "--invalid";
  case Damage::File:
    return "--mutate";
  case Damage::Model:
    return "--mutate-models=" + modelFolder;
  }
  llvm_unreachable("no damage");
}

/// The models of the folder, in the order of their names.
static llvm::Expected<std::vector<std::string>> readModels() {
  std::vector<std::string> paths, models;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator file(modelFolder, error), end;
       file != end && !error; file.increment(error))
    if (llvm::StringRef(file->path()).ends_with(".onnx"))
      paths.push_back(file->path());
  if (error)
    return llvm::createStringError("cannot read the folder '" + modelFolder +
                                   "': " + error.message());
  if (paths.empty())
    return llvm::createStringError("--mutate-models names the folder '" +
                                   modelFolder +
                                   "', which has no file that ends in .onnx");
  llvm::sort(paths);
  for (const std::string &path : paths) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return llvm::createStringError("cannot read '" + path +
                                     "': " + buffer.getError().message());
    models.push_back((*buffer)->getBuffer().str());
  }
  return models;
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

namespace {
class Fuzzer {
public:
  explicit Fuzzer(Device *device) : device(device) { renewContext(); }

  int runReplay();
  int runRandom();
  int runSystematic();
  int printMatrix();
  int printNumericsPage();
  int runSpoiled();
  int runSpoiledModels();
  int writeSpoiled();

private:
  using Clock = std::chrono::steady_clock;

  /// Creates a new context. Types and attributes live as long as their context,
  /// so that a new context from time to time limits the memory of a long run.
  void renewContext() {
    DialectRegistry registry;
    registerCompilerDialects(registry);
    context = std::make_unique<MLIRContext>(registry,
                                            MLIRContext::Threading::DISABLED);
    context->loadAllAvailableDialects();
  }

  FailureOr<SmallVector<reference::Tensor>>
  execute(ModuleOp module, ArrayRef<reference::Tensor> inputs,
          Outcome &outcome) {
    if (!device)
      return interpretValues(module.lookupSymbol<func::FuncOp>("main"), inputs);
    // A crash counts as a defect. It leaks tensors and a part of the context,
    // so that the code that runs here must not hold locks or other resources
    // that have to be released.
    FailureOr<SmallVector<reference::Tensor>> outputs = failure();
    llvm::CrashRecoveryContext recovery;
    if (!recovery.RunSafely(
            [&] { outputs = device->execute(module, inputs, outcome); })) {
      outcome = {Outcome::Failed, "a crash"};
      return failure();
    }
    return outputs;
  }

  Outcome runOnce(ModuleOp module, uint64_t valueSeed) {
    Outcome outcome = runCase(
        module, valueSeed,
        [&](ModuleOp module, ArrayRef<reference::Tensor> inputs,
            Outcome &outcome) { return execute(module, inputs, outcome); },
        !device || device->keepsNaNs());
    if (outcome.kind == Outcome::Failed && device &&
        (device->isRefusal(outcome.message) ||
         (inPlace &&
          StringRef(outcome.message).contains("cannot be in the place of"))))
      outcome.kind = Outcome::Refused;
    return outcome;
  }

  /// Runs, counts and, where it fails, shrinks and reports a case.
  Outcome run(ModuleOp module, uint64_t valueSeed);
  void report(ModuleOp module, uint64_t valueSeed, const Outcome &outcome);

  bool isOver() const {
    return (maxDefects && numDefects >= maxDefects) ||
           (maxSeconds &&
            Clock::now() - begin >= std::chrono::seconds(maxSeconds));
  }
  void showProgress(bool always = false);
  int finish();

  Device *device;
  std::unique_ptr<MLIRContext> context;
  uint64_t numCases = 0, numRefused = 0, numDefects = 0;
  /// For the cases without defects, the numbers of their elements, of elements
  /// whose bounds admit any value, and of cases with such elements only.
  uint64_t numElements = 0, numUnjudged = 0, numBlind = 0;
  Clock::time_point begin = Clock::now(), lastProgress = begin;
};
} // namespace

void Fuzzer::showProgress(bool always) {
  Clock::time_point now = Clock::now();
  if (!always && (!llvm::errs().is_displayed() ||
                  now - lastProgress < std::chrono::seconds(5)))
    return;
  lastProgress = now;
  double seconds = std::chrono::duration<double>(now - begin).count();
  llvm::errs() << "dml-fuzz: " << tools::printCount(numCases, "case") << ", "
               << tools::printCount(numDefects, "failure") << ", " << numRefused
               << " refused, " << numUnjudged << " of "
               << tools::printCount(numElements, "element")
               << " not judged (all of " << tools::printCount(numBlind, "case")
               << "), "
               << llvm::format("%.0f s, %.0f cases/s\n", seconds,
                               static_cast<double>(numCases) / seconds);
}

int Fuzzer::finish() {
  llvm::outs().flush();
  showProgress(/*always=*/true);
  return numDefects ? tools::kExitNo : tools::kExitDone;
}

void Fuzzer::report(ModuleOp module, uint64_t valueSeed,
                    const Outcome &outcome) {
  SmallString<128> path(outputDirectory);
  llvm::sys::path::append(path,
                          "failure-" + std::to_string(valueSeed) + ".mlir");
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "// " << outcome.message << "\n// dml-fuzz --replay=" << path
     << " --values=" << valueSeed;
  if (!selector.empty())
    os << " --device='" << selector << "'";
  if (device)
    os << " --device-profile='" << device->getProfile() << "'";
  os << tuningOptions.str();
  os << "\n" << module << "\n";
  llvm::outs() << text;
  llvm::outs().flush();
  std::string error;
  if (!tools::writeFile(std::string(path), {{text.data(), text.size()}}, error))
    tools::emitToolError(error);
}

/// Asks for each result of @main in the buffer of the first argument of its
/// type and strides that no other result has taken.
static void requestInPlace(ModuleOp module) {
  auto function = module.lookupSymbol<func::FuncOp>("main");
  if (!function)
    return;
  SmallVector<InPlacePair> pairs;
  llvm::SmallDenseSet<unsigned> taken;
  for (unsigned result = 0; result < function.getNumResults(); ++result)
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (function.getArgumentTypes()[i] == function.getResultTypes()[result] &&
          !function.getArgAttr(i, ownedAttrName) &&
          haveOneLayout(function, {i, result}) && taken.insert(i).second) {
        pairs.push_back({i, result});
        break;
      }
  (void)setInPlace(function, pairs);
}

Outcome Fuzzer::run(ModuleOp module, uint64_t valueSeed) {
  if (inPlace)
    requestInPlace(module);
  if (printPrograms) {
    llvm::outs() << "// --values=" << valueSeed << "\n" << module << "\n";
    llvm::outs().flush();
  }
  Outcome outcome = runOnce(module, valueSeed);
  ++numCases;
  numRefused += outcome.kind == Outcome::Refused;
  numElements += outcome.numElements;
  numUnjudged += outcome.numUnjudged;
  numBlind +=
      outcome.numUnjudged != 0 && outcome.numUnjudged == outcome.numElements;
  if (outcome.isDefect()) {
    ++numDefects;
    if (noShrink) {
      report(module, valueSeed, outcome);
    } else {
      auto smaller = shrink(module, [&](ModuleOp candidate) {
        return runOnce(candidate, valueSeed).kind == outcome.kind;
      });
      report(*smaller, valueSeed, runOnce(*smaller, valueSeed));
    }
  }
  showProgress();
  return outcome;
}

//===----------------------------------------------------------------------===//
// Modes
//===----------------------------------------------------------------------===//

int Fuzzer::runReplay() {
  Outcome outcome;
  if (isSpoiled()) {
    auto file = llvm::MemoryBuffer::getFileOrSTDIN(replay);
    if (!file)
      return tools::emitToolError("cannot read " + replay + ": " +
                                  file.getError().message());
    outcome =
        getDamage() == Damage::Model
            ? surviveModel(context.get(), (*file)->getBuffer(), compileModels,
                           device)
            : survive(context.get(), (*file)->getBuffer(), values, device);
  } else {
    auto module =
        parseSourceFile<ModuleOp>(replay, ParserConfig(context.get()));
    if (!module)
      return tools::kExitInvalid;
    outcome = runOnce(*module, values);
  }
  static constexpr const char *kinds[Outcome::numKinds] = {
      "agrees",  "disagrees", "refused", "fails",
      "invalid", "rejected",  "accepted"};
  llvm::outs() << kinds[outcome.kind] << (outcome.message.empty() ? "" : ": ")
               << outcome.message;
  if (outcome.numUnjudged)
    llvm::outs() << ", but " << outcome.numUnjudged << " of "
                 << tools::printCount(outcome.numElements, "element")
                 << " could not be judged: their bounds admit any number";
  llvm::outs() << "\n";
  return outcome.isDefect() ? tools::kExitNo : tools::kExitDone;
}

int Fuzzer::runRandom() {
  constexpr uint64_t casesPerContext = 256;
  for (uint64_t i = 0; (maxCases == 0 || i < maxCases) && !isOver(); ++i) {
    if (i % casesPerContext == casesPerContext - 1)
      renewContext();
    uint64_t caseSeed = seed + i;
    llvm::PrettyStackTraceFormat trace(
        "dml-fuzz --seed=%llu --count=1",
        static_cast<unsigned long long>(caseSeed));
    run(*drawProgram(context.get(), caseSeed, onlyOperators), caseSeed);
  }
  return finish();
}

int Fuzzer::runSystematic() {
  struct Counts {
    unsigned cases = 0, refused = 0, defects = 0;
  };
  constexpr unsigned maxRank = 8;
  // A row for each operator, mode and type, in the order of the cells.
  std::vector<std::pair<std::string, std::array<Counts, maxRank>>> table;
  uint64_t cellSeed = seed;
  unsigned numCells = 0;
  for (const Cell &cell : getCells(context.get(), newestFeatureLevel)) {
    if (!onlyOperators.empty() && !llvm::is_contained(onlyOperators, cell.op))
      continue;
    constexpr unsigned cellsPerContext = 16;
    if (numCells++ % cellsPerContext == 0)
      renewContext();
    std::string row = "| " + cell.op.str() + " | " +
                      (cell.mode.empty() ? "" : cell.mode.str()) + " | " +
                      stringifyDataType(cell.type).str();
    if (table.empty() || table.back().first != row)
      table.push_back({row, {}});
    Counts &counts = table.back().second[cell.rank - 1];
    for (unsigned i = 0; i < casesPerCell && !isOver(); ++i) {
      uint64_t caseSeed = cellSeed++;
      Outcome outcome =
          run(*drawProgram(context.get(), cell, caseSeed), caseSeed);
      ++counts.cases;
      counts.refused += outcome.kind == Outcome::Refused;
      counts.defects += outcome.isDefect();
    }
  }

  llvm::outs() << "| operator | mode | data type";
  for (unsigned rank = 1; rank <= maxRank; ++rank)
    llvm::outs() << " | rank " << rank;
  llvm::outs() << " |\n|---|---|---|";
  for (unsigned rank = 1; rank <= maxRank; ++rank)
    llvm::outs() << "---|";
  llvm::outs() << "\n";
  for (auto &[row, ranks] : table) {
    llvm::outs() << row;
    for (const Counts &counts : ranks) {
      llvm::outs() << " | ";
      if (counts.cases)
        llvm::outs() << counts.cases;
      if (counts.defects)
        llvm::outs() << ", " << counts.defects << " failed";
      if (counts.refused)
        llvm::outs() << ", " << counts.refused << " refused";
    }
    llvm::outs() << " |\n";
  }
  return finish();
}

/// Prints the table of docs/OperatorMatrix.md.
int Fuzzer::printMatrix() {
  unsigned missing = printOperatorMatrix(*context, llvm::outs());
  if (!missing)
    return tools::kExitDone;
  return tools::emitToolError(llvm::Twine(missing) +
                                  " data types of operators miss a stage",
                              tools::kExitNo);
}

int Fuzzer::printNumericsPage() {
  unsigned missing = printNumerics(*context, llvm::outs());
  if (!missing)
    return tools::kExitDone;
  return tools::emitToolError(
      llvm::Twine(missing) + " modes of operators have no program that the "
                             "interpreter has a result for",
      tools::kExitNo);
}

/// Runs spoiled models in this process.
int Fuzzer::runSpoiledModels() {
  auto models = readModels();
  if (!models)
    return tools::emitToolError(llvm::toString(models.takeError()));
  // A context takes longer to make than most models take to be read.
  constexpr uint64_t casesPerContext = 200;
  return runSurvivalChild(seed, maxCases, [&](uint64_t caseSeed, bool &) {
    if ((caseSeed - seed) % casesPerContext == 0)
      renewContext();
    SpoiledFile file = drawSpoiledModel(*models, caseSeed);
    return surviveModel(context.get(), file.bytes, compileModels, device);
  });
}

/// Runs spoiled programs in this process.
int Fuzzer::runSpoiled() {
  if (getDamage() == Damage::Model)
    return runSpoiledModels();
  return runSurvivalChild(seed, maxCases, [&](uint64_t caseSeed, bool &isLast) {
    renewContext();
    SpoiledFile file = drawSpoiledFile(context.get(), getDamage(), caseSeed);
    // MLIR's reader of bytecode may write where it should not.
    isLast = mutate && file.extension == ".mlirbc";
    return survive(context.get(), file.bytes, caseSeed, device);
  });
}

/// Writes a spoiled program and says how to run it.
int Fuzzer::writeSpoiled() {
  SpoiledFile file;
  if (getDamage() == Damage::Model) {
    auto models = readModels();
    if (!models)
      return tools::emitToolError(llvm::toString(models.takeError()));
    file = drawSpoiledModel(*models, seed);
  } else {
    file = drawSpoiledFile(context.get(), getDamage(), seed);
  }
  SmallString<128> path(outputDirectory);
  llvm::sys::path::append(path, "failure-" + std::to_string(seed) +
                                    file.extension.str());
  std::string error;
  if (!tools::writeFile(std::string(path),
                        {{file.bytes.data(), file.bytes.size()}}, error))
    return tools::emitToolError(error, tools::kExitNotWritten);
  llvm::outs() << "dml-fuzz " << getDamageOption()
               << (compileModels ? " --compile-models" : "")
               << " --replay=" << path << " --values=" << seed;
  if (!deviceProfile.empty())
    llvm::outs() << " --device-profile='" << deviceProfile << "'";
  llvm::outs() << "\n";
  return tools::kExitDone;
}

static SurvivalOptions getSurvivalOptions(const char *program) {
  SurvivalOptions options;
  options.seed = seed;
  options.count = maxCases;
  options.maxSeconds = maxSeconds;
  options.maxDefects = maxDefects;
  options.command = {
      llvm::sys::fs::getMainExecutable(
          program, reinterpret_cast<void *>(&getSurvivalOptions)),
      getDamageOption(), "--output-dir=" + outputDirectory};
  // Most models are refused in less time than a child takes to start.
  bool isQuick = getDamage() == Damage::Model && !compileModels;
  options.casesPerChild = isQuick ? 2000 : 100;
  // What a case may take: models name sizes freely, and are untrusted.
  options.maxMegabytes = getDamage() == Damage::Model ? 2048 : 8192;
  if (compileModels)
    options.command.push_back("--compile-models");
  if (!selector.empty())
    options.command.push_back("--device=" + selector);
  if (!deviceProfile.empty())
    options.command.push_back("--device-profile=" + deviceProfile);
  if (validate)
    options.command.push_back("--validate");
  return options;
}

static int runTool(int argc, char **argv) {
  if (!dml::tools::parseCompilerCommandLine(
          argc, argv,
          "Draws programs of dml operators, runs them on a Vulkan device and "
          "compares with the interpreter\n",
          &category))
    return tools::kExitInvalid;

  for (const std::string &name : onlyOperators)
    if (!getOperators().find(name))
      return tools::emitToolError(
          "--operators names '" + name +
          "', but wants operators such as dml.padding; docs/operators has "
          "them all");

  // A program that fails is found late: there is to be a place for it.
  std::string error;
  if (replay.empty() &&
      !tools::checkOutput(outputDirectory + "/failure.mlir", error))
    return tools::emitToolError(error, tools::kExitNotWritten);

  if (isSpoiled() && writeCase)
    return Fuzzer(/*device=*/nullptr).writeSpoiled();
  bool isParent = isSpoiled() && !inProcess && replay.empty();
  // In a child and in a replay, a crash ends the process and shows its stack.
  if (!isSpoiled())
    llvm::CrashRecoveryContext::Enable();
  std::unique_ptr<Device> device;
  if (selector != "none" && !matrix && !numerics) {
    auto created = Device::create(
        {selector, deviceProfile, validate,
         [](CompilerOptions &options) { tuningOptions.copyTo(options); }});
    if (!created)
      return tools::emitToolError(llvm::toString(created.takeError()),
                                  tools::kExitNo);
    device = std::move(*created);
    tools::emitToolWarning(device->getWarning());
    llvm::errs() << "dml-fuzz: " << device->describe();
    if (replay.empty())
      llvm::errs() << ", from seed " << seed << " on";
    llvm::errs() << "\n";
  }
  // All children, and whoever runs a case again, compile for one profile.
  if (isParent && device)
    deviceProfile = device->getProfile();
  if (isParent)
    return runSurvival(getSurvivalOptions(argv[0]));
  Fuzzer fuzzer(device.get());
  if (!replay.empty())
    return fuzzer.runReplay();
  if (isSpoiled())
    return fuzzer.runSpoiled();
  if (matrix)
    return fuzzer.printMatrix();
  if (numerics)
    return fuzzer.printNumericsPage();
  return systematic ? fuzzer.runSystematic() : fuzzer.runRandom();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  int code = runTool(argc, argv);
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return code;
  std::string reason = llvm::outs().error().message();
  llvm::outs().clear_error();
  return tools::emitToolError("cannot write to standard output: " + reason,
                              tools::kExitNotWritten);
}
