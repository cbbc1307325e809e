//===- dml-check.cpp - Check a model on a device, step by step ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Bounds for a whole network say nothing, because they grow with each operator.
// This program has the device hand out what its operators compute on the way,
// and the reference interpreter computes each operator again from the device's
// own operands. An operator is so held to its own bound, however deep it lies.
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "dml/IR/DML.h"
#include "dml/Pipelines/Pipelines.h"
#include "dml/Reference/Interpreter.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Threading.h"
#include "support/CompilerCommandLine.h"
#include "support/Module.h"
#include "support/Plural.h"
#include "support/Progress.h"
#include "support/ReferenceTensor.h"
#include "support/ToolError.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <mutex>
#include <random>

using namespace mlir;
using namespace dml;
using dml::reference::Estimate;
using dml::reference::Tensor;
using dml::tools::emitToolError;
using dml::tools::ExitCode;
namespace cl = llvm::cl;

static cl::OptionCategory category("dml-check");
static cl::opt<std::string>
    file(cl::Positional, cl::Required,
         cl::desc("FILE.mlir, FILE.onnx, or - for standard input"),
         cl::cat(category));
static cl::list<std::string>
    inputOptions("input", cl::value_desc("[NAME=]@FILE.npy|TYPE=VALUES"),
                 cl::desc("An input, in order or by name. Without any, numbers "
                          "are drawn: -1 to 1 for floating-point inputs, 0 to "
                          "9 for integers"),
                 cl::cat(category));
static cl::opt<unsigned> seed("seed", cl::init(1), cl::value_desc("N"),
                              cl::desc("Where the drawn inputs begin (1)"),
                              cl::cat(category));
static cl::list<std::string>
    dimensions("dim", cl::value_desc("NAME=SIZE"),
               cl::desc("The size of a symbolic dimension of an ONNX model"),
               cl::cat(category));
static cl::opt<std::string> functionName("function", cl::init(""),
                                         cl::desc("The function to check "
                                                  "(main, or the only one)"),
                                         cl::cat(category));
static cl::opt<unsigned>
    every("every", cl::init(1), cl::value_desc("N"),
          cl::desc("Compare after every Nth operator (1). Operators between "
                   "may be fused; bounds are those of all N together"),
          cl::cat(category));
static cl::opt<std::string>
    selector("device", cl::value_desc("device"),
             cl::desc("A device's number or a part of its name, as for "
                      "dml-run"),
             cl::cat(category));
static cl::opt<std::string>
    deviceProfile("device-profile", cl::value_desc("profile"),
                  cl::desc("Compile for this profile, and enable no more of "
                           "the device (all that it has)"),
                  cl::cat(category));
static cl::opt<bool>
    verbose("verbose",
            cl::desc("Print a line for each operator that is "
                     "compared, not for each kind of operator"),
            cl::cat(category));

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Draws numbers for the inputs of `function`. Returns nothing, with `error`
/// set, where they cannot be drawn.
static std::optional<SmallVector<Tensor>> drawInputs(func::FuncOp function,
                                                     std::string &error) {
  SmallVector<Tensor> inputs;
  // The engine's numbers are the same everywhere; a distribution's are not.
  std::mt19937 engine(seed);
  for (Type type : function.getArgumentTypes()) {
    auto tensorType = dyn_cast<RankedTensorType>(type);
    std::optional<DataType> dataType;
    if (tensorType && tensorType.hasStaticShape())
      dataType = getDataType(tensorType.getElementType());
    if (!dataType) {
      error = "an input of a type that DirectML does not have cannot be drawn";
      return std::nullopt;
    }
    FailureOr<Tensor> input = Tensor::create(*dataType, tensorType.getShape());
    if (failed(input)) {
      error = "there is no memory for an input";
      return std::nullopt;
    }
    bool isFloat = isa<FloatType>(tensorType.getElementType());
    for (int64_t i = 0; i < input->getNumElements(); ++i) {
      uint32_t bits = engine() >> 8;
      input->setNumber(i, isFloat ? bits / 8388608.0 - 1 : bits % 10);
    }
    inputs.push_back(std::move(*input));
  }
  return inputs;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

namespace {
/// The values that the device hands out.
using Found = llvm::DenseMap<Value, Tensor>;

/// The outcome of checking one operator.
struct Check {
  Operation *op;
  /// The defect, empty where the operator is right.
  std::string defect;
  /// The largest distance from the reference's own number, as a part of the
  /// distance that the bounds allow: 1 is on a bound, 0 is no difference.
  double share = 0;
};
} // namespace

/// The largest share of the distance that the bounds allow which the device's
/// result uses.
static double getShare(const Estimate &wanted, const Tensor &found) {
  double share = 0;
  for (int64_t i = 0; i < found.getNumElements(); ++i) {
    double value = wanted.value.getNumber(i), number = found.getNumber(i);
    double room = number < value ? value - wanted.lower.getNumber(i)
                                 : wanted.upper.getNumber(i) - value;
    double distance = std::fabs(number - value);
    if (distance > 0 && room > 0 && std::isfinite(room))
      share = std::max(share, distance / room);
  }
  return share;
}

/// Evaluates `value`, and what it needs that the device did not hand out.
static FailureOr<Estimate> evaluate(Value value, const Found &found,
                                    llvm::DenseMap<Value, Estimate> &known) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  if (auto it = found.find(value); it != found.end())
    return Estimate(it->second);
  Operation *op = value.getDefiningOp();
  SmallVector<Estimate, 4> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<Estimate> estimate = evaluate(operand, found, known);
    if (failed(estimate))
      return failure();
    operands.push_back(std::move(*estimate));
  }
  auto results = reference::evaluate(op, operands);
  if (failed(results))
    return failure();
  for (auto [result, estimate] : llvm::zip_equal(op->getResults(), *results))
    known.try_emplace(result, estimate);
  return known.find(value)->second;
}

