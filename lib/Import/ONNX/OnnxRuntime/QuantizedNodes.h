//===- QuantizedNodes.h - Nodes among dequantized tensors -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_ONNXRUNTIME_QUANTIZEDNODES_H
#define DML_LIB_IMPORT_ONNX_ONNXRUNTIME_QUANTIZEDNODES_H

#include "OnnxRuntime/Optimizations.h"
#include "Reader/Functions.h"
#include "llvm/ADT/StringSet.h"

namespace dml::onnx {

/// Fuses nodes of `graph` with the dequantization of what they read and the
/// quantization of what they compute, as ONNX Runtime does for its DirectML
/// provider. Names that are `pinned` are read by something that is no node.
void fuseQuantizedNodes(std::vector<PlacedNode> &nodes, const GraphProto &graph,
                        const llvm::StringSet<> &pinned,
                        llvm::StringSaver &strings, OptimizationNotes &notes);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_ONNXRUNTIME_QUANTIZEDNODES_H
