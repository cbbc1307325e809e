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
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "support/Arguments.h"
#include "support/CompilerCommandLine.h"
#include "support/Module.h"
#include "support/ToolError.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace mlir;
using namespace dml;
using dml::reference::Tensor;
using dml::tools::ExitCode;
using dml::tools::HostTensor;
namespace cl = llvm::cl;

static cl::OptionCategory category("dml-interpret");
static cl::opt<std::string> file(cl::Positional, cl::Required,
                                 cl::desc("FILE.mlir, FILE.onnx, or - for "
                                          "standard input"),
                                 cl::cat(category));
static cl::list<std::string>
    inputOptions("input", cl::value_desc("[NAME=]@FILE.npy|TYPE=VALUES"),
                 cl::desc("An input, in order or by name"), cl::cat(category));
static cl::list<std::string>
    outputOptions("output", cl::value_desc("[NAME=]@FILE.npy"),
                  cl::desc("Where an output goes, in order or by name; the "
                           "others are printed"),
                  cl::cat(category));
static cl::opt<bool>
    printAll("print-all",
             cl::desc("Print all elements of large results, not their first "
                      "and last three in each dimension"),
             cl::cat(category));
static cl::list<std::string> expectedOptions(
    "expected", cl::value_desc("[NAME=]@FILE.npy|TYPE=VALUES"),
    cl::desc("Compare an output with this instead of printing it; the exit "
             "code is 1 where they differ"),
    cl::cat(category));
static cl::opt<double>
    relativeTolerance("rtol", cl::value_desc("R"), cl::init(0),
                      cl::desc("A difference may be atol + R * |expected|"),
                      cl::cat(category));
static cl::opt<double> absoluteTolerance("atol", cl::value_desc("A"),
                                         cl::init(0),
                                         cl::desc("The same's absolute part"),
                                         cl::cat(category));
static cl::list<std::string>
    dimensions("dim", cl::value_desc("NAME=SIZE"),
               cl::desc("The size of a symbolic dimension of an ONNX model"),
               cl::cat(category));
static cl::opt<std::string> functionName("function", cl::init(""),
                                         cl::desc("The function to run (main, "
                                                  "or the only one)"),
                                         cl::cat(category));

/// How this program ends where it fails.
static ExitCode exitCode = tools::kExitInvalid;

/// Prints an error of this tool, for which it ends with `code`.
static LogicalResult emitToolError(const Twine &message,
                                   ExitCode code = tools::kExitInvalid) {
  tools::emitToolError() << message << "\n";
  exitCode = code;
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
  if (failed(tensor) || tensor->getNumPackedBytes() != host.data.size())
    return emitToolError("there is no memory for an input");
  tensor->unpack(
      {reinterpret_cast<const char *>(host.data.data()), host.data.size()});
  return tensor;
}

static HostTensor convert(const Tensor &tensor) {
  HostTensor host;
  host.dataType = static_cast<DmlDataType>(tensor.getDataType());
  host.sizes.assign(tensor.getShape().begin(), tensor.getShape().end());
  std::vector<char> bytes = tensor.pack();
  host.data.assign(bytes.begin(), bytes.end());
  return host;
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

/// The type as in --input: "2x3xf32"; as MLIR has it where it is none of
/// these.
static std::string describeType(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() ||
      !getDataType(tensor.getElementType())) {
    os << type;
    return text;
  }
  for (int64_t size : tensor.getShape())
    os << size << "x";
  os << stringifyDataType(*getDataType(tensor.getElementType()));
  return text;
}

static dml::tools::FunctionSignature describe(func::FuncOp function) {
  dml::tools::FunctionSignature signature{function.getName().str(), {}, {}};
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    signature.inputs.push_back(
        {getName(function.getArgAttrDict(index), "input", index),
         describeType(type)});
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    signature.outputs.push_back(
        {getName(function.getResultAttrDict(index), "output", index),
         describeType(type)});
  return signature;
}

static LogicalResult run(ModuleOp module) {
  FailureOr<func::FuncOp> function = findFunction(module);
  if (failed(function))
    return failure();
  dml::tools::FunctionSignature signature = describe(*function);
  std::string error;
  auto files = dml::tools::readOutputs(outputOptions, signature, error);
  if (!files)
    return emitToolError(error);
  auto hostInputs = dml::tools::readInputs(inputOptions, signature, error);
  if (!hostInputs)
    return emitToolError(error);

  auto expected = dml::tools::readExpected(expectedOptions, signature, error);
  if (!expected)
    return emitToolError(error);
  if (!(relativeTolerance >= 0) || !(absoluteTolerance >= 0))
    return emitToolError("--rtol and --atol take numbers from 0 on");

  SmallVector<Tensor> inputs;
  for (const HostTensor &host : *hostInputs) {
    FailureOr<Tensor> input = convert(host);
    if (failed(input))
      return failure();
    inputs.push_back(std::move(*input));
  }
  auto outputs = reference::interpretValues(*function, inputs);
  if (failed(outputs)) {
    exitCode = tools::kExitNo;
    return failure();
  }
  std::vector<HostTensor> hostOutputs;
  for (const Tensor &output : *outputs)
    hostOutputs.push_back(convert(output));
  if (!dml::tools::writeOutputs(*files, *expected, signature, hostOutputs,
                                printAll, error))
    return emitToolError(error, tools::kExitNotWritten);
  std::string difference =
      dml::tools::compareOutputs(*expected, signature, hostOutputs,
                                 {relativeTolerance, absoluteTolerance});
  if (!difference.empty())
    return emitToolError(difference, tools::kExitNo);
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  if (!tools::parseCompilerCommandLine(
          argc, argv, "Runs a function of dml operators without a device\n",
          &category))
    return tools::kExitInvalid;

  DialectRegistry registry;
  registry.insert<DMLDialect, arith::ArithDialect, func::FuncDialect,
                  linalg::LinalgDialect, tensor::TensorDialect>();
  MLIRContext context(registry);
  auto sources = std::make_shared<llvm::SourceMgr>();
  SourceMgrDiagnosticHandler handler(*sources, &context);
  auto module = dml::tools::loadModule(DML_TOOL, file, dimensions, sources,
                                       ParserConfig(&context));
  return module && succeeded(run(*module)) ? tools::kExitDone : exitCode;
}
