//===- Program.h - A program of a session, ready to run ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_PROGRAM_H
#define DML_LIB_SESSION_PROGRAM_H

#include "Compile.h"
#include "Image.h"
#include <atomic>
#include <mutex>

namespace dml::session {

/// The weights that the caller of a session has, by their names.
struct CallerWeights {
  llvm::StringMap<llvm::ArrayRef<char>> bytes;
  /// The file of weights beside an executable, or "".
  std::string path;
};

/// A program on a device, with the buffers of the runs that are going on. May
/// run on many threads at once.
class Program {
public:
  /// Creates the program of an image, whose weights are bound.
  static Expected<std::shared_ptr<Program>>
  create(DmlDevice device, const Model &model, Image image,
         const CallerWeights &weights, Progress &progress);
  /// The same of a model that is an executable.
  static Expected<std::shared_ptr<Program>>
  create(DmlDevice device, const Model &model, DmlExecutable executable,
         const CallerWeights &weights, Progress &progress);

  llvm::ArrayRef<DmlTensorInfo> getInputs() const { return inputs; }
  llvm::ArrayRef<DmlTensorInfo> getOutputs() const { return outputs; }

  /// Runs the program on inputs, and on outputs where they are not null. The
  /// tensors have either memory or a buffer; where an output has neither,
  /// `results` gets memory for it, which std::free frees.
  Status run(llvm::ArrayRef<const DmlSessionTensor *> inputs,
             llvm::ArrayRef<DmlSessionTensor *> outputs,
             std::vector<void *> &results);

  /// Bytes of the code, the temporaries and the buffers, without weights.
  uint64_t getBytes() const { return codeBytes + slotBytes * slotCount.load(); }

private:
  /// What one run uses at a time.
  struct Slot {
    std::vector<BufferHandle> inputs, outputs;
    std::vector<DmlBufferRange> boundInputs, boundOutputs;
    /// Destroyed first: it waits for the work that uses the buffers.
    TableHandle table;
  };

  Program() = default;
  Status initialize(DmlDevice device, const Model &model,
                    DmlExecutable executable);
  Status bindWeights(const Model &model, const Image &image,
                     const CallerWeights &weights, Progress &progress);
  Status bindCallerWeight(uint32_t index, const DmlWeightInfo &info,
                          const CallerWeights &weights);
  Expected<std::unique_ptr<Slot>> takeSlot();
  void giveSlot(std::unique_ptr<Slot> slot);
  Expected<DmlBufferRange> getBuffer(BufferHandle &buffer,
                                     const DmlTensorInfo &info);
  Status bindInput(Slot &slot, uint32_t index, const DmlSessionTensor &tensor);
  Status bindOutput(Slot &slot, uint32_t index, const DmlSessionTensor *tensor);
  Status readOutputs(Slot &slot, llvm::ArrayRef<DmlSessionTensor *> outputs,
                     std::vector<void *> &results);

  DmlDevice device = nullptr;
  ExecutableHandle ownExecutable;
  DmlExecutable executable = nullptr;
  ProgramHandle program;
  uint32_t function = 0;
  std::vector<DmlTensorInfo> inputs, outputs;
  uint64_t codeBytes = 0, slotBytes = 0;

  std::mutex mutex;
  std::vector<std::unique_ptr<Slot>> idle;
  std::atomic<uint32_t> slotCount = 0;
  /// Slots that are kept for later runs.
  static constexpr size_t mostIdle = 8;
};

} // namespace dml::session

#endif // DML_LIB_SESSION_PROGRAM_H
