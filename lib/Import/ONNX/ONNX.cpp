//===- ONNX.cpp - Reading ONNX models -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Import/ONNX.h"
#include "Division/Division.h"
#include "Graph/GraphImporter.h"
#include "Nodes/Families.h"
#include "OnnxRuntime/OnnxRuntime.h"
#include "dml/Import/ONNXRuntime.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// Returns all supported operators.
static const Registry &getRegistry() {
  static const Registry registry = [] {
    Registry registry;
    addNodes(registry);
    addContribNodes(registry);
    return registry;
  }();
  return registry;
}

std::vector<SupportedOperator> dml::onnx::getSupportedOperators() {
  std::vector<SupportedOperator> operators;
  for (const auto &[name, info] : getRegistry().getAll())
    operators.push_back({name.first, name.second, info.becomes});
  return operators;
}

llvm::Expected<OwningOpRef<ModuleOp>> dml::onnx::importBuiltModel(
    const ModelProto &model, StringRef name, std::shared_ptr<const void> owner,
    MLIRContext *context, const ImportOptions &options, bool isOptimized) {
  context->loadDialect<DMLDialect, arith::ArithDialect, func::FuncDialect,
                       scf::SCFDialect, tensor::TensorDialect>();
  return GraphImporter(model, name, std::move(owner), /*fileSize=*/0, context,
                       options, getRegistry(), getOnnxRuntime(), isOptimized)
      .run();
}

static llvm::Expected<OwningOpRef<ModuleOp>>
readModel(std::unique_ptr<llvm::MemoryBuffer> buffer, MLIRContext *context,
          const ImportOptions &options, bool isOptimized) {
  std::shared_ptr<llvm::MemoryBuffer> file = std::move(buffer);
  context->loadDialect<DMLDialect, arith::ArithDialect, func::FuncDialect,
                       scf::SCFDialect, tensor::TensorDialect>();
  llvm::Expected<ModelProto> model = decodeModel(file->getBuffer());
  if (!model)
    return model.takeError();
  if (!model->graph)
    return llvm::createStringError(
        "the file is no ONNX model: it has no graph");
  return GraphImporter(*model, file->getBufferIdentifier(), file,
                       file->getBufferSize(), context, options, getRegistry(),
                       getOnnxRuntime(), isOptimized)
      .run();
}

llvm::Expected<OwningOpRef<ModuleOp>>
dml::onnx::importModel(std::unique_ptr<llvm::MemoryBuffer> buffer,
                       MLIRContext *context, const ImportOptions &options) {
  return readModel(std::move(buffer), context, options, /*isOptimized=*/false);
}

llvm::Expected<OwningOpRef<ModuleOp>>
dml::onnx::importOptimizedModel(std::unique_ptr<llvm::MemoryBuffer> buffer,
                                MLIRContext *context,
                                const ImportOptions &options) {
  return readModel(std::move(buffer), context, options, /*isOptimized=*/true);
}

llvm::Expected<std::unique_ptr<Division>>
dml::onnx::divideModel(std::shared_ptr<llvm::MemoryBuffer> file,
                       const ImportOptions &options, bool isOptimized) {
  llvm::Expected<ModelProto> decoded = decodeModel(file->getBuffer());
  if (!decoded)
    return decoded.takeError();
  if (!decoded->graph)
    return llvm::createStringError(
        "the file is no ONNX model: it has no graph");
  auto model = std::make_unique<ModelProto>(std::move(*decoded));
  DividedModel divided{*model,        file->getBufferIdentifier(),
                       file,          file->getBufferSize(),
                       getRegistry(), getOnnxRuntime(),
                       isOptimized};
  return makeDivision(std::move(model), divided, options);
}

llvm::Expected<std::unique_ptr<Division>>
dml::onnx::divideBuiltModel(const ModelProto &model, StringRef name,
                            std::shared_ptr<const void> owner,
                            const ImportOptions &options, bool isOptimized) {
  DividedModel divided{model,          name,          std::move(owner),
                       /*fileSize=*/0, getRegistry(), getOnnxRuntime(),
                       isOptimized};
  return makeDivision(nullptr, divided, options);
}

llvm::Error dml::onnx::parseDimension(StringRef text, ImportOptions &options) {
  auto [name, size] = text.rsplit('=');
  int64_t number = 0;
  if (name.empty() || size.getAsInteger(10, number) || number < 0 ||
      number > UINT32_MAX)
    return llvm::createStringError("--dim=" + text +
                                   ": wanted is NAME=SIZE with a size from 0 "
                                   "to 2^32 - 1");
  if (!options.dimensions.try_emplace(name, number).second)
    return llvm::createStringError("--dim states '" + name + "' twice");
  return llvm::Error::success();
}

bool dml::onnx::isModel(StringRef content) {
  // An ONNX model begins with field 1, ir_version, which is a small number and
  // is followed by another field. Neither text nor MLIR bytecode begins like
  // this.
  return content.size() > 3 && content[0] == 0x08 && content[1] > 0 &&
         content[1] < 0x20 && content[2] != 0;
}

void dml::onnx::registerDialects(DialectRegistry &registry) {
  registry.insert<DMLDialect, arith::ArithDialect, func::FuncDialect,
                  scf::SCFDialect, tensor::TensorDialect>();
}
