//===- OnnxRuntime.h - ONNX Runtime and its operators -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_ONNXRUNTIME_ONNXRUNTIME_H
#define DML_LIB_IMPORT_ONNX_ONNXRUNTIME_ONNXRUNTIME_H

#include "Graph/Registry.h"

namespace dml::onnx {

/// Returns the runtime ONNX Runtime with its DirectML provider: it knows which
/// nodes the provider accepts, and which optimizations ONNX Runtime applies for
/// the provider.
const Runtime &getOnnxRuntime();

/// Adds the operators of the domain com.microsoft, by which ONNX Runtime's
/// optimizers replace several ONNX operators. Operators that share an import
/// function with an operator of ONNX's own domain are in lib/Import/ONNX/Nodes.
void addContribNodes(Registry &registry);

/// Imports com.microsoft's GroupQueryAttention.
llvm::LogicalResult importGroupQueryAttention(NodeImporter &node);

/// Adds nodes that consist of an operator and an activation. The operators
/// without an activation must be in `registry`.
void addFusedNodes(Registry &registry);

/// Each function adds the operators of one family.
void addContribActivationNodes(Registry &registry);
void addContribAttentionNodes(Registry &registry);
void addContribContractionNodes(Registry &registry);
void addContribNormalizationNodes(Registry &registry);
void addContribQuantizationNodes(Registry &registry);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_ONNXRUNTIME_ONNXRUNTIME_H
