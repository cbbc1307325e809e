//===- ContribUtils.h - What com.microsoft's operators share ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_ONNXRUNTIME_CONTRIBUTILS_H
#define DML_LIB_IMPORT_ONNX_ONNXRUNTIME_CONTRIBUTILS_H

#include "Nodes/NodeUtils.h"
#include "OnnxRuntime/OnnxRuntime.h"

namespace dml::onnx {

/// Adds an operator of the domain com.microsoft.
inline void addContrib(Registry &registry, llvm::StringRef name,
                       llvm::StringRef becomes, ImportFunction import) {
  registry.add(name, becomes, std::move(import), contribDomain);
}

/// Returns input `index`, broadcast to the shape of input 0.
llvm::FailureOr<mlir::Value> getLikeFirst(NodeImporter &node, unsigned index);

/// Returns the sum of input 0 and of those of the inputs `indices` that are
/// present. Halves are added in f32.
llvm::FailureOr<mlir::Value> getSum(NodeImporter &node,
                                    llvm::ArrayRef<unsigned> indices);

/// Returns input `index`, which has a single number, broadcast to `shape`.
/// Returns null if the input is missing.
llvm::FailureOr<mlir::Value> getElement(NodeImporter &node, unsigned index,
                                        llvm::ArrayRef<int64_t> shape);

/// Returns the product of `a`, which has the shape {B..., M, K} of input 0, and
/// input `second`, whose zero point and scale are in the inputs `zeroB` and
/// `scaleB`, plus the bias in input `bias`. The result has the shape
/// {1, 1, B... * M, N}.
llvm::FailureOr<mlir::Value>
getIntegerProduct(NodeImporter &node, mlir::Value a, mlir::Value scaleA,
                  mlir::Value zeroA, unsigned second, unsigned scaleB,
                  unsigned zeroB, unsigned bias);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_ONNXRUNTIME_CONTRIBUTILS_H
