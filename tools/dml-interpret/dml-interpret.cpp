//===- dml-interpret.cpp - Run a function without a device ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The counterpart of dml-run, with the same inputs and outputs, that computes
// with the reference interpreter.
//
//===----------------------------------------------------------------------===//

#include "dml/IR/DML.h"
#include "dml/Reference/Interpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "support/Npy.h"
#include "support/TensorLiteral.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace mlir;
using namespace dml;
using dml::reference::Tensor;
using dml::tools::HostTensor;
namespace cl = llvm::cl;

static cl::OptionCategory category("dml-interpret");
static cl::opt<std::string> file(cl::Positional, cl::Required,
                                 cl::desc("FILE.mlir"), cl::cat(category));
static cl::list<std::string>
    inputOptions("input", cl::value_desc("[NAME=]@FILE.npy|TYPE=VALUES"),
                 cl::desc("An input, in order or by name"), cl::cat(category));
static cl::list<std::string>
    outputOptions("output", cl::value_desc("[NAME=]@FILE.npy"),
                  cl::desc("Where an output goes, in order or by name; the "
                           "others are printed"),
                  cl::cat(category));
static cl::opt<std::string> functionName("function", cl::init(""),
                                         cl::desc("The function to run (main, "
                                                  "or the only one)"),
                                         cl::cat(category));

/// Prints an error of this tool.
static LogicalResult emitToolError(const Twine &message) {
  llvm::errs() << "dml-interpret: " << message << "\n";
  return failure();
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> convert(const HostTensor &host) {
  SmallVector<int64_t> shape(host.sizes.begin(), host.sizes.end());
  // Both enums have DirectML's values.
  std::optional<DataType> dataType = symbolizeDataType(host.dataType);
  if (!dataType)
    return emitToolError("an input has no data type");
  FailureOr<Tensor> tensor = Tensor::create(*dataType, shape);
  if (failed(tensor) || tensor->getNumBytes() != host.data.size())
    return emitToolError("there is no memory for an input");
  std::memcpy(tensor->getData(), host.data.data(), host.data.size());
  return tensor;
}

static HostTensor convert(const Tensor &tensor) {
  HostTensor host;
  host.dataType = static_cast<DmlDataType>(tensor.getDataType());
  host.sizes.assign(tensor.getShape().begin(), tensor.getShape().end());
  host.data.assign(tensor.getData(), tensor.getData() + tensor.getNumBytes());
  return host;
}

/// What the options say of each tensor: those with a name go to the tensor of
/// that name, the others to the tensors left, in order.
static FailureOr<SmallVector<std::optional<std::string>>>
assign(ArrayRef<std::string> options, ArrayRef<std::string> names,
       StringRef what) {
  SmallVector<std::optional<std::string>> result(names.size());
  SmallVector<StringRef> unnamed;
  for (StringRef option : options) {
    auto [name, value] = option.split('=');
    DmlDataType dataType;
    std::vector<uint32_t> sizes;
    if (option.starts_with("@") || name.size() == option.size() ||
        dml::tools::parseType(std::string_view(name), dataType, sizes)) {
      unnamed.push_back(option);
      continue;
    }
    auto found = llvm::find(names, name);
    if (found == names.end())
      return emitToolError("there is no " + what + " '" + name + "'");
    result[found - names.begin()] = value.str();
  }
  auto next = result.begin();
  for (StringRef value : unnamed) {
    next = std::find(next, result.end(), std::nullopt);
    if (next == result.end())
      return emitToolError("there are " + Twine(options.size()) + " --" + what +
                           "s, but the function has " + Twine(names.size()) +
                           " " + what + "s");
    *next = value.str();
  }
  return result;
}

static FailureOr<Tensor> readInput(const std::string &value, StringRef name) {
  std::string error;
  std::optional<HostTensor> host =
      StringRef(value).starts_with("@")
          ? dml::tools::readNpy(value.substr(1), error)
          : dml::tools::parseLiteral(value, error);
  if (!host)
    return emitToolError("input '" + name + "': " + error);
  return convert(*host);
}

static LogicalResult writeOutput(const Tensor &output, StringRef name,
                                 const std::optional<std::string> &value) {
  HostTensor host = convert(output);
  if (!value) {
    llvm::outs() << "%" << name << ": " << dml::tools::describeType(host)
                 << "\n"
                 << dml::tools::printElements(host) << "\n";
    return success();
  }
  if (!StringRef(*value).starts_with("@"))
    return emitToolError("--output=" + *value + ": wanted is @FILE.npy");
  std::string error;
  if (!dml::tools::writeNpy(value->substr(1), host, error))
    return emitToolError(error);
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The name of an argument or result: `dml.name`, or its kind and number.
static std::string getName(DictionaryAttr attributes, StringRef kind,
                           unsigned index) {
  if (attributes)
    if (auto name = attributes.getAs<StringAttr>(nameAttrName))
      return name.str();
  return (kind + Twine(index)).str();
}

static FailureOr<func::FuncOp> findFunction(ModuleOp module) {
  auto functions = llvm::to_vector(module.getOps<func::FuncOp>());
  StringRef name = functionName.empty() ? "main" : StringRef(functionName);
  for (func::FuncOp function : functions)
    if (function.getName() == name ||
        (functionName.empty() && functions.size() == 1))
      return function;
  return emitToolError("there is no function '" + name + "'");
}

static LogicalResult run(ModuleOp module) {
  FailureOr<func::FuncOp> function = findFunction(module);
  if (failed(function))
    return failure();
  SmallVector<std::string> inputNames, outputNames;
  for (unsigned i = 0; i < function->getNumArguments(); ++i)
    inputNames.push_back(getName(function->getArgAttrDict(i), "input", i));
  for (unsigned i = 0; i < function->getNumResults(); ++i)
    outputNames.push_back(getName(function->getResultAttrDict(i), "output", i));
  auto inputValues = assign(inputOptions, inputNames, "input");
  auto outputValues = assign(outputOptions, outputNames, "output");
  if (failed(inputValues) || failed(outputValues))
    return failure();

  SmallVector<Tensor> inputs;
  for (auto [name, value] : llvm::zip_equal(inputNames, *inputValues)) {
    if (!value)
      return emitToolError("input '" + name + "' is missing");
    FailureOr<Tensor> input = readInput(*value, name);
    if (failed(input))
      return failure();
    inputs.push_back(std::move(*input));
  }
  auto outputs = reference::interpret(*function, inputs);
  if (failed(outputs))
    return failure();
  for (auto [name, value, output] :
       llvm::zip_equal(outputNames, *outputValues, *outputs))
    if (failed(writeOutput(output, name, value)))
      return failure();
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv, "Runs a function of dml operators without a device\n");

  DialectRegistry registry;
  registry.insert<DMLDialect, arith::ArithDialect, func::FuncDialect,
                  tensor::TensorDialect>();
  MLIRContext context(registry);
  std::string error;
  auto buffer = openInputFile(file, &error);
  if (!buffer) {
    (void)emitToolError(error);
    return EXIT_FAILURE;
  }
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(*sources, &context);
  auto module = parseSourceFile<ModuleOp>(sources, &context);
  return module && succeeded(run(*module)) ? EXIT_SUCCESS : EXIT_FAILURE;
}
