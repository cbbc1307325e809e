//===- Tuner.h - Kernels that the device chooses ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The models of time propose several kernels for a dispatch. The tuner runs
// each of them on the device, and writes the fastest one to a table of kernels,
// which the compiler then uses.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_TUNER_H
#define DML_LIB_SESSION_TUNER_H

#include "Compile.h"
#include "dml/Target/TuningTable.h"
#include "mlir/IR/BuiltinOps.h"
#include <mutex>

namespace dml::session {

/// Returns an empty table for a device and the profile of its programs.
TuningTable makeTable(DmlDevice device, const std::string &profile);

/// Returns in what a table differs from the one that `wanted` is for, such as
/// "for the device 'A', but the session is on 'B'", or "".
std::string describeDifference(const TuningTable &table,
                               const TuningTable &wanted);

class Tuner {
public:
  /// Tunes for `device`, beginning with the kernels of `table`, which are not
  /// measured again.
  Tuner(DmlDevice device, TuningTable table, Messages &messages)
      : device(device), table(std::move(table)),
        met(makeTable(device, this->table.profile)), messages(messages) {}

  /// Measures the kernels for the dispatches of `module`, which were made with
  /// `options` (buildLinalgToDispatchesPipeline), and which stay as they are.
  /// Adds the fastest kernels to the table, and returns its text. Reports the
  /// progress as `begin` to `end` of the work.
  Expected<std::string> tune(mlir::ModuleOp module,
                             const CompilerOptions &options, Progress &progress,
                             float begin, float end);

  /// Returns the table, and the part of it that is about dispatches of modules
  /// that were tuned so far.
  TuningTable getTable();
  TuningTable getMet();

private:
  const DmlDevice device;
  /// One module is tuned at a time, so that measurements do not disturb each
  /// other.
  std::mutex tuning;
  std::mutex mutex;
  TuningTable table, met;
  Messages &messages;
};

} // namespace dml::session

#endif // DML_LIB_SESSION_TUNER_H
