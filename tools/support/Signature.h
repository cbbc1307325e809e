//===- Signature.h - The functions of an executable -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_SIGNATURE_H
#define DML_TOOLS_SUPPORT_SIGNATURE_H

#include "support/Runtime.h"

#include <vector>

namespace dml::tools {

/// One function of an executable, with the descriptions of its tensors.
struct Signature {
  uint32_t index = 0;
  DmlFunctionInfo info{};
  std::vector<DmlTensorInfo> inputs;
  std::vector<DmlTensorInfo> outputs;
};

Signature readSignature(DmlExecutable executable, uint32_t index);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_SIGNATURE_H
