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

private:
  explicit BindingTable(std::shared_ptr<Program> program)
      : program(std::move(program)), submissions(*this->program->device()) {}
  bool isWorking(uint64_t timeout) noexcept override;
  std::shared_ptr<Device> getDevice() const noexcept override {
    return program->device();
  }
  static Expected<Owned<BindingTable>>
  create(std::shared_ptr<Program> program, uint32_t function, bool timestamps);
  Status initialize(bool timestamps);
  void reserveScratch();
  Status createDescriptorSets();
  Status createCommands();

  Status createOwnTemporary();
  Status recordCommands();
  Status recordCommands(uint32_t index);
  /// An error where the function has no such steps.
  Status checkSteps(uint32_t first, uint32_t count) const;

  Status bind(const char *what, const std::string &name, uint64_t wantedSize,
              const DmlBufferRange &range, DmlBufferRange &bound);
  /// Makes descriptors ready for recording; an error where a buffer lacks.
  Status prepare();
  Status checkInPlace();
  Status checkOverlaps();
  void updateDescriptors();
  /// Writes the descriptor set of a step, which is for one iteration or, with
  /// dynamic offsets, for all of them.
  void updateDescriptors(size_t step, uint32_t iteration);
  void recordSteps(VkCommandBuffer commands, uint32_t first, uint32_t count);
  void recordStep(VkCommandBuffer commands, uint32_t number);
  void recordDispatch(VkCommandBuffer commands, StepRun run);
  /// The range that a step names in one iteration, in the buffer that is bound
  /// for it.
  DmlBufferRange resolve(const BufferRange &range, uint32_t iteration) const;
  /// Returns the number of descriptor sets of a step.
  uint32_t countSets(size_t step) const;

  std::shared_ptr<Program> program;
  const Function *function = nullptr;
  const Variant *variant = nullptr;
  std::vector<DmlBufferRange> inputs;
  std::vector<DmlBufferRange> outputs;
  /// The caller's, or else the table's own.
  DmlBufferRange temporary{};
  std::unique_ptr<SplitBuffer> ownTemporary;

  VkDescriptorPool descriptorPool = VK_NULL_HANDLE;
  /// The descriptor sets of all steps. A step has one, or one for each
  /// iteration where its kernel has no dynamic offsets; a copy has none.
  std::vector<VkDescriptorSet> descriptorSets;
  /// The number of the first descriptor set of each step.
  std::vector<uint32_t> firstSets;
  bool descriptorsCurrent = false;
  /// Of the program's constants, for which the descriptors were written.
  uint64_t constantsVersion = UINT64_MAX;

  VkQueryPool queryPool = VK_NULL_HANDLE;
  /// Of each run of a step, whether it was ever recorded.
  std::vector<bool> recorded;

  /// Memory for work that recording does, so that recording allocates none.
  struct {
    std::vector<const DmlBufferRange *> ranges;
    std::vector<size_t> order;
    std::vector<VkDescriptorBufferInfo> descriptors;
    std::vector<uint32_t> offsets;
  } scratch;

  /// The pool of commands, which is made when they are first submitted.
  VkCommandPool commandPool = VK_NULL_HANDLE;
  /// One command buffer, or several where there are many steps.
  std::vector<VkCommandBuffer> commandBuffers;
  bool commandsCurrent = false;
  Submissions submissions;
};

} // namespace dml::runtime

#endif // DML_RUNTIME_BINDINGTABLE_H
