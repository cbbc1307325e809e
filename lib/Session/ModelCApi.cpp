//===- ModelCApi.cpp - The C API of models that programs build ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Boundary.h"
#include "BuiltModel.h"
#include "DescribedModel.h"

using namespace dml;
using namespace dml::session;

DmlResult dmlCreateModel(const DmlModelCreateInfo *info, DmlModel *model,
                         DmlError *error) {
  auto create = [&]() -> Status {
    DML_NEED(info);
    DML_NEED(model);
    DML_CHECK_CHAIN(DmlModelCreateInfo, info);
    if (info->operatorSetCount != 0)
      DML_NEED(info->operatorSets);
    *model = new DmlModelImpl{BuiltModel::create(*info), nullptr};
    return Status();
  };
  return runtime::report(create(), error);
}

void dmlDestroyModel(DmlModel model) { delete model; }

/// Adds a part, which the argument `name` of the caller is, to a model.
template <typename Part>
static DmlResult addTo(DmlModel model, const char *name, const Part *part,
                       DmlError *error,
                       Status (BuiltModel::*add)(const Part &)) {
  auto check = [&]() -> Status {
    DML_NEED(model);
    if (!part)
      return makeError(DML_ERROR_INVALID_ARGUMENT, "the argument '", name,
                       "' is NULL");
    if (!model->object)
      return makeError(DML_ERROR_INVALID_ARGUMENT, "the model '",
                       model->described->getName(),
                       "' was made of DirectML's structures, and does not "
                       "change any more");
    return (*model->object.*add)(*part);
  };
  return runtime::report(check(), error);
}

DmlResult dmlAddModelInput(DmlModel model, const DmlModelTensor *tensor,
                           DmlError *error) {
  return addTo(model, "tensor", tensor, error, &BuiltModel::addInput);
}

DmlResult dmlAddModelOutput(DmlModel model, const DmlModelTensor *tensor,
                            DmlError *error) {
  return addTo(model, "tensor", tensor, error, &BuiltModel::addOutput);
}

DmlResult dmlAddModelValue(DmlModel model, const DmlModelTensor *tensor,
                           DmlError *error) {
  return addTo(model, "tensor", tensor, error, &BuiltModel::addValue);
}

DmlResult dmlAddModelWeight(DmlModel model, const DmlModelWeight *weight,
                            DmlError *error) {
  return addTo(model, "weight", weight, error, &BuiltModel::addWeight);
}

DmlResult dmlAddModelNode(DmlModel model, const DmlModelNode *node,
                          DmlError *error) {
  return addTo(model, "node", node, error, &BuiltModel::addNode);
}
