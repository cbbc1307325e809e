//===- Programs.h - The programs that a session keeps -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_PROGRAMS_H
#define DML_LIB_SESSION_PROGRAMS_H

#include "Program.h"
#include <condition_variable>
#include <functional>
#include <map>

namespace dml::session {

/// Programs by the sizes of their inputs. A program is made once, on the thread
/// that asks first; other threads that ask for it wait. The programs that were
/// used longest ago are given up where all have more bytes than the budget.
class Programs {
public:
  explicit Programs(uint64_t budget) : budget(budget) {}

  using Maker = std::function<Expected<std::shared_ptr<Program>>()>;
  /// The program `key`, which `make` makes where there is none. A program that
  /// could not be made is tried again by the next call; calls that wait for a
  /// program get the error of who made it, unless that was cancelled.
  Expected<std::shared_ptr<Program>> get(const std::string &key,
                                         const Maker &make);
  /// Gives programs up until the rest is within the budget, but not `used`. A
  /// program that runs stays until the run ends.
  void trim(const Program *used);

  /// The number of programs, and their bytes.
  std::pair<uint32_t, uint64_t> measure();

private:
  struct Entry {
    bool isDone = false;
    std::shared_ptr<Program> program;
    Status status;
    uint64_t lastUse = 0;
  };
  /// The program to give up, or null; `bytes` become those of all programs.
  std::shared_ptr<Entry> findOldest(const Program *used, uint64_t &bytes,
                                    std::string &key);

  const uint64_t budget;
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, std::shared_ptr<Entry>> entries;
  uint64_t clock = 0;
};

} // namespace dml::session

#endif // DML_LIB_SESSION_PROGRAMS_H
