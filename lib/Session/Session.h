//===- Session.h - A model on a device --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_SESSION_H
#define DML_LIB_SESSION_SESSION_H

#include "Binding.h"
#include "Devices.h"
#include "DiskCache.h"
#include "Programs.h"
#include "Trace.h"

namespace dml::session {

/// The object of a DmlSession.
class Session {
public:
  static Expected<std::unique_ptr<Session>>
  create(const DmlSessionCreateInfo &info);
  ~Session();

  void describe(DmlSessionInfo &info);
  const Signature &getSignature() const { return model->getSignature(); }

  Status run(llvm::ArrayRef<DmlSessionTensor> inputs,
             llvm::MutableArrayRef<DmlSessionTensor> outputs);
  Status prepare(llvm::ArrayRef<DmlSessionTensor> inputs,
                 llvm::MutableArrayRef<DmlSessionTensor> outputs);

private:
  Session(const DmlSessionCreateInfo &info);
  Status setWeights(const DmlSessionCreateInfo &info);
  Status setOptions(const DmlSessionCreateInfo &info);
  Expected<std::shared_ptr<Program>> getProgram(const InputBinding &binding);
  Expected<std::shared_ptr<Program>> makeProgram(const InputBinding &binding);
  /// Returns the image for the sizes of a run, from the cache or from the
  /// compiler.
  Expected<Image> getImage(const InputBinding &binding, Progress &progress);
  /// Returns the key of a program in the cache, for the sizes of a run.
  Expected<Digest> getKey(const InputBinding &binding);
  /// The tensors of a call, checked, and the program for their sizes.
  struct Call {
    InputBinding binding;
    /// The caller's tensor of each output of the model, or null.
    std::vector<DmlSessionTensor *> wanted;
    std::shared_ptr<Program> program;
  };
  Expected<Call> bind(llvm::ArrayRef<DmlSessionTensor> inputs,
                      llvm::MutableArrayRef<DmlSessionTensor> outputs,
                      bool isRun);
  /// Sets how runs are waited for and measured.
  Status setRuns(const DmlSessionCreateInfo &info);
  /// Tells the caller the times of a run.
  void report(const Program &program, const StepTimes &times);
  /// Sets the description of an output in the caller's tensor.
  void describeOutput(const Program &program, size_t index,
                      DmlSessionTensor &tensor) const;

  std::shared_ptr<SessionDevice> device;
  std::shared_ptr<WeightStore> store;
  std::unique_ptr<Model> model;
  CompilerOptions options;
  /// The digest of the options.
  Digest optionsKey = {};
  CallerWeights weights;
  Messages messages;
  RunSettings settings;
  DmlProgressCallback progressCallback;
  DmlRunTimesCallback runTimesCallback;
  void *userData;
  std::atomic<uint64_t> compiledCount = 0, cachedCount = 0;
  std::unique_ptr<DiskCache> cache;
  std::unique_ptr<Trace> trace;
  /// What the caller calls the model, or "".
  std::string identifier;
  std::mutex keyMutex;
  /// The digest of all that keys have in common, once it is known.
  std::optional<Digest> commonKey;
  /// Destroyed first.
  Programs programs;
};

} // namespace dml::session

#endif // DML_LIB_SESSION_SESSION_H
