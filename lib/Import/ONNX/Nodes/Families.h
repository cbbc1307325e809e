//===- Families.h - Import functions of ONNX's operators --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_NODES_FAMILIES_H
#define DML_LIB_IMPORT_ONNX_NODES_FAMILIES_H

#include "Graph/Registry.h"

namespace dml::onnx {

/// Adds all operators that lib/Import/ONNX/Nodes imports.
void addNodes(Registry &registry);

/// Each function adds the operators of a family, or of a part of one.
void addActivationNodes(Registry &registry);
void addAttentionNodes(Registry &registry);
void addConstantNodes(Registry &registry);
void addContractionNodes(Registry &registry);
void addConvolutionNodes(Registry &registry);
void addEinsumNodes(Registry &registry);
void addElementWiseNodes(Registry &registry);
void addGatherNodes(Registry &registry);
void addGridSampleNodes(Registry &registry);
void addLayoutNodes(Registry &registry);
void addNormalizationNodes(Registry &registry);
void addOldNodes(Registry &registry);
void addPaddingNodes(Registry &registry);
void addPoolingNodes(Registry &registry);
void addQuantizationNodes(Registry &registry);
void addRecurrentNodes(Registry &registry);
void addReductionNodes(Registry &registry);
void addRegionNodes(Registry &registry);
void addResampleNodes(Registry &registry);
void addRotaryEmbeddingNodes(Registry &registry);
void addScanNodes(Registry &registry);
void addScatterNodes(Registry &registry);
void addSignalWindowNodes(Registry &registry);
void addSliceNodes(Registry &registry);
void addSoftmaxNodes(Registry &registry);
void addSortNodes(Registry &registry);
void addTileNodes(Registry &registry);
void addTrainingNodes(Registry &registry);
void addViewNodes(Registry &registry);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_NODES_FAMILIES_H
