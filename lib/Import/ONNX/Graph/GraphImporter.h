//===- GraphImporter.h - From a graph to a function -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_GRAPH_GRAPHIMPORTER_H
#define DML_LIB_IMPORT_ONNX_GRAPH_GRAPHIMPORTER_H

#include "Graph/Problems.h"
#include "Graph/Registry.h"
#include "Graph/Scope.h"
#include "dml/Import/ONNX.h"
#include "dml/Import/Signature.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <memory>

namespace dml::onnx {

struct LoopForm;

/// Builds a function from a graph.
class GraphImporter {
public:
  /// Creates an importer for a model that was read from a file of `fileSize`
  /// bytes at `path`, or was built under this name; `owner` keeps what the
  /// model refers to. `registry` contains the supported operators. If
  /// `isOptimized` is set, `runtime` optimizes the model.
  GraphImporter(const ModelProto &model, llvm::StringRef path,
                std::shared_ptr<const void> owner, uint64_t fileSize,
                mlir::MLIRContext *context, const ImportOptions &options,
                const Registry &registry, const Runtime &runtime,
                bool isOptimized)
      : graph(*model.graph), path(path), options(options), registry(registry),
        runtime(runtime), expander(model), strings(&expander.getStrings()),
        state(path, std::move(owner), fileSize, context, isOptimized, options) {
  }
  virtual ~GraphImporter() = default;

  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> run();

  /// The largest depth of nested graphs.
  static constexpr unsigned maxDepth = 16;

protected:
  llvm::Error checkOperatorSets();
  /// Returns the nodes, including those of functions.
  llvm::ArrayRef<PlacedNode> getNodes() const { return expander.getNodes(); }
  llvm::Error fuseNodes();
  llvm::Error findNeededNodes();
  /// Returns an error if the nodes cannot be imported as a whole. Marks the
  /// nodes that are needed; others are not built.
  llvm::Error prepareNodes();
  llvm::Error importNodes(mlir::func::FuncOp function);

  //===--------------------------------------------------------------------===//
  // Inputs and declarations
  //===--------------------------------------------------------------------===//

  /// The relation between --dim options and inputs.
  struct Dimensions {
    /// The names of dimensions without a size, which --dim may state, and the
    /// names of inputs with a single integer, whose value --dim may state.
    llvm::StringSet<> open, stated;
    /// The dimensions without a size that no option states, and the inputs
    /// that have such dimensions.
    std::vector<std::string> missing;
    std::vector<SignatureTensor> inputs;
  };
  /// Enters the initializers by their names.
  llvm::Error collectInitializers();
  /// If `name` is an initializer, creates a tensor for it.
  llvm::Error loadInitializer(llvm::StringRef name);
  llvm::Error declareInputs(mlir::func::FuncOp function);
  llvm::Error declareInput(const ValueInfo &input, mlir::func::FuncOp function,
                           Dimensions &dimensions);
  /// Returns the tensor of an input, with a size of 1 in place of each missing
  /// size.
  llvm::Expected<Tensor> readInput(const ValueInfo &input,
                                   Dimensions &dimensions) const;
  llvm::Error addArgument(const ValueInfo &input, Tensor &tensor,
                          mlir::func::FuncOp function);
  /// Returns an error if a dimension is not stated, or if --dim names a
  /// dimension that does not exist.
  llvm::Error checkDimensions(const Dimensions &dimensions) const;
  /// Enters an input of which nothing is known, for `reason`.
  void enterUnknown(llvm::StringRef name, std::string reason);

  //===--------------------------------------------------------------------===//
  // Surveys
  //===--------------------------------------------------------------------===//

  /// Lets the model's inputs, and outputs of node `index` that are not known,
  /// be arguments of the function, as the model declares them.
  llvm::Error assumeOutputs(unsigned index, mlir::func::FuncOp function);
  llvm::Error assume(const ValueInfo &declared, mlir::func::FuncOp function);
  /// Notes what became of node `index`, and of all tensors at the end.
  void surveyNode(unsigned index);
  void surveyTensors();
  /// Adds a problem of node `index` of the graph.
  void addProblem(unsigned index, const NodeProto &node, llvm::StringRef name,
                  llvm::StringRef reason);
  /// Says why one of the inputs of `node` is not known.
  std::string describeUnknownInput(const NodeProto &node) const;

  /// Returns an error if the type or shape that the model declares for `tensor`
  /// differs from those of the tensor.
  llvm::Error wantDeclared(const ValueInfo &info, const Tensor &tensor,
                           llvm::StringRef what) const;
  llvm::Error checkDeclarations() const;

  //===--------------------------------------------------------------------===//
  // Graphs within nodes
  //===--------------------------------------------------------------------===//

