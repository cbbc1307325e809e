//===- Submissions.h - What was submitted and may not have finished -------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_SUBMISSIONS_H
#define DML_RUNTIME_SUBMISSIONS_H

#include "Device.h"
#include <chrono>

namespace dml::runtime {

/// The submissions of a table's command buffers, identified by their fences. A
/// fence is reused after its submission has finished, so that there are at most
/// DML_MAX_SUBMISSIONS fences. The object is used by one thread at a time.
class Submissions {
public:
  explicit Submissions(Device &device) : device(device) {}
  /// All submissions must have finished, or the device be lost.
  ~Submissions();
  Submissions(const Submissions &) = delete;
  Submissions &operator=(const Submissions &) = delete;

  /// The buffers that submissions with the same bindings use.
  using Uses = std::vector<std::shared_ptr<UseCount>>;

  /// Submits the commands with the semaphores of `info`, which may be null. The
  /// commands use the buffers of `uses`, which counts the submission until it
  /// is known to have finished.
  Status submit(const std::vector<VkCommandBuffer> &commands,
                const DmlSubmitInfo *info, std::shared_ptr<const Uses> uses);
  /// Waits for all submissions.
  VkResult wait(uint64_t timeout) noexcept;
  bool areRunning() const { return !running.empty(); }

private:
  using Clock = std::chrono::steady_clock;

  Status provideIdleFence();
  /// Notes that the first `count` of the running submissions have finished.
  void finish(size_t count) noexcept;

  Device &device;
  /// The fences of submissions that may not have finished, with the earliest
  /// first, and what each of them uses.
  std::vector<VkFence> running;
  std::vector<std::shared_ptr<const Uses>> usesOfRunning;
  std::vector<VkFence> idle;
  /// When the last submission was made, and the nanoseconds from there to the
  /// end of the work, by the waits before; 0 if they are unknown.
  Clock::time_point submitted;
  uint64_t expected = 0;
};

} // namespace dml::runtime

#endif // DML_RUNTIME_SUBMISSIONS_H
