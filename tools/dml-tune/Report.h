//===- Report.h - What tuning gains -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLTUNE_REPORT_H
#define DML_TOOLS_DMLTUNE_REPORT_H

#include "dml/Target/TuningTable.h"
#include "llvm/Support/raw_ostream.h"

namespace dml::tools {

/// The times of a network's dispatches with the kernels that the models of time
/// choose, and with the fastest ones.
struct TuningTotals {
  /// The sums over all uses of all measured dispatches.
  double modelMicroseconds = 0, microseconds = 0;
  /// The geometric mean, over the dispatches, of the time of the model's kernel
  /// divided by the least time: 1 if the models are always right.
  double meanRegret = 1;
  /// The number of dispatches for which another kernel is faster.
  size_t changed = 0;

  static TuningTotals get(const TuningTable &table);
};

/// Prints a line for each dispatch, those with the greatest loss first, and the
/// totals.
void printReport(const TuningTable &table, llvm::raw_ostream &os);

/// Prints the same as JSON.
void printJsonReport(const TuningTable &table, llvm::raw_ostream &os);

} // namespace dml::tools

#endif // DML_TOOLS_DMLTUNE_REPORT_H
