//===- dml-check.cpp - Check a model on a device, step by step ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The bounds of a whole network's results are too wide to be of use, since they
// grow with each operator. This program therefore compiles the network so that
// the device also returns the results of the operators inside. The reference
// interpreter computes each operator again from the device's own operands, so
// that each result is compared with the bounds of a single operator.
//
// Operators whose results are returned are not fused. In a second step, the
// device therefore runs the program as it is compiled for users, and the
// interpreter evaluates the whole chain of operators from the model's inputs.
// Results with bounds that are too wide are compared with the interpreter's
// numbers.
//
//===----------------------------------------------------------------------===//

#include "dml/IR/DML.h"
#include "dml/Pipelines/Pipelines.h"
#include "dml/Reference/Interpreter.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Threading.h"
#include "support/CompilerCommandLine.h"
#include "support/Device.h"
#include "support/Module.h"
#include "support/ModuleFunction.h"
#include "support/Plural.h"
#include "support/Progress.h"
#include "support/ReferenceTensor.h"
#include "support/SizeOptions.h"
#include "support/ToolError.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <mutex>
#include <random>
#include <thread>

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
static dml::tools::SizeOptions sizeOptions(category);
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
                           "the device (default: the device's own profile)"),
                  cl::cat(category));
static cl::opt<bool> wholeProgram(
    "whole-program", cl::init(true),
    cl::desc("Run the program as it is compiled, too, without handing out what "
             "its operators compute, and compare its results with the "
             "interpreter's (true)"),
    cl::cat(category));
static cl::opt<double> nearness(
    "near", cl::init(0.1), cl::value_desc("R"),
    cl::desc("Results of the whole program whose bounds are too wide to judge "
             "them may be R of the output's largest magnitude from the "
             "interpreter's own numbers (0.1)"),
    cl::cat(category));
static cl::opt<bool>
    spoil("spoil-whole-program", cl::Hidden,
          cl::desc("For tests of this program: add 1 to the first element of "
                   "each result of the whole program"),
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
/// set, if numbers of the inputs' types cannot be drawn.
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
  /// The largest distance of an element from the number that the reference
  /// computes, relative to the distance that the bounds allow: 0 is no
  /// difference, and 1 is on a bound.
  double share = 0;
  /// The number of elements that were compared, and the number of those whose
  /// bounds admit any value.
  int64_t numElements = 0, numUnjudged = 0;

  bool isBlind() const { return numUnjudged && numUnjudged == numElements; }
};
} // namespace

/// Returns the largest distance of an element of `found` from the reference's
/// number, relative to the distance that the bounds allow.
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

/// Evaluates `value`, and first the values on which it depends and which the
/// device did not return.
static FailureOr<Estimate> evaluate(Value value, const Found &found,
                                    llvm::DenseMap<Value, Estimate> &known) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  if (auto it = found.find(value); it != found.end())
    return Estimate(it->second);
  Operation *op = value.getDefiningOp();
  SmallVector<Estimate, 4> operands;
  for (Value operand : reference::getUsedValues(op)) {
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
  for (Value operand : reference::getUsedValues(check.op)) {
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
    check.numElements += estimate.value.getNumElements();
    check.numUnjudged += reference::countUnjudged(estimate);
  }
}

/// Returns the operators whose results are compared: every Nth operator, and
/// the operators whose results the function returns.
static SmallVector<Operation *> selectOperators(func::FuncOp function) {
  SmallVector<Operation *> selected;
  Operation *terminator = function.front().getTerminator();
  unsigned count = 0;
  for (Operation &op : function.front().without_terminator()) {
    if (op.hasTrait<OpTrait::ConstantLike>() || isa<tensor::EmptyOp>(op) ||
        op.use_empty())
      continue;
    bool isReturned = llvm::is_contained(op.getUsers(), terminator);
    if (++count % every == 0 || isReturned)
      selected.push_back(&op);
  }
  return selected;
}

/// A module with `function` as @main.
static OwningOpRef<ModuleOp> isolate(ModuleOp module, func::FuncOp function,
                                     IRMapping &mapping) {
  OwningOpRef<ModuleOp> copy = ModuleOp::create(module.getLoc());
  auto main = cast<func::FuncOp>(function->clone(mapping));
  copy->push_back(main);
  main.setName("main");
  main.setPublic();
  return copy;
}

