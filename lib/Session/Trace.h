//===- Trace.h - The times of runs in a file --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A trace in the format of Chrome's trace viewer: an array of JSON objects,
// each an event with a beginning and a duration in microseconds. Runs stand in
// the rows of the process "host", a row for each thread, and the steps of a run
// in the row of the same number in the process "device". The device's clock has
// another beginning than the host's: the first step is put where the host
// submitted the run.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_TRACE_H
#define DML_LIB_SESSION_TRACE_H

#include "Diagnostics.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <thread>

namespace dml::session {

/// A file that receives the runs of a session. Threads may add runs at once.
class Trace {
public:
  static Expected<std::unique_ptr<Trace>> create(const char *path);
  /// Ends the array.
  ~Trace();

  /// Adds a run. The first write that fails is a warning, and ends the trace.
  void add(const DmlRunTimes &times, Messages &messages);

private:
  Trace(const char *path, std::error_code &error);
  void addEvent(const char *name, unsigned process, unsigned row,
                uint64_t begin, uint64_t end, const DmlStepInfo *step);

  std::string path;
  llvm::raw_fd_ostream file;
  std::mutex mutex;
  /// The row of each thread that has run the session.
  std::map<std::thread::id, unsigned> rows;
  /// The time of the first run, from which the trace counts.
  std::optional<uint64_t> origin;
};

} // namespace dml::session

#endif // DML_LIB_SESSION_TRACE_H
