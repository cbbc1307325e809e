//===- DividedRun.h - A run of several programs -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_DIVIDEDRUN_H
#define DML_LIB_SESSION_DIVIDEDRUN_H

#include "Session.h"
#include <chrono>

namespace dml::session {

/// Memory of the device with a tensor between two programs.
class DeviceMemory {
public:
  /// A buffer of `pool`, which gets the buffer back unless `isFailed`.
  DeviceMemory(BufferHandle buffer, BufferPool &pool,
               std::shared_ptr<const std::atomic<bool>> isFailed);
  /// A buffer of the caller.
  explicit DeviceMemory(const DmlBufferRange &range) : range(range) {}
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  const DmlBufferRange &getRange() const { return range; }
  /// The buffer, or null if the buffer is the caller's.
  DmlBuffer getBuffer() const { return buffer.get(); }

private:
  BufferHandle buffer;
  DmlBufferRange range{};
  BufferPool *pool = nullptr;
  std::shared_ptr<const std::atomic<bool>> isFailed;
};

/// A tensor of a run. Its elements are on the host, on the device, or on both.
struct LiveTensor {
  /// The elements may be there although the tensor does not count as one on the
  /// host, such as those of a picture that the caller gives.
  onnx::PresentTensor present;
  std::shared_ptr<DeviceMemory> device;

  bool hasElements() const {
    return present.elements.data() || present.getNumElements() == 0;
  }
};

/// The tensors of a graph, by their unique names. An iteration of a loop has a
/// frame of its own, whose outer frame has the tensors around the loop.
struct Frame {
  explicit Frame(Frame *outer) : outer(outer) {}
  Frame *outer;
  llvm::StringMap<LiveTensor> tensors;

  /// Returns the tensor, or null.
  LiveTensor *find(llvm::StringRef name);
};

/// A run of a model as several programs.
class DividedRun {
public:
  DividedRun(Session &session, const Model::Divided &divided)
      : session(session), divided(divided),
        progress(session.progressCallback, session.userData) {}

  Status run(llvm::ArrayRef<const DmlSessionTensor *> inputs,
             llvm::ArrayRef<DmlSessionTensor *> outputs);
  /// Compiles the first program, and describes the outputs whose sizes are
  /// known before the run.
  Status prepare(llvm::ArrayRef<const DmlSessionTensor *> inputs,
                 llvm::ArrayRef<DmlSessionTensor *> outputs);

private:
  using Outputs = llvm::ArrayRef<DmlSessionTensor *>;

  void addInputs(llvm::ArrayRef<const DmlSessionTensor *> inputs, Frame &frame);
  /// Runs all nodes of a section.
  Status runSection(onnx::SectionPointer section, Frame &frame);

  //===--------------------------------------------------------------------===//
  // Cuts
  //===--------------------------------------------------------------------===//

  /// A cut, and the function that it was found with, if it was just made.
  struct FoundCut {
    CutPointer cut;
    std::unique_ptr<CompilerContext> context;
    std::unique_ptr<ReadFiles> files;
    mlir::OwningOpRef<mlir::ModuleOp> module;
  };
  /// Returns the cut of a section for the tensors of the frame, and adds what
  /// the host computes to the frame.
  Expected<FoundCut> findCut(const onnx::SectionPointer &section, Frame &frame);
  Expected<FoundCut> makeCut(const onnx::SectionPointer &section, Frame &frame);
  /// Whether the cut fits the tensors of the frame. `made` receives what the
  /// host computes.
  Expected<bool> fits(const onnx::Cut &cut, Frame &frame, Frame &made);
  Expected<std::shared_ptr<Program>>
  getProgram(const onnx::SectionPointer &section, Frame &frame,
             FoundCut &found);
  Status runProgram(const onnx::Cut &cut, Program &program, Frame &frame);
  /// Erases the tensors that nothing reads any more.
  static void dropUnread(const onnx::Section &rest, Frame &frame);

  //===--------------------------------------------------------------------===//
  // Tensors
  //===--------------------------------------------------------------------===//

  Expected<std::shared_ptr<DeviceMemory>> takeMemory(uint64_t size);
  /// Returns the tensor as the input of a program.
  Expected<DmlSessionTensor> giveInput(LiveTensor &tensor,
                                       const DmlTensorInfo &info);
  /// Brings the elements to the host.
  Status readElements(LiveTensor &tensor);
  /// Moves a tensor from a buffer of the caller to one of the session.
  Status leaveCaller(LiveTensor &tensor);
  /// Copies the elements to memory of the host, or to a range of the device.
  Status copyTo(LiveTensor &tensor, void *data);
  Status copyTo(LiveTensor &tensor, const DmlBufferRange &range);
  /// Returns the program that copies a tensor.
  Expected<std::shared_ptr<Program>>
  getCopyProgram(const onnx::PresentTensor &tensor);

  Expected<LiveTensor *> findOutput(size_t index, Frame &frame);
  Status giveOutputs(Outputs outputs, Frame &frame);
  static void describe(const SignatureTensor &declared,
                       const onnx::PresentTensor &tensor,
                       DmlSessionTensor &output);
  /// Describes an output whose sizes only a run tells.
  static void describe(const SignatureTensor &declared,
                       DmlSessionTensor &output);

  //===--------------------------------------------------------------------===//
  // Loops
  //===--------------------------------------------------------------------===//

  /// The tensors of all iterations so far.
  struct Collection {
    const onnx::LoopNode::Collected *node;
    std::vector<char> bytes;
    llvm::SmallVector<int64_t> shape;
    DataType type;
    bool isBool;
  };
  Status runLoop(const onnx::LoopNode &loop, Frame &frame);
  Status runIteration(const onnx::LoopNode &loop, int64_t number,
                      std::optional<int64_t> count, bool &condition,
                      std::vector<LiveTensor> &carried,
                      std::vector<Collection> &collections, Frame &outer);
  /// Reads the number of iterations, or the condition.
  Expected<std::optional<int64_t>> readInteger(const std::string &name,
                                               const onnx::LoopNode &loop,
                                               Frame &frame);
  Status collect(const onnx::LoopNode &loop, LiveTensor &tensor, int64_t number,
                 Collection &collection);
  /// Returns the tensor of all iterations.
  static Expected<LiveTensor> finish(const onnx::LoopNode &loop,
                                     Collection &collection, int64_t count);
  /// Fails if the caller cancels, or if the run takes longer than the limit.
  Status check(const onnx::LoopNode &loop);

  Session &session;
  const Model::Divided &divided;
  Progress progress;
  /// Whether a program has failed, whose work may still use buffers.
  std::shared_ptr<std::atomic<bool>> isFailed =
      std::make_shared<std::atomic<bool>>(false);
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
  /// The time for making programs, which does not count.
  std::chrono::steady_clock::duration makingTime{};
  /// Bytes that iterations have collected.
  uint64_t collectedBytes = 0;
};

} // namespace dml::session

#endif // DML_LIB_SESSION_DIVIDEDRUN_H
