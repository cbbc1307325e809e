//===- GraphImporter.h - From a graph to a function -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_GRAPH_GRAPHIMPORTER_H
#define DML_LIB_IMPORT_ONNX_GRAPH_GRAPHIMPORTER_H

#include "Graph/Problems.h"
#include "Graph/Registry.h"
#include "dml/Import/ONNX.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <list>

namespace dml::onnx {

/// Builds a function of a graph.
class GraphImporter {
public:
  /// An importer of a model that was read from `file`, at `path`. `registry`
  /// has the operators, and the model is optimized by `runtime` where
  /// `isOptimized` says so.
  GraphImporter(const ModelProto &model, llvm::StringRef path,
                std::shared_ptr<llvm::MemoryBuffer> file,
                mlir::MLIRContext *context, const ImportOptions &options,
                const Registry &registry, const Runtime &runtime,
                bool isOptimized)
      : graph(*model.graph), path(path), options(options), registry(registry),
        runtime(runtime), expander(model),
        state(path, std::move(file), context, isOptimized, options.files) {}

  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> run();

private:
  llvm::Error checkOperatorSets();
  /// The nodes, those of functions among them.
  llvm::ArrayRef<PlacedNode> getNodes() const { return expander.getNodes(); }
  llvm::Error fuseNodes();
  llvm::Error findNeededNodes();
  /// Fails where the nodes cannot be imported as a whole, or builds nothing of
  /// those that nothing needs.
  llvm::Error prepareNodes();
  llvm::Error importNodes(mlir::func::FuncOp function);

  //===--------------------------------------------------------------------===//
  // Inputs and declarations
  //===--------------------------------------------------------------------===//

  /// What --dim and the inputs say of each other.
  struct Dimensions {
    /// The names of dimensions without a size, which --dim may state, and of
    /// inputs of one integer whose value --dim states.
    llvm::StringSet<> open, stated;
    /// The dimensions without a size that nothing states.
    std::vector<std::string> missing;
  };
  /// Enters the initializers by their names.
  llvm::Error collectInitializers();
  /// Makes a tensor of the initializer `name`, if it is one.
  llvm::Error loadInitializer(llvm::StringRef name);
  llvm::Error declareInputs(mlir::func::FuncOp function);
  llvm::Error declareInput(const ValueInfo &input, mlir::func::FuncOp function,
                           Dimensions &dimensions);
  /// The tensor of an input, with a size of 1 where a size is missing.
  llvm::Expected<Tensor> readInput(const ValueInfo &input,
                                   Dimensions &dimensions) const;
  llvm::Error addArgument(const ValueInfo &input, Tensor &tensor,
                          mlir::func::FuncOp function);
  /// Fails where a dimension is not stated, or --dim states what is none.
  llvm::Error checkDimensions(const Dimensions &dimensions) const;
  /// Fails where the model declares another type or shape for `tensor` than
  /// the tensor has.
  llvm::Error wantDeclared(const ValueInfo &info, const Tensor &tensor,
                           llvm::StringRef what) const;
  llvm::Error checkDeclarations() const;

  //===--------------------------------------------------------------------===//
  // Graphs within nodes
  //===--------------------------------------------------------------------===//

  /// The names that a branch defines, and their unique names among all tensors:
  /// two branches may use one name for different tensors.
  struct Scope {
    const Scope *outer;
    unsigned depth;
    std::string prefix;
    llvm::StringMap<llvm::StringRef> names;
  };
  /// The unique name of `name`, read within `scope`.
  static llvm::StringRef resolve(const Scope *scope, llvm::StringRef name);
  /// Enters `name`, which a branch defines, in its scope.
  llvm::StringRef define(Scope &scope, llvm::StringRef name);
  /// Adds the names that a graph within an attribute reads.
  llvm::Error readInnerGraphs(const NodeProto &node, unsigned depth);
  /// Imports the branch that an If takes, where that is known.
  llvm::Error importBranch(NodeImporter &importer, const PlacedNode &placed,
                           unsigned index, const Scope *scope);
  llvm::Error enterBranch(const GraphProto &inner, const NodeImporter &importer,
                          const PlacedNode &placed, unsigned index,
                          const Scope *outer);
  /// Gives the outputs of an If the tensors that its branch computes.
  llvm::Error leaveBranch(const GraphProto &inner, const PlacedNode &placed,
                          unsigned index, const Scope &scope);

  //===--------------------------------------------------------------------===//
  // Nodes and results
  //===--------------------------------------------------------------------===//

  /// Imports a node of the graph, or of a branch, whose scope is given then.
  llvm::Error importNode(const PlacedNode &placed, unsigned index,
                         const Scope *scope = nullptr);
  /// Fills in the inputs of a node, and enters its outputs as not known.
  llvm::Error connect(NodeImporter &importer, bool &isComplete);
  /// Builds operators for a node, whose inputs all are known.
  void buildNode(NodeImporter &importer, const PlacedNode &placed,
                 const Operator &info);
  /// Hands over each tensor that is known and that an unread node reads.
  void collectUnreadOperands(
      llvm::function_ref<void(llvm::StringRef name, Tensor &)> collect);
  /// The values that the function returns, with their names.
  class Results;
  llvm::Error addOutputs(Results &results);
  llvm::Error finish(mlir::func::FuncOp function);
  /// Fails where nodes are not supported, unless they may be left out.
  llvm::Error reportProblems(mlir::func::FuncOp function,
                             mlir::ModuleOp module) const;

  const GraphProto &graph;
  llvm::StringRef path;
  const ImportOptions &options;
  const Registry &registry;
  const Runtime &runtime;

  FunctionExpander expander;
  GraphState state;
  /// Initializers that no node has read so far.
  llvm::StringMap<const TensorProto *> initializers;
  std::vector<bool> isNeeded;
  OptimizationNotes notes;
  Problems problems;
  /// Branches that were entered.
  std::list<GraphProto> branches;
  /// Graphs within graphs that are entered at most.
  static constexpr unsigned maxDepth = 16;
};

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_GRAPH_GRAPHIMPORTER_H