static void check(Check &check, const Found &found) {
  llvm::DenseMap<Value, Estimate> known;
  SmallVector<Estimate, 4> operands;
  for (Value operand : check.op->getOperands()) {
    FailureOr<Estimate> estimate = evaluate(operand, found, known);
    if (failed(estimate)) {
      check.defect = "the reference cannot compute an operand";
      return;
    }
    operands.push_back(std::move(*estimate));
  }
  auto wanted = reference::evaluate(check.op, operands);
  if (failed(wanted)) {
    check.defect = "the reference cannot compute it";
    return;
  }
  for (auto [result, estimate] :
       llvm::zip_equal(check.op->getResults(), *wanted)) {
    auto it = found.find(result);
    if (it == found.end())
      continue;
    if (auto mismatch = fuzz::describeMismatch(estimate, it->second)) {
      check.defect = *mismatch;
      return;
    }
    check.share = std::max(check.share, getShare(estimate, it->second));
  }
}

/// The operators whose results are compared: every Nth, and those that the
/// function returns.
static SmallVector<Operation *> selectOperators(func::FuncOp function) {
  SmallVector<Operation *> selected;
  Operation *terminator = function.front().getTerminator();
  unsigned count = 0;
  for (Operation &op : function.front().without_terminator()) {
    if (op.hasTrait<OpTrait::ConstantLike>() || op.use_empty())
      continue;
    bool isReturned = llvm::is_contained(op.getUsers(), terminator);
    if (++count % every == 0 || isReturned)
      selected.push_back(&op);
  }
  return selected;
}

/// A module with `function` as @main, which returns the results of `selected`
/// instead of its own.
static OwningOpRef<ModuleOp> expose(ModuleOp module, func::FuncOp function,
                                    ArrayRef<Operation *> selected,
                                    SmallVectorImpl<Value> &exposed) {
  OwningOpRef<ModuleOp> copy = ModuleOp::create(module.getLoc());
  IRMapping mapping;
  auto main = cast<func::FuncOp>(function->clone(mapping));
  copy->push_back(main);
  main.setName("main");
  main.setPublic();
  SmallVector<Value> results;
  for (Operation *op : selected)
    for (Value result : op->getResults())
      if (!result.use_empty()) {
        exposed.push_back(result);
        results.push_back(mapping.lookup(result));
      }
  main.front().getTerminator()->setOperands(results);
  main.setFunctionType(FunctionType::get(main.getContext(),
                                         main.getArgumentTypes(),
                                         ValueRange(results).getTypes()));
  main.removeResAttrsAttr();
  return copy;
}

static std::string describe(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << op->getName();
  Location loc = op->getLoc();
  if (auto name = dyn_cast<NameLoc>(loc))
    os << " '" << name.getName().getValue() << "'";
  else if (!isa<UnknownLoc>(loc))
    os << " at " << loc;
  return text;
}

