//===- GraphState.h - The tensors of a graph that is imported ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_GRAPH_GRAPHSTATE_H
#define DML_LIB_IMPORT_ONNX_GRAPH_GRAPHSTATE_H

#include "Graph/Runtime.h"
#include "Reader/NodeReader.h"
#include "dml/Import/ONNX.h"
#include "mlir/IR/Builders.h"
#include <map>

namespace dml::onnx {

/// The state that the importers of a graph's nodes share.
struct GraphState {
  GraphState(llvm::StringRef path, std::shared_ptr<const void> owner,
             uint64_t fileSize, mlir::MLIRContext *context, bool isOptimized,
             const ImportOptions &options)
      : builder(context), constants{std::move(owner),
                                    reader::ExternalFiles(path, options.files),
                                    options.places},
        isOptimized(isOptimized),
        maxFoldingBytes(4 * static_cast<int64_t>(fileSize) +
                        (int64_t(1) << 28)) {}

  mlir::OpBuilder builder;
  /// What the elements of constants are read from.
  ConstantReader constants;
  /// Whether the runtime's optimizations are applied.
  bool isOptimized;

  llvm::StringMap<Tensor> tensors;
  /// The names that the outputs of the graph or needed nodes read.
  llvm::StringSet<> read;
  /// Constants that are resources, identified by the address of their elements,
  /// their type and their shape.
  std::map<std::tuple<const char *, DataType, Shape>, mlir::Value> weights;
  /// The names of the model's constants, identified by the address of their
  /// elements.
  std::map<const char *, std::string> weightNames;

  /// The limit on the number of bytes that all nodes evaluated at import time
  /// may read and write together, so that a small model takes little memory and
  /// time; and the number of bytes so far.
  int64_t maxFoldingBytes, foldingBytes = 0;

  /// The loop of the function whose body is being built, or null. Constants
  /// stand in front of it.
  mlir::Operation *loop = nullptr;

  /// If the model is optimized, the ONNX node from which each operator was
  /// built.
  NodeOrigins origins;
  /// The reason why the runtime does not accept the node for which operators
  /// are being built, or "".
  llvm::StringRef whyNotTaken;
  /// The runtime's optimization that created the node for which operators are
  /// being built, or "".
  llvm::StringRef fusion;
};

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_GRAPH_GRAPHSTATE_H
