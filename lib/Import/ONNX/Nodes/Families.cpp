//===- Families.cpp - Import functions of ONNX's operators ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/Families.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

void dml::onnx::addNodes(Registry &registry) {
  addActivationNodes(registry);
  addAttentionNodes(registry);
  addConstantNodes(registry);
  addContractionNodes(registry);
  addElementWiseNodes(registry);
  addGatherNodes(registry);
  addGridSampleNodes(registry);
  addLayoutNodes(registry);
  addNormalizationNodes(registry);
  addOldNodes(registry);
  addPaddingNodes(registry);
  addPoolingNodes(registry);
  addQuantizationNodes(registry);
  addRecurrentNodes(registry);
  addReductionNodes(registry);
  addRegionNodes(registry);
  addResampleNodes(registry);
  addRotaryEmbeddingNodes(registry);
  addScanNodes(registry);
  addScatterNodes(registry);
  addSignalWindowNodes(registry);
  addSliceNodes(registry);
  addSoftmaxNodes(registry);
  addSortNodes(registry);
  addTileNodes(registry);
  addTrainingNodes(registry);
  addViewNodes(registry);
}
