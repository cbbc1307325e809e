//===- Explain.h - Which feature level a model needs, and why ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The report about a module: the feature level that each operator needs, which
// operators do not fit a level, and how each of these can be rewritten. The
// report refers to the module and is read before the module changes.
//
//===----------------------------------------------------------------------===//

#ifndef DML_EXPLAIN_EXPLAIN_H
#define DML_EXPLAIN_EXPLAIN_H

#include "dml/IR/DML.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace dml::explain {

/// The report about one op.
struct OpReport {
  FeatureLevelOpInterface op;
  FeatureLevelOpInterface::MinimumLevel minimum;
  /// The level at which the op is to run, if the caller or the module states
  /// one, and the requirements of the op that this level does not meet.
  std::optional<FeatureLevel> target;
  llvm::SmallVector<Requirement> violations;
};

/// A node of a model that ONNX Runtime does not assign to its DirectML
/// provider, although the file has DirectML's operators for it.
struct NotTakenNode {
  /// The operators of the node, in the order of the file.
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::StringRef reason;
};

/// An operator that does not fit the level, and the operators by which
/// legalization replaces it.
struct Legalization {
  FeatureLevelOpInterface op;
  /// The new operators, in their order. There may be none, since an operator
  /// can become views, which are no operators.
  llvm::SmallVector<mlir::OperationName> made;
  /// The reason why the operator cannot be rewritten, or "".
  std::string whyNot;
};

/// Whether a file fits the levels that were asked for.
enum class Verdict {
  /// No level was asked for, and every operation has one.
  None,
  Fits,
  DoesNotFit,
  /// Not known: the verdict depends on sizes that the file leaves open, or the
  /// file contains operations that are not DirectML's, nodes
  /// that cannot be read or that ONNX Runtime's DirectML provider does not
  /// execute, optimizations that are not modelled and could change the
  /// operators, or no operators of DirectML at all.
  Undecided,
};

/// The report about a file.
struct Report {
  /// The level that was asked for.
  std::optional<FeatureLevel> asked;
  llvm::SmallVector<OpReport> ops;
  /// The operations that are not DirectML's.
  llvm::SmallVector<mlir::Operation *> foreign;
  /// Nodes that ONNX Runtime does not assign to DirectML. Their operators are
  /// not in `ops`.
  llvm::SmallVector<NotTakenNode> notTaken;
  /// The kinds of nodes of an ONNX model that could not be read, each with the
  /// reason.
  llvm::SmallVector<llvm::StringRef> unread;
  /// The kinds of nodes that ONNX Runtime runs on the CPU, apart from the
  /// operators of their bodies, which are in `ops`: Loop and Scan.
  llvm::SmallVector<llvm::StringRef> onHost;
  /// Whether the file is an ONNX model, and whether ONNX Runtime's
  /// optimizations were applied. `fused` contains those that have fused
  /// operators, with the number of times.
  bool isONNX = false, isOptimized = false;
  llvm::SmallVector<std::pair<llvm::StringRef, int64_t>> fused;
  /// The optimizations that could fuse more in some versions of ONNX Runtime or
  /// on some processors, each with the newest level that the fused operators
  /// could need, if it is known.
  llvm::SmallVector<std::pair<llvm::StringRef, std::optional<FeatureLevel>>>
      open;
  /// The legalizations of the operators that do not fit, if a level was asked
  /// for. Operators of `notTaken` that cannot be rewritten follow the others.
  llvm::SmallVector<Legalization> legalizations;
  /// Whether the level or the verdict depends on sizes of inputs that the model
  /// leaves open. The report is then about one choice of these sizes.
  bool dependsOnSizes = false;
  /// The oldest level that supports all ops.
  FeatureLevel level = getFeatureLevels().front().level;

  /// Returns the verdict. It is DoesNotFit if any operator does not fit, even
  /// if something else is unknown.
  Verdict getVerdict() const;
  /// Whether everything in the file is known: the file then needs `level`, even
  /// if more operators are fused.
  bool isWhole() const;
  /// Whether a level is known that supports everything in the file.
  bool hasLevel() const { return !ops.empty() && isWhole(); }
  bool hasTarget() const;
  /// Returns the optimizations in `open` that could need a newer level than the
  /// level at which the file is to run.
  llvm::SmallVector<std::pair<llvm::StringRef, std::optional<FeatureLevel>>>
  getUndecidedFusions() const;
};

/// Explains `module`, which was read without being verified, since its
/// operators need not fit the levels that it states. `asked` replaces these
/// levels, if it has a value. The stated levels are removed from the module,
/// which is then verified. Fails if the verification fails.
mlir::FailureOr<Report> explainModule(mlir::ModuleOp module, bool isONNX,
                                      std::optional<FeatureLevel> asked);

/// Copies `module`, rewrites the operators in the copy that do not fit the
/// level that was asked for, and adds the result for each operator to `report`,
/// the report about `module`. The copy is null if an operator cannot be
/// rewritten. It does not state the level yet.
mlir::OwningOpRef<mlir::ModuleOp> legalizeCopy(mlir::ModuleOp module,
                                               Report &report);

/// Makes `legalized`, a result of legalizeCopy(), state the level that was
/// asked for, and verifies that all of its operators fit.
llvm::LogicalResult stateLevel(mlir::ModuleOp legalized, const Report &report);

/// Returns the names of the operations in `legalized` that are not DirectML's,
/// each once.
llvm::SmallVector<llvm::StringRef> getForeignNames(mlir::ModuleOp legalized);

/// Prints the report as text: the verdict and the level first, then what
/// decides them, with numbers of operators. With `withNodes`, a line for each
/// operator follows. Control characters from the file are escaped.
void printText(const Report &report, llvm::raw_ostream &os,
               bool withNodes = false);

/// Returns the report as JSON (docs/FeatureLevelChecks.md describes the
/// schema).
llvm::json::Value toJson(const Report &report);

/// Lists the operators by which an operator is replaced: "2 times dml.gemm,
/// dml.tile".
std::string describeMade(const Legalization &entry);

/// Returns the reason why ONNX Runtime does not assign the node of `op` to its
/// DirectML provider, or "" if it does.
llvm::StringRef getWhyNotTaken(mlir::Operation *op);

/// Returns the symbol of the function that `op` is or that contains `op`, or
/// "".
llvm::StringRef getFunctionName(mlir::Operation *op);

/// Whether `op` needs no operator of DirectML.
bool needsNoOperator(mlir::Operation *op);

/// The place of an operation in its file.
struct Place {
  /// The line and the column, counted from 1, or 0 if the file is not text.
  unsigned line = 0, column = 0;
  /// The name of the node, or "".
  llvm::StringRef node;

  explicit Place(mlir::Operation *op);
};

} // namespace dml::explain

#endif // DML_EXPLAIN_EXPLAIN_H
