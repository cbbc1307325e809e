//===- Session.h - A model on a device --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_SESSION_H
#define DML_LIB_SESSION_SESSION_H

#include "Binding.h"
#include "BufferPool.h"
#include "Cuts.h"
#include "Devices.h"
#include "DiskCache.h"
#include "Programs.h"
#include "Trace.h"
#include "Tuner.h"

namespace dml::session {

/// The object of a DmlSession.
class Session {
public:
  static Expected<std::unique_ptr<Session>>
  create(const DmlSessionCreateInfo &info);
  ~Session();

  void describe(DmlSessionInfo &info);
  const Signature &getSignature() const { return model->getSignature(); }
  /// Returns the text of the table of kernels: of those that the session has
  /// measured or found measured, or of those that it uses without measuring.
  std::string getTuning();

  Status run(llvm::ArrayRef<DmlSessionTensor> inputs,
             llvm::MutableArrayRef<DmlSessionTensor> outputs);
  /// Compiles the image of a program.
  using CompileImage = llvm::function_ref<Expected<Image>(Progress &)>;
  /// Returns the program that `text` tells from the model's others, which is
  /// compiled if there is none.
  Expected<std::shared_ptr<Program>> getProgram(const std::string &text,
                                                CompileImage compileImage);

  Status prepare(llvm::ArrayRef<DmlSessionTensor> inputs,
                 llvm::MutableArrayRef<DmlSessionTensor> outputs);

private:
  friend class DividedRun;
  Session(const DmlSessionCreateInfo &info);
  Status setWeights(const DmlSessionCreateInfo &info);
  Status setOptions(const DmlSessionCreateInfo &info);
  /// Decides which table of kernels programs use, and whether the session
  /// measures kernels.
  Status setTuning();
  Expected<std::shared_ptr<Program>> getProgram(const InputBinding &binding);
  /// Creates the program that `text` tells from the model's others.
  Expected<std::shared_ptr<Program>> makeProgram(llvm::StringRef text,
                                                 CompileImage compileImage);
  /// Returns the image of a program, from the cache or from the compiler.
  Expected<Image> getImage(llvm::StringRef text, CompileImage compileImage,
                           Progress &progress);
  /// Returns the key of a program in the cache.
  Expected<Digest> getKey(llvm::StringRef text);
  /// Returns the model's division, which is made when it is first needed.
  Expected<const Model::Divided *> getDivision();
  Status runDivided(llvm::ArrayRef<DmlSessionTensor> inputs,
                    llvm::MutableArrayRef<DmlSessionTensor> outputs,
                    bool isRun);
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
  void setBudget();
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
  /// Whether the caller wants kernels to be measured, and what measures them.
  bool wantsTuning = false;
  std::unique_ptr<Tuner> tuner;
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
  std::mutex divisionMutex;
  std::optional<Model::Divided> division;
  Cuts cuts;
  BufferPool pool;
  uint64_t budget;
  /// Destroyed first.
  Programs programs;
};

} // namespace dml::session

#endif // DML_LIB_SESSION_SESSION_H
