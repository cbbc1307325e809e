//===- Progress.h - What a tool is doing ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_PROGRESS_H
#define DML_TOOLS_SUPPORT_PROGRESS_H

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace dml::tools {

/// Whether what is written to `descriptor` goes to a terminal.
bool isTerminal(int descriptor);

/// Prints the work that takes longer than two seconds, and its time so far, in
/// a line of a terminal that is removed at the end. Prints nothing if standard
/// error is no terminal.
class Progress {
public:
  /// Writes to `descriptor`, which is standard error outside of tests.
  explicit Progress(
      std::string tool, int descriptor = 2,
      std::chrono::milliseconds patience = std::chrono::milliseconds(2000));
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// Begins `work`, which lasts until the next call.
  void begin(const std::string &work);
  /// Says what part of the work is done, such as "running, 2 of 9 times": the
  /// time goes on from the last call of begin().
  void advance(const std::string &work);
  /// Removes the line, before other text is written.
  void clear();

private:
  using Clock = std::chrono::steady_clock;

  void run();
  void set(const std::string &work, bool isNew);
  void write(const std::string &text);

  std::string tool;
  int descriptor;
  std::chrono::milliseconds patience;
  std::mutex mutex;
  std::condition_variable changed;
  std::string work;
  Clock::time_point start;
  bool isShown = false;
  bool isOver = false;
  /// The thread that writes, where there is a terminal.
  std::thread thread;
};

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_PROGRESS_H
