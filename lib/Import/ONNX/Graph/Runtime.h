//===- Runtime.h - The runtime that a model is imported for -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_GRAPH_RUNTIME_H
#define DML_LIB_IMPORT_ONNX_GRAPH_RUNTIME_H

#include "Reader/Functions.h"
#include "Reader/NodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include <set>

namespace dml::onnx {

/// The ONNX node from which the importer built a DirectML operator.
struct NodeOrigin {
  /// The ONNX operator.
  llvm::StringRef type;
  /// The shapes of the node's first input and of its output in ONNX. If these
  /// shapes differ between two consecutive operators, there is a node such as
  /// Reshape between them.
  llvm::SmallVector<int64_t> input, output;
  /// The version of the operator set to which the node belongs.
  int64_t opset = 0;
};
using NodeOrigins = llvm::DenseMap<mlir::Operation *, NodeOrigin>;

/// The optimizations that the runtime applies to a model.
struct OptimizationNotes {
  /// The optimizations that fused something, with the number of fusions.
  llvm::MapVector<llvm::StringRef, unsigned> fused;
  /// The optimizations that could fuse more, each with the newest dml operator
  /// that it could create, such as "join", or "" if the operator is unknown.
  std::set<std::pair<std::string, llvm::StringRef>> open;
};

/// A runtime that executes models with DirectML. The importer asks the runtime
/// which nodes it accepts, and lets it optimize a model on request.
class Runtime {
public:
  virtual ~Runtime() = default;

  /// Returns the reason why the runtime does not execute `node`, of the domain
  /// `domain`, with DirectML. Returns "" if it does, as far as the importer
  /// knows.
  virtual llvm::StringRef findWhyNotTaken(llvm::StringRef domain,
                                          const NodeReader &node) const = 0;

  /// Fuses nodes of `graph` before they are imported. The names in `pinned` are
  /// read by something other than a node.
  virtual void fuseNodes(std::vector<PlacedNode> &nodes,
                         const GraphProto &graph,
                         const llvm::StringSet<> &pinned,
                         llvm::StringSaver &strings,
                         OptimizationNotes &notes) const = 0;

  /// Fuses operators of `function`, which were built from the nodes `origins`.
  virtual void optimize(mlir::func::FuncOp function, NodeOrigins origins,
                        OptimizationNotes notes) const = 0;
};

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_GRAPH_RUNTIME_H
