//===- LoopImporter.h - Loops with known numbers of iterations --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//
// A Loop or a Scan whose number of iterations is known becomes an scf.for,
// whose body is imported once:
//
//   %last, %all = scf.for %i = %zero to %count step %one
//       iter_args(%state = %initial, %rows = %empty) -> (...) {
//     %row = tensor.extract_slice %scanned[%i, 0] [1, 16] [1, 1] : ...
//     ...
//     %written = tensor.insert_slice %new into %rows[%i, 0] [1, 16] [1, 1] :
//     ... scf.yield %next, %written : ...
//   }
//
// The number of the iteration is an element of a sequence of numbers that the
// loop scans. Some bodies cannot be imported once: a shape differs between
// iterations, a size depends on the number of the iteration, or the loop is in
// another one. If they have few iterations, they are written out.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_GRAPH_LOOPIMPORTER_H
#define DML_LIB_IMPORT_ONNX_GRAPH_LOOPIMPORTER_H

#include "Graph/GraphImporter.h"
#include "Graph/LoopForm.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace dml::onnx {

/// Imports one Loop or Scan.
class GraphImporter::LoopImporter {
public:
  LoopImporter(GraphImporter &graph, NodeImporter &importer,
               const PlacedNode &placed, unsigned index,
               const ScopePointer &scope, const LoopForm &form)
      : graph(graph), state(graph.state), importer(importer), placed(placed),
        index(index), outer(scope), form(form) {}

  /// Sets the outputs of the node. Returns a problem or "".
  llvm::Expected<std::string> run();

private:
  using Outcome = llvm::Expected<std::string>;
  /// Why DirectML has no operator for what the loop itself does with tensors.
  static constexpr llvm::StringLiteral writtenOnHost =
      "ONNX Runtime counts iterations, and takes and collects their tensors, "
      "on the CPU";
  static constexpr llvm::StringLiteral computedCondition =
      "its condition is computed when the model runs, but a program's loops "
      "have fixed numbers of iterations";

  //===--------------------------------------------------------------------===//
  // What is known of the loop
  //===--------------------------------------------------------------------===//

  /// Finds the number of iterations. Returns a problem or "".
  std::string findCount();
  /// Returns the only integer in input `index`, or nothing if it is left out,
  /// or if it is not known, which sets `problem`.
  std::optional<int64_t> getInteger(unsigned index, llvm::StringRef what,
                                    std::string &problem);
  /// Whether the body hands the tensor on as it is.
  bool isPassedThrough(const LoopForm::Carried &carried) const;
  /// Finds the nodes of the body whose results are read.
  llvm::Error findNeededNodes();
  llvm::StringRef getOutputName(size_t number) const;
  bool isRead(const LoopForm::Collected &collected) const {
    return !getOutputName(collected.output).empty();
  }

  //===--------------------------------------------------------------------===//
  // The body
  //===--------------------------------------------------------------------===//

  /// Calls `build`, and forgets what it has noted if it has a problem.
  Outcome attempt(llvm::function_ref<Outcome()> build);
  /// Opens a scope for the names of an iteration.
  llvm::Error openIteration();
  void enter(llvm::StringRef name, Tensor tensor);
  static Tensor makeIntegers(Shape shape, llvm::ArrayRef<int64_t> elements);
  static Tensor makeTrue();
  /// Imports the nodes of the body.
  llvm::Expected<std::string> importBody();
  /// Returns the tensor `name` of the body, or null, with `problem` set, if the
  /// tensor is not known.
  llvm::Expected<const Tensor *> findOutput(llvm::StringRef name,
                                            std::string &problem);
  /// Returns whether there is another iteration, as the body computes it.
  llvm::Expected<std::optional<bool>> findCondition();
  void setOutput(size_t number, Tensor tensor);

  //===--------------------------------------------------------------------===//
  // Loops of the function
  //===--------------------------------------------------------------------===//

  Outcome buildLoop();
  /// Enters the tensors that the loop carries, scans and counts.
  void startLoop();
  void enterScanned();
  void enterIterationNumber();
  Outcome finishLoop();
  Outcome yieldCarried(llvm::SmallVectorImpl<mlir::Value> &yielded);
  Outcome findCollected(llvm::SmallVectorImpl<mlir::Value> &rows);
  std::string findLimit();
  void setLoopOutputs();
  void appendCollected(mlir::ValueRange rows);
  mlir::Value getIndex(int64_t value);
  /// Returns the number of the row for the iteration.
  mlir::Value getRow(bool isReversed);
  /// Returns the row of `rows` for the iteration, with the shape `shape`.
  mlir::Value readRow(mlir::Value rows, bool isReversed,
                      llvm::ArrayRef<int64_t> shape);

  //===--------------------------------------------------------------------===//
  // Iterations that are written out
  //===--------------------------------------------------------------------===//

  Outcome writeOut();
  Outcome writeIteration(int64_t number);
  /// Sets the outputs without any iteration.
  Outcome writeNone();
  llvm::Error sliceScanned(int64_t number);
  Outcome stack(const LoopForm::Collected &collected,
                llvm::ArrayRef<Tensor> rows);
  llvm::StringRef addName();
  llvm::StringRef addList(llvm::ArrayRef<int64_t> list);
  llvm::Error importPart(llvm::StringRef type,
                         llvm::ArrayRef<llvm::StringRef> inputs,
                         llvm::StringRef output,
                         std::optional<int64_t> axis = std::nullopt);

  GraphImporter &graph;
  GraphState &state;
  NodeImporter &importer;
  const PlacedNode &placed;
  unsigned index;
  ScopePointer outer;
  const LoopForm &form;
  /// The number of iterations if nothing ends the loop before.
  std::optional<int64_t> count;
  std::vector<bool> isNeeded;
  size_t numNeeded = 0;

  std::shared_ptr<Scope> scope;
  mlir::scf::ForOp loop;
  /// The tensors that an iteration hands to the next one.
  std::vector<Tensor> carried;
  /// The tensors of iterations that are written out.
  std::vector<std::vector<Tensor>> rows;
};

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_GRAPH_LOOPIMPORTER_H
