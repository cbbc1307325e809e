//===- OnnxRuntime.h - ONNX Runtime and its operators -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_ONNXRUNTIME_ONNXRUNTIME_H
#define DML_LIB_IMPORT_ONNX_ONNXRUNTIME_ONNXRUNTIME_H

#include "Graph/Registry.h"

namespace dml::onnx {

/// ONNX Runtime with its DirectML provider: the nodes that the provider takes,
/// and the optimizations that ONNX Runtime makes for it.
const Runtime &getOnnxRuntime();

/// Adds the operators of the domain com.microsoft, which ONNX Runtime's
/// optimizers put in place of several of ONNX's. Those that share an import
/// function with an operator of ONNX's own stand in the room Nodes.
void addContribNodes(Registry &registry);

/// Each adds the operators of one family.
void addContribActivationNodes(Registry &registry);
void addContribAttentionNodes(Registry &registry);
void addContribContractionNodes(Registry &registry);
void addContribNormalizationNodes(Registry &registry);
void addContribQuantizationNodes(Registry &registry);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_ONNXRUNTIME_ONNXRUNTIME_H
