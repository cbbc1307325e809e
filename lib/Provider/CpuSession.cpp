//===- CpuSession.cpp - A session of ONNX Runtime's CPU -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CpuSession.h"

using namespace dml::provider;

CpuSession::CpuSession(const std::string &model) {
  // The environment is that of the process, with one more owner.
  env.reset(get<OrtEnv *>(ort().CreateEnv, ORT_LOGGING_LEVEL_WARNING, "dml"));
  memory.reset(get<OrtMemoryInfo *>(ort().CreateCpuMemoryInfo,
                                    OrtArenaAllocator, OrtMemTypeDefault));
  Owned<OrtSessionOptions> settings(
      get<OrtSessionOptions *>(ort().CreateSessionOptions));
  session.reset(get<OrtSession *>(
      ort().CreateSessionFromArray, static_cast<const OrtEnv *>(env.get()),
      static_cast<const void *>(model.data()), model.size(),
      static_cast<const OrtSessionOptions *>(settings.get())));
}

Owned<OrtValue> CpuSession::makeTensor(void *data, size_t size,
                                       const std::vector<int64_t> &sizes,
                                       ONNXTensorElementDataType type) const {
  return Owned<OrtValue>(get<OrtValue *>(
      ort().CreateTensorWithDataAsOrtValue,
      static_cast<const OrtMemoryInfo *>(memory.get()), data, size,
      static_cast<const int64_t *>(sizes.data()), sizes.size(), type));
}

std::vector<Owned<OrtValue>>
CpuSession::run(const std::vector<std::string> &inputs,
                const std::vector<const OrtValue *> &given,
                const std::vector<std::string> &outputs) const {
  std::vector<const char *> names, wanted;
  for (const std::string &input : inputs)
    names.push_back(input.c_str());
  for (const std::string &output : outputs)
    wanted.push_back(output.c_str());
  std::vector<OrtValue *> results(outputs.size());
  OrtStatus *status =
      ort().Run(session.get(), nullptr, names.data(), given.data(),
                given.size(), wanted.data(), wanted.size(), results.data());
  std::vector<Owned<OrtValue>> owned(results.begin(), results.end());
  check(status);
  return owned;
}
