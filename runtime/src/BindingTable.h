//===- BindingTable.h - A function with its buffers -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_BINDINGTABLE_H
#define DML_RUNTIME_BINDINGTABLE_H

#include "Program.h"
#include "Submissions.h"

namespace dml::runtime {

/// A binding table is used by one thread at a time.
class BindingTable : public DeviceObject {
public:
  static Expected<Owned<BindingTable>>
  create(std::shared_ptr<Program> program,
         const DmlBindingTableCreateInfo &info);
  /// A table of the initialization, which the executable must have.
  static Expected<Owned<BindingTable>>
  createForInitialization(std::shared_ptr<Program> program);
  ~BindingTable() override;
  BindingTable(const BindingTable &) = delete;
  BindingTable &operator=(const BindingTable &) = delete;

  Status bindInput(uint32_t index, const DmlBufferRange &range);
  Status bindOutput(uint32_t index, const DmlBufferRange &range);
  /// Null is memory of the table's own.
  Status bindTemporary(const DmlBufferRange *range);

  /// These two allocate nothing where they succeed.
  Status record(VkCommandBuffer commands);
  Status record(VkCommandBuffer commands, uint32_t first, uint32_t count);
  Status submit(const DmlSubmitInfo *info);
  Status wait(uint64_t timeout);
  Status getStepTimes(uint32_t first, uint32_t count, DmlStepTime *times);
  Expected<uint64_t> getRunTime();

private:
  /// What timestamps are written around.
  enum class Timed { Nothing, Run, Steps };

  explicit BindingTable(std::shared_ptr<Program> program)
      : program(std::move(program)), submissions(*this->program->device()) {}
  bool isWorking(uint64_t timeout) noexcept override;
  std::shared_ptr<Device> getDevice() const noexcept override {
    return program->device();
  }
  static Expected<Owned<BindingTable>> create(std::shared_ptr<Program> program,
                                              uint32_t function, Timed timed);

  /// A range that is bound. The number is that of its buffer
  /// (Device::KnownBuffer).
  struct BoundRange {
    DmlBufferRange range{};
    uint64_t number = 0;
    std::shared_ptr<UseCount> uses;

    /// Whether the two are known to be the same bytes of the same buffer. A
    /// buffer of the caller is never known to be the same, since another
    /// buffer may have received its handle.
    bool isKnownAs(const BoundRange &other) const {
      return number != 0 && number == other.number &&
             range.offset == other.range.offset &&
             range.size == other.range.size;
    }
  };

  /// The function for the ranges that were bound: its descriptors and, where it
  /// was submitted, its commands.
  struct Recording {
    VkDescriptorPool descriptorPool = VK_NULL_HANDLE;
    /// The descriptor sets of all steps. A step has one, or one for each
    /// iteration where its kernel has no dynamic offsets; a copy has none.
    std::vector<VkDescriptorSet> descriptorSets;
    /// One command buffer, or several where there are many steps.
    std::vector<VkCommandBuffer> commandBuffers;
    /// Whether the descriptors and the commands are those of `bound`.
    bool hasDescriptors = false;
    bool hasCommands = false;
    std::vector<BoundRange> bound;
    /// The buffers of `bound` that the runtime has made; null before the first
    /// submission with them.
    std::shared_ptr<const Submissions::Uses> uses;
    /// Of the program's constants, for which the descriptors were written.
    uint64_t constantsVersion = 0;
    uint64_t lastUse = 0;
  };
  /// A table keeps the recordings of its last bindings, since callers bind a
  /// few sets of buffers in turn: the past and the present state of a step are
  /// the present and the past state of the next step. A recording of 400 steps
  /// takes some 100 KB.
  static constexpr size_t mostRecordings = 4;

  Status initialize(Timed wanted);
  void reserveScratch();
  Status addRecording();
  Status createDescriptorSets(Recording &recording);
  Status createCommands(Recording &recording);

  Status createOwnTemporary();
  /// Forgets what all recordings name.
  void dropRecordings();
  Status recordCommands(Recording &recording);
  Status recordCommands(VkCommandBuffer commands, uint32_t index);
  /// An error where the function has no such steps.
  Status checkSteps(uint32_t first, uint32_t count) const;

  Status bind(const char *what, const std::string &name, uint64_t wantedSize,
              const DmlBufferRange &range, BoundRange &bound);
  /// Chooses the recording for what is bound, and makes its descriptors ready;
  /// an error where a buffer lacks. A recording is added, and work in progress
  /// is waited for, only where `isSubmission`.
  Status prepare(bool isSubmission);
  Status chooseRecording(bool canAdd);
  /// The recording to write anew, or null if all have known buffers.
  Recording *findUnknownRecording();
  Status checkBound() const;
  Status checkInPlace();
  Status checkOverlaps();
  void updateDescriptors(Recording &recording);
  /// Writes the descriptor set of a step, which is for one iteration or, with
  /// dynamic offsets, for all of them.
  void updateDescriptors(Recording &recording, size_t step, uint32_t iteration);
  void recordSteps(VkCommandBuffer commands, uint32_t first, uint32_t count);
  /// Write the timestamps of a run, if there are any.
  void recordBegin(VkCommandBuffer commands);
  void recordEnd(VkCommandBuffer commands);
  void recordTimestamp(VkCommandBuffer commands, uint32_t query);
  /// Reads timestamps, and counts nanoseconds from the first one on.
  Status readTimestamps(uint32_t first, std::vector<uint64_t> &nanoseconds);
  void recordStep(VkCommandBuffer commands, uint32_t number);
  void recordDispatch(VkCommandBuffer commands, StepRun run);
  const DmlBufferRange &boundInput(size_t index) const {
    return bound[index].range;
  }
  const DmlBufferRange &boundOutput(size_t index) const {
    return bound[function->inputs.size() + index].range;
  }
  const DmlBufferRange &boundTemporary() const { return bound.back().range; }
  /// The range that a step names in one iteration, in the buffer that is bound
  /// for it.
  DmlBufferRange resolve(const BufferRange &range, uint32_t iteration) const;
  /// Returns the number of descriptor sets of a step.
  uint32_t countSets(size_t step) const;

  std::shared_ptr<Program> program;
  const Function *function = nullptr;
  const Variant *variant = nullptr;
  /// The inputs, then the outputs, and then the temporary buffer, which is the
  /// caller's, or else the table's own.
  std::vector<BoundRange> bound;
  std::unique_ptr<SplitBuffer> ownTemporary;

  /// At least one. Their addresses remain.
  std::vector<std::unique_ptr<Recording>> recordings;
  /// The recording for `bound`, or null if something was bound since.
  Recording *current = nullptr;
  uint64_t lastUse = 0;
  /// The number of the first descriptor set of each step, in all recordings.
  std::vector<uint32_t> firstSets;

  /// What the caller wants to be timed. There is no query pool if this is
  /// nothing, or if the function has no steps.
  Timed timed = Timed::Nothing;
  VkQueryPool queryPool = VK_NULL_HANDLE;
  /// Whether the timestamps of a run were ever recorded.
  bool isRunRecorded = false;
  /// Of each run of a step, whether it was ever recorded.
  std::vector<bool> recorded;

  /// Memory for work that recording does, so that recording allocates none.
  struct {
    std::vector<size_t> order;
    std::vector<VkDescriptorBufferInfo> descriptors;
    std::vector<uint32_t> offsets;
  } scratch;

  /// The pool of commands, which is made when they are first submitted.
  VkCommandPool commandPool = VK_NULL_HANDLE;
  Submissions submissions;
};

} // namespace dml::runtime

#endif // DML_RUNTIME_BINDINGTABLE_H
