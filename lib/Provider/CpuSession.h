//===- CpuSession.h - A session of ONNX Runtime's CPU -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_PROVIDER_CPUSESSION_H
#define DML_LIB_PROVIDER_CPUSESSION_H

#include "Api.h"

namespace dml::provider {

/// A session of ONNX Runtime's CPU provider. May be used from many threads at
/// once.
class CpuSession {
public:
  /// Creates a session of the bytes of an ONNX model.
  explicit CpuSession(const std::string &model);

  /// Makes a tensor of host memory, which must exist as long.
  Owned<OrtValue> makeTensor(void *data, size_t size,
                             const std::vector<int64_t> &sizes,
                             ONNXTensorElementDataType type) const;
  std::vector<Owned<OrtValue>>
  run(const std::vector<std::string> &inputs,
      const std::vector<const OrtValue *> &given,
      const std::vector<std::string> &outputs) const;

private:
  Owned<OrtEnv> env;
  Owned<OrtMemoryInfo> memory;
  Owned<OrtSession> session;
};

} // namespace dml::provider

#endif // DML_LIB_PROVIDER_CPUSESSION_H
