//===- Division.cpp - ONNX graphs as several functions --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Division/Division.h"
#include "Division/Cutter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

namespace {
/// Lists the nodes of a model.
class NodeLister : public GraphImporter {
public:
  NodeLister(const DividedModel &model, MLIRContext *context,
             const ImportOptions &options)
      : GraphImporter(model.model, model.path, model.owner, model.fileSize,
                      context, options, model.registry, model.runtime,
                      model.isOptimized) {}

  llvm::Expected<SectionPointer> list();
  /// Returns the inputs whose values are stated.
  std::vector<std::pair<std::string, PresentTensor>> listStated() const;
};

/// A model with what it refers to.
class DividedGraph final : public Division {
public:
  DividedGraph(std::unique_ptr<ModelProto> own, const DividedModel &model,
               const ImportOptions &options)
      : own(std::move(own)), model(model), path(model.path),
        context(MLIRContext::Threading::DISABLED), options(options),
        lister(this->model, &context, this->options) {
    this->model.path = path;
  }

  llvm::Error initialize();
  const SectionPointer &getMain() const override { return main; }
  ArrayRef<std::pair<std::string, PresentTensor>> getStated() const override {
    return stated;
  }
  llvm::Expected<Result> cut(const SectionPointer &section, FindTensor find,
                             MLIRContext *context,
                             const ImportOptions &options) const override;

private:
  std::unique_ptr<ModelProto> own;
  DividedModel model;
  std::string path;
  MLIRContext context;
  ImportOptions options;
  /// Owns the nodes of functions.
  NodeLister lister;
  SectionPointer main;
  std::vector<std::pair<std::string, PresentTensor>> stated;
};
} // namespace

llvm::Expected<SectionPointer> NodeLister::list() {
  if (llvm::Error error = prepareNodes())
    return std::move(error);
  if (llvm::Error error = collectInitializers())
    return std::move(error);
  if (graph.outputs.empty())
    return llvm::createStringError("the graph has no outputs, but wanted is "
                                   "one at least");
  std::vector<SectionNode> nodes;
  for (auto [index, placed] : llvm::enumerate(getNodes()))
    if (isNeeded[index])
      nodes.push_back({placed, static_cast<unsigned>(index), nullptr});
  std::vector<std::string> outputs;
  for (const ValueInfo &output : graph.outputs)
    outputs.push_back(output.name.str());
  return Section::create(std::move(nodes), std::move(outputs), initializers,
                         {});
}

std::vector<std::pair<std::string, PresentTensor>>
NodeLister::listStated() const {
  std::vector<std::pair<std::string, PresentTensor>> stated;
  for (const ValueInfo &input : graph.inputs) {
    auto given = options.dimensions.find(input.name);
    std::optional<DataType> type = toDataType(input.elementType);
    if (given == options.dimensions.end() || !type ||
        initializers.contains(input.name))
      continue;
    Shape shape(input.dimensions.size(), 1);
    stated.emplace_back(
        input.name.str(),
        toPresent(Constant::get(*type, shape, ArrayRef(given->second)),
                  isBoolType(input.elementType)));
    stated.back().second.isConstant = true;
  }
  return stated;
}

llvm::Error DividedGraph::initialize() {
  stated = lister.listStated();
  llvm::Expected<SectionPointer> listed = lister.list();
  if (!listed)
    return listed.takeError();
  main = std::move(*listed);
  return llvm::Error::success();
}

llvm::Expected<Division::Result>
DividedGraph::cut(const SectionPointer &section, FindTensor find,
                  MLIRContext *into, const ImportOptions &given) const {
  into->loadDialect<DMLDialect, arith::ArithDialect, func::FuncDialect,
                    scf::SCFDialect, tensor::TensorDialect>();
  return Cutter(model, section, into, given).run(find);
}

llvm::Expected<std::unique_ptr<Division>>
dml::onnx::makeDivision(std::unique_ptr<ModelProto> own,
                        const DividedModel &model,
                        const ImportOptions &options) {
  auto division =
      std::make_unique<DividedGraph>(std::move(own), model, options);
  if (llvm::Error error = division->initialize())
    return std::move(error);
  return division;
}
