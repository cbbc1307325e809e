//===- Optimizations.h - What ONNX Runtime fuses for DirectML ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_ONNXRUNTIME_OPTIMIZATIONS_H
#define DML_LIB_IMPORT_ONNX_ONNXRUNTIME_OPTIMIZATIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include <set>
#include <string>

namespace dml::onnx {

/// The node that an operator of DirectML was built of.
struct NodeOrigin {
  /// The ONNX operator.
  llvm::StringRef type;
  /// The shapes that the node's first input and output have in ONNX. Between
  /// two nodes whose shapes differ there is one that changes it, such as
  /// Reshape.
  llvm::SmallVector<int64_t> input, output;
  /// The version of the operator set that the node is of.
  int64_t opset = 0;
};
using NodeOrigins = llvm::DenseMap<mlir::Operation *, NodeOrigin>;

/// What ONNX Runtime's optimizations do to a model.
struct OptimizationNotes {
  /// Those that fused something, and how often each did.
  llvm::MapVector<llvm::StringRef, unsigned> fused;
  /// Those that could fuse more, each with the newest operator of dml that it
  /// could make, such as "join", or "" where nobody knows.
  std::set<std::pair<std::string, llvm::StringRef>> open;
};

/// Fuses operators of `function` as ONNX Runtime does with all of its
/// optimizations on for its DirectML provider, as far as that changes what
/// DirectML is asked for and the importer knows how. Says what was done, that
/// of `notes` first, in the attribute `dml.optimized` of the module around
/// `function`.
void optimize(mlir::func::FuncOp function, NodeOrigins origins,
              OptimizationNotes notes);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_ONNXRUNTIME_OPTIMIZATIONS_H
