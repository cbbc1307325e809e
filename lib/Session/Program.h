//===- Program.h - A program of a session, ready to run ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_PROGRAM_H
#define DML_LIB_SESSION_PROGRAM_H

#include "Compile.h"
#include "Weights.h"
#include <atomic>
#include <cstdlib>
#include <mutex>

namespace dml::session {

/// Memory that the caller gets, and frees by dmlFreeTensor.
struct FreeMemory {
  void operator()(void *memory) const { std::free(memory); }
};
using HostMemory = std::unique_ptr<void, FreeMemory>;

/// How the runs of a session are waited for and measured.
struct RunSettings {
  /// The longest that a call waits for the device, in nanoseconds.
  uint64_t waitLimit = UINT64_MAX;
  /// Whether the device writes a timestamp before and after each step.
  bool isTimed = false;
};

/// The times of a run: of each step on the device, and of the host in
/// nanoseconds.
struct StepTimes {
  std::vector<DmlStepTime> steps;
  uint64_t submitTime = 0, finishTime = 0;
};

/// A program on a device, with the buffers of all runs in progress. Several
/// threads may run it at the same time.
class Program {
public:
  /// Creates the program of an image, and copies its weights to the device. If
  /// the model is an executable, it takes the place of the image's executable.
  static Expected<std::shared_ptr<Program>>
  create(WeightStore &store, const Model &model, Image image,
         const CallerWeights &caller, const Digest &options,
         const RunSettings &settings, Progress &progress);

  llvm::ArrayRef<DmlTensorInfo> getInputs() const { return inputs; }
  llvm::ArrayRef<DmlTensorInfo> getOutputs() const { return outputs; }

  /// The steps that the device executes in a run. Empty unless runs are timed.
  llvm::ArrayRef<DmlStepInfo> getSteps() const { return steps; }

  /// Runs the program on `inputs`, and stores to those of `outputs` that are
  /// not null. Each tensor has memory or a buffer. If an output has neither,
  /// its memory is allocated in `results`. If runs are timed, `times` receives
  /// the times.
  Status run(llvm::ArrayRef<const DmlSessionTensor *> inputs,
             llvm::ArrayRef<DmlSessionTensor *> outputs,
             std::vector<HostMemory> &results, StepTimes &times);

  /// Bytes of the code, the temporaries and the buffers, without weights.
  uint64_t getBytes() const { return codeBytes + slotBytes * slotCount.load(); }

private:
  /// The objects that one run uses.
  struct Slot {
    std::vector<BufferHandle> inputs, outputs;
    std::vector<DmlBufferRange> boundInputs;
    /// The binding table, which is destroyed first, since its destruction waits
    /// for the work that uses the buffers.
    TableHandle table;
  };

  Program() = default;
  Status initialize(DmlDevice device, const Model &model);
  Status bindWeights();
  /// Finds the steps that the device executes.
  Status findSteps();
  Expected<std::unique_ptr<Slot>> takeSlot();
  void giveSlot(std::unique_ptr<Slot> slot);
  /// Returns memory of the slot for a tensor. `memory` states whether the host
  /// reads or writes it.
  Expected<DmlBufferRange>
  getBuffer(BufferHandle &buffer, const DmlTensorInfo &info, DmlMemory memory);
  Status bindInput(Slot &slot, uint32_t index, const DmlSessionTensor &tensor);
  Status bindOutput(Slot &slot, uint32_t index, const DmlSessionTensor *tensor);
  /// The slot's memory for an output that the caller has no buffer for.
  Expected<DmlBufferRange> getOwnOutput(Slot &slot, uint32_t index,
                                        const DmlSessionTensor *tensor);
  Status readOutputs(Slot &slot, llvm::ArrayRef<DmlSessionTensor *> outputs,
                     std::vector<HostMemory> &results);
  /// Submits the work of a slot and waits for it.
  Status execute(Slot &slot, StepTimes &times);

  DmlDevice device = nullptr;
  /// The bytes of the executable, to which `ownExecutable` refers.
  std::vector<uint8_t> code;
  ExecutableHandle ownExecutable;
  /// The weights, in the order of the executable, which outlive the program.
  std::vector<WeightPointer> weights;
  DmlExecutable executable = nullptr;
  ProgramHandle program;
  uint32_t function = 0;
  RunSettings settings;
  std::vector<DmlTensorInfo> inputs, outputs;
  std::vector<DmlStepInfo> steps;
  /// For each output the input in whose place it is, or UINT32_MAX.
  std::vector<uint32_t> inPlace;
  uint64_t codeBytes = 0, slotBytes = 0;

  std::mutex mutex;
  std::vector<std::unique_ptr<Slot>> idle;
  std::atomic<uint32_t> slotCount = 0;
  /// Slots that are kept for later runs.
  static constexpr size_t mostIdle = 8;
};

} // namespace dml::session

#endif // DML_LIB_SESSION_PROGRAM_H