static void report(ArrayRef<Check> checks) {
  if (verbose) {
    for (const Check &check : checks)
      llvm::outs() << (check.defect.empty() ? "right  " : "WRONG  ")
                   << llvm::format("%6.3f  ", check.share) << describe(check.op)
                   << "\n";
    return;
  }
  struct Row {
    unsigned count = 0, wrong = 0;
    double share = 0;
  };
  llvm::MapVector<StringRef, Row> rows;
  size_t width = 8;
  for (const Check &check : checks) {
    Row &row = rows[check.op->getName().getStringRef()];
    ++row.count;
    row.wrong += !check.defect.empty();
    row.share = std::max(row.share, check.share);
    width = std::max(width, check.op->getName().getStringRef().size());
  }
  llvm::outs() << llvm::left_justify("operator", width)
               << "  compared  wrong  of the bound\n";
  for (auto &[name, row] : rows)
    llvm::outs() << llvm::left_justify(name, width)
                 << llvm::format("  %8u  %5u  %12.3f\n", row.count, row.wrong,
                                 row.share);
}

static ExitCode run(ModuleOp module) {
  if (every == 0)
    return emitToolError("--every takes a number from 1 on");
  std::string error;
  func::FuncOp function = tools::findFunction(module, functionName, error);
  if (!function)
    return emitToolError(error);
  if (!function.getBody().hasOneBlock())
    return emitToolError("function '" + function.getName() +
                         "' has control flow or no body: neither compiles");
  auto inputs = inputOptions.empty()
                    ? drawInputs(function, error)
                    : tools::readReferenceInputs(
                          inputOptions, tools::describe(function), error);
  if (!inputs)
    return emitToolError(error);
  SmallVector<Operation *> selected = selectOperators(function);
  if (selected.empty())
    return emitToolError("function '" + function.getName() +
                         "' has no operators to compare");

  tools::Progress progress(DML_TOOL);
  fuzz::Device::Options options;
  options.selector = selector;
  options.deviceProfile = deviceProfile;
  auto device = fuzz::Device::create(options);
  if (!device)
    return emitToolError(llvm::toString(device.takeError()), tools::kExitNo);
  SmallVector<Value> exposed;
  OwningOpRef<ModuleOp> copy = expose(module, function, selected, exposed);
  progress.begin("compiling and running " +
                 tools::printCount(selected.size(), "operator"));
  fuzz::Outcome outcome{fuzz::Outcome::Failed, ""};
  auto outputs = (*device)->execute(*copy, *inputs, outcome);
  progress.clear();
  if (failed(outputs))
    return emitToolError(outcome.message, tools::kExitNo);

  Found found;
  for (auto [argument, input] :
       llvm::zip_equal(function.getArguments(), *inputs))
    found.try_emplace(argument, input);
  for (auto [value, output] : llvm::zip_equal(exposed, *outputs))
    found.try_emplace(value, std::move(output));
  auto checks = llvm::map_to_vector(selected, [](Operation *op) {
    return Check{op, "", 0};
  });
  std::mutex mutex;
  size_t numDone = 0;
  parallelForEach(module.getContext(), checks, [&](Check &one) {
    check(one, found);
    std::lock_guard<std::mutex> lock(mutex);
    progress.begin("comparing operator " + std::to_string(++numDone) + " of " +
                   std::to_string(selected.size()));
  });
  progress.clear();

  llvm::outs() << "device: " << (*device)->describe() << "\n";
  report(checks);
  llvm::outs().flush();
  ExitCode code = tools::kExitDone;
  for (const Check &check : checks)
    if (!check.defect.empty())
      code = emitToolError(describe(check.op) + ": " + check.defect,
                           tools::kExitNo);
  return code;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  if (!tools::parseCompilerCommandLine(
          argc, argv,
          "Checks a model on a device, operator by operator.\n\n"
          "The device runs the model and hands out what its operators compute "
          "on the way.\nThe reference interpreter computes each operator again "
          "from the device's own\noperands, and compares within the operator's "
          "bound (docs/Reference.md).\n\n"
          "  dml-check model.onnx --dim=batch=1\n",
          &category))
    return tools::kExitInvalid;

  DialectRegistry registry;
  registerCompilerDialects(registry);
  MLIRContext context(registry);
  tools::Console console(DML_TOOL, &context);
  auto module =
      tools::loadModule(console, file, dimensions, ParserConfig(&context));
  console.progress.clear();
  return module ? run(*module) : tools::kExitInvalid;
}
