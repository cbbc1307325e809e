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

/// How a file fits the levels that were asked for.
enum class Verdict {
  /// No level was asked for, and every operation has one.
  None,
  Fits,
  DoesNotFit,
  /// There are operations that are not DirectML's, or no DirectML operators.
  Undecided,
};

/// The report about a file.
struct Report {
  llvm::SmallVector<OpReport> ops;
  /// The operations that are not DirectML's.
  llvm::SmallVector<mlir::Operation *> foreign;
  /// The oldest level that supports all ops.
  FeatureLevel level = getFeatureLevels().front().level;

  /// The verdict is DoesNotFit as soon as one operator does not fit, whatever
  /// else is unknown.
  Verdict getVerdict() const {
    if (llvm::any_of(ops,
                     [](const OpReport &op) { return !op.violations.empty(); }))
      return Verdict::DoesNotFit;
    if (ops.empty() || !foreign.empty())
      return Verdict::Undecided;
    return hasTarget() ? Verdict::Fits : Verdict::None;
  }
  bool hasTarget() const {
    return llvm::any_of(ops,
                        [](const OpReport &op) { return bool(op.target); });
  }
};

/// The symbol of the function that `op` is or stands in, or "".
llvm::StringRef getFunctionName(mlir::Operation *op);

/// Whether DirectML has no operator for `op` because it needs none.
bool needsNoOperator(mlir::Operation *op);

} // namespace dml::tools

#endif // DML_TOOLS_DMLEXPLAIN_EXPLAIN_H