  /// Creates the scope of the graph in the attribute `attribute` of a node.
  static std::shared_ptr<Scope> openScope(const PlacedNode &placed,
                                          llvm::StringRef attribute,
                                          const ScopePointer &outer);
  /// Enters `name`, which a branch defines, in its scope.
  llvm::StringRef define(Scope &scope, llvm::StringRef name);
  /// Adds the names that graphs within attributes read.
  llvm::Error readInnerGraphs(const NodeProto &node, unsigned depth);
  /// If the condition of an If is known, imports the branch that is taken.
  llvm::Error importBranch(NodeImporter &importer, const PlacedNode &placed,
                           unsigned index, const ScopePointer &scope);
  llvm::Error enterBranch(const GraphProto &inner, const NodeImporter &importer,
                          const PlacedNode &placed, unsigned index,
                          const std::shared_ptr<Scope> &scope);
  /// Enters the initializers of a graph within a node, and the names that its
  /// nodes define.
  llvm::Error defineNames(const GraphProto &inner, Scope &scope,
                          const NodeImporter &importer);
  /// Returns a node of a graph within a node, with unique names.
  static PlacedNode place(const NodeProto &innerNode, const OperatorSets *sets,
                          const Scope &scope);
  /// Reads the body and the form of a Loop or a Scan. Returns a problem or "".
  llvm::Expected<std::string>
  readLoop(NodeImporter &importer, const ScopePointer &scope, LoopForm &form);
  class LoopImporter;
  /// Imports a Loop or a Scan if the number of its iterations is known. Returns
  /// a problem or "".
  llvm::Expected<std::string>
  importLoop(NodeImporter &importer, const PlacedNode &placed, unsigned index,
             const ScopePointer &scope, const LoopForm &form);
  /// Whether the nodes that are imported belong to a loop of the function,
  /// which is given up where a node has a problem.
  bool isInLoop() const { return numAttempts != 0; }
  /// Sets the outputs of an If to the tensors that its branch computes.
  llvm::Error leaveBranch(const GraphProto &inner, const PlacedNode &placed,
                          unsigned index, const ScopePointer &scope);

  //===--------------------------------------------------------------------===//
  // Nodes and results
  //===--------------------------------------------------------------------===//

  /// Imports a node of the graph, or of a branch with the scope `scope`.
  virtual llvm::Error importNode(const PlacedNode &placed, unsigned index,
                                 const ScopePointer &scope);
  /// Returns the version of the operator set to which a node belongs.
  static int64_t getOpset(const PlacedNode &placed);
  /// Sets the inputs of a node, and enters its outputs as unknown.
  llvm::Error connect(NodeImporter &importer, bool &isComplete);
  /// Builds the operators for a node whose inputs are all known. Returns the
  /// reason why the node is not supported, or "".
  std::string buildNode(NodeImporter &importer, const PlacedNode &placed,
                        unsigned index, const Operator &info);
  /// Calls `collect` for each known tensor that an omitted node reads.
  void collectUnreadOperands(
      llvm::function_ref<void(llvm::StringRef name, Tensor &)> collect);
  /// The values that the function returns, with their names.
  class Results;
  llvm::Error addOutputs(Results &results);
  llvm::Error finish(mlir::func::FuncOp function);
  /// Adds the return of `values`, and erases operators whose results are not
  /// used.
  void addReturn(mlir::func::FuncOp function, mlir::ValueRange values,
                 llvm::ArrayRef<mlir::DictionaryAttr> attributes);
  /// Creates the module with an empty function `main`.
  mlir::OwningOpRef<mlir::ModuleOp> startModule(mlir::func::FuncOp &function);
  /// Returns an error if `module`, which was built from the graph, fails
  /// verification.
  static llvm::Error verifyModule(mlir::ModuleOp module);
  /// Returns an error if nodes are not supported, unless they may be omitted.
  llvm::Error reportProblems(mlir::ModuleOp module) const;

  const GraphProto &graph;
  llvm::StringRef path;
  const ImportOptions &options;
  const Registry &registry;
  const Runtime &runtime;

  FunctionExpander expander;
  /// The owner of unique names.
  llvm::StringSaver *strings;
  GraphState state;
  /// Initializers that no node has read yet, and those that were read.
  llvm::StringMap<const TensorProto *> initializers, loadedInitializers;
  std::vector<bool> isNeeded;
  OptimizationNotes notes;
  Problems problems;
  /// Of a survey: why tensors are not known, and the declarations of tensors.
  llvm::StringMap<std::string> unknown;
  llvm::StringMap<const ValueInfo *> declarations;
  /// The outputs of nodes that are arguments of the function.
  llvm::StringSet<> assumed;
  /// The branches that were entered.
  std::vector<std::shared_ptr<const GraphProto>> branches;
  /// The Loops and Scans that ONNX Runtime does not run by DirectML.
  Problems onHost;
  /// The largest number of nodes of a loop whose iterations are written out.
  size_t maxWrittenOut = 4096;
  /// The numbers of loops that are being imported, of scopes of iterations, and
  /// of nodes within loops.
  unsigned numAttempts = 0, numIterations = 0, numInLoops = 0;
};

/// Returns the names of the conditions of all Ifs in `graph`, and of the
/// tensors from whose elements the conditions are computed.
llvm::Expected<llvm::StringSet<>> findConditions(const GraphProto &graph);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_GRAPH_GRAPHIMPORTER_H