/// The same, which returns the results of `selected` instead of its own.
static OwningOpRef<ModuleOp> expose(ModuleOp module, func::FuncOp function,
                                    ArrayRef<Operation *> selected,
                                    SmallVectorImpl<Value> &exposed) {
  IRMapping mapping;
  OwningOpRef<ModuleOp> copy = isolate(module, function, mapping);
  auto main = *copy->getOps<func::FuncOp>().begin();
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

/// Says for which operators bounds admit anything.
static void reportUnjudged(ArrayRef<Check> checks) {
  for (const Check &check : checks)
    if (check.numUnjudged)
      llvm::outs() << describe(check.op) << ": " << check.numUnjudged << " of "
                   << tools::printCount(check.numElements, "element")
                   << " could not be judged: their bounds admit any number\n";
}

//===----------------------------------------------------------------------===//
// The whole program
//===----------------------------------------------------------------------===//

namespace {
/// The results of the interpreter, which evaluates one operator after the
/// other, beginning with the model's inputs.
struct Chain {
  std::vector<Estimate> results;
  /// The reason why the whole chain of operators has no bounds, or "".
  std::string reason;
  bool isKnown = false;
};

/// The comparison of an output of the whole program. An element is judged if
/// its bounds are narrower than the largest magnitude of the reference's
/// numbers.
struct Comparison {
  int64_t judged = 0, far = 0;
  /// The largest width of an element's bounds, which may be infinite, and the
  /// largest distance of an element from the reference's number.
  double width = 0, distance = 0;
  /// The largest magnitude of the reference's numbers.
  double largest = 0;

  /// `number` as a part of the largest magnitude.
  std::string print(double number) const {
    std::string text;
    llvm::raw_string_ostream os(text);
    double part = number == 0 ? 0 : number / largest;
    os << llvm::format("%.2g", part);
    return text;
  }
};
} // namespace

/// Evaluates `function` without bounds: each operator takes the reference's
/// numbers of its operands as if they were exact.
static FailureOr<std::vector<Estimate>>
evaluateValues(func::FuncOp function, ArrayRef<Tensor> inputs) {
  llvm::DenseMap<Value, Estimate> values;
  for (auto [argument, input] :
       llvm::zip_equal(function.getArguments(), inputs))
    values.try_emplace(argument, input);
  for (Operation &op : function.front()) {
    std::vector<Estimate> operands;
    for (Value operand : reference::getUsedValues(&op))
      operands.push_back(values.find(operand)->second);
    if (isa<func::ReturnOp>(op))
      return operands;
    auto results = reference::evaluate(&op, operands);
    if (failed(results))
      return failure();
    for (auto [value, result] : llvm::zip_equal(op.getResults(), *results))
      values.try_emplace(value, result.value);
  }
  return failure();
}

/// Bounds that admit anything, around the reference's own numbers.
static FailureOr<Estimate> forgetBounds(const Estimate &estimate) {
  const Tensor &value = estimate.value;
  FailureOr<Tensor> lower =
                        Tensor::create(value.getDataType(), value.getShape()),
                    upper =
                        Tensor::create(value.getDataType(), value.getShape());
  if (failed(lower) || failed(upper))
    return failure();
  // Integers saturate.
  for (int64_t i = 0; i < value.getNumElements(); ++i) {
    lower->setNumber(i, -HUGE_VAL);
    upper->setNumber(i, HUGE_VAL);
  }
  return Estimate(value, *lower, *upper);
}

/// Interprets the whole function. If an operator cannot be evaluated for
/// operands with such wide bounds, the results have numbers without bounds.
static Chain interpretChain(func::FuncOp function, ArrayRef<Tensor> inputs) {
  Chain chain;
  uint64_t thread = llvm::get_threadid();
  {
    // Other threads check operators meanwhile, and report their own errors.
    ScopedDiagnosticHandler handler(function.getContext(),
                                    [&](Diagnostic &diagnostic) {
                                      if (llvm::get_threadid() != thread)
                                        return failure();
                                      if (chain.reason.empty())
                                        chain.reason = diagnostic.str();
                                      return success();
                                    });
    auto results = reference::interpret(function, inputs);
    if (succeeded(results)) {
      chain.results = std::move(*results);
      chain.isKnown = true;
      chain.reason.clear();
      return chain;
    }
  }
  auto values = evaluateValues(function, inputs);
  if (failed(values))
    return chain;
  for (const Estimate &value : *values) {
    FailureOr<Estimate> unbounded = forgetBounds(value);
    if (failed(unbounded))
      return chain;
    chain.results.push_back(std::move(*unbounded));
  }
  chain.isKnown = true;
  return chain;
}

/// Returns the width of an element's bounds: 0 if they are one number or NaN,
/// and infinity if they admit any value.
static double getWidth(const Estimate &wanted, int64_t index) {
  if (reference::admitsAnything(wanted, index))
    return HUGE_VAL;
  double low = wanted.lower.getNumber(index),
         high = wanted.upper.getNumber(index);
  return low == high || std::isnan(low) ? 0 : high - low;
}

/// Compares an output with the reference's numbers and its bounds' widths.
static Comparison compare(const Estimate &wanted, const Tensor &found) {
  Comparison comparison;
  int64_t count = found.getNumElements();
  for (int64_t i = 0; i < count; ++i)
    if (double number = std::fabs(wanted.value.getNumber(i));
        std::isfinite(number))
      comparison.largest = std::max(comparison.largest, number);
  bool isFloat = llvm::is_contained(
      {DataType::FLOAT16, DataType::FLOAT32, DataType::FLOAT64},
      found.getDataType());
  double allowed = isFloat ? nearness * comparison.largest : 0;
  for (int64_t i = 0; i < count; ++i) {
    double value = wanted.value.getNumber(i), number = found.getNumber(i);
    bool isSame = value == number || (std::isnan(value) && std::isnan(number));
    double distance = isSame ? 0
                      : std::isnan(number) || std::isnan(value)
                          ? HUGE_VAL
                          : std::fabs(value - number);
    double width = getWidth(wanted, i);
    comparison.distance = std::max(comparison.distance, distance);
    comparison.width = std::max(comparison.width, width);
    if (width == 0 || width < comparison.largest)
      ++comparison.judged;
    else
      comparison.far += !(distance <= allowed);
  }
  return comparison;
}

/// Reports on the outputs of the whole program.
static ExitCode reportWhole(const Chain &chain, ArrayRef<Tensor> outputs,
                            const tools::FunctionSignature &signature) {
  if (!chain.isKnown)
    return emitToolError("the whole program could not be compared: the "
                         "interpreter says: " +
                             chain.reason,
                         tools::kExitUndecided);
  llvm::outs() << "whole program, as compiled, from the model's inputs\n";
  if (!chain.reason.empty())
    llvm::outs() << "there are no bounds of the whole chain: " << chain.reason
                 << "\n";
  ExitCode code = tools::kExitDone;
  std::string errors;
  for (auto [wanted, found, parameter] :
       llvm::zip_equal(chain.results, outputs, signature.outputs)) {
    std::string name = "output '" + parameter.name + "'";
    auto mismatch = fuzz::describeMismatch({wanted}, {found});
    Comparison comparison = compare(wanted, found);
    llvm::outs() << name << ": " << comparison.judged << " of "
                 << tools::printCount(found.getNumElements(), "element")
                 << " judged, by bounds "
                 << (std::isinf(comparison.width)
                         ? "without limit"
                         : "up to " + comparison.print(comparison.width) +
                               " of the largest magnitude wide")
                 << "; at most " << comparison.print(comparison.distance)
                 << " of the largest magnitude from the interpreter's own "
                    "numbers"
                 << (mismatch ? "; WRONG" : "") << "\n";
    auto fail = [&](const Twine &message, ExitCode kind) {
      errors += (errors.empty() ? "" : "; ") +
                ("the whole program's " + name + " " + message).str();
      code = code == tools::kExitNo ? code : kind;
    };
    if (mismatch) {
      StringRef text(*mismatch);
      text.consume_front("result 0 ");
      fail(text, tools::kExitNo);
    }
    if (comparison.far)
      fail("has " + Twine(comparison.far) + " of " +
               tools::printCount(found.getNumElements(), "element") +
               " that could not be judged, since their bounds are too wide, "
               "and are "
               "further from the interpreter's own numbers than --near allows",
           tools::kExitUndecided);
  }
  llvm::outs().flush();
  return errors.empty() ? code : emitToolError(errors, code);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Runs `module` on the device. Fails, after reporting the error, if this is
/// impossible.
static FailureOr<SmallVector<Tensor>>
execute(fuzz::Device &device, ModuleOp module, ArrayRef<Tensor> inputs,
        StringRef what, tools::Progress &progress) {
  progress.begin(("compiling and running " + what).str());
  fuzz::Outcome outcome{fuzz::Outcome::Failed, ""};
  auto outputs = device.execute(module, inputs, outcome);
  progress.clear();
  if (failed(outputs))
    emitToolError(what + ": " + outcome.message, tools::kExitNo);
  return outputs;
}

/// Checks all operators, and interprets the whole chain meanwhile.
static void checkAll(func::FuncOp function, ArrayRef<Tensor> inputs,
                     const Found &found, MutableArrayRef<Check> checks,
                     Chain &chain, tools::Progress &progress) {
  MLIRContext *context = function.getContext();
  std::thread interpreting;
  auto interpret = [&] { chain = interpretChain(function, inputs); };
  if (wholeProgram && context->isMultithreadingEnabled())
    interpreting = std::thread(interpret);
  std::mutex mutex;
  size_t numDone = 0;
  parallelForEach(context, checks, [&](Check &one) {
    check(one, found);
    std::lock_guard<std::mutex> lock(mutex);
    progress.begin("comparing operator " + std::to_string(++numDone) + " of " +
                   std::to_string(checks.size()));
  });
  progress.begin("interpreting the whole program");
  if (interpreting.joinable())
    interpreting.join();
  else if (wholeProgram)
    interpret();
  progress.clear();
}

/// Says which operators are wrong, or could not be judged at all.
static ExitCode judge(ArrayRef<Check> checks) {
  ExitCode code = tools::kExitDone;
  for (const Check &check : checks)
    if (!check.defect.empty())
      code = emitToolError(describe(check.op) + ": " + check.defect,
                           tools::kExitNo);
  for (const Check &check : checks)
    if (check.defect.empty() && check.isBlind() && code == tools::kExitDone)
      code = emitToolError(describe(check.op) + ": nothing could be judged",
                           tools::kExitUndecided);
  return code;
}

/// Runs and compares `function`, as its operators and as a whole.
static ExitCode checkFunction(ModuleOp module, func::FuncOp function,
                              ArrayRef<Tensor> inputs, fuzz::Device &device) {
  tools::Progress progress(DML_TOOL);
  SmallVector<Operation *> selected = selectOperators(function);
  SmallVector<Value> exposed;
  OwningOpRef<ModuleOp> copy = expose(module, function, selected, exposed);
  auto outputs =
      execute(device, *copy, inputs,
              tools::printCount(selected.size(), "operator"), progress);
  if (failed(outputs))
    return tools::kExitNo;
  Found found;
  for (auto [argument, input] :
       llvm::zip_equal(function.getArguments(), inputs))
    found.try_emplace(argument, input);
  for (auto [value, output] : llvm::zip_equal(exposed, *outputs))
    found.try_emplace(value, std::move(output));
  FailureOr<SmallVector<Tensor>> results = SmallVector<Tensor>();
  if (wholeProgram) {
    IRMapping mapping;
    OwningOpRef<ModuleOp> whole = isolate(module, function, mapping);
    results = execute(device, *whole, inputs, "the whole program", progress);
    if (failed(results))
      return tools::kExitNo;
    if (spoil)
      for (Tensor &result : *results)
        result.setNumber(0, result.getNumber(0) + 1);
  }

  auto checks = llvm::map_to_vector(selected, [](Operation *op) {
    return Check{op, "", 0};
  });
  Chain chain;
  checkAll(function, inputs, found, checks, chain, progress);
  llvm::outs() << "device: " << device.describe() << "\n";
  report(checks);
  reportUnjudged(checks);
  llvm::outs().flush();
  ExitCode code = judge(checks);
  if (!wholeProgram)
    return code;
  ExitCode whole = reportWhole(chain, *results, tools::describe(function));
  return code == tools::kExitDone || whole == tools::kExitNo ? whole : code;
}

/// `absent` are the inputs of the model that the function lacks.
static ExitCode run(ModuleOp module,
                    const std::vector<tools::AbsentInput> &absent) {
  if (every == 0)
    return emitToolError("--every takes a number from 1 on");
  if (!(nearness >= 0))
    return emitToolError("--near takes a number from 0 on");
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
                          inputOptions, tools::describe(function, absent),
                          tools::PictureOptions(), error);
  if (!inputs)
    return emitToolError(error);
  if (selectOperators(function).empty())
    return emitToolError("function '" + function.getName() +
                         "' has no operators to compare");
  fuzz::Device::Options options;
  options.selector = selector;
  options.deviceProfile = deviceProfile;
  auto device = fuzz::Device::create(options);
  if (!device)
    return emitToolError(llvm::toString(device.takeError()), tools::kExitNo);
  tools::emitToolWarning((*device)->getWarning());
  return checkFunction(module, function, *inputs, **device);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  if (!tools::parseCompilerCommandLine(
          argc, argv,
          "Checks a model on a device, operator by operator and as a whole.\n\n"
          "The device runs the model and hands out what its operators compute "
          "on the way.\nThe reference interpreter computes each operator again "
          "from the device's own\noperands, and compares within the operator's "
          "bound (docs/Reference.md). Then the device runs the program as it "
          "is "
          "compiled\nwithout handing out anything, and the interpreter the "
          "whole "
          "chain from the\nmodel's inputs.\n\n"
          "  dml-check model.onnx --dim=batch=1\n",
          &category))
    return tools::kExitInvalid;

  DialectRegistry registry;
  registerCompilerDialects(registry);
  MLIRContext context(registry);
  tools::Console console(DML_TOOL, &context);
  if (std::string error; !sizeOptions.takeShapesOf(inputOptions, error))
    return emitToolError(error);
  std::vector<tools::AbsentInput> absent;
  tools::LoadOptions load;
  load.absent = &absent;
  auto module = tools::loadModule(console, file, sizeOptions.get(),
                                  ParserConfig(&context), load);
  console.progress.clear();
  return module ? run(*module, absent) : tools::kExitInvalid;
}
