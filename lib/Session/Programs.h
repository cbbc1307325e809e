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

/// The programs of a session, by the sizes of their inputs. The thread that
/// first needs a program creates it, and other threads that need it wait. If
/// all programs together exceed the budget, those that were used longest ago
/// are destroyed.
class Programs {
public:
  explicit Programs(uint64_t budget) : budget(budget) {}
  /// Is called before the first program is made.
  void setBudget(uint64_t bytes) { budget = bytes; }

  using Maker = std::function<Expected<std::shared_ptr<Program>>()>;
  /// Returns the program `key`, which `make` creates if there is none. If this
  /// fails, calls that wait for the program get the same error, unless the work
  /// was cancelled, and the next call tries again.
  Expected<std::shared_ptr<Program>> get(const std::string &key,
                                         const Maker &make);
  /// Destroys programs other than `used` until the rest is within the budget. A
  /// program in use is destroyed when its runs have ended.
  void trim(const Program *used);

  /// Returns the number of programs, and their total size in bytes.
  std::pair<uint32_t, uint64_t> measure();

private:
  struct Entry {
    bool isDone = false;
    std::shared_ptr<Program> program;
    Status status;
    uint64_t lastUse = 0;
  };
  /// Returns the program to destroy next, or null. Sets `bytes` to the total
  /// size of all programs.
  std::shared_ptr<Entry> findOldest(const Program *used, uint64_t &bytes,
                                    std::string &key);

  uint64_t budget;
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, std::shared_ptr<Entry>> entries;
  uint64_t clock = 0;
};

} // namespace dml::session

#endif // DML_LIB_SESSION_PROGRAMS_H
