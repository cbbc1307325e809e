//===- GraphState.h - The tensors of a graph that is imported ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_GRAPH_GRAPHSTATE_H
#define DML_LIB_IMPORT_ONNX_GRAPH_GRAPHSTATE_H

#include "Graph/Runtime.h"
#include "Reader/NodeReader.h"
#include "mlir/IR/Builders.h"
#include <map>

namespace dml::onnx {

/// What the importers of the nodes of one graph share.
struct GraphState {
  GraphState(llvm::StringRef path, std::shared_ptr<llvm::MemoryBuffer> file,
             mlir::MLIRContext *context, bool isOptimized,
             reader::OpenedFiles *files)
      : builder(context), file(std::move(file)), externalFiles(path, files),
        isOptimized(isOptimized),
        maxFoldingBytes(4 * static_cast<int64_t>(this->file->getBufferSize()) +
                        (int64_t(1) << 28)) {}

  mlir::OpBuilder builder;
  /// The model's file, which constants refer to.
  std::shared_ptr<llvm::MemoryBuffer> file;
  reader::ExternalFiles externalFiles;
  /// Whether the runtime optimizes the model.
  bool isOptimized;

  llvm::StringMap<Tensor> tensors;
  /// The names that the graph's outputs or needed nodes read.
  llvm::StringSet<> read;
  /// Constants that are resources, by the place of their elements, their type
  /// and their shape.
  std::map<std::tuple<const char *, DataType, Shape>, mlir::Value> weights;
  /// The names of constants in the model, by the place of their elements.
  std::map<const char *, std::string> weightNames;

  /// The bytes that nodes that are computed while the model is read may read
  /// and write in all, so that a small model takes little memory and time; and
  /// the bytes that they have read and written so far.
  int64_t maxFoldingBytes, foldingBytes = 0;

  /// The node that each operator was built of, where the runtime optimizes.
  NodeOrigins origins;
  /// Why the runtime does not take the node that operators are built of, or "".
  llvm::StringRef whyNotTaken;
  /// The runtime's optimization that made the node that operators are built of,
  /// or "".
  llvm::StringRef fusion;
};

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_GRAPH_GRAPHSTATE_H
