//===- Session.h - A model on a device --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_SESSION_H
#define DML_LIB_SESSION_SESSION_H

#include "Binding.h"
#include "Programs.h"

namespace dml::session {

/// What stands behind a DmlSession.
class Session {
public:
  static Expected<std::unique_ptr<Session>>
  create(const DmlSessionCreateInfo &info);

  void describe(DmlSessionInfo &info);
  const Signature &getSignature() const { return model->getSignature(); }

  Status run(llvm::ArrayRef<DmlSessionTensor> inputs,
             llvm::MutableArrayRef<DmlSessionTensor> outputs);
  Status prepare(llvm::ArrayRef<DmlSessionTensor> inputs,
                 llvm::MutableArrayRef<DmlSessionTensor> outputs);

private:
  Session(const DmlSessionCreateInfo &info);
  Status openDevice(const DmlSessionCreateInfo &info);
  Status setOptions(const DmlSessionCreateInfo &info);
  Expected<std::shared_ptr<Program>> getProgram(const InputBinding &binding);
  Expected<std::shared_ptr<Program>> makeProgram(const InputBinding &binding);
  /// Sets what a run tells of an output.
  void describeOutput(const Program &program, size_t index,
                      DmlSessionTensor &tensor) const;

  InstanceHandle instance;
  DeviceHandle device;
  std::unique_ptr<Model> model;
  CompilerOptions options;
  CallerWeights weights;
  Messages messages;
  DmlProgressCallback progressCallback;
  void *userData;
  std::atomic<uint64_t> compiledCount = 0;
  /// Destroyed first.
  Programs programs;
};

} // namespace dml::session

#endif // DML_LIB_SESSION_SESSION_H
