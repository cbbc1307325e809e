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
  /// An error where the function has no such steps.
  Status checkSteps(uint32_t first, uint32_t count) const;

  Status bind(const char *what, const std::string &name, uint64_t wantedSize,
              const DmlBufferRange &range, DmlBufferRange &bound);
  /// Makes descriptors ready for recording; an error where a buffer lacks.
  Status prepare();
  Status checkInPlace();
  Status checkOverlaps();
  void updateDescriptors();
  void recordSteps(VkCommandBuffer commands, uint32_t first, uint32_t count);
  void recordStep(VkCommandBuffer commands, size_t index);
  /// The range that a step names, in the buffer that is bound for it.
  DmlBufferRange resolve(const BufferRange &range) const;

  std::shared_ptr<Program> program;
  const Function *function = nullptr;
  const Variant *variant = nullptr;
  std::vector<DmlBufferRange> inputs;
  std::vector<DmlBufferRange> outputs;
  /// The caller's, or else the table's own.
  DmlBufferRange temporary{};
  std::unique_ptr<SplitBuffer> ownTemporary;

  VkDescriptorPool descriptorPool = VK_NULL_HANDLE;
  /// The descriptor set of each step; null for a copy.
  std::vector<VkDescriptorSet> descriptorSets;
  bool descriptorsCurrent = false;
  /// Of the program's constants, for which the descriptors were written.
  uint64_t constantsVersion = UINT64_MAX;

  VkQueryPool queryPool = VK_NULL_HANDLE;
  /// Of each step, whether it was ever recorded.
  std::vector<bool> recorded;

  /// Memory for work that recording does, so that recording allocates none.
  struct {
    std::vector<const DmlBufferRange *> ranges;
    std::vector<size_t> order;
    std::vector<VkDescriptorBufferInfo> descriptors;
  } scratch;

  /// The pool of commands, which is made when they are first submitted.
  VkCommandPool commandPool = VK_NULL_HANDLE;
  VkCommandBuffer commandBuffer = VK_NULL_HANDLE;
  bool commandsCurrent = false;
  Submissions submissions;
};

} // namespace dml::runtime

#endif // DML_RUNTIME_BINDINGTABLE_H
