//===- Explain.h - What is said about a file --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLEXPLAIN_EXPLAIN_H
#define DML_TOOLS_DMLEXPLAIN_EXPLAIN_H

#include "dml/IR/DML.h"
#include "llvm/ADT/STLExtras.h"

namespace dml::tools {

/// The report about one op.
struct OpReport {
  FeatureLevelOpInterface op;
  FeatureLevelOpInterface::MinimumLevel minimum;
  /// The level to fit, if one was asked for or stated, and what it lacks.
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

/// What legalization to the target makes of an operator that does not fit.
struct Legalization {
  FeatureLevelOpInterface op;
  /// The operators in its place, in their order.
  llvm::SmallVector<mlir::OperationName> made;
  /// Why there are none.
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
  /// could change the
  /// operators and are not modelled, or no DirectML operators.
  Undecided,
};

/// The report about a file.
struct Report {
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
  /// Of the operators that do not fit, where a level was asked for.
  llvm::SmallVector<Legalization> legalizations;
  /// The operations in the legalized module that are not DirectML's.
  llvm::SmallVector<llvm::StringRef> legalizedForeign;
  /// The oldest level that supports all ops.
  FeatureLevel level = getFeatureLevels().front().level;

  /// The verdict is DoesNotFit as soon as one operator does not fit, whatever
  /// else is unknown.
  Verdict getVerdict() const {
    if (llvm::any_of(ops,
                     [](const OpReport &op) { return !op.violations.empty(); }))
      return Verdict::DoesNotFit;
    if (ops.empty() || !unread.empty() || !foreign.empty() || !notTaken.empty())
      return Verdict::Undecided;
    if (!hasTarget())
      return isWhole() ? Verdict::None : Verdict::Undecided;
    // What could still be fused fits the level that is asked for, too.
    auto fits = [&](FeatureLevel possible) {
      return llvm::all_of(ops, [&](const OpReport &op) {
        return !op.target || possible <= *op.target;
      });
    };
    return llvm::all_of(open,
                        [&](const auto &entry) {
                          return entry.second && fits(*entry.second);
                        })
               ? Verdict::Fits
               : Verdict::Undecided;
  }
  /// Whether the file needs `level`, whatever else is fused.
  bool isWhole() const {
    return unread.empty() && foreign.empty() && notTaken.empty() &&
           llvm::all_of(open, [&](const auto &entry) {
             return entry.second && *entry.second <= level;
           });
  }
  bool hasTarget() const {
    return llvm::any_of(ops,
                        [](const OpReport &op) { return bool(op.target); });
  }
};

/// Why ONNX Runtime's DirectML provider does not take the node that `op` is a
/// part of; "" where it does.
llvm::StringRef getWhyNotTaken(mlir::Operation *op);

/// The symbol of the function that `op` is or stands in, or "".
llvm::StringRef getFunctionName(mlir::Operation *op);

/// Whether DirectML has no operator for `op` because it needs none.
bool needsNoOperator(mlir::Operation *op);

} // namespace dml::tools

#endif // DML_TOOLS_DMLEXPLAIN_EXPLAIN_H
