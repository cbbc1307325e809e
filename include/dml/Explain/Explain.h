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
  /// The level to fit, if one was asked for or stated, and the requirements of
  /// the op that this level does not meet.
  std::optional<FeatureLevel> target;
  llvm::SmallVector<Requirement> violations;
};

/// A node of a model that ONNX Runtime's DirectML provider does not take,
/// though the file has DirectML's operators for it.
struct NotTakenNode {
  /// In the order of the file.
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::StringRef reason;
};

/// The operators that legalization puts in place of one that does not fit.
struct Legalization {
  FeatureLevelOpInterface op;
  /// The operators in its place, in their order. An operator may become views
  /// alone, which are no operators.
  llvm::SmallVector<mlir::OperationName> made;
  /// Why the operator cannot be rewritten, or "".
  std::string whyNot;
};

/// How a file fits the levels that were asked for.
enum class Verdict {
  /// No level was asked for, and every operation has one.
  None,
  Fits,
  DoesNotFit,
  /// There are operations that are not DirectML's, nodes that cannot be read or
  /// that ONNX Runtime's DirectML provider does not take, optimizations that
  /// could change the operators and are not modelled, or no DirectML operators.
  Undecided,
};

/// The report about a file.
struct Report {
  /// The level that was asked for.
  std::optional<FeatureLevel> asked;
  llvm::SmallVector<OpReport> ops;
  /// The operations that are not DirectML's.
  llvm::SmallVector<mlir::Operation *> foreign;
  /// Nodes whose operators nobody asks DirectML for. `ops` has none of these.
  llvm::SmallVector<NotTakenNode> notTaken;
  /// Nodes of an ONNX model that could not be read, by kind, with the reasons.
  llvm::SmallVector<llvm::StringRef> unread;
  /// Whether the file is an ONNX model; ONNX Runtime's optimizations of it that
  /// fused operators, and how often.
  bool isONNX = false, isOptimized = false;
  llvm::SmallVector<std::pair<llvm::StringRef, int64_t>> fused;
  /// Those that could fuse more in some versions of ONNX Runtime or on some
  /// processors, with the newest level that this could need, where it is known.
  llvm::SmallVector<std::pair<llvm::StringRef, std::optional<FeatureLevel>>>
      open;
  /// Of the operators that do not fit, where a level was asked for. The operators
  /// of `notTaken` follow the others where they cannot be rewritten.
  llvm::SmallVector<Legalization> legalizations;
  /// The oldest level that supports all ops.
  FeatureLevel level = getFeatureLevels().front().level;

  /// The verdict is DoesNotFit as soon as one operator does not fit, whatever
  /// else is unknown.
  Verdict getVerdict() const;
  /// Whether the file needs `level`, whatever else is fused.
  bool isWhole() const;
  /// Whether a level is known that supports everything in the file.
  bool hasLevel() const { return !ops.empty() && isWhole(); }
  bool hasTarget() const;
  /// The optimizations among `open` that could need a newer level than the one
  /// to fit.
  llvm::SmallVector<std::pair<llvm::StringRef, std::optional<FeatureLevel>>>
  getUndecidedFusions() const;
};

/// Explains `module`, which was read without being verified: an operator need
/// not fit the level that the module states. The stated levels are taken off
/// the module, and the rest is verified, which is where explaining can fail.
/// `asked` stands for the stated levels, where it has a value.
mlir::FailureOr<Report> explainModule(mlir::ModuleOp module, bool isONNX,
                                      std::optional<FeatureLevel> asked);

/// Rewrites the operators in a copy of `module` that do not fit the level that
/// was asked for, and adds what became of each to `report`, which is of
/// `module`. The copy is null where an operator cannot be rewritten. The level
/// is not yet stated in the copy.
mlir::OwningOpRef<mlir::ModuleOp> legalizeCopy(mlir::ModuleOp module,
                                               Report &report);

/// States the level that was asked for in `legalized`, which legalizeCopy made,
/// and verifies that all of its operators fit.
llvm::LogicalResult stateLevel(mlir::ModuleOp legalized, const Report &report);

/// The names of the operations in `legalized` that are not DirectML's, each
/// once.
llvm::SmallVector<llvm::StringRef> getForeignNames(mlir::ModuleOp legalized);

/// Prints the report as lines of text, in which the file's control characters
/// are escaped.
void printText(const Report &report, llvm::raw_ostream &os);

/// The report as JSON (docs/FeatureLevelChecks.md has the schema).
llvm::json::Value toJson(const Report &report);

/// Lists the operators that `entry` becomes: "2 times dml.gemm, dml.tile".
std::string describeMade(const Legalization &entry);

/// Why ONNX Runtime's DirectML provider does not take the node that `op` is a
/// part of; "" where it does.
llvm::StringRef getWhyNotTaken(mlir::Operation *op);

/// The symbol of the function that `op` is or stands in, or "".
llvm::StringRef getFunctionName(mlir::Operation *op);

/// Whether DirectML has no operator for `op` because it needs none.
bool needsNoOperator(mlir::Operation *op);

/// The place of an operation in its file.
struct Place {
  /// Counted from 1, or 0 where the file is no text.
  unsigned line = 0, column = 0;
  /// The name of the node, or "".
  llvm::StringRef node;

  explicit Place(mlir::Operation *op);
};

} // namespace dml::explain

#endif // DML_EXPLAIN_EXPLAIN_H
