//===- Survey.cpp - Which nodes of a model can be computed ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Survey.h"
#include "Model.h"
#include "dml/Explain/Explain.h"

using namespace mlir;
using namespace dml;
using namespace dml::session;

/// Enters the operators of `module` that do not fit `level` as problems of
/// their nodes.
static Status addLevelProblems(ModuleOp module, FeatureLevel level,
                               const onnx::GraphProto &graph,
                               CompilerContext &context, onnx::Survey &survey) {
  FailureOr<explain::Report> report =
      explain::explainModule(module, /*isONNX=*/true, level);
  if (failed(report))
    return context.getError(DML_ERROR_INVALID_ARGUMENT, "it is not valid");
  llvm::StringMap<std::string> problems;
  for (const explain::OpReport &op : report->ops)
    for (const Requirement &violation : op.violations)
      problems.try_emplace(
          explain::Place(op.op).node,
          FeatureLevelOpInterface(op.op).getOperatorSupport().describeViolation(
              violation, *op.target));
  for (auto [node, result] : llvm::zip_equal(graph.nodes, survey.nodes))
    if (auto found = problems.find(node.name);
        result.problem.empty() && found != problems.end())
      result.problem = found->second;
  return Status();
}

Expected<std::unique_ptr<ModelSurvey>>
ModelSurvey::create(const DmlSurveyInfo &info) noexcept {
  std::optional<FeatureLevel> level;
  if (info.level && !(level = parseFeatureLevel(info.level)))
    return Status(DML_ERROR_INVALID_ARGUMENT,
                  describeUnknownFeatureLevel(runtime::escape(info.level)));
  DmlSessionCreateInfo source{};
  source.model = info.model;
  source.dimensions = info.dimensions;
  source.dimensionCount = info.dimensionCount;
  if (info.model && info.model->described)
    return makeError(DML_ERROR_INVALID_ARGUMENT, "the model '",
                     info.model->described->getName(),
                     "' was made of DirectML's structures, but wanted is one "
                     "that was built node by node");
  Expected<std::unique_ptr<Model>> model = Model::openUnrun(source);
  if (!model)
    return model.status();
  std::unique_ptr<ModelSurvey> result(new ModelSurvey);
  result->survey.openSize = info.openSize;
  Model::UnrunOptions unrun;
  unrun.verifies = false;
  unrun.leavesOutUnread = true;
  unrun.readsWeights = false;
  unrun.survey = &result->survey;
  CompilerContext context;
  auto module = (*model)->readUnrun(context, unrun);
  if (!module)
    return module.status();
  if (level)
    DML_TRY_IN(addLevelProblems(**module, *level,
                                *(*model)->getBuilt()->getProto().graph,
                                context, result->survey),
               (*model)->getName());
  return result;
}

Status ModelSurvey::describe(uint32_t index, DmlSurveyNode &info) const {
  if (index >= survey.nodes.size())
    return makeError(DML_ERROR_INVALID_ARGUMENT, "node ", index,
                     " does not exist; there are ", survey.nodes.size());
  const onnx::Survey::Node &node = survey.nodes[index];
  info.problem = node.problem.c_str();
  info.notTaken = node.notTaken.c_str();
  info.isFolded = node.isFolded;
  return Status();
}

Status ModelSurvey::describe(const char *name, DmlSurveyTensor &info) const {
  auto found = survey.tensors.find(name);
  if (found == survey.tensors.end())
    return makeError(DML_ERROR_NOT_FOUND, "the survey has no tensor '",
                     runtime::escape(name), "'");
  const onnx::Survey::Tensor &tensor = found->second;
  info.dataType = static_cast<DmlDataType>(tensor.type);
  info.rank = static_cast<uint32_t>(tensor.sizes.size());
  for (size_t i = 0; i < DML_MAX_RANK; ++i)
    info.sizes[i] = i < tensor.sizes.size() ? tensor.sizes[i] : 0;
  info.isConstant = tensor.isConstant;
  info.elements = tensor.elements.empty() ? nullptr : tensor.elements.data();
  return Status();
}
