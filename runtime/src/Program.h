//===- Program.h - An executable on a device ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_PROGRAM_H
#define DML_RUNTIME_PROGRAM_H

#include "Buffer.h"
#include "Executable.h"

#include <map>

namespace dml::runtime {

/// Immutable once its weights are bound and it is initialized, so thread-safe
/// from then on.
class Program {
public:
  static Expected<std::shared_ptr<Program>>
  create(std::shared_ptr<Device> device,
         std::shared_ptr<const Executable> executable);
  ~Program();
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  /// A layout serves kernels with the same number of bindings.
  struct Layout {
    VkDescriptorSetLayout set = VK_NULL_HANDLE;
    VkPipelineLayout pipeline = VK_NULL_HANDLE;
  };

  const std::shared_ptr<Device> &device() const { return owner; }
  const Executable &executable() const { return *contents; }
  /// The variant of a function that this program runs.
  const Variant &variant(uint32_t function) const {
    return contents->functions[function].variants[variants[function]];
  }
  /// The pipeline of a kernel that such a variant dispatches.
  VkPipeline pipeline(uint32_t kernel) const { return pipelines[kernel]; }
  const Layout &layout(uint32_t kernel) const {
    return layouts.at(contents->kernels[kernel].bindingCount);
  }
  /// The constants, or null where the executable has none.
  const SplitBuffer *constants() const { return constantBuffer.get(); }

  /// Copies the bytes of a weight, which must be its byteSize. The program is
  /// to be initialized afterwards.
  Status bindWeight(uint32_t index, const void *data, size_t size);
  /// Returns an error that names the first weight without bytes, if one has
  /// none.
  Status checkWeights() const;
  /// Returns the same, and an error where the program is not initialized.
  Status checkReady() const;
  void setInitialized() { initialized = true; }

private:
  Program() = default;
  Status createLayout(uint32_t bindingCount);
  Status createConstants();
  /// Returns, for each kernel, whether the chosen variants dispatch it.
  std::vector<bool> findUsedKernels() const;
  Status createPipelines();
  Status createPipeline(size_t index, VkShaderModule module);

  std::shared_ptr<Device> owner;
  std::shared_ptr<const Executable> contents;
  /// The number of the variant of each function.
  std::vector<uint32_t> variants;
  std::map<uint32_t, Layout> layouts;
  std::vector<VkPipeline> pipelines;
  std::unique_ptr<SplitBuffer> constantBuffer;
  /// Of each weight, whether it has bytes.
  std::vector<bool> bound;
  bool initialized = false;
};

/// See dmlInitializeProgram.
Status initializeProgram(const std::shared_ptr<Program> &program);

/// See dmlBindWeightFromFile.
Status bindWeightFromFile(Program &program, uint32_t index,
                          const std::string &path, uint64_t offset);

/// See dmlRunFunction.
Status runFunction(const std::shared_ptr<Program> &program,
                   uint32_t functionIndex, const DmlHostTensor *inputs,
                   uint32_t inputCount, const DmlHostTensor *outputs,
                   uint32_t outputCount);

} // namespace dml::runtime

#endif // DML_RUNTIME_PROGRAM_H
