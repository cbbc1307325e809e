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

/// Fuses nodes of `graph` with the dequantizations of their inputs and the
/// quantizations of their outputs, as ONNX Runtime does for its DirectML
/// provider. The names in `pinned` are read by something other than a node.
void fuseQuantizedNodes(std::vector<PlacedNode> &nodes, const GraphProto &graph,
                        const llvm::StringSet<> &pinned,
                        llvm::StringSaver &strings, OptimizationNotes &notes);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_ONNXRUNTIME_QUANTIZEDNODES_H
