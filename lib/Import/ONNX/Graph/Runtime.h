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

/// The ONNX node from which the importer built an operator of DirectML.
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

/// What the runtime's optimizations do to a model.
struct OptimizationNotes {
  /// Those that fused something, and how often each did.
  llvm::MapVector<llvm::StringRef, unsigned> fused;
  /// Those that could fuse more, each with the newest operator of dml that it
  /// could make, such as "join", or "" where nobody knows.
  std::set<std::pair<std::string, llvm::StringRef>> open;
};

/// A runtime that gives models to DirectML. The importer asks it which nodes it
/// takes, and has it optimize a model where that is asked for.
class Runtime {
public:
  virtual ~Runtime() = default;

  /// Why the runtime does not give `node`, of the domain `domain`, to DirectML;
  /// "" where it does, as far as the importer knows.
  virtual llvm::StringRef findWhyNotTaken(llvm::StringRef domain,
                                          const NodeReader &node) const = 0;

  /// Fuses nodes of `graph`, before they are imported. Names that are `pinned`
  /// are read by something that is no node.
  virtual void fuseNodes(std::vector<PlacedNode> &nodes,
                         const GraphProto &graph,
                         const llvm::StringSet<> &pinned,
                         llvm::StringSaver &strings,
                         OptimizationNotes &notes) const = 0;

  /// Fuses operators of `function`, which were built of the nodes `origins`.
  virtual void optimize(mlir::func::FuncOp function, NodeOrigins origins,
                        OptimizationNotes notes) const = 0;
};

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_GRAPH_RUNTIME_H
