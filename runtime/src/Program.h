//===- Program.h - An executable on a device ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_PROGRAM_H
#define DML_RUNTIME_PROGRAM_H

#include "Constants.h"
#include "Executable.h"

#include <map>

namespace dml::runtime {

/// A program. It is immutable after its weights have been bound and it has been
/// initialized, and may then be used by several threads.
class Program : public DeviceObject {
public:
  /// Returns a program with pipelines and without memory: nothing can be bound,
  /// and nothing runs.
  static Expected<std::shared_ptr<Program>>
  compile(std::shared_ptr<Device> device,
          std::shared_ptr<const Executable> executable);
  static Expected<std::shared_ptr<Program>>
  create(std::shared_ptr<Device> device,
         std::shared_ptr<const Executable> executable);
  ~Program() override;
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  /// For each binding of a kernel, whether commands state its offset, since it
  /// advances in a loop.
  using Dynamic = std::vector<bool>;
  /// A layout serves kernels with the same bindings.
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
  /// Other kernels have none.
  VkPipeline pipeline(uint32_t kernel) const { return pipelines[kernel]; }
  const Dynamic &dynamicBindings(uint32_t kernel) const {
    return dynamic[kernel];
  }
  const Layout &layout(uint32_t kernel) const {
    return layouts.at(dynamic[kernel]);
  }
  const Constants &constants() const { return *constantSpace; }

  /// These bind a weight. The program is to be initialized afterwards.
  Status bindWeight(uint32_t index, const void *data, size_t size);
  Status bindWeight(uint32_t index, const DmlBufferRange &source);
  Status bindWeightInPlace(uint32_t index, const DmlBufferRange &place);
  /// Copies a part of a weight, which is bound once all of it is there.
  Status writeWeight(uint32_t index, uint64_t offset, const void *data,
                     size_t size);
  /// Makes memory for all constants that have none.
  Status provideConstants();
  /// Returns an error that names the first weight that has no bytes, if there
  /// is one.
  Status checkWeights() const;
  /// Returns an error like checkWeights(), or an error if the program is not
  /// initialized.
  Status checkReady() const;
  void setInitialized() { initialized = true; }

private:
  Program() = default;
  std::shared_ptr<Device> getDevice() const noexcept override { return owner; }
  void findDynamicBindings();
  Status createLayout(const Dynamic &bindings);
  void describeConstants();
  /// An error where there is no such weight.
  Status checkWeight(uint32_t index) const;
  /// Begins to bind a weight by a copy.
  Status beginCopy(uint32_t index);
  /// Returns, for each kernel, whether the chosen variants dispatch it.
  std::vector<bool> findUsedKernels() const;
  Status createPipelines();
  Status createPipeline(size_t index, VkShaderModule module);

  std::shared_ptr<Device> owner;
  std::shared_ptr<const Executable> contents;
  /// The number of the variant of each function.
  std::vector<uint32_t> variants;
  /// Of each kernel.
  std::vector<Dynamic> dynamic;
  std::map<Dynamic, Layout> layouts;
  std::vector<VkPipeline> pipelines;
  std::unique_ptr<Constants> constantSpace;
  /// Whether the bytes that the executable has are there.
  bool hasStoredConstants = false;
  struct WeightState {
    bool isBound = false;
    /// The bytes of it that were written, from the first on.
    uint64_t written = 0;
  };
  std::vector<WeightState> weightStates;
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
