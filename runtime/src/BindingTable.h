//===- BindingTable.h - A function with its buffers -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_BINDINGTABLE_H
#define DML_RUNTIME_BINDINGTABLE_H

#include "Program.h"

namespace dml::runtime {

/// A binding table is used by one thread at a time.
class BindingTable {
public:
  static Expected<std::unique_ptr<BindingTable>>
  create(std::shared_ptr<Program> program,
         const DmlBindingTableCreateInfo &info);
  ~BindingTable();
  BindingTable(const BindingTable &) = delete;
  BindingTable &operator=(const BindingTable &) = delete;

  Status bindInput(uint32_t index, const DmlBufferRange &range);
  Status bindOutput(uint32_t index, const DmlBufferRange &range);
  Status bindTemporary(const DmlBufferRange &range);

  Status record(VkCommandBuffer commands);
  Status submit();
  Status wait(uint64_t timeout);
  Status getStepTimes(DmlStepTime *times, uint32_t count);

private:
  BindingTable() = default;
  Status initialize(bool timestamps);
  Status createDescriptorSets();
  Status createCommands();

  Status bind(const char *what, const std::string &name, uint64_t wantedSize,
              const DmlBufferRange &range, DmlBufferRange &bound);
  /// Makes descriptors ready for recording; an error where a buffer lacks.
  Status prepare();
  Status checkOverlaps() const;
  void updateDescriptors();
  void recordSteps(VkCommandBuffer commands);
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

  VkQueryPool queryPool = VK_NULL_HANDLE;
  bool everRecorded = false;

  /// The pool of commands, which is made when they are first submitted.
  VkCommandPool commandPool = VK_NULL_HANDLE;
  VkCommandBuffer commandBuffer = VK_NULL_HANDLE;
  VkFence fence = VK_NULL_HANDLE;
  bool commandsCurrent = false;
  bool pending = false;
};

} // namespace dml::runtime

#endif // DML_RUNTIME_BINDINGTABLE_H
